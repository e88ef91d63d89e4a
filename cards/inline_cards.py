"""Cards of one line: which separators part a line, and what belongs to the back."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from cards.kinds import counted
from cards.lines import Line
from cards.model import Basic, Reversed
from cards.nesting import begun_item, goes_on_with, home_of
from cards.outline import HIDING, Container, Item, Listing, Mark, Pipe, Separator, Text
from cards.protected import FIELD_KEY
from cards.sheet import Draft, Sheet

_KEY = re.compile(FIELD_KEY)
_VALUE = re.compile(r"::[ \t]+\S")


class Parted(NamedTuple):
    """A line, or a table cell, that a separator parts."""

    number: int
    start: int
    end: int
    """Where the line or cell ends; a line that runs on in a formula or the like ends further down."""
    last: int
    """The line of that end."""
    separator: Separator
    more: tuple[Separator, ...]
    """Further separators, which stay text."""


@dataclass(frozen=True, slots=True)
class Marked:
    """Where separators stand, of both kinds of card."""

    separated: AbstractSet[int]
    """Lines with a separator."""
    markers: AbstractSet[int]
    """Lines that are an end marker."""
    items: AbstractSet[int]
    """The starts of list items with a separator in their own text."""
    lists: Mapping[int, Listing]
    """The list that begins in a line."""
    owners: Mapping[int, Draft]
    """The multi-line card that has a line."""


def parted_lines(sheet: Sheet) -> tuple[tuple[Parted, ...], tuple[Line, ...]]:
    """All lines and cells with separators, in order, and the lines that are Dataview fields instead."""
    found: list[Parted] = []
    fields: list[Line] = []
    done = -1
    for text in sheet.outline.texts:
        if not text.marks or Separator not in map(type, text.marks):
            continue
        marks, below = text.marks, 0
        for part in text.lines:
            line = sheet.lines[part.number]
            if line.kind == "comment" or line.start < done:
                continue
            while below < len(marks) and marks[below].start < line.start:
                below += 1
            done, parted = _parted(line, marks, max(below - 1, 0), sheet)  # the mark above may reach into the line
            if parted and _is_field(parted[0], line, sheet):
                fields.append(line)
            else:
                found += parted
    return tuple(found), tuple(fields)


def _parted(line: Line, marks: Sequence[Mark], index: int, sheet: Sheet) -> tuple[int, list[Parted]]:
    """Where the line ends, with what runs on below it, and its parted cells; a line outside a table is one cell."""
    end, start, last = line.end, line.start, line.number
    found: list[Parted] = []
    separators: list[Separator] = []
    while index < len(marks) and (mark := marks[index]).start < end:
        if isinstance(mark, Separator):
            if mark.start >= line.start:
                separators.append(mark)
        elif isinstance(mark, Pipe):
            if line.kind == "table":
                if separators:
                    found.append(_cell(line, start, mark.start, last, separators))
                    separators = []
                start = mark.start + 1
        elif isinstance(mark, HIDING) and mark.end > end:
            last = sheet.source.line_of(mark.end - 1)
            end = sheet.source.end(last)
        index += 1
    if separators:
        found.append(_cell(line, start, end, last, separators))
    return end, found


def _cell(line: Line, start: int, end: int, last: int, separators: Sequence[Separator]) -> Parted:
    return Parted(line.number, start, end, last, separators[0], tuple(separators[1:]))


def _is_field(parted: Parted, line: Line, sheet: Sheet) -> bool:
    """`key:: value` in a plain paragraph line, if that is not a card here.

    A line at the margin below an item or a quote is plain too, though Markdown lets it go on with them.
    """
    settings, text, end = sheet.settings, sheet.source.text, parted.separator.start
    if text[end - 1].isspace() or settings.inline != "::" or settings.fields == "card" or line.kind != "text":
        return False
    if (line.quotes and line.indent >= 0) or home_of(line) or not _KEY.fullmatch(text, line.start, end):
        return False
    return _VALUE.match(sheet.shown(line), end - line.start) is not None


def tell_fields(sheet: Sheet, fields: Iterable[Line]) -> None:
    """One message for each run of field lines."""
    run: list[Line] = []
    for line in [*fields, None]:
        if run and (line is None or line.number != sheet.below(run[-1].number)):
            key = sheet.source.text[run[0].start : run[0].end].partition("::")[0]
            read = "was read as a Dataview field" if len(run) == 1 else "were read as Dataview fields"
            message = f'{counted(len(run), "line")} such as "{key}:: …" {read}; for a card put a blank before "::"'
            sheet.tell(run[0].start + len(key), "dataview-field", message)
            run = []
        if line is not None:
            run.append(line)


def inline_draft(parted: Parted, sheet: Sheet, marked: Marked) -> Draft | None:
    """The card of a parted line; without a front or back only a problem."""
    number, begin, end, last, separator, more = parted
    line, source, sign = sheet.lines[number], sheet.source.text, separator.start
    block_id = sheet.find_id(last) if sheet.may_have_ids else None
    start = sheet.text_start(line, begin if source[begin].isalpha() else sheet.behind_far_mark(line, begin), sign)
    own_tags, front_start = sheet.own_tags(number, start, sign) if line.tags else ((), start)
    for further in more:
        again = source[further.start : further.end]
        message = f'a second "{again}" in this line was kept as text; write "\\{again}" if that is meant'
        sheet.tell(further.start, "extra-separator", message)
    front = sheet.taken(number, front_start, sign) if front_start < sign else ""
    if not front.strip("*_ \t"):
        sheet.tell(sign, "no-front", f'nothing stands before "{source[sign : separator.end]}"')
        return None
    back = sheet.taken(number, separator.end, end)
    in_line, own = bool(back), (*range(number, last + 1),)
    if block_id is None and sheet.may_have_ids and (below := _id_line_below(parted, sheet, marked)):
        block_id, own = sheet.find_id(below), (*own, below)
    added = _lines_below(line, own[-1], back, sheet, marked)
    if added:
        block_id = sheet.find_id(added[-1]) or block_id
        sheet.find_inner_ids(added)
        more_text = sheet.take(sheet.raw(added, line.quotes))
        back = f"{back}\n{more_text}" if back and more_text else back or more_text
    if not back:
        sheet.tell(sign, "no-back", f'nothing stands after "{source[sign : separator.end]}"')
        return None
    both = separator.reversed
    content = Reversed(front, back) if both else Basic(front, back)
    return Draft(start, (*own, *added), content, own_tags, 2 if both else 1, block_id, in_line)


def _id_line_below(parted: Parted, sheet: Sheet, marked: Marked) -> int | None:
    """The line right below with nothing but a block id, if it does not end the answer that the card stands in."""
    if sheet.lines[parted.number].kind == "table":
        return None  # its cells would all have the one id
    below = sheet.below(parted.last)
    around = marked.owners.get(below)
    return below if sheet.is_id_line(below) and (around is None or below < around.last) else None


def _lines_below(line: Line, last: int, back: str, sheet: Sheet, marked: Marked) -> tuple[int, ...]:
    """The lines below a card's own that belong to its back."""
    if line.kind != "text":
        return ()
    if line.containers and line.item is not None:
        deeper = tuple(_deeper(line, line.item, last, sheet, marked))
        if deeper or not _holds_beside(line.item, line):
            return deeper
    if back and not back.endswith((":", "：")):
        return ()
    below = sheet.below(last)
    if below >= len(sheet.lines):
        return ()
    if sheet.lines[below].text is line.text and line.text is not None:
        return () if back else tuple(_rest(line.text, below, sheet, marked))
    numbers = _list_below(line, below, sheet, marked)
    numbers = range(numbers.start, next((n for n in numbers if n in marked.markers), numbers.stop))
    if (card := next((n for n in numbers if n in marked.separated), None)) is None:
        return tuple(numbers)
    if _is_beside(sheet.lines[card], line) and marked.owners.get(card) is marked.owners.get(line.number):
        while card > numbers.start and sheet.lines[card - 1].kind in ("blank", "comment", "tags"):
            card -= 1
        return tuple(range(numbers.start, card))
    while card >= numbers.start and sheet.lines[card].kind != "blank":
        card -= 1
    return tuple(range(numbers.start, card))  # up to the blank line above the card, if there is one


def _list_below(line: Line, below: int, sheet: Sheet, marked: Marked) -> range:
    """The lines of the list that begins in the line `below` and stands beside the line."""
    lines, holders = sheet.lines, line.containers
    depth = next((n for n, holder in enumerate(holders) if _holds_beside(holder, line)), len(holders))
    around = [*map(id, holders[:depth])]
    if [*map(id, lines[below].containers[:depth])] != around:
        return range(0)
    if depth == len(holders):
        listing = marked.lists.get(below)
        return range(listing.items[0].first, listing.items[-1].last + 1) if listing else range(0)
    item, end = begun_item(lines[below]), below
    while item is not None and [*map(id, lines[end].containers[: depth + 1])] == [*around, id(item)]:
        # for Markdown it is more of the list above the line
        begin, end = end, item.last + 1
        if any(n in marked.separated or n in marked.markers for n in range(begin, end)):
            break  # what is further down belongs to other cards
        after = next((n for n in range(end, len(lines)) if lines[n].kind not in ("blank", "comment")), None)
        again = begun_item(lines[after]) if after is not None else None
        if after is None or again is None or not goes_on_with(item, again, after):
            break
        item, end = again, after
    return range(below, end)


def _is_beside(line: Line, other: Line) -> bool:
    """Whether a line within the list below the other is no deeper than that, though Markdown takes it for an item's."""
    return line.kind == "text" and 0 <= line.indent <= other.indent and line.quotes == other.quotes


def _holds_beside(holder: Container, line: Line) -> bool:
    """Whether the line is text of the item only because Markdown lets that go on at the margin."""
    return isinstance(holder, Item) and 0 <= line.indent <= holder.indent


def _rest(text: Text, below: int, sheet: Sheet, marked: Marked) -> Sequence[int]:
    """The lines of the text from `below` on down to one of tags or an end marker; none if a separator is among them."""
    rest: list[int] = []
    for number in range(below, text.lines[-1].number + 1):
        if sheet.lines[number].kind == "tags" or number in marked.markers:
            break
        if number in marked.separated:
            return ()
        rest.append(number)
    return rest


def _deeper(line: Line, home: Item, last: int, sheet: Sheet, marked: Marked) -> Iterator[int]:
    """The deeper lines of the list item, without sub-items that have a separator of their own."""
    margin = home.indent if line.number == home.first else line.indent
    waiting: list[int] = []
    number = last + 1
    while number <= home.last:
        below = sheet.lines[number]
        if number in marked.markers:
            return
        if below.kind in ("blank", "comment") or (below.kind == "code" and below.start == below.end):
            waiting.append(number)
        elif not sheet.is_tag_line(below):
            within = below.containers[len(line.containers) :]
            card = next((c for c in within if isinstance(c, Item) and c.start in marked.items), None)
            if card is not None:
                waiting = []
                number = card.last + 1
                continue
            if number in marked.separated or marked.owners.get(number) is not marked.owners.get(line.number):
                return
            column = below.indent if below.text else sheet.unmarked(number, line.quotes).indent
            lazy = below.kind == "text" and len(below.quotes) == len(line.quotes)
            if column <= margin and (lazy or not within):
                return
            yield from (*waiting, number)
            waiting = []
        number += 1
