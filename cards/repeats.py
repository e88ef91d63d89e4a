"""Cards that say what another card says already."""

import re
from collections.abc import Iterable, Mapping, Sequence

from cards import formulas
from cards.asking import QUESTION_WORDS
from cards.language import FUNCTION_WORDS
from cards.model import Card, Cloze
from cards.sides import filled
from cards.stated import stated

_SAME_BACK = 0.5
"""Share of the content of two answers from which on they say the same, if they share enough words."""
_ENOUGH = 5
_EQUAL_BACK = 0.8
"""The share that tells of few words too."""
_NEAR_BACK = 0.3
_NEAR_FRONT = 0.35
"""Shares that are enough if questions and answers both reach theirs."""

_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|-(?=[^\W\d_])){2,}")
_NO_CONTENT = FUNCTION_WORDS | QUESTION_WORDS
_MOST_HOLDERS = 200
"""A word in more answers than this brings none of them near: the time stays linear in the number of cards."""

Content = frozenset[str]


def content(text: str) -> Content:
    """The words that carry meaning, and the formulas in one spelling."""
    words = {word.casefold() for word in _WORD.findall(formulas.outside(text))} - _NO_CONTENT
    return frozenset(words | {f"${formula.tex}" for formula in stated(text)})


def shared(one: Content, other: Content) -> float:
    """From 0 to 1: how much of all they hold is in both."""
    every = one | other
    return len(one & other) / len(every) if every else 0.0


def repeated(derived: Sequence[tuple[Card, str]], marked: Iterable[Card]) -> Mapping[Card, Card]:
    """For each derived card that repeats a marked one, that card; each derived card comes with its question without context."""
    if not derived:
        return {}
    known = [(card, _sides(card)) for card in marked]
    contents = [(content(front), content(back)) for _, (front, back) in known]
    holders: dict[str, list[int]] = {}
    for index, (_, back) in enumerate(contents):
        for token in back:
            holders.setdefault(token, []).append(index)
    found = {}
    for card, question in derived:
        front, back = content(question), content(_sides(card)[1])
        some = (holders.get(token, ()) for token in back)
        near = sorted({index for indexes in some if len(indexes) <= _MOST_HOLDERS for index in indexes})
        repeats = [
            (shared(back, contents[index][1]), index) for index in near if _repeats(front, back, *contents[index])
        ]
        if repeats:
            found[card] = known[max(repeats)[1]][0]
    return found


def _repeats(front: Content, back: Content, known_front: Content, known_back: Content) -> bool:
    """Whether the first card says what the second one says; an answer that is all in the other adds nothing to it."""
    both = shared(back, known_back)
    if both >= _EQUAL_BACK or (both >= _SAME_BACK and len(back & known_back) >= _ENOUGH):
        return True
    return (both >= _NEAR_BACK or back <= known_back) and shared(front, known_front) >= _NEAR_FRONT


def _sides(card: Card) -> tuple[str, str]:
    match card.content:
        case Cloze():
            text = filled(card.content)
            return text, text
        case content:
            return content.front, content.back
