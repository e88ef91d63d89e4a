"""The arithmetic of a typed answer: a recursive-descent reader over tokens.

sum      = product, with + or - between
product  = signed, with * × / between, or nothing before a name, a function, a root or a bracket
signed   = - or + before signed, else power and perhaps a byte unit
power    = atom, perhaps %, perhaps ^ and signed (to the right, before a minus sign: -2^2 = -4)
atom     = numeral and perhaps a suffix, name, pi, e, function atom, √ atom, ( sum )
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction

from mha_quiz import wording
from mha_quiz.amounts import FUNCTIONS, PI, Amount, E, amount, negative, power, product, quotient, total
from mha_quiz.lexer import NotReadable, Numeral, Sign, Token, Word
from mha_quiz.precision import of_numeral, of_power_of_ten
from mha_quiz.units import (
    COUNT_WORDS,
    byte_factor,
    could_be_bits,
    counts_same,
    factor_text,
    is_byte_unit,
    suffix_factor,
)

MOST_ATOMS = 64
"""Numerals and words of an expression."""
MOST_LEVELS = 60
"""Brackets, signs, powers and functions inside each other."""
_OR = ("or", "ya", "and", "aur", "to", "se")


@dataclass(frozen=True, slots=True)
class Evaluated:
    amount: Amount
    """In what the answer counts."""
    notes: tuple[str, ...]
    """What an echo explains: `M = 10^6`, `log = ln`."""
    named: bool
    """A name was used."""


def evaluate(tokens: Sequence[Token], names: Mapping[str, Fraction], unit: str | None) -> Evaluated:
    """The value of all the tokens; `names` are the numbers a word may stand for. Raises `NotReadable`."""
    reader = _Reader(tokens, names, unit)
    read = reader.whole()
    if read.in_bytes:
        own = Fraction(1, byte_factor(unit or "bytes", unit) or 1)
        read = replace(read, value=read.value * own, precision=read.precision and read.precision.times(own))
    return Evaluated(read, tuple(dict.fromkeys(reader.notes)), reader.named)


class _Reader:
    def __init__(self, tokens: Sequence[Token], names: Mapping[str, Fraction], unit: str | None) -> None:
        if sum(not isinstance(token, Sign) for token in tokens) > MOST_ATOMS:
            raise NotReadable(wording.TOO_MANY)
        self.tokens = tokens
        self.names = names
        self.unit = unit
        self.place = 0
        self.level = 0
        self.after_bare_operand = 0
        """Where the operand of a root or function without brackets ended last."""
        self.notes: list[str] = []
        self.named = False

    def whole(self) -> Amount:
        unit_at_end = self._strip_own_unit()
        read = self._sum()
        if scientific := of_power_of_ten(self.tokens[: self.place]):
            read = replace(read, precision=scientific)
        self._count_words()
        if self.place < len(self.tokens):
            raise self._unexpected()
        if unit_at_end:
            factor = Amount(Fraction(unit_at_end), in_bytes=True)
            read = replace(product(read, factor), precision=read.precision and read.precision.times(factor.value))
        return read

    def _sum(self) -> Amount:
        left = self._product()
        while sign := self._take("+-"):
            right = self._product()
            left = total(left, right if sign.text == "+" else negative(right))
        return left

    def _product(self) -> Amount:
        left = self._signed()
        divided = False
        while True:
            if sign := self._take("*×/"):
                divided = sign.text == "/"
                right = self._signed()
                left = quotient(left, right) if divided else product(left, right)
            elif self._is_factor_next():
                if divided or self.place == self.after_bare_operand:
                    raise NotReadable(wording.UNCLEAR_PRODUCT, self.tokens[self.place].column)
                left = product(left, self._signed())
            else:
                return left

    def _signed(self, *, in_exponent: bool = False) -> Amount:
        if sign := self._take("-+"):
            with self._deeper(sign):
                operand = self._signed(in_exponent=in_exponent)
            return negative(operand) if sign.text == "-" else operand
        operand = self._power(in_exponent)
        return operand if in_exponent else self._in_byte_unit(operand)

    def _power(self, in_exponent: bool) -> Amount:
        base = self._atom(in_exponent)
        if self._take("%"):
            precision = base.precision and base.precision.times(Fraction(1, 100))
            base = replace(product(base, Amount(Fraction(1, 100))), precision=precision)
        if sign := self._take("^"):
            with self._deeper(sign):
                return power(base, self._signed(in_exponent=True))
        return base

    def _atom(self, in_exponent: bool = False) -> Amount:
        if self.place == len(self.tokens):
            raise NotReadable(wording.MISSING_END)
        token = self.tokens[self.place]
        self.place += 1
        match token:
            case Numeral():
                read = replace(amount(token.value), precision=of_numeral(token))
                return read if in_exponent else self._with_suffix(read)
            case Word(text) if text in self.names:
                self.named = True
                return amount(self.names[text])
            case Word(text) if text.casefold() in FUNCTIONS:
                return self._function(text.casefold(), token)
            case Word("e"):
                return E
            case Word(text) if text.casefold() == "pi":
                return PI
            case Sign("√"):
                return self._function("sqrt", token)
            case Sign("("):
                return self._bracket(token)
        self.place -= 1
        raise self._unexpected()

    def _bracket(self, opening: Token) -> Amount:
        with self._deeper(opening):
            inner = self._sum()
        if self._take(")"):
            return inner
        if self.place == len(self.tokens):
            raise NotReadable(wording.MISSING_BRACKET)
        raise self._unexpected()

    def _function(self, name: str, token: Token) -> Amount:
        bare = not (self.place < len(self.tokens) and self._is_sign("("))
        with self._deeper(token):
            operand = self._atom()
        if bare:
            self.after_bare_operand = self.place
        if operand.in_bytes:
            raise NotReadable(wording.MIXED_UNITS, token.column)
        if name == "log":
            self.notes.append("log = ln")
        return FUNCTIONS[name](operand)

    def _with_suffix(self, read: Amount) -> Amount:
        word = self._next_word()
        factor = suffix_factor(word)
        if factor is None or (word == "B" and is_byte_unit(self.unit)):
            return read
        self._refuse_name(word, factor_text(factor))
        self.place += 1
        self.notes.append(f"{word} = {factor_text(factor)}")
        return _scaled(read, factor, in_bytes=False)

    def _in_byte_unit(self, read: Amount) -> Amount:
        word = self._next_word()
        if could_be_bits(word) and word not in self.names:
            raise NotReadable(wording.bits_or_bytes(word), self.tokens[self.place].column)
        factor = byte_factor(word, self.unit)
        follows_numeral = isinstance(self.tokens[self.place - 1], Numeral)
        if factor is None or (word in self.names and not follows_numeral):
            return read
        if self.unit is not None and not is_byte_unit(self.unit):
            raise NotReadable(wording.other_unit(self.unit, word), self.tokens[self.place].column)
        self._refuse_name(word, "bytes")
        self.place += 1
        if factor > 1:
            self.notes.append(f"{word} = {factor_text(factor)}")
        return _scaled(read, factor, in_bytes=True)

    def _refuse_name(self, word: str, meaning: str) -> None:
        if word in self.names:
            raise NotReadable(wording.name_or_suffix(word, meaning), self.tokens[self.place].column)

    def _strip_own_unit(self) -> int | None:
        """Drop the unit the question asks for at the end, if no other part has a unit: `2^20 + 8 bytes`.

        A lone `4096 B` counts bytes even where the question has a B. Gives the unit's bytes.
        """
        own = byte_factor(self.unit or "bytes", self.unit)
        factors = [byte_factor(token.text, self.unit) for token in self.tokens if isinstance(token, Word)]
        match self.tokens:
            case [*before, Word(text)] if (
                own
                and before
                and factors[-1] == own
                and not any(factors[:-1])
                and (text not in self.names or len(before) == 1)
                and not could_be_bits(text)
            ):
                self.tokens = before
                return own
        return None

    def _count_words(self) -> None:
        rest = self.tokens[self.place :]
        words = [token.text for token in rest if isinstance(token, Word)]
        if len(words) < len(rest):
            return
        said = " ".join(words)
        if counts_same(said, self.unit):
            self.place = len(self.tokens)
        elif self.unit is not None and said.casefold() in COUNT_WORDS:
            raise NotReadable(wording.other_unit(self.unit, said), rest[0].column)

    def _is_factor_next(self) -> bool:
        word = self._next_word()
        if word:
            return word in self.names or word.casefold() in (*FUNCTIONS, "pi") or word == "e"
        return self._is_sign("(√")

    def _next_word(self) -> str:
        token = self.tokens[self.place] if self.place < len(self.tokens) else None
        return token.text if isinstance(token, Word) else ""

    def _is_sign(self, signs: str) -> bool:
        token = self.tokens[self.place] if self.place < len(self.tokens) else None
        return isinstance(token, Sign) and token.text in signs

    def _take(self, signs: str) -> Sign | None:
        token = self.tokens[self.place] if self.place < len(self.tokens) else None
        if isinstance(token, Sign) and token.text in signs:
            self.place += 1
            return token
        return None

    @contextmanager
    def _deeper(self, token: Token) -> Iterator[None]:
        self.level += 1
        if self.level > MOST_LEVELS:
            raise NotReadable(wording.TOO_DEEP, token.column)
        yield
        self.level -= 1

    def _unexpected(self) -> NotReadable:
        token = self.tokens[self.place]
        previous = self.tokens[self.place - 1] if self.place else None
        match token:
            case Word(text) if text.casefold() in _OR:
                return NotReadable(wording.TWO_ANSWERS, token.column)
            case Word(text) if text.casefold() in COUNT_WORDS:
                return NotReadable(wording.not_understood(text), token.column)
            case Word(text):
                return NotReadable(wording.unknown_name(text, self.names), token.column)
            case Numeral(typed=text):
                two = isinstance(previous, Numeral) or (isinstance(previous, Sign) and previous.text == ",")
                return NotReadable(wording.TWO_ANSWERS if two else wording.not_understood(text), token.column)
            case Sign(","):
                two = previous is not None and self.place + 1 < len(self.tokens)
                return NotReadable(wording.TWO_ANSWERS if two else wording.not_understood(","), token.column)
            case Sign(text):
                return NotReadable(wording.not_understood(text), token.column)


def _scaled(read: Amount, factor: int, *, in_bytes: bool) -> Amount:
    precision = read.precision and read.precision.times(Fraction(factor), scaled=True)
    return replace(product(read, Amount(Fraction(factor), in_bytes=in_bytes)), precision=precision)
