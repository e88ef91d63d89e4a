"""The cards of two twin notes, pair by pair."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cards import formulas
from cards.asking import AUXILIARY, QUESTION_WORDS
from cards.flashcards import plain_text
from cards.labels import STEP
from cards.language import ALSO_ENGLISH, ENGLISH, HINDI_ONLY, STRONG
from cards.model import Card, Cloze, Language, Note
from cards.stated import stated

_LEAST_SCORE = 0.45
"""Of two cards that are paired."""
_SAME_WORDS = 0.75
"""Of their words two cards share so many, if a number of one was only corrected: a translation keeps the numbers."""
_SAME_NAMES = 0.7
"""Of what two cards name, in words that both notes know, they must share so much."""
_STEM = 5
"""Letters by which words are compared whatever their endings."""
_MOST_HOLDERS = 200
"""A word on more cards than this brings none of them near: the time stays linear in the number of cards."""


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """A note as far as twins compare it; only itself is equal to it, so that the cards of two are paired once."""

    note: Note
    text: str
    """As it stands in its file, so that places in it are places of the file."""
    cards: tuple[Card, ...]
    """All of them, also derived ones that repeat a marked one."""
    structures: Mapping[Card, str]
    """What a derived card was read off, such as `why`."""


_WORD = re.compile(r"[^\W\d_]{4,}")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_TOKEN = re.compile(r"[^\W_]+")
_STEP = re.compile(rf"\b{STEP}")
_FUNCTION_WORDS = STRONG | HINDI_ONLY | ALSO_ENGLISH | ENGLISH
_NO_NAMES = _FUNCTION_WORDS | QUESTION_WORDS | AUXILIARY


@dataclass(frozen=True, slots=True)
class _Features:
    words: frozenset[str]
    formulas: frozenset[str]
    numbers: frozenset[str]
    kind: type
    structure: str
    """What a derived card was read off, with the number of its step; empty for a marked card."""
    names: tuple[frozenset[str], frozenset[str]]
    """What both notes call by the same word, in the question and in the answer."""


def pair_cards(one: Told, other: Told) -> list[tuple[Card, Card]]:
    """The cards of two twin notes that ask the same, in the order of `one`; a card has one partner at most."""
    common = _names_of(one) & _names_of(other)
    mine = [_features(card, one, common) for card in one.cards]
    yours = [_features(card, other, common) for card in other.cards]
    translates = tuple(0.5 if each.note.language is Language.EN else 1.0 for each in (one, other))
    scores = [
        (_score(mine[i], yours[j]), i, j) for i, j in _candidates(mine, yours) if _fit(mine[i], yours[j], translates)
    ]
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for score, i, j in sorted(scores, key=lambda entry: (-entry[0], entry[1], entry[2])):
        if score >= _LEAST_SCORE and i not in pairs and j not in taken:
            pairs[i] = j
            taken.add(j)
    return [(one.cards[i], other.cards[j]) for i, j in sorted(pairs.items())]


def handed_on(pairs: Iterable[tuple[Card, Card]], instead: Mapping[Card, Card]) -> list[tuple[Card, Card]]:
    """The pairs when some cards are left out: the partner of such a card goes to the one `instead`, if that is free."""
    pairs = list(pairs)
    taken = {card for pair in pairs for card in pair if card not in instead}
    kept = []
    for pair in pairs:
        one, other = (instead.get(card, card) for card in pair)
        if all(new is old or new not in taken for new, old in zip((one, other), pair, strict=True)):
            taken.update((one, other))
            kept.append((one, other))
    return kept


def _candidates(mine: Sequence[_Features], yours: Sequence[_Features]) -> Iterator[tuple[int, int]]:
    """The pairs that share a word or a formula which is not everywhere."""
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for j, features in enumerate(yours):
        for feature in features.words | features.formulas:
            holders[feature].append(j)
    for i, features in enumerate(mine):
        found = (holders.get(feature, []) for feature in features.words | features.formulas)
        near = {j for cards in found if len(cards) <= _MOST_HOLDERS for j in cards}
        yield from ((i, j) for j in near)


def _fit(one: _Features, other: _Features, weights: tuple[float, ...]) -> bool:
    """Whether the cards name the same things: of all the words that both notes know each should be on both cards.

    A word on one card alone weighs less on the English one, as the other may translate it.
    """
    mine, yours = one.names[0] | one.names[1], other.names[0] | other.names[1]
    lacking = weights[0] * len(mine - yours) + weights[1] * len(yours - mine)
    if len(mine & yours) < _SAME_NAMES * (len(mine & yours) + lacking):
        return False
    if one.formulas & (mine - yours) and other.formulas & (yours - mine):
        return False
    sides = ((names, all_of_other) for card, all_of_other in ((one, yours), (other, mine)) for names in card.names)
    return not any(names and names.isdisjoint(all_of_other) for names, all_of_other in sides)


def _score(one: _Features, other: _Features) -> float:
    if one.structure != other.structure:
        return 0.0
    words = len(one.words & other.words) / min(len(one.words), len(other.words)) if one.words and other.words else None
    has_other_numbers = one.numbers and other.numbers and one.numbers.isdisjoint(other.numbers)
    if has_other_numbers and (words or 0) < _SAME_WORDS:
        return 0.0
    shares = [] if words is None else [words]
    if every := one.formulas | other.formulas:
        shares.append(len(one.formulas & other.formulas) / len(every))
    return sum(shares) / len(shares) + (0.15 if one.kind is other.kind else 0) if shares else 0.0


def _names_of(told: Told) -> frozenset[str]:
    """All that the cards of a note, and its text, name."""
    return _names(told.text).union(*(_names(plain_text(card.content)) for card in told.cards))


def _names(text: str) -> frozenset[str]:
    """The words by which things are called in either language, as far as endings leave them, numbers and formulas."""
    found = {formula.tex for formula in stated(text)}
    for token in (token for line in text.split("\n") for token in _TOKEN.findall(formulas.outside(line))):
        word = token.casefold()
        says = len(word) >= 4 or (len(word) > 1 and token.isupper()) or any(map(str.isdigit, word))
        if says and word not in _NO_NAMES:
            found.add(word[:_STEM].rstrip("eiy"))  # copy, copied
    return frozenset(found)


def _sides(card: Card) -> tuple[str, str]:
    match card.content:
        case Cloze():
            return plain_text(card.content), ""
        case content:
            return content.front, content.back


def _features(card: Card, told: Told, common: frozenset[str]) -> _Features:
    """What the card says; of a derived one without its headings, which many cards share."""
    structure = told.structures.get(card, "")
    words, found = _content(plain_text(card.content))
    if structure:
        common_words, of_headings = _content("\n".join(card.heading))
        words, found = words - common_words, found - of_headings
        step = _STEP.search(plain_text(card.content))
        structure += step[1] if step else ""
    numbers = frozenset(number.replace(",", "") for number in _NUMBER.findall(plain_text(card.content)))
    of_context = _names("\n".join((told.note.title or "", *card.heading))) if structure else frozenset[str]()
    front, back = ((_names(side) & common) - of_context for side in _sides(card))
    return _Features(words, found, numbers, type(card.content), structure, (front, back))


def _content(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Words and formulas."""
    words = frozenset(word.casefold() for word in _WORD.findall(formulas.outside(text)))
    return words - _FUNCTION_WORDS, frozenset(formula.tex for formula in stated(text))
