"""The text of one file, and the places in it."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from cards.model import Place


def normalized(text: str) -> str:
    """`text` with every line end as a line feed; columns stay what they are."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def behind_front_matter(lines: Sequence[str]) -> int:
    """How many lines the front matter takes from the top, both `---` included; 0 if there is none, or no end of it."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    return next((number + 1 for number in range(1, len(lines)) if lines[number].rstrip() == "---"), 0)


@dataclass(slots=True)
class Source:
    """A normalized text. Offsets count characters from 0, lines are numbered from 0 inside the reader."""

    path: str
    text: str
    lines: list[str] = field(init=False, compare=False)
    starts: list[int] = field(init=False, compare=False)
    """The offset of each line, and the end of the text."""
    _starts_of_lines: list[int] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        self.lines = self.text.split("\n")
        if not self.lines[-1]:
            self.lines.pop()
        self.starts = list(accumulate([len(line) + 1 for line in self.lines], initial=0))
        self._starts_of_lines = self.starts[:-1] or [0]

    def line_of(self, offset: int) -> int:
        return bisect_right(self._starts_of_lines, offset) - 1

    def end(self, line: int) -> int:
        """Where the line ends, before its line feed."""
        return self.starts[line] + len(self.lines[line])

    def place(self, offset: int) -> Place:
        return self.place_in(self.line_of(offset), offset)

    def place_in(self, line: int, offset: int) -> Place:
        """The place of an offset that lies in this line."""
        return Place(self.path, line + 1, offset - self.starts[line] + 1)
