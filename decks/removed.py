"""Notes whose card is gone. An import deletes nothing, so they are sent with a tag to find them by.

Nobody tells whether a package was imported before the next one was built. So a note stays in the packages of some days,
with the time of its removal: Anki takes it once. It has no cards there, so that none comes back to a learner who deleted
it already, or never had it.
"""

from collections.abc import Iterator
from pathlib import Path

from cards.known import Scope
from cards.language import of_card, of_file
from cards.lock import Lock, LockedCard
from cards.model import Card, Cloze, Language, Origin, Place
from cards.sides import sides
from decks.media import Media
from decks.stored import Stored, stored

TAG = "mha-quiz::removed"
SENT_FOR = 14 * 24 * 3600
"""Seconds after its removal."""


def gone(before: Lock, after: Lock, scope: Scope, now: int) -> Iterator[tuple[LockedCard, LockedCard | None]]:
    """Each card that had a note of its own in `before` and is retired in `after`, and the twin that the note showed;
    of those retired before, the ones that went lately."""
    notes = set(scope.read.values())
    latest = {card.id: card for card in after.cards}
    twins = {card.shown_on: card for card in sorted(before.cards, key=lambda card: not card.retired)}
    for card in before.cards:
        last = latest.get(card.id, card)
        if not last.retired or not card.fingerprint or card.shown_on is not None:
            continue
        went_lately = now - last.changed < SENT_FOR and (card.note in notes or not scope.exists(card.note))
        if not card.retired or went_lately:
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
    """The card without what is not remembered; its language is guessed, and so is whether it was of one line."""
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
        in_line=not any("\n" in side for side in sides(locked.content)),
    )
