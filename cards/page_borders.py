"""Borders that a pasted page lost: headings that only what stands around them tells, and lines that stuck together.

A heading in title case can be told by itself, see `page_blocks.heading_level`; one such as `Higher dimensions` or
`2. Split the heads` only by the text below it.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from cards import formulas
from cards.language import word_set
from cards.page_blocks import (
    NO_END,
    Paragraph,
    Row,
    heading_level,
    holds_card,
    is_bare_formula,
    is_entry,
    is_running_text,
    is_tag_line,
    label,
    separates,
    table_end,
)
from cards.page_furniture import without_furniture
from cards.page_shapes import BUTTON
from cards.settings import Settings

_SENTENCE_END = re.compile(r"[.!?।:…][\"'”’)\]]*$")
_NUMBER = re.compile(
    r"(?P<number>\d{1,2}(?:\.\d{1,2})*)(?P<mark>[.)]?)(?:\s+|(?<=\d\.\d)(?=[A-Z]))(?P<title>[^\Wa-z_].*)"
)
_ORNAMENT = re.compile(r"(?:[^\x00-\u2190\w][\ufe0f\u200d]*)+\s+")
_CODE_SIGN = re.compile(r"(?<!\bvs)[.!?]\s|[\[\]{}|<>→←=:]|\w\(|\w_\w|\\")
_WORD = re.compile(r"[^\W\d_]{4,}")
_TITLE_CASE = 3
"""So many headings in title case show that the page writes all of them so."""


def writes_title_case(source: Sequence[Paragraph], settings: Settings) -> bool:
    """Whether the page's headings are in title case, so that no other short line is one."""
    found = 0
    for paragraph in source:
        words = _WORD.findall(paragraph[0].text) if len(paragraph) == 1 else ()
        if len(words) > 1 and all(word[0].isupper() for word in words) and heading_level(paragraph, settings) == 2:
            found += 1
            if found == _TITLE_CASE:
                return True
    return False


def with_borders(
    body: Sequence[Paragraph], settings: Settings, *, title_case: bool
) -> tuple[list[Paragraph], list[Row]]:
    """The paragraphs with their lost headings marked, cut where two stuck together; and the buttons, left out of them.

    `title_case`: the page writes its headings so.
    """
    kept, left_out = without_furniture(body)
    cut: list[Paragraph] = []
    for paragraph in kept:
        cut += _cut(paragraph, settings, title_case=title_case) if len(paragraph) > 1 else (paragraph,)
    marked = numbered_headings(cut, settings)
    above: Paragraph | None = None
    for index, (paragraph, below) in enumerate(pairwise(marked)):
        if _asks_with_ornament(paragraph, settings) or (
            not title_case and _is_heading(above, paragraph, below, settings)
        ):
            marked[index] = (paragraph[0]._replace(level=2),)
        above = marked[index]
    return marked, left_out


# Lines that stuck together

_FOLLOWING = 12
"""So many lines below one tell whether it is their heading."""


def _cut(paragraph: Paragraph, settings: Settings, *, title_case: bool) -> Iterator[Paragraph]:
    """A paragraph of several lines, cut round headings and tables in it, and between a question and its answer."""
    if holds_card(paragraph, settings):
        yield paragraph
        return
    rows = list(paragraph)
    tabs = _rows_of_tables(rows)
    cuts = {0, len(rows)}
    if tabs:
        cuts.update(at for at in range(1, len(rows)) if (at in tabs) != (at - 1 in tabs))
    for index, (row, below) in enumerate(pairwise(paragraph)):
        if index in tabs or row.mark or (index and row.text[0].islower() and not row.level):
            continue  # a line in the middle that begins with a small letter goes on
        level = heading_level((row,), settings)
        if index == 0 and _announces(paragraph):
            cuts.add(1)
        elif (
            row.level
            or (index == 0 and (_asks_all(paragraph) or _depth((row,), settings) > 1))
            or (level == 3 and not _is_item(below, settings))
            or formulas.is_styled(row.text)
        ):
            cuts |= {index, index + 1}
        elif index in cuts or _SENTENCE_END.search(rows[index - 1].text) or rows[index - 1].mark:
            if _is_question(row.text) and _answers(paragraph[index + 1 : index + 3]):
                cuts |= {index, index + 1}
            elif _names(paragraph, index, level, settings, title_case=title_case, above_table=index + 1 in tabs):
                rows[index] = row._replace(level=2)
                cuts |= {index, index + 1}
    for start, end in pairwise(sorted(cuts)):
        yield tuple(rows[start:end])


def _rows_of_tables(rows: Sequence[Row]) -> frozenset[int]:
    """Those that stand, two or more together, as cells with a tab between them."""
    found: set[int] = set()
    start = 0 if any("\t" in row.text for row in rows) else len(rows)
    while start < len(rows):
        end, _ = table_end(rows, start)
        if end > start + 1:
            found.update(range(start, end))
        start = end
    return frozenset(found)


def _is_item(row: Row, settings: Settings) -> bool:
    """Whether it is an item, or one of a list of steps."""
    return row.mark is not None or heading_level((row,), settings) == 3


def _is_question(text: str) -> bool:
    return text.endswith("?") and text[0].isupper() and 3 <= len(text.split()) <= 14


def _answers(below: Paragraph) -> bool:
    """Whether text that answers a question begins there."""
    return _is_prose(below[0].text, 3) or (is_running_text(below) and not below[0].text.endswith("?"))


def _asks_all(paragraph: Paragraph) -> bool:
    """Whether its first line is a question, and what stands below is none."""
    return _is_question(paragraph[0].text) and not any(row.text.endswith("?") for row in paragraph[1:])


def _announces(paragraph: Paragraph) -> bool:
    """Whether its first line ends in a colon, with a list below it that shows no marks."""
    first = paragraph[0].text
    return (
        first.endswith(":")
        and len(paragraph) > 2
        and not _CODE_SIGN.search(first[:-1])
        and not any(row.mark for row in paragraph)
    )


_SECTIONS = frozenset(
    (
        *word_set("summary recap conclusion conclusions references sources prerequisites faq faqs"),
        *("see also", "further reading", "key terms", "key points", "key takeaways"),
        *("frequently asked questions", "review questions", "practice questions"),
    )
)
"""Names that stand above what they name and in no list, whatever follows."""
_OPENINGS = word_set("introduction overview background motivation")
"""Names that stand in a list of contents too."""


def _names(
    paragraph: Paragraph, index: int, level: int, settings: Settings, *, title_case: bool, above_table: bool
) -> bool:
    """Whether the row is a heading that stuck to what it names; `level` is what it would be alone."""
    row, below = paragraph[index], paragraph[index + 1 : index + _FOLLOWING]
    if row.text.endswith("[edit]"):
        return level > 0
    if row.text.casefold() in _SECTIONS:
        return True
    if row.text.casefold() in _OPENINGS:
        return _is_prose(below[0].text, 4)
    if index == 0 and level and len(below) > 1 and len(_WORD.findall(row.text)) > 1:
        stands_out = not any(other.mark or heading_level((other,), settings) for other in below)
        if stands_out:  # in title case above lines that are not
            return True
    content = (
        above_table
        or below[0].mark is not None
        or (len(below) > 1 and (below[0].text.endswith(":") or all(map(is_entry, below))))
        or (_is_prose(below[0].text, 10) and "(" not in row.text)
    )
    return content and (level > 0 if title_case else _is_short(row, settings))


def _is_prose(text: str, words: int) -> bool:
    return text.endswith((".", "!", "।")) and len(text.split()) >= words


# Headings


def numbered_headings(source: Sequence[Paragraph], settings: Settings) -> list[Paragraph]:
    """The paragraphs; those of one line with the number of a section above its text are marked as headings."""
    found = list(source)
    depths = [_depth(paragraph, settings) for paragraph in source]
    if not any(depths):
        return found
    sections = [
        index
        for index, (depth, below) in enumerate(pairwise(depths))
        if depth and depth != below and not (index and depths[index - 1] == depth)  # no item of a list
    ]
    for index in sections if len(sections) > 1 else ():
        found[index] = (source[index][0]._replace(level=min(depths[index] + 1, 6)),)
    return found


def _depth(paragraph: Paragraph, settings: Settings) -> int:
    """How many numbers stand before the name of a section, as in `3.1 Motivation`; 0 for another paragraph."""
    row = paragraph[0]
    if len(paragraph) > 1 or not row.text[0].isdigit():
        return 0
    found = _NUMBER.fullmatch(row.text)
    if found is None or len(row.text) > 80 or len(row.text.split()) > 11 or row.text.endswith(NO_END):
        return 0
    depth = found["number"].count(".") + 1
    names = _WORD.search(found["title"]) and not separates(row.text, settings)
    return depth if names and (found["mark"] or depth > 1) else 0


def _asks_with_ornament(paragraph: Paragraph, settings: Settings) -> bool:
    text = paragraph[0].text
    return (
        text.endswith("?")
        and len(paragraph) == 1
        and not paragraph[0].level
        and _ornament(text) is not None
        and len(text.split()) <= 14
        and not separates(text, settings)
    )


def _is_heading(above: Paragraph | None, paragraph: Paragraph, below: Paragraph, settings: Settings) -> bool:
    """Whether it is a short line between a text that is complete and one that it can name."""
    if len(paragraph) > 1 or paragraph[0].level:
        return False
    text = paragraph[0].text
    if not _is_short(paragraph[0], settings):
        return False
    if above is not None and (
        above[-1].text.endswith((":", ",", ";", "?")) or heading_level(above, settings) or label(above[0], settings)
    ):
        return False
    if is_bare_formula(below) or below[0].text == "$$":  # a longer line may be a sentence that goes on with it
        return len(text.split()) <= 3 and below[0].number > paragraph[0].number + 1
    text = below[-1].text
    is_content = (
        len(below) > 1
        or below[0].mark
        or below[0].level > 0
        or text.endswith((":", "?"))
        or len(text.split()) > 8
        or _is_prose(text, 4)
    )
    return bool(is_content) and not heading_level(paragraph, settings)


def _ornament(text: str) -> re.Match[str] | None:
    return _ORNAMENT.match(text) if text[0] > "\u2190" else None


def _is_short(row: Row, settings: Settings) -> bool:
    """Whether it is a line of a few words that is no sentence."""
    ornament = _ornament(row.text)
    text = row.text[ornament.end() :] if ornament else row.text
    if not text[:1].isupper() or not (ornament or _WORD.search(text)):
        return False  # most lines; the dearer questions below would say the same
    text = formulas.outside(text)
    return (
        len(text) <= 60
        and len(text.split()) <= 8
        and not text.endswith((*NO_END, "?"))
        and (ornament is not None or _WORD.search(text) is not None)
        and not _CODE_SIGN.search(text)
        and not BUTTON.fullmatch(row.text)
        and not is_tag_line(row.text)
        and not label(row, settings)
        and not separates(row.text, settings)
        and not formulas.is_mathematics(row.text)
    )
