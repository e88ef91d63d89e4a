"""Ids and histories survive edits, and none goes to another card."""

import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from hashlib import sha256
from itertools import product
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards.collection import read
from cards.identity import Changes, Edited, Identified, Moved, Seen, identify, question_of
from cards.judge import Judge
from cards.known import Scope, scope_of
from cards.lock import Lock, LockedCard, format_lock, parse_lock
from cards.model import Basic, Card, Cloze, Content, Deletion, Language, Origin, Place, Problem, Reversed

CASES = Path(__file__).parent / "data" / "same_card.md"
THEN, NOW = 1_700_000_000, 1_700_086_400
NOTHING = Lock()


def card(
    content: Content, note: str = "a.md", line: int = 1, *heading: str, deck: str = "bio", block_id: str | None = None
) -> Card:
    return Card(content, Origin.FLASHCARD, Place(note, line, 1), deck, (), Language.EN, heading, (), block_id)


def fingerprint(it: Card) -> str:
    return repr((it.content, it.tags))


def build(
    cards: Sequence[Card],
    lock: Lock = NOTHING,
    now: int = NOW,
    *,
    unread: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> Identified:
    """A run that read the notes of the cards and `notes`; `unread` exist too."""
    named = {it.place.path for it in cards} | set(notes)
    scope = Scope({name: name for name in named}, lambda note: note in named or note in unread)
    return identify(cards, lock, now=now, fingerprint=fingerprint, scope=scope)


def ids(result: Identified) -> list[str]:
    return [it.id for it in result.cards]


def one(result: Identified) -> LockedCard:
    (found,) = result.lock.cards
    return found


Q, A = "What makes ATP?", "the mitochondrion"
FIRST = card(Basic(Q, A), "a.md", 3, "Cell")


# Matching, case by case.


def parsed(line: str, at: int) -> Card:
    place, _, text = line.rpartition(" | ")
    note, _, heading = place.partition(" > ")
    text = text.replace("\\n", "\n")
    front, separator, back = text.partition(" :: ")
    content: Content = Basic(front, back)
    if not separator:
        parts = text.split("==")
        content = Cloze(
            tuple(Deletion(i // 2 + 1, part, None) if i % 2 else part for i, part in enumerate(parts) if part)
        )
    return card(content, note or "a.md", at, *filter(None, [heading]))


def cases() -> list[tuple[str, list[str]]]:
    blocks = CASES.read_text("utf-8").split("\n## ")[1:]
    return [(lines[0], [line for line in lines[1:] if line]) for lines in (block.split("\n") for block in blocks)]


@pytest.mark.parametrize(("name", "lines"), cases(), ids=[name for name, _ in cases()])
def test_case(name: str, lines: list[str]) -> None:
    both = [parsed(line[2:], at) for at, line in enumerate(lines) if line[0] == "="]
    old = [parsed(line[2:], at) for at, line in enumerate(lines) if line[0] == "-"]
    new = [line[2:].split(" => ") for line in lines if line[0] == "+"]
    before = build([*old, *both], now=THEN)
    after = build([*(parsed(line, at) for at, (line, _) in enumerate(new)), *both], before.lock)
    number_of = {it.id: str(at) for at, it in enumerate(before.cards, start=1)}
    unsure = {it.place for it in after.problems if it.code == "unsure-match"}
    verdicts = [number_of.get(it.id, "unsure" if it.card.place in unsure else "new") for it in after.cards[: len(new)]]
    assert verdicts == [verdict for _, verdict in new]


# The birth of an id.


def test_ids_are_these_on_any_machine() -> None:
    notes = [
        card(Basic(Q, A)),
        card(Basic(Q, "another answer"), line=2),
        card(Reversed("dog", "Hund"), line=3),
        card(Cloze(("The ", Deletion(1, "cell", None), " lives.")), line=4),
        card(Basic("The cell lives.", ""), line=5),
    ]
    names = "33wjrhodxskxn3ya puzecee53ot3a3ll oagfikt6twcwohfh 5ni6s75ygttocc4p l7gsnssb76uaxy2l"
    assert " ".join(ids(build(notes))) == names


SCRIPT = """
from cards.identity import identify
from cards.judge import Judge
from cards.known import Scope
from cards.lock import Lock
from cards.model import Basic, Card, Language, Origin, Place
cards = [
    Card(Basic(f"Q {n % 3}?", str(n)), Origin.FLASHCARD, Place("a.md", n, 1), "", (), Language.EN, (), (), None)
    for n in range(1, 20)
]
first = identify(cards, Lock(), now=1, fingerprint=repr, scope=Scope({"a.md": "a.md"}, bool))
scope = Scope({"a.md": "a.md", "b.md": "b.md"}, bool)
again = identify(cards[5:], first.lock, now=2, fingerprint=repr, scope=scope)
print(first, again)
"""


def test_nothing_hangs_on_the_hash_seed() -> None:
    runs = [
        subprocess.run([sys.executable, "-c", SCRIPT], env={"PYTHONHASHSEED": seed}, check=True, capture_output=True)
        for seed in ("1", "2")
    ]
    assert runs[0].stdout == runs[1].stdout != b""


def test_ids_are_the_same_without_a_lock_whatever_the_order() -> None:
    notes = [card(Basic(Q, f"answer {at}"), note, at) for at, note in enumerate(("a.md", "b.md", "b.md", "c.md"))]
    named = {it.card: it.id for it in build(notes).cards}
    assert {it.card: it.id for it in build(notes[::-1]).cards} == named
    assert len(set(named.values())) == 4


def test_a_new_card_never_gets_the_name_of_a_retired_one() -> None:
    first = build([FIRST], now=THEN)
    gone = build([], first.lock, notes=["a.md"])
    other = build([card(Basic(Q, "chloroplasts"), "b.md")], gone.lock, unread=["a.md"])
    assert ids(other) != ids(first)
    assert [it.retired for it in other.lock.cards] == [it.id in ids(first) for it in other.lock.cards]


def test_equal_cards_go_by_line_whatever_the_order() -> None:
    equal = [FIRST._replace(place=Place("a.md", line, 1)) for line in range(1, 5)]
    first = build(equal)
    assert ids(build(equal[::-1], first.lock)) == ids(first)[::-1]


# Reports and times.


def test_first_run() -> None:
    result = build([FIRST])
    (name,) = ids(result)
    assert result.changes == Changes(new=(Seen(name, FIRST.place),))
    assert result.cards[0].changed == NOW
    assert one(result) == LockedCard(name, "a.md", ("Cell",), "bio", Basic(Q, A), None, fingerprint(FIRST), NOW)


def test_unchanged() -> None:
    first = build([FIRST], now=THEN)
    again = build([FIRST], first.lock)
    assert again.changes == Changes(unchanged=(Seen(ids(first)[0], FIRST.place),))
    assert again.cards == first.cards
    assert again.lock == first.lock


def test_edited() -> None:
    first = build([FIRST], now=THEN)
    edit = card(Basic("What makes the ATP?", "mitochondria"), "a.md", 9, "Cell")
    again = build([edit], first.lock)
    assert again.changes == Changes(
        edited=(Edited(ids(first)[0], edit.place, Q, A, "What makes the ATP?", "mitochondria"),)
    )
    assert again.cards[0].changed == NOW
    assert one(again).content == edit.content


def test_moved() -> None:
    first = build([FIRST], now=THEN)
    move = FIRST._replace(place=Place("b.md", 7, 1), heading=("Energy",), deck="exam")
    again = build([move], first.lock, notes=["a.md"])
    assert again.changes == Changes(moved=(Moved(ids(first)[0], move.place, "a.md", "bio"),))
    assert again.cards[0].changed == THEN


def test_edited_and_moved_is_both() -> None:
    first = build([FIRST], now=THEN)
    again = build([card(Basic(Q, A + ", mostly"), "b.md")], first.lock)
    assert [it.id for it in again.changes.edited] == [it.id for it in again.changes.moved] == ids(first)
    assert again.changes.new == again.changes.removed == again.changes.unchanged == ()


def test_only_tags_changed() -> None:
    first = build([FIRST], now=THEN)
    again = build([FIRST._replace(tags=("hard",))], first.lock)
    assert [it.id for it in again.changes.edited] == ids(first)


def test_basic_to_reversed_keeps_the_id() -> None:
    first = build([FIRST], now=THEN)
    again = build([FIRST._replace(content=Reversed(Q, A))], first.lock)
    assert ids(again) == ids(first)
    assert [it.id for it in again.changes.edited] == ids(first)
    assert again.problems == ()


def test_removed_and_back() -> None:
    first = build([FIRST], now=THEN)
    gone = build([], first.lock, THEN + 5, notes=["a.md"])
    assert gone.changes == Changes(removed=(Seen(ids(first)[0], Place("a.md", 1, 1)),))
    assert one(gone) == one(first)._replace(retired=True, changed=THEN + 5)
    still = build([], gone.lock, notes=["a.md"])
    assert (still.changes, still.lock) == (Changes(), gone.lock)
    back = build([FIRST._replace(place=Place("b.md", 2, 1))], still.lock)
    assert back.changes == Changes(restored=(Seen(ids(first)[0], Place("b.md", 2, 1)),))
    assert back.cards[0].changed == NOW, "Anki may have the card as removed, so it must be sent again"


@pytest.mark.parametrize(
    ("alike", "is_back"),
    [
        (Basic("What makes the  ATP?", A), True),
        (Basic(Q, "chloroplasts in the light"), False),
        (Basic("Where is ATP made?", A), False),
    ],
)
def test_only_its_own_text_brings_a_retired_card_back(alike: Content, is_back: bool) -> None:
    first = build([FIRST], now=THEN)
    gone = build([], first.lock, notes=["a.md"])
    assert (ids(build([card(alike)], gone.lock)) == ids(first)) == is_back
    assert (
        is_back or alike == Basic(Q, "chloroplasts in the light") or ids(build([card(alike)], first.lock)) == ids(first)
    )


def test_words_of_other_cards_bring_no_retired_card_back() -> None:
    others = (
        card(Basic("Definition", "osmosis is a way that can reach balance")),
        card(Basic("Definition", "diffusion is a way that can reach order"), line=2),
    )
    gone = build([*others, card(Basic("Definition", "entropy is a way that can reach proof"), line=3)], now=THEN)
    back = card(Basic("Definition", "One calls entropy what leads to proof"), line=3)
    assert ids(build([*others, back], gone.lock))[2] == ids(gone)[2]
    assert ids(build([*others, back], build(others, gone.lock).lock))[2] != ids(gone)[2]


def test_a_living_card_comes_before_a_retired_one() -> None:
    twins = [FIRST, FIRST._replace(place=Place("b.md", 1, 1))]
    first = build(twins, now=THEN)
    gone = build(twins[1:], first.lock, notes=["a.md"])
    again = build([FIRST], gone.lock, notes=["b.md"])
    assert ids(again) == ids(first)[1:]


def test_times_grow_when_the_clock_went_back() -> None:
    first = build([FIRST], now=NOW)
    edit = FIRST._replace(content=Basic(Q, "mitochondria"))
    again = build([edit], first.lock, THEN)
    assert again.cards[0].changed == NOW + 1
    assert again.problems == (
        Problem(
            edit.place, "clock-behind", "cards.lock says that this card changed later than now; is the clock right?"
        ),
    )


def test_a_card_that_comes_back_when_the_clock_went_back_is_taken_by_anki() -> None:
    gone = build([], build([FIRST], now=NOW).lock, NOW + 5)
    again = build([FIRST], gone.lock, THEN)
    assert again.cards[0].changed == NOW + 6


def test_two_edits_in_a_second_have_two_times() -> None:
    first = build([FIRST])
    again = build([FIRST._replace(content=Basic(Q, "mitochondria"))], first.lock)
    assert (again.cards[0].changed, again.problems) == (NOW + 1, ())


# Problems.


def test_too_close_to_call_is_said() -> None:
    answer = "It makes weights"
    first = build(
        [
            card(Basic(f"What is the {word} of the softmax?", answer), line=at)
            for at, word in enumerate(("role", "purpose"))
        ]
    )
    again = build([card(Basic("What is the function of the softmax?", answer))], first.lock)
    assert again.problems == (
        Problem(
            Place("a.md", 1, 1),
            "unsure-match",
            'too close to call whether this was "What is the role of the softmax?" or '
            '"What is the purpose of the softmax?"; it is a new card, without a history',
        ),
    )
    assert len(again.changes.new) == 1
    assert len(again.changes.removed) == 2


def test_of_many_rivals_a_few_are_named() -> None:
    words = ("role", "purpose", "use", "reason", "importance", "necessity", "meaning")
    first = build(
        [
            card(Basic(f"What is the {word} of the softmax?", "It makes weights"), line=at)
            for at, word in enumerate(words)
        ]
    )
    again = build([card(Basic("What is the function of the softmax?", "It makes weights"))], first.lock)
    (problem,) = again.problems
    named = ("reason", "use", "meaning", "importance", "role")
    told = " or ".join(f'"What is the {word} of the softmax?"' for word in named)
    assert problem.message == (
        f"too close to call whether this was {told} or another; it is a new card, without a history"
    )


def test_equal_rivals_are_named_once() -> None:
    first = build([card(Basic("What does it do?", "It makes weights"), line=at) for at in range(3)])
    again = build([card(Basic("What does it do?", "It makes good weights"))], first.lock)
    (problem,) = again.problems
    assert problem.message == (
        'too close to call whether this was "What does it do?"; it is a new card, without a history'
    )


MANY = 300


def test_of_more_cards_that_ask_the_same_than_can_be_looked_at_none_is_guessed() -> None:
    first = build([card(Basic("What does it do?", "It makes weights"), line=at) for at in range(1, MANY)])
    again = build(
        [card(Basic("What does it do?", "It makes good weights"), line=at) for at in range(1, MANY)], first.lock
    )
    assert not {*ids(again)} & {*ids(first)}
    assert again.problems == (
        Problem(
            Place("a.md", 1, 1),
            "unsure-match",
            "299 cards are new and without a history: too many that asked the same are gone to tell which is which",
        ),
    )


def test_of_many_cards_edited_at_once_few_pairs_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["".join(letters) for letters in product("bdgk", "aeou", "lmnr", "aeou", "st")][:MANY]
    first = build([card(Basic("What does it do?", f"It mixes the {word}"), line=at) for at, word in enumerate(words)])
    compared = []
    judge = Judge.judge
    monkeypatch.setattr(Judge, "judge", lambda self, old, new: compared.append(new) or judge(self, old, new))
    again = build(
        [card(Basic("What does it do?", f"It mixes the {word} well"), line=at) for at, word in enumerate(words)],
        first.lock,
    )
    assert ids(again) == ids(first)
    assert len(compared) <= 40 * MANY


@pytest.mark.parametrize("said", ["the gate is not one of them", "cell wall plant leaf", "2 3 5 7 11", "step 1 step 2"])
def test_a_long_answer_is_looked_through_once_not_for_each_card_beside_it(
    said: str, steps_of: Callable[[Callable[[], object]], int]
) -> None:
    def edit(times: int) -> int:
        shorts = [card(Basic("What is it?", f"thing {n}"), line=n) for n in range(40)]
        long = " ".join(f"{said} {chr(ord('a') + n % 26) * (3 + n // 26)}" for n in range(times))
        before = build([*shorts, card(Basic("What is it?", long), line=60)])
        edited = [it._replace(content=Basic("What is it?", f"{it.content.back} too")) for it in shorts]
        return steps_of(lambda: build([*edited, card(Basic("What is it?", f"{long} too"), line=60)], before.lock))

    few, many = edit(100), edit(400)
    assert many < 1.25 * few


def test_the_names_of_equal_cards_are_counted_on(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed = []
    monkeypatch.setattr("cards.identity.sha256", lambda data: hashed.append(data) or sha256(data))
    first = build([card(Basic(Q, A), line=at) for at in range(1, MANY)])
    assert len(hashed) < 2 * MANY
    hashed.clear()
    again = build([card(Basic(Q, A), line=at) for at in range(1, 2 * MANY)], first.lock)
    assert len({*ids(again)}) == 2 * MANY - 1
    assert len(hashed) < 4 * MANY


def test_retired_steps_are_no_list_numbered_anew() -> None:
    first = build([card(Basic("Step 1?", "knead")), card(Basic("Step 2?", "bake"), line=2)])
    gone = build([], first.lock, notes=["a.md"])
    again = build([card(Basic("Step 2?", "knead")), card(Basic("Step 3?", "bake"), line=2)], gone.lock)
    assert not {*ids(again)} & {*ids(first)}


def test_a_number_of_thousands_of_digits_is_no_place_in_a_list() -> None:
    first, again = (card(Basic(f"What is after {digit * 5000}?", "a number")) for digit in "89")
    built = build([first])
    assert not {*ids(built)} & {*ids(build([again], built.lock))}


def test_a_retired_card_does_not_come_back_where_a_living_one_may_have_taken_its_number() -> None:
    fourth, sixth = (
        Basic(f"Shape of q after step {n}?", answer) for n, answer in ((4, "(2, 512, 64)"), (6, "(2, 1783, 64)"))
    )
    first = build([card(fourth), card(sixth, line=2)])
    gone = build([card(sixth)], first.lock)
    renumbered = build([card(Basic(fourth.front, sixth.back))], gone.lock)
    assert not {*ids(renumbered)} & {*ids(first)}
    assert ids(build([card(fourth), card(sixth, line=2)], renumbered.lock)) == ids(first)


@pytest.mark.parametrize(
    ("before", "after", "became"),
    [
        (Basic("The cell makes", "ATP"), Cloze(("The cell makes ", Deletion(1, "ATP", None))), "a cloze"),
        (Cloze(("The cell makes ", Deletion(1, "ATP", None))), Reversed("The cell makes", "ATP"), "no cloze any more"),
    ],
)
def test_a_new_kind_is_said(before: Content, after: Content, became: str) -> None:
    first = build([card(before)])
    again = build([card(after)], first.lock)
    message = f'"{question_of(before)}" became {became}, in Anki a new card, without its history'
    assert again.problems == (Problem(Place("a.md", 1, 1), "new-kind", message),)
    assert [len(again.changes.new), len(again.changes.removed)] == [1, 1]


def test_a_new_kind_under_one_block_id_is_said() -> None:
    first = build([card(Basic("The cell makes", "ATP"), block_id="atp")])
    again = build([card(Cloze(("Sugar is ", Deletion(1, "burnt", None))), block_id="atp")], first.lock)
    assert [it.code for it in again.problems] == ["new-kind"]


# Block ids.


def test_a_block_id_decides() -> None:
    first = build([card(Basic("One?", "1"), block_id="aa"), card(Basic("Two?", "2"), line=2, block_id="bb")])
    again = build(
        [card(Basic("Two?", "2"), block_id="aa"), card(Basic("Three?", "3"), line=2, block_id="bb")], first.lock
    )
    assert ids(again) == ids(first)


def test_a_block_id_goes_along_to_another_note() -> None:
    first = build([card(Basic("What carries oxygen?", "blood"), block_id="aa")])
    moved = card(Basic("Which part of the blood carries oxygen?", "blood cells"), "b.md", block_id="aa")
    assert ids(build([moved], first.lock)) == ids(first)
    assert ids(build([moved._replace(block_id="bb")], first.lock)) != ids(first)


def test_a_block_id_goes_along_where_no_word_is_the_same() -> None:
    first = build([card(Basic("Photosynthesis", "in leaves"), block_id="aa")])
    assert ids(build([card(Basic("Photosyntheses", "plants"), "b.md", block_id="aa")], first.lock)) == ids(first)


def test_a_block_id_says_which_part_of_a_card_made_two_is_the_card() -> None:
    first = build([card(Basic("What does it read?", "What it wrote, and the output of the encoder"), block_id="aa")])
    parts = (
        Basic("What does it read then?", "The output of the encoder"),
        Basic("What does it read first?", "What it wrote"),
    )
    both = build([card(parts[0], block_id="aa"), card(parts[1], line=2)], first.lock)
    assert ids(both)[:1] == ids(first) != ids(both)[1:]


def test_the_same_block_id_in_another_note_is_no_proof() -> None:
    first = build([card(Basic("What carries oxygen?", "blood"), block_id="q1")])
    assert ids(build([card(Basic("Who won at Jena?", "Napoleon"), "b.md", block_id="q1")], first.lock)) != ids(first)


def test_a_living_card_comes_before_a_retired_one_with_its_block_id() -> None:
    first = build(
        [card(Basic("Who won at Jena?", "Napoleon"), block_id="q1"), card(Basic("One?", "1"), "b.md", block_id="q1")]
    )
    gone = build([first.cards[1].card], first.lock, notes=["a.md"])
    moved = build([card(Basic("One?", "1"), "a.md", block_id="q1")], gone.lock, notes=["b.md"])
    assert ids(moved) == ids(first)[1:]
    gone = build([], moved.lock, notes=["a.md", "b.md"])
    assert len(gone.lock.cards) == 2


def test_a_block_id_brings_a_retired_card_back() -> None:
    first = build([card(Basic("One?", "1"), block_id="aa")])
    gone = build([], first.lock, notes=["a.md"])
    assert ids(build([card(Basic("Four?", "4"), block_id="aa")], gone.lock)) == ids(first)


def test_a_block_id_used_twice_decides_nothing() -> None:
    first = build([card(Basic("One?", "1"), block_id="aa"), card(Basic("Two?", "2"), line=2)])
    both = [card(Basic("Two?", "2"), block_id="aa"), card(Basic("One?", "1"), line=2, block_id="aa")]
    assert ids(build(both, first.lock)) == ids(first)[::-1]


# Scope.


def test_cards_of_a_note_that_was_not_read_are_left_alone() -> None:
    first = build([FIRST, card(Basic("One?", "1"), "b.md")], now=THEN)
    again = build([FIRST._replace(place=Place("c.md", 1, 1))], first.lock, unread=["a.md", "b.md"])
    assert again.changes.removed == ()
    assert ids(again)[0] not in ids(first)
    assert {it.id: it for it in again.lock.cards if it.id in ids(first)} == {it.id: it for it in first.lock.cards}


def test_cards_of_a_note_that_is_gone_are_found_elsewhere() -> None:
    first = build([FIRST, card(Basic("One?", "1"), "b.md")], now=THEN)
    again = build([FIRST._replace(place=Place("c.md", 1, 1))], first.lock, unread=["b.md"])
    assert ids(again) == ids(first)[:1]


def test_scope_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "bio").mkdir()
    for name in ("bio/a.md", "b.md"):
        (tmp_path / name).touch()
    scope = scope_of(tmp_path, [tmp_path / "bio" / ".." / "bio" / "a.md"])
    assert dict(scope.read) == {str(tmp_path / "bio" / ".." / "bio" / "a.md"): "bio/a.md"}
    assert [scope.exists(name) for name in ("bio/a.md", "b.md", "c.md", "bio")] == [True, True, False, False]


# Cloze numbers.


def numbered(text: str) -> Cloze:
    """`{1:a}` for a deletion by reading order, `{1!a}` for a number the author wrote."""
    pieces: list[str | Deletion] = []
    for part in re.split(r"(\{\d+[:!][^}]*\})", text):
        if found := re.fullmatch(r"\{(\d+)([:!])(.*)\}", part):
            pieces.append(Deletion(int(found[1]), found[3], None, found[2] == "!"))
        elif part:
            pieces.append(part)
    return Cloze(tuple(pieces))


def shown(cloze: Content) -> str:
    assert isinstance(cloze, Cloze)
    return "".join(
        it if isinstance(it, str) else f"{{{it.group}{'!' if it.numbered else ':'}{it.answer}}}" for it in cloze.pieces
    )


@pytest.mark.parametrize(
    "texts",
    [
        # as read by the grammar => as known by Anki
        ["The {1:cell} makes {2:ATP}.", "The {1:small} {2:cell} makes {3:ATP}. => The {3:small} {1:cell} makes {2:ATP}."],
        ["A {1:b} c {2:d}.", "A {1:d} c {2:b}. => A {2:d} c {1:b}."],
        ["A {1:b} c {2:d}.", "A c {1:d}. => A c {2:d}.", "A {1:e} c {2:d}. => A {3:e} c {2:d}."],
        ["A {1:b} c {2:d}.", "A c {1:d}. => A c {2:d}.", "A {1:b} c {2:d}."],
        ["It has {1:512} rows and {2:8} heads.", "It has {1:256} rows and {2:8} heads."],
        ["The {1:mitochondrion} makes {2:ATP}.", "Here {1:ATP} comes from a {2:mitochondrin}. => Here {2:ATP} comes from a {1:mitochondrin}."],
        ["First {1:prophase}, then sleep.", "Sleep, then {1:anaphase}. => Sleep, then {2:anaphase}."],
        ["A {1:512} and b.", "A and b {1:521}. => A and b {2:521}."],
        ["tu mang{1:es}, il mang{1:e}, on {2:va}.", "on {1:va}, tu mang{2:es}, il mang{2:e}. => on {2:va}, tu mang{1:es}, il mang{1:e}."],
        ["A {3!b} c {1:d}.", "A {3!b} e {1:f} c {2:d}. => A {3!b} e {2:f} c {1:d}."],
        ["It has {1:8} layers of {2:8} heads.", "It has {1:6} layers of {2:8} heads."],
        ["It has {1:8} layers of {2:8} heads.", "It has {1:8} layers of {2:6} heads."],
        ["It has {1:8} layers of {2:8} heads.", "{1:8} heads stand in {2:8} layers. => {3:8} heads stand in {4:8} layers."],
        ["It has {1:8} layers of {2:8} heads.", "Each layer has {1:8} of them. => Each layer has {3:8} of them."],
        ["{1:x} and {2:x} and {3:x} and {4:y}.", "{1:x} and {2:x} and {3:x} and {4:z}."],
        ["{1:x} and {2:x} and {3:x}, no more.", "{1:x} and {2:x} and {3:x} and {4:x}, no more. => {1:x} and {4:x} and {5:x} and {3:x}, no more."],
        ["First {1:add}, {2:norm}, then {3:add} again.", "First {1:norm}, then {2:add} again. => First {2:norm}, then {3:add} again."],
        ["First {1:add}, then rest.", "At last {1:add} and {2:add}. => At last {2:add} and {3:add}."],
        ["First {1:add}, then rest.", "Do {1:add} and first {2:add}, then rest. => Do {2:add} and first {1:add}, then rest."],
        [
            "The wall is {1:thin} at the top.",
            "The wall is {1:thin} below, or {2:thin} aside, and {3:thin} at the top. => The wall is {2:thin} below, or {3:thin} aside, and {4:thin} at the top.",
        ],
        ["Its wall is {1:thin} at the top.", "Its wall is {1:thin} at the top. Its floor is {2:thin} at the top."],
        ["Its wall is {1:thin} at the top.", "Its floor is {1:thin} at the top. Its wall is {2:thin} at the top. => Its floor is {2:thin} at the top. Its wall is {1:thin} at the top."],
        ["The lung has {1:two}.", "The ear has {1:two}. The mouth has {2:two} too. => The ear has {2:two}. The mouth has {3:two} too."],
        [
            "The colon is made of {1:nerves} and fat.",
            "The coln is made of {1:nerves} and fat. The lung is made of {2:nerves} and fat. => The coln is made of {2:nerves} and fat. The lung is made of {3:nerves} and fat.",
        ],
        [
            "The colon has {1:two} walls. The lung has {2:two} walls.",
            "The coln has {1:two} walls. => The coln has {3:two} walls.",
        ],
        ["A {1:b} c {2:d}.", "A {2!b} c {1:d}. => A {2!b} c {3:d}."],
    ],
)  # fmt: skip
def test_cloze_numbers_stay_with_their_answers(texts: list[str]) -> None:
    lock = NOTHING
    for text in texts:
        as_read, _, known = text.partition(" => ")
        result = build([card(numbered(as_read), block_id="aa")], lock)
        lock = result.lock
        assert [shown(it.card.content) for it in result.cards] == [known or as_read]
        assert not result.changes.removed
        assert parse_lock(format_lock(lock), "cards.lock") == lock


def test_numbers_that_are_gone_are_remembered() -> None:
    first = build([card(numbered("A {1:b} c {2:d} e {3:f}."))])
    again = build([card(numbered("A c {1:d} e."))], first.lock)
    assert one(again).past == (Deletion(1, "b", None), Deletion(3, "f", None))
    assert shown(one(again).content) == "A c {2:d} e."


def test_of_hundreds_of_equal_deletions_those_between_the_same_texts_keep_their_numbers() -> None:
    same = "".join(f" a {{{at}:b}}" for at in range(1, MANY))
    first = build([card(numbered(f"{same} c {{{MANY}:d}}."), block_id="aa")])
    again = build([card(numbered(f"{same} c {{{MANY}:e}}."), block_id="aa")], first.lock)
    assert shown(one(again).content) == f"{same} c {{{MANY}:e}}."


def test_where_hundreds_of_deletions_changed_they_get_new_numbers_without_a_look_at_each_pair(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared = []
    monkeypatch.setattr("cards.cloze_numbers.similarity", lambda *both: compared.append(both) or 1.0)
    text = "".join(f" a{at} {{{at}:word{at:05}}}" for at in range(1, MANY))
    first = build([card(numbered(text), block_id="aa")])
    again = build([card(numbered(re.sub(r"a(\d+) (.*?)word", r"b\1 \2wrod", text)), block_id="aa")], first.lock)
    assert ids(again) == ids(first)
    numbers = [int(number) for number in re.findall(r"\{(\d+)", shown(one(again).content))]
    assert numbers == [*range(MANY, 2 * MANY - 1)]
    assert not compared


def test_of_many_clozes_that_begin_alike_none_is_sought_among_those_that_grew(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    monkeypatch.setattr("cards.grown._goes_on", lambda *both: compared.append(both))
    texts = [f"The size of thing {at} is {{1:{at + 500}}}" for at in range(41)]
    first = build([card(numbered(text), line=at) for at, text in enumerate(texts, 1)])
    grown = [
        card(numbered(f"{text} behind seven mountains, where dwarfs dig gold"), line=at)
        for at, text in enumerate(texts, 1)
    ]
    build(grown[:1], first.lock)
    assert not compared
    build(grown[:1], build([card(numbered(texts[0]))]).lock)
    assert compared


# Properties.

WORDS = st.sampled_from(
    [
        "what",
        "is",
        "the",
        "shape",
        "of",
        "q",
        "k",
        "after",
        "step",
        "1",
        "2",
        "role",
        "mask",
        "softmax",
        "kya",
        "hai",
        "nahi",
    ]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
DELETIONS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=3).map(
    lambda parts: Cloze(
        tuple(it for at, (text, answer) in enumerate(parts, 1) for it in (text, Deletion(at, answer, None)))
    )
)
CONTENTS = st.one_of(st.builds(Basic, TEXTS, TEXTS), st.builds(Reversed, TEXTS, TEXTS), DELETIONS)
CARDS = st.lists(
    st.builds(card, CONTENTS, st.sampled_from(["a.md", "b.md"]), st.integers(1, 99), st.sampled_from(["x", "y"])),
    max_size=8,
    unique_by=lambda it: it.place,
)


@settings(max_examples=60)
@given(CARDS, CARDS)
def test_every_run_is_a_function_and_the_second_changes_nothing(old: list[Card], new: list[Card]) -> None:
    first = build(old, now=THEN)
    second = build(new, first.lock, notes=["a.md", "b.md"])
    assert second == build(new, first.lock, notes=["a.md", "b.md"])
    assert len(set(ids(second))) == len(new)
    assert {it.id for it in first.lock.cards} <= {it.id for it in second.lock.cards}
    assert [it.id for it in second.lock.cards] == sorted({it.id for it in second.lock.cards})
    assert parse_lock(format_lock(second.lock), "cards.lock") == second.lock
    third = build(new, second.lock, NOW + 9, notes=["a.md", "b.md"])
    assert (third.lock, third.cards) == (second.lock, second.cards)
    assert third.changes == Changes(unchanged=tuple(Seen(it.id, it.card.place) for it in second.cards))


@settings(max_examples=60)
@given(CARDS, CARDS, st.randoms(use_true_random=False))
def test_the_order_of_the_notes_changes_no_id(old: list[Card], new: list[Card], rng: Random) -> None:
    lock = build(old, now=THEN).lock
    named = {it.card.place: it.id for it in build(new, lock).cards}
    shuffled = list(new)
    rng.shuffle(shuffled)
    assert {it.card.place: it.id for it in build(shuffled, lock).cards} == named


@settings(max_examples=60)
@given(CARDS, CARDS)
def test_times_only_grow_and_every_card_is_reported_once(old: list[Card], new: list[Card]) -> None:
    first = build(old, now=THEN)
    second = build(new, first.lock, notes=["a.md", "b.md"])
    before = {it.id: it for it in first.lock.cards}
    for it in second.lock.cards:
        if it.id in before:
            same = (it.fingerprint, it.retired) == (before[it.id].fingerprint, before[it.id].retired)
            assert it.changed == (THEN if same else NOW)
    changes = second.changes
    touched = {it.id for it in changes.edited} | {it.id for it in changes.moved}
    counted = [it.id for it in (*changes.unchanged, *changes.new, *changes.restored, *changes.removed)]
    assert sorted([*counted, *touched]) == sorted({*before, *ids(second)})


@given(DELETIONS, DELETIONS)
def test_a_number_has_one_answer_for_ever(old: Cloze, new: Cloze) -> None:
    again = build([card(new, block_id="aa")], build([card(old, block_id="aa")]).lock)
    locked = one(again)
    assert isinstance(locked.content, Cloze)
    living = [it.group for it in locked.content.pieces if isinstance(it, Deletion)]
    assert len(set(living)) == len(living)
    assert not set(living) & {it.group for it in locked.past}
    assert {it.group for it in old.pieces if isinstance(it, Deletion)} <= {*living, *(it.group for it in locked.past)}


# Real notes.

NOTE = """#flashcards/ml

# Attention

What is a head? :: One attention of several
Which parts has a layer?
?
* attention
* a *feed-forward* net

The ==softmax== makes ==weights==.
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("\n", "\r\n", id="Windows line ends"),
        pytest.param("* ", "- ", id="list marks"),
        pytest.param("*feed-forward*", "_feed-forward_", id="emphasis"),
        pytest.param("\n\n", "\n\n\n", id="blank lines"),
        pytest.param("# Attention", "# Attention in short\n\nSome text.", id="heading and text"),
    ],
)
def test_what_a_formatter_does_keeps_every_id(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "note.md"
    lock, seen = Lock(), []
    for text in (NOTE, NOTE.replace(old, new)):
        path.write_bytes(text.encode())
        cards = read([path]).cards
        result = identify(cards, lock, now=NOW, fingerprint=fingerprint, scope=scope_of(tmp_path, [path]))
        lock = result.lock
        seen.append(ids(result))
    assert len(seen[0]) == 3
    assert seen[0] == seen[1]
