"""All claims of a note, found and judged."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from cards.model import Problem
from cards.settings import Settings
from mha_quiz.claims import counts, letter_counts, roots, shapes, weights
from mha_quiz.claims.chains import Chain, Segment, chains, parted_by_dashes, segments, stretch
from mha_quiz.claims.columns import judge_columns
from mha_quiz.claims.context import Context, Setting, settings_of
from mha_quiz.claims.doubts import is_doubtful
from mha_quiz.claims.equalities import judge
from mha_quiz.claims.in_words import judge_words
from mha_quiz.claims.indexed_weights import judge_indexed
from mha_quiz.claims.layer import WORD_MARK, word_settings
from mha_quiz.claims.model import Claim, Finding, Judgement, Verdict
from mha_quiz.claims.options import offered
from mha_quiz.claims.passages import Passage, Reading, read
from mha_quiz.claims.sizes import SIZES, are_stale, sizes_at
from mha_quiz.claims.spoken import spoken
from mha_quiz.claims.terms import Name
from mha_quiz.claims.tokens import Token, tokens
from mha_quiz.claims.totals import judge_totals
from mha_quiz.claims.weight_matrices import matrix_rows
from mha_quiz.claims.weight_tables import judge_table
from mha_quiz.claims.wording import is_about_mistakes, is_no_claim, only_supposed, said_to_be_wrong, sentence

_NUMBERS_OR_SIGNS = re.compile(r"[\d=≈≃≅∈\\]|[sS]oftmax|SOFTMAX|precision")
"""Without any of these a passage claims nothing; the quick question before the slow one."""
_WORTH_READING = re.compile(
    r"[=≈≃≅∈]|~\s?\d|\\(?:approx|simeq|cong|doteq|equiv|in)\b|softmax|weight|score|logit|probab|\brows?\b|\bsum|shape|"
    r"dimension|divided by|\d times \d|% of |\broot\b|\d ko \d|\d squared|[)\]] ?(?:->|→)|matrix\}|\bsize|output|result|param|entries|byte|[KMGT]i?B\b|\bheads?\b|concat|split|scal|dividing|varian|deviation|causal|fp\d|float\d|flop|\bmacs?\b|multiply|equals?\b|barabar",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Read:
    """What a passage holds."""

    passage: Passage
    tokens: tuple[Token, ...]
    segments: tuple[Segment, ...]
    chains: tuple[Chain, ...]
    says_softmax: bool


def check(text: str, path: str, settings: Settings, *, page: bool) -> tuple[Claim, ...]:
    """The claims of a Markdown note, or with `page` of a pasted page, in order; what cannot be understood is no claim.

    Places are those of the file. Never raises, and takes time that grows with the length.
    """
    reading, context, found = _all_read(text, path, settings, page=page)
    declared: dict[str, shapes.Declared] = {}
    findings = [
        *(finding for each in found for finding in _findings(each, reading, context)),
        *(finding for each in found for finding in _shapes(each, reading, context, declared)),
        *judge_indexed(reading, [s for s in context.settings if not s.name.startswith(WORD_MARK)]),
        *_tables(reading, context),
        *_lists(found, reading, context),
    ]
    return _claims(reading, _without_options(reading, findings))


def _without_options(reading: Reading, findings: Sequence[Finding]) -> Iterator[Finding]:
    """The findings but those that fail among answers to choose from."""
    options = offered(reading) if any(it.judgement.verdict is Verdict.FAILS for it in findings) else {}
    for finding in findings:
        start = options.get(finding.passage)
        if finding.judgement.verdict is not Verdict.FAILS or start is None or finding.end <= start:
            yield finding


def settings_of_note(text: str, path: str, settings: Settings, *, page: bool) -> tuple[Reading, tuple[Setting, ...]]:
    """What the note fixes, such as n = 10, in order."""
    reading, context, _ = _all_read(text, path, settings, page=page)
    return reading, tuple(context.settings)


def _all_read(text: str, path: str, settings: Settings, *, page: bool) -> tuple[Reading, Context, list[_Read]]:
    reading = read(text, path, settings, page=page)
    context = Context()
    found = []
    for passage in reading.passages:
        if not _NUMBERS_OR_SIGNS.search(passage.text):
            continue
        if _WORTH_READING.search(passage.text):
            found.append(_read(passage))
            for one in found[-1].chains:
                context.extend(settings_of(one, passage))
        context.extend(word_settings(passage))
    return reading, context, found


def _read(passage: Passage) -> _Read:
    cut, runs, found = _arithmetic(passage.text, passage.math)
    return _Read(passage, cut, runs, (*found, *spoken(passage)), "softmax" in passage.text.lower())


@lru_cache(maxsize=2000)
def _arithmetic(
    text: str, math: tuple[tuple[int, int], ...]
) -> tuple[tuple[Token, ...], tuple[Segment, ...], tuple[Chain, ...]]:
    """What stands in the text of a passage; remembered because notes say much twice, and a note is read twice."""
    cut = tuple(tokens(text, math))
    runs = tuple(segments(cut))
    return cut, runs, tuple(chains(runs))


def _findings(each: _Read, reading: Reading, context: Context) -> Iterator[Finding]:
    passage = each.passage
    stretches = []
    for one in each.chains:
        judgement = judge(one, passage, context)
        if judgement is None:
            continue
        if judgement.verdict is Verdict.FAILS and (
            is_doubtful(one, passage.text) or said_to_be_wrong(passage, one.start, one.end)
        ):
            continue
        if judgement.verdict is Verdict.FAILS and is_no_claim(reading, passage, one.start, one.end):
            continue
        if judgement.verdict is Verdict.FAILS and any(
            all(_holds(judge(part, passage, context)) for part in parts) for parts in parted_by_dashes(one)
        ):
            continue
        judgement = _with_condition(judgement, one, passage, reading)
        stretches.append((one.start, one.end))
        yield Finding(passage.number, one.start, passage.number, one.end, judgement)
    yield from _roots(each, reading, context)
    yield from _letters(each, reading)
    yield from judge_words(reading, passage, context)
    if counts.is_worth_reading(passage):
        yield from counts.judge_counts(reading, context, passage, each.tokens, stretches)


def _holds(judgement: Judgement | None) -> bool:
    return judgement is not None and judgement.verdict is not Verdict.FAILS


_LOOKED_AT = 2000
"""Characters of a passage."""
_PARAMETERS = re.compile(r"\bparameters?\b|\bparams\b", re.IGNORECASE)
_BIAS = re.compile(r"\bbias|\bmatri(?:x|ces)\b", re.IGNORECASE)


def _with_condition(judgement: Judgement, one: Chain, passage: Passage, reading: Reading) -> Judgement:
    """A total of 4 d_model² holds only without biases; the passage or one near it may say so."""
    if judgement.verdict is not Verdict.HOLDS or judgement.right not in ("4 · d_model^2", "4 · d^2"):
        return judgement
    near = [other.text[:_LOOKED_AT] for other in reading.passages[max(0, passage.number - 3) : passage.number + 2]]
    first, last = sentence(passage.text, one.end)
    if not _PARAMETERS.search(passage.text, first, last) or any(map(_BIAS.search, near)):
        return judgement
    why = f"{judgement.why}; holds if there are no biases (they add 4 d_model) and d_v = d_k = d_model / h"
    return Judgement(Verdict.HOLDS_IF, judgement.right, why)


def _letters(each: _Read, reading: Reading) -> Iterator[Finding]:
    passage = each.passage
    if not _PARAMETERS.search(passage.text) or is_about_mistakes(reading, passage):
        return
    for segment in each.segments:
        start, end = segment.tokens[0].start, segment.tokens[-1].end
        says_bias = _BIAS.search(passage.text, max(0, start - _LOOKED_AT), end + _LOOKED_AT) is not None
        judgement = letter_counts.judge_letters(segment, passage, says_bias=says_bias)
        if judgement is not None and not (
            judgement.verdict is Verdict.FAILS
            and (said_to_be_wrong(passage, start, end) or only_supposed(passage, start, end))
        ):
            yield Finding(passage.number, start, passage.number, end, judgement)


def _shapes(each: _Read, reading: Reading, context: Context, declared: dict[str, shapes.Declared]) -> Iterator[Finding]:
    """The memberships of a passage; shapes that do not fail count from then on as `declared`."""
    passage = each.passage
    if not _SPEAKS_OF_SHAPES.search(passage.text):
        return
    for index, segment in enumerate(each.segments):
        above = each.segments[index - 1] if index else None
        found = shapes.membership(segment) or shapes.told_shape(segment, above, passage.text)
        if found is None:
            continue
        sizes = sizes_at(context, passage, found.start)
        judgement = shapes.judge_shape(found.term, found.axes, sizes, declared, passage.scope)
        if isinstance(found.term, Name) and (judgement is None or judgement.verdict is not Verdict.FAILS):
            declared[found.term.text] = shapes.Declared(found.axes, passage.scope)
        if judgement is None:
            continue
        if judgement.verdict is Verdict.FAILS and (
            said_to_be_wrong(passage, found.start, found.end)
            or is_no_claim(reading, passage, found.start, found.end)
            or shapes.another_example_fits(found, context, passage)
            or are_stale(SIZES, context, passage, found.start)
        ):
            continue
        yield Finding(passage.number, found.start, passage.number, found.end, judgement)


_SPEAKS_OF_SHAPES = re.compile(r"∈|\\in\b|shape|size|dimension|output|result", re.IGNORECASE)
_HEADS = re.compile(r"\bheads?\b", re.IGNORECASE)
_WIDTHS = ("d_model", "d", "h", "d_k")


def _roots(each: _Read, reading: Reading, context: Context) -> Iterator[Finding]:
    passage = each.passage
    if not each.says_softmax or is_about_mistakes(reading, passage):
        return
    for start, end, inside in roots.softmaxes(passage, each.tokens):
        first, last = sentence(passage.text, start)
        of_heads = _HEADS.search(passage.text, first, last) is not None
        sizes = {} if are_stale(_WIDTHS, context, passage, start) else sizes_at(context, passage, start)
        judgement = roots.judge_scaling(inside, passage, sizes, of_heads=of_heads)
        if judgement is not None and not (judgement.verdict is Verdict.FAILS and said_to_be_wrong(passage, start, end)):
            yield Finding(passage.number, start, passage.number, end, judgement)


def _tables(reading: Reading, context: Context) -> Iterator[Finding]:
    for table in reading.tables:
        yield from judge_table(reading, table, _key_width(context, table.first))
        if not is_about_mistakes(reading, table.first):
            yield from judge_columns(table)
            yield from judge_totals(table)


def _key_width(context: Context, passage: Passage) -> weights.KeyWidth:
    return lambda: sizes_at(context, passage, 0).get("d_k")


_CLOSE = 6
"""Passages between a list of scores and the list of its weights."""


def _lists(found: Sequence[_Read], reading: Reading, context: Context) -> Iterator[Finding]:
    before: weights.Scores | None = None
    softmax_seen = -1
    for each in found:
        passage = each.passage
        if each.says_softmax:
            softmax_seen = passage.number
        if before is not None and (
            passage.number - before.passage.number > _CLOSE or passage.scope != before.passage.scope
        ):
            before = None
        if not is_about_mistakes(reading, passage):
            usable = before if before is not None and softmax_seen >= before.passage.number else None
            yield from weights.judge_lists(passage, each.tokens, usable, _key_width(context, passage))
            yield from matrix_rows(passage)
        before = weights.scores_in(passage, each.tokens) or before


def _claims(reading: Reading, findings: Iterable[Finding]) -> tuple[Claim, ...]:
    """One claim for a stretch: of two findings with one end, the one that says more."""
    kept: dict[tuple[int, int], Claim] = {}
    rank = {Verdict.FAILS: 2, Verdict.HOLDS_IF: 1, Verdict.HOLDS: 0}
    for finding in findings:
        claim = _claim(reading, finding)
        key = (finding.last_passage, finding.end)
        if key not in kept or rank[claim.verdict] > rank[kept[key].verdict]:
            kept[key] = claim
    return tuple(sorted(kept.values(), key=lambda claim: (claim.place, claim.text)))


def _claim(reading: Reading, finding: Finding) -> Claim:
    first, last = reading.passages[finding.passage], reading.passages[finding.last_passage]
    judgement = finding.judgement
    if first is last:
        start, end = stretch(first, finding.start, finding.end)
    else:
        start, _ = stretch(first, finding.start, len(first.text))
        _, end = stretch(last, 0, finding.end)
    place, ending = reading.place(first, start), reading.place(last, max(end - 1, 0))
    if first is last:
        text = reading.between(place, ending) or " ".join(first.text[start:end].split())
    else:
        text = f"{reading.text(first, start, len(first.text))} … {reading.text(last, 0, end)}"
    return Claim(place, text, judgement.verdict, judgement.right, judgement.why, max(ending.line, place.line))


def problems(claims: Iterable[Claim]) -> tuple[Problem, ...]:
    """A problem `false-claim` for each claim that fails."""
    return tuple(
        Problem(claim.place, "false-claim", f"{_cut(claim.text)} does not hold: {_told(claim)}")
        for claim in claims
        if claim.verdict is Verdict.FAILS
    )


def _told(claim: Claim) -> str:
    return claim.why if claim.right in claim.why else f"{claim.why}; right is {claim.right}"


_LONGEST_QUOTE = 80


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else f"{text[: _LONGEST_QUOTE - 1]}…"


def claim_json(claim: Claim) -> dict[str, object]:
    """What `check --json` prints of it."""
    return {
        "path": claim.place.path,
        "line": claim.place.line,
        "column": claim.place.column,
        "text": claim.text,
        "verdict": claim.verdict.value,
        "right": claim.right,
        "why": claim.why,
    }
