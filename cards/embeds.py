"""Pictures and sounds that a card's text embeds: `![alt](path)`, `![[file]]` and `<img src="path">`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from markdown_it.token import Token


SIGN = re.compile(r"!\[|<img\b", re.IGNORECASE)
"""Where one may begin."""
_PLAIN = re.compile(r"!\[([A-Za-z0-9 ]*)\]\((\w[\w./-]*)\)|!\[\[([\w./-]+)\]\]", re.ASCII)
"""One that needs no parser."""
_SIZE = re.compile(r"([0-9]{2,4})(?:x([0-9]{2,4}))?")
_PIXELS = re.compile(r"([0-9]{1,4})(?:px)?")
_IMG = re.compile(r"<img\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Embed:
    target: str
    """The path or address, with its blanks and signs as they are."""
    label: str
    """What to show in its place."""
    width: int | None
    height: int | None
    """In pixels."""
    wikilink: bool
    """Such a target may also be a note."""


def may_embed(text: str) -> bool:
    may_be = ("![" in text and ("](" in text or "![[" in text)) or "<" in text
    return may_be and SIGN.search(text) is not None


def embeds(text: str) -> Iterator[Embed]:
    """What the text of a card embeds, in order; nothing of code, comments and formulas."""
    if not may_embed(text):
        return
    if (plain := _PLAIN.match(text)) and not may_embed(text[plain.end() :]):
        label, width, height = _sized(plain[1] or "")
        yield Embed(plain[2] or plain[3], label, width, height, wikilink=plain[2] is None)
        return
    from cards import markdown  # few cards embed anything

    for token in markdown.parse(text, inline=False):
        for part in _parts(token):
            if embed := embed_of(part):
                yield embed


def embed_of(token: "Token") -> Embed | None:
    """The embed that a token of `cards.markdown` stands for, if it does."""
    match token.type:
        case "image":
            label, width, height = _sized(token.content)
            return Embed(unquote(str(token.attrGet("src"))), label, width, height, wikilink=False)
        case "embed":
            label, width, height = _sized(token.meta["alias"])
            return Embed(token.meta["target"], label, width, height, wikilink=True)
        case "html_inline" if _IMG.match(token.content):
            return _img(token.content)
        case _:
            return None


def _parts(token: "Token") -> Iterator["Token"]:
    yield token
    if token.type != "image":  # the label of a picture shows no picture
        for child in token.children or ():
            yield from _parts(child)


def _sized(label: str) -> tuple[str, int | None, int | None]:
    """A label, and the size that may stand behind its last bar."""
    rest, _, last = label.rpartition("|")
    if found := _SIZE.fullmatch(last.strip()):
        return rest.strip(), int(found[1]), int(found[2]) if found[2] else None
    return label.strip(), None, None


class _Attributes(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found = {name: value or "" for name, value in attrs}


def _img(tag: str) -> Embed | None:
    parser = _Attributes()
    parser.feed(tag)
    if not (source := parser.found.get("src")):
        return None
    width, height = (
        int(size[1]) if (size := _PIXELS.fullmatch(parser.found.get(name, ""))) else None
        for name in ("width", "height")
    )
    return Embed(unquote(source), parser.found.get("alt", "").strip(), width, height, wikilink=False)
