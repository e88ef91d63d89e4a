"""What the inline rules share while they read one text: what they found so far, and where its brackets and marks are.

The closing marks are looked up in tables that are made once for a text, so that no text takes longer than its length.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from markdown_it.rules_inline import StateInline
from markdown_it.utils import EnvType

from cards.cloze_patterns import ClozePattern

BACKTICKS = re.compile(r"`+")
_DOLLARS = re.compile(r"\\.|\$", re.DOTALL)
_BRACKETS = re.compile(r"\\.|`+|[\[\](){}]", re.DOTALL)
_LOWER = {capital: capital + 32 for capital in range(ord("A"), ord("Z") + 1)}


@dataclass(slots=True)
class Sign:
    """What an inline rule found: a `Kind`, a `cloze` mark, a `separator`, a `pipe`, `colons`, a `star`, or an `open` mark."""

    kind: str
    start: int
    end: int
    reversed: bool = False
    closing: str = ""
    """What an open mark waits for."""
    pattern: ClozePattern | None = None
    """Of a cloze mark, like all that follows."""
    opens: bool = False
    closes: bool = False
    group: str | None = None
    partner: int | None = None
    """Of an opening mark, the place of the closing one where it is known; -1 for none."""


class Scan(StateInline):
    """markdown-it's state of one text, with what the inline rules share while they read it."""

    def __init__(self, text: str, env: EnvType, *, row: bool) -> None:
        # only what the rules here ask for, and the pairing of stars: no tokens are made
        self.src = text
        self.env = env
        self.pos = 0
        self.posMax = len(text)
        self.delimiters = []
        self.tokens_meta = []
        self.row = row
        """The text is a table row, so pipes part it."""
        self.signs: list[Sign] = []
        """All that was found, in order."""
        self.highlight = False
        """A highlight may be open."""
        self.curly: set[int] = set()
        """Places of the closing `}}` of open curly clozes."""
        self._found: dict[str, tuple[int, int]] = {}

    def find(self, needle: str, start: int) -> int:
        """`text.find`, which remembers its last answer: all questions of one text together look at it once."""
        return self._remembered(self.src, needle, start)

    def _remembered(self, text: str, needle: str, start: int) -> int:
        asked, answer = self._found.get(needle, (start, -2))
        if answer == -2 or start < asked or 0 <= answer < start:
            answer = text.find(needle, start)
            self._found[needle] = start, answer
        return answer

    def find_tag(self, name: str, start: int) -> int:
        """The next end tag of the element, in capitals or not."""
        return self._remembered(self._lowered, f"</{name}", start)

    def find_in_line(self, needle: str, start: int) -> int:
        found = self.find(needle, start)
        line_end = self.find("\n", start)
        return found if line_end < 0 or found < line_end else -1

    @cached_property
    def _lowered(self) -> str:
        return self.src.translate(_LOWER)

    @cached_property
    def blanks(self) -> list[int]:
        return [found.start() for found in re.finditer(r"\s", self.src)]

    @cached_property
    def code_runs(self) -> Mapping[int, list[int]]:
        """The places of the runs of back-ticks, by their length."""
        runs: dict[int, list[int]] = {}
        for run in BACKTICKS.finditer(self.src):
            runs.setdefault(run.end() - run.start(), []).append(run.start())
        return runs

    @cached_property
    def double_dollars(self) -> list[int]:
        """The places of `$$` without a back-slash; of more dollars in a row, each place but the last."""
        dollars = (found.start() for found in _DOLLARS.finditer(self.src) if found[0] == "$")
        return [place for place in dollars if self.src.startswith("$$", place)]

    @cached_property
    def pairs(self) -> Mapping[int, int]:
        """For each bracket outside code that has a partner, the place of the partner."""
        pairs: dict[int, int] = {}
        open_brackets: dict[str, list[int]] = {"[": [], "(": [], "{": []}
        code_end = 0
        for found in _BRACKETS.finditer(self.src):
            place, char = found.start(), found[0][0]
            if place < code_end or char == "\\":
                continue
            if char == "`":
                code_end = self.code_end(place, found.end()) or 0
            elif char in open_brackets:
                open_brackets[char].append(place)
            elif stack := open_brackets[{"]": "[", ")": "(", "}": "{"}[char]]:
                pairs[stack.pop()] = place
        return pairs

    def code_end(self, start: int, run_end: int) -> int | None:
        """The end of the code span that the back-ticks at `start` open."""
        length = run_end - start
        closing = first_from(self.code_runs.get(length, []), run_end)
        return None if closing is None else closing + length


def first_from(places: list[int], start: int) -> int | None:
    index = bisect_left(places, start)
    return places[index] if index < len(places) else None


def push(state: Scan, kind: str, end: int) -> bool:
    """Adds a sign from here to `end` and goes there."""
    return put(state, Sign(kind, state.pos, end))


def put(state: Scan, sign: Sign) -> bool:
    """Adds a sign that begins here, and goes to its end."""
    state.signs.append(sign)
    state.pos = sign.end
    return True


def push_open(state: Scan, end: int, closing: str) -> bool:
    """Adds a mark from here to `end` that stays open, and so is text."""
    return put(state, Sign("open", state.pos, end, closing=closing))


def skip(state: Scan, end: int) -> bool:
    state.pos = end
    return True
