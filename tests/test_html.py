"""Markdown of cards → Anki's HTML: the cases of `data/html.txt`, and laws for any text."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cards.flashcards import read_note
from cards.model import Basic, Cloze, Deletion
from cards.settings import Settings
from cards.sides import to_show
from decks import html

CASES = re.findall(
    r"^@@ (.*?)\n(.*?)\n=>\n(.*?)\n\n?(?=@@ |\Z)",
    (Path(__file__).parent / "data" / "html.txt").read_text("utf-8"),
    re.DOTALL | re.MULTILINE,
)


def test_all_cases_are_read() -> None:
    assert len(CASES) == (Path(__file__).parent / "data" / "html.txt").read_text("utf-8").count("\n@@ ")


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_case(text: str, expected: str) -> None:
    assert html.render(text) == expected


IN_LINE = [
    ("EF :: > 55 %", "EF", "&gt; 55 %"),
    ("charge :: - 1", "charge", "- 1"),
    ("supply :: + 5 V", "supply", "+ 5 V"),
    ("any :: * x", "any", "* x"),
    ("sharp :: # or ##", "sharp", "# or ##"),
    ("end of the war :: 1945. In May.", "end of the war", "1945. In May."),
    ("rule :: ---", "rule", "---"),
    ("stars :: ***", "stars", "***"),
    ("strong :: ***both*** :)", "strong", "<em><strong>both</strong></em> :)"),
    ("fence :: ```", "fence", "```"),
    ("span :: ```x``` y", "span", "<code>x</code> y"),
    ("waves :: ~~~", "waves", "~~~"),
    ("gone :: ~~old~~", "gone", "<s>old</s>"),
    ("- EF :: > 55 %\n  - at rest", "EF", "<p>&gt; 55 %</p>\n<ul>\n<li>at rest</li>\n</ul>"),
    ("|a|\n|-|\n| > 5 :: 3. |", "&gt; 5", "3."),
    ("needs? ::\n- air\n- glass", "needs?", "<ul>\n<li>air</li>\n<li>glass</li>\n</ul>"),
    ("said?\n?\n> yes", "said?", "<blockquote>\n<p>yes</p>\n</blockquote>"),
    ("needs?\n?\n- air", "needs?", "<ul>\n<li>air</li>\n</ul>"),
]


@pytest.mark.parametrize(("text", "front", "back"), IN_LINE, ids=[text for text, _, _ in IN_LINE])
def test_signs_within_a_line_are_no_marks_of_blocks(text: str, front: str, back: str) -> None:
    (card,) = read_note(f"#flashcards\n\n{text}\n", "a.md", Settings()).cards
    content = to_show(card)
    assert isinstance(content, Basic)
    assert (html.render(content.front), html.render(content.back)) == (front, back)


D = Deletion


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (("a ", D(1, "b", None), " c"), "a {{c1::b}} c"),
        ((D(2, "b", "hint"), D(1, "c", None)), "{{c2::b::hint}}{{c1::c}}"),
        (("$a =$ ", D(1, "$b$", None)), "\\(a =\\) {{c1::\\(b\\)}}"),
        (("$", D(1, "x", None), "+y$"), "\\({{c1::x}}+y\\)"),
        (("$\\frac{", D(1, "a_{b}", None), "}{c}$"), "\\(\\frac{{{c1::a_{b} }}}{c}\\)"),
        ((D(1, "$\\frac{a}{\\frac{b}{c}}$", None),), "{{c1::\\(\\frac{a}{\\frac{b}{c} }\\)}}"),
        ((D(1, "$$x_{y_{z}}$$", None), "."), "{{c1::\\[x_{y_{z} }\\]}}."),
        ((D(1, "std::vector", None),), "{{c1::std:<!-- -->:vector}}"),
        ((D(1, "a:", "b"),), "{{c1::a:<!-- -->::b}}"),
        ((D(1, "`{a:{b}}`", None),), "{{c1::<code>{a:{b}<!-- -->}</code>}}"),
        ((D(1, "{x}", "{y}"),), "{{c1::{x}<!-- -->::{y}<!-- -->}}"),
        ((D(1, "x", "a::b}}c $z$"),), "{{c1::x::a:<!-- -->:b}<!-- -->}c \\(z\\)}}"),
        (("$\\{a, ", D(1, "b", None), "\\}$"), "\\(\\{a, {{c1::b}}\\}\\)"),
        (("**bold ", D(1, "x", None), " bold**"), "<strong>bold {{c1::x}} bold</strong>"),
        (("**bold ", D(1, "x", None), "\nbold**"), "<strong>bold {{c1::x}}<br>\nbold</strong>"),
        ((D(1, "**x** and _y_", None),), "{{c1::<strong>x</strong> and <em>y</em>}}"),
        ((D(1, "[[A|B]]", None), " [z](https://example.org)"), '{{c1::B}} <a href="https://example.org">z</a>'),
        (("`{{c3::y}}` ", D(1, "x", None)), "<code>{<!-- -->{c3::y}}</code> {{c1::x}}"),
        (("- a ", D(1, "b", None), "\n- c"), "<ul>\n<li>a {{c1::b}}</li>\n<li>c</li>\n</ul>"),
        (
            ("|a|b|\n|-|-|\n|", D(1, "x", None), "|", D(2, "`y|z`", None), "|"),
            """<table>
<thead>
<tr>
<th>a</th>
<th>b</th>
</tr>
</thead>
<tbody>
<tr>
<td>{{c1::x}}</td>
<td>{{c2::<code>y|z</code>}}</td>
</tr>
</tbody>
</table>""",
        ),
        # what cannot be rendered as a whole is rendered piece by piece
        (("$\\frac{a", D(1, "}{b}", None), "$ c"), "$\\frac{a{{c1::}{b}<!-- -->}}$ c"),
        (("$", D(1, "x_{1", None), "}$"), "${{c1::x_{1}}}$"),
        (("**bold ", D(1, "x** y", None)), "**bold {{c1::x** y}}"),
        (("[a](https://example.org/", D(1, "x", None), ")"), "[a](https://example.org/{{c1::x}})"),
        ((D(1, 'x <b title="', None), '">y'), '{{c1::x &lt;b title="}}&quot;&gt;y'),
        (('<b title="', D(1, "x", None), '">**y**</b>'), '&lt;b title="{{c1::x}}"&gt;<strong>y</strong>'),
        (("<b>a ", D(1, "c</b> d", None)), "<b>a</b> {{c1::c d}}"),
    ],
)
def test_cloze(pieces: tuple[str | Deletion, ...], expected: str) -> None:
    assert html.render_cloze(Cloze(pieces)) == expected


@pytest.mark.parametrize(
    ("markup", "is_empty"),
    [
        ("", True),
        (" <br>\n<p>&nbsp;</p>", True),
        ("\u200b<b></b>", True),
        ("<hr>", True),
        ("x", False),
        ("&lt;", False),
    ],
)
def test_is_empty(markup: str, is_empty: bool) -> None:
    assert html.is_empty(markup) is is_empty


def test_plain_shows_what_was_written() -> None:
    assert html.plain("**a** › $x$ <b> [sound:x]") == "**a** › $x$ &lt;b&gt; [<!-- -->sound:x]"


def test_characters_that_anki_would_trip_over() -> None:
    assert html.render("a\x00b\x1fc\x02\x0e\x7fd\ud800e\x0bf\x85g") == "abcde f g"


PART = st.sampled_from(
    [
        "$x$",
        "$a_1$",
        "$",
        "$$",
        "\\",
        "\\(",
        "\\)",
        "*",
        "**",
        "_",
        "`",
        "~~",
        "==",
        "=",
        "<",
        ">",
        "&",
        "&amp;",
        "[",
        "]",
        "[[A]]",
        "|",
        "\n",
        "\n\n",
        "-",
        "1.",
        "#",
        ">",
        "!",
        "a",
        "B",
        "7",
        ".",
        ",",
        ":",
        "é",
        "लक्ष",
        "\t",
        "{{",
        "}}",
        "</div>",
        "<b>",
        "<p>",
        "<script>",
        "<!--",
        "\\[",
        "$\\frac{1}{2}$",
        "[sound:a]",
        "[latex]",
        "<a\xa0href='javascript:x'>",
        "\\href{javascript:x}",
    ]
)
TEXT = st.lists(PART | st.text(max_size=3) | st.just(" "), max_size=12).map("".join)


@given(TEXT)
@example("a_b_c $x$ 1 > 2 &c; ~ =")
@example("**a $x$ b**, *c* `d[0]**` a**b**c*d*e **f**g `$x` y$")
@example("` a` `b ` ` c ` `  ` `` **a***")
@example("` a ` b")
@example("**a** b** *c **d* `e``f` ` g` **h *i* j** ***k*** **l****m**")
def test_the_short_way_gives_what_the_parser_gives(text: str) -> None:
    short = html.render(text)
    simple, html._SIMPLE = html._SIMPLE, re.compile(r"(?!)")
    try:
        assert html.render(text) == short
    finally:
        html._SIMPLE = simple


class Checker(HTMLParser):
    """Fails on anything that could run, load or leave its place."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in html._TAGS, tag
        for name, value in attrs:
            assert name in {"href", "class", "style", "start", "colspan", "rowspan"}, name
            assert name != "href" or str(value).startswith(("http://", "https://", "mailto:")), value
            assert name != "style" or re.fullmatch(r"text-align: ?\w+;?", str(value)), value
        if tag not in {"br", "hr", "wbr"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@given(TEXT)
def test_no_text_gives_markup_that_runs_or_breaks_out(text: str) -> None:
    checker = Checker()
    checker.feed(html.render(text))
    checker.close()
    assert checker.open == []


@given(st.text())
def test_nothing_private_is_left(text: str) -> None:
    assert not re.search(r"[\x00-\x08\x0b-\x1f]", html.render(text) + html.plain(text))


@given(st.text(st.characters(categories=("L", "N")), min_size=1))
def test_words_are_kept(text: str) -> None:
    assert html.render(text) == text
