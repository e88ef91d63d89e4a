"""Plain text that must not be taken for Markdown: where a backslash is needed."""

import re
from collections.abc import Iterator

from cards import formulas
from cards.outline import BULLETS
from cards.placed import Edit

_BLOCK_START = re.compile(
    rf"(?:#{{1,6}}(?:\s|$)|>|[-+*{BULLETS}](?:\s|$)"
    r"|={2,}$|```|~~~|\[[^\]]+\]:|(?=[|: \t]*-)(?!.*::)[|:\- \t]++$|(?:[-*_][ \t]*+){3,}+$)"
    r"|(?P<number>\d{1,9})[.)](?:\s|$)"
)
_HIDING = re.compile(r"<(?=[A-Za-z/!?])|&(?=#?\w+;)|%(?=%)")
_EMPHASIS = (
    ("*", re.compile(r"(?<![\\*])\*(?!\*)"), re.compile(r"\*[^\s*]"), re.compile(r"[^\s*\\]\*")),
    ("_", re.compile(r"(?<![^\W_])(?<!\\)_|_(?=_*(?![\w]))"), re.compile(r"(?<!\w)_+\w"), re.compile(r"\w_+(?!\w)")),
)
"""A sign, where it is to be escaped, and what opens and closes emphasis with it."""


def block_escape(text: str, start: int) -> Edit | None:
    """The backslash that keeps a line that begins at `start` from opening a heading, list, quote, rule, fence or so."""
    found = None if text[start : start + 1].isalpha() else _BLOCK_START.match(text, start)
    if found is None:
        return None
    at = found.end("number") if found["number"] else start
    return Edit(at, at, "\\")


def closing_escape(heading: str) -> Edit | None:
    """The backslash that keeps `#` at the end of a heading from being dropped."""
    text = heading.rstrip("#")
    return Edit(len(text), len(text), "\\") if text[-1:].isspace() else None


_SIGN = re.compile(r"[<&%*_]")
_CODE = re.compile(r"(?<![`\\])(`+)(?!`)[^`\n]+(?<!`)\1(?!`)")


def escapes(text: str) -> Iterator[Edit]:
    """The backslashes that keep tags, comments and emphasis from being seen in a line, formulas and code left alone."""
    if not _SIGN.search(text):
        return
    bare = formulas.outside(text)
    if "`" in bare:
        bare = _CODE.sub(lambda code: " " * len(code[0]), bare)
    places = {match.start() for match in _HIDING.finditer(bare)}
    for sign, loose, opening, closing in _EMPHASIS:
        if sign in bare and opening.search(bare) and closing.search(bare):
            places.update([match.start() for match in loose.finditer(bare)])
    yield from (Edit(at, at, "\\") for at in sorted(places))


_PAIRED = re.compile(r"\\[()\[\]]|\\.|`+|==|\$")


def loose_ends(text: str) -> Iterator[Edit]:
    """The backslashes before marks that open and never close, so that they cannot close in a text put behind it."""
    formula_starts = {found.start for found in formulas.find(text)}
    places: dict[str, list[int]] = {}
    for match in _PAIRED.finditer(formulas.outside(text)):
        if match.start() not in formula_starts:
            places.setdefault(match[0], []).append(match.start())
    loose = [*places.pop("$", ())]
    for mark, found in places.items():
        if mark[0] == "`" and len(found) % 2:
            loose += [at + offset for at in found for offset in range(len(mark))]
        elif (mark == "==" and len(found) % 2) or mark in ("\\(", "\\["):
            loose += found
    yield from (Edit(at, at, "\\") for at in sorted(loose))
