"""The command `review`: paths, clock, randomness and the editor for `mha_quiz.review`."""

import gc
import os
import sys
import time
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cards.kinds import Language
from mha_quiz.history_command import opened
from mha_quiz.note_files import given, read_notes, without_collector
from mha_quiz.options import ALL, DATA, NOTES, derived, language
from mha_quiz.printing import full_disk_told

if TYPE_CHECKING:
    from cards.collection import Collection
    from cards.identity import Identified
    from cards.known import KnownCard
    from cards.lock import Lock
    from cards.model import Content, Place
    from cards.remembered import Remembered
    from mha_quiz.history import History
    from mha_quiz.note_files import Given
    from mha_quiz.question import Text
    from mha_quiz.review import Notes

_Settled = tuple[list[str], list[tuple[int, "Content"]], list[str], tuple[tuple[str, bool], ...]]
"""The ids of cards, contents that they have instead, ids of cards that are gone, and whether notes not read exist."""
_BACK = "back"
"""Fingerprint of a card that Anki has as one that is gone: different from all others, so the next deck sends it."""


@click.command()
@NOTES
@click.option("--limit", type=click.IntRange(min=0), default=20, show_default=True, help="Most new cards a day.")
@click.option(
    "--ahead", type=click.IntRange(min=0, max=365), default=0, metavar="DAYS", help="Also what is due in so many days."
)
@click.option("--cram", is_flag=True, help="Ask all cards; nothing is recorded or scheduled.")
@click.option("--no-numbers", is_flag=True, help="No numeric questions of the skills that are due.")
@language("around the cards, and of new cards that have a twin")
@ALL
@derived("ask")
@DATA
def review(
    paths: tuple[Path, ...],
    limit: int,
    ahead: int,
    cram: bool,
    no_numbers: bool,
    language: Language,
    everything: bool,
    derived: bool | None,
    data: Path | None,
) -> None:
    """Ask the flashcards that are due, new ones, and numeric questions."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small, and numpy starts faster
    from random import Random, SystemRandom

    from mha_quiz.review import run_review
    from mha_quiz.review_queue import Wanted

    wanted = Wanted(limit, ahead, cram, numbers=not no_numbers, language=language)
    with full_disk_told(), opened(data) as history:
        summary = run_review(
            lambda: _load(given(paths, data), everything, derived, history),
            history,
            clock=lambda: datetime.now().astimezone(),
            rng=Random(SystemRandom().getrandbits(64)),
            wanted=wanted,
            edit=open_editor,
            stdin=sys.stdin,
            stdout=sys.stdout,
        )
    if summary.interrupted:
        raise SystemExit(130)


@without_collector()
def _load(notes: "Given", everything: bool, derived: bool | None, history: "History") -> "Notes":
    """Read the notes, find their cards again, and remember them."""
    from mha_quiz.asking_cards import asked
    from mha_quiz.checked_cards import checked
    from mha_quiz.review import Notes

    collection, remembered = read_notes(notes.paths, everything=everything, derived=derived)
    collection = checked(collection, remembered)
    try:
        cards, gone = _recognised(collection, notes, remembered)
    except TimeoutError as error:
        raise click.ClickException("another mha-quiz is at work on these notes; try again when it is done") from error
    except OSError as error:
        raise click.ClickException(f"{notes.lock_file} was not written: {error.strerror}") from error
    remembered.save()
    twins = {}
    if collection.twins:
        ids = dict(zip(collection.cards, (it.id for it in cards), strict=True))
        twins = {ids[card]: ids[twin] for one, other in collection.twins for card, twin in ((one, other), (other, one))}
    now = datetime.now().astimezone()
    siblings = [tuple(asked(card)) for card in cards]
    scheduled = [(its, it.card.schedule) for its, it in zip(siblings, cards, strict=True) if it.card.schedule]
    history.start({it.key: found for its, schedule in scheduled for it, found in zip(its, schedule, strict=False)}, now)
    shown = tuple(chain.from_iterable(siblings))
    is_whole = any(path.resolve() == notes.root for path in notes.paths)
    history.notice(str(notes.root), [it.key for it in shown], gone=None if is_whole else gone)
    gc.freeze()  # it all lasts, and later searches for garbage need not go through it
    return Notes(shown, twins, len(collection.problems))


def _recognised(
    collection: "Collection", notes: "Given", remembered: "Remembered"
) -> "tuple[tuple[KnownCard, ...], frozenset[str]]":
    """The cards with their ids, and the ids of cards that are gone; their lock is brought up to date.

    Where notes and lock are as they were, they are not compared again. Raises `OSError` and `TimeoutError`.
    """

    from cards.known import KnownCard
    from cards.lock_file import held, write_lock
    from cards.remembered import key_of, program

    scope, file = notes.scope(collection), notes.lock_file
    before = file.read_bytes() if file.is_file() else b""
    found: list[Identified] = []

    def work_out() -> "_Settled | None":
        """What can be remembered of it; nothing if the lock changed."""
        from cards.identity import identify  # it loads much

        with held(file, data=notes.data):
            lock = notes.lock()
            it = identify(collection.cards, lock, now=int(time.time()), fingerprint=lambda card: "", scope=scope)
            write_lock(file, _for_decks(lock, it.lock))
            found.append(it)
            if file.read_bytes() != before:
                return None
        renumbered = [
            (at, new.card.content)
            for at, (new, card) in enumerate(zip(it.cards, collection.cards, strict=True))
            if new.card is not card
        ]
        gone = [card.id for card in it.lock.cards if card.retired]
        unread = scope.unread(card.note for card in lock.cards)
        return [new.id for new in it.cards], renumbered, gone, unread

    key = key_of("ids", program("cards", "mha_quiz"), before, remembered.so_far(), repr((str(notes.root), scope.read)))
    match remembered.recall(key, work_out):
        case (ids, renumbered, gone, unread) if not found and all(scope.exists(note) == was for note, was in unread):
            cards = list(collection.cards)
            for at, content in renumbered:
                cards[at] = cards[at]._replace(content=content)
            return tuple(KnownCard(name, 0, card) for name, card in zip(ids, cards, strict=True)), frozenset(gone)
    if not found:
        work_out()
    return found[0].cards, frozenset(card.id for card in found[0].lock.cards if card.retired)


def _for_decks(old: "Lock", new: "Lock") -> "Lock":
    """What to remember, without what only building a deck may settle: what Anki was given, and which cards are gone."""
    from dataclasses import replace

    before = {card.id: card for card in old.cards}
    merged = []
    for card in new.cards:
        last = before.get(card.id)
        if last is None:
            merged.append(card)
        elif last.retired:
            merged.append(card if card.retired else card._replace(fingerprint=last.fingerprint and _BACK))
        elif card.retired:
            merged.append(last)
        else:
            merged.append(card._replace(fingerprint=last.fingerprint, changed=last.changed, shown_on=last.shown_on))
    return replace(new, cards=tuple(merged))


def open_editor(place: "Place") -> "Text | None":
    """Show a line of a note in `$VISUAL` or `$EDITOR` and wait until the learner is done; what to tell if that fails."""
    import shlex
    import subprocess

    from mha_quiz.question import Text

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("notepad" if sys.platform == "win32" else "vi")
    try:
        command = shlex.split(editor, posix=sys.platform != "win32")
        name = Path(command[0]).stem
    except (ValueError, IndexError):  # a quotation mark without its end; only blanks
        return Text(f"{editor} is no command; set EDITOR", f"{editor} koi command nahi hai; EDITOR set karo")
    if name in ("code", "codium", "code-insiders"):
        command += ["--wait", "--goto", f"{place.path}:{place.line}"]
    elif name in ("subl", "hx", "helix", "zed"):
        command += [f"{place.path}:{place.line}"]
    elif name == "notepad":
        command += [place.path]
    else:
        command += [f"+{place.line}", place.path]
    try:
        subprocess.run(command, check=False)
    except OSError as error:
        return Text(
            f"{editor} cannot be started: {error.strerror}; set EDITOR",
            f"{editor} nahi chala: {error.strerror}; EDITOR set karo",
        )
    return None
