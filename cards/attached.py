"""What a card owns beside its text: its schedule and its block id."""

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate, chain

from cards import schedules
from cards.model import Cloze, Schedule
from cards.outline import Pipe
from cards.separators import marker_lines
from cards.sheet import Draft, Sheet

_SCHEDULE = re.compile(r"<!--SR:(.*?)-->", re.DOTALL)


def attach(
    sheet: Sheet, drafts: Sequence[Draft], multiline: int, refused: AbstractSet[int], fields: AbstractSet[int]
) -> Mapping[int, tuple[Schedule, ...]]:
    """The schedules by the index of the draft they belong to; problems for the others.

    The first drafts, so many as `multiline`, have a separator line. `refused` are lines whose separator was told
    already, so schedules in them need no word. Those below them, or below the lines with `fields`, are not of the card
    above: the plugin takes such a line for a card.
    """
    if "<!--SR:" not in sheet.source.text:
        return {}
    owners: dict[int, list[int]] = {}
    for index, draft in sorted(enumerate(drafts), key=lambda pair: len(pair[1].lines)):
        for number in draft.lines:
            owners.setdefault(number, []).append(index)
    waiting = {number: deque(indexes) for number, indexes in owners.items()}
    found: dict[int, tuple[Schedule, ...]] = {}
    lines_above = _lines_above(sheet, owners)
    in_cell = _in_cell(sheet, drafts)
    ends = sheet.settings.multiline_end
    cards = refused | fields
    blank = [line.kind == "blank" or line.number in cards for line in sheet.lines]
    parting = [parts or number in cards for number, parts in enumerate(_parting(sheet))]
    in_run = _owned_above(owners, parting if ends else blank)
    unparted = _owned_above(owners, parting)

    def glued_to(last: int, comment: str) -> list[int]:
        return _glued(drafts, owners, parting, unparted, last, found, most=comment.count("!") + 1)

    for offset, comment in sorted(_comments(sheet)):
        number = sheet.source.line_of(offset)
        own_line = sheet.lines[number].kind in ("comment", "tags")
        above = lines_above[number] if own_line else number
        first = waiting.get(above, deque())
        while first and first[0] in found:
            first.popleft()
        free = (
            index
            for index in chain(in_cell(number, offset), first)
            if index not in found and (not own_line or drafts[index].last == above or drafts[index].last > number)
        )
        owner = next(free, None)
        if owner is None and own_line:
            last = _above_in_run(drafts, multiline, owners.get(in_run[number], ()), found.keys())
            if last is not None:
                glued = glued_to(last, comment)
                shared = _shared(comment, [drafts[n].siblings for n in glued])
                owner = last if len(glued) == 1 or shared else None
        if owner is None:
            if number not in refused:
                sheet.tell(offset, "stray-schedule", "this schedule belongs to no card")
            continue
        read, message = schedules.read(comment, drafts[owner].siblings)
        if message and len(glued := glued_to(owner, comment)) > 1:
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


def _parting(sheet: Sheet) -> list[bool]:
    """Which lines end a card for the plugin: the blank ones, or with an end marker that, and what is hidden right below."""
    ends = sheet.settings.multiline_end
    found = [text.strip() == ends for text in sheet.source.lines]
    if ends:
        for number in marker_lines(sheet):
            found[number] = True  # in a quote too, where the plugin sees none
        for number, line in enumerate(sheet.lines[1:], 1):
            if found[number - 1] and line.kind == "comment":
                found[number - 1 : number + 1] = False, True
    return found


def _in_cell(sheet: Sheet, drafts: Sequence[Draft]) -> Callable[[int, int], Sequence[int]]:
    """Finds the drafts that begin in the table cell of a line and offset, before the offset, those of few lines first."""
    pipes = [mark.start for text in sheet.outline.texts for mark in text.marks if isinstance(mark, Pipe)]
    by_start = sorted((draft.start, len(draft.lines), index) for index, draft in enumerate(drafts))

    def in_cell(number: int, offset: int) -> Sequence[int]:
        line = sheet.lines[number]
        if line.kind != "table":
            return ()
        border = bisect_left(pipes, offset) - 1
        cell = max(line.start, pipes[border]) if border >= 0 else line.start
        found = by_start[bisect_left(by_start, (cell,)) : bisect_left(by_start, (offset,))]
        return [index for _, _, index in sorted(found, key=lambda each: each[1:])]

    return in_cell


def _above_in_run(drafts: Sequence[Draft], multiline: int, above: Sequence[int], found: AbstractSet[int]) -> int | None:
    """The last of the drafts `above`, if all are cloze cards without a schedule; or the one with a separator line.

    The plugin takes a fence, a table or more text right below a highlight for a part of its card, and a rule, a heading
    or an item right below an answer for a part of that.
    """
    if len(above) == 1 and above[0] < multiline and above[0] not in found:
        return above[0]
    if not above or any(n in found or not isinstance(drafts[n].content, Cloze) for n in above):
        return None
    return max(above, key=lambda index: drafts[index].start)


def _glued(
    drafts: Sequence[Draft],
    owners: Mapping[int, Sequence[int]],
    parting: Sequence[bool],
    above: Sequence[int],
    last: int,
    found: Mapping[int, object],
    *,
    most: int,
) -> list[int]:
    """The cloze cards without a schedule that end with `last` and have no line between them that is `parting`, in order.

    The plugin takes such lines for one card, and writes the schedules of all its deletions at their end: up to a blank
    line, or with an end marker up to that. `above` is the nearest line of a card above each line; there are no more
    schedules than `most`, so further cards are not needed.
    """
    glued = [last]
    number = drafts[last].first
    while number >= 0 and len(glued) <= most and not parting[number]:
        for index in owners.get(number, ()):
            if index in found or not isinstance(drafts[index].content, Cloze):
                return glued[::-1]
            if index not in glued[-1:]:
                glued.append(index)
        number = above[number]
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
        if number not in told and sheet.lines[number].kind == "comment":
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
        if line.kind == "blank":
            blanks += 1
        elif line.kind != "comment" and (line.kind != "tags" or line.number in owners):
            above, blanks = line.number, 0
    return found


def _owned_above(owners: Mapping[int, object], blank: Sequence[bool]) -> list[int]:
    """For each line the nearest line of a card above it, or -1 if a blank line is in between."""
    found: list[int] = []
    above = -1
    for number, is_blank in enumerate(blank):
        found.append(above)
        if is_blank:
            above = -1
        elif number in owners:
            above = number
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
