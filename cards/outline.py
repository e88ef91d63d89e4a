"""The structure of a note: blocks within blocks, and what stands in their running text.

All offsets count characters of the source from 0; all lines are numbered from 0. What a note has by the thousand is in
tuples, or in classes that are not frozen: in Python 3.11 a frozen one takes several times as long to make. Nothing here
changes.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal, NamedTuple

from cards.model import Problem
from cards.source import Source

BULLETS = "•◦▪‣"
"""Characters that begin a list item as Markdown's own marks do."""
ALL_BULLETS = BULLETS + "●"
"""Those, and one more that pages show; in a note it is text."""


Kind = Literal[
    "comment",
    "tex",  # `\(…\)` or `\[…\]`
    "math",
    "code",
    "link",
    "footnote",  # its text, below
    "address",
    "html",
    "field",
    "emoji",
    "escape",
]
"""What a protected piece of running text is."""


class Protected(NamedTuple):
    start: int
    end: int
    kind: Kind


class Separator(NamedTuple):
    """An inline separator."""

    start: int
    end: int
    reversed: bool


class Hidden(NamedTuple):
    """A closed cloze mark; `fields` is where its inside is, split at its separator."""

    start: int
    end: int
    """Behind the closing mark and its footnotes."""
    fields: tuple[tuple[int, int], ...]
    group: str | None
    """A number, or letters of an overlapping cloze, written outside the fields."""
    hint: tuple[int, int] | None
    """A hint written outside the fields."""


class Unclosed(NamedTuple):
    """An opening mark that is never closed."""

    start: int
    mark: str


class Pipe(NamedTuple):
    """A border between two cells."""

    start: int


class Colons(NamedTuple):
    """Four or more colons, which separate nothing."""

    start: int


Mark = Protected | Separator | Hidden | Unclosed | Pipe | Colons
HIDING = (Protected, Hidden)
"""Marks in which no other counts."""

start_of = attrgetter("start")
"""By which marks, and the lines of a text, are in order."""


def first_over(marks: Sequence[Mark], place: int) -> int:
    """The index of the last mark that begins before the place, which may reach over it; 0 if none does."""
    return max(bisect_left(marks, place, key=start_of) - 1, 0)


class TextLine(NamedTuple):
    """The part of one line that belongs to a text, behind all container marks."""

    number: int
    start: int
    end: int
    indent: int
    """Columns before it, within the innermost quote; -1 for a line that goes on with a quote without its mark."""


@dataclass(slots=True)
class Text:
    """Running text, line by line, with the marks that no other mark hides, in order."""

    lines: tuple[TextLine, ...]
    marks: tuple[Mark, ...]
    inner: tuple[Protected, ...]
    """Comments and TeX brackets wherever they stand, inside closed cloze marks too."""

    @property
    def start(self) -> int:
        return self.lines[0].start


@dataclass(slots=True)
class Paragraph:
    text: Text


@dataclass(slots=True)
class Heading:
    level: int
    text: Text


@dataclass(slots=True)
class Title:
    """The first line of a callout, without its type."""

    text: Text


@dataclass(slots=True)
class Code:
    first: int
    last: int
    fenced: bool


@dataclass(slots=True)
class Rule:
    line: int


@dataclass(slots=True)
class Table:
    header: Text
    rule: int
    """The line between header and rows."""
    rows: tuple[Text, ...]


@dataclass(slots=True)
class Item:
    mark: str
    """`-`, `*`, `+`, a bullet character, or the whole number mark such as `1.`."""
    start: int
    """Where the mark is."""
    indent: int
    """Columns before the mark, within the innermost quote."""
    box: bool
    first: int
    last: int
    blocks: "tuple[Block, ...]"


@dataclass(slots=True)
class Listing:
    items: tuple[Item, ...]


@dataclass(slots=True)
class Quote:
    callout: str | None
    """The type in lower case, such as `note`."""
    first: int
    last: int
    starts: tuple[int, ...]
    """For each line from `first` on, where the quoted text begins."""
    blocks: "tuple[Block, ...]"

    @property
    def kind(self) -> str:
        """The type of a callout without what stands behind a bar, as in `[!note|left]`."""
        return (self.callout or "").partition("|")[0].rstrip()


Block = Paragraph | Heading | Title | Code | Rule | Table | Listing | Quote
Container = Item | Quote


@dataclass(frozen=True, slots=True)
class Outline:
    """What stands where in a note."""

    source: Source
    blocks: tuple[Block, ...]
    texts: tuple[Text, ...]
    """All running text of the blocks, in order."""
    codes: tuple[Code, ...]
    """All code among the blocks and within them, in order."""
    comment_lines: tuple[int, ...]
    """Lines that hold nothing but one-line comments."""
    problems: tuple[Problem, ...]


def walk(blocks: tuple[Block, ...]) -> list[Block]:
    """All blocks and those within them, in order of the text."""
    found: list[Block] = []
    for block in blocks:
        found.append(block)
        if isinstance(block, Listing):
            for item in block.items:
                found += walk(item.blocks)
        elif isinstance(block, Quote):
            found += walk(block.blocks)
    return found
