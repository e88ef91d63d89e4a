"""Notes that say the same in English and in Hinglish, their cards pair by pair, and formulas that should be equal."""

import os
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cards import formulas
from cards.flashcards import plain_text
from cards.language import ALSO_ENGLISH, ENGLISH, HINDI_ONLY, STRONG
from cards.model import Card, Note, Problem
from cards.stated import stated
from cards.twin_formulas import differences, heading_name

LEAST_SHARE = 0.6
"""Of the formulas or headings of the smaller note that the other one must have."""
LEAST_COUNT = 5
TIE = 0.05
"""Two partners whose scores differ by less are too close to call."""
LEAST_SCORE = 0.45
"""Of two cards that are paired."""
SAME_WORDS = 0.75
"""Of their words two cards share so many, if a number of one was only corrected: a translation keeps the numbers."""
MOST_HOLDERS = 200
"""A word on more cards than this brings none of them near: the time stays linear in the number of cards."""

_ENDINGS = ("", ".md", ".markdown", ".txt")


@dataclass(frozen=True, slots=True)
class Told:
    """A note as far as twins compare it."""

    note: Note
    text: str
    """As it stands in its file, so that places in it are places of the file."""
    cards: tuple[Card, ...]
    """All of them, also derived ones that repeat a marked one."""
    structures: Mapping[Card, str]
    """What a derived card was read off, such as `why`."""


@dataclass(frozen=True, slots=True)
class Twins:
    notes: tuple[tuple[Note, Note], ...]
    cards: tuple[tuple[Card, Card], ...]
    problems: tuple[Problem, ...]


def find(notes: Sequence[Told], instead: Mapping[Card, Card]) -> Twins:
    """All twins among the notes; `instead` names for each card that is left out the one that says the same."""
    if len({told.note.language for told in notes}) < 2 and not any(told.note.twin for told in notes):
        return Twins((), (), ())
    pairs = pair_notes(notes)
    cards: list[tuple[Card, Card]] = []
    problems: list[Problem] = []
    for one, other in pairs:
        paired = pair_cards(one, other)
        cards += handed_on(paired, instead)
        problems += differences((one.note, other.note), (one.text, other.text), paired)
    return Twins(tuple((one.note, other.note) for one, other in pairs), tuple(cards), tuple(problems))


def pair_notes(notes: Sequence[Told]) -> list[tuple[Told, Told]]:
    """The twins among the notes, in the order of the first of them; a note has one twin at most."""
    pairs = list(_declared(notes))
    taken = {index for pair in pairs for index in pair}
    pairs += _named_alike(notes, [index for index in range(len(notes)) if index not in taken])
    taken = {index for pair in pairs for index in pair}
    scores = _scores(notes, [index for index in range(len(notes)) if index not in taken])
    rivals: defaultdict[int, list[float]] = defaultdict(list)
    for pair, score in scores.items():
        for index in pair:
            rivals[index].append(score)
    for pair, score in sorted(scores.items(), key=lambda entry: (-entry[1], entry[0])):
        if not taken.isdisjoint(pair):
            continue
        taken.update(pair)
        # its own score is among those that come near
        if all(sum(score - other < TIE for other in rivals[index] if other <= score) == 1 for index in pair):
            pairs.append(pair)
    return [(notes[one], notes[other]) for one, other in sorted(pairs)]


def _declared(notes: Sequence[Told]) -> Iterator[tuple[int, int]]:
    """The pairs of which one names the other: by its path from there, or by the end of its path, as wikilinks do."""
    places = {_folded(told.note.path): index for index, told in enumerate(notes)}
    by_end: defaultdict[str, set[int]] = defaultdict(set)
    for place, index in places.items() if any(told.note.twin for told in notes) else ():
        parts = place.split("/")
        for length in range(1, len(parts) + 1):
            by_end["/".join(parts[-length:])].add(index)
    taken: set[int] = set()
    for index, told in enumerate(notes):
        if told.note.twin is None:
            continue
        beside, end = _folded(str(Path(told.note.path).parent / told.note.twin)), _folded(told.note.twin)
        ways = [{places[beside + ending]} for ending in _ENDINGS if beside + ending in places]
        ways += [by_end[end + ending] for ending in _ENDINGS if end + ending in by_end]
        other = next((at for at, *more in (way - {index} for way in ways if way != {index}) if not more), None)
        if other is not None and taken.isdisjoint((index, other)):
            taken.update((index, other))
            yield min(index, other), max(index, other)


_LANGUAGE_NAME = re.compile(r"(?<![^\W_])(?:en|eng|english|hi|hin|hindi|hinglish)(?![^\W_])")
_BORDERS = re.compile(r"[\W_]+")


def _named_alike(notes: Sequence[Told], free: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The pairs of notes whose paths differ in nothing but the name of a language: `lens.md` and `lens.hinglish.md`,
    `en/lens.md` and `hinglish/lens.md`. Of three such notes none is paired by its name."""
    alike: defaultdict[str, list[int]] = defaultdict(list)
    for index in free:
        alike[_BORDERS.sub(" ", _LANGUAGE_NAME.sub(" ", _bare(_folded(notes[index].note.path)))).strip()].append(index)
    for found in alike.values():
        if len(found) == 2:
            one, other = (notes[index] for index in found)
            named = [_LANGUAGE_NAME.findall(_bare(_folded(told.note.path))) for told in (one, other)]
            if one.note.language != other.note.language and named[0] != named[1] and _decks(one) & _decks(other):
                yield found[0], found[1]


def _folded(path: str) -> str:
    """The path as names are compared."""
    return unicodedata.normalize("NFC", Path(os.path.normpath(path)).as_posix()).casefold()


def _bare(path: str) -> str:
    """The path without the ending of a note."""
    return next((path.removesuffix(ending) for ending in _ENDINGS[1:] if path.endswith(ending)), path)


def _decks(told: Told) -> set[str]:
    return {card.deck for card in told.cards}


def _scores(notes: Sequence[Told], free: Sequence[int]) -> dict[tuple[int, int], float]:
    """The pairs of notes among the `free` that may be twins, and how much they share."""
    decks = {index: _decks(notes[index]) for index in free}
    scores: dict[tuple[int, int], float] = {}
    for features in (
        {index: _formulas(notes[index]) for index in free},
        {index: _headings(notes[index].note) for index in free},
    ):
        for (one, other), shared in _shared(notes, features).items():
            smaller = min(len(features[one]), len(features[other]))
            if smaller >= LEAST_COUNT and shared >= LEAST_SHARE * smaller and decks[one] & decks[other]:
                scores[one, other] = max(scores.get((one, other), 0), shared / smaller)
    return scores


def _shared(notes: Sequence[Told], features: Mapping[int, Collection[str]]) -> Counter[tuple[int, int]]:
    """How many features two notes of different languages share."""
    holders: defaultdict[str, list[int]] = defaultdict(list)
    shared: Counter[tuple[int, int]] = Counter()
    for index, found in features.items():
        for feature in found:
            for other in holders[feature]:
                if notes[other].note.language != notes[index].note.language:
                    shared[other, index] += 1
            holders[feature].append(index)
    return shared


def _formulas(told: Told) -> set[str]:
    return {formula.tex for formula in stated(told.text)}


def _headings(note: Note) -> set[str]:
    return {heading_name(heading.text) for heading in note.headings}


# Cards

_WORD = re.compile(r"[^\W\d_]{4,}")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_STEP = re.compile(r"\bStep (\d+)")
_FUNCTION_WORDS = STRONG | HINDI_ONLY | ALSO_ENGLISH | ENGLISH


@dataclass(frozen=True, slots=True)
class _Features:
    words: frozenset[str]
    formulas: frozenset[str]
    numbers: frozenset[str]
    kind: type
    structure: str
    """What a derived card was read off, with the number of its step; empty for a marked card."""


def pair_cards(one: Told, other: Told) -> list[tuple[Card, Card]]:
    """The cards of two twin notes that ask the same, in the order of `one`; a card has one partner at most."""
    mine, yours = [_features(card, one) for card in one.cards], [_features(card, other) for card in other.cards]
    scores = [(_score(mine[i], yours[j]), i, j) for i, j in _candidates(mine, yours)]
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for score, i, j in sorted(scores, key=lambda entry: (-entry[0], entry[1], entry[2])):
        if score >= LEAST_SCORE and i not in pairs and j not in taken:
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
        near = {j for cards in found if len(cards) <= MOST_HOLDERS for j in cards}
        yield from ((i, j) for j in near)


def _score(one: _Features, other: _Features) -> float:
    if one.structure != other.structure:
        return 0.0
    words = len(one.words & other.words) / min(len(one.words), len(other.words)) if one.words and other.words else None
    has_other_numbers = one.numbers and other.numbers and one.numbers.isdisjoint(other.numbers)
    if has_other_numbers and (words or 0) < SAME_WORDS:
        return 0.0
    shares = [] if words is None else [words]
    if every := one.formulas | other.formulas:
        shares.append(len(one.formulas & other.formulas) / len(every))
    return sum(shares) / len(shares) + (0.15 if one.kind is other.kind else 0) if shares else 0.0


def _features(card: Card, told: Told) -> _Features:
    """What the card says; of a derived one without its headings, which many cards share."""
    structure = told.structures.get(card, "")
    words, found = _content(plain_text(card.content))
    if structure:
        common_words, common = _content("\n".join(card.heading))
        words, found = words - common_words, found - common
        step = _STEP.search(plain_text(card.content))
        structure += step[1] if step else ""
    numbers = frozenset(number.replace(",", "") for number in _NUMBER.findall(plain_text(card.content)))
    return _Features(words, found, numbers, type(card.content), structure)


def _content(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Words and formulas."""
    words = frozenset(word.casefold() for word in _WORD.findall(formulas.outside(text)))
    return words - _FUNCTION_WORDS, frozenset(formula.tex for formula in stated(text))
