"""What a site or a program shows around a page: buttons, dates, page numbers. It is left out, and told."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from cards.language import word_set
from cards.page_blocks import Paragraph, Row, remains

_BUTTONS = frozenset(
    (
        "share",
        "share this article",
        "share this post",
        "save as pdf",
        "download as pdf",
        "listen",
        "follow",
        "save",
        "subscribe",
        "open in app",
        "medium logo",
        "member-only story",
        "sign in",
        "sign up",
        "log in",
        "read aloud",
        "copy link",
        "reply",
        "leave a comment",
        "leave a reply",
        "leave a reply cancel reply",
        "your email address will not be published.",
        "your email address will not be published. required fields are marked *",
        "post comment",
        "upvote",
        "click to reveal answer",
        "reveal answer",
        "show answer",
        "hide answer",
        "check answer",
        "✗ incorrect",
        "✓ correct",
        "was this helpful?",
        "was this page helpful?",
        "was this answer helpful?",
        "thanks for your feedback!",
        "skip to content",
        "skip to main content",
        "jump to content",
        "back to top",
        "on this page",
        "in this article",
        "advertisement",
        "advertise with us",
        "view history",
        "from wikipedia, the free encyclopedia",
        "← previous post",
        "next post →",
        "you said:",
        "chatgpt said:",
        "chatgpt can make mistakes. check important info.",
    )
)
"""They say nothing of what the page is about."""
_LONGEST = 80
"""Characters of a button or a stamp; the patterns read shorter lines only."""
_BESIDE = (
    (("medium logo",), word_set("search write")),
    (
        ("share", "share this article", "share this post"),
        word_set("facebook twitter whatsapp linkedin reddit pinterest"),
    ),
    (("was this helpful?", "was this page helpful?", "was this answer helpful?"), word_set("yes no")),
    (("view history", "from wikipedia, the free encyclopedia"), word_set("article talk read edit tools")),
)
"""Words that are buttons too where one of these stands right beside them, and words of the page elsewhere."""
_WHEN = (
    r"(?:\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*,? \d|\d,? (?:jan|feb|mar|apr|may|ju[nl]|aug|sep|oct|nov|dec)"
    r"|\d [a-z]+ ago\b|\d{4}-\d\d-\d\d|\d/\d\d?/\d|\d:\d\d)"
)
_STAMP = re.compile(
    rf"(?:asked|modified|answered|edited|(?:last )?updated|published)\b(?=.*{_WHEN})[^?!$=]*[^.?!$=]"
    r"|viewed\b[^.?!$=]*\d[^.?!$=]* times|\d+ comments?|\d+ min(?:ute)? read"
    r"|[^?!$=]*· \d+ min(?:ute)? read\b[^?!$=]*|(?:©|copyright ©).*\d{4}.*",
    re.IGNORECASE,
)
"""When a page was written, by whom, and how often it was read."""
_CONTENTS = frozenset(("on this page", "in this article", "contents", "table of contents"))
_OF_CONTENTS = frozenset(("hide", "[hide]", "(top)"))
"""What an encyclopedia shows above its table of contents."""
_SECTION_LINK = re.compile(r"Section titled [“\"](?P<title>.+)[”\"]")
"""What some sites show below each heading."""
_DIGIT = re.compile(r"\d")
_TIME = re.compile(r"(?:\d{1,2}:)?\d{1,2}:\d\d")
_PAGE_NUMBER = re.compile(r"(?P<word>(?:Page|Slide) )?(?P<number>\d{1,4})(?(word)(?: (?:of|/) \d{1,4})?)")
_PART = re.compile(r"(?:Chapter|Unit|Lecture|Lesson|Module|Part|Week|Slide|Page) \d{1,3}", re.IGNORECASE)
_FEWEST = 3
"""So many times of a transcript, or page numbers in a row, show what they are."""


SITE = re.compile(
    r"\S[ \t]?\[edit\]$|^(?:You said:|ChatGPT said:|From Wikipedia, the free encyclopedia|Copy code|Skip to content)$",
    re.MULTILINE,
)
"""What no author writes, and shows where a text was copied."""


def is_part(row: Row) -> bool:
    """Whether it only numbers what the next line names."""
    return _PART.fullmatch(row.text) is not None


def is_menu(paragraph: Paragraph) -> bool:
    """Whether it is a column of names, each of a word or two."""
    return len(paragraph) > 3 and all(len(row.text.split()) <= 2 and row.text[-1].isalnum() for row in paragraph)


def without_furniture(body: Sequence[Paragraph]) -> tuple[list[Paragraph], list[Row]]:
    """The paragraphs without the buttons and the like in them; and those. A link to a section marks its heading."""
    rows = list(chain.from_iterable(body))
    said = [row.text.casefold() for row in rows]
    text = "\n".join(said)
    short = _short_with_digits(rows) if _DIGIT.search(text) else []
    found_out = chain(_buttons(rows, said), _stamps(short), _contents(rows, said), _numbered(short, body))
    numbers = {row.number for row in found_out}
    if not numbers and "section titled" not in text:
        return list(body), []
    kept: list[Paragraph] = []
    left_out: list[Row] = []
    for paragraph in body:
        found: list[Row] = []
        for row in paragraph:
            link = _SECTION_LINK.fullmatch(row.text) if row.text.startswith("Section titled") else None
            if link and found and found[-1].text == link["title"]:
                found[-1] = found[-1]._replace(level=2)
                left_out.append(row)
            elif row.number in numbers:
                left_out.append(row)
            else:
                found.append(row)
        if found:
            kept.append(tuple(found))
    return kept, left_out


def without_buttons(body: Sequence[Paragraph]) -> tuple[list[Paragraph], list[Row]]:
    """Flashcards without the buttons and stamps among them, and those.

    `Save` right below a question, or among other lines, is an answer; `Show answer` never is.
    """
    rows = list(chain.from_iterable(body))
    said = [row.text.casefold() for row in rows]
    found = {row.number for row in chain(_buttons(rows, said), _stamps(_short_with_digits(rows)))}
    kept: list[Paragraph] = []
    for paragraph in body:
        bare = tuple(row for row in paragraph if row.number not in found or "answer" not in row.text.casefold())
        answers = bool(kept) and kept[-1][-1].text.endswith("?")
        if bare and (answers or any(row.number not in found for row in bare)):
            kept.append(bare)
    stays = {row.number for row in chain.from_iterable(kept)}
    return kept, [row for row in rows if row.number not in stays]


def _buttons(rows: Sequence[Row], said: Sequence[str]) -> Iterator[Row]:
    """The buttons, with the words that stand beside them without a gap; `said` is what the rows say, case-folded."""
    if _BUTTONS.isdisjoint(said):
        return
    for index, button in enumerate(said):
        if button not in _BUTTONS:
            continue
        yield rows[index]
        words = next((words for names, words in _BESIDE if button in names), ())
        for beside in (range(index - 1, -1, -1), range(index + 1, len(rows))) if words else ():
            for at in beside:
                if said[at] not in words:
                    break
                yield rows[at]


def _contents(rows: Sequence[Row], said: Sequence[str]) -> Iterator[Row]:
    """The tables of contents: two lines or more below such a name that all stand again above what they name."""
    if _CONTENTS.isdisjoint(said):
        return
    times = Counter(map(_entry, rows))
    for index in [index for index, text in enumerate(said) if text in _CONTENTS]:
        start = index + 1
        while start < len(rows) and said[start] in _OF_CONTENTS:
            start += 1
        listed: dict[str, Row] = {}
        for row in islice(rows, start, None):
            if times[_entry(row)] < 2 or _entry(row) in listed:
                break
            listed[_entry(row)] = row
        if len(listed) > 1:
            yield from (*rows[index:start], *listed.values())


def _entry(row: Row) -> str:
    found = row.mark
    return row.text[found.text if found else 0 : remains(row)]


def _short_with_digits(rows: Sequence[Row]) -> list[Row]:
    """Those that can be a stamp, a time or the number of a page."""
    return [row for row in rows if len(row.text) <= _LONGEST and _DIGIT.search(row.text)]


def _stamps(short: Sequence[Row]) -> Iterator[Row]:
    return (row for row in short if _STAMP.fullmatch(row.text))


def _numbered(short: Sequence[Row], body: Sequence[Paragraph]) -> Iterator[Row]:
    """The times on lines of their own, such as a transcript shows, and the numbers of pages and slides."""
    times = [row for row in short if _TIME.fullmatch(row.text)]
    if len(times) >= _FEWEST:
        yield from times
    pages = [(row, match) for row in short if (match := _PAGE_NUMBER.fullmatch(row.text))]
    named = [(row, int(match["number"])) for row, match in pages if match["word"]]
    if _count_up(named):
        yield from (row for row, _ in named)
    elif len(pages) >= _FEWEST:
        feet = {paragraph[-1].number for paragraph in body if len(paragraph) > 1}
        bare = [(row, int(match["number"])) for row, match in pages if not match["word"] and row.number in feet]
        if _count_up(bare):
            yield from (row for row, _ in bare)


def _count_up(numbers: Sequence[tuple[Row, int]]) -> bool:
    return len(numbers) >= _FEWEST and all(number == numbers[0][1] + at for at, (_, number) in enumerate(numbers))
