"""What tells questions apart that are alike in all else: opposites, numbers, acronyms, code, symbols, `Type I`."""

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from cards import formulas
from cards.asking import AUXILIARY, QUESTION_WORDS
from cards.language import FUNCTION_WORDS
from cards.stated import stated

_LONGEST_SYMBOL = 6
"""Characters of a formula that can only be another one, and not the same with something lost; without commands."""

_OPPOSITES = """
first pehla pehli | second doosra doosri dusra dusri | third teesra teesri | fourth chautha chauthi | last aakhiri akhri
left baayan baayin | right daayan daayin
inner inside andar | outer outside bahar
above over upar | below under neeche
before pehle pahle | after baad
increases increase badhta badhti badhte | decreases decrease ghatta ghatti ghatte
minimum min | maximum max
query queries | key keys | value values
encoder encoders | decoder decoders
self | cross
row rows | column columns
input inputs | output outputs
mean | median | variance
source | target
training | test | validation
forward | backward
pre | post
upper | lower
positive | negative
even | odd
global | local
static | dynamic
serial | parallel
horizontal | vertical
sender | receiver
client | server
parent | child
north | south | east | west
"""
"""One family a line; the words of one member mean the same in either language, or nearly."""
_MEMBERS = {
    word: (family, member)
    for family, line in enumerate(_OPPOSITES.strip().split("\n"))
    for member, words in enumerate(line.split("|"))
    for word in words.split()
}
_NUMBER = re.compile(r"\d+(?:[.,/]\d+)*")
_NUMBER_WORD = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|do|teen|char|chaar|paanch|panch|chhe|saat|aath|nau|das|"
    r"dono|teeno|both|double|twice|half|aadha)\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[^\W_]+")
_CODE = re.compile(r"(`+)([^`\n]+)\1")
_LABELLED = re.compile(r"\b([A-Za-z]{3,})[ -]([IVX]+|[A-Z])\b")
"""`Type I`, `vitamin K`."""
NO_NAMES = FUNCTION_WORDS | QUESTION_WORDS | AUXILIARY


class Asked(NamedTuple):
    """What a question has that a translation keeps."""

    numbers: frozenset[str]
    has_number_words: bool
    names: frozenset[str]
    """Acronyms and names such as `LayerNorm`, words with a digit, code, symbols, and labelled letters."""
    opposites: Mapping[int, frozenset[int]]
    """The members of each family of opposites."""


class Side(NamedTuple):
    """The text of a question or an answer, taken apart."""

    text: str
    formulas: frozenset[str]
    bare: str
    """Without the formulas."""

    @classmethod
    def of(cls, text: str) -> "Side":
        if "$" not in text:
            return cls(text, frozenset(), text)
        bare = "\n".join(map(formulas.outside, text.split("\n")))
        return cls(text, frozenset(formula.tex for formula in stated(text)), bare)


def asked(question: Side) -> Asked:
    opposites: defaultdict[int, set[int]] = defaultdict(set)
    for token in _TOKEN.findall(question.text.casefold()):
        if token in _MEMBERS:
            family, member = _MEMBERS[token]
            opposites[family].add(member)
    return Asked(
        numbers(question.text),
        _NUMBER_WORD.search(question.text) is not None,
        names(question),
        {family: frozenset(members) for family, members in opposites.items()},
    )


def numbers(text: str) -> frozenset[str]:
    """As they are written, without the commas of thousands."""
    return frozenset(number.replace(",", "") for number in _NUMBER.findall(text))


def names(side: Side) -> frozenset[str]:
    """What is written alike in both languages."""
    found = {tex for tex in side.formulas if len(tex) <= _LONGEST_SYMBOL and "\\" not in tex}
    bare = side.bare
    if "`" in bare:
        found |= {"".join(code.split()) for _, code in _CODE.findall(bare)}
        bare = _CODE.sub(" ", bare)
    found |= {token.casefold() for token in _TOKEN.findall(bare) if _is_name(token)} - NO_NAMES
    for word, letter in _LABELLED.findall(bare):
        if word.casefold() not in NO_NAMES:
            found.add(f"{word} {letter}".casefold())
    return frozenset(found)


def _is_name(token: str) -> bool:
    """Whether it has a capital behind its first letter, or letters and digits."""
    if token.isalpha():
        return not token[1:].islower() and any(map(str.isupper, token[1:]))
    return not token.isdigit()


def differ(one: Asked, other: Asked, said: tuple[frozenset[str], frozenset[str]]) -> bool:
    """Whether two questions cannot be the same one, with the names on all of each card, `said`."""
    if one.names - said[1] and other.names - said[0]:
        return True
    if one.numbers - other.numbers and other.numbers - one.numbers:
        return True
    for mine, yours in ((one, other), (other, one)):
        if mine.numbers and not (yours.numbers or yours.has_number_words or mine.numbers <= {"0", "1"}):
            return True
    shared = one.opposites.keys() & other.opposites.keys()
    return any(one.opposites[family].isdisjoint(other.opposites[family]) for family in shared)
