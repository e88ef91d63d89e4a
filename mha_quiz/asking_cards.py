"""What a flashcard asks, sibling by sibling, and whether a typed answer says the same."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cards.known import KnownCard
from cards.language import fold
from cards.model import Basic, Card, Cloze, Deletion, Language, Reversed
from cards.sides import siblings, to_show
from mha_quiz.card_text import CLOSE, OPEN, clean, plain
from mha_quiz.events import Sibling
from mha_quiz.plaintext import ascii_text

LONGEST_TYPED = 60
"""Characters of an answer that may be typed."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One sibling of a flashcard."""

    key: Sibling
    card: Card


@dataclass(frozen=True, slots=True)
class Sides:
    """What is shown of a sibling: Markdown, with marks around what a cloze asks for."""

    front: str
    back: str
    answer: str
    """What is asked for, without the rest of a cloze."""


def asked(known: KnownCard) -> Iterator[Asked]:
    """The siblings of a card, in the order of their ordinals."""
    return (Asked(Sibling(known.id, ordinal), known.card) for ordinal in siblings(known.card.content))


def sides_of(it: Asked) -> Sides:
    """Made when it is shown: a review has thousands of siblings and shows a few."""
    match to_show(it.card):
        case Basic(front, back):
            return Sides(clean(front), clean(back), back)
        case Reversed(front, back):
            return Sides(clean(back), clean(front), front) if it.key.ordinal else Sides(clean(front), clean(back), back)
        case Cloze(pieces):
            hidden, shown, answers = "", "", []
            for piece in pieces:
                text = clean(piece.answer if isinstance(piece, Deletion) else piece)
                if isinstance(piece, Deletion) and piece.group - 1 == it.key.ordinal:
                    hidden += f"{OPEN}{clean(piece.hint or '…')}{CLOSE}"
                    shown += f"{OPEN}{text}{CLOSE}"
                    answers.append(piece.answer)
                else:
                    hidden += text
                    shown += text
            return Sides(hidden, shown, ", ".join(answers))


def may_be_typed(it: Asked) -> bool:
    """Whether the answer is short and on one line."""
    answer = sides_of(it).answer
    return "\n" not in answer.strip() and 0 < len(plain(answer)) <= LONGEST_TYPED


def says_the_same(typed: str, it: Asked) -> bool:
    """Whether the typed answer is the card's, whatever its capitals, blanks, last full stop and Hindi spellings."""
    hinglish = it.card.language is Language.HINGLISH
    return _comparable(typed, hinglish) == _comparable(plain(sides_of(it).answer), hinglish)


def _comparable(text: str, hinglish: bool) -> str:
    folded = ascii_text(fold(text.casefold(), hinglish=hinglish)).casefold()
    return re.sub(r"\s+", " ", re.sub(r"\s*([-+*/=<>,;:()\[\]])\s*", r"\1", folded)).strip(" .!?")
