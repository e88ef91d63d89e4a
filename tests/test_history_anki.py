"""The history in the real Anki, and Anki's answers in the history."""

import json
import sqlite3
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from random import Random

import pytest
from anki.collection import Collection, ExportAnkiPackageOptions, ImportAnkiPackageOptions, ImportAnkiPackageRequest

from cards.known import Scope
from cards.learned import Learned
from cards.lock import Lock
from cards.lock_file import read_lock
from cards.model import Basic, Card, Content, EaseSchedule, Language, Origin, Place, Reversed
from decks.build import plan, write
from mha_quiz import exchange
from mha_quiz.anki_history import answers_in, learned, unknown
from mha_quiz.events import Answered, Event, Sibling, Started, Undone, milliseconds, new_stamp
from mha_quiz.history import History
from mha_quiz.schedule import Plan, Rating, next_state

NOTE = "attention.md"
NOW = datetime.now().astimezone()
"""Anki has no other clock than that of the machine."""
TODAY = NOW.date()
LEARNING = ImportAnkiPackageOptions(with_scheduling=True)


@pytest.fixture
def collection(tmp_path: Path) -> Iterator[Collection]:
    collection = Collection(str(tmp_path / "collection.anki2"))
    collection.set_config("fsrs", True)
    yield collection
    collection.close()


def card(content: Content, line: int) -> Card:
    return Card(content, Origin.FLASHCARD, Place(NOTE, line, 1), "ml", (), Language.EN, (), (), None)


CARDS = (*(card(Basic(f"Question {n}?", f"Answer {n}."), n) for n in range(1, 6)), card(Reversed("query", "key"), 9))


def deck(folder: Path, progress: Mapping[tuple[str, int], Learned] | None = None) -> list[str]:
    """Builds `deck.apkg`; the ids of the cards in their order."""
    lock = read_lock(folder / "cards.lock")
    assert isinstance(lock, Lock)
    files = {"out": folder / "deck.apkg", "lock_file": folder / "cards.lock"}
    scope = Scope({NOTE: NOTE}, lambda note: True)
    built = write(plan(CARDS, lock, scope=scope, now=1_760_000_000, learned=progress), **files)
    changes = built.changes
    return [seen.id for seen in sorted((*changes.new, *changes.unchanged), key=lambda seen: seen.place)]


def imported(collection: Collection, folder: Path, options: ImportAnkiPackageOptions) -> dict[str, int]:
    request = ImportAnkiPackageRequest(package_path=str(folder / "deck.apkg"), options=options)
    log = collection.import_anki_package(request).log
    return {kind: number for kind in ("new", "duplicate", "updated") if (number := len(getattr(log, kind)))}


def a_history(
    path: Path, ids: Sequence[str], rng: Random, days: int = 120
) -> tuple[list[Event], dict[Sibling, object]]:
    """A learner's answers to most cards, each on the day it was due, some of them repeated, one of them undone."""
    events: list[Event] = []
    with History.open(path, computer="desk", rng=rng) as history:
        history._connection.execute("PRAGMA synchronous = OFF")
        for back in range(days, 0, -1):
            for id_ in ids[:-2]:
                now = NOW - timedelta(days=back, milliseconds=rng.randrange(50_000_000) % 60_000)
                state = history.states(now.date()).get(Sibling(id_, 0))
                if state is None or state.due <= now.date():
                    rating = rng.choice((Rating.AGAIN, Rating.HARD, Rating.GOOD, Rating.GOOD, Rating.EASY))
                    answer = Answered(history.stamp(now), Sibling(id_, 0), rating, rng.randrange(90_000))
                    again = Answered(history.stamp(now + timedelta(seconds=90)), Sibling(id_, 0), Rating.GOOD, 700)
                    history.record(answer, *([again] if rng.random() < 0.3 else []))
        states = history.states(TODAY)
        events = list(history.events())
    return events, {key: state for key, state in states.items() if isinstance(key, Sibling)}


def day_in(collection: Collection, due: int) -> date:
    """The date of a card that is `due` on that day of the collection; Anki's days begin at four in the morning."""
    today = datetime.fromtimestamp(collection.sched.day_cutoff).date() - timedelta(days=1)
    return today + timedelta(days=due - collection.sched.today)


def test_anki_goes_on_from_the_history(collection: Collection, tmp_path: Path) -> None:
    ids = deck(tmp_path)
    events, states = a_history(tmp_path / "history.db", ids, Random(7))
    progress = learned(events, Plan(), TODAY)
    assert {(key.card, key.ordinal) for key in states} == set(progress)
    deck(tmp_path, progress)

    assert imported(collection, tmp_path, LEARNING) == {"new": 6}
    before = collection.db.all("select * from revlog order by id"), collection.db.all("select * from cards")
    assert imported(collection, tmp_path, LEARNING) == {"duplicate": 6}
    assert (collection.db.all("select * from revlog order by id"), collection.db.all("select * from cards")) == before

    assert collection.db.scalar("select count() from revlog") == len(events)
    assert collection.db.scalar("select count() from revlog where type = 3") > 2
    assert collection.db.list("select distinct factor from revlog where type = 3") == [0]
    rows = collection.db.all(
        "select guid, ord, c.id, type, queue, due, ivl, reps, lapses, c.data from cards c join notes n on n.id = nid"
    )
    assert len(rows) == 7
    for guid, ordinal, id_, kind, queue, due, interval, reps, lapses, data in rows:
        state = states.get(Sibling(guid, ordinal))
        if state is None:
            assert (kind, queue, reps) == (0, 0, 0)
            continue
        assert (kind, queue, day_in(collection, due)) == (2, 2, state.due)
        assert (interval, reps, lapses) == ((state.due - state.last).days, state.reps, state.lapses)
        stored = json.loads(data)
        assert stored["s"] == pytest.approx(state.stability, abs=1e-3)
        assert stored["d"] == pytest.approx(state.difficulty, abs=1e-3)
        at, factor = collection.db.first(
            "select id, factor from revlog where cid = ? and type != 3 order by id desc", id_
        )
        assert stored["lrt"] == at // 1000
        assert factor == pytest.approx(100 + 1000 * (state.difficulty - 1) / 9, abs=0.6)
        replayed = collection._backend.compute_memory_state(id_).state  # Anki's FSRS over the answers
        assert replayed.stability == pytest.approx(state.stability, rel=1e-5, abs=1e-3)
        assert replayed.difficulty == pytest.approx(state.difficulty, abs=1e-3)


def test_without_the_option_anki_begins_anew(collection: Collection, tmp_path: Path) -> None:
    ids = deck(tmp_path)
    events, _ = a_history(tmp_path / "history.db", ids, Random(7), days=10)
    deck(tmp_path, learned(events, Plan(), TODAY))

    assert imported(collection, tmp_path, ImportAnkiPackageOptions()) == {"new": 6}
    assert collection.db.scalar("select count() from revlog") == 0
    assert collection.db.list("select distinct type from cards") == [0]


def test_cards_that_anki_has_keep_their_own_progress(collection: Collection, tmp_path: Path) -> None:
    ids = deck(tmp_path)
    imported(collection, tmp_path, ImportAnkiPackageOptions())
    before = collection.db.all("select id, type, due, ivl, reps, data from cards")
    events, _ = a_history(tmp_path / "history.db", ids, Random(7), days=10)
    deck(tmp_path, learned(events, Plan(), TODAY))

    assert imported(collection, tmp_path, LEARNING) == {"duplicate": 6}
    assert collection.db.all("select id, type, due, ivl, reps, data from cards") == before


def test_a_schedule_of_the_notes_reaches_anki_without_an_answer(collection: Collection, tmp_path: Path) -> None:
    ids = deck(tmp_path)
    due = TODAY + timedelta(days=4)
    start = Started(new_stamp(NOW, "desk", Random(1)), Sibling(ids[0], 0), EaseSchedule(due.isoformat(), 10, 250))
    deck(tmp_path, learned([start], Plan(), TODAY))
    imported(collection, tmp_path, LEARNING)

    (row,) = collection.db.all("select due, ivl, reps, data from cards where type = 2")
    assert (day_in(collection, row[0]), row[1:3]) == (due, [10, 1])
    assert json.loads(row[3]) == {"s": 10.0, "d": 6.914}


def test_a_schedule_seen_after_an_answer_changes_nothing() -> None:
    rng, key, then = Random(1), Sibling("a" * 16, 0), NOW - timedelta(days=9)
    answer = Answered(new_stamp(then, "desk", rng), key, Rating.GOOD)
    seen = Started(new_stamp(then + timedelta(days=1), "laptop", rng), key, EaseSchedule("2026-03-10", 20, 250))
    assert learned([answer, seen], Plan(), TODAY) == learned([answer], Plan(), TODAY)
    new = Started(new_stamp(then, "desk", rng), key, EaseSchedule("2000-01-01", 1, 250))
    assert learned([new], Plan(), TODAY) == {}


def test_the_history_of_a_wrong_clock_does_not_leave(tmp_path: Path) -> None:
    ahead = Answered(new_stamp(NOW + timedelta(days=900), "desk", Random(1)), Sibling("a", 0), Rating.GOOD)
    assert learned([ahead], Plan(), TODAY) == {}


# ------------------------------------------------------------------ and back


def answered_in_anki(collection: Collection, folder: Path) -> list[str]:
    """Some cards of ours with answers of several days, a number, and two of the user's own; the ids of ours."""
    ids = deck(folder)
    imported(collection, folder, ImportAnkiPackageOptions())
    for guid in ("short", "Much.like.one.of", "mha-quiz-number-B1"):
        own = collection.new_note(collection.models.by_name("Basic"))
        own.guid, own["Front"] = guid, "mine"
        collection.add_note(own, collection.decks.id("ml"))
    card_of = dict(collection.db.all("select guid, min(c.id) from cards c join notes n on n.id = nid group by guid"))
    at = milliseconds(datetime(2026, 3, 1, 12, tzinfo=UTC))
    day = 86_400_000
    for number, (guid, days, ease, kind, factor) in enumerate(
        (
            (ids[0], 0, 3, 0, 500),
            (ids[0], 0.001, 3, 0, 500),  # the learning steps of the same day
            (ids[0], 2, 1, 1, 500),
            (ids[0], 3, 4, 2, 500),
            (ids[1], 5, 2, 0, 500),
            (ids[1], 6, 3, 3, 0),  # a preview
            (ids[1], 6.5, 3, 3, 500),  # ahead of time in a filtered deck
            (ids[1], 7, 0, 4, 500),  # rescheduled by hand
            ("short", 1, 3, 0, 500),
            ("Much.like.one.of", 1, 3, 0, 500),
            ("mha-quiz-number-B1", 1, 3, 0, 500),  # always the same numbers: not the skill
        )
    ):
        row = (int(at + days * day) + number, card_of[guid], ease, factor, kind)
        collection.db.execute("insert into revlog values (?, ?, -1, ?, 1, 1, ?, 4000, ?)", *row)
    return ids


def packages(collection: Collection, folder: Path) -> list[Path]:
    """All forms in which Anki gives a collection away."""
    paths = [folder / name for name in ("new.apkg", "old.apkg", "new.colpkg", "old.colpkg")]
    for path in paths[:2]:
        options = ExportAnkiPackageOptions(with_scheduling=True, legacy=path.stem == "old")
        collection.export_anki_package(out_path=str(path), options=options, limit=None)
    for path in paths[2:]:
        collection.export_collection_package(str(path), include_media=False, legacy=path.stem == "old")
        collection.reopen()
    return paths


def utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


def test_answers_of_anki_come_into_the_history_once(collection: Collection, tmp_path: Path) -> None:
    ids = answered_in_anki(collection, tmp_path)
    paths = packages(collection, tmp_path)
    found = [answers_in(path, utc) for path in paths]
    assert found[0] == found[1] == found[2] == found[3]
    answers, problems = found[0]
    assert problems == ()

    assert [(answer.key, answer.stamp.day.day, int(answer.rating), answer.took) for answer in answers] == [
        (Sibling(ids[0], 0), 1, 3, 4000),
        (Sibling(ids[0], 0), 1, 3, 4000),
        (Sibling(ids[0], 0), 3, 1, 4000),
        (Sibling(ids[0], 0), 4, 4, 4000),
        (Sibling(ids[1], 0), 6, 2, 4000),
        (Sibling(ids[1], 0), 7, 3, 4000),  # at midnight, before Anki's day begins
    ]
    with History.open(tmp_path / "history.db", computer="desk", rng=Random(1)) as history:
        assert [exchange.take(history, path, utc, TODAY) for path in paths] == [6, 0, 0, 0]
        state = None
        for day, rating in ((1, Rating.GOOD), (3, Rating.AGAIN), (4, Rating.EASY)):
            state = next_state(state, rating, datetime(2026, 3, day).date())
        assert history.states(TODAY)[Sibling(ids[0], 0)] == state


def test_a_real_answer_in_anki_comes_back_and_ours_are_not_doubled(collection: Collection, tmp_path: Path) -> None:
    ids = deck(tmp_path)
    events, states = a_history(tmp_path / "history.db", ids, Random(7))
    deck(tmp_path, learned(events, Plan(), TODAY))
    imported(collection, tmp_path, LEARNING)
    collection.decks.select(collection.decks.id("ml"))
    queued = collection.sched.getCard()
    assert queued is not None
    queued.start_timer()
    collection.sched.answerCard(queued, 3)

    package = packages(collection, tmp_path)[0]
    answers, _ = answers_in(package, datetime.astimezone)
    with History.open(tmp_path / "history.db", computer="desk", rng=Random(1)) as history:
        new = unknown(answers, history.events(undone=True))
        assert [(answer.key.card, answer.rating) for answer in new] == [(queued.note().guid, Rating.GOOD)]
        taken = [exchange.take(history, package, datetime.astimezone, TODAY) for _ in range(2)]
        assert taken == [1, 0]
        assert len(list(history.events())) == len(events) + 1
        assert history.states(TODAY)[new[0].key] == next_state(states.get(new[0].key), Rating.GOOD, new[0].stamp.day)


def test_a_card_goes_from_anki_through_the_terminal_to_another_anki(collection: Collection, tmp_path: Path) -> None:
    deck(tmp_path)
    imported(collection, tmp_path, ImportAnkiPackageOptions())
    collection.decks.select(collection.decks.id("ml"))
    queued = collection.sched.getCard()
    assert queued is not None
    queued.start_timer()
    collection.sched.answerCard(queued, 3)

    key = Sibling(queued.note().guid, queued.ord)
    with History.open(tmp_path / "history.db", computer="desk", rng=Random(1)) as history:
        assert exchange.take(history, packages(collection, tmp_path)[0], datetime.astimezone, TODAY) == 1
        history.record(Answered(history.stamp(NOW + timedelta(days=1)), key, Rating.HARD, 5000))
        (first, second), state = history.events(), history.states(TODAY)[key]
        assert state.reps == 2
        deck(tmp_path, learned(history.events(), Plan(), TODAY))

        (tmp_path / "other").mkdir()
        other = Collection(str(tmp_path / "other" / "collection.anki2"))
        with closing(other):
            assert imported(other, tmp_path, LEARNING) == {"new": 6}
            assert other.db.all("select id, ease, time from revlog order by id") == [
                [milliseconds(it.stamp.at), it.rating, it.took] for it in (first, second) if isinstance(it, Answered)
            ]
            (stored,) = map(json.loads, other.db.list("select data from cards where reps = 2"))
            assert stored["s"] == pytest.approx(state.stability, abs=1e-3)
            assert imported(collection, tmp_path, LEARNING) == {"duplicate": 6}
            back = [path for each in (other, collection) for path in packages(each, tmp_path)]
            assert [exchange.take(history, path, datetime.astimezone, TODAY) for path in back] == [0] * len(back)


def test_an_undone_answer_that_anki_still_has_stays_undone() -> None:
    rng = Random(1)
    answer = Answered(new_stamp(NOW, "desk", rng), Sibling("a" * 16, 0), Rating.GOOD)
    undone = Undone(new_stamp(NOW, "desk", rng), answer.stamp.id)
    again = Answered(new_stamp(NOW, "anki", rng), Sibling("a" * 16, 0), Rating.GOOD)

    assert unknown([again], [answer, undone]) == ()


@pytest.mark.parametrize(("rollover", "day"), [(None, 28), (0, 1), (2, 1), (7, 28), (30, 28), ("x", 28)])
def test_ankis_day_begins_at_its_own_hour(collection: Collection, tmp_path: Path, rollover: object, day: int) -> None:
    ids = deck(tmp_path)
    imported(collection, tmp_path, ImportAnkiPackageOptions())
    if rollover is not None:
        collection.set_config("rollover", rollover)
    id_ = collection.db.scalar("select c.id from cards c join notes n on n.id = nid where guid = ?", ids[0])
    at = milliseconds(datetime(2026, 3, 1, 3, tzinfo=timezone(timedelta(hours=5))))
    collection.db.execute("insert into revlog values (?, ?, -1, 3, 1, 0, 500, 4000, 0)", at, id_)
    for package in packages(collection, tmp_path)[2 if rollover is not None else 0 :]:  # .apkg files hold no settings
        ((answer,), _) = answers_in(package, lambda moment: moment.astimezone(timezone(timedelta(hours=5))))
        assert answer.stamp.day.day == day


def test_packages_that_are_none_are_told(collection: Collection, tmp_path: Path) -> None:
    answered_in_anki(collection, tmp_path)
    whole = packages(collection, tmp_path)[0]
    empty, other = tmp_path / "empty.apkg", tmp_path / "other.apkg"
    with zipfile.ZipFile(empty, "w") as archive:
        archive.writestr("readme", "hello")
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("collection.anki2", "hello" * 300)

    said = {path.name: message(path) for path in (empty, other)}

    assert said == {
        "empty.apkg": "it holds no collection",
        "other.apkg": "file is not a database",
    }
    truth = answers_in(whole, utc)
    content, rng, refused = whole.read_bytes(), Random(3), 0
    for turn in range(60):
        damaged = bytearray(content)
        if turn % 3:
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        else:
            del damaged[rng.randrange(4, len(damaged)) :]
        (tmp_path / "damaged.apkg").write_bytes(damaged)
        if message(tmp_path / "damaged.apkg") is None:
            assert answers_in(tmp_path / "damaged.apkg", utc) == truth
        else:
            refused += 1
    assert refused > 20


def message(path: Path) -> str | None:
    """Why the package cannot be read, or None."""
    start = f"{path}:1:1: this is no Anki package that can be read: "
    for problem in answers_in(path, utc)[1]:
        assert str(problem).startswith(start)
        return str(problem).removeprefix(start)
    return None


def test_a_package_with_invented_rows_is_read_as_far_as_it_makes_sense(tmp_path: Path) -> None:
    path = tmp_path / "odd.apkg"
    deck(tmp_path)
    with zipfile.ZipFile(tmp_path / "deck.apkg") as archive:
        (tmp_path / "db").write_bytes(archive.read("collection.anki2"))
    with closing(sqlite3.connect(tmp_path / "db")) as connection:
        (id_,) = connection.execute("SELECT min(id) FROM cards").fetchone()
        for at, ease, took in ((10**17, 3, 1), (-5, 3, 1), (7, 9, 1), (8, 3, "long"), (9, 3, 2)):
            connection.execute("INSERT INTO revlog VALUES (?, ?, 0, ?, 1, 0, 500, ?, 0)", (at, id_, ease, took))
        connection.execute('UPDATE col SET conf = \'{"rollover": "x"}\'')
        connection.commit()
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(tmp_path / "db", "collection.anki2")

    ((answer,), _) = answers_in(path, utc)
    assert answer.took == 2
