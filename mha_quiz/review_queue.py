"""Which flashcards a review asks, and in which order."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeVar

from cards.model import Language
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
    cards: Sequence[Asked], twins: Mapping[str, str], states: Mapping[Key, State], today: date, wanted: Wanted
) -> tuple[Asked, ...]:
    """The siblings to ask on `today`; `twins` has the id of the card in the other language, both ways.

    Of one card, and of twins, one sibling is asked a day, the longest overdue; a card is not new if its twin is known.
    """
    if wanted.cram:
        return tuple(sorted(cards, key=lambda it: it.key))
    topics = _topics(cards, twins)
    seen = [it for it in cards if it.key in states]
    late = today + timedelta(days=wanted.ahead)
    due = sorted((it for it in seen if states[it.key].due <= late), key=lambda it: (states[it.key].due, it.key))
    known = {it.key.card for it in seen}
    spare = _spare(cards, twins, known, wanted.language)
    new = [it for it in cards if it.key not in states and it.key.card not in spare]
    answered = [it for it in seen if states[it.key].last == today]
    asked_today = {topics[it.key.card] for it in answered}
    left = wanted.limit - sum(states[it.key].reps == 1 for it in answered)
    due = list(_one_each(due, topics, asked_today))
    new = list(_one_each(new, topics, asked_today))[: max(left, 0)]
    return tuple(interleave(due, new))


def _topics(cards: Sequence[Asked], twins: Mapping[str, str]) -> dict[str, str]:
    """What the siblings of a card share with those that would give their answer away."""
    first: dict[str, str] = {}
    for it in cards:
        name = it.key.card
        first.setdefault(name, first.get(twins.get(name, name), name))
    return first


def _spare(cards: Sequence[Asked], twins: Mapping[str, str], known: set[str], language: Language) -> set[str]:
    """The cards that are not asked as new ones: their twin is known, or it is in the language that is wanted."""
    languages = {it.key.card: it.card.language for it in cards if it.key.card in twins}
    return {
        name
        for name, spoken in languages.items()
        if name not in known
        and (twins[name] in known or (languages.get(twins[name]) is language and spoken is not language))
    }


def _one_each(cards: Iterable[Asked], topics: Mapping[str, str], taken: set[str]) -> Iterator[Asked]:
    for it in cards:
        topic = topics[it.key.card]
        if topic not in taken:
            taken.add(topic)
            yield it


def interleave(*queues: Sequence[T]) -> list[T]:
    """All of the queues, each in its order and spread evenly over the whole."""
    placed = [
        ((at + 0.5) / len(queue), number, it) for number, queue in enumerate(queues) for at, it in enumerate(queue)
    ]
    return [it for _, _, it in sorted(placed, key=lambda entry: entry[:2])]
