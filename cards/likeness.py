"""How two texts differ, in the eyes of someone who asks: is this still the same question?"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import IntEnum
from functools import lru_cache, partial
from types import MappingProxyType
from typing import NamedTuple

from rapidfuzz.distance import OSA, Indel

from cards.language import word_set
from cards.wording import LITTLE_WORDS, LONGEST_WORD, Reading, asks, is_telling, spellings

_ASKED_FOR = (
    word_set("who whom whose kaun"),
    word_set("when year kab"),
    word_set("where kahan"),
    word_set("why reason purpose kyun kyu"),
    word_set("many much number count kitna kitne kitni"),
)
"""What words that ask may ask for; the others ask for anything."""
_NONE: Mapping[str, int] = MappingProxyType({})
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


def similarity(a: Reading, b: Reading) -> float:
    """From 0 to 1, by characters."""
    return Indel.normalized_similarity(a.text, b.text)


def is_worth_a_look(a: Reading, b: Reading) -> bool:
    """Quick, and true for nearly all that `difference` calls near: half of what they are about is the same."""
    if min(len(a.topic), len(b.topic)) == 0:
        return similarity(a, b) >= 0.5
    return Indel.normalized_similarity(a.topic_text, b.topic_text, score_cutoff=0.5) >= 0.5


def difference(a: Reading, b: Reading, cards_with: Callable[[str], int]) -> Difference:
    """How `b` differs from `a`; `cards_with` says in how many cards a word occurs."""
    if a.tokens == b.tokens:
        return Difference.NONE
    if any(_more(a.telling, b)) or any(_more(b.telling, a)):
        return Difference.TELLING
    slips = _slips(a, b, cards_with)
    lost = partial(_more, a.others, b, Counter(old for old, _ in slips))
    gained = partial(_more, b.others, a, Counter(new for _, new in slips))
    is_changed = any(lost()) or any(gained())
    if any(_more(a.numbers, b)) or any(_more(b.numbers, a)):
        return Difference.TELLING if is_changed else Difference.NUMBER
    has_lost, has_gained = (any(not asks(word, cards_with) for word in words()) for words in (lost, gained))
    if has_lost and has_gained:
        return Difference.TELLING if _is_far_longer(a, b) else _exchanged({*lost(), *gained()}, cards_with)
    is_letter = any(_is_rare_letter(word, twin, cards_with) for word, twin in slips)
    if has_lost or has_gained:
        return Difference.TELLING if is_letter else Difference.MORE
    if not is_changed and _in_order(a, dict(slips)) != _in_order(b, {}):
        return Difference.OTHER
    if is_letter:
        return Difference.LETTER
    if is_changed:
        return Difference.WORDING
    return Difference.SLIP if slips else Difference.FORM


def says_all(a: Reading, b: Reading) -> bool:
    """Whether `a` has each word of `b` as often."""
    return not any(_more(b.bag, a))


def _more(words: Mapping[str, int], other: Reading, but: Mapping[str, int] = _NONE) -> Iterator[str]:
    """Those of the words that stand there more often than in `other`: of very many, the first is found at once."""
    return (word for word, times in words.items() if times - but.get(word, 0) > other.bag.get(word, 0))


def _is_far_longer(a: Reading, b: Reading) -> bool:
    """Whether one has so many more words that it is no matter which of them other cards have."""
    few, many = sorted((len(a.others), len(b.others)))
    return many > 4 * few + 100


def _exchanged(words: AbstractSet[str], cards_with: Callable[[str], int]) -> Difference:
    """How two texts differ where each has some of these words alone."""
    asking = {word for word in words if asks(word, cards_with)}
    if all(cards_with(word) <= 1 for word in words - asking):
        return Difference.OTHER
    return Difference.FAMILY if asking else Difference.TELLING


def asks_for_another(a: Reading, b: Reading) -> bool:
    """Whether one asks for a person, say, and the other for a time."""
    before, after = ({at for at, words in enumerate(_ASKED_FOR) if words.intersection(it.tokens)} for it in (a, b))
    return bool(before and after) and before.isdisjoint(after)


def _in_order(reading: Reading, mended: Mapping[str, str]) -> list[str]:
    tokens = (mended.get(token, token) for token in reading.tokens)
    return [token for token in tokens if token not in LITTLE_WORDS]


def topics(a: Reading, b: Reading, cards_with: Callable[[str], int]) -> tuple[frozenset[str], frozenset[str]]:
    """What each is about, in the spelling of `b` where one has a typing slip."""
    slips = dict(_slips(a, b, cards_with))
    mended = (slips.get(word, word) for word in a.topic if not asks(word, cards_with))
    return frozenset(mended), frozenset(word for word in b.topic if not asks(word, cards_with))


def _slips(a: Reading, b: Reading, cards_with: Callable[[str], int]) -> list[tuple[str, str]]:
    """The words of `a` that were mistyped or mended in `b`, in their order, each with its new spelling."""
    is_longer = len(a.bag) > len(b.bag)
    few, many = (b, a) if is_longer else (a, b)
    spelled = _spelled(many)
    near = {
        (twin, word) if is_longer else (word, twin)
        for word in _more(few.bag, many)
        for spelling in spellings(word)
        for twin in spelled.get(spelling, ())
    }
    left = (
        {old: a.bag[old] - b.bag.get(old, 0) for old, _ in near},
        {new: b.bag[new] - a.bag.get(new, 0) for _, new in near},
    )
    slips = []
    for old, new in sorted(near, key=lambda pair: (a.tokens.index(pair[0]), b.tokens.index(pair[1]))):
        times = min(left[0][old], left[1][new])
        if times > 0 and _is_slip(old, new, cards_with):
            slips += [(old, new)] * times
            left[0][old] -= times
            left[1][new] -= times
    return slips


@lru_cache(maxsize=1 << 8)
def _spelled(reading: Reading) -> Mapping[str, Sequence[str]]:
    """For each spelling the words of the text one slip apart from it."""
    spelled: defaultdict[str, list[str]] = defaultdict(list)
    for word in reading.bag:
        for spelling in spellings(word):
            spelled[spelling].append(word)
    return spelled


def _is_slip(word: str, other: str, cards_with: Callable[[str], int]) -> bool:
    """Whether one is the other mistyped; not if other cards have both, as "mitosis" and "meiosis"."""
    if (
        abs(len(word) - len(other)) > 1
        or min(len(word), len(other)) < 3
        or not 4 <= max(len(word), len(other)) <= LONGEST_WORD
        or not word.isalpha()
        or (word[0] != other[0] and sorted(word) != sorted(other))
        or OSA.distance(word, other, score_cutoff=1) > 1
        or is_telling(word)
        or is_telling(other)
    ):
        return False
    few, many = sorted(map(cards_with, (word, other)))
    return few <= 1 + many / 6 or {word, other} == {word + "s", word} or {word, other} == {other + "s", other}


def _is_rare_letter(word: str, other: str, cards_with: Callable[[str], int]) -> bool:
    is_exchange = len(word) == len(other) and sorted(word) != sorted(other)
    return is_exchange and max(map(cards_with, (word, other))) < 8
