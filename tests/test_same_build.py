"""A build that changed nothing is told again without building, and only while all is as it was."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from mha_quiz.cli import main

NOW = 1_795_974_700
NOTES = {
    "a.md": "#flashcards/ml\n\nWhat is $d_k$? :: the width of one head\n\n==eight== heads\n",
    "b.md": "---\nlang: en\n---\n#flashcards\n\nWhat divides the score? :: $\\sqrt{d_k}$ divides it\n",
    "b.hinglish.md": "---\nlang: hinglish\ntwin: b.md\n---\n#flashcards\n\nScore ko kaun divide karta hai? :: $\\sqrt{d_k}$\n",
    "more/c.md": "#flashcards/ml\n\nno answer ::\n\nToken :: a piece of text\n",
    "none.md": "What is a query? :: what a token looks for\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(time, "time", lambda: NOW)
    for name, text in NOTES.items():
        path = tmp_path / "here" / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def told(*options: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["deck", *(options or ("notes",)), "-o", "n.apkg"])
    return result.exit_code, result.stdout, result.stderr.replace(str(Path.cwd()), "")


def package() -> tuple[int, int]:
    """Another one as soon as the package was written again."""
    status = Path("n.apkg").stat()
    return status.st_ino, status.st_mtime_ns


def test_what_changed_nothing_is_told_again_without_building() -> None:
    first, second = told(), told()
    before = package()
    assert told() == second
    assert package() == before
    assert first[1].endswith("0 unchanged, 0 edited, 0 moved, 4 new, 0 removed\n")
    assert second[1].endswith("4 unchanged, 0 edited, 0 moved, 0 new, 0 removed\n")
    assert second[0] == 1
    assert "more/c.md:3:11: nothing stands after" in second[2]


def test_what_is_told_again_names_the_deck_file_as_it_is_asked_for_now() -> None:
    told()
    told()
    again = CliRunner().invoke(main, ["deck", "notes", "-o", str(Path.cwd() / "n.apkg")])
    assert again.stdout.startswith(f"{Path.cwd() / 'n.apkg'}: 4 notes")


def write(name: str, text: str) -> Callable[[], None]:
    def change() -> None:
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, "utf-8")

    return change


def edit(name: str, old: str, new: str) -> Callable[[], None]:
    def change() -> None:
        path = Path(name)
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")

    return change


def merged() -> None:
    """As git leaves a lock that was edited on two sides."""
    lock = Path("notes/cards.lock")
    lines = lock.read_text("utf-8").split("\n")
    later = lines[1].replace(f'"changed": {NOW}', f'"changed": {NOW + 9}, "retired": true')
    lock.write_text("\n".join([*lines[:2], later, *lines[2:]]), "utf-8")


CHANGES: dict[str, Callable[[], object]] = {
    "a note edited": edit("notes/a.md", "width", "size"),
    "a note with other bytes of the same length": edit("notes/a.md", "one head", "all head"),
    "a note added": write("notes/d.md", "#flashcards\n\nNew :: card\n"),
    "a note renamed": lambda: Path("notes/a.md").rename("notes/z.md"),
    "a note gone": lambda: Path("notes/a.md").unlink(),
    "settings": write("notes/mha-quiz.toml", "[cards]\nderived = true\ninline = ';;'\n"),
    "settings above": write("mha-quiz.toml", "[cards]\nnonsense = 1\n"),
    "settings of the plugin": write("notes/.obsidian/app.json", "{}"),
    "the lock edited": edit("notes/cards.lock", '"deck": "ml"', '"deck": "other"'),
    "the lock merged": merged,
    "the lock damaged": edit("notes/cards.lock", "end of", "end"),
    "the lock gone": lambda: Path("notes/cards.lock").unlink(),
    "the package gone": lambda: Path("n.apkg").unlink(),
    "the package cut off": lambda: os.truncate("n.apkg", 1000),
}


def cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> tuple[tuple[int, str, str], bytes]:
    """What a build tells and writes that remembers nothing, from a copy of all files."""
    shutil.copytree(tmp_path / "here", tmp_path / "copy", symlinks=True)
    with monkeypatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path / "no cache"))
        patch.chdir(tmp_path / "copy")
        return told(*options), Path("n.apkg").read_bytes()


@pytest.mark.parametrize("name", CHANGES)
def test_what_changed_is_seen(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        told()
    CHANGES[name]()
    expected = cold(tmp_path, monkeypatch)
    assert (told(), Path("n.apkg").read_bytes()) == expected


OPTIONS = ("--lang=en", "--lang=hinglish", "--all", "--derived", "--numbers", "--json", "--plan", "--with-history")


@pytest.mark.parametrize("option", OPTIONS)
def test_other_options_are_another_build(option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        told()
    expected = cold(tmp_path, monkeypatch, "notes", option)
    assert (told("notes", option), Path("n.apkg").read_bytes()) == expected


def test_answers_of_the_learner_are_looked_for() -> None:
    for _ in range(2):
        told()
    before = package()
    told("notes", "--with-history")
    assert package() != before


def test_a_place_is_told_as_the_notes_are_named() -> None:
    for _ in range(2):
        assert told()[2].startswith("notes/more/c.md:3:11:")
    assert told("../here/notes")[2].startswith("../here/notes/more/c.md:3:11:")


def test_a_lock_and_a_package_from_before_an_edit_are_brought_up_to_date() -> None:
    told()
    before = {name: Path(name).read_bytes() for name in ("n.apkg", "notes/cards.lock")}
    Path("notes/a.md").write_text(NOTES["a.md"].replace("width", "size"), "utf-8")
    built = told(), Path("n.apkg").read_bytes()
    for name, content in before.items():
        Path(name).write_bytes(content)
    assert (told(), Path("n.apkg").read_bytes()) == built


def test_a_link_to_another_note_is_seen() -> None:
    Path("notes/a.md").rename("other.md")
    Path("other copy.md").write_text(Path("other.md").read_text("utf-8").replace("width", "size"), "utf-8")
    Path("notes/a.md").symlink_to("../other.md")
    for _ in range(2):
        told()
    Path("notes/a.md").unlink()
    Path("notes/a.md").symlink_to("../other copy.md")
    assert "3 unchanged, 1 edited" in told()[1]


def test_a_note_that_is_not_read_and_goes_is_seen() -> None:
    told()
    for _ in range(2):
        assert "2 unchanged, 0 edited, 0 moved, 0 new, 0 removed" in told("notes/a.md")[1]
    Path("notes/more/c.md").unlink()
    assert "2 unchanged, 0 edited, 0 moved, 0 new, 1 removed" in told("notes/a.md")[1]


@pytest.mark.parametrize("embed", ["![](head.png)", "![[head.png]]", '<img src="head.png">'])
def test_another_picture_is_seen(embed: str) -> None:
    Path("notes/a.md").write_text(f"#flashcards\n\nhead :: {embed}\n", "utf-8")
    Path("notes/head.png").write_bytes(b"one")
    for _ in range(2):
        told()
    Path("notes/head.png").write_bytes(b"two")
    assert "2 unchanged, 1 edited" in told()[1]


def test_the_picture_of_a_card_that_is_left_out_is_seen() -> None:
    wrong = "A head has $512 / 8 = 60$ dimensions because the width ![](head.png) is shared by all the heads.\n"
    Path("notes/a.md").write_text(f"---\nderived: true\n---\n#flashcards\n\n## Why so narrow?\n\n{wrong}", "utf-8")
    for _ in range(3):
        _, lines, problems = told()
        assert "1 derived card left out: a number there does not compute" in lines
        assert "head.png" in problems
    Path("notes/head.png").write_bytes(b"one")
    assert "head.png" not in told()[2]


@pytest.mark.parametrize("builds", [1, 2])
def test_a_clock_that_went_back_is_told(builds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(builds):
        told()
    monkeypatch.setattr(time, "time", lambda: NOW - 3600)
    for _ in range(3):
        assert "is the clock right?" in told()[2]
    monkeypatch.setattr(time, "time", lambda: NOW)
    assert "is the clock right?" not in told()[2]


def test_a_removed_card_leaves_the_package_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    told()
    Path("notes/a.md").unlink()
    for _ in range(3):
        assert "tag:mha-quiz::removed" in told()[1]
    monkeypatch.setattr(time, "time", lambda: NOW + 15 * 24 * 3600)
    assert "tag:mha-quiz::removed" not in told()[1]


def test_another_program_builds_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        told()
    before = package()
    monkeypatch.setattr("cards.remembered.program", lambda *packages: b"another version")
    told()
    assert package() != before
