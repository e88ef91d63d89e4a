"""Softmax weights in a table, beside the scores that they are of."""

import re
from collections.abc import Iterator

from mha_quiz.claims.model import Finding, Verdict
from mha_quiz.claims.number_lists import LONGEST_LIST, Listed
from mha_quiz.claims.passages import Reading, TableRows
from mha_quiz.claims.terms import Term
from mha_quiz.claims.weight_matrices import number_in_cell
from mha_quiz.claims.weights import SOFTMAX, SPOILED, KeyWidth, is_softmax, softmax_judgement
from mha_quiz.claims.wording import is_about_mistakes


def judge_table(reading: Reading, table: TableRows, key_width: KeyWidth) -> Iterator[Finding]:
    """A column of scores and a column of weights, with softmax in the table or in the words around it."""
    first = table.first
    around = reading.passages[max(0, first.number - 3) : table.passages[-1].number + 4] if table.passages else ()
    outer = first.scope[:-1][:1]
    near = [passage for passage in around if passage.role == "cell" or passage.scope[:1] == outer]
    text = " ".join(passage.text for passage in near)
    if not table.rows or len(table.rows) > LONGEST_LIST or is_about_mistakes(reading, first):
        return
    columns = range(len(table.header))
    weights = [n for n in columns if _is_weight_header(table.header[n])]
    scores = [n for n in columns if _is_score_header(table.header[n])]
    scaled = [n for n in scores if re.search(r"scaled|√|sqrt", table.header[n], re.IGNORECASE)]
    if len(weights) != 1 or not scores or not SOFTMAX.search(text) or SPOILED.search(text):
        return
    column = (scaled or scores)[-1]
    stated, given = _column(table, weights[0]), _column(table, column)
    if stated is None or given is None or _WRONG_TABLE.search(text):
        return
    listed = Listed(tuple(stated), 0, 0)
    if not listed.could_be_weights or len(stated) < 2:
        return
    judgement = softmax_judgement(given, listed, first, first, (lambda: None) if scaled else key_width)
    if judgement is not None and judgement.verdict is Verdict.FAILS:
        others = (_column(table, other) for other in columns if other not in (column, weights[0]))
        if any(items and is_softmax(items, listed, first, key_width) for items in others):
            return
    if judgement is not None:
        last = table.passages[-1]
        end = len(last.text.rstrip())
        yield Finding(first.number, 0, last.number, end, judgement)


_WRONG_TABLE = re.compile(r"\b(?:wrong|galat|incorrect|not the softmax)\b", re.IGNORECASE)


def _is_weight_header(header: str) -> bool:
    return re.search(r"weight|softmax|probab|\\alpha|α", header, re.IGNORECASE) is not None


def _is_score_header(header: str) -> bool:
    return re.search(r"score|logit", header, re.IGNORECASE) is not None and not _is_weight_header(header)


def _column(table: TableRows, column: int) -> list[Term] | None:
    """The numbers of a column; None if a cell is no number. A row that sums up is left out."""
    values: list[Term] = []
    for row in table.rows:
        if re.fullmatch(r"\W*(?:sum|total|jod|Σ)\W*", row[0], re.IGNORECASE):
            continue
        if column >= len(row) or (value := number_in_cell(row[column])) is None:
            return None
        values.append(value)
    return values
