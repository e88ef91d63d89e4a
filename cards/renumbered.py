"""Lists that were numbered anew: what was step 3 and step 4 is step 4 and step 5 now."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from cards.likeness import Sight
from cards.ordinals import frame, ordinal
from cards.wording import read


class _Step(NamedTuple):
    """A card whose number changed."""

    was: int
    now: int
    old_at: int
    new_at: int


def pair_renumbered(old: Sequence[Sight], new: Sequence[Sight], old_of: Mapping[int, int]) -> dict[int, int]:
    """Of the cards that `old_of` leaves over, those of lists numbered anew: for each new one the old one.

    A card whose number changed alone may be another card. Where several of a list keep their answers and their order,
    and one takes the number that another had, an item was put in or taken out before them.
    """
    used = set(old_of.values())
    before = _by_answer(old, (at for at, card in enumerate(old) if at not in used and not card.retired))
    after = _by_answer(new, (at for at in range(len(new)) if at not in old_of))
    lists: defaultdict[Hashable, list[_Step]] = defaultdict(list)
    for key in filter(after.__contains__, before):
        (old_at, *more_old), (new_at, *more_new) = before[key], after[key]
        was, now = (read(card.question).tokens for card in (old[old_at], new[new_at]))
        changed = [at for at, (one, other) in enumerate(zip(was, now, strict=True)) if one != other]
        if more_old or more_new or len(changed) != 1:
            continue
        (at,) = changed
        numbers = ordinal(was[at]) or 0, ordinal(now[at]) or 0
        others = [word for word in was[at + 1 :] if word.isdecimal()]
        begin = was[:at] or key[0]
        where = old[old_at].note, new[new_at].note, old[old_at].is_cloze, begin, *others, numbers[0] < numbers[1]
        lists[where].append(_Step(*numbers, old_at, new_at))
    return {step.new_at: step.old_at for steps in lists.values() if _are_shifted(sorted(steps)) for step in steps}


def _by_answer(cards: Sequence[Sight], left: Iterable[int]) -> dict[tuple[Hashable, Hashable, bool], list[int]]:
    """The cards with numbers in their questions, by the words around these and by the answer."""
    found: dict[tuple[Hashable, Hashable, bool], list[int]] = {}
    for at in left:
        card = cards[at]
        asked = frame(read(card.question).tokens)
        if "" in asked:
            found.setdefault((asked, read(card.answer).tokens, card.is_cloze), []).append(at)
    return found


def _are_shifted(steps: Sequence[_Step]) -> bool:
    """Whether one of the steps, sorted, took the number of another, and all keep their order."""
    in_order = all(one.now < other.now for one, other in pairwise(steps))
    return in_order and not {step.was for step in steps}.isdisjoint(step.now for step in steps)
