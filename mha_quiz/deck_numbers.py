"""The numeric questions of the Anki deck: one verified variant of each family, as the file `decks/numbers.json`.

A deck is built without the attention core, so the file is made here, by `python -m mha_quiz.deck_numbers`, and a test
makes it again. The seeds are fixed: a question changes only with its family.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction

from cards.model import Language
from mha_quiz.families import FAMILIES
from mha_quiz.question import AnswerKind, Family, Question, Text, draw
from mha_quiz.question_text import slip_sentence
from mha_quiz.verdicts import Verdict, accepted, grade

_SEEDS = range(20)
_FEW_DIGITS = 6
"""An integer that is quick to type."""
_TYPING = {
    AnswerKind.INTEGER: Text("Type the digits alone, such as 1048576.", "Sirf digits likho, jaise 1048576."),
    AnswerKind.REAL: Text("Type it with a point, such as 12.50.", "Point ke saath likho, jaise 12.50."),
    AnswerKind.SHAPE: Text(
        "Type it with brackets and commas, such as (10, 64).", "Brackets aur commas ke saath likho, jaise (10, 64)."
    ),
}
_ALSO_RIGHT = Text("Also right:", "Yeh bhi sahi:")
_SUFFIXES = ((10**9, "G"), (10**6, "M"), (10**3, "K"))
_BYTES = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


def numbers_json(families: Sequence[Family]) -> str:
    """The text of the file. Raises `Disagreement` where the core measures another number than a formula gives."""
    return json.dumps([_entry(chosen(family)) for family in families], ensure_ascii=False, indent=1) + "\n"


def chosen(family: Family) -> Question:
    """The variant for the deck: the first of a few whose answer is quick to type, or the one with the shortest."""
    drawn = []
    for seed in _SEEDS:
        drawn.append(draw(family, seed))
        if _digits(drawn[-1]) <= _FEW_DIGITS:
            return drawn[-1]
    return min(drawn, key=_digits)


def _digits(question: Question) -> int:
    return len(str(question.answer)) if question.answer_kind is AnswerKind.INTEGER else 0


def _entry(question: Question) -> dict[str, object]:
    return {
        "family": question.family,
        "version": question.version,
        "seed": question.seed,
        "theme": question.theme.value,
        "answer": typed_answer(question),
        "told": {language.value: _told(question, language) for language in Language},
    }


def _told(question: Question, language: Language) -> dict[str, object]:
    return {
        "title": question.title.told(language),
        "question": question.prompt.told(language),
        "typing": _TYPING[question.answer_kind].told(language),
        "also_right": _also_right(question, language),
        "solution": [step.told(language) for step in question.solution],
        "slips": [slip_sentence(slip, question, language) for slip in question.slips],
    }


def typed_answer(question: Question) -> str:
    """The answer as one would type it: `16384`, `0.875`, `(2, 8, 10, 64)`."""
    match question.answer:
        case tuple() as axes:
            return f"({', '.join(map(str, axes))}{',' if len(axes) == 1 else ''})"
        case value if question.precision is None:
            return str(value)
        case value:
            return f"{value:.{question.precision}f}"


def other_spellings(question: Question) -> tuple[str, ...]:
    """Other ways to write the answer, each graded right."""
    spelled = dict.fromkeys(_spellings(question))
    spelled.pop(typed_answer(question), None)
    return tuple(text for text in spelled if grade(question, text).verdict is Verdict.RIGHT)


def _spellings(question: Question) -> Iterator[str]:
    match question.answer:
        case tuple() as axes:
            yield f"[{', '.join(map(str, axes))}]"
            yield "x".join(map(str, axes))
        case int() as value if question.precision is None:
            yield f"{value:,}"
            if value >= 16 and value.bit_count() == 1:
                yield f"2^{value.bit_length() - 1}"
            for size, suffix in _BYTES if question.unit == "bytes" else _SUFFIXES:
                if value >= size and value * 100 % size == 0:
                    yield f"{value / size:g}{' ' if question.unit == 'bytes' else ''}{suffix}"
                    break
        case value:
            fraction = Fraction(value).limit_denominator(64)
            if fraction.denominator > 1 and abs(fraction - Fraction(value)) < Fraction(1, 10**9):
                yield str(fraction)


def _also_right(question: Question, language: Language) -> str:
    parts = [f"{_ALSO_RIGHT.told(language)} {' · '.join(spelled)}."] if (spelled := other_spellings(question)) else []
    interval = accepted(question)
    return " ".join(parts + ([interval.told(language)] if interval else []))


if __name__ == "__main__":
    sys.stdout.write(numbers_json(FAMILIES))
