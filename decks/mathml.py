"""TeX → MathML, which a browser shows without a script."""

import re
from functools import cache, lru_cache
from itertools import accumulate

from math_core import LatexError, LatexToMathML

# The converter refuses what it does not know. For these, what MathJax makes of them can be said in other words.
_MACROS = {
    "substack": r"\begin{matrix}#1\end{matrix}",
    "href": "#2",
    "colorbox": r"\text{#2}",
    "tag": r"\qquad(\text{#1})",
    "mbox": r"\text{#1}",
    "widetilde": r"\overset{\sim}{#1}",
}
# In Anki no equation has a number.
_NUMBERED = re.compile(r"\\(begin|end)\{(align|alignat|eqnarray|equation|flalign|gather|multline)\}")

_COMMAND = re.compile(r"\\[A-Za-z]")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_DEEPEST, _MOST_COMMANDS = 200, 500
"""Of a deeper formula the converter, which calls itself for each level, would take the whole program down."""


@lru_cache(maxsize=4096)
def mathml(tex: str, *, display: bool) -> str | None:
    """A `<math>` element, or None for TeX that the converter cannot show as Anki does."""
    if _may_be_deep(tex):
        return None
    try:
        return _converter().convert_with_local_state(_NUMBERED.sub(r"\\\1{\2*}", tex), displaystyle=display)
    except LatexError:
        return None


def _may_be_deep(tex: str) -> bool:
    """Whether groups, or commands that may each hold the next, lie too deep inside each other."""
    levels = accumulate((sign == "{") - (sign == "}") for sign in _BRACE.findall(tex))
    return len(_COMMAND.findall(tex)) > _MOST_COMMANDS or max(levels, default=0) > _DEEPEST


@cache
def _converter() -> LatexToMathML:
    return LatexToMathML(macros=_MACROS, fancy_error=False)
