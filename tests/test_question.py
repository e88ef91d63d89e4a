"""Drawing, verifying and telling a question."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from cards.model import Language
from mha_quiz.families import FAMILIES
from mha_quiz.plaintext import ascii_text
from mha_quiz.question import (
    AnswerKind,
    Disagreement,
    Family,
    NoVariant,
    Question,
    Slip,
    Text,
    Theme,
    Value,
    Variant,
    draw,
    family,
    slip_ids,
)
from mha_quiz.question_text import factor_text, family_json, number_text, question_json, slip_sentence, value_text
from mha_quiz.verification import verify_all

BY_ID = {family.id: family for family in FAMILIES}


def of_numbers(family_id: str, **numbers: float) -> Question:
    """The first question of a family with these numbers."""
    return next(q for seed in range(5000) if (q := draw(BY_ID[family_id], seed)).parameters == numbers)


def halving(
    answer: Callable[[int], Value] = lambda n: n // 2,
    measured: Callable[[int], Value] = lambda n: n // 2,
    slips: Callable[[int], Sequence[Value]] = lambda n: (),
    numbers: Sequence[int] = (2, 4, 6, 8),
    precision: int | None = None,
    least: int = 1,
    tolerance: float = 0.0,
) -> Family:
    """A family small enough to see through: half of n."""

    @family("X1", Theme.SHAPES, Text("half", "aadha"), precision=precision, least=least)
    def made(rng: Random) -> Variant:
        n = rng.choice(numbers)
        return Variant(
            {"n": n},
            Text(f"Half of {n}?", f"{n} ka aadha?"),
            answer(n),
            lambda: measured(n),
            tuple(Slip(f"s{i}", value, "", "no", "nahi") for i, value in enumerate(slips(n))),
            Text("a\n            b\n            c", "x\n            y\n            z"),
            tolerance=tolerance,
        )

    return made


def test_a_seed_always_gives_the_same_question() -> None:
    for each in FAMILIES:
        assert draw(each, 7) == draw(each, 7)


def test_seeds_draw_what_they_always_drew() -> None:
    table = (Path(__file__).parent / "data" / "drawn.md").read_text(encoding="utf-8")
    rows = []
    for each in FAMILIES:
        for seed in 0, 1:
            question = draw(each, seed)
            numbers = ", ".join(f"{name} = {number}" for name, number in question.parameters.items())
            answer = value_text(question.answer, question.precision)
            rows.append(f"| {each.id} | {each.version} | {seed} | {numbers} | {answer} |")
    assert table.rstrip("\n").split("\n")[-len(rows) :] == rows


def test_families_are_listed_without_numpy() -> None:
    program = (
        "import sys; from mha_quiz.families import FAMILIES; from mha_quiz.question_text import family_json; "
        "from cards.model import Language; print(len([family_json(f, Language.EN) for f in FAMILIES]), "
        "'numpy' in sys.modules)"
    )
    listed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert listed.stdout == "74 False\n"


def test_small_questions_fit_the_head() -> None:
    assert of_numbers("B3", d=64, h=4).small
    assert not of_numbers("B3", d=512, h=8).small
    sizes = {question.small for question in (draw(BY_ID["A5"], seed) for seed in range(40))}
    assert sizes == {True, False}


def test_families_and_versions_have_generators_of_their_own() -> None:
    newer = replace(BY_ID["B1"], version=2)
    assert [draw(newer, seed).parameters for seed in range(9)] != [draw(BY_ID["B1"], s).parameters for s in range(9)]


def test_a_slip_equal_to_the_answer_throws_the_draw_away() -> None:
    drawn = [draw(halving(slips=lambda n: (3,)), seed) for seed in range(60)]
    assert {question.parameters["n"] for question in drawn} == {2, 4, 8}
    assert any(question.redraws for question in drawn)


def test_a_family_that_never_tells_its_answer_from_its_slips_is_a_bug() -> None:
    with pytest.raises(NoVariant, match=r"^X1 seed 3: 100 draws in a row had a slip equal to the answer$"):
        draw(halving(slips=lambda n: (n // 2,)), 3)


@pytest.mark.parametrize(("away", "thrown"), [(0.019, True), (0.0201, False)])
def test_a_real_slip_must_be_two_units_of_the_last_decimal_away(away: float, thrown: bool) -> None:
    near = halving(lambda n: n / 2, lambda n: n / 2, lambda n: (n / 2 + away,), precision=2)
    if thrown:
        with pytest.raises(NoVariant):
            draw(near, 0)
    else:
        assert len(draw(near, 0).slips) == 1


def test_slips_that_nobody_could_type_are_left_out() -> None:
    values = (0.5, -1, 0, 7.0, (3, 4), (0, 4))
    question = draw(halving(slips=lambda n: values), 0)
    assert [slip.value for slip in question.slips] == [7, (3, 4)]
    assert isinstance(question.slips[0].value, int)


def test_zero_can_be_typed_where_it_could_be_an_answer() -> None:
    assert [slip.value for slip in draw(halving(slips=lambda n: (0, -1), least=0), 0).slips] == [0]


def test_real_slips_may_be_negative_or_zero() -> None:
    question = draw(halving(lambda n: n / 2, lambda n: n / 2, lambda n: (-0.5, 0), precision=2), 0)
    assert [slip.value for slip in question.slips] == [-0.5, 0]


def test_two_slips_with_one_number_stay() -> None:
    assert [slip.id for slip in draw(halving(slips=lambda n: (9, 9)), 0).slips] == ["s0", "s1"]


def test_a_wrong_formula_is_refused_with_its_numbers() -> None:
    wrong = halving(answer=lambda n: n // 2 + 1, numbers=(8,))
    with pytest.raises(Disagreement, match=r"^X1 seed 0 \(n = 8\): the formula gives 5, the core measured 4$"):
        draw(wrong, 0)


@pytest.mark.parametrize(
    ("answer", "measured", "precision", "tolerance", "agree"),
    [
        (10**12, 10**12 + 1, None, 0.0, False),
        (10**12, float(10**12), None, 0.0, True),
        ((2, 3), (2, 3), None, 0.0, True),
        ((2, 3), (3, 2), None, 0.0, False),
        (6, (6,), None, 0.0, False),
        (0.3, 0.1 + 0.2, 3, 0.0, True),
        (0.3, 0.30001, 3, 0.0, False),
        (0, 1e-17, 3, 0.0, True),
        (0.3, float("nan"), 3, 0.0, False),
        (64, 65.5, None, 0.05, True),
        (64, 70.0, None, 0.05, False),
    ],
)
def test_how_close_a_measurement_must_be(
    answer: Value, measured: Value, precision: int | None, tolerance: float, agree: bool
) -> None:
    asked = halving(lambda n: answer, lambda n: measured, precision=precision, tolerance=tolerance)
    if agree:
        assert draw(asked, 0).answer == answer
    else:
        with pytest.raises(Disagreement):
            draw(asked, 0)


def off_by_one(value: Value) -> Value:
    match value:
        case tuple():
            return (*value[:-1], value[-1] + 1)
        case _:
            return value * 1.1 + 1


@pytest.mark.parametrize("sound", FAMILIES, ids=[family.id for family in FAMILIES])
def test_a_sabotaged_formula_is_caught_in_each_family(sound: Family) -> None:
    def draft(rng: Random) -> Variant:
        variant = sound.draft(rng)
        return replace(variant, answer=off_by_one(variant.answer), slips=())

    with pytest.raises(Disagreement):
        draw(replace(sound, draft=draft), 1)


def test_verifying_many_variants() -> None:
    sound = halving(slips=lambda n: (3,))
    wrong = halving(answer=lambda n: n, numbers=(4,))
    ticks = iter((10.0, 12.5))
    report = verify_all((sound, wrong), 20, lambda: next(ticks))
    assert (report.families, report.variants, report.seconds) == (2, 40, 2.5)
    assert report.collisions == sum(draw(sound, seed).redraws for seed in range(20)) > 0
    assert report.disagreements[19] == "X1 seed 19 (n = 4): the formula gives 4, the core measured 2"
    assert len(report.disagreements) == 20


def test_kinds_of_answers() -> None:
    kinds = {family.id: draw(family, 0).answer_kind for family in FAMILIES}
    assert (kinds["B1"], kinds["A5"], kinds["E1"]) == (AnswerKind.INTEGER, AnswerKind.SHAPE, AnswerKind.REAL)


@pytest.mark.parametrize(
    ("value", "precision", "text"),
    [
        (1048576, None, "1,048,576"),
        ((2, 8, 10, 10), None, "(2, 8, 10, 10)"),
        ((640,), None, "(640,)"),
        (0.25950, 3, "0.260"),
        (-1.5, 2, "−1.50"),
        (1, 2, "1.00"),
        (22026.4658, 3, "22,026.466"),
    ],
)
def test_values_as_text(value: Value, precision: int | None, text: str) -> None:
    assert value_text(value, precision) == text


def test_drawn_numbers_as_text() -> None:
    assert [number_text(number) for number in (4, 0.25, -1, 1 - 0.9, 4096)] == ["4", "0.25", "−1", "0.1", "4096"]
    assert [factor_text(number) for number in (2, -0.5)] == ["2", "(−0.5)"]


@pytest.mark.parametrize(
    ("question", "slip", "en", "hinglish"),
    [
        (
            ("B3", {"d": 512, "h": 8}),
            "full",
            "786,432 = 3 · 512²: that is all heads together.",
            "786,432 = 3 · 512²: yeh saare heads ka hai, ek ka nahi.",
        ),
        (
            ("E1", {"a": 2, "b": 0, "c": 4}),
            "linear",
            "0.333 ≈ 2 / (2 + 0 + 4): softmax divides exponentials, not the scores.",
            "0.333 ≈ 2 / (2 + 0 + 4): softmax exponentials ko divide karta hai, scores ko nahi.",
        ),
        (
            ("E4", {"n": 8}),
            "one",
            "1.0000: the weights of a row sum to 1.",
            "1.0000: poori row ke weights ka sum 1 hota hai.",
        ),
    ],
)
def test_slips_are_told_with_their_numbers(
    question: tuple[str, dict[str, float]], slip: str, en: str, hinglish: str
) -> None:
    family_id, numbers = question
    asked = of_numbers(family_id, **numbers)
    (found,) = (each for each in asked.slips if each.id == slip)
    assert slip_sentence(found, asked, Language.EN) == en
    assert slip_sentence(found, asked, Language.HINGLISH) == hinglish


def test_a_question_and_its_solution_in_full() -> None:
    asked = of_numbers("B6", d=4096, h=32, g=8)
    assert asked.prompt == Text(
        "Llama-3-8B has d_model = 4096, 32 query heads and 8 key/value heads. "
        "How many parameters do W_Q, W_K, W_V and W_O have together, without biases?",
        "Llama-3-8B mein d_model = 4096, 32 query heads aur 8 key/value heads hain. "
        "Bina bias ke chaaron matrices mein kul kitne parameters hain?",
    )
    assert asked.solution == (
        Text("A head is 4096 / 32 = 128 wide.", "Ek head ki width 4096 / 32 = 128 hai."),
        Text(
            "W_Q and W_O serve all 32 heads: 2 · 4096² = 33,554,432.",
            "W_Q aur W_O saare 32 heads ke liye hain: 2 · 4096² = 33,554,432.",
        ),
        Text(
            "W_K and W_V serve 8 heads: 2 · 4096 · 8 · 128 = 8,388,608.",
            "W_K aur W_V sirf 8 heads ke liye hain: 2 · 4096 · 8 · 128 = 8,388,608.",
        ),
        Text(
            "Together 33,554,432 + 8,388,608 = 41,943,040 parameters.",
            "Kul milakar 33,554,432 + 8,388,608 = 41,943,040 parameters.",
        ),
    )


def test_the_wanted_precision_is_told() -> None:
    prompt = draw(BY_ID["E6"], 0).prompt
    assert prompt.en.endswith("? Give 4 decimals.")
    assert prompt.hinglish.endswith("? Chaar decimals tak batao.")


def test_a_question_as_json() -> None:
    asked = of_numbers("A11", B=2, n=48, d=4096, h=32, g=8)
    assert question_json(asked, Language.HINGLISH) == {
        "family": "A11",
        "version": 1,
        "seed": asked.seed,
        "parameters": {"B": 2, "n": 48, "d": 4096, "h": 32, "g": 8},
        "prompt": "Llama-3-8B mein d_model = 4096, 32 query heads aur 8 key/value heads hain. "
        "Batch 2, har sequence mein 48 tokens: ek layer ke cache mein rakhi keys ka shape kya hoga?",
        "prompt_plain": "Llama-3-8B mein d_model = 4096, 32 query heads aur 8 key/value heads hain. "
        "Batch 2, har sequence mein 48 tokens: ek layer ke cache mein rakhi keys ka shape kya hoga?",
        "answer": (2, 8, 48, 128),
        "answer_kind": "shape",
        "precision": None,
        "unit": None,
        "slips": [
            {
                "id": "all-heads",
                "value": (2, 32, 48, 128),
                "why": "(2, 32, 48, 128) = (B, h, n, d/h): sirf 8 key/value heads store hote hain; "
                "use karte waqt unhe repeat karte hain.",
            },
            {
                "id": "wider",
                "value": (2, 8, 48, 512),
                "why": "(2, 8, 48, 512) = (B, g, n, d/g): heads kam hain, par har ek ki width d/h = 128 hi rehti hai.",
            },
        ],
        "solution": [
            "Ek head ki width 4096 / 32 = 128 hai, key heads ki bhi.",
            "32 / 8 = 4 query heads ek key head baant lete hain, isliye 8 key heads store hote hain.",
            "48 tokens ki 2 sequences ke liye: (2, 8, 48, 128).",
        ],
        "verified_by": "core",
    }


def test_the_prompt_in_plain_ascii() -> None:
    told = question_json(draw(BY_ID["A5"], 0), Language.EN)
    assert "q·kᵀ" in str(told["prompt"])
    assert "q*k^T" in str(told["prompt_plain"])
    assert str(told["prompt_plain"]).isascii()


def test_a_family_as_json() -> None:
    assert family_json(BY_ID["D3"], Language.EN) == {
        "id": "D3",
        "theme": "memory",
        "title": "gain of grouping",
        "slips": ["kv-heads", "half", "double"],
    }
    assert family_json(BY_ID["D3"], Language.HINGLISH)["title"] == "grouping ka faayda"


def test_the_slips_of_a_family_are_known_without_a_question() -> None:
    assert slip_ids(BY_ID["E22"]) == ("none", "all", "other-type")


@pytest.mark.parametrize(
    ("terminal", "plain"),
    [
        ("786,432 = 3 · 512²: W_O was left out", "786,432 = 3 * 512^2: W_O was left out"),
        ("q·kᵀ", "q*k^T"),
        ("√64, √dₖ, √(dₖ), 1/√d_k", "sqrt(64), sqrt(d_k), sqrt(d_k), 1/sqrt(d_k)"),
        ("√", "sqrt"),
        ("∛x + ∜(x + 1)", "root(3, x) + root(4, x + 1)"),
        ("2²⁰, e⁻ˣ, x²", "2^20, e^(-x), x^2"),
        ("⌊8/3⌋ ≤ ⌈8/3⌉", "floor(8/3) <= ceil(8/3)"),
        ("headᵢ = softmax(QᵢKᵢᵀ/√(dₖ))Vᵢ", "head_i = softmax(Q_iK_i^T/sqrt(d_k))V_i"),
        ("Wᴼ ∈ ℝ^(d_model × d_model)", "W^O in R^(d_model x d_model)"),
        ("∑ⱼ₌₁¹⁰ aⱼ", "sum_(j=1)^10 a_j"),
        ("σ(x) ≈ ½ — “so”…", 'sigma(x) ~ 1/2 -- "so"...'),
        ("Δ, π, −∞, a ≠ b → c", "Delta, pi, -inf, a != b -> c"),
        ("naïve", "naive"),
        ("हि", r"\u0939\u093f"),
        ("plain", "plain"),
        ("Straße, Œuvre, Łódź, 5 µm", "Strasse, OEuvre, Lodz, 5 um"),
        ("„a › b“ «c» −30°", '"a > b" <<c>> -30 deg'),
    ],
)
def test_ascii_text(terminal: str, plain: str) -> None:
    assert ascii_text(terminal) == plain
