"""Lists of the note parser: where an item begins and ends."""

import re

from cards.blocks import RULE, rule
from cards.outline import BULLETS, Item, Listing, Paragraph
from cards.running_text import NoteState, add_line, line_text, skip_blanks, text_start

_MARK = re.compile(rf"(?:[-*+{BULLETS}]|[0-9]{{1,9}}[.)])(?=[ \t\n]|\Z)")
_BOX = re.compile(r"\[[^\]\n]\](?:[ \t]+|(?=\n|\Z))")


def listing(state: NoteState, start: int, end: int, silent: bool) -> bool:
    """A list with Markdown's marks or bullet characters. Deep indentation inside an item is still a list."""
    if not state.blkIndent and state.sCount[start] > 3:
        return False
    mark = _list_mark(state, start)
    if mark is None:
        return False
    if silent:
        if state.parentType != "paragraph" or state.sCount[start] < state.blkIndent:
            return True
        # within a paragraph only a list that begins with 1 and with text is meant as a list, or any below a separator
        text = state.src[text_start(state, start) + len(mark) : state.eMarks[start]]
        if not text.strip(" \t"):
            return False
        return not mark[0].isdigit() or int(mark[:-1]) == 1 or _parts_a_card(state, start - 1)
    items = []
    state.level += 1
    old_parent, state.parentType = state.parentType, "list"
    line, kind = start, mark[-1]
    while mark is not None and mark[-1] == kind:
        item, line, mark = _item(state, line, end, mark)
        items.append(item)
        if line >= end or state.isEmpty(line) or state.sCount[line] < state.blkIndent:
            break
        mark = mark or _list_mark(state, line)
        if kind in "-*" and rule(state, line, end, True):
            break
    state.reading.blocks.append(Listing(tuple(items)))
    state.level -= 1
    state.line = line
    state.parentType = old_parent
    return True


def _list_mark(state: NoteState, line: int) -> str | None:
    found = _MARK.match(state.src, state.bMarks[line] + state.tShift[line], state.eMarks[line])
    return found[0] if found else None


def _item(state: NoteState, line: int, end: int, mark: str) -> tuple[Item, int, str | None]:
    """Reads one list item, and gives it with the line behind it, blank lines left out, and its mark if it was seen."""
    reading, src = state.reading, state.src
    begin, indent, stop = state.bMarks[line] + state.tShift[line], state.sCount[line], state.eMarks[line]
    initial = indent + len(mark)
    position, column = skip_blanks(state, begin + len(mark), stop, initial, state.bsCount[line])
    empty = position >= stop
    inside = initial + (1 if empty or column - initial > 4 else column - initial)
    if mark[0].isdigit():
        inside = _column_of_list(state, line + 1, end, indent + 2, inside)
    box = _BOX.match(src, position, stop) if src.startswith("[", position, stop) else None
    if box:
        position, column = box.end(), min(column, inside)
    start, first, below = reading.offset(line, begin), reading.kept[line], line + 1
    if empty and below < end and state.sCount[below] < inside and not state.isEmpty(below):
        return Item(mark, start, indent, bool(box), first, first, ()), below, None
    if position < stop and src[position] not in reading.rules[""] and src.find("|", position, stop) < 0:
        behind, next_mark = _below_line(state, below, end, inside)  # most items are one line, and nothing but text
        if behind is not None and (text := add_line(state, line, position, column)):
            return Item(mark, start, indent, bool(box), first, first, (Paragraph(text),)), behind, next_mark
    state.level += 1
    outer, reading.blocks = reading.blocks, []
    saved = state.tShift[line], indent, state.blkIndent
    state.blkIndent = inside
    state.tShift[line], state.sCount[line] = position - state.bMarks[line], column
    if empty and below < end and state.isEmpty(below):
        state.line = below + 1  # an item begins with one blank line at most
    else:
        state.md.block.tokenize(state, line, end)
    state.tShift[line], state.sCount[line], state.blkIndent = saved
    behind = max(state.line, below)
    last = behind - 1
    while last > line and state.isEmpty(last):
        last -= 1
    bottom = max(reading.kept[min(last, len(reading.kept) - 1)], first)
    item = Item(mark, start, indent, bool(box), first, bottom, tuple(reading.blocks))
    reading.blocks = outer
    state.level -= 1
    return item, state.skipEmptyLines(behind) if behind < end else behind, None


def _below_line(state: NoteState, line: int, end: int, inside: int) -> tuple[int | None, str | None]:
    """The next line that is not blank if it ends an item whose text stands from the column `inside` on, and its text.

    With its list mark, if that is what ends them.
    """
    if line >= end:
        return line, None
    if state.isEmpty(line):
        line = state.skipEmptyLines(line)
        return line if line >= end or state.sCount[line] < inside else None, None
    mark = _list_mark(state, line) if 0 <= state.sCount[line] < inside else None
    return line if mark else None, mark


def _column_of_list(state: NoteState, line: int, end: int, least: int, inside: int) -> int:
    """Where the rest of a numbered item begins: further left if the first lines that stand there begin a list, or part
    a card.

    Two blanks before it are not enough for Markdown below `1. `, but people put no more.
    """
    for below in range(line, end):
        if state.isEmpty(below) or state.sCount[below] >= inside:
            continue
        if state.sCount[below] < least:
            break
        if _parts_a_card(state, below):
            return state.sCount[below]
        mark = _list_mark(state, below)
        if mark is not None and not RULE.fullmatch(state.src, text_start(state, below), state.eMarks[below]):
            return state.sCount[below] if not mark[0].isdigit() or int(mark[:-1]) == 1 else inside
        if state.isEmpty(below - 1):
            break  # else it goes on with a paragraph
    return inside


def _parts_a_card(state: NoteState, line: int) -> bool:
    """Whether the line is a separator line of the settings or the end marker; a comment may follow."""
    text = line_text(state, line)
    return text in state.reading.signs.lines or text.partition("<!--")[0].rstrip() in state.reading.signs.lines
