"""Front matter: each key in each notation, each broken value told at its key, and nothing that can hang or crash."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.front_matter import FrontMatter, read
from cards.model import Language, Place, Problem


def front_matter(text: str) -> tuple[FrontMatter, tuple[Problem, ...]]:
    return read(f"---\n{text}\n---\nbody".split("\n"), "n.md")


def unreadable(line: int, column: int, key: str) -> Problem:
    return Problem(Place("n.md", line, column), "bad-front-matter", f"front matter: cannot read {key}")


def test_the_lines_it_takes() -> None:
    assert read(["---", "a: b", "---", "text", "---"], "n.md") == (FrontMatter(line_count=3), ())
    assert read(["---", "---"], "n.md") == (FrontMatter(line_count=2), ())
    assert read(["--- \t", "---\u00a0", "text"], "n.md") == (FrontMatter(line_count=2), ())


@pytest.mark.parametrize(
    "lines", [[], [""], ["text"], ["---"], ["", "---", "a: b", "---"], [" ---", "a: b", "---"], ["----", "a: b", "---"]]
)
def test_a_note_without_front_matter(lines: list[str]) -> None:
    assert read(lines, "n.md") == (FrontMatter(line_count=0), ())


def test_front_matter_that_is_never_closed_is_text() -> None:
    problem = Problem(
        Place("n.md", 1, 1), "unclosed-front-matter", 'front matter has no closing "---"; it was read as text'
    )
    assert read(["---", "tags: x", "text"], "n.md") == (FrontMatter(), (problem,))
    assert read(["---", "tags: x", " ---"], "n.md") == (FrontMatter(), (problem,))
    for rule in (["---", "", "a: b"], ["---", "a sentence"], ["---", "at 10:30 we met"]):
        assert read(rule, "n.md") == (FrontMatter(), ())


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("tags: [flashcards/terms, flashcards/finance]", ("flashcards/terms", "flashcards/finance")),
        ("tags: flashcards/terms, flashcards/finance", ("flashcards/terms", "flashcards/finance")),
        ("tags: a b,c", ("a", "b", "c")),
        ("tags:\n  - flashcards/med/heart-block\n  - Année_1", ("flashcards/med/heart-block", "Année_1")),
        ("tags:\n- a\n- b", ("a", "b")),
        ("tags: [\na,\n  b\n]", ("a", "b")),
        ("tags:\t[a,\tb]\t", ("a", "b")),
        ("tags:\t\n  -\ta\t\n  - b", ("a", "b")),
        ("tag: a", ("a",)),
        ("TAGS: a\ntag: b, a", ("a", "b")),
        ("'tags': 'a'", ("a",)),
        ("tags : a", ("a",)),
        (" tags: a\n title: b", ("a",)),
        ("\n  \n tags: a", ("a",)),
        ("# b\n tags: a", ("a",)),
        ("\n# b\n{tags: a}", ("a",)),
        ("- title: b\n- tags:\n# x\n    - a", ("a",)),
        ("tags: 2024", ("2024",)),
        ("tags: [on, null, 1.50, 2031-01-01]", ("on", "1.50", "2031-01-01")),
        ("tags: |\n  a\n  b", ("a", "b")),
        ("tags:", ()),
        ("tags: ~", ()),
        ("tags: []", ()),
        ("tags:\n  -", ()),
        ("tags: 'null'", ("null",)),
        ('{ "tags": ["a", "#b"], "x": {"tags": 1} }', ("a", "b")),
    ],
)
def test_tags(text: str, tags: tuple[str, ...]) -> None:
    matter, problems = front_matter(text)
    assert (matter.tags, problems) == (tags, ())


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("tags: #a", ("a",)),
        ("tags: #a #b", ("a", "b")),
        ("tags: a, #b", ("a", "b")),
        ('tags: "#a, #b"', ("a", "b")),
        ("tags: [#a, '#b', c]", ("a", "b", "c")),
        ("tags:\n  - #a\n  - '#b'", ("a", "b")),
        ("tags:\n  #a\n  #b", ("a", "b")),
        ("tags:\n#a", ("a",)),
        ("tags: ##a", ("a",)),
        ("tags: a # a comment", ("a",)),
        ("tags: [a, b] #old", ("a", "b")),
        ("tags:\n  - a # a comment\n  # more\n  #more\n  - b", ("a", "b")),
        ("tags: a\n  #b", ("a",)),
        ("#tags: a\ntags: b\n#title: c", ("b",)),
    ],
)
def test_a_hash_before_a_tag_is_no_comment(text: str, tags: tuple[str, ...]) -> None:
    matter, problems = front_matter(text)
    assert (matter.tags, problems) == (tags, ())


@pytest.mark.parametrize(
    ("text", "matter"),
    [
        ("lang: en", FrontMatter(language=Language.EN)),
        ("language: Hinglish", FrontMatter(language=Language.HINGLISH)),
        ("Lang: hi", FrontMatter(language=Language.HINGLISH)),
        ("lang: en-GB", FrontMatter(language=Language.EN)),
        ("title: Multi-head attention — notes", FrontMatter(title="Multi-head attention — notes")),
        ("title: 'a: b'", FrontMatter(title="a: b")),
        ("title: 2031-01-01", FrontMatter(title="2031-01-01")),
        ("title: yes", FrontMatter(title="yes")),
        ("title: >\n  two\n  lines", FrontMatter(title="two lines")),
        ("title:", FrontMatter()),
        ("twin: ../x y.md", FrontMatter(twin="../x y.md")),
        ("derived: true", FrontMatter(derived=True)),
        ("derived: False", FrontMatter(derived=False)),
        ("derived: on", FrontMatter(derived=True)),
        ("cloze: false", FrontMatter(cloze=False)),
        ("cloze: true", FrontMatter(cloze=True)),
        ("deck: obsidian::topic\nsource:: none", FrontMatter()),
        ("x: {a: [b, {title: no}]}\n  title: no", FrontMatter()),
    ],
)
def test_the_other_keys(text: str, matter: FrontMatter) -> None:
    found, problems = front_matter(text)
    line_count = text.count("\n") + 3
    assert (found, problems) == (FrontMatter(line_count, *_fields(matter)), ())


def _fields(matter: FrontMatter) -> tuple[object, ...]:
    return (matter.tags, matter.language, matter.title, matter.twin, matter.derived, matter.cloze)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("lang: de", "lang"),
        ("Language: [en]", "Language"),
        ("title: a: b", "title"),
        ("title: {{title}}", "title"),
        ("title: [a]", "title"),
        ('title: "open', "title"),
        ("twin: {a: b}", "twin"),
        ("derived: maybe", "derived"),
        ("cloze: 0", "cloze"),
        ("tags: [[a, b]]", "tags"),
        ("tags: {a: b}", "tags"),
        ("tags:\n  - a: b", "tags"),
        ("tags: [a", "tags"),
        ("tags: *other", "tags"),
        ("tags: [*other]", "tags"),
        ("tags:\n\t- a", "tags"),
        ('title: "\\UFFFFFFFF"', "title"),
        ('title: "\\ud800"', "title"),
        ("title: \x07", "title"),
        ("title: " + "x" * 20_001, "title"),
        ("tags: " + "[" * 5000 + "]" * 5000, "tags"),
    ],
)
def test_a_value_that_cannot_be_read_spoils_no_other(text: str, key: str) -> None:
    matter, problems = front_matter(f"tag: kept\n  \n{text}\nx: y")
    assert problems == (unreadable(4, 1, key),)
    assert matter == FrontMatter(text.count("\n") + 6, tags=("kept",))


def test_a_key_given_twice_is_read_once() -> None:
    matter, problems = front_matter("title: one\n  \nTitle: two")
    assert (matter.title, problems) == ("one", (unreadable(4, 1, "Title"),))


def test_an_object_that_cannot_be_read() -> None:
    assert front_matter(' { "tags": [a }') == (FrontMatter(line_count=3), (unreadable(2, 2, "the object"),))


def test_an_object_with_a_list_for_a_key() -> None:
    assert front_matter("{[a]: b, tags: c}") == (FrontMatter(line_count=3), (unreadable(2, 1, "the object"),))


def test_the_place_of_a_key_in_an_object() -> None:
    assert front_matter('{\n  "x": 1, "lang": "de"}')[1] == (unreadable(3, 11, "lang"),)


def test_broken_unknown_keys_are_no_matter() -> None:
    for broken in ("w: @", "w: {{date}}\nx: *y\nz: 'open", "w: a: b", "w: [a", "w:\n\tindented: e", "w w: {"):
        for text in (f"{broken}\ntags: a", f"tags: a\n{broken}"):
            matter, problems = front_matter(text)
            assert (matter.tags, problems) == (("a",), ())


@pytest.mark.parametrize(
    "text",
    [
        "x: " + "[" * 300_000,
        "tags: " + "[" * 19_000,
        "tags: [" + "a, " * 6_000 + "]",
        "x: &a [b]\n" + "y: [*a, *a, *a]\n" * 20_000,
        "tags: a\n" * 20_000,
        "#" * 300_000,
        "a: b\n" * 60_000,
        "'" * 300_000,
        "tags: '" + "''" * 9_000,
        "{" * 300_000,
    ],
)
def test_long_and_nested_values_take_no_long_time(text: str) -> None:
    start = time.process_time()
    front_matter(text)
    assert time.process_time() - start < 5


@given(st.text(st.sampled_from("tagsl:#-[]{},'\"&*!|>%@`? \t\n\\uxié\u2028\x00")))
def test_no_text_makes_it_fail(text: str) -> None:
    lines = f"---\n{text}\n---".split("\n")
    matter, problems = read(lines, "n.md")
    assert 2 <= matter.line_count <= len(lines)
    assert all(tag and not tag.startswith("#") and not any(map(str.isspace, tag)) for tag in matter.tags)
    assert all(1 < problem.place.line < matter.line_count for problem in problems)
