"""Text that looks like a card and is none: told, so that nothing is lost without a word."""

import re
from collections.abc import Collection, Iterator
from collections.abc import Set as AbstractSet
from functools import cache
from typing import NamedTuple

from cards import labels
from cards.lines import Line
from cards.outline import Code, Colons, Protected
from cards.settings import Settings
from cards.sheet import FAR_MARK, Sheet

QUESTIONS = "Q:/A: lines"
_MAY_LOOK = re.compile(r"\?\?|[？؟]|：：|\\n|Q ?(?:[*_\d.)]|:(?!:))|Question|Sawaa?l|Prashn|\{\{c")
_QUESTION = re.compile(rf"[*_]{{0,3}}{labels.QUESTION} ?\d{{0,3}}[*_]{{0,3}}[:.)](?!:)")
_ANSWER = re.compile(rf"[*_]{{0,3}}(?:A\d{{0,3}}[*_]{{0,3}}:|{labels.ANSWER} ?\d{{0,3}}[*_]{{0,3}}[:.)])(?!:)")
"""`A.` and `A)` are choices."""
_INSIDE = re.compile(r"(?<=\S)[ \t]+(\?\?)[ \t]+(?=\S)")
_MASKS = re.compile(r"(?:(?<!`)`{3,}+|(?<!~)~{3,}+)[ \t]*+(?:image|sr)-occlusion[ \t]*\Z")
_HIGHLIGHT = re.compile(r"""(?<![A-Za-z0-9_=!<>)\]'"])==(?![\s=]|\d+==)[^=]*(?<!\s)==(?![A-Za-z0-9_="'(\[])""")
"""A highlight that is no comparison of code, nor the number of a process as valgrind writes it."""
_PROTECTED = re.compile(
    r"(?<!`)(`++)[^`\n]*+\1|\$(?!\s)[^$\n]++(?<!\s)\$(?!\d)|\[\[[^\[\]\n]*+\]\]|(?<!\w)\w++://[^\s<>\"]++"
)
"""Code, formulas, links to notes and addresses, in which a separator makes no card elsewhere."""
_LOGSEQ = re.compile(r"\{\{(?:cloze|c[0-9]{1,2})[ \t]+[^\s}]")
_FULL_WIDTH_MARKS = ("？", "؟", "？？", "؟؟")
_FULL_WIDTH_COLONS = "：："


class _Separators(NamedTuple):
    """The separators of the settings."""

    all: frozenset[str | None]
    in_one_line: re.Pattern[str] | None
    r"""A separator between two typed `\n`, or at the start of a line before one."""


def tell_lookalikes(
    sheet: Sheet,
    alone: tuple[int, ...],
    separators: Collection[int],
    separated: AbstractSet[int],
    whole_lines: AbstractSet[int],
) -> None:
    """`alone` are the list items that are only a separator, `separators` the lines that are one and count, `separated`
    those and the lines with one, `whole_lines` all that are only a separator or an end marker."""
    for number in alone:
        line = sheet.lines[number]
        start = sheet.behind_far_mark(line, line.start)
        _tell(sheet, start, f'a list item that is only "{sheet.shown(line)[start - line.start :].strip()}"')
    if "::::" in sheet.source.text:
        for mark in (mark for text in sheet.outline.texts for mark in text.marks if isinstance(mark, Colons)):
            if sheet.source.line_of(mark.start) not in whole_lines:
                _tell(sheet, mark.start, "a run of four or more colons")
    if "[^" in sheet.source.text:
        _tell_footnotes(sheet)
    for code in sheet.outline.codes:
        if not code.fenced:
            _tell_indented(sheet, code)
        elif found := _MASKS.search(sheet.source.lines[code.first]):
            _tell(sheet, sheet.source.starts[code.first] + found.start(), "a picture with masks")
    if not _MAY_LOOK.search(sheet.source.text):
        return
    signs = _signs(sheet.settings)
    for line in sheet.lines:
        if line.text is not None and line.kind != "comment":
            _tell_line(sheet, line, signs, separators, is_separated=line.number in separated)


def _tell(sheet: Sheet, offset: int, what: str) -> None:
    sheet.tell(offset, "looks-like-card", f"looks like a card but was not read: {what}")


def _tell_footnotes(sheet: Sheet) -> None:
    for mark in (mark for text in sheet.outline.texts for mark in text.marks):
        if isinstance(mark, Protected) and mark.kind == "footnote":
            text = _PROTECTED.sub(lambda found: " " * len(found[0]), sheet.source.text[mark.start : mark.end])
            if places := _places(sheet, text):
                _tell(sheet, mark.start + min(places), "the text of a footnote")


def _tell_indented(sheet: Sheet, block: Code) -> None:
    for number in range(block.first, block.last + 1):
        line = sheet.lines[number]
        if line.kind != "comment" and (places := _places(sheet, sheet.source.text[line.start : line.end])):
            _tell(sheet, line.start + min(places), "indented by four blanks, so Markdown reads code")
            return


def _places(sheet: Sheet, line: str) -> list[int]:
    """Where a line of protected text has what makes a card elsewhere."""
    settings = sheet.settings
    inline = [sign for sign in (settings.inline, settings.inline_reversed) if sign]
    places = [place for sign in inline if (place := line.find(sign)) >= 0]
    bare = line.strip()
    alone = {sign for sign in (settings.multiline, settings.multiline_reversed) if sign}
    if bare in alone or FAR_MARK.sub("", bare, count=1) in alone:
        places.append(len(line) - len(line.lstrip()))
    if any(pattern.opening == "==" for pattern in settings.cloze) and (found := _HIGHLIGHT.search(line)):
        places.append(found.start())
    return places


def _tell_line(
    sheet: Sheet, line: Line, signs: _Separators, separators: Collection[int], *, is_separated: bool
) -> None:
    raw = sheet.source.text[line.start : line.end]
    if not _MAY_LOOK.search(raw):
        return
    if _QUESTION.match(raw) and _has_answer(sheet, line, separators):
        _tell(sheet, line.start, QUESTIONS)
    for place, what in _odd_marks(sheet.shown(line), signs, is_separated=is_separated):
        _tell(sheet, line.start + place, what)


def _has_answer(sheet: Sheet, line: Line, separators: Collection[int]) -> bool:
    """Whether an `A:` begins the next line, a further line of the text, or what stands below its blank lines; if no
    separator line stands between, which makes a card of them."""
    text, behind_blank = sheet.source.text, False
    below = sheet.below(line.number)
    while below < len(sheet.lines):
        start, kind = sheet.lines[below].start, sheet.lines[below].kind
        if _ANSWER.match(text, start):
            return True
        if kind == "blank":
            behind_blank = True
        elif kind != "text" or behind_blank or below in separators or _QUESTION.match(text, start):
            return False
        below = sheet.below(below)
    return False


@cache
def _signs(settings: Settings) -> _Separators:
    multiline = "|".join(re.escape(sign) for sign in (settings.multiline_reversed, settings.multiline) if sign)
    pattern = re.compile(rf"(?:(?<!\\)\\n|\A)[ \t]*(?:{multiline})[ \t]*\\n") if multiline else None
    both = (settings.inline, settings.inline_reversed, settings.multiline, settings.multiline_reversed)
    return _Separators(frozenset(both), pattern)


def _odd_marks(shown: str, signs: _Separators, *, is_separated: bool) -> Iterator[tuple[int, str]]:
    if not is_separated and (found := _INSIDE.search(shown)) and "??" in signs.all:
        yield found.start(1), "`??` inside a line"
    bare = shown.strip()
    if bare in _FULL_WIDTH_MARKS and bare not in signs.all:
        yield len(shown) - len(shown.lstrip()), "full-width mark"
    if _FULL_WIDTH_COLONS in shown and _FULL_WIDTH_COLONS not in signs.all:
        yield shown.index(_FULL_WIDTH_COLONS), "full-width mark"
    if found := _LOGSEQ.search(shown):
        yield found.start(), 'a cloze of Logseq; write "{{c1::text}}"'
    if signs.in_one_line and (found := signs.in_one_line.search(shown)):
        yield found.start(), r"literal \n"
