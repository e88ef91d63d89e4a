"""What an earlier run worked out, so that this one need not: kept in a file of the user's cache folder.

Nothing here is needed. A file that is not there, damaged, or of another version of the program is read as an empty one,
and a folder that cannot be written means that the next run works everything out again.
"""

import os
import pickle
import sys
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar, cast

from cards import model
from cards.note_cards import NoteCards

_STALE = 60 * 86_400
"""Seconds: a file that was not written for so long belongs to notes that are read no more, and goes."""
_KINDS = {
    (kind.__module__, kind.__qualname__): kind
    for kind in (*vars(model).values(), NoteCards)
    if isinstance(kind, type) and kind.__module__.startswith("cards.")
}
_FIELDS = {kind: tuple(field.name for field in fields(kind)) for kind in _KINDS.values() if is_dataclass(kind)}

_Value = TypeVar("_Value")


class Remembered:
    """Results by a key that stands for all they were worked out from.

    Of a file only builtin values, cards and what belongs to them are ever made, so that no file can make the program
    do anything else.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._before = self._read()
        self._asked: dict[bytes, bytes] = {}

    def recall(self, key: bytes, work_out: Callable[[], _Value]) -> _Value:
        """The result of `work_out`, from an earlier run if that left one under the key."""
        if (found := self._before.get(key)) is not None:
            with suppress(pickle.UnpicklingError):
                value = cast(_Value, _Unpickler(BytesIO(found)).load())
                self._asked[key] = found
                return value
        value = work_out()
        told = BytesIO()
        _Pickler(told, protocol=5).dump(value)
        self._asked[key] = told.getvalue()
        return value

    def so_far(self) -> bytes:
        """Stands for all that was recalled in this run, in its order."""
        return key_of(*self._asked)

    def save(self) -> None:
        """Keep what was recalled in this run, and nothing else."""
        if self._asked.keys() == self._before.keys():
            return
        told = pickle.dumps(self._asked, protocol=5)
        temporary = self._file.with_name(f"{self._file.name}.{os.getpid()}.tmp")
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            try:
                temporary.write_bytes(_seal(told) + told)
                temporary.replace(self._file)
            finally:
                temporary.unlink(missing_ok=True)
            _drop_stale(self._file)

    def _read(self) -> dict[bytes, bytes]:
        try:
            content = self._file.read_bytes()
        except OSError:
            return {}
        seal, told = content[:_SEAL], content[_SEAL:]
        # sealed by this program, so that it is what was written
        return cast("dict[bytes, bytes]", _Unpickler(BytesIO(told)).load()) if seal == _seal(told) else {}


_SEAL = 32


def _seal(told: bytes) -> bytes:
    """What shows a file that is cut off, or not one of ours."""
    return blake2b(told, digest_size=_SEAL, person=b"mha-quiz").digest()


def key_of(*parts: bytes | str) -> bytes:
    """One key for all the parts."""
    digest = blake2b(digest_size=24)
    for part in parts:
        told = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(told).to_bytes(8))
        digest.update(told)
    return digest.digest()


@cache
def program(*packages: str) -> bytes:
    """Stands for all that these packages do, and the Python that runs them."""
    return key_of(sys.version, unicodedata.unidata_version, *map(_package, packages))


@cache
def _package(name: str) -> bytes:
    spec = find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    files = sorted(_files(Path(spec.origin).parent))
    return key_of(*(part for path in files for part in (path.name, path.read_bytes())))


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_dir():
            yield from _files(path)
        elif path.suffix != ".pyc":  # which follow from the others
            yield path


def _drop_stale(newest: Path) -> None:
    now = newest.stat().st_mtime
    for path in newest.parent.iterdir():
        if path.stat().st_mtime < now - _STALE:
            path.unlink()


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: object) -> Any:
        """Our values by calling their classes, which is twice as quick as filling in their slots."""
        kind = type(value)
        if kind not in _FIELDS:
            return NotImplemented
        return kind, tuple(getattr(value, name) for name in _FIELDS[kind])


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> type:
        try:
            return _KINDS[module, name]
        except KeyError as error:
            raise pickle.UnpicklingError(f"{module}.{name} is nothing that is remembered") from error
