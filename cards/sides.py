"""The texts of a card that are shown one at a time, and the cards that Anki and a review make of it."""

from cards.model import Basic, Cloze, Content, Deletion, Reversed


def sides(content: Content) -> tuple[str, ...]:
    """Front and back; of a cloze, the whole text with its answers, and each hint."""
    match content:
        case Cloze(pieces):
            hints = (piece.hint for piece in pieces if isinstance(piece, Deletion) and piece.hint)
            return filled(content), *hints
        case content:
            return content.front, content.back


def filled(cloze: Cloze) -> str:
    """The whole text with its answers."""
    return "".join(piece.answer if isinstance(piece, Deletion) else piece for piece in cloze.pieces)


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
