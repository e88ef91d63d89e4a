"""Chains of equalities that may be parts of something longer, as what stands beside them says: they can hold, not fail."""

import re

from mha_quiz.claims.chains import Chain, Segment
from mha_quiz.claims.terms import Group, Negative, Number, Product, Sum
from mha_quiz.claims.tokens import Token

_HARMLESS = frozenset(
    (
        *".,;:\"'“”‘’()|?–—*•<>≤≥≠✓✗✔✘❌✅",
        *(
            "<=",
            ">=",
            "!=",
            r"\\",
            r"\quad",
            r"\qquad",
            r"\le",
            r"\leq",
            r"\ge",
            r"\geq",
            r"\ne",
            r"\neq",
            r"\ll",
            r"\gg",
        ),
        *(r"\iff", r"\Leftrightarrow", r"\therefore", r"\because"),
    )
)
_ROWS = re.compile(r"\\(?:begin|end)\s*\{(?:align|aligned|gather|gathered|split|equation|multline|eqnarray|cases)\*?\}")
_NEW_THOUGHT = re.compile(r"[.;:!?|,](?:\s|$)|\n\n")


def is_doubtful(chain: Chain, text: str) -> bool:
    """Whether what stands next to the chain may belong to it, so that it can hold but not fail."""
    if chain.run is None:
        return False
    segment, following = chain.run, chain.following
    first, last = segment.tokens[0], segment.tokens[-1]
    if first.text in ("+", "-") and first.sort == "sign" and segment.before is not None:
        return True
    if follows_number(text, first.start) or _begins_with_a_label(chain, segment):
        return True
    beside = [
        token
        for token in (segment.before, segment.after)
        if token is not None and not _is_of_another_line(token, segment, text)
    ]
    if _GOES_ON_BEFORE.search(text, max(0, first.start - _NEAR), first.start) or _GOES_ON_BEHIND.match(text, last.end):
        return True
    if any(token.text == "@" for token in segment.tokens):  # Q (2, 10, 64) @ K^T (2, 64, 10): the names of shapes
        beside = [token for token in beside if token.sort != "name"]
    if any(map(_may_belong, beside)) or _cuts_a_decimal(segment, text):
        return True
    if segment.after is not None and segment.after.text == "!" and (last.math or segment.after.start == last.end):
        return True
    if following is None or following.tokens[0].text not in ("+", "-", "*", "×", "/", "^", "="):
        return False
    return _NEW_THOUGHT.search(text, last.end, following.tokens[0].start) is None


def _begins_with_a_label(chain: Chain, segment: Segment) -> bool:
    """`4K = 3840 × 2160`, `8×7B = 46.7B`, `rooms 101-110 = 10 rooms`, and what stands in brackets behind a word, as in `weights (2 bytes) + gradients (2 bytes) = 4`."""
    match chain.sides[0]:
        case Group(Number()):
            return segment.before is not None and segment.before.text[0].isalpha()
        case Number(factor=1, unit=False):
            first, second = segment.tokens[:2]
            return second.sort == "relation" and _has_suffix(first)
        case Sum((Number(low), Negative(Number(high)))) if low < high:
            first, sign = segment.tokens[:2]
            return first.end == sign.start and not sign.math
        case Product((Number(), Number())):
            first, sign, second, after = segment.tokens[:4]
            return (
                after.sort == "relation"
                and first.end == sign.start
                and sign.end == second.start
                and _has_suffix(second)
            )
    return False


def _has_suffix(token: Token) -> bool:
    """Whether a letter such as the B of 7B belongs to the number."""
    return token.end - token.start > len(token.text)


_FACTOR_BEFORE = re.compile(r"\d[ \xa0]$")


def follows_number(text: str, start: int) -> bool:
    """Whether a number and a blank stand before, as in `2 √3 = 3.46` and `2 d = 128`."""
    return _FACTOR_BEFORE.search(text, max(0, start - 2), start) is not None


_NEAR = 40
_GOES_ON_BEFORE = re.compile(
    r"[\d)] *(?:times|plus|minus|over|guna|mod|into|divided by|multiplied by) *$", re.IGNORECASE
)
_GOES_ON_BEHIND = re.compile(
    r" *(?:(?:times|plus|minus|over|mod|divided by) *[\d(]|squared|cubed|(?:r|rem(?:ainder)?|shesh)\b|(?<=\d)\.[a-z]|[kmg]?(?:hz|px|ev|wh?|cal)\b|mp\b)",
    re.IGNORECASE,
)


def _is_of_another_line(token: Token, segment: Segment, text: str) -> bool:
    """Whether a letter outside formulas stands in a line above or below."""
    if token.math or token.sort != "name":
        return False
    return "\n" in text[token.end : segment.tokens[0].start] or "\n" in text[segment.tokens[-1].end : token.start]


_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")


def _cuts_a_decimal(segment: Segment, text: str) -> bool:
    """Whether a comma glued between digits stands at an end, as in `3,5 · 2 = 7`."""
    ends = (segment.tokens[0].start - 1, segment.tokens[-1].end)
    return any(at >= 0 and _DECIMAL_COMMA.match(text, at) for at in ends)


def _may_belong(token: Token | None) -> bool:
    """A sign, command or letter next to the arithmetic that is neither punctuation nor a word."""
    if token is not None and token.sort == "name" and not token.math:
        return token.text not in ("a", "A", "I")
    if token is None or token.sort != "break" or token.text == "!":
        return token is not None and token.sort == "sign" and token.text not in (",", "(", ")", "[", "]", "…")
    return token.text not in _HARMLESS and not _ROWS.fullmatch(token.text) and not token.text[0].isalpha()
