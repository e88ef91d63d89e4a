"""Pasted pages of several kinds against the notes they should become."""

from pathlib import Path

import pytest

from cards import pasted
from cards.pasted import Tidied, tidy
from cards.settings import Settings

PAGES = sorted((Path(__file__).parent / "data" / "pages").glob("*.txt"))


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_page_becomes_its_note(path: Path) -> None:
    assert pasted.is_page(read(path), Settings())
    tidied = tidy(read(path), path.name, Settings())
    assert tidied.markdown == read(path.with_suffix(".md"))
    assert "".join(f"{notice}\n" for notice in tidied.notices) == read(path.with_suffix(".notices"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_tidied_page_is_a_note_that_stays(path: Path) -> None:
    note = tidy(read(path), path.name, Settings()).markdown
    assert not pasted.is_page(note, Settings())
    notice = "lens.md: has front matter, so it is a note already; nothing was changed"
    for same in (note, note.replace("\n", "\r\n"), note.replace("\n", "\r"), f"\ufeff{note}"):
        assert tidy(same, "lens.md", Settings()) == Tidied(same, (notice,))


def test_a_note_with_schedules_stays() -> None:
    note = "What is a `Vec`?\n?\na growing array\n<!--SR:!2031-02-03,4,250-->\n\nlen :: its length <!--SR:!2031-02-05,6,250-->\n"
    notice = "x.md: has schedules, so it is a note already; nothing was changed"
    assert tidy(note, "x.md", Settings()) == Tidied(note, (notice,))


@pytest.mark.parametrize(
    "note",
    [
        "## Артикли\n\nder, die, das\nein, eine\n",
        "Clone it:\n```rust\nlet s2 = s1.clone();\n```\nNow both are valid.\n",
        "| Kasus | Maskulinum |\n| ----- | :--------- |\n| Dativ | dem        |\n",
        "Kasus | Maskulinum\n--- | ---\nDativ | dem\n",
    ],
)
def test_a_note_with_marks_that_no_page_shows_stays(note: str) -> None:
    notice = "x.md: has Markdown marks, so it is a note already; nothing was changed"
    assert tidy(note, "x.md", Settings()) == Tidied(note, (notice,))


@pytest.mark.parametrize(
    "sign", ["• bees\n• wasps", "Animals › Insects", "Tip Keep the lid closed"], ids=["bullets", "breadcrumb", "label"]
)
def test_a_page_below_a_heading_of_the_note_is_mended(sign: str) -> None:
    tidied = tidy(f"Insects\n\n## My heading\n\n{sign}\n", "x.md", Settings())
    assert tidied.markdown.startswith("---\ntitle: Insects\n")


def test_a_page_without_title_or_deck() -> None:
    page = "• bees\n• wasps\n\nTip Keep the lid closed\n\nThey sting.\n"
    assert tidy(page, "x.txt", Settings()) == Tidied(
        "---\nlang: en\nderived: true\n---\n\n- bees\n- wasps\n\n> [!tip] Keep the lid closed\n> They sting.\n",
        ("x.txt: put back 1 box, 1 list",),
    )


def test_front_matter_quotes_what_yaml_would_misread() -> None:
    assert tidy("Yes: no\n", "x.txt", Settings()).markdown.startswith("---\ntitle: 'Yes: no'\nlang: en\n")
    assert tidy("\ufeffZeit — ⏳\r\n", "x.txt", Settings()).markdown.startswith("---\ntitle: Zeit — ⏳\nlang: en\n")


def test_empty_text() -> None:
    assert tidy("", "x.txt", Settings()).markdown == "---\nlang: en\nderived: true\n---\n\n"


def test_an_answer_whose_list_begins_without_a_mark() -> None:
    page = "Bees at home\n\n#flashcards/x\n\nWhat do they eat?\n\npollen\nnectar\n\n- honey\n- water\n"
    note = "What do they eat?\n?\n- pollen\n- nectar\n- honey\n- water\n"
    assert tidy(page, "x.txt", Settings()).markdown.endswith(note)


def test_a_formula_between_lines_of_text_is_one_block() -> None:
    page = "Moments\n\nFor a density we have\n$$\nE(X) = \\int x f(x) dx,\n$$\nwhich may not exist.\nIn sums\n$$\n\\sum_n n\n$$\n"
    note = (
        "# Moments\n\nFor a density we have\n\n$$\nE(X) = \\int x f(x) dx,\n$$\n\n"
        "- which may not exist.\n- In sums\n\n$$\n\\sum_n n\n$$\n"
    )
    tidied = tidy(page, "x.txt", Settings())
    assert tidied.markdown.endswith(f"derived: true\n---\n\n{note}")
    assert tidied.notices == ("x.txt: put back 1 heading, 1 list",)


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ("Bees\n\nA\tB\n1\t2\n3\t4\n", "1 heading, 1 table"),
        ("Bees\n\nThey sting.\n\nE = a +\nb + c\n", "1 heading"),
        ("Bees\n\nhoney\nwax\n", "1 heading, 1 list"),
    ],
)
def test_only_a_list_is_told_as_one(page: str, told: str) -> None:
    assert tidy(page, "x.txt", Settings()).notices == (f"x.txt: put back {told}",)
