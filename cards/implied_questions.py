"""Questions that a note asks and answers itself: headings, question lines, why-sentences."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from cards import asking, topics
from cards.drafts import Draft, Script, lines_of
from cards.passages import FORMULA, Passage, Role, Section, Words

_STEP = re.compile(r"(?:Step|Stage)\s+\d+\s*[:.—–-]\s*(?=\S)", re.IGNORECASE)
_EXAMPLE_WORDS = frozenset(("example", "examples", "udaharan"))
_NO_ANSWER = re.compile(r"(?:let's|let us|chalo|dekhte|aao|see|try)\b", re.IGNORECASE)


def is_example(section: Section) -> bool:
    return any(not _EXAMPLE_WORDS.isdisjoint(asking.words(heading.shown)) for heading in section.headings)


def asked(script: Script, section: Section) -> Iterator[Draft | None]:
    """All that the heading and the paragraphs of a section ask."""
    yield _heading(script, section)
    names = script.above(section.headings)
    example = Example(names[-1] if names else "") if is_example(section) else None
    yield from lines_asked(script, section, section.passages, example)


# Answers


def body(passages: Sequence[Passage], *, whole: bool = False) -> Sequence[Passage]:
    """What answers a heading: all down to the next question, label or card; with `whole`, questions are part of it."""
    end = 0
    for passage in passages:
        if not passage.free or passage.role in (Role.BORDER, Role.BOX):
            break
        if not whole and (asking.is_question_line(passage) or _why_label(passage)):
            break
        end += 1
    while end and _hangs(passages[end - 1]):
        end -= 1
    found = passages[:end]
    return found if any(passage.role is not Role.OBJECT for passage in found) else ()


def _hangs(passage: Passage) -> bool:
    """Whether it announces what is not there."""
    return passage.words is not None and asking.introduces(passage.words.shown)


def _answer_below(passages: Sequence[Passage]) -> Sequence[Passage]:
    """The block that answers a question line: a list, a formula or a paragraph with what it announces."""
    if not passages or not passages[0].free:
        return ()
    first = passages[0]
    if first.role in (Role.LIST, Role.FORMULA):
        return passages[:1]
    if first.role is not Role.TEXT or first.words is None:
        return ()
    shown = first.words.shown
    if asking.introduces(shown):
        announced = passages[1:2]
        fits = announced and announced[0].free and announced[0].role in (Role.LIST, Role.FORMULA)
        return passages[:2] if fits else ()
    answers = not shown.rstrip().endswith("?") and not _NO_ANSWER.match(shown.lstrip("*_ "))
    return passages[:1] if answers else ()


# Headings and question lines


def _heading(script: Script, section: Section) -> Draft | None:
    heading = section.headings[-1] if section.headings else None
    if heading is None or not section.free or not heading.shown.rstrip(" *_").endswith("?"):
        return None
    question = asking.unmarked(topics.without_number(heading))
    answer = body(section.passages)
    if question is None or not answer or asking.length(question.shown) < 2:
        return None
    lines = [section.line, *lines_of(answer)]
    return script.draft(
        "question",
        section,
        question,
        script.passages(answer),
        lines,
        heads=section.headings[:-1],
        start=heading.start,
    )


@dataclass(slots=True)
class Example:
    """Where in a worked example the reader is."""

    title: str
    step: str = ""
    start: int | None = None
    """Offset of the step."""

    @property
    def context(self) -> tuple[str, ...]:
        return tuple(name for name in (self.title, self.step) if name)


def lines_asked(
    script: Script, section: Section, passages: Sequence[Passage], example: Example | None
) -> Iterator[Draft | None]:
    """Question lines and why-questions among passages of the section."""
    for index, passage in enumerate(passages):
        below = passages[index + 1 : index + 3]
        if passage.role is Role.LIST:
            for item in passage.items:
                if item.free:
                    yield _why(script, section, item, example, in_list=True)
            continue
        if passage.role is not Role.TEXT or passage.words is None:
            continue
        if example is not None and (step := _step(passage.words)) is not None:
            example.step, example.start = script.say(step), passage.words.start if passage.free else None
        if not passage.free:
            continue
        if asking.is_question_line(passage):
            yield _question_line(script, section, passage, below, example)
        elif label := _why_label(passage):
            yield _labelled(script, section, label, passage, below, example)
        else:
            yield _why(script, section, passage, example, in_list=False)
            if example is None:
                yield _because(script, section, passage)


def _question_line(
    script: Script, section: Section, passage: Passage, below: Sequence[Passage], example: Example | None
) -> Draft | None:
    assert passage.words is not None
    question = asking.unmarked(passage.words)
    answer = _answer_below(below)
    why = asking.asks_why(passage.words.shown)
    if question is None or not answer or (example is not None and not why):
        return None
    lines = lines_of([passage, *answer])
    return _asked_why("question", script, section, question, script.passages(answer), lines, example)


def _asked_why(
    structure: str,
    script: Script,
    section: Section,
    question: Words,
    back: str,
    lines: list[int],
    example: Example | None,
    wording: str = "{}",
) -> Draft | None:
    question = asking.without_leading(question)
    if example is not None:
        return script.draft(
            structure,
            section,
            question,
            back,
            lines,
            wording=(wording, wording),
            own=example.context,
            bind=not example.context,
        )
    clipped = True if asking.is_clipped(question.shown) else None
    return script.draft(structure, section, question, back, lines, wording=(wording, wording), bind=clipped)


# Why


def _why_label(passage: Passage) -> tuple[Words, Words] | None:
    """`LABEL: text` with a why word in a short label."""
    if passage.role is not Role.TEXT or passage.words is None:
        return None
    found = asking.parted(passage.words)
    if found is None or not asking.asks_why(found[0].shown) or asking.length(found[0].shown) > 6:
        return None
    return None if "?" in found[0].shown or asking.is_quoted(found[0].shown) or FORMULA in found[0].shown[:1] else found


def _labelled(
    script: Script,
    section: Section,
    label: tuple[Words, Words],
    passage: Passage,
    below: Sequence[Passage],
    example: Example | None,
) -> Draft | None:
    key, value = label
    back, lines = script.answer(value), lines_of([passage])
    if below and below[0].role is Role.LIST and below[0].free:
        back = f"{back}\n\n{script.passages(below[:1])}"
        lines += lines_of(below[:1])
    elif _hangs(passage):
        return None
    return _asked_why("why", script, section, key, back, lines, example, "{}?")


def _why(script: Script, section: Section, passage: Passage, example: Example | None, *, in_list: bool) -> Draft | None:
    """A short why-question at the beginning, in an item of a page also behind its formula, with the text behind it."""
    assert passage.words is not None
    found = list(asking.sentences(passage.words.shown))
    for index, (start, end) in enumerate(found[:-1]):
        if index == 0 and in_list and script.page:
            start = max(start, _behind_formula(passage.words.shown, start, end))
        elif index:
            break
        question = asking.unmarked(passage.words.cut(start, end))
        text = passage.words.cut(end)
        if question is None or not _is_why(question.shown) or not _is_answer(text):
            continue
        bare = asking.points(question.shown, script.language_of(script.say(passage.words), ()))
        structure = "step" if example is not None and bare else "why"
        value = text.cut(len(text.shown) - len(text.shown.lstrip(" *_\n")))
        draft = _asked_why(structure, script, section, question, script.answer(value), lines_of([passage]), example)
        return _placed_at_step(draft, example) if structure == "step" else draft
    return None


def _placed_at_step(draft: Draft | None, example: Example | None) -> Draft | None:
    if draft is None or example is None or example.start is None:
        return draft
    return replace(draft, start=example.start)


def _behind_formula(shown: str, start: int, end: int) -> int:
    return shown.rfind(FORMULA, start, end) + 1


def _is_why(shown: str) -> bool:
    return (
        shown.endswith("?")
        and 3 <= len(shown) <= 80
        and asking.asks_why(shown)
        and not asking.is_quoted(shown)
        and "\n" not in shown
    )


def _is_answer(text: Words) -> bool:
    shown = text.shown.strip(" *_\n")
    return bool(shown) and not shown.endswith("?") and not asking.introduces(shown) and asking.is_whole(shown)


_SO = re.compile(
    r"(?:(?:this|that) is why|that['’]s why|is\s?liye|isi\s?liye|isi wajah se|yahi wajah hai ki)\b,?\s+", re.IGNORECASE
)


def _because(script: Script, section: Section, passage: Passage) -> Draft | None:
    """What stands before `This is why …` is the answer."""
    assert passage.words is not None
    shown = passage.words.shown
    for start, end in asking.sentences(shown):
        so = _SO.match(shown, start, end)
        if so is None or not start:
            continue
        rest = passage.words.cut(so.end(), len(shown[:end].rstrip(" .!")))
        reason = passage.words.cut(0, start)
        if rest.shown.endswith("?") or asking.length(rest.shown) < 3 or not _is_answer(reason):
            return None
        return script.draft(
            "because",
            section,
            rest,
            script.answer(reason),
            lines_of([passage]),
            wording=("Why is it that {}?", "{} — aisa kyun?"),
            bind=True,
            start=passage.words.start,
        )
    return None


def _step(words: Words) -> Words | None:
    """`Step 2 — Scale` of a line that begins so."""
    found = _STEP.match(words.shown.lstrip("*_ "))
    if found is None:
        return None
    lead = len(words.shown) - len(words.shown.lstrip("*_ "))
    name = asking.parted(words.cut(lead + found.end()))
    if name is None:
        return words if asking.length(words.shown) <= 10 and "\n" not in words.shown else None
    length = name[0].pieces[-1].end - words.start
    return words.cut(lead, length) if "\n" not in words.shown[:length] else None
