"""Lists of numbers in prose, such as `2, 1 and 0.5`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mha_quiz.claims.terms import Name, Negative, Number, Term
from mha_quiz.claims.tokens import Token

LONGEST_LIST = 64


@dataclass(frozen=True, slots=True)
class Listed:
    items: tuple[Term, ...]
    start: int
    end: int

    @property
    def numbers(self) -> tuple[Number, ...]:
        return tuple(item for item in self.items if isinstance(item, Number))

    @property
    def could_be_weights(self) -> bool:
        return len(self.numbers) == len(self.items) and all(0 <= each.value <= 1 for each in self.numbers)


def lists(tokens: Sequence[Token]) -> Iterator[Listed]:
    """Runs of two or more numbers with commas or `and` between them."""
    if sum(map(_is_item, tokens)) < 2:
        return
    items: list[Term] = []
    start = end = 0
    negative = comma = False
    before: Token | None = None
    for token in (*tokens, None):
        if token is not None and token.sort == "border":
            continue
        if token is not None and _is_item(token) and (not items or comma):
            if not items:
                start = token.start
                if before is not None and _is_operator(before) and not negative:
                    before = token
                    continue
            item = Name("∞") if token.text == "∞" else Number(token.value, token.decimals, token.rounded)
            items.append(Negative(item) if negative else item)
            end, comma, negative = token.end, False, False
        elif token is not None and items and _is_separator(token):
            comma = True
        elif token is not None and token.text == "-" and (not items or comma):
            negative = True
            if not items:
                start = token.start
        else:
            ends_in_arithmetic = token is not None and (_is_operator(token) or token.sort == "unit")
            if 2 <= len(items) <= LONGEST_LIST and not ends_in_arithmetic:
                yield Listed(_plain(items), start, end)
            items, negative, comma = [], False, False
        before = token


def _plain(items: Sequence[Term]) -> tuple[Term, ...]:
    return tuple(
        Number(-item.term.value, item.term.decimals, item.term.rounded)
        if isinstance(item, Negative) and isinstance(item.term, Number)
        else item
        for item in items
    )


def _is_item(token: Token) -> bool:
    return token.sort == "number" or (token.sort == "name" and token.text == "∞")


def _is_separator(token: Token) -> bool:
    return token.text == "," or (token.sort == "word" and token.text.lower() in ("and", "aur", "or", "ya"))


def _is_operator(token: Token) -> bool:
    return token.sort == "sign" and token.text in ("+", "-", "*", "×", "/", "^", "%", "_", "frac", "sqrt", "{", "}")
