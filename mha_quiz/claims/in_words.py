"""Claims that stand in words as much as in formulas; each room knows one kind, the wording silences all alike."""

from collections.abc import Iterator

from mha_quiz.claims.context import Context
from mha_quiz.claims.head_widths import judge_widths
from mha_quiz.claims.laws import judge_transposed
from mha_quiz.claims.memory import judge_memory
from mha_quiz.claims.model import Finding
from mha_quiz.claims.passages import Passage, Reading
from mha_quiz.claims.said_shapes import judge_said_shapes
from mha_quiz.claims.said_values import judge_said_values
from mha_quiz.claims.wording import is_about_mistakes, is_no_claim, only_supposed, said_to_be_wrong


def judge_words(reading: Reading, passage: Passage, context: Context) -> Iterator[Finding]:
    """The false statements of a passage that are neither denied, asked nor supposed."""
    if passage.role == "cell" or is_about_mistakes(reading, passage):
        return
    for finding in (
        *judge_widths(passage),
        *judge_said_shapes(passage, context),
        *judge_memory(passage),
        *judge_said_values(passage),
        *judge_transposed(passage),
    ):
        start, end = finding.start, finding.end
        if not (
            said_to_be_wrong(passage, start, end)
            or only_supposed(passage, start, end)
            or is_no_claim(reading, passage, start, end)
        ):
            yield finding
