"""The command line as people and scripts meet it: whole output, exit status, and what a command loads."""

import json
import os
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mha_quiz.cli import main

NOTE = "#flashcards/bio\n\nWhat is a cell? :: The unit of life.\n\nheart ::: Herz\n"
PROGRAM = (sys.executable, "-m", "mha_quiz")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "cell.md").write_text(NOTE, encoding="utf-8")
    return tmp_path


def run(*arguments: str, typed: str | None = None) -> Result:
    result = CliRunner().invoke(main, arguments, input=typed)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_cards_as_text(folder: Path) -> None:
    result = run("cards", "cell.md")

    assert result.stdout == (
        "cell.md:3:1  bio\n  What is a cell?\n  → The unit of life.\n\ncell.md:5:1  bio\n  heart\n  → Herz\n\n2 cards\n"
    )
    assert (result.stderr, result.exit_code) == ("", 0)


def test_cards_as_json(folder: Path) -> None:
    printed = json.loads(run("cards", "cell.md", "--json").stdout)

    assert printed["problems"] == []
    first, second = printed["cards"]
    assert {key: value for key, value in first.items() if key != "id"} == {
        "kind": "basic",
        "origin": "flashcard",
        "front": "What is a cell?",
        "back": "The unit of life.",
        "deck": "bio",
        "tags": [],
        "language": "en",
        "heading": [],
        "path": "cell.md",
        "line": 3,
        "column": 1,
        "schedule": [],
    }
    assert second["kind"] == "reversed"
    assert first["id"] != second["id"]


def test_ids_are_those_of_the_deck_also_after_an_edit(folder: Path) -> None:
    run("deck", "cell.md", "-o", "bio.apkg")
    before = [card["id"] for card in json.loads(run("cards", "cell.md", "--json").stdout)["cards"]]
    (folder / "cell.md").write_text(NOTE.replace("What is a cell?", "What is a living cell?"), encoding="utf-8")

    after = [card["id"] for card in json.loads(run("cards", "cell.md", "--json").stdout)["cards"]]
    report = json.loads(run("deck", "cell.md", "-o", "bio.apkg", "--json").stdout)

    assert after == before
    assert report == {
        "deck_file": "bio.apkg",
        "notes": 2,
        "cards": 3,
        "numbers": 0,
        "unchanged": [before[1]],
        "edited": [before[0]],
        "moved": [],
        "new": [],
        "removed": [],
    }


def test_problems_go_to_stderr_and_end_with_1(folder: Path) -> None:
    (folder / "cell.md").write_text(NOTE + "\nA membrane ::\n", encoding="utf-8")

    for command in (["check", "cell.md"], ["cards", "cell.md"], ["deck", "cell.md", "-o", "bio.apkg"]):
        result = run(*command)
        assert result.stderr == 'cell.md:7:12: nothing stands after "::"\n'
        assert result.exit_code == 1
    assert (folder / "bio.apkg").exists()
    assert json.loads(run("check", "cell.md", "--json").stdout)["problems"] == [
        {"path": "cell.md", "line": 7, "column": 12, "code": "no-back", "message": 'nothing stands after "::"'}
    ]


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["cards", "gone.md"], 2, "Error: Invalid value for '[NOTES]...': Path 'gone.md' does not exist."),
        (["deck", "cell.md", "-o", "cell.md"], 2, "cell.md does not end in .apkg"),
        (["deck", "cell.md", "-o", "gone/bio.apkg"], 2, "Invalid value for '-o' / '--output': there is no folder gone"),
        (["preview", "cell.md", "-o", "gone/bio.html"], 2, "there is no folder gone"),
        (["history", "export", "gone/x.jsonl"], 2, "Error: Invalid value for 'OUTPUT': there is no folder gone"),
        (["cards", "empty"], 1, "Error: no notes here; notes are files that end in .md, .markdown or .txt"),
        (["question", "draw", "Z9", "--seed", "1"], 2, "Error: there is no family Z9;"),
        (["question", "read", "1", "--name", "d"], 2, "Error: --name wants NAME=NUMBER such as d=512, not d"),
        (["question", "read", "1", "--name", "d=" + "9" * 5000], 2, "Error: --name wants NAME=NUMBER such as d=512"),
        (["quiz", "--family", "Z9"], 2, "Error: there is no family Z9;"),
        (["quiz", "gone.md"], 2, "Error: Invalid value for '[NOTES]...': Path 'gone.md' does not exist."),
        (["quiz", "empty"], 1, "Error: no notes here; notes are files that end in .md, .markdown or .txt"),
        (["quiz", "bytes.txt"], 1, "bytes.txt:1:3: not UTF-8: byte 0xFF"),
        (["quiz", "--exam", "3", "-n", "3"], 2, "Error: --exam says how many questions, so -n is not needed"),
        (["quiz", "--family", "D2", "--difficulty", "easy"], 2, "Error: no question of these families is easy"),
        (["deck", "cell.md", "--watch", "--plan"], 2, "Error: --watch goes with neither --plan nor --json"),
        (["deck", "cell.md", "--watch", "--json"], 2, "Error: --watch goes with neither --plan nor --json"),
        (["tidy", "bytes.txt"], 1, "bytes.txt:1:3: not UTF-8: byte 0xFF"),
    ],
)
def test_wrong_use_is_told_in_words(folder: Path, arguments: list[str], status: int, message: str) -> None:
    (folder / "empty").mkdir()
    (folder / "bytes.txt").write_bytes(b"ab\xff")

    result = run(*arguments)

    assert message in result.stderr
    assert result.exit_code == status
    assert (folder / "cell.md").read_text(encoding="utf-8") == NOTE


@pytest.mark.parametrize("command", ["deck notes/bio -o part.apkg", "deck notes/bio/cell.md -o part.apkg"])
def test_a_part_of_the_notes_keeps_the_ids_of_the_whole(folder: Path, command: str) -> None:
    note = folder / "notes" / "bio" / "cell.md"
    note.parent.mkdir(parents=True)
    note.write_text(NOTE, encoding="utf-8")
    run("deck", "notes", "-o", "whole.apkg")
    note.write_text(NOTE.replace("What is a cell?", "What is a living cell?"), encoding="utf-8")
    whole = json.loads(run("deck", "notes", "-o", "whole.apkg", "--json").stdout)

    part = json.loads(run(*command.split(), "--json").stdout)

    assert len(whole["edited"]) == 1
    assert {*part["edited"]} == {*whole["edited"], *whole["unchanged"]}  # in Anki they show another path
    assert part["new"] == []


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be deleted there")
@pytest.mark.parametrize("command", ["deck", "preview"])
def test_a_folder_that_was_deleted_is_told(folder: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "gone").mkdir()
    monkeypatch.chdir(folder / "gone")
    (folder / "gone").rmdir()

    result = run(command)

    assert "Error: Invalid value for '-o' / '--output': there is no folder ." in result.stderr
    assert result.exit_code == 2


def test_a_deck_with_history_holds_the_answers_of_a_review(folder: Path) -> None:
    run("review", "cell.md", "--no-numbers", typed=" \n3\nq\n")

    reviews = []
    for options in ([], ["--with-history"]):
        run("deck", "cell.md", "-o", "bio.apkg", *options)
        connection = sqlite3.connect(":memory:")
        connection.deserialize(zipfile.ZipFile(folder / "bio.apkg").read("collection.anki2"))
        reviews.append(connection.execute("SELECT ease FROM revlog").fetchall())
        connection.close()

    assert reviews == [[], [(3,)]]


@pytest.mark.parametrize("language", ["en", "hinglish", "both"])
def test_a_deck_tells_of_its_numbers(folder: Path, language: str) -> None:
    told = run("deck", "cell.md", "-o", "bio.apkg", "--lang", language, "--plan", "--numbers").stdout.split("\n")
    without = run("deck", "cell.md", "-o", "bio.apkg", "--lang", language, "--plan").stdout

    assert told[0].endswith(f" in Anki, and 74 numbers in {'' if language == 'hinglish' else 'bio::'}Numbers")
    assert "numbers: 74 new" in told
    assert "umber" not in without


@pytest.mark.parametrize(
    ("note", "options", "number"),
    [
        ("Why several heads? :: Multi-head attention sees more.", (), 74),
        ("$d_{\\text{model}} / h$ kya hai? :: Ek head ki width.", (), 74),
        ("# Self-attention\n\nWho asks? :: The query.", (), 74),
        ("Why several heads? :: Multi-head attention sees more.", ("--no-numbers",), 0),
        ("Pay attention to the model of the heart. :: Yes.", (), 0),
        ("Pay attention to the model of the heart. :: Yes.", ("--numbers",), 74),
    ],
)
def test_numbers_come_with_notes_on_their_subject(
    folder: Path, note: str, options: tuple[str, ...], number: int
) -> None:
    (folder / "note.md").write_text(f"#flashcards/n\n\n{note}\n", encoding="utf-8")

    assert json.loads(run("deck", "note.md", "-o", "n.apkg", "--json", *options).stdout)["numbers"] == number


def test_numbers_that_a_deck_had_stay_in_it(folder: Path) -> None:
    run("deck", "cell.md", "-o", "bio.apkg", "--numbers")

    assert json.loads(run("deck", "cell.md", "-o", "bio.apkg", "--json").stdout)["numbers"] == 74


def test_a_preview_shows_the_numbers(folder: Path) -> None:
    assert (
        run("preview", "cell.md", "-o", "bio.html", "--numbers").stdout
        == "bio.html: 3 cards, and 74 numbers in bio::Numbers\n"
    )
    assert (folder / "bio.html").read_text(encoding="utf-8").count("<span>answer to type</span>") == 74
    assert run("preview", "cell.md", "-o", "bio.html").stdout == "bio.html: 3 cards\n"


def test_a_lock_with_a_conflict_stops_the_build(folder: Path) -> None:
    run("deck", "cell.md", "-o", "bio.apkg")
    built = (folder / "bio.apkg").read_bytes()
    lock = folder / "cards.lock"
    lock.write_text(lock.read_text(encoding="utf-8") + "<<<<<<< HEAD\n", encoding="utf-8")

    result = run("deck", "cell.md", "-o", "bio.apkg")

    assert result.stderr.endswith("cards.lock:5:1: git left a conflict here; keep the lines of both sides\n")
    assert result.exit_code == 1
    assert (folder / "bio.apkg").read_bytes() == built


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such limit")
@pytest.mark.parametrize("command", ["preview cell.md -o cell.html", "deck cell.md -o cell.apkg"])
def test_a_file_that_became_too_long_is_told(folder: Path, command: str) -> None:
    import resource

    done = subprocess.run(
        [*PROGRAM, *command.split()],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr == f"Error: {command.split()[-1]} was not written: File too large\n"
    assert not Path(command.split()[-1]).exists()


@pytest.mark.skipif(sys.platform != "linux", reason="only there is such a file")
def test_a_file_that_cannot_be_read_to_its_end_is_told(folder: Path) -> None:
    done = run("cards", "/proc/self/mem")
    assert (done.stderr, done.exit_code) == ("Error: /proc/self/mem: Input/output error\n", 1)


def test_a_question_is_drawn_and_graded_alike(folder: Path) -> None:
    drawn = json.loads(run("question", "draw", "B1", "--seed", "7", "--json").stdout)

    right = run("question", "grade", "B1", "--seed", "7", str(drawn["answer"]), "--json")
    slip = run("question", "grade", "b1", "--seed", "7", str(drawn["slips"][0]["value"]), "--json")

    assert json.loads(right.stdout)["verdict"] == "right"
    assert json.loads(slip.stdout)["slips"] == [drawn["slips"][0]["id"]]
    assert drawn["verified_by"] == "core"


def test_an_answer_may_begin_with_a_minus_sign(folder: Path) -> None:
    assert json.loads(run("question", "read", "-2^2", "--json").stdout)["value"] == "-4"


def test_the_same_seed_asks_the_same_quiz(folder: Path) -> None:
    first = run("quiz", "--seed", "3", "-n", "4", typed="1\n2\n3\n4\n")
    second = run("quiz", "--seed", "3", "-n", "4", typed="1\n2\n3\n4\n")
    other = run("quiz", "--seed", "4", "-n", "4", typed="1\n2\n3\n4\n")

    assert first.stdout == second.stdout != other.stdout
    assert first.exit_code == 0


def test_one_command_verifies_every_family(folder: Path) -> None:
    result = run("question", "verify", "--variants", "1")

    assert result.stdout.startswith("families 74, variants 74, disagreements 0, collisions handled ")
    assert result.exit_code == 0


@pytest.mark.parametrize(
    "command",
    [
        "cards cell.md",
        "quiz -n 1",
        "review cell.md --data data",
        "due --json --data due",
        "stats --data due",
        "stats --json --data due",
        "--version",
        "deck --help",
    ],
)
def test_a_full_disk_is_told(folder: Path, command: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*PROGRAM, *command.split()],
            input="\n",
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert done.stderr.startswith("Error: the output was not written: No space left on device\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
@pytest.mark.parametrize("command", ["cards cell.md", "cards cell.md --json", "quiz -n 1", "stats"])
def test_a_reader_that_has_gone_ends_the_command_quietly(folder: Path, command: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*PROGRAM, *command.split()],
        stdin=subprocess.DEVNULL,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)

    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("command", ["cards cell.md", "quiz -n 1", "review cell.md --data data", "stats --data data"])
def test_streams_that_are_closed_do_no_harm(folder: Path, command: str) -> None:
    script = "import os, sys; os.close(0); os.close(1); os.execv(sys.executable, sys.argv[1:])"
    run = [sys.executable, "-c", script, *PROGRAM, *command.split()]
    done = subprocess.run(run, stderr=subprocess.PIPE, text=True, check=False)

    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes there")
@pytest.mark.parametrize("command", ["cards", "check", "deck", "preview", "review", "quiz"])
def test_a_note_whose_name_is_not_utf8_is_told(folder: Path, command: str) -> None:
    Path(os.fsdecode(b"caf\xe9.md")).write_text(NOTE, encoding="utf-8")

    result = run(command, ".", typed="q\n")

    told = "caf\\udce9.md:1:1: the name is not UTF-8, and cards.lock could not hold it; rename the file or its folder\n"
    if command in ("review", "quiz"):
        assert result.exit_code == 0
    else:
        assert (result.stderr, result.exit_code) == (told, 1)
        assert (folder / "cell.md").read_text(encoding="utf-8") == NOTE


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes there")
def test_json_stays_json_where_the_output_cannot_carry_a_name(folder: Path) -> None:
    name = os.fsdecode("“ca”".encode() + b"\xe9.apkg")

    printed = json.loads(run("deck", "cell.md", "-o", name, "--json").stdout)

    assert printed["deck_file"] == name


def test_ctrl_c_while_the_program_is_loaded_ends_it_quietly(folder: Path) -> None:
    (folder / "click.py").write_text("raise KeyboardInterrupt\n", encoding="utf-8")
    done = subprocess.run([*PROGRAM, "cards"], capture_output=True, text=True, check=False)

    assert (done.stdout, done.stderr, done.returncode) == ("", "", 130)


def test_an_ascii_stream_gets_ascii(folder: Path) -> None:
    (folder / "cell.md").write_text("#flashcards\n\n√x ≤ y? :: Zähler\n\nq ::\n", encoding="utf-8")
    done = subprocess.run(
        [*PROGRAM, "cards", "cell.md"],
        capture_output=True,
        check=False,
        cwd=folder,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )

    assert done.stdout == b"cell.md:3:1  Flashcards\n  sqrt(x) <= y?\n  -> Zahler\n\n1 card\n"
    assert done.stderr == b'cell.md:5:3: nothing stands after "::"\n'


_SLOW = {"fsrs", "rich", "dataclasses", "cards.model", "mha_quiz.question"}
"""What a shell prompt with `due` in it, and who only looks for help, should not wait for."""


@pytest.mark.parametrize(
    ("command", "unwanted"),
    [
        ("--help", {"numpy", "genanki", "markdown_it", "yaml", "nh3", "rapidfuzz", "filelock", "sqlite3"} | _SLOW),
        ("due", {"numpy", "genanki", "markdown_it", "yaml", "nh3", "rapidfuzz", "filelock"} | _SLOW),
        ("cards cell.md", {"numpy", "genanki", "nh3"}),
        ("deck cell.md -o bio.apkg", {"numpy"}),
        ("question read 64", {"genanki", "markdown_it", "yaml", "nh3", "rapidfuzz"}),
        (
            "quiz --data history -n 1",
            {"genanki", "markdown_it", "yaml", "nh3", "rapidfuzz", "rich", "fsrs", "mha_quiz.claims"},
        ),
        ("question draw B1 --seed 1", {"genanki", "markdown_it", "yaml", "nh3", "rapidfuzz"}),
    ],
)
def test_a_command_loads_only_what_it_needs(folder: Path, command: str, unwanted: set[str]) -> None:
    script = "import sys\ntry:\n    from mha_quiz.cli import main; main()\nfinally:\n    print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script, *command.split()], check=True, capture_output=True, text=True, cwd=folder
    )

    assert set(done.stdout.split("\n")[-2].split()) & unwanted == set()


def test_that_nothing_was_derived_for_want_of_a_tag_is_told(folder: Path) -> None:
    text = "# Tides\n\nWhy do tides turn? The earth turns under the moon.\n"
    (folder / "untagged.md").write_text(text, encoding="utf-8")
    told = "nothing was derived, since no note has a deck tag; add a tag such as #flashcards, or use --all\n"
    assert run("cards", "--derived", "untagged.md").stdout == f"0 cards\n{told}"
    assert told not in run("cards", "--derived", "--all", "untagged.md").stdout
    assert run("cards", "untagged.md").stdout == "0 cards\n"


def test_derived_cards_left_out_are_counted(folder: Path) -> None:
    """One says what the author asks, one states a wrong number; neither is told where they are not asked for."""
    (folder / "tides.md").write_text(
        "---\nderived: true\n---\n#flashcards/sea\n\n# Tides\n\nWhy do tides turn at the coast? The earth turns under the "
        "moon and carries every harbour with it.\n\nWhy is a head narrow? Its width is $512/8 = 60$.\n\n"
        "Why do tides turn? :: The earth turns under the moon and carries every harbour with it.\n",
        encoding="utf-8",
    )
    told = (
        "1 derived card left out: what an author marked says the same\n"
        "1 derived card left out: a number there does not compute\n"
    )
    assert run("cards", "tides.md").stdout.endswith(f"\n1 card\n{told}")
    assert f" new, 0 removed\n{told}" in run("deck", "tides.md", "-o", "sea.apkg").stdout
    for more in (["--only", "flashcards"], ["--no-derived"]):
        assert run("cards", "tides.md", *more).stdout.endswith("\n1 card\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
@pytest.mark.parametrize("command", ["cards", "check", "deck", "preview", "quiz", "review"])
def test_a_pipe_in_the_place_of_a_note_is_not_waited_for(folder: Path, command: str) -> None:
    os.mkfifo(folder / "pipe.md")
    told = subprocess.run([*PROGRAM, command, "pipe.md"], capture_output=True, text=True, timeout=60, check=False)
    assert (told.returncode, told.stderr) == (1, "Error: pipe.md: is no file but a pipe or a device\n")
