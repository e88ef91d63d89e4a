"""The text of a passage with its formulas' signs written plainly, for patterns of words; every offset stays."""

import re
from fractions import Fraction
from functools import lru_cache

_SIGNS = {
    "times": "×",
    "cdot": "·",
    "sqrt": "√",
    "to": "→",
    "rightarrow": "→",
    "Rightarrow": "→",
    "implies": "→",
    "approx": "≈",
}
_MARKS = re.compile(rf"\$|\\({'|'.join(_SIGNS)})(?![A-Za-z])|\\[,;! ]|[*_](?=\*|_)|(?<=\*)\*|==")


@lru_cache(maxsize=256)
def plain_signs(text: str) -> str:
    """Of the same length: dollar signs, bold and marks become blanks, `\\times` becomes `×` with blanks behind."""
    return _MARKS.sub(lambda match: (_SIGNS[match[1]] if match[1] else "").ljust(len(match[0])), text)


NUMBER = r"(?<![\d.,])(\d{1,3}(?:(?:,|\{,\})\d{2,3})+|\d{1,12})(?!\d|[.,]\d)"
"""A whole number, with its thousands told apart or not."""
DECIMAL = r"(?<![\d.,])(\d{1,3}(?:(?:,|\{,\})\d{2,3})+(?:\.\d{1,9})?|\d{1,12}(?:\.\d{1,9})?)(?!\d|[.,]\d)"


def whole_number(said: str) -> int:
    return int(_without_commas(said))


def decimal_number(said: str) -> Fraction:
    """Of digits with a point or none, and perhaps a minus before them."""
    return Fraction(_without_commas(said).replace("−", "-"))


def _without_commas(said: str) -> str:
    return said.replace("{,}", "").replace(",", "")


def spaced(pattern: str) -> re.Pattern[str]:
    """The pattern, whose blanks between words stand for a few: a dollar sign leaves one more."""
    return re.compile(re.sub(r" (?![)?{\]+*-])", " {1,3}", pattern.replace(" ?", " {0,3}")), re.IGNORECASE)
