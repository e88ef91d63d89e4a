"""What the formulas of a card's text speak of: symbols, or only numbers that were worked out."""

import re

_MATH = re.compile(r"\$\$?([^$]+)\$\$?")
_NAME = re.compile(r"\\(?:text|mathrm|mathit|mathbf|operatorname\*?)\s*\{([^{}]*)\}")
_UNIT = re.compile(r"(?<=\d)(?:(?:\\[,;: ]|\\cdot|[\s~/])*\\(?:text|mathrm)\s*\{[^{}]*\}(?:\^\{?-?\d+\}?)?)+")
_GREEK = re.compile(
    r"\\(?:alpha|beta|gamma|delta|epsilon|varepsilon|theta|lambda|mu|nu|pi|rho|sigma|tau|phi|varphi|chi|psi|omega|"
    r"Delta|Gamma|Omega|Sigma|Pi|Phi|Psi|Lambda|Theta)(?![A-Za-z])"
)
_COMMAND = re.compile(r"\\[A-Za-z]+")
_ORDER = re.compile(r"\b[OΘΩ] ?\([^)]*[A-Za-z1]")


def symbols(text: str) -> frozenset[str]:
    """The letters and names in the formulas, without units."""
    tex = _UNIT.sub(" ", " ".join(_MATH.findall(text)))
    names = {name.strip() for name in _NAME.findall(tex)} | set(_GREEK.findall(tex))
    letters = _COMMAND.sub(" ", _NAME.sub(" ", tex))
    return frozenset(names | {char for char in letters if char.isalpha()})


def is_general(text: str) -> bool:
    """Whether it holds a formula of more than numbers, or an order of growth such as `O(n)`, also outside formulas."""
    return bool(symbols(text)) or _ORDER.search(text) is not None


def is_law(formula: str) -> bool:
    """Whether it relates things, and does not just give one of them a number."""
    return len(symbols(formula)) >= 2
