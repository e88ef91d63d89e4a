"""The note grammar: one markdown-it-py parser with rules of its own, and the outline it reads from a note."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import accumulate

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.ruler import Ruler
from markdown_it.rules_inline import link_pairs

from cards import blocks, lists, marks, protected
from cards.model import Problem
from cards.outline import BULLETS, Outline, Text, Unclosed
from cards.running_text import BlockRule, NoteState, Reading, RulesByStart, line_text
from cards.scan import Scan
from cards.settings import Settings
from cards.source import Source

_COMMENT_LINE = re.compile(r"[ \t>]*+(?:<!--(?:(?!-->).)*+-->[ \t]*+)++", re.DOTALL)
_PERCENT_LINE = re.compile(r"[ \t>]*+%%(?:(?!%%).)*+%%[ \t]*+", re.DOTALL)

_ODD_BLANK = re.compile(r"[^\S \t\n]")

_PARAGRAPH = "paragraph"
_PLAIN = "#>~"
_BLOCK_RULES: tuple[tuple[str, BlockRule, str, tuple[str, ...]], ...] = (
    ("table", blocks.table, "", (_PARAGRAPH,)),
    ("fence", blocks.fence, "`~", (_PARAGRAPH, "blockquote", "table")),
    ("blockquote", blocks.quote, ">", (_PARAGRAPH, "blockquote", "table")),
    ("hr", blocks.rule, "*-_", (_PARAGRAPH, "blockquote", "table")),
    ("list", lists.listing, f"-*+{BULLETS}0123456789", (_PARAGRAPH, "blockquote", "table")),
    ("heading", blocks.heading, "#", (_PARAGRAPH, "blockquote", "table")),
    ("code", blocks.indented_code, "", ()),
    (_PARAGRAPH, blocks.paragraph, "", ()),
)
"""The rules by name: the characters that they may begin with, if not any, and which others they interrupt."""
_InlineRule = Callable[[Scan, bool], bool]
_PROTECTING: dict[str, tuple[_InlineRule, ...]] = {
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


@cache
def _parser() -> MarkdownIt:
    md = MarkdownIt("zero")
    md.block = blocks.BlockParser()
    md.block.ruler = Ruler()
    for name, rule, _, interrupted in _BLOCK_RULES:
        md.block.ruler.push(name, rule, {"alt": list(interrupted)})  # type: ignore[arg-type]  # gets a NoteState
    md.inline = _MarkParser()
    return md


@cache
def _rules(plain: frozenset[str], *, pipes: bool) -> RulesByStart:
    """The block rules, and those that interrupt each of them, by the first character of a line.

    What looks like one of the `plain` lines is a paragraph's line. Without `pipes` no table is looked for.
    """

    def but_plain(rule: BlockRule) -> BlockRule:
        def checked(state: NoteState, start: int, end: int, silent: bool) -> bool:
            return line_text(state, start) not in plain and rule(state, start, end, silent)

        return checked

    chars = {"", *(char for _, _, first, _ in _BLOCK_RULES for char in first)}
    return {
        chain: {
            char: tuple(
                but_plain(rule) if char and char in _PLAIN and name not in (_PARAGRAPH, "code") and plain else rule
                for name, rule, first, interrupted in (reversed(_BLOCK_RULES) if chain else _BLOCK_RULES)
                if (not chain or chain in interrupted)
                and (not first or (char and char in first))
                and (pipes or name != "table")
            )
            for char in chars
        }
        for chain in ("", _PARAGRAPH, "blockquote", "table")
    }


@cache
def _plain_lines(settings: Settings) -> frozenset[str]:
    """The separator lines of the settings that Markdown takes for headings, quotes or fences."""
    return frozenset(sign for sign in marks.signs_of(settings).lines if sign[0] in _PLAIN)


@cache
def _mark_rules(settings: Settings) -> Mapping[str, tuple[_InlineRule, ...]]:
    """The inline rules by the first character of what they read, in the order in which they are tried."""
    separators = {sign[0] for sign in marks.signs_of(settings).separators}
    clozes = {"{", "}", *(mark[0] for pattern in settings.cloze for mark in (pattern.opening, pattern.closing))}
    own = ((marks.separator, separators), (marks.strong_mark, {"*"}), (marks.cloze_mark, clozes))
    ahead = separators.intersection("<%[(")  # a separator may look like a tag of HTML, a comment or a link
    return {
        char: (
            *((marks.separator,) if char in ahead else ()),
            *_PROTECTING.get(char, ()),
            *(rule for rule, first in own if char in first),
        )
        for char in {*_PROTECTING, *separators, *clozes}
    }


class _MarkParser(ParserInline):
    """Goes over a whole text, from one place where a mark may begin to the next; few rules begin with any character."""

    def tokenize(self, state: Scan) -> None:  # type: ignore[override]  # no other
        search, rules_at = state.env["signs"].place.search, state.env["rules"]
        while found := search(state.src, state.pos):
            place = state.pos = found.start()
            for rule in rules_at[found[0]]:
                if rule(state, False):
                    break
            else:
                state.pos = place + 1
        if state.delimiters:
            link_pairs(state)
            marks.pair_stars(state)


def outline(source: Source, settings: Settings, front_matter: int = 0) -> Outline:
    """The structure of a note, of which the first `front_matter` lines are data."""
    hidden = tuple(_comment_lines(source, settings, front_matter))
    kept = list(range(front_matter, len(source.lines)))
    shown = source.lines[front_matter:]
    if hidden:
        unseen = frozenset(hidden)
        kept = [number for number in kept if number not in unseen]
        shown = [source.lines[number] for number in kept]
    if _ODD_BLANK.search(source.text):
        shown = [*map(_without_odd_blanks, shown)]
    begins = source.starts if shown == source.lines else list(accumulate([len(line) + 1 for line in shown], initial=0))
    reading = Reading(
        source, kept, begins, _rules(_plain_lines(settings), pipes="|" in source.text), marks.signs_of(settings)
    )
    env = {"signs": reading.signs, "rules": _mark_rules(settings)}
    state = NoteState(shown, reading, _parser(), env)
    _parser().block.tokenize(state, 0, state.lineMax)
    tree, texts = tuple(reading.blocks), tuple(reading.texts)
    problems = (*reading.problems, *_unclosed(texts, source))
    return Outline(source, tree, texts, tuple(reading.codes), hidden, problems)


def _without_odd_blanks(line: str) -> str:
    """The line, without white space that Markdown does not take for blank if nothing but quote marks stands before it."""
    bare = line.lstrip(" \t>")
    return line[: -len(bare)] if bare.isspace() else line


def _comment_lines(source: Source, settings: Settings, first: int) -> Iterator[int]:
    if "<!--" not in source.text and "%%" not in source.text:
        return
    plain = marks.signs_of(settings).comments
    for number, line in enumerate(source.lines[first:], first):
        if "<!--" not in line and "%%" not in line:
            continue
        if plain and line.lstrip(" \t>").startswith(plain):
            continue
        if ("<!--" in line and _COMMENT_LINE.fullmatch(line)) or (
            settings.comments == "hide" and "%%" in line and _PERCENT_LINE.fullmatch(line)
        ):
            yield number


def _unclosed(texts: tuple[Text, ...], source: Source) -> Iterator[Problem]:
    told = False
    for mark in (mark for text in texts for mark in text.marks if isinstance(mark, Unclosed)):
        if mark.mark == "$$":
            message = "formula is never closed; it was read as text"
            yield Problem(source.place(mark.start), "unclosed-math", message)
        elif mark.mark == "<!--" and not told:
            told = True  # whatever follows stands in it too
            message = "comment is never closed; it was read as text"
            yield Problem(source.place(mark.start), "unclosed-comment", message)
