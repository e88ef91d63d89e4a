"""The Markdown of a card as markdown-it reads it: CommonMark and tables, with the marks people use in notes.

Added to CommonMark: mathematics, `==highlights==`, wikilinks, callouts, check boxes, and line breaks that stay. Taken
away: setext headings; link definitions, which would make a line of the author's text vanish; and blocks of HTML, in
which mathematics and everything else would stay unread.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache

from markdown_it import MarkdownIt, rules_inline
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from cards.outline import ALL_BULLETS

INLINE_MATH = re.compile(r"\$(?![\s$])(?:[^$\\\n]|\\.)+?(?<!\s)\$(?!\d)")
_DISPLAY_MATH = re.compile(r"\$\$(?!\$)(?:[^$\\]|\\.|\$(?!\$))+?\$\$", re.DOTALL)
_WHOLE_DISPLAY = re.compile(r"\$\$(?=\s*[^\s$])(?:[^$\n]+|\n[^$]*\n)\$\$")
"""A formula on lines of its own that needs no parser."""
_RAW_ELEMENT = re.compile(r"<(script|style|pre|code|textarea)\b[^<>]*>", re.IGNORECASE)
_RAW_END = re.compile(r"</(?:script|style|pre|code|textarea)>", re.IGNORECASE)
_WIKILINK = re.compile(r"(!?)\[\[([^\[\]\n]+)\]\]")
_CALLOUT = re.compile(r"\[!([\w-]+)\][+-]?[ \t]*(.*)")
_BULLET = re.compile(rf"^([ \t]*)[{ALL_BULLETS}][ \t]", re.MULTILINE)
_TABLE = re.compile(r"^[ \t>]*+(?:\|[ \t]*+)?:?-+:?[ \t]*\|", re.MULTILINE)
_CODE = r"(?<!`)(`++)[^`\n]++(?:(?!\1(?!`))`++[^`\n]++)*+\1(?!`)"
_WITH_BARS = re.compile(rf"{_CODE}|{INLINE_MATH.pattern}")
_BAR = re.compile(r"(?<!\\)\|")
BAR_IN_CELL = "\x12"
"""Stands for a bar inside code or mathematics, at which a row of a table must not be cut."""
_BLOCK = re.compile(
    r"^[ \t]*(?:[-+][ \t\n]|\*[ \t\n]|[-+*]$|([-_*])(?:[ \t]*\1){2,}[ \t]*$|>|#{1,6}(?:\s|$)|\d{1,9}[.)](?:\s|$)"
    r"|```|~~~|\$\$)|\n[ \t]*\n|\|[^|\n]*\n|^(?: {4}|\t)",
    re.MULTILINE,
)


@cache
def parser() -> MarkdownIt:
    """The one parser of the process; building one costs more than a card."""
    md = MarkdownIt("commonmark", {"breaks": True, "html": True, "xhtmlOut": False})
    md.inline = _InlineParser()
    md.enable(["table", "strikethrough"]).disable(["lheading", "reference", "html_block"])
    is_valid = md.validateLink
    # such a picture is none of the text, and its path is told to the author
    md.validateLink = lambda url: is_valid(url) or url.lower().startswith("file:")  # type: ignore[method-assign]
    md.block.ruler.before("fence", "math_block", _math_block, {"alt": ["paragraph", "blockquote", "list"]})
    md.core.ruler.after("block", "callouts", _callouts)
    md.core.ruler.after("block", "check_boxes", _check_boxes)
    return md


def parse(text: str, *, inline: bool) -> list[Token]:
    """Tokens of a card's text; a text that is one paragraph, or is read as `inline`, gives its inline token alone."""
    if inline:
        return parser().parseInline(text)
    if any(bullet in text for bullet in ALL_BULLETS) and "```" not in text:
        text = _BULLET.sub(r"\1- ", text)
    if _TABLE.search(text):
        text = _WITH_BARS.sub(lambda found: _BAR.sub(BAR_IN_CELL, found[0]), text)
    if not _BLOCK.search(text):
        return parser().parseInline(text)
    tokens = parser().parse(text)
    if [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]:
        return tokens[1:2]
    return tokens


def formulas(text: str) -> Iterator[str]:
    """The TeX of each formula of a card's text, without its dollars."""
    if "$" not in text and "\\)" not in text and "\\]" not in text:
        return
    if whole := INLINE_MATH.fullmatch(text):
        yield whole[0][1:-1]
        return
    if whole := _WHOLE_DISPLAY.fullmatch(text):
        yield whole[0][2:-2]
        return
    pending = parse(text, inline=False)[::-1]
    while pending:
        token = pending.pop()
        if token.type in ("math_inline", "math_display"):
            yield token.content
        elif token.type != "image":
            pending += (token.children or [])[::-1]


def _math(state: StateInline, silent: bool) -> bool:
    src, start, end = state.src, state.pos, state.posMax
    if src[start] == "$":
        if found := _DISPLAY_MATH.match(src, start, end):
            kind, tex = "math_display", found[0][2:-2]
        elif found := INLINE_MATH.match(src, start, end):
            kind, tex = "math_inline", found[0][1:-1]
        else:
            return False
        state.pos = found.end()
    elif src[start : start + 2] in ("\\(", "\\["):
        kind, close = ("math_inline", "\\)") if src[start + 1] == "(" else ("math_display", "\\]")
        last = src.find(close, start + 2, end) if state.html_terminator_last(close) > start else -1
        tex = src[start + 2 : last]
        if last < 0 or not tex.strip():
            return False
        state.pos = last + 2
    else:
        return False
    if not silent:
        state.push(kind, "", 0).content = tex
    return True


def _math_block(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """A formula that has its lines to itself, from `$$` to `$$`."""
    line = _line(state, first)
    if state.is_code_block(first) or not line.startswith("$$"):
        return False
    alone = line == "$$"
    line = line[2:]
    for last in range(first, end):
        if last > first:
            line = _line(state, last)
            if state.sCount[last] < state.blkIndent or not (line or alone):
                return False
        if line.endswith("$$"):
            break
        if "$$" in line:
            return False
    else:
        return False
    tex = state.getLines(first, last + 1, state.sCount[first], False).strip()[2:-2]
    if not tex.strip():
        return False
    if not silent:
        state.push("math_display", "", 0).content = tex
        state.line = last + 1
    return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip()


def _highlight(state: StateInline, silent: bool) -> bool:
    """`==text==`, by the rules of a deletion: two marks exactly, no blank just inside."""
    src, start, end = state.src, state.pos, state.posMax
    if not src.startswith("==", start) or src[start + 2 : start + 3] in ("", "=") or src[start + 2].isspace():
        return False
    if src[start - 1 : start] == "=":
        return False
    state.pos = start + 2
    while state.pos < end and not (
        src.startswith("==", state.pos)
        and src[state.pos + 2 : state.pos + 3] != "="
        and not src[state.pos - 1].isspace()
    ):
        state.md.inline.skipToken(state)
    close = state.pos
    if close >= end:
        state.pos = start
        return False
    if not silent:
        state.pos, state.posMax = start + 2, close
        state.push("mark_open", "mark", 1)
        state.md.inline.tokenize(state)
        state.push("mark_close", "mark", -1)
    state.pos, state.posMax = close + 2, end
    return True


def _raw_element(state: StateInline, silent: bool) -> bool:
    """An HTML element whose text is no Markdown."""
    found = _RAW_ELEMENT.match(state.src, state.pos, state.posMax)
    close = f"</{found[1].lower()}>" if found else ""
    if _last_ends(state.src).get(close, -1) < state.pos:
        return False
    ends = (end for end in _RAW_END.finditer(state.src, state.pos, state.posMax) if end[0].lower() == close)
    if (end := next(ends, None)) is None:
        return False
    if not silent:
        state.push("html_inline", "", 0).content = state.src[state.pos : end.end()]
    state.pos = end.end()
    return True


@lru_cache(maxsize=1)
def _last_ends(text: str) -> Mapping[str, int]:
    """Where the last end tag of each element stands, so that many elements without one are not sought each anew."""
    return {end[0].lower(): end.start() for end in _RAW_END.finditer(text)}


def _wikilink(state: StateInline, silent: bool) -> bool:
    found = _WIKILINK.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        target, _, alias = found[2].replace("\\|", "|").partition("|")
        page, _, heading = target.strip().partition("#")
        shown = page if heading.startswith("^") else " > ".join(part for part in (page, heading) if part)
        token = state.push("embed" if found[1] else "text", "", 0)
        token.content = shown if found[1] else alias.strip() or shown
        token.meta = {"target": target.strip(), "alias": alias.strip()} if found[1] else {}
    state.pos = found.end()
    return True


def _link(state: StateInline, silent: bool) -> bool:
    """A link or picture. Its label, which takes most of the time, is not read where it cannot be followed by a target."""
    if min(state.html_terminator_last("]("), state.html_terminator_last(")")) < state.pos:
        return False
    return (rules_inline.link if state.src[state.pos] == "[" else rules_inline.image)(state, silent)


_RULES: Mapping[str, tuple[Callable[[StateInline, bool], bool], ...]] = {
    "\n": (rules_inline.newline,),
    "$": (_math,),
    "\\": (_math, rules_inline.escape),
    "`": (rules_inline.backtick,),
    "~": (rules_inline.strikethrough.tokenize,),
    "=": (_highlight,),
    "*": (rules_inline.emphasis.tokenize,),
    "_": (rules_inline.emphasis.tokenize,),
    "[": (_wikilink, _link),
    "!": (_wikilink, _link),
    "<": (rules_inline.autolink, _raw_element, rules_inline.html_inline),
    "&": (rules_inline.entity,),
}
"""What may begin with a character, in the order in which it is tried; anything else is text."""
_TEXT = (rules_inline.text,)


class _InlineParser(ParserInline):
    """Tries no rule that cannot begin with the character at hand; does the same as the parser of markdown-it else."""

    def skipToken(self, state: StateInline) -> None:
        start = state.pos
        if start in state.cache:
            state.pos = state.cache[start]
            return
        if state.level >= state.md.options["maxNesting"]:
            state.pos = state.posMax + 1
        else:
            state.level += 1
            for rule in _RULES.get(state.src[start], _TEXT):
                if rule(state, True):
                    break
            else:
                state.pos += 1
            state.level -= 1
        state.cache[start] = state.pos

    def tokenize(self, state: StateInline) -> None:
        end, may_nest = state.posMax, state.level < state.md.options["maxNesting"]
        while state.pos < end:
            for rule in _RULES.get(state.src[state.pos], _TEXT) if may_nest else ():
                if rule(state, False):
                    break
            else:
                state.append_pending(state.src[state.pos])
                state.pos += 1
        if state.pending:
            state.pushPending()


def _callouts(state: StateCore) -> None:
    """`> [!type] title` gets its title as a block of its own."""
    tokens: list[Token] = []
    for token in state.tokens:
        tokens.append(token)
        if [t.type for t in tokens[-3:]] != ["blockquote_open", "paragraph_open", "inline"]:
            continue
        head, _, rest = token.content.partition("\n")
        if not (found := _CALLOUT.fullmatch(head)):
            continue
        quote, paragraph = tokens[-3:-1]
        quote.attrSet("class", "callout")
        title = paragraph.copy(tag="div")
        title.attrSet("class", "callout-title")
        tokens[-2:] = [
            title,
            token.copy(content=found[2].strip() or found[1].capitalize(), children=[]),
            Token("callout_title_close", "div", -1, block=True),
            paragraph,
            token,
        ]
        token.content = rest
    state.tokens = tokens


def _check_boxes(state: StateCore) -> None:
    for item, _, token in zip(state.tokens, state.tokens[1:], state.tokens[2:], strict=False):
        if item.type == "list_item_open" and token.type == "inline" and re.match(r"\[[ xX]\] ", token.content):
            item.attrSet("class", "task")
            token.content = ("☐" if token.content[1] == " " else "☑") + token.content[3:]
