"""What is remembered never changes a result: it is what reading anew would give, or it is not used."""

import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards.collection import Collection, read
from cards.known import Scope, scope_of
from cards.lock import Lock
from cards.lock_file import read_lock
from cards.media import Vault
from cards.model import Basic, Card, Cloze, Deletion, Language, Origin, Place, Reversed
from cards.remembered import Remembered, key_of
from decks.apkg import Note, staged
from decks.build import Planned, plan, write

ROOT = Path(__file__).parents[1]

NOW = 1_760_000_000
TEXTS = (
    "#flashcards/ml\n\n# Heads\n\n#exam What is $d_k$? :: $d / h$\n\nHow many? ::: eight\n",
    "#flashcards\n\n==eight== heads, {{c1::64}} wide ![[head.png]]\n\nWhy?\n?\n- because of ![](head.png)\n",
    "---\ntwin: b.md\nlang: en\n---\n#flashcards\n\nWhat divides the score? :: $\\sqrt{d_k}$ divides it\n",
    "---\nlang: hinglish\n---\n#flashcards\n\nScore ko kaun divide karta hai? :: $\\sqrt{d_k}$ divide karta hai\n",
    "#flashcards\n\n## Why scale?\n\nScaling keeps the softmax from saturating, because large scores kill gradients.\n",
    "Query::\nWhat a token looks for.\n\nNote: $\\unknown{x}$ :: $\\foo$\n",
    "What is a token? :: a piece of text\n",
    "#flashcards\n\nA :: B\n\nA :: C\n\nno answer ::\n\nunclosed $x :: y\n<!--SR:!2031-01-02,3,250-->\n",
)
SETTINGS = (
    "",
    '[cards]\ninline = "::"\nderived = true\n',
    '[cards]\ninline = ";;"\n',
    '[cards]\nfolders_as_decks = true\ndeck_tags = [""]\n',
    '[cards]\npages = ["a.md"]\ncloze = ["==", "{{"]\n',
    '[cards]\nignore_paths = ["sub"]\nnonsense = 1\n',
)
NAMES = ("a.md", "b.md", "sub/a.md", "notes.hinglish.md")
EDITS = st.one_of(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(TEXTS)),
    st.tuples(st.sampled_from(NAMES), st.none()),
    st.tuples(st.just("mha-quiz.toml"), st.sampled_from(SETTINGS)),
    st.tuples(st.sampled_from(("head.png", "sub/head.png")), st.sampled_from(("a picture", None))),
)
WAYS = st.tuples(st.booleans(), st.sampled_from((None, True, False)))


def edit(folder: Path, name: str, text: str | None) -> None:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    if text is None:
        path.unlink(missing_ok=True)
    else:
        path.write_text(text, "utf-8")


@given(st.lists(st.tuples(EDITS, WAYS), min_size=1, max_size=8))
@settings(max_examples=25, deadline=None)
def test_reading_with_memory_is_reading_anew(
    steps: Sequence[tuple[tuple[str, str | None], tuple[bool, bool | None]]],
) -> None:
    with TemporaryDirectory() as name:
        notes, file = Path(name, "notes"), Path(name, "cache", "notes")
        notes.mkdir()
        for (path, text), (everything, derived) in steps:
            edit(notes, path, text)
            anew = read([notes], everything=everything, derived=derived)
            lock, scope = read_lock(notes / "cards.lock"), scope_of(notes, [Path(note.path) for note in anew.notes])
            assert isinstance(lock, Lock)

            def planned(
                memory: Remembered | None, cards: Collection = anew, lock: Lock = lock, scope: Scope = scope
            ) -> Planned:
                return plan(
                    cards.cards, lock, scope=scope, now=NOW, twins=cards.twins, vault=Vault(notes), memory=memory
                )

            for _ in range(2):
                remembered, memory = Remembered(file), Remembered(Path(name, "cache", "deck"))
                assert read([notes], everything=everything, derived=derived, remembered=remembered) == anew
                built = planned(None)
                assert planned(memory) == built
                with staged(Path(name, "anew.apkg"), built.notes, built.media):
                    pass
                write(built, Path(name, "deck.apkg"), notes / "cards.lock", memory)
                assert Path(name, "deck.apkg").read_bytes() == Path(name, "anew.apkg").read_bytes()
                remembered.save()
                memory.save()


BASE = Card(
    Basic("$q$", "**key**"), Origin.FLASHCARD, Place("a.md", 1, 1), "ml", ("exam",), Language.EN, ("Top",), (), None
)


@pytest.mark.parametrize(
    "other",
    [
        BASE._replace(content=Basic("$q$", "*key*")),
        BASE._replace(content=Basic("$k$", "**key**")),
        BASE._replace(content=Reversed("$q$", "**key**")),
        BASE._replace(content=Cloze(("$q$", Deletion(1, "**key**", None)))),
        BASE._replace(content=Cloze(("$q$", Deletion(2, "**key**", None)))),
        BASE._replace(content=Cloze(("$q$", Deletion(1, "**key**", "hint")))),
        BASE._replace(content=Basic("$q$", "**key** <b>x</b>")),
        BASE._replace(tags=("exams",)),
        BASE._replace(heading=("Bottom",)),
        BASE._replace(type_in=True),
        BASE._replace(content=Basic("$q$", "- key"), in_line=True),
        BASE._replace(warnings=("The note says `1 + 1 = 3`",)),
        BASE._replace(place=Place("b.md", 1, 1)),
    ],
)
def test_another_card_is_rendered_anew(tmp_path: Path, other: Card) -> None:
    scope = Scope({"a.md": "a.md", "b.md": "b.md"}, lambda note: True)

    def notes(card: Card, memory: Remembered | None) -> tuple[Note, ...]:
        return plan([card], Lock(), scope=scope, now=NOW, memory=memory).notes

    for card in (BASE, other._replace(in_line=False), other, other, BASE):
        memory = Remembered(tmp_path / "deck")
        assert notes(card, memory) == notes(card, None)
        memory.save()


@pytest.mark.parametrize("embed", ["![](head.png)", "![[head.png]]", '<img src="head.png">'])
def test_a_changed_picture_is_seen(tmp_path: Path, embed: str) -> None:
    shown = []
    for picture in (b"one", b"another", b"another"):
        (tmp_path / "head.png").write_bytes(picture)
        memory = Remembered(tmp_path / "cache" / "deck")
        card = BASE._replace(content=Basic("head", embed), place=Place(str(tmp_path / "a.md"), 1, 1))
        scope = Scope({card.place.path: "a.md"}, lambda note: True)
        shown.append(
            plan([card], Lock(), scope=scope, now=NOW, vault=Vault(tmp_path), memory=memory).notes[0].fields[1]
        )
        memory.save()

    assert shown[0] != shown[1] == shown[2]


def test_an_unchanged_note_is_not_read_again(tmp_path: Path) -> None:
    file = tmp_path / "cache" / "notes"
    value = (Basic("front", "back"), Place("note.md", 1, 2), ("text", 3, None))
    first = Remembered(file)
    assert first.recall(key_of("a"), lambda: value) == value
    first.save()

    assert Remembered(file).recall(key_of("a"), lambda: ()) == value
    assert Remembered(file).recall(key_of("b"), lambda: ()) == ()


def test_what_was_not_asked_for_is_forgotten(tmp_path: Path) -> None:
    file = tmp_path / "notes"
    for asked in ("ab", "b"):
        remembered = Remembered(file)
        for name in asked:
            remembered.recall(key_of(name), lambda name=name: name)  # type: ignore[misc]  # mypy cannot infer it
        remembered.save()

    assert [Remembered(file).recall(key_of(name), lambda: "anew") for name in "ab"] == ["anew", "b"]


def test_a_file_that_nobody_wrote_for_two_months_goes(tmp_path: Path) -> None:
    for name, days in (("old", 61), ("recent", 59), ("new", 0)):
        remembered = Remembered(tmp_path / name)
        remembered.recall(b"key", lambda: "value")
        remembered.save()
        seconds = (tmp_path / name).stat().st_mtime - days * 86_400
        os.utime(tmp_path / name, (seconds, seconds))
    Remembered(tmp_path / "new").save()
    remembered = Remembered(tmp_path / "another")
    remembered.recall(b"key", lambda: "value")
    remembered.save()

    assert sorted(path.name for path in tmp_path.iterdir()) == ["another", "new", "recent"]


def test_a_damaged_file_is_no_file(tmp_path: Path) -> None:
    file = tmp_path / "notes"
    remembered = Remembered(file)
    remembered.recall(b"key", lambda: "value")
    remembered.save()
    whole = file.read_bytes()
    for at in range(len(whole)):
        for damaged in (whole[:at], whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]):
            file.write_bytes(damaged)
            assert Remembered(file).recall(b"key", lambda: "anew") == "anew"
    file.write_bytes(whole)
    assert Remembered(file).recall(b"key", lambda: "anew") == "value"


def test_a_file_makes_nothing_but_cards(tmp_path: Path) -> None:
    file, harmed = tmp_path / "notes", tmp_path / "harmed"
    harm = pickle.dumps({b"key": f"cposix\nsystem\n(Vtouch {harmed}\ntR.".encode()})
    file.write_bytes(blake2b(harm, digest_size=32, person=b"mha-quiz").digest() + harm)

    assert Remembered(file).recall(b"key", lambda: "anew") == "anew"
    assert not harmed.exists()


def test_a_folder_that_cannot_be_written_is_no_harm(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way", "utf-8")
    remembered = Remembered(tmp_path / "cache" / "notes")

    assert remembered.recall(b"key", lambda: "value") == "value"
    remembered.save()
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]


def test_another_program_reads_anew(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "cards", tmp_path / "cards")
    (tmp_path / "note.md").write_text("#flashcards\n\na :: b\n\nthe rest ::\n", "utf-8")
    script = (
        "from pathlib import Path; from cards.collection import read; from cards.remembered import Remembered\n"
        "known = Remembered(Path('known')); print(*read([Path('note.md')], remembered=known).problems); known.save()"
    )

    def told() -> str:
        run = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
        return run.stdout

    before = told()
    assert told() == before
    for module in (tmp_path / "cards").glob("*.py"):
        module.write_text(module.read_text("utf-8").replace("nothing stands after", "no answer behind"), "utf-8")
    assert "nothing stands after" in before
    assert told() == before.replace("nothing stands after", "no answer behind")


def test_the_same_text_elsewhere_is_another_note(tmp_path: Path) -> None:
    one, other = tmp_path / "top" / "one", tmp_path / "top" / "other"
    toml = '[cards]\nfolders_as_decks = true\ndeck_tags = [""]\n'
    for folder in (one, other):
        folder.mkdir(parents=True)
        (folder / "a.md").write_text("a :: b\n", "utf-8")
        (folder / "mha-quiz.toml").write_text(toml, "utf-8")

    def check(paths: list[Path]) -> None:
        remembered = Remembered(tmp_path / "cache")
        assert read(paths, remembered=remembered) == read(paths)
        remembered.save()

    check([one])
    check([other])
    (other / "mha-quiz.toml").rename(tmp_path / "top" / "mha-quiz.toml")  # so that the deck is named by a folder
    check([other])


def test_remembered_notes_need_no_parser(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("#flashcards\n\nWhat is $d_k$? :: **64**\n", "utf-8")
    (tmp_path / "twin.md").write_text("---\ntwin: note\n---\n#flashcards\n\n$d_k$ kya hai? :: **64**\n", "utf-8")
    script = (
        "import sys; from pathlib import Path; from cards.collection import read; from cards.remembered import Remembered\n"
        "known = Remembered(Path('known')); read([Path('.')], remembered=known); known.save()\n"
        "print([name for name in ('cards.grammar', 'markdown_it', 'yaml') if name in sys.modules])"
    )

    def loaded() -> str:
        run = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
        return run.stdout

    assert loaded() == "['cards.grammar', 'markdown_it', 'yaml']\n"
    assert loaded() == "[]\n"
