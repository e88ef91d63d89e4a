"""What must hold in a learner's Anki whatever happens to the notes; real packages, imported as File > Import does."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest

from cards.known import Scope
from cards.lock import Lock
from cards.lock_file import read_lock
from cards.media import Vault
from cards.model import Basic, Card, Cloze, Content, Deletion, Language, Origin, Place, Reversed
from decks import note_types
from decks.build import Built, plan, write
from decks.removed import SENT_FOR
from decks.report import todo_lines

THEN = 1_760_000_000
LATER = int(time.time()) - THEN + 300
"""After all imports here: Anki before 24.12 dates a note that it updates with the time of the import."""
NOTE = "attention.md"
SCOPE = Scope({NOTE: NOTE}, lambda note: True)


def card(content: Content, line: int, *, deck: str = "ml") -> Card:
    return Card(content, Origin.FLASHCARD, Place(NOTE, line, 1), deck, (), Language.EN, ("Heads",), (), None)


CARDS = (
    card(Basic('What *divides* the "scores": a_b?', "$\\sqrt{d_k}$"), 1),
    card(Reversed("Query", "what a token looks for"), 2),
    card(Cloze(("Keys: ", Deletion(1, "$K$", None), ", values: ", Deletion(2, "$V$", None))), 3),
)
HINGLISH = card(Basic("Scores ko kis se divide karte hain?", "$\\sqrt{d_k}$ se"), 9)._replace(
    language=Language.HINGLISH
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
        return write(
            plan(
                cards,
                self.lock(),
                scope=SCOPE,
                now=THEN + after,
                twins=twins,
                language=language,
                vault=Vault(self.folder),
                imported=imported,
            ),
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

    assert learner.build(CARDS[1:2], 120).marked == 2
    assert learner.take() == {"duplicate": 3}

    assert learner.build(CARDS, LATER).marked == 0
    assert learner.take() == {"updated": 2, "duplicate": 1}
    assert learner.found("tag:mha-quiz::removed") == []
    assert learner.history() == before


def test_a_removed_card_shows_the_signs_of_its_line_as_before(learner: Learner) -> None:
    sharp = card(Basic("# or ##?", "sharp"), 20)._replace(in_line=True)
    learner.build([*CARDS, sharp])
    learner.take()
    fields = learner.found("Back:sharp")
    learner.build(CARDS, 60)
    learner.take()
    assert learner.found("tag:mha-quiz::removed") == fields


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
    assert learner.build(CARDS[1:2], 180 + SENT_FOR, imported=learner.lock()).marked == 0


def test_a_removed_note_keeps_its_second_language_and_its_picture(learner: Learner) -> None:
    (learner.folder / "heads.png").write_bytes(b"\x89PNG of heads")
    pictured = CARDS[0]._replace(content=Basic("Which heads?", "![[heads.png]]"))
    learner.build((pictured, HINGLISH), twins=[(pictured, HINGLISH)])
    learner.take()
    (note,) = (learner.anki.get_note(id_) for id_ in learner.anki.find_notes(""))
    assert note["Front (second language)"]

    built = learner.build((), 60)

    assert (built.marked, len(built.changes.removed)) == (1, 1)
    assert learner.take() == {"updated": 1}
    assert learner.anki.get_note(note.id).fields == note.fields
    assert "heads-" in note["Back"]
    learner.anki.remove_notes([note.id])
    assert learner.build((), 120).marked == 1
    assert learner.take() == {"new": 1}
    assert [learner.anki.get_note(id_).fields for id_ in learner.anki.find_notes("")] == [note.fields]
    (learner.folder / "heads.png").unlink()


def test_a_removed_card_that_the_deck_never_had_is_not_sent(learner: Learner) -> None:
    """A deck in one language has no notes in the other."""
    learner.build((*CARDS, HINGLISH), language=Language.EN)
    assert learner.take() == {"new": 3}

    assert learner.build(CARDS[1:], 60, language=Language.EN).marked == 1

    assert learner.take() == {"updated": 1, "duplicate": 2}


CLOZES = (
    card(Cloze(("Heads: ", Deletion(1, "eight", None))), 11),
    card(Cloze(("Heads: ", Deletion(1, "aath", None))), 12)._replace(language=Language.HINGLISH),
)


@pytest.mark.parametrize("first", Language)
def test_cloze_twins_share_the_note_of_the_first_language(first: Language, learner: Learner) -> None:
    """Anki was given that note alone, and the history on it stays."""
    for after in (0, 60):
        learner.build(CLOZES, after, twins=[CLOZES], language=first)
        learner.take()
    learner.study()
    before, text = learner.history(), learner.found("")

    built = learner.build(CLOZES, LATER, twins=[CLOZES])

    assert (built.notes, len(built.changes.edited), built.changes.new) == (1, 1, ())
    assert learner.take() == {"updated": 1}
    assert (learner.history(), learner.found("")) == (before, text)
    assert learner.found('"Text (second language):_*"') == text
    assert learner.build(CLOZES, LATER + 60, twins=[CLOZES]).changes.edited == ()


def test_decks_in_one_language_each_keep_their_notes(learner: Learner) -> None:
    for at, language in enumerate(Language):
        learner.build(CLOZES, 60 * at, twins=[CLOZES], language=language)
        learner.take()
    learner.study()
    before = learner.history()

    assert learner.build(CLOZES, LATER, twins=[CLOZES]).notes == 2
    assert learner.take() == {"updated": 2}
    assert learner.history() == before
    assert learner.found("tag:mha-quiz::removed") == []


def test_a_removed_note_told_in_the_other_language_stays_so(learner: Learner) -> None:
    learner.build((CARDS[0], HINGLISH), twins=[(CARDS[0], HINGLISH)], language=Language.HINGLISH)
    learner.take()
    before = learner.found("")

    assert learner.build((), 60, language=Language.HINGLISH).marked == 1

    assert learner.take() == {"updated": 1}
    assert learner.found("tag:mha-quiz::removed") == before == ["Scores ko kis se divide karte hain?"]


def test_a_removed_card_whose_picture_is_gone_too_is_still_found(learner: Learner) -> None:
    (learner.folder / "heads.png").write_bytes(b"\x89PNG of heads")
    learner.build([CARDS[0]._replace(content=Basic("![[heads.png]]", "heads"))])
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

    moved = [it._replace(deck="ml::a_b") for it in (CARDS[0], CARDS[2])]
    built = learner.build([moved[0], long, moved[1], stays], 60)
    learner.take()

    lines = list(todo_lines(built.marked, built.emptied, built.moves))
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
    built = learner.build([it._replace(deck="x") for it in (moved[0], long, moved[1])] + [stays], 120)
    learner.take()
    searches = [
        line.strip() for line in todo_lines(built.marked, built.emptied, built.moves) if line.startswith('    "deck:')
    ]
    assert [len(learner.found(search)) for search in searches] == [2, 1]


def edited(answer: str = "$\\sqrt{d_k}$, always") -> list[Card]:
    assert isinstance(CARDS[0].content, Basic)
    return [CARDS[0]._replace(content=Basic(CARDS[0].content.front, answer)), *CARDS[1:]]


def test_what_a_learner_did_to_unchanged_notes_stays(learner: Learner) -> None:
    """Only the note that changed takes the tags of the notes; no card is touched."""
    learner.build(CARDS)
    learner.take()
    learner.study()
    (keys,) = learner.anki.find_notes("Text:Keys*")
    note = learner.anki.get_note(keys)
    note["Extra"], note.tags = "my own words", ["mine", "leech", "marked"]
    learner.anki.update_note(note)
    query = learner.anki.find_cards("Front:Query")
    learner.anki.set_user_flag_for_cards(3, query)
    learner.anki.sched.suspend_cards(query)
    learner.anki.sched.bury_cards(learner.anki.find_cards("Text:Keys* card:1"))
    before = learner.history()

    learner.build(edited(), 60)

    assert learner.take() == {"updated": 1, "duplicate": 2}
    assert learner.history() == before
    note.load()
    assert (note["Extra"], note.tags) == ("my own words", ["leech", "marked", "mine"])


def test_a_note_that_changes_loses_the_tags_of_the_learner(learner: Learner) -> None:
    """Anki's doing, which the docs tell."""
    learner.build(CARDS)
    learner.take()
    (first,) = learner.anki.find_notes("Front:What*")
    learner.anki.tags.bulk_add([first], "mine")
    assert learner.anki.db is not None
    learner.anki.db.execute("update notes set mod = ?", THEN)

    learner.build(edited(), 60)
    learner.take()

    assert learner.anki.get_note(first).tags == []


def test_a_note_that_the_learner_edited_later_stays_as_the_learner_has_it(learner: Learner) -> None:
    learner.build(CARDS)
    learner.take()
    (first,) = learner.anki.find_notes("Front:What*")
    note = learner.anki.get_note(first)
    note["Back"] = "my own answer"
    learner.anki.update_note(note)  # now, which is later than any time in this test

    learner.build(edited(), 60)

    assert learner.take() == {"duplicate": 3}
    assert learner.anki.get_note(first)["Back"] == "my own answer"


def test_cards_stay_in_the_deck_that_the_learner_renamed_or_chose(learner: Learner) -> None:
    learner.build(CARDS)
    learner.take()
    learner.study()
    decks = learner.anki.decks
    decks.rename(decks.by_name("ml"), "My deck")
    elsewhere = decks.id("Elsewhere")
    assert elsewhere is not None
    learner.anki.set_deck(learner.anki.find_cards("Front:Query"), elsewhere)
    before = learner.history()

    learner.build([*edited(), card(Basic("Later?", "yes"), 20)], 60)

    assert learner.take() == {"new": 1, "updated": 1, "duplicate": 2}
    assert [*learner.found("deck:Elsewhere"), *learner.found("deck:ml")] == ["Query", "Later?"]
    history = learner.history()
    assert history[0] == before[0]
    assert [row for row in history[1] if row in before[1]] == before[1]


def test_a_note_that_the_learner_deleted_comes_back_only_as_new(learner: Learner) -> None:
    learner.build(CARDS)
    learner.take()
    learner.anki.remove_notes(learner.anki.find_notes("Front:Query"))

    learner.build(CARDS, 60)

    assert learner.take() == {"new": 1, "duplicate": 2}


def test_the_style_of_the_learner_stays_until_we_release_another(
    learner: Learner, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner.build(CARDS)
    learner.take()
    notetype = learner.anki.models.by_name("mha-quiz Basic")
    assert notetype is not None
    notetype["css"] = ".card { color: teal }"
    learner.anki.models.update_dict(notetype)

    learner.build(edited(), 60)
    assert learner.take() == {"updated": 1, "duplicate": 2}
    kept = learner.anki.models.by_name("mha-quiz Basic")
    assert kept is not None
    assert kept["css"] == ".card { color: teal }"

    monkeypatch.setattr("decks.apkg.RELEASED", kept["mod"] + 1)
    learner.build(edited("another"), LATER)
    assert learner.take() == {"updated": 1, "duplicate": 2}
    released = learner.anki.models.by_name("mha-quiz Basic")
    assert released is not None
    assert released["css"] == note_types.basic().css
    assert [it.name for it in learner.anki.models.all_names_and_ids() if it.name.endswith("+")] == []


def test_a_learner_may_rename_note_types_fields_and_templates(learner: Learner) -> None:
    """They carry ids, so Anki finds them again instead of making a copy that is never updated."""
    learner.build(CARDS)
    learner.take()
    learner.study()
    notetype = learner.anki.models.by_name("mha-quiz Basic")
    assert notetype is not None
    notetype["name"] = "Mine"
    learner.anki.models.rename_field(notetype, notetype["flds"][1], "Answer")
    notetype["tmpls"][0]["name"] = "Forwards"
    learner.anki.models.update_dict(notetype)
    before = learner.history()

    learner.build(edited(), 60)

    assert learner.take() == {"updated": 1, "duplicate": 2}
    assert learner.history() == before


def test_history_stays_with_its_cloze_when_others_go(learner: Learner) -> None:
    learner.build(CARDS)
    learner.take()
    learner.study()
    before = learner.history()
    assert isinstance(CARDS[2].content, Cloze)
    fewer = CARDS[2]._replace(content=Cloze(("Keys: $K$, values: ", Deletion(1, "$V$", None))))
    imported = learner.lock()

    assert learner.build([*CARDS[:2], fewer], 60).emptied == 1
    assert learner.build([*CARDS[:2], fewer], 60, imported=imported).emptied == 1

    assert learner.take() == {"updated": 1, "duplicate": 2}
    assert learner.history() == before
    assert learner.found("Text:*c2*V*") == ["Keys: \\(K\\), values: {{c2::\\(V\\)}}"]
    assert [note.card_ids for note in learner.anki.get_empty_cards().notes] == [
        list(learner.anki.find_cards("Text:Keys* card:1"))
    ]


def test_a_card_may_be_asked_both_ways_later_and_one_way_again(learner: Learner) -> None:
    learner.build(CARDS)
    learner.take()
    learner.study()
    before = learner.history()
    assert isinstance(CARDS[0].content, Basic)
    both = CARDS[0]._replace(content=Reversed(CARDS[0].content.front, CARDS[0].content.back))

    assert learner.build([both, *CARDS[1:]], 60).emptied == 0
    assert learner.take() == {"updated": 1, "duplicate": 2}
    history = learner.history()
    assert history[0] == before[0]
    assert [row for row in history[1] if row in before[1]] == before[1]
    (fresh,) = (row for row in history[1] if row not in before[1])

    assert learner.build(CARDS, LATER).emptied == 1
    assert learner.take() == {"updated": 1, "duplicate": 2}
    assert learner.history() == history
    assert [list(note.card_ids) for note in learner.anki.get_empty_cards().notes] == [fresh[:1]]
    assert learner.build(CARDS, LATER + 60).emptied == 0


def test_a_changed_picture_reaches_a_note_that_has_it(learner: Learner) -> None:
    (learner.folder / "heads.png").write_bytes(b"\x89PNG one")
    pictured = [CARDS[0]._replace(content=Basic("Which heads?", "![[heads.png]]"))]
    learner.build(pictured)
    learner.take()
    (learner.folder / "heads.png").write_bytes(b"\x89PNG two")

    learner.build(pictured, 60)

    assert learner.take() == {"updated": 1}
    media = Path(learner.anki.media.dir())
    assert sorted(path.read_bytes() for path in media.glob("heads-*.png")) == [b"\x89PNG one", b"\x89PNG two"]
    (note,) = (learner.anki.get_note(id_) for id_ in learner.anki.find_notes(""))
    (name,) = learner.anki.media.files_in_str(note.mid, note["Back"])
    assert (media / name).read_bytes() == b"\x89PNG two"


def test_a_lock_that_was_lost_costs_no_history(learner: Learner) -> None:
    learner.build(CARDS)
    learner.take()
    learner.study()
    before = learner.history()
    (learner.folder / "cards.lock").unlink()

    learner.build(CARDS, 60)

    assert learner.take() == {"updated": 3}
    assert learner.history() == before


def test_a_removed_card_is_marked_also_where_another_package_was_built_before_the_import(learner: Learner) -> None:
    learner.build(CARDS)
    learner.take()
    learner.build(CARDS[1:], 60)
    built = learner.build([CARDS[1]._replace(content=Reversed("Query", "what a token wants")), CARDS[2]], 120)

    assert (built.marked, len(built.changes.removed)) == (1, 0)
    assert learner.take() == {"updated": 2, "duplicate": 1}
    assert len(learner.found("tag:mha-quiz::removed")) == 1


def test_a_removed_card_that_was_deleted_in_anki_is_not_asked_again(learner: Learner) -> None:
    learner.build(CARDS)
    learner.take()
    learner.build(CARDS[1:], 60)
    learner.take()
    learner.anki.remove_notes(learner.anki.find_notes("tag:mha-quiz::removed"))
    cards = learner.anki.card_count()

    learner.build(CARDS[1:], 120)
    assert learner.take() == {"new": 1, "duplicate": 2}
    assert learner.anki.card_count() == cards
    assert learner.anki.find_cards("tag:mha-quiz::removed") == []

    learner.build(CARDS, LATER)
    assert learner.take() == {"updated": 1, "duplicate": 2}
    assert learner.anki.card_count() == cards + 1
    assert learner.found("tag:mha-quiz::removed") == []


def test_whoever_never_had_a_removed_card_is_not_asked_it(learner: Learner) -> None:
    learner.build([CARDS[0]._replace(deck="gone"), *CARDS[1:]])
    learner.build(CARDS[1:], 60)

    assert learner.take() == {"new": 3}
    assert learner.anki.find_cards("tag:mha-quiz::removed") == []
    assert learner.anki.card_count() == 4
    assert learner.anki.decks.by_name("gone") is None


def test_a_removed_card_leaves_the_packages_in_the_end(learner: Learner) -> None:
    learner.build(CARDS)
    learner.build(CARDS[1:], 60)

    assert learner.build(CARDS[1:], 59 + SENT_FOR).marked == 1
    assert learner.build(CARDS[1:], 60 + SENT_FOR).marked == 0
