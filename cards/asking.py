"""How questions are told from other text, and what makes a question stand on its own."""

import re
from collections.abc import Iterator

from cards import labels
from cards.language import word_set
from cards.model import Language
from cards.passages import OBJECT, Passage, Words, without_ornament

QUESTION_WORDS = word_set(
    """
    why how what which when where who whom whose kyun kyu kyon kyoon kya kaise kaisa kaisi kab kahan kaun kaunsa kaunse
    kaunsi kitna kitne kitni
    """
)
_WHY_WORDS = word_set("why kyun kyu kyon kyoon")
POINTING = word_set("it its this that these those they them")
POINTING_HINGLISH = word_set("yeh ye yah is iska iske iski isko isme in inka woh uska")
GOING_ON = word_set("where which with or jahan jisme ya")
"""First words of a sentence that the formula or the text above it begins."""
AUXILIARY = word_set(
    """
    is are was were am do does did has have had can could will would shall should may might must isn't aren't wasn't
    weren't don't doesn't didn't can't couldn't won't wouldn't shouldn't
    """
)
ASKED = re.compile(rf"[*_]*{labels.QUESTION} ?\d{{0,3}} ?[:.)][*_]*\s+(?=\S)")
"""What stands before a question where others are, and is no part of it."""
_SHORT = 4
"""A question of at most so many words outside formulas leans on what stands around it."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_INITIALS = re.compile(r"(?<!\w)[A-Z]{3,}(?!\w)")
_SIGN = re.compile(rf"[^\W_]|{OBJECT}")
_SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]*_]*+\s+")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|vs|etc|fig|figs|eq|dr|mr|mrs|prof|st|no|approx|cf|ca|al|[^\W\d_])$", re.IGNORECASE
)
_ANSWERS = re.compile(r"\s+(?:(?:because|since|so that|taaki|kyunki|kyuki|kyonki)\b|[a-z]+\d)")
"""What goes on in lower case behind a question mark, and still is a sentence of its own."""
_QUOTES = '"“”„«»'


def words(shown: str) -> list[str]:
    """The words in lower case; protected text has none."""
    return [word.lower() for word in _WORD.findall(shown.replace("’", "'"))]


def first_word(shown: str) -> str:
    """In lower case; nothing where only numbers and formulas stand."""
    return next(iter(words(shown)), "")


def length(shown: str) -> int:
    """How many words stand there outside formulas, numbers and links among them."""
    return sum(_SIGN.search(token) is not None for token in shown.split())


def sentences(shown: str) -> Iterator[tuple[int, int]]:
    """Where each sentence begins and ends."""
    start = 0
    for match in _SENTENCE_END.finditer(shown):
        following = shown[match.end() : match.end() + 1]
        mark = shown[match.start()]
        ends = mark in "!?…" or not _ABBREVIATION.search(shown[max(start, match.start() - 8) : match.start()])
        asks = mark == "?" and _ANSWERS.match(shown, match.start() + 1) is not None
        if ends and following and (asks or not following.islower()):
            yield start, match.end() - len(match[0]) + len(match[0].rstrip())
            start = match.end()
    if shown[start:].strip():
        yield start, len(shown.rstrip())


def mentions(text: str, title: str) -> bool:
    """Whether it names the title, also by its first letters, or has a word of four letters or more from it, whatever
    the ending."""
    named = words(title)
    initials = "".join(word[0] for word in named).upper()
    if any(token in initials for token in _INITIALS.findall(text)):
        return True
    heads = {word[:4] for word in named if len(word) >= 4}
    return title.casefold() in text.casefold() or any(word[:4] in heads for word in words(text) if len(word) >= 4)


def ends_asking(shown: str) -> bool:
    """Whether it ends in a question mark, whatever emphasis and quotation marks stand around it."""
    return shown.rstrip(" \t\n*_)" + _QUOTES).endswith("?")


def is_quoted(shown: str) -> bool:
    return any(sign in shown for sign in _QUOTES)


_LEADING = re.compile(
    r"(?:(?:but|and|so|however|then|lekin|aur|toh|par|phir)\b,?|(?:first|next|now|finally|pehle|ab),)\s+", re.IGNORECASE
)


def without_leading(text: Words) -> Words:
    """The sentence without a `But` or `Lekin` that ties it to the one before."""
    found = _LEADING.match(text.shown)
    return text.cut(found.end()) if found else text


def is_question_line(passage: Passage) -> bool:
    """A paragraph of one line that is one short question."""
    return (
        passage.role == "text"
        and passage.first == passage.last
        and passage.words is not None
        and _is_short_question(passage.words.shown)
    )


def _is_short_question(text: str) -> bool:
    is_bold = text.startswith(_BOLD) and text.endswith(_BOLD)
    label = ASKED.match(text)
    text = text[label.end() if label else 0 :].strip(" \t*_")
    return (
        text.endswith("?")
        and not text.startswith(tuple(_QUOTES))
        and 2 <= length(text) <= 14
        and (not QUESTION_WORDS.isdisjoint(words(text)) or (is_bold and first_word(text) in AUXILIARY))
        and len(list(sentences(text))) == 1
    )


_BOLD = ("**", "__")


def is_bold_question(shown: str) -> bool:
    """Whether it is one short question in bold letters, which stands out as a heading does."""
    mark = shown[:2]
    is_bold = mark in _BOLD and shown.endswith(mark) and mark not in shown[2:-2]
    return is_bold and length(shown) > 2 and _is_short_question(shown)


def asks_why(shown: str) -> bool:
    return not _WHY_WORDS.isdisjoint(words(shown))


def points(shown: str, language: Language) -> bool:
    """Whether a word of it points at what was said before."""
    pointing = POINTING | POINTING_HINGLISH if language is Language.HINGLISH else POINTING
    return not pointing.isdisjoint(words(shown))


def is_bound(shown: str, language: Language) -> bool:
    """Whether it leans on its context."""
    return length(shown) <= _SHORT or points(shown, language)


def is_clipped(shown: str) -> bool:
    """Whether it is a why-question without a verb, such as `Why this projection?` or `Alag projections kyun?`."""
    found = words(shown)
    if found[:1] == ["why"]:
        return found[1:2] == [] or found[1] not in AUXILIARY
    while found and found[-1] in ("nahi", "nahin", "nhi"):
        found.pop()
    return bool(found) and found[-1] in _WHY_WORDS


_COLON = re.compile(r":[*_]*(?=\s)")
_COLON_OR_DASH = re.compile(rf":[*_]*(?=\s)|\s[—–](?=\s)|(?<={OBJECT})\s-(?=\s)")


def parted(text: Words, *, dash: bool = False) -> tuple[Words, Words] | None:
    """What stands before and behind the first colon that a blank follows; with `dash`, or the first dash;
    a short dash only behind a link."""
    found = (_COLON_OR_DASH if dash else _COLON).search(text.shown)
    if found is None:
        return None
    key, value = unmarked(text.cut(0, found.start())), text.cut(found.end())
    return (key, value) if key and value.shown and is_whole(value.shown) else None


def unmarked(text: Words) -> Words | None:
    """The text without ornaments around and emphasis around all of it; None if that leaves nothing."""
    text = without_ornament(text)
    start = len(text.shown) - len(text.shown.lstrip(" \t*_"))
    end = len(text.shown.rstrip(" \t*_"))
    if start >= end or not is_whole(text.shown[start:end]):
        return None
    return text.cut(start, end) if "*" not in text.shown[start:end] else text.cut(0)


_STARRED = re.compile(r"(?<![\w*])([A-Za-z])\*(?![\w*])")
"""`A*` is a name."""


def is_whole(shown: str) -> bool:
    """Whether each emphasis that it opens is closed in it."""
    if shown.count("*") == 1:
        shown = _STARRED.sub(r"\1", shown)
    return shown.count("**") % 2 == 0 and shown.count("__") % 2 == 0 and shown.count("*") % 2 == 0


def introduces(shown: str) -> bool:
    """Whether it ends in a colon."""
    return shown.rstrip().rstrip("*_").endswith(":")
