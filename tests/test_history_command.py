"""The commands on the history, as people and scripts meet them."""

import json
import sys
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import click
import pytest
from click.testing import CliRunner, Result

from cards.lock import Lock, LockedCard
from cards.lock_file import write_lock
from cards.model import Basic
from mha_quiz.events import Answered, Sibling, Skill, Tried, new_stamp
from mha_quiz.history import History
from mha_quiz.history_command import due, history, history_file, learned, stats
from mha_quiz.schedule import Plan, Rating

NOW = datetime.now().astimezone()
CARD = Sibling("a" * 16, 0)


@click.group()
def main() -> None:
    pass


for command in (due, stats, history):
    main.add_command(command)


def run(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with a history: a card that is often forgotten, and a skill."""
    folder, rng = tmp_path / "data", Random(1)
    with History.open(history_file(folder), computer="desk", rng=rng) as log:
        for back in range(20, 1, -2):
            now = NOW - timedelta(days=back)
            log.record(Answered(log.stamp(now), CARD, Rating.AGAIN))
        log.record(Tried(log.stamp(NOW), Skill("B1"), 1, 5, "786432", "wrong", ("no-out",), Rating.AGAIN))
    return folder


def test_due_is_one_short_line_or_nothing(data: Path, tmp_path: Path) -> None:
    assert run("due", "--data", data).stdout == "1 card due\n"
    assert json.loads(run("due", "--data", data, "--json").stdout) == {"cards": 1, "skills": 0, "new": 0}
    nothing = run("due", "--data", tmp_path / "none")
    assert (nothing.stdout, nothing.stderr, nothing.exit_code) == ("", "", 0)
    assert not (tmp_path / "none").exists()


def test_stats_name_the_skills_and_the_cards_of_the_notes(data: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    text = "What\ndivides the scores? " + "And why? " * 10
    card = LockedCard(CARD.card, "n.md", (), "ml", Basic(text, "the root"), None, "", 1)
    write_lock(notes / "cards.lock", Lock((card,)))

    lines = run("stats", notes, "--data", data).stdout.split("\n")

    assert lines[0] == "11 answers"
    assert "  B1   0 of 1 right  all weights, no bias (no-out 1x)" in lines
    assert "    9 times  What divides the scores? And why? And why? And why? And why?…" in lines
    assert f"    9 times  card/{CARD.card}/0" in run("stats", "--data", data).stdout.split("\n")


def test_stats_for_scripts(data: Path, tmp_path: Path) -> None:
    found = json.loads(run("stats", "--data", data, "--json").stdout)
    assert (found["answers"], found["leeches"]) == (11, [{"card": CARD.card, "ordinal": 0, "lapses": 9, "reps": 10}])
    assert run("stats", "--data", tmp_path / "none").stdout == "Nothing was answered yet.\n"


@pytest.mark.parametrize("name", ["log.db", "log.jsonl"])
def test_two_computers_exchange_their_logs(data: Path, tmp_path: Path, name: str) -> None:
    out, other = tmp_path / name, tmp_path / "other"
    assert run("history", "export", out, "--data", data).stdout == f"{out}: 11 events\n"
    assert out.read_bytes().startswith(b"{" if name == "log.jsonl" else b"SQLite format 3")

    for new in ("11 new events", "0 new events"):
        result = run("history", "import", out, "--data", other)
        assert (result.stdout, result.exit_code) == (f"{out}: {new}\n", 0)
    assert run("stats", "--data", other, "--json").stdout == run("stats", "--data", data, "--json").stdout


def test_what_was_learned_goes_into_a_deck(data: Path, tmp_path: Path) -> None:
    ((key, found),) = learned(data).items()
    assert key == (CARD.card, 0)
    assert (found.reps, found.lapses, len(found.reviews)) == (10, 9, 10)
    assert learned(tmp_path / "none") == {}


def test_a_bad_file_is_told_and_the_others_are_taken(data: Path, tmp_path: Path) -> None:
    good, bad, package = tmp_path / "good.jsonl", tmp_path / "bad.jsonl", tmp_path / "bad.apkg"
    run("history", "export", good, "--data", data)
    bad.write_text("{}\n")
    package.write_bytes(b"PK\5\6" + bytes(18))

    result = run("history", "import", bad, package, good, "--data", tmp_path / "other")

    assert result.stderr == (
        f'{bad}:1:1: "id" is missing\n{package}:1:1: this is no Anki package that can be read: it holds no collection\n'
    )
    assert (result.stdout, result.exit_code) == (f"{good}: 11 new events\n", 1)


def test_an_event_that_was_changed_by_hand_stops_the_import(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "log.jsonl"
    run("history", "export", out, "--data", data)
    out.write_text(out.read_text().replace('"rating": 1', '"rating": 4'))

    result = run("history", "import", out, "--data", data)

    first = json.loads(out.read_text().split("\n")[0])["id"]
    assert result.stderr == (
        f"Error: {out}: event {first} differs from the one in the history; one of them was changed or damaged\n"
    )
    assert result.exit_code == 1


def test_a_history_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "history.db").write_text("hello " * 200)
    for arguments in (("due",), ("stats",), ("history", "retention", "0.8"), ("history", "fit")):
        result = run(*arguments, "--data", tmp_path)
        assert result.exit_code == 1
        assert result.stderr.startswith(f"Error: {tmp_path / 'history.db'} is damaged (file is not a database)")


def test_the_wanted_retention_is_kept_in_the_history(data: Path, tmp_path: Path) -> None:
    assert run("history", "retention", "--data", data).stdout == "0.9\n"
    assert run("history", "retention", "0.85", "--data", data).stdout == "0.85\n"
    assert run("history", "retention", "--data", data).stdout == "0.85\n"
    assert run("history", "retention", "0.5", "--data", data).exit_code == 2
    run("history", "export", tmp_path / "log.db", "--data", data)
    run("history", "import", tmp_path / "log.db", "--data", tmp_path / "other")
    assert run("history", "retention", "--data", tmp_path / "other").stdout == "0.85\n"


def test_fitting_needs_answers_and_keeps_the_wanted_retention(data: Path) -> None:
    few = run("history", "fit", "--data", data)
    assert (few.stderr, few.exit_code) == (
        "Error: only 9 answers to things that were asked before; 100 are needed to learn from\n",
        1,
    )
    run("history", "retention", "0.85", "--data", data)
    rng = Random(2)
    with History.open(history_file(data), computer="desk", rng=rng) as log:
        events = [
            Answered(
                new_stamp(NOW - timedelta(days=400 - 20 * step), "desk", rng), Sibling(f"c{number}", 0), Rating.GOOD
            )
            for number in range(20)
            for step in range(12)
        ]
        log.merge(events, NOW.date())

    assert run("history", "fit", "--data", data).stdout.startswith("229 answers: log loss 0.")
    assert run("history", "fit", "--data", data).stdout == "229 answers: the schedule in use predicts them best\n"

    with History.open(history_file(data), computer="desk", rng=rng) as log:
        assert log.plan().desired_retention == 0.85
        assert len(log.plan().parameters) == 21
        assert log.plan() != Plan(0.85)


def test_an_export_without_a_history_replaces_an_older_one(tmp_path: Path) -> None:
    out = tmp_path / "log.jsonl"
    out.write_text("old\n", "utf-8")
    assert run("history", "export", out, "--data", tmp_path / "none").stdout == f"{out}: 0 events\n"
    assert out.read_text("utf-8") == ""


def test_fit_without_the_package_says_which_one(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsrs_rs_python", None)

    result = run("history", "fit", "--data", data)

    assert result.stderr == "Error: this needs one package more: pip install fsrs-rs-python\n"
    assert result.exit_code == 1
