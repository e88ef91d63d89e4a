"""What one note gives: its cards, and what is wrong with it."""

from dataclasses import dataclass

from cards.model import Card, Note, Problem


@dataclass(frozen=True, slots=True)
class NoteCards:
    """All that is read off one note alone, whatever other notes and files there are."""

    note: Note
    marked: tuple[Card, ...]
    """In order of the text."""
    derived: tuple[Card, ...]
    repeats: tuple[tuple[Card, Card], ...]
    """Derived cards left out because they say what a marked card of the note says, with that card."""
    problems: tuple[Problem, ...]
    with_embeds: tuple[Card, ...]
    """The cards that may show pictures or sounds, in order of the text."""
