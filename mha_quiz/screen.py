"""Lines on a terminal or into a pipe: wrapped, coloured with restraint, in letters that the stream can encode."""

import os
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TextIO

from mha_quiz.plaintext import ascii_text
from mha_quiz.printing import encodes

NARROWEST, WIDEST = 20, 200
USUAL_WIDTH = 80


class Colour(IntEnum):
    """ANSI numbers."""

    BOLD = 1
    DIM = 2
    RED = 31
    GREEN = 32
    YELLOW = 33


@dataclass(frozen=True, slots=True)
class Screen:
    stream: TextIO
    environ: Mapping[str, str]

    def tell(self, text: str = "", colour: Colour | None = None, *, indent: int = 0, hanging: int = 0) -> None:
        """Write a paragraph, wrapped to the width the terminal has now; further lines are indented by `hanging` more."""
        lines = textwrap.wrap(
            self.shown(text),
            self.width(),
            initial_indent=" " * indent,
            subsequent_indent=" " * (indent + hanging),
            break_on_hyphens=False,
        )
        for line in lines or [""]:
            self.stream.write(self._coloured(line, colour) + "\n")

    def prompt(self, text: str) -> None:
        """Write without ending the line."""
        self.stream.write(self._coloured(self.shown(text), Colour.BOLD))
        self.stream.flush()

    def shown(self, text: str) -> str:
        """The text as this stream can carry it."""
        if self._is_dumb() or not encodes(text, self.stream):
            return ascii_text(text)
        return text

    def width(self) -> int:
        return min(max(self._columns(), NARROWEST), WIDEST)

    def _columns(self) -> int:
        wanted = self.environ.get("COLUMNS", "")
        if wanted.isdecimal() and int(wanted):
            return int(wanted)
        try:
            return os.get_terminal_size(self.stream.fileno()).columns or USUAL_WIDTH
        except (OSError, ValueError):  # no terminal, or no file at all
            return USUAL_WIDTH

    def _is_dumb(self) -> bool:
        return self.environ.get("TERM") == "dumb"

    def _coloured(self, line: str, colour: Colour | None) -> str:
        if colour is None or self._is_dumb() or self.environ.get("NO_COLOR") or not self.stream.isatty():
            return line
        return f"\x1b[{colour.value}m{line}\x1b[0m"
