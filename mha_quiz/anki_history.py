"""The history for Anki, and Anki's own review log for the history.

Anki knows our cards by their ids, which are its GUIDs, and each answer by its millisecond; so answers that came from
here are known again when they come back.
"""

import json
import shutil
import sqlite3
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable
from contextlib import closing
from datetime import date, datetime, timedelta
from hashlib import sha256
from pathlib import Path

from cards.learned import Learned, Review
from cards.model import Place, Problem
from mha_quiz import schedule
from mha_quiz.events import Answered, Event, Sibling, Stamp, Started, instant, milliseconds
from mha_quiz.schedule import Plan, Rating, State

COMPUTER = "anki"
_COLLECTIONS = ("collection.anki21b", "collection.anki21", "collection.anki2")
"""The newest first: where one is, the older ones hold a single note that says so."""
_OURS = "n.guid NOT GLOB '*[^a-z2-7]*' AND length(n.guid) = 16"
"""As ids of cards are made; a package of others may have such a guid, and its answers then belong to no card."""
_ANSWERS = f"""
    SELECT n.guid, c.ord, r.id, r.ease, r.time FROM revlog r JOIN cards c ON c.id = r.cid JOIN notes n ON n.id = c.nid
    WHERE {_OURS} AND r.ease BETWEEN 1 AND 4 AND (r.type < 3 OR r.type = 3 AND r.factor > 0)
    AND r.id BETWEEN 1 AND 4102444800000 AND c.ord BETWEEN 0 AND 499 AND typeof(r.time) = 'integer' ORDER BY r.id
"""
"""Without previews in filtered decks, which do not schedule."""
_USUAL_ROLLOVER = 4
_DAMAGES = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    sqlite3.DatabaseError,
)
"""What reading a zip file that was cut off, changed, encrypted or invented may raise."""


def learned(events: Iterable[Event], plan: Plan, today: date) -> dict[tuple[str, int], Learned]:
    """What the events say of each sibling, for `deck --with-history`; events of days after tomorrow are left out."""
    states: dict[Sibling, State] = {}
    reviews: dict[Sibling, list[Review]] = {}
    for event in events:
        if event.stamp.day > today + timedelta(days=1):
            continue
        match event:
            case Answered(stamp, key, rating, took):
                before = states.get(key)
                after = states[key] = schedule.next_state(before, rating, stamp.day, plan)
                reviews.setdefault(key, []).append(
                    Review(
                        milliseconds(stamp.at),
                        int(rating),
                        took,
                        0 if before is None else (before.due - before.last).days,
                        (after.due - after.last).days,
                        after.difficulty,
                        after != before,
                    )
                )
            case Started(stamp, key, found) if key not in states:
                start = schedule.started(found, stamp.day, plan)
                if start is not None:
                    states[key] = start
    return {
        (key.card, key.ordinal): Learned(
            state.due,
            (state.due - state.last).days,
            state.stability,
            state.difficulty,
            state.reps,
            state.lapses,
            state.last,
            tuple(reviews.get(key, ())),
        )
        for key, state in states.items()
    }


def answers_in(
    package: Path, local: Callable[[datetime], datetime]
) -> tuple[tuple[Answered, ...], tuple[Problem, ...]]:
    """The answers to our cards in an Anki package (`.apkg` or `.colpkg`), and what is wrong with it.

    `local` tells the time on the wall at an instant; Anki's day begins at the hour its user chose. The same package
    gives the same events. OSError if the file cannot be opened.
    """
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "collection"
        try:
            _unpack(package, database)
            with closing(sqlite3.connect(database)) as connection:
                rollover = timedelta(hours=_rollover(connection))
                rows = connection.execute(_ANSWERS).fetchall()
        except _DAMAGES as error:
            return (), (_bad(package, str(error)),)
    return tuple(_answer(row, rollover, local) for row in rows), ()


def _unpack(package: Path, database: Path) -> None:
    with zipfile.ZipFile(package) as opened:
        name = next((name for name in _COLLECTIONS if name in opened.namelist()), None)
        if name is None:
            raise ValueError("it holds no collection")
        with opened.open(name) as source, database.open("wb") as target:
            if name == "collection.anki21b":
                from zstandard import ZstdDecompressor, ZstdError  # only packages of a newer Anki need it

                try:
                    ZstdDecompressor().copy_stream(source, target)
                except ZstdError as error:
                    raise ValueError(str(error)) from error
            else:
                shutil.copyfileobj(source, target)


def _rollover(connection: sqlite3.Connection) -> int:
    """The hour of the day at which Anki's day begins."""
    if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'config'").fetchone():
        row = connection.execute("SELECT val FROM config WHERE key = 'rollover'").fetchone()
        hour = json.loads(row[0]) if row else _USUAL_ROLLOVER
    else:
        (conf,) = connection.execute("SELECT conf FROM col").fetchone()
        hour = json.loads(conf).get("rollover", _USUAL_ROLLOVER)
    return hour if isinstance(hour, int) and 0 <= hour < 24 else _USUAL_ROLLOVER


def _answer(
    row: tuple[str, int, int, int, int], rollover: timedelta, local: Callable[[datetime], datetime]
) -> Answered:
    guid, ordinal, at, ease, took = row
    name = sha256(f"anki/{guid}/{ordinal}/{at}".encode()).hexdigest()
    moment = instant(at)
    stamp = Stamp(f"{at:012x}{name[:20]}", COMPUTER, moment, (local(moment) - rollover).date())
    return Answered(stamp, Sibling(guid, ordinal), Rating(ease), max(took, 0))


def unknown(answers: Iterable[Answered], events: Iterable[Event]) -> tuple[Answered, ...]:
    """Those of Anki's answers that are not among the events already: here they have the same millisecond."""
    known = {(event.key, event.stamp.at) for event in events if isinstance(event, Answered)}
    return tuple(answer for answer in answers if (answer.key, answer.stamp.at) not in known)


def _bad(package: Path, reason: str) -> Problem:
    return Problem(Place(str(package), 1, 1), "bad-history", f"this is no Anki package that can be read: {reason}")
