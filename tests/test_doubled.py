"""Formulas that a page shows in three forms, one behind the other, and the form that is kept."""

import pytest

from cards import doubled, formulas, pasted
from cards.settings import Settings

Z = doubled.INVISIBLE


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("E=mc2E=mc^2", "E=mc^2"),
        ("Q=XWQQ = XW_QQ=XWQ", "Q = XW_Q"),
        (f"dkd_kdk{Z}", "d_k"),
        (r"θ\thetaθ", r"\theta"),
        (rf"θi\theta_iθi{Z}", r"\theta_i"),
        (r"(n,dk)(n, d_k)(n,dk)", "(n, d_k)"),
        (r"γ,β\gamma, \betaγ,β", r"\gamma, \beta"),
        (r"log⁡n\log nlogn", r"\log n"),
        (r"x∈Rnx \in \mathbb{R}^nx∈Rn", r"x \in \mathbb{R}^n"),
        (rf"Mij=−∞M_{{ij}} = -\inftyMij{Z}=−∞", r"M_{ij} = -\infty"),
        (rf"1dk\frac{{1}}{{\sqrt{{d_k}}}}dk{Z}{Z}1{Z}", r"\frac{1}{\sqrt{d_k}}"),
        (
            rf"A=softmax(QKTdk)VA = \text{{softmax}}\left(\frac{{QK^T}}{{\sqrt{{d_k}}}}\right)VA=softmax(dk{Z}QKT{Z})V",
            r"A = \text{softmax}\left(\frac{QK^T}{\sqrt{d_k}}\right)V",
        ),
    ],
)
def test_the_written_form_is_kept(text: str, kept: str) -> None:
    span = doubled.said_twice(text)
    assert span is not None
    assert text[slice(*span)] == kept
    assert formulas.is_mathematics(text)


@pytest.mark.parametrize(
    "text",
    [
        "bonbonbon",
        "nnn",
        "d_k",
        "dkd_kdq",
        r"dk\sqrt{d_k}",
        r"\alpha\beta\gamma",
        r"ab\text{a}b\text{ab}",
        "x_1 x_1 x_1",
        "{a}{b}{c}",
        r"n\frac{n",
        r"n\frac{nn",
        r"n\times n\times n",
        r"2 \times 2 \times 2",
        r"-|x|\leq x\leq|x|",
        r"-|x|\leq x\leq |x|",
        r"||a|-|b||\leq |a\pm b|\leq |a|+|b|",
        r"|x|\cdot|x|\cdot|x|",
        r"a,\ldots,a,\ldots,a",
        r"d x\, d x\, d x",
        r"x\alpha x\alpha x",
        r"z\bar z z",
        r"|\lambda|",
        r'"\alpha"',
    ],
)
def test_what_stands_there_once(text: str) -> None:
    assert doubled.said_twice(text) is None


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("the width dkd_kdk of a head", "the width $d_k$ of a head"),
        (f"(see dk\\sqrt{{d_k}}dk{Z}{Z}).", "(see $\\sqrt{d_k}$)."),
        (f"with O(n2)O(n^2)O(n2), and WQW^QWQ{Z}", "with $O(n^2)$, and $W^Q$"),
        (r"S∈Rn×nS \in \mathbb{R}^{n \times n}S∈Rn×n holds", r"$S \in \mathbb{R}^{n \times n}$ holds"),
        (f"for j>ij > ij>i, where kik_iki{Z}", "for $j>i$, where $k_i$"),
        (f"$n$ rows of dkd_kdk{Z}", "$n$ rows of $d_k$"),
        ("a $dkd_kdk$ in one", "a $d_k$ in one"),
        ("my_name, xyx_yz and a^b", "my_name, xyx_yz and a^b"),
        ("www and nnn", "www and nnn"),
    ],
)
def test_formulas_within_a_sentence(line: str, written: str) -> None:
    page = pasted.convert(f"Heads\n\nIt is\n{line}\n\n• x\n", "x.txt", Settings())
    assert page.markdown == f"# Heads\n\nIt is\n{written}\n\n- x\n"


def test_letters_of_a_page_that_doubles() -> None:
    page = pasted.convert(f"Heads\n\nFor iii of NNN, www.x.org, III, iiii\n\ndkd_kdk{Z}\n", "x.txt", Settings())
    assert page.markdown == "# Heads\n\nFor $i$ of $N$, www.x.org, III, iiii\n\n$$d_k$$\n"
    assert [str(problem) for problem in page.problems] == [
        "x.txt:5:1: a formula stood here twice and was written once; please check it"
    ]
    assert page.put_back == (("formula", 2), ("heading", 1))


@pytest.mark.parametrize(
    "line",
    [
        *(f"x{sign}yx{sign}y" for sign in "=<>≤≥≈"),
        "n{n}n",
        r"θ\thetaθ",
        "dkd_kdk",
        "x2x^2x2",
        f"so nn{Z}n is",
        "$x=yx=y$",
    ],
)
def test_each_formula_that_stood_twice_is_told(line: str) -> None:
    (problem,) = pasted.convert(f"Heads and Tails\n\n{line}\n\nThat is all of it.\n", "x.txt", Settings()).problems
    assert problem.place.line == 3
    assert problem.message == "a formula stood here twice and was written once; please check it"
