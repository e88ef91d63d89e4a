"""Terminal text in ASCII alone, for a stream that cannot encode more."""

import re
import unicodedata

from mha_quiz.tex_signs import NAMES

_SIGNS = {
    "·": "*",
    "⋅": "*",
    "×": "x",
    "÷": "/",
    "⁄": "/",
    "−": "-",
    "–": "-",
    "—": "--",
    "…": "...",
    "≈": "~",
    "≠": "!=",
    "≤": "<=",
    "≥": ">=",
    "≪": "<<",
    "≫": ">>",
    "±": "+-",
    "→": "->",
    "←": "<-",
    "⇒": "=>",
    "∞": "inf",
    "′": "'",
    "∑": "sum",
    "Σ": "sum",
    "∏": "prod",
    "∈": "in",
    "∝": "prop. to",
    "∂": "d",
    "⌊": "floor(",
    "⌋": ")",
    "⌈": "ceil(",
    "⌉": ")",
    "∣": "|",
    "‐": "-",
    "‑": "-",
    "‒": "-",
    "―": "--",
    "°": " deg",
    "“": '"',
    "”": '"',
    "„": '"',
    "‘": "'",
    "’": "'",
    "‚": "'",
    "«": "<<",
    "»": ">>",
    "‹": "<",
    "›": ">",
    "ß": "ss",
    "æ": "ae",
    "Æ": "AE",
    "œ": "oe",
    "Œ": "OE",
    "ø": "o",
    "Ø": "O",
    "ł": "l",
    "Ł": "L",
    "ı": "i",
    "€": "EUR",
    "£": "GBP",
    "µ": "u",
    "§": "section ",
    "•": "*",
    "✓": "+",
    "✗": "x",
    "☑": "[x]",
    "☐": "[ ]",
    "─": "-",
}
_ROOTS = {"√": "sqrt(", "∛": "root(3, ", "∜": "root(4, "}
_ROOT = re.compile(r"([√∛∜])(?:([\w.]+)|\()")
_GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER (\w+)")
_WORD = re.compile(r"[A-Za-z0-9]+")


def ascii_text(text: str) -> str:
    """The text with every sign beyond ASCII written out: `√dₖ` → `sqrt(d_k)`, `q·kᵀ` → `q*k^T`, `2²⁰` → `2^20`.

    A sign of mathematics without a likeness becomes its TeX command, `\\cup`, and a letter without an ASCII form its
    escape `\\u0939`, so nothing is dropped.
    """
    if text.isascii():
        return text
    return "".join(map(_letter, _with_roots(_with_scripts(text))))


def _with_scripts(text: str) -> str:
    """Runs of sub- and superscript characters as `_x`, `^x`, or in brackets if they are more than a word."""
    written = []
    for mark, run in _script_runs(text):
        plain = "".join(map(_letter, run))
        script = f"{mark}{plain}" if _WORD.fullmatch(plain) else f"{mark}({plain})"
        written.append(script if mark else run)
    return "".join(written)


def _script_runs(text: str) -> list[tuple[str, str]]:
    """The text cut where the level changes: mark `^`, `_` or none, and the characters brought to the line."""
    runs: list[tuple[str, str]] = []
    for character in text:
        kind, *codes = unicodedata.decomposition(character).split() or [""]
        mark = {"<super>": "^", "<sub>": "_"}.get(kind, "")
        on_line = "".join(chr(int(code, 16)) for code in codes) if mark else character
        if runs and runs[-1][0] == mark:
            runs[-1] = (mark, runs[-1][1] + on_line)
        else:
            runs.append((mark, on_line))
    return runs


def _with_roots(text: str) -> str:
    def written(match: re.Match[str]) -> str:
        root, operand = match.groups()
        return _ROOTS[root] + (f"{operand})" if operand else "")

    return _ROOT.sub(written, text)


def _letter(character: str) -> str:
    if character.isascii():
        return character
    if character in _SIGNS:
        return _SIGNS[character]
    if character in _ROOTS:
        return _ROOTS[character].rstrip("(, ")
    decomposed = "".join(_SIGNS.get(part, part) for part in unicodedata.normalize("NFKD", character))
    plain = "".join(part for part in decomposed if not unicodedata.combining(part))
    if plain and plain.isascii():
        return plain
    if greek := _GREEK.fullmatch(unicodedata.name(character, "")):
        size, name = greek.groups()
        return name.lower() if size == "SMALL" else name.capitalize()
    if character in NAMES:
        return NAMES[character]
    return character.encode("ascii", "backslashreplace").decode("ascii")
