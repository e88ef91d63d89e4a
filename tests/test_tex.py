"""TeX that Anki cannot show: what is told, and where; and that the list is the one of Anki's own MathJax."""

import json
import re
import shutil
import subprocess
from html import unescape
from importlib.util import find_spec
from pathlib import Path

import pytest

from cards import tex
from cards.collection import read

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ANKI = find_spec("_aqt")


def told(folder: Path, note: str) -> list[str]:
    (folder / "note.md").write_text(f"#flashcards\n\n{note}\n", encoding="utf-8")
    return [str(problem).removeprefix(f"{folder}/note.md:") for problem in read([folder]).problems]


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        (
            "$\\bm x$ :: $\\frac{a}{b} \\\\ \\ce{H2O} \\, \\{ \\}$",
            ['3:2: Anki cannot show "\\bm"; write "\\boldsymbol"'],
        ),
        ("Q :: $x$ $\\farc{a}{b}$", ['3:11: Anki cannot show "\\farc"']),
        ("Q\n?\nA\n$$\na \\qty b\n$$", ['7:3: Anki cannot show "\\qty"; write "\\mathrm"']),
        (
            "- Q ::: ==$\\zzz$==, $\\zzz$ and $\\zz$",
            ['3:12: Anki cannot show "\\zzz"', '3:33: Anki cannot show "\\zz"'],
        ),
        ("The ==$\\zzz$== ==x== is", ['3:8: Anki cannot show "\\zzz"']),
        ("Q :: $$\\begin{tikzpicture}x\\end{tikzpicture}$$", ['3:8: Anki cannot show the environment "tikzpicture"']),
        ("Q :: $\\begin {aligned}x\\end{aligned}$", []),
        (
            "Q :: $\\newcommand{\\R}{x} \\R$",
            [
                '3:7: "\\newcommand" would hold for all later cards in Anki, so it is not used; write the formula in full',
                '3:19: Anki cannot show "\\R"',
            ],
        ),
        ("Q :: $\\frac{a$ b", ['3:7: this formula has a "{" that is never closed']),
        ("Q :: $a\\\\zzz$ $b \\zzz$", ['3:18: Anki cannot show "\\zzz"']),
        ("`$\\zzz$` :: \\zzz C:\\path {x", []),
        ("no card: $\\zzz$", []),
        ("Q :: $\\require{physics} \\mathbb{R} \\operatorname*{arg} \\lVert \\textbf{a} \\class{a}{b}$", []),
    ],
)
def test_what_is_told(tmp_path: Path, note: str, expected: list[str]) -> None:
    assert told(tmp_path, note) == expected


@pytest.mark.parametrize(
    ("formula", "number"), [("{", 1), ("{}", 0), ("}{", 1), ("\\{", 0), ("\\\\{", 1), ("{{a}", 1), ("{\\}}", 0)]
)
def test_open_braces(formula: str, number: int) -> None:
    assert tex.open_braces(formula) == number


NAMES = """
onload = () => MathJax.startup.promise.then(() => {
  const names = {};
  for (const [type, handler] of MathJax.startup.document.inputJax[0].parseOptions.handlers.map)
    names[type] = [...handler._configuration].flatMap(it => it.item.map ? [...it.item.map.keys()] : []);
  document.body.textContent = JSON.stringify(names);
});
"""


@pytest.mark.skipif(ANKI is None or CHROMIUM is None, reason="needs Chromium, and Anki's own files: pip install aqt")
def test_the_list_is_what_mathjax_knows(tmp_path: Path) -> None:
    assert ANKI is not None
    assert ANKI.submodule_search_locations is not None
    scripts = Path(next(iter(ANKI.submodule_search_locations))) / "data" / "web" / "js"
    config = (scripts / "mathjax.js").read_text().replace("/_anki/js", scripts.as_uri())
    mathjax = (scripts / "vendor/mathjax/tex-chtml-full.js").as_uri()
    file = tmp_path / "page.html"
    file.write_text(
        f"<!doctype html><script>{config}</script><script src='{mathjax}'></script><script>{NAMES}</script>"
    )
    switches = "--headless --no-sandbox --disable-gpu --no-first-run --virtual-time-budget=20000 --dump-dom"
    command = [str(CHROMIUM), *switches.split(), f"--user-data-dir={tmp_path / 'profile'}", file.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    found = re.search(r"<body[^>]*>({.*})</body>", done.stdout, re.DOTALL)
    assert found, done.stderr
    names = json.loads(unescape(found[1]))

    commands, environments = tex._known()

    known = {name.removeprefix("\\") for name in (*names["macro"], *names["delimiter"])}
    assert commands == {name for name in known if re.fullmatch("[A-Za-z]+", name)}
    assert environments == set(names["environment"])
    assert set(tex.DEFINITIONS.split()) <= commands
    assert commands.isdisjoint(tex._INSTEAD)
