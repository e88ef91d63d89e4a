"""Arithmetic read from tokens: a recursive-descent reader that refuses whatever has no single meaning."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from mha_quiz.claims.tokens import Token, number_word, unit_factor


@dataclass(frozen=True, slots=True)
class Number:
    value: Fraction
    decimals: int = 0
    rounded: bool = False
    factor: int = 1
    """Of its unit: 2^30 for GiB; already in the value."""
    unit: bool = False
    percent: bool = False


@dataclass(frozen=True, slots=True)
class Name:
    text: str
    """With its scripts: `W_i^Q`."""


@dataclass(frozen=True, slots=True)
class Sum:
    terms: "tuple[Term, ...]"


@dataclass(frozen=True, slots=True)
class Negative:
    term: "Term"


@dataclass(frozen=True, slots=True)
class Product:
    factors: "tuple[Term, ...]"
    signs: str
    """Between the factors: `×`, `*`, `@`, `.` for nothing."""


@dataclass(frozen=True, slots=True)
class Quotient:
    top: "Term"
    bottom: "Term"
    floor: bool = False


@dataclass(frozen=True, slots=True)
class Power:
    base: "Term"
    exponent: "Term"


@dataclass(frozen=True, slots=True)
class Root:
    radicand: "Term"


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    arguments: "tuple[Term, ...]"


@dataclass(frozen=True, slots=True)
class Vector:
    items: "tuple[Term, ...]"
    square: bool
    """In square brackets."""
    elided: bool = False
    """With `…` among the items."""


@dataclass(frozen=True, slots=True)
class Group:
    """A single term in brackets."""

    term: "Term"


@dataclass(frozen=True, slots=True)
class Repeated:
    """`64 + 64 + … + 64`."""

    term: "Term"
    shown: int
    """How often it is written."""


Term = Number | Name | Sum | Negative | Product | Quotient | Power | Root | Call | Vector | Group | Repeated

MOST_TOKENS = 300
MOST_LEVELS = 30
QUANTITIES = frozenset(
    [
        "d_model",
        "d_k",
        "d_v",
        "d_q",
        "d_h",
        "d_head",
        "d_ff",
        "d",
        "n",
        "h",
        "m",
        "g",
        "L",
        "B",
        "N",
        "T",
        "H",
        "d_K",
        "d_V",
        "n_heads",
        "n_h",
        "n_layers",
        "n_kv",
        "h_kv",
        "n_kv_heads",
        "num_heads",
        "d_q",
        "seq_len",
        "batch_size",
    ]
)
"""Names whose meaning in notes on attention is settled."""
_FUNCTIONS = frozenset(("softmax", "exp", "ln", "log", "log2", "log10", "sqrt", "O", "Theta", "max", "min"))


class Unreadable(Exception):
    """The tokens have no single meaning; caught where they were asked for."""


def term(tokens: Sequence[Token]) -> Term:
    """The one term that all the tokens make. Raises `Unreadable`."""
    if not tokens or len(tokens) > MOST_TOKENS:
        raise Unreadable
    if len(tokens) == 1 and (only := tokens[0]).sort == "number":  # half of all sides
        return Number(only.value, only.decimals, only.rounded)
    reader = _Reader(tokens)
    read = reader.sum()
    if reader.at < len(tokens):
        raise Unreadable
    return read


def bare(read: Term) -> Term:
    """Without brackets around it."""
    while isinstance(read, Group):
        read = read.term
    return read


def _progression(terms: Sequence[Term], dots: int) -> Term:
    """The sum of `1 + 2 + … + 8` or `1 + 2 + 4 + … + 64`, of which `dots` terms stand before the dots, in few numbers."""
    numbers = [each.value for each in terms if isinstance(each, Number) and each.value.denominator == 1]
    if len(numbers) < len(terms) or dots != len(terms) - 1 or dots < 2 or numbers[0] <= 0:
        raise Unreadable
    (first, second, *_), last = numbers[:dots], numbers[-1]
    step = second - first
    if (
        step > 0
        and last > numbers[dots - 1]
        and all(each == first + at * step for at, each in enumerate(numbers[:dots]))
    ):
        count = (last - first) / step + 1
        doubles = dots == 2 and last > 2 * second * second and _is_power(last / first, second / first)
        if count.denominator == 1 and not doubles:
            return Quotient(Product((Number(count), Number(first + last)), "*"), Number(Fraction(2)))
    ratio = second / first
    grows = ratio > 1 and all(later == each * ratio for each, later in pairwise(numbers[:dots]))
    if dots > 2 and grows and _is_power(last / first, ratio):
        return Quotient(Sum((Number(last * ratio), Negative(Number(first)))), Number(ratio - 1))
    raise Unreadable


def _is_power(value: Fraction, base: Fraction) -> bool:
    if base.denominator != 1 or base < 2:
        return False
    while value > 1:
        value /= base
    return value == 1


class _Reader:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.signs = (*(token.text if token.sort == "sign" else "" for token in tokens), "")
        self.at = 0
        self.level = 0

    def _peek(self) -> Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def _is(self, *texts: str) -> bool:
        return self.signs[self.at] in texts

    def _take(self, *texts: str) -> str | None:
        sign = self.signs[self.at]
        if sign not in texts:
            return None
        self.at += 1
        return sign

    def _need(self, text: str) -> None:
        if self._take(text) is None:
            raise Unreadable

    def sum(self) -> Term:
        self.level += 1
        if self.level > MOST_LEVELS:
            raise Unreadable
        terms, dots = [self._product()], 0
        while sign := self._take("+", "-"):
            if sign == "+" and not dots and self._take("…"):
                dots = len(terms)
                continue
            read = self._product()
            terms.append(read if sign == "+" else Negative(read))
        self.level -= 1
        if dots:
            if len(terms) < 2:
                raise Unreadable
            if any(each != terms[0] for each in terms):
                return _progression(terms, dots)
            return Repeated(terms[0], len(terms))
        return terms[0] if len(terms) == 1 else Sum(tuple(terms))

    def _product(self) -> Term:
        factors, signs = [self._signed()], ""
        divided = False
        while True:
            if sign := self._take("*", "×", "@"):
                factors.append(self._signed())
                signs += sign
            elif sign := self._take("/", "//"):
                top = factors[0] if len(factors) == 1 else Product(tuple(factors), signs)
                factors, signs = [Quotient(top, self._signed(), floor=sign == "//")], ""
                divided = True
                continue
            elif self._starts_factor():
                if divided:  # 1/2d could be either
                    raise Unreadable
                factors.append(self._power())
                signs += "."
            else:
                break
            divided = False
        return factors[0] if len(factors) == 1 else Product(tuple(factors), signs)

    def _starts_factor(self) -> bool:
        """Whether a factor without a sign follows; outside formulas it must touch the one before."""
        token, before = self._peek(), self.tokens[self.at - 1]
        if token is None or (not token.math and token.start > before.end):
            return False
        if token.sort == "number":
            return before.sort != "number" and token.math
        return token.sort == "name" or (token.sort == "sign" and token.text in ("(", "[", "frac", "sqrt"))

    def _signed(self) -> Term:
        if self._take("-"):
            return Negative(self._power())
        self._take("+")
        return self._power()

    def _power(self) -> Term:
        base = self._atom()
        if self._take("!"):
            base = Call("!", (base,))
        if self._take("%"):
            if not isinstance(base, Number):
                raise Unreadable
            base = Number(base.value / 100, base.decimals + 2, rounded=True, percent=True)
        if self._take("^"):
            self.level += 1
            if self.level > MOST_LEVELS:
                raise Unreadable
            base = Power(base, self._script())
            self.level -= 1
        return base

    def _script(self) -> Term:
        if self._take("{"):
            inner = self.sum()
            self._need("}")
            return inner
        token = self._peek()
        if token is not None and token.math and token.sort == "number" and len(token.text) > 1:
            raise Unreadable  # x^12 is x^1 · 2
        return self._signed()

    def _atom(self) -> Term:
        token = self._peek()
        if token is None:
            raise Unreadable
        self.at += 1
        match token.sort:
            case "number":
                return self._number(token)
            case "name":
                return self._name(token)
            case "sign":
                return self._structure(token)
        raise Unreadable

    def _number(self, token: Token) -> Number:
        value, decimals, rounded, factor, unit = token.value, token.decimals, token.rounded, 1, False
        following = self._peek()
        if following is not None and (times := number_word(following)):
            self.at += 1
            value, decimals, rounded = value * times, decimals - len(str(times)) + 1, True
            following = self._peek()
        if following is not None and following.sort == "unit":
            self.at += 1
            factor, unit = unit_factor(following), True
            value *= factor
        return Number(value, decimals, rounded, factor, unit)

    def _structure(self, token: Token) -> Term:
        match token.text:
            case "(" | "[" as opening:
                return self._bracket("]" if opening == "[" else ")")
            case "{":
                inner = self.sum()
                self._need("}")
                return Group(inner)
            case "frac":
                return Quotient(self._argument(), self._argument())
            case "sqrt":
                if self._is("["):
                    raise Unreadable
                return Root(self._argument() if token.math else self._atom())
        raise Unreadable

    def _argument(self) -> Term:
        if self._take("{"):
            inner = self.sum()
            self._need("}")
            return inner
        token = self._peek()
        if token is None or (token.sort == "number" and len(token.text) > 1):
            raise Unreadable
        return self._atom()

    def _bracket(self, closing: str) -> Term:
        items: list[Term] = []
        elided = False
        while True:
            if self._take("…"):
                elided = True
            else:
                items += self._item(closing)
            if self._take(closing):
                break
            self._need(",")
        if len(items) == 1 and not elided:
            return Group(items[0])
        return Vector(tuple(items), closing == "]", elided)

    def _item(self, closing: str) -> list[Term]:
        """One item; `10,512` alone between brackets and commas is two."""
        token = self._peek()
        following = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else None
        if (
            token is not None
            and token.sort == "number"
            and not token.grouped
            and self.signs[self.at + 1] in (",", closing)
        ):
            self.at += 1
            return [Number(token.value, token.decimals, token.rounded)]  # most items
        if token is not None and token.grouped and following is not None and following.text in (",", closing):
            if not self._alone(closing):
                raise Unreadable
            self.at += 1
            return [Number(Fraction(part)) for part in token.text.split(",")]
        return [self.sum()]

    def _alone(self, closing: str) -> bool:
        before = self.tokens[self.at - 1]
        return before.text in ("[", "(", ",")

    def _name(self, token: Token) -> Term:
        text = token.text
        below = above = ""
        while (self._is("_", "'")) or (self._is("^") and not above and self._is_label(text)):
            sign = self._take("_", "'", "^")
            if sign == "_":
                if below:
                    raise Unreadable
                below = self._label()
            elif sign == "^":
                above = self._label()
            else:
                text += "'"
        name = text + (f"_{below}" if below else "") + (f"^{above}" if above else "")
        name = {"log_2": "log2", "log_10": "log10"}.get(name, name)
        if self._is("(") and (name in _FUNCTIONS or (len(text) > 2 and "_" not in text)):
            opened = self._peek()
            if opened is not None and (opened.math or opened.start == self.tokens[self.at - 1].end):
                return self._call(name)
        if name in ("softmax", "exp", "ln", "log", "log2", "log10", "sqrt") and self._peek() is not None:
            return Call(name, (self._power(),))
        return Name(name)

    def _call(self, name: str) -> Term:
        self.at += 1
        match self._bracket(")"):
            case Vector(items, _, elided):
                return Call(name, (*items, Name("…")) if elided else items)
            case Group(inner):
                return Root(inner) if name == "sqrt" else Call(name, (inner,))
            case other:
                return Call(name, (other,))

    def _is_label(self, base: str) -> bool:
        """Whether the raised text names something, as in W^Q or K^T, and is no exponent."""
        inside = self._group_behind()
        if not inside or any(token.sort == "number" for token in inside):
            return False
        if all(token.text in ("T", "'", "*") for token in inside):
            return True
        return base[:1].isupper() and all(token.sort == "name" or token.text == "," for token in inside)

    def _group_behind(self) -> Sequence[Token]:
        """The tokens of the script behind the sign that comes next."""
        at = self.at + 1
        if at >= len(self.tokens):
            return ()
        if self.tokens[at].text != "{":
            return self.tokens[at : at + 1]
        end = at
        while end < len(self.tokens) and self.tokens[end].text != "}":
            end += 1
        return self.tokens[at + 1 : end]

    def _label(self) -> str:
        if not self._take("{"):
            token = self._peek()
            if token is None or token.sort not in ("name", "number", "sign"):
                raise Unreadable
            self.at += 1
            return token.text
        parts = []
        while not self._take("}"):
            token = self._peek()
            if token is None or token.text == "{":
                raise Unreadable
            parts.append(token.text)
            self.at += 1
        return "".join(parts)
