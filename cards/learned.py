"""What a learner did with one sibling of a card, and what is known of the memory: for whoever schedules it next."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Review:
    """One answer."""

    at: int
    """Unix milliseconds."""
    rating: int
    """1 again, 2 hard, 3 good, 4 easy."""
    took: int
    """Milliseconds; 0 if nobody knows."""
    before: int
    """Days of the interval that ended; 0 for a first answer."""
    interval: int
    """Days of the interval that began."""
    difficulty: float
    """1 to 10, after the answer."""
    counted: bool
    """Whether it changed the schedule: the first answer of its day does."""


@dataclass(frozen=True, slots=True)
class Learned:
    """The memory of one sibling, by FSRS-6, and its answers in the order of time."""

    due: date
    interval: int
    """Days from the last counted answer to `due`."""
    stability: float
    """Days until the chance to recall falls to 90 %."""
    difficulty: float
    """1 to 10."""
    reps: int
    lapses: int
    last: date
    """The day of the last counted answer."""
    reviews: tuple[Review, ...]
