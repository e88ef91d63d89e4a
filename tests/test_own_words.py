"""The quick look that spares the close one leaves out no pair that the close one could take for one card."""

from hypothesis import given, settings
from hypothesis import strategies as st

from cards.likeness import Difference, difference
from cards.own_words import OwnWords
from cards.wording import read

WORDS = ["mitosis", "meiosis", "mitossis", "cell", "cells", "kind", "knid", "king", "what", "waht", "x", "64", "65"]
TEXTS = st.lists(st.sampled_from([*WORDS, "the", "not", "form", "from", "\\alpha"]), max_size=5).map(" ".join)


@settings(max_examples=500)
@given(TEXTS, TEXTS, st.dictionaries(st.sampled_from(WORDS), st.integers(0, 9)))
def test_exchanged_words_are_another_question(one: str, other: str, many: dict[str, int]) -> None:
    is_far = difference(read(one), read(other), lambda word: many.get(word, 1)) >= Difference.OTHER
    assert is_far or not OwnWords([one, other]).are_exchanged(one, other)


def test_words_of_a_family_are_exchanged() -> None:
    one, other, slip = "Capital of France?", "What is the capital of Spain?", "Capital of Frnce?"
    own_words = OwnWords([one, other, slip])
    assert own_words.are_exchanged(one, other)
    assert not own_words.are_exchanged(one, slip)


def test_of_a_far_longer_text_not_each_word_is_looked_for_in_other_cards() -> None:
    asked: list[str] = []

    def cards_with(word: str) -> int:
        asked.append(word)
        return 1

    long = " ".join("w" + chr(ord("a") + at % 26) * (3 + at // 26) for at in range(500))
    assert difference(read("softmax scores"), read(long), cards_with) == Difference.TELLING
    assert len(asked) < 10
