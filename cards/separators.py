"""Lines that are only a separator or an end marker of the cards of several lines."""

import re
from bisect import bisect_left
from collections.abc import Set as AbstractSet

from cards.lines import Line
from cards.outline import HIDING, start_of
from cards.sheet import Sheet

_MARKS = ("rule", "tags", "heading")
_UNSEEN = "\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
"""Characters without width and marks of direction, which editors put at the ends of a line."""
_ODD_STARTS = tuple(_UNSEEN)
_ODD_ENDS = ("\\", *_UNSEEN)


def separator_lines(sheet: Sheet) -> tuple[dict[int, tuple[str, int]], tuple[int, ...]]:
    """The lines that are a multi-line separator, each with the sign and where it stands; and the list items that are
    nothing else and so are none."""
    signs = {sign for sign in (sheet.settings.multiline, sheet.settings.multiline_reversed) if sign}
    found: dict[int, tuple[str, int]] = {}
    alone: list[int] = []
    typed = re.compile("|".join(map(re.escape, signs))).finditer(sheet.source.text) if signs else ()
    for number in dict.fromkeys([sheet.source.line_of(place.start()) for place in typed]):
        line, whole = sheet.lines[number], sheet.source.lines[number]
        if not _may_be_sign(line):
            continue
        unmarked = line.text is not None and not line.text.marks
        if whole in signs and line.kind == "text" and (unmarked or sheet.shown(line) == whole):
            found[line.number] = whole, line.start
            continue
        if not _may_hold(sheet, line, signs):
            begin = sheet.behind_far_mark(line, line.start)
            if begin > line.start and sheet.source.text[begin : line.end].strip() in signs:
                alone.append(line.number)
            continue
        shown = _shown(sheet, line)
        if (sign := _seen(shown, signs)) in signs:
            item = line.item
            if item is not None and item.first == item.last == line.number:
                alone.append(line.number)
            else:
                found[line.number] = sign, _begin(sheet, line) + shown.index(sign)
    return found, tuple(alone)


def marker_lines(sheet: Sheet) -> tuple[int, ...]:
    """The lines that are the end marker of the settings, in order."""
    marker = sheet.settings.multiline_end
    if not marker:
        return ()
    signs = {marker}
    return tuple(
        line.number for line in sheet.lines if _may_be_sign(line) and _seen(_shown(sheet, line), signs) == marker
    )


def _seen(text: str, signs: AbstractSet[str]) -> str:
    """What is seen of a line: no blanks and marks of direction round it, and no hard break at its end."""
    seen = text.strip().strip(_UNSEEN).strip()
    return seen[:-1].rstrip() if seen.endswith("\\") and seen not in signs else seen


def _may_be_sign(line: Line) -> bool:
    """Whether a separator or end marker of the settings may be the whole line: `---`, `## A` is one if they say so."""
    return (line.kind == "text" and line.text is not None) or line.kind in _MARKS


def _begin(sheet: Sheet, line: Line) -> int:
    """Where the line begins behind its container marks; with the hashes if it is a heading."""
    start, text = line.start, sheet.source.text
    if line.kind == "heading":
        first = sheet.source.starts[line.number]
        while start > first and text[start - 1] in "# \t":
            start -= 1
    return start


def _shown(sheet: Sheet, line: Line) -> str:
    """The line without its comments; as typed where it is a rule, or a link, a tag of HTML or the like alone."""
    hashes, text = sheet.source.text[_begin(sheet, line) : line.start], sheet.source.text[line.start : line.end]
    marks = line.text.marks if line.text else ()
    if not marks:
        return hashes + text
    shown = sheet.shown(line)
    start, end = len(shown) - len(shown.lstrip()), len(shown.rstrip())
    index = bisect_left(marks, line.start + start, key=start_of)
    mark = marks[index] if index < len(marks) else None
    alone = isinstance(mark, HIDING) and (mark.start, mark.end) == (line.start + start, line.start + end)
    return hashes + (shown[:start] + text[start:end] if alone else shown)


def _may_hold(sheet: Sheet, line: Line, signs: AbstractSet[str]) -> bool:
    text = sheet.source.text[_begin(sheet, line) : line.end].strip()
    if text in signs or any(mark in text for mark in ("<!--", "-->", "%%")):
        return True
    return text.startswith(_ODD_STARTS) or text.endswith(_ODD_ENDS)
