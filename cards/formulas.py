"""Formulas in TeX: where they stand in a line, whole or broken, and one spelling for comparing."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from cards.doubled import INVISIBLE, Doubled, said_twice, within
from cards.language import ENGLISH, HINDI_ONLY, STRONG


@dataclass(frozen=True, slots=True)
class Formula:
    """`text[start:end]` is a formula with its dollar signs, `marks` of them on each side."""

    start: int
    end: int
    marks: int


@dataclass(frozen=True, slots=True)
class BrokenHighlight:
    """`$A ==B==$`, `$A ==$ B==$` or `$A ==$B$==$`: a highlighted part of a formula, with its marks on the wrong sides
    of `$`; or `== $B$ ==`, a formula with blanks inside its marks.

    A is `text[start + 1 : mark]`, and B `text[hidden_start:hidden_end]`, both without blanks around.
    """

    start: int
    end: int
    mark: int
    """Behind A; the opening `==` stands there or after blanks."""
    hidden_start: int
    hidden_end: int


def find(text: str) -> list[Formula | BrokenHighlight | Doubled]:
    """The `$…$` and `$$…$$` of one line, and the formulas doubled by a page, left to right."""
    if not _MAY_HOLD.search(text):
        return []  # most lines; the dearer questions below would say the same
    found = _between_dollars(text) if "$" in text else []
    doubled = list(_styled(text)) if STYLED in text else within(text)
    if not doubled:
        return found
    taken = [range(formula.start, formula.end) for formula in found]
    free = (one for one in doubled if not any(one.start in place or one.end - 1 in place for place in taken))
    return sorted((*found, *free), key=lambda formula: formula.start)


_MAY_HOLD = re.compile(rf"[$\\_^{INVISIBLE}]")
STYLED = "{\\displaystyle"
"""How an encyclopedia writes the formulas that it shows as pictures."""


def styled(text: str, start: int, closing: Mapping[int, int]) -> Doubled | None:
    """The formula `{\\displaystyle x}` that begins at `start`, with `x` as what it writes."""
    if not text.startswith(STYLED, start) or start not in closing:
        return None
    inner = text[start + len(STYLED) : closing[start]]
    behind = start + len(STYLED) + len(inner.rstrip())
    return Doubled(start, closing[start] + 1, behind - len(inner.strip()), behind) if inner.strip() else None


def is_styled(text: str) -> bool:
    """Whether the line is one such formula."""
    found = styled(text, 0, closing_braces(text)) if text.startswith(STYLED) else None
    return found is not None and found.end == len(text)


def _styled(text: str) -> Iterator[Doubled]:
    closing = closing_braces(text)
    at = text.find(STYLED)
    while at >= 0:
        if found := styled(text, at, closing):
            yield found
        at = text.find(STYLED, found.end if found else at + 1)


_DOLLAR = re.compile(r"\\.|\$")


def _between_dollars(text: str) -> list[Formula | BrokenHighlight | Doubled]:
    dollars = [match.start() for match in _DOLLAR.finditer(text) if match[0] == "$"]
    found: list[Formula | BrokenHighlight | Doubled] = []
    index, pairs = 0, _adjacent(dollars) if "$$" in text else []
    may_highlight = "==" in text
    while index + 1 < len(dollars):
        start, end = dollars[index], dollars[index + 1]
        if end == start + 1:
            while pairs and (pairs[-1] < index + 2 or not text[start + 2 : dollars[pairs[-1]]].strip()):
                pairs.pop()
            if pairs:
                closing = pairs.pop()
                found.append(Formula(start, dollars[closing] + 2, marks=2))
                index = closing + 2
            else:
                index += 2
        elif may_highlight and (highlight := _broken_highlight(text, start)):
            found.append(highlight)
            index += sum(start <= dollar < highlight.end for dollar in dollars[index : index + 4])
        elif not text[start + 1].isspace() and not text[end - 1].isspace() and not text[end + 1 : end + 2].isdigit():
            found.append(_loose_highlight(text, start, end + 1) or Formula(start, end + 1, marks=1))
            index += 2
        else:
            index += 1
    return found


def outside(text: str) -> str:
    """The line with each formula blanked out by one `$` and blanks, so that places stay."""
    found = find(text)
    if not found:
        return text
    parts, start = [], 0
    for formula in found:
        parts += [text[start : formula.start], "$".ljust(formula.end - formula.start)]
        start = formula.end
    return "".join([*parts, text[start:]])


def whole(text: str) -> Formula | None:
    """The formula, if it is all there is in the line."""
    match find(text) if text.startswith("$") else []:
        case [Formula(start=0) as formula] if formula.end == len(text):
            return formula
    return None


def _adjacent(dollars: list[int]) -> list[int]:
    """Indexes of the dollar signs that are followed by another one, last first."""
    return [index for index in range(len(dollars) - 2, -1, -1) if dollars[index + 1] == dollars[index] + 1]


_BROKEN = re.compile(
    r"\$(?P<before>(?:[^$\\=]|\\.|=(?!=[^=]))*)==(?P<dollar> ?\$)?(?P<hidden>(?:[^$\\=]|\\.|=(?!=))+)"
    r"(?:==\$|(?(dollar)\$? ?== ?\$|(?!))|(?(dollar)(?P<open>\$==)|(?!)))"
)
"""A dollar sign that is not closed before the highlight opens, and one behind the highlight or none."""
_LOOSE = re.compile(r"(?<![^\s(])== ?(?P<hidden>\$[^$]+\$) ?==(?![^\s).,;:!?])")


def _broken_highlight(text: str, start: int) -> BrokenHighlight | None:
    found = _BROKEN.match(text, start)
    if found is None or not found["hidden"].strip():
        return None
    before = found["before"].strip()
    if found["open"] and not (_SIGN.search(before) and is_mathematics(before)):  # the first sign is no money
        return None
    return _highlight(text, start, found.end(), len(found["before"]), *found.span("hidden"))


def _loose_highlight(text: str, start: int, end: int) -> BrokenHighlight | None:
    """`== $x$ ==`, where `text[start:end]` is the formula and at least one blank keeps its marks from being seen."""
    at = text.rfind("==", max(start - 3, 0), start)
    found = _LOOSE.match(text, at) if at >= 0 else None
    if found is None or found.span("hidden") != (start, end) or len(found[0]) == end - start + 4:
        return None
    return BrokenHighlight(found.start(), found.end(), found.start(), start + 1, end - 1)


def _highlight(text: str, start: int, end: int, length: int, hidden_start: int, hidden_end: int) -> BrokenHighlight:
    before = text[start + 1 : start + 1 + length]
    hidden = text[hidden_start:hidden_end]
    return BrokenHighlight(
        start,
        end,
        start + 1 + len(before.rstrip()),
        hidden_start + len(hidden) - len(hidden.lstrip()),
        hidden_end - len(hidden) + len(hidden.rstrip()),
    )


_BRACE = re.compile(r"\\.|[{}]")


def closing_braces(tex: str) -> dict[int, int]:
    """The place of the closing brace for each opening one that is closed."""
    opened: list[int] = []
    closing = {}
    for match in _BRACE.finditer(tex) if "{" in tex else ():
        if match[0] == "{":
            opened.append(match.start())
        elif match[0] == "}" and opened:
            closing[opened.pop()] = match.start()
    return closing


def behind_argument(at: int, closing: dict[int, int]) -> int:
    """Behind the group in braces that begins at `at`, if one does."""
    return closing[at] + 1 if at in closing else at


# Telling bare mathematics from text

_RELATION = (
    r"(?:[=<>+\-*/|·×≤≥≠≈≡∼∈→⇒]|\\(?:approx|equiv|cong|sim|simeq|propto|neq?|leq?|geq?|ll|gg|in|subset|subseteq|to|"
    r"rightarrow|Rightarrow|implies|iff|times|cdot|pm|mp|div|mid)(?![A-Za-z]))"
)
ENDS_IN_RELATION = re.compile(_RELATION + "$")
_BEGINS_WITH_RELATION = re.compile(_RELATION + r"\s*\S")
_TEXT_END = re.compile(r"[?.!:।]$")
_HIGHLIGHT = re.compile(r"==(?![ =])(?:(?!==).)+(?<! )==")
_LETTER = re.compile(r"[^\W\d_]['′″]*$")
_NUMBERS = re.compile(r"(?=.*[^\W_])(?:\d|(?<![^\W\d_])[^\W\d_](?![^\W\d_])|[ \t,.×()\[\]{}])+$")
_SIGN = re.compile(r"\\[A-Za-z]|[_^=+*/<>|·×≤≥≠≈∈∉∑∏√∀∃⊨⊢∣≫≪→⇒]")
_FONT = re.compile(r"\\(?:text[a-z]*|math[a-z]+|operatorname\*?|mbox|hbox|begin|end)(?![A-Za-z])[ \t]*")
_NAME = re.compile(r"(?<![^\W\d_])[^\W\d_]+[ \t]*(?=[(\[_^=])")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_SCRIPT = re.compile(r"[_^][ \t]*(?:(?=\{)|\w)")
_WORD = re.compile(r"[A-Za-z]+(?=[α-ωΑ-Ω])|[^\W\d_]+")  # `cosθ` is no word of four letters
_WORDS_OF_PROSE = STRONG | HINDI_ONLY | ENGLISH


@lru_cache(maxsize=256)  # asked about each fragment from several sides
def is_mathematics(text: str) -> bool:
    """Whether a bare paragraph, trimmed, is a formula that lost its dollar signs rather than words."""
    if whole(text):
        return True
    if "$" in text or not text or _TEXT_END.search(text) or _HIGHLIGHT.search(text):
        return False
    if ("\\" in text or INVISIBLE in text) and said_twice(text):
        return True
    if _LETTER.match(text) or _NUMBERS.match(text):
        return True
    if not _SIGN.search(text) or not any(map(str.isalnum, text)):
        return False
    left = _without_arguments(_FONT, text)
    left = _COMMAND.sub(" ", _NAME.sub(" ", left))
    left = _without_arguments(_SCRIPT, left)
    words = [word.lower() for word in _WORD.findall(left)]
    if all(len(word) == 1 for word in words):
        return True  # in `m a` the second letter is no article
    return not any(len(word) >= 4 or word in _WORDS_OF_PROSE for word in words)


def _without_arguments(opener: re.Pattern[str], text: str) -> str:
    """The text without what the pattern finds and the group in braces that follows it."""
    closing = closing_braces(text)
    kept, start, at = [], 0, 0
    while match := opener.search(text, at):
        at = max(behind_argument(match.end(), closing), match.start() + 1)
        kept.append(text[start : match.start()])
        start = at
    return " ".join([*kept, text[start:]])


def goes_on(above: str, below: str) -> bool:
    """Whether two lines of bare mathematics can only be one formula: an operator, or an open brace, is between them."""
    if ENDS_IN_RELATION.search(above) or _BEGINS_WITH_RELATION.match(below):
        return True
    return _left_open(above) > 0


def _left_open(tex: str) -> int:
    braces = re.findall(r"(?<!\\)[{}]", tex)
    return braces.count("{") - braces.count("}")


# One spelling

_UNSEEN = re.compile(r"\\(?:left|right|quad|qquad)(?![A-Za-z])|\\[,;:!]")
_WRAPPER = re.compile(r"\\(?:text|mathrm|operatorname\*?|mathbb)(?![A-Za-z])[ \t]*")
_SAME = (
    (re.compile(r"\\[lc]?dots(?![A-Za-z])"), "…"),
    (re.compile(r"\\mid(?![A-Za-z])"), "∣"),
    (re.compile(r"\\gg(?![A-Za-z])"), "≫"),
    (re.compile(r"\\ll(?![A-Za-z])"), "≪"),
)
_BRACED = re.compile(r"([_^])\{(\d|[^\W\d_]+)\}")


def normalised(formula: str) -> str:
    """One spelling of a formula, with or without its dollar signs: fonts, blanks and spare braces dropped."""
    tex = _UNSEEN.sub(" ", formula.strip().strip("$"))
    closing = closing_braces(tex)
    dropped: set[int] = set()
    for match in _WRAPPER.finditer(tex):
        dropped.update(range(match.start(), match.end()))
        if match.end() in closing:
            dropped.update((match.end(), closing[match.end()]))
    tex = "".join(char for index, char in enumerate(tex) if index not in dropped)
    for pattern, sign in _SAME:
        tex = pattern.sub(sign, tex)
    tex = re.sub(r"\s+", "", tex).strip(".,")
    return _BRACED.sub(r"\1\2", tex)
