"""When a flashcard or a skill comes back: FSRS-6, one counted answer a day.

The package `fsrs` computes; it is imported when the first interval is needed. Its same-day formulas are never used: the
first answer of a day counts, later ones are practice. Every local day stands for one fixed instant, since the package
counts whole periods of 24 hours.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import IntEnum
from functools import cache
from math import exp
from typing import TYPE_CHECKING

from cards.model import EaseSchedule, FsrsSchedule, Schedule

if TYPE_CHECKING:
    import fsrs

LONGEST = 180
"""Days."""
_MOST_STABLE = 36_500.0
"""Days; notes may claim any number."""
_NOON = time(12, tzinfo=UTC)
_NEW_IN_PLUGIN = "2000-01-01"
"""The due day the Obsidian plugin writes for a sibling it has not asked yet."""


class Rating(IntEnum):
    """How an answer went."""

    AGAIN = 1
    """Wrong, given up, or the solution was looked at."""
    HARD = 2
    """Right with a hint, or too coarse to the end."""
    GOOD = 3
    EASY = 4
    """Only because the learner said so."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the learner may choose."""

    desired_retention: float = 0.9
    """The share of answers that shall be right when they come due; above 0, below 1."""
    parameters: tuple[float, ...] = ()
    """The 21 numbers of FSRS-6; none for the usual ones."""


@dataclass(frozen=True, slots=True)
class State:
    """What is known about the memory of one sibling or skill."""

    due: date
    stability: float
    """Days until the chance to recall falls to 90 %."""
    difficulty: float
    """1 to 10."""
    reps: int
    """Counted answers."""
    lapses: int
    """Counted wrong answers after the first."""
    last: date
    """The day of the last counted answer."""


def next_state(state: State | None, rating: Rating, day: date, plan: Plan = Plan()) -> State:
    """The state after an answer on `day`; of a new sibling or skill, `state` is None.

    An answer on the day of the last one, or before it, is practice: the state stays.
    """
    after = replay(state, [(rating, day)], plan)
    assert after is not None  # there is an answer
    return after


def replay(state: State | None, answers: Iterable[tuple[Rating, date]], plan: Plan = Plan()) -> State | None:
    """The state after several answers, in their order."""
    import fsrs

    scheduler = _scheduler(plan)
    card = None if state is None else _card(state)
    reps, lapses, last = (0, 0, date.min) if state is None else (state.reps, state.lapses, state.last)
    for rating, day in answers:
        if day <= last:
            continue
        lapses += card is not None and rating is Rating.AGAIN
        before = card or fsrs.Card(card_id=1, due=_noon(day))
        card, _ = scheduler.review_card(before, fsrs.Rating(rating), _noon(day))
        reps, last = reps + 1, day
    if card is None or card.stability is None or card.difficulty is None:
        return None
    return State(card.due.date(), card.stability, card.difficulty, reps, lapses, last)


def preview(state: State | None, day: date, plan: Plan = Plan()) -> Mapping[Rating, int]:
    """Days from `day` until it comes back, for each rating."""
    return {rating: (next_state(state, rating, day, plan).due - day).days for rating in Rating}


def recall(state: State, day: date, plan: Plan = Plan()) -> float:
    """The chance that an answer on `day` is right, 0 to 1."""
    return _scheduler(plan).get_card_retrievability(_card(state), _noon(day))


def started(schedule: Schedule, day: date, plan: Plan = Plan()) -> State | None:
    """What a note says about a sibling, seen on `day`; None if it says no more than that the sibling is new.

    An SM-2 schedule is turned into a memory that falls to 90 % at the end of the interval, and gets the difficulty with
    which FSRS would have lengthened the interval by the ease (the formula is that of `fsrs-rs`).
    """
    match schedule:
        case FsrsSchedule(due=due, stability=stability, difficulty=difficulty, state=known) if known and due:
            if stability <= 0:
                return None
            last = date.fromisoformat(schedule.last_review[:10]) if schedule.last_review else None
            reps, lapses = max(schedule.reps, 1), schedule.lapses
        case EaseSchedule(due=due, interval=interval, ease=ease) if due != _NEW_IN_PLUGIN and interval:
            stability = float(interval)
            difficulty = _difficulty_of_ease(ease, stability, plan)
            last, reps, lapses = None, 1, 0
        case _:
            return None
    due_day = date.fromisoformat(due)
    begun = due_day - timedelta(days=min(schedule.interval, (due_day - date.min).days))
    last = min(last or begun, day, due_day)
    return State(due_day, min(stability, _MOST_STABLE), min(max(difficulty, 1.0), 10.0), reps, lapses, last)


def _difficulty_of_ease(ease: int, stability: float, plan: Plan) -> float:
    weights = _scheduler(plan).parameters
    growth = exp(weights[8]) * stability ** -weights[9] * (exp(0.1 * weights[10]) - 1)
    return 11 - (ease / 100 - 1) / float(growth)


def is_possible(plan: Plan) -> bool:
    """Whether FSRS can work with it."""
    if not 0 < plan.desired_retention < 1:
        return False
    try:
        _scheduler(plan)
    except ValueError:
        return False
    return True


@cache
def _scheduler(plan: Plan) -> "fsrs.Scheduler":
    import fsrs
    from fsrs.scheduler import DEFAULT_PARAMETERS

    return fsrs.Scheduler(
        parameters=plan.parameters or DEFAULT_PARAMETERS,
        desired_retention=plan.desired_retention,
        learning_steps=(),
        relearning_steps=(),
        maximum_interval=LONGEST,
        enable_fuzzing=False,
    )


def _card(state: State) -> "fsrs.Card":
    import fsrs

    return fsrs.Card(
        card_id=1,
        state=fsrs.State.Review,
        stability=state.stability,
        difficulty=state.difficulty,
        due=_noon(state.due),
        last_review=_noon(state.last),
    )


def _noon(day: date) -> datetime:
    return datetime.combine(day, _NOON)
