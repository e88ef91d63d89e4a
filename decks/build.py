"""Cards → a deck file: render, name, write the package, remember."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from cards.identity import Changes, Edited, KnownCard, Scope, identify, question_of
from cards.learned import Learned
from cards.lock import Lock
from cards.lock_file import write_lock
from cards.media import Vault
from cards.model import Basic, Card, Cloze, Content, Deletion, Language, Place, Problem, Reversed
from decks import apkg, html, names, note_types
from decks.media import Media


@dataclass(frozen=True, slots=True)
class Built:
    """What a deck file holds, and what became of the cards since the last one."""

    notes: int
    cards: int
    """Anki's cards: two for a reversed note, one for each number of a cloze."""
    decks: tuple[tuple[str, int], ...]
    """Each deck and how many notes it has, by name."""
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
    twins: Sequence[tuple[Card, Card]] = (),
    language: Language | None = None,
    vault: Vault | None = None,
    learned: Mapping[tuple[str, int], Learned] | None = None,
) -> Built:
    """Write the cards as a package to `out`, in this order, and what there is to remember to `lock_file`.

    `twins` are pairs that say the same in two languages: one note shows both, or with a `language` only that one. Cards
    without a twin are there if they are in the language. `vault` finds the pictures and sounds of the notes; without it
    none are shown. `learned` is what the learner did with which sibling, by id and Anki's number.
    Raises `OSError` if a file cannot be read or written; a package then is as it was.
    """
    pairs = [pair for pair in twins if _fit_one_note(*pair, language)]
    other = {_key(one): two for pair in pairs for one, two in (pair, pair[::-1])}
    media = Media(vault) if vault else None
    sides: dict[Card, _Side] = {}
    problems: list[Problem] = []

    def side(card: Card) -> _Side:
        if card not in sides:
            twin = other.get(_key(card))
            if twin is not None and language is not None:
                told, twin = card if card.language is language else twin, None
            else:
                told = card
            sides[card] = _side(told, twin, scope.read[told.place.path], media)
        return sides[card]

    fit = []
    for card in cards:
        empty = _empty_side(card, side(card))
        if empty:
            problems.append(Problem(card.place, "empty-side", f"nothing of the {empty} can be shown in Anki"))
        else:
            fit.append(card)
    identified = identify(fit, lock, now=now, fingerprint=lambda card: _fingerprint(side(card)), scope=scope)
    hosts = _hosts(identified.cards, pairs, lock)
    shown = [
        known
        for known in identified.cards
        if known.id not in hosts and (language in (None, known.card.language) or _key(known.card) in other)
    ]
    decks = names.deck_names(known.card.deck for known in shown)
    notes = [_note(known, side(known.card), decks[known.card.deck], learned or {}) for known in shown]
    files = dict(file for known in shown for file in side(known.card).media)
    remembered = Lock(
        tuple(card if card.retired else replace(card, shown_on=hosts.get(card.id)) for card in identified.lock.cards)
    )
    # No package may hold an id that the lock does not know, and no lock is needed for a package that failed.
    with apkg.staged(out, notes, files):
        write_lock(lock_file, remembered)
    gone = {card.id for card in identified.cards} - {known.id for known in shown}
    return Built(
        len(notes),
        sum(len(note.cards) for note in notes),
        tuple(sorted(Counter(note.deck for note in notes).items())),
        _changes(identified.changes, gone),
        tuple(sorted([*problems, *identified.problems])),
    )


def _fit_one_note(one: Card, other: Card, language: Language | None) -> bool:
    """Whether the cards that Anki makes of one are those it makes of the other.

    A cloze is never told by its twin alone: its numbers are those its own text got in earlier runs.
    """
    match one.content, other.content:
        case Cloze() as mine, Cloze() as yours:
            return language is None and _groups(mine) == _groups(yours)
        case mine, yours:
            return type(mine) is type(yours)


def _hosts(cards: Sequence[KnownCard], pairs: Iterable[tuple[Card, Card]], lock: Lock) -> dict[str, str]:
    """For each card that has no note of its own, the id of the twin on whose note it is shown.

    A note that Anki may have already keeps its history: only a card that never had one is shown on another's. Of two
    new cards the English one has the note.
    """
    ids = {_key(known.card): known.id for known in cards}
    before = {card.id: card.shown_on for card in lock.cards}
    hosts = {}
    for pair in pairs:
        if any(_key(card) not in ids for card in pair):
            continue
        one, two = (ids[_key(card)] for card in sorted(pair, key=lambda card: card.language is not Language.EN))
        if before.get(one) == two or (one not in before and before.get(two, one) is None):
            hosts[one] = two
        elif two not in before or before[two] is not None:
            hosts[two] = one
    return hosts


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
        cards = tuple(group - 1 for group in _groups(content))
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


def _groups(cloze: Cloze) -> list[int]:
    return sorted({piece.group for piece in cloze.pieces if isinstance(piece, Deletion)})


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


def _changes(changes: Changes, gone: AbstractSet[str]) -> Changes:
    """What happened to the notes, without the cards that have none in this package.

    A move changes the heading path and the source that a card shows; that alone is no edit.
    """
    moved = {move.id for move in changes.moved}
    return Changes(
        tuple(card for card in changes.unchanged if card.id not in gone),
        tuple(edit for edit in changes.edited if edit.id not in gone and (edit.id not in moved or _says_other(edit))),
        tuple(move for move in changes.moved if move.id not in gone),
        tuple(card for card in changes.new if card.id not in gone),
        changes.removed,
    )


def _says_other(edit: Edited) -> bool:
    return (edit.old_question, edit.old_answer) != (edit.question, edit.answer)
