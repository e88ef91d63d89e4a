"""Notes → an Anki package (`.apkg`); the only module that imports genanki.

genanki gives the database's schema and the JSON of decks and note types. The rows are written here: genanki would stamp
every note with the time of the build, which makes Anki update and re-send all of them, and would find the cards of a
cloze by a pattern that misses some. The same notes give the same bytes.
"""

import errno
import json
import os
import shutil
import sqlite3
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from cards.learned import Learned, Review
from cards.remembered import Remembered, key_of, program
from decks.note_types import RELEASED, NoteType
from decks.progress import COLLECTION, CREATED_AT, card_columns, review_rows

_DEFAULT_DECK = "default"


@dataclass(frozen=True, slots=True)
class Note:
    """One note as Anki stores it."""

    guid: str
    """Lasting and unique: Anki recognises the note by it."""
    note_type: NoteType
    fields: tuple[str, ...]
    """HTML, one entry a field of the type."""
    cards: tuple[int, ...]
    """Which cards it has: the index of the template, or the number of the deletion minus one.

    None if the card is gone: Anki updates such a note if it has it, and shows nothing to a learner who has it not.
    """
    tags: tuple[str, ...]
    deck: str
    """Path joined by `::`."""
    changed: int
    """Unix seconds when fields or tags last changed; Anki updates a note it has only by a later one."""
    learned: Mapping[int, Learned] = field(default_factory=dict)
    """What the learner did with which of the cards; the others are new."""
    gone: bool = False
    """Meant to have no card."""


@contextmanager
def staged(
    path: Path, notes: Sequence[Note], media: Mapping[str, Path] | None = None, memory: Remembered | None = None
) -> Iterator[None]:
    """A package of the notes, whole on the disk when the block begins, which takes its place at `path` when it ends.

    New cards are in the order of the notes. `media` are the files that fields show, by their names there. If anything
    fails, `path` stays what it was. Raises `OSError` if a file cannot be read or written, and `ValueError` for notes
    that Anki would refuse, merge or show nothing of.
    """
    _check(notes)
    path = path.resolve()
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with temporary.open("wb") as file:
            _write_package(file, notes, media or {}, memory)
            file.flush()
            os.fsync(file.fileno())
        yield
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _write_package(file: BinaryIO, notes: Sequence[Note], media: Mapping[str, Path], memory: Remembered | None) -> None:
    names = {str(number): name for number, name in enumerate(sorted(media))}
    with zipfile.ZipFile(file, "w") as package:
        for name, content in (("collection.anki2", _database(notes, memory)), ("media", json.dumps(names).encode())):
            package.writestr(_entry(name), content, zipfile.ZIP_DEFLATED, compresslevel=1)
        for number, name in names.items():
            with media[name].open("rb") as source, package.open(_entry(number), "w") as entry:
                shutil.copyfileobj(source, entry)


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)  # dated 1980, so that equal notes give equal bytes
    entry.create_system, entry.external_attr = 3, 0o644 << 16
    return entry


def deck_id(name: str) -> int:
    """The same number for the same name, on any machine."""
    return 1 if name.casefold() == _DEFAULT_DECK else int.from_bytes(sha256(name.encode()).digest()[:5]) + 2


def _check(notes: Sequence[Note]) -> None:
    guids: set[str] = set()
    for note in notes:
        if note.guid in guids:
            raise ValueError(f"two notes have the id {note.guid}")
        guids.add(note.guid)
        if not note.cards and not note.gone:
            raise ValueError(f"note {note.guid} has no card")
        if len(note.fields) != len(note.note_type.fields):
            raise ValueError(f"note {note.guid} has {len(note.fields)} fields of {len(note.note_type.fields)}")
        if any("\x1f" in field for field in note.fields):
            raise ValueError(f"note {note.guid} has a separator of fields inside a field")
        if any(not tag or any(char.isspace() for char in tag) for tag in note.tags):
            raise ValueError(f"note {note.guid} has a tag that is empty or holds a blank")


def _database(notes: Sequence[Note], memory: Remembered | None) -> bytes:
    note_ids = _ids([note.changed for note in notes])
    card_ids = iter(_ids([note.changed for note in notes for _ in note.cards]))
    decks = {name: deck_id(name) for name in dict.fromkeys(note.deck for note in notes if note.cards)}
    types = {note.note_type.id: note.note_type for note in notes}

    def collection() -> bytes:
        return _collection(decks, list(types.values()))

    connection = sqlite3.connect(":memory:")
    try:
        if memory is None:
            connection.deserialize(collection())
        else:
            key = key_of(program("decks", "genanki"), repr((decks, list(types))))
            connection.deserialize(memory.recall(key, collection))
        connection.executemany(
            "INSERT INTO notes VALUES (?, ?, ?, ?, -1, ?, ?, ?, 0, 0, '')",
            (
                (
                    id_,
                    note.guid,
                    note.note_type.id,
                    note.changed,
                    _tags(note.tags),
                    "\x1f".join(note.fields),
                    note.fields[0],
                )
                for id_, note in zip(note_ids, notes, strict=True)
            ),
        )
        reviews: list[tuple[int, Review]] = []

        def rows() -> Iterator[tuple[object, ...]]:
            for position, (id_, note) in enumerate(zip(note_ids, notes, strict=True), start=1):
                for card in note.cards:
                    card_id, learned = next(card_ids), note.learned.get(card)
                    reviews.extend((card_id, review) for review in (learned.reviews if learned else ()))
                    yield card_id, id_, decks[note.deck], card, note.changed, *card_columns(learned, position)

        connection.executemany(
            "INSERT INTO cards VALUES (?, ?, ?, ?, ?, -1, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, ?)", rows()
        )
        connection.executemany("INSERT INTO revlog VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", review_rows(reviews))
        connection.commit()
        return connection.serialize()
    finally:
        connection.close()


def _collection(decks: Mapping[str, int], types: Sequence[NoteType]) -> bytes:
    """A database with decks and note types, and without notes."""
    from genanki import Deck, Model  # few builds need it: see `memory`
    from genanki.apkg_col import APKG_COL
    from genanki.apkg_schema import APKG_SCHEMA

    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(APKG_SCHEMA + APKG_COL)
        known, conf = connection.execute("SELECT decks, conf FROM col").fetchone()
        all_decks = json.loads(known)
        for name, id_ in decks.items():
            all_decks.setdefault(str(id_), Deck(id_, name).to_json())
        models = {
            str(type_.id): Model(
                type_.id,
                type_.name,
                fields=[{"name": field.name, "id": field.id} for field in type_.fields],
                templates=[
                    {"name": template.name, "id": template.id, "qfmt": template.front, "afmt": template.back}
                    for template in type_.templates
                ],
                css=type_.css,
                model_type=Model.CLOZE if type_.is_cloze else Model.FRONT_BACK,
            ).to_json(RELEASED, 1)
            for type_ in types
        }
        connection.execute(
            "UPDATE col SET crt = ?, conf = ?, decks = ?, models = ?",
            (CREATED_AT, *map(json.dumps, (json.loads(conf) | COLLECTION, all_decks, models))),
        )
        connection.commit()
        return connection.serialize()
    finally:
        connection.close()


def _ids(times: Sequence[int]) -> list[int]:
    """A number for each row, all different and rising with time and position, none later than its own time.

    Anki takes a row's id, in milliseconds, for the time it was made.
    """
    ids = [0] * len(times)
    after = None
    for index in sorted(range(len(times)), key=lambda i: (times[i], i), reverse=True):
        latest = times[index] * 1000
        after = latest if after is None else min(latest, after - 1)
        ids[index] = after
    if after is not None and after <= 0:
        raise ValueError("a note has a time before 1970")
    return ids


def _tags(tags: Sequence[str]) -> str:
    return f" {' '.join(tags)} " if tags else ""
