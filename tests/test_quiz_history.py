"""What a quiz leaves in the history, and what it takes from there."""

import json
import os
import re
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random

import pexpect
import pytest
from click.testing import CliRunner, Result

from mha_quiz.choice import quiz as chosen
from mha_quiz.cli import main
from mha_quiz.events import Skill, Tried
from mha_quiz.families import FAMILIES
from mha_quiz.history import History
from mha_quiz.progress import weakest_first
from mha_quiz.question import draw
from mha_quiz.schedule import Rating

COMMAND = Path(sys.executable).with_name("mha-quiz")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def quiz(data: Path, *options: str, typed: str = "") -> Result:
    result = CliRunner().invoke(main, ["quiz", "--data", str(data), *options], input=typed)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def kept(data: Path) -> list[Tried]:
    with History.open(data / "history.db", computer="here", rng=Random(1), write=False) as history:
        return [event for event in history.events() if isinstance(event, Tried)]


def test_every_answer_is_kept_with_its_slip_and_what_draws_it_again(tmp_path: Path) -> None:
    (b1,) = [family for family in FAMILIES if family.id == "B1"]
    *_, third, _ = [one.question.answer for one in chosen([b1], Random(2), 4)]
    assert isinstance(third, int)
    rounded = f"{third / 1000:.3g}K"
    typed = f"3d^2\n1,04\n4*d^2\n{rounded}\nshow\n4 d^2\n"
    done = quiz(tmp_path, "--family", "B1", "-n", "4", "--seed", "2", typed=typed)

    assert done.exit_code == 0
    events = kept(tmp_path)
    assert [(event.text, event.verdict, event.slips, event.rating) for event in events] == [
        ("3d^2", "wrong", ("no-out",), Rating.AGAIN),
        ("4*d^2", "right", (), Rating.GOOD),
        (rounded, "too-coarse", (), None),
        ("", "skipped", (), Rating.AGAIN),
        ("4 d^2", "right", (), Rating.GOOD),
    ]
    for event in events:
        assert draw(b1, event.seed).prompt.en.split(" How many")[0] in " ".join(done.stdout.split())


def test_a_question_with_the_numbers_of_a_note_can_be_drawn_again(tmp_path: Path) -> None:
    note = tmp_path / "layer.md"
    note.write_text("A layer: $d_{model} = 48$, $h = 3$.\n", encoding="utf-8")
    quiz(tmp_path, str(note), "--family", "B1", "-n", "1", typed="9216\n")

    (event,) = kept(tmp_path)
    assert event.verdict == "right"
    drawn = CliRunner().invoke(main, ["question", "draw", "B1", "--seed", str(event.seed), "--json"])
    assert json.loads(drawn.stdout)["parameters"] == {"d": 48, "h": 3}


def test_stats_know_what_a_quiz_and_an_exam_showed(tmp_path: Path) -> None:
    quiz(tmp_path, "--family", "B1", "-n", "2", typed="3d^2\nshow\n")
    quiz(tmp_path, "--exam", "1", "--family", "E4", typed="1\n")

    told = CliRunner().invoke(main, ["stats", "--data", str(tmp_path), "--json"])
    assert json.loads(told.stdout)["weakest"] == [
        {"family": "B1", "answers": 2, "right": 0, "slips": {"no-out": 1}},
        {"family": "E4", "answers": 1, "right": 0, "slips": {"one": 1}},
    ]


def test_the_first_answer_of_the_day_schedules_the_skill(tmp_path: Path) -> None:
    quiz(tmp_path, "--family", "B1", "-n", "2", typed="4d^2\n3d^2\n")

    with History.open(tmp_path / "history.db", computer="here", rng=Random(1)) as history:
        state = history.states(date.today())[Skill("B1")]
    assert (state.reps, state.lapses, (state.due - state.last).days) == (1, 0, 2)


def tried(history: History, family: str, rating: Rating, day: int) -> Tried:
    verdict = "wrong" if rating is Rating.AGAIN else "right"
    return Tried(history.stamp(NOON + timedelta(days=day)), Skill(family), 1, 1, "7", verdict, (), rating)


def test_the_weakest_are_those_with_mistakes_then_those_fading(tmp_path: Path) -> None:
    with History.open(tmp_path / "history.db", computer="here", rng=Random(1)) as history:
        history.record(tried(history, "B1", Rating.GOOD, 0))
        history.record(tried(history, "C3", Rating.GOOD, 3))
        history.record(tried(history, "E1", Rating.AGAIN, 0))
        history.record(tried(history, "E1", Rating.GOOD, 1))
        history.record(tried(history, "A1", Rating.AGAIN, 3))
        today = NOON.date() + timedelta(days=4)
        assert weakest_first(history.events(), history.states(today), today) == ("A1", "E1", "B1", "C3")


def test_a_quiz_of_the_weakest_begins_with_them(tmp_path: Path) -> None:
    quiz(tmp_path, "--family", "E1", "-n", "1", typed="9\n")
    quiz(tmp_path, "--family", "C3", "--family", "B1", "-n", "2", "--seed", "1", typed="0\n0\n")

    asked = quiz(tmp_path, "--weakest", "-n", "4", typed="show\n" * 4).stdout
    assert set(re.findall(r"^[123]/4 · (\w+)", asked, re.MULTILINE)) == {"E1", "C3", "B1"}
    assert "What your history shows as weakest comes first." in asked
    hinglish = quiz(tmp_path, "--weakest", "-n", "1", "--lang", "hinglish").stdout
    assert "Aapki history mein jo sabse kamzor hai, woh pehle aayega." in " ".join(hinglish.split())


@pytest.mark.parametrize(
    ("language", "told"), [("en", "Answers are not recorded: "), ("hinglish", "Jawab record nahi ho rahe: ")]
)
def test_a_quiz_goes_on_without_a_history(tmp_path: Path, language: str, told: str) -> None:
    (tmp_path / "data").write_text("in the way", encoding="utf-8")
    done = CliRunner().invoke(
        main,
        [
            "quiz",
            "--weakest",
            "--data",
            str(tmp_path / "data" / "deep"),
            "-n",
            "2",
            "--family",
            "B1",
            "--lang",
            language,
        ],
        input="4d^2\n4d^2\n",
    )

    text = " ".join(done.stdout.split())
    assert done.exit_code == 0
    assert text.count(told) == 1
    assert "cannot be used for the history: Not a directory" in text
    assert ("2 right at once" if language == "en" else "2 pehli baar mein sahi") in text


def test_what_is_answered_is_on_the_disk_before_the_next_question(tmp_path: Path) -> None:
    environ = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "xterm", "NO_COLOR": "1"}
    options = ["quiz", "--data", str(tmp_path), "--family", "B1", "-n", "3"]
    child = pexpect.spawn(str(COMMAND), options, env=environ, timeout=30, encoding="utf-8")
    child.delaybeforesend = None
    child.expect("> ")
    child.sendline("3d^2")
    child.expect("2/3")
    child.kill(9)
    child.close()
    assert [event.slips for event in kept(tmp_path)] == [("no-out",)]


def test_a_history_that_breaks_in_between_is_told_once_and_the_quiz_goes_on(tmp_path: Path) -> None:
    environ = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "xterm", "NO_COLOR": "1"}
    options = ["quiz", "--data", str(tmp_path), "--family", "B1", "-n", "3"]
    child = pexpect.spawn(str(COMMAND), options, env=environ, timeout=30, encoding="utf-8", dimensions=(40, 200))
    child.delaybeforesend = None
    child.expect("> ")
    (tmp_path / "history.db").write_bytes(b"x" * 8192)
    child.sendline("3d^2")
    child.expect("Answers are not recorded: .* is damaged")
    child.expect("2/3")
    child.expect("> ")
    child.sendline("4d^2")
    child.expect("3/3")
    assert "not recorded" not in child.before
    child.sendeof()
    child.expect("2 questions: 1 right at once, 1 wrong.")
    child.expect(pexpect.EOF)


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "B1/no-out, 2×, 3× in all: W_O was left out\n"),
        ("hinglish", "B1/no-out, 2×, ab tak 3×: W_O chhoot gaya\n"),
    ],
)
def test_the_end_tells_how_often_a_slip_was_met_in_all(tmp_path: Path, language: str, told: str) -> None:
    first = quiz(tmp_path, "--family", "B1", "-n", "1", "--lang", language, typed="3d^2\n").stdout
    again = quiz(tmp_path, "--family", "B1", "-n", "2", "--lang", language, typed="3d^2\n3d^2\n").stdout

    assert first.endswith(f"  {told.replace(', 2×, 3× in all', '').replace(', 2×, ab tak 3×', '')}")
    assert again.endswith(f"  {told}")
