"""Keys one by one from a terminal, or lines from a pipe."""

import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from types import TracebackType
from typing import Self, TextIO

ENTER, QUIT, REDRAW = "\n", "\x04", "\x0c"
"""Space counts as Enter; the end of the input counts as Ctrl-D; a resize and a return from Ctrl-Z as Ctrl-L."""


def take_any_bytes(stdin: TextIO) -> None:
    """What cannot be decoded is read as U+FFFD; an ASCII locale must not keep anybody from typing UTF-8."""
    if isinstance(stdin, io.TextIOWrapper):
        ascii_only = (stdin.encoding or "").lower() in ("ascii", "us-ascii", "ansi_x3.4-1968", "646")
        stdin.reconfigure(encoding="utf-8" if ascii_only else None, errors="replace")


class Keys:
    """What the learner types at `stdin`. On a terminal Ctrl-C raises `KeyboardInterrupt`, as ever."""

    def __init__(self, stdin: TextIO) -> None:
        take_any_bytes(stdin)
        self._stdin = stdin
        self._open = ExitStack()
        self._terminal = _Terminal(stdin) if stdin.isatty() else None

    @property
    def is_terminal(self) -> bool:
        return self._terminal is not None

    def __enter__(self) -> Self:
        if self._terminal is not None:
            self._open.enter_context(self._terminal.one_by_one())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def key(self) -> str:
        """A key as a lower-case letter or sign; from a pipe a whole line, without its end."""
        if self._terminal is not None:
            key = self._terminal.key()
            return {" ": ENTER, "\r": ENTER, "": QUIT}.get(key, key.lower())
        line = self._stdin.readline()
        return line.strip() or (ENTER if line else QUIT)

    def line(self, ask: Callable[[], None]) -> str | None:
        """A line, as the terminal lets one edit it; None at the end of the input.

        `ask` writes the prompt when the terminal is ready for a line, not before, and again after a return from Ctrl-Z.
        """
        with self.usual():
            ask()
            if self._terminal is not None:
                self._terminal.wait(ask)
            return self._stdin.readline() or None

    @contextmanager
    def usual(self) -> Iterator[None]:
        """The terminal as others expect it."""
        with nullcontext() if self._terminal is None else self._terminal.usual():
            yield


if sys.platform == "win32":
    import msvcrt

    class _Terminal:
        def __init__(self, stdin: TextIO) -> None:
            pass

        def wait(self, ask: Callable[[], None]) -> None:
            pass

        def key(self) -> str:
            key = msvcrt.getwch()
            if key in ("\x00", "\xe0"):
                # A key without a letter: an arrow, or Page Down, whose second half is a Q. `à` looks the same and takes
                # the next key along, as `kbhit` does not see a second half; better than to leave at Page Down.
                msvcrt.getwch()
                return "\x1b"
            if key == "\x03":
                raise KeyboardInterrupt
            return QUIT if key == "\x1a" else key

        @contextmanager
        def one_by_one(self) -> Iterator[None]:
            yield

        usual = one_by_one

else:
    import select
    import termios
    import tty

    class _Terminal:
        def __init__(self, stdin: TextIO) -> None:
            self._file = stdin.fileno()
            self._usual = termios.tcgetattr(self._file)
            self._lent = False
            self._woken = -1

        def wait(self, ask: Callable[[], None]) -> None:
            """Until something was typed; ask again after a stop, which ends the line that was begun."""
            while signals := self._signals():
                if signal.SIGCONT in signals:
                    ask()

        def _signals(self) -> bytes:
            """Wait for a key or for signals; the numbers of these. Ctrl-C is one too, whenever it comes."""
            ready, _, _ = select.select([self._file, self._woken], [], [])
            return os.read(self._woken, 100) if self._woken in ready else b""

        def key(self) -> str:
            if self._signals():
                return REDRAW
            key = self._read(1)
            while (missing := _bytes_missing(key)) and (more := self._read(missing)):
                key += more
            if key == b"\x1b":
                while select.select([self._file], [], [], 0.02)[0] and self._read(32):
                    pass  # an arrow, say, which means nothing here
            return key.decode(errors="replace")

        def _read(self, count: int) -> bytes:
            try:
                return os.read(self._file, count)
            except OSError:  # the terminal is gone
                return b""

        @contextmanager
        def one_by_one(self) -> Iterator[None]:
            """Keys come at once and unseen; the window may change, and the job may be stopped and go on."""
            self._woken, wake = os.pipe()
            os.set_blocking(wake, False)
            # A signal just before `select` would not end it; Python's own handler writes into the pipe, which does.
            others_wake = signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
            before = {number: signal.signal(number, self._back) for number in (signal.SIGWINCH, signal.SIGCONT)}
            tty.setcbreak(self._file)
            try:
                yield
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)
                self._restore()
                signal.set_wakeup_fd(others_wake)
                os.close(self._woken)
                os.close(wake)

        def _back(self, _number: int, _frame: object) -> None:
            if not self._lent:  # a shell may have set its own ways in between
                self._set_one_by_one()

        def _set_one_by_one(self) -> None:
            with suppress(termios.error):  # the terminal is gone
                tty.setcbreak(self._file, termios.TCSADRAIN)  # which keeps what was typed ahead

        def _restore(self) -> None:
            with suppress(termios.error):  # the terminal is gone
                termios.tcsetattr(self._file, termios.TCSADRAIN, self._usual)

        @contextmanager
        def usual(self) -> Iterator[None]:
            self._lent = True
            self._restore()
            try:
                yield
            finally:
                self._lent = False
                self._set_one_by_one()

    def _bytes_missing(key: bytes) -> int:
        """Of a character in UTF-8 that begins with `key`."""
        if not key or key[0] < 0xC0:
            return 0
        return (1 if key[0] < 0xE0 else 2 if key[0] < 0xF0 else 3) - (len(key) - 1)
