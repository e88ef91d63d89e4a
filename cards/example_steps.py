"""Worked examples: which sections are some, and the steps of which they consist."""

import re
from dataclasses import dataclass

from cards import asking
from cards.drafts import Script
from cards.labels import STEP
from cards.language import word_set
from cards.passages import Section, Words

_STEP = re.compile(rf"^[*_ ]*(?P<step>{STEP})\s*[:.—–-]\s*(?=\S)", re.IGNORECASE | re.MULTILINE)
_STEP_END = re.compile(r"[:.!?]?(?:\*\*|__)|[:.!?](?=\s|\Z)|\n")
_EXAMPLE_WORDS = word_set("example examples udaharan")


def is_example(section: Section) -> bool:
    return any(names_example(heading.shown) for heading in section.headings)


def is_step(section: Section) -> bool:
    """Whether its own heading is that of a step."""
    return bool(section.headings) and _STEP.match(section.headings[-1].shown) is not None


def names_example(name: str) -> bool:
    """Whether a heading, or the kind of a box, says that it is a worked example."""
    return not _EXAMPLE_WORDS.isdisjoint(asking.words(name))


@dataclass(slots=True)
class Example:
    """Where in a worked example the reader is."""

    title: str
    step: str = ""
    start: int | None = None
    """Offset of the step."""
    said: str = ""
    """What the step says, if that is short."""

    def context(self, *, whole: bool) -> tuple[str, ...]:
        """The example and its step; with `whole` also what the step says."""
        step = f"{self.step}: {self.said}" if whole and self.said else self.step
        return tuple(name for name in (self.title, step) if name)


def step_of(words: Words) -> tuple[Words, Words] | None:
    """`Step 2 — Scale` of the last line that begins so, and all from there on."""
    opening = max(_STEP.finditer(words.shown), key=re.Match.start, default=None)
    if opening is None:
        return None
    end = _STEP_END.search(words.shown, opening.end())
    name = words.cut(opening.start("step"), end.start() if end else None)
    if asking.length(name.shown) > 12:
        name = words.cut(*opening.span("step"))
    return name, words.cut(opening.start())


_MOST_SAID = 60
"""Characters of what a step says, so that a question about it can show it."""


def said_by(script: Script, step: Words, line: Words) -> str:
    """What a step says behind its name, if that is short."""
    behind = line.shown.index(step.shown) + len(step.shown)
    said = line.shown[behind:].lstrip(" :.*_—–-\n")
    rest = line.cut(len(line.shown) - len(said))
    return script.say(rest) if len(said) <= _MOST_SAID and "?" not in said and asking.is_whole(said) else ""
