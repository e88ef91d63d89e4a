"""What would be right for a stated count."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Right:
    """A value that would be right, and how it comes about."""

    value: int
    formula: str


Rights = tuple[Sequence[Right], Sequence[Right], Sequence[tuple[int, str]]]
"""What is right, other readings of the words that would do as well, and typical wrong values with the reason."""
