"""Cards with their lasting ids, and the notes among which they were looked for."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from cards.model import Card


@dataclass(frozen=True, slots=True)
class Scope:
    """Which notes this run knows about. Locked cards of a note that was not read but exists are left alone."""

    read: Mapping[str, str]
    """For each note that was read, its path as in the places of its cards: its path from the root, with `/`."""
    exists: Callable[[str], bool]
    """Whether there is still a note at a path from the root."""

    def unread(self, notes: Iterable[str]) -> tuple[tuple[str, bool], ...]:
        """Those of the notes, paths from the root, that were not read, and whether each exists."""
        return tuple((note, self.exists(note)) for note in sorted(set(notes).difference(self.read.values())))


class KnownCard(NamedTuple):
    """A card and its name for life."""

    id: str
    """Also the Anki GUID."""
    changed: int
    """Unix seconds when the fingerprint last changed."""
    card: Card
    """Cloze numbers as Anki knows them."""


def scope_of(root: Path, notes: Sequence[Path]) -> Scope:
    """The scope of a run that read `notes`, paths as the places of their cards have them; `root` by `notes_root`."""
    return Scope(
        # A note that is a link belongs to the folder of the link.
        {str(note): (note.parent.resolve() / note.name).relative_to(root).as_posix() for note in notes},
        lambda note: (root / note).is_file(),
    )
