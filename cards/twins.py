"""Notes that say the same in English and in Hinglish, their cards pair by pair, and formulas that should be equal."""

import os
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cards import formulas
from cards.contrasts import Side, asked, differ
from cards.kinds import NOTE_ENDINGS
from cards.model import Card, Note, Place, Problem, quoted
from cards.source import normalized
from cards.stated import stated
from cards.topics import is_no_subject, says_nothing
from cards.twin_cards import Told, handed_on, pair_cards
from cards.twin_formulas import differences, heading_name

_LEAST_SHARE = 0.6
"""Of the formulas or headings of the smaller note that the other one must have."""
_LEAST_COUNT = 5
_LEAST_CARDS = 1 / 3
"""Of the cards of the smaller note that must have a twin in the other one."""
_OF_FORMULA = re.compile(r"[\\_^=]")
_TIE = 0.05
"""Two partners whose scores differ by less are too close to call."""

PairCards = Callable[[Told, Told], list[tuple[Card, Card]]]

_ENDINGS = ("", *NOTE_ENDINGS)


@dataclass(frozen=True, slots=True)
class Twins:
    notes: tuple[tuple[Note, Note], ...]
    cards: tuple[tuple[Card, Card], ...]
    problems: tuple[Problem, ...]


def find(notes: Sequence[Told], instead: Mapping[Card, Card]) -> Twins:
    """All twins among the notes; `instead` names for each card that is left out the one that says the same."""
    if len({told.note.language for told in notes}) < 2 and not any(told.note.twin for told in notes):
        return Twins((), (), ())
    paired_cards = cache(pair_cards)
    pairs = pair_notes(notes, paired_cards)
    cards: list[tuple[Card, Card]] = []
    problems = list(_alone(notes, {told.note.path for pair in pairs for told in pair}))
    for one, other in pairs:
        paired = paired_cards(one, other)
        cards += handed_on(paired, instead)
        problems += differences((one.note, other.note), (one.text, other.text), paired)
    return Twins(tuple((one.note, other.note) for one, other in pairs), tuple(cards), tuple(problems))


def pair_notes(notes: Sequence[Told], paired_cards: PairCards = pair_cards) -> list[tuple[Told, Told]]:
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
        is_best = all(sum(score - other < _TIE for other in rivals[index] if other <= score) == 1 for index in pair)
        one, other = (notes[index] for index in pair)
        # two notes written after one pattern share headings and letters, but their cards do not ask the same
        if (
            is_best
            and _titled_alike(one.note, other.note)
            and len(paired_cards(one, other)) >= _LEAST_CARDS * min(len(one.cards), len(other.cards))
        ):
            pairs.append(pair)
    return [(notes[at], notes[twin]) for at, twin in sorted(pairs)]


def _titled_alike(one: Note, other: Note) -> bool:
    """Whether their titles may name the same thing: `Layer 1` and `Layer 2` do not."""
    mine, yours = (asked(Side.of(note.title or "")) for note in (one, other))
    return not differ(mine, yours, (mine.names, yours.names))


def _declared(notes: Sequence[Told]) -> Iterator[tuple[int, int]]:
    """The pairs of which one names the other."""
    names = _Names.of(notes)
    taken: set[int] = set()
    for index, told in enumerate(notes):
        other = names.twin_of(index, told)
        if other is not None and taken.isdisjoint((index, other)):
            taken.update((index, other))
            yield min(index, other), max(index, other)


@dataclass(frozen=True, slots=True)
class _Names:
    """The notes by what their twins can call them: by the path from there, or by the end of it, as wikilinks do."""

    places: Mapping[str, int]
    by_end: Mapping[str, set[int]]

    @classmethod
    def of(cls, notes: Sequence[Told]) -> "_Names":
        places = {_folded(told.note.path): index for index, told in enumerate(notes)}
        by_end: defaultdict[str, set[int]] = defaultdict(set)
        for place, index in places.items() if any(told.note.twin for told in notes) else ():
            parts = place.split("/")
            for length in range(1, len(parts) + 1):
                by_end["/".join(parts[-length:])].add(index)
        return cls(places, by_end)

    def twin_of(self, index: int, told: Told) -> int | None:
        """The note that the front matter of this one names, if there is one such."""
        if told.note.twin is None:
            return None
        beside, end = _folded(str(Path(told.note.path).parent / told.note.twin)), _folded(told.note.twin)
        ways = [{self.places[beside + ending]} for ending in _ENDINGS if beside + ending in self.places]
        ways += [self.by_end[end + ending] for ending in _ENDINGS if end + ending in self.by_end]
        return next((at for at, *more in (way - {index} for way in ways if way != {index}) if not more), None)


_TWIN_KEY = re.compile(r"^twin[ \t]*:", re.IGNORECASE | re.MULTILINE)


def _alone(notes: Sequence[Told], paired: Collection[str]) -> Iterator[Problem]:
    """A problem for each note that names a twin which is nowhere, or which has another twin."""
    names = _Names.of(notes)
    for index, told in enumerate(notes):
        named = told.note.twin
        if named is None or told.note.path in paired:
            continue
        beside = Path(told.note.path).parent / named
        found = names.twin_of(index, told)
        if found is not None:
            message = f"front matter: {notes[found].note.path} is the twin of another note"
        elif any(beside.with_name(beside.name + ending).is_file() for ending in _ENDINGS) or (
            len(notes) == 1 and "/" not in named
        ):  # not read this time, or perhaps elsewhere in the vault
            continue
        else:
            message = f'front matter: twin names "{quoted(named)}", and there is no such note, or more than one'
        key = _TWIN_KEY.search(told.text)
        line = told.text.count("\n", 0, key.start()) + 1 if key else 1
        yield Problem(Place(told.note.path, line, 1), "bad-front-matter", message)


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
            if smaller >= _LEAST_COUNT and shared >= _LEAST_SHARE * smaller and decks[one] & decks[other]:
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
    """Those of the note; on a page also what stands alone without its dollar signs."""
    found = {formula.tex for formula in stated(told.text)}
    if told.note.page:
        lines = normalized(told.text).split("\n")
        for above, line, below in zip(("", *lines), lines, (*lines[1:], ""), strict=False):
            alone = _OF_FORMULA.search(line) and "$" not in line and not above.strip() and not below.strip()
            if alone and formulas.is_mathematics(line.strip()):
                found.add(formulas.normalised(line))
    return found


def _headings(note: Note) -> set[str]:
    names = (heading_name(heading.text) for heading in note.headings)
    return {name for name in names if not says_nothing(name, note.language) and not is_no_subject(name)}
