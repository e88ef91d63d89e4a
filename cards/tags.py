"""Tags such as `#flashcards/bio`: where they stand, which of them name a deck, and that deck's name."""

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from cards.settings import Settings

_ROOT = "flashcards"
DEFAULT_DECK = "Flashcards"
PREPROCESSOR_WORDS = frozenset(
    ("include", "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "line", "pragma")
)
"""Words that stand behind `#` at the start of a line of C; such a tag is never taken off a card."""

_CANDIDATE = re.compile(r"(?<!\S)#([^\s!-,.:-@\[-^`{-~]+)")


class Tag(NamedTuple):
    """`text[start:end]` is the tag with its `#`; `name` is without."""

    start: int
    end: int
    name: str


def find(text: str) -> tuple[Tag, ...]:
    """The tags of `text`, left to right; what is protected must be blanked out before."""
    if "#" not in text:
        return ()
    tags = []
    for match in _CANDIDATE.finditer(text):
        name = _up_to_punctuation(match[1])
        if name[:1].isalpha() or any(not (char.isdigit() or char in "_-/") for char in name):
            tags.append(Tag(match.start(), match.start() + 1 + len(name), name))
    return tuple(tags)


def blanked(text: str, found: Iterable[Tag], start: int = 0) -> str:
    """The text with blanks for the tags found in it, so that places stay; it begins at the offset `start`."""
    pieces, place = [], 0
    for tag in found:
        pieces += [text[place : tag.start - start], " " * (tag.end - tag.start)]
        place = tag.end - start
    return "".join([*pieces, text[place:]])


def key(name: str) -> str:
    """What two spellings of one tag share: NFC, case-folded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def is_deck_tag(name: str, settings: Settings) -> bool:
    return _is_below(name, settings.deck_tags)


def is_ignored(name: str, settings: Settings) -> bool:
    return _is_below(name, settings.ignore_tags)


def deck_name(name: str) -> str:
    """The deck of a deck tag, or of a folder written with `/`, as a path joined by `::`."""
    levels = [level for part in name.split("/") if (level := part.strip())]
    if levels and key(levels[0]) == _ROOT:
        del levels[0]
    return "::".join(level.replace("::", " - ") for level in levels) or DEFAULT_DECK


Spellings = dict[tuple[int, str], tuple[int, str]]
"""For each level, by the number of the one above it and its key: its own number, and how it was spelled first."""


def first_spelling(deck: str, seen: Spellings) -> str:
    """The deck with each of its levels as it was spelled first; `seen` holds those spellings, and takes new ones in."""
    number, levels = 0, []
    for level in deck.split("::"):
        number, spelled = seen.setdefault((number, key(level)), (len(seen) + 1, level))
        levels.append(spelled)
    return "::".join(levels)


def _is_below(name: str, roots: Iterable[str]) -> bool:
    path = key(name) + "/"
    return any(root and path.startswith(key(root) + "/") for root in roots)


def _up_to_punctuation(text: str) -> str:
    if text.isascii():  # the pattern stops at ASCII punctuation
        return text
    for index, char in enumerate(text):
        if char not in "_-/" and unicodedata.category(char).startswith("P"):
            return text[:index]
    return text
