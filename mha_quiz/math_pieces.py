"""The pieces a formula is made of, and how they are set side by side on one line."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from mha_quiz import tex_signs as signs

_GLYPHS = frozenset((*signs.SUBSCRIPTS.values(), *signs.SUPERSCRIPTS.values()))


class Kind(Enum):
    ORDINARY = auto()
    RELATION = auto()
    BINARY = auto()
    LARGE = auto()
    OPENING = auto()
    CLOSING = auto()
    COMMA = auto()
    FRACTION = auto()
    BLANK = auto()
    CELL = auto()
    ROW = auto()


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    kind: Kind = Kind.ORDINARY
    begins_word: bool = False
    ends_word: bool = False
    """A letter or digit right beside it would be read as a part of it."""
    scripts: str = ""
    """The marks `_` and `^` it already has."""


class Unreadable(Exception):
    """No TeX that can be shown as one line."""


def plain(token: str) -> list[Piece]:
    if token == ",":
        return [Piece(",", Kind.COMMA)]
    if token == ";":
        return [Piece(";", Kind.COMMA)]
    if token.isalnum() or token == "|":  # the table has commands, `\\in` and `\\|`, under the same names
        return [Piece(token)]
    return sign(token) or [Piece(token)]


def sign(name: str) -> list[Piece]:
    for table, kind in (
        (signs.RELATIONS, Kind.RELATION),
        (signs.BINARY, Kind.BINARY),
        (signs.LARGE, Kind.LARGE),
        (signs.OPENING, Kind.OPENING),
        (signs.CLOSING, Kind.CLOSING),
        (signs.ORDINARY, Kind.ORDINARY),
    ):
        if name in table:
            return [Piece(table[name], kind)]
    # what was typed as Unicode is spaced like its command
    for table, kind in ((signs.RELATIONS, Kind.RELATION), (signs.BINARY, Kind.BINARY), (signs.LARGE, Kind.LARGE)):
        if name in table.values():
            return [Piece(name, kind)]
    return [Piece(name)] if len(name) == 1 and not name.isalpha() else []


def word(text: str) -> Piece:
    long = len(text.strip()) > 1
    return Piece(text, begins_word=long, ends_word=long)


def grouped(pieces: list[Piece]) -> list[Piece]:
    """A group melts into its line, but letters that were set together stay one word, and a comma alone is a sign."""
    if len(pieces) == 1 and pieces[0].kind in (Kind.COMMA, Kind.RELATION, Kind.BINARY):
        return [Piece(pieces[0].text)]
    shown = "".join(piece.text for piece in pieces)
    if len(pieces) > 1 and shown.isascii() and shown.isalnum() and not shown.isdecimal():
        return [word(shown)]
    if len(pieces) == 1 and len(shown) > 1 and shown.isalpha() and pieces[0].kind is Kind.ORDINARY:
        return [replace(pieces[0], begins_word=True, ends_word=True)]
    return pieces if len(pieces) == 1 else [Piece("", Kind.OPENING), *pieces, Piece("", Kind.CLOSING)]


def with_signs(pieces: Sequence[Piece]) -> list[Piece]:
    """A plus or minus without anything before it is a sign, no operator."""
    signed: list[Piece] = []
    for piece in pieces:
        before = next(
            (it for it in reversed(signed) if it.kind is not Kind.BLANK and (it.text or it.kind in _GAPS)), None
        )
        alone = before is None or before.kind in _BEFORE_SIGN
        signed.append(replace(piece, kind=Kind.ORDINARY) if piece.kind is Kind.BINARY and alone else piece)
    return signed


_GAPS = (Kind.CELL, Kind.ROW)
_BEFORE_SIGN = (Kind.RELATION, Kind.BINARY, Kind.LARGE, Kind.OPENING, Kind.COMMA, *_GAPS)


def base_of(pieces: list[Piece]) -> Piece:
    """Takes what a script belongs to off the pieces; a group gets brackets for it."""
    base = pieces.pop() if pieces else Piece("")
    if base != Piece("", Kind.CLOSING):
        return base
    depth, at = 1, len(pieces)
    while depth:
        at -= 1
        depth += 0 if pieces[at].text else (pieces[at].kind is Kind.CLOSING) - (pieces[at].kind is Kind.OPENING)
    pieces[at] = replace(pieces[at], text="(")
    return replace(base, text=")")


def scripted(base: Piece, mark: str, script: list[Piece]) -> Piece:
    if mark in base.scripts:
        raise Unreadable
    shown, is_word = _script(mark, script)
    text = base.text
    if base.kind is Kind.FRACTION or text.startswith(("√", "∛", "∜")):
        text = f"({text})"
    kind = Kind.ORDINARY if base.kind is Kind.FRACTION else base.kind
    return Piece(text + shown, kind, base.begins_word, base.begins_word or is_word, base.scripts + mark)


def _script(mark: str, pieces: list[Piece]) -> tuple[str, bool]:
    """How a script is shown, and whether it ends as a plain word."""
    shown = line(pieces).strip()
    if not shown:
        return "", False
    if shown.strip("′") == "":
        return shown, False
    close = re.sub(r"\s*([=+−<>])\s*", r"\1", shown)
    glyphs = signs.SUBSCRIPTS if mark == "_" else signs.SUPERSCRIPTS
    if all(sign in glyphs for sign in close):
        return "".join(glyphs[sign] for sign in close), False
    if is_word(shown) or (len(shown) == 1 and shown not in _GLYPHS):
        return mark + shown, True
    return f"{mark}({shown})", False


def is_word(text: str) -> bool:
    return text.isalnum() and _GLYPHS.isdisjoint(text)


def fraction(above: list[Piece], below: list[Piece]) -> Piece:
    return Piece(f"{operand(above)}/{operand(below, divides=True)}", Kind.FRACTION)


def operand(pieces: list[Piece], *, divides: bool = False) -> str:
    shown = line(pieces)
    if not _is_product(pieces) or (divides and _factors(pieces) != 1):
        return f"({shown})"
    return shown


def _is_product(pieces: Iterable[Piece]) -> bool:
    """Whether nothing stands outside brackets that a stroke would part."""
    depth = 0
    for piece in pieces:
        depth += (piece.kind is Kind.OPENING and bool(piece.text)) - (piece.kind is Kind.CLOSING and bool(piece.text))
        is_solid = piece.kind in (Kind.ORDINARY, Kind.OPENING, Kind.CLOSING)
        if depth <= 0 and (not is_solid or piece.text[:1] in "−+±·×" or " " in piece.text):
            return piece.text == "" and is_solid
    return True


def _factors(pieces: Iterable[Piece]) -> int:
    """How many factors stand side by side outside brackets; a name and its brackets are one."""
    depth = count = 0
    named = False
    for piece in pieces:
        if piece.kind is Kind.OPENING and piece.text:
            count += depth == 0 and not named
            depth += 1
        elif piece.kind is Kind.CLOSING and piece.text:
            depth -= 1
            named = False
        elif depth == 0 and piece.text:
            count += 1
            named = piece.text[-1:].isalpha()
    return count


def line(pieces: Sequence[Piece]) -> str:
    """The pieces side by side, with blanks around operators and between words."""
    seen = [piece for piece in pieces if piece.text or piece.kind is Kind.ROW]
    shown = ""
    last: Piece | None = None
    for at, piece in enumerate(seen):
        after = seen[at + 1] if at + 1 < len(seen) else None
        shown = _joined(shown, last, _text_of(piece, last, after), piece)
        last = piece
    return re.sub(r" +([);])", r"\1", shown) if "; " in shown else shown


def _text_of(piece: Piece, before: Piece | None, after: Piece | None) -> str:
    if piece.kind is Kind.ROW:
        return "; " if before and after else ""
    if piece.kind in (Kind.RELATION, Kind.BINARY):
        return f"{' ' if before else ''}{piece.text}{' ' if after else ''}"
    if piece.kind is Kind.LARGE:
        return piece.text + (" " if after and after.kind not in (Kind.CLOSING, *_SPACED) else "")
    if piece.kind is Kind.FRACTION and (_touches(before, Kind.OPENING) or _touches(after, Kind.CLOSING)):
        return f"({piece.text})"
    return piece.text


_SPACED = (Kind.RELATION, Kind.BINARY, Kind.COMMA, Kind.BLANK, Kind.ROW, Kind.LARGE)


def _touches(neighbour: Piece | None, bracket: Kind) -> bool:
    """Whether a factor stands right beside a fraction, so that the stroke would seem to reach over it."""
    return neighbour is not None and neighbour.kind not in (bracket, *_SPACED)


def _joined(shown: str, last: Piece | None, text: str, piece: Piece) -> str:
    if not shown or not text or last is None:
        return shown + text
    if shown.endswith(" ") and text.startswith(" ") and piece.kind is not Kind.BLANK:
        return shown + text.lstrip(" ")
    left, right = shown[-1], text[0]
    grown = (last.ends_word and left.isalnum() and (right.isalnum() or right in "\\√∛∜")) or (
        piece.begins_word and (right.isalpha() or right == "\\") and left.isalpha()
    )
    return f"{shown} {text}" if grown else shown + text


def rows(body: Sequence[Piece]) -> list[list[Piece]]:
    return [row for row in _split(body, Kind.ROW) if any(piece.text for piece in row)]


def cells(row: Sequence[Piece]) -> list[list[Piece]]:
    return _split(row, Kind.CELL)


def _split(pieces: Sequence[Piece], kind: Kind) -> list[list[Piece]]:
    parts: list[list[Piece]] = [[]]
    for piece in pieces:
        if piece.kind is kind:
            parts.append([])
        else:
            parts[-1].append(piece)
    return parts


def case(row: Sequence[Piece]) -> str:
    value, *conditions = (line(cell).strip() for cell in cells(row))
    condition = " ".join(conditions)
    value = value.removesuffix(",")
    if not condition:
        return value
    says_so = re.match(r"(?:if|for|when|otherwise|else|jab|agar|warna)\b", condition)
    return f"{value} {condition}" if says_so else f"{value} if {condition}"
