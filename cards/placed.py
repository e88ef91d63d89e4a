"""Text rewritten by small edits, that still knows where each of its characters came from."""

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple


class Edit(NamedTuple):
    """`text[start:end]` becomes `text`; an insertion if both are equal."""

    start: int
    end: int
    text: str


class Piece(NamedTuple):
    """A run of characters of one line, and the place in the original that they come from, counted from 1."""

    text: str
    line: int
    column: int
    copied: bool
    """Character by character; otherwise the whole piece stands for the place."""


def moved(edits: Iterable[Edit], distance: int) -> Iterator[Edit]:
    """The edits of a stretch of a text as edits of the text, in which it stands at `distance`."""
    for edit in edits:
        yield Edit(edit.start + distance, edit.end + distance, edit.text)


Line = tuple[Piece, ...]
"""One line of the new text; not empty, though its pieces may be."""


def added(text: str, line: int, column: int) -> Piece:
    """A piece that stands for the place, without being copied from it."""
    return Piece(text, line, column, copied=False)


def rewritten(text: str, line: int, column: int, edits: Iterable[Edit], start: int = 0) -> Line:
    """`text[start:]` with the edits done, which are sorted and do not overlap; `text[0]` stands at `line`, `column`."""
    pieces = []
    for begin, end, instead in edits:
        if begin < start:
            continue
        if start < begin:
            pieces.append(Piece(text[start:begin], line, column + start, copied=True))
        if instead:
            pieces.append(Piece(instead, line, column + begin, copied=False))
        start = end
    if start < len(text):
        pieces.append(Piece(text[start:], line, column + start, copied=True))
    return tuple(pieces)


_TEXT = attrgetter("text")


def text_of(line: Iterable[Piece]) -> str:
    return "".join(map(_TEXT, line))


def original(lines: Sequence[Line], line: int, column: int) -> tuple[int, int]:
    """Where in the original the character at `line` and `column` comes from; the nearest place if there is none."""
    if not lines:
        return 1, 1
    pieces = lines[min(max(line, 1), len(lines)) - 1]
    offset = max(column, 1) - 1
    for piece in pieces:
        if offset < len(piece.text):
            return piece.line, piece.column + (offset if piece.copied else 0)
        offset -= len(piece.text)
    last = pieces[-1]
    return last.line, last.column + (len(last.text) if last.copied else 0)
