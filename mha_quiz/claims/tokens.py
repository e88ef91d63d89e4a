"""A passage cut into the tokens of its arithmetic: TeX inside dollar signs, plain signs and words outside."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from mha_quiz.units import BYTE_UNITS, NUMBER_WORDS, SUFFIXES

Sort = Literal[
    "number",
    "name",  # a letter, or an identifier such as `d_model`
    "word",  # a word of the sentence
    "unit",  # GB, GiB and the like
    "sign",  # one of `+ - * × / ^ _ % ( ) [ ] { } , &`, `frac`, `sqrt`, `…`
    "relation",  # `=` or `≈`
    "in",
    "arrow",
    "border",  # where a formula begins or ends
    "break",  # anything that no arithmetic goes over
]


class Token(NamedTuple):
    """A frozen record, as all others; a tuple because a long note has millions of them."""

    sort: Sort
    text: str
    start: int
    end: int
    math: bool
    value: Fraction = Fraction(0)
    decimals: int = 0
    """Digits behind the point; −6 for millions."""
    rounded: bool = False
    """A number with a point or a suffix, which may stand for a rounded one."""
    grouped: bool = False
    """Grouped by bare commas, as a list of numbers may look too."""


_NUMBER = (
    r"(?P<number>(?:[1-9]\d{0,2}(?:(?:\{,\}|\\,| , |[,_'\u2009\u202f])\d{3})+(?!\d)|[1-9]\d?(?:(?:\{,\}|,)\d\d)+(?:\{,\}|,)\d{3}(?!\d)"
    r"|(?<![-\w.,] )(?<![-\w.,])[1-9]\d{0,2}(?:[ \xa0]\d{3})+(?![\w]|[ .,]\d)"  # 1 048 576
    r"|\d+)(?:\.\d+)?|\.\d+)(?:[eE](?P<exponent>[-+]?\d{1,2})(?!\w|\.\d))?"
)
_TEX = re.compile(
    _NUMBER + r"|(?P<vulgar>(?<!\d)[¼½¾⅐-⅞])"
    r"|(?P<blank>\s+|~|\\[,;:!> ]|\\(?:left|right|middle|displaystyle|textstyle|limits|nolimits|mathstrut|[bB]ig+[lrm]?)(?![A-Za-z])\.?)"
    r"|(?P<text>\\(?:text[a-z]*|mathrm|mathit|mathbf|mathsf|mathtt|operatorname\*?|mbox|hbox|boldsymbol|bm)(?![A-Za-z])\s*\{(?P<inner>[^{}$\\]*)\})"
    r"|(?P<blackboard>\\(?:mathbb|mathcal|Bbb)\s*(?:\{(?P<letter>[A-Za-z])\}|(?P<bare>[A-Z])))"
    r"|(?P<environment>\\(?:begin|end)\s*\{[A-Za-z]+\*?\})"
    r"|(?P<command>\\(?:[A-Za-z]+|.))"
    r"|(?P<word>[A-Za-z]{3,})"
    r"|(?P<letter2>[^\W\d_])"
    r"|(?P<relation>:?==?|[≈≃≅])"
    r"|(?P<sign>[-+*/^_%()\[\]{},&−×·⋅÷√…'′]|\.\.\.)"
    r"|(?P<factorial>(?<=\d)!(?=\s*[=/*+)-]))"
    r"|(?P<other>.)",
    re.DOTALL,
)
_COMMANDS: dict[str, tuple[Sort, str]] = {
    **dict.fromkeys((r"\cdot", r"\ast", r"\bullet"), ("sign", "*")),
    r"\times": ("sign", "×"),
    r"\div": ("sign", "/"),
    **dict.fromkeys((r"\frac", r"\dfrac", r"\tfrac", r"\cfrac"), ("sign", "frac")),
    r"\sqrt": ("sign", "sqrt"),
    **dict.fromkeys((r"\approx", r"\simeq", r"\cong", r"\doteq"), ("relation", "≈")),
    r"\equiv": ("relation", "="),
    r"\in": ("in", "∈"),
    **dict.fromkeys(
        (r"\to", r"\rightarrow", r"\longrightarrow", r"\Rightarrow", r"\implies", r"\mapsto"), ("arrow", "→")
    ),
    **dict.fromkeys((r"\dots", r"\ldots", r"\cdots", r"\dotsc", r"\dotsb"), ("sign", "…")),
    **dict.fromkeys((r"\exp", r"\ln", r"\log", r"\max", r"\min"), ("name", "")),
    r"\infty": ("name", "∞"),
    r"\pi": ("name", "π"),
    r"\top": ("name", "T"),
    r"\intercal": ("name", "T"),
    r"\prime": ("sign", "'"),
    r"\lbrack": ("sign", "["),
    r"\rbrack": ("sign", "]"),
    r"\%": ("sign", "%"),
    r"\_": ("sign", "_"),
}
_GREEK = frozenset(
    [
        r"\alpha",
        r"\beta",
        r"\gamma",
        r"\delta",
        r"\epsilon",
        r"\varepsilon",
        r"\theta",
        r"\lambda",
        r"\mu",
        r"\sigma",
        r"\tau",
        r"\phi",
        r"\rho",
        r"\eta",
        r"\ell",
    ]
)
_LETTER = r"[^\W_⁰¹²³⁴⁵⁶⁷⁸⁹]"
_PLAIN = re.compile(
    r"(?P<hexadecimal>0[xX][0-9A-Fa-f]+)|"
    + _NUMBER
    + r"(?:(?P<suffix>[kKMBGT]|[KMGT]i)(?![A-Za-z]))?"
    + r"|(?P<blank>[\s$]+|\\[()\[\]])"
    r"|(?P<times>(?<=\d)[xX](?=\s*\d)|(?<=\d )[xX](?=\s*\d))"
    r"|(?P<matmul>(?:(?<=[)\]])|(?<=[)\]] ))@\s?(?:[A-Z]\w{0,9}(?:\^T|ᵀ|\.T)?\s?)?(?=[(\[]))"
    r"|(?P<gives>(?:(?<=[)\]])|(?<=[)\]] ))(?:->|→)\s?(?:(?:\.?(?:view|reshape|transpose|permute))\s?)?(?=[(\[]\s?\d+\s?,))"
    r"|(?P<share>(?<=% )of(?=\s+\$?\d)|(?<=\d )ka(?=\s+\d[\d.]*\s?%))"
    r"|(?P<factorial>(?<=\d)!(?=\s+[=≈]|\s*[/×*·+)-]))"
    r"|(?P<vulgar>(?<!\d)[¼½¾⅐-⅞])"
    r"|(?P<shape>(?<=ℝ)(?:[⁰¹²³⁴⁵⁶⁷⁸⁹]+ˣ)+[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
    r"|(?P<superscript>[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
    r"|(?P<divided>(?<=\d )ko(?=\s+\d[\d,]*\s+se\s+(?:divide|bhaag)\b))"
    r"|(?P<multiplied>(?<=\d )ko(?=\s+\d[\d,]*\s+se\s+(?:multiply|guna)\b))"
    r"|(?P<spoken>(?<=\d )se\s+(?:divide|bhaag|multiply|guna)(?:\s+(?:karo|karke|karne|kiya|karein|do|dein|par|pe|to|toh))*(?=\s*[=≈]))"
    r"|(?P<equals>(?:equals|is\s+equal\s+to|barabar)(?=\s+\$?\d))"
    r"|(?P<bytes>(?:(?<=,\d{3} )|(?<=\d{4} )|(?<=[×*·] \d )(?=B\s*[=≈]))B(?![\w^]|\s*[*·×]))"
    r"|(?P<matrix>Q?K(?:ᵀ|(?=\^[T⊤](?!\w)))|[QV]ᵀ|(?<=K\^)⊤)"
    rf"|(?P<word>[^\W\d_]{_LETTER}*(?:_{_LETTER}+)+|[^\W\d_]{_LETTER}*(?:['’][^\W\d_]+|(?<=\d)(?:\.\d+)+)?)"
    r"|(?P<arrow>[→⇒⟶]|[-=]>)"
    r"|(?P<broken>!=|[<>]=?|≠|≤|≥|==+|--+)"
    r"|(?P<relation>:?==?|[≈≃≅]|~(?=\s?\d))"
    r"|(?P<in>∈)"
    r"|(?P<brace>(?<=\^)\{|\})"
    r"|(?P<sign>\*\*|//|\.\.\.|[-+*/^%()\[\],−×·⋅∙÷√…])"
    r"|(?P<other>.)",
    re.DOTALL,
)
_WORDS_BETWEEN = re.compile(
    r"(?:[ \n,]+(?!(?:softmax|sqrt|exp|ln|log|log2|inf|pi|bytes?|[kmgt]i?b|and|aur|or|ya|[A-Za-z]+['’_-])(?![a-z]))[A-Za-z]{2,}"
    r"(?=[ \n,]+[A-Za-z]{2,}(?![A-Za-z'’_-])))+",
    re.IGNORECASE,
)
"""Words between words, which no arithmetic is next to: most of a text."""
_SIGNS = {"−": "-", "·": "*", "⋅": "*", "∙": "*", "÷": "/", "**": "^", "...": "…", "√": "sqrt", "′": "'"}
_UNITS = {word: factor for word, factor in BYTE_UNITS.items() if word != "b"}  # a lone b is a name here
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
MOST_DIGITS = 300
"""Longer numbers are no claims."""


def tokens(text: str, math: Sequence[tuple[int, int]]) -> Iterator[Token]:
    """All tokens of a passage in order; `math` are its formulas inside their dollar signs."""
    at = 0
    for start, end in math:
        yield from _plain(text, at, start)
        yield Token("border", "$", start, start, True)
        yield from _tex(text, start, end)
        yield Token("border", "$", end, end, True)
        at = end
    yield from _plain(text, at, len(text))


def tex_tokens(text: str, start: int, end: int) -> Iterator[Token]:
    """The stretch read as TeX, whether or not it stands in a formula."""
    yield from _tex(text, start, end)


def _tex(text: str, at: int, end: int) -> Iterator[Token]:
    while at < end and (match := _TEX.match(text, at, end)):
        start, at = match.span()
        found = match[0]
        match match.lastgroup:
            case "blank":
                pass
            case "number" | "exponent":
                yield _number(match["number"], "", start, at, math=True, exponent=match["exponent"])
            case "text" | "inner":
                yield from _inner_text(match["inner"], start, at)
            case "blackboard" | "letter" | "bare":
                yield Token("name", match["letter"] or match["bare"], start, at, True)
            case "command":
                yield _command(found, start, at)
            case "word" | "letter2":
                unit = found.lower() if found.lower() in _UNITS and len(found) > 1 else None
                yield Token("unit" if unit else "name", unit or found, start, at, True)
            case "relation":
                yield Token("relation", "≈" if found in "≈≃≅" else "=", start, at, True)
            case "vulgar":
                yield from _vulgar(found, start, at, math=True)
            case "factorial":
                yield Token("sign", "!", start, at, True)
            case "sign":
                yield Token("sign", _SIGNS.get(found, found), start, at, True)
            case _:
                yield Token("break", found, start, at, True)


def _inner_text(inner: str, start: int, end: int) -> Iterator[Token]:
    word = inner.strip()
    if word.lower() in _UNITS:
        yield Token("unit", word.lower(), start, end, True)
    elif re.fullmatch(r"[^\W\d_][\w-]*", word):
        yield Token("name", word, start, end, True)
    elif word:
        yield Token("break", word, start, end, True)


def _command(found: str, start: int, end: int) -> Token:
    if found in _COMMANDS:
        sort, text = _COMMANDS[found]
        return Token(sort, text or found[1:], start, end, True)
    if found in _GREEK:
        return Token("name", found[1:], start, end, True)
    return Token("break", found, start, end, True)


def _plain(text: str, at: int, end: int) -> Iterator[Token]:
    while at < end and (match := _PLAIN.match(text, at, end)):
        start, at = match.span()
        found = match[0]
        match match.lastgroup:
            case "blank" | "spoken":
                pass
            case "number" | "suffix" | "exponent":
                suffix = match["suffix"] or ""
                yield _number(match["number"], suffix, start, at, math=False, exponent=match["exponent"])
            case "word":
                yield _plain_word(found, start, at, text)
                between = _WORDS_BETWEEN.match(text, at, end)
                if between and found.casefold() not in NUMBER_WORDS:
                    at = between.end()
            case "times":
                yield Token("sign", "×", start, at, False)
            case "vulgar":
                yield from _vulgar(found, start, at, math=False)
            case "factorial":
                yield Token("sign", "!", start, at, False)
            case "matmul":
                yield Token("sign", "@", start, at, False)
            case "gives":
                yield Token("relation", "→", start, at, False)
            case "multiplied" | "share":
                yield Token("sign", "*", start, at, False)
            case "divided":
                yield Token("sign", "/", start, at, False)
            case "equals":
                yield Token("relation", "=", start, at, False)
            case "brace":
                yield Token("sign", found, start, at, False)
            case "bytes":
                yield Token("unit", "byte", start, at, False)
            case "shape":
                yield from _raised_shape(found, start, at)
            case "matrix":
                yield from _transposed(found, start, at)
            case "superscript":
                yield Token("sign", "^", start, start, False)
                yield _number(found.translate(_SUPERSCRIPTS), "", start, at, math=False)
            case "arrow":
                yield Token("arrow", "→", start, at, False)
            case "relation":
                yield Token("relation", "≈" if found in "≈≃≅~" else "=", start, at, False)
            case "in":
                yield Token("in", found, start, at, False)
            case "sign":
                yield _plain_sign(found, start, at, text)
            case _:
                yield Token("break", found, start, at, False)


def _raised_shape(found: str, start: int, end: int) -> Iterator[Token]:
    """`⁶⁴ˣ¹⁰` as `^(64×10)`."""
    yield Token("sign", "^", start, start, False)
    yield Token("sign", "(", start, start, False)
    for match in re.finditer("ˣ|[^ˣ]+", found):
        first, last = start + match.start(), start + match.end()
        if match[0] == "ˣ":
            yield Token("sign", "×", first, last, False)
        else:
            yield _number(match[0].translate(_SUPERSCRIPTS), "", first, last, math=False)
    yield Token("sign", ")", end, end, False)


def _vulgar(found: str, start: int, end: int, *, math: bool) -> Iterator[Token]:
    """`¾` as `(3/4)`."""
    top, bottom = unicodedata.normalize("NFKC", found).split("⁄")
    yield Token("sign", "(", start, start, math)
    yield _number(top, "", start, end, math=math)
    yield Token("sign", "/", start, start, math)
    yield _number(bottom, "", start, end, math=math)
    yield Token("sign", ")", end, end, math)


def _transposed(found: str, start: int, end: int) -> Iterator[Token]:
    """`QKᵀ` and `QK^T` as `Q K^T`; what stands behind the `^` follows by itself."""
    for at, letter in enumerate(found, start):
        if letter == "ᵀ":
            yield Token("sign", "^", at, at, False)
        yield Token("name", "T" if letter in "ᵀ⊤" else letter, at, at + 1, False)


def _plain_word(found: str, start: int, end: int, text: str) -> Token:
    folded = _lowered(found)
    if folded.lower() in _UNITS:
        return Token("unit", folded.lower(), start, end, False)
    hyphened = (start and text[start - 1] == "-") or text[end : end + 1] == "-"
    is_name = not hyphened and (
        len(folded) == 1 or "_" in folded or (folded in ("max", "min") and text[end : end + 1] == "(")
    )
    if is_name or folded.lower() in ("softmax", "sqrt", "exp", "ln", "log", "log2", "log10", "inf", "pi"):
        return Token("name", {"inf": "∞", "pi": "π"}.get(folded, folded), start, end, False)
    return Token("word", found, start, end, False)


def _lowered(word: str) -> str:
    """`dₖ` as `d_k`."""
    if word.isascii():
        return word
    shown, below = "", False
    for char in word:
        kind, *codes = unicodedata.decomposition(char).split() or [""]
        if kind == "<sub>":
            shown += ("" if below else "_") + "".join(chr(int(code, 16)) for code in codes)
            below = True
        else:
            shown, below = shown + char, False
    return shown


def _plain_sign(found: str, start: int, end: int, text: str) -> Token:
    if found == "-" and text[end : end + 1].isalpha() and text[max(start - 1, 0)].isalnum():
        return Token("break", found, start, end, False)  # 64-dim
    return Token("sign", _SIGNS.get(found, found), start, end, False)


_GROUP_MARKS = re.compile(r"\{,\}|\\,|[^\d.]")


def _number(found: str, suffix: str, start: int, end: int, *, math: bool, exponent: str | None = None) -> Token:
    if len(found) < MOST_DIGITS and not suffix and exponent is None and found.isdecimal():
        return Token("number", found, start, end, math, Fraction(int(found)))
    digits = _GROUP_MARKS.sub("", found)
    if len(digits) > MOST_DIGITS:
        return Token("break", found, start, end, math)
    whole, _, fraction = digits.partition(".")
    factor = SUFFIXES.get(suffix, 1)
    tens = int(exponent or 0)
    value = Fraction(int(whole + fraction or 0) * factor, 10 ** len(fraction))
    if tens:
        value *= Fraction(10) ** tens
    decimals = len(fraction) - (len(str(factor)) - 1) - tens
    grouped = "," in found and "{" not in found
    rounded = bool(fraction or suffix or exponent)
    return Token("number", found, start, end, math, value, decimals, rounded, grouped)


def unit_factor(token: Token) -> int:
    return _UNITS[token.text]


def number_word(token: Token) -> int | None:
    """The factor of `million`, `lakh`, `GFLOPs` and the like."""
    if token.sort != "word" and not (token.math and token.sort == "name"):
        return None
    return NUMBER_WORDS.get(token.text.casefold()) or _work_factor(token.text)


_WORK = re.compile(r"([kKMGTPE])(?:FLOP[sS]?|MACs?)")


def _work_factor(word: str) -> int | None:
    """1,000,000,000 of `GFLOPs`."""
    match = _WORK.fullmatch(word)
    return 1000 ** ("KMGTPE".index(match[1].upper()) + 1) if match else None
