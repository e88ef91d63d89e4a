"""Tags in text, deck tags among them, and the names of decks."""

import time

import pytest

from cards.settings import Settings
from cards.tags import Tag, blanked, deck_name, find, is_deck_tag, is_ignored, key


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("#flashcards/ai-ml", ["flashcards/ai-ml"]),
        ("#a #b\n#c\t#d", ["a", "b", "c", "d"]),
        ("text #a, and #b.", ["a", "b"]),
        ("#flashcards//physics/", ["flashcards//physics/"]),
        ("#карточки/био #🧠 #日本語 #été", ["карточки/био", "🧠", "日本語", "été"]),
        ("#कार्ड", ["कार्ड"]),
        ("#a。next #b—c #d…", ["a", "b", "d"]),
        ("#a+b #c=d #e~f #g|h #i$j", ["a", "c", "e", "g", "i"]),
        ("#1 #2024 #1_2-3/4 #²", []),
        ("#1a #_x", ["1a", "_x"]),
        ("x#a (#b) [#c]", []),
        ("# heading ## two #", []),
        ("#a#b ##c", ["a"]),
        ("#—a", []),
        ("\u00a0#a\u3000#b", ["a", "b"]),
        ("#-- #// #__", []),
        ("", []),
    ],
)
def test_find(text: str, names: list[str]) -> None:
    tags = find(text)
    assert [tag.name for tag in tags] == names
    assert all(text[tag.start : tag.end] == f"#{tag.name}" for tag in tags)


def test_places() -> None:
    assert find("x #a, #bc") == (Tag(2, 4, "a"), Tag(6, 9, "bc"))


@pytest.mark.parametrize(
    ("name", "is_deck"),
    [
        ("flashcards", True),
        ("Flashcards/Bio", True),
        ("flashcards/", True),
        ("flashcards2", False),
        ("flash", False),
        ("basics/x", True),
        ("cafe\u0301/x", True),
        ("STRASSE", True),
        ("other/flashcards", False),
        ("", False),
    ],
)
def test_deck_tags(name: str, is_deck: bool) -> None:
    settings = Settings(deck_tags=("flashcards", "Basics", "caf\u00e9", "straße", ""))
    assert is_deck_tag(name, settings) is is_deck


def test_an_empty_deck_tag_makes_no_tag_a_deck() -> None:
    assert not is_deck_tag("todo", Settings(deck_tags=("",)))


def test_ignored_tags() -> None:
    settings = Settings(ignore_tags=("draft",))
    assert is_ignored("Draft/old", settings)
    assert not is_ignored("drafts", settings)
    assert not is_ignored("flashcards", Settings())


@pytest.mark.parametrize(
    ("name", "deck"),
    [
        ("flashcards", "Flashcards"),
        ("Flashcards/ai-ml", "ai-ml"),
        ("FLASHCARDS//", "Flashcards"),
        ("flashcards//physics/", "physics"),
        ("flashcards/med/heart-block", "med::heart-block"),
        ("flashcards/flashcards", "flashcards"),
        ("🧠/bio", "🧠::bio"),
        ("basics", "basics"),
        ("карточки/био", "карточки::био"),
        ("std::vector / b ", "std - vector::b"),
        ("a/ /b", "a::b"),
        ("", "Flashcards"),
    ],
)
def test_deck_name(name: str, deck: str) -> None:
    assert deck_name(name) == deck


def test_the_key_of_a_tag() -> None:
    assert key("Caf\u00c9/x") == key("cafe\u0301/X")
    assert key("a") != key("b")


@pytest.mark.parametrize("text", ["#" * 200_000, "#a" * 100_000, "#a " * 70_000, "#1" + "1" * 200_000, " #" * 100_000])
def test_time_grows_with_the_length(text: str) -> None:
    start = time.process_time()
    find(text)
    assert time.process_time() - start < 3


def test_blanks_for_tags() -> None:
    text = "#a, #bc/d x #e"
    assert blanked(text, find(text)) == "  , ##### x   ".replace("#", " ")
    assert blanked("y #a z", (Tag(12, 14, "a"),), 10) == "y    z"
