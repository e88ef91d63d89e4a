"""What a flashcard asks, sibling by sibling, and whether a typed answer says the same."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cards.identity import KnownCard
from cards.language import fold
from cards.model import Basic, Card, Cloze, Deletion, Language, Reversed
from mha_quiz.card_text import CLOSE, OPEN, clean, plain
from mha_quiz.events import Sibling
from mha_quiz.plaintext import ascii_text

LONGEST_TYPED = 60
"""Characters of an answer that may be typed."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One sibling, ready to be shown; the sides are Markdown, with marks around what a cloze asks for."""

    key: Sibling
    card: Card
    front: str
    back: str
    answer: str
    """What is asked for, without the rest of a cloze."""


def asked(known: KnownCard) -> Iterator[Asked]:
    """The siblings of a card, in the order of their ordinals."""
    card = known.card
    match card.content:
        case Basic(front, back):
            yield Asked(Sibling(known.id, 0), card, clean(front), clean(back), back)
        case Reversed(front, back):
            yield Asked(Sibling(known.id, 0), card, clean(front), clean(back), back)
            yield Asked(Sibling(known.id, 1), card, clean(back), clean(front), front)
        case Cloze(pieces):
            for group in sorted({piece.group for piece in pieces if isinstance(piece, Deletion)}):
                hidden, shown, answers = "", "", []
                for piece in pieces:
                    text = clean(piece.answer if isinstance(piece, Deletion) else piece)
                    if isinstance(piece, Deletion) and piece.group == group:
                        hidden += f"{OPEN}{clean(piece.hint or '…')}{CLOSE}"
                        shown += f"{OPEN}{text}{CLOSE}"
                        answers.append(piece.answer)
                    else:
                        hidden += text
                        shown += text
                yield Asked(Sibling(known.id, group - 1), card, hidden, shown, ", ".join(answers))


def may_be_typed(it: Asked) -> bool:
    """Whether the answer is short and on one line."""
    return "\n" not in it.answer.strip() and 0 < len(plain(it.answer)) <= LONGEST_TYPED


def says_the_same(typed: str, it: Asked) -> bool:
    """Whether the typed answer is the card's, whatever its capitals, blanks, last full stop and Hindi spellings."""
    hinglish = it.card.language is Language.HINGLISH
    return _comparable(typed, hinglish) == _comparable(plain(it.answer), hinglish)


def _comparable(text: str, hinglish: bool) -> str:
    folded = ascii_text(fold(text.casefold(), hinglish=hinglish)).casefold()
    return re.sub(r"\s+", " ", re.sub(r"\s*([-+*/=<>,;:()\[\]])\s*", r"\1", folded)).strip(" .!?")
