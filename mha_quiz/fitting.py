"""The numbers of FSRS fitted to one's own answers, by the optional package `fsrs-rs-python`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from mha_quiz.events import Answered, Event, Key, Started, Tried
from mha_quiz.schedule import Plan, Rating, is_possible

if TYPE_CHECKING:
    from fsrs_rs_python import FSRSItem

FEWEST = 100
"""Answers after a first one; fewer say too little."""


class TooFew(Exception):
    """There are only so many answers to fit to."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """What came of it."""

    plan: Plan
    """The one before, if no better numbers were found."""
    answers: int
    """Those that were predicted."""
    loss_before: float
    """Log loss of the predictions: less is better."""
    loss: float


def fit(events: Iterable[Event], plan: Plan, today: date) -> Fitted:
    """Find the parameters that predict the answers up to tomorrow best; `events` in the order of time.

    Raises `TooFew`, and `ImportError` without `fsrs-rs-python`.
    """
    from fsrs_rs_python import DEFAULT_PARAMETERS, FSRS

    items = _items(_answers(event for event in events if event.stamp.day <= today + timedelta(days=1)))
    if len(items) < FEWEST:
        raise TooFew(str(len(items)))
    before = FSRS(list(plan.parameters or DEFAULT_PARAMETERS))
    found = [round(number, 4) for number in before.compute_parameters(items, enable_short_term=False)]
    loss_before, loss = before.evaluate(items).log_loss, _loss(found, items)
    fitted = replace(plan, parameters=tuple(found))
    if loss >= loss_before or not is_possible(fitted):
        return Fitted(plan, len(items), loss_before, loss_before)
    return Fitted(fitted, len(items), loss_before, loss)


def _loss(parameters: Sequence[float], items: "list[FSRSItem]") -> float:
    from fsrs_rs_python import FSRS

    return FSRS(list(parameters)).evaluate(items).log_loss


def _answers(events: Iterable[Event]) -> list[list[tuple[date, Rating]]]:
    """The counted answers of each key whose history is known from its beginning."""
    answers: dict[Key, list[tuple[date, Rating]]] = {}
    started: set[Key] = set()
    for event in events:
        match event:
            case Started(_, key) if key not in answers:
                started.add(key)
            case Answered(stamp, key, rating) | Tried(stamp, key, rating=Rating() as rating) if key not in started:
                known = answers.setdefault(key, [])
                if not known or stamp.day > known[-1][0]:
                    known.append((stamp.day, rating))
    return list(answers.values())


def _items(answers: Iterable[Sequence[tuple[date, Rating]]]) -> "list[FSRSItem]":
    """One for each answer to predict: it and all before it."""
    from fsrs_rs_python import FSRSItem, FSRSReview

    items = []
    for known in answers:
        days = [day for day, _ in known]
        gaps = [0, *((day - before).days for before, day in pairwise(days))]
        reviews = [FSRSReview(int(rating), gap) for (_, rating), gap in zip(known, gaps, strict=True)]
        items += [FSRSItem(reviews[: end + 1]) for end in range(1, len(reviews))]
    return items
