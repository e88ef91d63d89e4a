"""What `stats` and `due` tell, from answers whose numbers were counted by hand."""

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from random import Random

import pytest

from mha_quiz.events import Answered, Event, Key, Sibling, Skill, Tried, new_stamp
from mha_quiz.progress import Leech, Progress, Weakness, progress, progress_json, weakest_first
from mha_quiz.progress_text import progress_lines
from mha_quiz.schedule import Rating, State
from mha_quiz.upcoming import Upcoming, due_line

TODAY = date(2026, 3, 4)  # a Wednesday
RNG = Random(1)


def on(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 12, tzinfo=UTC)


def answered(back: int, rating: Rating = Rating.GOOD, card: str = "a", hour: int = 0) -> Answered:
    now = on(TODAY - timedelta(days=back)) + timedelta(hours=hour)
    return Answered(new_stamp(now, "desk", RNG), Sibling(card, 0), rating)


def tried(back: int, rating: Rating | None, family: str = "B1", slips: tuple[str, ...] = ()) -> Tried:
    stamp = new_stamp(on(TODAY - timedelta(days=back)), "desk", RNG)
    return Tried(stamp, Skill(family), 1, 5, "3", "wrong", slips, rating)


def state(due_in: int, lapses: int = 0, reps: int = 9) -> State:
    return State(TODAY + timedelta(days=due_in), 5.0, 5.0, reps, lapses, TODAY - timedelta(days=3))


def told(events: Iterable[Event], states: dict[Key, State] | None = None) -> Progress:
    return progress(sorted(events, key=lambda event: event.stamp.at), states or {}, TODAY)


def test_retention_counts_the_first_answer_of_later_days() -> None:
    found = told(
        [
            answered(30),  # new
            answered(28, Rating.AGAIN),  # Wednesday, 4 February
            answered(28, Rating.GOOD, hour=1),  # practice
            answered(27, Rating.HARD),
            tried(28, Rating.GOOD),  # new
            tried(2, Rating.GOOD),  # Monday, 2 March
            tried(1, None),  # no answer that counts
        ]
    )

    weeks = {week.monday: (week.reviews, week.right) for week in found.weeks if week.reviews}
    assert weeks == {date(2026, 2, 2): (2, 1), date(2026, 3, 2): (1, 1)}
    assert [week.monday for week in found.weeks][:: len(found.weeks) - 1] == [date(2025, 12, 15), date(2026, 3, 2)]
    assert found.answers == 6


def test_after_a_flight_west_the_same_day_counts_once() -> None:
    days = (TODAY - timedelta(days=2), TODAY, TODAY - timedelta(days=1), TODAY)  # as the wall had it, hour by hour
    events = [answered(0, hour=hour) for hour in range(4)]
    events = [replace(it, stamp=replace(it.stamp, day=day)) for it, day in zip(events, days, strict=True)]
    assert sum(week.reviews for week in told(events).weeks) == 1


def test_no_more_than_five_skills_are_weakest() -> None:
    assert len(told(tried(1, Rating.AGAIN, f"B{number}") for number in range(9)).weakest) == 5


def test_an_answer_that_came_back_from_anki_counts_once() -> None:
    first = answered(9)
    again = Answered(new_stamp(first.stamp.at, "anki", RNG), first.key, first.rating)
    assert told([first, again]).answers == 1


def test_the_forecast_puts_what_is_late_on_today() -> None:
    states: dict[Key, State] = {Sibling(str(days), 0): state(days) for days in (-40, -1, 0, 1, 29, 30, 99)}
    found = told([answered(1)], states)
    assert found.forecast == (3, 1, *[0] * 27, 1)


def test_the_heatmap_ends_today_and_begins_on_a_monday() -> None:
    found = told([answered(0), answered(0, hour=1), answered(370), answered(366), answered(365, card="b")])
    assert found.first_day == date(2025, 3, 3)
    assert (found.first_day.weekday(), len(found.heatmap)) == (0, 367)
    assert (found.heatmap[0], found.heatmap[1], found.heatmap[-1]) == (1, 1, 2)
    assert sum(found.heatmap) == 4


@pytest.mark.parametrize(
    ("days", "streak", "longest"),
    [
        ([], 0, 0),
        ([0], 1, 1),
        ([1], 1, 1),  # today is not over
        ([2], 0, 1),
        ([0, 1, 2, 4, 5, 6, 7], 3, 4),
        ([1, 2, 3], 3, 3),
        ([0, 2, 3], 1, 2),
        ([-1, 0, 1], 3, 3),  # tomorrow, in another zone
    ],
)
def test_streaks(days: list[int], streak: int, longest: int) -> None:
    found = told([answered(back) for back in days])
    assert (found.streak, found.longest_streak) == (streak, longest)


def test_the_weakest_skills_by_their_latest_answers() -> None:
    events = [
        *(tried(back, Rating.AGAIN, "A1", ("full-width",)) for back in range(40, 30, -1)),
        *(tried(back, Rating.GOOD, "A1") for back in range(30, 20, -1)),  # learnt since
        *(tried(back, Rating.AGAIN if back < 12 else Rating.GOOD, "B1", ("no-out",)) for back in range(15, 9, -1)),
        tried(9, None, "B1", ("times-h",)),
        tried(8, Rating.AGAIN, "C1"),
        tried(8, Rating.GOOD, "C2"),
    ]
    assert told(events).weakest == (
        Weakness("C1", 1, 0, ()),
        Weakness("B1", 6, 4, (("no-out", 6),)),
    )


def test_leeches_are_what_is_forgotten_most() -> None:
    states: dict[Key, State] = {
        Sibling("a", 0): state(1, lapses=8, reps=20),
        Skill("B1"): state(1, lapses=12, reps=30),
        Sibling("c", 0): state(1, lapses=7),
    }
    assert told([answered(1)], states).leeches == (Leech(Skill("B1"), 12, 30), Leech(Sibling("a", 0), 8, 20))


def test_what_is_asked_first_is_what_was_wrong_then_what_fades() -> None:
    events = [tried(20, Rating.AGAIN, "B3"), *(tried(back, None, "B3") for back in range(12, 0, -1))]
    states: dict[Key, State] = {
        Sibling("a", 0): state(-9),
        Skill("B1"): state(2),
        Skill("B2"): replace(state(2), last=TODAY - timedelta(days=9)),
    }
    assert weakest_first(events, states, TODAY) == ("B3", "B2", "B1")


def test_answers_of_a_wrong_clock_are_told_and_not_counted() -> None:
    found = told([answered(0), answered(-1), answered(-2), answered(-900)])
    assert (found.answers, found.misdated, found.heatmap[-1]) == (2, 2, 1)


def test_json_holds_all_of_it() -> None:
    states: dict[Key, State] = {Sibling("a", 1): state(0, lapses=9), Skill("B1"): state(3, lapses=8)}
    found = progress_json(told([answered(9), answered(0), tried(0, Rating.AGAIN, slips=("no-out",))], states))

    assert json.loads(json.dumps(found)) == found
    weeks = found.pop("weeks")
    assert isinstance(weeks, list)
    assert weeks[-1] == {"monday": "2026-03-02", "reviews": 1, "right": 1, "retention": 1.0}
    assert weeks[0]["retention"] is None
    heatmap = found.pop("heatmap")
    assert isinstance(heatmap, dict)
    assert (heatmap["first_day"], heatmap["answers"][-1]) == ("2025-03-03", 2)
    assert found == {
        "day": "2026-03-04",
        "answers": 3,
        "forecast": [1, 0, 0, 1, *[0] * 26],
        "weakest": [{"family": "B1", "answers": 1, "right": 0, "slips": {"no-out": 1}}],
        "leeches": [
            {"card": "a", "ordinal": 1, "lapses": 9, "reps": 9},
            {"family": "B1", "lapses": 8, "reps": 9},
        ],
        "streak": 1,
        "longest_streak": 1,
        "misdated": 0,
    }


def test_the_lines_of_a_terminal() -> None:
    states: dict[Key, State] = {Sibling("a", 0): state(0, lapses=9), Skill("B1"): state(12)}
    events = [answered(8), answered(1), *(answered(0, hour=hour) for hour in range(4)), answered(-9)]
    found = told([*events, tried(0, Rating.AGAIN, slips=("no-out",))], states)
    lines = list(progress_lines(found, {Skill("B1"): "all weights"}, 80))

    assert lines[:4] == [
        "7 answers",
        "2 days in a row",
        "dated in the future by a wrong clock and not counted: 1 answer",
        "",
    ]
    assert lines[4:6] == ["Right when asked again, by week", "  2025-12-15     -"]
    assert lines[16] == f"  2026-03-02  100% of 2     {'#' * 40}"
    assert lines[17:22] == [
        "",
        "Coming due, today first",
        "  +0   1 0 0 0 0 0 0 0 0 0",
        "  +10  0 0 1 0 0 0 0 0 0 0",
        "  +20  0 0 0 0 0 0 0 0 0 0",
    ]
    assert lines[22:25] == ["", "A year of answers", "      Mar  Apr May Jun  Jul Aug Sep  Oct Nov Dec  Jan Feb"]
    assert lines[25:32] == [
        "  Mon",
        " " * 57 + "..",
        f"  Wed{' ' * 53}#",
        "",
        "  Fri",
        "",
        "  Sun",
    ]
    assert lines[32:] == [
        "",
        "Weakest skills",
        "  B1   0 of 1 right  all weights (no-out 1x)",
        "",
        "Forgotten again and again; say it in other words, or in smaller pieces",
        "    9 times  card/a/0",
    ]
    assert all(line.isascii() and len(line) <= 80 for line in lines)


def test_a_narrow_terminal_shows_the_last_weeks_and_cuts_nothing() -> None:
    many: dict[Key, State] = {Sibling(f"c{at}", 0): state(at % 30) for at in range(4000)}
    found = told([answered(8), answered(1), answered(0), answered(300)], many)
    wide, narrow = list(progress_lines(found, {}, 200)), list(progress_lines(found, {}, 40))

    assert max(map(len, narrow)) == 40
    assert f"  2026-03-02  100% of 2     {'#' * 12}" in narrow
    at = narrow.index("Coming due, today first")
    assert narrow[at + 1 : at + 4] == [
        "  +0   134 134 134 134 134",
        "  +5   134 134 134 134 134",
        "  +10  133 133 133 133 133",
    ]
    at = narrow.index("34 weeks of answers")
    assert narrow[at + 1] == "         Aug Sep  Oct Nov Dec  Jan Feb"
    year = wide[wide.index("A year of answers") + 2 :]
    assert narrow[at + 2 : at + 9] == [f"{line[:6]}{line[25:]}".rstrip() for line in year]


def test_who_never_answered_is_told_so_in_one_line() -> None:
    assert list(progress_lines(told([]), {}, 80)) == ["Nothing was answered yet."]


@pytest.mark.parametrize(
    ("cards", "skills", "line"),
    [(0, 0, ""), (1, 0, "1 card due"), (12, 1, "12 cards and 1 skill due"), (0, 3, "3 skills due")],
)
def test_due_in_a_prompt(cards: int, skills: int, line: str) -> None:
    assert due_line(Upcoming(cards, skills, new=4)) == line
