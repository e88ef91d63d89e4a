"""A side of a flashcard as the terminal shows it: paragraphs, lists, code, tables, formulas, pictures as captions."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from markdown_it.token import Token
from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from cards import markdown
from cards.embeds import embed_of
from mha_quiz.mathtext import math_text

OPEN, CLOSE = "\ue000", "\ue001"
"""Stand around what a cloze asks for, hidden or shown; on the screen they are square brackets."""
_MARKED = re.compile(f"{OPEN}[^{CLOSE}]*{CLOSE}")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ue000\ue001]")
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9]*)[^<>]*>")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LAYOUT = frozenset(
    """
    a abbr b big blockquote br center cite code dd del details div dl dt em font h1 h2 h3 h4 h5 h6 hr i ins kbd li mark
    ol p pre q s small span strong sub summary sup table tbody td tfoot th thead tr u ul var
    """.split()  # noqa: SIM905 - one word a string would fill the page
)
_ANY_WIDTH = 100_000
_STYLES = {"strong": "bold", "em": "italic", "s": "strike", "mark": "bold yellow"}


@dataclass(frozen=True, slots=True)
class Look:
    """How the stream wants it."""

    shown: Callable[[str], str]
    """A text in letters that the stream can carry."""
    lines: bool
    """Whether tables may be drawn with lines; else with the signs of a keyboard."""


def clean(text: str) -> str:
    """The text of a note without characters that would steer the terminal, or be taken for marks of ours."""
    return _CONTROL.sub("\ufffd", text.replace("\r\n", "\n"))


def card_text(text: str, look: Look) -> Group:
    """The side of a card, which is `clean` but for our marks."""
    blocks = _blocks(iter(markdown.parse(text, inline=False)), "", look)
    spaced: list[RenderableType] = []
    for block in blocks:
        spaced += [Text(), block] if spaced else [block]
    return Group(*spaced)


def plain(text: str) -> str:
    """One line without any marks of Markdown, for comparing."""
    look = Look(str, lines=False)
    parts = (_inline(token, look).plain for token in markdown.parse(clean(text), inline=False) if token.children)
    return " ".join(" ".join(parts).split())


def _blocks(tokens: Iterator[Token], end: str, look: Look) -> list[RenderableType]:
    """The blocks up to the closing token `end`."""
    blocks: list[RenderableType] = []
    style = ""
    for token in tokens:
        if token.type == end:
            break
        match token.type:
            case "inline":
                if token.content.strip():
                    text = _inline(token, look)
                    text.stylize(style)
                    blocks.append(text)
            case "heading_open":
                style = "bold"
            case "paragraph_open":
                style = "bold" if token.tag == "div" else ""
            case "math_display":
                blocks.append(Padding(_text(math_text(token.content), look), (0, 0, 0, 2)))
            case "fence" | "code_block":
                code = token.content.replace(markdown.BAR_IN_CELL, "|").removesuffix("\n").expandtabs(4)
                blocks.append(Padding(_text(code, look, "cyan"), (0, 0, 0, 2)))
            case "hr":
                blocks.append(_text("───", look, "dim"))
            case "bullet_list_open" | "ordered_list_open":
                blocks.append(_list(token, tokens, look))
            case "blockquote_open":
                blocks.append(Padding(Group(*_blocks(tokens, "blockquote_close", look)), (0, 0, 0, 2)))
            case "table_open":
                blocks.append(_table(tokens, look))
    return blocks


def _list(opening: Token, tokens: Iterator[Token], look: Look) -> Table:
    rows = Table.grid(padding=(0, 1, 0, 0))
    rows.add_column(no_wrap=True, justify="right")
    rows.add_column(overflow="fold")
    number = int(opening.attrGet("start") or 1)
    for token in tokens:
        if token.type in ("bullet_list_close", "ordered_list_close"):
            break
        if token.type == "list_item_open":
            mark = f"{number}." if opening.type == "ordered_list_open" else "•"
            is_task = token.attrGet("class") == "task"
            rows.add_row(_text("" if is_task else mark, look), Group(*_blocks(tokens, "list_item_close", look)))
            number += 1
    return rows


@dataclass(frozen=True, slots=True)
class _Table:
    """A table; where it is so narrow that words would be cut, a line for each cell."""

    table: Table
    lines: Text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = options.update(max_width=_ANY_WIDTH)
        needed = Measurement.get(console, wide, self.table).minimum
        yield self.table if needed <= options.max_width else self.lines


def _table(tokens: Iterator[Token], look: Look) -> _Table:
    rows: list[list[Token]] = []
    aligned: list[str] = []
    for token in tokens:
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "th_open":
            aligned.append(str(token.attrGet("style") or "").rpartition(":")[2])
        elif token.type == "inline":
            rows[-1].append(token)
    table = Table(box=box.SQUARE if look.lines else box.ASCII2, border_style="dim" if look.lines else "")
    heads = [_inline(head, look) for head in rows[0]]
    for head, side in zip(heads, aligned, strict=True):
        table.add_column(head, overflow="fold", justify="right" if side == "right" else "left")
    cells = [[_inline(cell, look) for cell in row] for row in rows[1:]]
    for row in cells:
        table.add_row(*row)
    blocks = [
        Text("\n").join(Text(": ").join(filter(None, pair)) for pair in zip(heads, row, strict=True) if pair[1])
        for row in cells
    ]
    return _Table(table, Text("\n\n").join(blocks or [Text(" · ").join(heads)]))


def _inline(token: Token, look: Look) -> Text:
    text = Text()
    styles: list[str] = []
    links: list[str] = []
    for child in token.children or ():
        kind = child.type
        name = kind.removesuffix("_open").removesuffix("_close")
        if name in _STYLES:
            if child.nesting == 1:
                styles.append(_STYLES[name])
            elif _STYLES[name] in styles:
                styles.remove(_STYLES[name])
            continue
        if kind == "link_open":
            links.append(str(child.attrGet("href")))
        elif kind == "link_close" and (address := links.pop()) and not text.plain.endswith(address):
            text.append(_text(f" <{address}>", look, "dim"))
        text.append(_text(_shown(child, text.plain), look, "cyan" if kind == "code_inline" else " ".join(styles)))
    text.rstrip()
    text.highlight_regex(_MARKED, "bold green")
    text.plain = text.plain.replace(OPEN, "[").replace(CLOSE, "]")
    return text


def _shown(token: Token, before: str) -> str:
    content = token.content.replace(markdown.BAR_IN_CELL, "|")
    if (embed := embed_of(token)) is not None:
        return f"[{embed.label}: {embed.target}]" if embed.label not in ("", embed.target) else f"[{embed.target}]"
    match token.type:
        case "text" | "code_inline" | "text_special":
            return content
        case "softbreak" | "hardbreak":
            return "\n"
        case "math_inline":
            return math_text(content)
        case "math_display":
            return f"{'' if before.endswith(chr(10)) or not before else chr(10)}  {math_text(content)}\n"
        case "html_inline":
            return _TAG.sub(_tag, _COMMENT.sub("", content))
    return ""


def _tag(found: re.Match[str]) -> str:
    """Tags that only lay out say nothing here; others are text, such as `<pad>`."""
    name, closes = found[1].lower(), found[0].startswith("</")
    if name not in _LAYOUT:
        return found[0]
    return "\n" if name == "br" else "" if closes else {"sub": "_", "sup": "^"}.get(name, "")


def _text(text: str, look: Look, style: str = "") -> Text:
    parts: Sequence[str] = re.split(f"([{OPEN}{CLOSE}])", text)
    return Text("".join(part if part in (OPEN, CLOSE) else look.shown(part) for part in parts), style)
