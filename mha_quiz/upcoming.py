"""How much there is to do, told fast enough for a shell prompt: nothing is imported that the stored states spare."""

import sqlite3
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from cards.kinds import counted
from mha_quiz.history_file import SCHEDULE, HistoryUnusable, connect, told

_DUE = """
    SELECT
        (SELECT count(*) FROM state WHERE due <= :day AND key LIKE 'card/%' AND
            (NOT EXISTS (SELECT 1 FROM sighted) OR key IN (SELECT key FROM sighted))),
        (SELECT count(*) FROM state WHERE due <= :day AND key LIKE 'skill/%'),
        (SELECT count(DISTINCT key) FROM sighted WHERE key NOT IN (SELECT key FROM state))
"""


class Upcoming(NamedTuple):
    """What there is to do."""

    cards: int
    """Siblings that are due: those the notes hold, or all if no notes were read yet."""
    skills: int
    """Families that are due."""
    new: int
    """Siblings of the notes that were never asked."""


def upcoming(path: Path, day: date) -> Upcoming:
    """What the history in the file `path` has for `day`. Raises `HistoryUnusable`."""
    with closing(connect(path, write=False, patience=5)) as connection, told(path):
        if follows(connection, count(connection), day):
            return stored(connection, day)
    from random import Random  # the states must be replayed first, which takes longer

    from mha_quiz.history import History

    try:
        history = History.open(path, computer="", rng=Random(0))
    except HistoryUnusable:  # then they are replayed without being stored
        history = History.open(path, computer="", rng=Random(0), write=False)
    with history:
        return history.upcoming(day)


def count(connection: sqlite3.Connection) -> int:
    """How many events there are: none is ever removed."""
    return int(connection.execute("SELECT coalesce(max(number), 0) FROM event").fetchone()[0])


def follows(connection: sqlite3.Connection, events: int, day: date) -> bool:
    """Whether the stored states are those that the first so many events give on `day`."""
    found = connection.execute("SELECT version, events, horizon FROM replayed").fetchone()
    if found is None or found[:2] != (SCHEDULE, events):
        return events == 0
    low, high = sorted((found[2], (day + timedelta(days=1)).isoformat()))
    between = "SELECT 1 FROM event WHERE day > ? AND day <= ? AND number <= ? LIMIT 1"
    return connection.execute(between, (low, high, events)).fetchone() is None


def stored(connection: sqlite3.Connection, day: date) -> Upcoming:
    """What the stored states say; the caller knows that they are those of `day`."""
    return Upcoming(*connection.execute(_DUE, {"day": day.isoformat()}).fetchone())


def due_line(found: Upcoming) -> str:
    """What to do, short enough for a prompt; empty if there is nothing."""
    parts = ((found.cards, "card"), (found.skills, "skill"))
    due = " and ".join(counted(number, thing) for number, thing in parts if number)
    return f"{due} due" if due else ""
