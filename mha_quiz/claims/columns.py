"""Columns of a table that are worked out from others: `d_model` and `4d²`, `n` and `n(n+1)/2`, row by row."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from fractions import Fraction
from operator import attrgetter

from mha_quiz.amounts import Amount
from mha_quiz.claims.arithmetic import stated_number
from mha_quiz.claims.chains import readable, segments, split
from mha_quiz.claims.model import Finding, Judgement, Verdict
from mha_quiz.claims.numbers import Fit, fit, number_text
from mha_quiz.claims.passages import Passage, TableRows
from mha_quiz.claims.polynomials import names_of
from mha_quiz.claims.terms import QUANTITIES, Name, Number, Power, Product, Sum, Term, bare
from mha_quiz.claims.tokens import tokens
from mha_quiz.claims.values import number as value_of

Cell = tuple[Term, int, int]
"""What a cell says, and where in its row."""
_PARAMETERS = re.compile(r"\bparam|\bweights\b", re.IGNORECASE)
_OTHER_COUNT = re.compile(r"\bkv\b|key.?value|group|\bg\b|\bMLP\b|ffn|layers?\b|\bL\b|d_ff", re.IGNORECASE)
_WIDTH_NAMES = ("d_model", "d")
_MOST_COLUMNS = 30


def judge_columns(table: TableRows) -> Iterator[Finding]:
    """The cells of columns whose head is a formula in the heads of others, and of counts of parameters.

    A cell fails only if the column holds in other rows, so that its meaning is sure: in two if it is far off.
    """
    heads = cells_of(table.first)
    if not 2 <= len(heads) <= _MOST_COLUMNS or len(table.passages) < 2:
        return
    named = {term.text: at for at, cell in enumerate(heads) if cell and isinstance(term := cell[0], Name)}
    if not named.keys() & QUANTITIES:
        return
    rows = [(passage, cells_of(passage)) for passage in table.passages]
    for at, (cell, words) in enumerate(zip(heads, table.header, strict=False)):
        if cell is not None and not isinstance(cell[0], Name) and names_of(cell[0]) <= named.keys() & QUANTITIES:
            yield from _judged(rows, at, named, (cell[0],), least=1)
        elif cell is None and _PARAMETERS.search(words) and not _OTHER_COUNT.search(" ".join(table.header)):
            for width in named.keys() & set(_WIDTH_NAMES):
                yield from _judged(rows, at, named, _counts(Name(width)), least=2)


def _counts(d: Name) -> tuple[Term, ...]:
    """What a count of parameters of attention may mean."""
    square = Power(d, Number(Fraction(2)))

    def times(factor: int, term: Term) -> Term:
        return Product((Number(Fraction(factor)), term), "*")

    four = times(4, square)
    return (four, Sum((four, times(4, d))), times(3, square), Sum((times(3, square), times(3, d))), square)


def cells_of(row: Passage) -> list[Cell | None]:
    """The one term of each cell; None where there is none, or several."""
    cut = tuple(tokens(row.text, row.math))
    bars = [match.start() for match in re.finditer(r"(?<!\\)\|", row.text)]
    starts = [0, *(bar + 1 for bar in bars)] if not row.text.lstrip().startswith("|") else [bar + 1 for bar in bars]
    found: list[Cell | None] = []
    for start, end in zip(starts, [*bars[len(bars) - len(starts) + 1 :], len(row.text)], strict=True):
        if start == end == len(row.text) or not row.text[start:end].strip():
            found.append(None)
            continue
        first, last = (bisect_left(cut, offset, key=attrgetter("start")) for offset in (start, end))
        inside = [token for token in cut[first:last] if token.end <= end]
        runs = [run.tokens for run in segments(inside)]
        term = readable(split(runs[0], "relation")[0][-1]) if len(runs) == 1 else None
        found.append(None if term is None else (bare(term), runs[0][0].start, runs[0][-1].end))
    return found


def _judged(
    rows: Sequence[tuple[Passage, list[Cell | None]]],
    at: int,
    named: dict[str, int],
    formulas: Sequence[Term],
    *,
    least: int,
) -> Iterator[Finding]:
    """The column against the formula that most of its cells follow; another of the formulas will do as well."""
    found = []
    for passage, cells in rows:
        cell = cells[at] if at < len(cells) else None
        stated = stated_number(cell[0]) if cell else None
        values = [_value(formula, cells, named) for formula in formulas]
        if cell is not None and stated is not None and any(values):
            found.append((passage, cell, stated, values))
    best = max(range(len(formulas)), key=lambda one: sum(_fits(values[one], stated) for *_, stated, values in found))
    right = sum(_fits(values[best], stated) for *_, stated, values in found)
    wrong = [each for each in found if not any(_fits(value, each[2]) for value in each[3])]
    if right < least or len(wrong) > right:
        return
    for passage, (_, start, end), stated, values in found:
        value = values[best]
        if value is None:
            continue
        shown = number_text(value.value)
        if _fits(value, stated):
            judgement = Judgement(Verdict.HOLDS, shown, "recomputed from the other columns")
        elif (is_slip(value, stated) or (right > 1 and len(formulas) == 1)) and not any(
            _fits(other, stated) for other in values
        ):
            why = f"by the other columns it comes to {shown}, not {number_text(stated.value)}"
            judgement = Judgement(Verdict.FAILS, shown, why)
            start = row_start(passage)
        else:
            continue
        yield Finding(passage.number, start, passage.number, end, judgement)


def _value(formula: Term, cells: Sequence[Cell | None], named: dict[str, int]) -> Amount | None:
    def of_row(name: str) -> Amount | None:
        at = named.get(name, len(cells))
        cell = cells[at] if at < len(cells) else None
        stated = stated_number(cell[0]) if cell else None
        return Amount(stated.value) if stated and not stated.rounded else None

    return value_of(formula, of_row)


def _fits(value: Amount | None, stated: Number) -> bool:
    return value is not None and fit(value, stated, approximate=stated.rounded or stated.factor > 1) is Fit.EXACT


def row_start(row: Passage) -> int:
    """Where the first cell begins: a cell that fails is told with those before it, as a lone number says too little."""
    return len(row.text) - len(row.text.lstrip("| "))


def is_slip(value: Amount, stated: Number) -> bool:
    """Near enough to be meant for the value: other things that are counted differ by more."""
    return value.value / 2 < stated.value < value.value * 2
