"""Words that also the command line knows, in a module of their own: they load in no time, `cards.model` does not."""

from enum import StrEnum

NOTE_ENDINGS = (".md", ".markdown", ".txt")
"""By which files are notes, in lower case."""


class Language(StrEnum):
    EN = "en"
    HINGLISH = "hinglish"


class Origin(StrEnum):
    """Who made the card."""

    FLASHCARD = "flashcard"
    """The author marked it."""
    RECONSTRUCTED = "reconstructed"
    """The author marked it, and the mark was lost in a pasted page."""
    DERIVED = "derived"
    """Read off the structure of the note."""


def counted(number: int, thing: str) -> str:
    """`1 card`, `1,200 cards`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
