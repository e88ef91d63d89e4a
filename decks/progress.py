"""Answers and memory → rows of Anki's tables, so that its own FSRS goes on from there."""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time

from cards.learned import Learned, Review

CREATED = date(2014, 1, 1)
"""Anki counts due days from the day a collection was made."""
ROLLOVER = 4
"""The hour at which Anki's day begins, unless its user chose another."""
COLLECTION = {"schedVer": 2, "sched2021": True, "creationOffset": 0, "rollover": ROLLOVER}
"""Settings by which Anki reads the due days as they are meant."""
CREATED_AT = int(datetime.combine(CREATED, time(ROLLOVER), UTC).timestamp())
_LONGEST_ANSWER = 60_000
"""Milliseconds; Anki stores no more."""
_LEARNING, _REVIEW, _FILTERED = 0, 1, 3


def card_columns(learned: Learned | None, position: int) -> tuple[object, ...]:
    """type, queue, due, ivl, factor, reps, lapses, data of a card; the new ones are asked in the order of positions."""
    if learned is None:
        return (0, 0, position, 0, 0, 0, 0, "")
    last = [review.at for review in learned.reviews if review.counted]
    memory = {"s": round(learned.stability, 4), "d": round(learned.difficulty, 3)}
    if last:
        memory["lrt"] = last[-1] // 1000
    return (
        2,
        2,
        (learned.due - CREATED).days,
        learned.interval,
        2500,
        learned.reps,
        learned.lapses,
        json.dumps(memory, separators=(",", ":")),
    )


def review_rows(reviews: Iterable[tuple[int, Review]]) -> Iterator[tuple[object, ...]]:
    """Rows of the table of reviews, for pairs of a card's id and one of its answers.

    An answer that did not count is told as one of a filtered deck without rescheduling, which FSRS passes over.
    """
    id_ = 0
    for card, review in sorted(reviews, key=lambda it: (it[1].at, it[0])):
        id_ = max(review.at, id_ + 1)  # the time is also the id, and two computers may share a millisecond
        kind = _FILTERED if not review.counted else _REVIEW if review.before else _LEARNING
        factor = round(((review.difficulty - 1) / 9 + 0.1) * 1000) if review.counted else 0
        took = min(review.took, _LONGEST_ANSWER)
        yield id_, card, -1, review.rating, review.interval, review.before, factor, took, kind
