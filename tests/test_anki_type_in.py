"""Answers to be typed, in the real Anki: what its reviewer asks for and compares."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest

from cards.collection import read
from cards.known import scope_of
from cards.lock import Lock
from cards.lock_file import notes_root, read_lock
from decks import apkg, note_types
from decks.build import plan, write
from decks.note_types import NoteType

if TYPE_CHECKING:
    from anki.cards import Card as AnkiCard  # cannot be imported before anki.collection

THEN = 1_760_000_000
NOTE = """#flashcards

#type-in Capital of "France" & co? :: **Paris**, `a<b`
Capital of Peru? :: Lima
#type-in dog ::: Hund

#type-in The ==cell== has {{c2::a **membrane**::what}}, and {{c2::a nucleus}}.
"""


@pytest.fixture
def collection(tmp_path: Path) -> Iterator[Collection]:
    collection = Collection(str(tmp_path / "collection.anki2"))
    yield collection
    collection.close()


def take(collection: Collection, folder: Path) -> dict[str, int]:
    request = ImportAnkiPackageRequest(package_path=str(folder / "deck.apkg"), options=ImportAnkiPackageOptions())
    log = collection.import_anki_package(request).log
    collection.models._clear_cache()
    said = {kind: len(getattr(log, kind)) for kind in ("new", "updated", "duplicate", "conflicting")}
    return {kind: number for kind, number in said.items() if number}


def make(folder: Path, notes: dict[str, str], now: int = THEN) -> None:
    vault = folder / "notes"
    vault.mkdir(exist_ok=True)
    (vault / "mha-quiz.toml").write_text('[cards]\ncloze = ["==", "{{"]\n')
    for name, text in notes.items():
        (vault / name).write_text(text, encoding="utf-8")
    found = read([vault])
    assert found.problems == ()
    root = notes_root([vault])
    lock = read_lock(folder / "cards.lock")
    assert isinstance(lock, Lock)
    scope = scope_of(root, [Path(note.path) for note in found.notes])
    files = {"out": folder / "deck.apkg", "lock_file": folder / "cards.lock"}
    write(plan(found.cards, lock, scope=scope, now=now, twins=found.twins), **files)


def cards(collection: Collection) -> "Sequence[AnkiCard]":
    found = [collection.get_card(id_) for id_ in collection.find_cards("")]
    return sorted(found, key=lambda card: (card.due, card.ord))


def asks_for(collection: Collection, card: "AnkiCard") -> str | None:
    """What the learner is to type, found as Anki's reviewer finds it; the answer side compares the same."""
    asked = re.findall(r"\[\[type:(.+?)\]\]", card.question())
    assert re.findall(r"\[\[type:(.+?)\]\]", card.answer()) == asked
    if not asked:
        return None
    (name,) = asked
    note = card.note()
    expected = note[name.removeprefix("cloze:")]
    if name.startswith("cloze:"):
        expected = collection.extract_cloze_for_typing(expected, card.ord + 1)
    plain = re.sub(r"<[^>]+>", "", collection.compare_answer(expected, ""))
    good = collection.compare_answer(expected, unescape(plain))
    assert f"<span class=typeGood>{unescape(plain)}</span></code>" in unescape(good)
    assert "typeBad" in collection.compare_answer(expected, "something else")
    return unescape(plain)


def test_a_tagged_card_is_typed_and_no_other(collection: Collection, tmp_path: Path) -> None:
    make(tmp_path, {"note.md": NOTE})
    assert take(collection, tmp_path) == {"new": 4}

    assert [asks_for(collection, card) for card in cards(collection)] == [
        "Paris, a<b",
        None,
        "Hund",
        "dog",
        "cell",
        "a membrane, a nucleus",
    ]
    assert collection.get_empty_cards().notes == []
    assert len(collection.find_notes("tag:type-in")) == 3


def test_the_tag_may_come_later_and_go_again(collection: Collection, tmp_path: Path) -> None:
    """It is an edit like any other: the note is updated in place and its reviews stay."""
    make(tmp_path, {"note.md": NOTE.replace("#type-in ", "")})
    assert take(collection, tmp_path) == {"new": 4}
    assert [asks_for(collection, card) for card in cards(collection)] == [None] * 6
    collection.decks.select(collection.decks.id("Flashcards"))
    reviewed = collection.sched.getCard()
    assert reviewed is not None
    reviewed.start_timer()
    collection.sched.answerCard(reviewed, 4)
    before = collection.db.all("select * from revlog")

    make(tmp_path, {"note.md": NOTE}, THEN + 60)
    assert take(collection, tmp_path) == {"updated": 3, "duplicate": 1}
    assert take(collection, tmp_path) == {"duplicate": 4}
    assert [asks_for(collection, card) is not None for card in cards(collection)].count(True) == 5
    assert collection.db.all("select * from revlog") == before


def test_of_two_languages_the_upper_one_is_typed(collection: Collection, tmp_path: Path) -> None:
    english = "---\ntwin: hi.md\n---\n#flashcards\n\nHow many heads of size $d_k$? :: eight\n"
    hinglish = "---\nlang: hinglish\n---\n#flashcards\n\n{}$d_k$ size ke kitne heads hain? :: aath\n"
    make(tmp_path, {"en.md": english, "hi.md": hinglish.format("#type-in ")})
    assert take(collection, tmp_path) == {"new": 1}

    (card,) = cards(collection)
    assert asks_for(collection, card) == "eight"
    assert "aath" in card.answer()


def test_a_collection_from_before_the_field_had_its_name(
    collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anki finds the field by its id: it is renamed in place, and no note changes."""

    def earlier(type_: NoteType) -> NoteType:
        fields = tuple(replace(it, name="Spare 1") if it.name == "Typed" else it for it in type_.fields)
        bare = re.compile(r"\{\{#Typed\}\}.*\{\{/Typed\}\}")
        templates = tuple(
            replace(it, front=bare.sub("", it.front), back=bare.sub("", it.back)) for it in type_.templates
        )
        return replace(type_, fields=fields, templates=templates)

    with monkeypatch.context() as past:
        basic, cloze = earlier(note_types.basic()), earlier(note_types.cloze())
        past.setattr(note_types, "basic", lambda: basic)
        past.setattr(note_types, "cloze", lambda: cloze)
        past.setattr(apkg, "RELEASED", note_types.RELEASED - 1)
        make(tmp_path, {"note.md": NOTE.replace("#type-in ", "")})
    assert take(collection, tmp_path) == {"new": 4}
    schema = collection.db.scalar("select scm from col")

    make(tmp_path, {"note.md": NOTE.replace("#type-in ", "")}, THEN + 60)
    assert take(collection, tmp_path) == {"duplicate": 4}
    make(tmp_path, {"note.md": NOTE}, THEN + 120)
    assert take(collection, tmp_path) == {"updated": 3, "duplicate": 1}

    assert asks_for(collection, cards(collection)[0]) == "Paris, a<b"
    assert {it.name for it in collection.models.all_names_and_ids() if it.name.startswith("mha")} == {
        "mha-quiz Basic",
        "mha-quiz Cloze",
    }
    assert collection.db.scalar("select scm from col") == schema
