"""The SQLite file of the history: opened safely, and its errors told so that the learner knows what to do."""

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LAYOUT = 1
"""Version of the tables."""
SCHEDULE = 1
"""Version of the schedule: raised when the same events give other states."""
_QUICKLY_CHECKED = 4 * 2**20
"""Bytes, some thirteen thousand events. A larger file is checked when it is exported or imported into: it would keep
the learner waiting."""
_SCHEMA = Path(__file__).with_name("schema.sql")
_FILE_MARK = 0x6D686171
"""SQLite's application id of a history: `mhaq`."""


class HistoryUnusable(Exception):
    """The history cannot be read or written; the message says why, and what to do. Nothing in it was lost."""


def connect(path: Path, *, write: bool, patience: float) -> sqlite3.Connection:
    """The file `path`, made if there is none; without `write` it is not changed, and one that is missing or has no tables yet is empty.

    Waits for other processes up to `patience` seconds. Raises `HistoryUnusable`.
    """
    with told(path):
        if write:
            path.parent.mkdir(parents=True, exist_ok=True)
            _refuse_unless_writable(path)
            connection = sqlite3.connect(path, timeout=patience, isolation_level=None)
        else:
            connection = _only_read(path, patience) or sqlite3.connect(":memory:", isolation_level=None)
        try:
            _prepare(connection, path, write=write)
        except BaseException:
            connection.close()
            raise
    return connection


def _only_read(path: Path, patience: float) -> sqlite3.Connection | None:
    """None if there is nothing in the file yet: a disk that was full may have left it so."""
    if not path.exists():
        return None
    # Not `mode=ro`, with which SQLite could not clean up after a process that was killed.
    address = f"{path.resolve().as_uri()}?mode=rw"
    connection = sqlite3.connect(address, uri=True, timeout=patience, isolation_level=None)
    try:
        connection.execute("PRAGMA query_only = ON")
        if _layout(connection, path):
            return connection
    except BaseException:
        connection.close()
        raise
    connection.close()
    return None


def _refuse_unless_writable(path: Path) -> None:
    """SQLite would open such a file without a word, and fail at the first answer."""
    for place in (path.parent, path):
        if place.exists() and not os.access(place, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(place))


def _prepare(connection: sqlite3.Connection, path: Path, *, write: bool) -> None:
    # A rollback journal leaves one file to copy, and works in folders that cannot be written; the last bit of safety
    # costs a millisecond an answer.
    connection.execute("PRAGMA synchronous = EXTRA")
    if _layout(connection, path) == 0:
        with transaction(connection):
            if _layout(connection, path) == 0:  # no other process was faster
                for statement in _statements(_SCHEMA.read_text(encoding="utf-8")):
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {_FILE_MARK}")
                connection.execute(f"PRAGMA user_version = {LAYOUT}")
    elif write and path.stat().st_size <= _QUICKLY_CHECKED:
        check(connection, path)


def check(connection: sqlite3.Connection, path: Path) -> None:
    """Let SQLite look at every page. Raises `HistoryUnusable` for a damaged file."""
    with told(path):
        found = [message for (message,) in connection.execute("PRAGMA integrity_check(1)")]
    if found != ["ok"]:
        raise damaged(path, found[0])


def _layout(connection: sqlite3.Connection, path: Path) -> int:
    """The layout of the file, 0 for an empty one; `HistoryUnusable` for a file that is none of ours."""
    (layout,) = connection.execute("PRAGMA user_version").fetchone()
    (mark,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if not tables:
        return 0
    if mark != _FILE_MARK or layout < 1:
        raise HistoryUnusable(
            f"{path} is another program's file, not a history of mha-quiz; choose another with --data"
        )
    if layout > LAYOUT:
        raise HistoryUnusable(f"{path} was written by a newer mha-quiz; update this one")
    return int(layout)


def _statements(script: str) -> Iterator[str]:
    """`executescript` would end the transaction first."""
    statement = ""
    for line in script.split("\n"):
        statement += line + "\n"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, and no other process writes in between."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turns what the file system and SQLite complain about into `HistoryUnusable`."""
    try:
        yield
    except OSError as error:
        raise HistoryUnusable(f"{error.filename or path} cannot be used for the history: {error.strerror}") from error
    except sqlite3.DatabaseError as error:
        raise _unusable(path, error) from error
    except UnicodeDecodeError as error:  # a name in SQLite's own message
        raise damaged(path, "its tables make no sense") from error


def _unusable(path: Path, error: sqlite3.DatabaseError) -> Exception:
    match getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF:
        case sqlite3.SQLITE_FULL:
            reason = "the disk is full; what was not stored yet is lost, all else is safe"
        case sqlite3.SQLITE_IOERR:
            reason = "the disk refused it; what was not stored yet is lost, all else is safe"
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            reason = "another program keeps the file locked; close it and try again"
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            reason = "it must not be written; change its permissions or choose another folder with --data"
        case sqlite3.SQLITE_CANTOPEN:
            reason = "it cannot be opened; see to its folder or choose another with --data"
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return damaged(path, str(error))
        case _:
            return error
    return HistoryUnusable(f"{path}: {reason}")


def damaged(path: Path, what: str) -> HistoryUnusable:
    return HistoryUnusable(
        f"{path} is damaged ({what}); it was left as it is. Put a copy in its place, or move it away and import one "
        "with `mha-quiz history import`"
    )
