"""Which changed card is which: by question, answer and place, and only where no other card is nearly as near."""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence

from cards.judge import Judge, Verdict
from cards.likeness import Sight
from cards.own_words import OwnWords
from cards.wording import read

_MARGIN = 0.04
_MARKS, _ENOUGH = 4, 40
"""So many of the rarest marks of a card lead to candidates, and more of them until there are enough."""
_LOOKS = 40_000
"""Pairs: where so many cards changed at once that there are more, what too many share leads to no candidates, and the
time stays linear in the number of cards."""


def pair_alike(
    old: Sequence[Sight], new: Sequence[Sight], old_of: Mapping[int, int]
) -> tuple[dict[int, int], dict[int, tuple[int, ...]], frozenset[int]]:
    """Pair the cards that `old_of` leaves over: the pairs; for each new card too close to call its old rivals; and the
    new cards that ask what more cards asked that are gone than can be looked at.

    A retired card comes back only where no living one may be the new one.
    """
    found: dict[int, int] = {}
    unsure: dict[int, tuple[int, ...]] = {}
    crowded: set[int] = set()
    left = [at for at in range(len(new)) if at not in old_of]
    for retired in (False, True):
        used = {*old_of.values(), *found.values()}
        left_old = [at for at in range(len(old)) if at not in used and old[at].retired == retired]
        if not left_old or not left:
            continue
        candidates, crowd = _candidates(old, left_old, new, left)
        own_words = OwnWords(
            text
            for card in (*(old[at] for at in left_old), *(new[at] for at in left))
            for text in (card.question, card.answer, card.text)
        )
        judge = Judge(old, new, {**old_of, **found}, own_words)
        judged = ((pair, judge.judge(old[pair[0]], new[pair[1]])) for pair in candidates)
        verdicts = {pair: verdict for pair, verdict in judged if verdict is not None}
        pairs, doubtful = _settle(verdicts)
        found |= pairs
        unsure |= doubtful
        looked_at = {new_at for _, new_at in verdicts}
        left = [at for at in left if at not in looked_at]
        crowded |= crowd - looked_at
    return found, unsure, frozenset(crowded - found.keys())


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
            rivals: defaultdict[int, list[int]] = defaultdict(list)
            for o, n in [pair, *close]:
                rivals[n].append(o)
            unsure |= {n: tuple(sorted(olds)) for n, olds in rivals.items()}
        else:
            found[new_at] = old_at
        for o, n in [pair, *(rival for rival in close if verdicts[rival].same)]:
            gone_old.add(o)
            gone_new.add(n)
    return found, unsure


def _candidates(
    old: Sequence[Sight], left_old: Sequence[int], new: Sequence[Sight], left_new: Sequence[int]
) -> tuple[Iterator[tuple[int, int]], set[int]]:
    """The pairs worth a look: those that share a text, a topic, a place or a rare word. And the new cards of which too
    many share what is asked."""
    where: defaultdict[Hashable, list[int]] = defaultdict(list)
    for at in left_old:
        for mark in (*_asked(old[at]), *_others(old[at])):
            where[mark].append(at)
    most = max(_ENOUGH, _LOOKS // len(left_new))

    def near(card: Sight) -> set[int]:
        marks = [mark for mark in (*_asked(card), *_others(card)) if mark in where]
        found: set[int] = set()
        for rank, mark in enumerate(sorted(marks, key=lambda mark: len(where[mark]))):
            if (rank >= _MARKS and len(found) >= _ENOUGH) or len(found) + len(where[mark]) > most:
                break
            found.update(where[mark])
        return found

    pairs = (
        (at, new_at)
        for new_at in left_new
        for at in sorted(near(new[new_at]))
        if old[at].is_cloze == new[new_at].is_cloze
    )
    return pairs, {at for at in left_new if any(len(where.get(mark, ())) > most for mark in _asked(new[at]))}


def _asked(card: Sight) -> Iterator[Hashable]:
    yield "topic", card.note, frozenset(read(card.question).topic)
    yield "text", read(card.text).text


def _others(card: Sight) -> Iterator[Hashable]:
    answer = read(card.answer)
    yield "answer", card.note, answer.text
    yield "place", card.note, card.heading
    yield "block", card.block_id
    yield from sorted({*read(card.question).topic, *answer.topic})
