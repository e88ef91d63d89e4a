"""Events and states as rows of the history's tables, each with a seal: SQLite does not see every damage."""

import json
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any
from zlib import crc32

from mha_quiz import schedule
from mha_quiz.event_json import details, event_with, kind_of, read_segment
from mha_quiz.events import (
    Answered,
    Event,
    Key,
    Planned,
    Sibling,
    Stamp,
    Started,
    Tried,
    Undone,
    instant,
    key_of,
    milliseconds,
)
from mha_quiz.history_file import damaged
from mha_quiz.schedule import Plan, Rating, State

EVENT = "id, computer, at, day, kind, key, rating, undoes, details, seal"
"""The columns of an event; its number is given by the table."""
KEY = 5
STATE = "key, due, stability, difficulty, reps, lapses, last, seal"


def event_row(event: Event) -> tuple[object, ...]:
    stamp = event.stamp
    key: str | None = None
    rating: int | None = None
    undoes: str | None = None
    match event:
        case Answered() | Tried():
            key, rating = str(event.key), event.rating
        case Started():
            key = str(event.key)
        case Undone():
            undoes = event.undoes
        case Planned():
            pass
    head = stamp.id, stamp.computer, milliseconds(stamp.at), stamp.day.isoformat(), kind_of(event)
    return _sealed((*head, key, rating and int(rating), undoes, json.dumps(details(event))))


def event_in(row: Sequence[Any], path: Path) -> Event:
    """The opposite; `HistoryUnusable` with the name of the file if the row is damaged."""
    id_, computer, at, day, kind, key, rating, _, found = intact(row, path)
    stamp, fields = Stamp(id_, computer, instant(at), date.fromisoformat(day)), json.loads(found)
    if kind == "answered":  # nearly all are, and this takes half the time
        return Answered(stamp, Sibling(*_sibling(key)), Rating(rating), fields["took"])
    return event_with(stamp, kind, fields)


def _sibling(key: str) -> tuple[str, int]:
    _, card, ordinal = key.split("/")
    return card, int(ordinal)


def state_row(key: str, state: State) -> tuple[object, ...]:
    days = state.due.isoformat(), state.last.isoformat()
    return _sealed((key, days[0], state.stability, state.difficulty, state.reps, state.lapses, days[1]))


def state_in(row: Sequence[Any], path: Path) -> tuple[Key, State]:
    """The opposite; `HistoryUnusable` with the name of the file if the row is damaged."""
    key, due, stability, difficulty, reps, lapses, last = intact(row, path)
    days = date.fromisoformat(due), date.fromisoformat(last)
    return key_of(key), State(days[0], stability, difficulty, reps, lapses, days[1])


def replay(events: Iterable[Sequence[Any]], plan: Plan) -> State | None:
    """The state of one key after all its events in their order; rows without their seals."""
    state = None
    answers: list[tuple[Rating, date]] = []
    for _, _, _, day, kind, _, rating, _, found in events:
        if rating is not None:
            answers.append((Rating(rating), date.fromisoformat(day)))
        elif kind == "started" and not answers and state is None:
            state = schedule.started(read_segment(json.loads(found)["schedule"]), date.fromisoformat(day), plan)
    return schedule.replay(state, answers, plan)


def intact(row: Sequence[Any], path: Path) -> Sequence[Any]:
    """The row without its seal, if that holds."""
    if _sealed(row[:-1]) != row:
        raise damaged(path, f"in {row[0]}")
    return row[:-1]


def _sealed(row: Sequence[object]) -> tuple[object, ...]:
    return (*row, crc32(repr(tuple(row)).encode()))
