"""A claim, and what became of it."""

from dataclasses import dataclass
from enum import StrEnum

from cards.model import Place
from mha_quiz.claims.passages import Passage


class Verdict(StrEnum):
    HOLDS = "holds"
    FAILS = "fails"
    HOLDS_IF = "holds-if"


@dataclass(frozen=True, slots=True)
class Claim:
    """Something a note states in numbers, recomputed."""

    place: Place
    text: str
    """As the file says it."""
    verdict: Verdict
    right: str
    """What is right; of a claim that holds, the value it states."""
    why: str
    last_line: int
    """The line in which it ends."""


@dataclass(frozen=True, slots=True)
class Judgement:
    verdict: Verdict
    right: str
    why: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A judgement on a stretch of a passage, given by its number; it may end in a later one."""

    passage: int
    start: int
    last_passage: int
    end: int
    judgement: Judgement


def fails(passage: Passage, start: int, end: int, right: str, why: str) -> Finding:
    """A stretch of one passage that does not hold."""
    return Finding(passage.number, start, passage.number, end, Judgement(Verdict.FAILS, right, why))
