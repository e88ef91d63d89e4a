"""Parameter counts that a note gives in letters: `multi-head attention has 4 d_model² parameters`."""

from fractions import Fraction

from mha_quiz.claims import polynomials
from mha_quiz.claims.chains import Segment, readable, split
from mha_quiz.claims.model import Judgement, Verdict
from mha_quiz.claims.parameter_counts import subject_is_whole_layer
from mha_quiz.claims.passages import Passage
from mha_quiz.claims.terms import Name, Number, Power, Product, Sum, Term, Unreadable
from mha_quiz.claims.wording import sentence

_ABOVE = 300
"""Characters before a count in which its layer is named, such as the question of a card."""
_WORDS = ("parameters", "parameter", "params")


def judge_letters(segment: Segment, passage: Passage, *, says_bias: bool) -> Judgement | None:
    """A count in d_model (or d) alone, directly before the word `parameters`, of a whole attention layer."""
    if segment.after is None or segment.after.text.lower() not in _WORDS:
        return None
    sides, _ = split(segment.tokens, "relation")
    term = readable(sides[-1])
    if term is None or len(names := polynomials.names_of(term)) != 1 or not names <= {"d_model", "d"}:
        return None
    (name,) = names
    start, end = segment.tokens[0].start, segment.tokens[-1].end
    first, last = sentence(passage.text, start)
    above = passage.text[max(0, start - _ABOVE) : start]
    if not subject_is_whole_layer(above, passage.text[first:last], passage.text[end:last]):
        return None
    try:
        stated = polynomials.ratio(term)
        plain, biased = (polynomials.ratio(right) for right in (_four_squares(name), _with_biases(name)))
    except Unreadable:
        return None
    shown = f"4 · {name}^2"
    if stated.equals(biased):
        return Judgement(Verdict.HOLDS, f"{shown} + 4 · {name}", "four matrices and their biases")
    if stated.equals(plain):
        if says_bias:
            return Judgement(Verdict.HOLDS, shown, "W_Q, W_K, W_V and W_O")
        return Judgement(
            Verdict.HOLDS_IF, shown, f"holds without biases (they add 4 · {name}) and with d_v = d_k = {name} / h"
        )
    found = polynomials.single(stated)
    if found is None or found[0] != ((name, 2),):
        return None
    lost = "; the output projection W_O was left out" if found[1] == 3 else ""
    return Judgement(
        Verdict.FAILS, shown, f"W_Q, W_K, W_V and W_O have {shown} together, not {polynomials.shown(*found)}{lost}"
    )


def _four_squares(name: str) -> Term:
    return Product((Number(Fraction(4)), Power(Name(name), Number(Fraction(2)))), "*")


def _with_biases(name: str) -> Term:
    return Product((Number(Fraction(4)), Name(name), _one_more(name)), "**")


def _one_more(name: str) -> Term:
    return Sum((Name(name), Number(Fraction(1))))
