"""Counts that a note states for a layer: parameters, bytes of the cache, FLOPs; recomputed by a run of the core."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from mha_quiz.amounts import Amount
from mha_quiz.claims.context import Context
from mha_quiz.claims.cost_counts import cache_rights, work_rights
from mha_quiz.claims.layer import Layer, layer_at, other_layers
from mha_quiz.claims.model import Finding, Judgement, Verdict
from mha_quiz.claims.numbers import Fit, fit, in_mixed_units, number_text
from mha_quiz.claims.parameter_counts import parameter_rights
from mha_quiz.claims.passages import Passage, Reading
from mha_quiz.claims.rights import Right, Rights
from mha_quiz.claims.terms import Number
from mha_quiz.claims.tokens import Token, number_word, unit_factor
from mha_quiz.claims.wording import COMPARES, is_about_mistakes, only_supposed, said_to_be_wrong, sentence


@dataclass(frozen=True, slots=True)
class Stated:
    """A number with the word that says what it counts."""

    number: Number
    counts: str
    """`parameters`, `bytes`, `multiply-adds` or `FLOPs`."""
    start: int
    end: int


_COUNTS = {
    **dict.fromkeys(("parameter", "parameters", "params", "entries", "weights"), "parameters"),
    **dict.fromkeys(("byte", "bytes"), "bytes"),
    **dict.fromkeys(("flop", "flops"), "FLOPs"),
    **dict.fromkeys(("mac", "macs", "multiply"), "multiply-adds"),
}
_WORTH_READING = re.compile(r"param|weights|entries|byte|[KMGT]i?B\b|flop|mac|multiply", re.IGNORECASE)
LEAST = 100
MOST = 10**18
_PER_ITEM = re.compile(
    r"\s*\$?\s*(?:bytes?|\w+)\s*(?:a|an|per|each|for each|for every|prati|har)\s+(?:number|value|element|float|entry|weight|parameter)",
    re.IGNORECASE,
)


def is_worth_reading(passage: Passage) -> bool:
    return _WORTH_READING.search(passage.text) is not None


def stated_counts(passage: Passage, tokens: Sequence[Token]) -> Iterator[Stated]:
    """Numbers directly before a word such as `parameters`, or with a unit such as GiB."""
    inner = [token for token in tokens if token.sort != "border"]
    for index, token in enumerate(inner):
        if token.sort != "number" or token.value <= 0:
            continue
        number, at = Number(token.value, token.decimals, token.rounded), index + 1
        if at < len(inner) and (times := number_word(inner[at])):
            number = Number(number.value * times, number.decimals - len(str(times)) + 1, True)
            at += not _work(inner[at])
        following = inner[at] if at < len(inner) else None
        if following is not None and following.sort == "unit" and following.text not in ("byte", "bytes"):
            factor = unit_factor(following)
            number = Number(number.value * factor, number.decimals, number.rounded, factor, True)
            counts = "bytes"
        else:
            counts = (_COUNTS.get(following.text.lower()) or _work(following)) if following is not None else ""
        end = following.end if counts and following is not None else token.end
        if not counts and index and inner[index - 1].sort == "relation" and _ends(following):
            counts = _announced(passage, token.start)
        if counts and LEAST <= number.value <= MOST and not _PER_ITEM.match(passage.text, token.end, token.end + 60):
            yield Stated(number, counts, token.start, end)


def _work(token: Token) -> str:
    """What `GFLOPs` and `MMACs` count, which are a factor and a word at once."""
    return _COUNTS.get(token.text[1:].lower(), "") if number_word(token) else ""


_ANNOUNCED = re.compile(r"\b(parameters?|params|bytes)\b[^.;]{0,80}:", re.IGNORECASE)


def _announced(passage: Passage, offset: int) -> str:
    """What the words before a colon say that the number counts: `total parameters of the layer: 4 · … = …`."""
    first, _ = sentence(passage.text, offset)
    match = _ANNOUNCED.search(passage.text, first, offset)
    return _COUNTS[match[1].lower()] if match else ""


def _ends(following: Token | None) -> bool:
    """Whether nothing goes on behind a number."""
    return following is None or (following.sort == "break" and following.text in ".;,:")


MOST_IN_PASSAGE = 40


def judge_counts(
    reading: Reading, context: Context, passage: Passage, tokens: Sequence[Token], chains: Sequence[tuple[int, int]]
) -> Iterator[Finding]:
    """The counts of a passage; `chains` are its equalities, whose left sides a count belongs to."""
    if is_about_mistakes(reading, passage):
        return
    for number, stated in enumerate(stated_counts(passage, tokens)):
        if number == MOST_IN_PASSAGE:
            return
        first, last = sentence(passage.text, stated.start)
        words = passage.text[first:last]
        clause = passage.text[first : stated.start]
        layer = layer_at(reading, context, passage, stated.start)
        rights = _rights(words, clause, stated, layer)
        if rights is None:
            continue
        if said_to_be_wrong(passage, stated.start, stated.end) or only_supposed(passage, stated.start, stated.end):
            continue
        start = next((start for start, end in chains if start <= stated.start < end), stated.start)
        judgement = _judged(stated, *rights, is_worked_out=start < stated.start)
        if judgement is None:
            continue
        if judgement.verdict is Verdict.FAILS:
            if COMPARES.search(words) or _BOUND.search(clause):
                continue
            others = other_layers(layer, context, passage, stated.counts)
            if any(_holds(stated, _rights(words, clause, stated, other)) for other in others):
                continue
            start = first + len(words) - len(words.lstrip())
        yield Finding(passage.number, start, passage.number, stated.end, judgement)


_BOUND = re.compile(
    r"\b(?:about|roughly|approx\w*|around|nearly|almost|some|circa|over|above|under|below|at least|at most|up ?to|lagbhag|kareeb|karib|just|only|barely|"
    r"well|order of)[\s$~≈]*(?:(?:a|an|the|over|under|below|above)\s)?[\s$~≈]*$|[~≈<>≤≥][\s$]*$",
    re.IGNORECASE,
)
"""Before a count that is none to the digit."""


def _rights(words: str, clause: str, stated: Stated, layer: Layer) -> Rights | None:
    match stated.counts:
        case "parameters":
            return parameter_rights(words, clause, layer)
        case "bytes":
            return cache_rights(words, clause, stated.number.value, layer)
        case counts:
            return work_rights(clause, layer, counts)


def _holds(stated: Stated, rights: Rights | None) -> bool:
    return rights is not None and any(_fits(right.value, stated.number) for right in (*rights[0], *rights[1]))


def _judged(
    stated: Stated,
    rights: Sequence[Right],
    also: Sequence[Right],
    slips: Sequence[tuple[int, str]],
    *,
    is_worked_out: bool,
) -> Judgement | None:
    """`also` are readings of the words that would do as well; what an equality works out fails only by a slip."""
    for right in (*rights, *also):
        if _fits(right.value, stated.number):
            shown = number_text(Fraction(right.value))
            return Judgement(Verdict.HOLDS, shown, f"{right.formula} = {shown}")
    if not rights:
        return None
    shown = number_text(Fraction(rights[0].value))
    why = next((why for value, why in slips if _fits(value, stated.number)), "")
    if is_worked_out and not why:
        return None
    told = " or ".join(f"{right.formula} = {number_text(Fraction(right.value))}" for right in rights)
    if stated.number.factor > 1:
        told += f" bytes, {number_text(Fraction(rights[0].value, stated.number.factor))} in the unit stated"
    return Judgement(Verdict.FAILS, told, why or f"it comes to {shown}, not {number_text(stated.number.value)}")


def _fits(value: int, number: Number) -> bool:
    found = fit(Amount(Fraction(value)), number, approximate=number.rounded)
    if found is Fit.NONE:
        amount = Amount(Fraction(value))
        return any(fit(amount, other, approximate=True) is Fit.EXACT for other in in_mixed_units(number))
    return found in (Fit.EXACT, Fit.NEAR)
