"""The lines that tell what a build does, as wholes."""

from cards.identity import Changes, Edited, Moved, Seen
from cards.model import Place
from decks.moves import DeckMove, search
from decks.numbers import Renewed
from decks.report import plan_lines, todo_lines

QUESTIONS = {"n": "What is\nnew?", "m": "Moved?", "h": "Under another heading?", "r": "x" * 70, "b": "Back?"}
MOVES = (DeckMove("m", "ml", "ml::heads", '"Front:Moved?"'),)


def test_all_that_an_import_would_do() -> None:
    changes = Changes(
        (Seen("u", Place("a.md", 1, 1)),),
        (Edited("e", Place("a.md", 3, 1), "Old?", "yes", "New?", "no\n- at all"),),
        (Moved("m", Place("b.md", 5, 1), "a.md", "ml"), Moved("h", Place("a.md", 7, 1), "a.md", "ml")),
        (Seen("n", Place("a.md", 9, 1)),),
        (Seen("r", Place("c.md", 1, 1)),),
        (Seen("b", Place("a.md", 11, 1)),),
    )

    assert (
        "\n".join(plan_lines(changes, QUESTIONS, MOVES, Renewed(1, 0, 73)))
        == f"""\
new: 1
  a.md:9:1  What is new?
restored: 1
  a.md:11:1  Back?
edited: 1
  a.md:3:1
    - Old? → yes
    + New? → no - at all
moved: 2
  a.md → b.md:5:1, deck ml → ml::heads  Moved?
  a.md → a.md:7:1  Under another heading?
removed: 1
  c.md  {"x" * 60}…
unchanged: 1
numbers: 1 new, 73 unchanged"""
    )


def test_a_change_far_behind_is_shown() -> None:
    long = "a very long answer that begins as it began before, up to the last of"
    changes = Changes(
        edited=(
            Edited("e", Place("a.md", 3, 1), "Q?", f"{long} all", "Q?", f"{long} many words, " + "x" * 60),
            Edited("f", Place("a.md", 5, 1), "Q?", "short and right " * 3, "Q?", "short and right " * 2 + "short too"),
            Edited("g", Place("a.md", 7, 1), long, "A", long, "A"),
        )
    )

    assert (
        "\n".join(plan_lines(changes, QUESTIONS, (), Renewed()))
        == f"""\
edited: 3
  a.md:3:1
    - Q? → …, up to the last of all
    + Q? → …, up to the last of many words, {"x" * 28}…
  a.md:5:1
    - Q? → short and right short and right short and right
    + Q? → short and right short and right short too
  a.md:7:1
    = a very long answer that begins as it began before, up to the… → A
      the words stay; lines, hints, tags, pictures, the source or the other language changed
unchanged: 0"""
    )


def test_no_changes() -> None:
    assert list(plan_lines(Changes(), {}, (), Renewed())) == ["unchanged: 0"]
    assert list(todo_lines(0, 0, ())) == []


def test_cards_to_delete_alone() -> None:
    assert list(todo_lines(2, 0, ())) == [
        "After the import, in Anki's Browser:",
        "  to delete what is removed, search this, look through it, then Notes > Delete (2 notes):",
        "    tag:mha-quiz::removed",
    ]


def test_what_is_left_to_do_in_anki() -> None:
    moves = (*MOVES, DeckMove("k", 'a_"b', "c", '"Text:k"'), DeckMove("l", "ml", "ml::heads", '"Front:l*"'))

    assert (
        "\n".join(todo_lines(1, 2, moves))
        == """\
After the import, in Anki: Tools > Empty Cards deletes what asks nothing any more (2 cards)
After the import, in Anki's Browser:
  to delete what is removed, search this, look through it, then Notes > Delete (1 note):
    tag:mha-quiz::removed
  to move cards to "ml::heads", search this, select all, then Cards > Change Deck (2 notes):
    "deck:ml" ("Front:Moved?" OR "Front:l*")
  to move cards to "c", search this, select all, then Cards > Change Deck (1 note):
    "deck:a\\_\\"b" "Text:k\""""
    )


def test_a_search_for_many_notes_is_told_in_parts() -> None:
    moves = [DeckMove(str(at), "a", "b", f"s{at}") for at in range(205)]

    lines = list(todo_lines(0, 0, moves))

    assert [line.count(" OR ") for line in lines[2::2]] == [99, 99, 4]


def test_the_search_of_a_note() -> None:
    assert search("Front", 'a:b*_\\"') == '"Front:a\\:b\\*\\_\\\\\\""'
    assert search("Front", "x" * 60) == f'"Front:{"x" * 60}"'
    assert search("Front", "x" * 61) == f'"Front:{"x" * 60}*"'
    assert search("Front", "one\ntwo") == '"Front:one*"'
