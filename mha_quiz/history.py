"""The review history: an append-only log in one SQLite file, and the memory states that follow from it.

The log is a set of events. States are replayed from it in the order of time and id, without what was undone; so the
logs of several computers can be united in any order. Each event is on the disk when `record` returns.
"""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from itertools import groupby, starmap
from operator import itemgetter
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, Self

from cards.model import Schedule
from mha_quiz import rows, schedule
from mha_quiz.events import (
    Answered,
    Event,
    Key,
    Planned,
    Sibling,
    Skill,
    Stamp,
    Started,
    Tried,
    Undone,
    key_of,
    new_stamp,
)
from mha_quiz.history_file import SCHEDULE, HistoryUnusable, check, connect, told, transaction
from mha_quiz.schedule import Plan, State
from mha_quiz.upcoming import Upcoming, count, follows

__all__ = ["Conflict", "History", "HistoryUnusable", "Upcoming"]

_A_DAY = timedelta(days=1)
_LIVING = "id NOT IN (SELECT undoes FROM event WHERE undoes IS NOT NULL)"


class Conflict(Exception):
    """Two events have one id and differ: one of the logs was changed by hand, or damaged."""


class History:
    """The history in one file. It may be open several times at once, in any number of processes.

    All methods raise `HistoryUnusable` if the file fails them; what they were to write is then not written at all.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, computer: str, rng: Random, writable: bool) -> None:
        self._connection = connection
        self._path = path
        self._computer = computer
        self._rng = rng
        self._writable = writable

    @classmethod
    def open(cls, path: Path, *, computer: str, rng: Random, write: bool = True, patience: float = 5) -> Self:
        """The history in the file `path`, made if there is none; without `write` it is only read.

        `computer` names this one in new events, `rng` makes their ids different from all others, and `patience` is how
        many seconds to wait while another process writes.
        """
        return cls(connect(path, write=write, patience=patience), path, computer, rng, write)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def check(self) -> None:
        """Look at the whole file for damage."""
        check(self._connection, self._path)

    def is_file(self, path: Path) -> bool:
        """Whether `path` is the file of this history."""
        return path.exists() and self._path.exists() and path.samefile(self._path)

    def stamp(self, now: datetime) -> Stamp:
        """For an event of this computer at `now`, which must know its zone."""
        return new_stamp(now, self._computer, self._rng)

    def record(self, *events: Event) -> None:
        """Add events that happened just now; they are on the disk when this returns."""
        with self._changing():
            before = self._count()
            self._insert(events)
            self._refresh({self._key(event) for event in events}, before, events[-1].stamp.day)

    def undo(self, event_id: str, now: datetime) -> None:
        """Take back an answer. It stays in the log, and counts no more. LookupError if there is no such event."""
        if not self._rows("SELECT 1 FROM event WHERE id = ?", event_id):
            raise LookupError(event_id)
        self.record(Undone(self.stamp(now), event_id))

    def start(self, found: Mapping[Sibling, Schedule], now: datetime) -> int:
        """Begin the history of siblings that have none with the schedules in their notes; how many there were."""
        known = {key for (key,) in self._rows("SELECT DISTINCT key FROM event WHERE key IS NOT NULL")}
        started = [
            Started(self.stamp(now), key, it)
            for key, it in found.items()
            if str(key) not in known and schedule.started(it, now.date()) is not None
        ]
        if started:
            self.record(*started)
        return len(started)

    def merge(self, events: Iterable[Event], today: date) -> int:
        """Add the events that are not in the log yet, all or none; how many there were. Raises `Conflict`."""
        with self._changing():
            before = self._count()
            self._insert(event for event in events if not self._has(event))
            added = self._count() - before
            if added:
                self._refresh(None, before, today)
            return added

    def events(self, *, undone: bool = False) -> Iterator[Event]:
        """The log in the order of time; with `undone`, also what was taken back."""
        found = self._rows(f"SELECT {rows.EVENT} FROM event {'' if undone else f'WHERE {_LIVING}'} ORDER BY at, id")
        return map(self._event, found)

    def plan(self) -> Plan:
        """What the learner chose last."""
        choice = (
            f"SELECT {rows.EVENT} FROM event WHERE kind = 'planned' AND {_LIVING} ORDER BY at DESC, id DESC LIMIT 1"
        )
        for row in self._rows(choice):
            match self._event(row):
                case Planned(_, plan):
                    return plan
        return Plan()

    def states(self, day: date) -> dict[Key, State]:
        """The memory of all that was ever answered or started, as known on `day`.

        Events of days after tomorrow are left out: they come from a clock that was wrong. (What is tomorrow here may be
        today in another zone.)
        """
        if not self._follows(self._count(), day):
            if not self._writable:
                return {key_of(key): state for key, state in self._replayed(None, day + _A_DAY)}
            with self._changing():
                self._refresh(None, self._count(), day)
        return dict(rows.state_in(row, self._path) for row in self._rows(f"SELECT {rows.STATE} FROM state"))

    def due(self, day: date) -> dict[Key, State]:
        """Those due on `day` or before, the longest overdue first."""
        late = [(state.due, str(key), key, state) for key, state in self.states(day).items() if state.due <= day]
        return {key: state for _, _, key, state in sorted(late, key=lambda it: it[:2])}

    def notice(self, root: str, keys: Sequence[Sibling], *, gone: Collection[str] | None = None) -> None:
        """Remember which siblings the notes under `root` hold now, for `asked` and `upcoming`.

        If not all of the notes were read, `gone` are the ids of cards that are in none; those not heard of stay.
        """
        known = [key for (key,) in self._rows("SELECT key FROM sighted WHERE root = ? ORDER BY position", root)]
        heard_of = None if gone is None else {key.card for key in keys} | set(gone)
        kept = [] if heard_of is None else [key for key in known if key.split("/")[1] not in heard_of]
        wanted = list(dict.fromkeys([*kept, *map(str, keys)]))
        if known != wanted:
            with self._changing():
                self._connection.execute("DELETE FROM sighted WHERE root = ?", (root,))
                self._connection.executemany(
                    "INSERT INTO sighted VALUES (?, ?, ?)", ((root, at, key) for at, key in enumerate(wanted))
                )

    def asked(self, day: date) -> dict[Key, State]:
        """The states of what is still asked: skills, and siblings that the notes hold (all, if no notes were read)."""
        sighted = self._sighted()
        states = self.states(day).items()
        return {key: it for key, it in states if isinstance(key, Skill) or not sighted or str(key) in sighted}

    def upcoming(self, day: date) -> Upcoming:
        """How much there is to do on `day`."""
        asked = self.asked(day)
        due = [isinstance(key, Skill) for key, state in asked.items() if state.due <= day]
        return Upcoming(len(due) - sum(due), sum(due), len(self._sighted() - set(map(str, asked))))

    def _sighted(self) -> set[str]:
        return {key for (key,) in self._rows("SELECT key FROM sighted")}

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with told(self._path), transaction(self._connection):
            yield

    def _rows(self, query: str, *values: object) -> list[Any]:
        with told(self._path):
            return self._connection.execute(query, values).fetchall()

    def _count(self) -> int:
        with told(self._path):
            return count(self._connection)

    def _insert(self, events: Iterable[Event]) -> None:
        self._connection.executemany(
            f"INSERT INTO event ({rows.EVENT}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            map(rows.event_row, events),
        )

    def _event(self, row: Sequence[Any]) -> Event:
        return rows.event_in(row, self._path)

    def _has(self, event: Event) -> bool:
        """Whether the event is in the log. Raises `Conflict` if another one has its id."""
        for row in self._rows(f"SELECT {rows.EVENT} FROM event WHERE id = ?", event.stamp.id):
            if self._event(row) != event:
                raise Conflict(event.stamp.id)
            return True
        return False

    def _key(self, event: Event) -> str | None:
        """The key whose state the event changes; None for all."""
        match event:
            case Answered(_, key) | Tried(_, key) | Started(_, key):
                return str(key)
            case Undone(_, undoes):
                found = self._rows("SELECT key FROM event WHERE id = ?", undoes)
                return found[0][0] if found else None
            case Planned():
                return None

    def _follows(self, events: int, day: date) -> bool:
        """Whether the stored states are those that the first so many events give on `day`."""
        with told(self._path):
            return follows(self._connection, events, day)

    def _refresh(self, keys: set[str | None] | None, before: int, day: date) -> None:
        """Store the states that the log gives on `day`; only those of `keys` if the others were right before."""
        changed = None if keys is None or None in keys else {key for key in keys if key is not None}
        if changed is None or not self._follows(before, day):
            self._connection.execute("DELETE FROM state")
            changed = None
        else:
            self._connection.executemany("DELETE FROM state WHERE key = ?", [(key,) for key in changed])
        horizon = day + _A_DAY
        self._connection.executemany(
            f"INSERT INTO state ({rows.STATE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            starmap(rows.state_row, self._replayed(changed, horizon)),
        )
        self._connection.execute("DELETE FROM replayed")
        self._connection.execute(
            "INSERT INTO replayed VALUES (?, ?, ?)", (SCHEDULE, self._count(), horizon.isoformat())
        )

    def _replayed(self, keys: set[str] | None, horizon: date) -> Iterator[tuple[str, State]]:
        """The states that the log gives, without the events of days behind the horizon."""
        plan = self.plan()
        query = (
            f"SELECT {rows.EVENT} FROM event WHERE {_LIVING} AND day <= ? AND "
            f"{'key IS NOT NULL' if keys is None else 'key = ?'} ORDER BY key, at, id"
        )
        for wanted in [()] if keys is None else [(key,) for key in sorted(keys)]:
            found = self._rows(query, horizon.isoformat(), *wanted)
            for key, events in groupby((rows.intact(row, self._path) for row in found), itemgetter(rows.KEY)):
                state = rows.replay(events, plan)
                if state is not None:
                    yield key, state
