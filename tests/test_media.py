"""Pictures and sounds: which file an embed means, and what reaches a real Anki."""

import os
import re
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from unicodedata import normalize

import pytest
from anki.collection import Collection as AnkiCollection
from anki.collection import ImportAnkiPackageOptions, ImportAnkiPackageRequest
from hypothesis import given
from hypothesis import strategies as st

from cards import media
from cards.collection import read
from cards.embeds import Embed, embeds
from cards.known import scope_of
from cards.lock import Lock
from cards.lock_file import notes_root, read_lock
from cards.media import Vault
from cards.model import Cloze, Deletion
from decks import html
from decks.build import Built, plan, write

PNG = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
THEN = 1_760_000_000


def vault(folder: Path, *names: str) -> Vault:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(PNG + name.encode())
    return Vault(folder)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("![a plot](img/plot.png)", [("img/plot.png", "a plot", None, None)]),
        ("![](my%20plot.png) ![](<my plot.png>)", [("my plot.png", "", None, None)] * 2),
        ("![x|300](a.png) ![300x200](b.png)", [("a.png", "x", 300, None), ("b.png", "", 300, 200)]),
        ("![[a b.png]] ![[c.png|300]]", [("a b.png", "", None, None), ("c.png", "", 300, None)]),
        ("![[c.png|a label|30x20]]", [("c.png", "a label", 30, 20)]),
        ("![1](a.png)", [("a.png", "1", None, None)]),
        ('a <img alt="b" src="c.png" width="30px" height=x> d', [("c.png", "b", 30, None)]),
        ("<img alt src=c.png>", [("c.png", "", None, None)]),
        ("[![a](b.png)](https://example.org)", [("b.png", "a", None, None)]),
        ("- x\n  - ![a](b.png)\n\n> **![[c.png]]**", [("b.png", "a", None, None), ("c.png", "", None, None)]),
        ("|a|\n|-|\n|![[c.png\\|30]]|", [("c.png", "", 30, None)]),
        ("==![[c.png]]==", [("c.png", "", None, None)]),
        ("`![](a.png)` $![](a.png)$ \\![](a.png) <!-- ![](a.png) --> [[a.png]] [a](b.png) <img>", []),
        ("```\n![[a.png]]\n```", []),
    ],
)
def test_embeds(text: str, expected: list[tuple[str, str, int | None, int | None]]) -> None:
    assert [(found.target, found.label, found.width, found.height) for found in embeds(text)] == expected


@pytest.mark.parametrize(
    ("written", "file"),
    [
        ("![](plot.png)", "a/plot.png"),  # beside the note, though there are others
        ("![[plot.png]]", "a/plot.png"),
        ("![](./plot.png)", "a/plot.png"),
        ("![](../b/plot.png)", "b/plot.png"),
        ("![](b/plot.png)", "b/plot.png"),  # from the root
        ("![](/plot.png)", "plot.png"),
        ("![[other.png]]", "b/deep/other.png"),  # anywhere, if there is one
        ("![[deep/other.png]]", "b/deep/other.png"),
        ("![[OTHER.PNG]]", "b/deep/other.png"),
        ("![](b\\deep\\other.png)", "b/deep/other.png"),
        ("![](b/my%20plot.png)", "b/my plot.png"),
        ("![[my%20plot.png]]", "b/my plot.png"),
        ("![](100%.png)", "100%.png"),
        ("![](other.png?raw=true#half)", "b/deep/other.png"),
        ("![[other.png#half]]", "b/deep/other.png"),
        ("![](a%23b.png)", "a#b.png"),
        (f"![]({normalize('NFC', 'é')}.png)", normalize("NFD", "b/é.png")),
        (f"![[{normalize('NFD', 'ñ')}.png]]", normalize("NFC", "b/ñ.png")),
        ("![[Case.png]]", "b/Case.png"),  # and not b/deep/case.png
        ("![[top.PNG]]", "Top.png"),  # and not b/deep/top.png
        ("![[cry.mp3]]", "b/cry.mp3"),
        ("![[copied.png]]", "b/copied.png"),  # twice, with the same content
        ("![](linked.png)", "linked.png"),
        ("![[Note]]", None),
        ("![[Note#^ab12]]", None),
        ("![[deep]]", None),
        ("![[Version 2.1]]", None),
    ],
)
def test_which_file(tmp_path: Path, written: str, file: str | None) -> None:
    names = ["plot.png", "a/plot.png", "b/plot.png", "b/deep/other.png", "b/my plot.png", "100%.png", "a#b.png"]
    names += [normalize("NFD", "b/é.png"), normalize("NFC", "b/ñ.png"), "b/Case.png", "b/deep/case.png", "b/cry.mp3"]
    names += ["Top.png", "b/deep/top.png"]
    found = vault(tmp_path, *names, "Note.md", "b/.trash/trashed.png")
    (tmp_path / "linked.png").symlink_to(tmp_path / "b/plot.png")
    for folder in ("b", "c"):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "copied.png").write_bytes(PNG)

    (embed,) = embeds(written)

    assert found.find(embed, str(tmp_path / "a/note.md")) == (tmp_path / file if file else None)


@pytest.mark.parametrize(
    ("written", "code", "message"),
    [
        ("![](none.png)", "missing-media", 'there is no file "none.png"'),
        ("![[none.mp3]]", "missing-media", 'there is no file "none.mp3"'),
        ("![](none)", "missing-media", 'there is no file "none"'),
        ("![](trashed.png)", "missing-media", 'there is no file "trashed.png"'),
        ("![](folder.png)", "missing-media", '"folder.png" is no file'),
        ("![](dead.png)", "missing-media", '"dead.png" cannot be read: No such file or directory'),
        ("![](loop.png)", "missing-media", '"loop.png" cannot be read: Too many levels of symbolic links'),
        ("![](pipe.png)", "missing-media", '"pipe.png" is no file'),
        (f"![]({'x' * 300}.png)", "missing-media", f'there is no file "{"x" * 39}…"'),
        ("![[a\x1b-31m.png]]", "missing-media", 'there is no file "a�-31m.png"'),
        ("![](../../../private/key.png)", "unsafe-path", None),
        ("![[../../key.png]]", "unsafe-path", None),
        ("![](..%2f..%2fkey.png)", "unsafe-path", None),
        ("![[..\\..\\key.png]]", "unsafe-path", None),
        ("![](C:\\key.png)", "unsafe-path", None),
        ("![[\\\\host\\key.png]]", "unsafe-path", None),
        ("![](file:///etc/key.png)", "unsafe-path", None),
        ("![](out.png)", "unsafe-path", None),
        ("![](outfolder/key.png)", "unsafe-path", None),
        ("![[same.png]]", "ambiguous-media", '"same.png" may be "b/same.png" or "c/same.png"'),
        ("![[key.png]]", "ambiguous-media", '"key.png" may be "b/key.png" or "c/key.png"'),  # one leads out
        ("![](paper.pdf)", "unsupported-media", 'Anki cannot show "paper.pdf"'),
        ("![[paper.pdf#page=3]]", "unsupported-media", 'Anki cannot show "paper.pdf#page=3"'),
        ("![](data:image/png;base64,iVBO)", "unsupported-media", 'Anki cannot show "data:image/png;base64,iVBO"'),
        ("![](large.png)", "large-media", '"large.png" has 101 MB; Anki takes at most 100'),
        (
            "![](https://example.org/a.png)",
            "remote-media",
            '"https://example.org/a.png" is not loaded from the web; save it beside the note',
        ),
        (
            '<img src="//example.org/a.png">',
            "remote-media",
            '"//example.org/a.png" is not loaded from the web; save it beside the note',
        ),
    ],
)
def test_what_is_refused(tmp_path: Path, written: str, code: str, message: str | None) -> None:
    root = tmp_path / "notes"
    found = vault(root, "b/same.png", "c/same.png", "paper.pdf", ".trash/trashed.png", "large.png")
    vault(tmp_path, "outside/key.png")
    (root / "folder.png").mkdir()
    (root / "dead.png").symlink_to("nowhere.png")
    (root / "loop.png").symlink_to("loop.png")
    (root / "out.png").symlink_to(tmp_path / "outside/key.png")
    (root / "outfolder").symlink_to(tmp_path / "outside")
    (root / "b/key.png").write_bytes((tmp_path / "outside/key.png").read_bytes())
    (root / "c/key.png").symlink_to(tmp_path / "outside/key.png")
    os.truncate(root / "large.png", 101 * 2**20)
    os.mkfifo(root / "pipe.png")

    (embed,) = embeds(written)

    target = embed.target
    message = message or f'"{target}" lies outside of the notes\' folder; it was left out'
    assert found.find(embed, str(root / "a/note.md")) == media.Refused(code, message)


def test_where_a_problem_is(tmp_path: Path) -> None:
    note = (
        "#flashcards\n\n![](gone.png)\n\nQ1 :: `![](gone.png)` ![](gone.png)\n- Q2\n  ?\n  x\n  é ![[gone.png|30]]\n\n"
    )
    (tmp_path / "note.md").write_text(f"{note}{{{{c1::a}}}} <img src='a.png'>\n", encoding="utf-8")

    assert [str(problem).removeprefix(f"{tmp_path}/") for problem in read([tmp_path]).problems] == [
        'note.md:5:23: there is no file "gone.png"',
        'note.md:9:5: there is no file "gone.png"',
        'note.md:11:11: there is no file "a.png"',
    ]


MARKUP = st.sampled_from(
    ["![", "]", "(", ")", "[[", "]]", "a.png", "b.png", "`", "$", "\\", "<img src=a.png>", "*", "\n"]
)
TEXT = st.lists(
    MARKUP | st.sampled_from(["[", "|30", "<", ">", "==", "- ", "<pre>", "</pre>", "![[a.png]]", " "]), max_size=12
)


@given(TEXT.map("".join))
def test_what_is_told_is_what_is_shown(text: str) -> None:
    asked: list[Embed] = []

    html.render(text, lambda embed: asked.append(embed))

    assert asked == list(embeds(html.clean(text).strip()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('![a "<b> {{c}}|30](x.png)', '<img src="x.png" alt="a &quot;&lt;b&gt; &#123;&#123;c&#125;&#125;" width="30">'),
        ("see ![[x.png|30x20]] **it**", 'see <img src="x.png" alt="" width="30" height="20"> <strong>it</strong>'),
        ("<b>![](x.png)</b>", '<b><img src="x.png" alt=""></b>'),
        ("![[x.mp3]]", "[sound:x.mp3]"),
        ("[![](x.png)](https://example.org)", '<a href="https://example.org"><img src="x.png" alt=""></a>'),
        ("<pre><img src=x.png></pre>", "<pre>&lt;img src=x.png&gt;</pre>"),
        ("<b title='<img src=x.png>'>a</b>", '<b title="&lt;img src=x.png&gt;">a</b>'),
        # a browser would take the blank that is none for the beginning of the value
        ("<a y=\xa0\"a href='b\">https://![](x.png)'>c", '<a>https://<img src="x.png" alt="">\'&gt;c</a>'),
    ],
)
def test_html(text: str, expected: str) -> None:
    assert html.render(text, lambda embed: embed.target) == expected


def test_html_of_a_cloze() -> None:
    cloze = Cloze((Deletion(1, "![a::b}}](x.png)", "![[y.png]]"), " ![[z.mp3]] ", Deletion(2, "[[a]]", None)))

    assert html.render_cloze(cloze, lambda embed: embed.target) == (
        '{{c1::<img src="x.png" alt="a&#58;&#58;b&#125;&#125;">::<img src="y.png" alt="">}} [sound:z.mp3] {{c2::a}}'
    )


@pytest.fixture
def collection(tmp_path: Path) -> Iterator[AnkiCollection]:
    collection = AnkiCollection(str(tmp_path / "collection.anki2"))
    yield collection
    collection.close()


def deck(folder: Path, now: int) -> Built:
    found = read([folder])
    root = notes_root([folder])
    lock = read_lock(folder / "cards.lock")
    assert isinstance(lock, Lock)
    assert found.problems == ()
    return write(
        plan(
            found.cards,
            lock,
            scope=scope_of(root, [Path(note.path) for note in found.notes]),
            now=now,
            vault=Vault(root),
        ),
        folder / "deck.apkg",
        folder / "cards.lock",
    )


def imported(collection: AnkiCollection, folder: Path) -> dict[str, int]:
    request = ImportAnkiPackageRequest(package_path=str(folder / "deck.apkg"), options=ImportAnkiPackageOptions())
    log = collection.import_anki_package(request).log
    collection.models._clear_cache()
    said = {kind: len(getattr(log, kind)) for kind in ("new", "updated", "duplicate", "conflicting")}
    return {kind: number for kind, number in said.items() if number}


def files(collection: AnkiCollection) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in Path(collection.media.dir()).iterdir()}


NOTE = """#flashcards

Draw the circle :: ![[circle.png|300]] or ![ring](img/Circle.PNG)
Say it ::: ![](cry%20(1).mp3)
The ==![](हिन्दी.png)== is here
"""


def test_media_arrives(collection: AnkiCollection, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    names = ("circle.png", "img/Circle.PNG", "cry (1).mp3", "हिन्दी.png", "unused.png", "img/unused.png")
    vault(notes, *names)
    (notes / "note.md").write_text(NOTE, encoding="utf-8")

    deck(notes, THEN)

    assert imported(collection, notes) == {"new": 3}
    arrived = files(collection)
    assert sorted(name.rpartition("-")[0] for name in arrived) == ["Circle", "circle", "cry--1", "हिन्दी"]
    assert {content.removeprefix(PNG).decode() for content in arrived.values()} == set(names[:4])
    report = collection.media.check()
    assert (list(report.missing), list(report.unused)) == ([], [])
    (card, *_) = collection.find_cards("Draw")
    answer = collection.get_card(card).answer()
    circle, ring = (next(name for name in arrived if name.startswith(stem)) for stem in ("circle", "Circle"))
    assert f'<img src="{circle}" alt="" width="300"> or <img src="{ring}" alt="ring">' in answer
    heard = collection.get_card(collection.find_cards("Say")[0]).answer_av_tags()
    assert [tag.filename.rpartition("-")[0] for tag in heard] == ["cry--1"]  # type: ignore[union-attr]


def test_a_changed_picture_updates_its_note_only(collection: AnkiCollection, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    vault(notes, "circle.png", "img/Circle.PNG", "cry (1).mp3", "हिन्दी.png")
    (notes / "note.md").write_text(NOTE, encoding="utf-8")
    deck(notes, THEN)
    first = (notes / "deck.apkg").read_bytes()
    imported(collection, notes)
    deck(notes, THEN + 30)
    assert (notes / "deck.apkg").read_bytes() == first
    (notes / "circle.png").write_bytes(PNG + b"changed")

    built = deck(notes, THEN + 60)

    assert len(built.changes.edited) == 1
    assert imported(collection, notes) == {"updated": 1, "duplicate": 2}
    answer = collection.get_card(collection.find_cards("Draw")[0]).answer()
    (changed,) = (name for name, content in files(collection).items() if content == PNG + b"changed")
    assert f'<img src="{changed}"' in answer
    assert collection.media.check().missing == []


def test_a_picture_alone_is_a_side(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    vault(notes, "q.png", "a.png")
    (notes / "note.md").write_text("#flashcards\n\n![](q.png) :: ![](a.png)\n", encoding="utf-8")

    built = deck(notes, THEN)

    assert (built.notes, built.problems) == (1, ())


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("_leading.png", "leading"),
        ("CON.png", "CON"),
        ("...png", "media"),
        ("a" * 250 + ".png", "a" * 80),
        ("é" * 100 + ".png", "é" * 40),
        ("a_b(c){d}&'e;%20.png", "a_b-c--d---e--20"),
        ("\udce9.png", "x"),
    ],
)
def test_names_that_anki_would_change(collection: AnkiCollection, tmp_path: Path, name: str, stem: str) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / name).write_bytes(PNG)
    (notes / "x.png").symlink_to(name)
    (notes / "note.md").write_text(f"#flashcards\n\nQ :: ![[{name if name.isprintable() else 'x.png'}]]\n", "utf-8")

    deck(notes, THEN)

    assert imported(collection, notes) == {"new": 1}
    (note,) = map(collection.get_note, collection.find_notes(""))
    (arrived,) = files(collection)
    assert note["Back"] == f'<img src="{arrived}" alt="">'
    assert re.fullmatch(rf"{stem}-[0-9a-f]{{8}}\.png", arrived)
