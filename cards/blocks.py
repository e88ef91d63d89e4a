"""Block rules of the note parser: where a heading, a quote, a fence or a paragraph begins and ends."""

import re

from markdown_it.parser_block import ParserBlock

from cards.outline import Code, Heading, Paragraph, Quote, Rule, Table, Title
from cards.running_text import (
    FENCE,
    Marks,
    NoteState,
    add_line,
    add_text,
    behind_quote_marks,
    end_of_paragraph,
    is_interrupted,
    line_text,
    skip_blanks,
    text_start,
)
from cards.source import Source

_DEEPEST = 48
"""Levels of containers; what is nested deeper is read as text."""

_TITLE = re.compile(r"\[!([^\]\n]+)\][+-]?[ \t]*")
_HEADING = re.compile(r"(#{1,6})(?![^ \t\n])[ \t]*")
RULE = re.compile(r"([-*_])(?:[ \t]*+\1){2,}+[ \t]*+")
_TABLE_RULE = re.compile(r"\|?+[ \t]*+:?+-++:?+[ \t]*+(?:\|[ \t]*+:?+-++:?+[ \t]*+)*+\|?+[ \t]*+")


class BlockParser(ParserBlock):
    """markdown-it's way from block to block, which asks only the rules that a line's first character allows."""

    def tokenize(self, state: NoteState, startLine: int, endLine: int) -> None:  # type: ignore[override]  # no other
        rules, src, ends = state.reading.rules[""], state.src, state.eMarks
        begins, shifts, columns = state.bMarks, state.tShift, state.sCount  # the same again below each block
        others, margin = rules[""], state.blkIndent
        if state.level >= _DEEPEST:
            rules, others = {}, (paragraph,)
        line = startLine
        while line < endLine:
            first = begins[line] + shifts[line]
            if first >= ends[line]:
                line += 1
                continue
            if columns[line] < margin:
                break
            for rule in rules.get(src[first], others):
                if rule(state, line, endLine, False):
                    break
            line = state.line
        state.line = line


def _behind(state: NoteState, end: int) -> int:
    """The line behind a block and the blank line that may follow it."""
    if state.line < end and state.isEmpty(state.line):
        state.line += 1
    return state.line


def table(state: NoteState, start: int, end: int, silent: bool) -> bool:
    below = start + 1
    if below >= end or state.sCount[below] < state.blkIndent or state.is_code_block(below):
        return False
    line = state.src[text_start(state, below) : state.eMarks[below]]
    if "|" not in line or not _TABLE_RULE.fullmatch(line) or not _has_pipe(state, start):
        return False
    if silent:
        return True
    reading = state.reading
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


def _has_pipe(state: NoteState, line: int) -> bool:
    return state.src.find("|", state.bMarks[line], state.eMarks[line]) >= 0


def indented_code(state: NoteState, start: int, end: int, silent: bool) -> bool:
    """Four blanks after a blank line make code, but not inside a list: people indent there freely."""
    if state.sCount[start] < 4 or state.blkIndent or fence(state, start, end, True):
        return False
    last = line = start + 1
    while line < end and (state.isEmpty(line) or state.is_code_block(line)):
        line += 1
        if not state.isEmpty(line - 1):
            last = line
    _push_code(state, start, last, fenced=False)
    return True


def fence(state: NoteState, start: int, end: int, silent: bool) -> bool:
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
        reading = state.reading
        below = reading.kept[last - 1] - reading.kept[start]
        reading.tell(
            reading.offset(start, found.start()),
            "unclosed-fence",
            f"code fence is never closed; {below} {'line below it was' if below == 1 else 'lines below it were'} read as code",
        )
    return True


def _push_code(state: NoteState, start: int, end: int, *, fenced: bool) -> None:
    reading = state.reading
    kept = reading.kept
    code = Code(kept[start], kept[min(end, len(kept)) - 1], fenced)
    reading.blocks.append(code)
    reading.codes.append(code)
    state.line = end


def quote(state: NoteState, start: int, end: int, silent: bool) -> bool:
    if state.sCount[start] - state.blkIndent > 3 or not state.src.startswith(">", text_start(state, start)):
        return False
    if silent:
        return True
    saved = state.lineMax, state.parentType, state.blkIndent
    state.parentType = "blockquote"
    below = enter_quote(state, start, end)
    state.blkIndent = 0
    reading = state.reading
    outer, reading.blocks = reading.blocks, []
    state.level += 1
    callout, numbers, starts = _read_quote(state, start, below)
    state.level -= 1
    state.leave()
    state.lineMax, state.parentType, state.blkIndent = saved
    first, last = numbers[0], numbers[-1]
    if last - first >= len(numbers):
        starts = _with_unseen(reading.source, numbers, starts)
    outer.append(Quote(callout, first, last, tuple(starts), tuple(reading.blocks)))
    reading.blocks = outer
    return True


def _with_unseen(source: Source, numbers: list[int], starts: list[int]) -> list[int]:
    """The starts of a quote's lines, with those of the lines among them that the parser does not see."""
    seen = dict(zip(numbers, starts, strict=True))
    depth = source.text.count(">", source.starts[numbers[0]], starts[0])
    lines = range(numbers[0], numbers[-1] + 1)
    return [seen[n] if n in seen else behind_quote_marks(source, n, depth) for n in lines]


def enter_quote(state: NoteState, start: int, end: int) -> int:
    """Makes the state see the lines of a quote behind its mark, up to `state.leave()`; gives the line below the quote.

    A quote may end early, where a line without a mark goes on with nothing: what was seen of the lines below is kept
    for the quotes that begin there.
    """
    inner, key = state.inner(), (state.inside, state.blkIndent)
    if start not in inner.lines or inner.key != key:
        inner.key = key
        inner.lines = range(start, _mark_lines(state, inner, start, end))
    state.enter(inner)
    first = state.skipEmptyLines(start) if start + 1 < state.lineMax else start
    alone = first + 1 < state.lineMax and state.sCount[first + 1] < 0 and state.sCount[first] <= 3
    if alone and state.level + 1 < _DEEPEST and _TITLE.match(state.src, text_start(state, first), state.eMarks[first]):
        state.lineMax = first + 1
    return state.lineMax


def _mark_lines(state: NoteState, inner: Marks, start: int, end: int) -> int:
    """Notes how the lines of a quote look inside of it; gives the line below it."""
    line, empty, marked, quoted = start, False, False, state.reading.signs.quoted
    while line < end and (place := text_start(state, line)) < state.eMarks[line]:
        if state.src[place] == ">" and state.sCount[line] >= state.blkIndent:
            if quoted and line_text(state, line) in state.reading.signs.lines:
                break
            empty, marked = _step_behind_mark(state, inner, line, place + 1), True
        elif empty or (marked and _is_whole(state, inner, line - 1)) or is_interrupted(state, "blockquote", line, end):
            break
        else:  # it goes on with a paragraph
            inner.bMarks[line], inner.tShift[line], inner.sCount[line] = state.bMarks[line], state.tShift[line], -1
            inner.bsCount[line], marked = state.bsCount[line], False
        line += 1
    return line


def _is_whole(state: NoteState, inner: Marks, line: int) -> bool:
    """Whether the line of a quote is a heading or rule, and no separator line; no line without a mark goes on with it."""
    start, stop = inner.bMarks[line] + inner.tShift[line], state.eMarks[line]
    if inner.sCount[line] > 3 or state.src[start:stop].strip() in state.reading.signs.lines:
        return False
    return bool(_HEADING.match(state.src, start, stop) or RULE.fullmatch(state.src, start, stop))


def _step_behind_mark(state: NoteState, inner: Marks, line: int, place: int) -> bool:
    """Notes the start of a line behind its quote mark and one column of blank; a wide tab leaves its other columns.

    Whether the line is empty there.
    """
    stop, before, column = state.eMarks[line], state.bsCount[line], state.sCount[line] + 1
    blank = state.src[place] if place < stop else ""
    if blank in (" ", "\t"):
        inner.bsCount[line] = column + 1
        if blank == "\t" and (before + column) % 4 != 3:
            before += 1
        else:
            place, column = place + 1, column + 1
    else:
        inner.bsCount[line] = column
    behind, initial = place, column
    if place < stop and state.src[place] in " \t":
        behind, column = skip_blanks(state, place, stop, column, before)
    inner.bMarks[line], inner.tShift[line], inner.sCount[line] = place, behind - place, column - initial
    return behind >= stop


def _read_quote(state: NoteState, start: int, end: int) -> tuple[str | None, list[int], list[int]]:
    """Reads the blocks of a quote; gives its callout, its lines in the source, and where their text begins."""
    reading = state.reading
    kept, source = reading.kept, reading.source
    state.line = line = state.skipEmptyLines(start)
    if line >= end:
        numbers = kept[start:line]
        return None, numbers, [source.end(n) for n in numbers]
    first, place = line, text_start(state, line)
    callout = None
    found = _TITLE.match(state.src, place, state.eMarks[line]) if state.src.startswith("[!", place) else None
    if found and state.level < _DEEPEST:
        callout = found[1].strip().lower()
        state.tShift[line] = found.end() - state.bMarks[line]
        reading.blocks.append(Title(add_text(state, line, line + 1)))
        line = _behind(state, end)
    state.md.block.tokenize(state, line, end)
    lines = range(first, min(state.line, end))
    return callout, kept[lines.start : lines.stop], [reading.offset(n, state.bMarks[n]) for n in lines]


def rule(state: NoteState, start: int, end: int, silent: bool) -> bool:
    src, stop = state.src, state.eMarks[start]
    if src[stop - 1] not in "*-_ \t" or not RULE.fullmatch(src, text_start(state, start), stop):
        return False
    if state.is_code_block(start):
        return False
    if not silent:
        reading = state.reading
        reading.blocks.append(Rule(reading.kept[start]))
        state.line = start + 1
    return True


def heading(state: NoteState, start: int, end: int, silent: bool) -> bool:
    src, end = state.src, state.eMarks[start]
    found = _HEADING.match(src, state.bMarks[start] + state.tShift[start], end)
    if not found or state.sCount[start] - state.blkIndent > 3:
        return False
    if silent:
        return True
    begin, stop = found.end(), None
    if begin < end and src[end - 1] in "# \t":
        text = src[begin:end].rstrip(" \t")
        bare = text.rstrip("#")
        if not bare or bare[-1] in " \t":
            text = bare.rstrip(" \t")  # closing hashes
        stop = state.reading.offset(start, begin + len(text)) if begin + len(text) < end else None
    level, blocks = found.end(1) - found.start(), state.reading.blocks
    if text_of_line := add_line(state, start, begin, state.sCount[start], stop):
        blocks.append(Heading(level, text_of_line))
        state.line = start + 1
    else:
        state.tShift[start] = begin - state.bMarks[start]
        blocks.append(Heading(level, add_text(state, start, start + 1, stop=stop)))
    return True


def paragraph(state: NoteState, start: int, end: int, silent: bool) -> bool:
    below = start + 1
    if below < end and state.bMarks[below] + state.tShift[below] < state.eMarks[below]:
        below = end_of_paragraph(state, below, end)
    state.reading.blocks.append(Paragraph(add_text(state, start, below, limit=end)))
    return True
