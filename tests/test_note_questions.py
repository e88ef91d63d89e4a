"""Questions that begin with the numbers of the student's own note."""

from itertools import islice
from pathlib import Path
from random import Random

from cards import pasted
from cards.settings import Settings
from mha_quiz.families import FAMILIES
from mha_quiz.note_questions import Found, questions_from, seed_with, settings_in
from mha_quiz.question import Family, draw

TABLES = Path(__file__).parent / "data" / "claims"
BUNDLED = Path(__file__).parents[1] / "mha_quiz" / "notes"
NOTE = """# Heads

Let $d_{model} = 128$ and $h = 2$.

> [!example] A small layer
> - Sequence length $n = 12$
> - $d_{model} = 64$, $h = 4$

## Another width

| $d_{model} = 32$ | $h = 2$ |
|---|---|
"""


def found_in(text: str, path: str = "note.md") -> tuple[Found, ...]:
    return settings_in(text, path, Settings(), page=pasted.is_page(text, Settings()))


def family(name: str) -> Family:
    return next(family for family in FAMILIES if family.id == name)


def test_the_numbers_of_a_note_with_their_places_worked_examples_first() -> None:
    assert [(found.parameters, str(found.place), found.said.en) for found in found_in(NOTE)] == [
        ({"n": 12, "d": 64, "h": 4}, "note.md:6:22", "from your note, line 6"),
        ({"d": 128, "h": 2}, "note.md:3:6", "from your note, line 3"),
    ]


def test_a_pasted_page() -> None:
    page = (TABLES / "page.txt").read_text(encoding="utf-8")

    (found,) = found_in(page, "page.txt")
    assert (found.parameters, found.place.line) == ({"n": 5, "d": 96, "h": 4}, 15)


def test_the_bundled_note() -> None:
    first, *_ = found_in((BUNDLED / "multi-head-attention.md").read_text(encoding="utf-8"))

    assert (first.parameters, first.place.line) == ({"d": 256, "h": 4, "n": 6}, 84)


def test_sizes_that_do_not_make_a_layer_are_left_out() -> None:
    assert found_in("$d_{model} = 100$, $h = 8$\n") == ()
    assert found_in("$h = 8$ and $n = 10$\n") == ()
    assert found_in("Nothing here.\n") == ()


def test_a_question_with_the_numbers_of_the_note() -> None:
    seed = seed_with(family("C3"), {"d": 512, "h": 8, "n": 10})

    assert seed is not None
    assert draw(family("C3"), seed).parameters == {"n": 10, "d": 512, "h": 8}
    assert draw(family("C3"), seed).answer == 4 * 10**2 * 512


def test_no_question_where_the_family_has_no_such_numbers() -> None:
    assert seed_with(family("E1"), {"d": 512, "h": 8}) is None
    assert seed_with(family("B1"), {"d": 100, "h": 10}) is None


def test_questions_from_a_note_say_where_the_numbers_stand() -> None:
    found = found_in(NOTE)

    drawn = list(islice(questions_from(found, FAMILIES, Random(1)), 6))

    assert len({question.family for question, _ in drawn}) == 6
    for question, layer in drawn:
        assert layer in found
        assert all(question.parameters.get(letter, size) == size for letter, size in layer.parameters.items())
    assert list(questions_from((), FAMILIES, Random(1))) == []
