"""Where in the user's cache folder the commands remember what they read."""

from collections.abc import Sequence
from pathlib import Path

from cards.remembered import Remembered, key_of


def remembered_notes(paths: Sequence[Path], everything: bool, derived: bool | None) -> Remembered:
    """What is remembered of reading these notes in this way."""
    return _remembered("notes", paths, repr((everything, derived)))


def remembered_deck(paths: Sequence[Path], output: Path) -> Remembered:
    """What is remembered of building this deck from these notes."""
    return _remembered("deck", paths, str(output.resolve()))


def _remembered(what: str, paths: Sequence[Path], how: str) -> Remembered:
    from platformdirs import user_cache_path

    return Remembered(user_cache_path("mha-quiz") / f"{what}-{key_of(how, *(str(it.resolve()) for it in paths)).hex()}")
