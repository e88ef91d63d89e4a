"""Cards of several lines: a line that is only a separator, the question above it and the answer below."""

from bisect import bisect_right
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from cards.model import Basic, Reversed
from cards.nesting import begun_item, goes_on_with, holding_depth, home_of, lies_within
from cards.outline import Code, Heading, Item, Quote
from cards.sheet import Draft, Piece, Sheet

_ENDS = frozenset(("blank", "heading", "rule", "tags", "title"))


@dataclass(slots=True)
class _Asked:
    """The question of a separator line."""

    lines: tuple[int, ...]
    skips_blanks: bool = False
    """A blank line stands between question and separator, so blank lines below the separator mean nothing either."""
    quotes: tuple[Quote, ...] | None = None
    """Whose marks are none of its text; those that hold the separator line if it does not say so."""


@dataclass
class MultilineReader:
    """Goes through the separator lines of a note from top to bottom."""

    sheet: Sheet
    separators: Mapping[int, tuple[str, int]]
    """Each separator line, in order, with its sign and where that stands."""
    markers: tuple[int, ...]
    inline_lines: AbstractSet[int]
    """Lines with an inline separator, which are no part of a question."""
    named: AbstractSet[int]
    """Lines with nothing but the block id of the inline card above."""
    drafts: list[Draft] = field(default_factory=list)
    _closed: set[int] = field(default_factory=set)
    """Lines that belong to other cards."""
    _tag_lines: frozenset[int] = frozenset()
    """Lines that are no part of a card: of tags, which hold for what follows too."""
    _forced: dict[int, _Asked] = field(default_factory=dict)
    """Questions that were found while the answer above was read."""
    _in_order: tuple[int, ...] = ()
    """The separator lines."""
    _last_sign: int = -1
    """The last line with a separator, below which no card begins."""

    def read(self) -> list[Draft]:
        self._in_order = tuple(self.separators)
        self._last_sign = max((*self.separators, *self.inline_lines), default=-1)
        self._closed = {*self.markers, *self.inline_lines, *self.named, *self.separators}
        tags = [line.number for line in self.sheet.tagged if self.sheet.is_tag_line(line)]
        self._tag_lines = frozenset(tags).difference(self.separators)
        for number in self.separators:
            if draft := self._card(number):
                self.drafts.append(draft)
        return self.drafts

    def _card(self, number: int) -> Draft | None:
        sheet, line = self.sheet, self.sheet.lines[number]
        sign, start = self.separators[number]
        quotes, home = self._holders(number) if line.containers else ((), None)
        asked = self._forced.get(number) or self._question(number, quotes, home)
        if not asked.lines:
            sheet.tell(start, "no-front", f'nothing stands before "{sign}"')
            return None
        answer, end, passed = self._answer(number, quotes, home, skips_blanks=asked.skips_blanks)
        if not answer:
            sheet.tell(start, "no-back", f'nothing stands after "{sign}"')
            return None
        front_start, own_tags, pieces = self._front(asked.lines, asked.quotes or quotes, home)
        block_id = self._find_ids(asked.lines, answer) if sheet.may_have_ids else None
        front = sheet.take(pieces)
        below = range(asked.lines[-1] + 1, end + 1)
        left_out = passed | self._tag_lines.intersection(below) if passed else self._tag_lines
        back = sheet.take(sheet.raw([n for n in answer if n not in left_out] if left_out else answer, quotes))
        if not front or not back:
            code, where = ("no-front", "before") if not front else ("no-back", "after")
            sheet.tell(start, code, f'nothing stands {where} "{sign}"')
            return None
        if self._tag_lines:
            above = range(asked.lines[0], number)
            own_tags += tuple([tag.name for n in above if n in self._tag_lines for tag in sheet.lines[n].tags])
        lines = (*asked.lines, *([n for n in below if n not in left_out] if left_out else below))
        self._closed.update(lines)
        both = sign == sheet.settings.multiline_reversed
        content = Reversed(front, back) if both else Basic(front, back)
        return Draft(front_start, lines, content, own_tags, 2 if both else 1, block_id)

    def _find_ids(self, question: tuple[int, ...], answer: range) -> str | None:
        """The block id behind the answer, or else behind a question that is a block of its own."""
        last = self.sheet.lines[question[-1]]
        ends = last.text is not None and last.text.lines[-1].number == last.number
        of_question = self.sheet.find_id(last.number) if ends else None
        of_answer = None if answer[-1] in self.inline_lines else self.sheet.find_id(answer[-1])  # else that card's
        self.sheet.find_inner_ids((*question, *answer))
        return of_answer or of_question

    def _holders(self, number: int) -> tuple[tuple[Quote, ...], Item | None]:
        """The quotes and the home item of the card of a separator line."""
        line, quotes = self.sheet.lines[number], self._quotes(number)
        if quotes == line.quotes:
            return quotes, home_of(line)
        return quotes, home_of(line, quotes, self.sheet.unmarked(number, quotes).indent)

    def _quotes(self, number: int) -> tuple[Quote, ...]:
        """The quotes that a card lies in: not one that only ends its question, above a separator without a quote mark."""
        lines = self.sheet.lines
        quotes = lines[number].quotes
        while quotes and lines[number].indent < 0:
            above = self.sheet.above(quotes[-1].first)
            outer = quotes[:-1]
            if above < 0 or lines[above].kind != "text" or above in self._closed:
                break
            if not lies_within(lines[above], outer, None) or self.sheet.is_marked(number, quotes):
                break
            quotes = outer
        return quotes

    def _question(self, number: int, quotes: tuple[Quote, ...], home: Item | None) -> _Asked:
        lines = self.sheet.lines
        nearest = self.sheet.above(number)
        confined = bool(quotes) or home is not None
        if home is None and nearest >= 0 and lines[nearest].quotes and (asked := self._callout_above(number, nearest)):
            return asked
        found: list[int] = []
        above = number - 1
        while above >= 0:
            line = lines[above]
            empty = not found and line.kind == "heading" and line.start == line.end  # it ends a quote above it
            if line.kind != "comment" and not empty:
                ends = line.kind in _ENDS and (line.kind != "title" or len(line.quotes) <= len(quotes))
                if ends or above in self._closed or (confined and not lies_within(line, quotes, home)):
                    break
                if found and line.containers:
                    depth = holding_depth(lines[number], quotes, home)
                    if self._is_of_back(above, depth) and not self._is_of_back(found[-1], depth):
                        break
                found.append(above)
            if home is not None and above == home.first:
                break
            above -= 1
        if found:
            return _Asked(tuple(found[::-1]))
        if nearest < 0 or (home is not None and nearest < home.first):
            return _Asked(())
        if lines[nearest].kind == "blank":
            return _Asked(self._block_above(nearest, quotes, home), skips_blanks=True)
        return _Asked(self._heading_at(nearest, quotes, home))

    def _callout_above(self, number: int, nearest: int) -> _Asked | None:
        """The callout right above as a whole, title and all, if the separator has no quote mark of its own."""
        line, above = self.sheet.lines[number], self.sheet.lines[nearest]
        depth = len(line.quotes) - (line.indent < 0)
        if len(above.quotes) <= depth:
            return None
        callout = above.quotes[depth]
        title = self.sheet.lines[callout.first]
        first = callout.first if self.sheet.shown(title).strip() else callout.first + 1
        if title.kind != "title" or first == number:
            return None
        before = self.sheet.above(callout.first)
        if before >= 0 and self.sheet.lines[before].kind == "text" and before not in self._closed:
            return None  # that text belongs to the question too
        numbers = range(first, number)
        if not self._closed.isdisjoint(reversed(numbers)):  # upward: most often the nearest is
            return None
        return _Asked(tuple(n for n in numbers if n not in self._tag_lines), quotes=above.quotes[: depth + 1])

    def _heading_at(self, number: int, quotes: tuple[Quote, ...], home: Item | None) -> tuple[int, ...]:
        """The heading in this line or right above the tag lines that begin there upward, if no other card has it.

        The title of a callout stands for one, where the settings say of its type that the title is a question.
        """
        lines = self.sheet.lines
        while number >= 0 and lines[number].kind == "tags":
            number = self.sheet.above(number)
        if number < 0 or number in self._closed or not lies_within(line := lines[number], quotes, home):
            return ()
        if line.kind == "heading":
            return (number,)
        if line.kind != "title" or home is not None or len(line.quotes) != len(quotes):
            return ()
        return (number,) if quotes[-1].kind in self.sheet.settings.callouts else ()

    def _is_of_back(self, number: int, depth: int) -> bool:
        """Whether the line is deeper than an item with an inline separator, and so may belong to its back."""
        line = self.sheet.lines[number]
        return any(
            isinstance(holder, Item) and holder.first in self.inline_lines and line.indent > holder.indent
            for holder in line.containers[depth:]
        )

    def _block_above(self, number: int, quotes: tuple[Quote, ...], home: Item | None) -> tuple[int, ...]:
        """The lines of the nearest paragraph, item, fence or heading above, if no other card has them."""
        lines = self.sheet.lines
        while number >= 0 and lines[number].kind in ("blank", "comment"):
            number -= 1
        if number < 0 or ((quotes or home) and not lies_within(lines[number], quotes, home)):
            return ()
        line = lines[number]
        if line.kind in ("tags", "title"):
            return self._heading_at(number, quotes, home)
        if line.kind not in ("text", "code", "heading") or len(line.quotes) > len(quotes):
            return ()
        inner = line.item if line.containers else None
        if inner is not None and inner is not home:
            first = inner.first
        elif isinstance(line.block, Code):
            first = line.block.first
        else:
            first = line.text.lines[0].number if line.text else number
        block = range(first, number + 1)
        while block and lines[block[0]].kind in ("tags", "comment", "blank"):
            block = block[1:]
        for n in block:
            if n in self._closed or lines[n].kind == "tags":
                return ()
        return tuple(block)

    def _answer(
        self, number: int, quotes: tuple[Quote, ...], home: Item | None, *, skips_blanks: bool
    ) -> tuple[range, int, AbstractSet[int]]:
        """The lines of the answer, the last line that the card takes, and those in between that other cards have."""
        lines = self.sheet.lines
        marker = self._marker(number) if self.sheet.settings.multiline_end else None
        confined = bool(quotes) or home is not None
        depth = holding_depth(lines[number], quotes, home) if confined else 0
        found: list[int] = []
        passed: set[int] = set()
        below = number + 1
        if skips_blanks:
            while below < len(lines) and lines[below].kind in ("blank", "comment"):
                below += 1
        while below < len(lines) and below != marker:
            line = lines[below]
            if line.kind == "comment":
                below += 1
            elif line.kind == "blank":
                if marker is None and home is None and not (found and len(lines[found[-1]].containers) > depth):
                    break  # no list or quote of the answer could go on
                after = self._next_filled(below)
                if after is None:
                    break
                if marker is None and not self._goes_on(after, found[-1] if found else None, number, quotes, home):
                    behind = self._behind_cards(after, quotes, home) if home is not None and found else after
                    if behind == after:
                        break
                    passed.update(range(below, behind))
                    after = behind
                below = after
            elif confined and not lies_within(line, quotes, home):
                break
            elif below in self.separators:
                found = self._cut_before(below, number, found)
                break
            elif (
                marker is None
                and (below in self._tag_lines or (line.kind in ("heading", "rule") and len(line.containers) <= depth))
                and not (not found and self._heads_answer(below, number))
            ):
                break
            else:
                found.append(below)
                below += 1
        if not found:
            return range(0), number, passed
        end = marker if marker is not None and below == marker else found[-1]
        return range(found[0], found[-1] + 1), end, passed

    def _behind_cards(self, number: int, quotes: tuple[Quote, ...], home: Item) -> int:
        """The line behind the sub-items and quotes in the home that begin here and hold all of their own cards."""
        lines = self.sheet.lines
        while number < len(lines) and lies_within(lines[number], quotes, home) and self._begins_card(number):
            holder = lines[number].containers[-1]
            if holder is home or self._next_filled(holder.last + 1) in self.separators:
                break
            margin = holder.indent if isinstance(holder, Item) else -1
            inside = self._in_order[bisect_right(self._in_order, number) : bisect_right(self._in_order, holder.last)]
            if any(lines[n].indent <= margin for n in inside):
                break
            number = holder.last + 1
        return number

    def _heads_answer(self, below: int, number: int) -> bool:
        """Whether the heading is a part of the answer: right below the separator, deeper than the one that holds there,
        and with text of no other card right below it."""
        lines = self.sheet.lines
        heading, after = lines[below].block, self.sheet.below(below)
        if not isinstance(heading, Heading) or self.sheet.above(below) != number:
            return False
        if after == len(lines) or lines[after].kind in _ENDS or self._begins_card(after):
            return False
        outer = (lines[n].block for n in range(number - 1, -1, -1) if n not in self.separators)
        level = next((block.level for block in outer if isinstance(block, Heading)), None)
        return level is not None and level < heading.level

    def _marker(self, number: int) -> int | None:
        index = bisect_right(self.markers, number)
        if index < len(self.markers):
            return self.markers[index]
        self.sheet.tell(
            self.separators[number][1],
            "no-end",
            f'the end marker "{self.sheet.settings.multiline_end}" is missing; the answer ends at the blank line',
        )
        return None

    def _next_filled(self, number: int) -> int | None:
        lines = self.sheet.lines
        while number < len(lines) and lines[number].kind in ("blank", "comment"):
            number += 1
        return number if number < len(lines) else None

    def _goes_on(self, after: int, last: int | None, number: int, quotes: tuple[Quote, ...], home: Item | None) -> bool:
        """Whether the answer goes on behind a blank line: in its home item, list or quote, where no card begins."""
        lines = self.sheet.lines
        line = lines[after]
        if last is None or self._begins_card(after):
            return False
        if home is not None and lies_within(line, quotes, home):
            return True
        depth = holding_depth(lines[number], quotes, home)
        return any(
            before.first > number and (before is now or goes_on_with(before, now, after))
            for before, now in zip(lines[last].containers[depth:], line.containers[depth:], strict=False)
        )

    def _begins_card(self, number: int) -> bool:
        """Whether the block that begins in the line has a separator, or a separator line follows it."""
        if number > self._last_sign:
            return False
        line = self.sheet.lines[number]
        last = line.text.lines[-1].number if line.text else number
        if isinstance(line.block, Code):
            last = line.block.last
        item = begun_item(line)
        for n in range(number, last + 1):
            if n in self.separators:
                return True
            if n in self.inline_lines and (item is None or self.sheet.lines[n].indent > item.indent):
                return True  # at the margin it is a card of its own, below the item
        if item is not None and self._asks_itself(item):
            return True
        return self._next_filled(last + 1) in self.separators

    def _asks_itself(self, item: Item) -> bool:
        """Whether a separator line stands in the item, and in none of its sub-items."""
        index = bisect_right(self._in_order, item.first)
        while index < len(self._in_order) and self._in_order[index] <= item.last:
            held = self.sheet.lines[self._in_order[index]].containers
            if next((it for it in reversed(held) if isinstance(it, Item)), None) is item:
                return True
            index += 1
        return False

    def _cut_before(self, second: int, number: int, found: list[int]) -> list[int]:
        """Gives the line above a second separator to the next card, and what is left of the answer."""
        above = self.sheet.above(second)
        line, below = self.sheet.lines[above], self.sheet.lines[second]
        home = home_of(below)
        if above == number:
            self._forced[second] = _Asked(())
            return found
        if line.kind == "blank":
            asked = _Asked(self._block_above(above, below.quotes, home), skips_blanks=True)
        elif not lies_within(line, below.quotes, home) or line.start == line.end:
            asked = _Asked(())
        elif isinstance(line.block, Code):
            asked = _Asked(tuple(range(line.block.first, above + 1)))
        else:
            asked = _Asked((above,))
        if not asked.lines or asked.lines[0] <= number or above in self.inline_lines:
            self._forced[second] = _Asked(())
            return found
        self._forced[second] = asked
        sign, start = self.separators[second]
        self.sheet.tell(
            start,
            "extra-separator",
            f'a second "{sign}" without a blank line before its question; the line above it was taken as the question',
        )
        return [n for n in found if n < asked.lines[0]]

    def _front(
        self, numbers: tuple[int, ...], quotes: tuple[Quote, ...], home: Item | None
    ) -> tuple[int, tuple[str, ...], list[Piece]]:
        """Where the question begins, the tags it begins with, and its text."""
        sheet = self.sheet
        while len(numbers) > 1 and sheet.lines[numbers[0]].start == sheet.lines[numbers[0]].end:
            numbers = numbers[1:]  # an item without text
        first = sheet.lines[numbers[0]]
        opening = begun_item(first) if first.containers else None
        if opening is home:
            opening = None
        if len(first.quotes) > len(quotes) and first.kind != "heading":
            pieces = sheet.raw(numbers, quotes)
            quoted = sheet.source.text[pieces[0].start : pieces[0].end]
            return pieces[0].end - len(quoted.lstrip()), (), pieces
        if opening is not None and any((it := begun_item(sheet.lines[n])) and it is not home for n in numbers[1:]):
            return opening.start, (), sheet.raw(numbers, quotes)  # it keeps its mark, as the items below it do
        begin = first.end - len(sheet.source.text[first.start : first.end].lstrip())
        own_tags, start = sheet.own_tags(first.number, begin, first.end) if first.tags else ((), begin)
        if len(numbers) == 1:
            return begin, own_tags, [Piece(start, first.end)]
        pieces = sheet.raw(numbers, quotes)
        mark = sheet.source.text[pieces[0].start : first.start]
        pieces[0] = Piece(start, first.end, len(mark.expandtabs(4)))
        return begin, own_tags, pieces
