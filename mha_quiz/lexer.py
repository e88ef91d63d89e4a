"""What a learner types, cut into numerals, words and signs, each with its place."""

import re
import unicodedata
from collections.abc import Container
from dataclasses import dataclass
from fractions import Fraction

from mha_quiz import wording
from mha_quiz.question import Text
from mha_quiz.units import COUNT_WORDS

LONGEST_TEXT = 200
"""Characters of a typed answer."""
LARGEST_EXPONENT = 400
"""Of a power and of `1e…`, up or down."""


class NotReadable(Exception):
    """Why a text has no single meaning, and where; caught by the reader, never seen outside."""

    def __init__(self, reason: Text, column: int | None = None) -> None:
        self.reason = reason
        self.column = column


@dataclass(frozen=True, slots=True)
class Numeral:
    """An unsigned number as it was typed."""

    value: Fraction
    column: int
    spaced: bool
    """A blank stands before it."""
    typed: str
    figures: int
    """Significant ones: no leading zeros, trailing zeros only after a decimal point."""
    decimals: int
    """Digits after the point, less the exponent: `1.05e6` has −4."""
    scientific: bool = False
    indian: bool = False
    """Grouped as `10,48,576`."""


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    column: int
    spaced: bool


@dataclass(frozen=True, slots=True)
class Sign:
    """One of `+ - * × / ^ % √ ( ) [ ] ,`; the letter x as a product comes as `×`."""

    text: str
    column: int
    spaced: bool


Token = Numeral | Word | Sign


@dataclass(frozen=True, slots=True)
class Line:
    """A text in ASCII signs, and for each of its characters the column in what was typed."""

    text: str
    columns: tuple[int, ...]

    def cut(self, start: int, stop: int | None = None) -> "Line":
        return Line(self.text[start:stop], self.columns[start:stop])


_SIGNS = {
    **dict.fromkeys("−–—‒‐‑", "-"),
    **dict.fromkeys("·⋅∗∙", "*"),
    **dict.fromkeys("✕✖⨯", "×"),
    **dict.fromkeys("÷⁄∕", "/"),
    **dict.fromkeys("’‘ʼ", "'"),
    "٬": ",",
    "٫": ".",
    "٪": "%",
    "।": ".",
    "。": ".",
    "π": "pi",
}


def clean(typed: str) -> Line:
    """Any script's digits and signs as ASCII; a leading `=`, `≈`, `~` and a final full stop are dropped.

    Raises `NotReadable` for an empty and for a long text.
    """
    stripped = typed.strip()
    if len(stripped) > LONGEST_TEXT:
        raise NotReadable(wording.TOO_LONG)
    first = len(typed) - len(typed.lstrip()) + 1
    written: list[tuple[str, int]] = []
    script = ""
    for column, character in enumerate(stripped, start=first):
        level, plain = _plain(character)
        if script == "^" and level != "^":
            written.append((")", column - 1))
        if level != script:
            opening = {"^": "^(", "_": "" if plain.isdigit() else "_"}.get(level, "")
            written.extend((sign, column) for sign in opening)
        written.extend((letter, column) for letter in plain)
        script = level
    if script == "^":
        written.append((")", first + len(stripped) - 1))
    return _trimmed(Line("".join(letter for letter, _ in written), tuple(column for _, column in written)))


def _plain(character: str) -> tuple[str, str]:
    """Its level (`^` raised, `_` lowered, or on the line) and what it stands for there."""
    kind, *codes = unicodedata.decomposition(character).split() or [""]
    base = "".join(chr(int(code, 16)) for code in codes) if kind in ("<super>", "<sub>", "<wide>") else character
    level = {"<super>": "^", "<sub>": "_"}.get(kind, "")
    if base.isspace():
        return level, " "
    category = unicodedata.category(base) if len(base) == 1 else ""
    if category == "Cf":
        return level, ""
    if category == "Nd":
        return level, str(unicodedata.decimal(base))
    return level, _SIGNS.get(base, base)


_LEADING = re.compile(r"[\s=≈~≃≅]*")
_TRAILING = re.compile(r"\s*(?:(?<!\.)\.)?\s*$")


def _trimmed(line: Line) -> Line:
    leading = _LEADING.match(line.text)
    line = line.cut(leading.end() if leading else 0)
    trailing = _TRAILING.search(line.text)
    line = line.cut(0, trailing.start() if trailing else None)
    if not line.text:
        raise NotReadable(wording.EMPTY)
    return line


_NUMERAL = re.compile(r"\.?\d")
_HEXADECIMAL = re.compile(r"0[xX][0-9A-Fa-f]+")
_DIGITS = re.compile(r"\d+(?:_\d+)*")
_GROUPS = re.compile(r"\d{1,3}(?: \d{3}(?!\d))+|\d+(?:[,_']\d+)*")
_FRACTION = re.compile(r"\.\d*")
_SEPARATED = re.compile(r"[.,_']\d")
_POINTED = re.compile(r"[._']\d")
_EXPONENT = re.compile(r"[eE]([+-]?\d+)")
_VULGAR = re.compile(r"\d+⁄\d+")
_WESTERN_GROUPS = re.compile(r"[1-9]\d{0,2}(?:([ ,_'])\d{3})(?:\1\d{3})*")
_INDIAN_GROUPS = re.compile(r"[1-9]\d?([,_'])(?:\d\d\1)+\d{3}")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_TIMES_LETTER = re.compile(r"[xX](?=\s*[\d.])")
_LONE_X = re.compile(r"[xX](?![A-Za-z0-9_])")
_PREFIXED = re.compile(rf"([kKMGTB]|[KMGT]i|[mgt](?=flop|mac))((?i:{'|'.join(COUNT_WORDS)}))")
_SIGN = re.compile(r"\*\*|[-+*×/^%√()\[\],]")


def tokens(line: Line, names: Container[str], *, grouped: bool) -> list[Token]:
    """The line in pieces; digits may stand in groups only if `grouped`, else just as `1_048`.

    The letter x between numbers, or between other operands if x is not one of the `names`, is a product.
    Raises `NotReadable` at the first character that starts nothing.
    """
    found: list[Token] = []
    place = 0
    while place < len(line.text):
        blank = line.text[place] == " "
        while line.text[place] == " ":
            place += 1
        rest = line.text[place:]
        column = line.columns[place]
        previous = found[-1] if found else None
        if hexadecimal := _HEXADECIMAL.match(rest):
            raise NotReadable(wording.hexadecimal(hexadecimal.group()), column)
        if _NUMERAL.match(rest) or _is_vulgar(rest[0]):
            numeral, length = _numeral(line.cut(place), grouped=grouped, spaced=blank)
            found.append(numeral)
            place += length
        elif _is_times(previous, rest, names):
            found.append(Sign("×", column, blank))
            place += 1
        elif word := _WORD.match(rest):
            found.extend(_words(word.group(), line.columns[place:], blank))
            place += word.end()
        elif sign := _SIGN.match(rest):
            found.append(Sign("^" if sign.group() == "**" else sign.group(), column, blank))
            place += sign.end()
        else:
            raise NotReadable(wording.EQUATION if rest[0] == "=" else wording.not_understood(rest[0]), column)
    return found


def _is_times(previous: Token | None, rest: str, names: Container[str]) -> bool:
    if isinstance(previous, Numeral) and _TIMES_LETTER.match(rest):
        return True
    after_operand = isinstance(previous, Numeral | Word) or (isinstance(previous, Sign) and previous.text in ")%")
    return after_operand and rest[0] not in names and _LONE_X.match(rest) is not None


def _words(text: str, columns: tuple[int, ...], spaced: bool) -> list[Token]:
    """`GFLOPs` is a prefix and a word."""
    if prefixed := _PREFIXED.fullmatch(text):
        prefix, word = prefixed.groups()
        return [
            Word(prefix.upper() if prefix in "mgt" else prefix, columns[0], spaced),
            Word(word, columns[len(prefix)], False),
        ]
    return [Word(text, columns[0], spaced)]


def _is_vulgar(character: str) -> bool:
    return _VULGAR.fullmatch(unicodedata.normalize("NFKC", character)) is not None


def _numeral(line: Line, *, grouped: bool, spaced: bool) -> tuple[Numeral, int]:
    """The numeral a line begins with, and its length."""
    text, column = line.text, line.columns[0]
    whole = match.group() if (match := (_GROUPS if grouped else _DIGITS).match(text)) else ""
    length = len(whole)
    if (vulgar := re.match(r" ?(\S)", text[length:])) and _is_vulgar(vulgar[1]):
        numerator, denominator = unicodedata.normalize("NFKC", vulgar[1]).split("⁄")
        value = _integer(whole, column) + Fraction(int(numerator), int(denominator))
        typed = text[: length + vulgar.end()]
        return Numeral(value, column, spaced, typed, figures=0, decimals=0), len(typed)
    fraction = match.group() if (match := _FRACTION.match(text[length:])) else ""
    length += len(fraction)
    if (_SEPARATED if grouped else _POINTED).match(text[length:]):
        raise NotReadable(_bad_separator(text[length], whole + fraction), line.columns[length])
    exponent = 0
    scientific = _EXPONENT.match(text[length:])
    if scientific:
        exponent = int(scientific[1])
        length += scientific.end()
    if abs(exponent) > LARGEST_EXPONENT:
        raise NotReadable(wording.TOO_LARGE if exponent > 0 else wording.TOO_SMALL, column)
    if rest := re.match(r"[eE]\d", text[length:]):
        raise NotReadable(wording.not_understood(rest.group()), line.columns[length])
    decimals = fraction[1:]
    significant = (re.sub(r"\D", "", whole) + decimals).lstrip("0")
    value = (_integer(whole, column) + Fraction(int(decimals or 0), 10 ** len(decimals))) * Fraction(10) ** exponent
    numeral = Numeral(
        value,
        column,
        spaced,
        typed=text[:length],
        figures=len(significant if decimals else significant.rstrip("0")),
        decimals=len(decimals) - exponent,
        scientific=scientific is not None,
        indian=_INDIAN_GROUPS.fullmatch(whole) is not None,
    )
    return numeral, length


def _integer(whole: str, column: int) -> Fraction:
    """The digits before the point; groups must be Western or Indian ones, all with the same mark."""
    plain = whole.isdigit() or not whole
    if not (plain or _WESTERN_GROUPS.fullmatch(whole) or _INDIAN_GROUPS.fullmatch(whole)):
        raise NotReadable(wording.bad_groups(whole), column)
    return Fraction(int(re.sub(r"\D", "", whole) or 0))


def _bad_separator(mark: str, before: str) -> Text:
    match mark:
        case ".":
            return wording.TWO_POINTS
        case ",":
            return wording.bad_groups(f"{before},")
        case _:
            return wording.not_understood(mark)
