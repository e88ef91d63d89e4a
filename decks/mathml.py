"""TeX → MathML, which a browser shows without a script."""

import re
from functools import cache, lru_cache

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


@lru_cache(maxsize=4096)
def mathml(tex: str, *, display: bool) -> str | None:
    """A `<math>` element, or None for TeX that the converter cannot show as Anki does."""
    try:
        return _converter().convert_with_local_state(_NUMBERED.sub(r"\\\1{\2*}", tex), displaystyle=display)
    except LatexError:
        return None


@cache
def _converter() -> LatexToMathML:
    return LatexToMathML(macros=_MACROS, fancy_error=False)
