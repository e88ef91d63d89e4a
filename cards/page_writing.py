"""The paragraphs of a pasted page, written as Markdown."""

import re
from collections import Counter
from collections.abc import Sequence

from cards import formulas, page_lines
from cards.doubled import INVISIBLE, Doubled, said_twice
from cards.labels import STEP
from cards.lost_marks import Area, LostCard, opens_section
from cards.model import Place, Problem
from cards.page_blocks import (
    CONNECTIONS,
    Label,
    Paragraph,
    Row,
    heading_level,
    holds_card,
    is_entry,
    is_running_text,
    is_schedule,
    is_separator_line,
    is_tag_line,
    label,
    names_neighbour,
    remains,
    separates,
)
from cards.page_borders import with_borders
from cards.page_lines import stand_in
from cards.page_shapes import Code, Steps, shapes
from cards.placed import Line, Piece, added
from cards.settings import Settings

_LINKING_WORDS = frozenset(("with", "for", "of", "where", "at", "in", "when", "ke", "ka", "ki", "mein", "saath", "jab"))
"""A box title that ends in one of them goes on with the formula below it."""


_ASKING = frozenset(("example", "mistake", "recall", "note"))
"""Boxes whose text may ask; behind any other, a line with a question opens what comes next."""


def _asks(paragraph: Paragraph) -> bool:
    return len(paragraph) == 1 and paragraph[0].text.endswith("?") and paragraph[0].mark is None


_STEP = re.compile(rf"{STEP}:")

_BROKEN = "a highlight was broken by its formula and was put together again; please check it"
_MAY_BE_MENDED = re.compile(rf"[\\_^{{=<>≤≥≈{INVISIBLE}]")
"""One of them is in all that is said twice, and in each broken highlight."""
_TWICE = "a formula stood here twice and was written once; please check it"


class Writing:
    """The Markdown of a page, as far as it is written."""

    def __init__(self, path: str, settings: Settings, *, bullets: bool, title_case: bool) -> None:
        """`bullets`: the page shows its bullets; otherwise a run of lines is a list. `title_case`: as its headings are."""
        self.lines: list[Line] = []
        self.reconstructed: set[int] = set()
        self.problems: list[Problem] = []
        self.put_back: Counter[str] = Counter()
        """What the page had lost, in the singular."""
        self.left_out: list[tuple[str, int]] = []
        """Buttons and the like of the page, with their lines."""
        self._path = path
        self._settings = settings
        self._bullets = bullets
        self._title_case = title_case
        self._box = ""  # the kind of the box that is open
        self._glued = False  # the next block follows without a blank line
        self._in_connections = False
        self._taken: Paragraph | None = None  # a formula already written, in the title of its box

    def title(self, row: Row) -> None:
        self._heading(1, row)

    def body(self, body: Sequence[Paragraph]) -> None:
        """Paragraphs outside of the flashcards."""
        body, buttons = with_borders(body, self._settings, title_case=self._title_case)
        self.left_out += ((row.text, row.number) for row in buttons)
        found = list(shapes(body, self._settings))
        for shape, below in zip(found, [*found[1:], None], strict=False):
            match shape:
                case Code():
                    self._code(shape)
                case Steps():
                    self._steps(shape)
                case paragraph:
                    self._paragraph(paragraph, below if isinstance(below, tuple) else None)

    def _code(self, code: Code) -> None:
        self._in_connections = False
        self._block(page_lines.fenced(code))
        self.put_back["block of code"] += 1
        self.left_out += ((row.text, row.number) for row in code.buttons)

    def _steps(self, steps: Steps) -> None:
        self._in_connections = False
        for number, (row, paragraphs) in enumerate(steps.steps, 1):
            sign = f"{number}. "
            for index, paragraph in enumerate(paragraphs):
                lines = self._formula_or_table(paragraph) or self._lines_of(
                    paragraph, listed=self._is_list(paragraph, connects=False) and index > 0
                )
                self._glued |= number > 1 and index == 0 and len(paragraphs) == 1
                self._block(
                    [(stand_in(" " * len(sign) if index or at else sign, row), *line) for at, line in enumerate(lines)]
                )
                self._tell_mended(paragraph, listed=False)
        self.put_back["list"] += 1

    def _paragraph(self, paragraph: Paragraph, below: Paragraph | None) -> None:
        row = paragraph[0]
        connects, self._in_connections = self._in_connections, False
        if paragraph is self._taken:
            return
        if is_tag_line(row.text):
            self._close_box()
            self._block([page_lines.copied(row)])
        elif (level := heading_level(paragraph, self._settings)) and not self._is_step(row):
            self._heading(level, row)
        elif found := self._label_of(paragraph):
            rest = paragraph[1:]
            self._labelled(row, found, rest or below)
            if rest and self._in_connections:
                self._glued = True
                self._block(page_lines.items(rest, self._settings))
                self._tell_mended(rest, listed=True)
            elif rest and rest is not self._taken:
                self._plain(rest)
        else:
            if self._box and not (self._box in _ASKING or self._glued) and _asks(paragraph):
                self._close_box()
            if connects:
                self._glued |= self._is_list(paragraph, connects=True)
                self._in_connections = self._glued
            self._plain(paragraph, connects=connects)

    def area(self, area: Area) -> None:
        """The flashcards below a tag line."""
        self._close_box()
        can_separate = self._settings.inline or self._settings.multiline
        cards = {card.start: card for card in area.cards} if can_separate else {}
        index = 0
        while index < len(area.fragments):
            fragment = area.fragments[index]
            if card := cards.get(index):
                question, answer = area.fragments[index : card.answer], area.fragments[card.answer : card.end]
                lines = page_lines.card(question, answer, self._settings, bullets=self._bullets)
                self._block(lines, reconstructed=True)
                index = card.end
                continue
            if (
                index == 0
                and (level := heading_level(fragment, self._settings))
                and opens_section(fragment, self._settings)
            ):
                self._heading(level, fragment[0])
            else:
                self._plain(fragment)
            index += 1
        self.left_out += ((row.text, row.number) for row in area.left_out)
        self._tell_lost_cards(area.fragments, tuple(cards.values()))
        for index in area.unanswered:
            message = "looks like a card but was not read: a question without an answer"
            self._problem(area.fragments[index][0], 0, "looks-like-card", message)

    def _heading(self, level: int, row: Row) -> None:
        self._close_box()
        if link := row.text[remains(row) :].strip():
            self.left_out.append((link, row.number))
        self.put_back["heading"] += 1
        self._block([page_lines.heading(row, level, self._settings)])

    def _close_box(self) -> None:
        self._box = ""
        self._in_connections = self._glued = False

    def _is_step(self, row: Row) -> bool:
        """Whether it looks like a heading and is a step of the worked example whose box is open."""
        return self._box == "example" and _STEP.match(row.text) is not None

    def _label_of(self, paragraph: Paragraph) -> Label | None:
        row, *rest = paragraph
        found = label(row, self._settings)
        if found is None or any(separates(line.text, self._settings) for line in paragraph):
            return None
        if rest and found.kind == CONNECTIONS:
            return found if all(line.mark or names_neighbour(line) for line in rest) else None
        return None if rest and rest[0].text[0].islower() else found  # the sentence goes on there

    def _labelled(self, row: Row, found: Label, below: Paragraph | None) -> None:
        self._close_box()
        title = page_lines.text(row, self._settings, found.title)
        if found.kind == CONNECTIONS:
            word = Piece(found.word, row.number, row.column, copied=True)
            self._block([(stand_in("## ", row), word)])
            self.put_back["heading"] += 1
            self._block([(stand_in("- ", row, found.title), *title)])
            self.put_back["list"] += 1
            self._in_connections = True
            return
        title = (stand_in(f"[!{found.kind}] ", row), *title)
        if below and row.text.split()[-1].lower() in _LINKING_WORDS and page_lines.is_formula(below, self._settings):
            title = (*title, stand_in(" ", below[0]), *page_lines.mathematics(below[0], "$"))
            self._taken = below
        self._box = found.kind
        self.put_back["box"] += 1
        self._block([title])
        self._glued = True

    def _is_list(self, paragraph: Paragraph, *, connects: bool) -> bool:
        if len(paragraph) == 1:
            row = paragraph[0]
            named = (
                connects and not self._bullets and names_neighbour(row) and not holds_card(paragraph, self._settings)
            )
            return named or row.mark is not None
        marks = [row.mark for row in paragraph]
        if any(marks):
            return all(marks)
        listed = (not self._bullets and not is_running_text(paragraph)) or all(map(is_entry, paragraph))
        return listed and not holds_card(paragraph, self._settings)

    def _plain(self, paragraph: Paragraph, *, connects: bool = False) -> None:
        """A formula, a list, or lines of text; a schedule stays right below its card."""
        if is_schedule(paragraph[0].text):
            self._glued = bool(self.lines)
            self._block([page_lines.copied(paragraph[0])])
            return
        shown = self._formula_or_table(paragraph)
        listed = shown is None and self._is_list(paragraph, connects=connects)
        self._block(shown or self._lines_of(paragraph, listed=listed))
        if listed and not connects:
            self.put_back["list"] += 1
        self._tell_mended(paragraph, listed=listed)

    def _formula_or_table(self, paragraph: Paragraph) -> list[Line] | None:
        if formula := page_lines.display(paragraph, self._settings):
            return formula
        table = page_lines.table(paragraph, self._settings)
        if table:
            self.put_back["table"] += 1
        return table

    def _lines_of(self, paragraph: Paragraph, *, listed: bool) -> list[Line]:
        first = paragraph[0]
        if listed:
            return page_lines.items(paragraph, self._settings)
        if len(paragraph) == 1:
            if is_separator_line(first, self._settings):
                return [(stand_in("\\", first), *page_lines.copied(first))]
            if first.mark is None:
                return [page_lines.text(first, self._settings)]
        first_item = next((index for index, row in enumerate(paragraph) if row.mark), len(paragraph))
        lines = [page_lines.text(row, self._settings) for row in paragraph[:first_item]]
        if first_item == len(paragraph):
            return lines
        return [*lines, *page_lines.items(paragraph[first_item:], self._settings)]

    def _tell_mended(self, paragraph: Paragraph, *, listed: bool) -> None:
        """Tell what was mended in the block just written; a highlight makes a cloze of its paragraph or item."""
        if not _MAY_BE_MENDED.search("\n".join([row.text for row in paragraph])):
            return
        first_line = len(self.lines) - len(paragraph) + 1
        start, is_cloze = 0, True
        for offset, row in enumerate(paragraph):
            if listed or not is_cloze or row.mark:
                start = offset
            is_cloze = not separates(row.text, self._settings)
            if not _MAY_BE_MENDED.search(row.text):
                continue
            if "$" not in row.text and said_twice(row.text) and formulas.is_mathematics(row.text):
                self._problem(row, 0, "reconstructed", _TWICE)
                continue
            for found in formulas.find(row.text):
                match found:
                    case formulas.BrokenHighlight():
                        self._problem(row, row.text.index("==", found.mark), "reconstructed", _BROKEN)
                        if is_cloze:
                            self.reconstructed.add(first_line + start)
                    case Doubled(begin) if row.text.startswith(formulas.STYLED, begin):
                        self.put_back["formula"] += 1
                    case Doubled(begin):
                        self._problem(row, begin, "reconstructed", _TWICE)
                    case formulas.Formula(begin, end, marks):
                        if said_twice(row.text[begin + marks : end - marks]):
                            self._problem(row, begin, "reconstructed", _TWICE)

    def _tell_lost_cards(self, fragments: Sequence[Paragraph], cards: Sequence[LostCard]) -> None:
        runs: list[list[LostCard]] = []
        for card in cards:
            if runs and runs[-1][-1].end == card.start:
                runs[-1].append(card)
            else:
                runs.append([card])
        for run in runs:
            first, last = fragments[run[0].start][0], fragments[run[-1].end - 1][-1]
            sign = self._settings.inline or self._settings.multiline
            lost, were, them = ("card lost its", "was", "it") if len(run) == 1 else ("cards lost their", "were", "them")
            message = (
                f'{len(run)} {lost} "{sign}" here and {were} put together again '
                f"(lines {first.number}–{last.number}); please check {them}"
            )
            self._problem(first, 0, "reconstructed", message)

    def _problem(self, row: Row, offset: int, code: str, message: str) -> None:
        self.problems.append(Problem(Place(self._path, row.number, row.column + offset), code, message))

    def _block(self, lines: Sequence[Line], *, reconstructed: bool = False) -> None:
        """Write the lines as a block of their own, inside the box that is open."""
        if self.lines and not self._glued:
            in_open_box = self._box and not self._opens_box(lines[0])
            self.lines.append((added(">" if in_open_box else "", lines[0][0].line, lines[0][0].column),))
        self._glued = False
        if reconstructed:
            self.reconstructed.add(len(self.lines) + 1)
        if self._box:
            lines = [(added("> ", line[0].line, line[0].column), *line) for line in lines]
        self.lines += lines

    def _opens_box(self, line: Line) -> bool:
        return line[0].text.startswith("[!")
