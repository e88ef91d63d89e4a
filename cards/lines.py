"""A note line by line: what each line is, where its text begins, which containers hold it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from cards import tags
from cards.outline import (
    HIDING,
    Block,
    Code,
    Container,
    Heading,
    Hidden,
    Item,
    Listing,
    Mark,
    Outline,
    Paragraph,
    Protected,
    Quote,
    Rule,
    Table,
    Text,
    TextLine,
    Title,
    first_over,
)
from cards.source import Source
from cards.tags import Tag

_METADATA = "sr|card-metadata"
"""The type of the callout in which the Obsidian plugin may keep a schedule."""


LineKind = Literal[
    "blank",
    "comment",  # nothing but comments: as if it were not there
    "heading",
    "title",  # the first line of a callout
    "rule",
    "tags",  # nothing but tags and comments
    "code",
    "table",
    "text",
]


@dataclass(slots=True)  # the fields of a tuple, or of a frozen class, take several times as long
class Line:
    number: int
    kind: LineKind
    start: int
    """Where its own text begins, behind all container marks."""
    end: int
    indent: int
    """Columns before that text, within the innermost quote; -1 for a quoted line without its quote mark."""
    containers: tuple[Container, ...]
    quotes: tuple[Quote, ...]
    """Those among the containers."""
    block: Block | None
    text: Text | None
    """The running text that the line belongs to."""
    tags: tuple[Tag, ...]
    """Unprotected tags, with offsets of the source."""

    @property
    def item(self) -> Item | None:
        """The innermost list item, if no quote stands in between."""
        return self.containers[-1] if self.containers and isinstance(self.containers[-1], Item) else None


def lines_of(outline: Outline) -> tuple[Line, ...]:
    source = outline.source
    found: list[Line | None] = [None] * len(source.lines)
    comments = frozenset(outline.comment_lines)
    _put_blocks(found, outline.blocks, (), source)
    for code in outline.codes if comments else ():
        if not code.fenced:
            for number in comments.intersection(range(code.first, code.last + 1)):
                found[number] = None
    starts = source.starts
    return tuple(
        [
            line
            or Line(number, "comment" if number in comments else "blank", start, below - 1, 0, (), (), None, None, ())
            for number, (line, start, below) in enumerate(zip(found, starts, starts[1:], strict=False))
        ]
    )


def _put_blocks(
    found: list[Line | None], blocks: tuple[Block, ...], containers: tuple[Container, ...], source: Source
) -> None:
    for block in blocks:
        if isinstance(block, Paragraph):  # most blocks are one of these, and a match takes longer
            _put_running(found, "text", block.text, block, containers, source)
        elif isinstance(block, Heading):
            _put_running(found, "heading", block.text, block, containers, source)
        elif isinstance(block, Quote):
            _put_blocks(found, block.blocks, (*containers, block), source)
        elif isinstance(block, Listing):
            for item in block.items:
                _put_item(found, item, block, (*containers, item), source)
        else:
            _put_block(found, block, containers, source)


def _put_item(
    found: list[Line | None], item: Item, block: Listing, containers: tuple[Container, ...], source: Source
) -> None:
    if item.blocks:
        _put_blocks(found, item.blocks, containers, source)
    else:
        line = _bare("text", item.first, block, containers, source, item.indent + len(item.mark))
        found[item.first] = replace(line, start=line.end) if item.box else line  # a box is no text


def _put_block(found: list[Line | None], block: Block, containers: tuple[Container, ...], source: Source) -> None:
    match block:
        case Title(text):
            quote = containers[-1]
            metadata = isinstance(quote, Quote) and (quote.callout == _METADATA or _holds_schedule(quote, text, source))
            metadata = metadata and all(isinstance(mark, Protected) for mark in text.marks)  # else it is a card
            _put_running(found, "comment" if metadata else "title", text, block, containers, source)
        case Table(header, rule, rows):
            for row in (header, *rows):
                _put_running(found, "table", row, block, containers, source)
            found[rule] = _bare("table", rule, block, containers, source)
        case Code(first, last):
            for number in range(first, last + 1):
                found[number] = _bare("code", number, block, containers, source)
        case Rule(number):
            line = _bare("rule", number, block, containers, source)
            starts = [inside.starts[number - inside.first] for inside in line.quotes]
            begin = starts[-1] if starts else source.starts[number]
            found[number] = replace(line, indent=len(source.text[begin : line.start].expandtabs(4)))


def _holds_schedule(callout: Quote, title: Text, source: Source) -> bool:
    """Whether a callout of any type has no title and no text, and a schedule right below: it keeps that out of sight."""
    below = title.lines[-1].number + 1
    if len(callout.blocks) > 1 or title.start < title.lines[-1].end or below == len(source.lines):
        return False
    return source.lines[below].lstrip("> \t").startswith("<!--SR:")


def _bare(
    kind: LineKind, number: int, block: Block, containers: tuple[Container, ...], source: Source, indent: int = 0
) -> Line:
    start = source.starts[number]
    for container in containers:
        if isinstance(container, Quote):
            start = max(start, container.starts[number - container.first])
        elif container.first == number:
            start = max(start, container.start + len(container.mark))
    end = source.end(number)
    while start < end and source.text[start] in " \t":
        start += 1
    return Line(number, kind, start, end, indent, containers, _quotes(containers), block, None, ())


def _quotes(containers: tuple[Container, ...]) -> tuple[Quote, ...]:
    return tuple([each for each in containers if isinstance(each, Quote)])


def _put_running(
    found: list[Line | None],
    kind: LineKind,
    text: Text,
    block: Block,
    containers: tuple[Container, ...],
    source: Source,
) -> None:
    quotes = _quotes(containers) if containers else ()
    comments = bool(text.inner) and _has_comment(text.inner)
    if not comments and source.text.find("#", text.lines[0].start, text.lines[-1].end) < 0:
        for number, start, end, indent in text.lines:
            found[number] = Line(number, kind, start, end, indent, containers, quotes, block, text, ())
        return
    for number, start, end, indent in text.lines:
        own: tuple[Tag, ...] = ()
        own_kind = kind
        if comments or source.text.find("#", start, end) >= 0:
            hiding = _marks_in(text.marks, start, end)
            seen = _seen(hiding, start, end, source)
            own = tuple([Tag(tag.start + start, tag.end + start, tag.name) for tag in tags.find(seen)])
            if kind == "text" and not seen.strip():
                within = hiding if _has_comment(hiding) else _marks_in(text.inner, start, end)
                own_kind = "comment" if _has_comment(within) else kind
            elif kind == "text" and own and not tags.blanked(seen, own, start).strip():
                own_kind = "tags"
        found[number] = Line(number, own_kind, start, end, indent, containers, quotes, block, text, own)


def shown(text: Text, part: TextLine, source: Source) -> str:
    """The text of a line with comments as blanks and other protected text as dots; offsets stay."""
    _, start, end, _ = part
    return _seen(_marks_in(text.marks, start, end), start, end, source)


def _seen(hiding: Sequence[Protected | Hidden], begin: int, stop: int, source: Source) -> str:
    if not hiding:
        return source.text[begin:stop]
    pieces = []
    place = begin
    for mark in hiding:
        start, end = max(mark.start, begin), min(mark.end, stop)
        filler = " " if isinstance(mark, Protected) and mark.kind == "comment" else "."
        pieces += [source.text[place:start], filler * (end - start)]
        place = end
    pieces.append(source.text[place:stop])
    return "".join(pieces)


def _marks_in(marks: Sequence[Mark], start: int, end: int) -> list[Protected | Hidden]:
    """Those of a text's marks that hide something in the line; one may have begun above."""
    found = []
    index = first_over(marks, start) if len(marks) > 1 else 0
    while index < len(marks) and (mark := marks[index]).start < end:
        if isinstance(mark, HIDING) and mark.end > start:
            found.append(mark)
        index += 1
    return found


def _has_comment(marks: Sequence[Mark]) -> bool:
    for mark in marks:  # noqa: SIM110 - `any` is slower
        if isinstance(mark, Protected) and mark.kind == "comment":
            return True
    return False
