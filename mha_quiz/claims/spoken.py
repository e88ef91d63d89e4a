"""Arithmetic in words: `512 divided by 8 is 64`, `64 ka square root 8 hota hai`."""

import re
from collections.abc import Iterator
from fractions import Fraction

from mha_quiz.claims.chains import Chain
from mha_quiz.claims.passages import Passage
from mha_quiz.claims.terms import Negative, Number, Power, Product, Quotient, Root, Sum, Term

_START = r"(?<![\w.,+*/×·^√$-])(?<![+*/×·^√=-] )(?<!times )(?<!by )(?<!plus )(?<!minus )(?<!over )"
_NUMBER = r"(\d{1,3}(?:,\d{2,3})+|\d{1,12}(?:\.\d{1,9})?)(?![\d.,]?\d|%)"
_UNIT = r"(?: (?!(?:is|are|by|ko|ka|se|divided|multiplied|times|plus|minus|squared)\b)[a-z]{2,12})?"
_IS = r"(?: (?:is|are|equals?|gives?|makes?|yields?)(?: equal to| exactly)?| =)( about| approximately| roughly)? "
_TO = r"(?:,? toh?)?( lagbhag| kareeb)? "
_HAI = r"(?: [a-z]{2,12})?? (?:hota|hoti|hai|hoga|milta|milte|milega|milenge|aata|aayega|banta)\b"
_ALONE = (
    r"(?! ?[+*/×·^%(–-]| (?:times|plus|minus|more|less|fewer|divided|multiplied|over|squared|remainder|rem|percent|bits?|bytes?|[kmgt]i?b|hazaar|"
    r"thousand|million|billion|lakh|crore)\b)"
)
_DONE = r"(?:karo|karne par|karein|karke|do|dene par)"
_FORMS = tuple(
    (sign, re.compile(_START + pattern + _ALONE, re.IGNORECASE))
    for sign, pattern in (
        ("/", rf"{_NUMBER}{_UNIT} divided by {_NUMBER}{_UNIT}{_IS}{_NUMBER}"),
        ("*", rf"{_NUMBER}{_UNIT} (?:times|multiplied by) {_NUMBER}{_UNIT}{_IS}{_NUMBER}"),
        ("+", rf"{_NUMBER}{_UNIT} plus {_NUMBER}{_UNIT}{_IS}{_NUMBER}"),
        ("-", rf"{_NUMBER}{_UNIT} minus {_NUMBER}{_UNIT}{_IS}{_NUMBER}"),
        ("%", rf"(\d{{1,3}}(?:\.\d{{1,4}})?)% of {_NUMBER}{_UNIT}{_IS}{_NUMBER}"),
        ("√", rf"square[- ]root of {_NUMBER}{_IS}{_NUMBER}"),
        ("²", rf"{_NUMBER} squared{_IS}{_NUMBER}"),
        ("√", rf"{_NUMBER} ka (?:square[- ])?root{_TO}{_NUMBER}{_HAI}"),
        ("²", rf"{_NUMBER} ka square{_TO}{_NUMBER}{_HAI}"),
        ("/", rf"{_NUMBER}{_UNIT} ko {_NUMBER}{_UNIT} se (?:divide|bhaag) {_DONE}{_TO}{_NUMBER}{_HAI}"),
        ("*", rf"{_NUMBER}{_UNIT} ko {_NUMBER}{_UNIT} se (?:multiply|guna) {_DONE}{_TO}{_NUMBER}{_HAI}"),
    )
)
_SAYS_SO = re.compile(
    r"\b(?:divided by|multiplied by|times|plus|minus|squared|root|divide|bhaag|multiply|guna|square)\b|% of\b",
    re.IGNORECASE,
)


def spoken(passage: Passage) -> Iterator[Chain]:
    """The equalities that a passage says in words."""
    if not _SAYS_SO.search(passage.text):
        return
    text = passage.text
    for sign, form in _FORMS:
        for match in form.finditer(text):
            *operands, about, said = match.groups()
            sides = (_term(sign, [_number(operand) for operand in operands]), _number(said))
            end = match.end(len(operands) + 2)
            yield Chain(sides, (False, about is not None), match.start(), end, math=True, names=False)


def _number(said: str) -> Number:
    digits = said.replace(",", "")
    decimals = len(digits.partition(".")[2])
    return Number(Fraction(digits), decimals, decimals > 0)


def _term(sign: str, numbers: list[Number]) -> Term:
    match sign, numbers:
        case "/", [top, bottom]:
            return Quotient(top, bottom)
        case "*", [one, other]:
            return Product((one, other), "*")
        case "+", [one, other]:
            return Sum((one, other))
        case "-", [one, other]:
            return Sum((one, Negative(other)))
        case "%", [share, whole]:
            return Quotient(Product((share, whole), "*"), Number(Fraction(100)))
        case "√", [square]:
            return Root(square)
        case _:
            return Power(numbers[0], Number(Fraction(2)))
