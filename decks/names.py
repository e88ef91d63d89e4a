"""Names of decks and tags as Anki takes them."""

from collections.abc import Iterable
from functools import lru_cache
from unicodedata import normalize

from cards.tags import DEFAULT_DECK, Spellings, first_spelling
from decks.html import clean


def deck_names(names: Iterable[str]) -> dict[str, str]:
    """For each deck path its name in Anki, levels joined by `::`.

    Anki takes no empty level and tells no upper from lower case, so the first spelling of a level holds for all.
    """
    seen: Spellings = {}
    return {name: first_spelling("::".join(_levels(name, "::")) or DEFAULT_DECK, seen) for name in dict.fromkeys(names)}


@lru_cache
def tags(written: tuple[str, ...]) -> tuple[str, ...]:
    """Tags as Anki takes them: `a/b` as `a::b`, without blanks, each once."""
    spelled: dict[str, str] = {}
    for tag in written:
        if named := "::".join(_levels("_".join(tag.split()), "/")):
            spelled.setdefault(named.casefold(), named)
    return tuple(spelled.values())


def _levels(name: str, border: str) -> list[str]:
    levels = (" ".join(level.split()).strip(" :") for level in normalize("NFC", clean(name)).split(border))
    return [level for level in levels if level]
