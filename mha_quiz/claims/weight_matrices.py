"""Attention weights in matrices of TeX: rows that must sum to 1, and those that are the softmax of another matrix."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice, pairwise

from mha_quiz.claims.model import Finding, Judgement, Verdict
from mha_quiz.claims.numbers import number_text
from mha_quiz.claims.passages import Passage
from mha_quiz.claims.terms import Name, Negative, Number, Term, Unreadable, Vector
from mha_quiz.claims.values import evaluate, softmax_of
from mha_quiz.claims.vectors import compare_lists
from mha_quiz.claims.weights import MOST_LISTS, NEAR, SPOILED, found_at
from mha_quiz.claims.wording import said_to_be_wrong

_MATRIX = re.compile(r"\\begin\{([bpv]?matrix)\}((?:(?!\\begin|\\end)[\s\S]){1,2000})\\end\{\1\}")
_MAP = re.compile(r"softmax|attention (?:weights?|matrix|map|probabilit)", re.IGNORECASE)


def matrix_rows(passage: Passage) -> Iterator[Finding]:
    """A matrix of attention weights, whose rows must sum to 1."""
    if "matrix}" not in passage.text or not _MAP.search(passage.text) or SPOILED.search(passage.text):
        return
    matrices = list(islice(_MATRIX.finditer(passage.text), MOST_LISTS))
    yield from _softmax_of_matrices(passage, matrices)
    for match in matrices:
        rows = _rows_of(match[2])
        numbers = [[cell for cell in row if isinstance(cell, Number)] for row in rows]
        if any(len(row) < 2 or len(row) != len(cells) for row, cells in zip(numbers, rows, strict=True)):
            continue
        if not all(0 <= number.value <= 1 for row in numbers for number in row):
            continue
        if not any(number.decimals for row in numbers for number in row):
            continue
        totals = [sum((number.value for number in row), Fraction(0)) for row in numbers]
        slacks = [
            sum((Fraction(10) ** -number.decimals / 2 for number in row if number.decimals), Fraction(0))
            for row in numbers
        ]
        wrong = [total for total, slack in zip(totals, slacks, strict=True) if abs(total - 1) > slack]
        if said_to_be_wrong(passage, match.start(), match.end()) or len(wrong) == len(rows) > 1:
            continue
        shown = ", ".join(map(number_text, totals))
        why = f"every row of a softmax sums to 1; these sum to {shown}"
        verdict = Verdict.FAILS if wrong else Verdict.HOLDS
        yield found_at(passage, match.start(), match.end(), verdict, "rows that sum to 1" if wrong else "1", why)


def _rows_of(matrix: str) -> list[list[Term | None]]:
    return [
        [number_in_cell(cell) for cell in row.split("&")]
        for row in re.split(r"\\\\(?:\[[^\]]*\])?", matrix)
        if row.strip()
    ]


_OPENS_SOFTMAX = re.compile(r"softmax\}?(?:\\!|\\left|\\[bB]igg?l?|[\s(])*$", re.IGNORECASE)
_IS_SOFTMAX = re.compile(r"(?:\\!|\\right|\\[bB]igg?r?|[\s)])*(?:&?=|&?\\approx|&?≈)\s*")


def _softmax_of_matrices(passage: Passage, matrices: Sequence[re.Match[str]]) -> Iterator[Finding]:
    """`softmax [matrix] = [matrix]`, row by row; a single column is one row."""
    for scores, weights in pairwise(matrices):
        before = passage.text[max(0, scores.start() - NEAR) : scores.start()]
        if not _OPENS_SOFTMAX.search(before) or not _IS_SOFTMAX.fullmatch(passage.text, scores.end(), weights.start()):
            continue
        given, stated = _rows_of(scores[2]), _rows_of(weights[2])
        if all(len(row) == 1 for row in (*given, *stated)):
            given, stated = [[row[0] for row in given]], [[row[0] for row in stated]]
        judgement = _judged_rows(given, stated, approximate="=" not in passage.text[scores.end() : weights.start()])
        if judgement is not None and not said_to_be_wrong(passage, scores.start(), weights.end()):
            yield Finding(passage.number, scores.start(), passage.number, weights.end(), judgement)


def _judged_rows(
    given: Sequence[Sequence[Term | None]], stated: Sequence[Sequence[Term | None]], *, approximate: bool
) -> Judgement | None:
    if len(given) != len(stated):
        return None
    found = []
    for scores, weights in zip(given, stated, strict=True):
        try:
            truth = softmax_of([evaluate(score) for score in scores if score is not None])
        except Unreadable:
            return None
        said = Vector(tuple(weight for weight in weights if weight is not None), square=True)
        found.append(compare_lists(truth, said, approximate=approximate, what="softmax of the scores"))
    known = [each for each in found if each is not None]
    if len(known) < len(found):
        return None
    wrong = [each for each in known if each.verdict is Verdict.FAILS]
    right = "; ".join(each.right for each in known)
    return Judgement(wrong[0].verdict if wrong else Verdict.HOLDS, right, f"softmax of the scores: {right}")


_CELL = re.compile(r"\$?\s*([-−]?)(?:(\d+(?:\.\d+)?|\.\d+)|∞|\\infty|inf)\s*\$?")


def number_in_cell(cell: str) -> Term | None:
    """The number that is all of a cell, or minus infinity; None if it is neither."""
    match = _CELL.fullmatch(cell.strip("* "))
    if match is None or len(cell) > 40:
        return None
    if match[2] is None:
        return Negative(Name("∞")) if match[1] else None
    value = Fraction(match[2])
    decimals = len(match[2].partition(".")[2])
    return Number(-value if match[1] else value, decimals, decimals > 0)
