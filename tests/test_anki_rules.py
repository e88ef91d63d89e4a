"""What must hold in a learner's Anki whatever happens to the notes; real packages, imported as File > Import does."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest

from cards.identity import Scope
from cards.lock import Lock
from cards.lock_file import read_lock
from cards.media import Vault
from cards.model import Basic, Card, Cloze, Content, Deletion, Language, Origin, Place, Reversed
from decks.build import Built, build
from decks.report import todo_lines

THEN = 1_760_000_000
NOTE = "attention.md"
SCOPE = Scope({NOTE: NOTE}, lambda note: True)


def card(content: Content, line: int, *, deck: str = "ml") -> Card:
    return Card(content, Origin.FLASHCARD, Place(NOTE, line, 1), deck, (), Language.EN, ("Heads",), (), None)


CARDS = (
    card(Basic('What *divides* the "scores": a_b?', "$\\sqrt{d_k}$"), 1),
    card(Reversed("Query", "what a token looks for"), 2),
    card(Cloze(("Keys: ", Deletion(1, "$K$", None), ", values: ", Deletion(2, "$V$", None))), 3),
)
HINGLISH = replace(
    card(Basic("Scores ko kis se divide karte hain?", "$\\sqrt{d_k}$ se"), 9), language=Language.HINGLISH
)


class Learner:
    """Somebody with a folder of notes and Anki."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.anki = Collection(str(folder / "collection.anki2"))
        self.anki.set_config("fsrs", True)

    def lock(self) -> Lock:
        lock = read_lock(self.folder / "cards.lock")
        assert isinstance(lock, Lock)
        return lock

    def build(
        self,
        cards: Sequence[Card],
        after: int = 0,
        *,
        twins: Sequence[tuple[Card, Card]] = (),
        language: Language | None = None,
        imported: Lock | None = None,
    ) -> Built:
        files = {"out": self.folder / "deck.apkg", "lock_file": self.folder / "cards.lock"}
        return build(
            cards,
            self.lock(),
            scope=SCOPE,
            now=THEN + after,
            twins=twins,
            language=language,
            vault=Vault(self.folder),
            imported=imported,
            **files,
        )

    def take(self) -> dict[str, int]:
        """Import the package; what Anki says about its notes."""
        request = ImportAnkiPackageRequest(
            package_path=str(self.folder / "deck.apkg"), options=ImportAnkiPackageOptions()
        )
        log = self.anki.import_anki_package(request).log
        self.anki.models._clear_cache()
        said = {kind: len(getattr(log, kind)) for kind in ("new", "updated", "duplicate", "conflicting")}
        return {kind: number for kind, number in said.items() if number}

    def study(self) -> None:
        for deck in self.anki.decks.all_names_and_ids():
            self.anki.decks.select(deck.id)
            while (queued := self.anki.sched.getCard()) is not None:
                queued.start_timer()
                self.anki.sched.answerCard(queued, 4)

    def history(self) -> list[object]:
        """Reviews, and all that Anki's cards hold but for the time they were touched."""
        assert self.anki.db is not None
        return [
            self.anki.db.all("select * from revlog"),
            self.anki.db.all("select id, nid, ord, did, due, ivl, factor, reps, lapses, queue, flags, data from cards"),
        ]

    def found(self, search: str) -> list[str]:
        return sorted(self.anki.get_note(note).fields[0] for note in self.anki.find_notes(search))


@pytest.fixture
def learner(tmp_path: Path) -> Iterator[Learner]:
    learner = Learner(tmp_path)
    yield learner
    learner.anki.close()


def test_a_removed_card_gets_a_tag_and_keeps_text_and_history(learner: Learner) -> None:
    learner.build(CARDS)
    learner.take()
    learner.study()
    before, fields = learner.history(), learner.found("")

    built = learner.build(CARDS[1:2], 60)

    assert (built.notes, built.cards, built.marked, built.decks) == (1, 2, 2, (("ml", 1),))
    assert learner.take() == {"updated": 2, "duplicate": 1}
    assert learner.found("tag:mha-quiz::removed") == [fields[0], fields[2]]
    assert learner.found("") == fields
    assert learner.history() == before

    assert learner.build(CARDS[1:2], 120).marked == 0
    assert learner.take() == {"duplicate": 1}

    assert learner.build(CARDS, 180).marked == 0
    assert learner.take() == {"updated": 2, "duplicate": 1}
    assert learner.found("tag:mha-quiz::removed") == []
    assert learner.history() == before


def test_all_that_went_since_the_last_import_is_marked_also_after_more_builds(learner: Learner) -> None:
    learner.build(CARDS)
    learner.take()
    imported = learner.lock()
    draft = card(Basic("Never imported?", "yes"), 20)

    learner.build([*CARDS[1:], draft], 60, imported=imported)
    built = learner.build(CARDS[1:2], 120, imported=imported)

    assert (built.marked, len(built.changes.removed)) == (2, 2)
    assert learner.take() == {"updated": 2, "duplicate": 1}
    assert learner.found("Never") == []
    assert learner.build(CARDS[1:2], 180, imported=learner.lock()).marked == 0


def test_a_removed_note_keeps_its_second_language_and_its_picture(learner: Learner) -> None:
    (learner.folder / "heads.png").write_bytes(b"\x89PNG of heads")
    pictured = replace(CARDS[0], content=Basic("Which heads?", "![[heads.png]]"))
    learner.build((pictured, HINGLISH), twins=[(pictured, HINGLISH)])
    learner.take()
    (note,) = (learner.anki.get_note(id_) for id_ in learner.anki.find_notes(""))
    assert note["Front (second language)"]

    built = learner.build((), 60)

    assert (built.marked, len(built.changes.removed)) == (1, 1)
    assert learner.take() == {"updated": 1}
    assert learner.anki.get_note(note.id).fields == note.fields
    assert "heads-" in note["Back"]
    (learner.folder / "heads.png").unlink()


def test_a_removed_card_that_the_deck_never_had_is_not_sent(learner: Learner) -> None:
    """A deck in one language has no notes in the other."""
    learner.build((*CARDS, HINGLISH), language=Language.EN)
    assert learner.take() == {"new": 3}

    assert learner.build(CARDS[1:], 60, language=Language.EN).marked == 1

    assert learner.take() == {"updated": 1, "duplicate": 2}


def test_a_removed_note_told_in_the_other_language_stays_so(learner: Learner) -> None:
    learner.build((CARDS[0], HINGLISH), twins=[(CARDS[0], HINGLISH)], language=Language.HINGLISH)
    learner.take()
    before = learner.found("")

    assert learner.build((), 60, language=Language.HINGLISH).marked == 1

    assert learner.take() == {"updated": 1}
    assert learner.found("tag:mha-quiz::removed") == before == ["Scores ko kis se divide karte hain?"]


def test_a_removed_card_whose_picture_is_gone_too_is_still_found(learner: Learner) -> None:
    (learner.folder / "heads.png").write_bytes(b"\x89PNG of heads")
    learner.build([replace(CARDS[0], content=Basic("![[heads.png]]", "heads"))])
    learner.take()
    (learner.folder / "heads.png").unlink()

    learner.build((), 60)

    assert learner.take() == {"updated": 1}
    (front,) = learner.found("tag:mha-quiz::removed")
    assert "heads.png" in front


def test_the_search_that_is_told_finds_the_notes_to_move(learner: Learner) -> None:
    long, stays = card(Reversed("Query * _ \\ " * 20, "back"), 2), card(Basic("Stays?", "yes"), 8)
    learner.build((CARDS[0], long, CARDS[2], stays))
    learner.take()

    moved = [replace(it, deck="ml::a_b") for it in (CARDS[0], CARDS[2])]
    built = learner.build([moved[0], long, moved[1], stays], 60)
    learner.take()

    lines = list(todo_lines(built.marked, built.moves))
    assert lines[:2] == [
        "After the import, in Anki's Browser:",
        '  to move cards to "ml::a_b", search this, select all, then Cards > Change Deck (2 notes):',
    ]
    found = learner.anki.find_cards(lines[2].strip())
    assert learner.found(lines[2].strip()) == [
        "Keys: {{c1::\\(K\\)}}, values: {{c2::\\(V\\)}}",
        "What <em>divides</em> the &quot;scores&quot;: a_b?",
    ]
    learner.anki.set_deck(found, learner.anki.decks.id("ml::a_b"))
    built = learner.build([replace(it, deck="x") for it in (moved[0], long, moved[1])] + [stays], 120)
    learner.take()
    searches = [line.strip() for line in todo_lines(built.marked, built.moves) if line.startswith('    "deck:')]
    assert [len(learner.found(search)) for search in searches] == [2, 1]
