"""Which question comes next."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from random import Random

from mha_quiz.note_questions import Found, question_with
from mha_quiz.question import Family, Question, Theme, draw, is_small
from mha_quiz.sized import generator

SEEDS = 2**31
RECENT = 20
"""A variant is not asked again while it is among so many latest ones of its family."""
MOST_SEEDS = 200
"""Tried for a variant that is easy, or hard; then the family has none."""


class Difficulty(StrEnum):
    EASY = "easy"
    """Small numbers, for the head."""
    HARD = "hard"
    """All others."""


@dataclass(frozen=True, slots=True)
class Chosen:
    question: Question
    source: Found | None = None
    """The place in a note that its numbers come from."""


def quiz(
    families: Sequence[Family],
    rng: Random,
    count: int,
    *,
    found: Sequence[Found] = (),
    first: Sequence[Family] = (),
    difficulty: Difficulty | None = None,
) -> Iterator[Chosen]:
    """At most `count` verified questions; equal generators give equal ones.

    With numbers `found` in notes, the first half has these, as far as there are such questions, and the rest asks the
    same families with others. The families in `first` come before all others. `difficulty` is that of drawn numbers.
    """
    turns = _Turns(rng, first)
    varied: list[Family] = []
    for family in turns.once(families if found else ()):
        if 2 * len(varied) >= count:
            break
        question = _with_numbers_of(found, len(varied), family, rng.randrange(SEEDS))
        if question:
            varied.append(family)
            turns.asked(family)
            yield question
    pool = varied if len(varied) > 1 else families
    rest = questions(pool, rng, first=first, difficulty=difficulty, last=turns.last)
    yield from map(Chosen, islice(rest, count - len(varied)))


def _with_numbers_of(found: Sequence[Found], start: int, family: Family, rest: int) -> Chosen | None:
    """With the numbers of the first layer, from the one at `start`, round, that the family can ask about."""
    for number in range(len(found)):
        source = found[(start + number) % len(found)]
        question = question_with(family, source.sizes, rest)
        if question:
            return Chosen(question, source)
    return None


def questions(
    families: Sequence[Family],
    rng: Random,
    *,
    first: Sequence[Family] = (),
    difficulty: Difficulty | None = None,
    last: Family | None = None,
) -> Iterator[Question]:
    """Verified questions without end, or as long as there are any of the `difficulty`.

    All families come up before one returns, those in `first` before the others, the rare ones less often; and two
    neighbours, of which `last` is the very first, differ in theme, or at least in family, as far as `families` allow.
    """
    turns = _Turns(rng, [family for family in first if family in families], last)
    seen: dict[str, list[Question]] = {family.id: [] for family in families}
    left = list(families)
    while left:
        family = turns.next(left)
        question = _fresh(family, seen[family.id], rng, difficulty)
        if question is None:
            left.remove(family)
            continue
        turns.asked(family)
        seen[family.id] = [*seen[family.id][1 - RECENT :], question]
        yield question


class _Turns:
    """Whose turn it is."""

    def __init__(self, rng: Random, first: Sequence[Family], last: Family | None = None) -> None:
        self.last = last
        self._rng = rng
        self._first = list(first)
        self._asked: Counter[str] = Counter()
        self._themes: Counter[Theme] = Counter()

    def asked(self, family: Family) -> None:
        self.last = family
        self._asked[family.id] += 1
        self._themes[family.theme] += 1
        if family in self._first:
            self._first.remove(family)

    def next(self, families: Sequence[Family]) -> Family:
        first = [family for family in self._first if family in families and family != self.last]
        if first:
            return self._unlike_last(first)[0]
        candidates = self._unlike_last(families)
        turns = {family.id: self._asked[family.id] / family.weight for family in candidates}
        fewest = min(turns.values())
        candidates = [family for family in candidates if turns[family.id] == fewest]
        return self._rng.choices(candidates, [family.weight for family in candidates])[0]

    def once(self, families: Sequence[Family]) -> Iterator[Family]:
        """Each family once, whether `asked` or not; those of the themes asked least come first."""
        left = list(families)
        while left:
            fewest = min(self._themes[family.theme] for family in left)
            urgent = any(family in left for family in self._first)
            family = self.next(left if urgent else [family for family in left if self._themes[family.theme] == fewest])
            left.remove(family)
            yield family

    def _unlike_last(self, families: Sequence[Family]) -> list[Family]:
        candidates = list(families)
        if self.last is not None:
            candidates = [family for family in families if family.id != self.last.id] or candidates
            candidates = [family for family in candidates if family.theme != self.last.theme] or candidates
        return candidates


def _fresh(family: Family, seen: Sequence[Question], rng: Random, difficulty: Difficulty | None) -> Question | None:
    """A variant that was not asked lately; a family with few variants repeats itself in the end."""
    known = [question.parameters for question in seen]
    question = _variant(family, rng, difficulty)
    for _ in range(RECENT):
        if question is None or question.parameters not in known:
            break
        question = _variant(family, rng, difficulty)
    return question


def _variant(family: Family, rng: Random, difficulty: Difficulty | None) -> Question | None:
    for _ in range(MOST_SEEDS):
        seed = rng.randrange(SEEDS)
        if difficulty is None:
            return draw(family, seed)
        draft = family.draft(generator(f"{family.id}/{family.version}", seed))
        if _fits(draft.parameters, difficulty):
            question = draw(family, seed)
            if _fits(question.parameters, difficulty):
                return question
    return None


def _fits(parameters: Mapping[str, int | float], difficulty: Difficulty) -> bool:
    return is_small(parameters) is (difficulty is Difficulty.EASY)
