"""The notes that a command was given, or the bundled ones, and where in the user's cache folder it remembers them."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mha_quiz.printing import fail

if TYPE_CHECKING:
    from cards.collection import Collection
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


def read_notes(
    paths: Sequence[Path], remembered: "Remembered", *, everything: bool, derived: bool | None
) -> "Collection":
    """Read them; without any notes, or where one cannot be read, the command ends with a message."""
    from cards.collection import read

    try:
        collection = read(paths, everything=everything, derived=derived, remembered=remembered)
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}")
    if not collection.notes and not collection.problems:
        fail("no notes here; notes are files that end in .md, .markdown or .txt")
    return collection


def remembered_notes(paths: Sequence[Path], everything: bool, derived: bool | None) -> "Remembered":
    """What is remembered of reading these notes in this way."""
    return _remembered("notes", paths, repr((everything, derived)))


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
