"""Equalities, judged: both sides recomputed, with the note's own numbers for its names."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import isqrt, prod

from mha_quiz.amounts import Amount
from mha_quiz.claims import polynomials
from mha_quiz.claims.chains import Chain
from mha_quiz.claims.context import Context, Setting, whole
from mha_quiz.claims.identities import identity, wrong_working
from mha_quiz.claims.model import Judgement, Verdict
from mha_quiz.claims.numbers import Fit, about, equal, fit, in_mixed_units, in_unit, number_text
from mha_quiz.claims.passages import Passage
from mha_quiz.claims.shapes import reshaped, shape_equation
from mha_quiz.claims.terms import (
    QUANTITIES,
    Call,
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
    bare,
)
from mha_quiz.claims.values import MinusInfinity, Names, Value, evaluate, no_names, spread
from mha_quiz.claims.wording import is_condition, sentence


@dataclass(frozen=True, slots=True)
class Side:
    term: Term
    approximate: bool
    stated: Number | None
    """The plain number that the side is."""


def _side(term: Term, approximate: bool) -> Side:
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


MOST_COMBINATIONS = 64


def judge(chain: Chain, passage: Passage, context: Context) -> Judgement | None:
    """None where the chain claims nothing that could be recomputed with confidence."""
    if _is_label(chain) and not _says_scale(chain, passage):
        return None
    sides = [
        _side(term, approximate)
        for term, approximate in zip(chain.sides, chain.approximate, strict=True)
        if term is not None and not isinstance(term, Name)
    ]
    if chain.names and (parted := _head_width(chain, passage, context)) is not None:
        return parted
    if len(sides) < 2:
        return None
    terms = [side.term for side in sides]
    found = _vectors(sides) or shape_equation(terms) or _repeated(sides, chain, passage, context)
    if found is None and isinstance(terms[0], Vector):
        found = reshaped(terms, passage.text[slice(*sentence(passage.text, chain.start))])
    found = found or _plain(sides)
    if found is not None and (found.verdict is not Verdict.HOLDS or not chain.names):
        return found
    symbolic = identity(terms)
    if symbolic is None and not any(chain.approximate):
        symbolic = wrong_working(terms)
        if symbolic is not None and is_condition(passage, chain.start, chain.end):
            symbolic = None
    if symbolic is not None and symbolic.verdict is Verdict.FAILS:
        return symbolic
    named = _with_names(sides, chain, passage, context)
    if named is not None and named.verdict is not Verdict.HOLDS:
        return named
    return found or symbolic or named


def _plain(sides: Sequence[Side]) -> Judgement | None:
    """Without the note's numbers; `log` is the natural one unless another base makes it true."""
    asked: set[str] = set()
    found = _numeric(sides, asked.add)
    if found is not None and found.verdict is Verdict.FAILS and "log" in asked:
        for base in (10, 2):
            other = _numeric(sides, {"log": Amount(Fraction(base))}.get)
            if other is not None and other.verdict is not Verdict.FAILS:
                return other
    return found


def _is_label(chain: Chain) -> bool:
    """`Step 3 = 4` in plain text: numbers alone, no arithmetic."""
    numbers = [number for side in chain.sides if side and (number := stated_number(side))]
    if len(numbers) < len(chain.sides):
        return False
    return not chain.math and not all(number.unit for number in numbers)


_SCALE = re.compile(r"√|sqrt|\broot\b|\bscal(?:e|ed|ing)\b|\bdivid|\bd_?k\b|QK|/", re.IGNORECASE)
_NUMBERED = re.compile(
    r"\b(?:step|layer|table|fig(?:ure)?|section|chapter|head|day|page|no|token|run|epoch|q)\.? *$", re.IGNORECASE
)


def _says_scale(chain: Chain, passage: Passage) -> bool:
    """`divide by 64 = 8`: a number and its root in plain text, where the words are about the scaling."""
    match chain.sides:
        case [Number(square), Number(root)] if root > 1 and root * root == square:
            first, last = sentence(passage.text, chain.start)
            before = passage.text[max(first, chain.start - 20) : chain.start]
            return _SCALE.search(passage.text, first, last) is not None and not _NUMBERED.search(before)
    return False


def _head_width(chain: Chain, passage: Passage, context: Context) -> Judgement | None:
    """`d_k = 256/4` in a passage that has just said another d_model or h."""
    quotients = [side for side in chain.sides if isinstance(side, Quotient)]
    if not any(side in (Name("d_k"), Name("d_v")) for side in chain.sides) or len(quotients) != 1:
        return None
    sizes = []
    for name in ("d_model", "h"):
        setting = context.nearest(name, passage, chain.start)
        if setting is None or setting.passage is not passage:
            return None
        sizes.append(whole(setting.value))
    match sizes, quotients[0]:
        case [int() as d, int() as h], Quotient(Number(top), Number(bottom)) if Fraction(d, h) * bottom != top:
            right = number_text(Fraction(d, h))
            return Judgement(Verdict.FAILS, right, f"with d_model = {d} and h = {h}: {d} / {h} = {right}")
    return None


# Plain arithmetic


def _numeric(sides: Sequence[Side], names: Names) -> Judgement | None:
    """All sides that have a value against the first one that is worked out."""
    valued = [(side, value) for side in sides if (value := _single(side.term, names)) is not None]
    if len(valued) < 2:
        return None
    if sum(side.stated is None for side, _ in valued) > 1 and len(steps := _steps(valued)) > 1:
        return next((found for step in steps if (found := _compared(step)) and found.verdict is Verdict.FAILS), None)
    return _compared(valued)


def _steps(valued: Sequence[tuple[Side, Amount]]) -> list[list[tuple[Side, Amount]]]:
    """`5 · 3 = 15 + 2 = 17 − 7 = 10` as `5 · 3 = 15`, `15 + 2 = 17` and `17 − 7 = 10`: a calculation that runs on."""
    steps = [[valued[0]]]
    for side, value in valued[1:]:
        before = steps[-1][-1][1]
        first = _first_number(side.term)
        if side.stated is None and first is not None and first != value.value and first == before.value != value.value:
            steps[-1].append((_side(Number(first), False), before))
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


Valued = tuple["Side", Amount]


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


def _single(term: Term, names: Names) -> Amount | None:
    try:
        value = evaluate(term, names)
    except Unreadable:
        return None
    return value if isinstance(value, Amount) else None


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
    if found is Fit.NONE and abs(value.value - stated.value) <= abs(value.value) * _FLOATING:
        return Fit.NEAR  # 0.1 + 0.2 = 0.30000000000000004
    if found is Fit.NONE and stated.rounded and _may_be_of_rounded(reference.term, value, stated):
        return Fit.NEAR
    return found


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
        value = _single(raised, no_names)
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
            value = _single(Quotient(top, Root(bottom)), no_names)
            if value is None or not value.exact or not equal(value, stated):
                return None
            shown, root = number_text(divisor), number_text(Fraction(isqrt(int(divisor))))
            why = f"the square root is lost: the division is by √{shown} = {root}, not by {shown}"
            return Judgement(Verdict.FAILS, f"√{shown} = {root}", why)
    return None


# Lists and softmax


def _vectors(sides: Sequence[Side]) -> Judgement | None:
    """Lists of numbers, one of them worked out: `softmax(2, 1, 3) = (0.245, 0.090, 0.665)`."""
    return _compared_vectors(sides, no_names)


def _compared_vectors(sides: Sequence[Side], names: Names) -> Judgement | None:
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


# 64 + 64 + … + 64


def _repeated(sides: Sequence[Side], chain: Chain, passage: Passage, context: Context) -> Judgement | None:
    repeated = [side.term for side in sides if isinstance(side.term, Repeated)]
    if len(repeated) != 1:
        return None
    totals = [value for side in sides if (value := _single(side.term, no_names)) is not None]
    if not totals:
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
        close = all(_is_close(context.nearest(name, passage, own), passage) for name in values)
        if not close and _another_setting_fits(sides, names, values, context):
            return None
    return Judgement(found.verdict, found.right, f"{found.why}, with {used}")


_CLOSE = 3
"""Passages between a setting and an equality that surely means it."""


def _is_close(setting: Setting | None, passage: Passage) -> bool:
    return (
        setting is not None
        and setting.passage.scope == passage.scope
        and 0 <= passage.number - setting.passage.number <= _CLOSE
    )


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
