"""Which deck a card lies in, and which tags it carries."""

from bisect import bisect_left
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache

from cards.front_matter import FrontMatter
from cards.lines import Line
from cards.settings import Settings
from cards.tags import DEFAULT_DECK, deck_name, is_deck_tag, is_ignored, key


@dataclass(frozen=True, slots=True)
class NoteTags:
    """The tags of a note, where they matter for decks."""

    settings: Settings
    front_matter: tuple[str, ...]
    lines: tuple[tuple[int, tuple[str, ...]], ...]
    """The lines with a deck tag, with all their tags."""
    ignored: bool


def note_tags(tagged: Sequence[Line], matter: FrontMatter, settings: Settings) -> NoteTags:
    named = [(line.number, tuple(tag.name for tag in line.tags)) for line in tagged]
    names = [*matter.tags, *(name for _, names in named for name in names)]
    return NoteTags(
        settings,
        matter.tags,
        tuple((n, names) for n, names in named if any(is_deck_tag(name, settings) for name in names)),
        any(is_ignored(name, settings) for name in names),
    )


def has_deck(found: NoteTags) -> bool:
    return bool(found.lines) or any(is_deck_tag(name, found.settings) for name in found.front_matter)


@dataclass(frozen=True, slots=True)
class DeckChooser:
    tags: NoteTags
    taken: AbstractSet[int]
    """Lines of cards, whose tags hold for no other card."""
    folder: str
    """The note's folder below the one that holds the settings, with `/`."""
    _free: list[tuple[int, tuple[str, ...]]]
    _chosen: dict[tuple[int, tuple[str, ...]], tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    """What was chosen below each of the free lines, for each row of a card's own tags."""

    @classmethod
    def of(cls, tags: NoteTags, taken: AbstractSet[int], folder: str) -> "DeckChooser":
        return cls(tags, taken, folder, [entry for entry in tags.lines if entry[0] not in taken])

    def choose(self, line: int, own_tags: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """Deck and other tags of a card that begins in the line."""
        above = bisect_left(self._free, (line,)) - 1
        chosen = self._chosen.get((above, own_tags))
        if chosen is None:
            chosen = self._chosen[above, own_tags] = self._choice(above, own_tags)
        return chosen

    def _choice(self, above: int, own_tags: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        deck, giving = self._deck(above, own_tags)
        names = list(own_tags)
        if giving is not own_tags:
            names += giving
        names += (name for name in self.tags.front_matter if not is_deck_tag(name, self.tags.settings))
        name = self._folder_deck() if deck is None else deck_name(deck)
        return name, _others(deck, tuple(names)) if len(names) > 1 or deck is None else ()

    def _deck(self, above: int, own_tags: tuple[str, ...]) -> tuple[str | None, tuple[str, ...]]:
        """The deck tag, and the tags among which it stands."""
        if deck := self._first(own_tags):
            return deck, own_tags
        if self.tags.settings.folders_as_decks:
            return None, ()
        nearest = self._free[above][1] if above >= 0 else ()
        anywhere = self.tags.lines[0][1] if self.tags.lines else ()
        for giving in (nearest, self.tags.front_matter, anywhere):
            if deck := self._first(giving):
                return deck, giving
        return None, ()

    def _first(self, names: tuple[str, ...]) -> str | None:
        return next((name for name in names if is_deck_tag(name, self.tags.settings)), None)

    def _folder_deck(self) -> str:
        return deck_name(self.folder) if self.folder else DEFAULT_DECK


@lru_cache(maxsize=1024)
def _others(deck: str | None, names: tuple[str, ...]) -> tuple[str, ...]:
    """The tags beside the deck, each once."""
    kept = {key(name): name for name in reversed(names)}
    if deck is not None:
        kept.pop(key(deck), None)
    return tuple(dict.fromkeys(kept[key(name)] for name in names if key(name) in kept))
