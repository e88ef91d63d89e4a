"""Lists of numbers, one of them worked out: `softmax(2, 1, 3) = (0.245, 0.090, 0.665)`."""

from collections.abc import Sequence
from fractions import Fraction

from mha_quiz.amounts import Amount
from mha_quiz.claims.arithmetic import Side, stated_number
from mha_quiz.claims.model import Judgement, Verdict
from mha_quiz.claims.numbers import Fit, fit, number_text
from mha_quiz.claims.terms import (
    Call,
    Number,
    Term,
    Unreadable,
    Vector,
    bare,
)
from mha_quiz.claims.values import MinusInfinity, Names, Value, evaluate, no_names


def vectors(sides: Sequence[Side]) -> Judgement | None:
    """Lists of numbers, one of them worked out: `softmax(2, 1, 3) = (0.245, 0.090, 0.665)`."""
    return compared_vectors(sides, no_names)


def compared_vectors(sides: Sequence[Side], names: Names) -> Judgement | None:
    if not any(isinstance(side.term, Vector) for side in sides):
        return None
    lists: list[tuple[Side, tuple[Value, ...]]] = []
    for side in sides:
        try:
            value = evaluate(side.term, names)
        except Unreadable:
            continue
        if isinstance(value, tuple):
            lists.append((side, value))
    computed = [pair for pair in lists if not isinstance(pair[0].term, Vector)]
    stated = [pair for pair in lists if isinstance(pair[0].term, Vector)]
    if not computed or not stated:
        return None
    side, truth = computed[0]
    return compare_lists(truth, stated[0][0].term, approximate=stated[0][0].approximate, what=_what(side.term))


def _what(term: Term) -> str:
    return "softmax of the scores" if isinstance(term, Call) and term.name == "softmax" else "recomputed"


def compare_lists(truth: Sequence[Value], stated: Term, *, approximate: bool, what: str) -> Judgement | None:
    """The numbers of a list against what they should be."""
    if not isinstance(stated, Vector) or len(stated.items) != len(truth):
        return None
    worst, places = Fit.EXACT, 3 if what.startswith("softmax") else 0
    for value, item in zip(truth, stated.items, strict=True):
        said = stated_number(item)
        if said is None or not isinstance(value, Amount):
            return None
        found = fit(value, said, approximate=approximate)
        if found is Fit.NONE or (found is Fit.ROUNDED and not value.exact and 0 < value.value < 1):
            worst = Fit.NONE
        elif found is Fit.NEAR:
            return None
        places = max(places, said.decimals)
    right = list_text(truth, places)
    if what.startswith("softmax") and not _sum_to_one(stated):
        worst = Fit.NONE
    if worst is Fit.NONE:
        return Judgement(Verdict.FAILS, right, f"{what}: {right}")
    return Judgement(Verdict.HOLDS, right, f"{what}: {right}")


def _sum_to_one(weights: Vector) -> bool:
    """Up to the rounding of each weight."""
    numbers = [bare(item) for item in weights.items]
    known = [number for number in numbers if isinstance(number, Number)]
    slack = sum((Fraction(10) ** -number.decimals / 2 for number in known), Fraction(0))
    return abs(sum((number.value for number in known), Fraction(0)) - 1) < slack


def list_text(values: Sequence[Value], places: int) -> str:
    shown = []
    for value in values:
        if isinstance(value, Amount):
            number = Fraction(round(value.value * 10**places), 10**places) if not value.exact else value.value
            shown.append(number_text(number, places))
        else:
            shown.append("−∞" if isinstance(value, MinusInfinity) else "…")
    return f"[{', '.join(shown)}]"
