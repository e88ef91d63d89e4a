"""Which changed card is which: by question, answer and place, and only where no other card is nearly as near."""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence

from cards.judge import Judge, Verdict
from cards.likeness import Sight, read
from cards.own_words import OwnWords

_MARGIN = 0.04
_MARKS, _ENOUGH = 4, 40
"""So many of the rarest marks of a card lead to candidates, and more of them until there are enough."""


def pair_alike(
    old: Sequence[Sight], new: Sequence[Sight], old_of: Mapping[int, int]
) -> tuple[dict[int, int], dict[int, tuple[int, ...]]]:
    """Pair the cards that `old_of` leaves over: the pairs, and for each new card too close to call its old rivals.

    A retired card comes back only where no living one may be the new one.
    """
    found: dict[int, int] = {}
    unsure: dict[int, tuple[int, ...]] = {}
    left = [at for at in range(len(new)) if at not in old_of]
    for retired in (False, True):
        verdicts = _verdicts(old, new, left, {**old_of, **found}, retired=retired)
        pairs, doubtful = _settle(verdicts)
        found |= pairs
        unsure |= doubtful
        judged = {new_at for _, new_at in verdicts}
        left = [at for at in left if at not in judged]
    return found, unsure


def _verdicts(
    old: Sequence[Sight], new: Sequence[Sight], left_new: Sequence[int], old_of: Mapping[int, int], *, retired: bool
) -> dict[tuple[int, int], Verdict]:
    """What each card left over may be to each other."""
    used = set(old_of.values())
    left_old = [at for at in range(len(old)) if at not in used and old[at].retired == retired]
    if not left_old or not left_new:
        return {}
    left = [*(old[at] for at in left_old), *(new[at] for at in left_new)]
    judge = Judge(old, new, old_of, OwnWords(text for card in left for text in (card.question, card.answer, card.text)))
    candidates = _candidates(old, left_old, new, left_new)
    judged = ((pair, judge.judge(old[pair[0]], new[pair[1]])) for pair in candidates)
    return {pair: verdict for pair, verdict in judged if verdict is not None}


def _settle(verdicts: Mapping[tuple[int, int], Verdict]) -> tuple[dict[int, int], dict[int, tuple[int, ...]]]:
    """Best pairs first; a pair with a rival within the margin is left apart, together with its rivals."""
    by_old: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    by_new: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for pair in verdicts:
        by_old[pair[0]].append(pair)
        by_new[pair[1]].append(pair)
    found: dict[int, int] = {}
    unsure: dict[int, tuple[int, ...]] = {}
    gone_old: set[int] = set()
    gone_new: set[int] = set()
    sure = (pair for pair, verdict in verdicts.items() if verdict.same)
    for pair in sorted(sure, key=lambda pair: (-verdicts[pair].score, pair)):
        old_at, new_at = pair
        if old_at in gone_old or new_at in gone_new:
            continue
        close = [
            rival
            for rival in by_old[old_at] + by_new[new_at]
            if rival != pair
            and rival[0] not in gone_old
            and rival[1] not in gone_new
            and verdicts[rival].at_most > verdicts[pair].score - _MARGIN
        ]
        if close:
            for at in {new_at} | {rival[1] for rival in close}:
                unsure[at] = tuple(sorted({o for o, n in [pair, *close] if n == at}))
        else:
            found[new_at] = old_at
        for o, n in [pair, *(rival for rival in close if verdicts[rival].same)]:
            gone_old.add(o)
            gone_new.add(n)
    return found, unsure


def _candidates(
    old: Sequence[Sight], left_old: Sequence[int], new: Sequence[Sight], left_new: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """The pairs worth a look: those that share a text, a topic, a place or a rare word."""
    where: defaultdict[Hashable, list[int]] = defaultdict(list)
    for at in left_old:
        for mark in _marks(old[at]):
            where[mark].append(at)
    for new_at in left_new:
        marks = sorted((mark for mark in _marks(new[new_at]) if mark in where), key=lambda mark: len(where[mark]))
        found: set[int] = set()
        for rank, mark in enumerate(marks):
            if rank >= _MARKS and len(found) >= _ENOUGH:
                break
            found.update(where[mark])
        yield from ((at, new_at) for at in sorted(found) if old[at].is_cloze == new[new_at].is_cloze)


def _marks(card: Sight) -> Iterator[Hashable]:
    question, answer = read(card.question), read(card.answer)
    yield "topic", card.note, frozenset(question.topic)
    yield "answer", card.note, answer.text
    yield "place", card.note, card.heading
    yield "block", card.block_id
    yield "text", read(card.text).text
    yield from {*question.topic, *answer.topic}
