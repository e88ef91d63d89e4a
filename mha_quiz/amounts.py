"""Numbers of a typed answer: exact fractions, and sixty digits where a root or a logarithm is irrational.

Every function raises `NotReadable` where there is no real number, or none of a sensible size.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import isqrt

from mha_quiz import wording
from mha_quiz.lexer import LARGEST_EXPONENT, NotReadable
from mha_quiz.precision import Precision

MOST_BITS = 4096
"""Of a numerator and of a denominator."""
_LARGEST_EXP = 2800
"""e to this has about as many bits."""
_DIGITS = Context(prec=60)
_MORE_DIGITS = Context(prec=75)


@dataclass(frozen=True, slots=True)
class Amount:
    value: Fraction
    exact: bool = True
    in_bytes: bool = False
    precision: Precision | None = None
    """Of a plain number; None of an expression."""


def amount(value: Fraction, exact: bool = True, in_bytes: bool = False) -> Amount:
    """A result, within the limits; an inexact one rounded to sixty digits."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MOST_BITS:
        raise NotReadable(wording.TOO_LARGE if abs(value) > 1 else wording.TOO_SMALL)
    return Amount(value if exact else Fraction(_decimal(value, _DIGITS)), exact, in_bytes)


def _decimal(value: Fraction, context: Context) -> Decimal:
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def total(left: Amount, right: Amount) -> Amount:
    if left.in_bytes != right.in_bytes:
        raise NotReadable(wording.MIXED_UNITS)
    return amount(left.value + right.value, left.exact and right.exact, left.in_bytes)


def negative(operand: Amount) -> Amount:
    return Amount(-operand.value, operand.exact, operand.in_bytes, operand.precision)


def product(left: Amount, right: Amount) -> Amount:
    if left.in_bytes and right.in_bytes:
        raise NotReadable(wording.MIXED_UNITS)
    return amount(left.value * right.value, left.exact and right.exact, left.in_bytes or right.in_bytes)


def quotient(left: Amount, right: Amount) -> Amount:
    if right.value == 0:
        raise NotReadable(wording.DIVISION_BY_ZERO)
    if right.in_bytes and not left.in_bytes:
        raise NotReadable(wording.MIXED_UNITS)
    in_bytes = left.in_bytes and not right.in_bytes
    return amount(left.value / right.value, left.exact and right.exact, in_bytes)


def power(base: Amount, exponent: Amount) -> Amount:
    if base.in_bytes or exponent.in_bytes:
        raise NotReadable(wording.MIXED_UNITS)
    x, y = base.value, exponent.value
    if abs(y) > LARGEST_EXPONENT:
        raise NotReadable(wording.TOO_LARGE if (y > 0) == (abs(x) > 1) else wording.TOO_SMALL)
    if x == 0 and y < 0:
        raise NotReadable(wording.DIVISION_BY_ZERO)
    if exponent.exact and y.denominator == 1:
        return _whole_power(base, int(y))
    if x < 0:
        raise NotReadable(wording.NOT_REAL)
    if x == 0:
        return amount(x, base.exact)
    if y.denominator == 2 and base.exact and exponent.exact:
        return _whole_power(root(base), y.numerator)
    return _exponential(_MORE_DIGITS.multiply(_MORE_DIGITS.ln(_decimal(x, _MORE_DIGITS)), _decimal(y, _MORE_DIGITS)))


def _whole_power(base: Amount, exponent: int) -> Amount:
    bits = max(base.value.numerator.bit_length(), base.value.denominator.bit_length()) - 1
    if base.exact:
        if bits * abs(exponent) > MOST_BITS:  # computing it first would take a third of a second
            raise NotReadable(wording.TOO_LARGE if (exponent > 0) == (abs(base.value) > 1) else wording.TOO_SMALL)
        return amount(base.value**exponent)
    return amount(Fraction(_MORE_DIGITS.power(_decimal(base.value, _MORE_DIGITS), exponent)), exact=False)


def root(operand: Amount) -> Amount:
    x = operand.value
    if x < 0:
        raise NotReadable(wording.NOT_REAL)
    whole = Fraction(isqrt(x.numerator), isqrt(x.denominator))
    if whole * whole == x:
        return amount(whole, operand.exact)
    return amount(Fraction(_MORE_DIGITS.sqrt(_decimal(x, _MORE_DIGITS))), exact=False)


def _logarithm(base: int | None) -> Callable[[Amount], Amount]:
    """To a whole base, exact for its powers; natural without one."""

    @lru_cache(maxsize=256)
    def taken(operand: Amount) -> Amount:
        x = operand.value
        if x <= 0:
            raise NotReadable(wording.NOT_REAL)
        if x == 1:
            return amount(Fraction(0), operand.exact)
        logarithm = _MORE_DIGITS.ln(_decimal(x, _MORE_DIGITS))
        if base is None:
            return amount(Fraction(logarithm), exact=False)
        logarithm = _MORE_DIGITS.divide(logarithm, _MORE_DIGITS.ln(Decimal(base)))
        if operand.exact and Fraction(base) ** round(logarithm) == x:
            return amount(Fraction(round(logarithm)))
        return amount(Fraction(logarithm), exact=False)

    return taken


def exponential(operand: Amount) -> Amount:
    if operand.value == 0:
        return amount(Fraction(1), operand.exact)
    return _exponential(_decimal(operand.value, _MORE_DIGITS))


@lru_cache(maxsize=256)
def _exponential(exponent: Decimal) -> Amount:
    if abs(exponent) > _LARGEST_EXP:
        raise NotReadable(wording.TOO_LARGE if exponent > 0 else wording.TOO_SMALL)
    return amount(Fraction(_MORE_DIGITS.exp(exponent)), exact=False)


FUNCTIONS: dict[str, Callable[[Amount], Amount]] = {
    "sqrt": root,
    "ln": _logarithm(None),
    "log": _logarithm(None),
    "log2": _logarithm(2),
    "log10": _logarithm(10),
    "exp": exponential,
}
PI = Amount(Fraction("3.14159265358979323846264338327950288419716939937510582097494"), exact=False)
E = Amount(Fraction("2.71828182845904523536028747135266249775724709369995957496697"), exact=False)
