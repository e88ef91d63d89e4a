"""What the words of a passage say about the numbers in it, in English and Hinglish."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache
from operator import itemgetter

from mha_quiz.claims.passages import Passage, Reading

_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|।|::+|\n\s*\?\s*\n|\n(?=[^\n]{0,300}::)")
_WRONG = re.compile(
    r"\b(?:wrong(?:ly)?|incorrect(?:ly)?|mistakes?|mistaken(?:ly)?|false|galat|galti|jhooth|untrue|fallacy|trap|"
    r"not (?:equal|true|correct)|barabar nahi|sahi nahi|myth|typo|oops|errat(?:um|a)|absurd|nonsense|impossible|"
    r"contradiction|should (?:read|have been)|if it were|pretend|(?:common|typical|frequent|usual) errors?|erroneous(?:ly)?|"
    r"(?:do not|don['’]t|never|mat) (?:write|say|claim|think|read|use|likh\w*|bol\w*)|(?:does|is)(?: not|n't) (?:hold|equal)|hot[aei] (?:toh?|to)|"
    r"hypothetical(?:ly)?)\b|[✗✘❌≠]|\\neq?\b",
    re.IGNORECASE,
)
_DENIED_BEFORE = re.compile(r"(?:\b(?:not|never|nahin?)|n't)[\s$:]*$", re.IGNORECASE)
_DENIED_BEHIND = re.compile(r"[\s$]*(?:nahin?|not)\b", re.IGNORECASE)
_OTHER_RULES = re.compile(
    r"\b(?:(?i:binary|boolean|hex(?:adecimal)?|octal|mod(?:ulo|ular)?|integer division|overflow|logic gates?|clock|"
    r"base[- ]?(?:2|8|16)|truth table|synergy)|X?N?OR|GF\()\b|\\(?:bmod|pmod|oplus|lor|land|vee)|[⊕∨∧≡]|"
    r"(?<![\d.,])0[01]{2,}(?![.,]?\d)"
)
"""Words and signs of them, and a number such as `0111`: no decimal number begins so."""
_SUPPOSED = re.compile(
    r"\b(?:would|wouldn't|could|suppose(?:dly)?|instead of|in place of|unscaled|without (?:scaling|the|this|it)|"
    r"bina scale|ki jagah|hota toh|hoti toh|hote toh|deta toh|aate|hypothetical(?:ly)?)\b",
    re.IGNORECASE,
)
COMPARES = re.compile(
    r"\b(?:doubl\w*|halv\w*|half|twice|thrice|times as|instead|saves?|savings?|saved|fewer|less|more|than|reduc\w*|shr[aiu]nk\w*|drops?|"
    r"falls?|ris(?:es?|ing)|grow\w*|another|additional\w*|extra|compared|versus|vs|against|difference|becomes?|would|dugn[aei]|aadh[aei]|"
    r"zyada|jyada|kam|bach\w*)\b",
    re.IGNORECASE,
)
"""Words of numbers that are not those of what was told before."""
_ABOUT_MISTAKES = re.compile(
    r"\b(?:mistakes?|misconceptions?|pitfalls?|wrong|galti|galtiyan|galat|bugs?)\b", re.IGNORECASE
)


def sentence(text: str, offset: int) -> tuple[int, int]:
    """Where the sentence round the offset begins and ends; full stops inside numbers end nothing."""
    ends = _spans(_SENTENCE_END, text)
    after = bisect_left(ends, offset, key=itemgetter(0))
    end = ends[after][0] if after < len(ends) else len(text)
    before = bisect_right(ends, offset, hi=after, key=itemgetter(1))
    start = ends[before - 1][1] if before else 0
    return max(start, offset - _LONGEST), min(end, offset + _LONGEST)


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Where each sentence begins and ends, as far as it is looked at."""
    start = 0
    for end, following in (*_spans(_SENTENCE_END, text), (len(text), len(text))):
        yield start, min(end, start + _LONGEST)
        start = following


def _sentences_of(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence with the start begins, and where the one with the end ends."""
    return sentence(text, start)[0], sentence(text, end)[1]


_LONGEST = 600
"""Of a sentence that is looked at."""


@lru_cache(maxsize=64)
def _spans(pattern: re.Pattern[str], text: str) -> tuple[tuple[int, int], ...]:
    """Where the pattern is found; remembered, as a long passage is asked about each number in it."""
    return tuple(match.span() for match in pattern.finditer(text))


def _says(pattern: re.Pattern[str], text: str, first: int, last: int) -> bool:
    """Whether the pattern is found in the stretch."""
    spans = _spans(pattern, text)
    at = bisect_left(spans, first, key=itemgetter(0))
    return at < len(spans) and spans[at][1] <= last


def said_to_be_wrong(passage: Passage, start: int, end: int) -> bool:
    """Whether the sentence calls something wrong, so that a false equality in it may be no claim of the note."""
    return _says(_WRONG, passage.text, *_sentences_of(passage.text, start, end))


def is_no_claim(reading: Reading, passage: Passage, start: int, end: int) -> bool:
    """Whether a false equality is asked or denied, or follows rules of its own, such as `1 + 1 = 10` in binary."""
    text = passage.text
    first, last = _sentences_of(text, start, end)
    return (
        text[last : last + 1] == "?"
        or _DENIED_BEFORE.search(text, max(first, start - _NEAR), start) is not None
        or _DENIED_BEHIND.match(text, end) is not None
        or text[max(start - 1, 0) : start] + text[end : end + 1] in _QUOTES
        or _says(_OTHER_RULES, text, first, last)
        or any(_OTHER_RULES.search(reading.titles[scope]) for scope in passage.scope)
    )


_NEAR = 12
_QUOTES = ('""', "“”", "„“", "«»", "''", "‘’")
"""Somebody else's words, when they hold nothing but the equality."""
_CONDITION = re.compile(
    r"\b(?:solv\w*|solution|equations?|roots?|find|when|where|if|only|satisf\w+|agar|jab|tab|hence|curve|parabola|cross\w*|"
    r"for (?:which|what|large)|break-?even|gives? \w =)\b|⟹|⇒|\\(?:implies|iff|Rightarrow)|\bso \$?\w =",
    re.IGNORECASE,
)


def is_condition(passage: Passage, start: int, end: int) -> bool:
    """Whether the sentence looks for the values that make an equation true."""
    return _says(_CONDITION, passage.text, *_sentences_of(passage.text, start, end))


def only_supposed(passage: Passage, start: int, end: int) -> bool:
    """Whether the sentence tells what would be."""
    return _says(_SUPPOSED, passage.text, *_sentences_of(passage.text, start, end))


def is_about_mistakes(reading: Reading, passage: Passage) -> bool:
    return any(_ABOUT_MISTAKES.search(reading.titles[scope]) for scope in passage.scope)
