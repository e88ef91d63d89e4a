"""Our packages in the real Anki: what a learner's collection holds after each import."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cards.known import Scope
from cards.lock import Lock
from cards.lock_file import read_lock
from cards.model import Basic, Card, Cloze, Content, Deletion, Language, Origin, Place, Reversed
from decks import apkg, html, note_types
from decks.build import Built, plan, write

if TYPE_CHECKING:
    from anki.cards import Card as AnkiCard  # cannot be imported before anki.collection

THEN = 1_760_000_000
NOTE = "notes/attention.md"
SCOPE = Scope({NOTE: NOTE}, lambda note: True)


@pytest.fixture
def collection(tmp_path: Path) -> Iterator[Collection]:
    collection = Collection(str(tmp_path / "collection.anki2"))
    collection.set_config("fsrs", True)
    yield collection
    collection.close()


def card(content: Content, line: int, *, deck: str = "ml", tags: tuple[str, ...] = ()) -> Card:
    place = Place(NOTE, line, 1)
    return Card(content, Origin.FLASHCARD, place, deck, tags, Language.EN, ("Attention", "Heads"), (), None)


CARDS = (
    card(Basic("What divides the scores?", "$\\sqrt{d_k}$, or they grow like $d_k$"), 3),
    card(Reversed("Query", "what a token looks for"), 5, deck="ml::words"),
    card(
        Cloze(("Keys: ", Deletion(1, "$K$", None), ", values: ", Deletion(2, "$V$", "letter"))), 7, tags=("exam/may",)
    ),
    card(Basic("Why many heads?", "- each sees *another* pattern\n- same cost"), 9),
)


def deck(cards: Sequence[Card], folder: Path, now: int, twins: Sequence[tuple[Card, Card]] = ()) -> Built:
    lock = read_lock(folder / "cards.lock")
    assert isinstance(lock, Lock)
    files = {"out": folder / "deck.apkg", "lock_file": folder / "cards.lock"}
    return write(plan(cards, lock, scope=SCOPE, now=now, twins=twins), **files)


def imported(collection: Collection, folder: Path) -> dict[str, int]:
    """What Anki says about the notes of the package, for File > Import with default options."""
    request = ImportAnkiPackageRequest(package_path=str(folder / "deck.apkg"), options=ImportAnkiPackageOptions())
    log = collection.import_anki_package(request).log
    collection.models._clear_cache()
    said = {kind: len(getattr(log, kind)) for kind in ("new", "updated", "duplicate", "conflicting")}
    return {kind: number for kind, number in said.items() if number}


def in_order(collection: Collection) -> "list[AnkiCard]":
    found = [collection.get_card(id_) for id_ in collection.find_cards("")]
    return sorted(found, key=lambda card: (card.due, card.ord))


def shown(side: str) -> str:
    """The side without the style and without empty lines."""
    body = re.sub(r"<style>.*?</style>", "", side, flags=re.DOTALL)
    return "\n".join(line for line in body.split("\n") if line)


def test_first_import_then_unchanged_rebuild(collection: Collection, tmp_path: Path) -> None:
    first = deck(CARDS, tmp_path, THEN)
    bytes_before = (tmp_path / "deck.apkg").read_bytes()
    assert (first.notes, first.cards, len(first.changes.new)) == (4, 6, 4)
    assert imported(collection, tmp_path) == {"new": 4}

    second = deck(CARDS, tmp_path, THEN + 3600)

    assert (len(second.changes.unchanged), second.changes.new, second.changes.edited) == (4, (), ())
    assert (tmp_path / "deck.apkg").read_bytes() == bytes_before
    assert imported(collection, tmp_path) == {"duplicate": 4}
    assert not collection.get_empty_cards().notes


def test_an_edit_updates_its_note_and_keeps_the_history(collection: Collection, tmp_path: Path) -> None:
    deck(CARDS, tmp_path, THEN)
    imported(collection, tmp_path)
    for name in ("ml", "ml::words"):
        collection.decks.select(collection.decks.id(name))
        while (queued := collection.sched.getCard()) is not None:
            queued.start_timer()
            collection.sched.answerCard(queued, 4)
    reviews = collection.db.all("select * from revlog")
    progress = collection.db.all("select id, nid, ord, did, due, ivl, factor, reps, lapses, data from cards")
    assert len(reviews) == 6

    edited = CARDS[0]._replace(content=Basic("What divides the scores?", "$\\sqrt{d_k}$"))
    built = deck((edited, *CARDS[1:]), tmp_path, THEN + 60)

    assert [edit.answer for edit in built.changes.edited] == ["$\\sqrt{d_k}$"]
    assert imported(collection, tmp_path) == {"updated": 1, "duplicate": 3}
    assert collection.db.all("select * from revlog") == reviews
    assert collection.db.all("select id, nid, ord, did, due, ivl, factor, reps, lapses, data from cards") == progress
    (note,) = collection.find_notes('"Front:What divides the scores?"')
    assert collection.get_note(note)["Back"] == "\\(\\sqrt{d_k}\\)"


def test_an_edited_question_stays_the_same_note(collection: Collection, tmp_path: Path) -> None:
    deck(CARDS, tmp_path, THEN)
    imported(collection, tmp_path)

    edited = CARDS[0]._replace(content=Basic("What divides the attention scores?", CARDS[0].content.back))
    deck((edited, *CARDS[1:]), tmp_path, THEN + 60)

    assert imported(collection, tmp_path) == {"updated": 1, "duplicate": 3}
    assert collection.note_count() == 4


def test_a_move_within_the_note_is_no_edit_and_changes_no_note(collection: Collection, tmp_path: Path) -> None:
    deck(CARDS, tmp_path, THEN)
    imported(collection, tmp_path)
    lower = [card._replace(place=Place(NOTE, card.place.line + 40, 1)) for card in CARDS]

    built = deck(lower, tmp_path, THEN + 60)

    assert len(built.changes.unchanged) == 4
    assert imported(collection, tmp_path) == {"duplicate": 4}


def test_a_new_heading_path_reaches_the_cards_and_counts_as_moved(collection: Collection, tmp_path: Path) -> None:
    deck(CARDS, tmp_path, THEN)
    imported(collection, tmp_path)
    moved = CARDS[3]._replace(heading=("Attention", "Many heads"))

    built = deck((*CARDS[:3], moved), tmp_path, THEN + 60)

    assert (len(built.changes.moved), built.changes.edited) == (1, ())
    assert imported(collection, tmp_path) == {"updated": 1, "duplicate": 3}
    assert "Attention › Many heads" in in_order(collection)[-1].question()


def test_what_the_learner_sees(collection: Collection, tmp_path: Path) -> None:
    hinglish = card(Basic("Scores ko kis se divide karte hain?", "$\\sqrt{d_k}$ se"), 70)
    deck(CARDS, tmp_path, THEN, twins=[(CARDS[0], hinglish)])
    imported(collection, tmp_path)

    seen = [
        (collection.decks.name(card.did), card.note().tags, shown(card.question()), shown(card.answer()))
        for card in in_order(collection)
    ]

    context = '<div class="context" dir="auto">Attention › Heads</div>'
    source = '<div class="source">notes/attention.md</div>'
    rule = '<hr id="answer">'
    assert seen[0] == (
        "ml",
        [],
        f"""{context}
<div class="side" dir="auto">What divides the scores?</div>
<div class="side second" dir="auto">Scores ko kis se divide karte hain?</div>""",
        f"""{context}
<div class="side" dir="auto">What divides the scores?</div>
<div class="side second" dir="auto">Scores ko kis se divide karte hain?</div>
{rule}
<div class="side" dir="auto">\\(\\sqrt{{d_k}}\\), or they grow like \\(d_k\\)</div>
<div class="side second" dir="auto">\\(\\sqrt{{d_k}}\\) se</div>
{source}""",
    )
    query = '<div class="side" dir="auto">Query</div>'
    looks = '<div class="side" dir="auto">what a token looks for</div>'
    assert seen[1] == ("ml::words", [], f"{context}\n{query}", f"{context}\n{query}\n{rule}\n{looks}\n{source}")
    assert seen[2] == ("ml::words", [], looks, f"{looks}\n{rule}\n{context}\n{query}\n{source}")
    values = '<span class="cloze-inactive" data-ordinal="2">\\(V\\)</span></div>'
    asked = '<span class="cloze" data-cloze="&#x5C;&#x28;K&#x5C;&#x29;" data-ordinal="1">[...]</span>'
    told = '<span class="cloze" data-ordinal="1">\\(K\\)</span>'
    assert seen[3] == (
        "ml",
        ["exam::may"],
        f'{context}\n<div class="side" dir="auto">Keys: {asked}, values: {values}',
        f'{context}\n<div class="side" dir="auto">Keys: {told}, values: {values}\n{source}',
    )
    assert "[letter]" in seen[4][2]
    assert len(seen) == 6


def test_new_cards_come_in_the_order_of_the_notes(collection: Collection, tmp_path: Path) -> None:
    deck(CARDS, tmp_path, THEN)
    imported(collection, tmp_path)
    between = card(Basic("Inserted later?", "yes"), 6)

    deck((*CARDS[:2], between, *CARDS[2:]), tmp_path, THEN + 60)

    assert imported(collection, tmp_path) == {"new": 1, "duplicate": 4}
    (added,) = collection.find_cards('"Front:Inserted later?"')
    assert collection.get_card(added).due == 3


def test_deck_names_that_anki_would_merge_or_refuse(collection: Collection, tmp_path: Path) -> None:
    names = ("ml", "ML::Heads", "Default", "default::Sub", "a:::b", " x :: :: y ", "", "café", "cafe\u0301")
    deck([card(Basic(f"Q {name!r}", "A"), line, deck=name) for line, name in enumerate(names, 1)], tmp_path, THEN)

    assert imported(collection, tmp_path) == {"new": 9}

    assert [collection.decks.name(card.did) for card in in_order(collection)] == [
        "ml",
        "ml::Heads",
        "Default",
        "Default::Sub",
        "a::b",
        "x::y",
        "Flashcards",
        "café",
        "café",
    ]
    assert collection.decks.id("ML", create=False) == collection.decks.id("ml", create=False)


def test_anki_finds_nothing_to_repair(collection: Collection, tmp_path: Path) -> None:
    deck(CARDS, tmp_path, THEN)
    imported(collection, tmp_path)
    before = collection.db.all("select id, nid, ord from cards")

    report, fine = collection.fix_integrity()

    assert fine, report
    assert collection.db.all("select id, nid, ord from cards") == before


def test_a_side_that_shows_nothing_is_told_and_left_out(collection: Collection, tmp_path: Path) -> None:
    built = deck(
        [
            card(Basic("<b></b>", "A"), 1),
            card(Basic("Q", "<!-- note -->&nbsp;"), 2),
            card(Basic("Q2", "A"), 3),
        ],
        tmp_path,
        THEN,
    )

    assert [str(problem) for problem in built.problems] == [
        "notes/attention.md:1:1: nothing of the front can be shown in Anki",
        "notes/attention.md:2:1: nothing of the back can be shown in Anki",
    ]
    assert imported(collection, tmp_path) == {"new": 1}


LIVE = st.sampled_from(
    [
        "{{",
        "}}",
        "{{c1::",
        "{{c2::x}}",
        "::",
        ":::",
        "}",
        "{",
        ":",
        "\\(",
        "\\)",
        "\\[",
        "\\]",
        "$",
        "$$",
        "$x$",
        "$\\frac{a}{b}$",
        "$$y$$",
        "[sound:a.mp3]",
        "[latex]",
        "[/latex]",
        "[$]",
        "[/$]",
        "[[type:Front]]",
        "[anki:tts]",
        "==",
        "**",
        "*",
        "_",
        "`",
        "```",
        "~~",
        "<",
        ">",
        "&",
        "&lbrack;",
        "<b>",
        "</b>",
        "<!--",
        "-->",
        "<br>",
        "|",
        "-",
        ">",
        "1.",
        "#",
        "\\",
        "\n",
        "\n\n",
        "a",
        "b",
        "1",
        ".",
    ]
)
TEXT = st.lists(LIVE | st.text(max_size=2), max_size=6).map("".join)
DELETION = st.builds(Deletion, st.integers(1, 3), TEXT.filter(lambda text: bool(text.strip())), st.none() | TEXT)
CLOZE = st.lists(TEXT | DELETION, min_size=1, max_size=5).filter(
    lambda pieces: any(isinstance(piece, Deletion) for piece in pieces)
)


def is_inert(card: "AnkiCard") -> bool:
    """Whether Anki found no sound, no answer to type and no LaTeX to make a picture of."""
    both = card.question() + card.answer()
    heard = [*card.question_av_tags(), *card.answer_av_tags()]
    return not heard and not any(mark in both for mark in ("[[type:", "<img", "LaTeX", "[anki:"))


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    folder = tmp_path_factory.mktemp("scratch")
    deck(CARDS, folder, THEN)
    collection = Collection(str(folder / "collection.anki2"))
    imported(collection, folder)
    yield collection
    collection.close()


@given(CLOZE)
@example([Deletion(1, "a", "\\[[[type:Front]]")])
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_anki_sees_the_deletions_we_wrote_and_no_others(scratch: Collection, pieces: list[str | Deletion]) -> None:
    note = scratch.new_note(scratch.models.by_name("mha-quiz Cloze"))
    note["Text"] = html.render_cloze(Cloze(tuple(pieces)))

    numbers = {piece.group for piece in pieces if isinstance(piece, Deletion)}
    assert set(note.cloze_numbers_in_fields()) == numbers
    for number in numbers:
        side = note.ephemeral_card(number - 1)
        hidden = [piece for piece in pieces if isinstance(piece, Deletion) and piece.group == number]
        assert side.answer().count(f'class="cloze" data-ordinal="{number}"') <= len(hidden)
        assert is_inert(side)


@given(TEXT, TEXT)
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_text_of_a_basic_note_is_inert(scratch: Collection, front: str, back: str) -> None:
    note = scratch.new_note(scratch.models.by_name("mha-quiz Basic"))
    note["Front"], note["Back"] = html.render(front), html.render(back)
    if html.is_empty(note["Front"]):
        return

    side = note.ephemeral_card()

    assert note["Front"] in side.question()
    assert note["Back"] in side.answer()
    assert is_inert(side)


def test_a_note_without_a_card_is_an_error(tmp_path: Path) -> None:
    note = apkg.Note("g", note_types.basic(), ("",) * 11, (), (), "ml", THEN)

    with pytest.raises(ValueError, match=r"^note g has no card$"), apkg.staged(tmp_path / "deck.apkg", [note]):
        pass
