"""Shapes that words put together: heads split off or concatenated, products, the matrix of one head."""

import re
from collections.abc import Iterator, Sequence
from math import prod

from mha_quiz.claims.context import Context
from mha_quiz.claims.model import Finding, fails
from mha_quiz.claims.passages import Passage
from mha_quiz.claims.plain_signs import NUMBER, plain_signs, spaced, whole_number
from mha_quiz.claims.sizes import SIZES, are_stale, sizes_at
from mha_quiz.claims.wording import sentences

_BY = r"\s*[×x]\s*"
_PAIR = rf"(?<![×x*·/+=] )(?<![×x*·/+]){NUMBER}{_BY}{NUMBER}(?!\s*(?:[×x*·/+=^²]|matrices\b))"
_AXES = r"\(\s*(\d{1,9}(?:\s*[,×x]\s*\d{1,9}){1,4})\s*\)"
_SPLITS = tuple(
    map(
        spaced,
        (
            rf"{_AXES}[^()]{{0,60}}?\b(?:split|cut|reshap|divid|baant|tod)\w*[^()]{{0,40}}?\b(\d{{1,3}}) heads[^()]{{0,60}}?{_AXES}",
            rf"\b(?:split|reshap|divid)\w*[^().]{{0,20}}{_AXES} (?:in)?to (\d{{1,3}}) heads[^()]{{0,40}}?{_AXES}",
            rf"\b(?:split|reshap)\w*[^().]{{0,20}}{_AXES} (?:to|→|into) {_AXES} (?:for|with) (\d{{1,3}}) heads",
        ),
    )
)
_MORE = re.compile(r"\b(?:per|each|one|har|ek|prati|kv|padd\w*|first|only)\b", re.IGNORECASE)
_CONCATENATED = re.compile(r"\bconcat\w*|\bside by side\b|\bjod(?:ne|kar|o)\b", re.IGNORECASE)
_HEADS = re.compile(rf"{NUMBER} heads\b", re.IGNORECASE)
_PAIRS = re.compile(_PAIR)
_NOT_JOINED_BY_COLUMNS = re.compile(
    r"W_?\^?\{?O|projection|stack|batch|rows|along|axis|dim\s*=|transpos|\bsum|\badd|average|mean|weights|scores?|"
    r"(?:\b(?:some|half|only|two|three|four|do|teen|char)|\d) (?:out )?of ",
    re.IGNORECASE,
)
_PRODUCT = spaced(
    rf"{_PAIR} (?:times|multiplied by|(?:matrix )?(?:ko|and|aur)) (?:an? )?{_PAIR}(?: matrix| se (?:multiply|guna) (?:karne par|karo(?: toh?)?))?,? "
    rf"(?:gives?|is|makes?|yields?|=|→|toh?)? ?(?:an? )?{_PAIR}",
)
_OF_ONE_HEAD = spaced(
    r"(?:W_\{?([QKVO])\}?|W\^\{?([QKVO])\}?) (?:for|of|in|per) (?:(?:one|each|a|every|a single) )?head(?: \d)? (?:is|has(?: the)? shape|=|:) (?:an? )?"
    rf"{_PAIR}|\b(?:har|ek|each|one|every) head (?:ka|ki|ke liye|has(?: its own)?(?: an?)?) (?:W_\{{?([QKVO])\}}?|W\^\{{?([QKVO])\}}?) (?:ka shape )?(?:of |is )?{_PAIR}",
)
_NEAR = 3


def judge_said_shapes(passage: Passage, context: Context) -> Iterator[Finding]:
    text = plain_signs(passage.text)
    for split in _SPLITS if "heads" in text else ():
        for match in split.finditer(text):
            yield from _split(passage, match)
    for first, last in sentences(passage.text) if "heads" in text else ():
        if _CONCATENATED.search(text, first, last):
            yield from _concatenated(passage, text, first, last)
    for match in _PRODUCT.finditer(text):
        rows, inner, other, columns, *said = map(whole_number, match.groups())
        if inner == other and said != [rows, columns]:
            why = f"({rows} × {inner}) · ({other} × {columns}) is {rows} × {columns}"
            yield fails(passage, match.start(), match.end(), f"{rows} × {columns}", why)
    for match in _OF_ONE_HEAD.finditer(text):
        yield from _of_one_head(passage, match, context)


def _split(passage: Passage, match: re.Match[str]) -> Iterator[Finding]:
    (heads,) = (int(part) for part in match.groups() if part.isdigit())
    whole, parts = (_axes(part) for part in match.groups() if not part.isdigit())
    if heads < 2 or whole[-1] % heads or prod(whole) == prod(parts):
        return
    width = whole[-1] // heads
    if parts == [*whole[:-1], width] or _MORE.search(passage.text, match.start(), match.end() + 20):
        return
    right = [*whole[:-1], heads, width] if parts[-2] == heads else [*whole[:-2], heads, whole[-2], width]
    shown = f"({', '.join(map(str, right))})"
    why = f"{whole[-1]} columns in {heads} heads are {width} each: {shown}"
    yield fails(passage, match.start(), match.end(), shown, why)


def _axes(said: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", said)]


def _concatenated(passage: Passage, text: str, first: int, last: int) -> Iterator[Finding]:
    """A sentence with one number of heads and two shapes, of a head and of all of them in either order."""
    heads = {whole_number(match[1]) for match in _HEADS.finditer(text, first, last)}
    pairs = list(_PAIRS.finditer(text, first, last))
    if len(heads) != 1 or len(pairs) != 2 or _NOT_JOINED_BY_COLUMNS.search(text, first, last):
        return
    (h,) = heads
    one, other = (_pair(pair) for pair in pairs)
    if h < 2 or one[0] != other[0] or other[1] == h * one[1] or one[1] == h * other[1]:
        return
    shown = f"{one[0]} × {h * one[1]}"
    start = min(match.start() for match in (pairs[0], *_HEADS.finditer(text, first, last)))
    yield fails(passage, start, pairs[1].end(), shown, f"{h} heads side by side have {h} · {one[1]} columns: {shown}")


def _pair(match: re.Match[str]) -> Sequence[int]:
    return whole_number(match[1]), whole_number(match[2])


def _of_one_head(passage: Passage, match: re.Match[str], context: Context) -> Iterator[Finding]:
    kind, *said = [part for part in match.groups() if part]
    sizes = sizes_at(context, passage, match.start())
    settings = [context.nearest(name, passage, match.start()) for name in ("h", "d_k")]
    near = [one for one in settings if one is not None and passage.number - one.passage.number <= _NEAR]
    d, k = sizes.get("d_model"), sizes.get("d_k" if kind.upper() in "QK" else "d_v")
    if not near or d is None or k is None or d == k or {*map(whole_number, said)} == {d, k}:
        return
    if are_stale(SIZES, context, passage, match.start()):
        return
    shown = f"{k} × {d}" if kind.upper() == "O" else f"{d} × {k}"
    yield fails(passage, match.start(), match.end(), shown, f"a head is {k} wide: its matrix is {shown}")
