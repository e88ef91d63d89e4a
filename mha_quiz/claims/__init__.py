"""Numeric claims in a note, recomputed: equalities, shapes, softmax weights, counts. It reads notes and never edits.

What cannot be understood with confidence is no claim: a false alarm is worse than a missed mistake.
"""

from mha_quiz.claims.checking import check, claim_json, problems
from mha_quiz.claims.model import Claim, Verdict

__all__ = ["Claim", "Verdict", "check", "claim_json", "problems"]
