"""Cards → a deck file: render, name, write the package, remember."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from cards.identity import Changes, Edited, KnownCard, Scope, identify, question_of
from cards.learned import Learned
from cards.lock import Lock
from cards.lock_file import write_lock
from cards.media import Vault
from cards.model import Basic, Card, Cloze, Content, Deletion, Place, Problem, Reversed
from decks import apkg, html, names, note_types
from decks.media import Media


@dataclass(frozen=True, slots=True)
class Built:
    """What a deck file holds, and what became of the cards since the last one."""

    notes: int
    cards: int
    """Anki's cards: two for a reversed note, one for each number of a cloze."""
    changes: Changes
    """A card whose place alone changed counts as moved, not as edited."""
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class _Side:
    """A card as Anki will store it, but for its id."""

    note_type: note_types.NoteType
    fields: tuple[str, ...]
    cards: tuple[int, ...]
    tags: tuple[str, ...]
    media: tuple[tuple[str, Path], ...]
    """The files that the fields show, by their names there."""


def build(
    cards: Sequence[Card],
    lock: Lock,
    *,
    scope: Scope,
    now: int,
    out: Path,
    lock_file: Path,
    twins: Iterable[tuple[Card, Card]] = (),
    vault: Vault | None = None,
    learned: Mapping[tuple[str, int], Learned] | None = None,
) -> Built:
    """Write the cards as a package to `out`, in this order, and what there is to remember to `lock_file`.

    `twins` are pairs that say the same in two languages; each shows the other. `vault` finds the pictures and sounds of
    the notes; without it none are shown. `learned` is what the learner did with which sibling, by id and Anki's number.
    Raises `OSError` if a file cannot be read or written; a package then is as it was.
    """
    other = {_key(one): two for pair in twins for one, two in (pair, pair[::-1])}
    media = Media(vault) if vault else None
    sides: dict[Card, _Side] = {}
    problems: list[Problem] = []

    def side(card: Card) -> _Side:
        if card not in sides:
            sides[card] = _side(card, other.get(_key(card)), scope.read[card.place.path], media)
        return sides[card]

    shown = []
    for card in cards:
        empty = _empty_side(card, side(card))
        if empty:
            problems.append(Problem(card.place, "empty-side", f"nothing of the {empty} can be shown in Anki"))
        else:
            shown.append(card)
    identified = identify(shown, lock, now=now, fingerprint=lambda card: _fingerprint(side(card)), scope=scope)
    decks = names.deck_names(card.deck for card in shown)
    notes = [_note(known, side(known.card), decks[known.card.deck], learned or {}) for known in identified.cards]
    files = dict(file for known in identified.cards for file in side(known.card).media)
    # No package may hold an id that the lock does not know, and no lock is needed for a package that failed.
    with apkg.staged(out, notes, files):
        write_lock(lock_file, identified.lock)
    return Built(
        len(notes),
        sum(len(note.cards) for note in notes),
        _changes(identified.changes),
        tuple(sorted([*problems, *identified.problems])),
    )


def _key(card: Card) -> tuple[Place, str]:
    """A card whatever its cloze numbers are."""
    return card.place, question_of(card.content)


def _side(card: Card, twin: Card | None, note: str, media: Media | None) -> _Side:
    content = card.content
    used: dict[str, Path] = {}
    named = media.named(card.place.path, used) if media else html.no_media
    fields = {"Context": html.plain(" › ".join(card.heading)), "Source": html.plain(note)}
    if isinstance(content, Cloze):
        note_type = note_types.cloze()
        fields["Text"] = html.render_cloze(content, named)
        groups = sorted({piece.group for piece in content.pieces if isinstance(piece, Deletion)})
        cards = tuple(group - 1 for group in groups)
    else:
        note_type = note_types.basic()
        fields |= {"Front": html.render(content.front, named), "Back": html.render(content.back, named)}
        cards = (0,)
        if isinstance(content, Reversed):
            fields["Reverse"] = "yes"
            cards = (0, 1)
    if twin is not None:
        fields |= _second_language(content, twin, media.named(twin.place.path, used) if media else html.no_media)
    ordered = tuple(fields.get(field.name, "") for field in note_type.fields)
    return _Side(note_type, ordered, cards, names.tags(card.tags), tuple(used.items()))


def _second_language(content: Content, twin: Card, named: html.Named) -> dict[str, str]:
    match content, twin.content:
        case Cloze(), Cloze() as cloze:
            return {"Text (second language)": html.render(_filled(cloze), named)}
        case (Basic() | Reversed(), (Basic(front, back) | Reversed(front, back))):
            return {
                "Front (second language)": html.render(front, named),
                "Back (second language)": html.render(back, named),
            }
        case _:
            return {}


def _filled(cloze: Cloze) -> str:
    return "".join(piece.answer if isinstance(piece, Deletion) else piece for piece in cloze.pieces)


def _empty_side(card: Card, side: _Side) -> str | None:
    if html.is_empty(side.fields[0]):
        return "front"
    if not isinstance(card.content, Cloze) and html.is_empty(side.fields[1]):
        return "back"
    return None


def _fingerprint(side: _Side) -> str:
    parts = (side.note_type.name, *side.fields, *side.tags)
    return sha256("\x1f".join(parts).encode()).hexdigest()[:16]


def _note(known: KnownCard, side: _Side, deck: str, learned: Mapping[tuple[str, int], Learned]) -> apkg.Note:
    progress = {card: learned[known.id, card] for card in side.cards if (known.id, card) in learned}
    return apkg.Note(known.id, side.note_type, side.fields, side.cards, side.tags, deck, known.changed, progress)


def _changes(changes: Changes) -> Changes:
    """A move changes the heading path and the source that a card shows; that alone is no edit."""
    moved = {move.id for move in changes.moved}
    edited = (edit for edit in changes.edited if edit.id not in moved or _says_other(edit))
    return replace(changes, edited=tuple(edited))


def _says_other(edit: Edited) -> bool:
    return (edit.old_question, edit.old_answer) != (edit.question, edit.answer)
