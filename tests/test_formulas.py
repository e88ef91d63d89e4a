"""Formulas: where they stand, one spelling for comparing, and bare mathematics told from text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards import formulas

MATHEMATICS = r"""
F = m g sinθ
h
x'
10 × 64
(n, 3)
d_{k}
\theta
E = m c^2
F = m a
\frac{a}{b}
n < 3
a → b
$d$
$$d$$
Speed (v) = \text{way per time} / t
Attention (Q, K)_{i}
\operatorname{argmax}_j a_j
"""
TEXT = """
==Group==
- ==Map==
==x = y==
hum
n is 3
E = m c^2.
a + b?
Is n < 3
speed = way / t hai
input/output
x ke liye y = 1
$a$ $b$
$a
2 bees
===
->
5 :
the n_{1}
()
A, Bc
x_{1} equals
"""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"$d_{\text{model}}$", "d_{model}"),
        (r"\mathrm{d}_k", "d _{ k }"),
        (r"\operatorname{softmax}\left(\frac{a}{b}\right)", r"softmax (\frac{a}{b})"),
        (r"W \in \mathbb{R}^{n}", r"W\in R^n"),
        (r"a, \quad b\,c", "a,bc"),
        (r"x_1, \ldots, x_n", r"x_{1},\dots ,x_n"),
        (r"\cdots", r"\dots"),
        (r"a \mid b", "a∣b"),
        (r"n \gg m \ll k", "n≫m≪k"),
        ("a = b.", ", a=b"),
        (r"$$e^{\text{max}}$$", "e^{max}"),
        (r"\text{a {b} c}", "a{b}c"),
    ],
)
def test_the_same_formula(one: str, other: str) -> None:
    assert formulas.normalised(one) == formulas.normalised(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"\sqrt{d_k}", "d_k"),
        ("x^{10}", "x^10"),
        ("x_{ij}y", "x_iy"),
        ("a.b", "ab"),
        (r"\leftarrow", "arrow"),
        (r"\textstyle a", "style a"),
        (r"\midnight", "∣night"),
    ],
)
def test_not_the_same_formula(one: str, other: str) -> None:
    assert formulas.normalised(one) != formulas.normalised(other)


def test_normalised_looks_like_this() -> None:
    tex = r"$\text{head}_{i} = \text{softmax}\left( \frac{Q_{i} K_{i}^{T}}{\sqrt{d_{k}}} \right) V_{i}.$"
    assert formulas.normalised(tex) == r"head_i=softmax(\frac{Q_iK_i^T}{\sqrt{d_k}})V_i"


@settings(deadline=None)
@given(st.text(alphabet=r"ab1 \{}_^$,.tex", max_size=40))
def test_normalising_twice_changes_nothing_more_than_once(tex: str) -> None:
    assert not any(char.isspace() for char in formulas.normalised(tex))


@pytest.mark.parametrize("text", MATHEMATICS.strip().split("\n"))
def test_mathematics(text: str) -> None:
    assert formulas.is_mathematics(text)


@pytest.mark.parametrize("text", ["", *TEXT.strip().split("\n")])
def test_text(text: str) -> None:
    assert not formulas.is_mathematics(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a $b$ c $$d$$ e", [(2, 5, 1), (8, 13, 2)]),
        ("$4 and $5", []),
        ("$ a$ $b $ $c$", [(10, 13, 1)]),
        (r"\$a$ $b\$$", [(5, 10, 1)]),
        ("$a$5 $b$", [(5, 8, 1)]),
        ("$$a $b$", [(4, 7, 1)]),
        ("$$$$", []),
        ("==$x$== ==$$y$$==", [(2, 5, 1), (10, 15, 2)]),
        ("== $x$ == ==$y$ ==", []),  # broken highlights
    ],
)
def test_find(text: str, expected: list[tuple[int, int, int]]) -> None:
    found = [(f.start, f.end, f.marks) for f in formulas.find(text) if isinstance(f, formulas.Formula)]
    assert found == expected


def test_what_is_doubled_within_a_formula_is_no_formula_of_its_own() -> None:
    assert formulas.find("the $a + dkd_kdk\u200b + b$ here") == [formulas.Formula(4, 22, marks=1)]
