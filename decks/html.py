"""Card text (Markdown) → the HTML that Anki stores. All escaping and sanitising of a deck happens here.

Anki runs whatever HTML a field holds, and reads marks of its own in it (`[sound:…]`, `[latex]`, `{{c1::…}}`, `\\(…\\)`).
So raw HTML of a note passes an allow-list, Anki's marks in plain text are broken by an empty comment or element, and
only what this module writes itself is live.

While a text is rendered, control characters stand for what Anki must see; none of them survives in a note's text.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial

import nh3
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from cards import markdown
from cards.embeds import Embed, embed_of
from cards.media import SOUNDS, is_remote, kind
from cards.model import Cloze, Deletion
from cards.tex import DEFINITIONS, open_braces

# One pair each for inline and display mathematics, and one for deletions, which carry their number. The comma makes
# Markdown treat a deletion's border as punctuation, as it would treat the author's own mark. A picture or sound carries
# its own HTML, in hexadecimal digits; in an attribute its quotes would be escaped, so that it is live in text only.
_MATH = {"\x0e": "\\(", "\x0f": "\\)", "\x10": "\\[", "\x11": "\\]"}
_OPEN, _CLOSE = ",\x02{}\x02,", ",\x03{}\x03,"
_MEDIA = '\x13"{}"\x13'
_MARK = re.compile(r"([\x0e-\x11]|,\x02\d+\x02,|,\x03\d+\x03,|\x13\"[0-9a-f]+\"\x13)")

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")
# Markdown takes it for a blank inside a tag, where a browser goes on with a name or a value.
_ODD_BLANK = re.compile(r"[^\S \t\n]")
_WIDE_BLANK = re.compile(r"[\r\x0b\x0c\x85]")

# One line of words, formulas, code, and bold or thin words: most sides of cards. What might mean anything else to
# Markdown, here or to its neighbours, is left out.
_WORDS = r"[^\x0e-\x1f\n\t\\`*_\[<&$=~•◦▪‣●]++|(?<=[^\W_])_(?=[^\W_])|(?<!=)=(?!=)|(?<!~)~(?!~)|&(?![#\w])"
_SPAN = rf"{markdown.INLINE_MATH.pattern}|(?<!`)`[^\x0e-\x1f\n\t\\`<]++(?<! )`(?!`)"
_STARRED = rf"(?<!\*)(\*\*?)(?![\W_])(?:{_WORDS}|{_SPAN})++(?<![\W_])\1"
_SIMPLE = re.compile(rf"(?![-+#>]|\d{{1,9}}[.)])(?:{_WORDS}|{_SPAN}|{_STARRED})*+")
_SPANS = re.compile(rf"{_SPAN}|{_STARRED}")

# What Anki would act on. In text the tags are matched too, to find the attributes.
_MARK_WORD = r"sound:|anki:|/?latex\]|/?\${1,2}\]|\[type:"
_TAG_MARK = rf"\[(?={_MARK_WORD})"
_LIVE_MATH = (
    re.compile(_TAG_MARK, re.IGNORECASE),
    re.compile(rf"{_TAG_MARK}|\{{(?=\{{)", re.IGNORECASE),
    re.compile(rf"{_TAG_MARK}|\{{(?=\{{)|\}}(?=\}})|:(?=:)", re.IGNORECASE),
)
_LIVE_TEXT = tuple(re.compile(rf"<[^>]*>|\\(?=[(\[])|{live.pattern}", re.IGNORECASE) for live in _LIVE_MATH)
_BASIC, _CLOZE, _DELETION = range(3)

# TeX that becomes a link, a style or an attribute of the page, that outlives its card, or that stops Anki by a number of
# columns without end; the rest of MathJax makes only glyphs.
_UNSAFE_TEX = re.compile(
    rf"""\\(?:
        href(?!\s*\{{\s*(?:https?://|mailto:)[^{{}}\\\s"<>]*\s*\}})
      | class | cssId | style | data | mmlToken
      | bbox(?!\s*\[[\w\s,.\#]*\]|\s*\{{)
      | unicode(?!\s*(?:\[[\w\s,.-]*\]\s*){{0,2}}(?:\{{|x?[0-9A-Fa-f]))
      | fcolorbox(?!\s*(?:\[\w*\]\s*)?(?:\{{[\w\s,.\#!]*\}}\s*){{2}})
      | begin\s*\{{(?:x{{0,2}}alignat|alignedat)\*?\}}(?=\s*(?:\[.*?\]\s*)?\{{\d{{3,}}\}})
      | {" | ".join(DEFINITIONS.split())}
    )(?![A-Za-z])""",
    re.VERBOSE | re.DOTALL,
)
# What Anki loads anyway, and names of equations, which it would take for doubled when it shows a card again.
_IDLE_TEX = re.compile(r"(?<!\\)\\(?:require|label)\s*\{[^{}]*\}")
_AFTER_BRACKET = re.compile(_MARK_WORD, re.IGNORECASE)

_TAG_NAMES = (
    "a abbr b bdi blockquote br caption cite code dd del details dfn div dl dt em h1 h2 h3 h4 h5 h6 hr i ins kbd li mark"
    " ol p pre q rt ruby s samp small span strong sub summary sup table tbody td tfoot th thead tr u ul var wbr"
)
# Tags that only lay out what they hold; they go, it stays. All other tags are shown as text.
_LAYOUT_NAMES = "article aside big center figcaption figure font footer header main nav rp section tt"
_TAGS = set(_TAG_NAMES.split())
_KNOWN_TAGS = _TAGS | set(_LAYOUT_NAMES.split())
_ANY_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)?[^<>]*>?")
_ATTRIBUTES = {
    "a": {"href"},
    "code": {"class"},
    "ol": {"start"},
    "td": {"style", "colspan", "rowspan"},
    "th": {"style", "colspan", "rowspan"},
}
_ALIGNED = re.compile(r"(?:^|;)\s*text-align\s*:\s*(left|right|center|justify|start|end)\s*(?:;|$)", re.IGNORECASE)
_CLASSES = {"blockquote": {"callout"}, "div": {"callout-title"}, "li": {"task"}, "span": {"missing"}}
_BLOCK_TAG = re.compile(
    r"</?(?:t(?:able|head|body|foot|r|d|h)|caption|div|p|[uod]l|li|d[td]|details|summary|pre|h[1-6r]|br)\b",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"<(?!img\b)[^>]*>|&nbsp;|[\s\u200b\ufeff]+")
_NEST = re.compile(
    r"<(?P<end>/?)(?P<tag>[a-zA-Z][a-zA-Z0-9]*)[^>]*>|[\x0e-\x11]|,([\x02\x03])(?P<number>\d+)\3,|\\[\\{}]|(?P<brace>[{}])"
)
_VOID = ("br", "hr", "wbr", "img")


Named = Callable[[Embed], str | None]
"""The name in the package of the file that an embed means, of letters, digits, `.`, `-` and `_`; None if it has none."""


def no_media(embed: Embed) -> str | None:
    return None


def render(text: str, named: Named = no_media) -> str:
    """HTML of one side of a card. A single paragraph gives no `<p>`."""
    text = clean(text).strip()
    if (
        _SIMPLE.fullmatch(text)
        and not _UNSAFE_TEX.search(text)
        and not _IDLE_TEX.search(text)
        and not _LIVE_MATH[_BASIC].search(text)
    ):
        return _SPANS.sub(_span, escapeHtml(text))  # what the parser would give, ten times as fast
    return _live(_rendered(text, named), (), _BASIC)


def _span(found: re.Match[str]) -> str:
    text = found[0]
    if text[0] == "$":
        return f"\\({text[1:-1]}{'}' * open_braces(text)}\\)"
    if text[0] == "`":
        return f"<code>{text[1:-1]}</code>"
    tag, width = ("strong", 2) if text[1] == "*" else ("em", 1)
    return f"<{tag}>{_SPANS.sub(_span, text[width:-width])}</{tag}>"


def render_cloze(cloze: Cloze, named: Named = no_media) -> str:
    """HTML of a cloze text, each deletion as `{{cN::answer}}` or `{{cN::answer::hint}}`.

    The text is rendered as a whole, so that Markdown and formulas may reach over a deletion's border. Where that cannot
    be done (a deletion inside an address, or across the end of bold text), each piece is rendered alone.
    """
    deletions = [piece for piece in cloze.pieces if isinstance(piece, Deletion)]
    html = _rendered(_joined(cloze.pieces, clean), named)
    if not _is_sound(html, len(deletions)):
        html = _joined(cloze.pieces, lambda piece: _rendered_piece(piece, named))
    return _live(html, deletions, _CLOZE, named)


@lru_cache  # the cards of a section share it
def plain(text: str) -> str:
    """HTML that shows the text as it is, such as a heading path or a file's name."""
    return _live(escapeHtml(clean(text)), (), _BASIC)


def clean(text: str) -> str:
    """The text without characters that nobody sees and that Anki, or this module, would take for a mark."""
    return text if text.isprintable() else _WIDE_BLANK.sub(" ", _CONTROL.sub("", text))


def is_empty(html: str) -> bool:
    """Whether the HTML shows nothing, so that Anki would make no card of it."""
    return not html or (_EMPTY.match(html) is not None and not _EMPTY.sub("", html))


def _joined(pieces: Sequence[str | Deletion], written: Callable[[str], str]) -> str:
    parts = []
    number = 0
    for piece in pieces:
        if isinstance(piece, str):
            parts.append(written(piece))
        else:
            parts.append(_OPEN.format(number) + written(piece.answer) + _CLOSE.format(number))
            number += 1
    return "".join(parts)


def _rendered_piece(text: str, named: Named) -> str:
    """One piece of a text as inline HTML, its outer blanks kept."""
    rendered = partial(_rendered, named=named, inline=True)
    return re.sub(r"\S(?:.*\S)?", lambda found: rendered(found[0]), clean(text), count=1, flags=re.DOTALL)


def _rendered(text: str, named: Named, *, inline: bool = False) -> str:
    md = _renderer()
    html = str(md.renderer.render(markdown.parse(text.strip(), inline=inline), md.options, {"named": named})).strip()
    html = html.replace(markdown.BAR_IN_CELL, "|")
    return _sanitised(html) if "<" in text else html


def _sanitised(html: str) -> str:
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        allowed_classes=_CLASSES,
        attribute_filter=_attribute,
        url_schemes={"http", "https", "mailto"},
        url_relative="deny",
        link_rel=None,
    ).strip()


def _attribute(tag: str, name: str, value: str) -> str | None:
    if name != "style":
        return value
    found = _ALIGNED.search(value)
    return f"text-align:{found[1].lower()}" if found else None


def _is_sound(html: str, deletions: int) -> bool:
    """Whether each deletion came through once, outside tags, and nests with elements, formulas and their braces."""
    opened: list[str] = []
    found = 0
    for part in _NEST.finditer(html):
        if part[0][0] == "\\" or (part["brace"] and "math" not in opened) or part["tag"] in _VOID:
            continue
        if part["brace"]:
            if part[0] == "}" and opened[-1] == "math":
                continue  # MathJax does not mind
            name, opens = "{", part[0] == "{"
        elif part["tag"]:
            name, opens = part["tag"], not part["end"]
        elif part["number"]:
            name, opens = part["number"], part[0][1] == "\x02"
            found += opens
        else:
            name, opens = "math", part[0] in "\x0e\x10"
        if opens:
            opened.append(name)
        elif not opened or opened.pop() != name:
            return False
    return found == deletions and not opened


def _live(html: str, deletions: Sequence[Deletion], kind: int, named: Named = no_media) -> str:
    """The private marks become Anki's, and whatever else Anki would act on becomes inert."""
    out: list[str] = []
    in_math = False
    level = kind
    for part in _MARK.split(html):
        if part in _MATH:
            out.append(_MATH[part])
            in_math = part in "\x0e\x10"
        elif part[:2] == ",\x02":
            out.append(f"{{{{c{deletions[int(part[2:-2])].group}::")
            level = _DELETION
        elif part[:2] == ",\x03":
            hint = deletions[int(part[2:-2])].hint
            if out[-1].endswith("}") or (hint and out[-1].endswith(":")):
                out.append(" " if in_math else "<!-- -->")
            if hint:
                shown = _live(_rendered_piece(hint, named), (), _DELETION)
                # Anki puts the hint between brackets, which would make one before it two.
                out.append("::" + ("<!-- -->" if shown.lower().startswith("[type:") else "") + shown)
                if out[-1].endswith("}"):
                    out.append("<!-- -->")
            out.append("}}")
            level = kind
        elif part[:1] == "\x13":
            tag = bytes.fromhex(part[2:-2]).decode()
            out.append(_inert_tag(tag) if tag[0] == "<" else tag)
        elif in_math:
            out.append(_LIVE_MATH[level].sub(_inert_math, part))
        elif part:
            out.append(_LIVE_TEXT[level].sub(_inert_text, part))
    return "".join(out)


def _inert_math(found: re.Match[str]) -> str:
    # Anki takes comments out of the formulas of a cloze; what it reads after that is parted by a blank.
    return found[0] + ("<!-- -->" if found[0] == ":" else " ")


def _inert_text(found: re.Match[str]) -> str:
    mark = found[0]
    if mark[0] == "<":
        return _inert_tag(mark)
    return mark + ("<span></span>" if mark == "\\" else "<!-- -->")


def _inert_tag(tag: str) -> str:
    return re.sub(r"[\[{}]|:(?=:)|(?<=:):", lambda char: f"&#{ord(char[0])};", tag)


@cache
def _renderer() -> MarkdownIt:
    md = markdown.parser()
    md.add_render_rule("math_inline", lambda _, tokens, i, options, env: _inline_math(tokens[i].content))
    md.add_render_rule("math_display", lambda _, tokens, i, options, env: _display_math(tokens[i].content))
    md.add_render_rule("html_inline", _html_inline)
    md.add_render_rule("softbreak", _line_break)
    md.add_render_rule("image", _embed)
    md.add_render_rule("embed", _embed)
    md.add_render_rule("link_open", _link_open)
    md.add_render_rule("link_close", lambda _, tokens, i, options, env: f"</{env.pop('link')}>")
    return md


def _inline_math(tex: str) -> str:
    return f"\x0e{_tex(tex)}\x0f"


def _display_math(tex: str) -> str:
    tex = _tex(tex)
    return f"\x10{' ' if _AFTER_BRACKET.match(tex) else ''}{tex}\x11"


def _tex(tex: str) -> str:
    tex = _IDLE_TEX.sub("", _UNSAFE_TEX.sub(r"\\text", tex)).strip()
    return escapeHtml(tex + "}" * open_braces(tex))


def _html_inline(renderer: RendererHTML, tokens: Sequence[Token], i: int, options: OptionsDict, env: EnvType) -> str:
    """HTML that may stay; else its text, so that `#include <map>` and `vector<int>` lose nothing."""
    if embed_of(tokens[i]):
        return _embed(renderer, tokens, i, options, env)
    content = _ODD_BLANK.sub(" ", tokens[i].content)
    return "" if content.startswith("<!--") else _ANY_TAG.sub(_known_or_text, content)


def _known_or_text(tag: re.Match[str]) -> str:
    return tag[0] if tag[1] and tag[1].lower() in _KNOWN_TAGS else escapeHtml(tag[0])


def _line_break(renderer: RendererHTML, tokens: Sequence[Token], i: int, options: OptionsDict, env: EnvType) -> str:
    """A line of the author stays a line, but not between the tags of his own HTML."""
    beside = (tokens[i - 1 if i else i], tokens[min(i + 1, len(tokens) - 1)])
    raw = any(token.type == "html_inline" and _BLOCK_TAG.match(token.content) for token in beside)
    return "\n" if raw else "<br>\n"


def _embed(renderer: RendererHTML, tokens: Sequence[Token], i: int, options: OptionsDict, env: EnvType) -> str:
    """A picture or sound of the package; for any other what it would show, or its name."""
    embed = embed_of(tokens[i])
    assert embed is not None
    if name := env["named"](embed):
        return _MEDIA.format(_media(embed, name).encode().hex())
    label = escapeHtml(embed.label or (tokens[i].content if embed.wikilink else embed.target))
    if is_remote(embed.target) and "link" not in env:
        address = f"https:{embed.target}" if embed.target.startswith("//") else embed.target
        return f'<a href="{escapeHtml(address)}">{label}</a>'
    return f'<span class="missing">{label}</span>'


def _media(embed: Embed, name: str) -> str:
    if kind(name) is SOUNDS:
        return f"[sound:{name}]"
    sizes = "".join(f' {key}="{size}"' for key, size in (("width", embed.width), ("height", embed.height)) if size)
    return f'<img src="{name}" alt="{escapeHtml(embed.label)}"{sizes}>'


def _link_open(renderer: RendererHTML, tokens: Sequence[Token], i: int, options: OptionsDict, env: EnvType) -> str:
    """A link to another note leads nowhere in Anki, so only its text stays."""
    target = str(tokens[i].attrGet("href"))
    env["link"] = "a" if target.startswith(("http://", "https://", "mailto:")) else "span"
    return f'<a href="{escapeHtml(target)}">' if env["link"] == "a" else "<span>"
