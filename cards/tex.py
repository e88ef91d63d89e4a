r"""TeX that Anki cannot show: what its MathJax does not know stands there in red.

Anki ships MathJax 3.2 with all packages that need no `\require`. `tex_names.txt` holds the commands and, behind an empty
line, the environments that these know.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from cards.model import Card, Place, Problem
from cards.sides import sides

DEFINITIONS = (
    "newcommand renewcommand newenvironment renewenvironment def let DeclareMathOperator DeclarePairedDelimiter"
    " DeclarePairedDelimiters DeclarePairedDelimiterX DeclarePairedDelimiterXPP DeclarePairedDelimitersX"
    " DeclarePairedDelimitersXPP Newextarrow newtagform renewtagform usetagform mathtoolsset definecolor"
)
"""Commands whose effect would last: in Anki they would change the formulas of all cards that come later."""
_INSTEAD = {
    "bm": "\\boldsymbol",
    "mathbbm": "\\mathbb",
    "abs": "\\lvert … \\rvert",
    "norm": "\\lVert … \\rVert",
    "llbracket": "[\\![",
    "rrbracket": "]\\!]",
    "argmax": "\\operatorname*{arg\\,max}",
    "argmin": "\\operatorname*{arg\\,min}",
    "dv": "\\frac{d …}{d …}",
    "pdv": "\\frac{\\partial …}{\\partial …}",
    "SI": "\\mathrm",
    "qty": "\\mathrm",
    "si": "\\mathrm",
    "unit": "\\mathrm",
}
_NAME = re.compile(r"\\(?:begin\s*\{([^{}\n]*)\}|([A-Za-z]+)|.)", re.DOTALL)


_BRACE = re.compile(r"\\.|([{}])", re.DOTALL)


def open_braces(tex: str) -> int:
    """How many `{` are never closed. MathJax would read on behind the end of the formula until they are."""
    depth = 0
    for found in _BRACE.finditer(tex):
        depth = depth + 1 if found[1] == "{" else max(depth - 1, 0) if found[1] else depth
    return depth


def problems(cards: Sequence[Card], text: str) -> Iterator[Problem]:
    """One problem for each command that a card of one note uses in vain; `text` is the note."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for card in cards:
        for name, message in dict.fromkeys(told for side in sides(card.content) for told in _told(side)):
            yield Problem(_place(name, card.place, lines), "unknown-tex", message)


def _told(text: str) -> Iterator[tuple[str, str]]:
    """What a side uses in vain, as it is written, and what to say of it."""
    if is_shown(text):
        return
    from cards import markdown  # few cards need a second look

    for formula in markdown.formulas(text):
        if open_braces(formula):
            yield formula.strip(), 'this formula has a "{" that is never closed'
        for name in _NAME.finditer(formula):
            if message := _message(name):
                yield name[0], message


def is_shown(tex: str) -> bool:
    """Whether Anki knows all that a formula uses."""
    return not open_braces(tex) and all(_message(name) is None for name in _NAME.finditer(tex))


def _message(name: re.Match[str]) -> str | None:
    commands, environments = _known()
    if name[2] in _definitions():
        return f'"\\{name[2]}" would hold for all later cards in Anki, so it is not used; write the formula in full'
    if name[1] is not None and name[1] not in environments:
        return f'Anki cannot show the environment "{name[1][:40]}"'
    if name[2] is not None and name[2] not in commands:
        instead = _INSTEAD.get(name[2])
        return f'Anki cannot show "\\{name[2][:40]}"' + (f'; write "{instead}"' if instead else "")
    return None


@cache
def _known() -> tuple[frozenset[str], frozenset[str]]:
    commands, environments = files("cards").joinpath("tex_names.txt").read_text("ascii").split("\n\n")
    return frozenset(commands.split()), frozenset(environments.split())


@cache
def _definitions() -> frozenset[str]:
    return frozenset(DEFINITIONS.split())


def _place(name: str, begin: Place, lines: Sequence[str]) -> Place:
    """Where the note first says `name` at or behind `begin`."""
    wanted = re.compile(r"(?<!\\)" + re.escape(name) + (r"(?![A-Za-z])" if name[-1].isalpha() else ""))
    column = begin.column - 1
    for number in range(begin.line - 1, len(lines)):
        if found := wanted.search(lines[number], column):
            return Place(begin.path, number + 1, found.start() + 1)
        column = 0
    return begin
