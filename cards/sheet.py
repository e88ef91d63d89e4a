"""What the rules for cards share: the lines of one note, and how a stretch of it becomes a card's text."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from cards import tags
from cards.lines import Line, shown
from cards.margins import dedented
from cards.model import Content, Problem
from cards.nesting import begun_item
from cards.outline import BULLETS, HIDING, Code, Hidden, Outline, Protected, Quote, TextLine, start_of
from cards.settings import Settings
from cards.source import Source

_BLOCK_ID = re.compile(r"(?:^|(?<=\s))\^([A-Za-z0-9-]{2,})\s*\Z")
_PATH = re.compile(r"(?<!\S)[\"'(]?(?:[A-Za-z]:\\|\\\\\w)")
r"""What ends in a back-slash behind this, such as `F:\` or `C:\My Files\`, ends in no hard break."""
_END_OF_ID = re.compile(r"\^[A-Za-z0-9-]{2,}\s*")


FAR_MARK = re.compile(rf"(?:([-*+{BULLETS}])|[0-9]{{1,9}}[.)])[ \t]+(?:\[[^\n]\][ \t]+)?")
"""A list mark and its check box, where Markdown does not look for one."""

Hole = tuple[int, int, str]
"""A stretch of the source, from and to, and what stands for it."""


class Piece(NamedTuple):
    """A stretch of one line, and the columns of what was taken off before it."""

    start: int
    end: int
    indent: int = 0


@dataclass(eq=False, slots=True)
class Draft:
    """A card on its way: which lines it takes, and what was found out about it."""

    start: int
    """Where its front begins."""
    lines: tuple[int, ...]
    content: Content
    own_tags: tuple[str, ...]
    siblings: int
    block_id: str | None = None
    in_line: bool = False
    """Front and back begin within a line, so that no sign there is the mark of a block."""

    @property
    def first(self) -> int:
        return self.lines[0]

    @property
    def last(self) -> int:
        return self.lines[-1]


@dataclass(eq=False)
class Sheet:
    source: Source
    settings: Settings
    outline: Outline
    lines: tuple[Line, ...]
    problems: list[Problem] = field(default_factory=list)
    ids: dict[int, tuple[int, int, str]] = field(default_factory=dict)
    """For a line with a block id: its stretch with the blank before it, and the id."""
    edits: list[Protected] = field(init=False)
    """Comments and TeX brackets, in order."""
    may_have_ids: bool = field(init=False)
    unedited: bool = field(init=False)
    """No card's text is anything but what was typed, as no edits and no ids are in the note."""
    tagged: list[Line] = field(init=False)
    """The lines with tags."""

    def __post_init__(self) -> None:
        text = self.source.text
        edited = any(sign in text for sign in ("<!--", "%%", "\\(", "\\["))
        self.edits = [mark for text in self.outline.texts for mark in text.inner] if edited else []
        self.may_have_ids = "^" in text
        self.unedited = not self.edits and not self.may_have_ids
        self.tagged = [line for line in self.lines if line.tags] if "#" in text else []

    def tell(self, offset: int, code: str, message: str) -> None:
        self.problems.append(Problem(self.source.place(offset), code, message))

    @cached_property
    def gap(self) -> str:
        """A character that stands nowhere in the note, for a deletion while the text round it is put together."""
        return next(char for char in map(chr, range(0xE000, 0x110000)) if char not in self.source.text)

    @cached_property
    def _edit_starts(self) -> list[int]:
        return [mark.start for mark in self.edits]

    def shown(self, line: Line) -> str:
        """The line's own text, with comments as blanks and other protected text as dots; not stripped."""
        if line.text is None:
            return "." * (line.end - line.start)
        if not line.text.marks:
            return self.source.text[line.start : line.end]
        return shown(line.text, TextLine(line.number, line.start, line.end, line.indent), self.source)

    def text_start(self, line: Line, start: int, end: int) -> int:
        """The first place from `start` to `end` behind blanks and comments of the line's text."""
        marks = line.text.marks if line.text else ()
        if start < end and not self.source.text[start].isspace() and not (line.text and line.text.inner):
            return start
        while start < end:
            index = bisect_right(marks, start, key=start_of) - 1
            mark = marks[index] if index >= 0 else None
            hides = isinstance(mark, HIDING) and start < mark.end
            if hides and isinstance(mark, Protected) and mark.kind == "comment":
                start = mark.end
            elif hides or not self.source.text[start].isspace():
                break
            else:
                start += 1
        return min(start, end)

    def behind_far_mark(self, line: Line, start: int) -> int:
        """The start, behind a list mark that Markdown takes for text: it is too far indented below a paragraph's line."""
        if line.text is None or line.number == line.text.lines[0].number or start != line.start:
            return start
        mark = FAR_MARK.match(self.source.text, start, line.end)
        if mark is None or (mark[1] is None and 0 <= line.indent < 4):
            return start  # a number may be just text where it begins no list
        return mark.end()

    def find_id(self, number: int) -> str | None:
        """The block id at the end of the line, if one is there; from then on it is no text."""
        if not self.may_have_ids:
            return None
        if number in self.ids:
            return self.ids[number][2]
        line = self.lines[number]
        last = self.source.text.rfind("^", line.start, line.end)
        if line.text is None or last < 0:
            return None
        if not line.text.inner and not _END_OF_ID.fullmatch(self.source.text, last, line.end):
            return None  # of a formula, most often
        found = _BLOCK_ID.search(self.shown(line))
        if found is None or (len(found[1]) < 6 and not any(char.isalpha() for char in found[1])):
            return None
        self.ids[number] = line.start + found.start(), line.start + found.end(1), found[1]
        return found[1]

    def find_inner_ids(self, numbers: Iterable[int]) -> None:
        """Finds the block ids of the paragraphs and items that end in these lines, so that they are no text."""
        if not self.may_have_ids:
            return
        for number in numbers:
            line = self.lines[number]
            if line.text is not None and line.kind == "text" and line.text.lines[-1].number == number:
                self.find_id(number)

    def is_id_line(self, number: int) -> bool:
        """Whether the line holds nothing but a block id."""
        if number >= len(self.lines) or "^" not in self.source.lines[number]:
            return False
        if not _BLOCK_ID.match(self.shown(self.lines[number]).lstrip()):
            return False  # before `find_id` takes the id of a text for none of its text
        return self.find_id(number) is not None

    def is_tag_line(self, line: Line) -> bool:
        """Whether the line holds for what follows and is no text of an answer: tags alone; of a list item a deck's."""
        if line.kind != "tags":
            return False
        return begun_item(line) is None or any(tags.is_deck_tag(tag.name, self.settings) for tag in line.tags)

    def below(self, number: int) -> int:
        """The next line that is no comment line."""
        number += 1
        while number < len(self.lines) and self.lines[number].kind == "comment":
            number += 1
        return number

    def above(self, number: int) -> int:
        number -= 1
        while number >= 0 and self.lines[number].kind == "comment":
            number -= 1
        return number

    def raw(self, numbers: Iterable[int], quotes: tuple[Quote, ...]) -> list[Piece]:
        """The lines as typed, behind the marks of the innermost of the quotes; without comment lines."""
        lines, starts = self.lines, self.source.starts
        pieces = []
        for number in numbers:
            kind, start = lines[number].kind, starts[number]
            if kind == "comment" or (kind == "code" and self.is_schedule_in_code(number)):
                continue
            if quotes and number <= quotes[-1].last:  # a comment may run on below the quote
                start = quotes[-1].starts[number - quotes[-1].first]
                if not self.is_marked(number, quotes):  # its indentation says nothing
                    start = lines[number].start
            pieces.append(Piece(start, starts[number + 1] - 1))
        return pieces

    def is_marked(self, number: int, quotes: tuple[Quote, ...]) -> bool:
        """Whether the mark of the innermost of the quotes stands in the line."""
        own = quotes[-1].starts[number - quotes[-1].first]
        return own > (quotes[-2].starts[number - quotes[-2].first] if len(quotes) > 1 else self.source.starts[number])

    def is_schedule_in_code(self, number: int) -> bool:
        """Whether the line is nothing but a schedule comment, and right below a line of code, in the same code."""
        line = self.lines[number]
        if line.kind != "code" or not isinstance(line.block, Code) or number - 1 <= line.block.first:
            return False
        above, text = (self.source.lines[n].lstrip("> \t").rstrip() for n in (number - 1, number))
        schedule = text.startswith("<!--SR:") and text.endswith("-->")
        return schedule and bool(above) and not above.startswith("<!--SR:")

    def unmarked(self, number: int, quotes: tuple[Quote, ...]) -> Piece:
        """The line without its list mark, with the columns that the mark took."""
        (piece,) = self.raw([number], quotes)
        line = self.lines[number]
        return Piece(line.start, line.end, len(self.source.text[piece.start : line.start].expandtabs(4)))

    def span(self, number: int, start: int, end: int) -> Iterator[Piece]:
        """A stretch that begins in the line's text and may end in a lower line of the same text."""
        text = self.lines[number].text
        assert text is not None  # only running text has marks
        if len(text.lines) == 1:
            if text.start <= end:
                yield Piece(max(text.start, start), min(text.lines[0].end, end))
            return
        first = bisect_right(text.lines, start, key=start_of) - 1
        for index in range(max(first, 0), len(text.lines)):
            part = text.lines[index]
            if part.start > end:
                break
            yield Piece(max(part.start, start), min(part.end, end))

    def taken(self, number: int, start: int, end: int) -> str:
        """What `take` makes of a `span`."""
        line = self.lines[number]
        within = line.start <= start <= end <= line.end
        if not within and line.text is not None and len(line.text.lines) == 1:
            start, end, within = max(line.start, start), min(line.end, end), True
        if within and line.text is not None:
            stop = self._before_id(number, start, end)
            if not self.edits or self._is_without_edits(start, stop):
                return self._trimmed(self.source.text[start:stop], end)
        return self.take(self.span(number, start, end))

    def take(self, pieces: Iterable[Piece], holes: Sequence[Hole] = ()) -> str:
        """The text of the pieces as a card shows it: no comments, no ids, TeX brackets as dollars, dedented, trimmed.

        `holes`, in order, are stretches in whose place something else is put.
        """
        source = self.source.text
        pieces = tuple(pieces)
        if len(pieces) == 1 and not holes:
            start, stop, _ = pieces[0]
            if self.unedited or self._is_untouched(start, stop):
                return self._trimmed(source[start:stop], stop)
        if self.unedited and pieces and not holes:
            return self._trimmed(
                "\n".join(dedented([(n, source[start:end]) for start, end, n in pieces])), pieces[-1].end
            )
        lines: list[tuple[int | None, list[str]]] = []
        end = 0
        for piece in pieces:
            if not holes and self._is_untouched(piece.start, piece.end):
                lines.append((piece.indent, [source[piece.start : piece.end]]))
                end = piece.end
                continue
            marks = self._marks_from(piece)
            text, cut, joined = self._edited(piece, holes, marks)
            if cut and not text.strip():
                continue
            end = piece.end
            if joined and lines:
                lines[-1][1].append(text)
            else:
                behind_comment = bool(marks) and marks[0].start < piece.start and marks[0].kind == "comment"
                lines.append((None if behind_comment else piece.indent, [text]))
        if len(lines) == 1:
            return self._trimmed("".join(lines[0][1]), end)
        return self._trimmed("\n".join(dedented([(indent, "".join(parts)) for indent, parts in lines])), end)

    def around(self, start: int, end: int, holes: Sequence[Hidden]) -> list[str] | None:
        """What the holes leave of a stretch of one line, each part as `take` gives it; None if more is edited there."""
        if not self.unedited and not self._is_untouched(start, end):
            return None
        text, parts = self.source.text, []
        for hole in holes:
            parts.append(text[start : hole.start])
            start = hole.end
        parts.append(text[start:end])
        return self._trimmed(self.gap.join(parts), end).split(self.gap)

    def _trimmed(self, text: str, end: int) -> str:
        """The text, which ends at this place, without blanks round it and without a hard break at its end."""
        text = text.strip()
        if not text.endswith("\\") or (len(text) - len(text.rstrip("\\"))) % 2 == 0:
            return text
        if text == "\\" or _PATH.search(text, text.rfind("\n") + 1):
            return text
        line = self.lines[self.source.line_of(end)]
        goes_on = line.text is not None and line.number < line.text.lines[-1].number
        return text[:-1].rstrip() if goes_on and end == line.end else text

    def _before_id(self, number: int, start: int, end: int) -> int:
        """The end of a stretch of the line, without the block id in it, which ends the line but for blanks."""
        if not self.ids or number not in self.ids:
            return end
        begin, behind, _ = self.ids[number]
        return begin if start <= begin and behind <= end else end

    def _is_untouched(self, start: int, end: int) -> bool:
        """Whether no comment, TeX bracket or block id is in a stretch of one line."""
        if self.ids and self.source.line_of(start) in self.ids:
            return False
        return not self.edits or self._is_without_edits(start, end)

    def _is_without_edits(self, start: int, end: int) -> bool:
        above = bisect_left(self._edit_starts, end) - 1
        return above < 0 or self.edits[above].end <= start

    def _edited(self, piece: Piece, holes: Sequence[Hole], marks: Sequence[Protected]) -> tuple[str, bool, bool]:
        """The text, whether something was cut out, and whether it goes on with a formula of the line above."""
        source = self.source.text
        first = _index(holes, piece.start) if holes else 0
        goes_on = bool(holes) and any(start < piece.start < end for start, end, _ in holes[first : first + 2])
        out = ""
        place, cut = piece.start, False
        for start, end, text in sorted(self._edits_of(piece, holes, first, marks)):
            if start < place:
                continue
            out += source[place:start] + text
            place = end
            if not text and not (goes_on and start == piece.start):
                cut = True
                if not out or out[-1] in " \t":
                    place += source.startswith((" ", "\t"), end, piece.end)
                if place == piece.end and out[-1:] in (" ", "\t"):
                    out = out[:-1]
        out += source[place : piece.end]
        begun = marks[0] if marks and marks[0].start < piece.start else None  # above
        in_formula = begun is not None and begun.kind == "tex" and source[begun.start + 1] == "("
        return (" " + out.lstrip() if in_formula else out), cut, in_formula or goes_on

    def _marks_from(self, piece: Piece) -> Sequence[Protected]:
        if not self.edits:
            return ()
        first = max(bisect_left(self._edit_starts, piece.start) - 1, 0)
        behind = bisect_left(self._edit_starts, piece.end, first)
        return [mark for mark in self.edits[first:behind] if mark.end > piece.start]

    def _edits_of(
        self, piece: Piece, holes: Sequence[Hole], first: int, marks: Sequence[Protected]
    ) -> Iterator[tuple[int, int, str]]:
        for mark in marks:
            if mark.kind == "comment":
                yield max(mark.start, piece.start), min(mark.end, piece.end), ""
            elif piece.start <= mark.start or mark.end <= piece.end:  # it begins or ends here
                yield from (edit for edit in self._dollars(mark) if edit[1] <= piece.end)
        for index in range(first, len(holes)):
            start, end, text = holes[index]
            if start >= piece.end:
                break
            if piece.start < end:
                yield max(start, piece.start), min(end, piece.end), text if start >= piece.start else ""
        block_id = self.ids.get(self.source.line_of(piece.start)) if self.ids else None
        if block_id and piece.start <= block_id[0] and block_id[1] <= piece.end:
            yield block_id[0], block_id[1], ""

    def _dollars(self, mark: Protected) -> Iterator[tuple[int, int, str]]:
        text = self.source.text
        sign = "$" if text[mark.start + 1] == "(" else "$$"
        inside = text[mark.start + 2 : mark.end - 2]
        if sign == "$" and inside.strip():
            left, right = len(inside) - len(inside.lstrip()), len(inside) - len(inside.rstrip())
        else:
            left = right = 0
        yield mark.start, mark.start + 2 + left, sign
        yield mark.end - 2 - right, mark.end, sign

    def own_tags(self, number: int, start: int, end: int) -> tuple[tuple[str, ...], int]:
        """The tags at the very start of a question that begins at `start`, and where its text begins behind them."""
        names = []
        place = start
        for tag in self.lines[number].tags:
            if tag.start < place:
                continue  # of a cell before
            if tag.start != place or tag.name.split("/")[0] in tags.PREPROCESSOR_WORDS:
                break
            behind = tag.end
            while behind < end and self.source.text[behind].isspace():
                behind += 1
            if behind == tag.end or behind >= end:
                break
            names.append(tag.name)
            place = behind
        return tuple(names), place


def _index(holes: Sequence[Hole], place: int) -> int:
    """The last hole that may reach over the place, or the first one behind it."""
    return max(bisect_left(holes, (place, 0, "")) - 1, 0)
