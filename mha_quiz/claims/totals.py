"""Tables that add up or work out: a row or column of totals, and calculations beside their results."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import zip_longest

from mha_quiz.amounts import Amount
from mha_quiz.claims.arithmetic import stated_number
from mha_quiz.claims.columns import Cell, cells_of, is_slip, row_start
from mha_quiz.claims.model import Finding, Judgement, Verdict, fails
from mha_quiz.claims.numbers import Fit, fit, number_text
from mha_quiz.claims.passages import Passage, TableRows
from mha_quiz.claims.terms import Name, Number
from mha_quiz.claims.values import number as value_of

_TOTAL = re.compile(r"[\W_]*(?:grand |row )?(?:totals?|sum|Σ|jod|kul(?: jod)?)[\W_]*", re.IGNORECASE)
_WEIGHTS = re.compile(r"weight|softmax|probab|\\alpha|α", re.IGNORECASE)
_MOST_COLUMNS = 30
Row = tuple[Passage, Sequence[Cell | None]]


def judge_totals(table: TableRows) -> Iterator[Finding]:
    """Totals that are not what they add up to, and results that are not what stands before them.

    A single total fails only where a digit or two are off, as its parts need not all be listed; of a column the
    cells fail only where most others hold.
    """
    if not 2 <= len(table.header) <= _MOST_COLUMNS or not _has_numbers(table):
        return
    rows = [(passage, cells_of(passage)) for passage in table.passages]
    if len(rows) > 2 and _TOTAL.fullmatch(table.rows[-1][0]):
        yield from _last_row(rows, table.header)
    for at, head in enumerate(table.header):
        is_sum = _TOTAL.fullmatch(head) is not None
        for first in (0, 1) if is_sum else (at - 1,):  # the first column may name the row
            yield from _column(rows, at, first=first, is_sum=is_sum)


def _has_numbers(table: TableRows) -> bool:
    """Whether a column behind the first has two cells with a number; the quick question before the slow one."""
    columns = tuple(zip_longest(*table.rows, fillvalue=""))[1:]
    return any(sum(any(map(str.isnumeric, cell)) for cell in column) > 1 for column in columns)


def _last_row(rows: Sequence[Row], header: Sequence[str]) -> Iterator[Finding]:
    passage, last = rows[-1]
    for at in range(1, len(last)):
        parts = [_stated(cells, at) for _, cells in rows[:-1]]
        cell, said = last[at], _stated(last, at)
        known = [part for part in parts if part is not None]
        if cell is None or said is None or len(known) < len(parts):
            continue
        total = sum((part.value for part in known), Fraction(0))
        is_weights = at < len(header) and _WEIGHTS.search(header[at]) is not None and said.value == 1
        if abs(total - said.value) <= _slack(known):
            yield _holds(passage, cell, total)
        elif (is_weights and all(part.value < 1 for part in known)) or _few_digits_differ(total, said.value):
            yield _fails(passage, cell, total, f"the column adds up to {number_text(total)}", said)


def _column(rows: Sequence[Row], at: int, *, first: int, is_sum: bool) -> Iterator[Finding]:
    """The column against the sum of those before it, or against the calculation in the one before it."""
    found = []
    for passage, cells in rows:
        cell, said = cells[at] if at < len(cells) else None, _stated(cells, at)
        value = _sum(cells[first:at]) if is_sum else _worked_out(cells, first)
        if cell is not None and said is not None and value is not None:
            slack = _slack([part for n in range(first, at) if (part := _stated(cells, n))]) if is_sum else Fraction(0)
            holds = fit(value, said, approximate=said.rounded) is Fit.EXACT or abs(value.value - said.value) <= slack
            found.append((passage, cell, said, value, holds))
    right = sum(holds for *_, holds in found)
    if right < 2 or right <= len(found) - right:
        return
    for passage, cell, said, value, holds in found:
        if holds:
            yield _holds(passage, cell, value.value)
        elif is_slip(value, said):
            shown = number_text(value.value)
            yield _fails(passage, cell, value.value, f"the row {'adds up' if is_sum else 'comes'} to {shown}", said)


def _stated(cells: Sequence[Cell | None], at: int) -> Number | None:
    cell = cells[at] if at < len(cells) else None
    return stated_number(cell[0]) if cell else None


def _sum(cells: Sequence[Cell | None]) -> Amount | None:
    numbers = [stated_number(cell[0]) if cell else None for cell in cells]
    known = [number.value for number in numbers if number is not None]
    return Amount(sum(known, Fraction(0))) if len(known) == len(numbers) > 1 else None


def _worked_out(cells: Sequence[Cell | None], at: int) -> Amount | None:
    cell = cells[at] if 0 <= at < len(cells) else None
    return None if cell is None or isinstance(cell[0], Number | Name) else value_of(cell[0])


def _slack(parts: Sequence[Number]) -> Fraction:
    """How far a sum may be off, as its parts with decimals may be rounded."""
    return sum((Fraction(10) ** -part.decimals / 2 for part in parts if part.decimals > 1), Fraction(0))


def _few_digits_differ(total: Fraction, said: Fraction) -> bool:
    if total.denominator != 1 or said.denominator != 1 or min(total, said) < 100:
        return False
    one, other = str(total), str(said)
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) <= 2


def _holds(passage: Passage, cell: Cell, value: Fraction) -> Finding:
    judgement = Judgement(Verdict.HOLDS, number_text(value), "recomputed from the table")
    return Finding(passage.number, cell[1], passage.number, cell[2], judgement)


def _fails(passage: Passage, cell: Cell, value: Fraction, why: str, said: Number) -> Finding:
    told = f"{why}, not {number_text(said.value, said.decimals)}"
    return fails(passage, row_start(passage), cell[2], number_text(value), told)
