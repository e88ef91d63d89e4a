"""Answers to choose from, most of which are wrong: no claims of the note."""

import re
from collections.abc import Iterator, Sequence

from mha_quiz.claims.passages import Passage, Reading

_OPTION = re.compile(r"(?:^|(?<=\s))\*{0,2}[(\[]?([A-Ha-h])[)\].:]\*{0,2}[ \t]", re.MULTILINE)
_ASKS = re.compile(
    r"\?|(?:^|[.!:\n])\W*which\b|\b(?:choose|pick|select|true or false|mcq|multiple[- ]choice|quiz|kaun\s?s[aei]|vikalp)\b|"
    r"\b(?:correct|right|sahi) (?:one|option|answer|statement|jawab|uttar)\b|"
    r"(?:^|\n)\W*Q(?:uestion)?\s?\d*\W*[.:)]",
    re.IGNORECASE,
)
_ANSWERED = re.compile(r"\b(?:ans(?:wer)?|correct|sahi|uttar|jawab|key)\b[^\n]{0,30}?\b[A-Ha-h]\b", re.IGNORECASE)
_FARTHEST = 3
"""Passages from the options to their question or to the letter of the right one."""
_LOOKED_AT = 500
"""Characters of each of them."""
_UNTICKED = "[ ] "


def offered(reading: Reading) -> dict[int, int]:
    """The passages that offer answers, by their numbers, and where in each the first one stands."""
    found: dict[int, int] = {}
    for run in _runs(reading.passages):
        first, last = run[0][0].number, run[-1][0].number
        if _is_asked(reading.passages, first, last, run[0][0].text[: run[0][1]]):
            found |= {passage.number: start for passage, start in run}
    for passage in reading.passages:
        if passage.role == "item" and reading.source.text.endswith(_UNTICKED, 0, passage.starts[0][1]):
            found[passage.number] = 0
    for items in _answers(reading.passages):
        lefts = [item.text.partition("=")[0].split() for item in items]
        found |= {item.number: 0 for item, left in zip(items, lefts, strict=True) if lefts.count(left) > 1}
    return found


def _runs(passages: Sequence[Passage]) -> Iterator[list[tuple[Passage, int]]]:
    """Passages that hold options A, B and so on: one with all of them, or one after another."""
    run: list[tuple[Passage, int]] = []
    for passage in passages:
        labels = tuple(_labels(passage.text))
        if not (len(labels) == 1 and ord(labels[0][0]) == ord("A") + len(run)):
            if len(run) > 1:
                yield run
            run = []
        if len(labels) > 1 and labels[0][0] == "A":
            yield [(passage, labels[0][1])]
        elif len(labels) == 1 and ord(labels[0][0]) == ord("A") + len(run):
            run.append((passage, labels[0][1]))
    if len(run) > 1:
        yield run


def _labels(text: str) -> Iterator[tuple[str, int]]:
    """The letters, each the next of the one before, and where they stand."""
    wanted = None
    for match in _OPTION.finditer(text):
        letter = match[1].upper()
        if wanted is None or letter == wanted:
            yield letter, match.start()
            wanted = chr(ord(letter) + 1)


def _answers(passages: Sequence[Passage]) -> Iterator[list[Passage]]:
    """The items of the lists that follow directly what asks for one of them."""
    items: list[Passage] | None = None
    for passage in passages:
        if items is not None and passage.role == "item" and len(items) < _MOST_ITEMS:
            items.append(passage)
            continue
        if items:
            yield items
        asked = passage.text[-_LOOKED_AT:].rstrip()
        items = [] if asked.endswith("?") or (asked.endswith(":") and _ASKS.search(asked)) else None
    if items:
        yield items


_MOST_ITEMS = 8


def _is_asked(passages: Sequence[Passage], first: int, last: int, before: str) -> bool:
    above = [passage.text[-_LOOKED_AT:] for passage in passages[max(0, first - _FARTHEST) : first]]
    below = [passage.text[:_LOOKED_AT] for passage in passages[last : last + _FARTHEST + 1]]
    return any(map(_ASKS.search, (*above, before[-_LOOKED_AT:]))) or any(map(_ANSWERED.search, below))
