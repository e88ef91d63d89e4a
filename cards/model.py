"""What the rooms hand to each other: places, problems, and the cards a note holds.

All values are frozen. Texts are Markdown, with mathematics as `$…$` or `$$…$$`.
"""

from dataclasses import dataclass
from typing import NamedTuple

from cards.kinds import Language as Language  # noqa: PLC0414 - the model is where all look for it
from cards.kinds import Origin as Origin  # noqa: PLC0414

_LONGEST_QUOTE = 40
_JOINERS = "\u200c\u200d"
"""Within emoji, and in Hindi."""


class Place(NamedTuple):
    """A character of a file: `path` as the user named it, `line` and `column` counted from 1 in characters."""

    path: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


class Problem(NamedTuple):
    """Something in the author's text that needs a look; never an exception."""

    place: Place
    code: str
    """A short stable word such as `no-back`."""
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


def quoted(text: str) -> str:
    """What a message quotes of a note: one line of at most 40 characters, none of which moves the reader's cursor."""
    line = "".join(char if char.isprintable() or char in _JOINERS else "�" for char in " ".join(text.split()))
    return line if len(line) <= _LONGEST_QUOTE else f"{line[: _LONGEST_QUOTE - 1]}…"


@dataclass(frozen=True, slots=True)
class Basic:
    """Front asks for back."""

    front: str
    back: str


@dataclass(frozen=True, slots=True)
class Reversed:
    """Front asks for back, and back for front."""

    front: str
    back: str


@dataclass(frozen=True, slots=True)
class Deletion:
    """One hidden piece of a cloze text; pieces of one group are hidden together."""

    group: int
    """Counted from 1; Anki's cloze number."""
    answer: str
    hint: str | None
    numbered: bool = False
    """The author wrote the group; such a number is never changed."""


@dataclass(frozen=True, slots=True)
class Cloze:
    """A text with deletions, piece by piece in reading order."""

    pieces: tuple[str | Deletion, ...]


Content = Basic | Reversed | Cloze


@dataclass(frozen=True, slots=True)
class EaseSchedule:
    """One sibling's schedule as the SM-2 comment states it."""

    due: str
    """`YYYY-MM-DD`."""
    interval: int
    """Days."""
    ease: int
    """Percent."""


@dataclass(frozen=True, slots=True)
class FsrsSchedule:
    """One sibling's schedule as the FSRS comment states it."""

    due: str
    """`YYYY-MM-DD`, or empty for none."""
    interval: int
    """Days."""
    stability: float
    """Days."""
    difficulty: float
    state: int
    """0 new, 1 learning, 2 review, 3 relearning."""
    reps: int
    lapses: int
    learning_steps: int
    last_review: str
    """An ISO instant, or empty for never."""


Schedule = EaseSchedule | FsrsSchedule


@dataclass(frozen=True, slots=True)
class Derivation:
    """What a derived card was read off."""

    structure: str
    """Such as `why` or `count`; one of `setting_values.DERIVED_KINDS`."""
    lines: tuple[int, ...]
    """The lines of the file whose text it shows, counted from 1, in order."""


class Card(NamedTuple):
    """One flashcard text; a reversed or cloze text is one card here, and Anki makes the siblings."""

    content: Content
    origin: Origin
    place: Place
    """First character of the front in the original file; of a cloze, of its block."""
    deck: str
    """Deck path joined by `::`, without the root `flashcards`."""
    tags: tuple[str, ...]
    """Other tags, without `#`."""
    language: Language
    heading: tuple[str, ...]
    """The headings above, outermost first."""
    schedule: tuple[Schedule, ...]
    """One entry a sibling, as far as the note states it."""
    block_id: str | None
    """The `^id` the author wrote."""
    derivation: Derivation | None = None
    """Of a derived card."""
    in_line: bool = False
    """Front and back begin within a line, so that `>`, `-` or `#` there is no mark of a block."""
    type_in: bool = False
    """The author wants the answer typed, and it is one short line of words."""
    warnings: tuple[str, ...] = ()
    """What a reader of the card must know: Markdown in the card's language. Not part of what the card says."""


class NoteHeading(NamedTuple):
    """A heading outside quotes and lists."""

    level: int
    text: str
    """Markdown, without tags."""
    place: Place


@dataclass(frozen=True, slots=True)
class Note:
    """What is known of a whole note."""

    path: str
    """As the user named it."""
    title: str | None
    """What its front matter says, or its first heading."""
    language: Language
    headings: tuple[NoteHeading, ...]
    twin: str | None
    """Path of the note in the other language, as its front matter states it."""
    derived: bool | None
    """Whether its front matter asks for derived cards."""
    page: bool
    """Text pasted from a rendered page."""
    counts: bool
    """It has a deck tag, or needs none; otherwise it gives no cards."""
