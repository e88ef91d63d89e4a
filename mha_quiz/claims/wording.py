"""What the words of a passage say about the numbers in it, in English and Hinglish."""

import re

from mha_quiz.claims.passages import Passage, Reading

_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|।|::+|\n\s*\?\s*\n")
_WRONG = re.compile(
    r"\b(?:wrong(?:ly)?|incorrect(?:ly)?|mistakes?|mistaken(?:ly)?|false|galat|galti|jhooth|untrue|fallacy|trap|"
    r"not (?:equal|true|correct)|barabar nahi|sahi nahi|myth|typo|oops|errat(?:um|a)|absurd|nonsense|impossible|"
    r"contradiction|should (?:read|have been)|if it were|pretend|(?:does|is)(?: not|n't) (?:hold|equal)|hot[aei] (?:toh?|to)|"
    r"hypothetical(?:ly)?)\b|[✗✘❌≠]|\\neq?\b",
    re.IGNORECASE,
)
_DENIED_BEFORE = re.compile(r"(?:\b(?:not|never|nahin?|na)|n't)[\s$:]*$", re.IGNORECASE)
_DENIED_BEHIND = re.compile(r"[\s$]*(?:nahin?|not)\b", re.IGNORECASE)
_OTHER_RULES = re.compile(
    r"\b(?:(?i:binary|boolean|hex(?:adecimal)?|octal|mod(?:ulo|ular)?|integer division|overflow|logic gates?|clock|"
    r"base[- ]?(?:2|8|16)|truth table|synergy)|X?N?OR|AND|GF\()\b|\\(?:bmod|pmod|oplus|lor|land|vee)|[⊕∨∧≡]"
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


def is_no_claim(reading: Reading, passage: Passage, start: int, end: int) -> bool:
    """Whether a false equality is asked or denied, or follows rules of its own, such as `1 + 1 = 10` in binary."""
    text = passage.text
    first, _ = sentence(text, start)
    _, last = sentence(text, end)
    return (
        text[last : last + 1] == "?"
        or _DENIED_BEFORE.search(text, max(first, start - _NEAR), start) is not None
        or _DENIED_BEHIND.match(text, end) is not None
        or _OTHER_RULES.search(text, first, last) is not None
        or any(_OTHER_RULES.search(reading.titles[scope]) for scope in passage.scope)
    )


_NEAR = 12
_CONDITION = re.compile(
    r"\b(?:solv\w*|solution|equations?|roots?|find|when|where|if|only|satisf\w+|agar|jab|tab|hence|curve|parabola|cross\w*|"
    r"for (?:which|what|large)|break-?even|gives? \w =)\b|⟹|⇒|\\(?:implies|iff|Rightarrow)|\bso \$?\w =",
    re.IGNORECASE,
)


def is_condition(passage: Passage, start: int, end: int) -> bool:
    """Whether the sentence looks for the values that make an equation true."""
    first, _ = sentence(passage.text, start)
    _, last = sentence(passage.text, end)
    return _CONDITION.search(passage.text, first, last) is not None


def only_supposed(passage: Passage, start: int, end: int) -> bool:
    """Whether the sentence tells what would be."""
    first, _ = sentence(passage.text, start)
    _, last = sentence(passage.text, end)
    return _SUPPOSED.search(passage.text, first, last) is not None


def is_about_mistakes(reading: Reading, passage: Passage) -> bool:
    return any(_ABOUT_MISTAKES.search(reading.titles[scope]) for scope in passage.scope)
