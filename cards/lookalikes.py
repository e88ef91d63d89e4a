"""Text that looks like a card and is none: told, so that nothing is lost without a word."""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from cards.lines import Line, LineKind
from cards.outline import Code, Colons
from cards.sheet import Sheet

_INSIDE = re.compile(r"(?<=\S)[ \t]+(\?\?)[ \t]+(?=\S)")
_FULL_WIDTH_MARKS = ("？", "؟", "？？", "؟؟")
_FULL_WIDTH_COLONS = "：："


def tell_lookalikes(sheet: Sheet, alone: tuple[int, ...], separated: AbstractSet[int]) -> None:
    """`alone` are the list items that are only a separator, `separated` the lines with a separator that counts."""
    for number in alone:
        sign = sheet.shown(sheet.lines[number]).strip()
        _tell(sheet, sheet.lines[number].start, f'a list item that is only "{sign}"')
    for text in sheet.outline.texts:
        for mark in text.marks:
            if isinstance(mark, Colons):
                _tell(sheet, mark.start, "a run of four or more colons")
    for block, _ in sheet.outline.walked:
        if isinstance(block, Code) and not block.fenced:
            _tell_indented(sheet, block)
    for line in sheet.lines:
        if line.text is not None and line.kind is not LineKind.COMMENT:
            _tell_line(sheet, line, separated)


def _tell(sheet: Sheet, offset: int, what: str) -> None:
    sheet.tell(offset, "looks-like-card", f"looks like a card but was not read: {what}")


def _tell_indented(sheet: Sheet, block: Code) -> None:
    settings = sheet.settings
    inline = [sign for sign in (settings.inline, settings.inline_reversed) if sign]
    alone = {sign for sign in (settings.multiline, settings.multiline_reversed) if sign}
    for number in range(block.first, block.last + 1):
        line = sheet.source.lines[number]
        places = [place for sign in inline if (place := line.find(sign)) >= 0]
        if line.strip() in alone:
            places.append(len(line) - len(line.lstrip()))
        if places:
            what = "indented by four blanks, so Markdown reads code"
            _tell(sheet, sheet.source.starts[number] + min(places), what)
            return


def _tell_line(sheet: Sheet, line: Line, separated: AbstractSet[int]) -> None:
    raw = sheet.source.text[line.start : line.end]
    if raw.startswith("Q:"):
        below = sheet.below(line.number)
        if below < len(sheet.lines) and sheet.source.text.startswith("A:", sheet.lines[below].start):
            _tell(sheet, line.start, "Q:/A: lines")
    if "??" not in raw and "？" not in raw and "؟" not in raw and "：：" not in raw and "\\n" not in raw:
        return
    shown = sheet.shown(line)
    for place, what in _odd_marks(sheet, shown, is_separated=line.number in separated):
        _tell(sheet, line.start + place, what)


def _odd_marks(sheet: Sheet, shown: str, *, is_separated: bool) -> Iterator[tuple[int, str]]:
    settings = sheet.settings
    signs = {settings.inline, settings.inline_reversed, settings.multiline, settings.multiline_reversed}
    if not is_separated and (found := _INSIDE.search(shown)) and "??" in signs:
        yield found.start(1), "`??` inside a line"
    if shown.strip() in _FULL_WIDTH_MARKS and shown.strip() not in signs:
        yield len(shown) - len(shown.lstrip()), "full-width mark"
    if _FULL_WIDTH_COLONS in shown and _FULL_WIDTH_COLONS not in signs:
        yield shown.index(_FULL_WIDTH_COLONS), "full-width mark"
    multiline = [re.escape(sign) for sign in (settings.multiline_reversed, settings.multiline) if sign]
    if multiline and (found := re.search(rf"(?<!\\)\\n[ \t]*(?:{'|'.join(multiline)})[ \t]*\\n", shown)):
        yield found.start(), r"literal \n"
