"""Text copied from a rendered page → Markdown in the grammar of notes, with a map back to the page.

Words are never changed, added or corrected. What the page lost is put back only where its shape tells: headings,
lists, boxes, dollar signs, and the separators of cards.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import yaml

from cards import formulas, front_matter, language, lost_marks, tags
from cards.doubled import with_letters
from cards.model import Problem
from cards.page_blocks import (
    PAGE_BULLETS,
    Paragraph,
    deck_tags,
    heading_level,
    is_title,
    label,
    may_be_labelled,
    paragraphs,
    remains,
    without_breadcrumb,
)
from cards.page_borders import numbered_headings, with_borders, writes_title_case
from cards.page_furniture import SITE, is_menu, is_part, without_furniture
from cards.page_writing import Writing
from cards.placed import Line, original, text_of
from cards.settings import Settings
from cards.source import behind_front_matter, normalized


@dataclass(frozen=True, slots=True)
class Page:
    """A pasted page as a note."""

    markdown: str
    title: str
    """Empty if the page shows none."""
    breadcrumb: str
    """The path of the page on its site, as shown; it is not in the Markdown."""
    tags: tuple[str, ...]
    """Of the first line with a deck tag, without `#`: all, or those that name a deck if there are more such lines."""
    reconstructed: frozenset[int]
    """Lines of the Markdown, from 1, that begin a card or a cloze whose marks were put back."""
    problems: tuple[Problem, ...]
    put_back: tuple[tuple[str, int], ...]
    """What the page had lost, in the singular, and how often."""
    left_out: tuple[tuple[str, int], ...]
    """Buttons and the like with their lines; they are not in the Markdown."""
    lines: tuple[Line, ...]

    def original(self, line: int, column: int) -> tuple[int, int]:
        """The line and column of the page that a place of the Markdown stands for, all counted from 1."""
        return original(self.lines, line, column)


@dataclass(frozen=True, slots=True)
class Tidied:
    markdown: str
    notices: tuple[str, ...]
    """What was put together again, and what could not be, a line each."""


_MARKDOWN_SIGN = re.compile(
    r"^[ \t]*+(?:#{1,6}[ \t]|[-*+][ \t](?!\\[A-Za-z])|```|~~~|>(?!>> )|<!--(?!SR:)"
    r"|(?=[^|\n]*\|)(?=[^-\n]*-)[|:\- \t]++$)"
    r"|\*\*\S|\[\[|\]\(",
    re.MULTILINE,
)
_NUMBERED = re.compile(r"^[ \t]*+\d{1,9}[.)][ \t](?!\\[A-Za-z])", re.MULTILINE)
_BROKEN_FORMULA = re.compile(r"^[ \t]*(\$\$?)(?!\$)(?:[^$\n]|\n(?![ \t]*\n))*\1[ \t]*$", re.MULTILINE)
"""Its lines may begin with + or -, and are no list."""
_BULLET_SIGN = re.compile(rf"^[ \t]*[{PAGE_BULLETS}]\s", re.MULTILINE)
_NO_PAGE_SHOWS = re.compile(
    r"^(?:#{2,6}[ \t]+\S|(?:`{3,}|~{3,})[^`\n]*$|\|?(?:[ \t]*:?-{3,}:?[ \t]*\|)++[ \t:|\-]*+$)", re.MULTILINE
)
"""A heading, a fence, the rule of a table: a page shows what they mean, not them."""


def is_page(text: str, settings: Settings) -> bool:
    """Whether the text is a pasted page rather than a Markdown note; to ask for `settings.pages` is the caller's."""
    if settings.format != "auto":
        return settings.format == "page"
    text = _with_newlines(text)
    bare = _BROKEN_FORMULA.sub("$", text)
    if _MARKDOWN_SIGN.search(bare) or behind_front_matter(text.split("\n")):
        return False
    source = paragraphs(text)
    if numbered := len(_NUMBERED.findall(bare)):  # a list, unless each is a heading
        source = numbered_headings(source, settings)
        if numbered > sum(row.level > 0 and _NUMBERED.match(row.text) is not None for row, *_ in source):
            return False
    signs = _page_signs(text, source, settings)
    if signs < 2:  # what takes longer is asked only where it matters
        signs += any(len(p) == 1 and "$" not in p[0].text and formulas.is_mathematics(p[0].text) for p in source)
    if signs == 1:
        found, _ = without_breadcrumb(source, settings)
        if _BULLET_SIGN.search(text) or SITE.search(text):
            found, _ = with_borders(found, settings, title_case=writes_title_case(found, settings))
        headings = (
            p
            for body, _ in _parts(found, _title(found, settings), settings)
            for p in body
            if heading_level(p, settings)
        )
        signs += len(list(islice(headings, 3))) == 3
    return signs >= 2


def _page_signs(text: str, source: Sequence[Paragraph], settings: Settings) -> int:
    """How many of four signs the text has: bullets, labels glued to their text, a breadcrumb, what a site shows."""
    return sum(
        (
            _BULLET_SIGN.search(text) is not None,
            may_be_labelled(text, settings) and any(label(row, settings) for paragraph in source for row in paragraph),
            (" › " in text or " » " in text)
            and any(" › " in row.text or " » " in row.text for paragraph in source[:5] for row in paragraph),
            SITE.search(text) is not None,
        )
    )


def convert(text: str, path: str, settings: Settings) -> Page:
    """The page as Markdown; `path` names it in the problems."""
    text, letters = with_letters(_with_newlines(text))
    source, breadcrumb = without_breadcrumb(paragraphs(text), settings)
    first = _title(source, settings)
    title = source[first[0]][first[1]] if first else None
    writing = Writing(
        path,
        settings,
        bullets=_BULLET_SIGN.search(text) is not None,
        title_case=writes_title_case(source, settings),
    )
    if letters:
        writing.put_back["formula"] += letters
    for part, (body, area) in enumerate(_parts(source, first, settings)):
        if part == 0 and first is not None:
            index, at = first
            writing.body([*body[:index], *filter(None, [body[index][:at]])])
            writing.title(body[index][at])
            body = [*filter(None, [body[index][at + 1 :]]), *body[index + 1 :]]
        for between, asked in lost_marks.labelled(body, settings):
            writing.body(between)
            if asked:
                writing.area(asked)
        if area:
            writing.area(area)
    lines = tuple(writing.lines)
    return Page(
        markdown="\n".join([*map(text_of, lines), ""]),
        title=title.text[: remains(title)] if title else "",
        breadcrumb=breadcrumb,
        tags=_tags(source, settings),
        reconstructed=frozenset(writing.reconstructed),
        problems=tuple(sorted(writing.problems)),
        put_back=tuple(sorted(writing.put_back.items())),
        left_out=tuple(sorted(writing.left_out, key=lambda found: found[1])),
        lines=lines,
    )


_MAY_HOLD_TAG = re.compile(r"#[^\s#]")


def _tags(source: Sequence[Paragraph], settings: Settings) -> tuple[str, ...]:
    texts = (row.text for paragraph in source for row in paragraph if "#" in row.text)
    rows = (tags.find(formulas.outside(text)) for text in texts if _MAY_HOLD_TAG.search(text))
    names = (tuple(dict.fromkeys(tag.name for tag in found)) for found in rows if found)
    with_deck = [found for found in names if any(tags.is_deck_tag(name, settings) for name in found)]
    if len(with_deck) < 2:
        return with_deck[0] if with_deck else ()
    return tuple(name for name in with_deck[0] if tags.is_deck_tag(name, settings))


def tidy(text: str, path: str, settings: Settings) -> Tidied:
    """The page as Markdown with `title`, `lang`, `tags` and `derived: true` in its front matter.

    A note with front matter or schedules, or with such Markdown as no page shows (as text they would be lost) is a note
    already and stays as it is.
    """
    if sign := _sign_of_a_note(_with_newlines(text), path, settings):
        return Tidied(text, (f"{path}: has {sign}, so it is a note already; nothing was changed",))
    page = convert(text, path, settings)
    entries: dict[str, str | bool | list[str]] = {"title": page.title} if page.title else {}
    entries["lang"] = str(language.of_file(page.markdown, path=path, declared=None, title=page.title))
    if page.tags:
        entries["tags"] = list(page.tags)
    entries["derived"] = True
    if page.breadcrumb:
        entries["breadcrumb"] = page.breadcrumb
    matter = yaml.safe_dump(entries, allow_unicode=True, sort_keys=False, width=float("inf"))
    return Tidied(f"---\n{matter}---\n\n{page.markdown}", (*map(str, page.problems), *_repairs(page, path)))


def _sign_of_a_note(text: str, path: str, settings: Settings) -> str:
    if front_matter.read(text.split("\n"), path)[0].line_count:
        return "front matter"
    if "<!--SR:" in text and not is_page(text, settings):
        return "schedules"
    return "Markdown marks" if _NO_PAGE_SHOWS.search(text) and not _page_signs(text, paragraphs(text), settings) else ""


def _repairs(page: Page, path: str) -> Iterator[str]:
    """What the page got back, and what was left out."""
    numbers = []
    for text, line in page.left_out:
        if text[0].isdigit() and not any(map(str.isalpha, text)):
            numbers.append(line)
        else:
            yield f"{path}:{line}: “{text}” was left out"
    if numbers:
        yield f"{path}:{numbers[0]}: {len(numbers)} times or page numbers were left out, the first of them here"
    if page.put_back:
        counts = (f"{number} {name if number == 1 else _plural(name)}" for name, number in page.put_back)
        yield f"{path}: put back {', '.join(counts)}"


def _plural(name: str) -> str:
    return "boxes" if name == "box" else "blocks of code" if name == "block of code" else f"{name}s"


def _with_newlines(text: str) -> str:
    return normalized(text.removeprefix("\ufeff"))


def _title(source: Sequence[Paragraph], settings: Settings) -> tuple[int, int] | None:
    """Paragraph and row of the title: the first row, tag lines, buttons, menus and `Chapter 5` above it aside."""
    head = without_furniture(source[:5])[0]
    kept = {row.number for paragraph in head for row in paragraph}
    for index, paragraph in enumerate(source[:5]):
        row = next((at for at, row in enumerate(paragraph) if row.number in kept and not is_part(row)), None)
        if row is not None and not deck_tags(paragraph, settings) and not is_menu(paragraph):
            return (index, row) if is_title(paragraph[row:], settings) else None
    return None


def _before_sections(below: Sequence[Paragraph], settings: Settings) -> Sequence[Paragraph]:
    """The paragraphs above the first one with a label, or a heading that only what stands around it tells."""
    bordered, _ = with_borders(below, settings, title_case=writes_title_case(below, settings))
    first = next((row.number for row, *_ in bordered if row.level or label(row, settings)), None)
    if first is None:
        return below
    return [paragraph for paragraph in below if paragraph[-1].number < first]


def _parts(
    source: Sequence[Paragraph], title: tuple[int, int] | None, settings: Settings
) -> Iterator[tuple[Sequence[Paragraph], lost_marks.Area | None]]:
    """The page cut behind each deck tag line: what comes before with that line, and the flashcards below it.

    `title`: paragraph and row of the page's title.
    """
    tag_lines = [
        index for index, (row, *_) in enumerate(source) if "#" in row.text and deck_tags(source[index], settings)
    ]
    done, at_top = 0, True
    for number, index in enumerate(tag_lines, 1):
        following = tag_lines[number] if number < len(tag_lines) else len(source)
        start = index + 1 if title is None else max(index, title[0]) + 1
        body = source[done:start]
        at_top = at_top and not any(
            heading_level(paragraph, settings)
            for n, paragraph in enumerate(body, done)
            if title is None or n != title[0]
        )
        below = source[start:following]
        area = lost_marks.read(_before_sections(below, settings) if at_top else below, settings, at_top=at_top)
        if at_top and (area.runs_on or not (area.cards or area.unanswered)):
            yield body, None  # what stands there is the page's text
            done = start
        else:
            yield body, area
            done = start + area.taken
    yield source[done:], None
