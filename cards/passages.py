"""What a note says, section by section: its blocks as passages that a question or an answer can be cut from."""

import re
from typing import Literal, NamedTuple

from cards.outline import Quote
from cards.sheet import Piece

FORMULA = "\ue000"
OBJECT = "\ue001"
"""What stands in `Words.shown` for each character of a formula, and of code, a link or the like."""


_EMOJI = r"\u2300-\u23ff\u25a0-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_ORNAMENT = re.compile(rf"\A(?:[{_EMOJI}][\ufe0f\u200d]*)+\s*")
_ENDS_IN_ORNAMENT = re.compile(rf"[{_EMOJI}\ufe0f\u200d]\Z")


def between_ornaments(shown: str) -> tuple[int, int]:
    """Where a heading begins and ends without the emoji and the like in front of it and, behind a blank, after it."""
    found = _ORNAMENT.match(shown)
    start, end = found.end() if found else 0, len(shown)
    while end > start and _ENDS_IN_ORNAMENT.match(shown, end - 1, end):
        end -= 1
    return start, end if end > start and shown[end - 1].isspace() else len(shown)


class Words(NamedTuple):
    """Running text, or a stretch of it."""

    pieces: tuple[Piece, ...]
    shown: str
    """The pieces, joined by line feeds; comments are blanks, protected text is `FORMULA` or `OBJECT`."""

    def cut(self, start: int, end: int | None = None) -> "Words":
        """The stretch `shown[start:end]`, without blanks around."""
        end = len(self.shown) if end is None else end
        shown = self.shown[start:end].lstrip()
        start = end - len(shown)
        shown = shown.rstrip()
        end = start + len(shown)
        if 0 == start < end == len(self.shown):
            return self
        kept, at = [], 0
        for piece in self.pieces:
            behind = at + piece.end - piece.start
            if at < end and start < behind:
                kept.append(Piece(piece.start + max(start - at, 0), piece.end - max(behind - end, 0), piece.indent))
            at = behind + 1
        return Words(tuple(kept), shown)

    @property
    def start(self) -> int:
        """Offset of the source."""
        return self.pieces[0].start


Role = Literal[
    "text",
    "formula",  # on lines of its own
    "list",
    "box",  # a callout
    "object",  # code, a table, a quotation: part of an answer, but nothing is read off it
    "border",  # a rule or a tag line
]


class Passage(NamedTuple):
    role: Role
    first: int
    """Lines are numbered from 0."""
    last: int
    quotes: tuple[Quote, ...]
    free: bool
    """No marked card and no separator is in it."""
    words: Words | None = None
    """Of a text or formula; of a box its title, if it has one."""
    items: "tuple[Passage, ...]" = ()
    """Of a list: the own text of each item."""
    inside: "tuple[Passage, ...]" = ()
    """Of a box."""
    box: str = ""
    """The kind of the box, such as `example`."""


def without_ornament(words: Words) -> Words:
    start, end = between_ornaments(words.shown)
    return words.cut(start, end) if start or end < len(words.shown) else words


class Section(NamedTuple):
    """A heading with what stands between it and the next one; the first section of a note may have none."""

    headings: tuple[Words, ...]
    """Outermost first, its own last, without ornaments around."""
    shown: tuple[Words, ...]
    """The same as the note shows them."""
    line: int
    """Of its own heading."""
    free: bool
    """Its heading is no card."""
    passages: tuple[Passage, ...]
