"""Keeps cloze numbers with their answers: Anki's history hangs on the number."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from operator import itemgetter

from cards.likeness import Difference, difference, normal, read, similarity
from cards.model import Cloze, Deletion


@dataclass(frozen=True, slots=True)
class _Group:
    """The deletions that are hidden together under one number."""

    parts: tuple[Deletion, ...]
    answers: tuple[str, ...]
    around: tuple[tuple[str, str], ...]
    """The texts left and right of each."""


def keep_numbers(new: Cloze, old: Cloze, past: tuple[Deletion, ...]) -> tuple[Cloze, tuple[Deletion, ...]]:
    """`new` with the numbers that its deletions had in `old` or, longer ago, in `past`; and the deletions now gone.

    Deletions of one group move together. Numbers the author wrote stay. Of equal answers, those with the same text
    beside them are the same; where some text is, but does not tell them apart, as many must stand there as before. A
    deletion without a predecessor gets the lowest number that no other deletion has or ever had.
    """
    groups = _groups(new.pieces)
    numbers = {group: group for group, it in groups.items() if any(part.numbered for part in it.parts)}
    living, gone = _groups(old.pieces), _groups(past)
    for before, likeness in ((living, _equal), (gone, _equal), (living, _in_place), (living, _alike)):
        numbers |= _best_pairs(
            {
                (number, group): score
                for number, was in before.items()
                if number not in numbers.values()
                for group, it in groups.items()
                if group not in numbers and (score := likeness(was, it))
            }
        )
    taken = {*numbers.values(), *living, *gone}
    for group in groups:
        if group not in numbers:
            numbers[group] = min(set(range(1, len(taken) + 2)) - taken)
            taken.add(numbers[group])
    pieces = tuple(
        replace(piece, group=numbers[piece.group]) if isinstance(piece, Deletion) else piece for piece in new.pieces
    )
    lost = {number: it.parts for number, it in (gone | living).items() if number not in numbers.values()}
    return Cloze(pieces), tuple(part for _, parts in sorted(lost.items(), key=itemgetter(0)) for part in parts)


def _best_pairs(scores: Mapping[tuple[int, int], float]) -> dict[int, int]:
    """For each new group that is like an old one its number: best pairs first, and none where it might be another."""
    found: dict[int, int] = {}
    olds: defaultdict[tuple[float, int], set[int]] = defaultdict(set)
    news: defaultdict[tuple[float, int], set[int]] = defaultdict(set)
    for (number, group), score in scores.items():
        olds[score, group].add(number)
        news[score, number].add(group)
    used: set[int] = set()
    doubtful: set[int] = set()
    for (number, group), score in sorted(scores.items(), key=lambda it: (-it[1], it[0])):
        if group in found or group in doubtful or number in used:
            continue
        rivals, seekers = len(olds[score, group] - used), len(news[score, number] - found.keys())
        if rivals == seekers and (rivals == 1 or score > 1):
            found[group] = number
            used.add(number)
        else:
            doubtful.add(group)
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
    sides = [(was, now) for pair in zip(old.around, new.around, strict=True) for was, now in zip(*pair, strict=True)]
    return 1 + sum(was == now for was, now in sides)


def _in_place(old: _Group, new: _Group) -> float:
    return old.around == new.around


def _alike(old: _Group, new: _Group) -> float:
    before, after = read(" ".join(old.answers)), read(" ".join(new.answers))
    share = similarity(before, after)
    kind = difference(before, after, lambda _: 1)
    return share if share >= 0.6 and (kind <= Difference.SLIP or kind == Difference.MORE) else 0
