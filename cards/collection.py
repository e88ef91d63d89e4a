"""Paths to one collection: which files are notes, what they say, and what is wrong with them."""

import errno
import os
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from cards import media
from cards.interchange import cloze_text
from cards.kinds import NOTE_ENDINGS, counted
from cards.lock_file import LOCK_NAME, notes_root
from cards.model import Card, Cloze, Note, Place, Problem
from cards.note_cards import NoteCards
from cards.remembered import Remembered, key_of, program
from cards.settings import FILE_NAME, Loaded, Settings, load, path_matches
from cards.source import normalized
from cards.tags import Spellings, first_spelling


@dataclass(frozen=True, slots=True)
class Collection:
    """All that the notes hold: notes in the order of reading, cards in the order of their notes, sorted problems."""

    cards: tuple[Card, ...]
    notes: tuple[Note, ...]
    problems: tuple[Problem, ...]
    twins: tuple[tuple[Card, Card], ...]
    """Cards of two notes that ask the same in two languages; a card has one twin at most."""
    repeating: int
    """Derived cards left out because they say what a marked card of their note says."""
    failing: int = 0
    """Derived cards left out because of their lines, by `leave_out`."""


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    """As the user named it, or below the folder that the user named."""
    asked: Path
    """The folder the user named, or the one that holds the file."""
    loaded: Loaded

    @property
    def below_root(self) -> str:
        """The path below the folder that holds the settings, or below the one asked for, with `/`."""
        if self.loaded.root is None:
            return self.path.relative_to(self.asked).as_posix()
        return (self.path.parent.resolve() / self.path.name).relative_to(self.loaded.root).as_posix()


def read(
    paths: Sequence[Path],
    *,
    everything: bool = False,
    derived: bool | None = None,
    remembered: Remembered | None = None,
) -> Collection:
    """Reads files, and the notes in folders; `everything` takes notes without a deck tag too.

    `derived` says whether the structure of the notes gives cards too; by default notes and settings say so themselves.
    A file that is asked for twice is read once, and one that `remembered` knows as it is now, not again. OSError if
    something cannot be opened.
    """
    problems: list[Problem] = []
    vault = media.Vault(notes_root(paths))
    found: list[tuple[NoteCards, str]] = []
    cards: list[Card] = []
    spellings: Spellings = {}
    reader = _Reader(remembered, everything, derived)
    for file in _files(paths):
        problems += file.loaded.problems
        match _bad_name(file.path) or decoded(file.path):
            case str(text):
                note = _spelled(reader.read(text, file), spellings)
                found.append((note, text))
                cards += sorted((*note.marked, *note.derived), key=lambda card: card.place)
                problems += note.problems
                problems += media.problems(note.with_embeds, text, vault)
            case problem:
                problems.append(problem)
    problems += _same_fronts([note for note, _ in found])
    pairs, wrong = _twins(found)
    problems += wrong
    return Collection(
        tuple(cards),
        tuple(note.note for note, _ in found),
        tuple(sorted(dict.fromkeys(problems))),  # nearly in order as they are, which takes no time
        pairs,
        sum(len(note.repeats) for note, _ in found),
    )


def fingerprint(paths: Sequence[Path]) -> bytes:
    """Stands for all that `read` sees of these notes, but for pictures and sounds. OSError as there."""
    files = ((str(it.path), it.below_root, repr(it.loaded), it.path.read_bytes()) for it in _files(paths))
    return key_of(*(part for file in files for part in file))


def leave_out(collection: Collection, lines: Mapping[str, AbstractSet[int]]) -> Collection:
    """The collection without the derived cards that show one of the lines, given from 1 by the path of their note."""

    def stays(card: Card) -> bool:
        shown = () if card.derivation is None else card.derivation.lines
        return lines.get(card.place.path, frozenset()).isdisjoint(shown)

    kept = tuple(filter(stays, collection.cards))
    return replace(
        collection,
        cards=kept,
        failing=collection.failing + len(collection.cards) - len(kept),
        twins=tuple(pair for pair in collection.twins if all(map(stays, pair))),
    )


def replaced(collection: Collection, cards: Mapping[Card, Card]) -> Collection:
    """The collection with other cards in the place of some."""
    if not cards:
        return collection
    return replace(
        collection,
        cards=tuple(cards.get(card, card) for card in collection.cards),
        twins=tuple((cards.get(one, one), cards.get(other, other)) for one, other in collection.twins),
    )


def left_out_lines(collection: Collection) -> Iterator[str]:
    """What the structure of the notes would ask too, and why it does not."""
    if collection.repeating:
        yield f"{counted(collection.repeating, 'derived card')} left out: what an author marked says the same"
    if collection.failing:
        yield f"{counted(collection.failing, 'derived card')} left out: a number there does not compute"


class _Reader:
    """Reads a note, or remembers it."""

    def __init__(self, remembered: Remembered | None, everything: bool, derived: bool | None) -> None:
        self._remembered, self._everything, self._derived = remembered, everything, derived
        self._program = b"" if remembered is None else program("cards", "markdown_it", "yaml")

    def read(self, text: str, file: _File) -> NoteCards:
        settings, path, below_root = file.loaded.settings, str(file.path), file.below_root
        everything, derived = self._everything, self._derived

        def work_out() -> NoteCards:
            from cards.reading import read_cards  # it loads the parser and all the grammar

            return read_cards(text, path, settings, below_root=below_root, everything=everything, derived=derived)

        if self._remembered is None:
            return work_out()
        # all that `work_out` sees
        key = key_of(self._program, text, path, below_root, repr((settings, everything, derived)))
        return self._remembered.recall(key, work_out)


def _spelled(note: NoteCards, seen: Spellings) -> NoteCards:
    """The note with the names of its decks as they were spelled first: upper and lower case make no two decks."""
    decks = {
        deck: first_spelling(deck, seen) for deck in dict.fromkeys(card.deck for card in note.marked + note.derived)
    }
    if all(deck == spelled for deck, spelled in decks.items()):
        return note

    def moved(card: Card) -> Card:
        return card._replace(deck=decks.get(card.deck, card.deck))

    return replace(
        note,
        marked=tuple(map(moved, note.marked)),
        derived=tuple(map(moved, note.derived)),
        repeats=tuple((moved(card), moved(other)) for card, other in note.repeats),
        with_embeds=tuple(map(moved, note.with_embeds)),
    )


def _twins(notes: Sequence[tuple[NoteCards, str]]) -> tuple[tuple[tuple[Card, Card], ...], tuple[Problem, ...]]:
    """The twins among the cards, and what is wrong with them."""
    counting = [(note, text) for note, text in notes if note.note.counts]
    if len({note.note.language for note, _ in counting}) < 2 and not any(note.note.twin for note, _ in counting):
        return (), ()
    from cards.twin_cards import Told  # few collections have any
    from cards.twins import find

    told: list[Told] = []
    repeats: dict[Card, Card] = {}
    for note, text in counting:
        derived = (*note.derived, *(card for card, _ in note.repeats))
        structures = {card: card.derivation.structure for card in derived if card.derivation}
        told.append(Told(note.note, text, (*note.marked, *derived), structures))
        repeats |= note.repeats
    pairs = find(told, repeats)
    return pairs.cards, pairs.problems


def _files(paths: Sequence[Path]) -> Iterator[_File]:
    settings = cache(load)
    seen: set[Path] = set()
    for path in paths:
        if path.name in (LOCK_NAME, FILE_NAME):
            continue  # a shell puts them in place of `*`, and they are no notes
        if path.is_dir():
            below = _walk(path, path, settings)
        elif path.exists() and not path.is_file():
            raise OSError(errno.EINVAL, "is no file but a pipe or a device", str(path))  # which may wait forever
        else:
            below = iter([_File(path, path.parent, settings(path.parent))])
        for file in below:
            if (resolved := file.path.resolve()) not in seen:
                seen.add(resolved)
                yield file


def _walk(folder: Path, asked: Path, settings: Callable[[Path], Loaded]) -> Iterator[_File]:
    loaded = settings(folder)
    with os.scandir(folder) as entries:
        names = sorted((entry.name, entry.is_dir(follow_symlinks=False), _is_file(entry)) for entry in entries)
    for name, is_folder, is_file in names:
        if name.startswith(".") or name.endswith(".excalidraw.md"):
            continue
        file = _File(folder / name, asked, loaded)
        wanted = is_folder or (is_file and name.lower().endswith(NOTE_ENDINGS))
        if not wanted or path_matches(file.below_root, loaded.settings.ignore_paths):
            continue
        if is_folder:
            yield from _walk(file.path, asked, settings)
        else:
            yield file


def _is_file(entry: os.DirEntry[str]) -> bool:
    return Path(entry).is_file() if entry.is_symlink() else entry.is_file()  # links may go round in a circle


def texts(notes: Iterable[Note]) -> Iterator[tuple[Note, str, Settings]]:
    """The notes with their texts and settings, once more; without those that were spoiled or taken away in between."""
    loaded = cache(load)  # of each folder once
    for note in notes:
        path = Path(note.path)
        try:
            text = decoded(path)
        except OSError:
            continue
        if isinstance(text, str):
            yield note, text, loaded(path.parent).settings


def decoded(path: Path) -> str | Problem:
    """The text of a note, or where it is not UTF-8. OSError, with the path, if it cannot be read."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    except UnicodeDecodeError as error:
        # the codec counts behind a byte-order mark
        good = normalized(error.object[: error.start].decode("utf-8-sig"))
        place = Place(str(path), good.count("\n") + 1, len(good) - good.rfind("\n"))
        return Problem(place, "not-utf8", f"not UTF-8: byte 0x{error.object[error.start]:02X}")


def _bad_name(path: Path) -> Problem | None:
    """That a note cannot be told, or remembered, by its name; Python keeps bytes that are not UTF-8 as half characters."""
    shown = str(path).encode(errors="backslashreplace").decode()
    message = "the name is not UTF-8, and cards.lock could not hold it; rename the file or its folder"
    return None if shown == str(path) else Problem(Place(shown, 1, 1), "not-utf8", message)


def _same_fronts(notes: Sequence[NoteCards]) -> Iterator[Problem]:
    """A problem for each marked card that asks what another one asks."""
    seen: dict[tuple[str, str, str], tuple[Note, Place]] = {}
    for note in notes:
        for card in note.marked:
            asked = (card.deck, card.language, unicodedata.normalize("NFC", _question(card)))
            first, place = seen.setdefault(asked, (note.note, card.place))
            if place != card.place and not _are_twins(first, note.note):
                message = f"the same question as in {place.path}:{place.line}; both cards are kept"
                yield Problem(card.place, "same-front", message)


def _question(card: Card) -> str:
    content = card.content
    return cloze_text(content.pieces) if isinstance(content, Cloze) else content.front


def _are_twins(one: Note, other: Note) -> bool:
    if one.twin is None and other.twin is None:
        return False
    return any(
        note.twin is not None and os.path.normpath(Path(note.path).parent / note.twin) == os.path.normpath(twin.path)
        for note, twin in ((one, other), (other, one))
    )
