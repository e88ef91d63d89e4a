"""Cards as Anki stores them, from an earlier run where it rendered the same cards."""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from cards.model import Card, Cloze
from cards.remembered import Remembered, key_of, program
from cards.sides import sides
from decks import note_types
from decks.stored import Stored

_Rendered = tuple[tuple[str, ...], tuple[int, ...], tuple[str, ...]]
"""Fields, cards and tags."""


def remembered_sides(
    cards: Sequence[Card], paths: Mapping[str, str], remembered: Remembered, render: Callable[[Card], Stored]
) -> dict[int, tuple[Card, Stored]]:
    """What `render` makes of those cards that show nothing but their own text, by the identity of the card.

    `paths` are the paths of the notes as cards show them. `cards` has no card that shows a twin.
    """
    ours = program("cards", "decks", "markdown_it")
    found = {}
    for path, group in groupby(cards, lambda card: card.place.path):
        alone = [card for card in group if _is_alone(card)]
        key = key_of(ours, paths[path], repr(list(map(_told, alone))))

        def work_out(alone: Sequence[Card] = alone) -> tuple[_Rendered, ...]:
            return tuple((side.fields, side.cards, side.tags) for side in map(render, alone))

        for card, (fields, numbers, tags) in zip(alone, remembered.recall(key, work_out), strict=True):
            note_type = note_types.cloze() if isinstance(card.content, Cloze) else note_types.basic()
            found[id(card)] = card, Stored(note_type, fields, numbers, tags, media=())
    return found


def _is_alone(card: Card) -> bool:
    """Whether no file, and no other program than ours, has a part in what the card shows."""
    return not any("![" in side or "<" in side for side in sides(card.content))


def _told(card: Card) -> tuple[object, ...]:
    """All of a card that it shows."""
    content = card.content
    parts = content.pieces if isinstance(content, Cloze) else (type(content).__name__, content.front, content.back)
    return parts, card.in_line, card.heading, card.tags, card.type_in, card.warnings
