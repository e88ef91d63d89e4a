"""What is in a package, and what becomes of the old one when writing fails."""

import json
import os
import sqlite3
import stat
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from decks import apkg, note_types
from decks.apkg import Note, deck_id, staged
from decks.names import deck_names, tags

BASIC = note_types.basic()


def note(guid: str, *, changed: int = 1_760_000_000, deck: str = "ml") -> Note:
    return Note(guid, BASIC, (f"front {guid}", "back", *("",) * 9), (0,), ("a", "b::c"), deck, changed)


NOTES = (note("one"), replace(note("two", changed=1_700_000_000), cards=(0, 1)), note("three", deck="ml::deep"))


def write(path: Path, notes: tuple[Note, ...] = NOTES) -> bytes:
    with staged(path, notes):
        pass
    return path.read_bytes()


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(":memory:")
    connection.deserialize(zipfile.ZipFile(path).read("collection.anki2"))
    found = connection.execute(query).fetchall()
    connection.close()
    return found


def test_rows(tmp_path: Path) -> None:
    write(tmp_path / "deck.apkg")

    assert rows(tmp_path / "deck.apkg", "SELECT guid, mid, mod, tags, flds, sfld FROM notes ORDER BY guid") == [
        ("one", BASIC.id, 1_760_000_000, " a b::c ", "front one\x1fback" + "\x1f" * 9, "front one"),
        ("three", BASIC.id, 1_760_000_000, " a b::c ", "front three\x1fback" + "\x1f" * 9, "front three"),
        ("two", BASIC.id, 1_700_000_000, " a b::c ", "front two\x1fback" + "\x1f" * 9, "front two"),
    ]
    query = "SELECT guid, did, ord, cards.mod, due FROM cards JOIN notes ON nid = notes.id ORDER BY due, ord"
    assert rows(tmp_path / "deck.apkg", query) == [
        ("one", deck_id("ml"), 0, 1_760_000_000, 1),
        ("two", deck_id("ml"), 0, 1_700_000_000, 2),
        ("two", deck_id("ml"), 1, 1_700_000_000, 2),
        ("three", deck_id("ml::deep"), 0, 1_760_000_000, 3),
    ]
    ((decks, models),) = rows(tmp_path / "deck.apkg", "SELECT decks, models FROM col")
    assert {deck["name"] for deck in json.loads(str(decks)).values()} == {"Default", "ml", "ml::deep"}
    (model,) = json.loads(str(models)).values()
    assert (model["mod"], model["flds"][0]["id"]) == (note_types.RELEASED, BASIC.fields[0].id)
    assert model["tmpls"][1]["id"] == BASIC.templates[1].id


def test_ids_are_times_that_have_passed_and_rise_with_time_and_position(tmp_path: Path) -> None:
    write(tmp_path / "deck.apkg", tuple(note(str(i), changed=1_700_000_000 + i // 40) for i in range(100)))

    for table in ("notes", "cards"):
        found = rows(tmp_path / "deck.apkg", f"SELECT id, mod FROM {table} ORDER BY id")
        assert len({id_ for id_, _ in found}) == 100
        assert all(0 < id_ <= mod * 1000 for id_, mod in found)
        assert [mod for _, mod in found] == sorted(mod for _, mod in found)


def test_the_same_notes_give_the_same_bytes(tmp_path: Path) -> None:
    assert write(tmp_path / "a.apkg") == write(tmp_path / "b.apkg")


@pytest.mark.parametrize(
    ("notes", "message"),
    [
        ((note("x"), note("x")), "two notes have the id x"),
        ((replace(note("x"), cards=()),), "note x has no card"),
        ((replace(note("x"), fields=("a", "b")),), "note x has 2 fields of 11"),
        ((replace(note("x"), fields=("a\x1fb", *("",) * 10)),), "note x has a separator of fields inside a field"),
        ((replace(note("x"), tags=("a b",)),), "note x has a tag that is empty or holds a blank"),
        ((replace(note("x"), tags=("",)),), "note x has a tag that is empty or holds a blank"),
        ((note("x", changed=0),), "a note has a time before 1970"),
    ],
)
def test_notes_that_anki_would_spoil(tmp_path: Path, notes: tuple[Note, ...], message: str) -> None:
    (tmp_path / "deck.apkg").write_text("old")

    with pytest.raises(ValueError, match=f"^{message}$"), staged(tmp_path / "deck.apkg", notes):
        pass

    assert names(tmp_path) == ["deck.apkg"]
    assert (tmp_path / "deck.apkg").read_text() == "old"


def test_the_old_package_stays_until_the_block_ends_well(tmp_path: Path) -> None:
    path = tmp_path / "deck.apkg"
    path.write_text("old")

    def interrupted() -> None:
        with staged(path, NOTES):
            assert path.read_text() == "old"
            assert zipfile.is_zipfile(tmp_path / ".deck.apkg.tmp")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()

    assert path.read_text() == "old"
    assert names(tmp_path) == ["deck.apkg"]


def test_a_full_disk_leaves_the_old_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "deck.apkg"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"), staged(path, NOTES):
        pytest.fail("the block must not begin")

    assert path.read_text() == "old"
    assert names(tmp_path) == ["deck.apkg"]


@pytest.mark.parametrize("where", [".", "missing/deck.apkg"])
def test_a_place_that_cannot_be_written(tmp_path: Path, where: str) -> None:
    with pytest.raises(OSError, match="directory"), staged(tmp_path / where, NOTES):
        pytest.fail("the block must not begin")

    assert names(tmp_path) == []


def test_permissions_are_those_of_any_new_file(tmp_path: Path) -> None:
    write(tmp_path / "deck.apkg")
    (tmp_path / "other").touch()

    assert stat.S_IMODE((tmp_path / "deck.apkg").stat().st_mode) == stat.S_IMODE((tmp_path / "other").stat().st_mode)


def test_a_link_to_a_package_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "deck.apkg").symlink_to(tmp_path / "real" / "deck.apkg")

    write(tmp_path / "deck.apkg")

    assert (tmp_path / "deck.apkg").is_symlink()
    assert zipfile.is_zipfile(tmp_path / "real" / "deck.apkg")


def test_many_decks_take_as_many_statements_as_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    statements: list[str] = []
    connect = sqlite3.connect

    def traced(database: str) -> sqlite3.Connection:
        connection = connect(database)
        connection.set_trace_callback(statements.append)
        return connection

    monkeypatch.setattr(apkg.sqlite3, "connect", traced)
    counts = []
    for decks in (10, 1000):
        statements.clear()
        write(tmp_path / "deck.apkg", tuple(note(str(i), deck=f"d{i % decks}") for i in range(1000)))
        counts.append(len(statements))

    assert counts[0] == counts[1] > 2000


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (["ml"], ["ml"]),
        (["ml", "ML::x", "Ml::X::y"], ["ml", "ml::x", "ml::x::y"]),
        ([" a :: ::b ", "c: ::d", "e\x00f", "g\x1fh"], ["a::b", "c::d", "ef", "gh"]),
        (["", "::", "é", "e\u0301"], ["Flashcards", "Flashcards", "é", "é"]),
        (["a  b\tc"], ["a b c"]),
    ],
)
def test_deck_names(written: list[str], expected: list[str]) -> None:
    found = deck_names(written)

    assert [found[name] for name in written] == expected


def test_deck_ids_last() -> None:
    assert [deck_id(name) for name in ("ml", "Default", "DEFAULT")] == [deck_id("ml"), 1, 1]
    assert deck_id("ml") == 400922253589


def test_tags() -> None:
    written = ("exam", "a/b", "a//b/", "two words", "EXAM", "", "/", "x\x00y", "c:d")

    assert tags(written) == ("exam", "a::b", "two_words", "xy", "c:d")
