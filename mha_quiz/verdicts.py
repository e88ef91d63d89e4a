"""Right, too coarse, wrong, or not readable: a typed answer against a question."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import ceil, floor

from cards.model import Language
from mha_quiz import wording
from mha_quiz.answers import Number, Reading, Shape, Unreadable, read
from mha_quiz.diagnosis import diagnose
from mha_quiz.precision import Precision
from mha_quiz.question import AnswerKind, Question, Slip, Text, Value
from mha_quiz.question_text import slip_sentence, value_text
from mha_quiz.units import BARE_NUMBER

COARSE_FROM = 10_000
"""Smaller integers are only right or wrong."""
_BINARY_NOISE = Fraction(1, 10**9)
"""Relative; the truth of a real question is a float."""
_NEARLY_WHOLE = Fraction(1, 10**30)
_POINT_OR_GROUP = re.compile(r"[1-9]\d{0,2}\.\d{3}")


class Verdict(StrEnum):
    RIGHT = "right"
    TOO_COARSE = "too-coarse"
    WRONG = "wrong"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Grade:
    reading: Reading
    verdict: Verdict
    slips: tuple[Slip, ...]
    """All whose number was typed, or rounded, or what else explains it; only with `WRONG`."""


def grade(question: Question, text: str) -> Grade:
    """Read and judge a typed answer; never raises.

    Integers and shapes are compared exactly. A real answer counts within half a unit of the last decimal asked for.
    """
    reading = _read(question, text)
    if isinstance(reading, Unreadable):
        return Grade(reading, Verdict.UNREADABLE, ())
    if _equals(reading, question.answer, question.precision):
        return Grade(reading, Verdict.RIGHT, ())
    if question.answer_kind is AnswerKind.INTEGER and _POINT_OR_GROUP.fullmatch(text.strip()):
        return Grade(Unreadable(wording.point_or_group(text.strip())), Verdict.UNREADABLE, ())
    slips = tuple(slip for slip in question.slips if _equals(reading, slip.value, question.precision))
    if slips:
        return Grade(reading, Verdict.WRONG, slips)
    if isinstance(reading, Number) and is_too_coarse(reading, question.answer, question.precision):
        return Grade(reading, Verdict.TOO_COARSE, ())
    if isinstance(reading, Number) and reading.precision is not None and reading.precision.figures >= 2:
        slips = tuple(slip for slip in question.slips if is_too_coarse(reading, slip.value, question.precision))
        if slips:
            return Grade(reading, Verdict.WRONG, slips)
    typed = reading.value if isinstance(reading, Number) else reading.axes
    close = Fraction(0) if question.precision is None else Fraction(1, 2 * 10**question.precision)
    return Grade(reading, Verdict.WRONG, diagnose(question, typed, close))


def names_of(question: Question) -> dict[str, int | float]:
    """What an answer may call by name: the drawn letters, and the long names that the prompt uses for them.

    The width of a head is d_k also where it was not drawn, unless it is what the question asks for.
    """
    drawn = question.parameters
    names = dict(drawn)
    for long, letter in (("d_model", "d"), ("d_ff", "f"), ("d_v", "v"), ("d_k", "k")):
        if letter in drawn and long in question.prompt.en:
            names[long] = drawn[letter]
    d, h = drawn.get("d"), drawn.get("h")
    if "k" not in drawn and isinstance(d, int) and isinstance(h, int) and d % h == 0 and d // h != question.answer:
        names["d_k"] = d // h
    return names


def _read(question: Question, text: str) -> Reading:
    names = names_of(question)
    if question.answer_kind is AnswerKind.SHAPE:
        return read(text, want="shape", names=names)
    reading = read(text, want="number", names=names, unit=question.unit or BARE_NUMBER)
    if isinstance(reading, Number) and not reading.exact and question.answer_kind is AnswerKind.INTEGER:
        nearest = round(reading.value)
        if abs(reading.value - nearest) <= _NEARLY_WHOLE * max(1, abs(nearest)):
            return Unreadable(wording.NOT_EXACT)
    return reading


def _equals(reading: Number | Shape, value: Value, decimals: int | None) -> bool:
    match reading, value:
        case Shape(axes), tuple():
            return axes == value
        case Number(typed), int() | float() if decimals is not None:
            return abs(typed - Fraction(value)) <= _tolerance(value, decimals)
        case Number(typed), int() | float():
            return typed == value
        case _:
            return False


def _tolerance(truth: float, decimals: int) -> Fraction:
    return Fraction(1, 2 * 10**decimals) + _BINARY_NOISE * abs(Fraction(truth))


def is_too_coarse(number: Number, truth: Value, decimals: int | None) -> bool:
    """Whether a number that is not right is the truth, only rounded more than allowed.

    An integer of at least 10,000 must have two significant figures, or a suffix, unit or exponent. A real answer may
    be off by one in the last decimal asked for, or be rounded to fewer decimals.
    """
    if isinstance(truth, tuple):
        return False
    exact = Fraction(truth)
    precision = number.precision
    if decimals is not None:
        last = Fraction(1, 10**decimals)
        allowed = max(last, precision.step / 2) if precision else last
        return abs(number.value - exact) <= allowed
    if precision is None or exact < COARSE_FROM or not (precision.figures >= 2 or precision.scaled):
        return False
    return precision.figures > 0 and _rounds_to(exact, number.value, precision)


def _rounds_to(truth: Fraction, typed: Fraction, precision: Precision) -> bool:
    """Whether `truth`, in the unit it was typed in, is `typed` when rounded to the figures typed; halves both ways."""
    truth, typed = truth / precision.scale, typed / precision.scale
    leading = Fraction(1)
    while truth >= 10 * leading:
        leading *= 10
    while truth < leading:
        leading /= 10
    step = leading / Fraction(10) ** (precision.figures - 1)
    return typed % step == 0 and abs(truth - typed) <= step / 2


def verdict_text(question: Question, graded: Grade) -> Text:
    """What to tell the learner: the verdict, a recognised slip with its numbers, and the interval that counts."""
    match graded.verdict:
        case Verdict.UNREADABLE:
            return graded.reading.reason if isinstance(graded.reading, Unreadable) else wording.EMPTY
        case Verdict.TOO_COARSE:
            return wording.too_coarse(question.precision)
        case Verdict.RIGHT:
            said = wording.RIGHT
        case Verdict.WRONG:
            said = wording.WRONG + slips_text(question, graded.slips) if graded.slips else wording.WRONG
    interval = accepted(question)
    return said + interval if interval else said


def grade_json(question: Question, graded: Grade, language: Language) -> dict[str, object]:
    """What `question grade --json` prints of it."""
    return {
        "verdict": graded.verdict.value,
        "read_as": None if isinstance(graded.reading, Unreadable) else graded.reading.read_as,
        "slips": [slip.id for slip in graded.slips],
        "message": verdict_text(question, graded).told(language),
    }


def slips_text(question: Question, slips: Sequence[Slip]) -> Text:
    """One slip as its sentence; several with one number as `either … or …`."""
    if len(slips) == 1:
        return Text(*(slip_sentence(slips[0], question, language) for language in (Language.EN, Language.HINGLISH)))
    shown = value_text(slips[0].value, question.precision)
    en, hinglish = (
        [f"{slip.why(language)} ({slip.formula})" if slip.formula else slip.why(language) for slip in slips]
        for language in (Language.EN, Language.HINGLISH)
    )
    return Text(f"{shown}: either {', or '.join(en)}.", f"{shown}: ya to {', ya '.join(hinglish)}.")


def accepted(question: Question) -> Text | None:
    """The interval that counts, of a real question: with two more decimals than asked for, rounded inward."""
    if question.precision is None or isinstance(question.answer, tuple):
        return None
    places = question.precision + 2
    truth, tolerance = Fraction(question.answer), _tolerance(question.answer, question.precision)
    low = Fraction(ceil((truth - tolerance) * 10**places), 10**places)
    high = Fraction(floor((truth + tolerance) * 10**places), 10**places)
    return wording.interval(wording.decimal_text(low, places), wording.decimal_text(high, places))
