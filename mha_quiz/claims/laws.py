"""Laws that roots, powers, logarithms and fractions do not obey: `√(a² + b²) = a + b`, `e^(a+b) = e^a + e^b`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from mha_quiz.amounts import Amount
from mha_quiz.claims import polynomials
from mha_quiz.claims.model import Finding, Judgement, Verdict, fails
from mha_quiz.claims.numbers import equal, number_text
from mha_quiz.claims.passages import Passage
from mha_quiz.claims.plain_signs import plain_signs
from mha_quiz.claims.terms import Call, Name, Number, Power, Product, Quotient, Root, Sum, Term, bare
from mha_quiz.claims.values import number
from mha_quiz.claims.wording import sentence

_POINTS = ((2, 3, 5, 7), (3, 7, 2, 5), (7, 5, 3, 2))
_LOGARITHMS = ("log", "ln", "log2", "log10")


def wrong_law(terms: Sequence[Term]) -> Judgement | None:
    """Two sides of which one is what a wrong law makes of the other; an equation to be solved is none.

    Both are worked out for a few numbers in place of the letters.
    """
    for left, right in pairwise(terms):
        names = sorted(polynomials.names_of(left) - {"e"})
        if not 0 < len(names) <= len(_POINTS[0]) or not all(name.islower() and name[0] != "?" for name in names):
            continue
        if set(names) != polynomials.names_of(right) - {"e"}:
            continue
        if _leaves_softmax(left, right) or _leaves_softmax(right, left):
            law = "softmax(x + c) = softmax(x)"
            return Judgement(Verdict.FAILS, law, f"a number added to all scores changes no weight: {law}")
        for whole, parted in ((left, right), (right, left)):
            for law, wrong in _wrong_laws(bare(whole)):
                if (told := _told(names, whole, parted, wrong)) is not None:
                    return Judgement(Verdict.FAILS, law, f"{law}; {told}")
    return None


def _wrong_laws(term: Term) -> Iterator[tuple[str, Term]]:
    """What is right, and what is often taken for the term instead."""
    match term:
        case Root(Sum(parts)):
            yield "the root of a sum is no sum of roots", Sum(tuple(map(Root, parts)))
        case Power(base, Sum(parts)) if _is_base(base):
            shown = _base_text(base)
            yield f"{shown}^(a + b) = {shown}^a · {shown}^b", Sum(tuple(Power(base, part) for part in parts))
        case Power(base, Product(parts)) if _is_base(base):
            shown = _base_text(base)
            yield (
                f"{shown}^(a b) = ({shown}^a)^b",
                Product(tuple(Power(base, part) for part in parts), "*" * (len(parts) - 1)),
            )
        case Call("exp", (Sum(parts),)):
            yield "exp(a + b) = exp(a) · exp(b)", Sum(tuple(Call("exp", (part,)) for part in parts))
        case Call(name, (inner,)) if name in _LOGARITHMS:
            yield from _of_logarithm(name, bare(inner))
        case Quotient(top, bottom) if isinstance(total := bare(bottom), Sum) and isinstance(bare(top), Number):
            yield "1/(a + b) is no sum of 1/a and 1/b", Sum(tuple(Quotient(top, part) for part in total.terms))
        case Power(base, exponent) if isinstance(inside := bare(base), Product) and isinstance(bare(exponent), Number):
            *others, last = inside.factors
            yield "(a b)^n = a^n · b^n", Product((*others, Power(last, exponent)), "*" * len(others))


def _of_logarithm(name: str, inner: Term) -> Iterator[tuple[str, Term]]:
    def each(parts: Sequence[Term]) -> tuple[Term, ...]:
        return tuple(Call(name, (part,)) for part in parts)

    match inner:
        case Product(parts):
            yield f"{name}(a b) = {name} a + {name} b", Product(each(parts), "*" * (len(parts) - 1))
        case Sum(parts):
            yield f"{name} a + {name} b = {name}(a b)", Sum(each(parts))
        case Quotient(top, bottom):
            one, other = each((top, bottom))
            yield f"{name}(a/b) = {name} a - {name} b", Quotient(one, other)


def _is_base(base: Term) -> bool:
    return bare(base) == Name("e") or isinstance(bare(base), Number)


def _base_text(base: Term) -> str:
    return number_text(inner.value) if isinstance(inner := bare(base), Number) else "e"


def _told(names: Sequence[str], whole: Term, parted: Term, wrong: Term) -> str | None:
    """Both sides in numbers, if the second is at every point what the wrong law gives and never what is right."""
    told = None
    for point in _POINTS:
        numbers = {name: Amount(Fraction(value)) for name, value in zip(names, point, strict=False)}
        found = [number(term, numbers.get) for term in (whole, parted, wrong)]
        match found:
            case [Amount() as true, Amount() as said, Amount() as expected] if equal(said, expected):
                if equal(true, said):
                    return None
                told = told or _shown(numbers, true, said)
            case _:
                return None
    return told


def _shown(numbers: Mapping[str, Amount], true: Amount, said: Amount) -> str:
    put_in = ", ".join(f"{name} = {number_text(value.value)}" for name, value in numbers.items())
    one, other = (number_text(Fraction(round(value.value * 1000), 1000)) for value in (true, said))
    return f"with {put_in} one side is {one}, the other {other}"


def _leaves_softmax(whole: Term, parted: Term) -> bool:
    match bare(whole), bare(parted):
        case Call("softmax", (Sum((scores, *added)),)), Sum((Call("softmax", (inside,)), *others)):
            return scores == bare(inside) and added == others
    return False


_MIRRORED = re.compile(
    r"\(\s*([A-Z])\s*([A-Z])\s*\)\s*\^\s*\{?(T|\\top|-1)\}?\s*=\s*\1\s*\^\s*\{?\3\}?\s*\2\s*\^\s*\{?\3\}?"
)
_COMMUTING = re.compile(r"commut|diagonal|symmetric|scalars?\b", re.IGNORECASE)


def judge_transposed(passage: Passage) -> Iterator[Finding]:
    """`(AB)^T = A^T B^T`, of which the order is turned round."""
    for match in _MIRRORED.finditer(plain_signs(passage.text)) if "^" in passage.text else ():
        one, other, sign = match.groups()
        if one != other and not _COMMUTING.search(passage.text, *sentence(passage.text, match.start())):
            sign = sign.replace("\\top", "T")
            right = f"({one}{other})^{sign} = {other}^{sign} {one}^{sign}"
            yield fails(passage, match.start(), match.end(), right, f"the order turns round: {right}")
