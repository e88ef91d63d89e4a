"""Equalities, judged: both sides recomputed, with the note's own numbers for its names."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from math import prod

from mha_quiz.amounts import Amount
from mha_quiz.claims import polynomials
from mha_quiz.claims.chains import Chain
from mha_quiz.claims.context import Context, whole
from mha_quiz.claims.model import Judgement, Verdict
from mha_quiz.claims.numbers import Fit, about, equal, fit, number_text
from mha_quiz.claims.passages import Passage
from mha_quiz.claims.shapes import shape_equation
from mha_quiz.claims.terms import (
    QUANTITIES,
    Call,
    Name,
    Negative,
    Number,
    Product,
    Repeated,
    Sum,
    Term,
    Unreadable,
    Vector,
    bare,
)
from mha_quiz.claims.values import MinusInfinity, Names, Value, evaluate, no_names


@dataclass(frozen=True, slots=True)
class Side:
    term: Term
    approximate: bool

    @property
    def stated(self) -> Number | None:
        """The plain number that the side is."""
        match bare(self.term):
            case Number() as number:
                return number
            case Negative(Number(value, decimals, rounded, factor, unit)):
                return Number(-value, decimals, rounded, factor, unit)
        return None


MOST_COMBINATIONS = 64


def judge(chain: Chain, passage: Passage, context: Context) -> Judgement | None:
    """None where the chain claims nothing that could be recomputed with confidence."""
    if _is_label(chain):
        return None
    sides = [
        Side(bare(term), approximate)
        for term, approximate in zip(chain.sides, chain.approximate, strict=True)
        if term is not None and not isinstance(term, Name)
    ]
    if len(sides) < 2:
        return None
    found = (
        _vectors(sides) or shape_equation([side.term for side in sides]) or _repeated(sides, chain, passage, context)
    )
    found = found or _numeric(sides, no_names)
    if found is not None and found.verdict is not Verdict.HOLDS:
        return found
    symbolic = _symbolic([side.term for side in sides])
    if symbolic is not None and symbolic.verdict is Verdict.FAILS:
        return symbolic
    named = _with_names(sides, chain, passage, context)
    if named is not None and named.verdict is not Verdict.HOLDS:
        return named
    return found or symbolic or named


def _is_label(chain: Chain) -> bool:
    """`Step 3 = 4` in plain text: numbers alone, no arithmetic."""
    numbers = [side for side in chain.sides if isinstance(side, Number)]
    if len(numbers) < len(chain.sides):
        return False
    return not chain.math and not all(number.unit for number in numbers)


# Plain arithmetic


def _numeric(sides: Sequence[Side], names: Names) -> Judgement | None:
    """All sides that have a value against the first one that is worked out."""
    valued = [(side, value) for side in sides if (value := _single(side.term, names)) is not None]
    if len(valued) < 2:
        return None
    computed = [pair for pair in valued if pair[0].stated is None]
    reference, value = computed[0] if computed else valued[0]
    worst = Fit.EXACT
    for side, other in valued:
        if side is reference:
            continue
        found = _pair(value, side, other, reference)
        if found is Fit.NONE:
            return _failure(reference, value, side, other)
        if found is Fit.NEAR:
            return None
        worst = found if found is Fit.ROUNDED else worst
    right = _right(value, valued)
    if worst is Fit.ROUNDED:
        return Judgement(Verdict.HOLDS_IF, number_text(value.value), "holds rounded to a whole number")
    return Judgement(Verdict.HOLDS, right, f"recomputed: {right}")


def _single(term: Term, names: Names) -> Amount | None:
    try:
        value = evaluate(term, names)
    except Unreadable:
        return None
    return value if isinstance(value, Amount) else None


def _pair(value: Amount, side: Side, other: Amount, reference: Side) -> Fit:
    approximate = side.approximate or reference.approximate
    stated = side.stated
    if stated is None:
        if approximate:
            return about(value, other)
        return Fit.EXACT if equal(value, other) else Fit.NONE
    found = fit(value, stated, approximate=approximate)
    if found is Fit.NONE and reference.stated is not None and reference.stated.rounded:
        found = fit(other, reference.stated, approximate=approximate)
    if (
        found is Fit.NONE
        and stated.factor > 1
        and fit(value, _without_unit(stated), approximate=approximate) is Fit.EXACT
    ):
        return Fit.EXACT  # 16 · 4 = 64 GB
    if found is Fit.NONE and stated.value == 1 and _is_sum_of_decimals(reference.term):
        terms = reference.term.terms if isinstance(reference.term, Sum) else ()
        slack = sum(Fraction(10) ** -term.decimals / 2 for term in terms if isinstance(term, Number))
        if abs(value.value - stated.value) <= slack:
            return Fit.ROUNDED
    return found


def _without_unit(stated: Number) -> Number:
    return Number(stated.value / stated.factor, stated.decimals, stated.rounded)


def _is_sum_of_decimals(term: Term) -> bool:
    return isinstance(term, Sum) and all(isinstance(each, Number) and each.rounded for each in term.terms)


def _right(value: Amount, valued: Sequence[tuple[Side, Amount]]) -> str:
    """The value as the note wrote it, if it did."""
    for side, _ in valued:
        if side.stated is not None:
            return number_text(
                value.value, side.stated.decimals if side.stated.rounded and side.stated.factor == 1 else 0
            )
    return number_text(value.value)


def _failure(reference: Side, value: Amount, side: Side, other: Amount) -> Judgement:
    if reference.stated is not None and side.stated is not None:
        for square, root in ((value, other), (other, value)):
            if root.value > 1 and root.value**2 == square.value:
                shown, small = number_text(square.value), number_text(root.value)
                why = f"the square root is lost: {shown} is not {small}, √{shown} is"
                return Judgement(Verdict.FAILS, f"√{shown} = {small}", why)
        why = f"{number_text(value.value)} and {number_text(other.value)} are two numbers"
        return Judgement(Verdict.FAILS, number_text(value.value), why)
    decimals = side.stated.decimals if side.stated and side.stated.rounded and side.stated.factor == 1 else 0
    right, said = number_text(value.value, decimals), number_text(other.value, decimals)
    if side.stated is not None and side.stated.factor > 1:
        right = f"{right} = {number_text(value.value / side.stated.factor)} of the unit"
    return Judgement(Verdict.FAILS, right, f"recomputed: {right}; stated: {said}")


# Lists and softmax


def _vectors(sides: Sequence[Side]) -> Judgement | None:
    """Lists of numbers, one of them worked out: `softmax(2, 1, 3) = (0.245, 0.090, 0.665)`."""
    return _compared_vectors(sides, no_names)


def _compared_vectors(sides: Sequence[Side], names: Names) -> Judgement | None:
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
        said = Side(bare(item), approximate).stated
        if said is None or not isinstance(value, Amount):
            return None
        found = fit(value, said, approximate=approximate)
        if found is Fit.NONE or (found is Fit.ROUNDED and not value.exact and 0 < value.value < 1):
            worst = Fit.NONE
        elif found is Fit.NEAR:
            return None
        places = max(places, said.decimals)
    right = list_text(truth, places)
    if worst is Fit.NONE:
        return Judgement(Verdict.FAILS, right, f"{what}: {right}")
    return Judgement(Verdict.HOLDS, right, f"{what}: {right}")


def list_text(values: Sequence[Value], places: int) -> str:
    shown = []
    for value in values:
        if isinstance(value, Amount):
            number = Fraction(round(value.value * 10**places), 10**places) if not value.exact else value.value
            shown.append(number_text(number, places))
        else:
            shown.append("−∞" if isinstance(value, MinusInfinity) else "…")
    return f"[{', '.join(shown)}]"


# 64 + 64 + … + 64


def _repeated(sides: Sequence[Side], chain: Chain, passage: Passage, context: Context) -> Judgement | None:
    repeated = [side.term for side in sides if isinstance(side.term, Repeated)]
    totals = [value for side in sides if (value := _single(side.term, no_names)) is not None]
    if len(repeated) != 1 or not totals:
        return None
    part = _single(repeated[0].term, no_names)
    if part is None or not part.exact or part.value <= 0 or part.value.denominator != 1:
        return None
    times = totals[0].value / part.value
    setting = context.nearest("h", passage, chain.start)
    known = whole(setting.value) if setting else None
    shown = number_text(part.value)
    if times.denominator == 1 and times > repeated[0].shown and known in (None, times):
        why = f"{number_text(times)} · {shown} = {number_text(totals[0].value)}"
        return Judgement(Verdict.HOLDS, number_text(totals[0].value), why)
    if known is None:
        return None
    right = number_text(known * part.value)
    return Judgement(Verdict.FAILS, right, f"{known} · {shown} = {right}")


# With names


def _with_names(sides: Sequence[Side], chain: Chain, passage: Passage, context: Context) -> Judgement | None:
    """The numbers that the note gives to names put in; never an equation between two expressions with names."""
    names = frozenset().union(*(polynomials.names_of(side.term) for side in sides)) - {"e", "π", "∞"}
    if not names or any(name.startswith("?") for name in names):
        return None
    own = chain.start

    def nearest(name: str) -> Value | None:
        setting = context.nearest(name, passage, own)
        if setting is None or (setting.passage is passage and setting.offset == own):
            return None
        return setting.value

    values = {name: value for name in names if (value := nearest(name)) is not None}
    plain = [side for side in sides if not polynomials.names_of(side.term) - {"e", "π", "∞"}]
    if not values or not plain:
        return None
    found = _compared_vectors(sides, values.get) or _numeric([*_kept(sides, plain, values)], values.get)
    if found is None:
        return None
    used = ", ".join(f"{name} = {value_text(value)}" for name, value in sorted(values.items()))
    if found.verdict is Verdict.FAILS:
        vector = isinstance(next(iter(values.values())), tuple) or any(isinstance(side.term, Vector) for side in sides)
        if not vector and not names <= QUANTITIES:
            return None
        if _another_setting_fits(sides, names, values, context):
            return None
    return Judgement(found.verdict, found.right, f"{found.why}, with {used}")


def _kept(sides: Sequence[Side], plain: Sequence[Side], values: dict[str, Value]) -> Iterator[Side]:
    """The sides without names, and those whose names are known; a side with names is worked out."""
    for side in sides:
        if side in plain or polynomials.names_of(side.term) - {"e", "π", "∞"} <= set(values):
            yield side


def _another_setting_fits(
    sides: Sequence[Side], names: frozenset[str], values: dict[str, Value], context: Context
) -> bool:
    """Whether numbers from elsewhere in the note make the equality true."""
    known = sorted(names & set(values))
    choices = [sorted(context.alternatives(name), key=str) for name in known]
    if prod(map(len, choices)) > MOST_COMBINATIONS:
        return True
    for combination in product(*choices):
        numbers = dict(zip(known, combination, strict=True))
        lookup: Callable[[str], Value | None] = numbers.get
        found = _compared_vectors(sides, lookup) or _numeric(sides, lookup)
        if found is not None and found.verdict is not Verdict.FAILS:
            return True
    return False


def value_text(value: Value) -> str:
    match value:
        case Amount(number):
            return number_text(number)
        case tuple():
            return f"({', '.join(map(value_text, value))})"
        case _:
            return "−∞"


# Identities


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


def _symbolic(terms: Sequence[Term]) -> Judgement | None:
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
    return Judgement(Verdict.HOLDS if always else Verdict.HOLDS_IF, shown, why)


def _same(left: Term, right: Term) -> tuple[str, bool] | None:
    for facts, note, always in _facts():
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
        return _wrong_power(left, right, one, other)
    if not _numbers_in(left) and not _numbers_in(right):
        return None
    if _is_unit_like(monomial):
        return None
    shown = polynomials.shown(monomial, factor)
    quotient = factor / said
    divided = factor < 1 and said < 1
    if divided and (1 / factor) == (1 / said) ** 2:
        root, square = number_text(1 / said), number_text(1 / factor)
        why = f"the square root is lost: a division by {square} is no division by {root}, one by √{square} is"
        return Judgement(Verdict.FAILS, f"√{square} = {root}", why)
    if quotient < 0:
        return None
    return Judgement(Verdict.FAILS, shown, f"the left side is {shown}, the right one {polynomials.shown(stated, said)}")


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
