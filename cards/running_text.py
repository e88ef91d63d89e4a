"""Running text: its lines in the source, and how far it runs on in a comment, a formula or an element."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from operator import add

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.utils import EnvType

from cards.marks import Signs, highlights_of, only_separator, read_marks, settled
from cards.model import Problem
from cards.outline import Block, Code, Text, TextLine
from cards.scan import Sign
from cards.source import Source

BlockRule = Callable[["NoteState", int, int, bool], bool]
RulesByStart = Mapping[str, Mapping[str, tuple[BlockRule, ...]]]
"""For each chain of rules those that may begin with a character; "" stands for all other characters."""
FENCE = re.compile(r"(`{3,})[^`\n]*$|(~{3,})", re.MULTILINE)
_RUNS_ON = re.compile(r"<!--|%%|\$\$|<(?:pre|script|style|textarea|code)\b", re.IGNORECASE)
_INDENT = re.compile(r"\n([ \t]+)")
"""The blanks that a line begins with; a search for `^` looks at each character, one for a line feed does not."""
_QUOTE_MARK = re.compile(r"[ \t]*>[ \t]?")
_BEHIND_MARKS = re.compile(r"[ \t>]*")


@dataclass(slots=True)
class Reading:
    """What the rules share while one note is parsed."""

    source: Source
    kept: list[int]
    """The lines of the source that the parser sees."""
    begins: list[int]
    """Where these lines begin in the parser's text."""
    rules: RulesByStart
    signs: Signs
    blocks: list[Block] = field(default_factory=list)
    """What the innermost open container holds so far."""
    texts: list[Text] = field(default_factory=list)
    codes: list[Code] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    missing: set[str] = field(default_factory=set)
    """Closing marks that do not come any more."""
    no_math: range = range(0)
    """Lines known to hold no end of a display formula."""

    def offset(self, line: int, position: int) -> int:
        return self.source.starts[self.kept[line]] + position - self.begins[line]

    def tell(self, offset: int, code: str, message: str) -> None:
        self.problems.append(Problem(self.source.place(offset), code, message))


@dataclass(slots=True)
class Marks:
    """Where lines begin inside or outside of a quote: lists as those of markdown-it's state, right for `lines`."""

    bMarks: list[int]
    tShift: list[int]
    sCount: list[int]
    """Inside a quote -1 for a line without a mark."""
    bsCount: list[int]
    lines: range = range(0)
    key: tuple[range, int] | None = None
    """What else they depend on: the lines of the quote around it, and how deep it is indented there."""


class NoteState(StateBlock):
    """markdown-it's state of the parser, with what the rules share."""

    def __init__(self, lines: Sequence[str], reading: Reading, md: MarkdownIt, env: EnvType) -> None:
        super().__init__("", md, env, [])
        self.src = "\n".join(lines)
        self.reading = reading
        if lines and not lines[-1].strip(" \t"):
            lines = lines[:-1]  # as markdown-it counts them
        # the last entry of each list is that of the end of the text
        self.bMarks = [*reading.begins[: len(lines)], len(self.src)]
        self.eMarks = [*map(add, reading.begins, map(len, lines)), len(self.src)]
        self.tShift, self.sCount, self.bsCount = ([0] * (len(lines) + 1) for _ in range(3))
        for found in _INDENT.finditer("\n" + self.src, 0, self.eMarks[-2] + 1 if lines else 0):
            line, blanks = bisect_left(reading.begins, found.start()), found[1]
            self.tShift[line], self.sCount[line] = len(blanks), len(blanks.expandtabs(4))
        self.lineMax = len(lines)
        self.inside = range(self.lineMax)
        """The lines of the innermost open quote, or of the note."""
        self._current = Marks(self.bMarks, self.tShift, self.sCount, self.bsCount, self.inside)
        self._inner: list[Marks] = []
        self._outer: list[Marks] = []

    def inner(self) -> Marks:
        """The lines as they were last seen inside a quote within those that are open."""
        depth = len(self._outer)
        if depth == len(self._inner):
            self._inner.append(Marks([*self.bMarks], [*self.tShift], [*self.sCount], [*self.bsCount]))
        return self._inner[depth]

    def enter(self, inner: Marks) -> None:
        self._outer.append(self._current)
        self._use(inner)

    def leave(self) -> None:
        self._use(self._outer.pop())

    def _use(self, marks: Marks) -> None:
        self._current = marks
        self.bMarks, self.tShift, self.sCount, self.bsCount = marks.bMarks, marks.tShift, marks.sCount, marks.bsCount
        self.inside = marks.lines
        self.lineMax = marks.lines.stop

    def marks_below(self, line: int) -> "Marks | NoteState":
        """The lists that are right for a line below the open quotes."""
        return next(
            (outer for outer in reversed(self._outer) if line < outer.lines.stop), next(iter(self._outer), self)
        )


def text_start(state: NoteState, line: int) -> int:
    return state.bMarks[line] + state.tShift[line]


def skip_blanks(state: NoteState, place: int, stop: int, column: int, before: int) -> tuple[int, int]:
    """The place of the next character that is no blank, and its column; `before` moves the stops of tabs."""
    while place < stop and (char := state.src[place]) in " \t":
        column += 4 - (column + before) % 4 if char == "\t" else 1
        place += 1
    return place, column


def line_text(state: NoteState, line: int) -> str:
    return state.src[text_start(state, line) : state.eMarks[line]].strip()


def is_interrupted(state: NoteState, chain: str, line: int, end: int) -> bool:
    """Whether something begins in the line, which is not blank, that ends a block of this kind."""
    rules = state.reading.rules[chain]
    for rule in rules.get(state.src[text_start(state, line)], rules[""]):  # noqa: SIM110 - `any` is slower
        if rule(state, line, end, True):
            return True
    return False


def end_of_paragraph(state: NoteState, line: int, limit: int) -> int:
    old_parent, state.parentType = state.parentType, "paragraph"
    rules, src, ends = state.reading.rules["paragraph"], state.src, state.eMarks
    begins, shifts, columns, margin = state.bMarks, state.tShift, state.sCount, state.blkIndent
    others = rules[""]
    while line < limit and (place := begins[line] + shifts[line]) < ends[line]:
        if columns[line] - margin > 3:
            if state.level and FENCE.match(src, place, ends[line]):
                break
        elif rules.get(src[place], others) and columns[line] >= 0 and is_interrupted(state, "paragraph", line, limit):
            break
        line += 1
    state.parentType = old_parent
    return line


def add_text(
    state: NoteState, start: int, end: int, *, limit: int = 0, stop: int | None = None, row: bool = False
) -> Text:
    """Reads the running text of the lines, and goes on below it.

    A paragraph may go on up to the parser's line `limit`. `stop` is where the last line ends in the source, if not at
    its end.
    """
    reading = state.reading
    lines: list[TextLine] = []
    if end == start + 1:
        lines.append(_line(reading, start, state.bMarks[start] + state.tShift[start], state.sCount[start]))
    else:
        _add_lines(state, lines, start, end)
    first = lines[0]
    if stop is not None:
        lines[0] = first._replace(end=stop)
    text = _simple(reading, lines)
    if text is None:
        content = _content(reading.source, lines)
        signs = read_marks(content, state.md, state.env, row=row)
        count = len(lines)
        end = end if row else _run_on(state, lines, end, limit, signs)
        if len(lines) > count:
            lines[0] = first
            content = _content(reading.source, lines)
            signs = read_marks(content, state.md, state.env)
        text = Text(tuple(lines), *settled(content, signs, _moved(lines)))
    reading.texts.append(text)
    state.line = end
    return text


def add_line(state: NoteState, line: int, begin: int, indent: int, stop: int | None = None) -> Text | None:
    """Reads the running text that is one line from `begin` on; nothing if it may run on below it.

    `stop` is where it ends in the source, if not at the end of the line.
    """
    reading = state.reading
    lines = [_line(reading, line, begin, indent, stop)]
    text = _simple(reading, lines)
    if text is None:
        content = _content(reading.source, lines)
        if _RUNS_ON.search(content):
            return None
        signs = read_marks(content, state.md, state.env)
        text = Text(tuple(lines), *settled(content, signs, _moved(lines)))
    reading.texts.append(text)
    return text


def _simple(reading: Reading, lines: Sequence[TextLine]) -> Text | None:
    """A text without marks, or with nothing but one separator or closed highlights: no rule need look at it."""
    signs, source = reading.signs, reading.source
    start, end = lines[0].start, lines[-1].end
    first = signs.place.search(source.text, start, end)
    if first is None:
        return Text(tuple(lines), (), ())
    if len(lines) == 1 and (separator := only_separator(signs, source.text, first.start(), end)):
        return Text(tuple(lines), (separator,), ())
    if signs.highlights is None or source.text.find("==", start, end) < 0:
        return None
    if not signs.highlights.fullmatch(content := _content(source, lines)):
        return None
    return Text(tuple(lines), highlights_of(content, _moved(lines)), ())


def _moved(lines: Sequence[TextLine]) -> Callable[[int], int]:
    """What makes offsets of the source from those of a text."""
    if len(lines) == 1:
        return lines[0].start.__add__
    begins = list(accumulate([end - start + 1 for _, start, end, _ in lines], initial=0))

    def moved(offset: int) -> int:
        index = bisect_right(begins, offset, hi=len(lines)) - 1
        return lines[index].start + offset - begins[index]

    return moved


def _content(source: Source, lines: Sequence[TextLine]) -> str:
    if len(lines) == 1:
        return source.text[lines[0].start : lines[0].end]
    text = source.text
    return "\n".join([text[start:end] for _, start, end, _ in lines])


def _line(reading: Reading, line: int, begin: int, indent: int, stop: int | None = None) -> TextLine:
    number, starts = reading.kept[line], reading.source.starts
    end = starts[number + 1] - 1 if stop is None else stop
    return TextLine(number, begin + starts[number] - reading.begins[line], end, indent)


def _add_lines(state: NoteState, lines: list[TextLine], start: int, end: int) -> None:
    """Adds the lines of a text, with the comment lines above them that the parser does not see."""
    reading = state.reading
    source, kept, begins, starts = reading.source, reading.kept, reading.begins, reading.source.starts
    if not lines and kept[end - 1] - kept[start] == end - 1 - start:
        columns, places, shifts = state.sCount, state.bMarks, state.tShift
        lines += [
            TextLine(
                number,
                starts[number] - begins[line] + places[line] + shifts[line],
                starts[number + 1] - 1,
                columns[line],
            )
            for line, number in enumerate(range(kept[start], kept[end - 1] + 1), start)
        ]
        return
    above = lines[-1].number if lines else kept[start] - 1
    for line in range(start, min(end, len(kept))):
        number = kept[line]
        if above + 1 < number:
            lines += (_unseen(source, unseen) for unseen in range(above + 1, number))
        above = number
        marks = state if line < state.lineMax else state.marks_below(line)
        begin, stop = marks.bMarks[line] + marks.tShift[line], state.eMarks[line]
        indent = lines[0].indent if lines and begin >= stop else marks.sCount[line]
        shift = starts[number] - begins[line]
        lines.append(TextLine(number, min(begin, stop) + shift, starts[number + 1] - 1, indent))


def behind_quote_marks(source: Source, number: int, most: int) -> int:
    """Where the text of a line begins that the parser does not see, which lies in so many quotes."""
    place = source.starts[number]
    while most and (found := _QUOTE_MARK.match(source.text, place, source.end(number))):
        place, most = found.end(), most - 1
    return place


def _unseen(source: Source, number: int) -> TextLine:
    found = _BEHIND_MARKS.match(source.text, source.starts[number], source.end(number))
    assert found  # it can match nothing at all
    return TextLine(number, found.end(), source.end(number), len(found[0]))


def _run_on(state: NoteState, lines: list[TextLine], end: int, limit: int, signs: Sequence[Sign]) -> int:
    """Takes in the lines below that a comment, a formula or an element begun in the text runs through."""
    reading = state.reading
    text = reading.source.text
    while True:
        behind = _first_closing(state, signs, lines[-1].end, end, limit)
        if behind is None:
            return end
        last = reading.source.line_of(behind - 1)
        lower = bisect_left(reading.kept, last + 1)
        _add_lines(state, lines, end, lower)
        lines += (_unseen(reading.source, unseen) for unseen in range(lines[-1].number + 1, last + 1))
        index, begin, end = len(lines) - 1, behind, max(lower, end)
        if limit:
            below = end_of_paragraph(state, end, limit)
            if below > end:
                _add_lines(state, lines, end, below)
            end = below
        below_end = [text[start:stop] for _, start, stop, _ in lines[index + 1 :]]
        content = "\n".join([text[begin : lines[index].end], *below_end])
        signs = read_marks(content, state.md, state.env) if _RUNS_ON.search(content) else ()


def _first_closing(state: NoteState, signs: Sequence[Sign], offset: int, line: int, limit: int) -> int | None:
    """The `_closing` of the first of the marks that stay open and have one."""
    for sign in signs:
        if sign.kind == "open" and (behind := _closing(state, sign.closing, offset, line, limit)) is not None:
            return behind
    return None


def _closing(state: NoteState, mark: str, offset: int, line: int, limit: int) -> int | None:
    """The offset behind the first closing mark below a text that ends at `offset`, above the parser's `line`."""
    reading = state.reading
    if mark == "$$":
        return _end_of_formula(state, line, limit)
    if mark in reading.missing:
        return None
    found = _pattern(mark).search(reading.source.text, offset)
    if found is None:
        reading.missing.add(mark)
        return None
    end = reading.source.text.find(">", found.end()) if mark.startswith("</") else found.end() - 1
    return end + 1 or None


@cache
def _pattern(mark: str) -> re.Pattern[str]:
    return re.compile(re.escape(mark), re.IGNORECASE)


def _end_of_formula(state: NoteState, line: int, limit: int) -> int | None:
    reading = state.reading
    first = line
    if line in reading.no_math:
        line = reading.no_math.stop
    while line < limit and (state.isEmpty(line) or state.sCount[line] >= state.blkIndent):
        position = state.src.find("$$", state.bMarks[line], state.eMarks[line])
        if position >= 0:
            return reading.offset(line, position) + 2
        line += 1
    reading.no_math = range(first, max(line, first))
    return None
