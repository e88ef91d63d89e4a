"""Questions with the numbers that a note itself uses."""

from dataclasses import dataclass
from pathlib import PurePath

from cards.model import Place
from mha_quiz.question import Family, NoVariant, Question, Text, draw
from mha_quiz.sized import Sizes, generator, seed_of


@dataclass(frozen=True, slots=True)
class Found:
    """Sizes of a layer that a note fixes in one place."""

    sizes: Sizes
    place: Place
    """Of the first of them in the running text."""

    def said(self, *, with_name: bool) -> Text:
        """Where the numbers come from; with the name of the file where there are several."""
        name, line = PurePath(self.place.path).name, self.place.line
        if with_name:
            return Text(f"from your note {name}, line {line}", f"aapke note {name} se, line {line}")
        return Text(f"from your note, line {line}", f"aapke note se, line {line}")


def question_with(family: Family, sizes: Sizes, rest: int) -> Question | None:
    """A verified question of the family with these sizes, and no others of a layer; `rest` (a seed) draws what is left.

    None if the family does not ask about a layer, or has no question with these sizes.
    """
    seed = seed_of(sizes, rest)
    try:
        drawn = family.draft(generator(f"{family.id}/{family.version}", seed)).parameters
        wanted = {"d": sizes.d, "h": sizes.h, "n": sizes.n or drawn.get("n")}
        if "d" not in drawn or any(drawn[letter] != wanted[letter] for letter in wanted.keys() & drawn.keys()):
            return None
        return draw(family, seed)
    except NoVariant:
        return None
