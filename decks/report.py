"""What a build did or would do, in lines of text."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from cards.collection import Collection, left_out_lines
from cards.identity import Changes, Edited
from cards.kinds import counted
from cards.wording import normal
from decks.build import Built
from decks.moves import DeckMove, escaped
from decks.numbers import Renewed
from decks.removed import TAG

_LONGEST = 60
"""Characters of a text that a line shows."""
_AROUND = 20
"""Of them, those before the first that differs."""
_AT_ONCE = 100
"""Notes in one search; Anki's database takes no more than a thousand."""


def report_lines(output: Path, built: Built, collection: Collection, *, plan: bool) -> Iterator[str]:
    """What was built of the collection; with `plan`, all that an import of it would change."""
    yield f"{output}: {counted(built.notes, 'note')}, {counted(built.cards, 'card')} in Anki{and_numbers(built)}"
    for name, notes in built.decks:
        yield f"  {name}: {counted(notes, 'note')}"
    if plan:
        yield from plan_lines(built.changes, built.questions, built.moves, built.numbers)
    else:
        changes = built.changes
        restored = f", {len(changes.restored)} restored" if changes.restored else ""
        yield (
            f"{len(changes.unchanged)} unchanged, {len(changes.edited)} edited, {len(changes.moved)} moved, "
            f"{len(changes.new)} new, {len(changes.removed)} removed{restored}"
        )
    yield from left_out_lines(collection)
    if warned := sum(bool(card.warnings) for card in collection.cards):
        yield f"{counted(warned, 'card')} with a number that does not compute, which `mha-quiz check` of the same notes tells"
    yield from todo_lines(built.marked, built.emptied, built.moves)
    if plan:
        yield "Nothing was written."


def and_numbers(built: Built) -> str:
    """The numeric questions, where there are any, behind what is told of the cards."""
    number = built.numbers.all
    return f", and {counted(number, 'number')} in {built.numbers_deck}" if number else ""


def report_json(output: Path, built: Built) -> dict[str, object]:
    """What `deck --json` prints."""
    changes = built.changes
    return {
        "deck_file": str(output),
        "notes": built.notes,
        "cards": built.cards,
        "numbers": built.numbers.all,
        "unchanged": [card.id for card in changes.unchanged],
        "edited": [card.id for card in changes.edited],
        "moved": [card.id for card in changes.moved],
        "new": [card.id for card in (*changes.new, *changes.restored)],
        "removed": [card.id for card in changes.removed],
    }


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
            yield from _edit_lines(edit)
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
            yield f'    "deck:{escaped(old)}" {alternatives}'


def _edit_lines(edit: Edited) -> Iterator[str]:
    questions = _short_both(normal(edit.old_question), normal(edit.question))
    answers = _short_both(normal(edit.old_answer), normal(edit.answer))
    (was, now), (said, says) = questions, answers
    if (was, said) == (now, says):
        yield f"    = {now} → {says}"
        yield "      the words stay; lines, hints, tags, pictures, the source or the other language changed"
    else:
        yield f"    - {was} → {said}"
        yield f"    + {now} → {says}"


def _short_both(old: str, new: str) -> tuple[str, str]:
    """Both cut to what can be shown, and so that their difference is."""
    both = enumerate(zip(old, new, strict=False))
    start = next((at for at, (was, now) in both if was != now), min(len(old), len(new)))
    if old == new or start < _LONGEST - _AROUND or max(len(old), len(new)) <= _LONGEST:
        return _short(old), _short(new)
    start -= _AROUND
    return f"…{_short(old[start:])}", f"…{_short(new[start:])}"


def _short(text: str) -> str:
    line = normal(text)
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
