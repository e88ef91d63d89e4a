"""What a build did or would do, in lines of text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cards.identity import Changes
from cards.kinds import counted
from cards.wording import normal
from decks.numbers import Renewed
from decks.removed import TAG

_LONGEST = 60
"""Characters of a text that a line shows."""
_AT_ONCE = 100
"""Notes in one search; Anki's database takes no more than a thousand."""


@dataclass(frozen=True, slots=True)
class DeckMove:
    """A note whose deck in Anki is another than its notes say now; decks as Anki names them."""

    id: str
    old_deck: str
    deck: str
    search: str
    """Finds the note in Anki's Browser after the import."""


def search(field: str, html: str) -> str:
    """The search by which Anki finds a note whose `field` begins like `html`."""
    begin = html.split("\n")[0]
    rest = "*" if len(html) > _LONGEST or begin != html else ""
    return f'"{field}:{_escaped(begin[:_LONGEST], ":")}{rest}"'


def plan_lines(
    changes: Changes, questions: Mapping[str, str], moves: Sequence[DeckMove], numbers: Renewed
) -> Iterator[str]:
    """All that an import of the package would do to the notes in Anki."""
    decks = {move.id: f"deck {move.old_deck} → {move.deck}" for move in moves}
    for name, cards in (("new", changes.new), ("restored", changes.restored)):
        if cards:
            yield f"{name}: {len(cards)}"
            for card in cards:
                yield f"  {card.place}  {_short(questions[card.id])}"
    if changes.edited:
        yield f"edited: {len(changes.edited)}"
        for edit in changes.edited:
            yield f"  {edit.place}"
            yield f"    - {_short(edit.old_question)} → {_short(edit.old_answer)}"
            yield f"    + {_short(edit.question)} → {_short(edit.answer)}"
    if changes.moved:
        yield f"moved: {len(changes.moved)}"
        for move in changes.moved:
            where = ", ".join([f"{move.old_note} → {move.place}", *([decks[move.id]] if move.id in decks else [])])
            yield f"  {where}  {_short(questions[move.id])}"
    if changes.removed:
        yield f"removed: {len(changes.removed)}"
        for card in changes.removed:
            yield f"  {card.place.path}  {_short(questions[card.id])}"
    yield f"unchanged: {len(changes.unchanged)}"
    counts = (("new", numbers.new), ("edited", numbers.edited), ("unchanged", numbers.unchanged))
    if told := [f"{count} {name}" for name, count in counts if count]:
        yield f"numbers: {', '.join(told)}"


def todo_lines(marked: int, emptied: int, moves: Sequence[DeckMove]) -> Iterator[str]:
    """What the learner has to do in Anki after the import: an import neither deletes notes nor moves their cards."""
    groups: dict[tuple[str, str], list[str]] = {}
    for move in moves:
        groups.setdefault((move.old_deck, move.deck), []).append(move.search)
    if emptied:
        count = counted(emptied, "card")
        yield f"After the import, in Anki: Tools > Empty Cards deletes what asks nothing any more ({count})"
    if marked or groups:
        yield "After the import, in Anki's Browser:"
    if marked:
        yield f"  to delete what is removed, search this, look through it, then Notes > Delete ({counted(marked, 'note')}):"
        yield f"    tag:{TAG}"
    for (old, new), searches in groups.items():
        for start in range(0, len(searches), _AT_ONCE):
            part = searches[start : start + _AT_ONCE]
            yield f'  to move cards to "{new}", search this, select all, then Cards > Change Deck ({counted(len(part), "note")}):'
            alternatives = part[0] if len(part) == 1 else f"({' OR '.join(part)})"
            yield f'    "deck:{_escaped(old)}" {alternatives}'


def _short(text: str) -> str:
    line = normal(text)
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def _escaped(text: str, also: str = "") -> str:
    return "".join(f"\\{char}" if char in '\\"*_' + also else char for char in text)
