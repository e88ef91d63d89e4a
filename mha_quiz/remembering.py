"""Where in the user's cache folder the commands remember what they read."""

from collections.abc import Sequence
from pathlib import Path

from cards.remembered import Remembered, key_of


def remembered_notes(paths: Sequence[Path], everything: bool, derived: bool | None) -> Remembered:
    """What is remembered of reading these notes in this way."""
    from platformdirs import user_cache_path

    name = key_of(*(str(path.resolve()) for path in paths), repr((everything, derived))).hex()
    return Remembered(user_cache_path("mha-quiz") / f"notes-{name}")
