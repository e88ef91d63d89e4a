"""Every family over many variants: does each formula say what the core measures?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mha_quiz.question import Disagreement, Family, draw


@dataclass(frozen=True, slots=True)
class Report:
    """What a run over many variants found."""

    families: int
    variants: int
    disagreements: tuple[str, ...]
    collisions: int
    """Draws thrown away because a slip was as good as the answer."""
    seconds: float


def verify_all(families: Sequence[Family], variants: int, clock: Callable[[], float]) -> Report:
    """Draw and verify the seeds 0 to `variants` − 1 of each family; `clock` counts seconds."""
    start = clock()
    disagreements = []
    collisions = 0
    for family in families:
        for seed in range(variants):
            try:
                collisions += draw(family, seed).redraws
            except Disagreement as disagreement:
                disagreements.append(str(disagreement))
    return Report(len(families), len(families) * variants, tuple(disagreements), collisions, clock() - start)
