"""What the command `review` leaves behind: ids that a deck can use, and schedules taken over from notes."""

import json
import sqlite3
import zipfile
from contextlib import closing
from datetime import date
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result

from cards.lock import Lock
from cards.lock_file import read_lock, write_lock
from cards.model import Cloze, Place
from mha_quiz.cli import main
from mha_quiz.events import Sibling, Started
from mha_quiz.history import History
from mha_quiz.question import Text
from mha_quiz.review_command import open_editor, review
from mha_quiz.upcoming import upcoming

NOTE = "#flashcards\n\nKept?::yes\n\nDropped?::no\n\nPlanned?::soon <!--SR:!2026-01-05,4,250-->\n"


def run(folder: Path, *options: str, typed: str = "q\n") -> Result:
    (folder / "notes").mkdir(exist_ok=True)
    return CliRunner().invoke(
        review, [str(folder / "notes"), "--data", str(folder / "data"), "--no-numbers", *options], input=typed
    )


def lock_of(folder: Path) -> Lock:
    lock = read_lock(folder / "notes" / "cards.lock")
    assert isinstance(lock, Lock)
    return lock


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text(NOTE, encoding="utf-8")
    return tmp_path


def test_the_lock_is_written_and_what_a_deck_settles_is_left_to_it(folder: Path) -> None:
    result = run(folder)
    assert result.exit_code == 0, result.output
    first = lock_of(folder)
    assert len(first.cards) == 3
    marked = Lock(tuple(card._replace(fingerprint=f"as {at}", changed=7) for at, card in enumerate(first.cards)))
    write_lock(folder / "notes" / "cards.lock", marked)
    note = folder / "notes" / "a.md"
    note.write_text(NOTE.replace("::yes", "::yes, it is").replace("Dropped?::no\n\n", ""), encoding="utf-8")
    assert run(folder).exit_code == 0
    after = lock_of(folder)
    assert [(card.id, card.fingerprint, card.changed, card.retired) for card in after.cards] == [
        (card.id, card.fingerprint, 7, False) for card in marked.cards
    ]
    assert {"yes, it is"} <= {card.content.back for card in after.cards if hasattr(card.content, "back")}


def test_a_part_of_the_notes_says_nothing_of_the_rest(folder: Path) -> None:
    (folder / "notes" / "b.md").write_text("#flashcards\n\nElsewhere?::yes\n", encoding="utf-8")
    run(folder)
    history = folder / "data" / "history.db"
    assert upcoming(history, date(2100, 1, 1)).new == 3

    note = folder / "notes" / "a.md"
    note.write_text(NOTE.replace("Dropped?::no\n\n", ""), encoding="utf-8")
    part = [str(note), "--data", str(folder / "data"), "--no-numbers"]
    (folder / "notes" / "mha-quiz.toml").touch()  # the note's root stays the folder
    assert CliRunner().invoke(review, part, input="q\n").exit_code == 0
    assert upcoming(history, date(2100, 1, 1)).new == 2

    (folder / "notes" / "b.md").unlink()
    assert run(folder).exit_code == 0
    assert upcoming(history, date(2100, 1, 1)).new == 1


def deck(folder: Path) -> tuple[int, ...]:
    """Build one; how many cards are unchanged, edited, new and removed."""
    arguments = ["deck", str(folder / "notes"), "-o", str(folder / "out.apkg"), "--no-numbers", "--json"]
    report = json.loads(CliRunner().invoke(main, arguments).stdout)
    return tuple(len(report[name]) for name in ("unchanged", "edited", "new", "removed"))


def test_cards_that_no_deck_held_yet_are_new_to_a_deck(folder: Path) -> None:
    twins = folder / "notes" / "twins"
    twins.mkdir()
    for language, asked, answer in (("en", "What does it divide by?", "root of d"), ("hi", "Kis se?", "d ka root")):
        head = f"---\nlang: {language}\ntwin: {'hi' if language == 'en' else 'en'}.md\n---\n"
        (twins / f"{language}.md").write_text(f"{head}#flashcards\n\n{asked}::{answer}\n", encoding="utf-8")
    run(folder)
    note = folder / "notes" / "a.md"
    note.write_text(NOTE.replace("::yes", "::edited").replace("Dropped?::no\n\n", ""), encoding="utf-8")

    assert deck(folder) == (0, 0, 3, 0)
    with zipfile.ZipFile(folder / "out.apkg") as package:
        package.extract("collection.anki2", folder)
    with closing(sqlite3.connect(folder / "collection.anki2")) as connection:
        assert connection.execute("SELECT count(*) FROM notes").fetchone() == (3,)
    assert deck(folder) == (3, 0, 0, 0)


def test_a_card_that_came_back_in_a_review_is_sent_to_anki_again(folder: Path) -> None:
    assert deck(folder) == (0, 0, 3, 0)
    note = folder / "notes" / "a.md"
    note.write_text(NOTE.replace("Dropped?::no\n\n", ""), encoding="utf-8")
    assert deck(folder) == (2, 0, 0, 1)
    before = {card.id: card.changed for card in lock_of(folder).cards}
    note.write_text(NOTE, encoding="utf-8")
    run(folder)
    assert deck(folder) == (2, 1, 0, 0)
    assert sum(card.changed > before[card.id] for card in lock_of(folder).cards) == 1


def test_schedules_of_the_notes_begin_the_history(folder: Path) -> None:
    assert "2/3 · Flashcards\nPlanned?" in run(folder, typed="s\nq\n").output
    with History.open(folder / "data" / "history.db", computer="test", rng=Random(0), write=False) as history:
        assert [type(event) for event in history.events()][:1] == [Started]
        assert sum(isinstance(key, Sibling) for key in history.states(next(iter(history.events())).stamp.day)) == 1


@pytest.mark.parametrize(
    ("damage", "message"),
    [("<<<<<<< ours\n", "the first line is not"), (None, "is damaged")],
)
def test_damaged_files_are_told_and_left_alone(folder: Path, damage: str | None, message: str) -> None:
    if damage is not None:
        (folder / "notes" / "cards.lock").write_text(damage, encoding="utf-8")
    else:
        (folder / "data").mkdir()
        (folder / "data" / "history.db").write_bytes(b"no database at all, but long enough to be one" * 100)
    result = run(folder)
    assert result.exit_code == 1
    assert message in result.output
    assert "Traceback" not in result.output
    if damage is not None:
        assert (folder / "notes" / "cards.lock").read_text(encoding="utf-8") == damage


def test_an_empty_folder_is_told_as_by_the_other_commands(tmp_path: Path) -> None:
    told = run(tmp_path).output

    assert told == "Error: no notes here; notes are files that end in .md, .markdown or .txt\n"


def test_problems_of_the_notes_are_counted(folder: Path) -> None:
    (folder / "notes" / "b.md").write_text("#flashcards\n\nNo back::\n", encoding="utf-8")
    assert "The notes have 1 problem; `mha-quiz check` of the same notes tells them." in run(folder).output


def noticed(folder: Path) -> set[str]:
    with closing(sqlite3.connect(folder / "data" / "history.db")) as connection:
        return {key for (key,) in connection.execute("SELECT key FROM sighted")}


def test_cards_recognised_before_keep_ids_and_cloze_numbers(folder: Path) -> None:
    note = folder / "notes" / "a.md"
    note.write_text("#flashcards\n\nKept?::yes\n\nThe ==first== and the ==second==.\n", encoding="utf-8")
    run(folder)
    note.write_text("#flashcards\n\nKept?::yes\n\nThe first and the ==second==.\n", encoding="utf-8")
    told = [run(folder).output for _ in range(3)]
    assert told[0] == told[1] == told[2]
    kept, cloze = sorted(lock_of(folder).cards, key=lambda card: isinstance(card.content, Cloze))
    assert noticed(folder) == {f"card/{kept.id}/0", f"card/{cloze.id}/1"}


def test_another_lock_counts_at_once(folder: Path) -> None:
    run(folder)
    run(folder, "--all")  # which is remembered apart, and finds a lock at once
    other = Lock(tuple(card._replace(id=f"other{at}") for at, card in enumerate(lock_of(folder).cards)))
    write_lock(folder / "notes" / "cards.lock", other)
    assert run(folder, "--all").exit_code == 0
    assert noticed(folder) == {"card/other0/0", "card/other1/0", "card/other2/0"}


def test_cards_that_were_added_count_at_once(folder: Path) -> None:
    run(folder)
    run(folder, "--all")
    note = folder / "notes" / "a.md"
    note.write_text(NOTE + "\nAdded?::yes\n", encoding="utf-8")
    assert run(folder, "--all").exit_code == 0
    assert len(noticed(folder)) == 4


def test_a_note_elsewhere_that_went_counts_at_once(folder: Path) -> None:
    elsewhere = folder / "notes" / "b.md"
    elsewhere.write_text("#flashcards\n\nElsewhere?::yes\n", encoding="utf-8")
    (folder / "notes" / "mha-quiz.toml").touch()
    run(folder)
    part = [str(folder / "notes" / "a.md"), "--data", str(folder / "data"), "--no-numbers"]
    for _ in range(3):
        CliRunner().invoke(review, part, input="q\n")
    assert len(noticed(folder)) == 4
    elsewhere.unlink()
    CliRunner().invoke(review, part, input="q\n")
    assert len(noticed(folder)) == 3


def test_a_lock_that_was_lost_is_written_again(folder: Path) -> None:
    run(folder)
    born = lock_of(folder)
    (folder / "notes" / "cards.lock").unlink()
    run(folder)
    assert {card.id for card in lock_of(folder).cards} == {card.id for card in born.cards}


def test_a_second_history_hears_of_cards_that_are_gone(folder: Path) -> None:
    (folder / "notes" / "mha-quiz.toml").touch()
    note = folder / "notes" / "a.md"
    part = [str(note), "--no-numbers", "--data"]
    for data in ("data", "second"):
        CliRunner().invoke(review, [*part, str(folder / data)], input="q\n")
    note.write_text(NOTE.replace("Dropped?::no\n\n", ""), encoding="utf-8")
    for data in ("second", "second", "second", "data"):
        CliRunner().invoke(review, [*part, str(folder / data)], input="q\n")
    assert len(noticed(folder)) == 2


@pytest.mark.parametrize("editor", ["vim 'a", " "])
def test_an_editor_that_is_no_command(editor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", editor)

    told = open_editor(Place("a.md", 1, 1))

    assert told == Text(f"{editor} is no command; set EDITOR", f"{editor} koi command nahi hai; EDITOR set karo")
