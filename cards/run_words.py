"""How many cards of one run have a word, ask in the same words or answer in the same words."""

from collections import defaultdict
from collections.abc import Sequence
from functools import cache, lru_cache

from cards.likeness import Reading, Sight, folded, read
from cards.ordinals import frame


class RunWords:
    """The cards of one run by their words, so that few of them are read to count those that say the same.

    For a `few` questions the texts are searched; for many all words are put in order first.
    """

    def __init__(self, cards: Sequence[Sight], *, few: bool) -> None:
        self._cards = cards
        self._texts = [folded(f"{card.question}\n{card.answer}") for card in cards] if few else None
        self._with: defaultdict[str, list[Sight]] = defaultdict(list)
        for card in () if few else cards:
            for word in _vocabulary(card):
                self._with[word].append(card)
        self.cards_with = cache(self._cards_with)
        self.answering = cache(self._answering)
        self.framing = cache(self._framing)
        self._asked_by = cache(self._asking)

    def _cards_with(self, word: str) -> int:
        """How many cards have the word."""
        return sum(word in _vocabulary(card) for card in self._holding([word]))

    def asking(self, card: Sight) -> int:
        """How many cards ask in the same words."""
        return self._asked_by(read(card.question).tokens, card.is_cloze)

    def _asking(self, tokens: tuple[str, ...], is_cloze: bool) -> int:
        alike = (it for it in self._holding(tokens) if it.is_cloze == is_cloze)
        return sum(read(it.question).tokens == tokens for it in alike)

    def _framing(self, asked: tuple[str, ...]) -> int:
        """How many cards ask in the words of this frame, be it with other numbers."""
        return sum(frame(read(it.question).tokens) == asked for it in self._holding([*filter(None, asked)]))

    def _answering(self, answer: Reading) -> int:
        """How many cards answer in the same words."""
        return sum(read(it.answer).tokens == answer.tokens for it in self._holding(answer.tokens))

    def _holding(self, words: Sequence[str]) -> Sequence[Sight]:
        """All cards that have the words, and maybe others."""
        if self._texts is None:
            return min((self._with.get(word, ()) for word in words), key=len, default=self._cards)
        parts = sorted(map(folded, words), key=len, reverse=True)
        texts = zip(self._cards, self._texts, strict=True)
        return [card for card, text in texts if all(part in text for part in parts)]


def _vocabulary(card: Sight) -> frozenset[str]:
    return _words(card.question, card.answer)


@lru_cache(maxsize=1 << 14)
def _words(question: str, answer: str) -> frozenset[str]:
    """All words of a card; kept, because a long one is asked for each of its words."""
    return frozenset((*read(question).tokens, *read(answer).tokens))
