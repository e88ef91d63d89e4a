"""Sides of plain arithmetic, recomputed and compared: rounding, units, lost roots and exponents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from mha_quiz.amounts import Amount
from mha_quiz.claims.model import Judgement, Verdict
from mha_quiz.claims.numbers import Fit, about, equal, fit, in_mixed_units, in_unit, is_root, number_text
from mha_quiz.claims.terms import (
    Call,
    Negative,
    Number,
    Power,
    Product,
    Quotient,
    Root,
    Sum,
    Term,
    bare,
)
from mha_quiz.claims.values import Names, no_names, number, spread


@dataclass(frozen=True, slots=True)
class Side:
    term: Term
    approximate: bool
    stated: Number | None
    """The plain number that the side is."""


Valued = tuple[Side, Amount]
"""A side and what it comes to."""


def side_of(term: Term, approximate: bool) -> Side:
    term = bare(term)
    return Side(term, approximate, stated_number(term))


def stated_number(term: Term) -> Number | None:
    """The plain number, with its sign, that the term is."""
    match bare(term):
        case Number() as number:
            return number
        case Negative(Number(value, decimals, rounded, factor, unit)):
            return Number(-value, decimals, rounded, factor, unit)
    return None


def plain(sides: Sequence[Side]) -> Judgement | None:
    """Without the note's numbers; `log` is the natural one unless another base makes it true."""
    asked: set[str] = set()
    found = numeric(sides, asked.add)
    if found is not None and found.verdict is Verdict.FAILS and "log" in asked:
        for base in (10, 2):
            other = numeric(sides, {"log": Amount(Fraction(base))}.get)
            if other is not None and other.verdict is not Verdict.FAILS:
                return other
    return found


def numeric(sides: Sequence[Side], names: Names) -> Judgement | None:
    """All sides that have a value against the first one that is worked out."""
    valued = [(side, value) for side in sides if (value := number(side.term, names)) is not None]
    if len(valued) < 2:
        return None
    if sum(side.stated is None for side, _ in valued) > 1 and len(steps := _steps(valued)) > 1:
        return next((found for step in steps if (found := _compared(step)) and found.verdict is Verdict.FAILS), None)
    return _compared(valued)


def _steps(valued: Sequence[Valued]) -> list[list[Valued]]:
    """`5 · 3 = 15 + 2 = 17 − 7 = 10` as `5 · 3 = 15`, `15 + 2 = 17` and `17 − 7 = 10`: a calculation that runs on."""
    steps = [[valued[0]]]
    for side, value in valued[1:]:
        before = steps[-1][-1][1]
        first = _first_number(side.term)
        if side.stated is None and first is not None and first != value.value and first == before.value != value.value:
            steps[-1].append((side_of(Number(first), False), before))
            steps.append([(side, value)])
        else:
            steps[-1].append((side, value))
    return steps


def _first_number(term: Term) -> Fraction | None:
    match term:
        case Number(value):
            return value
        case Sum((first, *_)) | Product((first, *_)) | Quotient(first):
            return _first_number(first)
    return None


def _compared(valued: Sequence[Valued]) -> Judgement | None:
    """All sides against the first one that is worked out."""
    reference, value = next((pair for pair in valued if pair[0].stated is None), valued[0])
    approximate = any(side.approximate for side, _ in valued)
    worst = Fit.EXACT
    agreeing = [(reference, value)]
    for side, other in valued:
        if side is reference:
            continue
        found = _pair(value, side, other, reference, loosely=approximate)
        if found is Fit.NONE:  # e²/(e² + e + 1) = 7.389/11.107 = 0.6653 goes on from rounded numbers
            found = next(
                (fits for one, its in agreeing[1:] if (fits := _pair(its, side, other, one)) is Fit.EXACT), found
            )
        if found is Fit.EXACT and side.stated is None:
            agreeing.append((side, other))
        if found is Fit.ROUNDED and not side.approximate and value.exact and _ends_soon(value.value - other.value):
            found = Fit.NONE  # nobody rounds 3.125 to 3 with a plain equals sign
        if found is Fit.NONE and _is_share(side, value):
            return None
        if found is Fit.NONE:
            return _failure(reference, value, side, other)
        if found is Fit.NEAR:
            return None
        worst = found if found is Fit.ROUNDED else worst
    right = _right(value, valued)
    if worst is Fit.ROUNDED:
        return Judgement(Verdict.HOLDS_IF, number_text(value.value), "holds rounded to a whole number")
    return Judgement(Verdict.HOLDS, right, f"recomputed: {right}")


def _is_share(side: Side, value: Amount) -> bool:
    """`8 − 6 = 2 = 25%`: no value, but what part of something it is."""
    return side.stated is not None and side.stated.percent and value.value > 1


def _ends_soon(value: Fraction) -> bool:
    """Whether three decimals are enough to write it."""
    return (value * 1000).denominator == 1


_FLOATING = Fraction(1, 10**12)


def _pair(value: Amount, side: Side, other: Amount, reference: Side, *, loosely: bool = False) -> Fit:
    """`loosely` says that the chain is about rounded numbers: 175B = 96 · 12 · 12288² ≈ 174B."""
    stated = side.stated
    if value.exact and other.exact and value.value == other.value:
        return Fit.EXACT
    approximate = side.approximate or reference.approximate or (loosely and stated is not None and stated.decimals < 0)
    if stated is None:
        if approximate:
            return about(value, other)
        within = min(spread(reference.term) + spread(side.term), abs(value.value) / 50)
        return Fit.EXACT if equal(value, other) or abs(value.value - other.value) < within else Fit.NONE
    found = fit(value, stated, approximate=approximate)
    if found is Fit.NONE and reference.stated is not None and reference.stated.rounded:
        found = fit(other, reference.stated, approximate=approximate)
    if (
        found is Fit.NONE
        and stated.factor > 1
        and fit(value, _without_unit(stated), approximate=approximate) is Fit.EXACT
    ):
        return Fit.EXACT  # 16 · 4 = 64 GB
    if found is Fit.NONE and _fits_in_mixed_units(value, stated, reference, approximate=approximate):
        return Fit.EXACT
    if found in (Fit.NONE, Fit.ROUNDED) and stated.value == 1 and _is_sum_of_decimals(reference.term):
        terms = reference.term.terms if isinstance(reference.term, Sum) else ()
        places = [term.decimals for term in terms if isinstance(term, Number)]
        if abs(value.value - stated.value) <= sum(Fraction(10) ** -each / 2 for each in places):
            return Fit.NEAR if min(places) > 1 else Fit.ROUNDED  # 0.33 + 0.33 + 0.33 = 1
    if found is Fit.NONE and not stated.percent and _says_percent(reference.term):  # 92.5% − 90.1% = 2.4 points
        return fit(Amount(value.value * 100), stated, approximate=approximate)
    if found is Fit.NONE and stated.decimals > 0 and abs(value.value - stated.value) <= abs(value.value) * _FLOATING:
        return Fit.NEAR  # 0.1 + 0.2 = 0.30000000000000004
    if (
        found is Fit.NONE
        and _is_scientific(reference.term)
        and abs(value.value - stated.value) <= spread(reference.term)
    ):
        return Fit.EXACT  # 1,048,576 = 1.05 × 10^6
    if found is Fit.NONE and stated.rounded and _may_be_of_rounded(reference.term, value, stated):
        return Fit.NEAR
    return found


def _is_scientific(term: Term) -> bool:
    match bare(term):
        case Product((Number(rounded=True), Power(Number(base), _))):
            return base == 10
    return False


def _may_be_of_rounded(term: Term, value: Amount, stated: Number) -> bool:
    """Whether the numbers in the term, had they more digits, could come to what is stated."""
    difference = abs(value.value - stated.value)
    if difference > spread(term):
        return False
    match bare(term):
        case Quotient() | Power() | Call():
            return difference <= abs(value.value) / 200 and not _ends_soon(value.value)
        case Sum():
            places = [number.decimals for number in _rounded_in(term)]
            return len(places) >= 3 and min(places) >= max(stated.decimals, 2) and difference * 10**stated.decimals <= 1
    return False


def _says_percent(term: Term) -> bool:
    match term:
        case Number(percent=percent):
            return percent
        case Sum(terms):
            return all(_says_percent(each) for each in terms)
        case Negative(inner):
            return _says_percent(inner)
    return False


def _rounded_in(term: Term) -> Iterator[Number]:
    match bare(term):
        case Number(rounded=True) as number:
            yield number
        case Sum(terms) | Product(terms):
            for each in terms:
                yield from _rounded_in(each)


def _fits_in_mixed_units(value: Amount, stated: Number, reference: Side, *, approximate: bool) -> bool:
    """327,680 bytes = 320 KB, 1 MB = 1024 KB."""
    values = (
        [value, *(Amount(each.value) for each in in_mixed_units(reference.stated))] if reference.stated else [value]
    )
    numbers = [stated, *in_mixed_units(stated)]
    if len(values) == len(numbers) == 1:
        return False
    return any(fit(one, each, approximate=approximate) is Fit.EXACT for one in values for each in numbers)


def _without_unit(stated: Number) -> Number:
    return Number(stated.value / stated.factor, stated.decimals, stated.rounded)


def _is_sum_of_decimals(term: Term) -> bool:
    return isinstance(term, Sum) and all(isinstance(each, Number) and each.rounded for each in term.terms)


def _right(value: Amount, valued: Sequence[Valued]) -> str:
    """The value as the note wrote it, if it did."""
    for side, _ in valued:
        if side.stated is not None:
            return number_text(
                value.value, side.stated.decimals if side.stated.rounded and side.stated.factor == 1 else 0
            )
    return number_text(value.value)


def _failure(reference: Side, value: Amount, side: Side, other: Amount) -> Judgement:
    if reference.stated is not None and side.stated is not None:
        places = max(reference.stated.decimals, side.stated.decimals)
        for square, root in ((value, other), (other, value)):
            if is_root(square.value, root.value, places):
                shown, small = number_text(square.value), number_text(root.value)
                why = f"the square root is lost: {shown} is not {small}, √{shown} is"
                return Judgement(Verdict.FAILS, f"√{shown} = {small}", why)
        for one, two in ((reference.term, other), (side.term, value)):
            if (lost := _lost_exponent(one, two)) is not None:
                return lost
        if side.stated.factor > 1:
            right, said = in_unit(value.value, side.stated.factor), in_unit(other.value, side.stated.factor)
            return Judgement(Verdict.FAILS, right, f"{number_text(value.value)} bytes are {right}, not {said}")
        why = f"{number_text(value.value)} and {number_text(other.value)} are two numbers"
        return Judgement(Verdict.FAILS, number_text(value.value), why)
    lost = _lost_root(reference.term, other) or _lost_exponent(reference.term, other)
    if lost is not None:
        return lost
    decimals = side.stated.decimals if side.stated and side.stated.rounded and side.stated.factor == 1 else 0
    right, said = number_text(value.value, decimals), number_text(other.value, decimals)
    if side.stated is not None and side.stated.factor > 1:
        right, said = in_unit(value.value, side.stated.factor), in_unit(other.value, side.stated.factor)
    elif decimals > 0 and not _ends_soon(value.value):
        right = f"{right} ≈ {number_text(Fraction(round(value.value * 10**decimals), 10**decimals), decimals)}"
    elif isinstance(side.term, Quotient) and value.exact and value.value.denominator > 1:  # 1/2 + 1/3 = 2/5
        right = f"{value.value} = {right}" if _ends_soon(value.value) else f"{value.value} ≈ {right}"
    return Judgement(Verdict.FAILS, right, f"it comes to {right}, not {said}")


def _lost_exponent(term: Term, stated: Amount) -> Judgement | None:
    """`4 · 5122 = 1,048,576`, which is true of 4 · 512²."""
    for raised, told in _raised(term):
        value = number(raised, no_names)
        if value is not None and value == stated:
            why = f"the exponent is lost: {told} = {number_text(stated.value)}"
            return Judgement(Verdict.FAILS, f"{told} = {number_text(stated.value)}", why)
    return None


def _raised(term: Term) -> Iterator[tuple[Term, str]]:
    """The term with a last digit 2 or 3 of one of its numbers read as an exponent, and how to tell it."""
    match term:
        case Number(value, rounded=False, unit=False) if value.denominator == 1 and value > 10 and value % 10 in (2, 3):
            base, exponent = divmod(value.numerator, 10)
            yield Power(Number(Fraction(base)), Number(Fraction(exponent))), f"{base}^{exponent}"
        case Product(factors, signs):
            for index, factor in enumerate(factors):
                for raised, told in _raised(factor):
                    parts = [_shown(each) for each in factors]
                    parts[index] = told
                    if all(parts):
                        yield Product((*factors[:index], raised, *factors[index + 1 :]), signs), " · ".join(parts)


def _shown(term: Term) -> str:
    return number_text(term.value) if isinstance(term, Number) else ""


def _lost_root(term: Term, stated: Amount) -> Judgement | None:
    """`16 / 64 = 16 / 8`, which is true of 16 / √64."""
    match term:
        case Quotient(top, Number(divisor) as bottom) if divisor > 1:
            value = number(Quotient(top, Root(bottom)), no_names)
            if value is None or not value.exact or not equal(value, stated):
                return None
            shown, root = number_text(divisor), number_text(Fraction(isqrt(int(divisor))))
            why = f"the square root is lost: the division is by √{shown} = {root}, not by {shown}"
            return Judgement(Verdict.FAILS, f"√{shown} = {root}", why)
    return None
