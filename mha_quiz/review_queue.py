"""Which flashcards a review asks, and in which order."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeVar

from cards.model import Card, Language
from mha_quiz.asking_cards import Asked
from mha_quiz.events import Key
from mha_quiz.schedule import State

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the learner wants of a review."""

    limit: int = 20
    """New cards a day."""
    ahead: int = 0
    """Days from today whose cards are asked today."""
    cram: bool = False
    """All cards, and nothing of it is scheduled."""
    numbers: bool = True
    """Numeric questions of the skills that are due too."""
    language: Language = Language.EN


def to_ask(
    cards: Sequence[Asked], twins: Mapping[Card, Card], states: Mapping[Key, State], today: date, wanted: Wanted
) -> tuple[Asked, ...]:
    """The siblings to ask on `today`; `twins` names the card in the other language, both ways.

    Of one card, and of twins, one sibling is asked a day, the longest overdue; a card is not new if its twin is known.
    """
    if wanted.cram:
        return tuple(sorted(cards, key=lambda it: it.key))
    topics = _topics(cards, twins)
    dues = {it: states[it.key].due for it in cards if it.key in states}
    late = today + timedelta(days=wanted.ahead)
    due = sorted((it for it in dues if dues[it] <= late), key=lambda it: (dues[it], it.key))
    known = {it.card for it in dues}
    new = [it for it in cards if it not in dues and not _is_known_by_twin(it, twins, known, wanted.language)]
    answered = [it for it in dues if states[it.key].last == today]
    asked_today = {topics[it] for it in answered}
    left = wanted.limit - sum(states[it.key].reps == 1 for it in answered)
    due = list(_one_each(due, topics, asked_today))
    new = list(_one_each(new, topics, asked_today))[: max(left, 0)]
    return tuple(interleave(due, new))


def _topics(cards: Sequence[Asked], twins: Mapping[Card, Card]) -> dict[Asked, Card]:
    """What a sibling shares with those that would give its answer away."""
    first: dict[Card, Card] = {}
    for it in cards:
        first.setdefault(it.card, first.get(twins.get(it.card, it.card), it.card))
    return {it: first[it.card] for it in cards}


def _is_known_by_twin(it: Asked, twins: Mapping[Card, Card], known: set[Card], language: Language) -> bool:
    twin = twins.get(it.card)
    if twin is None or it.card in known:
        return False
    return twin in known or (twin.language is language and it.card.language is not language)


def _one_each(cards: Iterable[Asked], topics: Mapping[Asked, Card], taken: set[Card]) -> Iterator[Asked]:
    for it in cards:
        if topics[it] not in taken:
            taken.add(topics[it])
            yield it


def interleave(*queues: Sequence[T]) -> list[T]:
    """All of the queues, each in its order and spread evenly over the whole."""
    placed = [
        ((at + 0.5) / len(queue), number, it) for number, queue in enumerate(queues) for at, it in enumerate(queue)
    ]
    return [it for _, _, it in sorted(placed, key=lambda entry: entry[:2])]
