"""A card whose twin is gone, and whose history is on the note of that one, goes on with this note."""

from collections.abc import Mapping
from dataclasses import replace

from cards.identity import Changes, Identified
from cards.known import KnownCard
from cards.lock import Lock, LockedCard
from cards.model import Language
from cards.sides import siblings


def with_heirs(identified: Identified, lock: Lock, language: Language | None, now: int) -> tuple[Identified, Lock]:
    """The cards under the ids that their notes have, and the last lock with the same names.

    The two twins change their ids: if the one that is gone comes back, it is shown on the note of the other. A card that
    a deck in the `language` does not show takes no note.
    """
    heirs = _heirs(identified, lock, language)
    if not heirs:
        return identified, lock
    before = {card.id: card.changed for card in lock.cards}
    changed = {guest: max(now, before[host] + 1) for guest, host in heirs.items()}  # what the note shows is another
    cards = tuple(
        known._replace(id=heirs[known.id], changed=changed[known.id]) if known.id in heirs else known
        for known in identified.cards
    )
    renamed = Identified(
        cards, _renamed(identified.lock, heirs, changed), _changes(identified.changes, heirs), identified.problems
    )
    return renamed, _renamed(lock, heirs, {})


def _heirs(identified: Identified, lock: Lock, language: Language | None) -> dict[str, str]:
    """For each heir the id of the note that it takes."""
    guests = {card.id: card.shown_on for card in lock.cards if card.shown_on is not None and not card.retired}
    if not guests:
        return {}
    gone = {card.id: card for card in identified.lock.cards if card.retired}
    heirs: dict[str, str] = {}
    for known in identified.cards:
        host = gone.get(guests.get(known.id, ""))
        shown = language in (None, known.card.language)
        if host is not None and shown and _fit(known, host) and host.id not in heirs.values():
            heirs[known.id] = host.id
    return heirs


def _fit(known: KnownCard, host: LockedCard) -> bool:
    """Whether Anki has the same cards of both."""
    mine, yours = known.card.content, host.content
    return type(mine) is type(yours) and siblings(mine) == siblings(yours)


def _renamed(lock: Lock, heirs: Mapping[str, str], changed: Mapping[str, int]) -> Lock:
    guests = {host: guest for guest, host in heirs.items()}
    cards = []
    for card in lock.cards:
        if card.id in heirs:
            cards.append(card._replace(id=heirs[card.id], shown_on=None, changed=changed.get(card.id, card.changed)))
        elif card.id in guests:
            cards.append(card._replace(id=guests[card.id], shown_on=card.id))
        else:
            cards.append(card)
    return replace(lock, cards=tuple(sorted(cards, key=lambda card: card.id)))


def _changes(changes: Changes, heirs: Mapping[str, str]) -> Changes:
    return replace(
        changes,
        unchanged=tuple(seen._replace(id=heirs.get(seen.id, seen.id)) for seen in changes.unchanged),
        edited=tuple(replace(edit, id=heirs.get(edit.id, edit.id)) for edit in changes.edited),
        moved=tuple(replace(move, id=heirs.get(move.id, move.id)) for move in changes.moved),
        removed=tuple(seen for seen in changes.removed if seen.id not in heirs.values()),
    )
