"""Softmax weights that the prose of a note states for its scores, and lists of weights that must sum to 1."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from mha_quiz.amounts import Amount, amount, quotient, root
from mha_quiz.claims.model import Finding, Judgement, Verdict
from mha_quiz.claims.number_lists import Listed, lists
from mha_quiz.claims.numbers import number_text
from mha_quiz.claims.passages import Passage
from mha_quiz.claims.terms import Term, Unreadable, Vector
from mha_quiz.claims.tokens import Token
from mha_quiz.claims.values import Value, evaluate, softmax_of
from mha_quiz.claims.vectors import compare_lists
from mha_quiz.claims.wording import only_supposed, said_to_be_wrong, sentence

SOFTMAX = re.compile(r"softmax", re.IGNORECASE)
_SCORES = re.compile(r"\b(?:scores?|logits?|dot[- ]products?|similarit(?:y|ies))\b", re.IGNORECASE)
_WEIGHTS = re.compile(r"\b(?:weights?|probabilit(?:y|ies)|attention distribution)\b", re.IGNORECASE)
_ATTENTION = re.compile(r"softmax|attention[- ]weights?|\brows?\b", re.IGNORECASE)
_GIVES = re.compile(
    r"\b(?:gives?|yields?|becomes?|turns? (?:into|them)|is|are|results?|produces?|milte|milta|milti|bante|banta|deta|dete|aate|aata|"
    r"hain|hai)\b|[→=]",
    re.IGNORECASE,
)
ELIDED = re.compile(
    r"\.\.\.|…|\\[lc]?dots|\b(?:first|top|largest|biggest|others?|rest|remaining|baaki|among|some|more|pehle|pehli)\b"
    r"|\d+ aur\b",
    re.IGNORECASE,
)
SPOILED = re.compile(
    r"\b(?:dropout|sigmoid|unnormali[sz]ed|before normali[sz]|temperature|top-k|ensemble|loss)\b", re.IGNORECASE
)
_UNSCALED = re.compile(
    r"\b(?:dot[- ]products?|raw|unscaled|scal(?:e|ed|ing)|divid(?:e|ed|ing)|sqrt|divide)\b|√|\\sqrt", re.IGNORECASE
)
_SUM = re.compile(
    r"\b(?:sums?(?:\s+(?:up\s+)?to|\s+is|\s*=|\s+of[^.;]{0,40}?\s+is)|add(?:s)?\s+up\s+to|total(?:s|\s+is)?|(?:ka|inka|jinka|unka|iska|uska|kul)\s+(?:sum|jod|total))"
    r"\s*(?:to\s+|exactly\s+)?\$?(\d{1,6}(?:\.\d{1,9})?)(?!\d|[.,]\d|\s*[-+*×·⋅/^])",
    re.IGNORECASE,
)
_WORTH_READING = re.compile(r"softmax|weight|probab|\bsum|\brows?\b|\badd|\btotal|\bjod\b", re.IGNORECASE)
MOST_LISTS = 40
"""Of a passage."""
KeyWidth = Callable[[], int | None]
"""Gives d_k, if the note says it."""


def judge_lists(
    passage: Passage, tokens: Sequence[Token], before: "Scores | None", key_width: KeyWidth
) -> "list[Finding]":
    """Weights against the scores of the same sentence, or of a passage before; sums that are stated."""
    if not _WORTH_READING.search(passage.text):
        return []
    found = [listed for listed in islice(lists(tokens), MOST_LISTS) if not _in_call(passage, listed)]
    findings = []
    scores = [listed for listed in found if _label(passage, listed, found) is _SCORES]
    judged: set[Listed] = set()
    for listed in found:
        if not listed.could_be_weights or not any(number.decimals > 0 for number in listed.numbers):
            continue
        source = _scores_for(passage, listed, found, scores, before)
        if source is None or said_to_be_wrong(passage, source.start, listed.end):
            continue
        if only_supposed(passage, source.start, listed.end) or SPOILED.search(passage.text):
            continue
        judgement = softmax_judgement(source.items, listed, passage, source.passage, key_width)
        if judgement is not None and judgement.verdict is Verdict.FAILS:
            others = (other.items for other in found if other.end <= listed.start)
            if any(is_softmax(items, listed, passage, key_width) for items in others):
                continue
        if judgement is not None:
            judged.add(listed)
            start = min(source.start, listed.start) if source.passage is passage else source.start
            findings.append(Finding(source.passage.number, start, passage.number, listed.end, judgement))
    findings += _row_sums(passage, found)
    findings += [
        finding
        for listed in found
        if listed not in judged and (finding := _sum_finding(passage, listed, found)) is not None
    ]
    return findings


@dataclass(frozen=True, slots=True)
class Scores:
    items: tuple[Term, ...]
    passage: Passage
    start: int


def scores_in(passage: Passage, tokens: Sequence[Token]) -> Scores | None:
    """The last list of scores in the passage, for weights that follow below."""
    if not _SCORES.search(passage.text):
        return None
    found = list(islice(lists(tokens), MOST_LISTS))
    labels = [(listed, _label(passage, listed, found)) for listed in found]
    labelled = [listed for listed, label in labels if label is _SCORES]
    if any(label is _WEIGHTS and listed.could_be_weights for listed, label in labels):
        return None  # the passage gives their weights itself
    if not labelled or any(_may_follow_from(labelled[-1], other) for other in found):
        return None
    return Scores(labelled[-1].items, passage, labelled[-1].start)


def _may_follow_from(scores: Listed, other: Listed) -> bool:
    """Whether a list may be the weights of the scores before it."""
    is_behind = other.start >= scores.end and len(other.items) == len(scores.items)
    return is_behind and other.could_be_weights and any(number.decimals > 0 for number in other.numbers)


NEAR = 40


def _label(passage: Passage, listed: Listed, others: Sequence[Listed]) -> re.Pattern[str] | None:
    """Whether the words around the list call it scores or weights; the nearest word before it counts first."""
    left = max((other.end for other in others if other.end <= listed.start), default=0)
    before = passage.text[max(left, listed.start - NEAR * 2) : listed.start]
    last: tuple[int, re.Pattern[str] | None] = (-1, None)
    for pattern in (_SCORES, _WEIGHTS):
        for match in pattern.finditer(before):
            last = max(last, (match.start(), pattern), key=lambda pair: pair[0])
    if last[1] is not None:
        return last[1]
    right = min((other.start for other in others if other.start >= listed.end), default=len(passage.text))
    after = passage.text[listed.end : min(right, listed.end + NEAR)]
    following = [(at.start(), pattern) for pattern in (_SCORES, _WEIGHTS) if (at := pattern.search(after))]
    return min(following, key=lambda pair: pair[0])[1] if following else None


def _scores_for(
    passage: Passage, listed: Listed, found: Sequence[Listed], scores: Sequence[Listed], before: Scores | None
) -> Scores | None:
    label = _label(passage, listed, found)
    first, last = sentence(passage.text, listed.start)
    inside = [other for other in found if first <= other.start and other.end <= last and other is not listed]
    same = [other for other in scores if len(other.items) == len(listed.items) and other is not listed]
    rivals = [other for one in same for other in found if other is not listed and _may_follow_from(one, other)]
    if any(rival.start < max(listed.start, one.start) or listed.end <= one.start for one in same for rival in rivals):
        return None  # those weights are of these scores
    is_near = len(same) == 1 and (same[0].end <= listed.start or same[0] in inside)
    if label is _WEIGHTS and is_near and SOFTMAX.search(passage.text):
        return Scores(same[0].items, passage, same[0].start)
    if label is not _SCORES and len(inside) == 1 and SOFTMAX.search(passage.text, first, last):
        other = inside[0]
        between = passage.text[other.end : listed.start]
        fits = other.end <= listed.start and len(other.items) == len(listed.items)
        if fits and (_GIVES.search(between) or SOFTMAX.search(between)):
            return Scores(other.items, passage, other.start)
    if label is None and len(same) == 1 and same[0].end <= listed.start and SOFTMAX.search(passage.text, first, last):
        return Scores(same[0].items, passage, same[0].start)
    if label is _WEIGHTS and before is not None and len(before.items) == len(listed.items) and not same:
        return before
    return None


def _in_call(passage: Passage, listed: Listed) -> bool:
    """`softmax(2, 1, 3) = …` is judged as an equality."""
    head = passage.text[max(0, listed.start - 24) : listed.start]
    return re.search(
        r"softmax\}?\s*(?:\\left|\\[bB]ig+l?)?\s*[(\[][(\[]?\s*\$?-?$", head, re.IGNORECASE
    ) is not None or (re.search(r"[)\]]\$?\s*[=≈]\s*\$?\s*[(\[]\s*$|\\approx\s*[(\[]\s*$", head) is not None)


def softmax_judgement(
    scores: Sequence[Term], listed: Listed, passage: Passage, other: Passage, key_width: KeyWidth
) -> Judgement | None:
    stated = Vector(listed.items, square=True)
    try:
        values = [evaluate(score) for score in scores]
        plain = compare_lists(softmax_of(values), stated, approximate=False, what="softmax of the scores")
        scaled, width = None, key_width()
        if width:
            scaled = compare_lists(
                softmax_of(_divided(values, width)), stated, approximate=False, what=_scaled_what(width)
            )
    except Unreadable:
        return None
    for judgement in (plain, scaled):
        if judgement is not None and judgement.verdict is Verdict.HOLDS:
            return judgement
    if _UNSCALED.search(passage.text) or _UNSCALED.search(other.text):
        says_scaled = re.search(r"\bscaled\b|scale kar|\bke baad\b", passage.text + other.text, re.IGNORECASE)
        return plain if says_scaled else scaled
    return plain


def is_softmax(scores: Sequence[Term], listed: Listed, passage: Passage, key_width: KeyWidth) -> bool:
    if len(scores) != len(listed.items):
        return False
    judgement = softmax_judgement(scores, listed, passage, passage, key_width)
    return judgement is not None and judgement.verdict is Verdict.HOLDS


def _scaled_what(width: int) -> str:
    return f"softmax of the scores divided by √{width}"


def _divided(values: Sequence[Value], width: int) -> list[Value]:
    divisor = root(amount(Fraction(width)))
    return [quotient(value, divisor) if isinstance(value, Amount) else value for value in values]


def _sum_finding(passage: Passage, listed: Listed, found: Sequence[Listed]) -> Finding | None:
    """`0.10, 0.40, 0.35 and 0.25; together they sum to 1`, and rows of weights that cannot be one."""
    numbers = listed.numbers
    if not listed.could_be_weights or not all(number.decimals > 0 for number in numbers if number.value not in (0, 1)):
        return None
    if sum(number.decimals > 0 for number in numbers) < 2:
        return None
    total = sum((number.value for number in numbers), Fraction(0))
    places = max(number.decimals for number in numbers)
    equal = len({number.value for number in numbers}) == 1
    slack = Fraction(len(numbers), 2 * 10**places) if places > 1 or equal else Fraction(0)
    shown = " + ".join(number_text(number.value, number.decimals) for number in numbers)
    if SPOILED.search(passage.text) or said_to_be_wrong(passage, listed.start, listed.end):
        return None
    if only_supposed(passage, listed.start, listed.end):
        return None
    _, last = sentence(passage.text, listed.end)
    stated = _SUM.search(passage.text, listed.end, min(last + 80, len(passage.text))) or _SUM.search(
        passage.text, sentence(passage.text, listed.start)[0], listed.start
    )
    if stated is not None and (
        _OTHER_SUM.search(passage.text, listed.end, stated.end() + NEAR)
        or re.search(r"\d|\bweighted\b", passage.text[listed.end : stated.start()])
    ):
        return None
    if stated is not None and not any(
        other is not listed and stated.start() > other.start > listed.start for other in found
    ):
        said = Fraction(stated[1])
        end = max(stated.end(), listed.end)
        start = min(stated.start(), listed.start)
        if total == said or (said == 1 and abs(total - 1) <= slack):
            return found_at(
                passage,
                start,
                end,
                Verdict.HOLDS,
                number_text(total, places),
                f"{shown} = {number_text(total, places)}",
            )
        if ELIDED.search(passage.text) and total < said:
            return None
        return found_at(
            passage, start, end, Verdict.FAILS, number_text(total, places), f"{shown} = {number_text(total, places)}"
        )
    return _row(passage, listed, total, slack, places, shown)


_OTHER_SUM = re.compile(
    r"\b(?:columns?|others?|heads|scores|logits|exponentials?)\b(?:(?!\brows?\b)[^.;])*?"
    r"\b(?:sums?|add|total)|\b(?:sums?|add|total)[^.;\d]*[\d.]+\s*(?:,|and|aur)\s*\d",
    re.IGNORECASE,
)
"""Behind a list: sums of something else, or of several things."""
_ONE_ROW = re.compile(r"\brows?\b|\bweights?\b|softmax|probabilit", re.IGNORECASE)
_EXPONENTIALS = re.compile(r"\bexp\b|\be\s*\^|exponential", re.IGNORECASE)
_MANY_ROWS = re.compile(
    r"\b(?:all|layer|maps?|matrix|total|saare|saari|heads?|batch|dropout|columns?|two|three|do|teen)\b", re.IGNORECASE
)


def _row_sums(passage: Passage, found: Sequence[Listed]) -> Iterator[Finding]:
    """`a row of weights sums to 1`, where no weights are listed."""
    for match in islice(_SUM.finditer(passage.text), MOST_LISTS):
        first, last = sentence(passage.text, match.start())
        if any(first <= listed.start < last for listed in found) or not _ONE_ROW.search(passage.text, first, last):
            continue
        said = Fraction(match[1])
        if said == 1:
            yield found_at(
                passage, match.start(), match.end(), Verdict.HOLDS, match[1], "every row of a softmax sums to 1"
            )
        elif not (
            any(pattern.search(passage.text, first, last) for pattern in (_MANY_ROWS, ELIDED, SPOILED, _EXPONENTIALS))
            or said_to_be_wrong(passage, match.start(), match.end())
            or only_supposed(passage, match.start(), match.end())
        ):
            yield found_at(passage, match.start(), match.end(), Verdict.FAILS, "1", "every row of a softmax sums to 1")


def _row(passage: Passage, listed: Listed, total: Fraction, slack: Fraction, places: int, shown: str) -> Finding | None:
    if _label(passage, listed, [listed]) is not _WEIGHTS or not _ATTENTION.search(passage.text):
        return None
    if SPOILED.search(passage.text) or abs(total - 1) <= slack:
        return None
    if _MANY_ROWS.search(passage.text, *sentence(passage.text, listed.start)):
        return None
    if total < 1 and (ELIDED.search(passage.text) or not re.search(r"\brow\b|softmax", passage.text, re.IGNORECASE)):
        return None
    why = f"the weights of a row sum to 1; {shown} = {number_text(total, places)}"
    return found_at(
        passage, listed.start, listed.end, Verdict.FAILS, f"a sum of 1, not {number_text(total, places)}", why
    )


def found_at(passage: Passage, start: int, end: int, verdict: Verdict, right: str, why: str) -> Finding:
    return Finding(passage.number, start, passage.number, end, Judgement(verdict, right, why))
