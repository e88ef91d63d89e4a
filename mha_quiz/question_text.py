"""The numbers of a question as they are shown, and a question as scripts see it."""

from cards.model import Language
from mha_quiz.plaintext import ascii_text
from mha_quiz.question import Family, Question, Slip, Value, slip_ids


def value_text(value: Value, precision: int | None) -> str:
    """A number with grouped digits, `786,432`; a real one to its precision, `0.364`; a shape, `(2, 8, 10, 10)`."""
    match value:
        case tuple():
            return f"({', '.join(map(str, value))}{',' if len(value) == 1 else ''})"
        case int() if precision is None:
            return f"{value:,}".replace("-", "−")
        case _ if precision is None:
            return f"{value:,.12g}".replace("-", "−")
        case _:
            return f"{value:,.{precision}f}".replace("-", "−")


def number_text(number: float) -> str:
    """A drawn number as a stem writes it: `4`, `0.25`, `−1`."""
    return f"{number:.12g}".replace("-", "−")


def factor_text(number: float) -> str:
    """The same inside a formula: negative numbers in brackets."""
    shown = number_text(number)
    return f"({shown})" if number < 0 else shown


def slip_sentence(slip: Slip, question: Question, language: Language) -> str:
    """The slip with its numbers: `786,432 = 3 · 512²: W_O was left out.`"""
    shown = value_text(slip.value, question.precision)
    exact = (
        question.precision is None
        or isinstance(slip.value, tuple)
        or round(slip.value, question.precision) == slip.value
    )
    formula = f" {'=' if exact else '≈'} {slip.formula}" if slip.formula else ""
    return f"{shown}{formula}: {slip.why(language)}."


def question_json(question: Question, language: Language) -> dict[str, object]:
    """What `question draw --json` prints of it."""
    prompt = question.prompt.told(language)
    return {
        "family": question.family,
        "version": question.version,
        "seed": question.seed,
        "parameters": dict(question.parameters),
        "prompt": prompt,
        "prompt_plain": ascii_text(prompt),
        "answer": question.answer,
        "answer_kind": question.answer_kind.value,
        "precision": question.precision,
        "unit": question.unit,
        "slips": [
            {"id": slip.id, "value": slip.value, "why": slip_sentence(slip, question, language)}
            for slip in question.slips
        ],
        "solution": [step.told(language) for step in question.solution],
        "verified_by": "core",
    }


def family_json(family: Family, language: Language) -> dict[str, object]:
    """What `question list --json` prints of it."""
    return {
        "id": family.id,
        "theme": family.theme.value,
        "title": family.title.told(language),
        "slips": list(slip_ids(family)),
    }
