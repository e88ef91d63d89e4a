"""Keeps cloze numbers with their answers: Anki's history hangs on the number."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from itertools import count
from operator import attrgetter, itemgetter

from cards.likeness import Difference, difference, similarity
from cards.model import Cloze, Deletion
from cards.wording import normal, read


@dataclass(frozen=True, slots=True)
class _Group:
    """The deletions that are hidden together under one number."""

    parts: tuple[Deletion, ...]
    answers: tuple[str, ...]
    around: tuple[tuple[str, str], ...]
    """The texts left and right of each."""


_LOOKS = 10_000
"""Pairs: where more deletions of a text changed at once, they get new numbers."""
_Key = Callable[[_Group], Hashable]


def keep_numbers(new: Cloze, old: Cloze, past: tuple[Deletion, ...]) -> tuple[Cloze, tuple[Deletion, ...]]:
    """`new` with the numbers that its deletions had in `old` or, longer ago, in `past`; and the deletions now gone.

    Deletions of one group move together. Numbers the author wrote stay. Of equal answers, those with the same text
    beside them, as far as the shorter text goes, are the same; where some text is, but does not tell them apart, as many
    must stand there as before. A deletion without a predecessor gets the lowest number that no other deletion has or ever
    had.
    """
    groups = _groups(new.pieces)
    numbers = {group: group for group, it in groups.items() if any(part.numbered for part in it.parts)}
    living, gone = _groups(old.pieces), _groups(past)
    crowd: set[Hashable] = set()

    def left(before: Mapping[int, _Group]) -> tuple[dict[int, _Group], dict[int, _Group]]:
        used = {*numbers.values()}
        return (
            {number: it for number, it in before.items() if number not in used and it.answers not in crowd},
            {group: it for group, it in groups.items() if group not in numbers and it.answers not in crowd},
        )

    for before, key, likeness in (
        (living, attrgetter("answers"), _equal),
        (gone, attrgetter("answers"), _equal),
        (living, attrgetter("around"), _in_place),
        (living, lambda _: "anything", _alike),
    ):
        if likeness is _equal:
            numbers |= _same(*left(before))
            crowd |= _crowd(*left(before), key)
        numbers |= _best_pairs(_scores(*left(before), key, likeness))
    taken = {*numbers.values(), *living, *gone}
    free = (number for number in count(1) if number not in taken)
    numbers |= {group: next(free) for group in groups if group not in numbers}
    pieces = tuple(
        replace(piece, group=numbers[piece.group]) if isinstance(piece, Deletion) else piece for piece in new.pieces
    )
    kept = {*numbers.values()}
    lost = {number: it.parts for number, it in (gone | living).items() if number not in kept}
    return Cloze(pieces), tuple(part for _, parts in sorted(lost.items(), key=itemgetter(0)) for part in parts)


def _same(olds: Mapping[int, _Group], news: Mapping[int, _Group]) -> dict[int, int]:
    """The numbers of the groups with equal answers between equal texts, in order, where there are as many as before."""
    was, now = (_by(groups, attrgetter("answers", "around")) for groups in (olds, news))
    pairs = ((was[key], now[key]) for key in was if key in now)
    return {
        group: number
        for before, after in pairs
        if len(before) == len(after)
        for number, group in zip(before, after, strict=True)
    }


def _scores(
    olds: Mapping[int, _Group], news: Mapping[int, _Group], key: _Key, likeness: Callable[[_Group, _Group], float]
) -> dict[tuple[int, int], float]:
    """How like the groups with one key are; not of a key that too many have."""
    was, now, crowd = _by(olds, key), _by(news, key), _crowd(olds, news, key)
    return {
        (number, group): score
        for shared in was
        if shared not in crowd
        for number in was[shared]
        for group in now.get(shared, ())
        if (score := likeness(olds[number], news[group]))
    }


def _crowd(olds: Mapping[int, _Group], news: Mapping[int, _Group], key: _Key) -> set[Hashable]:
    """What so many groups share that it tells none of them from the others."""
    was, now = _by(olds, key), _by(news, key)
    return {shared for shared in was if len(was[shared]) * len(now.get(shared, ())) > _LOOKS}


def _by(groups: Mapping[int, _Group], key: _Key) -> dict[Hashable, list[int]]:
    found: dict[Hashable, list[int]] = {}
    for number, it in groups.items():
        found.setdefault(key(it), []).append(number)
    return {shared: sorted(numbers) for shared, numbers in found.items()}


def _best_pairs(scores: Mapping[tuple[int, int], float]) -> dict[int, int]:
    """For each new group that is like an old one its number: best pairs first, and none where it might be another, nor
    a number that another is more like and might be."""
    found: dict[int, int] = {}
    olds: defaultdict[tuple[float, int], set[int]] = defaultdict(set)
    news: defaultdict[tuple[float, int], set[int]] = defaultdict(set)
    for (number, group), score in scores.items():
        olds[score, group].add(number)
        news[score, number].add(group)
    used: set[int] = set()
    doubtful: set[int] = set()
    contested: dict[int, float] = {}
    for (number, group), score in sorted(scores.items(), key=lambda it: (-it[1], it[0])):
        if group in found or group in doubtful or number in used or contested.get(number, score) > score:
            continue
        rivals, seekers = len(olds[score, group] - used), len(news[score, number] - found.keys())
        if rivals == seekers and (rivals == 1 or score > 1):
            found[group] = number
            used.add(number)
        else:
            doubtful.add(group)
            contested |= dict.fromkeys(olds[score, group] - contested.keys(), score)
    return found


def _groups(pieces: tuple[str | Deletion, ...]) -> dict[int, _Group]:
    found: dict[int, list[tuple[Deletion, str, str]]] = {}
    for left, piece, right in zip(("", *pieces), pieces, (*pieces[1:], ""), strict=False):
        if isinstance(piece, Deletion):
            found.setdefault(piece.group, []).append((piece, _text(left), _text(right)))
    return {
        number: _Group(
            tuple(part for part, _, _ in members),
            tuple(normal(part.answer) for part, _, _ in members),
            tuple((left, right) for _, left, right in members),
        )
        for number, members in found.items()
    }


def _text(piece: str | Deletion) -> str:
    return normal(piece) if isinstance(piece, str) else ""


def _equal(old: _Group, new: _Group) -> float:
    if old.answers != new.answers:
        return 0
    sides = zip(old.around, new.around, strict=True)
    return 1 + sum(
        _stays(left, now_left, str.endswith) + _stays(right, now_right, str.startswith)
        for (left, right), (now_left, now_right) in sides
    )


def _stays(one: str, other: str, ends_there: Callable[[str, str], bool]) -> bool:
    """Whether the text beside a deletion is the same, or as far as the shorter says something: a sentence may have come
    or gone."""
    few, many = sorted((one, other), key=len)
    return few == many or (bool(read(few).topic) and ends_there(many, few))


def _in_place(old: _Group, new: _Group) -> float:
    return old.around == new.around


def _alike(old: _Group, new: _Group) -> float:
    before, after = read(" ".join(old.answers)), read(" ".join(new.answers))
    share = similarity(before, after)
    kind = difference(before, after, lambda _: 1)
    return share if share >= 0.6 and (kind <= Difference.SLIP or kind == Difference.MORE) else 0
