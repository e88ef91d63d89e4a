"""The outline of a note read as sections of passages."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from cards.outline import (
    Block,
    Code,
    Heading,
    Hidden,
    Item,
    Listing,
    Paragraph,
    Protected,
    Quote,
    Rule,
    Separator,
    Table,
    Text,
    TextLine,
    Title,
    start_of,
)
from cards.passages import FORMULA, OBJECT, Passage, Section, Words, without_ornament
from cards.sheet import Piece, Sheet


def sections(sheet: Sheet, taken: frozenset[int]) -> Iterator[Section]:
    """The note in order, without sections that hold nothing; `taken` are the lines of its cards."""
    reader = _Reader(sheet, taken)
    above: list[Heading] = []
    below: list[Block] = []
    for block in sheet.outline.blocks:
        if not isinstance(block, Heading):
            below.append(block)
            continue
        if below and (passages := tuple(reader.passages(below, ()))):
            yield reader.section(above, passages)
        below = []
        above = [*[outer for outer in above if outer.level < block.level], block]
    if passages := tuple(reader.passages(below, ())):
        yield reader.section(above, passages)


class _Reader:
    def __init__(self, sheet: Sheet, taken: frozenset[int]) -> None:
        self._sheet = sheet
        self._source = sheet.source.text
        self._taken = taken
        self._separators = {sheet.settings.multiline, sheet.settings.multiline_reversed} - {""}
        self._headings: dict[int, tuple[Words, Words]] = {}  # by line, since most hold for several sections

    def section(self, above: Sequence[Heading], passages: tuple[Passage, ...]) -> Section:
        """`above`: the headings that hold for the passages, outermost first."""
        texts = [heading.text for heading in above]
        line = texts[-1].lines[0].number if texts else 0
        free = bool(texts) and self.is_free(line, line, texts[-1])
        words = [self._heading(text) for text in texts]
        bare, shown = tuple(words[0] for words in words), tuple(words[1] for words in words)
        return Section(bare, shown, line, free, passages)

    def _heading(self, text: Text) -> tuple[Words, Words]:
        """Its words without ornaments in front, and as the note shows them."""
        line = text.lines[0].number
        if line not in self._headings:
            words = self.without_tags(text)
            self._headings[line] = without_ornament(words), words
        return self._headings[line]

    def passages(self, blocks: Iterable[Block], quotes: tuple[Quote, ...]) -> Iterator[Passage]:
        for block in blocks:
            if isinstance(block, Paragraph):  # most blocks; asked without a pattern, which costs more
                text = block.text
                if text.marks or self._source.find("#", text.lines[0].start, text.lines[-1].end) >= 0:
                    yield from self._cut(text, quotes)
                else:
                    yield self._text(text, text.lines, quotes, self._source, 0)
                continue
            match block:
                case Listing(items):
                    yield self._list(items, quotes)
                case Quote() if block.callout and not quotes:
                    yield self._box(block)
                case Quote():
                    yield self._object(block.first, block.last, quotes)
                case Code(first, last):
                    yield self._object(first, last, quotes)
                case Table(header, _, rows):
                    last = max(part.number for row in (header, *rows) for part in row.lines)
                    yield self._object(header.lines[0].number, last, quotes)
                case Rule(line):
                    yield Passage("border", line, line, quotes, free=False)
                case Heading(_, text):
                    yield Passage("border", text.lines[0].number, text.lines[0].number, quotes, free=False)
                case Title():
                    pass

    def is_free(self, first: int, last: int, text: Text | None = None) -> bool:
        if first in self._taken if first == last else not self._taken.isdisjoint(range(first, last + 1)):
            return False
        if text is None or not text.marks:
            return True
        starts = self._sheet.source.starts
        index = bisect_left(text.marks, starts[first], key=start_of)
        while index < len(text.marks) and text.marks[index].start < starts[last + 1]:
            if isinstance(text.marks[index], Separator | Hidden):
                return False
            index += 1
        return True

    def without_tags(self, text: Text) -> Words:
        words = self._words(text.lines, *self._shown(text))
        tags = self._sheet.lines[text.lines[0].number].tags
        if tags and tags[-1].end == words.pieces[-1].end:
            return words.cut(0, tags[-1].start - words.start)
        return words

    def _cut(self, text: Text, quotes: tuple[Quote, ...]) -> Iterator[Passage]:
        """A paragraph, cut at formulas on lines of their own and at tag lines."""
        shown, begin = self._shown(text)
        run: list[TextLine] = []
        behind = -1
        lines = self._sheet.lines
        for part in text.lines:
            if part.number <= behind:
                continue
            kind = lines[part.number].kind
            if kind == "comment":
                continue
            formula = self._display(text, part) if kind == "text" else None
            if formula is None and kind != "tags":
                run.append(part)
                continue
            if run:
                yield self._text(text, run, quotes, shown, begin)
                run = []
            if formula is None:
                yield Passage("border", part.number, part.number, quotes, free=False)
            else:
                behind = self._sheet.source.line_of(formula.end - 1)
                yield self._formula(text, part.number, behind, quotes, shown, begin)
        if run:
            yield self._text(text, run, quotes, shown, begin)

    def _text(
        self, text: Text, parts: Sequence[TextLine], quotes: tuple[Quote, ...], shown: str, begin: int
    ) -> Passage:
        """`shown` is the text as `_shown` gives it, which begins at the offset `begin`."""
        first, last = parts[0].number, parts[-1].number
        words = self._words(parts, shown, begin)
        free = self.is_free(first, last, text) and self._separators.isdisjoint(map(str.strip, words.shown.split("\n")))
        return Passage("text", first, last, quotes, free, words)

    def _formula(self, text: Text, first: int, last: int, quotes: tuple[Quote, ...], shown: str, begin: int) -> Passage:
        start, end = (bisect_left(text.lines, number, key=lambda part: part.number) for number in (first, last + 1))
        parts = text.lines[start:end]
        words = self._words(parts, shown, begin)
        return Passage("formula", first, last, quotes, self.is_free(first, last, text), words)

    def _display(self, text: Text, part: TextLine) -> Protected | None:
        """The formula that begins the line and ends a line, with nothing but punctuation behind it."""
        text_of_note = self._source
        _, start, end, _ = part
        while start < end and text_of_note[start] in " \t":
            start += 1
        if text_of_note[start] not in "$\\":
            return None
        index = bisect_left(text.marks, start, key=start_of)
        if index == len(text.marks) or text.marks[index].start != start:
            return None
        mark = text.marks[index]
        if not isinstance(mark, Protected) or mark.kind not in ("math", "tex"):
            return None
        source = self._sheet.source
        end = source.end(source.line_of(mark.end - 1))
        return None if text_of_note[mark.end : end].strip(" \t.,;") else mark

    def _list(self, items: Sequence[Item], quotes: tuple[Quote, ...]) -> Passage:
        own = []
        for item in items:
            match item.blocks:
                case (Paragraph(text), *_):
                    own.append(self._text(text, text.lines, quotes, *self._shown(text)))
        first, last = items[0].first, items[-1].last
        return Passage("list", first, last, quotes, self.is_free(first, last), items=tuple(own))

    def _box(self, quote: Quote) -> Passage:
        title = None
        free = True
        match quote.blocks:
            case (Title(text), *_):
                line = text.lines[0].number
                title = self.without_tags(text)
                free = self.is_free(line, line, text)
        inside = tuple(self.passages(quote.blocks, (quote,)))
        if title is not None and not title.shown.strip():
            title = None
        return Passage("box", quote.first, quote.last, (quote,), free, title, inside=inside, box=quote.kind)

    def _object(self, first: int, last: int, quotes: tuple[Quote, ...]) -> Passage:
        return Passage("object", first, last, quotes, self.is_free(first, last))

    def _shown(self, text: Text) -> tuple[str, int]:
        """The text with all that is protected blanked out, and the offset of the source at which it begins."""
        if not text.marks:
            return self._source, 0
        begin, behind = text.start, text.lines[-1].end
        pieces: list[str] = []
        place = begin
        for mark in text.marks:
            if isinstance(mark, Protected):
                start, end = max(mark.start, place), min(mark.end, behind)
                pieces += self._source[place:start], _FILLERS.get(mark.kind, OBJECT) * (end - start)
                place = end
        return "".join([*pieces, self._source[place:behind]]), begin

    def _words(self, parts: Sequence[TextLine], shown: str, begin: int) -> Words:
        """What stands in the lines; `shown` is their text as `_shown` gives it, which begins at the offset `begin`."""
        if len(parts) == 1:
            _, start, end, _ = parts[0]
            return Words((Piece(start, end),), shown[start - begin : end - begin])
        pieces = tuple([Piece(start, end) for _, start, end, _ in parts])
        return Words(pieces, "\n".join([shown[start - begin : end - begin] for _, start, end, _ in parts]))


_FILLERS = {"comment": " ", "math": FORMULA, "tex": FORMULA}
