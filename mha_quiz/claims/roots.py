"""The formula of scaled dot-product attention, whose scores are divided by √d_k: is the root there, and of what?"""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from mha_quiz.amounts import Amount, root
from mha_quiz.claims.chains import readable
from mha_quiz.claims.model import Judgement, Verdict
from mha_quiz.claims.numbers import number_text
from mha_quiz.claims.passages import Passage
from mha_quiz.claims.sizes import Sizes
from mha_quiz.claims.terms import Name, Number, Product, Quotient, Root, Sum, Term, bare
from mha_quiz.claims.tokens import Token, tex_tokens

_LONGEST = 200
_QUERIES = re.compile(r"[Qq]")
_AROUND = 600
_WIDTHS = ("d_k", "d_q", "d_h", "d_head", "d")
_OTHER_SCALING = re.compile(r"\b(?:muP|μP|µP|mu-P|T5|cosine|temperature)\b")


def softmaxes(passage: Passage, tokens: Sequence[Token]) -> Iterator[tuple[int, int, tuple[Token, ...]]]:
    """The inside of each softmax(…), with its start and end in the passage."""
    for index, token in enumerate(tokens):
        if token.text != "softmax" or token.sort != "name":
            continue
        if not _QUERIES.search(passage.text, token.end, token.end + _LONGEST):
            continue
        if token.math:
            inside = _inside(tokens[index + 1 : index + 1 + _LONGEST])
        else:
            end = min(len(passage.text), token.end + _LONGEST)
            inside = _inside(tuple(tex_tokens(passage.text, token.end, end)))
        if inside:
            yield token.start, inside[-1].end + 1, inside


def _inside(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """What stands in the brackets that the tokens begin with."""
    if not tokens or tokens[0].text not in ("(", "[") or tokens[0].sort != "sign":
        return ()
    depth = 0
    for index, token in enumerate(tokens):
        if token.sort == "sign":
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if depth == 0:
            return tuple(tokens[1:index])
    return ()


def judge_scaling(inside: Sequence[Token], passage: Passage, sizes: Sizes, *, of_heads: bool) -> Judgement | None:
    """The divisor of Q·Kᵀ; `of_heads` says that the words speak of several heads."""
    term = readable(inside)
    if isinstance(term, Sum):  # a mask is added
        term = next((bare(each) for each in term.terms if isinstance(bare(each), Quotient)), None)
    match term and bare(term):
        case Quotient(top, bottom, floor=False) if _is_product_of_queries_and_keys(top):
            pass
        case _:
            return None
    if _OTHER_SCALING.search(passage.text, max(0, inside[0].start - _AROUND), inside[-1].end + _AROUND):
        return None
    return divisor(top, bare(bottom), _source(inside, passage), sizes, of_heads=of_heads or _indexed(top))


def divisor(top: Term, bottom: Term, shown: str, sizes: Sizes, *, of_heads: bool) -> Judgement | None:
    width = sizes.get("d_k")
    right = rf"\frac{{{shown}}}{{\sqrt{{d_k}}}}"
    lost = "the square root is lost: scores are divided by √d_k"
    match bottom:
        case Name(text) if text in _WIDTHS:
            return Judgement(
                Verdict.FAILS, rf"\frac{{{shown}}}{{\sqrt{{{text}}}}}", f"{lost.replace('d_k', text)}, not by {text}"
            )
        case Name("d_model"):
            return Judgement(Verdict.FAILS, right, f"{lost}, not by d_model")
        case Root(Name("d_model")) if of_heads:
            return Judgement(
                Verdict.FAILS, r"\sqrt{d_k}", "a head divides by the root of its own width d_k = d_model / h"
            )
        case Root(Name(text)) if text in _WIDTHS:
            return Judgement(Verdict.HOLDS, rf"\sqrt{{{text}}}", f"scores are divided by √{text}")
        case Root(Quotient(Name("d_model" | "d"), Name("h"))):
            return Judgement(Verdict.HOLDS, r"\sqrt{d_k}", "d_model / h is d_k")
        case Number(value) if width is not None and value > 1:
            return _number(value == width, value**2 == width, width)
        case Root(Number(value)) if width is not None and value > 1:
            if value == width:
                return Judgement(Verdict.HOLDS, rf"\sqrt{{{width}}}", "scores are divided by √d_k")
            if value == sizes.get("d_model") and of_heads:
                why = f"a head divides by the root of its own width {width}"
                return Judgement(Verdict.FAILS, rf"\sqrt{{{width}}}", why)
    return None


def _number(is_width: bool, is_root: bool, width: int) -> Judgement | None:
    if is_root:
        return Judgement(Verdict.HOLDS, f"√{width}", f"the divisor is √d_k = √{width}")
    if not is_width:
        return None
    shown = root_text(width)
    return Judgement(Verdict.FAILS, shown, f"the square root is lost: the divisor is √d_k = {shown}")


def root_text(width: int) -> str:
    """`√64 = 8`, `√48 ≈ 6.928`."""
    value = root(Amount(Fraction(width)))
    return f"√{width} {'=' if value.exact else '≈'} {number_text(Fraction(round(value.value * 1000), 1000))}"


def _is_product_of_queries_and_keys(top: Term) -> bool:
    match bare(top):
        case Product(factors):
            names = [factor.text for factor in map(bare, factors) if isinstance(factor, Name)]
            return any(name[0] in "Qq" for name in names) and any(name[0] in "Kk" for name in names)
    return False


def _indexed(top: Term) -> bool:
    match bare(top):
        case Product(factors):
            return any(
                isinstance(factor, Name) and re.search(r"_(?:[ijh]|\d+)", factor.text) for factor in map(bare, factors)
            )
    return False


def _source(inside: Sequence[Token], passage: Passage) -> str:
    """What stands above the line, as it is written."""
    first = inside[0]
    if first.text == "frac":
        depth = 0
        for token in inside[1:]:
            depth += (token.text == "{") - (token.text == "}")
            if depth == 0:
                return " ".join(passage.text[inside[1].end : token.start].split())
    slash = next((token for token in inside if token.text == "/"), inside[-1])
    return " ".join(passage.text[first.start : slash.start].split())
