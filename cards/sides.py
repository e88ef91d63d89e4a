"""The texts of a card that are shown one at a time."""

from cards.model import Cloze, Content, Deletion


def sides(content: Content) -> tuple[str, ...]:
    """Front and back; of a cloze, the whole text with its answers, and each hint."""
    match content:
        case Cloze(pieces):
            hints = (piece.hint for piece in pieces if isinstance(piece, Deletion) and piece.hint)
            return "".join(piece.answer if isinstance(piece, Deletion) else piece for piece in pieces), *hints
        case content:
            return content.front, content.back
