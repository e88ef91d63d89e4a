"""Notes of strangers: nothing of `data/hostile.txt` runs, loads or hides its card in Anki's reviewer."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from html import unescape
from importlib.util import find_spec
from pathlib import Path

import pytest
from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest

from cards.known import Scope
from cards.lock import Lock
from cards.media import Vault
from cards.model import Basic, Card, Cloze, Content, Deletion, Language, Origin, Place
from decks.build import plan, write

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ANKI = find_spec("_aqt")
pytestmark = pytest.mark.skipif(
    ANKI is None or CHROMIUM is None, reason="needs Chromium, and Anki's own files: pip install --no-deps aqt"
)

LINES = (Path(__file__).parent / "data" / "hostile.txt").read_text("utf-8").split("\n\n", 1)[1].split("\n")
CASES = [
    re.sub("⟨([0-9A-F]+)⟩", lambda found: chr(int(found[1], 16)), line.replace("⏎", "\n"))
    for line in LINES
    if line and not line.startswith("## ")
]

# Puts each side into the page as Anki's reviewer does, and does to it what a learner might.
REVIEWER = """
const hacked = [];
const caught = what => () => { hacked.push(what); };
for (const name of ['alert', 'confirm', 'prompt', 'open', 'print', 'pycmd', 'msgbox']) window[name] = caught(name);
document.addEventListener('click', event => event.target.closest('a[href^=http]') && event.preventDefault(), true);
document.addEventListener('submit', event => { hacked.push('submit'); event.preventDefault(); }, true);
new MutationObserver(caught('title')).observe(document.querySelector('title'), {childList: true});
const sides = JSON.parse(document.querySelector('#sides').textContent);
const show = html => {
  const side = document.querySelector('main').appendChild(document.createElement('div'));
  side.innerHTML = html;
  for (const old of side.querySelectorAll('script')) {
    const script = document.createElement('script');
    for (const {name, value} of old.attributes) script.setAttribute(name, value);
    script.append(old.textContent);
    old.replaceWith(script);
  }
  return side;
};
const look = side => {
  const all = [...side.querySelectorAll('*')].filter(e => !e.closest('mjx-container'));
  return {
    text: side.innerText,
    live: [...side.querySelectorAll('*')].flatMap(e => [...e.attributes].filter(a => /^on/i.test(a.name)
      || /^\\s*(javascript|data|vbscript|blob|file):/i.test(a.value) && /href|src|action|data/i.test(a.name)
      || a.name === 'style' && /url|fixed|expression|display: ?none/i.test(a.value)).map(a => a.name + '=' + a.value)),
    links: [...side.querySelectorAll('a[href]:not([href^="#"])')].map(e => e.protocol)
      .filter(p => !['http:', 'https:', 'mailto:'].includes(p)),
    out: all.filter(e => getComputedStyle(e).position !== 'static' || e.id && e.id !== 'answer').map(e => e.outerHTML),
  };
};
const SIZE = 150;
onload = () => MathJax.startup.promise.then(async () => {
  const looked = [], formulas = [];
  for (let at = 0; at < sides.length; at += SIZE) {
    const shown = sides.slice(at, at + SIZE).map(show);
    await MathJax.typesetPromise().catch(error => hacked.push(String(error)));
    for (const e of document.querySelectorAll('main :not(mjx-container *), main a')) {
      for (const name of ['mouseover', 'pointerenter', 'focus', 'toggle', 'error', 'load', 'animationstart'])
        e.dispatchEvent(new Event(name));
      e.click?.();
    }
    await new Promise(resolve => setTimeout(resolve, 100));
    looked.push(...shown.map(look));
    formulas.push(...[...document.querySelectorAll('main mjx-math')].map(e => e.outerHTML));
    MathJax.typesetClear();
    document.querySelector('main').replaceChildren();
  }
  const report = document.createElement('pre');
  report.id = 'report';
  report.textContent = JSON.stringify({
    sides: looked, hacked, formulas: [formulas[0], formulas.at(-1)], title: document.title, address: location.href.split('#')[0],
    loaded: performance.getEntriesByType('resource').map(e => e.name),
  });
  document.body.replaceChildren(report);
});
"""


def browse(folder: Path, sides: Sequence[str]) -> dict:
    """What the browser says about sides of cards, shown one below the other."""
    assert ANKI is not None
    assert ANKI.submodule_search_locations is not None
    web = Path(next(iter(ANKI.submodule_search_locations))) / "data" / "web"
    config = (web / "js" / "mathjax.js").read_text().replace("/_anki/js", (web / "js").as_uri())
    file = folder / "page.html"
    file.write_text(
        f"""<!doctype html><meta charset="utf-8"><title>reviewer</title>
<script>{config}</script><script src="{(web / "js/vendor/mathjax/tex-chtml-full.js").as_uri()}"></script>
<body class="card"><main></main>
<script type="application/json" id="sides">{json.dumps(sides).replace("<", chr(92) + "u003c")}</script>
<script>{REVIEWER}</script>""",
        "utf-8",
    )
    switches = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
        " --disable-component-update --disable-sync --allow-file-access-from-files --virtual-time-budget=120000 --dump-dom"
    )
    unconnected = "--host-resolver-rules=MAP * ~NOTFOUND"
    command = [str(CHROMIUM), *switches.split(), unconnected, f"--user-data-dir={folder / 'profile'}", file.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    found = re.search(r'<pre id="report">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr[-2000:] + done.stdout[-2000:]
    return json.loads(unescape(found[1]))


def unstyled(side: str) -> str:
    """The side without the style of its note type: with one for each side the browser would take minutes."""
    return re.sub(r"\A<style>.*?</style>", "", side, flags=re.DOTALL)


def card(content: Content, path: str, heading: tuple[str, ...], deck: str, tags: tuple[str, ...]) -> Card:
    place = Place(path, 1, 1)
    return Card(content, Origin.FLASHCARD, place, deck, tags, Language.EN, heading, (), None)


SURE = "$\\frac{1}{2} \\sqrt{\\alpha} \\sin \\abs{x} \\begin{matrix} a \\end{matrix}$"
"""A formula that looks different if a case changed what its commands mean."""


def cards() -> Iterator[Card]:
    """Two cards for each case, with the case wherever a note's text can stand; before and behind them a sure one."""
    yield card(Basic("sure start0", SURE), "0.md", (), "d", ())
    for n, case in enumerate(CASES, 1):
        path, heading = f"{n} {case}.md".replace("\0", ""), (case, f"context{n}")
        back = f"{case}\n\n![{case}](x.png)"
        yield card(Basic(f"start{n} {case} end{n}", back), path, heading, case, (case,))
        pieces = (f"start{n} {case} ", Deletion(1, f"in{n} {case} {case}", case), f" {case} end{n}")
        yield card(Cloze(pieces), path, heading, case, (case,))
    yield card(Basic("sure end", SURE), "0.md", (), "d", ())


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict]:
    """All cards in a real collection, and their sides in a real browser."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "x.png").write_bytes(b"x")
    written = list(cards())
    files = {"out": folder / "deck.apkg", "lock_file": folder / "cards.lock"}
    scope = Scope({card.place.path: card.place.path for card in written}, lambda note: True)
    built = write(plan(written, Lock(), scope=scope, now=1_760_000_000, vault=Vault(folder)), **files)
    collection = Collection(str(folder / "collection.anki2"))
    request = ImportAnkiPackageRequest(package_path=str(files["out"]), options=ImportAnkiPackageOptions())
    collection.import_anki_package(request)
    collection.models._clear_cache()
    found = sorted(
        (collection.get_card(id_) for id_ in collection.find_cards("")), key=lambda card: (card.due, card.ord)
    )
    report = browse(folder, [unstyled(side) for card in found for side in (card.question(), card.answer())])
    heard = [card.id for card in found if card.question_av_tags() or card.answer_av_tags()]
    yield report | {"notes": built.notes, "problems": built.problems, "cards": len(found), "heard": heard}
    collection.close()


def test_every_case_is_there(reviewed: dict) -> None:
    assert len(CASES) >= 200
    assert reviewed["problems"] == ()
    assert (reviewed["notes"], reviewed["cards"]) == (2 * len(CASES) + 2, 2 * len(CASES) + 2)


def test_nothing_runs(reviewed: dict) -> None:
    assert reviewed["hacked"] == []
    assert reviewed["title"] == "reviewer"
    assert reviewed["address"].endswith("/page.html")
    assert reviewed["heard"] == []


def test_nothing_could_run(reviewed: dict) -> None:
    could = [
        (f"{'answer' if at % 2 else 'question'} of {CASES[(at - 2) // 4]!r}", key, side[key])
        for at, side in enumerate(reviewed["sides"])
        for key in ("live", "links", "out")
        if side[key]
    ]
    assert could == []


def test_nothing_loads(reviewed: dict) -> None:
    assert [
        url for url in reviewed["loaded"] if not re.match(r"file:.*/(js|sre)/|file:.*/x-[0-9a-f]{8}\.png$", url)
    ] == []


def test_the_rest_of_each_card_shows(reviewed: dict) -> None:
    hidden = []
    for n in range(1, len(CASES) + 1):
        question, answer, cloze_question, cloze_answer = (
            side["text"] for side in reviewed["sides"][4 * n - 2 : 4 * n + 2]
        )
        for text, words in (
            (question, ("context{}", "start{}", "end{}")),
            (answer, ("context{}", "start{}", "end{}", "\n{} ")),
            (cloze_question, ("context{}", "start{}", "end{}")),
            (cloze_answer, ("context{}", "start{}", "in{}", "end{}", "\n{} ")),
        ):
            hidden += [(CASES[n - 1], word, text) for word in words if word.format(n) not in text]
    assert hidden == []


def test_formulas_keep_their_meaning(reviewed: dict) -> None:
    first, last = reviewed["formulas"]
    assert first == last
    assert "mjx-msqrt" in first


def test_the_browser_would_notice(tmp_path: Path) -> None:
    report = browse(
        tmp_path,
        [
            "<script>alert(1)</script>",
            "\\(\\sin\\)",
            "<img src=https://example.org/a.png onerror=confirm(1)>",
            "<a href='javascript:prompt(1)'>x</a>",
            "<b style='position: fixed'>x</b>",
            "<b onclick='print()'>x</b> \\(\\href{javascript:pycmd()}{x}\\)",
            "\\(\\def\\sin{HACKED}\\)",
            "\\(\\sin\\)",
        ],
    )

    assert {"alert", "confirm", "prompt", "print"} <= set(report["hacked"])
    assert "https://example.org/a.png" in report["loaded"]
    sides = report["sides"]
    assert sides[2]["live"] == ["onerror=confirm(1)"]
    assert sides[3]["links"] == ["javascript:"]
    assert sides[4]["out"] == ['<b style="position: fixed">x</b>']
    assert set(sides[5]["live"]) == {"onclick=print()", "href=javascript:pycmd()"}
    first, last = report["formulas"]
    assert first != last
