"""The numeric questions of the deck: true, as the file says, and in the real Anki."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest

from cards.known import Scope
from cards.lock import Lock
from cards.lock_file import read_lock
from cards.model import Basic, Card, Language, Origin, Place
from decks.build import Built, plan, write
from decks.numbers import Number, default_deck, numbers
from mha_quiz.deck_numbers import chosen, numbers_json, other_spellings, typed_answer
from mha_quiz.families import FAMILIES
from mha_quiz.question import Family
from mha_quiz.verdicts import Verdict, grade

ROOT = Path(__file__).parents[1]
THEN = 1_760_000_000
SCOPE = Scope({"a.md": "a.md"}, lambda note: True)
CARD = Card(Basic("Q", "A"), Origin.FLASHCARD, Place("a.md", 1, 1), "ml::heads", (), Language.EN, (), (), None)


def test_the_file_is_what_the_core_says_today() -> None:
    told = (ROOT / "decks" / "numbers.json").read_text("utf-8")

    assert told == numbers_json(FAMILIES), "renew it: python -m mha_quiz.deck_numbers > decks/numbers.json"


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.id)
def test_all_that_counts_as_right_is_right(family: Family) -> None:
    question = chosen(family)

    assert grade(question, typed_answer(question)).verdict is Verdict.RIGHT
    assert all(grade(question, text).verdict is Verdict.RIGHT for text in other_spellings(question))


def deck(folder: Path, now: int, *, of: Sequence[Number], language: Language | None = None) -> Built:
    lock = read_lock(folder / "cards.lock")
    assert isinstance(lock, Lock)
    files = {"out": folder / "deck.apkg", "lock_file": folder / "cards.lock"}
    return write(plan([CARD], lock, scope=SCOPE, now=now, language=language, numbers=of), **files)


@pytest.fixture
def collection(tmp_path: Path) -> Iterator[Collection]:
    collection = Collection(str(tmp_path / "collection.anki2"))
    yield collection
    collection.close()


def imported(collection: Collection, folder: Path) -> dict[str, int]:
    request = ImportAnkiPackageRequest(package_path=str(folder / "deck.apkg"), options=ImportAnkiPackageOptions())
    log = collection.import_anki_package(request).log
    collection.models._clear_cache()
    said = {kind: len(getattr(log, kind)) for kind in ("new", "updated", "duplicate", "conflicting")}
    return {kind: number for kind, number in said.items() if number}


def reworded(number: Number) -> Number:
    told = {language: replace(it, question=f"{it.question}!") for language, it in number.told.items()}
    return replace(number, told=told)


def test_import_again_and_after_an_edit(collection: Collection, tmp_path: Path) -> None:
    all_of_them = numbers()
    built = deck(tmp_path, THEN, of=all_of_them)
    assert (built.notes, built.numbers.new, built.numbers_deck) == (1, 74, "ml::Numbers")
    assert imported(collection, tmp_path) == {"new": 75}
    assert not collection.get_empty_cards().notes

    bytes_before = (tmp_path / "deck.apkg").read_bytes()
    assert deck(tmp_path, THEN + 60, of=all_of_them).numbers.unchanged == 74
    assert (tmp_path / "deck.apkg").read_bytes() == bytes_before
    assert imported(collection, tmp_path) == {"duplicate": 75}

    built = deck(tmp_path, THEN + 120, of=[reworded(all_of_them[0]), *all_of_them[1:]])
    assert (built.numbers.edited, built.numbers.unchanged) == (1, 73)
    assert imported(collection, tmp_path) == {"updated": 1, "duplicate": 74}


def test_a_number_that_changes_with_the_clock_gone_back_is_updated(collection: Collection, tmp_path: Path) -> None:
    deck(tmp_path, THEN, of=numbers()[:1])
    imported(collection, tmp_path)

    deck(tmp_path, THEN - 60, of=[reworded(numbers()[0])])

    assert imported(collection, tmp_path) == {"updated": 1, "duplicate": 1}


def test_another_language_updates_the_same_notes(collection: Collection, tmp_path: Path) -> None:
    deck(tmp_path, THEN, of=numbers())
    imported(collection, tmp_path)

    deck(tmp_path, THEN + 60, of=numbers(), language=Language.HINGLISH)

    assert imported(collection, tmp_path) == {"updated": 74}
    (note,) = collection.find_notes('"Source:mha-quiz A1"')
    assert collection.get_note(note)["Question"] == unescape(numbers()[0].told[Language.HINGLISH].question)
    assert collection.get_note(note)["Question (second language)"] == ""
    assert collection.note_count() == 75


def test_new_numbers_come_in_their_order_after_the_cards(collection: Collection, tmp_path: Path) -> None:
    deck(tmp_path, THEN, of=numbers())
    imported(collection, tmp_path)

    by_due = sorted((collection.get_card(id_) for id_ in collection.find_cards("")), key=lambda card: card.due)

    assert [card.note()["Source"] for card in by_due[1:]] == [f"mha-quiz {number.family}" for number in numbers()]
    assert {collection.decks.name(card.did) for card in by_due[1:]} == {"ml::Numbers"}
    assert by_due[1].note().tags == ["mha-quiz::numbers::shapes"]


def test_what_the_learner_sees_and_types(collection: Collection, tmp_path: Path) -> None:
    deck(tmp_path, THEN, of=numbers())
    imported(collection, tmp_path)
    told = {number.family: number for number in numbers()}

    for id_ in collection.find_cards("deck:ml::Numbers"):
        card = collection.get_card(id_)
        number = told[card.note()["Source"].removeprefix("mha-quiz ")]
        question, answer = card.question(), card.answer()
        assert question.count("[[type:Answer]]") == answer.count("[[type:Answer]]") == 1
        assert collection.compare_answer(card.note()["Answer"], number.answer) == (
            f"<code id=typeans><span class=typeGood>{number.answer}</span></code>"
        )
        assert "typeBad" in collection.compare_answer(card.note()["Answer"], "17x")
        assert bool(card.note()["Also right"]) == any(it.also_right for it in number.told.values())
        for it in number.told.values():
            assert text(it.question) in text(question)
            assert all(text(line) in text(answer) for line in (*it.solution, *it.slips, it.also_right))
            assert not any(text(line) in text(question) for line in it.solution)


def text(html: str) -> str:
    return " ".join(unescape(re.sub(r"<!--.*?-->|<[^>]*>|`", "", html)).split())


def test_the_deck_of_the_first_build_stays(tmp_path: Path) -> None:
    deck(tmp_path, THEN, of=numbers())
    lock = read_lock(tmp_path / "cards.lock")
    assert isinstance(lock, Lock)

    elsewhere = plan([CARD._replace(deck="physics")], lock, scope=SCOPE, now=THEN + 60, numbers=numbers())

    assert elsewhere.built.numbers_deck == "ml::Numbers"
    assert elsewhere.built.decks == (("physics", 1),)


def test_numbers_left_out_are_remembered(tmp_path: Path) -> None:
    deck(tmp_path, THEN, of=numbers())
    before = (tmp_path / "cards.lock").read_bytes()

    built = deck(tmp_path, THEN + 60, of=())

    assert built.numbers.all == 0
    assert (tmp_path / "cards.lock").read_bytes() == before


@pytest.mark.parametrize(
    ("decks", "expected"),
    [
        ((), "Numbers"),
        (("ml",), "ml::Numbers"),
        (("ml::a", "ml", "ml::b::c"), "ml::Numbers"),
        (("ml", "bio"), "Numbers"),
    ],
)
def test_the_deck_is_below_the_one_that_holds_all(decks: tuple[str, ...], expected: str) -> None:
    assert default_deck(decks) == expected
