"""Every family against a second statement of its formulas, the real grading, and its own words."""

import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from cards.model import Language
from mha_quiz.families import FAMILIES
from mha_quiz.families.presets import MODELS
from mha_quiz.families.runs import cache_nbytes, parameters, run, softmax_weights
from mha_quiz.plaintext import ascii_text
from mha_quiz.question import AnswerKind, Family, Question, Value, draw
from mha_quiz.question_text import number_text, slip_sentence, value_text
from mha_quiz.verdicts import Verdict, grade, verdict_text

SEEDS = range(50)
GOLDEN = Path(__file__).parent / "data" / "families.md"
MATHS = {
    "exp": math.exp,
    "ln": math.log,
    "log2": math.log2,
    "sqrt": math.sqrt,
    "tanh": math.tanh,
    "floor": math.floor,
    "ceil": math.ceil,
    "min": min,
    "max": max,
    "sum": sum,
    "e": math.e,
    "σ": lambda x: 1 / (1 + math.exp(-x)),
}
SIGNS = {"·": "*", "²": "**2", "³": "**3", "^": "**", "−": "-", "⌊": "floor(", "⌋": ")", "⌈": "ceil(", "⌉": ")"}

each_family = pytest.mark.parametrize("family", FAMILIES, ids=[family.id for family in FAMILIES])


@cache
def drawn(family: Family) -> tuple[Question, ...]:
    return tuple(draw(family, seed) for seed in SEEDS)


def computed(formula: str, names: Mapping[str, object]) -> object:
    """A formula of the golden table or of our own texts, by Python's arithmetic."""
    for sign, python in SIGNS.items():
        formula = formula.replace(sign, python)
    formula = re.sub(r"(?<=\d),(?=\d{3})", "", formula)
    formula = re.sub(r"√(\d+|\w+)", r"sqrt(\1)", formula).replace("√(", "sqrt(")
    return eval(formula, {"__builtins__": {}, **MATHS, **names})


def golden() -> Iterator[tuple[str, str, str, str]]:
    for line in GOLDEN.read_text(encoding="utf-8").split("\n"):
        if row := re.fullmatch(r"\| (\w+) \| ([\w-]+) \| (\w*) ?\| `(.+)` \|", line):
            family, of, kind, formula = row.groups()
            yield family, of, kind, formula


def letters(parameters: Mapping[str, float]) -> dict[str, object]:
    names: dict[str, object] = dict(parameters)
    d, h = parameters.get("d"), parameters.get("h")
    if d and h:
        names.setdefault("k", d // h)
        names.setdefault("P", 4 * d**2)
    if "k" in names:
        names.setdefault("v", names["k"])
    names["order"] = [number for name, number in parameters.items() if re.fullmatch(r"p\d", name)]
    names["scores"] = [number for name, number in parameters.items() if re.fullmatch(r"s\d", name)]
    return names


def test_there_are_74_families_with_213_slips() -> None:
    rows = list(golden())
    assert len({family.id for family in FAMILIES}) == len(FAMILIES) == 74
    assert {family for family, *_ in rows} == {family.id for family in FAMILIES}
    assert sum(of != "answer" for _, of, *_ in rows) == 213


@each_family
def test_answers_and_slips_are_those_of_the_table(family: Family) -> None:
    rows = {of: formula for id, of, _, formula in golden() if id == family.id}
    for question in drawn(family):
        names = letters(question.parameters)
        values = {of: computed(formula, names) for of, formula in rows.items()}
        assert question.answer == pytest.approx(values.pop("answer"), rel=1e-12, abs=1e-12)
        told = {slip.id: slip.value for slip in question.slips}
        for slip, value in values.items():
            if slip in told:
                assert told[slip] == pytest.approx(value, rel=1e-12, abs=1e-12)
            else:
                assert question.answer_kind is AnswerKind.INTEGER
                assert isinstance(value, int | float)
                assert value % 1 or value < family.least
        assert told.keys() <= values.keys()


@each_family
def test_kind_and_precision_are_those_of_the_table(family: Family) -> None:
    (kind,) = (kind for id, of, kind, _ in golden() if (id, of) == (family.id, "answer"))
    for question in drawn(family):
        assert kind == (str(question.precision) if question.precision else question.answer_kind.value)


@each_family
def test_each_slip_turns_up(family: Family) -> None:
    met = {slip.id for question in drawn(family) for slip in question.slips}
    assert met == {of for id, of, *_ in golden() if id == family.id} - {"answer"}


def bumped(question: Question, units: int) -> Value:
    """The answer moved by so many units: the last axis, the integer, or the last decimal asked for."""
    match question.answer:
        case tuple() as axes:
            return (*axes[:-1], axes[-1] + units)
        case number:
            return number + units * 10.0 ** -(question.precision or 0) if question.precision else number + units


@each_family
def test_the_right_answer_is_right(family: Family) -> None:
    for question in drawn(family):
        typed = value_text(question.answer, question.precision)
        assert grade(question, typed).verdict is Verdict.RIGHT, typed


@each_family
def test_an_answer_off_by_one_unit_is_not_right(family: Family) -> None:
    for question in drawn(family):
        near = value_text(bumped(question, 1), question.precision)
        rounded = question.precision is not None or near.endswith("0")
        assert grade(question, near).verdict in ({Verdict.WRONG, Verdict.TOO_COARSE} if rounded else {Verdict.WRONG})
        if question.precision:
            assert grade(question, value_text(bumped(question, 2), question.precision)).verdict is Verdict.WRONG


@each_family
def test_each_slip_is_recognised(family: Family) -> None:
    for question in drawn(family):
        for slip in question.slips:
            graded = grade(question, value_text(slip.value, question.precision))
            assert graded.verdict is Verdict.WRONG
            assert slip in graded.slips


GARBAGE = ("", "no idea", "?", "12 34 5x", "1.2.3", "(2, )(", "__import__('os')")


@each_family
def test_garbage_is_unreadable_and_never_wrong(family: Family) -> None:
    for question, typed in zip(drawn(family), GARBAGE * 8, strict=False):
        graded = grade(question, typed)
        assert (graded.verdict, graded.slips) == (Verdict.UNREADABLE, ()), typed


def test_slips_with_one_number_are_told_together() -> None:
    (family,) = (family for family in FAMILIES if family.id == "E4")
    question = next(question for question in drawn(family) if question.parameters["n"] > 12)
    told = verdict_text(question, grade(question, "0"))
    assert told.en.startswith("Wrong. 0.0000: either equal scores share the weight, or the exponentials cancel (e^(−")


SWITCHES = {"E17": {"sdpa"}, "A16": {"a", "z"}}
"""Parameters that a name or True and False stand for."""


@each_family
def test_the_prompt_tells_every_parameter(family: Family) -> None:
    for question in drawn(family):
        for prompt in (question.prompt.en, question.prompt.hinglish):
            for name, number in question.parameters.items():
                if name not in SWITCHES.get(family.id, ()):
                    forms = "|".join(map(re.escape, (number_text(number), f"{number:,}")))
                    assert re.search(rf"(?<![\d.,−])(?:{forms})(?!\d|[.,]\d)", prompt), (name, prompt)


@pytest.mark.parametrize("family_id", list(SWITCHES))
def test_the_prompt_tells_every_switch(family_id: str) -> None:
    (family,) = (family for family in FAMILIES if family.id == family_id)
    for question in drawn(family):
        for prompt in (question.prompt.en, question.prompt.hinglish):
            if family_id == "E17":
                name = "scaled_dot_product_attention" if question.parameters["sdpa"] else "nn.MultiheadAttention"
                assert f"`{name}`" in prompt
            else:
                assert f"add_bias_kv={question.parameters['a'] == 1}" in prompt
                assert f"add_zero_attn={question.parameters['z'] == 1}" in prompt


@each_family
def test_equal_prompts_have_equal_parameters(family: Family) -> None:
    prompts: dict[str, Mapping[str, float]] = {}
    for question in drawn(family):
        for prompt in (question.prompt.en, question.prompt.hinglish):
            assert prompts.setdefault(prompt, question.parameters) == question.parameters


@each_family
def test_the_languages_differ_and_all_texts_have_an_ascii_form(family: Family) -> None:
    for question in drawn(family)[:20]:
        assert question.prompt.en != question.prompt.hinglish
        for language in Language:
            texts = [
                question.title.told(language),
                question.prompt.told(language),
                *(slip_sentence(slip, question, language) for slip in question.slips),
                *(step.told(language) for step in question.solution),
            ]
            for text in map(ascii_text, texts):
                assert text.isascii()
                assert "\\u" not in text
                assert "  " not in text


@each_family
def test_slips_and_steps_are_whole_sentences_and_no_step_is_without_a_number(family: Family) -> None:
    for question in drawn(family)[:20]:
        for slip in question.slips:
            for reason in (slip.en, slip.hinglish):
                assert reason.strip() == reason
                assert not reason.endswith(".")
        for step in question.solution:
            assert step.en.endswith(".")
            assert step.hinglish.endswith(".")
            assert re.search(r"\d", step.en)
            assert re.search(r"\d", step.hinglish)


@each_family
def test_the_solution_ends_with_the_answer(family: Family) -> None:
    for question in drawn(family):
        assert 3 <= len(question.solution) <= 5
        shown = {value_text(question.answer, question.precision)}
        if question.answer == 1:
            shown.add("1")  # a factor that does not change
        for last in (question.solution[-1].en, question.solution[-1].hinglish):
            assert any(re.search(rf"(?<![\d.,]){re.escape(answer)}(?!\d|[.,]\d)", last) for answer in shown), last
            assert (question.unit or "") in last


MATH = r"(?:[\d.()·/+−²³√^ ]|(?<=\d),(?=\d{3})|\be\^|\blog2|\bln|\btanh)+"


def equations(text: str) -> Iterator[tuple[str, str]]:
    """What stands left and right of each = sign, as far as it is arithmetic."""
    pieces = text.split("=")
    for left, right in pairwise(pieces):
        before, after = re.search(rf"{MATH}$", left), re.match(MATH, right)
        if before and after:
            yield before[0].strip(" ."), after[0].strip(" .")


def holds(left: str, right: str) -> bool:
    """Whether both sides are equal, up to the decimals shown."""
    try:
        values = computed(left, {}), computed(right, {})
    except (SyntaxError, TypeError):  # not arithmetic after all, such as the end of a sentence
        return True
    assert all(isinstance(value, int | float) for value in values)
    shown = [decimals for side in (left, right) for decimals in re.findall(r"\.(\d+)", side)]
    unit = 10.0 ** -min(map(len, shown)) if shown else 0
    return abs(values[0] - values[1]) <= unit * max(1, abs(values[0]))  # type: ignore[operator] # numbers, as asserted


@each_family
def test_the_arithmetic_of_solutions_holds(family: Family) -> None:
    for question in drawn(family)[:20]:
        for language in Language:
            for step in question.solution:
                for left, right in equations(step.told(language)):
                    assert holds(left, right), step.told(language)


def test_most_solutions_have_arithmetic_to_check() -> None:
    checked = sum(
        1 for family in FAMILIES for step in drawn(family)[0].solution for _ in equations(step.told(Language.EN))
    )
    assert checked > 130


def test_wrong_arithmetic_would_be_seen() -> None:
    assert not holds("3 · 512²", "786,431")
    assert not holds("54.598 / 210.400", "0.269")
    assert [*equations("All four: 4 · 262,144 = 1,048,576 numbers.")] == [("4 · 262,144", "1,048,576")]


@each_family
def test_the_formula_of_a_slip_gives_its_number(family: Family) -> None:
    for question in drawn(family):
        names = {"d_model": question.parameters.get("d")} | letters(question.parameters)
        names |= {"d_k": names.get("k"), "d_v": names.get("v")}
        for slip in question.slips:
            if slip.formula:
                expected = computed(slip.formula, names)
                assert slip.value == pytest.approx(expected, rel=1e-9), f"{family.id}/{slip.id}: {slip.formula}"


@pytest.mark.parametrize(
    ("name", "without_bias", "with_bias", "cache_a_token"),
    [
        ("Transformer base", 1_048_576, 1_050_624, 12_288),
        ("Transformer big", 4_194_304, 4_198_400, 24_576),
        ("BERT base", 2_359_296, 2_362_368, None),
        ("BERT large", 4_194_304, 4_198_400, None),
        ("GPT-2 small", 2_359_296, 2_362_368, 36_864),
        ("GPT-2 medium", 4_194_304, 4_198_400, 98_304),
        ("GPT-2 large", 6_553_600, 6_558_720, 184_320),
        ("GPT-2 XL", 10_240_000, 10_246_400, 307_200),
        ("Llama-2-7B", 67_108_864, None, 524_288),
        ("Llama-3-8B", 41_943_040, None, 131_072),
        ("Llama-3-70B", 150_994_944, None, 327_680),
        ("T5-small", 1_048_576, None, 12_288),
        ("ViT-B/16", 2_359_296, 2_362_368, None),
    ],
)
def test_released_models(name: str, without_bias: int, with_bias: int | None, cache_a_token: int | None) -> None:
    (model,) = (model for model in MODELS if model.name == name)
    assert parameters(model.d, model.h, g=model.g) == without_bias
    if with_bias:
        assert parameters(model.d, model.h, g=model.g, bias=True) == with_bias
    assert model.caches == (cache_a_token is not None)
    if cache_a_token:
        assert model.layers * cache_nbytes(model.d, model.h, g=model.g, n=1, itemsize=2) == cache_a_token


def test_all_released_models_are_checked() -> None:
    assert len(MODELS) == 13


def test_published_numbers() -> None:
    assert [round(weight, 4) for weight in softmax_weights(4, 2, 5)] == [0.2595, 0.0351, 0.7054]
    assert 32 * cache_nbytes(4096, 32, g=32, n=4096, itemsize=2) == 2 * 2**30
    assert 32 * cache_nbytes(4096, 32, g=8, n=8192, itemsize=2) == 2**30
    assert run(d=512, h=32, B=1, n=4096, itemsize=2).nbytes("scores") == 1_073_741_824
    assert run(d=4096, h=32, g=8, n=8192).flops == 1_786_706_395_136


def test_models_are_asked_only_what_is_true_of_them() -> None:
    asked: dict[str, set[str]] = {model.name: set() for model in MODELS}
    for family in FAMILIES:
        for seed in range(100):
            prompt = family.draft(Random(seed)).prompt.en
            for model in MODELS:
                if re.search(rf"\b{model.name}\b", prompt):
                    asked[model.name].add(family.id)
    assert all(asked.values())
    free_widths_or_bare_numbers = {"A7", "A8", "A15", "B4", "B5", "D5", "E17", "E18"}
    softmax_alone = {f"E{i}" for i in (*range(1, 11), 14, 15, 16, 19, 20, 21, 22)}
    assert {family.id for family in FAMILIES} - set().union(*asked.values()) == (
        free_widths_or_bare_numbers | softmax_alone
    )
    assert not asked["T5-small"] & {"E2", "E11", "E12"}, "T5 does not divide by √d_k"
    for silent_on_biases in "Transformer base", "Transformer big":
        assert not asked[silent_on_biases] & {"B1", "B2", "B13", "D6"}
    for without_cross_attention_and_cache in "BERT base", "BERT large", "ViT-B/16":
        assert not asked[without_cross_attention_and_cache] & {"A6", "A9", "A11", "C13", "D2", "D3", "D4", "D7", "D8"}
    for grouped in "Llama-3-8B", "Llama-3-70B":
        assert asked[grouped] <= {"A11", "B6", "D2", "D3", "D4", "D7", "D8"}
