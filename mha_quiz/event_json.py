"""Events as JSON objects, in the database and in files; what is read is checked to the last field."""

import re
from dataclasses import fields
from datetime import date, datetime

from cards import schedules
from cards.model import EaseSchedule, FsrsSchedule, Schedule
from mha_quiz.events import Answered, Event, Planned, Sibling, Skill, Stamp, Started, Tried, Undone
from mha_quiz.schedule import Plan, Rating, is_possible


def instant_text(at: datetime) -> str:
    """`2026-03-01T08:30:00.250Z`."""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def event_json(event: Event) -> dict[str, object]:
    """The event as a JSON object."""
    stamp = event.stamp
    head = {"at": instant_text(stamp.at), "id": stamp.id, "computer": stamp.computer, "day": stamp.day.isoformat()}
    return head | {"kind": kind_of(event)} | details(event)


def kind_of(event: Event) -> str:
    return type(event).__name__.lower()


def details(event: Event) -> dict[str, object]:
    """All but the stamp and the kind."""
    match event:
        case Answered(_, key, rating, took):
            return {"card": key.card, "ordinal": key.ordinal, "rating": int(rating), "took": took}
        case Tried(_, key, version, seed, text, verdict, slips, rating, took):
            return {
                "family": key.family,
                "version": version,
                "seed": seed,
                "text": text,
                "verdict": verdict,
                "slips": list(slips),
                "rating": None if rating is None else int(rating),
                "took": took,
            }
        case Started(_, key, schedule):
            return {"card": key.card, "ordinal": key.ordinal, "schedule": _segment(schedule)}
        case Undone(_, undoes):
            return {"undoes": undoes}
        case Planned(_, plan):
            return {"desired_retention": plan.desired_retention, "parameters": list(plan.parameters)}


def _segment(schedule: Schedule) -> str:
    """The schedule as the note's comment has it."""
    match schedule:
        case EaseSchedule(due, interval, ease):
            return f"{due},{interval},{ease}"
        case FsrsSchedule():
            due, *numbers, last = (getattr(schedule, field.name) for field in fields(schedule))
            return ",".join(("fsrs", due or "-", *map(str, numbers), last or "-"))


def read_segment(text: str) -> Schedule:
    """The opposite of writing a schedule as a segment. ValueError if it is none."""
    match schedules.read(text, 1):
        case ((schedule,), None):
            return schedule
        case _:
            raise ValueError(text)


def event_of(entry: object) -> Event:
    """The event that a JSON object stands for. ValueError, with the name of what is wrong, if it is none."""
    taken = _Fields(entry)
    stamp = Stamp(taken.text("id", "[0-9a-f]{32}"), taken.text("computer"), taken.instant("at"), taken.day("day"))
    return _event(stamp, taken.text("kind"), taken)


def event_with(stamp: Stamp, kind: str, found: object) -> Event:
    """The event that has these `details`. ValueError if there is none."""
    return _event(stamp, kind, _Fields(found))


def _event(stamp: Stamp, kind: str, taken: "_Fields") -> Event:
    event = _of_kind(stamp, kind, taken)
    taken.nothing_left()
    return event


def _of_kind(stamp: Stamp, kind: str, taken: "_Fields") -> Event:
    match kind:
        case "answered":
            return Answered(stamp, taken.sibling(), taken.rating("rating"), taken.count("took"))
        case "tried":
            return Tried(
                stamp,
                Skill(taken.text("family", "[A-Za-z0-9_-]{1,64}")),
                taken.count("version"),
                taken.count("seed"),
                taken.text("text"),
                taken.text("verdict", "right|too-coarse|wrong|skipped"),
                taken.texts("slips"),
                taken.rating_or_none("rating"),
                taken.count("took"),
            )
        case "started":
            return Started(stamp, taken.sibling(), taken.schedule("schedule"))
        case "undone":
            return Undone(stamp, taken.text("undoes", "[0-9a-f]{32}"))
        case "planned":
            return Planned(stamp, taken.plan())
    raise ValueError('"kind" is not known')


class _Fields:
    """Takes the fields of an object one by one, and refuses what is missing or of another form."""

    def __init__(self, entry: object) -> None:
        match entry:
            case {**fields}:
                self._entry = fields
            case _:
                raise ValueError("this is not an object")

    def _take(self, name: str) -> object:
        if name not in self._entry:
            raise ValueError(f'"{name}" is missing')
        return self._entry.pop(name)

    def nothing_left(self) -> None:
        if self._entry:
            raise ValueError(f'"{min(map(str, self._entry))}" is not known')

    def text(self, name: str, pattern: str = "(?s:.{0,10000})") -> str:
        match self._take(name):
            case str(text) if re.fullmatch(pattern, text):
                return text
        raise _wrong(name)

    def texts(self, name: str) -> tuple[str, ...]:
        match self._take(name):
            case [*texts]:
                found = tuple(text for text in texts if isinstance(text, str))
                if len(found) == len(texts):
                    return found
        raise _wrong(name)

    def numbers(self, name: str) -> tuple[float, ...]:
        match self._take(name):
            case [*numbers]:
                found = tuple(number for number in numbers if isinstance(number, float) and abs(number) < 1e6)
                if len(found) == len(numbers):
                    return found
        raise _wrong(name)

    def count(self, name: str) -> int:
        match self._take(name):
            case int(number) if not isinstance(number, bool) and 0 <= number < 2**63:
                return number
        raise _wrong(name)

    def rating_or_none(self, name: str) -> Rating | None:
        match self._take(name):
            case None:
                return None
            case int(number) if not isinstance(number, bool) and number in tuple(Rating):
                return Rating(number)
        raise _wrong(name)

    def rating(self, name: str) -> Rating:
        rating = self.rating_or_none(name)
        if rating is None:
            raise _wrong(name)
        return rating

    def day(self, name: str) -> date:
        text = self.text(name, r"\d{4}-\d\d-\d\d")
        try:
            return date.fromisoformat(text)
        except ValueError:
            raise _wrong(name) from None

    def instant(self, name: str) -> datetime:
        text = self.text(name, r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
        try:
            return datetime.fromisoformat(text)
        except ValueError:
            raise _wrong(name) from None

    def sibling(self) -> Sibling:
        return Sibling(self.text("card", "[A-Za-z0-9_-]{1,64}"), self.count("ordinal"))

    def schedule(self, name: str) -> Schedule:
        try:
            return read_segment(self.text(name))
        except ValueError:
            raise _wrong(name) from None

    def plan(self) -> Plan:
        match self._take("desired_retention"):
            case float(retention):
                plan = Plan(retention, self.numbers("parameters"))
                if is_possible(plan):
                    return plan
        raise _wrong("desired_retention")


def _wrong(name: str) -> ValueError:
    return ValueError(f'"{name}" is not as this program writes it')
