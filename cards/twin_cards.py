"""The cards of two twin notes, pair by pair."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cards import contrasts
from cards.contrasts import NO_NAMES, Side
from cards.labels import STEP
from cards.model import Card, Cloze, Language, Note
from cards.sides import filled, plain_text

_LEAST_SCORE = 0.45
"""Of two cards that are paired."""
_SAME_WORDS = 0.75
"""Of their words two cards share so many, if a number or formula of one was only corrected: a translation keeps them."""
_MOST_CORRECTED = 0.25
"""Of the pairs so many may have other numbers or formulas, or one."""
_SAID_OTHERWISE = 2
"""A cloze and a question must share so many words and formulas."""
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
_TOKEN = re.compile(r"[^\W_]+")
_STEP = re.compile(rf"\b{STEP}")


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
    asked: contrasts.Asked
    said: frozenset[str]
    """What of the card is written alike in both languages."""


def pair_cards(one: Told, other: Told) -> list[tuple[Card, Card]]:
    """The cards of two twin notes that ask the same, in the order of `one`; a card has one partner at most."""
    sides = [[_sides(card) for card in told.cards] for told in (one, other)]
    common = _names_of(one, sides[0]) & _names_of(other, sides[1])
    mine, yours = (
        [_features(card, found, told, common) for card, found in zip(told.cards, of_cards, strict=True)]
        for told, of_cards in zip((one, other), sides, strict=True)
    )
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
    corrected = [i for i, j in pairs.items() if _has_other_values(mine[i], yours[j])]
    if len(corrected) > max(1, _MOST_CORRECTED * len(pairs)):  # the notes say the same of two things
        for i in corrected:
            del pairs[i]
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
    if contrasts.differ(one.asked, other.asked, (one.said, other.said)):
        return False
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
    same = len(one.words & other.words)
    words = same / min(len(one.words), len(other.words)) if one.words and other.words else None
    if _has_other_values(one, other) and same < _SAME_WORDS * max(len(one.words), len(other.words)):
        return 0.0
    if one.kind is not other.kind and same + len(one.formulas & other.formulas) < _SAID_OTHERWISE:
        return 0.0
    shares = [] if words is None else [words]
    if every := one.formulas | other.formulas:
        shares.append(len(one.formulas & other.formulas) / len(every))
    return sum(shares) / len(shares) + (0.15 if one.kind is other.kind else 0) if shares else 0.0


def _has_other_values(one: _Features, other: _Features) -> bool:
    """Whether no number or no formula of one is on the other card, as where one was corrected."""
    values = ((one.numbers, other.numbers), (one.formulas, other.formulas))
    return any(mine and yours and mine.isdisjoint(yours) for mine, yours in values)


def _names_of(told: Told, sides: Iterable[tuple[Side, Side]]) -> frozenset[str]:
    """All that the cards of a note, and its text, name."""
    return _names(Side.of(told.text)).union(*(_names(side) for card in sides for side in card))


def _names(side: Side) -> frozenset[str]:
    """The words by which things are called in either language, as far as endings leave them, numbers and formulas."""
    found = set(side.formulas)
    for token in _TOKEN.findall(side.bare):
        word = token.casefold()
        says = len(word) >= 4 or (len(word) > 1 and token.isupper()) or any(map(str.isdigit, word))
        if says and word not in NO_NAMES:
            found.add(word[:_STEM].rstrip("eiy"))  # copy, copied
    return frozenset(found)


def _sides(card: Card) -> tuple[Side, Side]:
    match card.content:
        case Cloze():
            return Side.of(filled(card.content)), Side.of("")
        case content:
            return Side.of(content.front), Side.of(content.back)


def _features(card: Card, sides: tuple[Side, Side], told: Told, common: frozenset[str]) -> _Features:
    """What the card says; of a derived one without its headings, which many cards share."""
    structure = told.structures.get(card, "")
    asked = contrasts.asked(sides[0])
    said = asked.names | contrasts.names(sides[1])
    found = sides[0].formulas | sides[1].formulas
    words = _words(sides[0]) | _words(sides[1]) | (said - found)
    of_context: frozenset[str] = frozenset()
    if structure:
        headings = Side.of("\n".join(card.heading))
        words, found = words - _words(headings), found - headings.formulas
        step = _STEP.search(plain_text(card.content))
        structure += step[1] if step else ""
        of_context = _names(Side.of("\n".join((told.note.title or "", *card.heading))))
    front, back = ((_names(side) & common) - of_context for side in sides)
    return _Features(
        words,
        found,
        asked.numbers | contrasts.numbers(sides[1].text),
        type(card.content),
        structure,
        (front, back),
        asked,
        said,
    )


def _words(side: Side) -> frozenset[str]:
    return frozenset(map(str.casefold, _WORD.findall(side.bare))) - NO_NAMES
