"""A build of a deck that changed nothing is told again without building, while all that it saw is as it was.

Such a build left the lock and the package as it found them, so the next one does the same and tells the same, unless it
sees something else: notes, settings, the program, the options, and the time, where that matters.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cards.known import Scope, scope_of
from cards.model import Problem
from cards.sides import sides

if TYPE_CHECKING:
    from cards.collection import Collection
    from cards.lock import Lock
    from cards.remembered import Remembered

Told = tuple[tuple[str, ...], tuple[Problem, ...]]
"""The lines and the problems."""
_Kept = tuple[int, tuple[tuple[str, bool], ...], Told]
"""Since when; which of the notes that were not read are there; what was told."""


def state(notes: Sequence[Path], options: object, lock_file: Path, output: Path) -> bytes | None:
    """Stands for all that a build sees and leaves, but for pictures, the time, and which notes there are beside those
    it reads; None where one of the files is not there, or cannot be read."""
    from cards.collection import fingerprint
    from cards.remembered import key_of, program

    try:
        files = lock_file.read_bytes(), output.read_bytes()
        ours = program("cards", "decks", "mha_quiz", "markdown_it", "yaml", "genanki")
        return key_of("same", ours, repr(options), str(lock_file), *files, fingerprint(notes))
    except OSError:
        return None


def told(remembered: "Remembered", state: bytes, notes: Sequence[Path], now: int) -> Told | None:
    """What the build told that found and left this `state`, if it is remembered and holds `now`, in Unix seconds."""
    from cards.lock_file import notes_root

    nothing: _Kept | None = None
    kept = remembered.recall(state, lambda: nothing)
    if kept is None or kept[0] > now:
        return None
    exists = scope_of(notes_root(notes), ()).exists
    return kept[2] if all(exists(note) == was for note, was in kept[1]) else None


def remember(remembered: "Remembered", state: bytes, told: Told, scope: Scope, lock: "Lock", now: int) -> None:
    """Keep what a build told that found and left this `state`."""
    unread = scope.unread(card.note for card in lock.cards)
    remembered.recall(state, lambda: (now, unread, told))
    remembered.save()


def may_be_told_again(collection: "Collection", problems: Sequence[Problem], marked: int) -> bool:
    """Whether neither the time nor a picture has a part in a build, which had `marked` so many cards as removed."""
    hangs_on_time = marked or any(it.code == "clock-behind" for it in problems)
    # a card that was left out may show a picture too
    return not (hangs_on_time or collection.failing) and not any(
        "![" in side or "<" in side for card in collection.cards for side in sides(card.content)
    )
