"""Paths to one collection: which files are notes, what they say, and what is wrong with them."""

import os
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from cards import media, pasted, tex, twins
from cards.derived import Derived, derive, wanted_kinds
from cards.flashcards import ReadNote, read_note
from cards.interchange import cloze_text
from cards.lock_file import notes_root
from cards.model import Card, Cloze, Note, Origin, Place, Problem
from cards.settings import Loaded, load, path_matches

_NOTES = (".md", ".markdown", ".txt")


@dataclass(frozen=True, slots=True)
class Collection:
    """All that the notes hold: notes in the order of reading, cards in the order of their notes, sorted problems."""

    cards: tuple[Card, ...]
    notes: tuple[Note, ...]
    problems: tuple[Problem, ...]
    twins: tuple[tuple[Card, Card], ...]
    """Cards of two notes that ask the same in two languages; a card has one twin at most."""


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


def read(paths: Sequence[Path], *, everything: bool = False, derived: bool | None = None) -> Collection:
    """Reads files, and the notes in folders; `everything` takes notes without a deck tag too.

    `derived` says whether the structure of the notes gives cards too; by default notes and settings say so themselves.
    A file that is asked for twice is read once. OSError if something cannot be opened.
    """
    problems: list[Problem] = []
    vault = media.Vault(notes_root(paths))
    found: list[tuple[Note, tuple[Card, ...]]] = []  # and no more, since what was read of a note is large
    cards: list[Card] = []
    told: list[twins.Told] = []
    repeats: dict[Card, Card] = {}
    for file in _files(paths):
        problems += file.loaded.problems
        match decoded(file.path):
            case str(text):
                result, implied = _read(text, file, everything=everything, derived=derived)
                found.append((result.note, result.cards))
                shown = sorted((*result.cards, *implied.cards), key=lambda card: card.place)
                cards += shown
                problems += result.problems
                problems += media.problems(shown, text, vault)
                problems += tex.problems(shown, text)
                if result.note.counts:
                    told.append(_told(result, implied, text))
                    repeats |= implied.repeats
            case problem:
                problems.append(problem)
    problems += _same_fronts(found)
    pairs = twins.find(told, repeats)
    problems += pairs.problems
    return Collection(tuple(cards), tuple(note for note, _ in found), tuple(sorted(set(problems))), pairs.cards)


def leave_out(collection: Collection, lines: Mapping[str, AbstractSet[int]]) -> Collection:
    """The collection without the derived cards that show one of the lines, given from 1 by the path of their note."""

    def stays(card: Card) -> bool:
        shown = () if card.derivation is None else card.derivation.lines
        return lines.get(card.place.path, frozenset()).isdisjoint(shown)

    return replace(
        collection,
        cards=tuple(filter(stays, collection.cards)),
        twins=tuple(pair for pair in collection.twins if all(map(stays, pair))),
    )


def _told(result: ReadNote, implied: Derived, text: str) -> twins.Told:
    derived = (*implied.cards, *implied.repeats)
    structures = {card: card.derivation.structure for card in derived if card.derivation}
    return twins.Told(result.note, text, (*result.cards, *derived), structures)


def _files(paths: Sequence[Path]) -> Iterator[_File]:
    settings = cache(load)
    seen: set[Path] = set()
    for path in paths:
        if path.is_dir():
            below = _walk(path, path, settings)
        else:
            below = iter([_File(path, path.parent, settings(path.parent))])
        for file in below:
            if (resolved := file.path.resolve()) not in seen:
                seen.add(resolved)
                yield file


def _walk(folder: Path, asked: Path, settings: Callable[[Path], Loaded]) -> Iterator[_File]:
    loaded = settings(folder)
    with os.scandir(folder) as entries:
        names = sorted((entry.name, entry.is_dir(follow_symlinks=False), entry.is_file()) for entry in entries)
    for name, is_folder, is_file in names:
        if name.startswith(".") or name.endswith(".excalidraw.md"):
            continue
        file = _File(folder / name, asked, loaded)
        wanted = is_folder or (is_file and name.lower().endswith(_NOTES))
        if not wanted or path_matches(file.below_root, loaded.settings.ignore_paths):
            continue
        if is_folder:
            yield from _walk(file.path, asked, settings)
        else:
            yield file


def decoded(path: Path) -> str | Problem:
    """The text of a note, or where it is not UTF-8. OSError if it cannot be opened."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # the codec counts behind a byte-order mark
        good = error.object[: error.start].decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        place = Place(str(path), good.count("\n") + 1, len(good) - good.rfind("\n"))
        return Problem(place, "not-utf8", f"not UTF-8: byte 0x{error.object[error.start]:02X}")


def _read(text: str, file: _File, *, everything: bool, derived: bool | None) -> tuple[ReadNote, Derived]:
    settings, path = file.loaded.settings, str(file.path)
    folder = file.below_root.rpartition("/")[0]
    is_page = path_matches(file.below_root, settings.pages) or pasted.is_page(text, settings)
    page = pasted.convert(text, path, settings) if is_page else None
    found = read_note(page.markdown if page else text, path, settings, everything=everything, folder=folder)
    kinds = wanted_kinds(found, settings, page=is_page, derived=derived)
    implied = derive(found, settings, kinds, page=is_page)
    return _in_page(found, implied, page) if page else (found, implied)


def _in_page(found: ReadNote, implied: Derived, page: pasted.Page) -> tuple[ReadNote, Derived]:
    """What was read from a page's Markdown, with all places in the page itself."""

    def moved(place: Place) -> Place:
        return Place(place.path, *page.original(place.line, place.column))

    def marked(card: Card) -> Card:
        rebuilt = card.place.line in page.reconstructed
        return replace(card, place=moved(card.place), origin=Origin.RECONSTRUCTED if rebuilt else card.origin)

    def derived(card: Card) -> Card:
        lines = () if card.derivation is None else (page.original(line, 1)[0] for line in card.derivation.lines)
        derivation = card.derivation and replace(card.derivation, lines=tuple(sorted(set(lines))))
        return replace(card, place=moved(card.place), derivation=derivation)

    headings = tuple(replace(heading, place=moved(heading.place)) for heading in found.note.headings)
    problems = (replace(problem, place=moved(problem.place)) for problem in found.problems)
    in_page = replace(
        found,
        note=replace(found.note, headings=headings, page=True),
        cards=tuple(map(marked, found.cards)),
        problems=tuple(sorted((*page.problems, *problems))),
    )
    repeats = {derived(card): marked(other) for card, other in implied.repeats.items()}
    return in_page, Derived(tuple(map(derived, implied.cards)), repeats)


def _same_fronts(notes: Sequence[tuple[Note, tuple[Card, ...]]]) -> Iterator[Problem]:
    """A problem for each marked card that asks what another one asks."""
    seen: dict[tuple[str, str, str], tuple[Note, Place]] = {}
    for note, cards in notes:
        for card in cards:
            asked = (card.deck, card.language.value, unicodedata.normalize("NFC", _question(card)))
            first, place = seen.setdefault(asked, (note, card.place))
            if place != card.place and not _are_twins(first, note):
                message = f"the same question as in {place.path}:{place.line}; both cards are kept"
                yield Problem(card.place, "same-front", message)


def _question(card: Card) -> str:
    match card.content:
        case Cloze(pieces):
            return cloze_text(pieces)
        case content:
            return content.front


def _are_twins(one: Note, other: Note) -> bool:
    return any(
        note.twin is not None and os.path.normpath(Path(note.path).parent / note.twin) == os.path.normpath(twin.path)
        for note, twin in ((one, other), (other, one))
    )
