"""A numeric question: drawn from its family, verified with its own numbers, told in two languages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isclose
from random import Random

from cards.model import Language
from mha_quiz.sized import generator

Value = int | float | tuple[int, ...]
"""A number, or a shape."""

MOST_DRAWS = 100
"""A family that collides more often in a row has a bug."""


class Theme(StrEnum):
    SHAPES = "shapes"
    PARAMETERS = "parameters"
    COSTS = "costs"
    MEMORY = "memory"
    VALUES = "values"
    PYTORCH = "pytorch"


class AnswerKind(StrEnum):
    INTEGER = "integer"
    SHAPE = "shape"
    REAL = "real"


@dataclass(frozen=True, slots=True)
class Text:
    """The same words in both languages, with Unicode signs as a terminal shows them."""

    en: str
    hinglish: str

    def told(self, language: Language) -> str:
        return self.en if language is Language.EN else self.hinglish

    def __add__(self, other: "Text") -> "Text":
        """Both texts one after the other, with a blank between."""
        return Text(f"{self.en} {other.en}", f"{self.hinglish} {other.hinglish}")


@dataclass(frozen=True, slots=True)
class Slip:
    """A typical wrong answer and the thought behind it."""

    id: str
    """Unique in its family."""
    value: Value
    formula: str
    """How one gets there, numbers put in: `3 · 512²`; of a shape, its letters: `(B, n, n)`; empty if it says nothing."""
    en: str
    """Why it is wrong."""
    hinglish: str

    def why(self, language: Language) -> str:
        return self.en if language is Language.EN else self.hinglish


@dataclass(frozen=True, slots=True)
class Variant:
    """What a family makes of drawn numbers, before anything is verified."""

    parameters: Mapping[str, int | float]
    """Each drawn number under its letter, in the order of the prompt."""
    prompt: Text
    answer: Value
    """By the closed formula."""
    measure: Callable[[], Value]
    """The same from a run of the attention core; knows nothing of the formula."""
    slips: tuple[Slip, ...]
    """All of the family, also those that do not fit these numbers."""
    solution: Text
    """Three to five lines, each a reason and its numbers; the last tells the answer and its unit."""
    tolerance: float = 0.0
    """Relative distance from the formula that a sampled measurement may have."""


@dataclass(frozen=True, slots=True)
class Family:
    """One skill: endless variants of the same question."""

    id: str
    theme: Theme
    title: Text
    draft: Callable[[Random], Variant]
    unit: str | None = None
    """What an integer or real answer counts: `bytes`, `parameters`, `FLOPs`; None for a bare number."""
    precision: int | None = None
    """Decimals asked for; None where only the exact answer is right."""
    least: int = 1
    """Smallest integer that could be an answer: 0 for an index, or a count that may find nothing."""
    version: int = 1
    """Raised when the same seed no longer gives the same question."""
    weight: float = 1.0
    """How often it is to be asked, next to the others."""


@dataclass(frozen=True, slots=True)
class Question:
    """A verified variant, ready to be asked."""

    family: str
    version: int
    seed: int
    theme: Theme
    title: Text
    parameters: Mapping[str, int | float]
    prompt: Text
    answer: Value
    answer_kind: AnswerKind
    precision: int | None
    """Decimals wanted of a real answer, else None."""
    unit: str | None
    slips: tuple[Slip, ...]
    """Those with a number that a learner could type, never the answer itself; two may share a number."""
    solution: tuple[Text, ...]
    redraws: int
    """Draws thrown away before this one because a slip was as good as the answer."""

    @property
    def small(self) -> bool:
        """Whether it can be worked out in the head."""
        return is_small(self.parameters)


def is_small(parameters: Mapping[str, int | float]) -> bool:
    """d_model at most 64, at most 12 tokens, and no bytes to divide."""
    lengths = (parameters.get(length, 0) for length in "nmt")
    return parameters.get("d", 0) <= 64 and all(length <= 12 for length in lengths) and "b" not in parameters


class Disagreement(Exception):
    """The formula of a family and the core differ: a bug of ours."""


class NoVariant(Exception):
    """A family found no numbers that tell the answer from its slips: a bug of ours, unless the sizes were given."""


def family(
    id: str,
    theme: Theme,
    title: Text,
    *,
    unit: str | None = None,
    precision: int | None = None,
    least: int = 1,
    version: int = 1,
    weight: float = 1.0,
) -> Callable[[Callable[[Random], Variant]], Family]:
    """Make a function that drafts variants into a `Family`."""

    def made(draft: Callable[[Random], Variant]) -> Family:
        return Family(
            id, theme, title, draft, unit=unit, precision=precision, least=least, version=version, weight=weight
        )

    return made


def draw(family: Family, seed: int) -> Question:
    """The family's question for this seed, verified; the same seed always gives the same question.

    Raises `Disagreement` where the core measures another number, `NoVariant` after too many collisions.
    """
    rng = generator(f"{family.id}/{family.version}", seed)
    for redraws in range(MOST_DRAWS):
        variant = family.draft(rng)
        slips = tuple(slip for slip in map(_whole, variant.slips) if _could_be_typed(slip.value, family))
        if any(_too_close(slip.value, variant.answer, family.precision) for slip in slips):
            continue
        _verify(family, seed, variant)
        return Question(
            family=family.id,
            version=family.version,
            seed=seed,
            theme=family.theme,
            title=family.title,
            parameters=variant.parameters,
            prompt=variant.prompt + _PRECISION[family.precision] if family.precision else variant.prompt,
            answer=variant.answer,
            answer_kind=_kind(variant.answer, family.precision),
            precision=family.precision,
            unit=family.unit,
            slips=slips,
            solution=tuple(map(Text, _lines(variant.solution.en), _lines(variant.solution.hinglish))),
            redraws=redraws,
        )
    raise NoVariant(f"{family.id} seed {seed}: {MOST_DRAWS} draws in a row had a slip equal to the answer")


_PRECISION = {
    2: Text("Give 2 decimals.", "Do decimals tak batao."),
    3: Text("Give 3 decimals.", "Teen decimals tak batao."),
    4: Text("Give 4 decimals.", "Chaar decimals tak batao."),
}


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().split("\n")]


def _kind(answer: Value, precision: int | None) -> AnswerKind:
    if precision is not None:
        return AnswerKind.REAL
    return AnswerKind.SHAPE if isinstance(answer, tuple) else AnswerKind.INTEGER


def _verify(family: Family, seed: int, variant: Variant) -> None:
    measured = variant.measure()
    if not _agree(variant, measured, family.precision):
        numbers = ", ".join(f"{name} = {number}" for name, number in variant.parameters.items())
        raise Disagreement(
            f"{family.id} seed {seed} ({numbers}): the formula gives {variant.answer}, the core measured {measured}"
        )


def _agree(variant: Variant, measured: Value, precision: int | None) -> bool:
    """Integers and shapes exactly; reals up to binary noise, samples up to their tolerance."""
    answer = variant.answer
    if isinstance(answer, tuple) or isinstance(measured, tuple):
        return answer == measured
    if precision is None and not variant.tolerance:
        return answer == measured
    return isclose(answer, measured, rel_tol=max(variant.tolerance, 1e-9), abs_tol=1e-12)


def _whole(slip: Slip) -> Slip:
    """Quotients that come out even are integers."""
    match slip.value:
        case float() as value if value.is_integer():
            return Slip(slip.id, int(value), slip.formula, slip.en, slip.hinglish)
        case _:
            return slip


def _could_be_typed(value: Value, family: Family) -> bool:
    """Whether a learner could give it as an answer: integers are whole and large enough, axes positive."""
    match value:
        case tuple():
            return all(axis > 0 for axis in value)
        case int() if family.precision is None:
            return value >= family.least
        case _:
            return family.precision is not None


def _too_close(value: Value, answer: Value, precision: int | None) -> bool:
    """Whether one typed answer could be both."""
    if isinstance(value, tuple) or isinstance(answer, tuple) or precision is None:
        return value == answer
    return abs(value - answer) < 2 * 10.0**-precision


def slip_ids(family: Family) -> tuple[str, ...]:
    """All slips of a family, as the history stores them."""
    return tuple(slip.id for slip in family.draft(Random(0)).slips)
