"""Clozes that got a sentence before or after their text, or lost one there: it is still the same text."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import chain

from cards.likeness import Sight
from cards.wording import read

_FEWEST = 4
"""Words that tell a text, and words that are a sentence: fewer may make it another one's, as "not all" or "type 2"."""
_MOST = 40
"""Clozes that begin, or end, alike: where more are left over, that tells none of them, and would take long."""


def pair_grown(
    old: Sequence[Sight], new: Sequence[Sight], old_of: Mapping[int, int], unsure: Mapping[int, Sequence[int]]
) -> dict[int, int]:
    """Of the clozes that `old_of` and the doubts in `unsure` leave over, those under one heading that got or lost a
    sentence at an end: for each new one the old one. Where two might be it, as where a text was cut in two, neither is."""
    used = {*old_of.values(), *chain.from_iterable(unsure.values())}
    left: defaultdict[Hashable, list[int]] = defaultdict(list)
    for at, card in enumerate(old):
        if at not in used and not card.retired:
            for end in _ends(card):
                left[end].append(at)
    pairs = {
        (before, at)
        for at, card in enumerate(new)
        if at not in old_of and at not in unsure
        for end in _ends(card)
        if len(left.get(end, ())) <= _MOST
        for before in left.get(end, ())
        if _goes_on(old[before], card)
    }
    olds, news = Counter(before for before, _ in pairs), Counter(at for _, at in pairs)
    return {at: before for before, at in pairs if olds[before] == news[at] == 1}


def _ends(card: Sight) -> Iterator[Hashable]:
    """What two such texts have in common."""
    words = read(card.text).tokens if card.is_cloze else ()
    if len(words) >= _FEWEST:
        yield card.note, card.heading, "first", words[:_FEWEST]
        yield card.note, card.heading, "last", words[-_FEWEST:]


def _goes_on(one: Sight, other: Sight) -> bool:
    """Whether one has all the text and the deletions of the other at an end, and a sentence more."""
    few, many = sorted((one, other), key=lambda card: len(read(card.text).tokens))
    if len(read(many.text).tokens) - len(read(few.text).tokens) < _FEWEST:
        return False
    # without the deletions too: what was asked may be told now, and something else asked
    both = [(read(part).tokens, read(whole).tokens) for part, whole in zip(_texts(few), _texts(many), strict=True)]
    begins = all(whole[: len(part)] == part for part, whole in both)
    return begins or all(whole[len(whole) - len(part) :] == part for part, whole in both)


def _texts(card: Sight) -> tuple[str, str]:
    return card.text, card.question
