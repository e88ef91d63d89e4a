"""The notes that a command was given, or the bundled ones: their lock, their cards, and where in the user's cache folder
it remembers them."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mha_quiz.printing import fail, stop

if TYPE_CHECKING:
    from cards.collection import Collection
    from cards.known import Scope
    from cards.lock import Lock
    from cards.model import Problem
    from cards.remembered import Remembered

BUNDLED = Path(__file__).parent / "notes"


@contextmanager
def without_collector() -> Iterator[None]:
    """Hardly anything among the thousands of cards becomes garbage: to look for some takes a tenth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Given(NamedTuple):
    """The notes that a command was given, and where that lies which lasts of their cards."""

    paths: tuple[Path, ...]
    """Not empty."""
    root: Path
    """Which the paths in the lock begin from."""
    lock_file: Path
    data: Path
    """The user's folder."""

    def lock(self) -> "Lock":
        """What is known of their cards; a lock file that cannot be read ends the command."""
        from cards.lock import Lock

        lock = self.lock_or_problems()
        if not isinstance(lock, Lock):
            stop(lock)
        return lock

    def lock_or_problems(self) -> "Lock | tuple[Problem, ...]":
        from cards.lock_file import known_lock

        return known_lock(self.lock_file, self.root, data=self.data, notes=self.paths)

    def scope(self, collection: "Collection") -> "Scope":
        """The scope of a run that read them."""
        from cards.known import scope_of

        return scope_of(self.root, [Path(note.path) for note in collection.notes])


def given(paths: tuple[Path, ...], data: Path | None = None) -> Given:
    """Those in `paths`, or else the bundled ones; `data` is the user's folder, if it is another than usual.

    The lock of the bundled ones lies there: they belong to a program.
    """
    from cards.lock_file import lock_path, notes_root

    notes, data = paths or (BUNDLED,), data or data_folder()
    root = notes_root(notes)
    return Given(notes, root, lock_path(root, data=data, beside=bool(paths)), data)


def data_folder() -> Path:
    """Where this user's histories and locks lie, unless a command is told another folder."""
    from platformdirs import user_data_path

    return user_data_path("mha-quiz")


def read_notes(
    paths: Sequence[Path], *, everything: bool, derived: bool | None, purpose: str = "notes"
) -> "tuple[Collection, Remembered]":
    """What the notes hold, and what is remembered of reading them in this way, which the caller saves when done.

    What one `purpose` has no use for any more, another may still remember. Without any notes, or where one cannot be
    read, the command ends with a message.
    """
    from cards.collection import read

    remembered = _remembered(purpose, paths, repr((everything, derived)))
    try:
        collection = read(paths, everything=everything, derived=derived, remembered=remembered)
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}")
    if not collection.notes and not collection.problems:
        fail("no notes here; notes are files that end in .md, .markdown or .txt")
    return collection, remembered


def checked_notes(paths: Sequence[Path], *, everything: bool, derived: bool | None) -> "Collection":
    """What the notes hold, without cards that show a number which does not compute, or with a warning on them."""
    from mha_quiz.checked_cards import checked

    collection, remembered = read_notes(paths, everything=everything, derived=derived)
    collection = checked(collection, remembered)
    remembered.save()
    return collection


def remembered_deck(paths: Sequence[Path], output: Path) -> "Remembered":
    """What is remembered of building this deck from these notes."""
    return _remembered("deck", paths, str(output.resolve()))


def remembered_outcome(paths: Sequence[Path], output: Path) -> "Remembered":
    """What is remembered of a build of this deck that changed nothing."""
    return _remembered("same", paths, str(output.resolve()))


def _remembered(what: str, paths: Sequence[Path], how: str) -> "Remembered":
    from platformdirs import user_cache_path

    from cards.remembered import Remembered, key_of

    return Remembered(user_cache_path("mha-quiz") / f"{what}-{key_of(how, *(str(it.resolve()) for it in paths)).hex()}")
