"""What a card owns beside its text: its schedule and its block id."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate
from operator import attrgetter

from cards import schedules
from cards.lines import LineKind
from cards.model import Cloze, Schedule
from cards.outline import Pipe
from cards.sheet import Draft, Sheet

_SCHEDULE = re.compile(r"<!--SR:(.*?)-->", re.DOTALL)


def attach(sheet: Sheet, drafts: Sequence[Draft], refused: AbstractSet[int]) -> Mapping[int, tuple[Schedule, ...]]:
    """The schedules by the index of the draft they belong to; problems for the others.

    `refused` are lines whose separator was told already, so their schedules need no word.
    """
    if "<!--SR:" not in sheet.source.text:
        return {}
    owners: dict[int, list[int]] = {}
    for index, draft in sorted(enumerate(drafts), key=lambda pair: len(pair[1].lines)):
        for number in draft.lines:
            owners.setdefault(number, []).append(index)
    found: dict[int, tuple[Schedule, ...]] = {}
    lines_above = _lines_above(sheet, owners)
    for offset, comment in sorted(_comments(sheet)):
        number = sheet.source.line_of(offset)
        own_line = sheet.lines[number].kind is LineKind.COMMENT
        above = lines_above[number] if own_line else number
        cell = _cell_start(sheet, number, offset)
        free = [
            index
            for index in owners.get(above, ())
            if index not in found and (not own_line or drafts[index].last == above or drafts[index].last > number)
        ]
        owner = next((index for index in free if cell <= drafts[index].start < offset), free[0] if free else None)
        if owner is None and own_line:
            owner = _above_in_run(sheet, drafts, owners, number, comment, found)
        if owner is None:
            if number not in refused:
                sheet.tell(offset, "stray-schedule", "this schedule belongs to no card")
            continue
        read, message = schedules.read(comment, drafts[owner].siblings)
        if message and len(glued := _glued(sheet, drafts, owners, owner, found)) > 1:
            if shared := _shared(comment, [drafts[index].siblings for index in glued]):
                found.update(zip(glued, shared, strict=True))
                continue
            read = ()
            message = message.replace("the last ones were left out", "whose they are is not clear, so none was read")
        found[owner] = read
        if message:
            sheet.tell(offset, "bad-schedule", message)
    for owner, comment in _in_code(sheet, owners):
        if owner not in found:
            found[owner] = schedules.read(comment, drafts[owner].siblings)[0]
    return found


def _cell_start(sheet: Sheet, number: int, offset: int) -> int:
    """Where the table cell begins that holds the offset; behind the offset outside tables, where no card has a cell."""
    line = sheet.lines[number]
    if line.kind is not LineKind.TABLE or line.text is None:
        return offset
    marks = line.text.marks
    index = bisect_left(marks, offset, key=attrgetter("start")) - 1
    while index >= 0 and not isinstance(marks[index], Pipe):
        index -= 1
    return marks[index].start if index >= 0 else line.start


def _above_in_run(
    sheet: Sheet,
    drafts: Sequence[Draft],
    owners: Mapping[int, Sequence[int]],
    number: int,
    comment: str,
    found: Mapping[int, object],
) -> int | None:
    """The cloze card above the line, with no blank line or other card in between, if the schedules are its.

    The plugin takes a fence, a table or more text right below a highlight for a part of its card.
    """
    above = number - 1
    while above >= 0 and above not in owners:
        if sheet.lines[above].kind is LineKind.BLANK:
            return None
        above -= 1
    free = [n for n in owners.get(above, ()) if n not in found and isinstance(drafts[n].content, Cloze)]
    if not free or len(free) < len(owners[above]):
        return None
    last = max(free, key=lambda index: drafts[index].start)
    glued = _glued(sheet, drafts, owners, last, found)
    return last if len(glued) == 1 or _shared(comment, [drafts[n].siblings for n in glued]) else None


def _glued(
    sheet: Sheet,
    drafts: Sequence[Draft],
    owners: Mapping[int, Sequence[int]],
    last: int,
    found: Mapping[int, object],
) -> list[int]:
    """The cloze cards without a schedule that end with `last` and have no blank line between them, in order.

    The plugin takes such lines for one card, and writes the schedules of all its deletions at their end.
    """
    glued = [last]
    number = drafts[last].first
    while number >= 0 and sheet.source.lines[number].strip():
        for index in owners.get(number, ()):
            if index in found or not isinstance(drafts[index].content, Cloze):
                return glued[::-1]
            if index not in glued[-1:]:
                glued.append(index)
        number -= 1
    return glued[::-1]


def _shared(comment: str, siblings: Sequence[int]) -> list[tuple[Schedule, ...]]:
    """The schedules of cards with so many siblings each; empty if there is not one for each sibling."""
    read, message = schedules.read(comment, sum(siblings))
    if message or len(read) < sum(siblings):
        return []
    ends = list(accumulate(siblings))
    return [read[end - count : end] for end, count in zip(ends, siblings, strict=True)]


def _comments(sheet: Sheet) -> Iterator[tuple[int, str]]:
    """The schedule comments with their places."""
    source = sheet.source
    for text in sheet.outline.texts:
        for mark in text.inner:
            found = _SCHEDULE.fullmatch(source.text, mark.start, mark.end)
            if found:
                yield mark.start, found[1]
    told = {part.number for text in sheet.outline.texts for part in text.lines}
    for number in sheet.outline.comment_lines:
        if number not in told and sheet.lines[number].kind is LineKind.COMMENT:
            for found in _SCHEDULE.finditer(source.text, source.starts[number], source.end(number)):
                yield found.start(), found[1]


def _in_code(sheet: Sheet, owners: Mapping[int, Sequence[int]]) -> Iterator[tuple[int, str]]:
    """The cards and the schedule comments in their code: the plugin used to end a card at a blank line in a fence."""
    for number in sorted(filter(sheet.is_schedule_in_code, owners)):
        if found := _SCHEDULE.search(sheet.source.text, sheet.source.starts[number]):
            yield owners[number][0], found[1]


def _lines_above(sheet: Sheet, owners: Mapping[int, object]) -> list[int]:
    """For each line the nearest one above that is no comment or blank line, or -1 if more than one is blank.

    Tag lines between a card and its schedule do not count.
    """
    found: list[int] = []
    above, blanks = -1, 0
    for line in sheet.lines:
        found.append(above if blanks <= 1 else -1)
        if line.kind is LineKind.BLANK:
            blanks += 1
        elif line.kind is not LineKind.COMMENT and (line.kind is not LineKind.TAGS or line.number in owners):
            above, blanks = line.number, 0
    return found


def tell_equal_ids(sheet: Sheet) -> None:
    seen: dict[str, int] = {}
    for number in sorted(sheet.ids):
        start, _, block_id = sheet.ids[number]
        if block_id in seen:
            message = f"block id ^{block_id} is also used in line {seen[block_id] + 1}"
            sheet.tell(sheet.source.text.index("^", start), "duplicate-id", message)
        else:
            seen[block_id] = number
