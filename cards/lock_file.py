"""Where `cards.lock` lies, and how it is read and written whole."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from cards.lock import Lock, LockedCard, LockedNumber, format_lock, parse_lock
from cards.model import Place, Problem

LOCK_NAME = "cards.lock"
_ROOT_MARKS = ("mha-quiz.toml", ".obsidian")


def notes_root(paths: Sequence[Path]) -> Path:
    """The folder that note paths are relative to.

    It is the nearest one upward from `paths` (not empty) that holds `mha-quiz.toml` or `.obsidian`; else the folder
    given, the folder of the note given, or the one that several share. A folder inside a vault belongs to the vault:
    two locks for one card would part its history.
    """
    shared = _shared(paths)
    for folder in (shared, *shared.parents):
        if any(_is_there(folder / mark) for mark in _ROOT_MARKS):
            return folder
    return shared


def lock_path(root: Path, *, data: Path, beside: bool = True) -> Path:
    """Where the lock of the notes under `root` lies: beside them, or in the user's folder `data` where they cannot be
    written beside, or must not be because they belong to a program (`beside=False`)."""
    path, elsewhere = lock_places(root, data=data)
    if beside and _may_write(root) and (_may_write(path) or not _is_there(path)):
        return path
    return elsewhere


def lock_places(root: Path, *, data: Path) -> tuple[Path, Path]:
    """Beside the notes, and in the user's folder."""
    return root / LOCK_NAME, data / "locks" / f"{root.name}-{_key(root)}" / LOCK_NAME


@contextmanager
def held(path: Path, *, data: Path, seconds: float = 10) -> Iterator[None]:
    """Keep other runs of this user from the lock file `path` while this one reads, matches and writes.

    The guard lies in `data`, so that nothing more appears beside the notes. Raises `TimeoutError` if another run
    holds it for more than `seconds`, and `OSError` if `data` cannot be written.
    """
    from filelock import FileLock  # only a run that writes needs it

    guard = data / "guards" / f"{_key(path)}.guard"
    guard.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(guard, timeout=seconds):
        yield


def known_lock(path: Path, root: Path, *, data: Path, notes: Sequence[Path] = ()) -> Lock | tuple[Problem, ...]:
    """The lock in the file `path`; where it is missing, what is known elsewhere of the notes under `root`.

    That is in the other one of the two places, for notes that were closed for writing, or opened; or else in the lock
    of a folder above, for a part of the notes that is read alone, or in that of a folder between the root and the
    `notes` given, which was their root before a folder above it became one; or else in those of the folders below,
    for parts that were read alone before. With problems the caller must stop, as for `read_lock`.
    """
    for place in (path, *lock_places(root, data=data)):
        if _is_there(place):
            return read_lock(place)
    for folder in root.parents:
        if _is_there(folder / path.name):
            return _below(read_lock(folder / path.name), f"{root.relative_to(folder).as_posix()}/")
    shared = _shared(notes) if notes else root
    for folder in (shared, *shared.parents)[: len(shared.parts) - len(root.parts)]:
        for place in filter(_is_there, lock_places(folder, data=data)):
            return _above(read_lock(place), f"{folder.relative_to(root).as_posix()}/")
    parts = sorted({part for note in notes for part in _parts_read_alone(note.resolve(), shared)})
    return _joined([_above(read_lock(part / LOCK_NAME), f"{part.relative_to(root).as_posix()}/") for part in parts])


def _parts_read_alone(path: Path, shared: Path) -> Iterator[Path]:
    """The folders with a lock of their own in the folder `path`, but not those inside of them; of a note, the one it lies in."""
    if not path.is_dir():
        between = path.parents[: len(path.parents) - len(shared.parents) - 1]
        yield from [folder for folder in between if _is_there(folder / LOCK_NAME)][-1:]
        return
    for folder, below, files in os.walk(path):
        below[:] = [name for name in below if not name.startswith(".")]
        if LOCK_NAME in files:
            below.clear()
            yield Path(folder)


def _joined(locks: Sequence[Lock | tuple[Problem, ...]]) -> Lock | tuple[Problem, ...]:
    """What several locks know; an id that more than one has, as a copied folder does, belongs to the first."""
    cards: dict[str, LockedCard] = {}
    numbers: dict[str, LockedNumber] = {}
    problems: list[Problem] = []
    for lock in locks:
        if isinstance(lock, Lock):
            cards = {card.id: card for card in lock.cards} | cards
            numbers = {number.id: number for number in lock.numbers} | numbers
        else:
            problems += lock
    if problems:
        return tuple(problems)
    return Lock(tuple(cards[name] for name in sorted(cards)), tuple(numbers[name] for name in sorted(numbers)))


def _shared(paths: Sequence[Path]) -> Path:
    return Path(os.path.commonpath([(path if path.is_dir() else path.parent).resolve() for path in paths]))


def _above(lock: Lock | tuple[Problem, ...], folder: str) -> Lock | tuple[Problem, ...]:
    """What the lock of a folder knows, with paths from above that folder."""
    if not isinstance(lock, Lock):
        return lock
    return replace(lock, cards=tuple(card._replace(note=folder + card.note) for card in lock.cards))


def _below(lock: Lock | tuple[Problem, ...], folder: str) -> Lock | tuple[Problem, ...]:
    """What the lock knows of the cards in a folder, with paths from there."""
    if not isinstance(lock, Lock):
        return lock
    cards = (card for card in lock.cards if card.note.startswith(folder))
    return Lock(tuple(card._replace(note=card.note.removeprefix(folder)) for card in cards))


def read_lock(path: Path) -> Lock | tuple[Problem, ...]:
    """The lock in the file `path`, an empty one if there is no such file, or all that is wrong with it.

    With problems the caller must stop before it writes anything: a guess would give histories away.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return Lock()
    except UnicodeDecodeError as error:
        start = error.object.rfind(b"\n", 0, error.start) + 1
        line, column = error.object.count(b"\n", 0, start) + 1, len(error.object[start : error.start].decode()) + 1
        message = f"not UTF-8: byte 0x{error.object[error.start]:02X}"
        return (Problem(Place(str(path), line, column), "bad-lock", message),)
    except OSError as error:
        return (Problem(Place(str(path), 1, 1), "bad-lock", f"cannot be read: {error.strerror}"),)
    return parse_lock(text.replace("\r\n", "\n"), str(path))


def write_lock(path: Path, lock: Lock) -> None:
    """Write `lock` to the file `path` whole or not at all; an equal file is left alone. Raises `OSError`.

    The caller has it `held`.
    """
    text = format_lock(lock).encode()
    path = path.resolve()
    if path.exists() and path.read_bytes() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.tmp")
    with temporary.open("wb") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    if os.name == "posix":  # elsewhere a folder cannot be opened
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a folder that only its owner may look into
        return False


def _key(path: Path) -> str:
    return sha256(os.fsencode(path.resolve())).hexdigest()[:16]


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
