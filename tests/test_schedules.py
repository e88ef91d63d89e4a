"""The schedule comments of the Obsidian plugin, in every form it has written."""

import pytest

from cards.model import EaseSchedule, FsrsSchedule
from cards.schedules import read

FSRS = "fsrs,2031-09-06T00:10:00.000Z,12,3.1262,5.2,2,3,1,0,2031-08-25T00:10:00.000Z"
FSRS_READ = FsrsSchedule(
    due="2031-09-06",
    interval=12,
    stability=3.1262,
    difficulty=5.2,
    state=2,
    reps=3,
    lapses=1,
    learning_steps=0,
    last_review="2031-08-25T00:10:00.000Z",
)


@pytest.mark.parametrize(
    ("comment", "due", "interval", "ease"),
    [
        ("!2023-09-10,4,270", "2023-09-10", 4, 270),
        ("2021-08-11,4,270", "2021-08-11", 4, 270),
        ("!16-07-2031,4,270", "2031-07-16", 4, 270),
        ("!Sat Mar 01 2031,3,250", "2031-03-01", 3, 250),
        ("!2000-01-01,1,250", "2000-01-01", 1, 250),
        (" !2024-02-29,0,130 ", "2024-02-29", 0, 130),
    ],
)
def test_an_ease_schedule_is_read(comment: str, due: str, interval: int, ease: int) -> None:
    assert read(comment, 1) == ((EaseSchedule(due, interval, ease),), None)


def test_an_fsrs_schedule_is_read() -> None:
    assert read(f"!{FSRS}", 1) == ((FSRS_READ,), None)


def test_a_new_fsrs_card_has_neither_due_day_nor_review() -> None:
    schedules, message = read("!fsrs,-,0,0,0,0,0,0,0,-", 1)
    assert message is None
    assert schedules == (FsrsSchedule("", 0, 0.0, 0.0, 0, 0, 0, 0, ""),)


def test_small_numbers_as_javascript_writes_them() -> None:
    schedules, message = read("!fsrs,2031-09-06T00:10:00.000Z,0,1e-7,5,1,1,0,0,-", 1)
    assert message is None
    assert isinstance(schedules[0], FsrsSchedule)
    assert schedules[0].stability == 1e-7


def test_siblings_in_order_and_in_both_kinds() -> None:
    assert read(f"!2000-01-01,1,250!{FSRS}!2031-02-01,7,270", 3) == (
        (EaseSchedule("2000-01-01", 1, 250), FSRS_READ, EaseSchedule("2031-02-01", 7, 270)),
        None,
    )


def test_fewer_schedules_than_siblings_are_fine() -> None:
    assert read("!2031-02-01,7,270", 2) == ((EaseSchedule("2031-02-01", 7, 270),), None)


def test_more_schedules_than_siblings() -> None:
    assert read("!2031-02-01,7,270!2031-02-02,7,270!2031-02-03,7,270", 1) == (
        (EaseSchedule("2031-02-01", 7, 270),),
        "3 schedules for 1 card; the last ones were left out",
    )


def test_what_is_quoted_stays_in_one_line() -> None:
    long = "2\n---\n000-01-01,1,250 \x1b[31m\u202e ☺" + "x" * 40
    assert read(long, 1) == ((), "cannot read the schedule 2 --- 000-01-01,1,250 �[31m� ☺xxxxxxxxx…")


@pytest.mark.parametrize(
    "segment",
    [
        "bad,4,x",
        "2023-09-10,4",
        "2023-09-10,4,270,1",
        "2023-02-29,4,270",
        "2023-13-01,4,270",
        "31-04-2023,4,270",
        "0000-01-01,4,270",
        "Sam Mar 01 2031,3,250",
        "Sat Mrz 01 2031,3,250",
        "Sat Feb 30 2031,3,250",
        "2023-09-10,-4,270",
        "2023-09-10,4.5,270",
        "2023-09-10,٤,270",
        "2023-09-10,4," + "9" * 10,
        "x" * 40,
        "x" * 41,
        "fsrs,2031-09-06,12",
        "fsrs,06-09-2031,12,3.1,5.2,2,3,1,0,-",
        "fsrs,20310906,12,3.1,5.2,2,3,1,0,-",
        "fsrs,2031-W36-6,12,3.1,5.2,2,3,1,0,-",
        "fsrs,2031-02-30,12,3.1,5.2,2,3,1,0,-",
        "fsrs,2031-09-06T25:00:00Z,12,3.1,5.2,2,3,1,0,-",
        "fsrs,2031-09-06,12,nan,5.2,2,3,1,0,-",
        "fsrs,2031-09-06,12,3.1,-5.2,2,3,1,0,-",
        "fsrs,2031-09-06,12,3.1,5.2,4,3,1,0,-",
        "fsrs,2031-09-06,12,3.1,5.2,2,3,1,0,never",
        "fsrs,2031-09-06,12,3.1,5.2,2,3,1,0,-,0",
    ],
)
def test_a_segment_that_makes_no_sense(segment: str) -> None:
    shown = segment if len(segment) <= 40 else segment[:39] + "…"
    assert read(f"!{segment}", 1) == ((), f"cannot read the schedule {shown}")
    # the readable ones before it stay, the ones after it would belong to nobody
    assert read(f"!2031-02-01,7,270!{segment}!2031-02-01,7,270", 3) == (
        (EaseSchedule("2031-02-01", 7, 270),),
        f"cannot read the schedule {shown}",
    )


@pytest.mark.parametrize("comment", ["", "!", " ", "!!"])
def test_an_empty_comment(comment: str) -> None:
    assert read(comment, 1) == ((), "cannot read the schedule !")
