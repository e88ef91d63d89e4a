"""What is remembered about each card between two runs, and its text form, `cards.lock`, made for git.

One JSON object a line, sorted by id, between a head line with the version and an end line that shows a file cut off.
The reader takes the lines in any order, and of two lines on one card the later, so after a git conflict the lines of
both sides can simply be kept; with `cards.lock merge=union` in `.gitattributes` git does that itself. The texts of the cards are kept whole: a digest
would find equal cards, but neither similar ones nor what a card said before.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import starmap
from typing import NamedTuple

from cards.model import Basic, Cloze, Content, Deletion, Place, Problem, Reversed

_VERSION = 1
_json = json.JSONEncoder(ensure_ascii=False).encode
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_ID = re.compile("[A-Za-z0-9_-]{1,64}")
_HEAD = "mha-quiz cards.lock, version "
_END = "end of cards.lock"
_GIT_MARKS = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")
_COMMON = frozenset({"id", "note", "heading", "deck", "kind", "fingerprint", "changed"})
_OPTIONAL = frozenset({"block", "nth", "shown_on", "retired"})
_NEEDED = {
    "basic": _COMMON | {"question", "answer"},
    "reversed": _COMMON | {"question", "answer"},
    "cloze": _COMMON | {"text"},
    "number": frozenset({"id", "kind", "deck", "fingerprint", "changed"}),
}
_TEXTS = frozenset({"note", "deck", "kind", "question", "answer", "block", "fingerprint"})


class LockedCard(NamedTuple):
    """A card as the last run saw it."""

    id: str
    note: str
    """Path of the note from the root, with `/`."""
    heading: tuple[str, ...]
    deck: str
    content: Content
    """Deletions carry the numbers Anki knows them by."""
    block_id: str | None
    fingerprint: str
    """Of all that Anki gets; empty if only a review met the card, and no deck was built with it yet."""
    changed: int
    """Unix seconds when the fingerprint last changed."""
    past: tuple[Deletion, ...] = ()
    """Deletions that are gone: their numbers are never given to another answer."""
    nth: int = 0
    """Which of the equal cards under one heading, counted from 0."""
    retired: bool = False
    """The card is gone from the notes; it comes back under its id if its text does."""
    shown_on: str | None = None
    """The id of its twin, where Anki has both languages on the note of that one and none for this card."""


class LockedNumber(NamedTuple):
    """A numeric question of the deck as the last build wrote it; it is no card of the notes."""

    id: str
    deck: str
    """An import moves no card, so the question stays in the deck of the first build."""
    fingerprint: str
    changed: int
    """Unix seconds when the fingerprint last changed."""


@dataclass(frozen=True, slots=True)
class Lock:
    """All cards ever seen, living and retired, and the numeric questions, each in the order of their ids."""

    cards: tuple[LockedCard, ...] = ()
    numbers: tuple[LockedNumber, ...] = ()


def format_lock(lock: Lock) -> str:
    """The text of the lock file."""
    lines = [*map(_line, lock.cards), *map(_number_line, lock.numbers)]
    return "\n".join([f"{_HEAD}{_VERSION}", *lines, _END, ""])


def parse_lock(text: str, path: str) -> Lock | tuple[Problem, ...]:
    """The lock in the text of the file `path`, or all that is wrong with it."""
    lines = text.split("\n")
    head = re.fullmatch(re.escape(_HEAD) + "([0-9]{1,9})", lines[0])
    if head is None:
        return (_bad(path, 1, 1, f'the first line is not "{_HEAD}{_VERSION}"'),)
    if int(head[1]) != _VERSION:
        return (_bad(path, 1, head.start(1) + 1, f"version {head[1]} is not known here, only {_VERSION} is"),)
    problems = []
    found: dict[str, tuple[int, LockedCard | LockedNumber]] = {}
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip() or line == _END:
            continue
        if line.startswith(_GIT_MARKS):
            problems.append(_bad(path, number, 1, "git left a conflict here; keep the lines of both sides"))
            continue
        match _card(line):
            case LockedCard() | LockedNumber() as card:
                first, other = found.setdefault(card.id, (number, card))
                if other is card:
                    continue
                if _later_counts(other, card):
                    found[card.id] = first, max(other, card, key=lambda it: it.changed)
                else:
                    message = f"card {card.id} is also in line {first}; keep the one with the later time"
                    problems.append(_bad(path, number, 1, message))
            case (column, reason):
                problems.append(_bad(path, number, column, reason))
    if _END not in lines:
        problems.append(_bad(path, len(lines), 1, f'the line "{_END}" is missing; the file was cut off'))
    entries = [entry for _, (_, entry) in sorted(found.items())]
    return tuple(problems) or Lock(
        tuple(entry for entry in entries if isinstance(entry, LockedCard)),
        tuple(entry for entry in entries if isinstance(entry, LockedNumber)),
    )


def _later_counts(one: LockedCard | LockedNumber, other: LockedCard | LockedNumber) -> bool:
    """Whether the later of two lines on a card says all: git keeps both, also where only a line beside was edited.

    Not if a number means two deletions: each may have reviews in somebody's Anki.
    """
    if type(one) is not type(other) or (one.changed == other.changed and one != other):
        return False
    mine, yours = _numbered(one), _numbered(other)
    return all(mine[number] == yours[number] for number in mine.keys() & yours.keys())


def _numbered(entry: LockedCard | LockedNumber) -> dict[int, list[str]]:
    """The answers that each number of a cloze means, or meant."""
    answers: dict[int, list[str]] = {}
    match entry:
        case LockedCard(content=Cloze(pieces), past=past):
            for piece in (*pieces, *past):
                if isinstance(piece, Deletion):
                    answers.setdefault(piece.group, []).append(piece.answer)
    return answers


def _bad(path: str, line: int, column: int, message: str) -> Problem:
    return Problem(Place(path, line, column), "bad-lock", message)


def _line(card: LockedCard) -> str:
    """As the encoder would write it, which takes its time for an object."""
    match card.content:
        case Basic(front, back):
            content = f'"kind": "basic", "question": {_json(front)}, "answer": {_json(back)}'
        case Reversed(front, back):
            content = f'"kind": "reversed", "question": {_json(front)}, "answer": {_json(back)}'
        case Cloze(pieces):
            content = f'"kind": "cloze", "text": {_json([_piece(piece) for piece in pieces])}'
            if card.past:
                content += f', "past": {_json([_piece(piece) for piece in card.past])}'
    if card.block_id is not None:
        content += f', "block": {_json(card.block_id)}'
    if card.nth:
        content += f', "nth": {card.nth}'
    if card.shown_on is not None:
        content += f', "shown_on": {_json(card.shown_on)}'
    retired = ', "retired": true' if card.retired else ""
    return (
        f'{{"id": {_json(card.id)}, "note": {_json(card.note)}, "heading": {_headings(card.heading)}, '
        f'"deck": {_json(card.deck)}, {content}, '
        f'"fingerprint": {_json(card.fingerprint)}, "changed": {card.changed}{retired}}}'
    )


@lru_cache
def _headings(heading: tuple[str, ...]) -> str:
    return _json(heading)


def _number_line(number: LockedNumber) -> str:
    return _json(
        {
            "id": number.id,
            "kind": "number",
            "deck": number.deck,
            "fingerprint": number.fingerprint,
            "changed": number.changed,
        }
    )


def _piece(piece: str | Deletion) -> str | list[object]:
    if isinstance(piece, str):
        return piece
    if piece.hint is None:
        return [piece.group, piece.answer]
    return [piece.group, piece.answer, piece.hint]


def _card(line: str) -> LockedCard | LockedNumber | tuple[int, str]:
    """The card or number of one line, or the column and the reason why there is none."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        return getattr(error, "colno", 1), "this is not a card but a damaged line"
    if not isinstance(entry, dict):
        return 1, "this is not a card but a damaged line"
    if "\\u" in line and _SURROGATE.search(line) and not _encodes(_json(entry)):
        return line.find("\\u") + 1, "half of a surrogate pair"
    kind = entry.get("kind")
    if not isinstance(kind, str) or kind not in _NEEDED:
        return _wrong(line, "kind")
    needed = _NEEDED[kind]
    if entry.keys() != needed:
        optional = {"number": frozenset(), "cloze": _OPTIONAL | {"past"}}.get(kind, _OPTIONAL)
        for key in sorted(needed - entry.keys()):
            return 1, f'"{key}" is missing'
        for key in entry.keys() - needed - optional:
            return _wrong(line, key)
    for key, value in entry.items():
        # most values are texts, and a call for each of them would take a third of the time
        if not (type(value) is str and key in _TEXTS) and not _FITS[key](value):
            return _wrong(line, key)
    if kind == "number":
        return LockedNumber(entry["id"], entry["deck"], entry["fingerprint"], entry["changed"])
    return LockedCard(
        entry["id"],
        entry["note"],
        tuple(entry["heading"]),
        entry["deck"],
        _content(kind, entry),
        entry.get("block"),
        entry["fingerprint"],
        entry["changed"],
        tuple(starmap(_deletion, entry["past"])) if "past" in entry else (),
        entry.get("nth", 0),
        entry.get("retired", False),
        entry.get("shown_on"),
    )


def _wrong(line: str, key: str) -> tuple[int, str]:
    return max(line.find(_json(key)), 0) + 1, f'"{key}" is not as this program writes it'


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_deletion(part: object) -> bool:
    match part:
        case [int(number), str(), *hint] if not isinstance(number, bool) and number > 0:
            return len(hint) < 2 and all(isinstance(text, str) for text in hint)
    return False


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_id(value: object) -> bool:
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**32


def _are(value: object, fits: Callable[[object], bool]) -> bool:
    return isinstance(value, list) and all(map(fits, value))


_FITS: Mapping[str, Callable[[object], bool]] = {
    **dict.fromkeys(_TEXTS, _is_text),
    **dict.fromkeys(("id", "shown_on"), _is_id),
    **dict.fromkeys(("changed", "nth"), _is_count),
    "heading": lambda value: _are(value, _is_text),
    "text": lambda value: _are(value, lambda part: _is_text(part) or _is_deletion(part)),
    "past": lambda value: _are(value, _is_deletion),
    "retired": lambda value: isinstance(value, bool),
}


def _content(kind: str, entry: dict[str, str]) -> Content:
    """The content of an entry whose values fit."""
    if kind == "basic":
        return Basic(entry["question"], entry["answer"])
    if kind == "reversed":
        return Reversed(entry["question"], entry["answer"])
    return Cloze(tuple(part if isinstance(part, str) else _deletion(*part) for part in entry["text"]))


def _deletion(group: int, answer: str, hint: str | None = None) -> Deletion:
    return Deletion(group, answer, hint)
