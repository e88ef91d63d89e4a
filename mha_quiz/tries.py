"""A try at a numeric question, as the history stores it."""

from dataclasses import dataclass
from datetime import timedelta

from mha_quiz.events import Skill, Stamp, Tried
from mha_quiz.question import Question
from mha_quiz.schedule import Rating
from mha_quiz.verdicts import Grade, Verdict

_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Try:
    question: Question
    text: str
    """As typed."""
    graded: Grade | None
    """None of a learner who gave up, or asked for the solution."""
    counts: bool
    """Not a first answer that was too coarse, if the question is asked once more."""
    took: timedelta
    """Since the question was shown."""

    def event(self, stamp: Stamp) -> Tried:
        return Tried(
            stamp,
            Skill(self.question.family),
            self.question.version,
            self.question.seed,
            self.text,
            "skipped" if self.graded is None else self.graded.verdict.value,
            () if self.graded is None else tuple(slip.id for slip in self.graded.slips),
            self._rating() if self.counts else None,
            max(self.took // _MILLISECOND, 0),
        )

    def _rating(self) -> Rating:
        if self.graded is None or self.graded.verdict is Verdict.WRONG:
            return Rating.AGAIN
        return Rating.HARD if self.graded.verdict is Verdict.TOO_COARSE else Rating.GOOD
