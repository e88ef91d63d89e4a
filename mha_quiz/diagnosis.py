"""Why a wrong answer is wrong when no slip of its family alone explains it."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, pairwise
from math import prod

from mha_quiz.question import Question, Slip, Theme, Value
from mha_quiz.question_text import value_text
from mha_quiz.units import BYTE_UNITS, is_byte_unit

KILO = Fraction(1024, 1000)
_UNITS = ("bytes", "KB", "KiB", "MB", "MiB", "GB", "GiB", "TB", "TiB")
_SMALLEST_SCALED = 10
"""Smaller integers are half or a tenth of each other by chance."""
_SMALLEST_COMBINED = 100
"""Smaller integers come out of two slips by chance."""
_SMALLEST_SUM = 10_000
"""Smaller ones come out of the sums of two slips by chance."""


def diagnose(question: Question, typed: Fraction | tuple[int, ...], close: Fraction) -> tuple[Slip, ...]:
    """What makes the right answer into the one typed: a general mistake, or else two slips of the family at once.

    `close` is how far a number may be from what it is taken for. The slips that come back carry the typed value.
    """
    answer = question.answer
    if isinstance(typed, tuple):
        found = _of_shape(question, answer, typed) if isinstance(answer, tuple) else iter(())
    elif isinstance(answer, tuple):
        return ()
    else:
        found = _of_number(question, Fraction(answer), typed, close)
    return next(found, ()) or tuple(_two_at_once(question, typed, close))


def _of_number(question: Question, answer: Fraction, typed: Fraction, close: Fraction) -> Iterator[tuple[Slip, ...]]:
    """The most telling first."""
    if not answer or not typed:
        return
    shown = value_text(question.answer, question.precision)
    batch = question.parameters.get("B", 1)

    def is_off_by(factor: Fraction) -> bool:
        return _is_near(typed, answer * factor, close * max(abs(factor), Fraction(1)))

    def slip(id: str, formula: str, en: str, hinglish: str) -> tuple[Slip, ...]:
        return (Slip(id, _value(typed), formula, en, hinglish),)

    if is_off_by(Fraction(-1)):
        yield slip("sign", f"−({shown})", "the sign is the wrong way round", "sign ulta hai")
    if isinstance(batch, int) and batch > 1 and is_off_by(Fraction(1, batch)):
        yield slip("no-batch", f"{shown} / {batch}", "the batch was left out", "batch chhoot gaya")
    if close and question.unit is None and answer < 1 and _is_near(typed, 1 - answer, close):
        yield slip(
            "rest", f"1 − {shown}", "that is what the right number leaves of 1", "yeh 1 mein se bacha hua hissa hai"
        )
    if close and _is_near(typed, 1 / answer, close):
        yield slip("upside-down", f"1 / {shown}", "the fraction is upside down", "fraction ulta ho gaya")
    if question.unit is not None and is_byte_unit(question.unit):
        yield from _of_bytes(question.unit, answer, typed, close, shown)
    if answer.denominator == 1 and answer < _SMALLEST_SCALED:
        return
    for factor, formula in ((Fraction(2), f"2 · {shown}"), (Fraction(1, 2), f"{shown} / 2")):
        if question.precision is not None and question.unit is None:  # half a weight is nothing to tell
            break
        if is_off_by(factor) and question.unit == "FLOPs":
            en, hinglish = "a multiply-add is two FLOPs, counted once", "ek multiply-add do FLOPs hai, ek hi baar gino"
            yield slip("factor-two", formula, en, hinglish)
        elif is_off_by(factor):
            yield slip("factor-two", formula, "it is off by a factor of 2", "2 guna ka fark hai")
    for power in (*range(1, 13), *range(-12, 0)):
        if is_off_by(Fraction(10) ** power):
            en, hinglish = "the digits are right, the power of ten is not", "digits sahi hain, dus ki power galat hai"
            yield slip("power-of-ten", _scaled(shown, "10", power), en, hinglish)


def _of_bytes(unit: str, answer: Fraction, typed: Fraction, close: Fraction, shown: str) -> Iterator[tuple[Slip, ...]]:
    """Bits, 1024 for 1000, or another unit than the one asked for, rounded as one does."""
    if _is_near(typed, 8 * answer, 8 * close):
        en, hinglish = f"{unit} were asked for, not bits", f"sawaal {unit} ka tha, bits ka nahi"
        yield (Slip("bits", _value(typed), f"8 · {shown}", en, hinglish),)
    for power in (1, 2, 3, -1, -2, -3):
        if _is_near(typed, answer * KILO**power, close * 2):
            en, hinglish = "1024 and 1000 were mixed up", "1024 aur 1000 aapas mein mil gaye"
            yield (Slip("kilo", _value(typed), _scaled(shown, "1.024", power), en, hinglish),)
    for other in _UNITS:
        there = answer * BYTE_UNITS[unit.casefold()] / BYTE_UNITS[other.casefold()]
        if other != unit and abs(typed - there) <= there / 200:
            en, hinglish = f"that is in {other}; {unit} were asked for", f"yeh {other} mein hai; sawaal {unit} ka tha"
            yield (Slip("other-unit", _value(typed), "", en, hinglish),)


def _scaled(shown: str, base: str, power: int) -> str:
    """`512 · 10^3`, `512 / 10`."""
    return f"{shown} {'·' if power > 0 else '/'} {base}" + ("" if abs(power) == 1 else f"^{abs(power)}")


def _of_shape(question: Question, answer: tuple[int, ...], typed: tuple[int, ...]) -> Iterator[tuple[Slip, ...]]:
    def slip(id: str, en: str, hinglish: str) -> tuple[Slip, ...]:
        return (Slip(id, typed, "", en, hinglish),)

    if len(answer) > 2 and typed == answer[1:] and "B" in question.parameters:
        yield slip("no-batch", "the batch axis stays in front", "batch axis aage rehti hai")
    if typed != answer and sorted(typed) == sorted(answer):
        yield slip("transposed", "the axes are right, their order is not", "axes sahi hain, unka order nahi")
    if typed == (prod(answer),):
        en, hinglish = "that is how many numbers there are, not their shape", "yeh numbers ki ginti hai, shape nahi"
        yield slip("product", en, hinglish)
    for at, axis in enumerate(answer):
        if typed == answer[:at] + answer[at + 1 :]:
            yield slip("axis-missing", f"the axis of {axis} is missing", f"{axis} wali axis chhoot gayi")
    for at, (one, other) in enumerate(pairwise(answer)):
        if len(answer) > 2 and typed == (*answer[:at], one * other, *answer[at + 2 :]):
            en, hinglish = f"{one} and {other} are two axes, not one", f"{one} aur {other} do alag axes hain, ek nahi"
            yield slip("axes-joined", en, hinglish)


def _two_at_once(question: Question, typed: Fraction | tuple[int, ...], close: Fraction) -> Iterator[Slip]:
    """Pairs of slips that were made together: factors multiply, missing terms add up, axes change side by side.

    Any slip may go with a batch that was left out. Values do not come about that way, and a small number may be anything.
    """
    for slip in question.slips:
        without_batch = _without_batch(question, slip.value)
        if without_batch is not None and (without_batch == (typed if isinstance(typed, tuple) else _value(typed))):
            batch = Slip("no-batch", without_batch, "", "the batch was left out", "batch chhoot gaya")
            yield _named_together(slip, batch, without_batch)
    if not isinstance(typed, tuple) and not _could_combine(question, typed):
        return
    for one, other in combinations(question.slips, 2):
        if isinstance(typed, tuple):
            if typed == _both_axes(question.answer, one.value, other.value):
                yield _named_together(one, other, typed)
        elif typed and any(
            _is_near(typed, both, close) for both in _both_numbers(question.answer, one.value, other.value)
        ):
            yield _named_together(one, other, _value(typed))


def _without_batch(question: Question, value: Value) -> Value | None:
    batch = question.parameters.get("B", 1)
    if isinstance(value, tuple):
        return value[1:] if batch != 1 and len(value) > 2 and value[0] == batch else None
    if isinstance(batch, int) and isinstance(value, int) and batch > 1 and value % batch == 0:
        return value // batch
    return None


def _is_near(typed: Fraction, other: Fraction, close: Fraction) -> bool:
    """Near zero everything is close to everything, so the distance must be small beside the number as well."""
    return abs(typed - other) <= min(close, abs(other) / 20)


def _could_combine(question: Question, typed: Fraction) -> bool:
    if question.theme in (Theme.SHAPES, Theme.VALUES) or isinstance(question.answer, tuple):
        return False
    return question.precision is not None or (question.answer >= _SMALLEST_COMBINED and typed.denominator == 1)


def _both_numbers(answer: Value, one: Value, other: Value) -> Iterator[Fraction]:
    """A whole factor goes with any slip; what else is missing or too much adds up."""
    if isinstance(answer, tuple) or isinstance(one, tuple) or isinstance(other, tuple) or not answer:
        return
    exact, first, second = Fraction(answer), Fraction(one), Fraction(other)
    if _is_whole_factor(first / exact) or _is_whole_factor(second / exact):
        yield first * second / exact
    elif exact >= _SMALLEST_SUM:
        yield first + second - exact


def _is_whole_factor(ratio: Fraction) -> bool:
    """Whether it is n or 1/n, as close as floats come."""
    larger = max(ratio, 1 / ratio) if ratio > 0 else Fraction(0)
    return larger > 1 and abs(larger / round(larger) - 1) < Fraction(1, 10**9)


def _both_axes(answer: Value, one: Value, other: Value) -> tuple[int, ...] | None:
    if not (isinstance(answer, tuple) and isinstance(one, tuple) and isinstance(other, tuple)):
        return None
    if not len(answer) == len(one) == len(other):
        return None
    both = []
    for right, first, second in zip(answer, one, other, strict=True):
        if first != right != second:
            return None
        both.append(first if first != right else second)
    return tuple(both)


def _named_together(one: Slip, other: Slip, value: Value) -> Slip:
    return Slip(
        f"{one.id}+{other.id}",
        value,
        "",
        f"two slips at once: {one.en}; and {other.en}",
        f"do galtiyan ek saath: {one.hinglish}; aur {other.hinglish}",
    )


def _value(typed: Fraction) -> int | float:
    return int(typed) if typed.denominator == 1 else float(typed)
