"""What the paragraphs of a pasted page are: headings, labels, lists, tag lines, lines with a separator."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from cards import formulas, literal, tags
from cards.labels import LABELS, MISTAKE, STEP
from cards.outline import ALL_BULLETS
from cards.settings import Settings

PAGE_BULLETS = ALL_BULLETS + "\uf0b7\uf0a7\uf0d8\uf076➢➤■□○·"
"""Those of notes, and what a page, a slide or a printed text shows instead, some of it in fonts of signs."""
CONNECTIONS = "connections"
"""The kind of a label that is a heading of its own, with the first item of its list glued to it."""


class Mark(NamedTuple):
    """A list mark; `text` says where the item's text begins in the row's text."""

    mark: str
    text: int


class Row(NamedTuple):
    """A line of the page: `text` is what it says without blanks around, `text[0]` stands in column `column`."""

    number: int
    column: int
    text: str
    indentation: int
    """Columns, a tab to the next multiple of 4."""
    mark: Mark | None
    """What `mark_of` says of the text; from many sides it is asked for."""
    level: int = 0
    """Of a heading that only what stands around it tells."""


Paragraph = tuple[Row, ...]
"""A run of lines that are not blank; a tag line and a schedule are always one of their own."""


@dataclass(frozen=True, slots=True)
class Label:
    word: str
    kind: str
    title: int
    """Where the title begins in the row's text."""


def paragraphs(text: str) -> list[Paragraph]:
    found: list[Paragraph] = []
    run: list[Row] = []
    lines = text.split("\n")
    in_formula = False  # between two lines of `$$`, where blank lines part nothing
    fences = [line.strip() for line in lines].count("$$") if "$$" in text else 0
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if not stripped:
            if run and not in_formula:
                found.append(tuple(run))
                run = []
            continue
        if stripped == "$$" and fences % 2 == 0:
            in_formula = not in_formula
            if not in_formula:
                found.append((*run, _row(number, line, stripped)))
                run = []
                continue
            if run:
                found.append(tuple(run))
                run = []
        if not ("#" in stripped and is_tag_line(stripped)) and not is_schedule(stripped):
            run.append(_row(number, line, stripped))
            continue
        if run and not in_formula:
            found.append(tuple(run))
            run = []
        found.append((_row(number, line, stripped),))
    return [*found, tuple(run)] if run else found


def _row(number: int, line: str, stripped: str) -> Row:
    if line[0] == stripped[0]:
        return Row(number, 1, stripped, 0, mark_of(stripped))
    before = line[: line.index(stripped[0])]
    return Row(number, len(before) + 1, stripped, len(before.expandtabs(4)), mark_of(stripped))


_OPENS_TAG_LINE = re.compile(r"#[^\s#]|<!--|%%")
_COMMENT = re.compile(r"<!--.*?-->|%%.*?%%")
_PERCENT_COMMENT = re.compile(r"%%.*?%%")


def is_tag_line(text: str) -> bool:
    """Whether the line, without blanks around, holds nothing but tags (and comments)."""
    if "#" not in text or not _OPENS_TAG_LINE.match(text):
        return False
    text = _without_comments(text, " ")
    found = tags.find(text)
    return bool(found) and not tags.blanked(text, found).strip()


def is_schedule(text: str) -> bool:
    """Whether the line, without blanks around, is the schedule that the plugin wrote below a card."""
    return text.startswith("<!--SR:") and text.endswith("-->")


def deck_tags(paragraph: Paragraph, settings: Settings) -> tuple[str, ...]:
    """All tags of a tag line that names a deck, without `#`; empty for any other paragraph."""
    if not is_tag_line(paragraph[0].text):
        return ()
    names = tuple(tag.name for tag in tags.find(paragraph[0].text))
    return names if any(tags.is_deck_tag(name, settings) for name in names) else ()


_MARKS = PAGE_BULLETS + "*+-"
_MARK = re.compile(rf"([{_MARKS}]|\d{{1,9}}[.)])\s+(?=\S)")


def mark_of(text: str) -> Mark | None:
    """The bullet of a line without blanks around, or its Markdown list mark."""
    first = text[0]
    if first.isalpha() or len(text) < 3 or (first not in _MARKS and not first.isdecimal()):
        return None  # most lines; the pattern would say the same
    found = _MARK.match(text)
    return Mark(found[1], found.end()) if found else None


def has_bullet(row: Row) -> bool:
    return row.mark is not None and row.mark.mark in PAGE_BULLETS


_BREADCRUMB = re.compile(r" [›»] ")
_PATH = re.compile(r"[^\W_][^·]*(?: · [^·]+){2,}")
"""As in `Track 1 · Optics · Lesson 5`, above the title."""


def without_breadcrumb(source: list[Paragraph], settings: Settings) -> tuple[list[Paragraph], str]:
    """The paragraphs without the page's path on its site, which stands in one of the first five; and that path."""
    for index, paragraph in enumerate(source[:5]):
        is_path = index == 0 and _is_path(source)
        for row in [row for row in paragraph if is_path or "›" in row.text or "»" in row.text]:
            if (is_path or _is_breadcrumb(row.text)) and not separates(row.text, settings):
                rest = tuple(other for other in paragraph if other is not row)
                return [*source[:index], *([rest] if rest else []), *source[index + 1 :]], row.text
    return source, ""


def _is_path(source: list[Paragraph]) -> bool:
    return len(source) > 1 and len(source[0]) == 1 == len(source[1]) and _PATH.fullmatch(source[0][0].text) is not None


def _is_breadcrumb(text: str) -> bool:
    """Whether it is a path such as `Physics › Optics`, and no sentence that holds the sign."""
    levels = _BREADCRUMB.split(text)
    return (
        len(levels) > 1
        and "«" not in text
        and not text.endswith((".", "!", "?", ":"))
        and all(len(level.split()) <= 8 for level in levels)
    )


_SECTION_NUMBER = re.compile(r"\d+\.\d")
_NUMBERED = re.compile(r"\d{1,2}\s*[:.—–-]\s")
_OPENING = "\"'“‘«„"


def label(row: Row, settings: Settings) -> Label | None:
    """The label glued to the front of the row: followed by a blank, then a capital, digit, `$` or opening quote."""
    kinds, opening, initials = _labels(settings.labels)
    found = opening.match(row.text) if row.text[0] in initials else None
    if found is None:
        return None
    if found["letter"] and found["letter"].isdigit():
        if _SECTION_NUMBER.match(row.text, found.end("blank")):
            return None  # `Definition 2.1 (Attention). Let …` is text
        if kinds[found["word"]] != CONNECTIONS and _NUMBERED.match(row.text, found.end("blank")):
            # `Example 2: The mask` is a title as it stands, and `Galti 2: …` a heading
            return None if _HEADING.match(row.text) else Label(found["word"], kinds[found["word"]], 0)
    if found["letter"] and not found["letter"].isupper() and not found["letter"].isdigit():
        return None
    return Label(found["word"], kinds[found["word"]], found.end("blank"))


def may_be_labelled(text: str, settings: Settings) -> bool:
    """False if no line of a text begins with a label."""
    return _labels(settings.labels)[1].search(text) is not None


@cache
def _labels(more: tuple[tuple[str, str], ...]) -> tuple[dict[str, str], re.Pattern[str], frozenset[str]]:
    """The kind of each word, the pattern that finds one, and with what it may begin."""
    kinds = dict((*LABELS, *more))
    words = "|".join(re.escape(word) for word in sorted(kinds, key=len, reverse=True))
    opening = re.compile(rf"(?P<word>{words})(?P<blank>\s+)(?:(?P<letter>[^\W_])|\$|[{_OPENING}])")
    return kinds, opening, frozenset(word[0] for word in kinds)


_HEADING = re.compile(rf"(?:{STEP}|{MISTAKE} \d+): \S")
_WORD = re.compile(r"[^\W\d_]+")
NO_END = (".", "!", ";", ",", "…", ":")
"""With which no heading ends."""


_LONGEST = 80
"""Characters of a heading that only its title case tells."""
_REMAINS = ("[edit]", "¶", "#")
_NO_NAME = re.compile(r"[:=\[\]]|\w\(")
"""Signs of what is no name: an entry, an equation, a call."""
_SECTIONS = frozenset(("see also", "further reading", "external links", "faq", "faqs", "tl;dr"))
"""Headings in whatever case."""


def remains(row: Row) -> int:
    """Where the link begins that a page shows behind its headings, or the end of the row."""
    if row.text[-1] not in "]¶#":
        return len(row.text)
    for link in _REMAINS:
        if (
            row.text.endswith(link) and row.text != link and (link != "#" or row.text[-3:-1].isalnum())
        ):  # `C#` is a name
            return len(row.text.removesuffix(link).rstrip())
    return len(row.text)


def heading_level(paragraph: Paragraph, settings: Settings) -> int:
    """3 for `Step 2: Project`, 2 for another line in title case, 0 for what is no heading."""
    row = paragraph[0]
    if len(paragraph) > 1:
        return 0
    if row.level:
        return row.level
    if len(row.text) < 3 or ("$" not in row.text and (row.text.endswith(NO_END) or not _WORD.search(row.text))):
        return 0  # most lines; the dearer questions below would say the same
    if row.mark or is_tag_line(row.text) or label(row, settings):
        return 0
    if len(row.text) > _LONGEST and not (row.text.endswith("[edit]") or _HEADING.match(row.text)):
        return 0
    text = formulas.outside(row.text[: remains(row)])
    if text.casefold() in _SECTIONS:
        return 2
    if text.islower() or separates(row.text, settings) or literal.block_escape(row.text, 0) or text.endswith(NO_END):
        return 0
    if _HEADING.match(text):
        return 3
    words = text.split()
    if row.text.endswith("[edit]") and text != row.text and text[0].isupper() and len(words) <= 10:
        return 2
    if _NO_NAME.search(text) or len(words) > 10 or len(row.text) > _LONGEST or formulas.is_mathematics(row.text):
        return 0
    runs = _WORD.findall(text)
    if not any(len(run) >= 4 for run in runs):
        return 2 if len(words) > 1 and runs and all(run[0].isupper() or run == "s" for run in runs) else 0
    counted = [run for run in runs if len(run) >= 4]
    return 2 if 3 * sum(run[0].isupper() for run in counted) >= 2 * len(counted) else 0


_HIDDEN = re.compile(r"\\.|`[^`]*`|\[\[[^\[\]]*\]\]|[A-Za-z][\w+.-]{0,30}://\S*")
"""The bound keeps a line without blanks, such as an embedded picture, from being read again from every letter."""


def separates(text: str, settings: Settings) -> bool:
    """Whether an inline separator stands in the line, outside of formulas, code, links and addresses."""
    there, back = settings.inline, settings.inline_reversed
    if not (there and there in text) and not (back and back in text):
        return False
    bare = _HIDDEN.sub(" ", formulas.outside(text))
    return bool(there and there in bare) or bool(back and back in bare)


def _without_comments(text: str, instead: str) -> str:
    """Behind the last `-->` no comment closes, so nothing there is searched for its end again and again."""
    if "-->" not in text and "%%" not in text:
        return text
    end = text.rfind("-->") + len("-->") if "-->" in text else 0
    return _COMMENT.sub(instead, text[:end]) + _PERCENT_COMMENT.sub(instead, text[end:])


def is_separator_line(row: Row, settings: Settings) -> bool:
    bare = _without_comments(row.text, "").strip()
    return bool(bare) and bare in (settings.multiline, settings.multiline_reversed)


def is_bare_formula(paragraph: Paragraph) -> bool:
    """Whether it is mathematics that lost its dollar signs, perhaps broken over its lines."""
    if is_schedule(paragraph[0].text):
        return False
    if len(paragraph) == 1:
        return formulas.is_mathematics(paragraph[0].text)
    text = " ".join(row.text for row in paragraph)
    going_on = all(formulas.goes_on(above.text, below.text) for above, below in pairwise(paragraph))
    return going_on and "$" not in text and formulas.is_mathematics(text)


def holds_card(paragraph: Paragraph, settings: Settings) -> bool:
    """Whether the author's own separator is in it: inline, or on a line of its own among others; or a schedule."""
    if len(paragraph) == 1:
        return separates(paragraph[0].text, settings) or is_schedule(paragraph[0].text)
    text = "\n".join([row.text for row in paragraph])  # most hold no sign, and no line of them is asked
    inline = settings.inline in text or settings.inline_reversed in text
    if inline and any(separates(row.text, settings) for row in paragraph):
        return True
    alone = settings.multiline in text or settings.multiline_reversed in text or "-->" in text or "%%" in text
    return alone and any(is_separator_line(row, settings) for row in paragraph)


def is_title(paragraph: Paragraph, settings: Settings) -> bool:
    """Whether a first paragraph can be the page's title: a short line that is nothing else."""
    row = paragraph[0]
    return not (
        holds_card(paragraph[:1], settings)
        or row.mark
        or is_tag_line(row.text)
        or label(row, settings)
        or formulas.is_mathematics(row.text)
        or len(row.text) > 150
    )


_ENTRY = re.compile(r"(?P<key>[^\W_a-z\d][^:]*|\$[^:]*) ?: +\S")
"""A line `Key: value`; such lines are a list also on a page that shows the bullets of others."""


def is_entry(row: Row) -> bool:
    found = _ENTRY.match(formulas.outside(row.text))
    return found is not None and len(found["key"].split()) <= 6


def table_end(rows: Sequence[Row], start: int) -> tuple[int, int]:
    """Behind the last row of the table of cells with tabs that begins at `start`, and its number of tabs a row.

    The first row is as long as any, where its first cell is not empty; the tabs of empty cells at its ends are lost.
    """
    tabs = [row.text.count("\t") for row in rows[start : start + 2]]
    has_corner = len(tabs) > 1 and tabs[0] + 1 == tabs[1] and rows[start].indentation > rows[start + 1].indentation
    width, end = tabs[0] + has_corner, start + 1
    while end < len(rows) and 0 < rows[end].text.count("\t") <= width:
        end += 1
    return end, width


def names_neighbour(row: Row) -> bool:
    """Whether it is a line `Name: text` or `Name — text` of connections that show no marks."""
    text = formulas.outside(row.text)
    return ": " in text or " — " in text


_FULL_LINE = 45
"""Characters of a line that may have been broken because it was full."""


_TOLD = re.compile(rf"(?:{'|'.join(word for word, kind in LABELS if kind == 'mistake')}): \S", re.IGNORECASE)


def is_running_text(paragraph: Paragraph) -> bool:
    """Whether its lines are no list: a full line goes on with a small letter in the next one, formulas of an
    encyclopedia stand in them, or they tell a mistake."""
    first = paragraph[0].text
    return (
        (first[0].isupper() and any(_goes_on(above.text, below.text) for above, below in pairwise(paragraph)))
        or any(formulas.STYLED in row.text for row in paragraph)
        or _TOLD.match(first) is not None
    )


def _goes_on(above: str, below: str) -> bool:
    return len(above) >= _FULL_LINE and above[-1].isalnum() and below[0].islower()
