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


_NEARLY = 10**30
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
    unit = stated.factor * 10 ** max(-stated.decimals, 0)
    if approximate and not stated.rounded and stated.value:
        digits = str(abs(stated.value.numerator) // stated.factor)
        unit *= 10 ** (len(digits) - len(digits.rstrip("0")))
    return Fraction(unit, 10 ** max(stated.decimals, 0))


def _rounds_to(true: Fraction, said: Fraction, unit: Fraction) -> bool:
    """In whole numbers, as those of a root have sixty digits and fractions of them are slow."""
    if true == 0:
        return said == 0
    over = (true.numerator * said.denominator - said.numerator * true.denominator) * unit.denominator
    one = true.denominator * said.denominator * unit.numerator
    rounded = abs(over) * 2 <= one
    cut_off = 0 <= (over if true > 0 else -over) < one
    return (rounded or cut_off) and (said != 0 or unit <= 1)


def equal(left: Amount, right: Amount) -> bool:
    """Exactly, or to thirty digits where one is irrational."""
    if left.exact and right.exact:
        return left.value == right.value
    one = left.value.numerator * right.value.denominator
    other = right.value.numerator * left.value.denominator
    return abs(one - other) * _NEARLY <= max(abs(one), abs(other))


def is_root(square: Fraction, root: Fraction, decimals: int) -> bool:
    """Whether one is the square root of the other, with two decimals or more also as it is rounded."""
    if root <= 1 or decimals < 2:
        return root > 1 and root * root == square
    return abs(root * root - square) <= 2 * root * Fraction(1, 10**decimals)


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
    top, bottom = abs(value.numerator), value.denominator
    if bottom == 1 and decimals <= 0:
        return f"{value.numerator:,}"
    shown = max(decimals, 0)
    for places in range(shown, 7):
        if 10**places % bottom == 0:
            return _fixed(value, places)
    whole = len(str(top // bottom)) if top >= bottom else 0
    leading = 0
    while top and top * 10 ** (leading + 1) < bottom and leading < 30:
        leading += 1
    return _fixed(value, max(shown, 4 - whole + leading, 3 if whole < 4 else 0))


def _fixed(value: Fraction, places: int) -> str:
    """Rounded half to even."""
    scaled, rest = divmod(abs(value.numerator) * 10**places, value.denominator)
    scaled += 2 * rest + scaled % 2 > value.denominator
    sign = "-" if value < 0 and scaled else ""
    whole, digits = divmod(scaled, 10**places)
    return f"{sign}{whole:,}.{digits:0{places}d}" if places else f"{sign}{whole:,}"
