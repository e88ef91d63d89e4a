"""Questions that begin with the numbers of the student's own note."""

from itertools import islice, pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards import pasted
from cards.settings import Settings
from mha_quiz.choice import quiz
from mha_quiz.families import FAMILIES
from mha_quiz.note_numbers import settings_in
from mha_quiz.note_questions import Found, question_with
from mha_quiz.question import Family, draw
from mha_quiz.sized import Sizes, seed_of, sizes_of

TABLES = Path(__file__).parent / "data" / "claims"
BUNDLED = Path(__file__).parents[1] / "mha_quiz" / "notes"
NOTE = """# Heads

Let $d_{model} = 128$ and $h = 2$.

> [!example] A small layer
> - Sequence length $n = 12$
> - $d_{model} = 64$, $h = 4$

## The same width again

A layer with $d_{model} = 64$ and $h = 4$.

| $d_{model} = 32$ | $h = 2$ |
|---|---|
"""


def found_in(text: str, path: str = "note.md") -> tuple[Found, ...]:
    return settings_in(text, path, Settings(), page=pasted.is_page(text, Settings()))


def family(name: str) -> Family:
    return next(family for family in FAMILIES if family.id == name)


def test_the_numbers_of_a_note_with_their_places_worked_examples_first() -> None:
    assert [(found.sizes, str(found.place), found.said(with_name=False).en) for found in found_in(NOTE)] == [
        (Sizes(64, 4, 12), "note.md:6:22", "from your note, line 6"),
        (Sizes(128, 2), "note.md:3:6", "from your note, line 3"),
    ]


def test_where_numbers_come_from_is_told_in_both_languages() -> None:
    (found, _) = found_in(NOTE, "notes/heads.md")

    assert found.said(with_name=False).hinglish == "aapke note se, line 6"
    assert found.said(with_name=True).en == "from your note heads.md, line 6"
    assert found.said(with_name=True).hinglish == "aapke note heads.md se, line 6"


def test_a_pasted_page() -> None:
    page = (TABLES / "page.txt").read_text(encoding="utf-8")

    (found,) = found_in(page, "page.txt")
    assert (found.sizes, found.place.line) == (Sizes(96, 4, 5), 15)


@pytest.mark.parametrize("name", ["multi-head-attention.md", "multi-head-attention.hinglish.md"])
def test_the_bundled_notes(name: str) -> None:
    first, *_ = found_in((BUNDLED / name).read_text(encoding="utf-8"))

    assert (first.sizes, first.place.line) == (Sizes(256, 4, 6), 84)


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("We use $d_{model} = 48$ with 3 heads.\n", Sizes(48, 3)),
        ("## Width\n\nd_model = 96 it is.\n\n## Heads\n\nWe take h = 6, and n = 7.\n", Sizes(96, 6, 7)),
        ("$d_{model} = 48$, $h = 3$, and a picture of 2 heads.\n", Sizes(48, 3)),
    ],
)
def test_numbers_in_words_or_apart(text: str, sizes: Sizes) -> None:
    (found,) = found_in(text)
    assert found.sizes == sizes


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Maan lo d_model 512 hai aur 8 heads hain. Sentence mein 10 tokens hain.\n", [(Sizes(512, 8, 10), 1)]),
        ("d_model ki value 512 hai, heads ki ginti 8.\n", [(Sizes(512, 8), 1)]),
        ("With `d_model: 1,024` and 16 heads.\n", [(Sizes(1024, 16), 1)]),
        ("A hidden size of 2048 with 32 attention heads over a context of 128 tokens.\n", [(Sizes(2048, 32, 128), 1)]),
        ("The model dimension is 640.\nThe number of heads is 10.\n", [(Sizes(640, 10), 1)]),
        ("heads: 4\nd_model: 64\ntokens: 6\n", [(Sizes(64, 4, 6), 1)]),
        ("d_model = 8 · 64 and 8 heads.\n", [(Sizes(512, 8), 1)]),
        ("Take `nn.MultiheadAttention(embed_dim=320, num_heads=5)`.\n", [(Sizes(320, 5), 1)]),
        ("`nn.MultiheadAttention(320, 5)`, and `MultiheadAttention(10, 3)` fails.\n", [(Sizes(320, 5), 1)]),
        ("```python\nd_model = 384\nnum_heads = 6\n```\n\n```\nd_model = 96\n```\n", [(Sizes(384, 6), 2)]),
        ("Open.\n\n```python\nd_model = 384\nnum_heads = 6\n", [(Sizes(384, 6), 4)]),
        ("- code:\n\n\t```\n\td_model = 384\n\tnum_heads = 6\n\t```\n", [(Sizes(384, 6), 4)]),
        (
            "| name | value |\n|---|---|\n| $d_{model}$ | 256 |\n| heads | 4 |\n| tokens | 16 |\n",
            [(Sizes(256, 4, 16), 3)],
        ),
        (
            "| model | d_model | heads |\n|---|---|---|\n| GPT-2 XL | 1600 | 25 |\n| odd | 10 | 3 |\n| short | 8 |\n",
            [(Sizes(1600, 25), 3)],
        ),
        (
            "First d_model = 512 with h = 7.\n\nThen d_model = 512, h = 8, n = 12.\n\nAt last d_model 640, 10 heads.\n",
            [(Sizes(512, 8, 12), 3), (Sizes(640, 10), 5)],
        ),
        (
            "All have n = 9.\n\nHere d = 64, h = 4.\n\nThere d = 96, h = 3.\n",
            [(Sizes(64, 4, 9), 3), (Sizes(96, 3, 9), 5)],
        ),
        (
            "Here d = 64, h = 4 for 10 tokens.\n\nThere d = 96, h = 3.\n\nElse n = 9.\n",
            [(Sizes(64, 4, 10), 1), (Sizes(96, 3, 9), 3)],
        ),
        ("Its d_model 512 times 3 heads, of 8.5 heads: d_model 2^9\n", []),
    ],
)
def test_numbers_as_notes_write_them(text: str, found: list[tuple[Sizes, int]]) -> None:
    assert [(each.sizes, each.place.line) for each in found_in(text)] == found


@pytest.mark.parametrize(
    "text",
    [
        "$d_{model} = 100$, $h = 8$\n",
        "$h = 8$ and $n = 10$\n",
        "$d_{model} = 64$ and $h = 1$\n",
        "$d_{model} = 4000000$ and $h = 8$\n",
        f"d_model {'9' * 5000} and 3 heads, `nn.MultiheadAttention({'9' * 5000}, 3)`\n",
        "## A\n\n$d_{model} = 64$\n\n## B\n\n$h = 4$\n\n## C\n\n$h = 8$\n",
        "Nothing here.\n",
    ],
)
def test_sizes_that_do_not_make_a_layer_are_left_out(text: str) -> None:
    assert found_in(text) == ()


@pytest.mark.parametrize("sizes", [Sizes(512, 8, 10), Sizes(48, 3, 7), Sizes(12, 3, 2), Sizes(20480, 160, 70000)])
def test_questions_with_the_numbers_of_the_note_are_verified_and_can_be_drawn_again(sizes: Sizes) -> None:
    drawn = [question for family in FAMILIES if (question := question_with(family, sizes, 5))]

    assert len(drawn) > 25
    for question in drawn:
        assert question.parameters["d"] == sizes.d
        assert question.parameters.get("h", sizes.h) == sizes.h
        assert question.parameters.get("n", sizes.n) == sizes.n
        assert draw(family(question.family), question.seed) == question


def test_a_question_with_the_numbers_of_the_note() -> None:
    question = question_with(family("C3"), Sizes(512, 8, 10), 1)

    assert question is not None
    assert (question.parameters, question.answer) == ({"n": 10, "d": 512, "h": 8}, 4 * 10**2 * 512)


def test_no_question_where_the_family_has_no_such_numbers() -> None:
    assert question_with(family("E1"), Sizes(512, 8), 1) is None
    assert question_with(family("B6"), Sizes(64, 4), 1) is None  # 4 heads have no 1 < g < 4 but their root
    assert question_with(family("B8"), Sizes(7, 7, 2), 1) is None


@given(d=st.integers(2, 127), h=st.integers(2, 255), n=st.none() | st.integers(2, 2**20 - 1), rest=st.integers(0))
def test_a_seed_carries_the_sizes(d: int, h: int, n: int | None, rest: int) -> None:
    sizes = Sizes(d * h, h, n)
    seed = seed_of(sizes, rest)
    assert sizes_of(seed) == sizes
    assert seed < 2**53


@given(st.integers(0, 2**52 - 1) | st.integers(2**53))
def test_other_seeds_carry_none(seed: int) -> None:
    assert sizes_of(seed) is None


def test_a_quiz_begins_with_the_numbers_of_the_note_and_varies_them() -> None:
    found = found_in(NOTE)

    asked = list(quiz(FAMILIES, Random(1), 10, found=found))

    assert [one.source for one in asked[:5]] == [found[0], found[1]] * 2 + [found[0]]
    assert [one.source for one in asked[5:]] == [None] * 5
    assert {one.question.family for one in asked[5:]} == {one.question.family for one in asked[:5]}
    assert all(one.question.family != other.question.family for one, other in pairwise(asked))


@pytest.mark.parametrize("seed", range(4))
def test_the_questions_with_the_numbers_of_a_note_are_of_as_many_themes_as_can_be(seed: int) -> None:
    (found, *_) = found_in("d_model = 64, h = 4, n = 6\n")
    asked = list(islice(quiz(FAMILIES, Random(seed), 24, found=(found,)), 12))

    assert all(each.source for each in asked)
    assert len({each.question.theme for each in asked[:6]}) == 6
    assert len({each.question.theme for each in asked[6:]}) >= 5


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_no_family_twice_in_a_row_where_the_sources_meet(seed: int, count: int) -> None:
    first = [family("C3"), family("E1")]
    asked = [one.question.family for one in quiz(FAMILIES, Random(seed), count, found=found_in(NOTE), first=first)]

    assert len(asked) == count
    assert asked[0] == "C3"
    assert all(one != other for one, other in pairwise(asked))


def test_the_weakest_families_come_first_with_the_numbers_of_a_note_too() -> None:
    (found, *_) = found_in("d_model = 64, h = 4, n = 6\n")
    weakest = [family("B1"), family("B3")]
    asked = list(islice(quiz(FAMILIES, Random(1), 8, found=(found,), first=weakest), 2))

    assert {each.question.family for each in asked} == {"B1", "B3"}
    assert all(each.source for each in asked)


def test_one_family_alone_begins_with_the_note_and_goes_on() -> None:
    asked = list(islice(quiz([family("B1")], Random(1), 4, found=found_in(NOTE)), 5))

    assert [(one.question.family, one.source is not None) for one in asked] == [("B1", True)] + [("B1", False)] * 3
