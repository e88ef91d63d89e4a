"""Formulas as terminal text: a table of what they shall look like, and laws that hold for all of them."""

import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mha_quiz import tex_signs
from mha_quiz.mathtext import math_text
from mha_quiz.plaintext import ascii_text

TABLE = (Path(__file__).parent / "data" / "mathtext.txt").read_text(encoding="utf-8")
ROWS = [line.split(" ==> ") for line in TABLE.split("\n") if line]
ON_LINE = {
    glyph: letter
    for table in (tex_signs.SUBSCRIPTS, tex_signs.SUPERSCRIPTS, tex_signs.BLACKBOARD)
    for letter, glyph in table.items()
    if letter.isalnum()
} | {"∛": "3", "∜": "4"}

LETTERS = st.text(alphabet="abdijkmnqxQKVWT0123456789", min_size=1, max_size=4)
SIGNS = st.sampled_from(
    [*"+-=<>()[],.|/!~' ", "\n", r"\cdot ", r"\times ", r"\le ", r"\infty ", r"\sum ", r"\to ", "≤", "−"]
)


def compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def filled(pattern: str) -> st.SearchStrategy[str]:
        parts = pattern.split("#")
        return st.tuples(*[inner] * (len(parts) - 1)).map(
            lambda inside: parts[0] + "".join(a + b for a, b in zip(inside, parts[1:], strict=True))
        )

    patterns = [
        "{#}", "a_{#}", "x^{#}", r"\frac{#}{#}", r"\sqrt{#}", r"\sqrt[3]{#}", r"\sqrt[n]{#}", r"\mathbf{#}", r"\mathbb{#}",
        r"\hat{#}", r"\left(#\right)", r"\unknown{#}", r"\begin{bmatrix}# & #\\ #\end{bmatrix}", r"\binom{#}{#}",
        r"\begin{cases}# & #\\ # & #\end{cases}", r"\begin{aligned}# &= #\\ #\end{aligned}", "#_#", "#^#", r"\underbrace{#}_{#}",
    ]  # fmt: skip
    return st.one_of(st.lists(inner, min_size=1, max_size=4).map("".join), *map(filled, patterns))


FORMULAS = st.recursive(
    st.one_of(LETTERS, SIGNS, LETTERS.map(lambda word: rf"\text{{{word} of it}}")), compound, max_leaves=12
)


def alphanumerics(tex: str) -> str:
    """The letters and digits of the source, without the names of commands and environments."""
    letters, at = "", 0
    while at < len(tex):
        if tex[at] == "\\":
            at += 1
            name_end = at
            while name_end < len(tex) and tex[name_end].isascii() and tex[name_end].isalpha():
                name_end += 1
            name, at = tex[at:name_end], max(name_end, at + 1)
            if name in ("begin", "end") and tex[at : at + 1] == "{":
                at = tex.index("}", at)
            continue
        letters += tex[at] if tex[at].isalnum() else ""
        at += 1
    return letters


def holds_in_order(needles: str, text: str) -> bool:
    rest = iter(text)
    return all(any(needle in (sign, ON_LINE.get(sign)) for sign in rest) for needle in needles)


@pytest.mark.parametrize(("tex", "shown"), ROWS, ids=[row[0] for row in ROWS])
def test_table(tex: str, shown: str) -> None:
    assert math_text(tex) == shown


@given(FORMULAS)
@example(r"\frac{a}b c")
@example("x_ab")
@example(r"\sqrt[3]{3}3")
def test_nothing_is_lost_or_moved_and_one_line_comes_out(tex: str) -> None:
    shown = math_text(tex)
    assert holds_in_order(alphanumerics(tex), shown), shown
    assert "\n" not in shown
    assert all(unicodedata.east_asian_width(sign) not in "WF" and not unicodedata.combining(sign) for sign in shown)
    assert ascii_text(shown).isascii()


@given(st.text(alphabet=r"\{}[]_^&'~$% ,.-+=abQ1₂é" + "\n", max_size=40))
@example("\\" * 3)
@example("{" * 5000)
@example(r"\left" * 3000)
@example("x_" * 5000)
@example("\\text{a}\r\n")
def test_any_text_gives_one_line_with_all_its_letters(tex: str) -> None:
    shown = math_text(tex)
    assert "\n" not in shown
    assert holds_in_order(alphanumerics(tex), shown), shown


def test_words_that_touch_stay_apart() -> None:
    assert math_text(r"\text{if}\text{then}") == "if then"
    assert math_text(r"d_{\text{model}}n") == "d_model n"
    assert math_text(r"\max x") == "max x"


def test_no_sign_of_the_tables_becomes_an_escape_in_ascii() -> None:
    tables = (
        tex_signs.RELATIONS,
        tex_signs.BINARY,
        tex_signs.LARGE,
        tex_signs.OPENING,
        tex_signs.CLOSING,
        tex_signs.ORDINARY,
    )
    escaped = {sign for table in tables for sign in table.values() if re.search(r"\\u[0-9a-f]{4}", ascii_text(sign))}
    assert escaped == set()
