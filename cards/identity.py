"""Ids that survive edits: the cards of this run find the cards of the last one, and keep their names."""

from base64 import b32encode
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import count
from typing import NamedTuple

from cards.cloze_numbers import keep_numbers
from cards.known import KnownCard, Scope
from cards.likeness import DELETION, Sight
from cards.lock import Lock, LockedCard
from cards.matching import Matching, match
from cards.model import Card, Cloze, Content, Deletion, Place, Problem, quoted
from cards.sides import filled
from cards.wording import normal, read

_BREAK = "\x1f"
_QUICK_BUILDS = 60
"""Seconds: each edit moves the time of a card by one at least, so many builds in a second run ahead of the clock."""
_MOST_TOLD = 5
"""Cards that a message names."""


class Seen(NamedTuple):
    """A card and where it stands; a card that is gone: its note, line 1."""

    id: str
    place: Place


@dataclass(frozen=True, slots=True)
class Edited:
    """A card whose fingerprint changed, and what it said before and says now."""

    id: str
    place: Place
    old_question: str
    old_answer: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A card in another note, under another heading or in another deck, edited or not; and where it was."""

    id: str
    place: Place
    old_note: str
    old_deck: str


@dataclass(frozen=True, slots=True)
class Changes:
    """What happened to the cards since the last run. A card may be both edited and moved."""

    unchanged: tuple[Seen, ...] = ()
    edited: tuple[Edited, ...] = ()
    moved: tuple[Moved, ...] = ()
    new: tuple[Seen, ...] = ()
    """Born in this run, or in a review since the last deck."""
    removed: tuple[Seen, ...] = ()
    """Retired in this run."""
    restored: tuple[Seen, ...] = ()
    """Back from retirement."""


@dataclass(frozen=True, slots=True)
class Identified:
    """Cards in the order given, the lock to write, and the report."""

    cards: tuple[KnownCard, ...]
    lock: Lock
    changes: Changes
    problems: tuple[Problem, ...]


def question_of(content: Content) -> str:
    """What is asked; of a cloze, its text with `[…]` for the deletions."""
    if isinstance(content, Cloze):
        return "".join("[…]" if isinstance(piece, Deletion) else piece for piece in content.pieces)
    return content.front


def answer_of(content: Content) -> str:
    """What is to be recalled; of a cloze, the answers in reading order, a line each."""
    if isinstance(content, Cloze):
        return "\n".join(piece.answer for piece in content.pieces if isinstance(piece, Deletion))
    return content.back


def identify(
    cards: Sequence[Card], lock: Lock, *, now: int, fingerprint: Callable[[Card], str], scope: Scope
) -> Identified:
    """Find each card of `lock` again among `cards`, the cards of all notes in `scope.read`.

    `fingerprint` stands for all of a card that Anki gets; `now` is in Unix seconds. Where it changed, `changed` moves
    to `now`, or just behind its last value if the clock went back.
    """
    notes = set(scope.read.values())
    known = [card for card in lock.cards if card.note in notes or not scope.exists(card.note)]
    known.sort(key=lambda card: card.nth)
    sights = _sights(cards, scope)
    matching = match([_sight(card, card.note, card.nth, card.retired) for card in known], sights)
    old_of = [known[matching.old_of[at]] if at in matching.old_of else None for at in range(len(cards))]
    ids = _ids(sights, cards, old_of, {card.id for card in lock.cards})
    found = [_remember(*it, now, fingerprint) for it in zip(cards, sights, ids, old_of, strict=True)]
    living = {it.new.id for it in found}
    removed = [
        card._replace(retired=True, changed=_later(card.changed, now))
        for card in known
        if card.id not in living and not card.retired
    ]
    remembered = {card.id: card for card in (*lock.cards, *removed, *(it.new for it in found))}
    return Identified(
        tuple(it.card for it in found),
        replace(lock, cards=tuple(card for _, card in sorted(remembered.items()))),
        _changes(found, removed),
        tuple(sorted((*_unsure(found, known, matching), *_new_kinds(found, removed), *_clock(found, now)))),
    )


def _sights(cards: Sequence[Card], scope: Scope) -> list[Sight]:
    sights = [_sight(card, scope.read[card.place.path]) for card in cards]
    seen: Counter[Sight] = Counter()
    for at in sorted(range(len(cards)), key=lambda at: (cards[at].place.line, cards[at].place.column)):
        sight = sights[at]
        if seen[sight]:
            sights[at] = sight._replace(nth=seen[sight])
        seen[sight] += 1
    return sights


def _sight(card: Card | LockedCard, note: str, nth: int = 0, retired: bool = False) -> Sight:
    content = card.content
    question = question_of(content)
    if not isinstance(content, Cloze):
        return Sight(note, card.heading, card.block_id, False, question, content.back, question, nth, retired)
    answer = DELETION.join(piece.answer for piece in content.pieces if isinstance(piece, Deletion))
    return Sight(note, card.heading, card.block_id, True, question, answer, filled(content), nth, retired)


def _ids(
    sights: Sequence[Sight], cards: Sequence[Card], old_of: Sequence[LockedCard | None], taken: set[str]
) -> list[str]:
    """The id of each card; the new ones among equal questions are counted in the order of their notes and lines."""
    ids = ["" if old is None else old.id for old in old_of]
    taken = set(taken)
    names: dict[tuple[str, str], Iterator[str]] = {}
    for at in sorted(
        (at for at, name in enumerate(ids) if not name),
        key=lambda at: (sights[at].note, cards[at].place.line, cards[at].place.column),
    ):
        asked = _asked(cards[at].content)
        ids[at] = next(name for name in names.setdefault(asked, _names(*asked)) if name not in taken)
        taken.add(ids[at])
    return ids


def _asked(content: Content) -> tuple[str, str]:
    """The kind and the question that the name of a new card is made of."""
    return ("cloze", normal(filled(content))) if isinstance(content, Cloze) else ("question", normal(content.front))


def _names(kind: str, question: str) -> Iterator[str]:
    """The names that cards with this question get, one after the other, on any machine."""
    for ordinal in count():
        parts = ("mha-quiz", kind, question, str(ordinal))
        yield b32encode(sha256(_BREAK.join(parts).encode()).digest()[:10]).decode().lower()


def _later(last: int, now: int) -> int:
    """The next time of a card: Anki takes an update only if its time is later than the last."""
    return max(now, last + 1)


class _Found(NamedTuple):
    """A card of this run, what to remember of it, and what was remembered."""

    card: KnownCard
    new: LockedCard
    old: LockedCard | None


def _remember(
    card: Card, sight: Sight, name: str, old: LockedCard | None, now: int, fingerprint: Callable[[Card], str]
) -> _Found:
    content, past = card.content, old.past if old is not None else ()
    if isinstance(content, Cloze):
        if old is not None and isinstance(old.content, Cloze) and _unmarked(content) != old.content:
            content, past = keep_numbers(content, old.content, past)
            card = card._replace(content=content)
        content = _unmarked(content)
    mark = fingerprint(card)
    if old is None:
        changed = now
    elif old.retired or old.fingerprint != mark:
        changed = _later(old.changed, now)
    else:
        changed = old.changed
    locked = LockedCard(
        name, sight.note, card.heading, card.deck, content, card.block_id, mark, changed, past, sight.nth
    )
    return _Found(KnownCard(name, changed, card), locked, old)


def _unmarked(cloze: Cloze) -> Cloze:
    """`cloze` as the lock has it: who wrote a number matters only when the note is read."""
    if not any(isinstance(piece, Deletion) and piece.numbered for piece in cloze.pieces):
        return cloze
    return Cloze(tuple(replace(it, numbered=False) if isinstance(it, Deletion) else it for it in cloze.pieces))


def _changes(found: Sequence[_Found], removed: Sequence[LockedCard]) -> Changes:
    unchanged, edited, moved, new, restored = [], [], [], [], []
    for it in found:
        old, name, place = it.old, it.card.id, it.card.card.place
        if old is None or not old.fingerprint:
            new.append(Seen(name, place))
            continue
        if old.retired:
            restored.append(Seen(name, place))
            continue
        is_moved = (old.note, old.heading, old.deck) != (it.new.note, it.new.heading, it.new.deck)
        if old.fingerprint != it.new.fingerprint:
            texts = (text(content) for content in (old.content, it.new.content) for text in (question_of, answer_of))
            edited.append(Edited(name, place, *texts))
        elif not is_moved:
            unchanged.append(Seen(name, place))
        if is_moved:
            moved.append(Moved(name, place, old.note, old.deck))
    gone = tuple(Seen(card.id, Place(card.note, 1, 1)) for card in removed if card.fingerprint)
    return Changes(tuple(unchanged), tuple(edited), tuple(moved), tuple(new), gone, tuple(restored))


def _unsure(found: Sequence[_Found], known: Sequence[LockedCard], matching: Matching) -> Iterator[Problem]:
    for at, rivals in matching.unsure.items():
        texts = dict.fromkeys(_quoted(question_of(known[rival].content)) for rival in rivals)
        told = " or ".join([*texts][:_MOST_TOLD]) + (" or another" if len(texts) > _MOST_TOLD else "")
        message = f"too close to call whether this was {told}; it is a new card, without a history"
        yield Problem(found[at].card.card.place, "unsure-match", message)
    if matching.crowded:
        first = min(found[at].card.card.place for at in matching.crowded)
        cards = "1 card is" if len(matching.crowded) == 1 else f"{len(matching.crowded):,} cards are"
        message = f"{cards} new and without a history: too many that asked the same are gone to tell which is which"
        yield Problem(first, "unsure-match", message)


def _new_kinds(found: Sequence[_Found], removed: Sequence[LockedCard]) -> Iterator[Problem]:
    before = {(isinstance(card.content, Cloze), mark): card for card in removed for mark in _kindless(card)}
    for it in found if before else ():
        marks = _kindless(it.new) if it.old is None else ()
        is_cloze = isinstance(it.new.content, Cloze)
        old = next((before[not is_cloze, mark] for mark in marks if (not is_cloze, mark) in before), None)
        if old is not None:
            kind = "a cloze" if is_cloze else "no cloze any more"
            message = f"{_quoted(question_of(old.content))} became {kind}, in Anki a new card, without its history"
            yield Problem(it.card.card.place, "new-kind", message)


def _kindless(card: LockedCard) -> Iterator[Hashable]:
    """What stays the same when a card becomes a cloze, or no cloze."""
    content = card.content
    yield read(filled(content) if isinstance(content, Cloze) else f"{content.front} {content.back}").topic
    if card.block_id is not None:
        yield card.note, card.block_id


def _clock(found: Sequence[_Found], now: int) -> Iterator[Problem]:
    """A card dated in the future is the trace of a clock that was wrong then, or is now; not of quick builds."""
    ahead = [it.card for it in found if it.card.changed > now + _QUICK_BUILDS]
    if ahead:
        message = "cards.lock says that this card changed later than now; is the clock right?"
        yield Problem(ahead[0].card.place, "clock-behind", message)


def _quoted(text: str) -> str:
    return f'"{quoted(normal(text))}"'
