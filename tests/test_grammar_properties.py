"""What must hold for every note, however odd: nothing lost, nothing counted twice, every place where it says."""

import importlib.util
from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate, pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.rules_block import StateBlock, blockquote

from cards import grammar
from cards.blocks import BlockParser, enter_quote
from cards.collection import read
from cards.flashcards import read_note
from cards.inline_cards import parted_lines
from cards.marks import signs_of
from cards.model import Cloze, Problem
from cards.outline import Code, Outline, Separator, walk
from cards.running_text import Marks, NoteState, Reading
from cards.separators import separator_lines
from cards.settings import Settings
from cards.source import Source

NOTE = Settings(deck_tags=("",))
WORDS = ("a", "Q", "x y", "`c::d`", "`", "``", "$e$", "$", "$$", "\\(f\\)", "\\(", "[[g::h]]", "[[", "[i](j)", "[")
MARKS = (" :: ", "::", ":::", "::::", " ?? ", "==k==", "==", "\\::", "{{c1::l}}", "{{", "}}", "**m**", ":n::o:", "|")
HIDING = ("<!-- p -->", "<!--", "-->", "%%", "%% q %%", "<b>", "<pre>", "</pre>", "http://r/s::t", "key:: v", "^id-1")
ODD = ("\u2028", "\x0c", "\x00", "\u00a0", "\x85", "\x0b", "é", "e\u0301", "猫", "\t", "  ", "\\", "：：", "\ud7ff")
INLINE = st.lists(st.sampled_from(WORDS + MARKS + HIDING + ODD), min_size=1, max_size=6).map("".join)
STARTS = (
    "",
    "",
    "",
    "- ",
    "* ",
    "  - ",
    "1. ",
    "  ",
    "    ",
    "\t",
    "\t- ",
    "> ",
    "> > ",
    "> - ",
    "## ",
    "- [ ] ",
    "• ",
)
WHOLE = (
    *(
        "",
        "",
        "?",
        "?",
        "??",
        "  ?",
        "> ?",
        "- ?",
        "```",
        "  ```",
        "> ```",
        "~~~",
        "$$",
        "  $$",
        "---",
        "===",
        "-",
        ">",
    ),
    *("#flashcards/x", "| a | b::c |", "|---|---|", "> [!note] t", "<!--", "-->", "%%", "+++", "^id-2", "#t :: u"),
    *("<!--SR:!2031-01-02,3,250-->", "> [!sr|card-metadata]", "Q: a", "A: b", "key:: v", "[a]: b::c", "\\n?\\n"),
    *("  1) x :: y", "10. a", "+ [x] b ::: c", "- - ?", "> 1. ?", ">> d :: e", ">", "|", "x|y", "-|-", "a | b\\|::c |"),
    *(
        "[^1]: a :: b",
        "a[^1] :: b",
        "</pre>",
        "<code>",
        "<br>",
        "&nbsp; :: &amp;",
        "\u200b?",
        "\ufeff?",
        "？",
        "क :: ख",
    ),
    *(
        "\u202ea :: b",
        "\u3000?",
        "***",
        "- ---",
        "#",
        "#### a :: b ####",
        "<!--a--> ? <!--b-->",
        "%% c %% ?",
        "\\[",
        "\\]",
    ),
)
LINE = st.one_of(st.builds(str.__add__, st.sampled_from(STARTS), INLINE), st.sampled_from(WHOLE))
NOTES = st.lists(LINE, max_size=14).map("\n".join)
COMMON = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def about_separators(problem: Problem) -> bool:
    """Whether the problem is the one word about its separator; the second `?` of an answer has a card too."""
    return problem.code in ("no-front", "no-back") or (
        problem.code == "extra-separator" and "in this line" in problem.message
    )


@COMMON
@given(NOTES)
def test_every_separator_is_that_of_one_card_or_of_one_problem(text):
    found = read_note(text, "n.md", NOTE)
    sheet = found.sheet
    _, fields = parted_lines(sheet)
    in_fields = {line.number for line in fields}
    inline = [
        mark
        for each in sheet.outline.texts
        for mark in each.marks
        if isinstance(mark, Separator) and sheet.source.line_of(mark.start) not in in_fields
    ]
    separators, alone = separator_lines(sheet)
    texts = [line for line in sheet.lines if line.text is not None and line.kind == "text"]
    assert {line.number for line in texts if sheet.shown(line).strip() in ("?", "??")} <= {*separators, *alone}
    cards = [card for card in found.cards if not isinstance(card.content, Cloze)]
    told = [problem for problem in found.problems if about_separators(problem)]
    assert len(inline) + len(separators) == len(cards) + len(told)
    assert len({problem.place for problem in told}) == len(told)


@COMMON
@given(NOTES)
def test_every_place_is_that_of_what_it_names(text):
    found = read_note(text, "n.md", NOTE)
    lines = text.split("\n")
    for problem in found.problems:
        rest = lines[problem.place.line - 1][problem.place.column - 1 :]
        if problem.code in ("no-front", "no-back", "extra-separator", "unclosed-cloze"):
            assert rest.startswith(problem.message.split('"')[1]), problem
        if problem.code in ("stray-schedule", "bad-schedule", "unclosed-comment"):
            assert rest.startswith("<!--"), problem
    for card in found.cards:
        rest = lines[card.place.line - 1][card.place.column - 1 :]
        assert rest.strip(), card
        if not isinstance(card.content, Cloze):
            assert rest[0] in (card.content.front[0], "#", "\\", "<", "%"), card  # tags, TeX and comments are taken off


@COMMON
@given(NOTES)
@example("Q\n?\na :: b ^id-1")
def test_a_block_id_is_that_of_one_card(text):
    found = read_note(text, "n.md", NOTE)
    assert len([card for card in found.cards if card.block_id]) <= len(found.sheet.ids)


@COMMON
@given(NOTES)
def test_line_ends_and_a_byte_order_mark_change_nothing(text):
    one, two, three = (read_note(text.replace("\n", end), "n.md", NOTE) for end in ("\n", "\r\n", "\r"))
    assert one.cards == two.cards == three.cards
    assert one.problems == two.problems == three.problems


@COMMON
@given(NOTES)
def test_every_line_is_in_its_place_in_the_outline(text):
    """No line is in two blocks, and none with text is in none of them."""
    assume(not text.startswith("---"))  # front matter is in no block
    found = read_note(text, "n.md", NOTE)
    lines = found.sheet.lines
    for line in lines:
        assert found.sheet.outline.source.starts[line.number] <= line.start <= line.end
        if line.kind == "blank":
            assert not found.sheet.outline.source.lines[line.number].strip(
                " \t>•◦▪‣-*+0123456789.)[]x\u00a0\u2028\x0b\x0c\x85"
            )
    numbers = [part.number for text in found.sheet.outline.texts for part in text.lines]
    numbers += [
        number
        for block in walk(found.sheet.outline.blocks)
        if isinstance(block, Code)
        for number in range(block.first, block.last + 1)
    ]
    assert len(numbers) == len(set(numbers))


@COMMON
@given(NOTES)
def test_marks_come_in_order_and_do_not_overlap(text):
    for each in read_note(text, "n.md", NOTE).sheet.outline.texts:
        ends = [(mark.start, getattr(mark, "end", mark.start)) for mark in each.marks]
        assert all(before[1] <= after[0] or before == after for before, after in pairwise(ends)), each


@COMMON
@given(st.text(st.sampled_from("ab :?=`$[](){}<>!-*#|\\\n\r\t%&^\"'1.~+_\x00\u2028•"), max_size=120))
def test_no_text_is_too_odd(text):
    read_note(text, "n.md", NOTE)
    read_note(f"#flashcards\n\n{text}", "n.md", Settings())


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_are_too_odd(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("notes") / "n.md"
    path.write_bytes(content)
    assert all(problem.place.line >= 1 and problem.place.column >= 1 for problem in read([path]).problems)


PROTECTED = (
    *("`a::b`", "``a ` ::b``", "$a::b$", "$$a :: b$$", "\\(a::b\\)", "\\[a::b\\]", "<!-- a::b -->", "%% a::b %%"),
    *("[[a::b]]", "![[a::b]]", "[a::b](c)", "[a](b::c)", "[a::b][c]", "[^a::b]", "<http://a::b>", "<i title='a::b'>"),
    *(
        "http://a::b",
        "[k:: v]",
        "(k:: v)",
        "\\::",
        "\\:::",
        "==a::b==",
        "{{c1::a::b}}",
        "<code>a::b</code>",
        " :a::b: ",
    ),
)


@pytest.mark.parametrize("protected", PROTECTED)
@pytest.mark.parametrize("mark", ["- ", "> ", "## ", "> - [ ] ", ""])
def test_protected_text_parts_nothing_and_is_kept(protected, mark):
    found = read_note(f"{mark}x{protected} y :: z {protected} w", "n.md", NOTE)
    assert found.problems == ()
    (card,) = found.cards
    shown = "" if protected[0] in "<%" and protected[1] in "!%" else protected
    shown = shown.replace("\\(", "$").replace("\\)", "$").replace("\\[", "$$").replace("\\]", "$$").strip()
    joined = protected if protected[:2] in ("\\(", "\\[") else shown  # brackets that are joined to a word stay
    assert joined in card.content.front
    assert shown in card.content.back
    assert card.content.front.startswith("x")
    assert card.content.front.endswith("y")


def in_full(text: str, *, own_loop: bool) -> Outline:
    """The outline as markdown-it's ruler gives it: every rule is asked at every line, whatever it begins with.

    `own_loop`: markdown-it goes from block to block too; it knows no titles of callouts.
    """
    ruler = grammar._parser().block.ruler
    chains = grammar._rules(frozenset(), pipes=True)
    rules = {chain: dict.fromkeys(("", *text), tuple(ruler.getRules(chain))) for chain in chains}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grammar, "_rules", lambda plain, *, pipes: rules)
        if own_loop:
            patch.setattr(BlockParser, "tokenize", ParserBlock.tokenize)
        return grammar.outline(Source("n.md", text), NOTE)


@settings(COMMON, max_examples=200)
@given(NOTES | st.text(st.sampled_from("a1 \t\n-*_+#>|`~.):=•$<!\u00a0"), max_size=80))
def test_the_rules_that_a_first_character_allows_are_all_that_hold_there(text):
    found = grammar.outline(Source("n.md", text), NOTE)
    assert in_full(text, own_loop=False) == found
    if ">" not in text:
        assert in_full(text, own_loop=True) == found


def outlined_with(text: str, room: object, name: str, slow: Callable[..., object]) -> Outline:
    """The outline where a quick way gives place to a slow one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, name, slow)
        return grammar.outline(Source("n.md", text), NOTE)


@settings(COMMON, max_examples=200)
@given(st.text(st.sampled_from("ab==  ;\n\t(*|-\u2028"), max_size=30).map("==a== {}".format))
@example("==a====b==")
@example("==a;;b==")
@example("==a == b")
@example("==a==\n== b==")
@example("- ==a\n  b== c\n  ==d==")
def test_highlights_without_other_marks_are_what_the_inline_rules_find(text):
    by_rules = outlined_with(text, grammar.marks, "signs_of", lambda it: replace(signs_of(it), highlights=None))
    assert by_rules == grammar.outline(Source("n.md", text), NOTE)


def state_of(text: str) -> NoteState:
    lines = text.split("\n")
    begins = list(accumulate((len(line) + 1 for line in lines), initial=0))
    reading = Reading(Source("n.md", text), list(range(len(lines))), begins, {"blockquote": {"": ()}}, signs_of(NOTE))
    return NoteState(lines, reading, MarkdownIt("zero"), {})


def marks_of(state: StateBlock) -> tuple[list[int], ...]:
    return tuple(list(marks) for marks in (state.bMarks, state.eMarks, state.tShift, state.sCount, state.bsCount))


@settings(COMMON, max_examples=200)
@given(NOTES | st.text(st.sampled_from("a \t\n>\u00a0"), max_size=40))
def test_lines_begin_and_end_where_markdown_it_sees_it(text):
    theirs = StateBlock(text, MarkdownIt("zero"), {}, [])
    assert marks_of(state_of(text)) == marks_of(theirs)
    assert state_of(text).lineMax == theirs.lineMax


class Seen(ParserBlock):
    """Keeps what a quote is inside, instead of reading it."""

    def tokenize(self, state: StateBlock, start: int, end: int) -> None:
        self.end, self.marks = end, marks_of(state)


@settings(COMMON, max_examples=200)
@given(st.text(st.sampled_from("a \t\n>"), max_size=40))
def test_a_quote_is_inside_what_markdown_it_sees(text):
    text = ">" + text
    md = MarkdownIt("zero")
    md.block = Seen()
    theirs = StateBlock(text, md, {}, [])
    assert blockquote(theirs, 0, theirs.lineMax, False)
    ours = state_of(text)
    end = enter_quote(ours, 0, ours.lineMax)
    assert (end, marks_of(ours)) == (md.block.end, md.block.marks)
    before = marks_of(state_of(text))
    ours.leave()
    assert marks_of(ours) == before


def seen_anew(state: NoteState) -> Marks:
    return Marks([*state.bMarks], [*state.tShift], [*state.sCount], [*state.bsCount])


BEFORE = ("", "> ", ">", "> > ", "> \t", "- ", "1. ", "- > ", "> - ", "  ", "    ", "\t")
QUOTED = ("a", "```", "~~~", "# h", "---", "", "-", "[!n] t", "a|b", "-|-", "<!-- b", "c -->", "$$ x", "y $$")


@settings(COMMON, max_examples=100)
@given(st.lists(st.builds("{}{}{}".format, *map(st.sampled_from, (BEFORE, BEFORE, QUOTED))), max_size=9).map("\n".join))
@example("-\n1. > \t    d\na|b\n-|-\n   >$$ x\n> > -\n<!-- b\n    - ")
@example("- > > ```\nc\n   > > d\n> > e")
@example("- > > > - ~~~\nc -->\n   > - >    d\n><!-- b\n  > \ty $$\n>-    ~~~\n   a|b\n    c -->\n  - > a|b")
@example("  > - \t- e\n- > > > \t# h\n   - \t~~~\n   ~~~\n>\t> > <!-- b\n>    > - c -->\n  > - > > <!-- b\n$$ x")
def test_quotes_that_begin_in_lines_of_another_see_them_as_if_anew(text):
    assert outlined_with(text, NoteState, "inner", seen_anew) == grammar.outline(Source("n.md", text), NOTE)


def nasty_texts() -> dict[str, str]:
    path = Path(__file__).parents[1] / "benchmarks" / "reading.py"
    spec = importlib.util.spec_from_file_location("reading_benchmark", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.NASTY


@pytest.fixture
def steps(steps_of):
    """The steps of reading a note."""
    return lambda text: steps_of(lambda: read_note(text, "n.md", NOTE))


@pytest.mark.parametrize("name", nasty_texts())
def test_twice_the_text_takes_no_more_than_twice_the_steps(name, steps):
    text = nasty_texts()[name]
    short, long = text[:1_500], text[:3_000]
    assert steps(long) <= 2.5 * steps(short) + 3_000


def test_each_line_looks_only_at_the_comments_near_it(steps):
    text = nasty_texts()["schedules"]
    assert steps(text[:16_000]) <= 2.2 * steps(text[:8_000])
