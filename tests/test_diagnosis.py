"""Wrong answers that no slip alone explains: what is told about them, whole sentences."""

from dataclasses import replace

import pytest

from cards.model import Language
from mha_quiz.families import FAMILIES
from mha_quiz.question import Question, Slip, draw
from mha_quiz.question_text import value_text
from mha_quiz.verdicts import Verdict, grade, verdict_text


def question(family: str, **wanted: int) -> Question:
    """The first variant of the family with these parameters."""
    (found,) = (each for each in FAMILIES if each.id == family)
    drawn = (draw(found, seed) for seed in range(2000))
    return next(each for each in drawn if wanted.items() <= each.parameters.items())


@pytest.mark.parametrize(
    ("family", "parameters", "typed", "slips", "told"),
    [
        (
            "B1",
            {"d": 512},
            "10485760",
            ["power-of-ten"],
            "10,485,760 = 1,048,576 · 10: the digits are right, the power of ten is not.",
        ),
        ("B1", {"d": 512}, "2097152", ["factor-two"], "2,097,152 = 2 · 1,048,576: it is off by a factor of 2."),
        ("B1", {"d": 512}, "-1048576", ["sign"], "−1,048,576 = −(1,048,576): the sign is the wrong way round."),
        (
            "B1",
            {"d": 512, "h": 8},
            "6291456",
            ["no-out+full-per-head", "no-out+times-h"],
            """6,291,456: either two slips at once: W_O was left out; and each head projects to d/h = 64, not to 512, or \
two slips at once: W_O was left out; and the heads share the width; more heads do not mean more parameters.""",
        ),
        ("B1", {"d": 512}, "1048575", [], ""),
        (
            "B1",
            {"d": 512, "h": 8},
            "1048.576",
            ["power-of-ten"],
            "1,048.576 = 1,048,576 / 10^3: the digits are right, the power of ten is not.",
        ),
        ("A1", {"d": 512, "h": 8}, "32768", [], ""),  # no width comes about by two slips
        ("E19", {"r": 3, "p3": 2, "p0": 3}, "1", [], ""),  # a row is not half of another
        ("E18", {"i": 4, "n": 4}, "2", [], ""),
        ("B8", {"c": 4}, "2", [], "0.9950 to 1.0050 counts."),
        (
            "C9",
            {"n": 100, "h": 16},
            "10000",
            ["full+one-head"],
            "10,000: two slips at once: the upper triangle is blocked; and every head has its own map.",
        ),
        (
            "C5",
            {"n": 100, "d": 768},
            "235929600",
            ["macs+no-attention"],
            "235,929,600: two slips at once: a multiply-add is two FLOPs; and q·kᵀ and weights·v were left out.",
        ),
    ],
)
def test_numbers(family: str, parameters: dict[str, int], typed: str, slips: list[str], told: str) -> None:
    asked = question(family, **parameters)

    graded = grade(asked, typed)

    assert graded.verdict is Verdict.WRONG
    assert [slip.id for slip in graded.slips] == slips
    assert verdict_text(asked, graded).told(Language.EN) == f"Wrong. {told}".strip()


def test_flops_are_two_for_a_multiply_add() -> None:
    asked = question("C4")
    assert isinstance(asked.answer, int)

    graded = grade(asked, str(2 * asked.answer))

    assert verdict_text(asked, graded).told(Language.HINGLISH) == (
        f"Galat. {2 * asked.answer:,} = 2 · {asked.answer:,}: ek multiply-add do FLOPs hai, ek hi baar gino."
    )


@pytest.mark.parametrize(
    ("typed", "slips", "en", "hinglish"),
    [
        ("27487790694400/10^5", ["kilo"], "274,877,906.944 = 268,435,456 · 1.024: 1024 and 1000 were mixed up.", ""),
        ("256 MB", ["kilo"], "256,000,000 = 268,435,456 / 1.024^2: 1024 and 1000 were mixed up.", ""),
        (
            "256",
            ["other-unit"],
            "256: that is in MiB; bytes were asked for.",
            "256: yeh MiB mein hai; sawaal bytes ka tha.",
        ),
        ("268", ["other-unit"], "268: that is in MB; bytes were asked for.", ""),
        ("268.4", ["other-unit"], "268.4: that is in MB; bytes were asked for.", ""),
        ("0.25", ["other-unit"], "0.25: that is in GiB; bytes were asked for.", ""),
        ("262144", ["other-unit"], "262,144: that is in KiB; bytes were asked for.", ""),
        ("260", [], "", ""),
        ("2147483648", ["bits"], "2,147,483,648 = 8 · 268,435,456: bytes were asked for, not bits.", ""),
    ],
)
def test_bytes(typed: str, slips: list[str], en: str, hinglish: str) -> None:
    asked = question("D6", d=4096, s=4)
    assert asked.answer == 268_435_456

    graded = grade(asked, typed)

    assert [slip.id for slip in graded.slips] == slips
    assert verdict_text(asked, graded).told(Language.EN) == f"Wrong. {en}".strip()
    assert hinglish in verdict_text(asked, graded).told(Language.HINGLISH)


@pytest.mark.parametrize(
    ("typed", "slips"),
    [("3.91 GB", ["kilo"]), ("4000", ["other-unit"]), ("b", ["other-unit"]), ("39.06", ["power-of-ten"])],
)
def test_gibibytes(typed: str, slips: list[str]) -> None:
    asked = question("D7", b=4194304000)
    assert value_text(asked.answer, 2) == "3.91"

    assert [slip.id for slip in grade(asked, typed).slips] == slips


def test_shapes() -> None:
    asked = question("A3")
    b, h, n, k = asked.answer if isinstance(asked.answer, tuple) else ()

    transposed, unbatched = grade(asked, f"({b}, {h}, {k}, {n})"), grade(asked, f"({h}, {n}, {k})")

    assert verdict_text(asked, transposed).told(Language.EN) == (
        f"Wrong. ({b}, {h}, {k}, {n}): the axes are right, their order is not."
    )
    assert [slip.id for slip in unbatched.slips] == ["no-batch"]

    joined = grade(asked, f"({b * h}, {n}, {k})")
    assert verdict_text(asked, joined).told(Language.EN) == (
        f"Wrong. ({b * h}, {n}, {k}): {b} and {h} are two axes, not one."
    )


@pytest.mark.parametrize(
    ("typed", "slips", "en", "hinglish"),
    [
        ("(3, 6)", [], "", ""),
        ("216", ["product"], "(216,): that is how many numbers there are, not their shape.", "ginti hai, shape nahi"),
        ("(3, 2, 6)", ["axis-missing"], "(3, 2, 6): the axis of 6 is missing.", "6 wali axis chhoot gayi"),
        (
            "(6, 6)",
            ["no-heads+no-batch"],
            "(6, 6): two slips at once: every head has its own 6 × 6 map; and the batch was left out.",
            "har head ka apna 6 × 6 map hota hai; aur batch chhoot gaya",
        ),
    ],
)
def test_shapes_with_axes_missing(typed: str, slips: list[str], en: str, hinglish: str) -> None:
    (family,) = (each for each in FAMILIES if each.id == "A5")
    asked = draw(family, 2)
    assert asked.answer == (3, 2, 6, 6)

    graded = grade(asked, typed)

    assert [slip.id for slip in graded.slips] == slips
    assert verdict_text(asked, graded).told(Language.EN) == f"Wrong. {en}".strip()
    assert hinglish in verdict_text(asked, graded).told(Language.HINGLISH)


@pytest.mark.parametrize(
    ("typed", "verdict", "slips"),
    [
        ("0.833", Verdict.WRONG, ["linear"]),
        ("0.83", Verdict.WRONG, ["linear"]),
        ("0.8", Verdict.WRONG, []),
        ("0.45", Verdict.WRONG, ["rest"]),
        ("1.10", Verdict.WRONG, []),
        ("55.0", Verdict.WRONG, ["power-of-ten"]),
        ("5.50", Verdict.WRONG, ["power-of-ten"]),
        ("0.551", Verdict.TOO_COARSE, []),
    ],
)
def test_real_answers(typed: str, verdict: Verdict, slips: list[str]) -> None:
    (family,) = (each for each in FAMILIES if each.id == "E1")
    asked = draw(family, 2)
    assert value_text(asked.answer, 3) == "0.550"

    graded = grade(asked, typed)

    assert (graded.verdict, [slip.id for slip in graded.slips]) == (verdict, slips)


def test_the_right_rounding_goes_before_a_rounded_slip_and_behind_an_exact_one() -> None:
    asked = replace(
        question("B1", d=512), slips=(Slip("one", 1_050_000, "", "", ""), Slip("two", 1_045_000, "", "", ""))
    )

    assert [grade(asked, text).verdict for text in ("1.05M", "1.0M")] == [Verdict.WRONG, Verdict.TOO_COARSE]
    assert [slip.id for slip in grade(asked, "1.05M").slips] == ["one"]


def test_a_fraction_upside_down_and_bits() -> None:
    scale = question("E12", d=128, h=8)
    assert [slip.id for slip in grade(scale, "4").slips] == ["upside-down"]

    size = question("D1")
    assert isinstance(size.answer, int)
    assert [slip.id for slip in grade(size, str(8 * size.answer)).slips] == ["bits"]


def test_the_rest_of_one_is_told_before_a_mere_factor() -> None:
    share = question("B12", d=512, f=2048, w=2)

    assert [slip.id for slip in grade(share, "0.667").slips] == ["rest"]


@pytest.mark.parametrize(
    ("typed", "verdict", "told"),
    [
        (
            "1.048",
            Verdict.UNREADABLE,
            "cannot tell whether the point groups digits or begins decimals; write 1048 or 1.0480",
        ),
        (
            "409.600",
            Verdict.UNREADABLE,
            "cannot tell whether the point groups digits or begins decimals; write 409600 or 409.6",
        ),
        ("64.000", Verdict.RIGHT, "Right."),
        ("64.0", Verdict.RIGHT, "Right."),
        ("0.125", Verdict.WRONG, "Wrong."),
    ],
)
def test_a_point_before_three_digits_may_group_them(typed: str, verdict: Verdict, told: str) -> None:
    asked = question("A1", d=512, h=8)

    graded = grade(asked, typed)

    assert (graded.verdict, verdict_text(asked, graded).told(Language.EN)) == (verdict, told)


def test_no_chance_meeting_is_called_two_slips_and_no_entropy_a_share() -> None:
    few = question("C9", n=10, h=8)
    assert grade(few, "720").slips == ()  # as far above 8 · 10 · 9 / 2 as 8 · 10² is above the answer
    weights = question("E13", n=12, h=16)
    assert grade(weights, "12").slips == ()  # one map alone, which neither slip says
    entropy = question("E8", p=0.9)
    assert value_text(entropy.answer, 3) == "0.469"
    assert grade(entropy, "0.531").slips == ()


def test_near_zero_nothing_is_explained() -> None:
    asked = question("E1")

    assert grade(asked, "0.0001").slips == ()


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.id)
def test_whatever_is_typed_has_a_sentence(family) -> None:  # type: ignore[no-untyped-def] # the fixture says it
    for seed in range(5):
        asked = draw(family, seed)
        for typed in ("1", "0", "-3", "1/3", "2.5", "10000000", "(1, 2)", "(2, 8, 10, 64)", "7"):
            graded = grade(asked, typed)
            assert verdict_text(asked, graded).told(Language.EN)
            assert verdict_text(asked, graded).told(Language.HINGLISH)
