"""Which card of the last run is which card of this one: equal ones first, then those that are alike."""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from cards.grown import pair_grown
from cards.likeness import Sight
from cards.renumbered import pair_renumbered
from cards.resemblance import pair_alike
from cards.wording import read


@dataclass(frozen=True, slots=True)
class Matching:
    """Indexes into the old and the new cards."""

    old_of: Mapping[int, int]
    """For each new card that is an old one: the old one."""
    unsure: Mapping[int, tuple[int, ...]]
    """For each new card that might be one of several old ones, too close to call: these."""
    crowded: frozenset[int]
    """The new cards that ask what more cards asked that are gone than could be looked at."""


def match(old: Sequence[Sight], new: Sequence[Sight]) -> Matching:
    """Pair the cards of two runs one to one; where in doubt, leave them apart.

    An explicit block id decides; then equal content, nearest place first; then lists numbered anew; then question,
    answer and place; and clozes that grew, where nothing else is left for them. Living old cards come before retired
    ones.
    """
    old_of: dict[int, int] = {}
    for retired in (False, True):
        _pair_equal(old, new, old_of, _block, retired=retired, alone=True)
        for key in _CONTENT:
            _pair_equal(old, new, old_of, key, retired=retired)
        _pair_equal(old, new, old_of, _words, retired=retired, alone=True)
    old_of |= pair_renumbered(old, new, old_of)
    found, unsure, crowded = pair_alike(old, new, old_of)
    old_of |= found
    old_of |= pair_grown(old, new, old_of, unsure)
    return Matching(old_of, unsure, crowded - old_of.keys())


_CONTENT: tuple[Callable[[Sight], Hashable], ...] = (
    lambda card: (card.is_cloze, card.question, card.answer, card.note, card.heading, card.nth),
    lambda card: (card.is_cloze, card.question, card.answer, card.note),
    lambda card: (card.is_cloze, card.question, card.answer),
)


def _block(card: Sight) -> Hashable:
    return card.block_id and (card.is_cloze, card.note, card.block_id)


def _words(card: Sight) -> Hashable:
    return card.is_cloze, read(card.question).tokens, read(card.answer).tokens


def _pair_equal(
    old: Sequence[Sight],
    new: Sequence[Sight],
    old_of: dict[int, int],
    key: Callable[[Sight], Hashable],
    *,
    retired: bool,
    alone: bool = False,
) -> None:
    """Pair the cards left over that agree in `key`, in their order; with `alone` only where one stands on each side."""
    free_new = [at for at in range(len(new)) if at not in old_of]
    if not free_new:
        return
    used = set(old_of.values())
    waiting: dict[Hashable, list[int]] = {}
    for at in reversed(range(len(old))):
        if at not in used and old[at].retired == retired and (value := key(old[at])):
            waiting.setdefault(value, []).append(at)
    keys = {at: value for at in free_new if (value := key(new[at]))}
    crowd = Counter(keys.values())
    for at, value in keys.items():
        olds = waiting.get(value)
        if olds and not (alone and (len(olds) > 1 or crowd[value] > 1)):
            old_of[at] = olds.pop()
