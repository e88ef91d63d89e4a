"""Right, too coarse, wrong or not readable; slips; and what the learner is told."""

from decimal import Decimal
from fractions import Fraction
from math import exp
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.model import Language
from mha_quiz.families import FAMILIES
from mha_quiz.question import AnswerKind, Question, Slip, Text, Theme, draw
from mha_quiz.verdicts import Verdict, grade, grade_json, names_of, verdict_text


def question(
    answer: Any, *slips: Slip, precision: int | None = None, unit: str | None = None, **parameters: Any
) -> Question:
    kind = AnswerKind.SHAPE if isinstance(answer, tuple) else AnswerKind.REAL if precision else AnswerKind.INTEGER
    return Question(
        family="T1",
        version=1,
        seed=0,
        theme=Theme.VALUES,
        title=Text("title", "title"),
        parameters=parameters,
        prompt=Text("A layer has d_model = 512.", "d_model = 512 hai."),
        answer=answer,
        answer_kind=kind,
        precision=precision,
        unit=unit,
        slips=slips,
        solution=(Text("step", "step"),),
        redraws=0,
    )


def slip(id: str, value: Any, formula: str = "f") -> Slip:
    return Slip(id, value, formula, f"why {id}", f"kyun {id}")


WEIGHTS = question(
    1048576, slip("no-out", 786432, "3 · 512²"), slip("one-matrix", 262144, "512²"), unit="parameters", d=512, h=8
)
SOFTMAX = question(
    exp(4) / (exp(4) + exp(2) + exp(5)), slip("linear", 4 / 11, "4 / 11"), slip("unnormalised", exp(4)), precision=3
)
BYTES = question(1073741824, slip("no-heads", 33554432), unit="bytes", h=32, n=4096, s=2)
GIB = question(2684354560 / 2**30, slip("decimal", 2.68435456), precision=2, unit="GiB", b=2684354560)
SCORES = question((2, 8, 10, 10), slip("no-heads", (2, 10, 10)), B=2, n=10, d=512, h=8)

RIGHT, COARSE, WRONG, UNREADABLE = Verdict.RIGHT, Verdict.TOO_COARSE, Verdict.WRONG, Verdict.UNREADABLE


@pytest.mark.parametrize(
    ("asked", "typed", "verdict", "slips"),
    [
        (WEIGHTS, "1048576", RIGHT, ()),
        (WEIGHTS, "4*512^2", RIGHT, ()),
        (WEIGHTS, "2^20", RIGHT, ()),
        (WEIGHTS, "4d^2", RIGHT, ()),
        (WEIGHTS, "4·d_model²", RIGHT, ()),
        (WEIGHTS, "10,48,576 parameters", RIGHT, ()),
        (WEIGHTS, "1.048576M", RIGHT, ()),
        (WEIGHTS, "1 Mi", RIGHT, ()),
        (WEIGHTS, "1048576.0", RIGHT, ()),
        (WEIGHTS, "1.05M", COARSE, ()),
        (WEIGHTS, "1e6", COARSE, ()),
        (WEIGHTS, "1M", COARSE, ()),
        (WEIGHTS, "1.0M", COARSE, ()),
        (WEIGHTS, "10^6", COARSE, ()),
        (WEIGHTS, "1.05×10^6", COARSE, ()),
        (WEIGHTS, "(1.05)*10^6", COARSE, ()),
        (WEIGHTS, "10.5 lakh", COARSE, ()),
        (WEIGHTS, "1,050,000", COARSE, ()),
        (WEIGHTS, "1,049,000 params", COARSE, ()),
        (WEIGHTS, "1000000", WRONG, ()),  # one figure, no suffix: a guess as well as a rounding
        (WEIGHTS, "1.04M", WRONG, ()),
        (WEIGHTS, "1.06M", WRONG, ()),
        (WEIGHTS, "1048577", WRONG, ()),
        (WEIGHTS, "1048576.4", WRONG, ()),
        (WEIGHTS, "1.05*1000000", WRONG, ()),
        (WEIGHTS, "-1048576", WRONG, ("sign",)),
        (WEIGHTS, "0", WRONG, ()),
        (WEIGHTS, "786432", WRONG, ("no-out",)),
        (WEIGHTS, "3d²", WRONG, ("no-out",)),
        (WEIGHTS, "786k", WRONG, ("no-out",)),
        (WEIGHTS, "1,04", UNREADABLE, ()),
        (WEIGHTS, "8 heads", UNREADABLE, ()),
        (WEIGHTS, "sqrt(2)*sqrt(2)*2^19", UNREADABLE, ()),
        (WEIGHTS, "sqrt(2)*2^20", WRONG, ()),
        (SOFTMAX, "0.259", RIGHT, ()),
        (SOFTMAX, "0.2595", RIGHT, ()),
        (SOFTMAX, "exp(4)/(exp(4)+exp(2)+exp(5))", RIGHT, ()),
        (SOFTMAX, "25.9%", RIGHT, ()),
        (SOFTMAX, "0.26", COARSE, ()),
        (SOFTMAX, "0.260", COARSE, ()),
        (SOFTMAX, "26%", COARSE, ()),
        (SOFTMAX, "0.3", COARSE, ()),
        (SOFTMAX, "2.6e-1", COARSE, ()),
        (SOFTMAX, "0.258", WRONG, ()),
        (SOFTMAX, "0.261", WRONG, ()),
        (SOFTMAX, "0.25", WRONG, ()),
        (SOFTMAX, "1/4", WRONG, ()),
        (SOFTMAX, "0.364", WRONG, ("linear",)),
        (SOFTMAX, "4/11", WRONG, ("linear",)),
        (SOFTMAX, "54.598", WRONG, ("unnormalised",)),
        (BYTES, "1 GiB", RIGHT, ()),
        (BYTES, "1024 MiB", RIGHT, ()),
        (BYTES, "1,073,741,824 B", RIGHT, ()),
        (BYTES, "1 GB", COARSE, ()),
        (BYTES, "1.07 GB", COARSE, ()),
        (BYTES, "1.08 GB", WRONG, ()),
        (BYTES, "1.1 GiB", WRONG, ()),
        (BYTES, "32 MiB", WRONG, ("no-heads",)),
        (BYTES, "1 Gb", UNREADABLE, ()),
        (BYTES, "1 parameter", UNREADABLE, ()),
        (GIB, "2.5", RIGHT, ()),
        (GIB, "2.50 GiB", RIGHT, ()),
        (GIB, "2560 MiB", RIGHT, ()),
        (GIB, "2684354560 B", RIGHT, ()),
        (GIB, "2.68", WRONG, ("decimal",)),
        (GIB, "2.68 GiB", WRONG, ("decimal",)),
        (GIB, "3", COARSE, ()),
        (SCORES, "(2, 8, 10, 10)", RIGHT, ()),
        (SCORES, "2x8x10x10", RIGHT, ()),
        (SCORES, "(B, h, n, n)", RIGHT, ()),
        (SCORES, "(2, 10, 10)", WRONG, ("no-heads",)),
        (SCORES, "1600", WRONG, ("product",)),
        (SCORES, "(8, 2, 10, 10)", WRONG, ("transposed",)),
        (SCORES, "2 by 8", UNREADABLE, ()),
        (question(8192, unit="bytes"), "8.2 KB", WRONG, ()),  # too small a number to be rounded
        (question(12000), "1.2e4", RIGHT, ()),
        (question(9_960_000), "1.0e7", COARSE, ()),
        (question(9_600_000), "1.0e7", WRONG, ()),
        (question(10_000_005), "1,000,001e1", COARSE, ()),  # a half may be rounded up …
        (question(10_000_005), "1.0000000e7", WRONG, ()),
        (question(105_000), "1.0e5", COARSE, ()),  # … or down
        (question(14_000), "01e4", COARSE, ()),
        (question(12_000), "0M", WRONG, ()),
        (question(10_000_000), "9999999.6", WRONG, ()),
        (question(64), "64.", RIGHT, ()),
        (question(64), "64 MiB", UNREADABLE, ()),
        (question(1, precision=2), "1", RIGHT, ()),
        (question(1.7 + 0.3, precision=2), "1.995", RIGHT, ()),
        (question(0.7 - 0.4, precision=2), "0.305", RIGHT, ()),  # 0.29999999999999993
        (question(0.1 + 0.2, precision=2), "0.3050001", COARSE, ()),
        (question(0.0, slip("constant", 5), precision=3), "0", RIGHT, ()),
    ],
)
def test_verdicts(asked, typed, verdict, slips):
    graded = grade(asked, typed)
    assert (graded.verdict, tuple(slip.id for slip in graded.slips)) == (verdict, slips)


def test_a_slip_goes_before_too_coarse():
    asked = question(0.2501, slip("quarter", 0.26), precision=2)
    assert grade(asked, "0.26").verdict is WRONG
    assert [slip.id for slip in grade(asked, "0.26").slips] == ["quarter"]


@pytest.mark.parametrize(
    ("asked", "typed", "en", "hinglish"),
    [
        (WEIGHTS, "1048576", "Right.", "Sahi!"),
        (
            WEIGHTS,
            "786432",
            "Wrong. 786,432 = 3 · 512²: why no-out.",
            "Galat. 786,432 = 3 · 512²: kyun no-out.",
        ),
        (
            WEIGHTS,
            "1.05M",
            "Close, but rounded: give the exact number.",
            "Kareeb hai, par round kiya hua hai: poora exact number do.",
        ),
        (
            WEIGHTS,
            "1,04",
            "cannot tell what the comma means; write 1.04 (at character 1)",
            "pata nahi comma ka matlab kya hai; 1.04 likho (character 1 par)",
        ),
        (SOFTMAX, "0.259", "Right. 0.25900 to 0.25999 counts.", "Sahi! 0.25900 se 0.25999 tak sahi maana jaata hai."),
        (SOFTMAX, "0.9", "Wrong. 0.25900 to 0.25999 counts.", "Galat. 0.25900 se 0.25999 tak sahi maana jaata hai."),
        (
            SOFTMAX,
            "0.26",
            "Close, but not exact enough: 3 decimals must be right.",
            "Kareeb hai, par 3 decimals sahi hone chahiye.",
        ),
        (SOFTMAX, "", "no answer", "koi jawab nahi"),
        (question(-0.5, precision=2), "-0.5", "Right. −0.5050 to −0.4950 counts.", None),
        (
            question(16, slip("a", 8, "4 · 2"), slip("b", 8, "2 · 4")),
            "8",
            "Wrong. 8: either why a (4 · 2), or why b (2 · 4).",
            "Galat. 8: ya to kyun a (4 · 2), ya kyun b (2 · 4).",
        ),
    ],
)
def test_messages(asked, typed, en, hinglish):
    said = verdict_text(asked, grade(asked, typed))
    assert said.en == en
    assert hinglish is None or said.hinglish == hinglish


def test_json():
    assert grade_json(WEIGHTS, grade(WEIGHTS, "786432"), Language.EN) == {
        "verdict": "wrong",
        "read_as": "786,432",
        "slips": ["no-out"],
        "message": "Wrong. 786,432 = 3 · 512²: why no-out.",
    }
    assert grade_json(WEIGHTS, grade(WEIGHTS, "two"), Language.HINGLISH) == {
        "verdict": "unreadable",
        "read_as": None,
        "slips": [],
        "message": "`two` naam ka kuch nahi hai; is sawaal mein d, h, d_model, d_k hain (character 1 par)",
    }


def test_the_width_of_a_head_is_no_name_where_it_is_asked_for():
    assert names_of(WEIGHTS) == {"d": 512, "h": 8, "d_model": 512, "d_k": 64}
    assert "d_k" not in names_of(question(64, d=512, h=8))
    assert names_of(question(1, k=48, d=512, h=8))["k"] == 48
    assert "d_k" not in names_of(question(1, k=48, d=512, h=8))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.id)
def test_every_family_tells_its_answer_from_its_slips(family):
    """A question's own answer is right, each of its slips is wrong and recognised, in the form the tool writes them."""
    for seed in range(5):
        asked = draw(family, seed)
        assert grade(asked, str(asked.answer)).verdict is RIGHT
        for typical in asked.slips:
            graded = grade(asked, str(typical.value))
            assert graded.verdict is WRONG
            assert typical in graded.slips
            told = verdict_text(asked, graded)
            assert typical.en in told.en
            assert typical.hinglish in told.hinglish


@given(st.integers(10_000, 10**15), st.integers(1, 6))
def test_rounded_integers_are_too_coarse_and_never_right(truth, figures):
    asked = question(truth)
    typed = f"{Decimal(truth):.{figures - 1}e}"
    verdict = grade(asked, typed).verdict
    assert verdict is (RIGHT if Fraction(typed) == truth else COARSE)
    assert grade(asked, str(truth + 1)).verdict in (WRONG, COARSE)
    assert grade(asked, str(truth)).verdict is RIGHT


@given(st.floats(-1000, 1000), st.integers(2, 4))
def test_real_answers_count_within_half_a_unit(truth, decimals):
    asked = question(truth, precision=decimals)
    half = Fraction(1, 2 * 10**decimals)
    for sign in (-1, 1):
        inside = Fraction(truth) + sign * half * Fraction(999, 1000)
        outside = Fraction(truth) + sign * (half + Fraction(1, 100_000))
        far = Fraction(truth) + sign * half * Fraction(201, 100)
        assert grade(asked, f"{float(inside):.9f}").verdict is RIGHT
        assert grade(asked, f"{float(outside):.9f}").verdict is COARSE
        assert grade(asked, f"{float(far):.9f}").verdict is WRONG
