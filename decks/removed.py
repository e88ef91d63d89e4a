"""Notes whose card is gone. An import deletes nothing, so they are sent once more, with a tag to find them by."""

from collections.abc import Iterator
from pathlib import Path

from cards.language import of_card, of_file
from cards.lock import Lock, LockedCard
from cards.model import Card, Cloze, Language, Origin, Place
from cards.sides import sides
from decks.media import Media
from decks.stored import Stored, stored

TAG = "mha-quiz::removed"


def gone(before: Lock, after: Lock) -> Iterator[tuple[LockedCard, LockedCard | None]]:
    """Each card that had a note of its own in `before` and is retired in `after`, and the twin that the note showed."""
    now = {card.id: card for card in after.cards}
    twins = {card.shown_on: card for card in before.cards if not card.retired}
    for card in before.cards:
        last = now.get(card.id, card)
        if last.retired and not card.retired and card.fingerprint and card.shown_on is None:
            yield last, twins.get(card.id)


def last_stored(
    locked: LockedCard, twin: LockedCard | None, language: Language | None, media: Media | None, root: Path
) -> Stored | None:
    """The last text of a card; None if a deck in the `language` never had it.

    `root` is the folder that note paths are relative to. Of a picture that is gone too, the name is shown.
    """
    card, other = _card(locked, root), _card(twin, root) if twin is not None else None
    if language is not None:
        told = [it for it in (card, other) if it is not None and it.language is language]
        if not told or (told[0] is other and isinstance(other.content, Cloze)):
            return None
        card, other = told[0], None
    return stored(card, other, locked.note, media)


def _card(locked: LockedCard, root: Path) -> Card:
    """The card without what is not remembered; its language is guessed."""
    text = "\n".join(sides(locked.content))
    file = of_file(text, path=locked.note, declared=None, title=None)
    return Card(
        locked.content,
        Origin.FLASHCARD,
        Place(str(root / locked.note), 1, 1),
        locked.deck,
        (),
        of_card(text, file=file, headings=locked.heading),
        locked.heading,
        (),
        locked.block_id,
    )
