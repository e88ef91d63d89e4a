"""Shapes of a pasted page that run over several paragraphs: code with the remains of its button, and steps whose
numbers stand on lines of their own."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise

from cards import formulas
from cards.language import word_set
from cards.page_blocks import Paragraph, Row, heading_level, is_tag_line, label, separates
from cards.settings import Settings


@dataclass(frozen=True, slots=True)
class Code:
    """Rows of code with the blank lines between them; without the buttons above it."""

    rows: tuple[Row, ...]
    language: str
    buttons: tuple[Row, ...]
    """`Copy code` and the like, which the page shows above it."""


@dataclass(frozen=True, slots=True)
class Steps:
    """A numbered list: for each number its row, and the paragraphs below it."""

    steps: tuple[tuple[Row, tuple[Paragraph, ...]], ...]


def shapes(body: Sequence[Paragraph], settings: Settings) -> Iterator[Paragraph | Code | Steps]:
    """The paragraphs in order; those that are code or numbered steps together."""
    at = 0
    while at < len(body):
        taken, shape = _code(body, at, settings) or _steps(body, at, settings) or (1, body[at])
        yield shape
        at += taken


# Code

BUTTON = re.compile(r"(?:copy(?: code| to clipboard| snippet)?|copied!?)", re.IGNORECASE)
_LANGUAGES = word_set(
    """
    python py sql bash shell sh zsh console powershell javascript js jsx typescript ts tsx java kotlin swift scala
    c c++ cpp c# csharp go golang rust ruby php perl lua haskell html css json yaml yml xml toml ini matlab julia r
    dockerfile diff latex plaintext text
    """
)
_SURE = re.compile(
    r".*[=(\[<>].*[;{]|.*\S ?\{|[(\[{]+|[)\]}]+[,;]?|.*\w\.[A-Za-z_]\w*\(.*\).*"  # ends of statements, a method called
    r"|def \w+\(.*:|class [A-Z]\w*(?:\(.*\))?:|for [\w, ]+ in .+:|(?:if|elif|while) .*(?:[=<>(\[]| in | not ).*:"
    r"|while \w+:|(?:else|try|finally):|except\b.*:|with .+ as \w+:|(?:int|float|double|char|void)\b.*[;{]"
    r"|(?:import|package|using) [\w.]+(?: as \w+|;)?|from [\w.]+ import .+|return(?: [\w.\[\]]+| .*[-+*/%(\[=<>].*)?;?"
    r"|#include\b.*|(?:const|let|var) \w+ ?=.*|\"[^\"]+\": .+|</?[A-Za-z][^>]*>.*|>>> .*"
    r"|(?:SELECT|FROM|WHERE|(?:LEFT |RIGHT |INNER |FULL )?JOIN|GROUP BY|ORDER BY|INSERT INTO|DELETE FROM)\b(?!:| [–—-]).*"
)
_LIKELY = re.compile(r"[\w.\[\]]*\w\(.*\)[:;,]?|[\w.\[\], *]+ ?(?:[-+*/]?=|:=|<-) ?(?!(?:[^\W\d_]+ )+[^\W\d_]+\Z)\S.*")
_REMARK = re.compile(r"(?:#|//|--) .*")
_LONGEST = 300
"""Characters of a line of code; the patterns need more than linear time."""
_PROSE_END = re.compile(r"[^\W\d_]{2}[.!?…]")


def _ends_prose(row: Row) -> bool:
    text = row.text
    return text[-1] in ".!?…" and _PROSE_END.fullmatch(text[-3:]) is not None and not _REMARK.fullmatch(text)


def _is_code(rows: Sequence[Row], settings: Settings) -> bool:
    """Whether bare lines are code: each looks so or is indented, and half of them plainly, or one above an indented one."""
    least = min([row.indentation for row in rows])
    sure, indented = 0, False
    for row in rows:
        text, inner = row.text, row.indentation > least
        if "$" in text or len(text) > _LONGEST or row.mark or _ends_prose(row):
            return False
        likely = _LIKELY.fullmatch(text)
        if _SURE.fullmatch(text) or (likely and not formulas.is_mathematics(text)):
            sure += 1
        elif not (inner or likely or _REMARK.fullmatch(text)):
            return False
        indented |= inner
    if 2 * sure < len(rows) and not (sure and indented):
        return False
    separators = [f" {sign} " for sign in (settings.inline, settings.inline_reversed) if sign]
    return not any(sign in f" {row.text} " for row in rows for sign in separators)


def _code(body: Sequence[Paragraph], at: int, settings: Settings) -> tuple[int, Code] | None:
    """The code that begins with the paragraph at `at`, and how many paragraphs it takes."""
    first = body[at][0]
    named = first if first.text.lower() in _LANGUAGES else None
    sign = next(islice(chain.from_iterable(body[at : at + 2]), 1, None), None) if named else first
    buttons: tuple[Row, ...] = (sign,) if sign and BUTTON.fullmatch(sign.text) else ()
    skipped = (named is not None) + len(buttons)
    if buttons and (more := next(islice(chain.from_iterable(body[at : at + 3]), skipped, None), None)):
        buttons += (more,) if more.text == "Edit" else ()
        skipped += more.text == "Edit"
    rows = list(body[at][skipped:])
    if rows and not (_is_code(rows, settings) or (buttons and _may_be_code(rows, settings))):
        return None
    end = at + 1
    skipped -= len(body[at])
    while end < len(body):
        own = body[end][max(skipped, 0) :]
        skipped -= len(body[end])
        if own and not (_is_code(own, settings) or (buttons and not rows and _may_be_code(own, settings))):
            break
        rows += own
        end += 1
    if not rows or (len(rows) < 2 and not buttons):
        return None
    if not buttons and named is not None and len(body[at]) == 1:
        return None  # a word alone in its paragraph is no name of a language
    return end - at, Code(tuple(rows), named.text.lower() if named else "", buttons)


def _may_be_code(rows: Sequence[Row], settings: Settings) -> bool:
    """Whether what follows the button can be code: anything but what a page shows otherwise."""
    first = rows[0]
    shown_otherwise = (
        first.mark
        or is_tag_line(first.text)
        or label(first, settings)
        or heading_level(tuple(rows), settings)
        or "$" in first.text
    )
    return not shown_otherwise and not any(map(_ends_prose, rows))


# Steps

_NUMBER = re.compile(r"(\d{1,2})(?:[.)]|\ufe0f?\u20e3)?")
_MOST_PARAGRAPHS = 3
"""Of one step."""


def _steps(body: Sequence[Paragraph], at: int, settings: Settings) -> tuple[int, Steps] | None:
    """The steps whose first number begins the paragraph at `at`, and how many paragraphs they take."""
    if not body[at][0].text[0].isdecimal():
        return None
    steps: list[tuple[Row, list[Paragraph]]] = []
    end = at
    while end < len(body):
        numbered = _numbered(body[end], len(steps) + 1)
        if numbered:
            steps += numbered
        elif not steps or not _goes_on(body[end], steps[-1][1], settings):
            break
        else:
            steps[-1][1].append(body[end])
        end += 1
    if len(steps) < 2 or not all(paragraphs for _, paragraphs in steps):
        return None
    number, last = steps[-1]
    steps[-1] = (
        number,
        last[: max(len(paragraphs) for _, paragraphs in steps[:-1])],
    )  # what follows belongs to no step
    too_many = len(last) - len(steps[-1][1])
    return end - at - too_many, Steps(tuple((row, tuple(paragraphs)) for row, paragraphs in steps))


def _numbered(paragraph: Paragraph, first: int) -> list[tuple[Row, list[Paragraph]]]:
    """The steps from number `first` on in a paragraph that begins with that number on a line of its own."""
    starts: list[int] = []
    for index, row in enumerate(paragraph):
        found = _NUMBER.fullmatch(row.text)
        if found and int(found[1]) == first + len(starts):
            starts.append(index)
        elif index == 0:
            return []
    runs = pairwise((*starts, len(paragraph)))
    return [(paragraph[start], [paragraph[start + 1 : end]] if end > start + 1 else []) for start, end in runs]


def _goes_on(paragraph: Paragraph, above: Sequence[Paragraph], settings: Settings) -> bool:
    """Whether a paragraph below a number belongs to its step; the first one may look like a heading."""
    row = paragraph[0]
    if (
        len(above) >= _MOST_PARAGRAPHS
        or is_tag_line(row.text)
        or separates(row.text, settings)
        or _NUMBER.fullmatch(row.text)
    ):
        return False
    return not above or not (heading_level(paragraph, settings) or label(row, settings) or row.text.endswith("?"))
