"""Notes that lie in another deck in Anki than their cards say now, and how Anki finds them: an import moves none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cards.identity import Moved
from decks import apkg

_LONGEST = 60
"""Characters of a field that a search says."""


@dataclass(frozen=True, slots=True)
class DeckMove:
    """A note whose deck in Anki is another than its notes say now; decks as Anki names them."""

    id: str
    old_deck: str
    deck: str
    search: str
    """Finds the note in Anki's Browser after the import."""


def search(field: str, html: str) -> str:
    """The search by which Anki finds a note whose `field` begins like `html`."""
    begin = html.split("\n")[0]
    rest = "*" if len(html) > _LONGEST or begin != html else ""
    return f'"{field}:{escaped(begin[:_LONGEST], ":")}{rest}"'


def moves(moved: Sequence[Moved], notes: Mapping[str, apkg.Note], decks: Mapping[str, str]) -> tuple[DeckMove, ...]:
    """Those of the cards that moved whose `notes`, by id, have another deck now; `decks` names each as Anki does."""
    found = []
    for move in moved:
        note, old_deck = notes[move.id], decks[move.old_deck]
        if note.deck != old_deck:
            told = search(note.note_type.fields[0].name, note.fields[0])
            found.append(DeckMove(move.id, old_deck, note.deck, told))
    return tuple(found)


def escaped(text: str, also: str = "") -> str:
    """`text` as a search for it says it; `also` are further signs that it may not hold bare."""
    return "".join(f"\\{char}" if char in '\\"*_' + also else char for char in text)
