"""A build writes the package and the lock together or neither, and reports what it did."""

import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from cards.known import Scope
from cards.lock import Lock
from cards.lock_file import read_lock, write_lock
from cards.model import Basic, Card, Cloze, Content, Deletion, Language, Origin, Place, Reversed
from decks.build import Built, plan, write

THEN = 1_760_000_000
NOTE = "a.md"


def card(content: Content, line: int, tags: tuple[str, ...] = ()) -> Card:
    return Card(content, Origin.FLASHCARD, Place(NOTE, line, 1), "ml", tags, Language.EN, (), (), None)


CARDS = (card(Basic("Q one", "A"), 1), card(Reversed("Q two", "B"), 2), card(Cloze((Deletion(1, "c", None), "d")), 3))


def deck(
    cards: Sequence[Card],
    folder: Path,
    now: int = THEN,
    *,
    out: str = "deck.apkg",
    lock_file: str = "cards.lock",
    twins: Sequence[tuple[Card, Card]] = (),
    language: Language | None = None,
) -> Built:
    lock = read_lock(folder / "cards.lock")
    assert isinstance(lock, Lock)
    scope = Scope({path: path for path in (NOTE, *(card.place.path for card in cards))}, lambda note: True)
    files = {"out": folder / out, "lock_file": folder / lock_file}
    return write(plan(cards, lock, scope=scope, now=now, twins=twins, language=language), **files)


def notes(folder: Path) -> list[tuple[object, ...]]:
    """Modification time, tags and fields of the notes of the package."""
    connection = sqlite3.connect(":memory:")
    connection.deserialize(zipfile.ZipFile(folder / "deck.apkg").read("collection.anki2"))
    rows = connection.execute("SELECT notes.mod, tags, flds FROM notes JOIN cards ON nid = notes.id ORDER BY due, ord")
    found = [(mod, tags.split(), fields.split("\x1f")) for mod, tags, fields in rows]
    connection.close()
    return found


def test_counts_and_changes(tmp_path: Path) -> None:
    built = deck(CARDS, tmp_path)

    assert (built.notes, built.cards, len(built.changes.new), built.problems) == (3, 4, 3, ())


def test_only_what_changed_gets_a_new_time(tmp_path: Path) -> None:
    deck(CARDS, tmp_path)

    deck((CARDS[0]._replace(tags=("new",)), *CARDS[1:]), tmp_path, THEN + 9)

    assert [(mod, tags) for mod, tags, _ in notes(tmp_path)] == [(THEN + 9, ["new"]), *[(THEN, [])] * 3]


def test_a_card_may_be_edited_and_moved(tmp_path: Path) -> None:
    deck(CARDS, tmp_path)

    changes = deck(
        (CARDS[0]._replace(content=Basic("Q one", "other"), heading=("New",)), *CARDS[1:]), tmp_path, THEN + 9
    ).changes

    assert [(edit.old_answer, edit.answer) for edit in changes.edited] == [("A", "other")]
    assert [move.id for move in changes.moved] == [edit.id for edit in changes.edited]


def test_a_clock_that_goes_back_still_gives_a_later_time(tmp_path: Path) -> None:
    deck(CARDS, tmp_path)

    deck((CARDS[0]._replace(content=Basic("Q one", "other")), *CARDS[1:]), tmp_path, THEN - 500)

    assert notes(tmp_path)[0][0] == THEN + 1


def test_a_removed_card_is_reported_and_comes_back_as_itself(tmp_path: Path) -> None:
    first = deck(CARDS, tmp_path).changes.new
    removed = deck(CARDS[1:], tmp_path, THEN + 9).changes.removed
    back = deck(CARDS, tmp_path, THEN + 18).changes.restored

    assert [card.id for card in removed] == [card.id for card in back] == [first[0].id]
    assert notes(tmp_path)[0][0] == THEN + 18


def test_what_went_from_a_note_that_is_not_read_is_no_matter_of_this_package(tmp_path: Path) -> None:
    stays, goes = (card._replace(place=card.place._replace(path="other.md")) for card in CARDS[1:])
    deck((CARDS[0], stays, goes), tmp_path)

    assert deck((CARDS[0], stays), tmp_path, THEN + 9).marked == 1
    assert deck((CARDS[0],), tmp_path, THEN + 18).marked == 0
    assert deck((CARDS[0], stays), tmp_path, THEN + 27).marked == 1


def test_a_package_that_cannot_be_written_leaves_the_lock_alone(tmp_path: Path) -> None:
    deck(CARDS, tmp_path)
    before = (tmp_path / "cards.lock").read_bytes()

    with pytest.raises(OSError, match="directory"):
        deck(CARDS[1:], tmp_path, out="missing/deck.apkg")

    assert (tmp_path / "cards.lock").read_bytes() == before


def test_a_lock_that_cannot_be_written_leaves_the_package_alone(tmp_path: Path) -> None:
    """Else a package would hold ids that no lock knows, and their cards would lose their history with the next edit."""
    deck(CARDS, tmp_path)
    before = (tmp_path / "deck.apkg").read_bytes()
    (tmp_path / "file").touch()

    with pytest.raises(OSError, match="file"):
        deck(CARDS[1:], tmp_path, lock_file="file/cards.lock")

    assert (tmp_path / "deck.apkg").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cards.lock", "deck.apkg", "file"]


HINGLISH = (
    card(Basic("Sawaal ek", "J $x$"), 11)._replace(language=Language.HINGLISH),
    card(Cloze(("x ", Deletion(1, "see", "h"))), 13)._replace(language=Language.HINGLISH),
    card(Basic("Sawaal teen", "K"), 15)._replace(language=Language.HINGLISH),
)
PAIRS = [(CARDS[0], HINGLISH[0]), (CARDS[2], HINGLISH[1])]


def fronts(folder: Path) -> list[object]:
    return [fields[0] for _, _, fields in notes(folder) if isinstance(fields, list)]


def test_twins_share_a_note_that_shows_both(tmp_path: Path) -> None:
    built = deck((*CARDS, *HINGLISH), tmp_path, twins=PAIRS)

    fields = [fields for _, _, fields in notes(tmp_path)]
    assert fields[0] == ["Q one", "A", "", "Sawaal ek", "J \\(x\\)", "", "", "a.md", "", "", ""]
    assert fields[1] == fields[2] == ["Q two", "B", "yes", "", "", "", "", "a.md", "", "", ""]
    assert fields[3] == ["{{c1::c}}d", "x see", "", "", "a.md", "", "", ""]
    assert fields[4][:5] == ["Sawaal teen", "K", "", "", ""]
    assert (built.notes, len(built.changes.new)) == (4, 4)


def test_cards_of_another_kind_share_no_note(tmp_path: Path) -> None:
    assert deck((*CARDS, *HINGLISH), tmp_path, twins=[(CARDS[1], HINGLISH[0]), (CARDS[0], HINGLISH[1])]).notes == 6


def test_a_deck_in_one_language(tmp_path: Path) -> None:
    deck((*CARDS, *HINGLISH), tmp_path, twins=PAIRS, language=Language.HINGLISH)
    assert fronts(tmp_path) == ["Sawaal ek", "x {{c1::see::h}}", "Sawaal teen"]

    deck((*CARDS, *HINGLISH), tmp_path, twins=PAIRS, language=Language.EN)
    assert fronts(tmp_path) == ["Q one", "Q two", "Q two", "{{c1::c}}d"]


def ids(folder: Path) -> dict[str, str]:
    lock = read_lock(folder / "cards.lock")
    assert isinstance(lock, Lock)
    return {card.id: card.shown_on or "" for card in lock.cards}


def test_a_twin_that_comes_later_goes_on_the_note_that_is_there(tmp_path: Path) -> None:
    """Whatever its language: the history is on that note."""
    deck(HINGLISH[:1], tmp_path)
    (known,) = ids(tmp_path)
    built = deck((CARDS[0], HINGLISH[0]), tmp_path, THEN + 9, twins=PAIRS[:1])

    assert [change.id for change in built.changes.edited] == [known]
    assert built.changes.new == ()
    assert [fields[:5] for _, _, fields in notes(tmp_path)] == [["Sawaal ek", "J \\(x\\)", "", "Q one", "A"]]
    assert sorted(ids(tmp_path).values()) == ["", known]

    again = deck((CARDS[0], HINGLISH[0]), tmp_path, THEN + 19, twins=PAIRS[:1])
    assert [seen.id for seen in again.changes.unchanged] == [known]


def test_twins_that_both_have_a_note_keep_both(tmp_path: Path) -> None:
    deck((CARDS[0], HINGLISH[0]), tmp_path)
    built = deck((CARDS[0], HINGLISH[0]), tmp_path, THEN + 9, twins=PAIRS[:1])

    assert (built.notes, len(built.changes.edited)) == (2, 2)
    assert [fields[3] for _, _, fields in notes(tmp_path)] == ["Sawaal ek", "Q one"]


def test_a_deck_in_one_language_in_between_parts_no_twins(tmp_path: Path) -> None:
    both = (*CARDS, *HINGLISH)
    deck(both, tmp_path, twins=PAIRS)
    before, hosts = fronts(tmp_path), ids(tmp_path)

    deck(both, tmp_path, THEN + 9, twins=PAIRS, language=Language.EN)
    assert ids(tmp_path) == hosts

    deck(both, tmp_path, THEN + 19, twins=PAIRS)
    assert (fronts(tmp_path), ids(tmp_path)) == (before, hosts)


def test_a_deck_of_one_note_in_between_parts_no_twins(tmp_path: Path) -> None:
    both = (CARDS[0], HINGLISH[0]._replace(place=Place("b.md", 1, 1)))
    deck(both, tmp_path, twins=[both])
    hosts = ids(tmp_path)

    deck(both[:1], tmp_path, THEN + 9)
    assert ids(tmp_path) == hosts
    assert deck(both, tmp_path, THEN + 19, twins=[both]).notes == 1


def test_a_card_whose_twin_is_gone_keeps_their_note_and_its_history(tmp_path: Path) -> None:
    both = (CARDS[0], HINGLISH[0])
    deck(both, tmp_path, twins=PAIRS[:1])
    ((guest, host),) = ((id_, shown_on) for id_, shown_on in ids(tmp_path).items() if shown_on)

    alone = deck(both[1:], tmp_path, THEN + 9)
    assert [(mod, tags, fields[:5]) for mod, tags, fields in notes(tmp_path)] == [
        (THEN + 9, [], ["Sawaal ek", "J \\(x\\)", "", "", ""])
    ]
    assert [edit.id for edit in alone.changes.edited] == [host]
    assert (alone.notes, alone.marked, alone.changes.new, alone.changes.removed) == (1, 0, (), ())
    assert ids(tmp_path) == {host: "", guest: host}
    again = deck(both[1:], tmp_path, THEN + 19)
    assert [seen.id for seen in again.changes.unchanged] == [host]

    back = deck(both, tmp_path, THEN + 29, twins=PAIRS[:1])
    assert (back.notes, [edit.id for edit in back.changes.edited], ids(tmp_path)) == (
        1,
        [host],
        {host: "", guest: host},
    )
    assert [fields[:5] for _, _, fields in notes(tmp_path)] == [["Sawaal ek", "J \\(x\\)", "", "Q one", "A"]]


def test_the_note_of_a_twin_that_is_gone_is_taken_by_nobody_whom_the_deck_does_not_show(tmp_path: Path) -> None:
    both = (CARDS[0], HINGLISH[0])
    deck(both, tmp_path, twins=PAIRS[:1])
    before = ids(tmp_path)
    built = deck(both[1:], tmp_path, THEN + 9, language=Language.EN)
    assert (built.notes, built.marked, ids(tmp_path)) == (0, 1, before)
    # the tag for removed ones goes again
    deck(both[1:], tmp_path, THEN + 9)
    assert [(mod, tags) for mod, tags, _ in notes(tmp_path)] == [(THEN + 10, [])]


def test_a_card_of_another_kind_takes_no_note(tmp_path: Path) -> None:
    both = (CARDS[0], HINGLISH[0])
    deck(both, tmp_path, twins=PAIRS[:1])
    before = ids(tmp_path)
    reversed_ = HINGLISH[0]._replace(content=Reversed("Sawaal ek", "J $x$"))
    built = deck((reversed_,), tmp_path, THEN + 9)
    assert (built.notes, built.cards, built.marked) == (1, 2, 1)
    assert ids(tmp_path).keys() == before.keys()


@pytest.mark.parametrize(
    ("host", "guests", "left"),
    [
        pytest.param(CARDS[2], (CARDS[0],), 1, id="a cloze has other fields"),
        pytest.param(CARDS[2], (card(Cloze((Deletion(2, "x", None), "y")), 7),), 1, id="a cloze has other numbers"),
        pytest.param(CARDS[0], (HINGLISH[0], HINGLISH[2]), 0, id="two cards on one note"),
    ],
)
def test_a_lock_merged_by_hand_gives_a_note_to_one_card_that_fits(
    host: Card, guests: tuple[Card, ...], left: int, tmp_path: Path
) -> None:
    host_id = deck((host,), tmp_path).changes.new[0].id
    deck((host, *guests), tmp_path)
    lock = read_lock(tmp_path / "cards.lock")
    assert isinstance(lock, Lock)
    merged = (card if card.id == host_id else card._replace(shown_on=host_id) for card in lock.cards)
    write_lock(tmp_path / "cards.lock", replace(lock, cards=tuple(merged)))

    built = deck(guests, tmp_path, THEN + 9)
    assert (built.notes, built.marked) == (len(guests), left)
    assert len(notes(tmp_path)) == len(guests)


def test_a_twin_of_a_cloze_whose_numbers_the_lock_changed(tmp_path: Path) -> None:
    other = card(Cloze(("y ", Deletion(1, "z", None))), 13)._replace(language=Language.HINGLISH)
    two = card(Cloze(("Heads are ", Deletion(1, "many", None), " and ", Deletion(2, "narrow", None))), 3)
    deck((two,), tmp_path)

    kept = card(Cloze(("Heads are many and ", Deletion(1, "narrow", None))), 3)
    deck((kept,), tmp_path, THEN + 9, twins=[(kept, other)])

    assert notes(tmp_path)[0][2][:2] == ["Heads are many and {{c2::narrow}}", "y z"]


def test_a_card_with_a_side_that_shows_nothing_is_left_out_and_told(tmp_path: Path) -> None:
    empty = (card(Basic("<b></b>", "A"), 1), card(Basic("Q", "<br>"), 2), card(Basic("Q two", "B"), 3))
    built = deck(empty, tmp_path)
    assert (built.notes, [str(problem) for problem in built.problems]) == (
        1,
        [f"{NOTE}:{at}:1: nothing of the {side} can be shown in Anki" for at, side in ((1, "front"), (2, "back"))],
    )


def test_a_card_under_another_heading_is_moved_and_not_edited(tmp_path: Path) -> None:
    """Though its note changes, which shows the heading."""
    deck(CARDS[:1], tmp_path)
    moved = CARDS[0]._replace(heading=("Heads",))
    changes = deck((moved,), tmp_path, THEN + 9).changes
    assert (len(changes.moved), changes.edited, notes(tmp_path)[0][0]) == (1, (), THEN + 9)
    both = moved._replace(heading=("Masks",), content=Basic("Q one", "A and more"))
    changes = deck((both,), tmp_path, THEN + 19).changes
    assert (len(changes.moved), len(changes.edited)) == (1, 1)


def test_a_twin_without_a_note_of_its_own_is_not_told_as_removed(tmp_path: Path) -> None:
    both = (CARDS[0], HINGLISH[0])
    deck(both, tmp_path, twins=PAIRS[:1])
    built = deck(both[:1], tmp_path, THEN + 9)
    assert (built.changes.removed, len(built.changes.edited), built.marked) == ((), 1, 0)


def met_in_a_review_alone(folder: Path) -> None:
    """Makes the lock forget that there ever was a deck."""
    lock = read_lock(folder / "cards.lock")
    assert isinstance(lock, Lock)
    cards = tuple(card._replace(fingerprint="") for card in lock.cards)
    write_lock(folder / "cards.lock", replace(lock, cards=cards))


def test_a_card_that_no_deck_had_leaves_nothing_empty_in_anki(tmp_path: Path) -> None:
    two = Cloze((Deletion(1, "keys", None), " and ", Deletion(2, "values", None)))
    one = Cloze((Deletion(1, "keys", None), " and values"))
    deck((card(two, 3),), tmp_path)
    met_in_a_review_alone(tmp_path)
    assert deck((card(one, 3),), tmp_path, THEN + 9).emptied == 0


def test_a_card_that_no_deck_had_is_not_marked_as_removed(tmp_path: Path) -> None:
    deck(CARDS[:1], tmp_path)
    met_in_a_review_alone(tmp_path)
    built = deck((), tmp_path, THEN + 9)
    assert (built.marked, built.changes.removed) == (0, ())


def test_a_card_that_a_deck_in_one_language_leaves_out_is_still_one_that_no_deck_had(tmp_path: Path) -> None:
    deck(HINGLISH[2:], tmp_path)
    met_in_a_review_alone(tmp_path)
    before = (tmp_path / "cards.lock").read_text("utf-8")
    assert deck(HINGLISH[2:], tmp_path, THEN + 9, language=Language.EN).notes == 0
    assert (tmp_path / "cards.lock").read_text("utf-8") == before


def test_no_cards_give_an_empty_package(tmp_path: Path) -> None:
    assert deck((), tmp_path).notes == 0
    assert notes(tmp_path) == []


BUILDER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from cards.model import Basic
from test_build import card, deck
folder = Path(sys.argv[2])
print("ready", flush=True)
for run in range(1_000_000):
    deck([card(Basic(f"Which is number {n} of run {run}?", "x" * 200), n + 1) for n in range(200)], folder)
"""


def test_a_killed_build_leaves_no_card_that_the_lock_does_not_know(tmp_path: Path) -> None:
    rng = Random(1)
    for _ in range(4):
        command = [sys.executable, "-c", BUILDER, Path(__file__).parent, tmp_path]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as builder:
            assert builder.stdout is not None
            try:
                assert builder.stdout.readline() == b"ready\n"
                while not (tmp_path / "deck.apkg").exists():
                    time.sleep(0.001)
                time.sleep(rng.uniform(0, 0.4))
            finally:
                builder.send_signal(signal.SIGKILL)
        lock = read_lock(tmp_path / "cards.lock")
        assert isinstance(lock, Lock)
        connection = sqlite3.connect(":memory:")
        connection.deserialize(zipfile.ZipFile(tmp_path / "deck.apkg").read("collection.anki2"))
        guids = {guid for (guid,) in connection.execute("SELECT guid FROM notes")}
        connection.close()
        assert guids
        assert guids <= {it.id for it in lock.cards}
