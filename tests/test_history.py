"""The history keeps what it was told, whatever happens to the process, the disk, the clock or the file."""

import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mha_quiz.history
from cards.model import EaseSchedule, FsrsSchedule
from mha_quiz import exchange, history_file, upcoming
from mha_quiz.event_json import event_json, event_of
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
    new_stamp,
)
from mha_quiz.history import Conflict, History, HistoryUnusable
from mha_quiz.schedule import Plan, Rating, State, next_state
from mha_quiz.upcoming import Upcoming

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TODAY = NOON.date()
CARD = Sibling("qmrhl5hyzlt7a3bk", 0)
SKILL = Skill("B1")


def opened(path: Path, *, computer: str = "desk", seed: int = 1, write: bool = True, patience: float = 5) -> History:
    history = History.open(path, computer=computer, rng=Random(seed), write=write, patience=patience)
    history._connection.execute("PRAGMA synchronous = OFF")  # no test pulls the plug, and waiting for disks takes long
    return history


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with opened(tmp_path / "history.db") as history:
        yield history


def answer(history: History, now: datetime, rating: Rating, key: Sibling = CARD) -> Answered:
    event = Answered(history.stamp(now), key, rating)
    history.record(event)
    return event


def replayed(events: Sequence[Event], today: date) -> dict[Key, State]:
    """The states that these events give when all are replayed: what is only read is kept in memory, without a cache."""
    with opened(Path("nowhere"), write=False) as fresh:
        fresh.merge(events, today)
        return fresh.states(today)


EVENTS: tuple[Event, ...] = tuple(
    make(new_stamp(NOON + timedelta(minutes=minute), "läptop", Random(minute)))
    for minute, make in enumerate(
        (
            lambda stamp: Answered(stamp, CARD, Rating.GOOD, 2300),
            lambda stamp: Tried(stamp, SKILL, 2, 77, "786432", "wrong", ("no-out",), Rating.AGAIN, 12),
            lambda stamp: Tried(stamp, SKILL, 2, 78, "१.०५M \x00 \udc80", "too-coarse", (), None),
            lambda stamp: Started(stamp, Sibling("abc", 1), EaseSchedule("2026-04-01", 10, 250)),
            lambda stamp: Started(
                stamp,
                Sibling("abc", 0),
                FsrsSchedule("2026-04-01", 10, 12.25, 5.5, 2, 3, 1, 0, "2026-03-22T10:00:00.000Z"),
            ),
            lambda stamp: Started(stamp, Sibling("abc", 2), FsrsSchedule("", 0, 0.0, 0.0, 0, 0, 0, 0, "")),
            lambda stamp: Undone(stamp, "0" * 32),
            lambda stamp: Planned(stamp, Plan(0.85)),
        )
    )
)


steps = st.lists(
    st.tuples(
        st.integers(0, 3),  # card, or undo
        st.integers(1, 4),
        st.integers(-30, 60 * 24 * 3),  # minutes since the last step; the clock may go back
    ),
    max_size=25,
)


# ------------------------------------------------------------------ what is stored


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_comes_back_as_it_was(event: Event, tmp_path: Path) -> None:
    with opened(tmp_path / "history.db") as history:
        history.record(event)
    with opened(tmp_path / "history.db", write=False) as history:
        assert list(history.events(undone=True)) == [event]
    assert event_of(event_json(event)) == event
    (line,) = exchange.lines_of([event])
    assert exchange.events_in(line, "x") == ((event,), ())


def test_an_answer_moves_the_state_and_undo_moves_it_back(history: History) -> None:
    answer(history, NOON, Rating.GOOD)
    before = history.states(TODAY)
    assert before == {CARD: next_state(None, Rating.GOOD, TODAY)}

    later = NOON + timedelta(days=2)
    mistake = answer(history, later, Rating.AGAIN)
    assert history.states(later.date())[CARD].lapses == 1
    history.undo(mistake.stamp.id, later + timedelta(seconds=5))

    assert history.states(later.date()) == before
    assert [event.stamp.id for event in history.events()].count(mistake.stamp.id) == 0
    assert mistake in list(history.events(undone=True))


def test_an_undone_first_answer_makes_room_for_the_next_one(history: History) -> None:
    first = answer(history, NOON, Rating.AGAIN)
    answer(history, NOON + timedelta(minutes=1), Rating.GOOD)
    history.undo(first.stamp.id, NOON + timedelta(minutes=2))

    assert history.states(TODAY) == {CARD: next_state(None, Rating.GOOD, TODAY)}


def test_what_was_never_answered_cannot_be_undone(history: History) -> None:
    with pytest.raises(LookupError):
        history.undo("0" * 32, NOON)


def test_the_first_answer_of_a_day_counts(history: History) -> None:
    answer(history, NOON, Rating.AGAIN)
    for minute in range(1, 6):
        answer(history, NOON + timedelta(minutes=minute), Rating.EASY)

    assert history.states(TODAY) == {CARD: next_state(None, Rating.AGAIN, TODAY)}
    assert len(list(history.events())) == 6


def test_a_try_without_rating_is_practice(history: History) -> None:
    history.record(Tried(history.stamp(NOON), SKILL, 1, 5, "1.05M", "too-coarse", (), None))
    assert history.states(TODAY) == {}
    history.record(Tried(history.stamp(NOON), SKILL, 1, 5, "1048576", "right", (), Rating.GOOD))
    assert history.states(TODAY) == {SKILL: next_state(None, Rating.GOOD, TODAY)}


def test_the_notes_own_schedule_starts_a_history_once(history: History) -> None:
    answer(history, NOON, Rating.GOOD)
    ease = EaseSchedule("2026-03-20", 10, 250)
    found = {CARD: ease, Sibling("b", 0): ease, Sibling("b", 1): EaseSchedule("2000-01-01", 1, 250)}

    assert history.start(found, NOON) == 1
    assert history.start(found, NOON + timedelta(days=1)) == 0

    states = history.states(TODAY)
    assert states[CARD] == next_state(None, Rating.GOOD, TODAY)
    assert (states[Sibling("b", 0)].due, states[Sibling("b", 0)].stability) == (date(2026, 3, 20), 10.0)
    assert Sibling("b", 1) not in states


def test_of_two_computers_that_saw_a_note_first_the_earlier_one_counts() -> None:
    early, late = (Stamp(digit * 32, "x", NOON + timedelta(hours=hour), TODAY) for digit, hour in (("f", 0), ("0", 1)))
    one = Started(early, CARD, EaseSchedule("2026-03-20", 10, 250))
    two = Started(late, CARD, EaseSchedule("2026-03-30", 20, 250))

    assert replayed([two, one], TODAY)[CARD].due == date(2026, 3, 20)


def test_where_one_computer_had_an_answer_before_the_other_saw_the_note_the_answer_counts() -> None:
    stamps = [Stamp(digit * 32, "x", NOON + timedelta(hours=hour), TODAY) for hour, digit in enumerate("ab")]
    answered, started = Answered(stamps[0], CARD, Rating.GOOD), EaseSchedule("2026-03-20", 10, 250)

    assert replayed([Started(stamps[1], CARD, started), answered], TODAY) == {
        CARD: next_state(None, Rating.GOOD, TODAY)
    }


def test_a_new_plan_moves_all_states(history: History) -> None:
    answer(history, NOON, Rating.GOOD)
    answer(history, NOON + timedelta(days=2), Rating.GOOD)
    plan = Plan(desired_retention=0.8)
    assert (history.plan(), history.states(TODAY + timedelta(days=2))[CARD].due) == (Plan(), date(2026, 3, 14))

    history.record(Planned(history.stamp(NOON + timedelta(days=2, hours=1)), plan))

    assert history.plan() == plan
    assert history.states(TODAY + timedelta(days=2))[CARD].due == date(2026, 4, 8)


def test_due_are_those_of_today_and_before_the_oldest_first(history: History) -> None:
    for number, day in enumerate((3, 1, 2)):
        answer(history, NOON - timedelta(days=day), Rating.AGAIN, Sibling(f"c{number}", 0))
    answer(history, NOON, Rating.EASY, Sibling("later", 0))

    assert [str(key) for key in history.due(TODAY)] == ["card/c0/0", "card/c2/0", "card/c1/0"]
    assert list(history.due(TODAY - timedelta(days=1))) == [Sibling("c0", 0), Sibling("c2", 0)]


def test_upcoming_counts_the_siblings_of_the_notes_and_the_skills(history: History) -> None:
    siblings = [Sibling(f"c{number}", 0) for number in range(5)]
    for sibling in (*siblings[:2], Sibling("gone", 0)):
        answer(history, NOON, Rating.AGAIN, sibling)
    history.record(Tried(history.stamp(NOON), SKILL, 1, 5, "1", "wrong", (), Rating.AGAIN))
    history.notice("/notes", siblings)
    assert history.upcoming(TODAY) == Upcoming(cards=0, skills=0, new=3)
    assert history.upcoming(TODAY + timedelta(days=1)) == Upcoming(cards=2, skills=1, new=3)

    history.notice("/notes", siblings[1:4])
    assert history.upcoming(TODAY + timedelta(days=1)) == Upcoming(cards=1, skills=1, new=2)
    history.notice("/notes", siblings[:2], gone=())
    assert history.upcoming(TODAY + timedelta(days=1)) == Upcoming(cards=2, skills=1, new=2)
    history.notice("/notes", siblings[1:2], gone={"c0", "c2"})
    assert history.upcoming(TODAY + timedelta(days=1)) == Upcoming(cards=1, skills=1, new=1)
    history.notice("/notes", [Sibling("c1", 1)], gone=())
    assert history.upcoming(TODAY + timedelta(days=1)) == Upcoming(cards=0, skills=1, new=2)


@settings(max_examples=20, deadline=None)
@given(steps, st.sets(st.integers(0, 5)), st.integers(-1, 30))
def test_a_prompt_is_told_what_the_history_knows(
    steps: list[tuple[int, int, int]], noted: set[int], ahead: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, now = Path(folder) / "history.db", NOON
        with opened(path) as history:
            for card, rating, minutes in steps:
                now += timedelta(minutes=minutes)
                answer(history, now, Rating(rating), Sibling(f"c{card}", 0))
            history.record(Tried(history.stamp(now), SKILL, 1, 5, "1", "wrong", (), Rating.AGAIN))
            history.notice("/notes", [Sibling(f"c{card}", 0) for card in noted])
        day = now.date() + timedelta(days=ahead)
        quick = upcoming.upcoming(path, day)
        with opened(path) as history:
            assert history.upcoming(day) == quick
            assert quick.new == len(noted - {card for card, _, _ in steps})


def test_a_prompt_asks_no_history_that_is_missing_and_a_stale_one_once(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    assert upcoming.upcoming(path, TODAY) == Upcoming(0, 0, 0)
    assert not path.exists()
    with opened(path) as history:
        history._insert([Answered(history.stamp(NOON), CARD, Rating.AGAIN)])
    tomorrow = TODAY + timedelta(days=1)

    assert upcoming.upcoming(path, tomorrow) == Upcoming(1, 0, 0)

    with closing(sqlite3.connect(path)) as connection:
        assert upcoming.follows(connection, 1, tomorrow)


def test_the_log_only_grows(tmp_path: Path) -> None:
    with opened(tmp_path / "history.db") as history:
        answer(history, NOON, Rating.GOOD)
    connection = sqlite3.connect(tmp_path / "history.db")
    for change in ("DELETE FROM event", "UPDATE event SET rating = 4"):
        with pytest.raises(sqlite3.IntegrityError, match="the log only grows"):
            connection.execute(change)
    connection.close()


# ------------------------------------------------------------------ replaying


@settings(max_examples=25, deadline=None)
@given(steps)
def test_states_kept_up_to_date_are_those_of_a_replay(steps: list[tuple[int, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder) / "history.db") as history:
        now, done = NOON, []
        for card, rating, minutes in steps:
            now += timedelta(minutes=minutes)
            if card == 3 and done:
                history.undo(done.pop(), now)
            else:
                done.append(answer(history, now, Rating(rating), Sibling(f"c{card}", 0)).stamp.id)
            events = list(history.events(undone=True))
            assert history.states(now.date()) == replayed(events[::-1], now.date())


answers_strategy = st.lists(
    st.builds(
        lambda card, rating, hours, undo: (card, rating, hours, undo),
        st.integers(0, 2),
        st.sampled_from(Rating),
        st.integers(0, 24 * 20),
        st.booleans(),
    ),
    max_size=12,
)


@settings(max_examples=25, deadline=None)
@given(answers_strategy, st.integers(0, 2**32))
def test_logs_unite_in_any_order_and_again(answers: list[tuple[int, Rating, int, bool]], seed: int) -> None:
    rng = Random(seed)  # ids must differ, which hypothesis's own generators do not promise
    events: list[Event] = []
    for card, rating, hours, undo in answers:
        stamp = new_stamp(NOON + timedelta(hours=hours), rng.choice("abc"), rng)
        events.append(Answered(stamp, Sibling(f"c{card}", 0), rating))
        if undo:
            events.append(Undone(new_stamp(stamp.at + timedelta(minutes=1), "a", rng), stamp.id))
    parts = [[event for event in events if rng.random() < 0.6] for _ in range(3)]
    day = TODAY + timedelta(days=30)
    with tempfile.TemporaryDirectory() as folder:
        results = []
        for order in ((0, 1, 2), (2, 0, 1), (1, 1, 2, 0, 2)):
            with opened(Path(folder) / f"{order}.db") as history:
                for part in order:
                    history.merge(parts[part], day)
                results.append((list(history.events(undone=True)), history.states(day)))
    assert results[0] == results[1] == results[2]
    assert {event.stamp.id for event in results[0][0]} == {event.stamp.id for part in parts for event in part}


def test_ten_thousand_events_replay_within_a_second(tmp_path: Path) -> None:
    rng = Random(4)
    events = [
        Answered(
            new_stamp(NOON - timedelta(days=400 - number // 25, seconds=-number), "b", rng),
            Sibling(f"c{rng.randrange(700)}", 0),
            rng.choice((Rating.AGAIN, Rating.HARD, Rating.GOOD, Rating.GOOD, Rating.GOOD, Rating.EASY)),
        )
        for number in range(10_000)
    ]
    with opened(tmp_path / "history.db") as history:
        history.merge(events, TODAY)
        stored = history.states(TODAY)
        seconds = []
        for _ in range(3):  # the best counts: a garbage collection may fall into one
            history._connection.execute("DELETE FROM replayed")
            history._connection.execute("DELETE FROM state")
            start = time.process_time()
            again = history.states(TODAY)
            seconds.append(time.process_time() - start)
            assert again == stored
    assert len(stored) == 700
    assert min(seconds) < 1


def test_another_version_of_the_schedule_replays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path / "history.db") as history:
        answer(history, NOON, Rating.GOOD)
        right = history.states(TODAY)
        history._connection.execute("DELETE FROM state")
        assert history.states(TODAY) == {}  # the cache is trusted

        for module in (upcoming, mha_quiz.history):
            monkeypatch.setattr(module, "SCHEDULE", upcoming.SCHEDULE + 1)
        assert history.states(TODAY) == right


def test_events_that_an_unknowing_program_added_are_replayed(tmp_path: Path) -> None:
    with opened(tmp_path / "history.db") as history:
        answer(history, NOON, Rating.GOOD)
        other = Answered(history.stamp(NOON), Sibling("other", 0), Rating.GOOD)
        history._insert([other])
        answer(history, NOON, Rating.GOOD, Sibling("third", 0))  # must not call the states fresh for this one alone
        assert set(history.states(TODAY)) == {CARD, Sibling("other", 0), Sibling("third", 0)}


def test_reading_alone_changes_nothing_and_knows_the_same(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    with opened(path) as history:
        answer(history, NOON, Rating.GOOD)
        states = history.states(TODAY)
        history._connection.execute("DELETE FROM replayed")
    before = path.read_bytes()
    with opened(path, write=False) as history:
        assert history.states(TODAY) == states
        with pytest.raises(HistoryUnusable, match="must not be written"):
            answer(history, NOON, Rating.GOOD)
    assert path.read_bytes() == before

    with opened(tmp_path / "none.db", write=False) as history:
        assert history.states(TODAY) == {}
    assert not (tmp_path / "none.db").exists()


# ------------------------------------------------------------------ clocks


def test_a_day_is_that_of_the_clock_on_the_wall(history: History) -> None:
    kolkata = ZoneInfo("Asia/Kolkata")
    late = datetime(2026, 3, 1, 23, 50, tzinfo=kolkata)  # 18:20 UTC
    answer(history, late, Rating.GOOD)
    answer(history, late + timedelta(minutes=20), Rating.AGAIN)  # a new day there

    state = history.states(date(2026, 3, 2))[CARD]
    assert (state.reps, state.lapses, state.last) == (2, 1, date(2026, 3, 2))
    assert [event.stamp.at.hour for event in history.events()] == [18, 18]


def test_a_day_of_23_or_25_hours_is_a_day(history: History) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    for month, first in ((3, 28), (10, 24)):  # the clocks change in the night after
        card = Sibling(f"m{month}", 0)
        for day, hour in ((first, 22), (first + 1, 7), (first + 2, 23)):
            answer(history, datetime(2026, month, day, hour, tzinfo=berlin), Rating.GOOD, card)
        state = history.states(date(2026, month, first + 2))[card]
        expected = None
        for day in range(first, first + 3):
            expected = next_state(expected, Rating.GOOD, date(2026, month, day))
        assert state == expected


def test_flying_west_brings_the_same_day_again_and_counts_it_once(history: History) -> None:
    tokyo, honolulu = timezone(timedelta(hours=9)), timezone(timedelta(hours=-10))
    answer(history, datetime(2026, 3, 2, 9, tzinfo=tokyo), Rating.GOOD)
    answer(history, datetime(2026, 3, 1, 20, tzinfo=honolulu), Rating.AGAIN)  # six hours later, the day before

    assert history.states(date(2026, 3, 1)) == {CARD: next_state(None, Rating.GOOD, date(2026, 3, 2))}
    answer(history, datetime(2026, 3, 4, 8, tzinfo=honolulu), Rating.GOOD)
    assert history.states(date(2026, 3, 4))[CARD].reps == 2


def test_a_clock_that_was_years_ahead_does_no_harm_once_it_is_right(history: History) -> None:
    answer(history, NOON, Rating.GOOD)
    right = history.states(TODAY)
    ahead = datetime(2031, 1, 1, tzinfo=UTC)
    answer(history, ahead, Rating.GOOD)
    assert history.states(ahead.date())[CARD].due.year == 2031

    assert history.states(TODAY) == right
    answer(history, NOON + timedelta(days=2), Rating.GOOD)
    expected = next_state(right[CARD], Rating.GOOD, TODAY + timedelta(days=2))
    assert history.states(TODAY + timedelta(days=2)) == {CARD: expected}
    assert len(list(history.events())) == 3


def test_a_clock_that_goes_back_keeps_both_answers(history: History) -> None:
    answer(history, NOON, Rating.GOOD)
    answer(history, NOON - timedelta(days=3), Rating.AGAIN)

    first = next_state(None, Rating.AGAIN, TODAY - timedelta(days=3))
    assert history.states(TODAY) == {CARD: next_state(first, Rating.GOOD, TODAY)}


def test_a_clock_before_1970_still_gives_an_event_to_carry(history: History) -> None:
    event = answer(history, datetime(1969, 12, 31, 20, tzinfo=timezone(timedelta(hours=-8))), Rating.GOOD)
    answer(history, datetime(1960, 1, 1, tzinfo=UTC), Rating.GOOD, Sibling("b", 0))

    events, problems = exchange.events_in("".join(exchange.lines_of(history.events())), "log")
    assert (len(events), problems, event in events) == (2, (), True)


def test_a_year_of_travel_with_a_clock_that_jumps(history: History) -> None:
    """A learner who answers what is due every evening, in other zones each month; once the clock is a year ahead."""
    rng = Random(8)
    zones = [ZoneInfo(name) for name in ("Asia/Kolkata", "Pacific/Kiritimati", "Pacific/Honolulu", "Europe/Berlin")]
    now = datetime(2026, 1, 1, 15, tzinfo=UTC)
    asked = []
    for day in range(365):
        here = now.astimezone(zones[day // 30 % len(zones)])
        if day == 200:
            answer(history, here.replace(year=2027), Rating.EASY, Sibling("c0", 0))
        states = history.states(here.date())
        assert all(state.last <= here.date() + timedelta(days=1) for state in states.values())
        new = [Sibling(f"c{day // 4}", 0)] if day % 4 == 0 and day < 160 else []
        for key in (*history.due(here.date()), *(key for key in new if key not in states)):
            assert isinstance(key, Sibling)
            answer(history, here, Rating.AGAIN if rng.random() < 0.1 else Rating.GOOD, key)
            asked.append((key, here.date()))
        now += timedelta(days=1, minutes=rng.randrange(-90, 90))
    assert len(set(asked)) == len(asked)  # nothing twice on one day
    assert 300 < len(asked) < 700
    today = now.astimezone(zones[0]).date()
    final = history.states(today)
    assert len(final) == 40
    assert final == replayed(list(history.events())[::-1], today)
    assert final[Sibling("c0", 0)].last.year == 2026


# ------------------------------------------------------------------ processes


ANSWERING = """
import sys, itertools
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from mha_quiz.events import Answered, Sibling
from mha_quiz.history import History
from mha_quiz.schedule import Rating

path, computer, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
now = datetime(2026, 3, 1, 12, tzinfo=UTC)
with History.open(Path(path), computer=computer, rng=Random(computer), patience=60) as history:
    for number in range(count):
        event = Answered(history.stamp(now + timedelta(seconds=number)), Sibling(f"c{number % 9}", 0), Rating.GOOD)
        history.record(event)
        print(event.stamp.id, flush=True)
"""


def answering(path: Path, computer: str, count: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", ANSWERING, str(path), computer, str(count)], stdout=subprocess.PIPE, text=True
    )


def test_kill_9_loses_nothing_that_was_recorded(tmp_path: Path) -> None:
    rng, path, told = Random(9), tmp_path / "history.db", 0
    for turn in range(8):
        process = answering(path, f"turn {turn}", 10**6)
        assert process.stdout is not None
        ids = [process.stdout.readline().strip() for _ in range(rng.randrange(1, 6))]
        time.sleep(rng.random() * 0.02)
        process.send_signal(signal.SIGKILL)
        ids += process.stdout.read().split()
        process.stdout.close()
        process.wait()
        told += len(ids)
        with opened(path) as history:
            events = list(history.events())
            mine = [event.stamp.id for event in events if event.stamp.computer == f"turn {turn}"]
            assert mine[: len(ids)] == ids
            assert len(mine) <= len(ids) + 1
            assert history.states(TODAY) == replayed(events, TODAY)
    assert told >= 8


def test_kill_9_at_birth_leaves_a_history_or_none(tmp_path: Path) -> None:
    for turn in range(6):
        path = tmp_path / f"{turn}.db"
        process = answering(path, "a", 1)
        deadline = time.monotonic() + 20
        while not path.exists() and time.monotonic() < deadline:
            time.sleep(0.001)
        time.sleep(turn * 0.002)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        with opened(path) as history:
            assert len(list(history.events())) <= 1


def test_reading_cleans_up_after_a_process_that_was_killed_in_a_transaction(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    with opened(path) as history:
        answer(history, NOON, Rating.GOOD)
        states = history.states(TODAY)
    script = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN IMMEDIATE")
for number in range(2000):
    row = (f"{number:032x}", number)
    connection.execute("INSERT INTO event VALUES (NULL, ?, 'x', ?, '2026-03-01', 'answered', 'k', 3, NULL, '', 0)", row)
os.kill(os.getpid(), signal.SIGKILL)
"""
    for read in (lambda: upcoming.upcoming(path, TODAY + timedelta(days=2)), lambda: None):
        subprocess.run([sys.executable, "-c", script, str(path)], check=False)
        assert path.with_name("history.db-journal").exists()
        if read() is not None:
            assert read() == Upcoming(1, 0, 0)
        with opened(path, write=False) as history:
            assert history.states(TODAY) == states


def test_two_terminals_may_make_the_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")

        def finish() -> None:
            for statement in history_file._statements(history_file._SCHEMA.read_text()):
                other.execute(statement)
            other.execute(f"PRAGMA application_id = {history_file._FILE_MARK}")
            other.execute(f"PRAGMA user_version = {history_file.LAYOUT}")
            other.execute("COMMIT")

        timer = threading.Timer(0.3, finish)
        timer.start()
        with opened(path) as history:  # finds it empty, and waits
            timer.join()
            answer(history, NOON, Rating.GOOD)
            assert set(history.states(TODAY)) == {CARD}


def test_two_terminals_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "history.db"  # which both of them make
    both = [answering(path, name, 40) for name in ("left", "right")]
    ids = [process.communicate()[0].split() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    with opened(path) as history:
        events = list(history.events())
        assert {event.stamp.id for event in events} == {*ids[0], *ids[1]}
        assert len(events) == 80
        assert history.states(TODAY) == replayed(events, TODAY)


# ------------------------------------------------------------------ files that fail


def message_of(path: Path, patience: float = 5) -> str:
    def use() -> None:
        with opened(path, patience=patience) as history:
            list(history.events())
            history.states(TODAY)
            answer(history, NOON, Rating.GOOD)

    with pytest.raises(HistoryUnusable) as caught:
        use()
    return str(caught.value)


@contextmanager
def unprivileged() -> Iterator[None]:
    """The superuser may write everywhere."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("what", ["folder", "file"])
def test_what_cannot_be_written_is_told_before_the_first_question(what: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "history.db"
        with opened(path) as history:
            answer(history, NOON, Rating.GOOD)
        path.chmod(0o444 if what == "file" else 0o666)
        folder.chmod(0o555 if what == "folder" else 0o777)
        refused = folder if what == "folder" else path

        with unprivileged():
            assert message_of(path) == f"{refused} cannot be used for the history: Permission denied"
            with opened(path, write=False) as history:  # what is known can still be asked for
                assert set(history.states(TODAY)) == {CARD}


def test_a_full_disk_keeps_all_that_was_recorded(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    with opened(path) as history:
        history._connection.execute("PRAGMA max_page_count = 30")
        recorded = []

        def fill() -> None:
            for number in range(10_000):
                recorded.append(
                    answer(history, NOON + timedelta(seconds=number), Rating.GOOD, Sibling(f"c{number}", 0))
                )

        with pytest.raises(HistoryUnusable) as caught:
            fill()
    assert str(caught.value) == f"{path}: the disk is full; what was not stored yet is lost, all else is safe"
    with opened(path) as history:
        assert list(history.events()) == recorded
        assert history.states(TODAY) == replayed(recorded, TODAY)


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
def test_a_file_that_may_not_grow_keeps_all_that_was_recorded(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    limit = 90_000
    process = subprocess.run(
        [sys.executable, "-c", ANSWERING, str(path), "a", "10000"],
        capture_output=True,
        check=False,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert process.stderr.strip().split("\n")[-1] == (
        f"mha_quiz.history_file.HistoryUnusable: {path}: the disk refused it; what was not stored yet is lost, "
        "all else is safe"
    )
    ids = process.stdout.split()
    with opened(path) as history:
        assert [event.stamp.id for event in history.events()] == ids
    assert len(ids) > 20


def test_a_file_that_a_full_disk_left_empty_is_an_empty_history(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    path.touch()
    assert upcoming.upcoming(path, TODAY) == Upcoming(0, 0, 0)
    with opened(path, write=False) as history:
        assert list(history.events()) == []
    assert path.stat().st_size == 0


def test_a_locked_file_is_told_after_some_patience(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    opened(path).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        assert message_of(path, patience=0.1) == (
            f"{path}: another program keeps the file locked; close it and try again"
        )
    finally:
        other.close()
    with opened(path) as history:
        answer(history, NOON, Rating.GOOD)


def test_a_file_of_another_kind_is_left_alone(tmp_path: Path) -> None:
    text, database, newer = tmp_path / "notes.md", tmp_path / "other.db", tmp_path / "newer.db"
    none = tmp_path / "none.db"
    text.write_text("# Attention\n" * 100)
    connection = sqlite3.connect(database)
    connection.execute("CREATE TABLE mine (x)")
    connection.close()
    opened(newer).close()
    connection = sqlite3.connect(newer)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    opened(none).close()
    connection = sqlite3.connect(none)
    connection.execute("PRAGMA user_version = 0")
    connection.close()
    before = [path.read_bytes() for path in (text, database, newer, none)]

    assert message_of(text).startswith(f"{text} is damaged (file is not a database); it was left as it is.")
    for path in (database, none):
        assert message_of(path) == (
            f"{path} is another program's file, not a history of mha-quiz; choose another with --data"
        )
    assert message_of(newer) == f"{newer} was written by a newer mha-quiz; update this one"
    assert message_of(tmp_path).endswith("see to its folder or choose another with --data")
    assert message_of(text / "history.db").endswith("cannot be used for the history: File exists")
    assert [path.read_bytes() for path in (text, database, newer, none)] == before


def told(path: Path, truth: tuple[list[Event], dict[Key, State]]) -> str:
    """What is said about the file; nothing if the whole truth is in it."""
    try:
        with opened(path) as history:
            assert (list(history.events()), history.states(TODAY)) == truth
    except HistoryUnusable as error:
        return str(error)
    return ""


def test_damage_is_seen_or_does_no_harm(tmp_path: Path) -> None:
    whole = tmp_path / "whole.db"
    with opened(whole) as history:
        for number in range(40):
            answer(history, NOON + timedelta(minutes=number), Rating.GOOD, Sibling(f"c{number}", 0))
        truth = list(history.events()), history.states(TODAY)
    content = whole.read_bytes()
    rng, seen = Random(5), 0
    path = tmp_path / "damaged.db"
    for turn in range(150):
        damaged = bytearray(content)
        if turn % 10 == 0:
            del damaged[rng.randrange(1, len(damaged)) :]
        else:
            start = rng.randrange(len(damaged))
            for at in range(start, min(start + rng.choice((1, 16, 512)), len(damaged))):
                damaged[at] = rng.randrange(256)
        path.write_bytes(damaged)
        message = told(path, truth)
        if message:
            seen += 1
            assert re.match(
                re.escape(str(path)) + "( is damaged| was written by a newer| is another program|:)", message
            )
            assert path.read_bytes() == bytes(damaged)
    assert seen > 50


# ------------------------------------------------------------------ carrying it elsewhere


@pytest.mark.parametrize("lines", [False, True], ids=["history", "lines"])
def test_export_and_import_carry_the_whole_log(tmp_path: Path, lines: bool) -> None:
    out = tmp_path / "carried"
    with opened(tmp_path / "here.db") as here:
        here.record(*EVENTS)
        here.undo(EVENTS[0].stamp.id, NOON + timedelta(days=1))
        assert exchange.export(here, out, lines=lines, today=TODAY) == len(EVENTS) + 1
        states = here.states(TODAY)
        events = list(here.events(undone=True))
    with opened(tmp_path / "there.db", computer="there") as there:
        taken = [exchange.take(there, out, datetime.astimezone, TODAY) for _ in range(2)]
        assert taken == [len(EVENTS) + 1, 0]
        assert (list(there.events(undone=True)), there.states(TODAY)) == (events, states)
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_an_event_that_differs_under_one_id_stops_the_import(history: History) -> None:
    one = answer(history, NOON, Rating.GOOD)
    new = Answered(history.stamp(NOON), CARD, Rating.GOOD)
    other = Answered(one.stamp, CARD, Rating.AGAIN)

    with pytest.raises(Conflict, match=one.stamp.id):
        history.merge([new, other], TODAY)
    assert list(history.events()) == [one]


def test_bad_lines_are_all_told_with_their_place() -> None:
    good = "".join(exchange.lines_of(EVENTS[:1]))
    text = "\n".join(
        (
            "<<<<<<< ours",
            good.strip(),
            good.strip()[:-20],
            good.replace('"rating": 3', '"rating": 5').strip(),
            good.replace('"took": 2300', '"taken": 2300').strip(),
            good.replace('"kind": "answered"', '"kind": "dreamt"').strip(),
            good.replace("2026-03-01T12:00:00.000Z", "2026-02-30T12:00:00.000Z").strip(),
            good.replace("}", ', "mood": 1}').strip(),
            "[1, 2]",
            "",
        )
    )

    _, problems = exchange.events_in(text, "log.jsonl")

    assert [str(problem) for problem in problems] == [
        "log.jsonl:1:1: git left a conflict here; keep the lines of both sides",
        "log.jsonl:3:188: this is not an event but a damaged line",
        'log.jsonl:4:1: "rating" is not as this program writes it',
        'log.jsonl:5:1: "took" is missing',
        'log.jsonl:6:1: "kind" is not known',
        'log.jsonl:7:1: "at" is not as this program writes it',
        'log.jsonl:8:1: "mood" is not known',
        "log.jsonl:9:1: this is not an object",
    ]


@pytest.mark.parametrize("count", ["-1", "9223372036854775808", "true", "2300.0"])
def test_a_count_that_no_history_could_hold_is_told(count: str) -> None:
    good = "".join(exchange.lines_of(EVENTS[:1]))

    _, (problem,) = exchange.events_in(good.replace('"took": 2300', f'"took": {count}'), "log.jsonl")

    assert str(problem) == 'log.jsonl:1:1: "took" is not as this program writes it'


def test_bad_lines_bring_nothing_in(history: History, tmp_path: Path) -> None:
    lines, bytes_ = tmp_path / "lines.jsonl", tmp_path / "bytes.jsonl"
    good = "".join(exchange.lines_of(EVENTS[:2]))
    lines.write_text(good + "{\n")
    bytes_.write_bytes(good.encode() + b"\n\xff")

    said = [exchange.take(history, path, datetime.astimezone, TODAY) for path in (lines, bytes_)]

    assert [[str(problem) for problem in problems] for problems in said if isinstance(problems, tuple)] == [
        [f"{lines}:3:2: this is not an event but a damaged line"],
        [f"{bytes_}:4:1: not UTF-8: byte 0xFF"],
    ]
    assert list(history.events()) == []


def test_an_export_takes_nothing_from_one_that_was_killed(tmp_path: Path) -> None:
    with opened(tmp_path / ".x.db.tmp", computer="killed") as left:
        answer(left, NOON, Rating.AGAIN)
    with opened(tmp_path / "history.db") as history:
        answer(history, NOON, Rating.GOOD)
        exchange.export(history, tmp_path / "x.db", lines=False, today=TODAY)
        events = list(history.events())
    assert exchange.read(tmp_path / "x.db") == (tuple(events), ())


def test_a_failed_export_leaves_the_old_file(tmp_path: Path) -> None:
    with opened(tmp_path / "history.db") as history:
        answer(history, NOON, Rating.GOOD)
        with pytest.raises(HistoryUnusable, match=r"missing.x was not written: No such file or directory"):
            exchange.export(history, tmp_path / "missing" / "x", lines=True, today=TODAY)
        (tmp_path / "folder").mkdir()
        with pytest.raises(HistoryUnusable, match=r"folder was not written: Is a directory"):
            exchange.export(history, tmp_path / "folder", lines=True, today=TODAY)
        assert list(tmp_path.glob(".*")) == []
        with pytest.raises(HistoryUnusable, match="is the history itself"):
            exchange.export(history, tmp_path / "history.db", lines=False, today=TODAY)
        assert len(list(history.events())) == 1
