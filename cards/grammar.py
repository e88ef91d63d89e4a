"""The note grammar: one markdown-it-py parser with rules of its own, and the outline it reads from a note."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import accumulate
from typing import TypeVar

from markdown_it import MarkdownIt
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock, blockquote
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline, link_pairs
from markdown_it.token import Token

from cards import blocks, marks, protected
from cards.model import Problem
from cards.outline import (
    Block,
    Code,
    Heading,
    Hidden,
    Item,
    Listing,
    Mark,
    Outline,
    Paragraph,
    Protected,
    Quote,
    Rule,
    Separator,
    Table,
    Text,
    TextLine,
    Title,
    Unclosed,
    texts,
)
from cards.settings import Settings
from cards.source import Source

_COMMENT_LINE = re.compile(r"[ \t>]*+(?:<!--(?:(?!-->).)*+-->[ \t]*+)++", re.DOTALL)
_PERCENT_LINE = re.compile(r"[ \t>]*+%%(?:(?!%%).)*+%%[ \t]*+", re.DOTALL)

BlockRule = Callable[[StateBlock, int, int, bool], bool]
_PARAGRAPH = "paragraph"
_BLOCK_RULES: tuple[tuple[str, BlockRule, tuple[str, ...]], ...] = (
    ("quote_starts", blocks.note_quote_starts, ()),
    ("too_deep", blocks.too_deep, ()),
    ("title", blocks.title, ()),
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
_INLINE_RULES: tuple[InlineRule, ...] = (
    marks.plain_text,
    protected.comment,
    protected.tex_brackets,
    protected.escape,
    protected.code_span,
    protected.percent_comment,
    protected.formula,
    protected.wikilink,
    protected.link,
    protected.angle,
    protected.address,
    protected.emoji_codes,
    marks.separator,
    marks.strong_mark,
    marks.cloze_mark,
    marks.pipe,
    protected.other,
)


@cache
def _parser() -> MarkdownIt:
    md = MarkdownIt("zero", {"maxNesting": 10 * blocks.DEEPEST})
    md.block.ruler = Ruler()
    for name, rule, interrupted in _BLOCK_RULES:
        md.block.ruler.push(name, rule, {"alt": list(interrupted)})
    md.inline.ruler = Ruler()
    for inline_rule in _INLINE_RULES:
        md.inline.ruler.push(inline_rule.__name__, inline_rule)
    md.inline.ruler2 = Ruler()
    md.inline.ruler2.push("balance_pairs", link_pairs)
    md.inline.ruler2.push("stars", marks.pair_stars)
    md.core.ruler.enableOnly(["block"])
    md.core.ruler.push("marks", _read_marks)
    return md


def _read_marks(state: StateCore) -> None:
    for token in state.tokens:
        if token.type == "inline":
            token.children = marks.read_marks(token.content, state.md, state.env, row=token.tag == "row")


def outline(source: Source, settings: Settings, front_matter: int = 0) -> Outline:
    """The structure of a note, of which the first `front_matter` lines are data."""
    hidden = tuple(_comment_lines(source, settings, front_matter))
    unseen = frozenset(hidden)
    kept = [line for line in range(front_matter, len(source.lines)) if line not in unseen]
    shown = ["" if (line := source.lines[number]).isspace() else line for number in kept]
    begins = list(accumulate((len(line) + 1 for line in shown), initial=0))
    reading = blocks.Reading(source, kept, begins)
    tokens = _parser().parse("\n".join(shown), {"reading": reading, "signs": marks.signs_of(settings)})
    tree = _tree(tokens, source)
    return Outline(source, tree, hidden, (*reading.problems, *_unclosed(tree, source)))


def _comment_lines(source: Source, settings: Settings, first: int) -> Iterator[int]:
    for number, line in enumerate(source.lines[first:], first):
        if ("<!--" in line and _COMMENT_LINE.fullmatch(line)) or (
            settings.comments == "hide" and "%%" in line and _PERCENT_LINE.fullmatch(line)
        ):
            yield number


def _tree(tokens: list[Token], source: Source) -> tuple[Block, ...]:
    levels: list[list[Block | Item | Text]] = [[]]
    opened: list[Token] = []
    for token in tokens:
        if token.nesting > 0:
            opened.append(token)
            levels.append([])
        elif token.nesting < 0:
            children = levels.pop()
            levels[-1].append(_container(opened.pop(), children, source))
        else:
            levels[-1].append(_leaf(token))
    return _blocks(levels[0])


def _blocks(children: list[Block | Item | Text]) -> tuple[Block, ...]:
    return tuple(child for child in children if not isinstance(child, Item | Text))


def _container(token: Token, children: list[Block | Item | Text], source: Source) -> Block | Item:
    match token.type:
        case "table_open":
            header, *rows = (child for child in children if isinstance(child, Text))
            return Table(header, token.meta["rule"], tuple(rows))
        case "list_open":
            return Listing(tuple(child for child in children if isinstance(child, Item)))
        case "item_open":
            return Item(**token.meta, blocks=_blocks(children))
        case _:
            starts: dict[int, int] = token.meta["starts"]
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
    found, inner = marks.settled(token.content, token.children or [])
    if not found:
        return Text(lines, (), ())
    begins = list(accumulate((line.end - line.start + 1 for line in lines), initial=0))

    def moved(offset: int) -> int:
        index = bisect_right(begins, offset, hi=len(lines)) - 1
        return lines[index].start + offset - begins[index]

    return Text(lines, tuple(_moved(mark, moved) for mark in found), tuple(_moved(mark, moved) for mark in inner))


M = TypeVar("M", bound=Mark)


def _moved(mark: M, moved: Callable[[int], int]) -> M:
    """The mark with the offsets of the source."""
    match mark:
        case Hidden():
            fields = tuple((moved(start), moved(end)) for start, end in mark.fields)
            hint = mark.hint and (moved(mark.hint[0]), moved(mark.hint[1]))
            return replace(mark, start=moved(mark.start), end=moved(mark.end), fields=fields, hint=hint)
        case Protected() | Separator():
            return replace(mark, start=moved(mark.start), end=moved(mark.end))
        case _:
            return replace(mark, start=moved(mark.start))


def _unclosed(tree: tuple[Block, ...], source: Source) -> Iterator[Problem]:
    told = False
    for text in texts(tree):
        for mark in text.marks:
            match mark:
                case Unclosed(start, "$$"):
                    message = "formula is never closed; it was read as text"
                    yield Problem(source.place(start), "unclosed-math", message)
                case Unclosed(start, "<!--") if not told:
                    told = True  # whatever follows stands in it too
                    message = "comment is never closed; it was read as text"
                    yield Problem(source.place(start), "unclosed-comment", message)
