"""Cloze cards: a paragraph, a list item's own text, a heading or a table row with hidden pieces."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import count

from cards.model import Cloze, Deletion
from cards.outline import Hidden, Table, Text, Unclosed, start_of, walk
from cards.sheet import Draft, Hole, Piece, Sheet

_FOOTNOTE = re.compile(r"^(?:[^\S\n]{0,3}>)*+[^\S\n]{0,3}\[\^(\w++)\]:", re.MULTILINE)
"""A footnote at the start of a line or quoted line, or up to three blanks behind it."""


def cloze_drafts(sheet: Sheet, taken: AbstractSet[int]) -> Iterator[Draft]:
    """The cloze cards of the lines that no other card takes."""
    footnotes = frozenset(_FOOTNOTE.findall(sheet.source.text)) if "[^" in sheet.source.text else frozenset[str]()
    tables = {row.start: table for table in _tables(sheet) for row in (table.header, *table.rows)}
    for text in sheet.outline.texts:
        if not text.marks:
            continue
        if Unclosed in map(type, text.marks):
            _tell_unclosed(sheet, text, taken)
        if Hidden not in map(type, text.marks):
            continue
        hidden = [mark for mark in text.marks if isinstance(mark, Hidden)]
        if footnotes:
            hidden = [_without_footnote(mark, sheet, footnotes) for mark in hidden]
        for numbers in _runs(sheet, text, taken):
            inside = hidden if len(numbers) == len(text.lines) else _inside(sheet, numbers, hidden)
            if inside:
                yield _draft(sheet, numbers, inside, tables.get(text.start) if tables else None)


def _inside(sheet: Sheet, numbers: Sequence[int], hidden: Sequence[Hidden]) -> Sequence[Hidden]:
    """The marks in these lines, which stand one below the other."""
    start, end = sheet.lines[numbers[0]].start, sheet.lines[numbers[-1]].end
    first = bisect_left(hidden, start, key=start_of)
    behind = bisect_left(hidden, end, first, key=start_of)
    return [mark for mark in hidden[first:behind] if mark.end <= end]


def _without_footnote(mark: Hidden, sheet: Sheet, footnotes: AbstractSet[str]) -> Hidden:
    """The mark; without its number if that calls a footnote of the note, as in `==answer==[^1]` above `[^1]: text`."""
    if mark.group in footnotes and not sheet.source.text.startswith("{{c", mark.start):
        return mark._replace(group=None)
    return mark


def _tables(sheet: Sheet) -> list[Table]:
    if "|" not in sheet.source.text:
        return []
    return [block for block in walk(sheet.outline.blocks) if isinstance(block, Table)]


def _tell_unclosed(sheet: Sheet, text: Text, taken: AbstractSet[int]) -> None:
    for mark in text.marks:
        if isinstance(mark, Unclosed) and mark.mark not in ("<!--", "%%", "$$") and not mark.mark.startswith("<"):
            if sheet.source.line_of(mark.start) not in taken:
                message = f'"{mark.mark}" opens a cloze that is never closed in this paragraph'
                sheet.tell(mark.start, "unclosed-cloze", message)
            return


def _runs(sheet: Sheet, text: Text, taken: AbstractSet[int]) -> Iterator[list[int]]:
    """The stretches of a text between the lines of other cards and tag lines."""
    run: list[int] = []
    for part in text.lines:
        number = part.number
        if number in taken or sheet.lines[number].kind == "tags":
            if run:
                yield run
            run = []
        elif sheet.lines[number].kind != "comment":
            run.append(number)
    if run:
        yield run


def _draft(sheet: Sheet, numbers: list[int], hidden: Sequence[Hidden], table: Table | None) -> Draft:
    first, last = sheet.lines[numbers[0]], sheet.lines[numbers[-1]]
    block_id = sheet.find_id(last.number) if sheet.may_have_ids else None
    own_tags, start = sheet.own_tags(first.number, first.start, last.end) if first.tags else ((), first.start)
    deletions = _deletions(sheet, hidden)
    texts = sheet.around(start, last.end, hidden) if len(numbers) == 1 and table is None else None
    if texts is None:
        pieces = [Piece(max(sheet.lines[n].start, start), sheet.lines[n].end) for n in numbers]
        if table is not None:
            head = [table.header.lines[0].number, table.rule]
            above = [Piece(sheet.lines[n].start, sheet.lines[n].end) for n in head if n != first.number]
            pieces = above + pieces if len(above) == 2 else pieces + above
        holes: list[Hole] = [(mark.start, mark.end, sheet.gap) for mark in hidden]
        texts = sheet.take(pieces, holes).split(sheet.gap)
    cloze: list[str | Deletion] = []
    for before, deletion in zip(texts, deletions, strict=False):
        cloze += [before, deletion] if before else [deletion]
    content = Cloze((*cloze, texts[-1]) if texts[-1] else tuple(cloze))
    siblings = len({deletion.group for deletion in deletions})
    return Draft(first.start, tuple(numbers), content, own_tags, siblings, block_id)


def _deletions(sheet: Sheet, hidden: Sequence[Hidden]) -> list[Deletion]:
    fields = [tuple([_field(sheet, start, end) for start, end in mark.fields]) for mark in hidden]
    if not any(mark.group or len(mark.fields) > 1 for mark in hidden):
        hints = [_field(sheet, *mark.hint) or None if mark.hint else None for mark in hidden]
        return [Deletion(n, answer, hint) for n, ((answer,), hint) in enumerate(zip(fields, hints, strict=True), 1)]
    overlapping = _overlap(hidden, fields)
    if overlapping:
        message = "overlapping clozes are not supported; each deletion is asked alone"
        sheet.tell(hidden[0].start, "overlapping-cloze", message)
    pairs_are_groups = _pairs_are_groups(hidden, fields)
    read = []
    for mark, texts in zip(hidden, fields, strict=True):
        group, answer, hint = _read(mark, texts, pairs_are_groups=pairs_are_groups, overlapping=overlapping)
        if not answer:
            group, answer, hint = None, _field(sheet, mark.fields[0][0], mark.fields[-1][1]), None
        if mark.hint and not hint:
            hint = _field(sheet, *mark.hint)
        read.append((group, answer, hint or None))
    used = {group for group, _, _ in read}
    free = (number for number in count(1) if number not in used)
    return [Deletion(group or next(free), answer, hint, numbered=bool(group)) for group, answer, hint in read]


def _field(sheet: Sheet, start: int, end: int) -> str:
    return sheet.taken(sheet.source.line_of(start), start, end)


def _overlap(hidden: Sequence[Hidden], fields: Sequence[tuple[str, ...]]) -> bool:
    """Whether the deletions are marked by sequences of the letters a, s, h, one letter for each card."""
    marked = (
        texts[0] for mark, texts in zip(hidden, fields, strict=True) if len(texts) > 1 and not _group(mark.group or "")
    )
    lengths = Counter(len(first) for first in marked if _is_sequence(first))
    return any(n > 1 for n in lengths.values()) or any(mark.group and _is_sequence(mark.group) for mark in hidden)


def _is_sequence(text: str) -> bool:
    return len(text) > 1 and not text.strip("ash")  # one letter for one card overlaps with nothing


def _group(text: str) -> int | None:
    return int(text) if len(text) <= 3 and text.isascii() and text.isdigit() and int(text) else None


def _pairs_are_groups(hidden: Sequence[Hidden], fields: Sequence[tuple[str, ...]]) -> bool:
    """Whether numbers before one `;;` are groups: the groups can be 1, 2, … without a gap, others filling the gaps."""
    sure: set[int] = set()
    pairs: list[int | None] = []
    others = 0
    for mark, texts in zip(hidden, fields, strict=True):
        leading = _group(mark.group) if mark.group else _group(texts[0]) if len(texts) == 3 else None
        if leading:
            sure.add(leading)
        elif len(texts) == 2 and texts[0].isdigit() and len(texts[0]) <= 2:
            pairs.append(_group(texts[0]))
        else:
            others += 1
    groups = sure.union(number or 0 for number in pairs)
    return None not in pairs and max(groups, default=0) - len(groups) <= others


def _read(
    mark: Hidden, texts: tuple[str, ...], *, pairs_are_groups: bool, overlapping: bool
) -> tuple[int | None, str, str | None]:
    """Group, answer and hint of one deletion."""
    if mark.group and (group := _group(mark.group)):
        return group, texts[0], texts[1] if len(texts) > 1 else None
    leading = _group(texts[0]) if len(texts[0]) <= 2 else None
    match texts:
        case (_, answer, hint) if leading or (overlapping and _is_sequence(texts[0])):
            return leading, answer, hint
        case (_, answer) if (leading and pairs_are_groups) or (overlapping and _is_sequence(texts[0])):
            return leading, answer, None
        case (answer, hint, more):
            return None, answer, f"{hint};;{more}"
        case (answer, hint):
            return None, answer, hint
        case _:
            return None, texts[0], None
