"""Questions that a note asks and answers itself: headings, question lines, why-sentences, boxes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from cards import asking
from cards.drafts import Draft, Script, lines_of
from cards.passages import FORMULA, Passage, Role, Section, Words

MISTAKES = frozenset(("mistake", "mistakes", "common mistake", "common-mistake", "misconception", "pitfall"))
RECALLS = frozenset(("recall",))
EXAMPLES = frozenset(("example", "worked example", "worked-example"))

_STEP = re.compile(r"(?:Step|Stage)\s+\d+\s*[:.—–-]\s*(?=\S)", re.IGNORECASE)
_EXAMPLE_WORDS = frozenset(("example", "examples", "udaharan"))
_NO_ANSWER = re.compile(r"(?:let's|let us|chalo|dekhte|aao|see|try)\b", re.IGNORECASE)

_MISTAKE = (
    "Common mistake: {} — why is it wrong, and what is right?",
    "Common mistake: {} — yeh galat kyun hai, aur sahi kya hai?",
)


def is_example(section: Section) -> bool:
    return any(not _EXAMPLE_WORDS.isdisjoint(asking.words(heading.shown)) for heading in section.headings)


def mistake_heading(section: Section) -> Words | None:
    """The heading `Mistake 1: …` that holds here, without its number."""
    for heading in reversed(section.headings):
        if found := asking.MISTAKE.match(heading.shown):
            return heading.cut(found.end())
    return None


def asked(script: Script, section: Section, callouts: Sequence[str]) -> Iterator[Draft | None]:
    """All that a section asks."""
    if (claim := mistake_heading(section)) is not None:
        if claim.pieces and section.headings[-1].pieces[0].end == claim.pieces[-1].end and section.free:
            yield _mistake(script, section, claim, _body(section.passages, whole=True), section.headings[-1].start)
    else:
        yield _heading(script, section)
        yield from _lines(script, section, _example_of(script, section))
    for passage in section.passages:
        if passage.role is Role.BOX:
            yield from _boxed(script, section, passage, callouts)


# Answers


def _body(passages: Sequence[Passage], *, whole: bool = False) -> Sequence[Passage]:
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
    body = passages[:end]
    return body if any(passage.role is not Role.OBJECT for passage in body) else ()


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
    question = asking.unmarked(asking.without_number(heading))
    body = _body(section.passages)
    if question is None or not body or asking.length(question.shown) < 2:
        return None
    lines = [section.line, *lines_of(body)]
    return script.draft(
        "question",
        section,
        question,
        script.passages(body),
        lines,
        heads=section.headings[:-1],
        start=heading.start,
    )


@dataclass(slots=True)
class _Example:
    """Where in a worked example the reader is."""

    title: str
    step: str = ""
    start: int | None = None
    """Offset of the step."""

    @property
    def context(self) -> tuple[str, ...]:
        return tuple(name for name in (self.title, self.step) if name)


def _example_of(script: Script, section: Section) -> _Example | None:
    if not is_example(section):
        return None
    names = script.above(section.headings)
    return _Example(names[-1] if names else "")


def _lines(
    script: Script, section: Section, example: _Example | None, passages: Sequence[Passage] | None = None
) -> Iterator[Draft | None]:
    """Question lines and why-questions among the passages."""
    passages = section.passages if passages is None else passages
    for index, passage in enumerate(passages):
        below = passages[index + 1 :]
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
    script: Script, section: Section, passage: Passage, below: Sequence[Passage], example: _Example | None
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
    example: _Example | None,
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
    example: _Example | None,
) -> Draft | None:
    key, value = label
    back, lines = script.answer(value), lines_of([passage])
    if below and below[0].role is Role.LIST and below[0].free:
        back = f"{back}\n\n{script.passages(below[:1])}"
        lines += lines_of(below[:1])
    elif _hangs(passage):
        return None
    return _asked_why("why", script, section, key, back, lines, example, "{}?")


def _why(
    script: Script, section: Section, passage: Passage, example: _Example | None, *, in_list: bool
) -> Draft | None:
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


def _placed_at_step(draft: Draft | None, example: _Example | None) -> Draft | None:
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


# Boxes


def _boxed(script: Script, section: Section, box: Passage, callouts: Sequence[str]) -> Iterator[Draft | None]:
    title = asking.unmarked(asking.without_number(box.words)) if box.words is not None and box.free else None
    kind = box.box.replace("_", " ")
    claim = None
    if box.words is not None and box.free:
        found = asking.MISTAKE.match(box.words.shown)
        claim = box.words.cut(found.end()) if found else title if kind in MISTAKES else None
    if claim is not None or kind in MISTAKES:
        if claim is not None:
            yield _mistake(script, section, claim, _body(box.inside, whole=True), claim.start)
    elif kind in RECALLS:
        if title is not None:
            yield _recall(script, section, title, _body(box.inside, whole=True))
    elif kind in callouts:
        body = _body(box.inside, whole=True)
        if title is not None and body:
            yield script.draft("question", section, title, script.passages(body), lines_of([box]), start=title.start)
    elif kind in EXAMPLES:
        name = script.name(title) if title is not None else (script.above(section.headings) or ("",))[-1]
        yield from _lines(script, section, _Example(name), box.inside)
    elif kind != "quote":
        yield from _lines(script, section, None, box.inside)


def _mistake(script: Script, section: Section, claim: Words, body: Sequence[Passage], start: int) -> Draft | None:
    if not body or asking.length(claim.shown) < 3:
        return None
    first = script.sheet.source.line_of(start)
    lines = [first, *lines_of(body)]
    heads = section.headings[:-1] if mistake_heading(section) is not None else section.headings
    return script.draft(
        "mistake",
        section,
        claim,
        script.passages(body),
        lines,
        wording=_MISTAKE,
        heads=heads,
        bind=False,
        start=start,
    )


def _recall(script: Script, section: Section, title: Words, body: Sequence[Passage]) -> Draft | None:
    if not body:
        return None
    line = script.sheet.source.line_of(title.start)
    own = (script.title, "Recall") if script.title else ("Recall",)
    return script.draft("recall", section, title, script.passages(body), [line, *lines_of(body)], own=own, bind=False)
