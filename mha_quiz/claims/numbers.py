"""Stated numbers against recomputed ones, and how to write them."""

from collections.abc import Iterator
from enum import Enum, auto
from fractions import Fraction

from mha_quiz.amounts import Amount
from mha_quiz.claims.terms import Number


class Fit(Enum):
    EXACT = auto()
    ROUNDED = auto()
    """A whole number stands for a value that it is the rounding of."""
    NEAR = auto()
    """Too close to be called wrong, not close enough to be right."""
    NONE = auto()


_NEARLY_EQUAL = Fraction(1, 10**30)
_ABOUT = Fraction(1, 20)
_LOOSELY = Fraction(1, 100)


def fit(value: Amount, stated: Number, *, approximate: bool) -> Fit:
    """Whether a stated number can stand for the value: rounded or cut off at its last digit."""
    true, said = value.value, stated.value
    if equal(value, Amount(said)):
        return Fit.EXACT
    unit = _last_digit(stated, approximate)
    if _rounds_to(true, said, unit):
        return Fit.EXACT if stated.rounded or stated.factor > 1 or approximate else Fit.ROUNDED
    difference = abs(true - said)
    if approximate and (difference < unit or difference <= abs(true) * _LOOSELY):
        return Fit.NEAR
    return Fit.NONE


def in_mixed_units(stated: Number) -> Iterator[Number]:
    """The number with KB, MB and GB read as powers of 1,024, which they are freely used for."""
    for power in (1, 2, 3, 4):
        decimal, binary = 10 ** (3 * power), 2 ** (10 * power)
        if stated.factor == decimal:
            yield Number(stated.value / decimal * binary, stated.decimals, stated.rounded, binary, True)


_UNITS = {
    **{10 ** (3 * power): f"{letter}B" for power, letter in enumerate("kMGT", 1)},
    **{2 ** (10 * power): f"{letter}iB" for power, letter in enumerate("KMGT", 1)},
}


def in_unit(value: Fraction, factor: int) -> str:
    """`2 GiB`, of a number of bytes."""
    return f"{number_text(value / factor)} {_UNITS[factor]}"


def _last_digit(stated: Number, approximate: bool) -> Fraction:
    """What the last digit of the number counts."""
    unit = Fraction(10) ** -stated.decimals * stated.factor
    if approximate and not stated.rounded and stated.value:
        digits = str(abs(stated.value.numerator) // stated.factor)
        unit *= 10 ** (len(digits) - len(digits.rstrip("0")))
    return unit


def _rounds_to(true: Fraction, said: Fraction, unit: Fraction) -> bool:
    if true == 0:
        return said == 0
    rounded = abs(true - said) * 2 <= unit
    cut_off = 0 <= (true - said) * (1 if true > 0 else -1) < unit
    return (rounded or cut_off) and (said != 0 or unit <= 1)


def equal(left: Amount, right: Amount) -> bool:
    """Exactly, or to thirty digits where one is irrational."""
    if left.exact and right.exact:
        return left.value == right.value
    return abs(left.value - right.value) <= max(abs(left.value), abs(right.value)) * _NEARLY_EQUAL


def about(left: Amount, right: Amount) -> Fit:
    """Two computed values that are said to be about the same."""
    if equal(left, right):
        return Fit.EXACT
    distance = abs(left.value - right.value)
    largest = max(abs(left.value), abs(right.value))
    if distance <= largest * _ABOUT:
        return Fit.EXACT
    return Fit.NEAR if distance <= largest / 2 else Fit.NONE


def number_text(value: Fraction, decimals: int = 0) -> str:
    """Exactly if six decimals are enough, else with four significant digits; at least `decimals`."""
    if value.denominator == 1 and decimals <= 0:
        return f"{value.numerator:,}"
    shown = max(decimals, 0)
    for places in range(shown, 7):
        if (value * 10**places).denominator == 1:
            return _fixed(value, places)
    whole = len(str(abs(int(value)))) if abs(value) >= 1 else 0
    leading = 0
    while value and abs(value) * 10 ** (leading + 1) < 1 and leading < 30:
        leading += 1
    return _fixed(value, max(shown, 4 - whole + leading, 3 if whole < 4 else 0))


def _fixed(value: Fraction, places: int) -> str:
    scaled = round(value * 10**places)
    sign, digits = ("-" if scaled < 0 else ""), str(abs(scaled)).rjust(places + 1, "0")
    whole = f"{int(digits[: len(digits) - places]):,}"
    return f"{sign}{whole}.{digits[len(digits) - places :]}" if places else f"{sign}{whole}"
