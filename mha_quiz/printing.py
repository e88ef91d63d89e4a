"""What all commands say the same way: text and JSON as the stream can carry them, problems, failures."""

import errno
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TextIO

import click

if TYPE_CHECKING:
    from cards.model import Problem


def echo(text: str, stream: TextIO | None = None) -> None:
    """Print the text as the stream, stdout unless given, can carry it, line by line.

    A full disk ends the command with a message.
    """
    stream = stream or sys.stdout
    if not encodes(text, stream):
        from mha_quiz.plaintext import ascii_text

        text = "\n".join(line if encodes(line, stream) else ascii_text(line) for line in text.split("\n"))
    with full_disk_told():
        print(text, file=stream, flush=True)


@contextmanager
def full_disk_told() -> Iterator[None]:
    """A full disk under the output ends the command with a message."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.EPIPE:  # the reader has gone, which click knows how to end
            raise
        raise click.ClickException(f"the output was not written: {error.strerror}") from error


def print_json(value: object) -> None:
    """Print one JSON value on stdout."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    echo(text if encodes(text, sys.stdout) else json.dumps(value, indent=1))


def tell(problems: "Sequence[Problem]") -> None:
    """End the command with status 1 if there are problems, and show them."""
    if problems:
        stop(problems)


def stop(problems: "Iterable[Problem]") -> NoReturn:
    """Show the problems on stderr and end the command with status 1."""
    echo("\n".join(map(str, problems)), sys.stderr)
    raise SystemExit(1)


def fail(message: str) -> NoReturn:
    """End the command with status 1 and the message on stderr."""
    raise click.ClickException(message)


def not_written(path: Path, error: OSError) -> str:
    """That `path` was not written, and which file is to blame, where the system tells it."""
    return f"{path} was not written: {error.strerror}" + (f" ({error.filename})" if error.filename else "")


def encodes(text: str, stream: TextIO) -> bool:
    """Whether the stream can carry the text."""
    try:
        text.encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True
