"""Boxes that ask by what they are: mistakes, recalls, questions, and worked examples with their steps."""

import re
from collections.abc import Collection, Iterator, Sequence

from cards import asking, labels, topics
from cards.drafts import Draft, Script, lines_of
from cards.example_steps import Example, names_example
from cards.implied_answers import body
from cards.implied_facts import MEANS
from cards.implied_questions import lines_asked
from cards.language import word_set
from cards.passages import Passage, Section, Words

_DEFINITIONS = frozenset(("definition", "paribhasha"))


def is_mistake(section: Section) -> bool:
    """Whether a heading `Mistake 1: …` holds here; all of its section belongs to it."""
    return any(topics.MISTAKE_OPENING.match(heading.shown) for heading in section.headings)


def mistake(script: Script, section: Section) -> Draft | None:
    """The card of a section whose own heading is a mistake."""
    heading = section.headings[-1]
    found = topics.MISTAKE_OPENING.match(heading.shown)
    if found is None or not section.free:
        return None
    return _mistake(script, section, heading.cut(found.end()), body(section.passages, whole=True), heading.start)


def boxed(script: Script, section: Section, callouts: Collection[str]) -> Iterator[Draft | None]:
    """The cards of the boxes in a section; `callouts` are the kinds whose title is a question."""
    for box in section.passages:
        if box.role == "text" and box.words is not None and ":" in box.words.shown:
            yield _labelled_mistake(script, section, box)
        if box.role != "box":
            continue
        kind = box.box.replace("_", " ").replace("-", " ")
        title = asking.unmarked(topics.without_number(box.words)) if box.words is not None and box.free else None
        named = box.words is not None and (
            topics.MISTAKE_OPENING.match(box.words.shown) or topics.is_mistake(box.words.shown)
        )
        wrong = kind in labels.MISTAKES or named
        if names_example(kind):
            names = script.above(section.headings)
            name = script.name(title) if title is not None else names[-1] if names else ""
            yield from lines_asked(script, section, box.inside, Example(name))
        elif not wrong and kind != "recall" and kind not in callouts:
            inside = section if title is None else section._replace(headings=(*section.headings, title))
            yield from lines_asked(script, inside, box.inside, None)
            if (
                kind in _DEFINITIONS
                and title is not None
                and not topics.says_nothing(title.shown, script.note.language)
            ):
                yield _defined(script, section, title, body(box.inside))
        elif wrong and box.free and (title is None or topics.is_mistake(title.shown)):
            yield _mistake_in_text(script, section, box.inside, title.start if title else None)
        elif title is not None:
            answer = body(box.inside, whole=True)
            if wrong:
                label = topics.MISTAKE_OPENING.match(title.shown)
                claim = asking.unmarked(title.cut(label.end())) if label else title
                yield _mistake(script, section, claim or title, answer, title.start)
            elif kind == "recall":
                own = (script.title, "Recall") if script.title else ("Recall",)
                yield _told_by_title(script, "recall", section, title, answer, own)
            else:
                yield _told_by_title(script, "question", section, title, answer, None)


def _mistake(script: Script, section: Section, claim: Words, answer: Sequence[Passage], start: int) -> Draft | None:
    if not answer or asking.length(claim.shown) < 3:
        return None
    lines = [script.sheet.source.line_of(start), *lines_of(answer)]
    back = script.passages(answer)
    return script.draft("mistake", section, claim, back, lines, wording=topics.MISTAKEN, bind=False, start=start)


_ADVICE = word_set("don't do never always avoid remember make be note use check yaad dhyan")
"""First words of a sentence that says what is right."""


def _labelled_mistake(script: Script, section: Section, passage: Passage) -> Draft | None:
    """The card of a paragraph `Common mistake: …`."""
    found = asking.parted(passage.words) if passage.words is not None and passage.free else None
    if found is None or not topics.is_mistake(found[0].shown):
        return None
    return _mistake_in_text(script, section, [passage._replace(words=found[1])], found[0].start)


_SHORT_LINE = re.compile(r"[^\n]{1,40}+(?=\n[A-Z])")
"""A line that was not broken because it was full, above one that begins anew."""


def _mistake_in_text(script: Script, section: Section, told: Sequence[Passage], start: int | None) -> Draft | None:
    """The card of a mistake that a first sentence tells; what stands behind it is the answer."""
    told = body(told, whole=True)
    words = told[0].words if told and told[0].role == "text" else None
    if words is None:
        return None
    begin, end = next(asking.sentences(words.shown), (0, 0))
    if line := _SHORT_LINE.match(words.shown, begin, end):
        end = line.end()
    claim, rest = asking.unmarked(words.cut(begin, len(words.shown[:end].rstrip(" .!*_")))), words.cut(end)
    if claim is None or asking.length(claim.shown) < 3 or asking.ends_asking(claim.shown):
        return None
    first = asking.first_word(claim.shown)
    if (
        first in _ADVICE
        or "mat" in asking.words(claim.shown)
        or asking.points(first, script.note.language)
        or asking.introduces(words.shown)
    ):
        return None
    answer = [script.answer(rest)] if rest.shown.strip(" *_") else []
    if told[1:]:
        answer.append(script.passages(told[1:]))
    start = claim.start if start is None else start
    lines = [script.sheet.source.line_of(start), *lines_of(told)]
    return script.draft(
        "mistake", section, claim, "\n\n".join(answer), lines, wording=topics.MISTAKEN, bind=False, start=start
    )


_MOST_WORDS = 8
"""Of the name of a thing."""


def _defined(script: Script, section: Section, term: Words, answer: Sequence[Passage]) -> Draft | None:
    """The card of a box that defines what its title names."""
    if not answer or asking.length(term.shown) > _MOST_WORDS or term.shown.endswith(("?", ".", "!", ":")):
        return None
    lines = [script.sheet.source.line_of(term.start), *lines_of(answer)]
    return script.draft("definition", section, term, script.passages(answer), lines, wording=MEANS, bind=False)


def _told_by_title(
    script: Script,
    structure: str,
    section: Section,
    title: Words,
    answer: Sequence[Passage],
    own: tuple[str, ...] | None,
) -> Draft | None:
    if not answer or asking.length(title.shown) < 2:
        return None
    lines = [script.sheet.source.line_of(title.start), *lines_of(answer)]
    bind = None if own is None else False
    return script.draft(structure, section, title, script.passages(answer), lines, own=own or (), bind=bind)
