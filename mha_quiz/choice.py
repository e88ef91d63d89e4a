"""Which question comes next."""

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

from mha_quiz.question import Family, Question, draw

SEEDS = 2**31
RECENT = 20
"""A variant is not asked again while it is among so many latest ones of its family."""


def questions(families: Sequence[Family], rng: Random) -> Iterator[Question]:
    """Verified questions without end; equal generators give equal questions.

    All families come up before one returns, the rare ones less often, and two neighbours differ in theme, or at least
    in family, as far as `families` allow.
    """
    asked: Counter[str] = Counter()
    seen: dict[str, list[Question]] = {family.id: [] for family in families}
    last: Family | None = None
    while True:
        last = _next_family(families, asked, last, rng)
        asked[last.id] += 1
        question = _fresh(last, seen[last.id], rng)
        seen[last.id] = [*seen[last.id][1 - RECENT :], question]
        yield question


def _next_family(families: Sequence[Family], asked: Counter[str], last: Family | None, rng: Random) -> Family:
    candidates = list(families)
    if last is not None:
        candidates = [family for family in families if family.id != last.id] or candidates
        candidates = [family for family in candidates if family.theme != last.theme] or candidates
    turns = {family.id: asked[family.id] / family.weight for family in candidates}
    fewest = min(turns.values())
    candidates = [family for family in candidates if turns[family.id] == fewest]
    return rng.choices(candidates, [family.weight for family in candidates])[0]


def _fresh(family: Family, seen: Sequence[Question], rng: Random) -> Question:
    """A variant that was not asked lately; a family with few variants repeats itself in the end."""
    known = [question.parameters for question in seen]
    question = draw(family, rng.randrange(SEEDS))
    for _ in range(RECENT):
        if question.parameters not in known:
            break
        question = draw(family, rng.randrange(SEEDS))
    return question
