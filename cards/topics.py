"""What a note and its sections are about, as far as their titles and headings say."""

import re
from functools import lru_cache
from pathlib import PurePath

from cards import labels
from cards.asking import ASKED, ends_asking, length, points
from cards.language import word_set
from cards.model import Language, Note
from cards.passages import Words, between_ornaments

_MERE_LABELS = frozenset(
    (
        *word_set("goal setup example examples intuition fix input output note hint tip result"),
        "example values",
        "example (simplified)",
        "per head",
    )
)
"""Labels that name no thing of their own."""

_GENERIC = _MERE_LABELS | frozenset(
    (
        *word_set("intro details basics notes formula formulas equation equations recall faq questions flashcards"),
        *word_set("do don't dos don'ts takeaways pitfalls algorithm"),
        *word_set("parichay saaransh definitions misconceptions terms glossary vocabulary"),
        *word_set("terminology paribhasha readme untitled"),
        "how it works",
        "how this works",
        "why it works",
        "why it matters",
        "yeh kaise kaam karta hai",
        "kaise kaam karta hai",
        "my notes",
        "key idea",
        "key ideas",
        "key points",
        "key terms",
        "key concepts",
        "at a glance",
        "cheat sheet",
        "quick reference",
        "common mistakes",
        "common pitfalls",
        "key takeaways",
        "check your understanding",
        "mathematical formula",
        "mathematical formulation",
        "common follow-up questions",
        "quick check",
        "the algorithm",
        "the formula",
        "the idea",
        "the problem",
        "worked example",
        "worked examples",
    )
)
"""Headings that say nothing of what stands below them; the one above them does."""

_GENERIC_OPENING = word_set("introduction overview background motivation summary definition derivation recap")

_NO_SUBJECT = frozenset(
    (
        *word_set("references reference sources source bibliography literature links resources contents toc index"),
        *word_set("todo tasks exercises homework practice metadata changelog footnotes credits unreleased"),
        *word_set(
            "prerequisites installation license licence contributing acknowledgements acknowledgments ingredients"
        ),
        "further reading",
        "related articles",
        "related posts",
        "related questions",
        "notable changes",
        "breaking changes",
        "release notes",
        "bug fixes",
        "what's new",
        "table of contents",
        "to do",
        "interview questions",
    )
)
"""Headings of sections that teach nothing."""

_PERSONAL = frozenset(
    (
        *word_set("journal diary thoughts reflections agenda attendees scratchpad brainstorming"),
        "my notes",
        "my questions",
        "my thoughts",
        "personal notes",
        "open questions",
        "next steps",
        "action items",
        "mere notes",
        "mere sawaal",
    )
)
"""Headings of what an author wrote down for himself; as the title of a note they say nothing."""

_RELEASE = re.compile(
    r"(?:\d{4}-\d\d-\d\d,?\s+)?version\s+v?\d+\.\d|v\d+\.\d|.*\b(?:change ?log|release notes)\Z"
    r"|\[?v?\d+\.\d+\.\d+[^\s\]]*\]?(?:\W*\d{4}-\d\d-\d\d\W*)?\Z"
)
"""The heading of a release, or of a list of them: news, and no knowledge."""

CONNECTED = re.compile(r"(?:connections?|related|sambandh|see also)\b", re.IGNORECASE)
"""How the heading above a list of neighbouring topics begins."""

MISTAKE_OPENING = re.compile(rf"(?:(?:common|aam)\s+)?{labels.MISTAKE}(?:\s+\d+)?\s*[:.—–]\s*", re.IGNORECASE)
"""How the heading or title of a mistake begins."""

MISTAKEN = (
    "Common mistake: {} — why is it wrong, and what is right?",
    "Common mistake: {} — yeh galat kyun hai, aur sahi kya hai?",
)
"""How a mistake is asked, in both languages."""

_OF_MISTAKES = re.compile(
    r"(?:(?:some|common|aam|usual|typical|frequent|classic) )?"
    r"(?:mistakes|errors|pitfalls|misconceptions|gotchas|galtiyan|galtiyaan)"
)

_PART = re.compile(
    r"\A(?:Part|Lecture|Lec|Chapter|Unit|Week|Lesson|Module|Day|Adhyay|Paath)\s+\d+\s*[:.—–-]\s*(?=\S)", re.IGNORECASE
)
_OPENINGS = (
    re.compile(r"\d+(?:\.\d+)+(?:\.?\s+|(?=[A-Z]))|\d+[.)]\s+"),
    re.compile(rf"(?:{'|'.join(word for word, _ in labels.LABELS)})(?: \d+)?\s*[:—–]\s*", re.IGNORECASE),
    re.compile(rf"(?:{labels.STEP}|{labels.MISTAKE}\s+\d+)\s*[:.—–-]\s*", re.IGNORECASE),
    ASKED,
    _PART,
)
_LANGUAGE = re.compile(r"\s*\((?:in )?(?:hinglish|hindi|english)(?: mein| me)?\)\Z", re.IGNORECASE)
_TOPIC = re.compile(
    r"(?:what (?:is|are) |understanding |an? introduction to |introduction to |intro to |an? guide to "
    r"|(?:faqs?|frequently asked questions)(?: about| on)?[: ] ?)?(.+?)(?: cheat ?sheet| in a nutshell)?(?: kya (?:hai|hain|hota hai|hoti hai|hote hain)| ky?u+n?| kyon| kaise)?\s{0,9}\?{0,9}",
    re.IGNORECASE,
)


_SUBTITLE = re.compile(
    r": (?:.* )?(?:guide|overview|introduction|explained|tutorial|primer|approach|notes|revision|summary|basics|review)\b.*"
    r"|(?<=\?) .*",
    re.IGNORECASE,
)
"""What tells the kind of text behind the thing itself: `Acute pain: an approach`, `What is Rust? A short answer`."""


_LONGEST = 200
"""Characters of a title that is read for its parts; the pattern needs more than linear time."""


def heading_of(note: Note) -> str:
    """The title without what follows its dash; where the note has none of its own, the name of its file."""
    first = note.headings[0] if note.headings else None
    has_title = note.title is not None and (first is None or first.level == 1 or first.text != note.title)
    names = has_title and note.title is not None and not (CONNECTED.match(note.title) or is_no_subject(note.title))
    title = note.title if names else _file_name(note.path)
    title = title or ""
    return _PART.sub("", title[slice(*between_ornaments(title))]).partition(" — ")[0].strip()


def _file_name(path: str) -> str:
    """The words of a file's name; nothing if there is more in it than words."""
    words = re.sub(r"[-_\s]+", " ", re.sub(r"^[\d.\s_-]+", "", PurePath(path).stem)).strip()
    return words if words.replace(" ", "").isalpha() else ""


def topic_of(heading: str, language: Language) -> str:
    """The thing that a title names; empty if it could stand anywhere."""
    heading = _LANGUAGE.sub("", heading)
    if len(heading) <= _LONGEST:
        heading = _SUBTITLE.sub("", heading)
    topic = _TOPIC.fullmatch(heading)
    name = topic[1] if topic else heading
    if not heading.startswith(name):
        name = name[:1].upper() + name[1:]
    return "" if says_nothing(name, language) else name


def without_number(text: Words) -> Words:
    """A heading without its number, `Step 2:`, `Mistake 1:` and label words."""
    for opening in _OPENINGS:
        if found := opening.match(text.shown):
            text = text.cut(found.end())
    return text


def is_label(shown: str) -> bool:
    return _plain(shown) in _MERE_LABELS


def is_mistake(shown: str) -> bool:
    return _plain(shown) in labels.MISTAKES


def is_of_mistakes(shown: str) -> bool:
    """Whether a heading says that each thing below it is a mistake."""
    return _OF_MISTAKES.fullmatch(_plain(shown)) is not None


def is_personal(shown: str) -> bool:
    return _plain(shown) in _PERSONAL


@lru_cache(maxsize=256)  # asked about a heading for each section below it
def is_no_subject(shown: str) -> bool:
    plain = _plain(shown)
    return plain in _NO_SUBJECT or _RELEASE.match(plain) is not None


def says_nothing(shown: str, language: Language) -> bool:
    """Whether a heading could stand anywhere, or is a question that leans on the one above."""
    plain = _plain(shown)
    if ends_asking(shown) and (length(shown) <= 3 or points(shown, language)):
        return True
    return plain in _GENERIC or plain.partition(" ")[0] in _GENERIC_OPENING


def _plain(shown: str) -> str:
    return " ".join(shown.strip(" \t*_:?").casefold().split())
