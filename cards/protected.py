r"""Inline rules for protected text: code, formulas, comments, links, addresses. No mark is seen inside.

Each rule takes a construct that opens at the current place and closes; an opener without an end is plain text.
"""

import re
from collections.abc import Iterable
from string import ascii_letters, digits

from cards.scan import BACKTICKS, Scan, first_from, push, push_open, skip

_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_FORMULA = re.compile(r"\$(?![\s$])(?:[^$\\\n]|\\.)*+(?<!\s)\$")
_TEX = re.compile(r"\\[A-Za-z]|(?<!\\)[_^{}=]")
_WORDS = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}+,?[ \n][A-Za-z]{3,}+")
_ENOUGH = 200
"""Characters to tell words from a formula."""
_JOINED_BEFORE = frozenset(ascii_letters + digits + "*/^+−")
_JOINED_AFTER = frozenset("*/^")
_DEFINITION = re.compile(
    r"""
    \[(?!\^)[^\]\n]++\]:[ \t]*+(?:<[^<>\n]*+>|[^\s<]\S*+)
    (?:[ \t]++(?:"[^"\n]*+"|'[^'\n]*+'|\([^()\n]*+\)))?+[ \t]*+(?=\n|\Z)
    """,
    re.VERBOSE,
)
_FOOTNOTE = re.compile(r"\[\^[^\]\n]++\]:[ \t]*+\S[^\n]*+")
FIELD_KEY = r"[\w\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0e7f-]{1,30}"
"""One word; `\\w` leaves out the vowel signs of Indian, Arabic and Hebrew letters."""
_FIELD = re.compile(rf"\[{FIELD_KEY}::[ \t][^\[\]\n]*+\]|\({FIELD_KEY}::[ \t][^()\n]*+\)")
_ANGLE = re.compile(
    r"""
    <[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*+>                                  # address
    | <[\w.!\#$%&'*+/=?^`{|}~-]++@[\w.-]++>                                   # mail address
    | </[A-Za-z][\w-]*+[ \t]*+>
    | <(?P<name>[A-Za-z][\w-]*+)
      (?:[ \t]++[:@]?[A-Za-z_][\w.:-]*+(?:[ \t]*+=[ \t]*+(?:[^\s"'=<>`]++|'[^'\n]*+'|"[^"\n]*+"))?+)*+[ \t]*+/?>
    """,
    re.VERBOSE,
)
_OPAQUE = frozenset(("pre", "script", "style", "textarea", "code"))
_ADDRESS_END = {
    (row, highlight): re.compile(rf"[\s<>\"{'|' * row}]|\Z" + r"|==(?![^\W_])" * highlight)
    for row in (False, True)
    for highlight in (False, True)
}
"""By whether a cell ends it, and whether a highlight ends there rather than an address with two equals signs."""
_EMOJI = re.compile(r"(?::[\w+-]++:){2,}+(?!\S)")


def comment(state: Scan, silent: bool) -> bool:
    if not state.src.startswith("<!--", state.pos):
        return False
    return _comment(state, "<!--", "-->")


def percent_comment(state: Scan, silent: bool) -> bool:
    if not state.src.startswith("%%", state.pos) or not state.env["signs"].percent:
        return False
    return _comment(state, "%%", "%%")


def _comment(state: Scan, opening: str, closing: str) -> bool:
    src, start = state.src, state.pos
    for sign in state.env["signs"].comments:
        if src.startswith(sign, start) and _is_whole_line(src, start, start + len(sign)):
            return skip(state, start + len(sign))
    found = state.find(closing, start + len(opening))
    if found < 0:
        return push_open(state, start + len(opening), closing)
    return push(state, "comment", found + len(closing))


def _is_whole_line(text: str, start: int, end: int) -> bool:
    """Whether nothing but comments stands beside the stretch."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    behind = text.find("\n", end)
    rest = text[end : behind if behind >= 0 else len(text)].strip()
    return not before.strip() and (not rest or rest.startswith("<!--"))


def tex_brackets(state: Scan, silent: bool) -> bool:
    closing = {"\\(": "\\)", "\\[": "\\]"}.get(state.src[state.pos : state.pos + 2])
    if closing is None:
        return False
    start, end = state.pos + 2, state.find(closing, state.pos + 2)
    if end < 0 or _is_prose(state.src[start : min(end, start + _ENOUGH)]):
        return False
    before, after = state.src[max(state.pos - 1, 0) : state.pos], state.src[end + 2 : end + 3]
    joined = before in _JOINED_BEFORE or after in _JOINED_AFTER
    # `option\(s\)`, `\(2+4\)/3`: without its brackets a text would say something else
    return push(state, "escape" if joined else "tex", end + 2)


def _is_prose(text: str) -> bool:
    """Whether the text is nothing, or words side by side, so that its brackets are escaped rather than TeX."""
    return not text.strip() or (_WORDS.search(text) is not None and _TEX.search(text) is None)


def escape(state: Scan, silent: bool) -> bool:
    if state.src[state.pos] != "\\":
        return False
    signs = state.env["signs"]
    separators: Iterable[str] = signs.separators
    for separator in separators:
        if state.src.startswith(separator, state.pos + 1):
            return push(state, "escape", state.pos + 1 + len(separator))
    literal = state.src[state.pos + 1 : state.pos + 2] in _PUNCTUATION
    if signs.backslash and any(
        state.src.startswith(sign, state.pos) and (len(sign) > 1 or not literal) for sign in separators
    ):
        return False  # it is a separator itself
    return skip(state, state.pos + 2) if literal else skip(state, state.pos + 1)


def code_span(state: Scan, silent: bool) -> bool:
    run = BACKTICKS.match(state.src, state.pos)
    if run is None:
        return False
    end = state.code_end(run.start(), run.end())
    return skip(state, run.end()) if end is None else push(state, "code", end)


def formula(state: Scan, silent: bool) -> bool:
    """`$$…$$` within the text, `$…$` within the line."""
    src, start = state.src, state.pos
    if src[start] != "$":
        return False
    if src.startswith("$$", start):
        end = first_from(state.double_dollars, start + 2)
        if end is not None:
            return push(state, "math", end + 2)
        line_end = state.find("\n", start)
        line = src[src.rfind("\n", 0, start) + 1 : line_end if line_end >= 0 else len(src)]
        if line.strip() == "$$":
            return push_open(state, start + 2, "$$")
    found = _FORMULA.match(src, start)
    if found is None or src[found.end() : found.end() + 1].isdigit():
        return skip(state, start + 1)
    return push(state, "math", found.end())


def wikilink(state: Scan, silent: bool) -> bool:
    if not state.src.startswith("[[", state.pos):
        return False
    end = state.find_in_line("]]", state.pos + 2)
    return end >= 0 and push(state, "link", end + 2)


def link(state: Scan, silent: bool) -> bool:
    """A link, a footnote mark, what a line defines for one of them, or a bracketed field."""
    src, start = state.src, state.pos
    if src[start] not in "[(":
        return False
    if field := _FIELD.match(src, start):
        is_link = src.startswith("(", field.end()) and field[0][0] == "["
        if not is_link:
            return push(state, "field", field.end())
    if src[start] == "(":
        return False
    if start == 0 or src[start - 1] == "\n":
        if definition := _DEFINITION.match(src, start):
            return push(state, "link", definition.end())
        if footnote := _FOOTNOTE.match(src, start):
            return push(state, "footnote", footnote.end())
    pairs = state.pairs
    closing = pairs.get(start)
    if closing is None:
        return False
    if src.startswith("[^", start) and closing > start + 2:
        return push(state, "link", closing + 1)
    behind = pairs.get(closing + 1)
    if behind is None:
        return False
    if src[closing + 1] == "[":
        return push(state, "link", behind + 1)
    return _is_target(state, closing + 2, behind) and push(state, "link", behind + 1)


def _is_target(scan: Scan, start: int, end: int) -> bool:
    """Whether `text[start:end]` is what stands in the round brackets of a link: an address, and perhaps a title."""
    text = scan.src
    while text[start].isspace():
        start += 1
    behind = scan.find(">", start) + 1 if text.startswith("<", start) else first_from(scan.blanks, start)
    start = behind or end
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start >= end or (end - start > 1 and text[start] + text[end - 1] in ('""', "''", "()"))


def angle(state: Scan, silent: bool) -> bool:
    """`<scheme:…>`, `<a@b>`, an HTML tag, and the text of the elements that hold no Markdown."""
    if state.src[state.pos] != "<":
        return False
    found = _ANGLE.match(state.src, state.pos)
    if found is None:
        return False
    name = (found["name"] or "").lower()
    if name not in _OPAQUE or found[0].endswith("/>"):
        return push(state, "html", found.end())
    end = state.find_tag(name, found.end())
    behind = state.find(">", end) if end >= 0 else -1
    if behind < 0:
        return push_open(state, found.end(), f"</{name}")
    return push(state, "html", behind + 1)


def address(state: Scan, silent: bool) -> bool:
    """A bare address, from `://` on."""
    src, start = state.src, state.pos
    if not src.startswith("://", start) or not start or not (src[start - 1].isascii() and src[start - 1].isalnum()):
        return False
    found = _ADDRESS_END[state.row, state.highlight].search(src, start)
    assert found  # the end of the text ends it too
    return push(state, "address", found.start())


def emoji_codes(state: Scan, silent: bool) -> bool:
    src, start = state.src, state.pos
    if src.startswith("::", start) or (start and not src[start - 1].isspace()):
        return False
    found = _EMOJI.match(src, start)
    return found is not None and push(state, "emoji", found.end())
