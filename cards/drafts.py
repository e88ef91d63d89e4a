"""Derived cards on their way: what a note is about, and how a stretch of it becomes a question or an answer."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from cards import asking, language, topics
from cards.model import Language, Note
from cards.passages import Passage, Section, Words
from cards.sheet import Sheet

LONGEST_QUESTION = 400
_LONGEST_ANSWER = 2500
"""Characters; nobody reviews more than that."""
_NOT_YET = re.compile(
    r"[*_(\[]*(?:tb[acd]|to-?do|wip|n/?a|coming soon|to be (?:added|continued|decided|done|written)|\?+|\.{2,}|…)[*_)\]:.!… ]*",
    re.IGNORECASE,
)
"""What stands where an answer will be."""


@dataclass(frozen=True, slots=True)
class Draft:
    structure: str
    """One of `setting_values.DERIVED_KINDS`."""
    question: str
    """Without context."""
    back: str
    context: tuple[str, ...]
    """What stands before the question so that it stands on its own; outermost first."""
    outer: tuple[str, ...]
    """Further headings that can be put before the context; outermost first."""
    title: str
    """Of the note; it stands in front of all where nothing else names it."""
    headings: tuple[str, ...]
    language: Language
    start: int
    """Offset of the source where it begins."""
    lines: tuple[int, ...]
    """Those whose text the card shows, from 0."""

    @property
    def front(self) -> str:
        told = f"{', '.join(self.context)}: {self.question}" if self.context else self.question
        if not self.title or asking.mentions(told, self.title):
            return told
        return f"{self.title}{', ' if self.context else ': '}{told}"

    def widened(self) -> "Draft":
        """The same with the next heading put before its context."""
        more = [name for name in self.outer if name != self.title and name not in self.context]
        return replace(self, context=(more[-1], *self.context), outer=tuple(more[:-1])) if more else self


_HARD_BREAK = re.compile(r"\\\n")
_EMPHASIS = re.compile(r"(`+)[^`]*\1|(\*{1,3}|__)(?=\S)([^*]{1,200}?)(?<=\S)\2")
_LINK = re.compile(r"!?\[\[(?:[^\]|]{0,300}+\|)?([^\]|]{1,300}+)\]\]|\[([^\]]{0,300}+)\]\([^)]{0,2000}+\)")
"""The bounds keep a line of links that never close from being read again by each."""


@dataclass(frozen=True, slots=True)
class Script:
    """A note as its derived cards see it."""

    sheet: Sheet
    note: Note
    page: bool
    title: str
    """What the note is about; empty if it does not say."""
    heading: str
    """The title as its heading shows it."""

    @classmethod
    def of(cls, sheet: Sheet, note: Note, *, page: bool) -> "Script":
        heading = topics.heading_of(note)
        return cls(sheet, note, page, topics.topic_of(heading, note.language), heading)

    def say(self, words: Words) -> str:
        """The text as a question shows it, in one line."""
        return " ".join(_HARD_BREAK.sub(" ", self.sheet.take(words.pieces)).split())

    def name(self, words: Words) -> str:
        """The text as the name of a thing: links show what they are called, nothing is emphasised."""
        text = _LINK.sub(lambda link: link[1] or link[2], self.say(words))
        text = _EMPHASIS.sub(lambda found: found[3] or found[0], text)
        return text.replace("==", "").strip(" *_")

    def passages(self, passages: Sequence[Passage]) -> str:
        """Passages that follow one another, as an answer."""
        first, last = passages[0], passages[-1]
        numbers = range(first.first, last.last + 1)
        for number in numbers:
            self.sheet.find_id(number)
        return self.sheet.take(self.sheet.raw(numbers, first.quotes))

    def answer(self, words: Words) -> str:
        self.sheet.find_id(self.sheet.source.line_of(words.pieces[-1].start))
        return self.sheet.take(words.pieces)

    def language_of(self, said: str, headings: tuple[str, ...]) -> Language:
        return language.of_card(said, file=self.note.language, headings=headings)

    def above(self, headings: Sequence[Words]) -> tuple[str, ...]:
        """What the headings are about, outermost first, the title of the note before them."""
        names = [self.title] if self.title else []
        for heading in headings:
            bare = topics.without_number(heading)
            if topics.MISTAKE_OPENING.match(heading.shown) or topics.says_nothing(bare.shown, self.note.language):
                continue
            name = self.name(bare).rstrip("?:： ")
            of_note = (self.heading.rstrip("?:： ").casefold(), self.title.casefold())
            if name and name.partition(" — ")[0].casefold() not in of_note:
                names.append(name)
        return tuple(names)

    def draft(
        self,
        structure: str,
        section: Section,
        asked: Words,
        back: str,
        lines: Iterable[int],
        *,
        wording: tuple[str, str] = ("{}", "{}"),
        own: tuple[str, ...] = (),
        heads: Sequence[Words] | None = None,
        bind: bool | None = None,
        start: int | None = None,
    ) -> Draft | None:
        """A card that asks `asked` and answers `back`; None if it would not stand on its own.

        `wording`: the question in English and Hinglish, `{}` stands for what is asked. `own`: context that always
        stands before the question, below a heading. `heads`: the headings that give context, all of the section's by
        default. `bind`: whether it needs them; None asks the words.
        """
        bare = self.say(asked)
        if not bare or not back or len(back) > _LONGEST_ANSWER or _NOT_YET.fullmatch(back):
            return None
        headings = tuple(self.say(heading) for heading in section.shown)
        spoken = self.language_of(f"{bare}\n{back}", headings)
        names = self.above(section.headings if heads is None else heads)
        bound = self._is_bound(asked.shown, spoken, own) if bind is None else bind
        used = _nearest(names) if bound else 0
        question = wording[0 if spoken is Language.EN else 1].replace("{}", bare)
        context, outer = (*names[len(names) - used :], *own), names[: len(names) - used]
        if bound and not context and (bind or asking.points(asked.shown, spoken)):
            return None
        start = asked.start if start is None else start
        lines = tuple(dict.fromkeys(lines))
        draft = Draft(structure, question, back, context, outer, self.title, headings, spoken, start, lines)
        return draft if len(draft.front) <= LONGEST_QUESTION else None

    def _is_bound(self, shown: str, spoken: Language, own: tuple[str, ...]) -> bool:
        named = bool(self.title) and asking.mentions(shown, self.title)
        return not own and asking.is_bound(shown, spoken) and (not named or asking.points(shown, spoken))


def _nearest(names: Sequence[str]) -> int:
    """How many of the last names make a context: one, or two if that one is short."""
    return min(len(names), 2 if names and asking.length(names[-1]) <= 2 else 1)


def lines_of(passages: Iterable[Passage]) -> list[int]:
    return [number for passage in passages for number in range(passage.first, passage.last + 1)]
