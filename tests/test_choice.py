"""Which question comes next: themes, families, difficulty, and what goes first."""

from itertools import islice, pairwise
from random import Random

import pytest

from mha_quiz.choice import Difficulty, questions, quiz
from mha_quiz.families import FAMILIES
from mha_quiz.question import Family, Theme
from mha_quiz.quiz_command import THEMES


def family(name: str) -> Family:
    return next(family for family in FAMILIES if family.id == name)


def test_all_families_come_up_before_one_returns() -> None:
    often = [family for family in FAMILIES if family.weight == 1]
    asked = [question.family for question in islice(questions(often, Random(3)), len(often))]
    assert sorted(asked) == sorted(family.id for family in often)


def test_neighbours_differ_in_theme() -> None:
    asked = list(islice(questions(FAMILIES, Random(4)), 60))
    assert all(one.theme != other.theme for one, other in pairwise(asked))


def test_what_goes_first_goes_first_and_is_kept_apart() -> None:
    first = [family("B1"), family("B2"), family("E1"), family("C3")]
    asked = [one.question.family for one in quiz(FAMILIES, Random(5), 6, first=first)]
    assert asked[:4] == ["B1", "E1", "B2", "C3"]
    assert not {"B1", "B2", "E1", "C3"} & set(asked[4:])


def test_a_family_of_few_variants_asks_each_before_one_returns() -> None:
    asked = [tuple(one.parameters.items()) for one in islice(questions([family("E7")], Random(8)), 7)]
    assert len(set(asked)) == 7


def test_what_goes_first_waits_where_it_was_the_last() -> None:
    pair = [family("B1"), family("B2")]
    asked = [one.family for one in islice(questions(pair, Random(5), first=pair[:1], last=pair[0]), 2)]
    assert asked == ["B2", "B1"]


@pytest.mark.parametrize("difficulty", Difficulty)
def test_difficulty_is_that_of_the_numbers(difficulty: Difficulty) -> None:
    asked = [one.question for one in quiz(FAMILIES, Random(6), 60, difficulty=difficulty)]
    assert len(asked) == 60
    for question in asked:
        small = question.parameters.get("d", 0) <= 64 and question.parameters.get("n", 0) <= 12
        assert small or difficulty is Difficulty.HARD
        assert question.small is (difficulty is Difficulty.EASY)


def test_a_family_without_such_numbers_is_left_out() -> None:
    assert list(quiz([family("D2")], Random(7), 3, difficulty=Difficulty.EASY)) == []
    asked = [
        one.question.family for one in quiz([family("D2"), family("B1")], Random(7), 3, difficulty=Difficulty.EASY)
    ]
    assert asked == ["B1"] * 3


def test_the_command_knows_all_themes() -> None:
    assert tuple(Theme) == THEMES
