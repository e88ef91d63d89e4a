"""The preview page: the same as Anki shows, whole in one file, and harmless."""

import json
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from anki.collection import Collection as AnkiCollection
from anki.collection import ImportAnkiPackageOptions, ImportAnkiPackageRequest

from cards import markdown
from cards.collection import read
from cards.known import Scope, scope_of
from cards.lock import Lock
from cards.lock_file import notes_root
from cards.media import Vault
from cards.model import Basic, Card, Cloze, Deletion, Language, Origin, Place, Problem
from decks import apkg, html, note_types, numbers
from decks.build import Planned, plan
from decks.mathml import mathml
from decks.preview import write_preview
from decks.reviewer import sides

ROOT = Path(__file__).parents[1]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
in_browser = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

NOTE = """---
tags: [flashcards/ml/heads, exam]
---
# Attention

## Heads

Draw it :: ![four "heads"|240](heads.svg)
Query ::: what <a> token & looks for
Sound :: ![[hum.wav]] and ![[film.mp4]] and ![[gone.png]] and ![[large.png]]
The scores are divided by ==$\\sqrt{d_k}$==, $x + $ ==$y$;;a ==$z$== hint== and ==std::vector==.
Half: ==a== of {{c2::with {braces}::{hint}}}
Literal {{Front}} and {{c1}} :: [sound:x.mp3] \\\\(x\\\\) `\\(y\\)`

#type-in Capital ::: Paris

#type-in A ==cell== has a ==membrane;;what==.

Shapes?
??
| tensor | shape |
|---|---|
| $QK^\\top$ | `[n, n]` |
$$\\operatorname{softmax}(z)_i = \\frac{e^{z_i}}{\\sum_j e^{z_j}}$$
- **a** $a<b$
- $\\ce{H2O}$ and $\\foo$

#flashcards/ML
Last? :: yes
#flashcards/a
First? :: $x$
"""


def notes(folder: Path, text: str = NOTE) -> Path:
    folder.mkdir()
    (folder / "note.md").write_text(text, encoding="utf-8")
    (folder / "heads.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    (folder / "hum.wav").write_bytes(b"hum")
    (folder / "film.mp4").write_bytes(b"film")
    (folder / "large.png").write_bytes(b"x" * (8 * 2**20 + 1))
    return folder


def planned(folder: Path, lock: Lock | None = None) -> tuple[Planned, Sequence[Problem]]:
    found = read([folder])
    root = notes_root([folder])
    scope = scope_of(root, [Path(note.path) for note in found.notes])
    return plan(
        found.cards, lock or Lock(), scope=scope, now=1_760_000_000, twins=found.twins, vault=Vault(root)
    ), found.problems


def page(tmp_path: Path, text: str = NOTE) -> str:
    write_preview(*planned(notes(tmp_path / "notes", text)), tmp_path / "page.html")
    return (tmp_path / "page.html").read_text("utf-8")


def test_sides_are_those_of_anki(tmp_path: Path) -> None:
    all_notes, _ = planned(notes(tmp_path / "notes"))
    bundled, _ = planned(ROOT / "mha_quiz" / "notes")
    cloze = Cloze(("$\\frac{", Deletion(1, "a_{b}", None), "}{c}$ ", Deletion(2, "$d$ e", "$f$"), " $g$"))
    fields = (html.render_cloze(cloze), *[""] * 7)
    in_formula = apkg.Note("in formula", note_types.cloze(), fields, (0, 1), (), "d", 1_760_000_000)
    asked, _, _ = numbers.notes(numbers.numbers()[:2], None, (), "d::Numbers", 1_760_000_000)
    written = [*all_notes.notes, *bundled.notes, in_formula, *asked]
    with apkg.staged(tmp_path / "deck.apkg", written, dict(all_notes.media) | dict(bundled.media)):
        pass
    collection = AnkiCollection(str(tmp_path / "collection.anki2"))
    request = ImportAnkiPackageRequest(package_path=str(tmp_path / "deck.apkg"), options=ImportAnkiPackageOptions())
    collection.import_anki_package(request)
    collection.models._clear_cache()

    for note in written:
        (id_,) = collection.db.list("select id from notes where guid = ?", note.guid)
        cards = collection.get_note(id_).cards()
        assert [card.ord for card in cards] == list(note.cards)
        for card in cards:
            assert tuple(map(in_common, sides(note, card.ord))) == (
                in_common(card.question()),
                in_common(card.answer()),
            )
    collection.close()


def in_common(side: str) -> str:
    """The side without Anki's own marks for style, sounds and deletions."""
    side = re.sub(r"\A<style>.*?</style>", "", side, flags=re.DOTALL)
    side = re.sub(r"\[anki:play:[qa]:\d+\]|\[sound:[^]]+\]", "♪", side)
    return re.sub(r'(<span class="cloze(?:-inactive)?")[^>]*>', r"\1>", side)


class Addresses(HTMLParser):
    """Everything a page refers to."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]
        self.found += [str(value) for name, value in attrs if name in {"src", "href", "srcset", "data", "action"}]


def test_the_page_refers_to_nothing_outside(tmp_path: Path) -> None:
    text = page(tmp_path)

    addresses = Addresses()
    addresses.feed(text)
    assert addresses.tags.isdisjoint({"script", "link", "iframe", "object", "embed", "base", "form"})
    assert {address.partition(",")[0] for address in addresses.found} == {
        "#deck0",
        "#deck1",
        "#deck2",
        "data:image/svg+xml;base64",
        "data:audio/x-wav;base64",
        "data:video/mp4;base64",
    }
    assert set(re.findall(r"url\((.{10})", text)) == {"data:font/"}
    assert "Content-Security-Policy\" content=\"default-src 'none';" in text


def test_what_the_page_says(tmp_path: Path) -> None:
    text = page(tmp_path)

    assert re.findall(r"<title>(.*)</title>", text) == ["10 notes, 18 cards"]
    assert re.findall(r'<h2 id="deck\d">(.*)</h2>', text) == ["a", "ml", "ml › heads"]
    labels = [re.sub("<[^>]*>", "", found) for found in re.findall(r'<p class="labels">(.*)</p>', text)]
    clozes = [f"cloze {number} #exam" for number in range(1, 6)]
    typed = ["#type-in #exam", "reversed #type-in #exam", "cloze 1 #type-in #exam", "cloze 2 #type-in #exam"]
    before, after = ["#exam"] * 4 + ["reversed #exam", "#exam"], ["#exam", "reversed #exam"]
    assert labels == [*before, *clozes, "#exam", *typed, *after]
    assert text.count("<input disabled>") == 4
    assert "[[type" not in text
    assert re.findall(r"<li><code>.*/(note.md.*?)</code> (.*)</li>", text) == [
        ("note.md:10:45", "there is no file &quot;gone.png&quot;"),
        ("note.md:26:19", "Anki cannot show &quot;\\foo&quot;"),
    ]
    assert text.count('<code class="tex">\\ce{H2O}</code>') == text.count('<code class="tex unknown">\\foo</code>') == 3
    assert re.findall(r'<span class="missing">(?:gone.png|large-[0-9a-f]{8}.png)</span>', text)


def test_equal_notes_give_equal_bytes(tmp_path: Path) -> None:
    found = planned(notes(tmp_path / "notes"))
    for name in ("one.html", "two.html"):
        write_preview(*found, tmp_path / name)

    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_a_failure_leaves_the_old_page(tmp_path: Path) -> None:
    found = planned(notes(tmp_path / "notes"))
    (tmp_path / "page.html").write_text("old")
    (tmp_path / "notes" / "heads.svg").unlink()

    with pytest.raises(FileNotFoundError):
        write_preview(*found, tmp_path / "page.html")

    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes", "page.html"]
    assert (tmp_path / "page.html").read_text() == "old"


def test_a_page_that_cannot_be_put_in_place_leaves_nothing(tmp_path: Path) -> None:
    found = planned(notes(tmp_path / "notes"))

    with pytest.raises(IsADirectoryError):
        write_preview(*found, tmp_path / "notes")

    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


def test_of_a_note_with_hundreds_of_cards_the_last_are_counted(tmp_path: Path) -> None:
    text = page(
        tmp_path,
        "#flashcards\n" + "".join(f"==deletion {number}== of many words " for number in range(300)) + "\n\na :: b\n",
    )
    shown = text.count('<div class="card front">')
    assert 20 < shown < 60
    assert text.count("more cards of this note") == 1
    assert f"<span>{301 - shown} more cards of this note</span>" in text


def test_a_removed_card_is_not_shown(tmp_path: Path) -> None:
    folder = notes(tmp_path / "notes", "#flashcards\n\nQ1 :: A1\n\nQ2 :: A2\n")
    before, _ = planned(folder)
    (folder / "note.md").write_text("#flashcards\n\nQ1 :: A1\n", encoding="utf-8")

    after, problems = planned(folder, before.lock)
    write_preview(after, problems, tmp_path / "page.html")

    assert len(after.notes) == 2
    assert (tmp_path / "page.html").read_text("utf-8").count("<article>") == 1


def test_formulas_are_told_as_in_anki(tmp_path: Path) -> None:
    text = page(tmp_path, "#flashcards\n\nQ :: $\\bm x$ $$\\begin{align} a &= b \\tag{7} \\end{align}$$\n")

    assert '<code class="tex unknown">\\bm x</code>' in text  # though the converter knows it
    assert "<mtext>(1)</mtext>" not in text
    assert "<mtext>7</mtext>" in text


@pytest.mark.parametrize(
    "tex",
    ["\\frac{1}{" * 20_000 + "x" + "}" * 20_000, "{" * 50_000 + "x" + "}" * 50_000, "\\sqrt" * 50_000 + " x"],
    ids=["fractions", "groups", "roots"],
)
def test_a_formula_of_thousands_of_levels_takes_nothing_down(tex: str) -> None:
    assert mathml(tex, display=True) is None


def test_a_long_flat_formula_is_shown() -> None:
    assert mathml(" + ".join(["\\frac{1}{x_{2}}"] * 400), display=True) is not None


def test_a_page_without_formulas_needs_no_font(tmp_path: Path) -> None:
    assert len(page(tmp_path, "#flashcards\n\nQ :: A\n")) < 20_000


@pytest.mark.parametrize("file", sorted((ROOT / "mha_quiz" / "notes").rglob("*.md")), ids=lambda file: file.name)
def test_every_formula_of_the_bundled_notes_is_shown(file: Path) -> None:
    assert [tex for tex in markdown.formulas(file.read_text("utf-8")) if not mathml(tex, display=False)] == []


REPORT = """
onload = async () => {
  await Promise.all([...document.fonts].map(font => font.load()));
  const luminance = colour => colour.match(/[\\d.]+/g).slice(0, 3).map(part => part / 255)
    .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0.05);
  const ground = e => !e ? 'rgb(255, 255, 255)' : getComputedStyle(e).backgroundColor === 'rgba(0, 0, 0, 0)'
    ? ground(e.parentElement) : getComputedStyle(e).backgroundColor;
  const contrast = e => {
    const [one, other] = [getComputedStyle(e).color, ground(e)].map(luminance);
    return Math.max(one, other) / Math.min(one, other);
  };
  document.querySelectorAll('article').forEach(e => { e.style.contentVisibility = 'visible'; });
  const box = e => { const b = e.getBoundingClientRect(); return [b.left, b.top, b.width]; };
  const read = [...document.querySelectorAll('body *')].filter(e => e.children.length === 0 && e.innerText?.trim());
  parent.postMessage({frame: name, report: {
    width: document.documentElement.clientWidth, scroll: document.documentElement.scrollWidth,
    hacked: window.hacked || null, text: document.querySelector('main').innerText,
    articles: document.querySelectorAll('article').length,
    pale: read.filter(e => contrast(e) < 4.5).map(e => [e.outerHTML, contrast(e)]),
    ground: luminance(getComputedStyle(document.body).backgroundColor),
    front: box(document.querySelector('.front')), back: box(document.querySelector('.back')),
    fonts: [...document.fonts].map(font => font.status),
    roots: [...document.querySelectorAll('msqrt')].map(e => box(e)[2] - box(e.firstElementChild)[2]),
    loaded: performance.getEntriesByType('resource').map(e => e.name).filter(name => !name.startsWith('data:')),
    live: [...document.querySelectorAll('*')].flatMap(e => [...e.attributes]).filter(a => /^on/i.test(a.name)
      || /^\\s*(javascript|vbscript|file):/i.test(a.value)).map(a => a.name + '=' + a.value),
  }}, '*');
};
"""
FRAMES = """<!doctype html><pre id="report"></pre><script>
const reports = {};
onmessage = event => {
  reports[event.data.frame] = event.data.report;
  document.querySelector('#report').textContent = JSON.stringify(reports);
};
</script>"""


def browse(folder: Path, pages: Mapping[str, tuple[str, int, str]]) -> dict:
    """What the browser says about pages (text, width, light or dark), without the policy that forbids their scripts."""
    frames = FRAMES
    for name, (text, width, scheme) in pages.items():
        file = folder / f"{name}.html"
        file.write_text(re.sub("<meta http-equiv.*>", "", text, count=1) + f"<script>{REPORT}</script>", "utf-8")
        style = f"width: {width}px; height: 900px; color-scheme: {scheme}"
        frames += f'<iframe name="{name}" src="{file.as_uri()}" style="{style}" frameborder="0"></iframe>'
    (folder / "frames.html").write_text(frames, "utf-8")
    switches = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
        " --disable-component-update --disable-sync --virtual-time-budget=20000 --dump-dom"
    )
    unconnected = "--host-resolver-rules=MAP * ~NOTFOUND"
    command = [str(CHROMIUM), *switches.split(), unconnected, f"--user-data-dir={folder / 'profile'}"]
    done = subprocess.run(
        [*command, (folder / "frames.html").as_uri()], capture_output=True, text=True, timeout=200, check=False
    )
    found = re.search(r'<pre id="report">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr
    return json.loads(unescape(found[1]))


def hostile(folder: Path) -> tuple[Planned, list[str]]:
    """Cards of the hostile texts, and words that each of them must show."""
    lines = (ROOT / "tests" / "data" / "hostile.txt").read_text("utf-8").split("\n\n", 1)[1].split("\n")
    cases = [
        line.replace("⏎", "\n").replace("alert", "hacked=") for line in lines if line and not line.startswith("## ")
    ]
    cards = [
        Card(content, Origin.FLASHCARD, Place(f"{case}.md", 1, 1), case, (case,), Language.EN, (case,), (), None)
        for number, case in enumerate(cases)
        for content in (
            Basic(f"start{number} {case}", f"{case}\n\nx"),
            Cloze((case, Deletion(1, f"in{number} {case}", case))),
        )
    ]
    scope = Scope({card.place.path: card.place.path for card in cards}, lambda note: True)
    found = plan(cards, Lock(), scope=scope, now=1_760_000_000, vault=Vault(folder))
    return found, [f"{word}{number}" for number in range(len(cases)) for word in ("start", "in")]


@pytest.fixture(scope="module")
def browsed(tmp_path_factory: pytest.TempPathFactory) -> dict:
    folder = tmp_path_factory.mktemp("browsed")
    long = "$$" + " + ".join(f"x_{{{i}}}" for i in range(60)) + "$$"
    text = page(folder, f"{NOTE}\nLong? :: {long} {'a' * 200}\n")
    cards, words = hostile(folder)
    problems = [Problem(Place(note.deck, 1, 1), "code", note.deck) for note in cards.notes]
    write_preview(cards, problems, folder / "hostile.html")
    pages = {f"{scheme} {width}": (text, width, scheme) for scheme in ("light", "dark") for width in (390, 1100)}
    pages["hostile"] = ((folder / "hostile.html").read_text("utf-8"), 1100, "light")
    return browse(folder, pages) | {"words": words, "notes": len(cards.notes)}


@in_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1100])
def test_the_page_in_a_browser(browsed: dict, width: int, scheme: str) -> None:
    report = browsed[f"{scheme} {width}"]

    assert report["articles"] == 19
    assert report["pale"] == []
    assert (report["ground"] < 0.1) is (scheme == "dark")
    assert report["scroll"] == report["width"]
    (left, top, wide), (back_left, back_top, _) = report["front"], report["back"]
    assert ((back_left, back_top) == (left + wide, top)) is (width == 1100)
    assert ((back_left == left) and back_top > top) is (width == 390)
    assert "std::vector" in report["text"]


@in_browser
def test_roots_are_drawn(browsed: dict) -> None:
    """A browser without a font of mathematics leaves them out, and the formula is wrong."""
    report = browsed["light 1100"]

    assert report["fonts"] == ["loaded"]
    assert len(report["roots"]) > 4
    assert min(report["roots"]) > 5


@in_browser
def test_strangers_do_no_harm(browsed: dict) -> None:
    report = browsed["hostile"]

    assert (report["hacked"], report["loaded"], report["live"]) == (None, [], [])
    assert report["articles"] == browsed["notes"]
    assert [word for word in browsed["words"] if word not in report["text"]] == []
