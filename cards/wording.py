"""What a text says: its words without markup, case and punctuation, and which of them matter."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rapidfuzz.distance import OSA

from cards.language import word_set

_TOKEN = re.compile(r"\\[A-Za-z]+|[^\W\d_]+|\d+(?:[.,]\d+)*|[^\w\s]")
_LIST_MARK = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+", re.MULTILINE)
_ROMAN = re.compile("[ivxlcdm]{2,}")
_MARKUP = frozenset("*_`~\\{}$.,;:?!\"'()[]|…“”‘’«»#")

LITTLE_WORDS = word_set(
    "a an the is are was were be am of in on at to for and that this these those it its do does did has have had can "
    "could will would should may as by so please then just there if with or but than you your we our i my he his she her they them "
    "hai hain ho hota hoti hote tha thi the ka ki ke ko se ne mein me par pe aur ya toh bhi hi yeh ye woh wo"
)
_ASKING_WORDS = word_set(
    "what which who whom whose when where why how many much explain describe define definition name list state give "
    "count show tell say says said call called mean means meaning function role purpose reason use uses used need needs "
    "needed happen happens happened occur occurs take takes taken place during about work works make makes made come "
    "comes get gets found find know known understand word words own short type kind sort example contain contains "
    "belong belongs important importance necessary main exactly actually year number look looks like "
    "kya kyun kyu kyunki kaise kab kahan kaun kaunsa kitna kitne kitni zaroori zaruri karte karta karti karna kare "
    "karo batao samjhao matlab kaam hone hona wala wale wali"
)
"""Words that ask: where only these change, the question is worded anew but still the same."""
_TELLING_WORDS = word_set(
    "no not never none without nor nahi nahin mat bina zero one two three four five six seven eight nine ten first "
    "second third fourth fifth sixth last next previous ek do teen char paanch pehla pehle doosra doosre teesra"
)
LONGEST_WORD = 200
"""Letters: in a longer one nobody sees a typing slip."""


@dataclass(frozen=True, order=True)
class Reading:
    """A text as far as it matters here: no markup, no case, no punctuation.

    What is made of the tokens is kept, because a long text may be compared with thousands of short ones.
    """

    tokens: tuple[str, ...]
    """In order."""

    @cached_property
    def text(self) -> str:
        return " ".join(self.tokens)

    @cached_property
    def topic(self) -> tuple[str, ...]:
        """Those that are not little and do not just ask, sorted."""
        return tuple(sorted(word for word in self.tokens if word not in LITTLE_WORDS and word not in _ASKING_WORDS))

    @cached_property
    def topic_text(self) -> str:
        return " ".join(self.topic)

    @cached_property
    def about(self) -> frozenset[str]:
        """The words of the topic."""
        return frozenset(self.topic)

    @cached_property
    def plain(self) -> frozenset[str]:
        """The words of the topic that are no symbols, numbers or names of a letter or two."""
        return frozenset(filter(_is_plain, self.topic))

    @cached_property
    def says(self) -> int:
        """How many such words there are."""
        return sum(map(_is_plain, self.topic))

    @cached_property
    def bag(self) -> Mapping[str, int]:
        """How often each token stands there."""
        return Counter(self.tokens)

    @cached_property
    def telling(self) -> Mapping[str, int]:
        """Of the bag, what tells apart a family; no numbers."""
        return {word: self.bag[word] for word in self._big if is_telling(word) and not word[0].isdigit()}

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        return {word: self.bag[word] for word in self._big if word[0].isdigit()}

    @cached_property
    def others(self) -> Mapping[str, int]:
        """Of the bag, what is neither little nor telling."""
        return {word: self.bag[word] for word in self._big if not is_telling(word)}

    @cached_property
    def _big(self) -> tuple[str, ...]:
        return tuple(word for word in self.bag if word not in LITTLE_WORDS)

    @cached_property
    def _hash(self) -> int:
        return hash(self.tokens)

    def __hash__(self) -> int:
        return self._hash


def normal(text: str) -> str:
    """`text` with composed characters and single blanks."""
    return " ".join(unicodedata.normalize("NFC", text).split())


@lru_cache(maxsize=1 << 16)
def read(text: str) -> Reading:
    """What `text` says; kept, because the same texts are compared again and again."""
    tokens = []
    for token in _TOKEN.findall(_LIST_MARK.sub("", unicodedata.normalize("NFC", text))):
        if token not in _MARKUP:
            folded = token.casefold()
            tokens.append(folded if len(token) > 2 or folded in LITTLE_WORDS else token)
    return Reading(tuple(tokens))


@lru_cache(maxsize=1 << 16)
def spellings(word: str) -> frozenset[str]:
    """The word, and what one letter less leaves of it: two words one slip apart share a spelling."""
    if not (3 <= len(word) <= LONGEST_WORD and word.isalpha()):
        return frozenset([word])
    return frozenset([word, *(word[:at] + word[at + 1 :] for at in range(len(word)))])


def asks(word: str, cards_with: Callable[[str], int]) -> bool:
    """Whether this is a word that asks, maybe mistyped."""
    return word in _ASKING_WORDS or (cards_with(word) <= 1 and may_ask(word))


@lru_cache(maxsize=1 << 12)
def may_ask(word: str) -> bool:
    """Whether this is a word that asks, mistyped, if it is rare. No letter for another: "king" is not "kind"."""
    return len(word) >= 4 and any(
        word[0] == other[0]
        and len(other) >= 4
        and (len(word) != len(other) or sorted(word) == sorted(other))
        and OSA.distance(word, other, score_cutoff=1) <= 1
        for other in _ASKING_WORDS
    )


def is_telling(word: str) -> bool:
    return len(word) <= 2 or not word.isalpha() or word in _TELLING_WORDS or _ROMAN.fullmatch(word) is not None


def _is_plain(word: str) -> bool:
    return len(word) > 2 and word.isalpha()
