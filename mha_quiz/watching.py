"""Build again whenever notes are saved."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from watchfiles import BaseFilter, Change
from watchfiles import watch as changes

from cards.kinds import NOTE_ENDINGS
from cards.media import kind
from cards.settings import toml_state

_QUIET = 60
"""Milliseconds without a change after which a save counts as complete; editors need several steps for one."""
_AT_MOST = 240
"""Milliseconds after which a change is acted on though others go on."""
_LOOK = 250
"""Milliseconds between two looks whether what is watched is still there."""


def watch(paths: Sequence[Path], rebuild: Callable[[], None]) -> None:
    """Call `rebuild` now and after each change of a note, picture or setting in `paths`, or of the settings above them,
    until Ctrl-C.

    `paths` are notes and folders. What vanishes is waited for: git and some editors take a folder or file away and put
    another in its place.
    """
    given = [path.resolve() for path in paths]
    try:
        while True:
            if folders := _folders(given):
                _watch_folders(given, folders, rebuild)
            else:
                time.sleep(_LOOK / 1000)
    except KeyboardInterrupt:
        return


def _watch_folders(given: Sequence[Path], folders: dict[Path, tuple[int, int]], rebuild: Callable[[], None]) -> None:
    """Until one of the folders is no longer the same."""
    built: list[object] | None = None  # with these settings above the folders, which are too many files to watch
    for batch in changes(
        *folders,
        watch_filter=_Saves(given, list(folders)),
        debounce=_AT_MOST,
        step=_QUIET,
        rust_timeout=_LOOK,
        yield_on_timeout=True,
        raise_interrupt=True,
        recursive=any(path.is_dir() for path in given),
        ignore_permission_denied=True,
    ):
        if _folders(given) != folders or any(Path(path) in folders for _, path in batch):
            return
        above = [toml_state(folder.parent) for folder in folders]
        if batch or above != built:  # what was saved before the watch began is seen by the first build
            built = above
            rebuild()


def _folders(given: Sequence[Path]) -> dict[Path, tuple[int, int]]:
    """The folders to watch that are there, and which they are.

    Of a note, and of what is gone, it is the folder around: there a new one will appear.
    """
    found = {}
    for path in given:
        folder = path if path.is_dir() else path.parent
        if folder.is_dir():
            status = folder.stat()
            found[folder] = (status.st_dev, status.st_ino)
    return found


class _Saves(BaseFilter):
    """Changes that a build may see."""

    def __init__(self, given: Sequence[Path], folders: Sequence[Path]) -> None:
        super().__init__()
        self._given, self._folders = given, folders

    def __call__(self, change: Change, path: str) -> bool:
        changed = Path(path)
        for folder in self._folders:
            if changed == folder:
                return change is Change.deleted
            if folder in changed.parents:
                if any(part.startswith(".") for part in changed.relative_to(folder).parts):
                    return False
                return self._is_read(changed)
        return False

    def _is_read(self, changed: Path) -> bool:
        if not changed.suffix:  # perhaps a folder with notes
            return changed.is_dir() or not changed.exists()
        if changed.suffix.lower() in NOTE_ENDINGS:
            return any(path == changed or path in changed.parents for path in self._given)
        return changed.suffix.lower() == ".toml" or kind(changed.name) is not None
