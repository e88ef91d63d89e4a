"""The marks that make a cloze deletion, and the notation in which the Obsidian plugin states them."""

import re
from typing import NamedTuple


class ClozePattern(NamedTuple):
    """Marks round a hidden piece, and what parts its group, answer and hint: `==1;;answer;;hint==`."""

    opening: str
    closing: str
    separator: str = ";;"


HIGHLIGHT = ClozePattern("==", "==")
BOLD = ClozePattern("**", "**")
CURLY = ClozePattern("{{", "}}")

_STOCK = {pattern.opening: pattern for pattern in (HIGHLIGHT, BOLD, CURLY)}
_NOTATION = re.compile(
    r"(?P<opening>\S+?)(?:\[123(?P<after_group>[^\]]+)\])?answer(?:\[(?P<before_hint>[^\]]+)hint\])?(?P<closing>\S+?)"
    r"(?:\[\^\\\[hint\\\]\]|\[\\\[\^123\\\]\]){0,2}"  # hint and group as footnotes, which are read in any case
)


def read(text: str) -> ClozePattern:
    """One of `==`, `**`, `{{`, or a pattern of the plugin such as `==[123;;]answer[;;hint]==`; ValueError else."""
    if stock := _STOCK.get(text):
        return stock
    found = _NOTATION.fullmatch(text)
    if found is None or any(char in found["opening"] + found["closing"] for char in "`$\\"):
        raise ValueError(f"no such pattern: {text}")
    separators = {found["after_group"], found["before_hint"]} - {None}
    if len(separators) > 1:
        raise ValueError(f"two different separators in {text}")
    return ClozePattern(found["opening"], found["closing"], *separators)
