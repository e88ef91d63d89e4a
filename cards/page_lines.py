"""Lines of a pasted page as lines of Markdown: text, formulas, list items, and cards put together again."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from cards import formulas, literal, mending
from cards.doubled import INVISIBLE
from cards.page_blocks import (
    PAGE_BULLETS,
    Mark,
    Paragraph,
    Row,
    is_bare_formula,
    is_running_text,
    remains,
    separates,
    table_end,
)
from cards.page_shapes import Code
from cards.placed import Edit, Line, Piece, added, moved, rewritten, text_of
from cards.settings import Settings

_MAY_CHANGE = re.compile(rf"[$\\^_<&%*{INVISIBLE}]")
"""One of them is in each line that is mended or needs a backslash inside."""
_MATHEMATICS = re.compile(r"[\\_^=$]")
"""One of them is in each formula that has its line to itself."""
_NO_BLANK_BEFORE = (",", ".", ";", ":", ")", "]", "?", "!")


def text(row: Row, settings: Settings, start: int = 0) -> Line:
    """The text of a row from `start` on, with its formulas mended; a line with a separator is kept as typed."""
    escape = literal.block_escape(row.text, start)
    return _text(row, settings, start, (escape,) if escape else ())


def heading(row: Row, level: int, settings: Settings) -> Line:
    end = remains(row)
    edits = (literal.closing_escape(row.text[:end]), Edit(end, len(row.text), "") if end < len(row.text) else None)
    return (stand_in("#" * level + " ", row), *_text(row, settings, 0, filter(None, edits)))


def _text(row: Row, settings: Settings, start: int, more: Iterable[Edit]) -> Line:
    edits = set(more)
    if _MAY_CHANGE.search(row.text):
        edits.update(mending.edits(row.text))
        if not separates(row.text, settings):
            edits.update(literal.escapes(row.text))
    if not edits and start < len(row.text):
        return copied(row, start)
    return rewritten(row.text, row.number, row.column, sorted(edits), start)


def copied(row: Row, start: int = 0) -> Line:
    return (Piece(row.text[start:], row.number, row.column + start, copied=True),)


def mathematics(row: Row, marks: str) -> Line:
    """A row that is one formula, with or without dollar signs, between `marks`."""
    formula = formulas.whole(row.text)
    start, end = (formula.start + formula.marks, formula.end - formula.marks) if formula else (0, len(row.text))
    inner = rewritten(
        row.text[:end], row.number, row.column, moved(mending.whole_mending(row.text[start:end]), start), start
    )
    return (stand_in(marks, row), *inner, stand_in(marks, row, end))


def display(paragraph: Paragraph, settings: Settings) -> list[Line] | None:
    """The lines of a display formula; None if the paragraph is none."""
    first = paragraph[0]
    if len(paragraph) == 1:
        return [mathematics(first, "$$")] if is_formula(paragraph, settings) else None
    text = "\n".join([row.text for row in paragraph])
    if not _MATHEMATICS.search(text):
        return None
    around = _AROUND.fullmatch(text)
    if around is None and (not is_bare_formula(paragraph) or any(separates(row.text, settings) for row in paragraph)):
        return None
    marks = len(around[1]) if around else 0
    lines: list[Line] = []
    for row in paragraph:
        start, end = marks if row is first else 0, len(row.text) - (marks if row is paragraph[-1] else 0)
        if row.text[start:end].strip():
            inner = moved(mending.mending(row.text[start:end]), start)
            lines.append(rewritten(row.text[:end], row.number, row.column, inner, start))
    # a line below `$$` alone may begin with any sign, such as + which would be a list elsewhere
    return [(stand_in("$$", first),), *lines, (stand_in("$$", paragraph[-1]),)]


_AROUND = re.compile(r"(\$\$?)(?!\$)(?:[^$\\]|\\.)*\1", re.DOTALL)


def is_formula(paragraph: Paragraph, settings: Settings) -> bool:
    """Whether it is one formula; without dollar signs only if it looks like TeX or an equation."""
    row = paragraph[0]
    if len(paragraph) > 1 or not _MATHEMATICS.search(row.text) or separates(row.text, settings):
        return False
    return formulas.is_mathematics(row.text)


def table(paragraph: Paragraph, settings: Settings) -> list[Line] | None:
    """Rows of cells with a tab between them as the lines of a table; None if the paragraph is none."""
    if len(paragraph) < 2 or "\t" not in paragraph[-1].text:
        return None
    end, width = table_end(paragraph, 0)
    if end < len(paragraph) or all(row.mark for row in paragraph):
        return None
    least = min(row.indentation for row in paragraph)
    lines = [_table_row(row, (row.indentation - least + 3) // 4, width) for row in paragraph]
    if all(map(_begins_with_number, paragraph)):  # rows of data, and no header
        lines.insert(0, (stand_in("|   " * (width + 1) + "|", paragraph[0]),))
    lines.insert(1, (stand_in("|---" * (width + 1) + "|", paragraph[1]),))
    return None if any(separates(row.text, settings) for row in paragraph) else lines


def _begins_with_number(row: Row) -> bool:
    """Whether its first cell holds a number: `9 June 1815`, `June 1815`."""
    return any(map(str.isdigit, row.text.partition("\t")[0]))


_TAB = re.compile(r" *\t *")


def _table_row(row: Row, indented: int, width: int) -> Line:
    """The row with an empty cell in front for each tab by which it is `indented`, and the cells it lacks at its end."""
    lacking = width - row.text.count("\t")
    before = min(indented, lacking)
    edits = {Edit(*match.span(), " | ") for match in _TAB.finditer(row.text)}
    if _MAY_CHANGE.search(row.text):
        edits.update(mending.edits(row.text), literal.escapes(row.text))
    if "|" in row.text:
        bare = formulas.outside(row.text)
        edits.update(
            Edit(at, at, "\\") if bare[at] == "|" else Edit(at, at + 1, r"\vert" + " " * row.text[at + 1].isalpha())
            for at, char in enumerate(row.text)
            if char == "|"
        )
    inner = rewritten(row.text, row.number, row.column, sorted(edits))
    after = stand_in(" |" * (1 + lacking - before), row, len(row.text))
    return (stand_in("| " + "| " * before, row), *inner, after)


_NO_MARK = Mark("-", 0)


def items(rows: Sequence[Row], settings: Settings) -> list[Line]:
    """Rows as items of a list, nested by indentation and bullet.

    If the first one has a list mark, a row without goes on with the item above; otherwise each is an item.
    """
    lines: list[Line] = []
    open_items: list[tuple[Row, Mark, int]] = []
    marked = any(row.mark for row in rows[:1])
    for row in rows:
        found = row.mark
        if found is None and marked:
            lines.append((stand_in(" " * open_items[-1][2], row), *text(row, settings)))
            continue
        found = found or _NO_MARK
        while open_items and not _is_deeper(row, found, open_items):
            open_items.pop()
        margin = open_items[-1][2] if open_items else 0
        sign = found.mark if found.mark[0].isdigit() else "-"
        open_items.append((row, found, margin + len(sign) + 1))
        lines.append((stand_in(" " * margin + sign + " ", row), *text(row, settings, found.text)))
    return lines


def _is_deeper(row: Row, found: Mark, open_items: Sequence[tuple[Row, Mark, int]]) -> bool:
    above, its_mark, _ = open_items[-1]
    if row.indentation != above.indentation:
        return row.indentation > above.indentation
    if found.mark not in PAGE_BULLETS or its_mark.mark not in PAGE_BULLETS:
        return False
    return all(found.mark != its.mark for _, its, _ in open_items)


def fenced(code: Code) -> list[Line]:
    """The code between fences, its indentation kept."""
    rows = code.rows
    least = min(row.indentation for row in rows)
    fence = "`" * max(3, 1 + max((len(run) for row in rows for run in re.findall("`+", row.text)), default=0))
    lines: list[Line] = [(stand_in(fence + code.language, rows[0]),)]
    for above, row in zip((None, *rows), rows, strict=False):
        if above and row.number > above.number + 1:
            lines.append((stand_in("", row),))
        lines.append((stand_in(" " * (row.indentation - least), row), *copied(row)))
    return [*lines, (stand_in(fence, rows[-1], len(rows[-1].text)),)]


def stand_in(mark: str, row: Row, offset: int = 0) -> Piece:
    """A piece that the page does not show; it stands for what follows at `offset`."""
    return Piece(mark, row.number, row.column + offset, copied=False)


# Cards whose separator was lost


def card(
    question: Sequence[Paragraph], answer: Sequence[Paragraph], settings: Settings, *, bullets: bool
) -> list[Line]:
    """`question :: answer` in one line; a question above `?`, if the answer has a list or the line would hide the sign.

    `bullets`: the page shows its bullets; otherwise a run of lines is a list.
    """
    front = tuple(_joined(question, settings, opens_line=True))
    answer = [part for fragment in answer for part in _before_and_from_first_item(fragment) if part]
    listed = [_is_list(fragment, bullets=bullets) and not is_bare_formula(fragment) for fragment in answer]
    if sum(len(fragment) for fragment in answer) == 1 or not settings.multiline:
        listed = [False] * len(answer)
    if settings.inline and not any(listed):
        back = tuple(_joined(answer, settings, opens_line=False))
        line = (*front, added(f" {settings.inline} ", back[0].line, back[0].column), *back)
        if separates(text_of(line), settings) or not settings.multiline:  # not within a link, as in `[[ :: ]]`
            return [line]
    lines: list[Line] = []
    for is_list, group in groupby(zip(listed, answer, strict=True), key=lambda pair: pair[0]):
        fragments = [fragment for _, fragment in group]
        if is_list:
            lines += items([row for fragment in fragments for row in fragment], settings)
            continue
        line = tuple(_joined(fragments, settings, opens_line=True))
        if lines:
            lines.append((added("", line[0].line, line[0].column),))
        lines.append(line)
    separator = added(settings.multiline, lines[0][0].line, lines[0][0].column)
    if not all(map(text_of, lines)):
        # a blank line ends an answer outside of an item
        return [
            (added("- ", front[0].line, front[0].column), *front),
            *(_indented(line) for line in ((separator,), *lines)),
        ]
    end = [(added(settings.multiline_end, lines[-1][-1].line, lines[-1][-1].column),)] if settings.multiline_end else []
    return [front, (separator,), *lines, *end]


def _indented(line: Line) -> Line:
    return (added("  ", line[0].line, line[0].column), *line) if text_of(line) else line


def _before_and_from_first_item(fragment: Paragraph) -> tuple[Paragraph, Paragraph]:
    first = 0 if is_bare_formula(fragment) else next((at for at, row in enumerate(fragment) if row.mark), 0)
    return fragment[:first], fragment[first:]


def _is_list(fragment: Paragraph, *, bullets: bool) -> bool:
    return any(row.mark for row in fragment) or (not bullets and len(fragment) > 1 and not is_running_text(fragment))


def _joined(fragments: Sequence[Paragraph], settings: Settings, *, opens_line: bool) -> Iterator[Piece]:
    """The fragments in one line, mathematics between dollar signs, with blanks but not before punctuation."""
    first = True
    for fragment in fragments:
        is_broken = len(fragment) > 1 and is_bare_formula(fragment)
        for row in fragment:
            is_formula = is_broken or formulas.is_mathematics(row.text)
            start = 0 if is_formula else _behind_bullet(row)
            if not first and (is_formula or not row.text.startswith(_NO_BLANK_BEFORE)):
                yield stand_in(" ", row)
            if is_broken:
                yield from _part(row, "$" if row is fragment[0] else "", "$" if row is fragment[-1] else "")
            elif is_formula:
                yield from mathematics(row, "$")
            else:
                opening = literal.block_escape(row.text, start) if first and opens_line else None
                loose = literal.loose_ends(row.text)
                yield from _text(row, settings, start, [opening, *loose] if opening else loose)
            first = False


def _part(row: Row, before: str, after: str) -> Line:
    """A line of a formula that is broken over several."""
    inner = rewritten(row.text, row.number, row.column, mending.mending(row.text))
    return (stand_in(before, row), *inner, stand_in(after, row, len(row.text)))


def _behind_bullet(row: Row) -> int:
    found = row.mark
    return found.text if found and not found.mark[0].isdigit() else 0
