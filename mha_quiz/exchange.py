"""The history as a file to carry to another computer: a history of its own, or lines of JSON made for git."""

import json
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime
from pathlib import Path
from random import Random

from cards.model import Place, Problem
from mha_quiz import anki_history
from mha_quiz.event_json import event_json, event_of
from mha_quiz.events import Event
from mha_quiz.history import History
from mha_quiz.history_file import HistoryUnusable

_SQLITE_HEAD = b"SQLite format 3\0"
Carried = tuple[tuple[Event, ...], tuple[Problem, ...]]
"""The events of a file, and all that is wrong with it; where anything is wrong, no event of it should be taken."""
_GIT_MARKS = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")


def lines_of(events: Iterable[Event]) -> Iterator[str]:
    """A line for each event, in pure ASCII; in the order of time, the lines of two computers merge as text."""
    return (json.dumps(event_json(event)) + "\n" for event in events)


def events_in(text: str, path: str) -> Carried:
    """The events in the lines of the file `path`, in any order."""
    events, problems = [], []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            if line.startswith(_GIT_MARKS):
                raise ValueError("git left a conflict here; keep the lines of both sides")
            events.append(event_of(json.loads(line)))
        except json.JSONDecodeError as error:
            problems.append(_bad(path, number, error.colno, "this is not an event but a damaged line"))
        except RecursionError:
            problems.append(_bad(path, number, 1, "this is not an event but a damaged line"))
        except ValueError as error:
            problems.append(_bad(path, number, 1, str(error)))
    return tuple(events), tuple(problems)


def _bad(path: str, line: int, column: int, message: str) -> Problem:
    return Problem(Place(path, line, column), "bad-history", message)


def write_whole(out: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a file beside `out`, which then takes its place, whole or not at all."""
    temporary = out.with_name(f".{out.name}.tmp")
    try:
        temporary.unlink(missing_ok=True)
        try:
            write(temporary)
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
            temporary.replace(out)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise HistoryUnusable(f"{out} was not written: {error.strerror}") from error


def export(history: History, out: Path, *, lines: bool, today: date) -> int:
    """Write the log to `out`, as a history of its own or as lines of JSON; how many events. Raises `HistoryUnusable`."""
    if history.is_file(out):
        raise HistoryUnusable(f"{out} is the history itself; choose another file")
    history.check()
    events = tuple(history.events(undone=True))

    def write(temporary: Path) -> None:
        if lines:
            temporary.write_text("".join(lines_of(events)), encoding="ascii", newline="\n")
        else:
            with History.open(temporary, computer="", rng=Random(0)) as copy:
                copy.merge(events, today)

    write_whole(out, write)
    return len(events)


def take(history: History, path: Path, local: Callable[[datetime], datetime], today: date) -> int | tuple[Problem, ...]:
    """Add to the history what `export` wrote to the file `path`, or the answers in an Anki package.

    How many events are new, or all that is wrong with the file. Answers that went from here to Anki are not taken back.
    `local` tells the time on the wall at an instant, which Anki does not store. Raises `HistoryUnusable` for a damaged
    history, `Conflict`, and `OSError` for a file that cannot be opened.
    """
    history.check()
    if zipfile.is_zipfile(path):
        answers, problems = anki_history.answers_in(path, local)
        events: tuple[Event, ...] = anki_history.unknown(answers, history.events(undone=True))
    else:
        events, problems = read(path)
    return problems or history.merge(events, today)


def read(path: Path) -> Carried:
    """The events that `export` wrote to the file `path`; raises what `take` does."""
    with path.open("rb") as file:
        if file.read(len(_SQLITE_HEAD)) == _SQLITE_HEAD:
            with History.open(path, computer="", rng=Random(0), write=False) as other:
                return tuple(other.events(undone=True)), ()
        file.seek(0)
        content = file.read()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return (), (_bad(str(path), line, 1, f"not UTF-8: byte 0x{content[error.start]:02X}"),)
    return events_in(text.replace("\r\n", "\n"), str(path))
