"""Block rules of the note parser: where a heading, a list, a fence or a paragraph begins and ends."""

import re

from markdown_it.rules_block import StateBlock, hr

from cards.running_text import FENCE, end_of_paragraph, may_begin_block, push_text, reading_of, text_start

DEEPEST = 48
"""Levels of containers; what is nested deeper is read as text."""

_TITLE = re.compile(r"\[!([^\]\n]+)\][+-]?[ \t]*")
_HEADING = re.compile(r"#{1,6}(?![^ \t\n])[ \t]*")
_MARK = re.compile(r"(?:[-*+•◦▪‣]|[0-9]{1,9}[.)])(?=[ \t\n]|\Z)")
_BOX = re.compile(r"\[[^\]\n]\](?:[ \t]+|(?=\n|\Z))")
_TABLE_RULE = re.compile(r"\|?+[ \t]*+:?+-++:?+[ \t]*+(?:\|[ \t]*+:?+-++:?+[ \t]*+)*+\|?+[ \t]*+")


def note_quote_starts(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Remembers where the text of a quote's lines begins, which only the rules inside the quote can see."""
    if not silent and state.tokens and state.tokens[-1].type == "blockquote_open" and not state.tokens[-1].meta:
        reading = reading_of(state)
        state.tokens[-1].meta["starts"] = {
            reading.kept[line]: reading.offset(line, state.bMarks[line]) for line in range(start, end)
        }
    return False


def too_deep(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    return state.level >= DEEPEST and paragraph(state, start, end, silent)


def title(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The first line of a callout, `[!note]- Title`."""
    if silent or not state.tokens or state.tokens[-1].type != "blockquote_open":
        return False
    found = _TITLE.match(state.src, text_start(state, start), state.eMarks[start])
    if not found:
        return False
    state.tokens[-1].info = found[1].strip().lower()
    state.tShift[start] = found.end() - state.bMarks[start]
    push_text(state, "title", start, start + 1)
    return True


def table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    below = start + 1
    if below >= end or state.sCount[below] < state.blkIndent or state.is_code_block(below):
        return False
    line = state.src[text_start(state, below) : state.eMarks[below]]
    if "|" not in line or not _TABLE_RULE.fullmatch(line) or not _has_pipe(state, start):
        return False
    if silent:
        return True
    state.push("table_open", "table", 1).meta["rule"] = reading_of(state).kept[below]
    push_text(state, "row", start, below)
    terminators = state.md.block.ruler.getRules("table")
    row = below + 1
    while row < end and not state.isEmpty(row) and state.sCount[row] >= state.blkIndent and _has_pipe(state, row):
        if any(other(state, row, end, True) for other in terminators):
            break
        push_text(state, "row", row, row + 1)
        row += 1
    state.push("table_close", "table", -1)
    state.line = row
    return True


def _has_pipe(state: StateBlock, line: int) -> bool:
    return state.src.find("|", state.bMarks[line], state.eMarks[line]) >= 0


def indented_code(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Four blanks after a blank line make code, but not inside a list: people indent there freely."""
    if not state.is_code_block(start) or state.blkIndent:
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
            f"code fence is never closed; {below} lines below it were read as code",
        )
    return True


def _push_code(state: StateBlock, start: int, end: int, *, fenced: bool) -> None:
    kept = reading_of(state).kept
    token = state.push("code", "code", 0)
    token.meta = {"first": kept[start], "last": kept[min(end, len(kept)) - 1], "fenced": fenced}
    state.line = end


def rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    found = hr(state, start, end, silent)
    if found and not silent:
        state.tokens[-1].meta["line"] = reading_of(state).kept[start]
    return found


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
    stop = reading_of(state).offset(start, found.end() + len(text))
    push_text(state, "heading", start, start + 1, stop=stop).info = str(len(found[0].rstrip()))
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
        # within a paragraph only a list that begins with 1 and with text is meant as a list
        text = state.src[text_start(state, start) + len(mark) : state.eMarks[start]]
        return bool(text.strip(" \t")) and (not mark[0].isdigit() or int(mark[:-1]) == 1)
    state.push("list_open", "ul", 1)
    terminators = state.md.block.ruler.getRules("list")
    old_parent, state.parentType = state.parentType, "list"
    line, kind = start, mark[-1]
    while mark is not None and mark[-1] == kind:
        line = _item(state, line, end, mark)
        if line >= end or state.isEmpty(line) or state.sCount[line] < state.blkIndent:
            break
        if any(other(state, line, end, True) for other in terminators):
            break
        mark = _list_mark(state, line)
    state.push("list_close", "ul", -1)
    state.line = line
    state.parentType = old_parent
    return True


def _list_mark(state: StateBlock, line: int) -> str | None:
    found = _MARK.match(state.src, text_start(state, line), state.eMarks[line])
    return found[0] if found else None


def _item(state: StateBlock, line: int, end: int, mark: str) -> int:
    """Reads one list item and gives the line behind it, blank lines left out."""
    reading = reading_of(state)
    begin = text_start(state, line)
    position, stop = begin + len(mark), state.eMarks[line]
    initial = column = state.sCount[line] + len(mark)
    while position < stop and state.src[position] in " \t":
        column += 4 - (column + state.bsCount[line]) % 4 if state.src[position] == "\t" else 1
        position += 1
    empty = position >= stop
    box = None if empty else _BOX.match(state.src, position, stop)
    token = state.push("item_open", "li", 1)
    token.meta = {
        "mark": mark,
        "start": reading.offset(line, begin),
        "indent": state.sCount[line],
        "box": bool(box),
        "first": reading.kept[line],
    }
    saved = state.tShift[line], state.sCount[line], state.blkIndent, state.tight
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
    state.tShift[line], state.sCount[line], state.blkIndent, state.tight = saved
    behind = max(state.line, line + 1)
    last = behind - 1
    while last > line and state.isEmpty(last):
        last -= 1
    state.push("item_close", "li", -1)
    token.meta["last"] = max(reading.kept[min(last, len(reading.kept) - 1)], reading.kept[line])
    return state.skipEmptyLines(behind) if behind < end else behind


def plain_paragraph(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A paragraph that no other rule needs to be asked about."""
    if may_begin_block(state, start) or state.is_code_block(start):
        return False
    return paragraph(state, start, end, silent)


def paragraph(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    push_text(state, "paragraph", start, end_of_paragraph(state, start + 1, end), limit=end)
    return True
