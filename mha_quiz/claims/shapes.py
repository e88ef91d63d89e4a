"""Shapes that a note states: memberships in ℝ^(n × d), products of shapes, and `… has the shape 6 × 256`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import prod

from mha_quiz.claims.chains import Segment, readable, split
from mha_quiz.claims.context import Context, whole
from mha_quiz.claims.model import Judgement, Verdict
from mha_quiz.claims.passages import Passage
from mha_quiz.claims.polynomials import names_of, ratio
from mha_quiz.claims.sizes import Sizes
from mha_quiz.claims.terms import Call, Group, Name, Number, Product, Quotient, Sum, Term, Unreadable, Vector, bare
from mha_quiz.claims.tokens import Token
from mha_quiz.claims.wording import sentence

Axes = tuple[Term, ...]


# Products of shapes


def shape_equation(terms: Sequence[Term]) -> Judgement | None:
    """`(10 × 512)(512 × 64) = 10 × 64`, read as shapes where it is no true arithmetic."""
    if len(terms) != 2:
        return None
    match terms:
        case [Product((rows, inner, same, columns), "×××"), Product(result, "×")] if inner == same:
            if (rows, columns) == result:  # 10×64 × 64×10 = 10×10
                return shape_product([(rows, inner), (same, columns)], result)
    factors, stated = factor_shapes(terms[0]), shape(terms[1])
    if factors is None or stated is None or _is_elementwise(factors, stated):
        return None
    return shape_product(factors, stated)


def _is_elementwise(factors: Sequence[Axes], stated: Axes) -> bool:
    """`[1, 2] * [3, 4] = [3, 8]`, a product of lists."""
    numbers = [tuple(axis.value for axis in axes if isinstance(axis, Number)) for axes in (*factors, stated)]
    if len(set(map(len, (*factors, stated, *numbers)))) > 1:
        return False
    return all(prod(column) == said for *column, said in zip(*numbers, strict=True))


def shape_product(factors: Sequence[Axes], stated: Axes) -> Judgement | None:
    """Whether matrices of these shapes, or batches of them, multiplied, have the stated one."""
    first, *others = factors
    result = first
    for right in others:
        left, lead = result, _batch(result[:-2], right[:-2])
        if lead is None:
            return None
        if not _same_axis(left[-1], right[-2]):
            told = " · ".join(f"({axes_text(axes)})" for axes in factors)
            fits = f"{axes_text(left)} times {axes_text(right)} does not fit"
            return Judgement(Verdict.FAILS, fits, f"{told}: {_text(left[-1])} columns meet {_text(right[-2])} rows")
        result = (*lead, left[-2], right[-1])
    told = f"{' · '.join(f'({axes_text(axes)})' for axes in factors)} = {axes_text(result)}"
    if len(stated) == len(result) and all(map(_same_axis, result, stated)):
        return Judgement(Verdict.HOLDS, axes_text(result), told)
    return Judgement(Verdict.FAILS, axes_text(result), told)


def _batch(left: Axes, right: Axes) -> Axes | None:
    """The axes before the last two; None where they do not agree and the numbers may be no shapes at all."""
    if not left or not right:
        return left or right
    return left if len(left) == len(right) and all(map(_same_axis, left, right)) else None


def factor_shapes(term: Term) -> list[Axes] | None:
    """The shapes that are multiplied, at least two."""
    match term:
        case Product(factors, signs) if all(shape(factor, bracketed=True) for factor in factors):
            shapes = [axes for factor in factors if (axes := shape(factor, bracketed=True)) is not None]
        case Product(factors, signs) if "×" in signs and set(signs) != {"×"}:
            shapes = _groups(factors, signs)
        case _:
            return None
    if len(shapes) < 2 or any(len(axes) < 2 for axes in shapes):
        return None
    return shapes if "@" in signs or {len(axes) for axes in shapes} != {3} else None  # a cross product


def _groups(factors: Sequence[Term], signs: str) -> list[Axes]:
    """`10 × 512 · 512 × 64`: the factors between the other signs."""
    groups = [[factors[0]]]
    for sign, factor in zip(signs, factors[1:], strict=True):
        if sign == "×":
            groups[-1].append(factor)
        else:
            groups.append([factor])
    return [tuple(group) for group in groups]


def shape(term: Term, *, bracketed: bool = False) -> Axes | None:
    """The axes that the term lists, two or more: `10 × 64`, `(10 × 64)`, `[10, 64]`."""
    match term:
        case Group(inner):
            return shape(inner)
        case Vector(items, elided=False) if all(isinstance(bare(item), Number | Name | Product) for item in items):
            return items
        case Product(factors, signs) if not bracketed and set(signs) == {"×"}:
            return factors
    return None


def _same_axis(one: Term, other: Term) -> bool:
    if isinstance(one, Number) and isinstance(other, Number):
        return one.value == other.value
    try:
        return ratio(one).equals(ratio(other))
    except Unreadable:
        return one == other


def axes_text(axes: Axes) -> str:
    return " × ".join(map(_text, axes))


def _text(term: Term) -> str:
    match bare(term):
        case Number(value):
            return str(value)
        case Name(text):
            return text
        case Product(factors):
            return " · ".join(map(_text, factors))
        case _:
            return "…"


_RESHAPES = re.compile(
    r"\b(?:re-?shape[sd]?|view|flatten(?:ed|s)?|transpos\w+|permut\w+|split(?:s|ting)?)\b", re.IGNORECASE
)
_MORE_THAN_RESHAPES = re.compile(
    r"\b(?:linear|project\w*|layer|mask\w*|slic\w*|pad\w*|concat\w*|stack\w*|embed\w*|broadcast\w*|repeat\w*|expand\w*|"
    r"chunk\w*|drop\w*|pool\w*|mean|sum|unsqueeze|each|W)\b|@",
    re.IGNORECASE,
)


def reshaped(terms: Sequence[Term], words: str) -> Judgement | None:
    """`(2, 10, 512) -> (2, 10, 8, 64)`: as many numbers before as behind, where the words tell of nothing else."""
    if not _RESHAPES.search(words) or _MORE_THAN_RESHAPES.search(words):
        return None
    counts = [prod(sizes) for term in terms if (sizes := _whole_sizes(term))]
    if len(counts) < 2 or len(counts) < len(terms):
        return None
    if len(set(counts)) == 1:
        return Judgement(Verdict.HOLDS, f"{counts[0]:,}", f"{counts[0]:,} numbers before and behind")
    told = " and ".join(
        f"{axes_text(shape(term) or ())} are {count:,}" for term, count in zip(terms, counts, strict=True)
    )
    return Judgement(Verdict.FAILS, f"{counts[0]:,} numbers", f"a reshape keeps all numbers, but {told}")


def _whole_sizes(term: Term) -> tuple[int, ...] | None:
    axes = shape(term)
    if axes is None:
        return None
    sizes = tuple(
        int(axis.value) for axis in map(bare, axes) if isinstance(axis, Number) and axis.value.denominator == 1
    )
    return sizes if len(sizes) == len(axes) and min(sizes) > 0 else None


# Memberships


@dataclass(frozen=True, slots=True)
class Membership:
    term: Term
    axes: Axes
    start: int
    end: int


def membership(segment: Segment) -> Membership | None:
    r"""`Q_i K_i^T \in \mathbb{R}^{10 \times 10}`."""
    if all(token.sort != "in" for token in segment.tokens):
        return None
    parts, _ = split(segment.tokens, "in")
    if len(parts) != 2 or not parts[0]:
        return None
    axes = _space(parts[1])
    sides, _ = split(parts[0], "relation")
    term = readable(sides[-1])
    if axes is None or term is None:
        return None
    return Membership(term, axes, segment.tokens[0].start, segment.tokens[-1].end)


_WORDS_BETWEEN = re.compile(
    r"[\s$,:()]*(?:(?:has|have|is|are|of|with|the|a|also|its|whose|ka|ki|ke|jiska|jinka|uska|iska|nikalta|deta|hai|hain)[\s,]+)*"
    r"(?:shape|size|dimensions?)(?:\s+(?:is|are|of|hai|hota))*[\s$:=(]*",
    re.IGNORECASE,
)
_OUTPUT_IS = re.compile(
    r"\b(?:output|result)\s+(?:(?:is|has|have|of|the|ka|shape|size|hai|again|then|phir)\s+)*[\s$:=(]*$", re.IGNORECASE
)


def told_shape(segment: Segment, above: Segment | None, text: str) -> Membership | None:
    """`X W^Q has the shape 6 × 256`, of the formula directly before it; or `the output is 6 × 256`."""
    if not any(token.text in ("×", ",") for token in segment.tokens):
        return None
    start, end = segment.tokens[0].start, segment.tokens[-1].end
    of_above = above is not None and _WORDS_BETWEEN.fullmatch(text, above.tokens[-1].end, start)
    of_output = _OUTPUT_IS.search(text, max(0, start - 60), start)
    read = readable(segment.tokens) if of_above or of_output else None
    axes = shape(read) if read is not None else None
    if axes is None or not all(isinstance(bare(axis), Number) for axis in axes):
        return None
    if above is not None and of_above:
        subject = readable(above.tokens)
        if subject is not None and names_of(subject):
            return Membership(subject, axes, start, end)
    if of_output:
        return Membership(Name("Output"), axes, start, end)
    return None


def _space(tokens: Sequence[Token]) -> Axes | None:
    match tokens:
        case [Token(text="R" | "ℝ"), Token(text="^"), Token(text="{" | "("), *inside, Token(text="}" | ")")]:
            pass
        case [Token(text="R" | "ℝ"), Token(text="^"), inner]:
            inside = [inner]
        case _:
            return None
    axes: list[Term] = []
    start = 0
    for index, token in enumerate((*inside, None)):
        if token is None or token.text == "×":
            axis = readable(inside[start:index])
            if axis is None:
                return None
            axes.append(axis)
            start = index + 1
    return tuple(axes)


_N, _M, _D, _K, _V = Name("n"), Name("m"), Name("d_model"), Name("d_k"), Name("d_v")
_HK: Term = Product((Name("h"), _K), "*")
_HV: Term = Product((Name("h"), _V), "*")
_INDEX = re.compile(r"[ij]|\d+|[hH]")


def expected(term: Term) -> tuple[Axes, ...]:
    """The shapes that a matrix of the layer may have, the likeliest first; none for an unknown one."""
    match bare(term):
        case Name(text):
            return _of_name(text)
        case Call("softmax", (inner,)):
            return expected(inner)
        case Call("Concat" | "concat"):
            return ((_N, _HV),)
        case Call("MultiHead" | "MultiHeadAttention" | "MHA"):
            return ((_N, _D),)
        case Quotient(top, bottom) if not expected(bottom):
            return expected(top)
        case Sum(terms):
            return expected(terms[0])
        case Product(factors):
            return _of_product([expected(factor) for factor in factors])
    return ()


def _of_product(factors: Sequence[tuple[Axes, ...]]) -> tuple[Axes, ...]:
    results: tuple[Axes, ...] = factors[0]
    for factor in factors[1:]:
        results = tuple(
            dict.fromkeys(
                (*left[:-1], *right[1:])
                for left in results
                for right in factor
                if len(left) == 2 and len(right) == 2 and _may_meet(left[-1], right[0])
            )
        )
    return results


def _may_meet(one: Term, other: Term) -> bool:
    wide = (_D, _HK, _HV)
    return one == other or (one in wide and other in wide) or {one, other} == {_N, _M}


def _of_name(text: str) -> tuple[Axes, ...]:
    base, _, above = text.partition("^")
    base, _, below = base.partition("_")
    if above.endswith("T") and above != "T":
        return ()
    if above == "T":
        return tuple((axes[1], axes[0]) for axes in _of_name(text.removesuffix("^T")) if len(axes) == 2)
    labels = [part for part in re.split(r"[,;]|(?<=\w)(?=[QKVO])", f"{below},{above}") if part]
    indexed = any(_INDEX.fullmatch(label) for label in labels)
    if base == "W":
        kinds = [label.upper() for label in labels if label.upper() in ("Q", "K", "V", "O")]
        return _of_matrix(kinds[0], indexed) if len(kinds) == 1 else ()
    if above or (labels and not indexed):
        return ()
    match base:
        case "Q" if indexed:
            return ((_N, _K),)
        case "K" if indexed:
            return ((_N, _K), (_M, _K))
        case "V" if indexed:
            return ((_N, _V), (_M, _V))
        case "Q":
            return ((_N, _D), (_N, _K))
        case "K":
            return ((_N, _D), (_N, _K), (_M, _D), (_M, _K))
        case "V":
            return ((_N, _D), (_N, _V), (_M, _D), (_M, _V))
        case "head" if indexed:
            return ((_N, _V),)
        case "X" | "Output" | "output" | "MultiHead" if not labels:
            return ((_N, _D),)
        case "q" | "k" if labels:
            return ((_K,), (_D,))
        case "v" if labels:
            return ((_V,), (_D,))
    return ()


def _of_matrix(kind: str, indexed: bool) -> tuple[Axes, ...]:
    match kind:
        case "O":
            return () if indexed else ((_HV, _D),)
        case "V":
            return ((_D, _V),) if indexed else ((_D, _HV), (_D, _V))
        case _:
            return ((_D, _K),) if indexed else ((_D, _HK), (_D, _K))


@dataclass(frozen=True, slots=True)
class Declared:
    """A shape that the note gave to a name."""

    axes: Axes
    scope: tuple[int, ...]


def judge_shape(
    term: Term, stated: Axes, sizes: Sizes, declared: Mapping[str, Declared], scope: tuple[int, ...]
) -> Judgement | None:
    """A stated shape against that of the layer's matrices, or of the shapes the note has given to the factors."""
    known = _from_declared(term, declared, scope)
    if known is not None and not any(names_of(axis) for axis in (*stated, *known)):
        return _verdict([known], stated, isinstance(bare(term), Product))
    choices = [axes for axes in expected(term) if len(axes) == len(stated)]
    if not choices:
        return None
    if all(names_of(axis) for axis in stated):
        return _symbolic(choices, stated)
    numbers = [tuple(map(Number, axes)) for each in choices if (axes := _numbers(each, sizes)) is not None]
    if len(numbers) < len([axes for axes in choices if _M not in axes]) or any(names_of(axis) for axis in stated):
        return None
    if any(tuple(reversed(axes)) == stated for axes in numbers) and stated not in numbers:
        return None  # the transposed matrix: another convention
    return _verdict(numbers, stated, False)


_GROUPED = re.compile(r"\b(?:GQA|MQA|grouped|multi-query|KV[- ]heads?|key[-/ ]value heads?)\b", re.IGNORECASE)
_KEYS_OR_VALUES = re.compile(r"[KV]")
_OTHER_OUTPUT = re.compile(
    r"\b(?:FFN|MLP|feed[- ]?forward|linear|first layer|unembed\w*|logits?|vocab\w*|lm[_ ]head|decod(?:e|ing)|step|per|pool\w*|conv\w*|patch\w*|cache\w*)\b",
    re.IGNORECASE,
)


def another_example_fits(found: Membership, context: Context, passage: Passage) -> bool:
    """Whether sizes that the note gives elsewhere make the shape right, and none near it says which ones are meant."""

    def is_near(name: str) -> bool:
        setting = context.nearest(name, passage, found.start)
        return setting is not None and passage.number - setting.passage.number <= 1

    def fits(axis: Term, stated: Term) -> bool:
        names = names_of(axis)
        values = {whole(value) for name in names for value in context.alternatives(name)}
        return len(names) == 1 and isinstance(number := bare(stated), Number) and number.value in values

    if _GROUPED.search(passage.text) and _KEYS_OR_VALUES.search(passage.text, found.start, found.end):
        return True
    if found.term == Name("Output") and _OTHER_OUTPUT.search(passage.text, *sentence(passage.text, found.start)):
        return True
    for axes in expected(found.term):
        names = frozenset().union(*map(names_of, axes))
        if len(axes) == len(found.axes) and all(map(fits, axes, found.axes)) and not any(map(is_near, names)):
            return True
    return False


def _verdict(choices: Sequence[Axes], stated: Axes, is_product: bool) -> Judgement | None:
    if any(len(axes) == len(stated) and all(map(_same_axis, axes, stated)) for axes in choices):
        return Judgement(Verdict.HOLDS, axes_text(stated), f"the shape is {axes_text(stated)}")
    best = max(choices, key=lambda axes: sum(map(_same_axis, axes, stated)) if len(axes) == len(stated) else -1)
    why = "the shapes of the factors give" if is_product else "with the note's own sizes the shape is"
    return Judgement(Verdict.FAILS, axes_text(best), f"{why} {axes_text(best)}")


def _symbolic(choices: Sequence[Axes], stated: Axes) -> Judgement | None:
    """Only told where it holds: letters may be meant in another way."""
    facts: dict[str, Term] = {"d_model": _HK, "d_v": _K, "d": _HK}
    for axes in choices:
        try:
            if all(ratio(one, facts).equals(ratio(other, facts)) for one, other in zip(axes, stated, strict=True)):
                return Judgement(Verdict.HOLDS, axes_text(stated), f"the shape is {axes_text(axes)}")
        except Unreadable:
            return None
    return None


def _numbers(axes: Axes, sizes: Sizes) -> tuple[Fraction, ...] | None:
    numbers = []
    for axis in axes:
        size = Fraction(1)
        for factor in axis.factors if isinstance(axis, Product) else (axis,):
            if not isinstance(factor, Name) or factor.text not in sizes:
                return None
            size *= sizes[factor.text]
        numbers.append(size)
    return tuple(numbers)


def _from_declared(term: Term, declared: Mapping[str, Declared], scope: tuple[int, ...]) -> Axes | None:
    match bare(term):
        case Product(factors) if len(factors) > 1:
            shapes = [_declared_shape(factor, declared, scope) for factor in factors]
            found = [axes for axes in shapes if axes is not None and len(axes) == 2]
            if len(found) < len(factors) or any(not _same_axis(one[1], other[0]) for one, other in pairwise(found)):
                return None
            return (found[0][0], found[-1][1])
    return None


def _declared_shape(term: Term, declared: Mapping[str, Declared], scope: tuple[int, ...]) -> Axes | None:
    if not isinstance(term, Name):
        return None
    found = declared.get(term.text)
    if found is not None and found.scope == scope:
        return found.axes
    base = declared.get(term.text.removesuffix("^T"))
    if term.text.endswith("^T") and base is not None and base.scope == scope and len(base.axes) == 2:
        return (base.axes[1], base.axes[0])
    return None
