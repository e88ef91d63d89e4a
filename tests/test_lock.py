"""`cards.lock` is read strictly, written whole, kept from two runs at once, and merged by git."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.collection import read
from cards.known import scope_of
from cards.lock import Lock, LockedCard, LockedNumber, format_lock, parse_lock
from cards.lock_file import held, known_lock, lock_path, notes_root, read_lock, write_lock
from cards.model import Basic, Cloze, Deletion, Place, Problem, Reversed
from decks.build import Built, plan, write

HEAD, END = "mha-quiz cards.lock, version 1", "end of cards.lock"
CARD = LockedCard("aaaa", "bio/a.md", ("Cell", "Energy"), "bio", Basic("Q?", "A\nB"), None, "f1", 5)
CLOZE = LockedCard(
    "bbbb", "b.md", (), "ml", Cloze(("The ", Deletion(2, "cell", "c…"), Deletion(1, "é", None))), "x1", "f2", 6,
    (Deletion(3, "gone", None),), 2, True,
)  # fmt: skip
NUMBER = LockedNumber("mha-quiz-number-A1", "ml::Numbers", "f3", 7)
LOCK = Lock((CARD, CLOZE), (NUMBER,))
LINES = """
{"id": "aaaa", "note": "bio/a.md", "heading": ["Cell", "Energy"], "deck": "bio", "kind": "basic", \
"question": "Q?", "answer": "A\\nB", "fingerprint": "f1", "changed": 5}
{"id": "bbbb", "note": "b.md", "heading": [], "deck": "ml", "kind": "cloze", \
"text": ["The ", [2, "cell", "c…"], [1, "é"]], "past": [[3, "gone"]], "block": "x1", "nth": 2, "fingerprint": "f2", \
"changed": 6, "retired": true}
{"id": "mha-quiz-number-A1", "kind": "number", "deck": "ml::Numbers", "fingerprint": "f3", "changed": 7}
""".strip().split("\n")
TEXT = "\n".join([HEAD, *LINES, END, ""])


# The text.


def test_text() -> None:
    assert format_lock(LOCK) == TEXT
    assert parse_lock(TEXT, "cards.lock") == LOCK


def test_lines_may_stand_in_any_order() -> None:
    assert parse_lock("\n".join([HEAD, LINES[2], LINES[1], "", END, LINES[0]]), "cards.lock") == LOCK


def bad_cases() -> list[tuple[str, str, list[str]]]:
    text = (Path(__file__).parent / "data" / "bad_lock.md").read_text("utf-8")
    found = []
    for block in text.split("\n## ")[1:]:
        name, _, rest = block.partition("\n```\n")
        inside, _, problems = rest.partition("```\n")
        lines = {"HEAD": HEAD, "END": END, "CARD": LINES[0], "CLOZE": LINES[1], "NUMBER": LINES[2]}
        file = "\n".join(lines.get(line, line) for line in inside.split("\n"))
        found.append((name, file, [line for line in problems.split("\n") if line]))
    return found


@pytest.mark.parametrize(("name", "text", "problems"), bad_cases(), ids=[name for name, _, _ in bad_cases()])
def test_bad_lock(name: str, text: str, problems: list[str]) -> None:
    found = parse_lock(text, "cards.lock")
    assert isinstance(found, tuple)
    assert [str(problem) for problem in found] == [f"cards.lock:{line}" for line in problems]
    assert {problem.code for problem in found} == {"bad-lock"}


def test_deep_nesting_is_a_damaged_line() -> None:
    found = parse_lock("\n".join([HEAD, "[" * 100_000, "9" * 5000, END]), "cards.lock")
    assert isinstance(found, tuple)
    assert [problem.place.line for problem in found] == [2, 3]


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
DELETION = st.builds(Deletion, st.integers(1, 500), ANY_TEXT, st.none() | ANY_TEXT)
LOCKED = st.builds(
    LockedCard,
    id=st.from_regex("[A-Za-z0-9_-]{1,9}", fullmatch=True),
    note=ANY_TEXT,
    heading=st.lists(ANY_TEXT).map(tuple),
    deck=ANY_TEXT,
    content=st.one_of(
        st.builds(Basic, ANY_TEXT, ANY_TEXT), st.builds(Reversed, ANY_TEXT, ANY_TEXT),
        st.builds(Cloze, st.lists(ANY_TEXT | DELETION).map(tuple)),
    ),
    block_id=st.none() | ANY_TEXT,
    fingerprint=ANY_TEXT,
    changed=st.integers(0, 2**32 - 1),
    past=st.just(()),
    nth=st.integers(0, 9),
    retired=st.booleans(),
    shown_on=st.none() | st.from_regex("[A-Za-z0-9_-]{1,9}", fullmatch=True),
)  # fmt: skip
LOCKS = st.lists(LOCKED, unique_by=lambda card: card.id, max_size=4).map(
    lambda cards: Lock(tuple(sorted(cards, key=lambda card: card.id)))
)


@given(LOCKS)
def test_what_is_written_is_read(lock: Lock) -> None:
    text = format_lock(lock)
    assert parse_lock(text, "cards.lock") == lock
    assert len(text.split("\n")) == len(lock.cards) + 3, "one card a line"


@given(LOCKS, st.data())
def test_a_damaged_file_is_a_problem_and_never_an_exception(lock: Lock, data: st.DataObject) -> None:
    text = format_lock(lock)
    cut = data.draw(st.integers(0, len(text) - 2))
    assert isinstance(parse_lock(text[:cut], "cards.lock"), tuple)
    parse_lock(text[:cut] + data.draw(ANY_TEXT) + text[cut + 1 :], "cards.lock")


# The file.


def test_no_file_is_an_empty_lock(tmp_path: Path) -> None:
    assert read_lock(tmp_path / "cards.lock") == Lock()


@pytest.mark.parametrize("change", [lambda t: t, lambda t: "\ufeff" + t, lambda t: t.replace("\n", "\r\n")])
def test_a_file_that_an_editor_saved(tmp_path: Path, change: Callable[[str], str]) -> None:
    path = tmp_path / "cards.lock"
    path.write_bytes(change(TEXT).encode())
    assert read_lock(path) == LOCK


def test_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "cards.lock"
    path.write_bytes(f"{HEAD}\né".encode() + b"\xe9\n")
    assert read_lock(path) == (Problem(Place(str(path), 2, 2), "bad-lock", "not UTF-8: byte 0xE9"),)


def test_a_folder_in_the_way(tmp_path: Path) -> None:
    assert read_lock(tmp_path) == (Problem(Place(str(tmp_path), 1, 1), "bad-lock", "cannot be read: Is a directory"),)


def test_written_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "cards.lock"
    write_lock(path, LOCK)
    assert path.read_bytes() == TEXT.encode()
    assert [it.name for it in path.parent.iterdir()] == ["cards.lock"]
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask()


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_an_equal_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "cards.lock"
    write_lock(path, LOCK)
    before = path.stat()
    write_lock(path, LOCK)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    write_lock(path, Lock())
    assert path.stat().st_ino != before.st_ino, "a file that is written anew would be half a file for a moment"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "cards.lock"
    link.symlink_to(tmp_path / "real" / "cards.lock")
    write_lock(link, LOCK)
    assert link.is_symlink()
    assert read_lock(tmp_path / "real" / "cards.lock") == LOCK


WRITER = """
import sys
from pathlib import Path
from cards.lock import parse_lock
from cards.lock_file import write_lock
path, *texts = map(Path, sys.argv[1:])
locks = [parse_lock(text.read_text("utf-8"), "") for text in texts]
print("ready", flush=True)
while True:
    for lock in locks:
        write_lock(path, lock)
"""


def test_a_killed_writer_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    path, texts = tmp_path / "cards.lock", [tmp_path / "old", tmp_path / "new"]
    for text in texts:
        cards = (CARD._replace(id=f"{n:04}", content=Basic("Q" * 500, text.name)) for n in range(1000))
        write_lock(text, Lock(tuple(cards)))
    whole = [text.read_bytes() for text in texts]
    path.write_bytes(whole[0])
    seen: set[int] = set()
    for attempt in range(5):
        with subprocess.Popen([sys.executable, "-c", WRITER, path, *texts], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"ready\n"
            start = time.monotonic()
            try:
                while time.monotonic() < start + 0.2 + 0.013 * attempt or (
                    len(seen) < 2 and time.monotonic() < start + 20
                ):
                    seen.add(whole.index(path.read_bytes()))
            finally:
                writer.send_signal(signal.SIGKILL)
        assert path.read_bytes() in whole
    assert seen == {0, 1}


# Two runs at once.

ADDER = """
import sys
from pathlib import Path
from cards.lock import Lock, LockedCard
from cards.lock_file import held, read_lock, write_lock
from cards.model import Basic
path, data, who = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
for number in range(15):
    with held(path, data=data, seconds=60):
        cards = read_lock(path).cards
        card = LockedCard(f"{who}{number:03}", "a.md", (), "d", Basic("Q", "A"), None, "f", 1)
        write_lock(path, Lock(tuple(sorted((*cards, card), key=lambda card: card.id))))
"""


def test_two_runs_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "cards.lock"
    adders = [subprocess.Popen([sys.executable, "-c", ADDER, path, tmp_path / "data", who]) for who in "ab"]
    assert [adder.wait() for adder in adders] == [0, 0]
    lock = read_lock(path)
    assert isinstance(lock, Lock)
    assert [card.id for card in lock.cards] == [f"{who}{number:03}" for who in "ab" for number in range(15)]


def test_a_lock_held_too_long_is_an_error(tmp_path: Path) -> None:
    path, data = tmp_path / "cards.lock", tmp_path / "data"
    with held(path, data=data), pytest.raises(TimeoutError), held(path, data=data, seconds=0.1):
        pass
    with held(path, data=data, seconds=0), held(tmp_path / "other.lock", data=data, seconds=0):
        assert [it.name for it in tmp_path.iterdir()] == ["data"], "nothing appears beside the notes"


# Merging.


def git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    settings = ["-c", "user.name=a", "-c", "user.email=a@b.invalid", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *settings, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def merged(folder: Path, base: str, ours: str, theirs: str, attributes: str) -> int:
    """The exit code of a merge of two branches; each text is the ids of the cards in the file."""

    def commit(ids: str, changed: int) -> None:
        cards = [CARD._replace(id=name, changed=changed) for name in sorted(ids.split())]
        write_lock(folder / "cards.lock", Lock(tuple(cards)))
        (folder / ".gitattributes").write_text(attributes)
        git(folder, "add", ".")
        assert git(folder, "commit", "-q", "-m", "x").returncode == 0

    git(folder, "init", "-q", "-b", "main")
    commit(base, 1)
    git(folder, "checkout", "-q", "-b", "theirs")
    commit(theirs, 1)
    git(folder, "checkout", "-q", "main")
    commit(ours, 1)
    return git(folder, "merge", "-q", "--no-edit", "theirs").returncode


needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@needs_git
@pytest.mark.parametrize(
    ("ours", "theirs", "attributes"),
    [
        pytest.param("aa bb b1 cc dd", "aa bb cc dd d1", "", id="in different places"),
        pytest.param("aa bb b1 cc dd", "aa bb b2 b3 cc dd", "cards.lock merge=union\n", id="in one place"),
        pytest.param("aa bb cc dd e1", "aa bb cc dd e2 e3", "cards.lock merge=union\n", id="at the end"),
        pytest.param("bb cc dd", "aa bb cc d1 dd", "", id="one side removes a card"),
    ],
)
def test_branches_that_add_cards_merge(tmp_path: Path, ours: str, theirs: str, attributes: str) -> None:
    assert merged(tmp_path, "aa bb cc dd", ours, theirs, attributes) == 0
    lock = read_lock(tmp_path / "cards.lock")
    assert isinstance(lock, Lock)
    gone = {"aa"} - set(ours.split())
    assert [card.id for card in lock.cards] == sorted({*ours.split(), *theirs.split()} - gone)


@needs_git
def test_a_conflict_is_named_and_cured_by_keeping_both_sides(tmp_path: Path) -> None:
    assert merged(tmp_path, "aa bb", "aa b1 bb", "aa b2 bb", "") == 1
    path = tmp_path / "cards.lock"
    found = read_lock(path)
    assert isinstance(found, tuple)
    assert [(it.place.line, it.message) for it in found] == [
        (line, "git left a conflict here; keep the lines of both sides") for line in (3, 5, 7)
    ]
    lines = path.read_text("utf-8").split("\n")
    path.write_text("\n".join(line for line in lines if line[:7] not in ("<<<<<<<", "=======", ">>>>>>>")), "utf-8")
    lock = read_lock(path)
    assert isinstance(lock, Lock)
    assert [card.id for card in lock.cards] == ["aa", "b1", "b2", "bb"]


def test_one_change_met_at_two_times_is_no_conflict() -> None:
    later = [CARD._replace(changed=9), NUMBER._replace(changed=8)]
    extra = format_lock(Lock((later[0],), (later[1],))).split("\n")[1:3]
    assert parse_lock("\n".join([HEAD, *extra, *LINES, END]), "x") == Lock((later[0], CLOZE), (later[1],))
    assert parse_lock("\n".join([HEAD, *LINES, *extra, END]), "x") == Lock((later[0], CLOZE), (later[1],))


NOTE = (
    "#flashcards\n\nWhat is a cell? :: The unit of life.\n\nheart :: organ that pumps\n\nlung :: organ that breathes\n"
)


class Branches:
    """Notes in git, with decks built on two branches."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "notes").mkdir()
        (folder / ".gitattributes").write_text("cards.lock merge=union\n")
        git(folder, "init", "-q", "-b", "main")
        self.commit({"a.md": NOTE}, 1000)
        git(folder, "branch", "theirs")

    def build(self, now: int) -> Built | tuple[Problem, ...]:
        notes, lock = self.folder / "notes", read_lock(self.folder / "notes" / "cards.lock")
        if not isinstance(lock, Lock):
            return lock
        found = read([notes])
        scope = scope_of(notes.resolve(), [Path(note.path) for note in found.notes])
        files = {"out": self.folder.parent / "deck.apkg", "lock_file": notes / "cards.lock"}
        return write(plan(found.cards, lock, scope=scope, now=now), **files)

    def commit(self, notes: dict[str, str], now: int) -> None:
        for name, text in notes.items():
            (self.folder / "notes" / name).write_text(text, "utf-8")
        assert isinstance(self.build(now), Built)
        git(self.folder, "add", ".")
        assert git(self.folder, "commit", "-q", "-m", "x").returncode == 0

    def merge(self, ours: dict[str, str], theirs: dict[str, str], both: dict[str, str]) -> None:
        """Each side builds what it wrote, git merges, and `both` is what the notes say then."""
        git(self.folder, "checkout", "-q", "theirs")
        self.commit(theirs, 2000)
        git(self.folder, "checkout", "-q", "main")
        self.commit(ours, 3000)
        git(self.folder, "merge", "-q", "--no-edit", "theirs")
        for name, text in both.items():
            (self.folder / "notes" / name).write_text(text, "utf-8")


@needs_git
def test_two_branches_that_add_cards_know_all_of_them(tmp_path: Path) -> None:
    notes = Branches(tmp_path)
    more, new = "\nkidney :: organ that filters\n", "#flashcards\n\nliver :: organ that stores\n"
    same = "#flashcards\n\nskin :: organ that covers\n"
    notes.merge({"a.md": NOTE + more, "c.md": same}, {"b.md": new, "c.md": same}, {})

    built = notes.build(4000)

    assert isinstance(built, Built)
    changes = built.changes
    assert (len(changes.unchanged), changes.edited, changes.new, changes.removed) == (6, (), (), ())


@needs_git
@pytest.mark.parametrize("theirs", [NOTE.replace("pumps", "beats"), NOTE.replace("heart :: organ that pumps", "")])
def test_of_a_card_that_both_branches_changed_the_later_counts(tmp_path: Path, theirs: str) -> None:
    notes = Branches(tmp_path)
    ours = NOTE.replace("pumps", "moves blood")
    notes.merge({"a.md": ours}, {"a.md": theirs}, {"a.md": ours})

    built = notes.build(4000)

    assert isinstance(built, Built)
    assert (len(built.changes.unchanged), built.marked) == (3, 0)


@needs_git
def test_of_a_card_that_both_branches_changed_the_earlier_text_is_an_edit(tmp_path: Path) -> None:
    notes = Branches(tmp_path)
    theirs = NOTE.replace("pumps", "beats")
    notes.merge({"a.md": NOTE.replace("pumps", "moves blood")}, {"a.md": theirs}, {"a.md": theirs})

    built = notes.build(4000)

    assert isinstance(built, Built)
    (edit,) = built.changes.edited
    assert (edit.old_answer, edit.answer) == ("organ that moves blood", "organ that beats")
    lock = read_lock(tmp_path / "notes" / "cards.lock")
    assert isinstance(lock, Lock)
    assert max(card.changed for card in lock.cards) == 4000


@pytest.mark.parametrize("turned", [False, True])
def test_of_two_lines_on_a_card_the_later_counts(turned: bool) -> None:
    added = (*CLOZE.content.pieces, Deletion(4, "new", None))
    later = (
        CARD._replace(content=Basic("Q?", "C"), changed=9),
        CLOZE._replace(content=Cloze(added), changed=9),
        NUMBER._replace(fingerprint="f9", changed=9),
    )
    lines = [*LINES, *format_lock(Lock(later[:2], later[2:])).split("\n")[1:-2]]

    text = "\n".join([HEAD, *(lines[::-1] if turned else lines), END])

    assert parse_lock(text, "cards.lock") == Lock(later[:2], later[2:])


# Where it lies.


@pytest.mark.parametrize(
    ("given_paths", "marks", "root"),
    [
        (["v/bio/a.md"], [], "v/bio"),
        (["v/bio"], [], "v/bio"),
        (["v/bio/a.md", "v/ml/b.md"], [], "v"),
        (["v/bio", "v/ml/b.md"], [], "v"),
        (["v/bio", "v/bio/a.md"], [], "v/bio"),
        (["v/bio/a.md"], ["v/mha-quiz.toml"], "v"),
        (["v/bio"], ["v/.obsidian"], "v"),
        (["v/bio"], ["v/.obsidian", "v/bio/mha-quiz.toml"], "v/bio"),
        (["v/bio/a.md", "v/ml/b.md"], ["v/bio/.obsidian"], "v"),
        (["v/ml/../bio/a.md"], [], "v/bio"),
    ],
)
def test_root(tmp_path: Path, given_paths: list[str], marks: list[str], root: str) -> None:
    for note in ("v/bio/a.md", "v/ml/b.md"):
        (tmp_path / note).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / note).touch()
    for mark in marks:
        (tmp_path / mark).touch()
    assert notes_root([tmp_path / path for path in given_paths]) == tmp_path / root


def test_a_relative_path_and_a_link_have_the_same_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "v").mkdir()
    (tmp_path / "v" / "a.md").touch()
    (tmp_path / "link").symlink_to("v")
    monkeypatch.chdir(tmp_path / "v")
    roots = {notes_root([Path(path)]) for path in ("a.md", ".", "../link", "../link/a.md")}
    assert roots == {tmp_path / "v"}


def test_a_note_that_is_a_link_belongs_to_the_folder_of_the_link(tmp_path: Path) -> None:
    (tmp_path / "v").mkdir()
    (tmp_path / "a.md").touch()
    link = tmp_path / "v" / "b.md"
    link.symlink_to(tmp_path / "a.md")
    root = notes_root([link])
    assert root == tmp_path / "v"
    assert dict(scope_of(root, [link]).read) == {str(link): "b.md"}


def test_lock_beside_the_notes_or_in_the_data_folder(tmp_path: Path) -> None:
    root, data = tmp_path / "notes", tmp_path / "data"
    root.mkdir()
    assert lock_path(root, data=data) == root / "cards.lock"
    elsewhere = lock_path(root, data=data, beside=False)
    assert elsewhere.parent.parent == data / "locks"
    assert elsewhere == lock_path(root / "." / ".." / "notes", data=data, beside=False)
    assert elsewhere != lock_path(tmp_path, data=data, beside=False)


@pytest.mark.skipif(sys.platform == "win32", reason="folders are not closed by their mode there")
@pytest.mark.parametrize(("closed", "is_beside"), [("notes", False), ("notes/cards.lock", False), ("other", True)])
def test_lock_of_a_folder_that_cannot_be_written(closed: str, is_beside: bool) -> None:
    script = (
        "import os, sys; from pathlib import Path; from cards.lock_file import lock_path;"
        "os.getuid() or os.seteuid(65534); print(lock_path(Path(sys.argv[1]), data=Path(sys.argv[2])))"
    )
    with tempfile.TemporaryDirectory() as folder:  # open to all, as those of pytest are not
        Path(folder).chmod(0o777)
        root, data = Path(folder) / "notes", Path(folder) / "data"
        root.mkdir()
        (root / "cards.lock").touch()
        (Path(folder) / "other").touch()
        for path in (root, root / "cards.lock"):
            path.chmod(0o777)
        (Path(folder) / closed).chmod(0o555)
        shown = subprocess.run([sys.executable, "-c", script, root, data], capture_output=True, text=True, check=True)
        root.chmod(0o777)
        assert shown.stdout == f"{lock_path(root, data=data, beside=is_beside)}\n"


@pytest.mark.skipif(sys.platform == "win32", reason="folders are not closed by their mode there")
def test_a_folder_that_cannot_be_looked_into_is_its_own_root() -> None:
    """What is wrong is told by who reads its notes."""
    script = (
        "import os, sys; from pathlib import Path; from cards.lock_file import lock_path, notes_root;"
        "os.getuid() or os.seteuid(65534); root = notes_root([Path(sys.argv[1])]); print(lock_path(root, data=root))"
    )
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        root = Path(folder) / "notes"
        root.mkdir()
        root.chmod(0o666)
        shown = subprocess.run([sys.executable, "-c", script, root], capture_output=True, text=True, check=True)
        root.chmod(0o777)
        assert shown.stdout == f"{root.resolve() / 'cards.lock'}\n"


@pytest.mark.skipif(sys.platform == "win32", reason="folders are not closed by their mode there")
def test_a_folder_that_is_closed_and_opened_again_keeps_the_histories() -> None:
    script = """
import os
from pathlib import Path
from mha_quiz.cli import main

note, lock = Path("notes/a.md"), Path("notes/cards.lock")
note.write_text("#flashcards\\n\\nWhat hums in a hive? :: The bees.\\n")
main(["deck", "notes", "-o", "a.apkg"], standalone_mode=False)
note.write_text("#flashcards\\n\\nWhat hums in an old hive? :: The bees.\\n")
main(["deck", "notes", "-o", "a.apkg"], standalone_mode=False)
note.write_text("#flashcards\\n\\nWhat hums in an old hive all day? :: The bees.\\n")
kept = lock.read_bytes()
for path in Path("data").rglob("*"):
    path.chmod(0o777)
os.chmod("notes", 0o555)
os.getuid() or os.seteuid(65534)
for _ in range(2):
    main(["deck", "notes", "-o", "b.apkg"], standalone_mode=False)
assert lock.read_bytes() == kept
os.geteuid() == os.getuid() or os.seteuid(os.getuid())
os.chmod("notes", 0o777)
lock.unlink()
main(["deck", "notes", "-o", "c.apkg"], standalone_mode=False)
"""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        for name in ("notes", "data", "cache"):
            (Path(folder) / name).mkdir()
            (Path(folder) / name).chmod(0o777)
        environ = {**os.environ, "XDG_DATA_HOME": f"{folder}/data", "XDG_CACHE_HOME": f"{folder}/cache"}
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=folder, env=environ, capture_output=True, text=True, check=False
        )

    assert done.stderr == ""
    assert [line for line in done.stdout.split("\n") if "edited" in line] == [
        "0 unchanged, 0 edited, 0 moved, 1 new, 0 removed",
        "0 unchanged, 1 edited, 0 moved, 0 new, 0 removed",
        "0 unchanged, 1 edited, 0 moved, 0 new, 0 removed",
        "1 unchanged, 0 edited, 0 moved, 0 new, 0 removed",
        "1 unchanged, 0 edited, 0 moved, 0 new, 0 removed",
    ]


def test_a_part_of_the_notes_that_is_read_alone_begins_with_what_the_whole_knows(tmp_path: Path) -> None:
    root, data = tmp_path / "bio", tmp_path / "data"
    root.mkdir()
    assert known_lock(root / "cards.lock", root, data=data) == Lock()
    write_lock(tmp_path / "cards.lock", Lock((CARD, CLOZE), (NUMBER,)))
    assert known_lock(root / "cards.lock", root, data=data) == Lock((CARD._replace(note="a.md"),))
    write_lock(root / "cards.lock", Lock((CLOZE,)))
    assert known_lock(root / "cards.lock", root, data=data) == Lock((CLOZE,))


def test_a_root_above_the_old_one_begins_with_what_the_old_one_knows(tmp_path: Path) -> None:
    notes, data = tmp_path / "vault" / "bio", tmp_path / "data"
    notes.mkdir(parents=True)
    write_lock(notes / "cards.lock", Lock((CARD._replace(note="a.md"),), (NUMBER,)))
    (tmp_path / "vault" / "mha-quiz.toml").write_text("", encoding="utf-8")
    root = notes_root([notes])
    found = known_lock(root / "cards.lock", root, data=data, notes=[notes])
    assert found == Lock((CARD._replace(note="bio/a.md"),), (NUMBER,))
    write_lock(root / "cards.lock", Lock((CLOZE,)))
    assert known_lock(root / "cards.lock", root, data=data, notes=[notes]) == Lock((CLOZE,))


def test_the_whole_begins_with_what_its_parts_know(tmp_path: Path) -> None:
    root, data = tmp_path / "vault", tmp_path / "data"
    part = CARD._replace(note="a.md")
    other = part._replace(id="cccc", note="b.md")
    for folder, *cards in (("bio", part), ("bio/cell", other), ("chem", part, other), (".trash", CLOZE)):
        (root / folder).mkdir(parents=True)
        write_lock(root / folder / "cards.lock", Lock(tuple(cards), (NUMBER,)))
    note = root / "bio" / "cell" / "b.md"
    note.write_text("#ml\n\nQ :: A\n", encoding="utf-8")
    known = Lock((CARD._replace(note="bio/a.md"), other._replace(note="chem/b.md")), (NUMBER,))

    assert known_lock(root / "cards.lock", root, data=data, notes=[root]) == known
    loose = root / "loose.md"
    assert known_lock(root / "cards.lock", root, data=data, notes=[loose]) == Lock()
    only_bio = Lock((CARD._replace(note="bio/a.md"),), (NUMBER,))
    assert known_lock(root / "cards.lock", root, data=data, notes=[loose, note]) == only_bio
    (root / "bio" / "cards.lock").unlink()
    only_cell = Lock((other._replace(note="bio/cell/b.md"),), (NUMBER,))
    assert known_lock(root / "cards.lock", root, data=data, notes=[loose, note]) == only_cell

    (root / "chem" / "cards.lock").write_text("what?\n", encoding="utf-8")
    message = f'the first line is not "{HEAD}"'
    assert known_lock(root / "cards.lock", root, data=data, notes=[root]) == (
        Problem(Place(str(root / "chem" / "cards.lock"), 1, 1), "bad-lock", message),
    )


def test_a_bad_lock_above_stops_a_part_too(tmp_path: Path) -> None:
    (tmp_path / "bio").mkdir()
    (tmp_path / "cards.lock").write_text("what?\n", encoding="utf-8")
    found = known_lock(tmp_path / "bio" / "cards.lock", tmp_path / "bio", data=tmp_path / "data")
    message = f'the first line is not "{HEAD}"'
    assert found == (Problem(Place(str(tmp_path / "cards.lock"), 1, 1), "bad-lock", message),)
