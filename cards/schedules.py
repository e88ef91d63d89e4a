"""What an `<!--SR:…-->` comment of the Obsidian plugin says about the next review of a card's siblings."""

import re
from datetime import date, datetime

from cards.kinds import counted
from cards.model import EaseSchedule, FsrsSchedule, Schedule, quoted

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_YEAR_FIRST = re.compile(r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)", re.ASCII)
_DAY_FIRST = re.compile(r"(?P<day>\d\d)-(?P<month>\d\d)-(?P<year>\d{4})", re.ASCII)
_IN_WORDS = re.compile(
    rf"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?P<month>{'|'.join(_MONTHS)}) (?P<day>\d\d) (?P<year>\d{{4}})", re.ASCII
)
_COUNT = re.compile(r"\d{1,9}", re.ASCII)
_NUMBER = re.compile(r"\d{1,18}(?:\.\d{1,30})?(?:e[+-]?\d{1,2})?", re.ASCII)


def read(comment: str, siblings: int) -> tuple[tuple[Schedule, ...], str | None]:
    """The schedules of a card with so many siblings, and the message of a `bad-schedule` problem or None.

    `comment` is the text between `<!--SR:` and `-->`. Reading stops at the first segment that makes no sense, since
    the place of a segment says which sibling it belongs to.
    """
    segments = comment.strip().removeprefix("!").split("!")
    schedules: list[Schedule] = []
    for segment in segments[:siblings]:
        try:
            schedules.append(_schedule(segment.strip().split(",")))
        except ValueError:
            return tuple(schedules), f"cannot read the schedule {quoted(segment) or '!'}"
    if len(segments) > siblings:
        cards = counted(siblings, "card")
        return tuple(schedules), f"{len(segments)} schedules for {cards}; the last ones were left out"
    return tuple(schedules), None


def _schedule(parts: list[str]) -> Schedule:
    match parts:
        case [due, interval, ease]:
            return EaseSchedule(_day(due), _count(interval), _count(ease))
        case ["fsrs", due, interval, stability, difficulty, state, reps, lapses, steps, last_review]:
            return FsrsSchedule(
                due=_instant(due)[:10],
                interval=_count(interval),
                stability=_number(stability),
                difficulty=_number(difficulty),
                state=_state(state),
                reps=_count(reps),
                lapses=_count(lapses),
                learning_steps=_count(steps),
                last_review=_instant(last_review),
            )
    raise ValueError(parts)


def _day(text: str) -> str:
    """A date in one of the plugin's three notations, as `YYYY-MM-DD`."""
    found = _YEAR_FIRST.fullmatch(text) or _DAY_FIRST.fullmatch(text) or _IN_WORDS.fullmatch(text)
    if found is None:
        raise ValueError(text)
    month = found["month"]
    number = _MONTHS.index(month) + 1 if month in _MONTHS else int(month)
    return date(int(found["year"]), number, int(found["day"])).isoformat()


def _instant(text: str) -> str:
    """An ISO instant as written, or empty for `-`."""
    if text == "-":
        return ""
    if not _YEAR_FIRST.match(text):
        raise ValueError(text)
    datetime.fromisoformat(text)
    return text


def _count(text: str) -> int:
    if not _COUNT.fullmatch(text):
        raise ValueError(text)
    return int(text)


def _number(text: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise ValueError(text)
    return float(text)


def _state(text: str) -> int:
    if text not in ("0", "1", "2", "3"):
        raise ValueError(text)
    return int(text)
