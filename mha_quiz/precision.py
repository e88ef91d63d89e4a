"""How finely a number was typed: its figures, its last digit, its suffix."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from mha_quiz.lexer import Numeral, Sign, Token


@dataclass(frozen=True, slots=True)
class Precision:
    """How finely a plain number was typed."""

    figures: int
    """Significant ones."""
    step: Fraction
    """What one more in its last typed digit is worth."""
    scale: Fraction = Fraction(1)
    """The factor of its suffix and unit."""
    scaled: bool = False
    """It was typed with a suffix, a unit other than bytes, or an exponent."""

    def times(self, factor: Fraction, *, scaled: bool = False) -> "Precision":
        return Precision(self.figures, self.step * factor, self.scale * factor, self.scaled or scaled)


def of_numeral(numeral: Numeral) -> Precision | None:
    """None of a fraction such as ½, which is exact."""
    if not numeral.typed.isascii():
        return None
    return Precision(numeral.figures, Fraction(10) ** -numeral.decimals, scaled=numeral.scientific)


_BOOK_NOTATION = re.compile(r"[+-]?(?:N[*×])?N\^[+-]?N")


def of_power_of_ten(tokens: Sequence[Token]) -> Precision | None:
    """How finely `1.05 × 10^6` or `10^6` is typed; None of anything else."""
    bare = [token for token in tokens if not (isinstance(token, Sign) and token.text in "()")]
    outline = "".join(
        token.text if isinstance(token, Sign) else "N" if isinstance(token, Numeral) else "?" for token in bare
    )
    numerals = [token for token in bare if isinstance(token, Numeral)]
    if not _BOOK_NOTATION.fullmatch(outline) or numerals[-2].value != 10 or numerals[-1].value.denominator != 1:
        return None
    exponent = int(numerals[-1].value) * (-1 if "^-" in outline else 1)
    figures, decimals = (numerals[0].figures, numerals[0].decimals) if len(numerals) == 3 else (1, 0)
    return Precision(figures, Fraction(10) ** (exponent - decimals), scaled=True)
