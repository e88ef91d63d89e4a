"""Formulas of a pasted page, mended."""

import re
from collections.abc import Iterator

from cards.doubled import Doubled, said_twice
from cards.formulas import ENDS_IN_RELATION, BrokenHighlight, Formula, behind_argument, closing_braces, find, styled
from cards.placed import Edit, moved

_TEXT_COMMAND = (
    r"\\(?:text[a-z]*|math[a-z]+|operatorname\*?|mbox|hbox|emph|boldsymbol|begin|end|color|textcolor|label|ref|eqref|tag\*?|"
    r"hspace\*?|vspace\*?|href|url|htmlClass|class|require|ce|pu|unicode)(?![A-Za-z])[ \t]*"
)
_TOKEN = re.compile(
    rf"(?P<opaque>{_TEXT_COMMAND}(?=\{{))"
    r"|(?P<command>\\(?:[A-Za-z]+|.))"
    r"|(?P<blank>[ \t]+)"
    r"|(?P<sign>[∣≫≪])"
    r"|(?P<words>[A-Za-z]{3,}(?=[α-ωΑ-Ω])|[^\W\d_]{3,}(?:(?:[ ][^\W\d_]{2})*[ ][^\W\d_]{3,}(?![^\W\d_]))*)",
)
_SIGNS = {"∣": r"\mid", "≫": r"\gg", "≪": r"\ll"}


def mending(tex: str) -> Iterator[Edit]:
    """What undoes the copying of a formula, given without its dollar signs: blanks before `_ ^`, signs, bare words.

    Nothing that the page did not show is guessed: a lost root stays lost.
    """
    closing = closing_braces(tex)
    at = 0
    while match := _TOKEN.search(tex, at):
        at = match.end()
        match match.lastgroup:
            case "opaque":
                at = behind_argument(match.end(), closing)
                if "begin" in match[0]:  # \begin{array}{lcr}
                    at = behind_argument(at, closing)
            case "blank" if tex.startswith(("_", "^"), at):
                yield Edit(match.start(), match.end(), "")
            case "sign":
                follows_letter = tex[at : at + 1].isalpha()
                yield Edit(match.start(), match.end(), _SIGNS[match[0]] + (" " if follows_letter else ""))
            case "words":
                yield Edit(match.start(), match.start(), r"\text{")
                yield Edit(match.end(), match.end(), "}")


def whole_mending(tex: str) -> Iterator[Edit]:
    """As `mending`, of all that stands between two dollar signs: what is said twice there is left once, and
    `{\\displaystyle x}` is `x`."""
    if (found := styled(tex, 0, closing_braces(tex))) and found.end == len(tex):
        start, end = found.written, found.behind
    else:
        start, end = said_twice(tex) or (0, len(tex))
    if start:
        yield Edit(0, start, "")
    yield from moved(mending(tex[start:end]), start)
    if end < len(tex):
        yield Edit(end, len(tex), "")


def _highlight_mending(text: str, highlight: BrokenHighlight) -> Iterator[Edit]:
    """`$A ==B==$` → `$A =$ ==$B$==`; the `=` only where A does not end in a relation or an operator."""
    before = text[highlight.start + 1 : highlight.mark]
    if before:
        yield from moved(mending(before), highlight.start + 1)
        joint = "$ ==$" if ENDS_IN_RELATION.search(before) else " =$ ==$"
        yield Edit(highlight.mark, highlight.hidden_start, joint)
    else:
        yield Edit(highlight.start, highlight.hidden_start, "==$")
    hidden = text[highlight.hidden_start : highlight.hidden_end]
    yield from moved(mending(hidden), highlight.hidden_start)
    yield Edit(highlight.hidden_end, highlight.end, "$==")


def edits(text: str) -> Iterator[Edit]:
    """The mending of all formulas and broken highlights of a line."""
    for found in find(text):
        match found:
            case Formula(start, end, marks):
                yield from moved(whole_mending(text[start + marks : end - marks]), start + marks)
            case Doubled(start, end, written, behind):
                yield Edit(start, written, "$")
                yield from moved(mending(text[written:behind]), written)
                yield Edit(behind, end, "$")
            case BrokenHighlight():
                yield from _highlight_mending(text, found)
