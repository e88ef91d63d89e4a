"""How two texts differ, in the eyes of someone who asks: is this still the same question?"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import OSA, Indel

from cards.language import word_set

_TOKEN = re.compile(r"\\[A-Za-z]+|[^\W\d_]+|\d+(?:[.,]\d+)*|[^\w\s]")
_LIST_MARK = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+", re.MULTILINE)
_ROMAN = re.compile("[ivxlcdm]{2,}")
_MARKUP = frozenset("*_`~\\{}$.,;:?!\"'()[]|…“”‘’«»#")


_LITTLE_WORDS = word_set(
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
_ASKED_FOR = (
    word_set("who whom whose kaun"),
    word_set("when year kab"),
    word_set("where kahan"),
    word_set("why reason purpose kyun kyu"),
    word_set("many much number count kitna kitne kitni"),
)
"""What words that ask may ask for; the others ask for anything."""
_TELLING_WORDS = word_set(
    "no not never none without nor nahi nahin mat bina zero one two three four five six seven eight nine ten first "
    "second third fourth fifth sixth last next previous ek do teen char paanch pehla pehle doosra doosre teesra"
)
_LONGEST_WORD = 200
"""Letters: in a longer one nobody sees a typing slip."""


DELETION = "\x1f"
"""Between the answers of a cloze."""


class Sight(NamedTuple):
    """A card as one run sees it."""

    note: str
    heading: tuple[str, ...]
    block_id: str | None
    is_cloze: bool
    """Cloze cards and others have different note types in Anki, and never become each other."""
    question: str
    answer: str
    text: str
    """Of a cloze the whole text, of others the question: what does not change when a deletion is added."""
    nth: int = 0
    """Which of the equal cards under one heading, counted from 0."""
    retired: bool = False


class Difference(IntEnum):
    """What sets one text apart from another, from nothing to a different thing asked."""

    NONE = 0
    FORM = 1
    """Little words, case, punctuation, markup."""
    SLIP = 2
    """A typing slip, made or mended."""
    WORDING = 3
    """Other words to ask, about the same."""
    LETTER = 4
    """One letter for another in a rare word: a typing slip or, as in "abduction" and "adduction", another word."""
    MORE = 5
    """One says all that the other says, and more."""
    OTHER = 6
    """Words that no other card has were exchanged, or words change places."""
    NUMBER = 7
    """Only numbers differ."""
    FAMILY = 8
    """Words of other cards were exchanged, and so were words that ask: worded anew, or another of a family."""
    TELLING = 9
    """A symbol, a one-letter name, a negation or only words of other cards: what tells apart a family."""


@dataclass(frozen=True, slots=True, order=True)
class Reading:
    """A text as far as it matters here: no markup, no case, no punctuation."""

    tokens: tuple[str, ...]
    """In order."""
    topic: tuple[str, ...]
    """Those that are not little and do not just ask, sorted."""

    @property
    def text(self) -> str:
        return " ".join(self.tokens)


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
            tokens.append(folded if len(token) > 2 or folded in _LITTLE_WORDS else token)
    topic = sorted(token for token in tokens if token not in _LITTLE_WORDS and token not in _ASKING_WORDS)
    return Reading(tuple(tokens), tuple(topic))


def folded(text: str) -> str:
    """`text` in such letters that the folded `text` holds each word of its reading, folded."""
    return unicodedata.normalize("NFC", text).casefold()


def similarity(a: Reading, b: Reading) -> float:
    """From 0 to 1, by characters."""
    return Indel.normalized_similarity(a.text, b.text)


def is_worth_a_look(a: Reading, b: Reading) -> bool:
    """Quick, and true for nearly all that `difference` calls near: half of what they are about is the same."""
    if min(len(a.topic), len(b.topic)) == 0:
        return similarity(a, b) >= 0.5
    return Indel.normalized_similarity(" ".join(a.topic), " ".join(b.topic)) >= 0.5


def difference(a: Reading, b: Reading, cards_with: Callable[[str], int]) -> Difference:
    """How `b` differs from `a`; `cards_with` says in how many cards a word occurs."""
    if a.tokens == b.tokens:
        return Difference.NONE
    before, after = Counter(a.tokens), Counter(b.tokens)
    lost, gained = list((before - after).elements()), list((after - before).elements())
    telling = [word for word in (*lost, *gained) if word not in _LITTLE_WORDS and _is_telling(word)]
    if not all(word[0].isdigit() for word in telling):
        return Difference.TELLING
    slips = _pair_slips(lost, gained, cards_with)
    changed = {word for word in (*lost, *gained) if word not in _LITTLE_WORDS}
    if telling:
        return Difference.NUMBER if changed == set(telling) else Difference.TELLING
    asking = {word for word in changed if _asks(word, cards_with)}
    topic_lost, topic_gained = (changed.intersection(words) - asking for words in (lost, gained))
    if topic_lost and topic_gained:
        if all(cards_with(word) <= 1 for word in topic_lost | topic_gained):
            return Difference.OTHER
        return Difference.FAMILY if asking else Difference.TELLING
    is_letter = any(_is_rare_letter(word, twin, cards_with) for word, twin in slips.items())
    if topic_lost or topic_gained:
        return Difference.TELLING if is_letter else Difference.MORE
    if not changed and _in_order(a, slips) != _in_order(b, {}):
        return Difference.OTHER
    if is_letter:
        return Difference.LETTER
    if changed:
        return Difference.WORDING
    return Difference.SLIP if slips else Difference.FORM


def asks_for_another(a: Reading, b: Reading) -> bool:
    """Whether one asks for a person, say, and the other for a time."""
    before, after = ({at for at, words in enumerate(_ASKED_FOR) if words.intersection(it.tokens)} for it in (a, b))
    return bool(before and after) and before.isdisjoint(after)


def _in_order(reading: Reading, mended: Mapping[str, str]) -> list[str]:
    tokens = (mended.get(token, token) for token in reading.tokens)
    return [token for token in tokens if token not in _LITTLE_WORDS]


def topics(a: Reading, b: Reading, cards_with: Callable[[str], int]) -> tuple[frozenset[str], frozenset[str]]:
    """What each is about, in the spelling of `b` where one has a typing slip."""
    before, after = Counter(a.tokens), Counter(b.tokens)
    slips = _pair_slips(list((before - after).elements()), list((after - before).elements()), cards_with)
    mended = (slips.get(word, word) for word in a.topic if not _asks(word, cards_with))
    return frozenset(mended), frozenset(word for word in b.topic if not _asks(word, cards_with))


def _pair_slips(lost: list[str], gained: list[str], cards_with: Callable[[str], int]) -> dict[str, str]:
    """Take the words that were mistyped or mended out of both lists: for each old spelling the new one."""
    slips: dict[str, str] = {}
    spelled: defaultdict[str, set[int]] = defaultdict(set)
    for at, word in enumerate(gained):
        for spelling in spellings(word):
            spelled[spelling].add(at)
    words, paired = tuple(gained), set[int]()
    for word in tuple(lost):
        for at in sorted({at for spelling in spellings(word) for at in spelled.get(spelling, ())} - paired):
            if _is_slip(word, words[at], cards_with):
                slips[word] = words[at]
                lost.remove(word)
                gained.remove(words[at])
                paired.add(at)
                break
    return slips


@lru_cache(maxsize=1 << 16)
def spellings(word: str) -> frozenset[str]:
    """The word, and what one letter less leaves of it: two words one slip apart share a spelling."""
    if not (3 <= len(word) <= _LONGEST_WORD and word.isalpha()):
        return frozenset([word])
    return frozenset([word, *(word[:at] + word[at + 1 :] for at in range(len(word)))])


def _asks(word: str, cards_with: Callable[[str], int]) -> bool:
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


def _is_slip(word: str, other: str, cards_with: Callable[[str], int]) -> bool:
    """Whether one is the other mistyped; not if other cards have both, as "mitosis" and "meiosis"."""
    if (
        abs(len(word) - len(other)) > 1
        or min(len(word), len(other)) < 3
        or not 4 <= max(len(word), len(other)) <= _LONGEST_WORD
        or not word.isalpha()
        or (word[0] != other[0] and sorted(word) != sorted(other))
        or OSA.distance(word, other, score_cutoff=1) > 1
        or _is_telling(word)
        or _is_telling(other)
    ):
        return False
    few, many = sorted(map(cards_with, (word, other)))
    return few <= 1 + many / 6 or {word, other} == {word + "s", word} or {word, other} == {other + "s", other}


def _is_rare_letter(word: str, other: str, cards_with: Callable[[str], int]) -> bool:
    is_exchange = len(word) == len(other) and sorted(word) != sorted(other)
    return is_exchange and max(map(cards_with, (word, other))) < 8


def _is_telling(word: str) -> bool:
    return len(word) <= 2 or not word.isalpha() or word in _TELLING_WORDS or _ROMAN.fullmatch(word) is not None
