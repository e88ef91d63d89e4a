"""What answers a heading or a question: how far it goes down a section."""

import re
from collections.abc import Sequence

from cards import asking
from cards.announced import with_explanation
from cards.passages import FORMULA, Passage, Words

_NO_ANSWER = re.compile(r"(?:let's|let us|chalo|dekhte|aao|see|try)\b", re.IGNORECASE)


def body(passages: Sequence[Passage], *, whole: bool = False) -> Sequence[Passage]:
    """What answers a heading: all down to the next question, label or card; with `whole`, questions are part of it."""
    end = 0
    for passage in passages:
        if not passage.free or passage.role in ("border", "box"):
            break
        if not whole and (
            asking.is_question_line(passage) or why_label(passage) or (end and _asks_anew(passages[end : end + 2]))
        ):
            break
        end += 1
    while end and (hangs(passages[end - 1]) or _is_caption(passages[end - 1])):
        end -= 1
    found = passages[:end]
    return found if any(passage.role != "object" for passage in found) else ()


def _asks_anew(passages: Sequence[Passage]) -> bool:
    """Whether the first begins with a why-question that stands on its own, or one in bold letters, and answers it."""
    passage = passages[0]
    if passage.role != "text" or passage.words is None or "?" not in passage.words.shown:
        return False
    start, end = next(asking.sentences(passage.words.shown), (0, 0))
    question = asking.unmarked(passage.words.cut(start, end))
    if question is None or asking.length(question.shown) < 3:
        return False
    asks_why = is_why(question.shown) and not asking.is_clipped(question.shown)
    return (
        (asks_why or asking.is_bold_question(passage.words.shown[start:end]))
        and _LEANING.isdisjoint(asking.words(question.shown))
        and (is_answer(text := passage.words.cut(end)) or bool(announced_by(text, passages[1:])))
    )


_LEANING = asking.POINTING | asking.POINTING_HINGLISH - {"is", "in"}


def hangs(passage: Passage) -> bool:
    """Whether it announces what is not there."""
    return passage.words is not None and asking.introduces(passage.words.shown)


_CAPTION = re.compile(r"[*_]*(?:Fig(?:ure|\.)|Image|Diagram) ?\d+(?:\.\d+)*[.:]", re.IGNORECASE)


def _is_caption(passage: Passage) -> bool:
    """Whether it names a picture, which is not there."""
    return passage.role == "text" and passage.words is not None and _CAPTION.match(passage.words.shown) is not None


def answer_below(passages: Sequence[Passage]) -> Sequence[Passage]:
    """The block that answers a question line: a list, a formula or a paragraph with what it announces."""
    if not passages or not passages[0].free:
        return ()
    first = passages[0]
    if first.role == "formula":
        return with_explanation(passages)
    if first.role == "list":
        return passages[:1]
    if first.role != "text" or first.words is None:
        return ()
    shown = first.words.shown
    if asking.introduces(shown):
        announced = announced_by(first.words, passages[1:2])
        return [first, *(with_explanation(passages[1:]) or announced)] if announced else ()
    asks = any(map(asking.ends_asking, (shown, shown.partition("\n")[0])))
    answers = not asks and not _NO_ANSWER.match(shown.lstrip("*_ "))
    return passages[:1] if answers else ()


def announced_by(text: Words, below: Sequence[Passage]) -> Sequence[Passage]:
    """The list or formula right below that the text announces with a colon at its end."""
    fits = bool(below) and below[0].free and below[0].role in ("list", "formula")
    return below[:1] if fits and asking.introduces(text.shown) else ()


def why_label(passage: Passage) -> tuple[Words, Words] | None:
    """`LABEL: text` with a why word in a short label."""
    if passage.role != "text" or passage.words is None:
        return None
    found = asking.parted(passage.words)
    if found is None or not asking.asks_why(found[0].shown) or not 2 <= asking.length(found[0].shown) <= 6:
        return None
    return None if "?" in found[0].shown or asking.is_quoted(found[0].shown) or FORMULA in found[0].shown[:1] else found


def is_why(shown: str) -> bool:
    return (
        shown.endswith("?")
        and len(shown) <= 80
        and asking.length(shown) > 1
        and asking.asks_why(shown)
        and not asking.is_quoted(shown)
    )


def is_answer(text: Words) -> bool:
    text = behind_marks(text)
    return (
        bool(text.shown.strip(" *_\n"))
        and not _NO_ANSWER.match(text.shown)
        and not asking.ends_asking(text.shown)
        and not asking.introduces(text.shown)
        and asking.is_whole(text.shown)
    )


def behind_marks(text: Words) -> Words:
    """The text without the marks in front that close the emphasis of what stands before it."""
    return text if asking.is_whole(text.shown) else text.cut(len(text.shown) - len(text.shown.lstrip("*_ \n")))
