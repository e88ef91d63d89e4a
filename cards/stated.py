"""The formulas that a note states, with their places."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cards import formulas
from cards.source import behind_front_matter, normalized


@dataclass(frozen=True, slots=True)
class Stated:
    tex: str
    """In one spelling, see `formulas.normalised`."""
    line: int
    column: int
    """Of its first dollar sign; both counted from 1."""


_FENCE = re.compile(r"[ \t>]*(?:(`{3,})[^`]*$|(~{3,}))")
_CODE = re.compile(r"(`+)[^`\n]+\1")


def stated(text: str) -> Iterator[Stated]:
    """The formulas of a note or page in order; code and front matter are skipped."""
    lines = normalized(text).split("\n")
    number = behind_front_matter(lines)
    while number < len(lines):
        line = lines[number]
        if fence := _FENCE.match(line):
            number = _closing(lines, number, fence[1] or fence[2])
        elif (mark := line.strip(" \t>")).startswith("$$") and mark.count("$$") == 1:
            last = next((n for n in range(number + 1, len(lines)) if "$$" in lines[n]), number)
            tex = formulas.normalised(" ".join([mark, *(line.strip(" \t>") for line in lines[number + 1 : last + 1])]))
            if tex:
                yield Stated(tex, number + 1, line.index("$$") + 1)
            number = last
        else:
            yield from _in_line(line, number + 1)
        number += 1


def _in_line(line: str, number: int) -> Iterator[Stated]:
    bare = _CODE.sub(lambda code: " " * len(code[0]), line) if "`" in line else line
    for found in formulas.find(bare):
        match found:
            case formulas.Formula(start, end, _):
                yield Stated(formulas.normalised(bare[start:end]), number, start + 1)
            case formulas.BrokenHighlight(start, _, mark, hidden_start, hidden_end):
                if before := formulas.normalised(bare[start:mark]):
                    yield Stated(before, number, start + 1)
                yield Stated(formulas.normalised(bare[hidden_start:hidden_end]), number, hidden_start + 1)


def _closing(lines: list[str], opening: int, fence: str) -> int:
    for number in range(opening + 1, len(lines)):
        text = lines[number].strip(" \t>")
        if text.startswith(fence) and not text.strip(fence[0]):
            return number
    return len(lines)
