"""Equalities, judged: both sides recomputed, with the note's own numbers for its names."""

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import prod

from mha_quiz.amounts import Amount
from mha_quiz.claims import polynomials
from mha_quiz.claims.arithmetic import Side, numeric, plain, side_of, stated_number
from mha_quiz.claims.chains import Chain
from mha_quiz.claims.context import Context, Setting, whole
from mha_quiz.claims.identities import identity, wrong_working
from mha_quiz.claims.laws import wrong_law
from mha_quiz.claims.model import Judgement, Verdict
from mha_quiz.claims.numbers import is_root, number_text
from mha_quiz.claims.passages import Passage
from mha_quiz.claims.shapes import reshaped, shape_equation
from mha_quiz.claims.sizes import SIZES, are_stale
from mha_quiz.claims.terms import (
    QUANTITIES,
    Name,
    Number,
    Quotient,
    Repeated,
    Vector,
)
from mha_quiz.claims.values import Value, no_names, number
from mha_quiz.claims.vectors import compared_vectors, vectors
from mha_quiz.claims.wording import is_condition, sentence

MOST_COMBINATIONS = 64


def judge(chain: Chain, passage: Passage, context: Context) -> Judgement | None:
    """None where the chain claims nothing that could be recomputed with confidence."""
    if _is_label(chain) and not _says_scale(chain, passage):
        return None
    sides = [
        side_of(term, approximate)
        for term, approximate in zip(chain.sides, chain.approximate, strict=True)
        if term is not None and not isinstance(term, Name)
    ]
    if chain.names and (parted := _head_width(chain, passage, context)) is not None:
        return parted
    if len(sides) < 2:
        return None
    terms = [side.term for side in sides]
    found = vectors(sides) or shape_equation(terms) or _repeated(sides, chain, passage, context)
    if found is None and isinstance(terms[0], Vector):
        found = reshaped(terms, passage.text[slice(*sentence(passage.text, chain.start))])
    found = found or plain(sides)
    if found is not None and (found.verdict is not Verdict.HOLDS or not chain.names):
        return found
    symbolic = identity(terms)
    if symbolic is None and not any(chain.approximate):
        symbolic = wrong_working(terms) or wrong_law(terms)
        if symbolic is not None and is_condition(passage, chain.start, chain.end):
            symbolic = None
    if symbolic is not None and symbolic.verdict is Verdict.FAILS:
        return symbolic
    named = _with_names(sides, chain, passage, context)
    if named is not None and named.verdict is not Verdict.HOLDS:
        return named
    return found or symbolic or named


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
    """`divide by 64 = 8`: a number and its root in plain text, where the words are about the scaling; one with
    decimals is no chance."""
    match chain.sides:
        case [Number(square), Number(root, decimals=places)] if places > 1 and square > 2:
            return is_root(square, root, places)
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
        case [int() as d, int() as h], Quotient(Number(top), Number(bottom)) if (d == top) != (h == bottom):
            other = str(bottom if d == top else top)
            if re.search(rf"\b{other}\b", passage.text[sentence(passage.text, chain.start)[0] : chain.start]):
                return None  # with 4 heads d_k = 512/4
            if are_stale(("d_model", "h"), context, passage, chain.start):
                return None
            right = number_text(Fraction(d, h))
            return Judgement(Verdict.FAILS, right, f"with d_model = {d} and h = {h}: {d} / {h} = {right}")
    return None


# 64 + 64 + … + 64


def _repeated(sides: Sequence[Side], chain: Chain, passage: Passage, context: Context) -> Judgement | None:
    repeated = [side.term for side in sides if isinstance(side.term, Repeated)]
    if len(repeated) != 1:
        return None
    totals = [value for side in sides if (value := number(side.term, no_names)) is not None]
    if not totals:
        return None
    part = number(repeated[0].term, no_names)
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
        if name in ("d_k", "d_v") and setting.passage is not passage and _has_new_layer(passage, context):
            return None
        return setting.value

    values = {name: value for name in names if (value := nearest(name)) is not None}
    plain = [side for side in sides if not polynomials.names_of(side.term) - {"e", "π", "∞"}]
    if not values or not plain:
        return None
    found = compared_vectors(sides, values.get) or numeric([*_kept(sides, plain, values)], values.get)
    if found is None:
        return None
    used = ", ".join(f"{name} = {value_text(value)}" for name, value in sorted(values.items()))
    if found.verdict is Verdict.FAILS:
        vector = isinstance(next(iter(values.values())), tuple) or any(isinstance(side.term, Vector) for side in sides)
        if not vector and not names <= QUANTITIES:
            return None
        close = all(_is_close(context.nearest(name, passage, own), passage) for name in values)
        if are_stale(sorted(values.keys() & {*SIZES}), context, passage, own):
            return None
        if not close and _another_setting_fits(sides, names, values, context):
            return None
    return Judgement(found.verdict, found.right, f"{found.why}, with {used}")


def _has_new_layer(passage: Passage, context: Context) -> bool:
    """Whether the passage sets the sizes anew from which the width of a head follows."""
    return context.is_set_in("d_model", passage) and context.is_set_in("h", passage)


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
        found = compared_vectors(sides, lookup) or numeric(sides, lookup)
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
