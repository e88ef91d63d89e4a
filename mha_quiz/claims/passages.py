"""The running text of a note as passages: what stands together, under which headings and in which box."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from cards import front_matter, pasted
from cards.grammar import outline as read_outline
from cards.model import Place
from cards.outline import Block, Code, Heading, Listing, Paragraph, Protected, Quote, Table, Text, Title
from cards.settings import Settings
from cards.source import Source, normalized

Role = Literal[
    "text",
    "item",  # the own text of a list item
    "heading",
    "title",  # of a box
    "cell",  # a row of a table, with its pipes
]


@dataclass(frozen=True, slots=True)
class Passage:
    number: int
    role: Role
    text: str
    """Lines joined by line feeds; code, links, comments and what is struck out are blanks, cloze marks too."""
    math: tuple[tuple[int, int], ...]
    """Formulas inside their dollar signs, in order."""
    starts: tuple[tuple[int, int], ...]
    """For each line of the text, its offset there and in the source."""
    scope: tuple[int, ...]
    """The headings and boxes it stands in, outermost first; each has a number of its own."""

    def source_offset(self, offset: int) -> int:
        at, start = self.starts[bisect_right(self.starts, offset, key=lambda pair: pair[0]) - 1]
        return start + offset - at


@dataclass(frozen=True, slots=True)
class TableRows:
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    first: Passage
    """The header."""
    passages: tuple[Passage, ...]
    """The rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A note, cut into passages."""

    source: Source
    page: pasted.Page | None
    passages: tuple[Passage, ...]
    tables: tuple[TableRows, ...]
    titles: dict[int, str]
    """Of each heading and box, by its number; a box's kind stands before its title."""
    code: tuple[tuple[int, int], ...]
    """From where to where in the source its fenced code reaches, fences included."""
    original: tuple[str, ...]
    """The lines of the file; of a page, as it was pasted."""

    def place(self, passage: Passage, offset: int) -> Place:
        return self.source_place(passage.source_offset(offset))

    def source_place(self, offset: int) -> Place:
        """Where in the file stands what stands there in the source."""
        place = self.source.place(offset)
        if self.page is None:
            return place
        return Place(place.path, *self.page.original(place.line, place.column))

    def text(self, passage: Passage, start: int, end: int) -> str:
        """What the file says from one place to another one, if that is within a line; else what the passage says."""
        within = self.between(self.place(passage, start), self.place(passage, end - 1))
        return within or " ".join(passage.text[start:end].split())

    def between(self, first: Place, last: Place) -> str | None:
        """What the file says from one place to another one of the same line, which belongs to it."""
        if first.line != last.line or first.column > last.column:
            return None
        return self.original[first.line - 1][first.column - 1 : last.column]


def read(text: str, path: str, settings: Settings, *, page: bool) -> Reading:
    """Reads a Markdown note, or with `page` a pasted page."""
    text = normalized(text.removeprefix("\ufeff"))
    original = tuple(text.split("\n"))
    converted = pasted.convert(text, path, settings) if page else None
    source = Source(path, converted.markdown if converted else text)
    matter, _ = front_matter.read(source.lines, path)
    reader = _Reader(source)
    reader.read(read_outline(source, settings, matter.line_count).blocks)
    return Reading(
        source, converted, tuple(reader.passages), tuple(reader.tables), reader.titles, tuple(reader.code), original
    )


_LONGEST_TITLE = 300


class _Reader:
    def __init__(self, source: Source) -> None:
        self._source = source
        self.passages: list[Passage] = []
        self.tables: list[TableRows] = []
        self.titles: dict[int, str] = {}
        self.code: list[tuple[int, int]] = []
        self._headings: list[tuple[int, int]] = []

    def read(self, blocks: tuple[Block, ...]) -> None:
        for block in blocks:
            if isinstance(block, Heading):
                self._headings = [entry for entry in self._headings if entry[0] < block.level]
                text = self._source.text
                title = " ".join(text[line.start : line.end] for line in block.text.lines)
                self._headings.append((block.level, self._new_scope(title)))
            self._block(block, tuple(scope for _, scope in self._headings), "text")

    def _new_scope(self, title: str) -> int:
        number = len(self.titles) + 1
        self.titles[number] = title[:_LONGEST_TITLE]
        return number

    def _block(self, block: Block, scope: tuple[int, ...], role: Role) -> None:
        match block:
            case Paragraph(text):
                self._add(text, scope, role)
            case Heading(_, text):
                self._add(text, scope, "heading")
            case Title(text):
                self._add(text, scope, "title")
            case Table():
                self._table(block, scope)
            case Code(first, last, fenced=True):
                self.code.append((self._source.starts[first], self._source.end(last)))
            case Listing(items):
                for item in items:
                    for inner in item.blocks:
                        self._block(inner, scope, "item")
            case Quote(callout, _, _, _, inside):
                scope = (*scope, self._new_scope(_box_title(block, self._source))) if callout else scope
                for inner in inside:
                    self._block(inner, scope, role)

    def _table(self, table: Table, scope: tuple[int, ...]) -> None:
        header, *rows = (self._add(row, (*scope, self._new_scope("")), "cell") for row in (table.header, *table.rows))
        self.tables.append(TableRows(_cells(header), tuple(map(_cells, rows)), header, tuple(rows)))

    def _add(self, text: Text, scope: tuple[int, ...], role: Role) -> Passage:
        starts, at = [], 0
        lines = []
        for line in text.lines:
            starts.append((at, line.start))
            lines.append(self._source.text[line.start : line.end])
            at += line.end - line.start + 1
        shown = _blanked("\n".join(lines), starts, text)
        math = tuple(_formulas(shown))
        passage = Passage(len(self.passages), role, _without_marks(shown, math), math, tuple(starts), scope)
        self.passages.append(passage)
        return passage


_HIDING = ("comment", "code", "link", "address", "html", "field", "emoji")
_CODE = re.compile(r"(`+)[^`\n]+\1")
_STRUCK_OUT = re.compile(r"~~(?=[^\s~])[^~\n]*~~")


def _blanked(shown: str, starts: list[tuple[int, int]], text: Text) -> str:
    """The text with blanks for what claims nothing; lengths stay."""
    kept, at = [], 0
    for mark in text.marks:
        if not isinstance(mark, Protected) or mark.kind not in _HIDING:
            continue
        start, end = _shown_offset(mark.start, starts), min(_shown_offset(mark.end, starts), len(shown))
        if start >= at:
            kept += [shown[at:start], _blanks(shown[start:end])]
            at = end
    shown = "".join([*kept, shown[at:]])
    for sign, hidden in (("`", _CODE), ("~~", _STRUCK_OUT)):
        if sign in shown:
            shown = hidden.sub(lambda match: _blanks(match[0]), shown)
    return shown


def _shown_offset(offset: int, starts: list[tuple[int, int]]) -> int:
    at, start = starts[max(bisect_right(starts, offset, key=lambda pair: pair[1]) - 1, 0)]
    return at + max(offset - start, 0)


def _blanks(text: str) -> str:
    return "".join("\n" if char == "\n" else " " for char in text)


_FORMULA = re.compile(
    r"\\[\\$]|\$\$((?:(?!\$\$)[\s\S])+)\$\$|\$(?![\s$])([^$\n]*[^\s$\\])\$(?!\d)"
    r"|\\\(((?:(?!\\[()])[\s\S])+)\\\)|\\\[((?:(?!\\[\[\]])[\s\S])+)\\\]"
)


def _formulas(shown: str) -> Iterator[tuple[int, int]]:
    if "$" not in shown and "\\" not in shown:
        return
    for match in _FORMULA.finditer(shown):
        if match.lastindex:
            yield match.span(match.lastindex)


_OUTER_MARK = re.compile(r"==(?=\S)(?<!\S==)|(?<=\S)==(?!\S=|\w)|(?<![\w)])\*\*|\*\*(?![\w(])|(?<!\w)__|__(?!\w)|~~")


def _without_marks(shown: str, math: tuple[tuple[int, int], ...]) -> str:
    """Without the signs of highlights and bold text, which stand outside formulas."""
    kept, at = [], 0
    for start, end in (*math, (len(shown), len(shown))):
        kept += [_OUTER_MARK.sub("  ", shown[at:start]), shown[start:end]]
        at = end
    return "".join(kept)


def _box_title(quote: Quote, source: Source) -> str:
    words = [quote.callout or ""]
    match quote.blocks:
        case (Title(text), *_):
            words += [source.text[line.start : line.end] for line in text.lines]
    return " ".join(words)


def _cells(row: Passage) -> tuple[str, ...]:
    cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row.text)]
    return tuple(cells[1 if not cells[0] else 0 : len(cells) - (not cells[-1])])
