"""What happened, as the history remembers it."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from random import Random

from cards.model import Schedule
from mha_quiz.schedule import Plan, Rating

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True, order=True)
class Sibling:
    """One of the cards that Anki would make of a flashcard text."""

    card: str
    """The lasting id of `cards.lock`."""
    ordinal: int
    """0 for the front, 1 for the way back; of a cloze, the number of the deletion minus one."""

    def __str__(self) -> str:
        return f"card/{self.card}/{self.ordinal}"


@dataclass(frozen=True, slots=True, order=True)
class Skill:
    """A family of questions."""

    family: str

    def __str__(self) -> str:
        return f"skill/{self.family}"


Key = Sibling | Skill
"""What has a memory state of its own."""


def key_of(text: str) -> Key:
    """The key that `text` is the string of. ValueError if there is none."""
    match text.split("/"):
        case ["card", card, ordinal]:
            return Sibling(card, int(ordinal))
        case ["skill", family]:
            return Skill(family)
    raise ValueError(text)


@dataclass(frozen=True, slots=True)
class Stamp:
    """Which event it is, whose, and when."""

    id: str
    """32 hexadecimal digits, different for all events of all computers."""
    computer: str
    at: datetime
    """UTC, in whole milliseconds."""
    day: date
    """The learner's day: that of the clock on the wall."""


def new_stamp(now: datetime, computer: str, rng: Random) -> Stamp:
    """The stamp of an event that happens at `now`, which knows its zone; later ids sort behind earlier ones."""
    at = instant(max(milliseconds(now), 0))  # a clock that lost its battery may stand before 1970
    return Stamp(f"{milliseconds(at):012x}{rng.getrandbits(80):020x}", computer, at, now.date())


@dataclass(frozen=True, slots=True)
class Answered:
    """A flashcard was asked and rated."""

    stamp: Stamp
    key: Sibling
    rating: Rating
    took: int = 0
    """Milliseconds from question to answer; 0 if nobody knows."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A numeric question was answered, or given up."""

    stamp: Stamp
    key: Skill
    version: int
    """Of the family; with the seed it draws the same question again."""
    seed: int
    text: str
    """As typed."""
    verdict: str
    """`right`, `too-coarse`, `wrong`, or `skipped` for who asked for the solution."""
    slips: tuple[str, ...]
    rating: Rating | None
    """None for a try that does not count: a first one that was too coarse, or mere practice."""
    took: int = 0


@dataclass(frozen=True, slots=True)
class Started:
    """A sibling was seen for the first time with a schedule in its note."""

    stamp: Stamp
    key: Sibling
    schedule: Schedule


@dataclass(frozen=True, slots=True)
class Undone:
    """The learner took an answer back."""

    stamp: Stamp
    undoes: str
    """Id of the other event."""


@dataclass(frozen=True, slots=True)
class Planned:
    """The learner chose how all is scheduled; the latest choice counts."""

    stamp: Stamp
    plan: Plan


Event = Answered | Tried | Started | Undone | Planned


def milliseconds(at: datetime) -> int:
    """Unix time."""
    return (at - _EPOCH) // _MILLISECOND


def instant(unix: int) -> datetime:
    """The opposite of `milliseconds`. OverflowError for a time beyond the calendar."""
    return _EPOCH + unix * _MILLISECOND
