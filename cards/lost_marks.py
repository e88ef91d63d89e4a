"""Cards of a pasted page that lost their `::`, found again in the bare lines below the deck tag.

Such a page shows text and formulas each as a paragraph of its own, here called fragments, with no border between
question and answer, nor between cards. A question ends at a question mark; where it begins is told by how the
fragment above it ends.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from cards import formulas, labels
from cards.language import word_set
from cards.page_blocks import (
    Paragraph,
    Row,
    has_bullet,
    heading_level,
    holds_card,
    is_bare_formula,
    is_schedule,
    label,
    mark_of,
)
from cards.page_furniture import without_buttons
from cards.settings import Settings

_OPENERS = word_set(
    """
    What Why How When Which Who Whose Where Is Are Does Do Did Can Could Should Will If Give Name State Define Explain
    Kya Kyun Kaise Kab Kahan Kaun Kitna Kitne Kitni Agar
    """
)
"""Words that begin a question, as they stand at its start."""

_CLOSING = "\"'”’»)\\]"
_QUESTION_END = re.compile(rf"\?[{_CLOSING}]*$")
_SENTENCE_END = re.compile(rf"[.!?।…][{_CLOSING}]*$")
_QUOTED_END = re.compile(r"\S ?[\"“«][^\"“«]*\?[\"”»][)\]]*$")
_FIRST_WORD = re.compile(r"[^\w\\$]*([^\W\d_]+)")


@dataclass(frozen=True, slots=True)
class LostCard:
    """`fragments[start:answer]` ask, `fragments[answer:end]` answer."""

    start: int
    answer: int
    end: int


@dataclass(frozen=True, slots=True)
class Area:
    """The flashcards below a tag line."""

    fragments: tuple[Paragraph, ...]
    cards: tuple[LostCard, ...]
    unanswered: tuple[int, ...]
    """The first fragment of each question without an answer."""
    taken: int
    """How many of the paragraphs given belong to the area."""
    left_out: tuple[Row, ...]
    """Buttons and the like among them; they are in no fragment."""

    @property
    def runs_on(self) -> bool:
        """Whether an answer has two texts in a row, as no card has: it is the text of a page, with questions in it."""
        answers = (self.fragments[card.answer : card.end] for card in self.cards)
        return any(_is_text(above) and _is_text(below) for answer in answers for above, below in pairwise(answer))


def _is_text(fragment: Paragraph) -> bool:
    return len(fragment) == 1 and fragment[0].mark is None and not is_bare_formula(fragment)


def read(below: Sequence[Paragraph], settings: Settings, *, at_top: bool) -> Area:
    """The area that begins `below` a tag line; the next one with a deck is not among these paragraphs.

    `at_top`: no heading stands above the tag line but the title.
    """
    taken = _end(below, settings, at_top=at_top)
    kept, left_out = without_buttons(below[:taken])
    fragments = _whole_formulas(fragment for paragraph in kept for fragment in _fragments(paragraph, settings))
    borders = {index for index, fragment in enumerate(fragments) if holds_card(fragment, settings)}
    labelled = _labelled_questions(fragments, borders)
    inside = {index for start, end in labelled for index in range(start, end + 2)}
    ends = [end for end in _question_ends(fragments, borders) if end not in inside]
    fixed = borders | inside
    asked = sorted([*labelled, *((_start(fragments, end, fixed), end) for end in ends)])
    cards, unanswered = [], []
    for number, (start, end) in enumerate(asked, 1):
        limit = asked[number][0] if number < len(asked) else len(fragments)
        behind = next((index for index in range(end + 1, limit) if index in borders), limit)
        if behind > end + 1:
            cards.append(LostCard(start, end + 1, behind))
        else:
            unanswered.append(start)
    return Area(_without_labels(fragments, cards), tuple(cards), tuple(unanswered), taken, tuple(left_out))


def _fragments(paragraph: Paragraph, settings: Settings) -> Iterator[Paragraph]:
    """The paragraph; a question in its first line, with the answer in the lines below, is parted from them, and so is
    each further question where every one has an answer below."""
    if len(paragraph) == 1 or has_bullet(paragraph[0]) or holds_card(paragraph, settings):
        yield paragraph
        return
    starts = [0]
    asking = [_asks((row,)) and len(row.text.split()) > 2 and row.mark is None for row in paragraph]
    each = asking[0] and sum(asking) > 1 and not any(map(all, pairwise(asking)))
    for index, row in enumerate(paragraph[1:], 1):
        is_answer = (index == 1 and _asks(paragraph[:1])) or (each and asking[index] != asking[index - 1])
        if is_answer or (_ASKED.match(paragraph[0].text) and (_ASKED.match(row.text) or _ANSWERED.match(row.text))):
            starts.append(index)
    for start, end in pairwise((*starts, len(paragraph))):
        yield paragraph[start:end]


def labelled(body: Sequence[Paragraph], settings: Settings) -> Iterator[tuple[Sequence[Paragraph], Area | None]]:
    """Paragraphs that stand in no area, cut behind each run of them that begin with `Q:` or `A:`, with that run."""
    if not _ASKED_BELOW.search("\n".join(["", *[row.text for paragraph in body for row in paragraph]])):
        yield body, None
        return
    body = [part for paragraph in body for part in _from_first_asked(paragraph)]
    done = at = 0
    while at < len(body):
        if not _ASKED.match(body[at][0].text):
            at += 1
            continue
        end = at + 1
        while end < len(body) and (_ASKED.match(body[end][0].text) or _ANSWERED.match(body[end][0].text)):
            end += 1
        if (area := read(body[at:end], settings, at_top=False)).cards:
            yield body[done:at], area
            done = end = at + area.taken
        at = max(end, at + 1)
    yield body[done:], None


def _from_first_asked(paragraph: Paragraph) -> Iterator[Paragraph]:
    """The paragraph; where `Q:` and `A:` follow a heading or a text in it, that alone, and then them."""
    at = next((index for index, row in enumerate(paragraph) if _ASKED.match(row.text)), 0) if len(paragraph) > 1 else 0
    if at and any(_ANSWERED.match(row.text) for row in paragraph[at:]):
        yield paragraph[:at]
        yield paragraph[at:]
    else:
        yield paragraph


_MOST_LINES = 12
"""Of a broken formula: what is joined is read again with each line, and the time stays linear."""


def _whole_formulas(fragments: Iterable[Paragraph]) -> tuple[Paragraph, ...]:
    """The fragments, and those that are parts of one formula as one."""
    found: list[Paragraph] = []
    for fragment in fragments:
        may_go_on = found and len(fragment) == 1 and len(found[-1]) < _MOST_LINES and not is_schedule(fragment[0].text)
        together = (*found[-1], *fragment) if may_go_on else ()
        if together and formulas.goes_on(found[-1][-1].text, fragment[0].text) and is_bare_formula(together):
            found[-1] = together
        else:
            found.append(fragment)
    return tuple(found)


_ASKED = re.compile(rf"{labels.QUESTION} ?\d{{0,3}} ?[:.)]\s+(?=\S)")
_ASKED_BELOW = re.compile(rf"\n{_ASKED.pattern}")
_ANSWERED = re.compile(rf"(?:A|{labels.ANSWER}) ?\d{{0,3}} ?[:.)]\s+(?=\S)")


def _labelled_questions(fragments: Sequence[Paragraph], borders: set[int]) -> list[tuple[int, int]]:
    """The first and last fragment of each question between `Q:` and `A:`."""
    found: list[tuple[int, int]] = []
    start: int | None = None
    for index, fragment in enumerate(fragments):
        if index in borders:
            start = None
        elif _ASKED.match(fragment[0].text):
            start = index
        elif start is not None and _ANSWERED.match(fragment[0].text):
            found.append((start, index - 1))
            start = None
    return found


def _without_labels(fragments: Sequence[Paragraph], cards: Iterable[LostCard]) -> tuple[Paragraph, ...]:
    """The fragments, where the card's separator now stands for `Q:` and `A:`."""
    bare = list(fragments)
    for card in cards:
        asked = _ASKED.match(bare[card.start][0].text)
        answered = _ANSWERED.match(bare[card.answer][0].text) if asked else None
        for index, found in ((card.start, asked), (card.answer, answered)):
            if found:
                first, *rest = bare[index]
                text = first.text[found.end() :]
                cut = first._replace(column=first.column + found.end(), text=text, mark=mark_of(text))
                bare[index] = (cut, *rest)
    return tuple(bare)


def _is_bare(following: Sequence[Paragraph]) -> bool:
    """Whether mathematics without dollar signs follows."""
    return any(is_bare_formula(paragraph) and "$" not in paragraph[0].text for paragraph in following)


def _asks(fragment: Paragraph) -> bool:
    """Whether a question ends with it; an item of signs alone, such as `- ?`, would leave a card without a front."""
    last = fragment[-1]
    return (
        "?" in last.text
        and _QUESTION_END.search(last.text) is not None
        and sum(map(has_bullet, fragment)) < 2
        and (last.mark is None or any(map(str.isalnum, last.text)))
    )


def _question_ends(fragments: Sequence[Paragraph], borders: set[int]) -> list[int]:
    ends: list[int] = []
    for index, fragment in enumerate(fragments):
        if index in borders or not _asks(fragment):
            continue
        answers = ends[-1:] == [index - 1] and _QUOTED_END.search(fragment[-1].text) and not _begins_question(fragment)
        if not answers:  # `It asks "which words agree?"` right below a question answers it
            ends.append(index)
    return ends


def _start(fragments: Sequence[Paragraph], end: int, borders: set[int]) -> int:
    """Where the question that ends with the fragment `end` begins."""
    start = end
    while start and start - 1 not in borders and not _ASKED.match(fragments[start][0].text):
        current, above = fragments[start], fragments[start - 1]
        if is_bare_formula(above) == is_bare_formula(current):
            break  # one side of a card never has two of a kind in a row
        if is_bare_formula(current):
            if _SENTENCE_END.search(above[-1].text) or _is_aside(above):
                break
        elif _begins_question(current) or (start == end and _begins_with_capital(current)):
            break
        start -= 1
    first = fragments[start]
    leaves_no_answer = 0 < start < end and start - 1 not in borders and _asks(fragments[start - 1])
    if leaves_no_answer and not _begins_question(first):
        goes_on = is_bare_formula(first) and fragments[start + 1][0].text[0].islower()
        return start if goes_on else start + 1
    return start


def _is_aside(fragment: Paragraph) -> bool:
    """Whether it stands in brackets, which belong to what is before them."""
    return fragment[0].text.startswith("(") and fragment[-1].text.endswith(")")


def _first_word(fragment: Paragraph) -> str:
    found = _FIRST_WORD.match(fragment[0].text)
    return found[1] if found else ""


def _begins_with_capital(fragment: Paragraph) -> bool:
    return _first_word(fragment)[:1].isupper()


def _begins_question(fragment: Paragraph) -> bool:
    return _first_word(fragment) in _OPENERS


def opens_section(fragment: Paragraph, settings: Settings) -> bool:
    """Whether it looks like a heading behind the cards: no question, and more than one word unless it is well known."""
    text = fragment[0].text
    if len(fragment) > 1 or "\\" in text or _begins_question(fragment) or _asks(fragment):
        return False
    if label(fragment[0], settings):
        return True
    return heading_level(fragment, settings) > 0 and (len(text.split()) > 1 or text in _SECTIONS)


_SECTIONS = ("Connections", "Summary", "Recall", "References", "Sources", "Related")


def _end(below: Sequence[Paragraph], settings: Settings, *, at_top: bool) -> int:
    """How many paragraphs come before the heading that ends the area."""
    last_question = max((index for index, paragraph in enumerate(below) if _asks(paragraph)), default=-1)
    for index, paragraph in enumerate(below):
        if at_top and heading_level(paragraph, settings) and (index == 0 or not _asks(below[index - 1])):
            return index
        if index == 0 or not opens_section(paragraph, settings) or _is_bare(below[index + 1 : index + 2]):
            continue  # above bare mathematics it begins a question
        above = below[index - 1]
        if holds_card(above, settings):
            return index
        if is_bare_formula(above):
            if last_question < index:
                return index
        elif not _asks(above):
            return index
    return len(below)
