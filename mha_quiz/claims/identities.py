"""Identities between expressions with names: `h · 3 d d_k = 3 d (h d_k) = 3 d²`, by exact polynomials."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from mha_quiz.claims import polynomials
from mha_quiz.claims.model import Judgement, Verdict
from mha_quiz.claims.numbers import number_text
from mha_quiz.claims.terms import (
    QUANTITIES,
    Call,
    Group,
    Name,
    Negative,
    Number,
    Power,
    Product,
    Quotient,
    Sum,
    Term,
    Unreadable,
    Vector,
    bare,
)


def _facts() -> Iterator[tuple[dict[str, Term], str, bool]]:
    """Standing facts of attention to put in, how to tell them, and whether they hold for every layer."""
    h, d_k, d_v = Name("h"), Name("d_k"), Name("d_v")
    keys, values = Product((h, d_k), "*"), Product((h, d_v), "*")
    yield {}, "", True
    yield {"d_model": keys}, "with h · d_k = d_model", True
    yield {"d_model": values}, "with h · d_v = d_model", True
    yield {"d": keys}, "with h · d_k = d", True
    yield {"d_v": d_k}, "holds if d_v = d_k", False
    yield {"d_model": keys, "d_v": d_k}, "holds if d_v = d_k", False


def identity(terms: Sequence[Term]) -> Judgement | None:
    """Sides that are the same expression, or multiples of the same one."""
    if any(isinstance(term, Vector) for term in terms):
        return _symbolic_vectors(terms)
    pairs = [
        (left, right) for left, right in pairwise(terms) if polynomials.names_of(left) and polynomials.names_of(right)
    ]
    if not pairs:
        return None
    notes = []
    always = True
    for left, right in pairs:
        same = _same(left, right)
        if same is None:
            return _wrong_multiple(left, right)
        notes.append(same[0])
        always = always and same[1]
    shown = _shown(terms[-1])
    if shown is None or not any(map(_is_worked_out, terms)):
        return None
    why = next((note for note in notes if note), "the same expression")
    if any(notes) and not any(map(_has_number, terms)):
        return None  # h · d_k = h · d_v = d says what is meant, not what comes out
    return Judgement(Verdict.HOLDS if always else Verdict.HOLDS_IF, shown, why)


def _has_number(term: Term) -> bool:
    match term:
        case Number():
            return True
        case Group(inner) | Negative(inner):
            return _has_number(inner)
        case Sum(terms) | Product(terms) | Call(_, terms):
            return any(map(_has_number, terms))
        case Power(one, other) | Quotient(one, other):
            return _has_number(one) or _has_number(other)
    return False


def _same(left: Term, right: Term) -> tuple[str, bool] | None:
    names = polynomials.names_of(left) | polynomials.names_of(right)
    for facts, note, always in _facts():
        if facts and not names & facts.keys():
            continue
        try:
            if polynomials.ratio(left, facts).equals(polynomials.ratio(right, facts)):
                return note, always
        except Unreadable:
            return None
    return None


def _symbolic_vectors(terms: Sequence[Term]) -> Judgement | None:
    match terms:
        case [Vector(left), Vector(right)] if len(left) == len(right) and left != right:
            found = [_same(one, other) for one, other in zip(left, right, strict=True)]
            if all(found):
                why = next((note for note, _ in filter(None, found) if note), "")
                if all(always for _, always in filter(None, found)) and why:
                    shown = ", ".join(_shown(item) or "?" for item in right)
                    return Judgement(Verdict.HOLDS, f"[{shown}]", why)
    return None


def _is_worked_out(term: Term) -> bool:
    """A side with something to compute, not a bare name."""
    return not isinstance(term, Name | Number) and not (isinstance(term, Call) and term.name != "O")


def _wrong_multiple(left: Term, right: Term) -> Judgement | None:
    """`3d² + d² = 5d²`: the same letters, another number in front."""
    try:
        one, other = polynomials.single(polynomials.ratio(left)), polynomials.single(polynomials.ratio(right))
    except Unreadable:
        return None
    if one is None or other is None:
        return None
    (monomial, factor), (stated, said) = one, other
    if monomial != stated:
        return _with_facts(left, right, one, other) or _wrong_power(left, right, one, other)
    if not _numbers_in(left) and not _numbers_in(right):
        return None
    if _is_unit_like(monomial):
        return None
    shown = polynomials.shown(monomial, factor)
    small, large = sorted((factor, said))
    if 0 < small < large < 1 and large**2 == small:
        root, square = number_text(1 / large), number_text(1 / small)
        why = f"the square root is lost: a division by {square} is no division by {root}, one by √{square} is"
        return Judgement(Verdict.FAILS, f"√{square} = {root}", why)
    return Judgement(Verdict.FAILS, shown, f"the left side is {shown}, the right one {polynomials.shown(stated, said)}")


def wrong_working(terms: Sequence[Term]) -> Judgement | None:
    """`3d² + d² = 3d⁴`, `(a + b)² = a² + b²`: something is worked out wrongly, as no letters but 0 make it true.

    An equation that could have a solution is none, nor is one of matrices, for which other rules hold.
    """
    for left, right in pairwise(terms):
        names = polynomials.names_of(left)
        if names != polynomials.names_of(right) or not names or not all(map(_is_number, names)):
            continue
        if "h" in names and names & {"d", "d_model"}:  # h · d_k is d_model
            continue
        works = [_needs_work(left), _needs_work(right)]
        if works.count(True) != 1:
            continue
        try:
            one, other = _polynomial(left), _polynomial(right)
        except Unreadable:
            continue
        if works[1]:
            one, other = other, one
        if one == other or (_could_be(one, other) and not _is_binomial(left if works[0] else right, one, other)):
            continue
        told, said = polynomials.sum_text(one), polynomials.sum_text(other)
        return Judgement(Verdict.FAILS, told, f"worked out it is {told}, not {said}")
    return None


def _is_number(name: str) -> bool:
    return name in QUANTITIES or (name.islower() and name != "e")


def _polynomial(term: Term) -> polynomials.Polynomial:
    read = polynomials.ratio(term)
    if set(read.bottom) != {()} or any(polynomials.ORDER in dict(monomial) for monomial in read.top):
        raise Unreadable
    return {monomial: factor / read.bottom[()] for monomial, factor in read.top.items()}


def _could_be(one: polynomials.Polynomial, other: polynomials.Polynomial) -> bool:
    """Whether positive numbers may solve the equation, as they solve `n² = 3n`."""
    difference = polynomials.difference(one, other)
    return len(difference) > 1 and not (len(one) == len(other) == 1)


def _is_binomial(term: Term, one: polynomials.Polynomial, other: polynomials.Polynomial) -> bool:
    """`(a + b)³ = a³ + b³`, whose sides have one degree."""
    degrees = {sum(exponent for _, exponent in monomial) for monomial in (*one, *other)}
    return isinstance(bare(term), Power) and len(degrees) == 1 and len(polynomials.names_of(term)) > 1


def _needs_work(term: Term) -> bool:
    """Like terms to collect, the same letter twice in a product, or a bracket to multiply out."""
    match bare(term):
        case Sum(terms):
            if any(map(_needs_work, terms)):
                return True
            alike = [frozenset(read) for each in terms if (read := _monomials(each))]
            return len(set(alike)) < len(alike)
        case Negative(inner):
            return _needs_work(inner)
        case Product(factors):
            letters = [name for factor in factors for name in polynomials.names_of(factor)]
            return len(set(letters)) < len(letters) or any(isinstance(bare(factor), Sum) for factor in factors)
        case Power(base, _):
            return isinstance(bare(base), Sum) and bool(polynomials.names_of(base))
    return False


def _monomials(term: Term) -> polynomials.Polynomial:
    try:
        return _polynomial(term)
    except Unreadable:
        return {}


def _with_facts(
    left: Term,
    right: Term,
    one: tuple[polynomials.Monomial, Fraction],
    other: tuple[polynomials.Monomial, Fraction],
) -> Judgement | None:
    """`3 d (h d_k) = 2 d²`: the same letters once h · d_k is put in for d."""
    if not polynomials.names_of(left) | polynomials.names_of(right) <= QUANTITIES or one[1] == other[1]:
        return None
    for facts, note, always in _facts():
        first, second = (polynomials.single(polynomials.ratio(side, facts)) for side in (left, right))
        if always and first and second and first[0] == second[0]:
            shown = polynomials.shown(*one)
            why = f"the left side is {shown}, the right one {polynomials.shown(*other)}, {note}"
            return Judgement(Verdict.FAILS, shown, why)
    return None


def _wrong_power(
    left: Term,
    right: Term,
    one: tuple[polynomials.Monomial, Fraction],
    other: tuple[polynomials.Monomial, Fraction],
) -> Judgement | None:
    """Products of settled names with other exponents, such as O(h n² d_k) = O(n d_model)."""
    names = polynomials.names_of(left) | polynomials.names_of(right)
    if not names <= QUANTITIES or (polynomials.ORDER in dict(one[0])) != (polynomials.ORDER in dict(other[0])):
        return None
    if polynomials.ORDER not in dict(one[0]):
        return None
    exponents = [_expanded(monomial) for monomial, _ in (one, other)]
    less = any(exponents[0].get(name, 0) < exponents[1].get(name, 0) for name in {*exponents[0], *exponents[1]})
    more = any(exponents[0].get(name, 0) > exponents[1].get(name, 0) for name in {*exponents[0], *exponents[1]})
    same_names = set(exponents[0]) == set(exponents[1])
    if not (less and more) and not (same_names and (less or more)):
        return None
    shown = polynomials.shown(*one)
    return Judgement(Verdict.FAILS, shown, f"the left side is {shown}, the right one {polynomials.shown(*other)}")


def _expanded(monomial: polynomials.Monomial) -> dict[str, int]:
    """Exponents with h · d_k put in for d_model, and d_k for d_v."""
    result: dict[str, int] = {}
    for name, exponent in monomial:
        for part in {"d_model": ("h", "d_k"), "d_v": ("d_k",)}.get(name, (name,)):
            result[part] = result.get(part, 0) + exponent
    return result


def _numbers_in(term: Term) -> bool:
    """Two numbers or like terms that are worked out together."""
    match bare(term):
        case Sum():
            return True
        case Product(factors):
            return sum(isinstance(bare(factor), Number) for factor in factors) >= 2 or any(
                _numbers_in(factor) or (isinstance(bare(factor), Call)) for factor in factors
            )
        case Power(base, _) if isinstance(bare(base), Product):  # (3n)² = 9n²
            return _has_number(base)
        case Call("O", (inner,)):
            return _numbers_in(inner)
        case Number() | Name():
            return False
    return _is_quotient_by_number(term)


def _is_quotient_by_number(term: Term) -> bool:
    match bare(term):
        case Name() | Number():
            return False
        case other:
            return getattr(other, "bottom", None) is not None and isinstance(bare(other.bottom), Number)  # type: ignore[union-attr]


def _is_unit_like(monomial: polynomials.Monomial) -> bool:
    """`1 h = 60 min` and the like: a single letter that is no quantity of a layer."""
    return len(monomial) == 1 and monomial[0][0] not in QUANTITIES and monomial[0][1] == 1


def _shown(term: Term) -> str | None:
    try:
        read = polynomials.ratio(term)
    except Unreadable:
        return None
    found = polynomials.single(read)
    if found is not None:
        return polynomials.shown(*found)
    if set(read.bottom) != {()}:
        return None
    return " + ".join(polynomials.shown(monomial, factor / read.bottom[()]) for monomial, factor in read.top.items())
