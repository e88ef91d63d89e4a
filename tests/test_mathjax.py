"""Cards in a real browser with the MathJax and the reviewer style that Anki ships (in its package `aqt`)."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from unicodedata import normalize

import pytest
from anki.collection import Collection

from cards.markdown import parser
from cards.model import Cloze, Deletion
from decks import html, note_types

ROOT = Path(__file__).parents[1]
ANKI = find_spec("_aqt")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(
    ANKI is None or CHROMIUM is None, reason="needs Chromium, and Anki's own files: pip install --no-deps aqt"
)

REPORT = """
const failed = node => [...node.querySelectorAll('mjx-merror, [data-mjx-error]')].map(e => e.textContent || 'error')
  .concat([...node.querySelectorAll('mjx-mtext[style*="red"]')].map(e => 'unknown command'));
const rgb = node => ['color', 'backgroundColor'].map(k => getComputedStyle(node)[k]);
onload = () => MathJax.startup.promise.then(() => MathJax.typesetPromise()).then(() => {
  const report = document.createElement('pre');
  report.id = 'report';
  report.textContent = JSON.stringify({
    cases: [...document.querySelectorAll('.case')].map(node => ({
      errors: failed(node), formulas: node.querySelectorAll('mjx-container').length, text: node.innerText,
      right: Math.max(...[...node.children].map(e => e.getBoundingClientRect().right)),
    })),
    width: document.documentElement.clientWidth, scroll: document.documentElement.scrollWidth, hacked: window.hacked || null,
    loaded: performance.getEntriesByType('resource').map(e => e.name),
    live: [...document.querySelectorAll('#qa *')].flatMap(e => [...e.attributes]
      .filter(a => /^on/i.test(a.name) || /javascript:|url\\(/i.test(a.value)).map(a => a.name + '=' + a.value)),
    colours: Object.fromEntries(['body', '.context', '.cloze', '.second', 'code', 'th', 'mark', 'a', '.callout']
      .map(s => [s, document.querySelector(s)]).filter(([s, e]) => e).map(([s, e]) => [s, rgb(e)])),
  });
  document.body.append(report);
});
"""


def web() -> Path:
    assert ANKI is not None
    assert ANKI.submodule_search_locations is not None
    return Path(next(iter(ANKI.submodule_search_locations))) / "data" / "web"


def page(sides: Sequence[str], *, night: bool = False) -> str:
    """The sides as Anki's reviewer would show them on a phone, one below the other."""
    config = (web() / "js" / "mathjax.js").read_text().replace("/_anki/js", (web() / "js").as_uri())
    cases = "\n".join(f'<div class="case">{side}</div>' for side in sides)
    return f"""<!doctype html><html class="{"night-mode" if night else ""}"><meta charset="utf-8">
<style>html {{ width: 390px; }}</style>
<link rel="stylesheet" href="{(web() / "css" / "reviewer.css").as_uri()}">
<script>{config}</script><script src="{(web() / "js/vendor/mathjax/tex-chtml-full.js").as_uri()}"></script>
<body class="card card1 {"nightMode" if night else ""}"><div id="qa"><style>{note_types.basic().css}</style>{cases}</div>
<script>{REPORT}</script>"""


def browse(folder: Path, sides: Sequence[str], *, night: bool = False) -> dict:
    """What the browser says about the page."""
    file = folder / "page.html"
    file.write_text(page(sides, night=night), "utf-8")
    switches = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
        " --disable-component-update --disable-sync --allow-file-access-from-files"
        " --virtual-time-budget=60000 --dump-dom"
    )
    command = [str(CHROMIUM), *switches.split(), f"--user-data-dir={folder / 'profile'}", file.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    found = re.search(r'<pre id="report">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr
    return json.loads(unescape(found[1]))


def formulas(text: str) -> Iterator[str]:
    """Each formula of a Markdown text, with its dollars."""
    for token in parser().parse(text):
        for part in token.children or [token]:
            if part.type == "math_inline":
                yield f"${part.content}$"
            elif part.type == "math_display":
                yield f"$${part.content}$$"


CLOZES = (
    ("$a =$ ", Deletion(1, "$b$", None)),
    ("$", Deletion(1, "x", None), "+y$"),
    ("$\\frac{", Deletion(1, "\\frac{a}{b}", None), "}{c}$"),
    (Deletion(1, "$\\frac{a}{\\frac{b}{c}}$", None), " and ", Deletion(2, "$$x_{y_{z}}$$", "a $hint_{1}$")),
    (Deletion(1, "$\\text{std::vector}$", "a::b"), " or ", Deletion(2, "`f(){return {a:{b:1}}}`", None)),
    (Deletion(1, "$a<b \\& c$", None), " **bold ", Deletion(2, "$x$", None), " bold**"),
    ("`\\(x\\)` \\\\(y\\\\) ", Deletion(1, "z", None)),
)
# question and answer of each card, in turn
CLOZE_TEXTS = (
    ("a = [...]", "a = b"),
    ("[ . . . ] + y", "x + y"),
    ("[ . . . ] c", "a b c"),
    ("[...] and x y z", "a b c and x y z"),
    ("a b c and [a h i n t 1 ]", "a b c and x y z"),
    ("[a::b] or f(){return {a:{b:1}}}", "std::vector or f(){return {a:{b:1}}}"),
    ("std::vector or [...]", "std::vector or f(){return {a:{b:1}}}"),
    ("[...] bold x bold", "a < b & c bold x bold"),
    ("a < b & c bold [...] bold", "a < b & c bold x bold"),
    ("\\(x\\) \\(y\\) [...]", "\\(x\\) \\(y\\) z"),
)


def test_every_formula_and_cloze_renders(tmp_path: Path) -> None:
    files = [ROOT / "tests" / "data" / "formulas.md", *sorted((ROOT / "mha_quiz" / "notes").rglob("*.md"))]
    tex = list(dict.fromkeys(formula for file in files for formula in formulas(file.read_text("utf-8"))))
    assert len(tex) > 40
    sides = cloze_sides(tmp_path)

    cases = browse(tmp_path, [*map(html.render, tex), *sides])["cases"]

    seen = dict(zip(tex, cases, strict=False))
    assert {formula: case["errors"] for formula, case in seen.items() if case["errors"]} == {}
    assert [formula for formula, case in seen.items() if case["formulas"] != 1 or "\\" in case["text"]] == []
    of_clozes = cases[len(tex) :]
    assert [case["errors"] for case in of_clozes if case["errors"]] == []
    texts = [re.sub(r"\s+", " ", normalize("NFKC", case["text"])).strip() for case in of_clozes]
    assert tuple(zip(texts[::2], texts[1::2], strict=True)) == CLOZE_TEXTS


def cloze_sides(folder: Path) -> list[str]:
    """Question and answer of each card of `CLOZES`, as Anki writes them."""
    collection = Collection(str(folder / "collection.anki2"))
    note = collection.new_note(collection.models.by_name("Cloze"))
    sides = []
    for pieces in CLOZES:
        note["Text"] = html.render_cloze(Cloze(pieces))
        for number in sorted({piece.group for piece in pieces if isinstance(piece, Deletion)}):
            card = note.ephemeral_card(number - 1)
            sides += [card.question(), card.answer()]
    collection.close()
    return sides


BROKEN = ("$a^b^c$", "$\\qty{x}$")
HOSTILE = (
    "<script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 2'> <svg onload='window.hacked = 3'></svg>",
    "<iframe srcdoc='<script>parent.hacked = 4</script>'></iframe>",
    "<a href='javascript:window.hacked = 5'>x</a> [y](javascript:window.hacked) [z](&#106;avascript:window.hacked)",
    "<style>body { background: url(https://example.org/a.png) }</style>",
    "<p style='background: url(https://example.org/b.png); text-align: center'>x</p> ![pixel](https://example.org/c.png)",
    "<object data='https://example.org/d'></object><embed src='https://example.org/e'><link href='https://example.org/f'>",
    "$\\href{javascript:window.hacked = 6}{x}$ $\\href {javascript:window.hacked}{x}$",
    "$\\style{background: url(https://example.org/g.png)}{x}$ $\\class{hacked}{x}$ $\\cssId{qa}{x}$",
    "$\\bbox[background: url(https://example.org/h.png)]{x}$",
    "$\\fcolorbox{red; background: url(https://example.org/i.png)}{red}{x}$",
    "$\\mmlToken{mi}[href='javascript:window.hacked = 7']{x}$",
    "$\\let\\x\\href \\x{javascript:window.hacked = 8}{y}$ $\\def\\x#1{\\#1ef{javascript:window.hacked}{y}}\\x{hr}$",
    "$\\def\\x#1{\\hr#1{javascript:window.hacked = 9}{y}}\\x{ef}$",
    "</div></div><textarea><!-- ",
    "<form action='https://example.org/j'><input autofocus onfocus='window.hacked = 10'></form>",
)


def test_nothing_of_a_note_runs_or_loads(tmp_path: Path) -> None:
    report = browse(tmp_path, [html.render(text) for text in (*BROKEN, *HOSTILE, "last: $x$")])

    assert report["hacked"] is None
    assert report["live"] == []
    assert [url for url in report["loaded"] if not url.startswith("file:")] == []
    assert len(report["cases"]) == len(BROKEN) + len(HOSTILE) + 1
    assert report["cases"][-1]["formulas"] == 1
    # and the check of the other test would notice a formula that does not render
    assert all(case["errors"] or not case["formulas"] for case in report["cases"][: len(BROKEN)])


LONG = (
    "$$" + " + ".join(f"x_{{{i}}}" for i in range(60)) + "$$",
    "inline $" + " + ".join(f"x_{{{i}}}" for i in range(60)) + "$ formula",
    "```\n" + "long_name_of_a_function(" * 8 + "\n```",
    "|" + "column with words|" * 9 + "\n|" + "-|" * 9 + "\n|" + "`a_long_cell`|" * 9,
    "a" * 200 + " `" + "b" * 200 + "`",
    "> [!note] A callout\n> with `code`, a [link](https://example.org) and ==a mark==",
    "- a\n  1. b $x$\n     - c " + "d" * 90,
)


@pytest.mark.parametrize("night", [False, True])
def test_a_phone_shows_long_things_without_scrolling_the_page(tmp_path: Path, night: bool) -> None:
    sides = [f'<div class="side">{html.render(text)}</div>' for text in LONG]
    sides.append('<div class="context">a</div><div class="side second">b <span class="cloze">c</span></div>')

    report = browse(tmp_path, sides, night=night)

    assert report["scroll"] == report["width"]
    assert [case["right"] for case in report["cases"] if case["right"] > 390] == []
    ground = report["colours"]["body"][1]
    assert contrast("rgb(255, 255, 255)", ground) > 12 if night else contrast("rgb(0, 0, 0)", ground) > 12
    pale = {}
    for name, (ink, paper) in report["colours"].items():
        ratio = contrast(ink, paper if paper != "rgba(0, 0, 0, 0)" else ground)
        if ratio < 4.5:
            pale[name] = ratio
    assert pale == {}


def contrast(one: str, other: str) -> float:
    """Contrast of two colours as WCAG 2 defines it."""
    lights = []
    for colour in (one, other):
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        lights.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05)
    return max(lights) / min(lights)
