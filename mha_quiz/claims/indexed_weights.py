"""Weights stated one by one, `weight_{3,1} = 0.12`, against the scores with the same indexes."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from mha_quiz.amounts import Amount, amount, exponential
from mha_quiz.claims.context import Setting
from mha_quiz.claims.model import Finding, Judgement, Verdict
from mha_quiz.claims.numbers import number_text
from mha_quiz.claims.passages import Reading
from mha_quiz.claims.values import softmax_of
from mha_quiz.claims.vectors import list_text
from mha_quiz.claims.weights import ELIDED, SOFTMAX, SPOILED
from mha_quiz.claims.wording import is_about_mistakes, said_to_be_wrong

_WEIGHT_BASES = {"weight": "score", "w": "s", "alpha": "e", "a": "s", "A": "S", "p": "s", "attn": "score"}
_SCORE_BASES = ("score", "s", "e", "z", "logit", "S", "x")


@dataclass(frozen=True, slots=True)
class _Indexed:
    base: str
    index: str
    number: Fraction
    setting: Setting

    @property
    def is_weight(self) -> bool:
        stated = self.setting.stated
        return self.base in _WEIGHT_BASES and 0 <= self.number <= 1 and stated is not None and stated.decimals > 0


def judge_indexed(reading: Reading, settings: Sequence[Setting]) -> Iterator[Finding]:
    """Groups of weights with indexes against the scores with the same indexes, also when others are not shown."""
    indexed = [each for setting in settings if (each := _indexed(setting)) is not None]
    scores: dict[tuple[str, str], list[_Indexed]] = {}
    for each in indexed:
        if each.base in _SCORE_BASES:
            scores.setdefault((each.base, each.index), []).append(each)
    for group in _groups(each for each in indexed if each.is_weight):
        yield from _judge_group(reading, group, scores)


def _groups(weights: Iterable[_Indexed]) -> Iterator[list[_Indexed]]:
    """Weights of one name that stand close together, each index once."""
    group: list[_Indexed] = []
    for each in weights:
        if group and (
            each.base != group[0].base
            or each.setting.passage.number - group[-1].setting.passage.number > _APART
            or len(group) == MOST_GROUP
            or any(other.index == each.index for other in group)
        ):
            yield group
            group = []
        group.append(each)
    if group:
        yield group


def _indexed(setting: Setting) -> _Indexed | None:
    base, _, index = setting.name.partition("_")
    if not isinstance(setting.value, Amount) or base not in (*_WEIGHT_BASES, *_SCORE_BASES):
        return None
    return _Indexed(base, index, setting.value.value, setting) if any(map(str.isdigit, index)) else None


_APART = 3
"""Passages between two weights of one group."""
_CLOSE = 30
"""Passages between scores and their weights."""
MOST_GROUP = 32
_LOOKED_AT = 5000
"""Characters of a passage."""


def _judge_group(
    reading: Reading, group: Sequence[_Indexed], scores: Mapping[tuple[str, str], Sequence[_Indexed]]
) -> Iterator[Finding]:
    first, last = group[0].setting, group[-1].setting
    for name in dict.fromkeys((_WEIGHT_BASES[group[0].base], *_SCORE_BASES)):
        pairs = [(score, each) for each in group if (score := _latest(scores.get((name, each.index), ()), first))]
        if len(pairs) >= 2:
            break
    else:
        return
    between = reading.passages[max(0, pairs[0][0].setting.passage.number - 2) : last.passage.number + 2]
    text = "\n".join(passage.text[:_LOOKED_AT] for passage in between)
    if is_about_mistakes(reading, first.passage) or SPOILED.search(text):
        return
    if (group[0].base, name) != ("weight", "score") and not SOFTMAX.search(text):
        return
    if said_to_be_wrong(first.passage, first.offset, first.end):
        return
    judgement = _ratios(pairs, elided=bool(ELIDED.search(text)))
    if judgement is not None:
        yield Finding(first.passage.number, first.offset, last.passage.number, last.end, judgement)


def _latest(scores: Sequence[_Indexed], weight: Setting) -> _Indexed | None:
    """The last of the scores that stands above the weight, and near it."""
    count = bisect_right(scores, weight.passage.number, key=lambda score: score.setting.passage.number)
    if count and weight.passage.number - scores[count - 1].setting.passage.number <= _CLOSE:
        return scores[count - 1]
    return None


def _ratios(pairs: Sequence[tuple[_Indexed, _Indexed]], *, elided: bool) -> Judgement | None:
    """The ratio of two weights is e to the difference of their scores, whatever the hidden scores are."""
    told, wrong = [], False
    for (score, weight), (other_score, other_weight) in pairwise(pairs):
        if score.number < other_score.number:
            score, weight, other_score, other_weight = other_score, other_weight, score, weight
        difference = score.number - other_score.number
        if difference > 700 or other_weight.number == 0 or weight.number == 0:
            continue
        truth = exponential(amount(difference)).value
        half, other_half = _half(weight), _half(other_weight)
        least = (weight.number - half) / (other_weight.number + other_half)
        most = (weight.number + half) / (other_weight.number - other_half) if other_weight.number > other_half else None
        stated = weight.number / other_weight.number
        wrong = wrong or truth < least or (most is not None and truth > most)
        ratio = f"{weight.setting.name} / {other_weight.setting.name} = e^{number_text(difference)}"
        told.append(f"{ratio} = {_four(truth)} (stated {_four(stated)})")
    if not told:
        return None
    numbers = [weight.number for _, weight in pairs]
    slack, total = sum((_half(weight) for _, weight in pairs), Fraction(0)), sum(numbers, Fraction(0))
    complete = not elided and abs(total - 1) <= slack
    right = "; ".join(told)
    if complete and wrong:
        values = softmax_of([amount(score.number) for score, _ in pairs])
        right = f"{list_text(values, 3)}; {right}"
    if total > 1 + slack:
        return Judgement(Verdict.FAILS, right, f"the weights of a row sum to 1, these to {number_text(total)}")
    why = "the ratio of two softmax weights depends on their two scores only"
    return Judgement(Verdict.FAILS if wrong else Verdict.HOLDS, right, why)


def _half(weight: _Indexed) -> Fraction:
    """How far the stated weight may be from the true one: a unit of its last digit, if it was cut off."""
    stated = weight.setting.stated
    return Fraction(10) ** -(stated.decimals if stated else 0)


def _four(value: Fraction) -> str:
    return f"{float(value):.4g}"
