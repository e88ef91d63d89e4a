"""The note grammar: one markdown-it-py parser with rules of its own, and the outline it reads from a note."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import accumulate

from markdown_it import MarkdownIt
from markdown_it.ruler import Ruler
from markdown_it.rules_block import blockquote
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline, link_pairs
from markdown_it.token import Token

from cards import blocks, marks, protected
from cards.model import Problem
from cards.outline import (
    Block,
    Code,
    Heading,
    Item,
    Listing,
    Outline,
    Paragraph,
    Quote,
    Rule,
    Table,
    Text,
    TextLine,
    Title,
    Unclosed,
    texts_of,
    walk,
)
from cards.protected import Sign
from cards.running_text import BlockRule, Reading
from cards.settings import Settings
from cards.source import Source

_COMMENT_LINE = re.compile(r"[ \t>]*+(?:<!--(?:(?!-->).)*+-->[ \t]*+)++", re.DOTALL)
_PERCENT_LINE = re.compile(r"[ \t>]*+%%(?:(?!%%).)*+%%[ \t]*+", re.DOTALL)

_PARAGRAPH = "paragraph"
_BLOCK_RULES: tuple[tuple[str, BlockRule, tuple[str, ...]], ...] = (
    ("quote_starts", blocks.note_quote_starts, ()),
    ("too_deep", blocks.too_deep, ()),
    ("title", blocks.title, ()),
    ("plain_paragraph", blocks.plain_paragraph, ()),
    ("table", blocks.table, (_PARAGRAPH,)),
    ("code", blocks.indented_code, ()),
    ("fence", blocks.fence, (_PARAGRAPH, "blockquote", "list", "table")),
    ("blockquote", blockquote, (_PARAGRAPH, "blockquote", "list", "table")),
    ("hr", blocks.rule, (_PARAGRAPH, "blockquote", "list", "table")),
    ("list", blocks.listing, (_PARAGRAPH, "blockquote", "table")),
    ("heading", blocks.heading, (_PARAGRAPH, "blockquote", "table")),
    ("paragraph", blocks.paragraph, ()),
)
InlineRule = Callable[[StateInline, bool], bool]
_MARK_RULES: tuple[InlineRule, ...] = (marks.separator, marks.strong_mark, marks.cloze_mark)
_PROTECTING: dict[str, tuple[InlineRule, ...]] = {
    "\\": (protected.tex_brackets, protected.escape),
    "`": (protected.code_span,),
    "%": (protected.percent_comment,),
    "$": (protected.formula,),
    "[": (protected.wikilink, protected.link),
    "(": (protected.link,),
    "<": (protected.comment, protected.angle),
    ":": (protected.address, protected.emoji_codes),
    "|": (marks.pipe,),
}
"""The rules for protected text by their first character, in the order in which they are tried."""
_RULES_AT = {char: (*rules, *_MARK_RULES) for char, rules in _PROTECTING.items()}


@cache
def _parser() -> MarkdownIt:
    md = MarkdownIt("zero", {"maxNesting": 10 * blocks.DEEPEST})
    md.block.ruler = Ruler()
    for name, rule, interrupted in _BLOCK_RULES:
        md.block.ruler.push(name, rule, {"alt": list(interrupted)})
    md.inline.ruler = Ruler()
    md.inline.ruler.push("marks", _each_mark)
    md.inline.ruler2 = Ruler()
    md.inline.ruler2.push("balance_pairs", link_pairs)
    md.inline.ruler2.push("stars", marks.pair_stars)
    md.core.ruler.enableOnly(["block"])
    md.core.ruler.push("marks", _read_marks)
    return md


def _each_mark(state: StateInline, silent: bool) -> bool:
    """Goes over the whole text, from one place where a mark may begin to the next.

    One rule instead of many, since only few of them can begin with any one character.
    """
    search = state.env["signs"].place.search
    while found := search(state.src, state.pos):
        place = state.pos = found.start()
        for rule in _RULES_AT.get(found[0], _MARK_RULES):
            if rule(state, silent):
                break
        else:
            state.pos = place + 1
    state.pos = len(state.src)
    return True


def _read_marks(state: StateCore) -> None:
    place = state.env["signs"].place
    for token in state.tokens:
        if token.type == "inline" and place.search(token.content):
            token.meta["signs"] = marks.read_marks(token.content, state.md, state.env, row=token.tag == "row")


def outline(source: Source, settings: Settings, front_matter: int = 0) -> Outline:
    """The structure of a note, of which the first `front_matter` lines are data."""
    hidden = tuple(_comment_lines(source, settings, front_matter))
    unseen = frozenset(hidden)
    kept = [line for line in range(front_matter, len(source.lines)) if line not in unseen]
    shown = ["" if (line := source.lines[number]).isspace() else line for number in kept]
    begins = list(accumulate((len(line) + 1 for line in shown), initial=0))
    reading = Reading(source, kept, begins)
    tokens = _parser().parse("\n".join(shown), {"reading": reading, "signs": marks.signs_of(settings)})
    tree = _tree(tokens, reading)
    walked = tuple(walk(tree))
    texts = tuple(texts_of(walked))
    return Outline(source, tree, walked, texts, hidden, (*reading.problems, *_unclosed(texts, source)))


def _comment_lines(source: Source, settings: Settings, first: int) -> Iterator[int]:
    for number, line in enumerate(source.lines[first:], first):
        if ("<!--" in line and _COMMENT_LINE.fullmatch(line)) or (
            settings.comments == "hide" and "%%" in line and _PERCENT_LINE.fullmatch(line)
        ):
            yield number


def _tree(tokens: list[Token], reading: Reading) -> tuple[Block, ...]:
    levels: list[list[Block | Item | Text]] = [[]]
    opened: list[Token] = []
    for token in tokens:
        if token.nesting > 0:
            opened.append(token)
            levels.append([])
        elif token.nesting < 0:
            children = levels.pop()
            levels[-1].append(_container(opened.pop(), children, reading))
        else:
            levels[-1].append(_leaf(token))
    return _blocks(levels[0])


def _blocks(children: list[Block | Item | Text]) -> tuple[Block, ...]:
    return tuple(child for child in children if not isinstance(child, Item | Text))


def _container(token: Token, children: list[Block | Item | Text], reading: Reading) -> Block | Item:
    match token.type:
        case "table_open":
            header, *rows = (child for child in children if isinstance(child, Text))
            return Table(header, token.meta["rule"], tuple(rows))
        case "list_open":
            return Listing(tuple(child for child in children if isinstance(child, Item)))
        case "item_open":
            return Item(**token.meta, blocks=_blocks(children))
        case _:
            source = reading.source
            empty = (reading.kept[line] for line in range(*(token.map or (0, 0))))
            starts: dict[int, int] = token.meta.get("starts") or {line: source.end(line) for line in empty}
            first, last = min(starts), max(starts)
            return Quote(
                token.info or None,
                first,
                last,
                tuple(starts.get(line, source.starts[line]) for line in range(first, last + 1)),
                _blocks(children),
            )


def _leaf(token: Token) -> Block | Text:
    match token.type:
        case "code":
            return Code(**token.meta)
        case "hr":
            return Rule(token.meta["line"])
    text = _text(token)
    match token.tag:
        case "heading":
            return Heading(int(token.info), text)
        case "title":
            return Title(text)
        case "paragraph":
            return Paragraph(text)
        case _:
            return text


def _text(token: Token) -> Text:
    lines: tuple[TextLine, ...] = token.meta["lines"]
    signs: Sequence[Sign] = token.meta.get("signs", ())
    if not signs:
        return Text(lines, (), ())
    if len(lines) == 1:
        moved = lines[0].start.__add__
    else:
        begins = list(accumulate((line.end - line.start + 1 for line in lines), initial=0))

        def moved(offset: int) -> int:
            index = bisect_right(begins, offset, hi=len(lines)) - 1
            return lines[index].start + offset - begins[index]

    return Text(lines, *marks.settled(token.content, signs, moved))


def _unclosed(texts: tuple[Text, ...], source: Source) -> Iterator[Problem]:
    told = False
    for text in texts:
        for mark in text.marks:
            match mark:
                case Unclosed(start, "$$"):
                    message = "formula is never closed; it was read as text"
                    yield Problem(source.place(start), "unclosed-math", message)
                case Unclosed(start, "<!--") if not told:
                    told = True  # whatever follows stands in it too
                    message = "comment is never closed; it was read as text"
                    yield Problem(source.place(start), "unclosed-comment", message)
