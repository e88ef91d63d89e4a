"""The texts of a card that are shown one at a time, and the cards that Anki and a review make of it."""

import re
from dataclasses import replace

from cards.model import Basic, Card, Cloze, Content, Deletion, Reversed

_MARK_OF_BLOCK = re.compile(
    r"(?=>|#{1,6}(?:\s|$)|[-+*](?:\s|$)|(?:[-*_][ \t]*+){3,}$|```[^`\n]*$|~~~)|(\d{1,9})(?=[.)](?:\s|$))", re.MULTILINE
)


def sides(content: Content) -> tuple[str, ...]:
    """Front and back; of a cloze, the whole text with its answers, and each hint."""
    if not isinstance(content, Cloze):
        return content.front, content.back
    hints = [piece.hint for piece in content.pieces if isinstance(piece, Deletion) and piece.hint]
    return filled(content), *hints


def to_show(card: Card) -> Content:
    """What the card says as Markdown that means what was typed: `> 55 %` behind a `::` is no quote of `55 %`."""
    if isinstance(card.content, Cloze) or not card.in_line:
        return card.content
    return replace(card.content, front=_within_line(card.content.front), back=_within_line(card.content.back))


def _within_line(text: str) -> str:
    found = _MARK_OF_BLOCK.match(text)
    return f"{text[: found.end()]}\\{text[found.end() :]}" if found else text


def filled(cloze: Cloze) -> str:
    """The whole text with its answers."""
    return "".join([piece.answer if isinstance(piece, Deletion) else piece for piece in cloze.pieces])


def plain_text(content: Content) -> str:
    """All that a card says, question and answer together."""
    match content:
        case Cloze():
            return filled(content)
        case content:
            return f"{content.front}\n{content.back}"


def siblings(content: Content) -> tuple[int, ...]:
    """The ordinals of its siblings: 0 for the front, 1 for the way back, and the numbers of the deletions minus one."""
    match content:
        case Basic():
            return (0,)
        case Reversed():
            return (0, 1)
        case Cloze(pieces):
            return tuple(sorted({piece.group - 1 for piece in pieces if isinstance(piece, Deletion)}))
