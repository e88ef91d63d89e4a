"""Cards and problems as the JSON objects that scripts read."""

from dataclasses import asdict

from cards.model import Basic, Card, Cloze, Deletion, Problem, Reversed


def card_json(card: Card, card_id: str) -> dict[str, object]:
    match card.content:
        case Basic(front, back):
            kind = "basic"
        case Reversed(front, back):
            kind = "reversed"
        case Cloze(pieces):
            kind, front, back = "cloze", cloze_text(pieces), ""
    entry: dict[str, object] = {
        "id": card_id,
        "kind": kind,
        "origin": card.origin.value,
        "front": front,
        "back": back,
        "deck": card.deck,
        "tags": list(card.tags),
        "language": card.language.value,
        "heading": list(card.heading),
        "path": card.place.path,
        "line": card.place.line,
        "column": card.place.column,
        "schedule": [asdict(schedule) for schedule in card.schedule],
    }
    if card.warnings:
        entry["warnings"] = list(card.warnings)
    return entry


def problem_json(problem: Problem) -> dict[str, object]:
    place = problem.place
    return {
        "path": place.path,
        "line": place.line,
        "column": place.column,
        "code": problem.code,
        "message": problem.message,
    }


def cloze_text(pieces: tuple[str | Deletion, ...]) -> str:
    """The text with its deletions as `{{c1::answer}}` or `{{c1::answer::hint}}`.

    A `}}` inside a deletion is written `} }`, which means the same in a formula.
    """
    return "".join(piece if isinstance(piece, str) else _marked(piece) for piece in pieces)


def _marked(deletion: Deletion) -> str:
    hint = "" if deletion.hint is None else f"::{_parted(deletion.hint)}"
    return f"{{{{c{deletion.group}::{_parted(deletion.answer)}{hint}}}}}"


def _parted(text: str) -> str:
    while "}}" in text:
        text = text.replace("}}", "} }")
    return text
