"""The parser of a card's Markdown: as markdown-it reads it, and never long over a text."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline

from cards import markdown

PIECES = (
    "[ ] ( ) ![ ]( [[ [[a]] * ** _ ~~ == ==a== ` `` $ \\ \\( \\) < <b> <pre> </PRE> <pre x> <!-- --> <a@b.c> &amp; a"
)
TEXTS = st.lists(st.sampled_from([*PIECES.split(), " ", "\n"]), max_size=16).map("".join)


def in_full() -> MarkdownIt:
    """The parser as markdown-it builds it: every rule is asked at every character, whatever it begins with."""
    md = markdown.parser.__wrapped__()
    md.inline = ParserInline()
    md.inline.ruler.disable("linkify")
    md.inline.ruler.before("escape", "math", markdown._math)
    md.inline.ruler.before("link", "wikilink", markdown._wikilink)
    md.inline.ruler.before("html_inline", "raw_element", markdown._raw_element)
    md.inline.ruler.before("emphasis", "highlight", markdown._highlight)
    return md


@settings(max_examples=300)
@given(TEXTS)
@example("[a](b) ![a](b 'c') [a] ![a]")
@example("a <PRE>*b*</pre> <code></pre>")
def test_the_rules_that_a_character_allows_are_all_that_hold_there(text):
    assert markdown.parser().parse(text) == in_full().parse(text)


@pytest.fixture
def steps(steps_of):
    """The steps of parsing the text of a card, with a parser that is there already."""
    markdown.parser()
    return lambda text: steps_of(lambda: markdown.parse(text, inline=True))


@pytest.mark.parametrize("piece", ["[a](", "[a][", "==a ", "*_", "**a*", "`a", "<pre>", "&a"])
def test_marks_without_a_partner_take_steps_by_their_number(piece, steps):
    assert steps(piece * 400) <= 2.1 * steps(piece * 200)


@pytest.mark.parametrize("piece", ["[", "![", "![_{", "[[", "[!", "[*", "(["])
def test_a_label_that_no_target_can_follow_is_not_read(piece, steps):
    text = piece * 400 + "]"
    assert steps(text) <= 200 * len(text)


class Searched(str):
    """Counts the characters that are looked at for an end."""

    __slots__ = ("passed",)

    def find(self, wanted, start=0, end=None):
        end = len(self) if end is None else end
        found = str.find(self, wanted, start, end)
        self.passed += (end if found < 0 else found) - start
        return found


@pytest.mark.parametrize("opening", ["\\(", "\\["])
def test_formulas_that_never_close_are_not_sought_each_to_the_end(opening):
    text = Searched("a " + opening * 1_000)
    text.passed = 0
    tokens = markdown.parser().inline.parse(text, markdown.parser(), {}, [])
    assert [token.content for token in tokens if token.type.startswith("math")] == []
    assert text.passed <= len(text)


def test_elements_that_never_close_are_not_sought_each_to_the_end(monkeypatch):
    asked = []
    real = markdown._RAW_END

    class Ends:
        def finditer(self, *where):
            asked.append(where)
            return real.finditer(*where)

    monkeypatch.setattr(markdown, "_RAW_END", Ends())
    (token,) = markdown.parse("<pre>" * 100 + "</code>", inline=True)
    assert token.children[0].content == "<pre>"
    assert len(asked) == 1
