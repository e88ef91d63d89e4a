"""Which texts surely speak of different things, for so many pairs of texts that each may take a microsecond only."""

from collections import defaultdict
from collections.abc import Iterable
from functools import cache

from cards.wording import may_ask, read, spellings


class OwnWords:
    """Knows the words of the `texts` that are to be compared, and which of them a typing slip turns into each other."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._spelled: defaultdict[str, set[str]] = defaultdict(set)
        for word in {word for text in texts for word in read(text).tokens}:
            for spelling in spellings(word):
                self._spelled[spelling].add(word)
        self._about = cache(_about)
        self._has = cache(self._says)

    def are_exchanged(self, one: str, other: str) -> bool:
        """True only where `difference` calls the two texts `OTHER` or farther: each is about something by a word that
        the other has not, not even mistyped."""
        return not (self._about(one) <= self._has(other) or self._about(other) <= self._has(one))

    def _says(self, text: str) -> frozenset[str]:
        """The words of the text, and those that may be one of them mistyped."""
        return frozenset(
            near for word in read(text).tokens for spelling in spellings(word) for near in self._spelled[spelling]
        )


def _about(text: str) -> frozenset[str]:
    return frozenset(word for word in read(text).topic if not may_ask(word))
