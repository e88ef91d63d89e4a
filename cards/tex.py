r"""TeX that Anki cannot show: what its MathJax does not know stands there in red.

Anki ships MathJax 3.2 with all packages that need no `\require`. `tex_names.txt` holds the commands and, behind an empty
line, the environments that these know.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files

from cards.model import Card, Place, Problem, quoted
from cards.sides import sides
from cards.source import normalized

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
_NAME = re.compile(r"\\(?:begin\s*\{[^{}\n]*\}|[A-Za-z]+|.)", re.DOTALL)


_BRACE = re.compile(r"\\.|([{}])", re.DOTALL)


def open_braces(tex: str) -> int:
    """How many `{` are never closed. MathJax would read on behind the end of the formula until they are."""
    if "{" not in tex:
        return 0
    depth = 0
    for brace in _BRACE.findall(tex):
        if brace == "{":
            depth += 1
        elif brace and depth:
            depth -= 1
    return depth


def problems(cards: Sequence[Card], text: str) -> Iterator[Problem]:
    """One problem for each command that a card uses in vain; `cards` are those of the note `text`, in its order."""
    if "\\" not in text and "{" not in text:
        return  # no card has what it does not say
    lines = normalized(text).split("\n")
    nowhere: set[str] = set()
    """What no line says from here on; each is sought once."""
    for card in cards:
        unshown = [side for side in sides(card.content) if not is_shown(side)]
        if not unshown:
            continue  # as of most cards
        for name, message in dict.fromkeys(told for side in unshown for told in _told(side)):
            is_said = name not in nowhere and "\n" not in name and name in text
            place = _place(name, card.place, lines) if is_said else None
            if place is None:
                nowhere.add(name)
            yield Problem(place or card.place, "unknown-tex", message)


def _told(text: str) -> Iterator[tuple[str, str]]:
    """What a side uses in vain, as it is written, and what to say of it."""
    from cards import markdown  # few cards need a second look

    for formula in markdown.formulas(text):
        if open_braces(formula):
            yield formula.strip(), 'this formula has a "{" that is never closed'
        for name in _NAME.findall(formula):
            if message := _message(name):
                yield name, message


def is_shown(tex: str) -> bool:
    """Whether Anki knows all that a formula uses."""
    if "{" in tex and open_braces(tex):
        return False
    return "\\" not in tex or not any(map(_message, set(_NAME.findall(tex))))


@lru_cache(maxsize=1024)
def _message(name: str) -> str | None:
    """What to say of a command or of `\\begin{…}`, if Anki does not show it."""
    commands, environments = _known()
    if name.endswith("}") and len(name) > 2:
        environment = name[name.index("{") + 1 : -1]
        return None if environment in environments else f'Anki cannot show the environment "{quoted(environment)}"'
    command = name[1:]
    if command in _definitions():
        return f'"{name}" would hold for all later cards in Anki, so it is not used; write the formula in full'
    if command.isascii() and command.isalpha() and command not in commands:
        instead = _INSTEAD.get(command)
        return f'Anki cannot show "{name[:41]}"' + (f'; write "{instead}"' if instead else "")
    return None


@cache
def _known() -> tuple[frozenset[str], frozenset[str]]:
    commands, environments = files("cards").joinpath("tex_names.txt").read_text("ascii").split("\n\n")
    return frozenset(commands.split()), frozenset(environments.split())


@cache
def _definitions() -> frozenset[str]:
    return frozenset(DEFINITIONS.split())


def _place(name: str, begin: Place, lines: Sequence[str]) -> Place | None:
    """Where the note first says `name` at or behind `begin`."""
    wanted = re.compile(r"(?<!\\)" + re.escape(name) + (r"(?![A-Za-z])" if name[-1].isalpha() else ""))
    column = begin.column - 1
    for number in range(begin.line - 1, len(lines)):
        if found := wanted.search(lines[number], column):
            return Place(begin.path, number + 1, found.start() + 1)
        column = 0
    return None
