"""What a term is worth: exact fractions, sixty digits where a root is irrational, and softmax from the attention core."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import factorial, floor

import numpy as np

from mha_quiz.amounts import (
    FUNCTIONS,
    PI,
    Amount,
    amount,
    exponential,
    negative,
    power,
    product,
    quotient,
    root,
    total,
)
from mha_quiz.attention import softmax
from mha_quiz.claims.terms import (
    Call,
    Group,
    Name,
    Negative,
    Number,
    Power,
    Product,
    Quotient,
    Repeated,
    Root,
    Sum,
    Term,
    Unreadable,
    Vector,
)
from mha_quiz.lexer import NotReadable


@dataclass(frozen=True, slots=True)
class MinusInfinity:
    """A blocked score."""


Value = Amount | MinusInfinity | tuple["Value", ...]
Names = Callable[[str], Value | None]


def no_names(name: str) -> None:
    """For terms that must be plain arithmetic."""


def evaluate(term: Term, names: Names = no_names) -> Value:
    """The value of a term. Raises `Unreadable` if it holds an unknown name, or has no real value of sensible size."""
    try:
        return _value(term, names)
    except NotReadable as error:
        raise Unreadable from error


def number(term: Term, names: Names = no_names) -> Amount | None:
    """The same where a single number is wanted; None if the term is none."""
    try:
        value = evaluate(term, names)
    except Unreadable:
        return None
    return value if isinstance(value, Amount) else None


def _value(term: Term, names: Names) -> Value:
    match term:
        case Number(value):
            return amount(value)
        case Name("∞"):
            raise Unreadable
        case Name(text):
            return _named(text, names)
        case Group(inner):
            return _value(inner, names)
        case Negative(Name("∞")):
            return MinusInfinity()
        case Negative(inner):
            return _scaled(amount(Fraction(-1)), _value(inner, names))
        case Sum(terms):
            return _added([_value(each, names) for each in terms])
        case Product(factors, signs):
            return _multiplied([_value(each, names) for each in factors], signs)
        case Quotient(top, bottom, whole):
            below = _single(_value(bottom, names))
            above = _value(top, names)
            if isinstance(above, tuple):
                return _scaled(quotient(amount(Fraction(1)), below), above)
            result = quotient(_single(above), below)
            return amount(Fraction(floor(result.value))) if whole else result
        case Power(Name("e"), exponent) if names("e") is None:
            return exponential(_single(_value(exponent, names)))
        case Power(base, exponent):
            return power(_single(_value(base, names)), _single(_value(exponent, names)))
        case Root(radicand):
            return root(_single(_value(radicand, names)))
        case Call("log", (inner,)) if (to := names("log")) is not None:
            return FUNCTIONS[f"log{_single(to).value}"](_single(_value(inner, names)))
        case Call(name, arguments):
            return _called(name, [_value(each, names) for each in arguments])
        case Vector(items, elided=False):
            return tuple(_value(each, names) for each in items)
        case Repeated() | Vector():
            raise Unreadable


def spread(term: Term) -> Fraction:
    """How far the value may be off if its numbers with decimals are rounded ones."""
    match term:
        case Number(_, decimals, rounded=True, factor=1):
            return Fraction(10) ** -decimals / 2
        case Group(inner) | Negative(inner):
            return spread(inner)
        case Sum(terms):
            return sum(map(spread, terms), Fraction(0))
        case Product(factors):
            return _relative_spread(term, factors)
        case Quotient(top, bottom):
            return _relative_spread(term, (top, bottom))
        case Call("exp", (exponent,)) | Power(Name("e"), exponent) if off := spread(exponent):
            value = number(term)
            return value.value * off if value else Fraction(0)
    return Fraction(0)


def _relative_spread(term: Term, parts: Sequence[Term]) -> Fraction:
    spreads = [(part, off) for part in parts if (off := spread(part))]
    if not spreads or (value := number(term)) is None:
        return Fraction(0)
    values = [(number(part), off) for part, off in spreads]
    return abs(value.value) * sum((off / abs(part.value) for part, off in values if part and part.value), Fraction(0))


def _named(text: str, names: Names) -> Value:
    known = names(text)
    if known is not None:
        return known
    if text == "π":
        return PI
    raise Unreadable


def _single(value: Value) -> Amount:
    if not isinstance(value, Amount):
        raise Unreadable
    return value


def _added(values: Sequence[Value]) -> Value:
    if isinstance(values[0], tuple):
        columns: list[Value] = []
        if any(not isinstance(value, tuple) or len(value) != len(values[0]) for value in values):
            raise Unreadable
        for column in zip(*(value for value in values if isinstance(value, tuple)), strict=True):
            columns.append(_added(column))
        return tuple(columns)
    result = _single(values[0])
    for value in values[1:]:
        result = total(result, _single(value))
    return result


def _multiplied(values: Sequence[Value], signs: str) -> Value:
    vectors = [value for value in values if isinstance(value, tuple)]
    if len(values) == len(vectors) == 2 and len(vectors[0]) == len(vectors[1]) and signs in "*@":
        return _added([_multiplied(pair, signs) for pair in zip(*vectors, strict=True)])  # a dot product
    if len(vectors) > 1:
        raise Unreadable
    amounts = [_single(value) for value in values if not isinstance(value, tuple)] or [amount(Fraction(1))]
    result = reduce(product, amounts)
    return _scaled(result, vectors[0]) if vectors else result


def _scaled(factor: Amount, value: Value) -> Value:
    match value:
        case tuple():
            return tuple(_scaled(factor, each) for each in value)
        case Amount():
            return negative(value) if factor.value == -1 else product(factor, value)
        case MinusInfinity():
            if factor.value <= 0:
                raise Unreadable
            return value


def _called(name: str, values: Sequence[Value]) -> Value:
    if name == "softmax":
        scores = values[0] if len(values) == 1 else tuple(values)
        if not isinstance(scores, tuple):
            raise Unreadable
        return softmax_of(scores)
    if name in ("max", "min"):
        flat = values[0] if len(values) == 1 and isinstance(values[0], tuple) else values
        amounts = [_single(value) for value in flat]
        return (max if name == "max" else min)(amounts, key=lambda each: each.value)
    if name == "!":
        return _factorial(_single(values[0]))
    if name not in FUNCTIONS or len(values) != 1:
        raise Unreadable
    return FUNCTIONS[name](_single(values[0]))


MOST_FACTORS = 300


def _factorial(operand: Amount) -> Amount:
    if operand.value.denominator != 1 or not 0 <= operand.value <= MOST_FACTORS:
        raise Unreadable
    return amount(Fraction(factorial(int(operand.value))))


LARGEST_SCORE = 10**9


def softmax_of(scores: Sequence[Value]) -> tuple[Value, ...]:
    """The weights, from the core. Raises `Unreadable` if there is no softmax."""
    numbers = []
    for score in scores:
        match score:
            case MinusInfinity():
                numbers.append(-np.inf)
            case Amount(value) if abs(value) < LARGEST_SCORE:
                numbers.append(float(value))
            case _:
                raise Unreadable
    if len(numbers) < 2 or not np.isfinite(numbers).any():
        raise Unreadable
    return tuple(Amount(Fraction(float(weight)), exact=False) for weight in softmax(np.array(numbers)))
