"""What the words of a passage say about the numbers in it, in English and Hinglish."""

import re

from mha_quiz.claims.passages import Passage, Reading

_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|।|::+|\n\s*\?\s*\n")
_WRONG = re.compile(
    r"\b(?:wrong(?:ly)?|incorrect(?:ly)?|mistakes?|mistaken(?:ly)?|false|galat|galti|jhooth|untrue|fallacy|trap|"
    r"not (?:equal|true|correct)|barabar nahi|sahi nahi)\b|[✗✘❌≠]|\\neq?\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:would|wouldn't|could|suppose(?:dly)?|instead of|in place of|unscaled|without (?:scaling|the|this|it)|"
    r"bina scale|ki jagah|hota toh|hoti toh|hote toh|deta toh|aate|hypothetical(?:ly)?)\b",
    re.IGNORECASE,
)
_ABOUT_MISTAKES = re.compile(
    r"\b(?:mistakes?|misconceptions?|pitfalls?|wrong|galti|galtiyan|galat|bugs?)\b", re.IGNORECASE
)


def sentence(text: str, offset: int) -> tuple[int, int]:
    """Where the sentence round the offset begins and ends; full stops inside numbers end nothing."""
    start, end = 0, len(text)
    window = max(0, offset - _LONGEST)
    for match in _SENTENCE_END.finditer(text, window, min(len(text), offset + _LONGEST)):
        if match.end() <= offset:
            start = match.end()
        elif match.start() >= offset:
            end = match.start()
            break
    return max(start, window), min(end, offset + _LONGEST)


_LONGEST = 600
"""Of a sentence that is looked at."""


def said_to_be_wrong(passage: Passage, start: int, end: int) -> bool:
    """Whether the sentence calls something wrong, so that a false equality in it may be no claim of the note."""
    first, _ = sentence(passage.text, start)
    _, last = sentence(passage.text, end)
    return _WRONG.search(passage.text, first, last) is not None


def only_supposed(passage: Passage, start: int, end: int) -> bool:
    """Whether the sentence tells what would be."""
    first, _ = sentence(passage.text, start)
    _, last = sentence(passage.text, end)
    return _SUPPOSED.search(passage.text, first, last) is not None


def is_about_mistakes(reading: Reading, passage: Passage) -> bool:
    return any(_ABOUT_MISTAKES.search(reading.titles[scope]) for scope in passage.scope)
