"""The end of a review."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from mha_quiz import quiz_wording
from mha_quiz import review_wording as wording
from mha_quiz.question import Slip
from mha_quiz.review_screen import ReviewScreen
from mha_quiz.schedule import Rating


@dataclass(frozen=True, slots=True)
class Summary:
    """What happened in a review."""

    ratings: Mapping[Rating, int]
    """Of the cards that were answered."""
    right: int
    """Of the `tested`, those that were remembered."""
    tested: int
    """Counted answers to cards that were not new."""
    numbers: int
    slips: Mapping[str, int]
    """Misconceptions met, `B1/no-out`, and how often."""
    took: timedelta
    tomorrow: int
    """Cards and skills that are due tomorrow or before."""
    interrupted: bool
    """By Ctrl-C; a program should then end with status 130."""


def tell_summary(
    summary: Summary, screen: ReviewScreen, slips: Mapping[str, Slip], leeches: Sequence[str], *, left_open: bool
) -> None:
    """Tell how it went; `slips` explains those of the summary, `leeches` are places in the notes."""
    screen.clear()
    if left_open:
        screen.tell(wording.LEFT_OPEN, "dim")
    cards = sum(summary.ratings.values())
    counts, tomorrow = wording.summary(cards, summary.numbers, int(summary.took.total_seconds()), summary.tomorrow)
    screen.tell(counts, "bold")
    if cards:
        screen.tell(wording.ratings(summary.ratings))
    if summary.tested:
        screen.tell(wording.retention(summary.right, summary.tested))
    if slips:
        screen.tell(quiz_wording.SLIPS_MET)
    for slip, times in sorted(summary.slips.items(), key=lambda entry: (-entry[1], entry[0])):
        screen.tell(quiz_wording.slip_met(slip, times, slips[slip]))
    if leeches:
        screen.tell(wording.leeches(leeches), "yellow")
    screen.tell(tomorrow)
