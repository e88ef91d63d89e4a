"""What a learner types, read as a number or a shape.

Nothing is evaluated as code, and nothing is guessed: a text with two meanings is not readable. Every text up to the
limits (`lexer`, `amounts`, `expressions`) is read in a few milliseconds, and every longer one refused.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from cards.model import Language
from mha_quiz import wording
from mha_quiz.expressions import Evaluated, evaluate
from mha_quiz.lexer import Line, NotReadable, Numeral, Sign, Token, clean, tokens
from mha_quiz.precision import Precision
from mha_quiz.question import Text
from mha_quiz.question_text import value_text
from mha_quiz.units import BARE_NUMBER

Want = Literal["number", "shape"]

MOST_AXES = 8


@dataclass(frozen=True, slots=True)
class Number:
    value: Fraction
    """In the unit the question asks for."""
    exact: bool
    """False behind a root or a function without a rational value: right to sixty digits."""
    precision: Precision | None
    """How finely it was typed; None of an expression."""
    read_as: str


@dataclass(frozen=True, slots=True)
class Shape:
    axes: tuple[int, ...]
    read_as: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """No answer at all; to be asked again."""

    reason: Text
    """With the place in the typed text, where there is one."""


Reading = Number | Shape | Unreadable


def read(text: str, *, want: Want, names: Mapping[str, int | float] | None = None, unit: str | None = None) -> Reading:
    """The number or shape that `text` says; never raises.

    `names` are numbers the text may use. `unit` is what a number counts: `parameters`, `bytes`, `GiB`;
    `units.BARE_NUMBER` for nothing, None if any unit will do.
    """
    known = {name: Fraction(str(number)) for name, number in (names or {}).items()}
    try:
        line = clean(text)
        said = wording.quoted(text[line.columns[0] - 1 : line.columns[-1]])
        return _number(line, said, known, unit) if want == "number" else _shape(line, said, known)
    except NotReadable as refusal:
        return Unreadable(wording.placed(refusal.reason, refusal.column))


def reading_json(reading: Reading, language: Language) -> dict[str, object]:
    """What `question read --json` prints of it."""
    match reading:
        case Number(value, read_as=read_as):
            return {
                "unreadable": False,
                "value": str(value),
                "read_as": read_as,
                "message": echo(reading).told(language),
            }
        case Shape(axes, read_as):
            return {
                "unreadable": False,
                "value": list(axes),
                "read_as": read_as,
                "message": echo(reading).told(language),
            }
        case Unreadable(reason):
            return {"unreadable": True, "value": None, "read_as": None, "message": reason.told(language)}


def echo(reading: Number | Shape) -> Text:
    return wording.read_as(reading.read_as)


_TIMES_BEFORE = re.compile(r"[xX×] ?(?=\d)")
_TIMES_BEHIND = re.compile(r"(?<=\d)(?: ?[xX×]| ?-? ?fold)$")


def _number(line: Line, said: str, names: Mapping[str, Fraction], unit: str | None) -> Number:
    if unit == BARE_NUMBER:  # it may be a factor: `4x`, `×4`, `4-fold`
        before, behind = _TIMES_BEFORE.match(line.text), _TIMES_BEHIND.search(line.text)
        line = line.cut(before.end() if before else 0, behind.start() if behind else None)
    pieces = tokens(line, names, grouped=True)
    result = evaluate(pieces, names, unit)
    read = result.amount
    shown = _amount_text(read.value, read.exact, pieces)
    if read.in_bytes:
        shown = f"{shown} {unit or 'bytes'}"
    if result.named:
        shown = f"{shown} = {said}"
    if result.notes:
        shown = f"{shown} ({', '.join(result.notes)})"
    return Number(read.value, read.exact, read.precision, shown)


_MOST_DECIMALS = 12
_MOST_DIGITS = 60
_LONGEST_FRACTION = 12


def _amount_text(value: Fraction, exact: bool, pieces: Sequence[Token]) -> str:
    """`1,048,576`, `0.125`, `1/3 ≈ 0.333333`; Indian groups stay."""
    match pieces[0]:
        case Numeral(indian=True, typed=typed, value=alone) if alone == value:
            return re.sub("[_']", ",", typed)
    if exact and value.denominator == 1 and len(str(value.numerator)) <= _MOST_DIGITS:
        return f"{value.numerator:,}"
    places = next((n for n in range(_MOST_DECIMALS + 1) if 10**n % value.denominator == 0), None)
    if exact and places is not None and places + len(str(abs(value.numerator))) <= _MOST_DIGITS:
        return wording.decimal_text(value, places)
    near = wording.six_figures(value)
    simple = exact and len(str(value)) <= _LONGEST_FRACTION
    return f"{value.numerator}/{value.denominator} ≈ {near}" if simple else f"≈ {near}"


_SHAPE_PREFIX = re.compile(r"(?i)(?:shape\s*[=:]?\s*)?((?:torch\s*\.\s*)?Size\s*(?=\())?")


def _shape(line: Line, said: str, names: Mapping[str, Fraction]) -> Shape:
    prefix = _SHAPE_PREFIX.match(line.text)
    pieces = tokens(line.cut(prefix.end() if prefix else 0), names, grouped=False)
    if prefix and prefix[1]:
        pieces = _inside(pieces) or pieces
    inner = _inside(pieces)
    parts = _axes(pieces if inner is None else inner, bracketed=inner is not None)
    if len(parts) > MOST_AXES:
        raise NotReadable(wording.TOO_MANY_AXES)
    results = [_axis(part, names) for part in parts]
    axes = tuple(int(result.amount.value) for result in results)
    shown = value_text(axes, None)
    return Shape(axes, f"{shown} = {said}" if any(result.named for result in results) else shown)


_CLOSING = {"(": ")", "[": "]"}


def _inside(pieces: list[Token]) -> list[Token] | None:
    """What stands in the brackets round all the pieces; None if there are none."""
    match pieces:
        case [Sign(opening), *_] if opening in _CLOSING:
            pass
        case _:
            return None
    depth = 0
    for place, piece in enumerate(pieces):
        if isinstance(piece, Sign):
            depth += (piece.text in "([") - (piece.text in ")]")
        if depth == 0:
            if isinstance(piece, Sign) and piece.text != _CLOSING[opening]:
                raise NotReadable(wording.not_understood(piece.text), piece.column)
            if place == len(pieces) - 1:
                return pieces[1:-1]
            if isinstance(pieces[place + 1], Sign):  # a product such as (2+6)*8, 64
                return None
            raise NotReadable(wording.not_understood(_typed(pieces[place + 1])), pieces[place + 1].column)
    raise NotReadable(wording.MISSING_BRACKET if opening == "(" else wording.MISSING_SQUARE)


def _typed(piece: Token) -> str:
    return piece.typed if isinstance(piece, Numeral) else piece.text


def _axes(pieces: list[Token], *, bracketed: bool) -> list[list[Token]]:
    """The pieces of each axis: between commas, else between × or *, else between blanks."""
    if not pieces:
        return []
    depth = 0
    outer: list[str] = []
    """The sign of each piece that stands in no inner bracket."""
    for piece in pieces:
        sign = piece.text if isinstance(piece, Sign) else ""
        depth -= sign == ")"
        if sign in ("[", "]") or (sign == "," and depth):
            raise NotReadable(wording.NESTED, piece.column)
        outer.append("" if depth else sign)
        depth += sign == "("
    if "," in outer:
        axes = _split(pieces, [sign == "," for sign in outer])
        return axes[:-1] if not axes[-1] else axes
    if "*" in outer or "×" in outer:
        if set(outer) & set("+-/") or ("*" in outer and (bracketed or "×" in outer)):
            raise NotReadable(wording.UNCLEAR_AXES)
        return _split(pieces, [sign in ("*", "×") for sign in outer])
    if any(isinstance(piece, Sign) for piece in pieces):
        return [pieces]
    return _runs(pieces)


def _split(pieces: list[Token], at: list[bool]) -> list[list[Token]]:
    groups: list[list[Token]] = [[]]
    for piece, separates in zip(pieces, at, strict=True):
        if separates:
            if not groups[-1]:
                raise NotReadable(wording.not_understood(_typed(piece)), piece.column)
            groups.append([])
        else:
            groups[-1].append(piece)
    return groups


def _runs(pieces: list[Token]) -> list[list[Token]]:
    """The pieces between blanks."""
    groups: list[list[Token]] = [[]]
    for piece in pieces:
        if piece.spaced and groups[-1]:
            groups.append([])
        groups[-1].append(piece)
    return groups


def _axis(pieces: list[Token], names: Mapping[str, Fraction]) -> Evaluated:
    """One axis, a whole number of at least 1."""
    match pieces:
        case [Numeral(typed=typed, column=column), *_] if len(typed) > 1 and typed.startswith("0") and typed.isdigit():
            raise NotReadable(wording.ZERO_FIRST, column)
    result = evaluate(pieces, names, BARE_NUMBER)
    if not result.amount.exact or result.amount.value.denominator != 1 or result.amount.value < 1:
        raise NotReadable(wording.BAD_AXIS, pieces[0].column)
    return result
