"""Terms with names as quotients of polynomials, compared exactly."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

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

Monomial = tuple[tuple[str, int], ...]
"""Names with their exponents, sorted."""
Polynomial = Mapping[Monomial, Fraction]
"""No coefficient is 0."""
MOST_TERMS = 30
MOST_PRODUCTS = 120
"""Of terms by terms, in one multiplication."""
MOST_EXPONENT = 24
MOST_EXPONENT_OF_SUM = 6
MOST_BITS = 4096
ORDER = "O"
"""The name that stands for O(…), a factor of every monomial in it."""


@dataclass(frozen=True, slots=True)
class Ratio:
    top: Polynomial
    bottom: Polynomial

    def equals(self, other: "Ratio") -> bool:
        return _times(self.top, other.bottom) == _times(other.top, self.bottom)


ONE: Polynomial = {(): Fraction(1)}


def ratio(term: Term, facts: Mapping[str, Term] | None = None) -> Ratio:
    """The term with the names of `facts` put in. Raises `Unreadable` if it is no quotient of small polynomials."""
    match term:
        case Number(value):
            if max(value.numerator.bit_length(), value.denominator.bit_length()) > MOST_BITS:
                raise Unreadable
            return Ratio({(): value} if value else {}, ONE)
        case Name(text):
            if facts and text in facts:
                return ratio(facts[text])
            return Ratio({((text, 1),): Fraction(1)}, ONE)
        case Group(inner):
            return ratio(inner, facts)
        case Negative(inner):
            read = ratio(inner, facts)
            return Ratio({monomial: -factor for monomial, factor in read.top.items()}, read.bottom)
        case Sum(terms):
            result = ratio(terms[0], facts)
            for each in terms[1:]:
                result = _added(result, ratio(each, facts))
            return result
        case Product(factors):
            result = Ratio(ONE, ONE)
            for each in factors:
                read = ratio(each, facts)
                result = Ratio(_times(result.top, read.top), _times(result.bottom, read.bottom))
            return result
        case Quotient(top, bottom, floor=False):
            above, below = ratio(top, facts), ratio(bottom, facts)
            if not below.top:
                raise Unreadable
            return Ratio(_times(above.top, below.bottom), _times(above.bottom, below.top))
        case Power(base, Number(exponent)) if exponent.denominator == 1 and 0 <= exponent <= MOST_EXPONENT:
            return _power(ratio(base, facts), int(exponent))
        case Root(radicand):
            inner_ratio = ratio(radicand)
            if set(inner_ratio.top) != {()} or set(inner_ratio.bottom) != {()}:
                raise Unreadable
            square = inner_ratio.top[()] / inner_ratio.bottom[()]
            exact = Fraction(isqrt(max(square.numerator, 0)), isqrt(square.denominator))
            if exact**2 != square:
                raise Unreadable
            return Ratio({(): exact}, ONE)
        case Call("O", (inner,)):
            return _times_name(ratio(inner, facts), ORDER)
    raise Unreadable


def _power(read: Ratio, exponent: int) -> Ratio:
    if exponent > MOST_EXPONENT_OF_SUM and (len(read.top) > 1 or len(read.bottom) > 1):
        raise Unreadable
    result = Ratio(ONE, ONE)
    for _ in range(exponent):
        result = Ratio(_times(result.top, read.top), _times(result.bottom, read.bottom))
    return result


def _times_name(read: Ratio, name: str) -> Ratio:
    return Ratio(_times(read.top, {((name, 1),): Fraction(1)}), read.bottom)


def _added(left: Ratio, right: Ratio) -> Ratio:
    if left.bottom == right.bottom:
        return Ratio(_plus(left.top, right.top), left.bottom)
    top = _plus(_times(left.top, right.bottom), _times(right.top, left.bottom))
    return Ratio(top, _times(left.bottom, right.bottom))


def _plus(left: Polynomial, right: Polynomial) -> Polynomial:
    result = dict(left)
    for monomial, factor in right.items():
        result[monomial] = result.get(monomial, Fraction(0)) + factor
    return _checked(result)


def _times(left: Polynomial, right: Polynomial) -> Polynomial:
    if len(left) * len(right) > MOST_PRODUCTS:
        raise Unreadable
    result: dict[Monomial, Fraction] = {}
    for one, factor in left.items():
        for other, by in right.items():
            exponents = dict(one)
            for name, exponent in other:
                exponents[name] = exponents.get(name, 0) + exponent
            monomial = tuple(sorted(exponents.items()))
            result[monomial] = result.get(monomial, Fraction(0)) + factor * by
    return _checked(result)


def _checked(result: dict[Monomial, Fraction]) -> Polynomial:
    if len(result) > MOST_TERMS:
        raise Unreadable
    for monomial, factor in result.items():
        if any(exponent > MOST_EXPONENT for _, exponent in monomial):
            raise Unreadable
        if max(factor.numerator.bit_length(), factor.denominator.bit_length()) > MOST_BITS:
            raise Unreadable
    return {monomial: factor for monomial, factor in result.items() if factor}


def difference(left: Polynomial, right: Polynomial) -> Polynomial:
    return _plus(left, {monomial: -factor for monomial, factor in right.items()})


def sum_text(polynomial: Polynomial) -> str:
    """`a^2 + 2 · a · b + b^2`."""
    text = ""
    for monomial, factor in sorted(polynomial.items(), key=_falling):
        text += (" - " if factor < 0 else " + ") + shown(monomial, abs(factor))
    return text.removeprefix(" + ").lstrip() or "0"


def _falling(entry: tuple[Monomial, Fraction]) -> tuple[int, list[tuple[str, int]]]:
    """The highest degree first, and a^2 before ab."""
    return -sum(exponent for _, exponent in entry[0]), [(name, -exponent) for name, exponent in entry[0]]


def single(read: Ratio) -> tuple[Monomial, Fraction] | None:
    """The one monomial and its factor, if there is just one and nothing but a number below."""
    if len(read.top) != 1 or set(read.bottom) != {()}:
        return None
    ((monomial, factor),) = read.top.items()
    return monomial, factor / read.bottom[()]


def names_of(term: Term) -> frozenset[str]:
    """All names in the term."""
    match term:
        case Name(text):
            return frozenset((text,))
        case Number():
            return frozenset()
        case Negative(inner) | Group(inner) | Root(inner) | Repeated(inner):
            return names_of(inner)
        case Sum(terms) | Product(terms) | Vector(terms):
            return frozenset().union(*map(names_of, terms))
        case Quotient(top, bottom):
            return names_of(top) | names_of(bottom)
        case Power(base, exponent):
            return names_of(base) | names_of(exponent)
        case Call(_, arguments):
            return frozenset().union(*map(names_of, arguments))


def shown(monomial: Monomial, factor: Fraction) -> str:
    """`4 d_model^2`."""
    names = [name if exponent == 1 else f"{name}^{exponent}" for name, exponent in monomial if name != ORDER]
    text = " ".join(
        [] if factor == 1 and names else [f"{factor.numerator:,}" if factor.denominator == 1 else str(factor)]
    )
    text = " · ".join(filter(None, (text, *names)))
    return f"O({text})" if any(name == ORDER for name, _ in monomial) else text
