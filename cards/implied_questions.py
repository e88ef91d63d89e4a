"""Questions that a note asks and answers itself: headings, question lines, why-sentences."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from cards import asking, labels, topics
from cards.drafts import Draft, Script, lines_of
from cards.example_steps import Example, is_step, said_by, step_of
from cards.implied_answers import announced_by, answer_below, behind_marks, body, hangs, is_answer, is_why, why_label
from cards.language import word_set
from cards.passages import FORMULA, Passage, Section, Words


def asked(script: Script, section: Section, *, in_example: bool) -> Iterator[Draft | None]:
    """All that the heading and the paragraphs of a section ask; `in_example`: it is a worked example."""
    yield _heading(script, section)
    example = None
    if in_example:
        names = script.above(section.headings)
        example = Example(names[-1] if names else "")
    yield from lines_asked(script, section, section.passages, example)


# Headings and question lines


def _heading(script: Script, section: Section) -> Draft | None:
    heading = section.headings[-1] if section.headings else None
    if heading is None or not section.free or not ("?" in heading.shown or asking.asks_why(heading.shown)):
        return None
    question = asking.unmarked(topics.without_number(heading))
    if question is None or not (
        question.shown.endswith("?")
        or (_tells_why(script, question.shown) and script.name(heading) != script.heading)  # which is no title
    ):
        return None
    answer = body(section.passages)
    if not answer or asking.length(question.shown) < 2:
        return None
    wording = "{}" if question.shown.endswith("?") else "{}?"
    lines = [section.line, *lines_of(answer)]
    return script.draft(
        "question",
        section,
        question,
        script.passages(answer),
        lines,
        wording=(wording, wording),
        heads=section.headings[:-1],
        start=heading.start,
    )


def _tells_why(script: Script, heading: str) -> bool:
    """Whether a heading without a question mark asks why: `Why attention beats recurrence`."""
    found = asking.words(heading)
    return (
        (found[:1] == ["why"] or ("why" not in found and asking.asks_why(heading)))
        and (asking.length(heading) >= 3 or found[:1] == ["why"])
        and not asking.introduces(heading)
        and found[1:2] not in (["i"], ["my"])
        and not asking.points(heading, script.language_of(heading, ()))
        and not topics.says_nothing(heading, script.note.language)
    )


def lines_asked(
    script: Script, section: Section, passages: Sequence[Passage], example: Example | None
) -> Iterator[Draft | None]:
    """Question lines and why-questions among passages of the section."""
    for index, passage in enumerate(passages):
        if passage.role == "list":
            for item in passage.items:
                if item.free:
                    yield _why(script, section, item, (), example, in_list=True)
            continue
        if passage.role != "text" or passage.words is None:
            continue
        if example is None and not passage.free:
            continue
        words = passage.words
        if example is not None and (told := step_of(words)):
            step, line = told
            example.step, example.start = script.say(step), line.start if passage.free else None
            example.said = said_by(script, step, line)
            passage = passage._replace(words=_from_question(script, line) or words)
        elif example is None and "?" in words.shown and is_step(section):
            passage = passage._replace(words=_from_question(script, words) or words)
        if not passage.free or passage.words is None or not _may_ask(passage.words.shown):
            continue
        below = passages[index + 1 : index + 6]
        if asking.is_question_line(passage):
            yield _question_line(script, section, passage, below, example)
        elif label := why_label(passage):
            yield _labelled(script, section, label, passage, below, example)
        else:
            yield _why(script, section, passage, below, example, in_list=False)
            if example is None and (section.headings or script.title):
                yield _because(script, section, passage)


_ANSWERED = re.compile(rf"[*_]*(?:A(?!.*\n[*_]*B:)|{labels.ANSWER})[*_]*:[*_]*\s+(?=\S)")
"""`A:` above `B:` is a choice."""
_ARROW = re.compile(r"(?:→|⇒|-+>|=>|[—–-])\s+(?=\S)")
"""Between a question and its answer in one line."""


def _question_line(
    script: Script, section: Section, passage: Passage, below: Sequence[Passage], example: Example | None
) -> Draft | None:
    assert passage.words is not None
    question = asking.unmarked(topics.without_number(passage.words))
    answer = answer_below(below)
    why = asking.asks_why(passage.words.shown)
    if question is None or not answer or (example is not None and not why):
        return None
    if example is not None and not example.step and not asking.is_bound(question.shown, script.note.language):
        example = None
    lines = lines_of([passage, *answer])
    words = answer[0].words
    if words is not None and len(answer) == 1 and (said := _ANSWERED.match(words.shown)):
        back = script.answer(words.cut(said.end()))
    else:
        back = script.passages(answer)
    return _asked_why("question", script, section, question, back, lines, example)


_OF_WHAT_IT_SAYS = word_set("it its they them their iska iski iske isko inka inki inke inko")
"""Words that point at something in a step; `this` is the step itself."""


_MERE_WHY = word_set("why so not then kyun kyu kyon kyoon aisa nahi nahin nhi phir")
"""`Why so?` and `Why not?` ask of what was said above, which no heading tells."""


def _is_mere_why(shown: str) -> bool:
    found = asking.words(shown)
    return _MERE_WHY.issuperset(found) and len(found) == asking.length(shown) and FORMULA not in shown


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
    if example is None and _is_mere_why(question.shown):
        return None
    if example is not None:
        own = example.context(whole=not _OF_WHAT_IT_SAYS.isdisjoint(asking.words(question.shown)))
        return script.draft(
            structure, section, question, back, lines, wording=(wording, wording), own=own, bind=not own
        )
    clipped = True if asking.is_clipped(question.shown) else None
    return script.draft(structure, section, question, back, lines, wording=(wording, wording), bind=clipped)


# Why


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
    if below and below[0].role == "list" and below[0].free:
        back = f"{back}\n\n{script.passages(below[:1])}"
        lines += lines_of(below[:1])
    elif hangs(passage):
        return None
    return _asked_why("why", script, section, key, back, lines, example, "{}?")


def _why(
    script: Script,
    section: Section,
    passage: Passage,
    below: Sequence[Passage],
    example: Example | None,
    *,
    in_list: bool,
) -> Draft | None:
    """A short why-question at the beginning, in an item also behind its formula, or a question in bold letters, with the
    text behind it and what that announces."""
    assert passage.words is not None
    if "?" not in passage.words.shown:
        return None
    label = asking.ASKED.match(passage.words.shown)
    words = passage.words.cut(label.end()) if label else passage.words
    shown = words.shown
    start, end = next(asking.sentences(shown), (0, 0))
    if example is not None:
        start = _own_line(shown, start, end)
    if in_list:
        behind = shown.rfind(FORMULA, start, end) + 1
        start = behind if shown[behind:end].lstrip()[:1].isupper() else start
    question, text = asking.unmarked(words.cut(start, end)), words.cut(end)
    announced = announced_by(text, below)
    if question is None or not (announced or is_answer(text)):
        return None
    asks_why = is_why(question.shown)
    asked = passage.words.shown[: (label.end() if label else 0) + end]
    if not (asks_why or (example is None and asking.is_bold_question(asked))):
        return None
    if asking.first_word(text.shown) in _OF_ONESELF or _SPOKEN.search(question.shown):
        return None
    if example is None and _NUMBERED.search(question.shown):
        return None
    text = behind_marks(text)
    said = _ANSWERED.match(text.shown) or _ARROW.match(text.shown)
    back = script.answer(text.cut(said.end()) if said else text)
    if announced:
        back = f"{back}\n\n{script.passages(announced)}"
    lines = lines_of([passage, *announced])
    spoken = script.language_of(script.say(passage.words), ())
    if example is None or not asking.points(question.shown, spoken):
        return _asked_why("why" if asks_why else "question", script, section, question, back, lines, example)
    draft = _asked_why("step", script, section, question, back, lines, example)
    return draft if draft is None or example.start is None else replace(draft, start=example.start)


_SPOKEN = re.compile(r"\d:\d\d(?: ?[AP]M)?$", re.IGNORECASE | re.MULTILINE)
"""The line above a message of a chat, with the time."""

_NUMBERED = re.compile(r"\b(?:step|line|point|part)\s+\d", re.IGNORECASE)
"""What a question alone does not show."""


_SO = re.compile(
    r"(?:(?:this|that) is why|that['’]s why|is\s?liye|isi\s?liye|isi wajah se|yahi wajah hai ki)\b,?\s+", re.IGNORECASE
)


def _may_ask(shown: str) -> bool:
    """False for most texts, that can be none of what is looked for: no question, no label, no `This is why`."""
    if "?" in shown or ":" in shown:
        return True
    shown = shown.lower()
    return "why" in shown or "liye" in shown or "wajah" in shown


_OF_ONESELF = word_set("i my i'm i've main maine mujhe mera meri mere")
"""First words of a sentence that tells of the author's life."""


_TELLS_A_STORY = re.compile(r"(?:we|he|she)\s+(?:was|were|had|went|came|got|took|could|\w+ed)\b", re.IGNORECASE)


def _because(script: Script, section: Section, passage: Passage) -> Draft | None:
    """What stands before `This is why …` is the answer."""
    assert passage.words is not None
    shown = passage.words.shown
    for start, end in asking.sentences(shown):
        so = _SO.match(shown, start, end) if start else None
        if so is None:
            continue
        rest = passage.words.cut(so.end(), len(shown[:end].rstrip(" .!")))
        reason = passage.words.cut(0, start)
        if rest.shown.endswith("?") or asking.length(rest.shown) < 3 or not is_answer(reason):
            return None
        if reason.shown[0].islower() and asking.first_word(reason.shown) in asking.GOING_ON:
            return None  # `where λ is its length` ends the sentence of the formula above
        first = asking.first_word(rest.shown)
        if (
            first in _OF_ONESELF or _TELLS_A_STORY.match(rest.shown) or asking.points(first, script.note.language)
        ):  # at what only the answer names
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


def _own_line(shown: str, start: int, end: int) -> int:
    """Where the question begins that ends there: a step above it may lack the full stop at the end of its line."""
    line = shown.rfind("\n", start, end) + 1
    return line if line > start and is_why(shown[line:end]) else start


def _from_question(script: Script, words: Words) -> Words | None:
    """A step from the first why-question on that points at it: `Yeh step kyun? …`."""
    for start, end in asking.sentences(words.shown):
        start = _own_line(words.shown, start, end)
        question = words.shown[start:end]
        if start and is_why(question) and asking.points(question, script.language_of(question, ())):
            return words.cut(start)
    return None
