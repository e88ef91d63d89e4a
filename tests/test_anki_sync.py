"""Two computers that sync through Anki's own server: edits of the notes arrive on both, reviews stay."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest
from anki.sync_pb2 import SyncCollectionResponse

from cards.collection import read
from cards.known import scope_of
from cards.lock import Lock
from cards.lock_file import notes_root, read_lock
from cards.media import Vault
from decks.build import plan, write

if TYPE_CHECKING:
    from anki.sync import SyncAuth

THEN = int(time.time()) - 1000
NOTE = """#flashcards

What is a cell? :: The unit of life. ![[cell.png]]
heart ::: organ that pumps
The ==cell== has a ==nucleus==.
"""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server of our own, on a port that the system chose."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    environ = os.environ | {
        "SYNC_USER1": "learner:secret",
        "SYNC_BASE": str(tmp_path / "server"),
        "SYNC_HOST": "127.0.0.1",
        "SYNC_PORT": "0",
    }
    command = [sys.executable, "-m", "anki.syncserver"]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            listening = re.search(r"127\.0\.0\.1:(\d+)", process.stdout.readline())
            assert listening is not None
            yield f"http://127.0.0.1:{listening[1]}/"
        finally:
            process.kill()


def until(done: Callable[[], bool]) -> None:
    stop = time.monotonic() + 60
    while not done():
        assert time.monotonic() < stop
        time.sleep(0.05)


class Computer:
    """Anki on one of a learner's computers."""

    def __init__(self, folder: Path, server: str) -> None:
        folder.mkdir()
        self.anki = Collection(str(folder / "collection.anki2"))
        self.auth: SyncAuth = self.anki.sync_login("learner", "secret", server)

    def sync(self) -> str:
        """Sync, and say whether a whole collection had to go one way."""
        said = self.anki.sync_collection(self.auth, sync_media=False)
        required = SyncCollectionResponse.ChangesRequired.Name(said.required)
        if required.startswith("FULL"):
            self.anki.close_for_full_sync()
            is_upload = required == "FULL_UPLOAD"
            self.anki.full_upload_or_download(auth=self.auth, server_usn=said.server_media_usn, upload=is_upload)
            self.anki.reopen(after_full_sync=True)
        self.anki.sync_media(self.auth)
        until(lambda: not self.anki.media_sync_status().active)
        self.anki.models._clear_cache()
        return required

    def take(self, package: Path) -> dict[str, int]:
        request = ImportAnkiPackageRequest(package_path=str(package), options=ImportAnkiPackageOptions())
        log = self.anki.import_anki_package(request).log
        said = {kind: len(getattr(log, kind)) for kind in ("new", "updated", "duplicate", "conflicting")}
        return {kind: number for kind, number in said.items() if number}

    def study(self) -> None:
        for deck in self.anki.decks.all_names_and_ids():
            self.anki.decks.select(deck.id)
            while (queued := self.anki.sched.getCard()) is not None:
                queued.start_timer()
                self.anki.sched.answerCard(queued, 4)

    def history(self) -> list[list[list[object]]]:
        """Reviews and schedules, whatever was synced when."""
        assert self.anki.db is not None
        cards = "select id, nid, ord, did, due, ivl, factor, reps, lapses, queue, flags, data from cards order by id"
        return [
            self.anki.db.all("select id, cid, ease, ivl, lastIvl, factor, time, type from revlog order by id"),
            self.anki.db.all(cards),
        ]

    def notes(self) -> dict[str, list[str]]:
        notes = (self.anki.get_note(id_) for id_ in self.anki.find_notes(""))
        return {note.guid: [*note.fields, *note.tags] for note in notes}

    def pictures(self) -> list[bytes]:
        return sorted(path.read_bytes() for path in Path(self.anki.media.dir()).glob("cell-*.png"))


def rebuild(folder: Path, text: str, picture: bytes, after: int) -> Path:
    notes = folder / "notes"
    notes.mkdir(exist_ok=True)
    (notes / "note.md").write_text(text, encoding="utf-8")
    (notes / "cell.png").write_bytes(picture)
    found = read([notes])
    root, lock = notes_root([notes]), read_lock(folder / "cards.lock")
    assert isinstance(lock, Lock)
    scope = scope_of(root, [Path(note.path) for note in found.notes])
    files = {"out": folder / "deck.apkg", "lock_file": folder / "cards.lock"}
    write(plan(found.cards, lock, scope=scope, now=THEN + after, vault=Vault(root)), **files)
    return files["out"]


def test_an_edit_goes_to_the_other_computer_and_its_reviews_stay(server: str, tmp_path: Path) -> None:
    one, two = Computer(tmp_path / "one", server), Computer(tmp_path / "two", server)
    assert one.take(rebuild(tmp_path, NOTE, b"\x89PNG one", 0)) == {"new": 3}
    assert one.sync() == "FULL_UPLOAD"
    assert two.sync() == "FULL_DOWNLOAD"
    assert two.notes() == one.notes()
    assert two.pictures() == [b"\x89PNG one"]
    two.study()
    reviewed = two.history()
    assert len(reviewed[0]) >= 5
    assert two.sync() == "NO_CHANGES"
    assert one.sync() == "NO_CHANGES"
    assert one.history() == reviewed

    edited = NOTE.replace("unit of life", "smallest unit of life").replace("heart ::: organ that pumps\n", "")
    package = rebuild(tmp_path, edited, b"\x89PNG two", 300)
    assert one.take(package) == {"updated": 2, "duplicate": 1}
    assert one.sync() == "NO_CHANGES"
    assert two.sync() == "NO_CHANGES"

    assert two.notes() == one.notes()
    assert sum("smallest unit" in fields[1] for fields in two.notes().values()) == 1
    assert len(two.anki.find_notes("tag:mha-quiz::removed")) == 1
    assert two.pictures() == [b"\x89PNG one", b"\x89PNG two"]
    assert one.history() == two.history() == reviewed
    assert two.take(package) == {"duplicate": 3}
    assert [one.sync(), two.sync()] == ["NO_CHANGES", "NO_CHANGES"]
    one.anki.close()
    two.anki.close()
