"""Block rules of the note parser: where a heading, a list, a fence or a paragraph begins and ends."""

import re

from markdown_it.parser_block import ParserBlock
from markdown_it.rules_block import StateBlock, blockquote

from cards.outline import BULLETS, Code, Heading, Item, Listing, Paragraph, Quote, Rule, Table, Title
from cards.running_text import (
    FENCE,
    OpenQuote,
    add_text,
    behind_quote_marks,
    end_of_paragraph,
    is_interrupted,
    line_text,
    reading_of,
    text_start,
)

_DEEPEST = 48
"""Levels of containers; what is nested deeper is read as text."""

_TITLE = re.compile(r"\[!([^\]\n]+)\][+-]?[ \t]*")
_HEADING = re.compile(r"#{1,6}(?![^ \t\n])[ \t]*")
_RULE = re.compile(r"([-*_])(?:[ \t]*+\1){2,}+[ \t]*+")
_MARK = re.compile(rf"(?:[-*+{BULLETS}]|[0-9]{{1,9}}[.)])(?=[ \t\n]|\Z)")
_BOX = re.compile(r"\[[^\]\n]\](?:[ \t]+|(?=\n|\Z))")
_TABLE_RULE = re.compile(r"\|?+[ \t]*+:?+-++:?+[ \t]*+(?:\|[ \t]*+:?+-++:?+[ \t]*+)*+\|?+[ \t]*+")


class BlockParser(ParserBlock):
    """markdown-it's way from block to block, which asks only the rules that a line's first character allows."""

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:
        reading = reading_of(state)
        rules = reading.rules[""]
        line = startLine
        while line < endLine:
            state.line = line = state.skipEmptyLines(line)
            if line >= endLine or state.sCount[line] < state.blkIndent:
                break
            if reading.opened is not None:
                opened, reading.opened = reading.opened, None
                opened.starts = {reading.kept[n]: reading.offset(n, state.bMarks[n]) for n in range(line, endLine)}
                found = _TITLE.match(state.src, text_start(state, line), state.eMarks[line])
                if found and state.level < _DEEPEST:
                    opened.callout = found[1].strip().lower()
                    state.tShift[line] = found.end() - state.bMarks[line]
                    reading.blocks.append(Title(add_text(state, line, line + 1)))
                    line = self._behind(state, endLine)
                    continue
            if state.level >= _DEEPEST:
                paragraph(state, line, endLine, False)
            else:
                for rule in rules.get(state.src[text_start(state, line)], rules[""]):
                    if rule(state, line, endLine, False):
                        break
            line = self._behind(state, endLine)

    @staticmethod
    def _behind(state: StateBlock, end: int) -> int:
        """The line behind a block and the blank line that may follow it."""
        if state.line < end and state.isEmpty(state.line):
            state.line += 1
        return state.line


def table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    below = start + 1
    if below >= end or state.sCount[below] < state.blkIndent or state.is_code_block(below):
        return False
    line = state.src[text_start(state, below) : state.eMarks[below]]
    if "|" not in line or not _TABLE_RULE.fullmatch(line) or not _has_pipe(state, start):
        return False
    if silent:
        return True
    reading = reading_of(state)
    header = add_text(state, start, below, row=True)
    rows = []
    state.level += 1
    row = below + 1
    while row < end and not state.isEmpty(row) and state.sCount[row] >= state.blkIndent and _has_pipe(state, row):
        if is_interrupted(state, "table", row, end):
            break
        rows.append(add_text(state, row, row + 1, row=True))
        row += 1
    state.level -= 1
    reading.blocks.append(Table(header, reading.kept[below], tuple(rows)))
    state.line = row
    return True


def _has_pipe(state: StateBlock, line: int) -> bool:
    return state.src.find("|", state.bMarks[line], state.eMarks[line]) >= 0


def indented_code(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Four blanks after a blank line make code, but not inside a list: people indent there freely."""
    if not state.is_code_block(start) or state.blkIndent or fence(state, start, end, True):
        return False
    last = line = start + 1
    while line < end and (state.isEmpty(line) or state.is_code_block(line)):
        line += 1
        if not state.isEmpty(line - 1):
            last = line
    _push_code(state, start, last, fenced=False)
    return True


def fence(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Code between two fences; inside a list item or quote they may be indented by any amount."""
    if state.is_code_block(start) and not state.level:
        return False
    found = FENCE.match(state.src, text_start(state, start), state.eMarks[start])
    if not found:
        return False
    if silent:
        return True
    run = found[1] or found[2]
    line = start + 1
    closed = False
    while line < end and not closed and (state.isEmpty(line) or state.sCount[line] >= state.blkIndent):
        text = state.src[text_start(state, line) : state.eMarks[line]].rstrip(" \t")
        closed = (
            len(text) >= len(run) and not text.strip(run[0]) and not (state.is_code_block(line) and not state.level)
        )
        line += 1
    last = line
    while state.isEmpty(last - 1):
        last -= 1
    _push_code(state, start, last, fenced=True)
    if not closed:
        reading = reading_of(state)
        below = reading.kept[last - 1] - reading.kept[start]
        reading.tell(
            reading.offset(start, found.start()),
            "unclosed-fence",
            f"code fence is never closed; {below} {'line below it was' if below == 1 else 'lines below it were'} read as code",
        )
    return True


def _push_code(state: StateBlock, start: int, end: int, *, fenced: bool) -> None:
    reading = reading_of(state)
    kept = reading.kept
    reading.blocks.append(Code(kept[start], kept[min(end, len(kept)) - 1], fenced))
    state.line = end


def quote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if silent or state.is_code_block(start) or not state.src.startswith(">", text_start(state, start)):
        return blockquote(state, start, end, silent)
    reading = reading_of(state)
    outer, reading.blocks = reading.blocks, []
    opened = reading.opened = OpenQuote()
    blockquote(state, start, end, silent)
    reading.opened = None
    source = reading.source
    starts = opened.starts or {n: source.end(n) for n in reading.kept[start : state.line]}
    first, last = min(starts), max(starts)
    depth = source.text.count(">", source.starts[first], starts[first])
    places = tuple([starts[n] if n in starts else behind_quote_marks(source, n, depth) for n in range(first, last + 1)])
    outer.append(Quote(opened.callout, first, last, places, tuple(reading.blocks)))
    reading.blocks = outer
    return True


def rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if state.is_code_block(start) or not _RULE.fullmatch(state.src, text_start(state, start), state.eMarks[start]):
        return False
    if not silent:
        reading = reading_of(state)
        reading.blocks.append(Rule(reading.kept[start]))
        state.line = start + 1
    return True


def heading(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if state.is_code_block(start):
        return False
    found = _HEADING.match(state.src, text_start(state, start), state.eMarks[start])
    if not found:
        return False
    if silent:
        return True
    state.tShift[start] = found.end() - state.bMarks[start]
    text = state.src[found.end() : state.eMarks[start]].rstrip(" \t")
    bare = text.rstrip("#")
    if not bare or bare[-1] in " \t":
        text = bare.rstrip(" \t")  # closing hashes
    reading = reading_of(state)
    stop = reading.offset(start, found.end() + len(text))
    reading.blocks.append(Heading(len(found[0].rstrip()), add_text(state, start, start + 1, stop=stop)))
    return True


def listing(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A list with Markdown's marks or bullet characters. Deep indentation inside an item is still a list."""
    if state.is_code_block(start) and not state.blkIndent:
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
        return (
            not mark[0].isdigit() or int(mark[:-1]) == 1 or line_text(state, start - 1) in reading_of(state).signs.lines
        )
    items = []
    state.level += 1
    old_parent, state.parentType = state.parentType, "list"
    line, kind = start, mark[-1]
    while mark is not None and mark[-1] == kind:
        item, line = _item(state, line, end, mark)
        items.append(item)
        if line >= end or state.isEmpty(line) or state.sCount[line] < state.blkIndent:
            break
        if is_interrupted(state, "list", line, end):
            break
        mark = _list_mark(state, line)
    reading_of(state).blocks.append(Listing(tuple(items)))
    state.level -= 1
    state.line = line
    state.parentType = old_parent
    return True


def _list_mark(state: StateBlock, line: int) -> str | None:
    found = _MARK.match(state.src, text_start(state, line), state.eMarks[line])
    return found[0] if found else None


def _item(state: StateBlock, line: int, end: int, mark: str) -> tuple[Item, int]:
    """Reads one list item, and gives it with the line behind it, blank lines left out."""
    reading = reading_of(state)
    begin = text_start(state, line)
    position, stop = begin + len(mark), state.eMarks[line]
    initial = column = state.sCount[line] + len(mark)
    while position < stop and state.src[position] in " \t":
        column += 4 - (column + state.bsCount[line]) % 4 if state.src[position] == "\t" else 1
        position += 1
    empty = position >= stop
    box = None if empty else _BOX.match(state.src, position, stop)
    indent = state.sCount[line]
    state.level += 1
    outer, reading.blocks = reading.blocks, []
    saved = state.tShift[line], state.sCount[line], state.blkIndent
    state.blkIndent = initial + (1 if empty or column - initial > 4 else column - initial)
    state.tShift[line] = position - state.bMarks[line]
    state.sCount[line] = column
    if box:
        state.tShift[line] += len(box[0])
        state.sCount[line] = min(state.sCount[line], state.blkIndent)
    if empty and line + 1 < end and state.isEmpty(line + 1):
        state.line = line + 2  # an item begins with one blank line at most
    else:
        state.md.block.tokenize(state, line, end)
    state.tShift[line], state.sCount[line], state.blkIndent = saved
    behind = max(state.line, line + 1)
    last = behind - 1
    while last > line and state.isEmpty(last):
        last -= 1
    first = reading.kept[line]
    bottom = max(reading.kept[min(last, len(reading.kept) - 1)], first)
    item = Item(mark, reading.offset(line, begin), indent, bool(box), first, bottom, tuple(reading.blocks))
    reading.blocks = outer
    state.level -= 1
    return item, state.skipEmptyLines(behind) if behind < end else behind


def paragraph(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    text = add_text(state, start, end_of_paragraph(state, start + 1, end), limit=end)
    reading_of(state).blocks.append(Paragraph(text))
    return True
