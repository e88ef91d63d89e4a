"""Seeds that carry the sizes of a layer, so that a question with the numbers of a note can be drawn again like any other.

Such a seed has 53 bits, which every reader of JSON keeps: a one, then d_model, heads, tokens, and what draws the rest.
"""

from dataclasses import dataclass
from random import Random

_D, _H, _N, _REST = 15, 8, 20, 9
"""Bits."""
_MARK = 1 << (_D + _H + _N + _REST)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Of one layer; `possible` tells which a question can have."""

    d: int
    """d_model."""
    h: int
    n: int | None = None
    """Tokens, if they are given."""

    @property
    def possible(self) -> bool:
        """Whether several heads share the width evenly, and a seed can hold the numbers."""
        fits = self.d < 1 << _D and self.h < 1 << _H and (self.n is None or 1 < self.n < 1 << _N)
        return fits and 1 < self.h < self.d and self.d % self.h == 0


class Sized(Random):
    """A generator for the rest of a question whose layer is given."""

    sizes: Sizes


def seed_of(sizes: Sizes, rest: int) -> int:
    """The seed of a question with possible `sizes`; equal `rest` (any number) gives equal questions."""
    held = ((sizes.d << _H | sizes.h) << _N | (sizes.n or 0)) << _REST
    return _MARK | held | rest % (1 << _REST)


def sizes_of(seed: int) -> Sizes | None:
    """The opposite; None for a seed that carries none."""
    if seed >> (_MARK.bit_length() - 1) != 1:
        return None
    held = (seed ^ _MARK) >> _REST
    n = held & ((1 << _N) - 1)
    sizes = Sizes(held >> (_H + _N), held >> _N & ((1 << _H) - 1), n or None)
    return sizes if sizes.possible else None


def generator(name: str, seed: int) -> Random:
    """What draws the question `name` with this seed."""
    text = f"{name}/{seed}"
    sizes = sizes_of(seed)
    if sizes is None:
        return Random(text)
    sized = Sized(text)
    sized.sizes = sizes
    return sized
