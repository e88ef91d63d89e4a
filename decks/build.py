"""Cards → a deck file: render, name, write the package, remember."""

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path

from cards.identity import Changes, Edited, identify, question_of
from cards.known import KnownCard, Scope
from cards.learned import Learned
from cards.lock import Lock, LockedCard
from cards.lock_file import write_lock
from cards.media import Vault
from cards.model import Card, Cloze, Language, Place, Problem
from cards.remembered import Remembered
from cards.sides import siblings
from decks import apkg, names
from decks import numbers as number_notes
from decks.heirs import with_heirs
from decks.media import Media
from decks.moves import DeckMove, moves
from decks.numbers import Number, Renewed
from decks.removed import TAG, gone, last_stored
from decks.rendering import remembered_sides
from decks.stored import Stored, empty_side, fingerprint, stored


@dataclass(frozen=True, slots=True)
class Built:
    """What a deck file holds, and what became of the cards since the last one."""

    notes: int
    """Those of cards, without the ones that are there to be marked as removed."""
    cards: int
    """Anki's cards: two for a reversed note, one for each number of a cloze."""
    decks: tuple[tuple[str, int], ...]
    """Each deck and how many notes it has, by name."""
    marked: int
    """How many notes get the tag for removed ones."""
    emptied: int
    """How many cards of notes that are still there have nothing to ask any more."""
    numbers: Renewed
    """The numeric questions, which are not among `notes`, `cards` and `decks`."""
    numbers_deck: str
    changes: Changes
    """A card whose place alone changed counts as moved, not as edited."""
    questions: Mapping[str, str]
    """What the cards in `changes` ask, by id."""
    moves: tuple[DeckMove, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Planned:
    """All that a build would write."""

    notes: tuple[apkg.Note, ...]
    media: Mapping[str, Path]
    """The files that the notes show, by their names there."""
    lock: Lock
    built: Built


def write(planned: Planned, out: Path, lock_file: Path, memory: Remembered | None = None) -> Built:
    """Write the package to `out` and the lock to `lock_file`, both or neither. Raises `OSError`; a package then is as it
    was."""
    # No package may hold an id that the lock does not know, and no lock is needed for a package that failed.
    with apkg.staged(out, planned.notes, planned.media, memory):
        write_lock(lock_file, planned.lock)
    return planned.built


def plan(
    cards: Sequence[Card],
    lock: Lock,
    *,
    scope: Scope,
    now: int,
    twins: Sequence[tuple[Card, Card]] = (),
    language: Language | None = None,
    vault: Vault | None = None,
    learned: Mapping[tuple[str, int], Learned] | None = None,
    imported: Lock | None = None,
    numbers: Sequence[Number] = (),
    memory: Remembered | None = None,
) -> Planned:
    """What a build of the cards would write; nothing is written.

    `twins` are pairs that say the same in two languages: one note shows both, or with a `language` only that one. Cards
    without a twin are there if they are in the language. `vault` finds the pictures and sounds of the notes; without it
    none are shown. `learned` is what the learner did with which sibling, by id and Anki's number.

    A card of `imported` that is gone, or that went lately, is there with its last text and the tag for removed ones;
    `imported` is the lock that the last imported package was built with, by default `lock`. The `numbers` come after the
    cards, in the deck that they were first built into. What `memory` knows is not rendered again. Raises `OSError` if a
    picture cannot be read.
    """
    pairs = [pair for pair in twins if _fit_one_note(*pair, language)]
    other = {_key(one): two for pair in pairs for one, two in (pair, pair[::-1])}
    media = Media(vault) if vault else None
    rendered: dict[int, tuple[Card, Stored]] = {}  # by identity, since a card takes long to hash; it stays alive here
    problems: list[Problem] = []

    def side(card: Card) -> Stored:
        if (found := rendered.get(id(card))) is None:
            told, twin = _told(card, other.get(_key(card)) if other else None, language)
            found = rendered[id(card)] = card, stored(told, twin, scope.read[told.place.path], media)
        return found[1]

    if memory is not None:
        alone = [card for card in cards if _key(card) not in other] if other else cards
        rendered |= remembered_sides(alone, scope.read, memory, side)
    fit = []
    for card in cards:
        empty = empty_side(side(card))
        if empty:
            problems.append(Problem(card.place, "empty-side", f"nothing of the {empty} can be shown in Anki"))
        else:
            fit.append(card)
    identified = identify(fit, lock, now=now, fingerprint=lambda card: fingerprint(side(card)), scope=scope)
    identified, lock = with_heirs(identified, lock, language, now)
    hosts = _hosts(identified.cards, pairs, lock)
    shown = [
        known
        for known in identified.cards
        if known.id not in hosts and (language in (None, known.card.language) or _key(known.card) in other)
    ]
    shown_ids = {known.id for known in shown}
    left_out = {known.id for known in identified.cards if known.id not in shown_ids}
    remembered = replace(identified.lock, cards=_settled(identified.lock.cards, lock.cards, left_out, hosts))
    marked = [
        (card, last)
        for card, twin in gone(lock if imported is None else imported, remembered, scope, now)
        if (last := last_stored(card, twin, language, media, vault.root if vault else Path())) is not None
    ]
    changes = _changes(identified.changes, shown_ids, remembered)
    in_use = [known.card.deck for known in shown]
    numbers_deck = (
        lock.numbers[0].deck if lock.numbers else number_notes.default_deck(names.deck_names(in_use).values())
    )
    decks = names.deck_names(
        [*in_use, *(card.deck for card, _ in marked), *(move.old_deck for move in changes.moved), numbers_deck]
    )
    notes = [_note(known, side(known.card), decks[known.card.deck], learned or {}) for known in shown]
    removed = [
        apkg.Note(card.id, last.note_type, last.fields, (), (TAG,), decks[card.deck], card.changed, gone=True)
        for card, last in marked
    ]
    asked, kept, renewed = number_notes.notes(numbers, language, lock.numbers, decks[numbers_deck], now)
    files = dict(
        file for last in (*(side(known.card) for known in shown), *(it for _, it in marked)) for file in last.media
    )
    built = Built(
        len(notes),
        sum(len(note.cards) for note in notes),
        tuple(sorted(Counter(note.deck for note in notes).items())),
        len(removed),
        _emptied(lock if imported is None else imported, notes),
        renewed,
        decks[numbers_deck],
        changes,
        {card.id: question_of(card.content) for card in remembered.cards},
        moves(changes.moved, {note.guid: note for note in notes}, decks),
        tuple(sorted([*problems, *identified.problems])),
    )
    return Planned((*notes, *asked, *removed), files, replace(remembered, numbers=kept), built)


def _emptied(before: Lock, notes: Sequence[apkg.Note]) -> int:
    had = {card.id: siblings(card.content) for card in before.cards if card.fingerprint and not card.retired}
    return sum(len(set(had.get(note.guid, ())) - set(note.cards)) for note in notes)


def _told(card: Card, twin: Card | None, language: Language | None) -> tuple[Card, Card | None]:
    """What the note of a card says, and what it says below in the other language."""
    if twin is None or language is None:
        return card, twin
    return (card if card.language is language else twin), None


def _fit_one_note(one: Card, other: Card, language: Language | None) -> bool:
    """Whether the cards that Anki makes of one are those it makes of the other.

    A cloze is never told by its twin alone: its numbers are those its own text got in earlier runs.
    """
    match one.content, other.content:
        case Cloze() as mine, Cloze() as yours:
            return language is None and siblings(mine) == siblings(yours)
        case mine, yours:
            return type(mine) is type(yours)


def _hosts(cards: Sequence[KnownCard], pairs: Sequence[tuple[Card, Card]], lock: Lock) -> dict[str, str]:
    """For each card that has no note of its own, the id of the twin on whose note it is shown.

    A note that Anki may have already keeps its history: only a card that never had one is shown on another's. Of two
    new cards the English one has the note.
    """
    if not pairs:
        return {}
    ids = {_key(known.card): known.id for known in cards}
    before = {card.id: card.shown_on for card in lock.cards if card.fingerprint}
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


def _settled(
    cards: Sequence[LockedCard], before: Sequence[LockedCard], left_out: AbstractSet[str], hosts: Mapping[str, str]
) -> tuple[LockedCard, ...]:
    """What to remember of the cards, now that it is known which of them have a note, and which share another's.

    A card that this language leaves out stays on its twin's note, where the other languages find it again. One that
    never had a note is remembered like one that only a review met, so that it can still go on the note of its twin.
    """
    had = {card.id: card for card in before}
    settled = []
    for card in cards:
        last = had.get(card.id)
        if card.retired:
            settled.append(card)
        elif card.id in hosts:
            settled.append(card._replace(shown_on=hosts[card.id]))
        elif card.id not in left_out:
            settled.append(card)
        elif last is not None and last.fingerprint:
            settled.append(card if card.shown_on == last.shown_on else card._replace(shown_on=last.shown_on))
        else:
            settled.append(card._replace(fingerprint="", changed=last.changed if last is not None else card.changed))
    return tuple(settled)


def _key(card: Card) -> tuple[Place, str]:
    """A card whatever its cloze numbers are."""
    return card.place, question_of(card.content)


def _note(known: KnownCard, side: Stored, deck: str, learned: Mapping[tuple[str, int], Learned]) -> apkg.Note:
    progress = {card: learned[known.id, card] for card in side.cards if (known.id, card) in learned}
    return apkg.Note(known.id, side.note_type, side.fields, side.cards, side.tags, deck, known.changed, progress)


def _changes(changes: Changes, shown: AbstractSet[str], lock: Lock) -> Changes:
    """What happened to the notes, without the cards that have none in this package, and had none in the last.

    A move changes the heading path and the source that a card shows; that alone is no edit.
    """
    moved = {move.id for move in changes.moved}
    guests = {card.id for card in lock.cards if card.shown_on is not None}
    return Changes(
        tuple(card for card in changes.unchanged if card.id in shown),
        tuple(edit for edit in changes.edited if edit.id in shown and (edit.id not in moved or _says_other(edit))),
        tuple(move for move in changes.moved if move.id in shown),
        tuple(card for card in changes.new if card.id in shown),
        tuple(card for card in changes.removed if card.id not in guests),
        tuple(card for card in changes.restored if card.id in shown),
    )


def _says_other(edit: Edited) -> bool:
    return (edit.old_question, edit.old_answer) != (edit.question, edit.answer)
