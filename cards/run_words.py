"""How many cards of one run have a word, ask in the same words or answer in the same words."""

from collections import defaultdict
from collections.abc import Sequence
from functools import cache

from cards.likeness import Sight
from cards.ordinals import frame
from cards.wording import Reading, read


class RunWords:
    """The cards of one run by their words, so that few of them are read to count those that say the same."""

    def __init__(self, cards: Sequence[Sight]) -> None:
        self._cards = cards
        self._with: defaultdict[str, list[Sight]] = defaultdict(list)
        for card in cards:
            for word in {*read(card.question).tokens, *read(card.answer).tokens}:
                self._with[word].append(card)
        self.answering = cache(self._answering)
        self.framing = cache(self._framing)
        self._asked_by = cache(self._asking)

    def cards_with(self, word: str) -> int:
        """How many cards have the word."""
        return len(self._with.get(word, ()))

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
        return min((self._with.get(word, ()) for word in words), key=len, default=self._cards)
