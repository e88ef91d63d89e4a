"""How two texts differ, in the eyes of someone who asks: is this still the same question?"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from rapidfuzz.distance import OSA, Indel

_TOKEN = re.compile(r"\\[A-Za-z]+|[^\W\d_]+|\d+(?:[.,]\d+)*|[^\w\s]")
_LIST_MARK = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+", re.MULTILINE)
_MARKUP = frozenset("*_`~\\{}$.,;:?!\"'()[]|…“”‘’«»#")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FUNCTION_WORDS = _words(
    "a an the is are was were be am of in on at to for and that this these those it its do does did has have had can "
    "could will would should may as by so please what which "
    "hai hain ho hota hoti hote tha thi the ka ki ke ko se ne mein me par pe aur ya toh bhi hi yeh ye woh wo kya"
)
_TELLING_WORDS = _words(
    "no not never none without nor nahi nahin mat bina zero one two three four five six seven eight nine ten first "
    "second third fourth fifth sixth last next previous ek do teen char paanch pehla pehle doosra doosre teesra"
)


@dataclass(frozen=True, slots=True)
class Sight:
    """A card as one run sees it."""

    note: str
    heading: tuple[str, ...]
    block_id: str | None
    is_cloze: bool
    """Cloze cards and others have different note types in Anki, and never become each other."""
    question: str
    answer: str
    retired: bool = False


class Difference(IntEnum):
    """What sets one text apart from another, from nothing to a different thing asked."""

    NONE = 0
    SLIP = 1
    """Typing slips, little words, case, punctuation, markup."""
    MORE = 2
    """One says all that the other says, and more."""
    OTHER = 3
    """Words were exchanged or change places."""
    TELLING = 4
    """A number, a symbol, a one-letter name or a negation differs: what tells apart the cards of a family."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as far as it matters here."""

    words: tuple[str, ...]
    """All but little words and markup, in order."""
    text: str
    """All but markup, joined by blanks."""


def normal(text: str) -> str:
    """`text` with composed characters and single blanks."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def read(text: str) -> Reading:
    tokens = []
    for token in _TOKEN.findall(_LIST_MARK.sub("", unicodedata.normalize("NFC", text))):
        if token in _MARKUP:
            continue
        folded = token.casefold()
        tokens.append(folded if len(token) > 2 or folded in _FUNCTION_WORDS else token)
    return Reading(tuple(token for token in tokens if token not in _FUNCTION_WORDS), " ".join(tokens))


def similarity(a: Reading, b: Reading) -> float:
    """From 0 to 1, by characters."""
    return Indel.normalized_similarity(a.text, b.text)


def difference(a: Reading, b: Reading, known: Callable[[str], bool]) -> Difference:
    """How `b` differs from `a`; `known` tells whether other cards have a word too, so that it is no slip."""
    if a.text == b.text:
        return Difference.NONE
    lost, gained = list(a.words), []
    for word in b.words:
        if word in lost:
            lost.remove(word)
        else:
            gained.append(word)
    for word in tuple(lost):
        twin = next((other for other in gained if _is_slip(word, other, known)), None)
        if twin is not None:
            lost.remove(word)
            gained.remove(twin)
    if any(map(_is_telling, lost + gained)):
        return Difference.TELLING
    if lost and gained:
        return Difference.OTHER
    if lost or gained:
        return Difference.MORE
    return Difference.SLIP if _in_order(a.words, b.words) else Difference.OTHER


def _is_slip(word: str, other: str, known: Callable[[str], bool]) -> bool:
    return (
        min(len(word), len(other)) >= 4
        and word[0] == other[0]
        and word.isalpha()
        and OSA.distance(word, other, score_cutoff=1) == 1
        and not (known(word) and known(other))
    )


def _is_telling(word: str) -> bool:
    return len(word) <= 2 or not word.isalpha() or word in _TELLING_WORDS


def _in_order(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Whether texts of the same words, slips aside, have them in the same order."""
    return len(a) == len(b) and all(
        word == other or (word not in b and other not in a) for word, other in zip(a, b, strict=True)
    )
