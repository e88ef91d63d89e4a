"""Clozes that got further words before or after their text, or lost some there: it is still the same text."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence

from cards.likeness import DELETION, Sight
from cards.wording import read

_FEWEST = 4
"""Words of a text that tell it."""


def pair_grown(old: Sequence[Sight], new: Sequence[Sight], old_of: Mapping[int, int]) -> dict[int, int]:
    """Of the clozes that `old_of` leaves over, those of a note that got or lost words at an end: for each new one the
    old one. Where two might be it, as where a text was cut in two, neither is."""
    used = set(old_of.values())
    left: defaultdict[Hashable, list[int]] = defaultdict(list)
    for at, card in enumerate(old):
        if at not in used and not card.retired:
            for end in _ends(card):
                left[end].append(at)
    pairs = {
        (before, at)
        for at, card in enumerate(new)
        if at not in old_of
        for end in _ends(card)
        for before in left.get(end, ())
        if _goes_on(old[before], card)
    }
    olds, news = Counter(before for before, _ in pairs), Counter(at for _, at in pairs)
    return {at: before for before, at in pairs if olds[before] == news[at] == 1}


def _ends(card: Sight) -> Iterator[Hashable]:
    """What two such texts have in common."""
    words = read(card.text).tokens if card.is_cloze else ()
    if len(words) >= _FEWEST:
        yield card.note, "first", words[:_FEWEST]
        yield card.note, "last", words[-_FEWEST:]


def _goes_on(one: Sight, other: Sight) -> bool:
    """Whether one has all the text and the deletions of the other, and more."""
    few, many = sorted((one, other), key=lambda card: len(read(card.text).tokens))
    words, all_words = read(few.text).text, read(many.text).text
    if not (all_words.startswith(f"{words} ") or all_words.endswith(f" {words}")):
        return False
    return not Counter(few.answer.split(DELETION)) - Counter(many.answer.split(DELETION))
