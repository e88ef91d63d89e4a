"""Typed text → number or shape: the golden table, the limits, and no text that breaks the reader."""

import json
import re
from fractions import Fraction
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards.model import Language
from mha_quiz.answers import Number, Reading, Shape, Unreadable, read, reading_json

TABLE = Path(__file__).parent / "data" / "answers.md"
CASES = Path(__file__).parents[2] / "shared" / "cases" / "answers.json"

ROW = re.compile(r"\| `(?P<typed>.*)` \| (?P<names>[^|]*) \| (?P<unit>[^|]*) \| (?P<outcome>[^|]*) \|")


def golden_rows() -> list[tuple[str, str, dict[str, int | float], str | None, str]]:
    """Typed text, want, names, unit and outcome of each row."""
    rows = []
    want = "number"
    for line in TABLE.read_text(encoding="utf-8").split("\n"):
        if line.startswith("## "):
            want = "shape" if "shape" in line.lower() else "number"
        elif match := ROW.fullmatch(line):
            names = dict(pair.split("=") for pair in match["names"].split())
            unit = {"any": None, "bare": ""}.get(match["unit"], match["unit"])
            numbers = {name: json.loads(number) for name, number in names.items()}
            rows.append((match["typed"], want, numbers, unit, match["outcome"]))
    return rows


def outcome(reading: Reading) -> str:
    return f"refused: {reading.reason.en}" if isinstance(reading, Unreadable) else reading.read_as


def test_the_table_is_read_whole():
    lines = TABLE.read_text(encoding="utf-8").split("\n")
    assert len(golden_rows()) == sum(line.startswith("| `") for line in lines) > 300


@pytest.mark.parametrize(("typed", "want", "names", "unit", "expected"), golden_rows())
def test_golden(typed, want, names, unit, expected):
    assert outcome(read(typed, want=want, names=names, unit=unit)) == expected


@pytest.mark.skipif(not CASES.exists(), reason="the prepared cases lie beside the checkout")
def test_prepared_cases():
    wrong = []
    for case in json.loads(CASES.read_text(encoding="utf-8")):
        answer = reading_json(read(case["text"], want=case["want"], names=case.get("names")), Language.EN)
        if (answer["unreadable"], answer["value"]) != (case.get("unreadable", False), case.get("value")):
            wrong.append((case["text"], answer))
    assert wrong == []


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("1/3", "1/3"),
        ("−3.5", "-7/2"),
        ("12.5%", "1/8"),
        ("0.1+0.2", "3/10"),
        ("2^400", str(2**400)),
        ("1e-3", "1/1000"),
    ],
)
def test_rational_values_are_exact(typed, value):
    reading = read(typed, want="number")
    assert isinstance(reading, Number)
    assert (str(reading.value), reading.exact) == (value, True)


@pytest.mark.parametrize(
    ("typed", "square"), [("sqrt(2)", 2), ("√(3)*√(5)", 15), ("2^(1/2)", 2), ("exp(ln(7)/2)", 7), ("100^0.25", 10)]
)
def test_irrational_values_have_sixty_digits(typed, square):
    reading = read(typed, want="number")
    assert isinstance(reading, Number)
    assert not reading.exact
    assert abs(reading.value**2 - square) < Fraction(1, 10**55)


def test_logarithms_and_exponentials():
    """Forty digits computed by hand from the series of e."""
    e = sum(Fraction(1, factorial) for factorial in _factorials(40))
    for typed in ("e", "exp(1)", "e^1"):
        reading = read(typed, want="number")
        assert isinstance(reading, Number)
        assert abs(reading.value - e) < Fraction(1, 10**40)
    log = read("ln(10)/ln(2) - log2(10)", want="number")
    assert isinstance(log, Number)
    assert abs(log.value) < Fraction(1, 10**50)


def _factorials(count: int) -> list[int]:
    factorials = [1]
    for n in range(1, count):
        factorials.append(factorials[-1] * n)
    return factorials


def test_reasons_in_both_languages():
    reading = read("1,23", want="number")
    assert reading_json(reading, Language.EN) == {
        "unreadable": True,
        "value": None,
        "read_as": None,
        "message": "cannot tell what the comma means; write 1.23 (at character 1)",
    }
    assert (
        reading_json(reading, Language.HINGLISH)["message"]
        == "pata nahi comma ka matlab kya hai; 1.23 likho (character 1 par)"
    )


def test_json_of_readable_answers():
    assert reading_json(read("2.5", want="number"), Language.EN) == {
        "unreadable": False,
        "value": "5/2",
        "read_as": "2.5",
        "message": "read as 2.5",
    }
    assert reading_json(read("10x64", want="shape"), Language.HINGLISH) == {
        "unreadable": False,
        "value": [10, 64],
        "read_as": "(10, 64)",
        "message": "Padha gaya: (10, 64)",
    }


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("\x1b[A", "`U+001B` not understood (at character 1)"),
        ("12\x00", "`U+0000` not understood (at character 3)"),
        ("4\n5", "two answers; give one (at character 3)"),
        ("\udce2", "`U+DCE2` not understood (at character 1)"),
        ("+".join("1" * 65), "more than 64 numbers and names"),
        ("(" * 61 + "1" + ")" * 61, "more than 60 levels of brackets, signs and powers (at character 61)"),
        ("-" * 70 + "1", "more than 60 levels of brackets, signs and powers (at character 61)"),
        ("√" * 70 + "1", "more than 60 levels of brackets, signs and powers (at character 61)"),
        ("2^" * 61 + "1", "more than 60 levels of brackets, signs and powers (at character 122)"),
        ("exp " * 49 + "1", "number too large"),
        ("10^400*10^400*10^400*10^400", "number too large"),
        ("1/10^400/10^400/10^400/10^400", "number too close to zero"),
        ("(1/3)^400*(1/3)^400*(1/3)^400*(1/3)^400*(1/3)^400*(1/3)^400*(1/3)^400", "number too close to zero"),
        ("x" * 100_000, "longer than 200 characters"),
        (" " * 10_000_000, "no answer"),
        (" " * 300 + "4q", "unknown name `q` (at character 302)"),
        (" 2²3", "`3` not understood (at character 4)"),
    ],
)
def test_limits(typed, reason):
    assert outcome(read(typed, want="number")) == f"refused: {reason}"


def test_a_power_out_of_reach_is_not_computed():
    def seconds() -> float:
        start = process_time()
        assert outcome(read("(1+1/(10^400*10^400*9^400))^400", want="number")) == "refused: number too large"
        return process_time() - start

    assert min(seconds() for _ in range(3)) < 0.1  # the best of three: a garbage collection may fall into one


def test_up_to_the_limits():
    assert outcome(read("+".join("1" * 64), want="number")) == "64"
    assert outcome(read("(" * 60 + "1" + ")" * 60, want="number")) == "1"
    assert outcome(read("9" * 200, want="number")) == "≈ 1e+200"


SIGNS = "0123456789.,_' +-*/^%()[]xX×·÷√½²⁻³₂=≈kKMGTBbedhn१４\u200b\u202f"
WORDS = ("**", "//", "sqrt", "ln", "log2", "exp", "pi", "lakh", "MiB", "params", "heads", "or", "torch.Size(", "shape=")
PIECES = st.sampled_from([*SIGNS, *WORDS, "1e", "400", "999", "d_k"])
WANTS = st.sampled_from(["number", "shape"])
UNITS = st.sampled_from([None, "", "bytes", "GiB", "parameters"])
NAMES = {"d": 512, "h": 8, "k": 64, "e": 96, "x": 0.5, "B": 2}


@settings(deadline=None)  # time is measured below, without the machine's other work
@given(st.lists(PIECES, max_size=60).map("".join) | st.text(max_size=210), WANTS, UNITS)
def test_any_text_is_read_or_refused_at_once(typed, want, unit):
    start = process_time()
    reading = read(typed, want=want, names=NAMES, unit=unit)
    assert process_time() - start < 1
    assert reading_json(reading, Language.EN)["message"]
    if isinstance(reading, Shape):
        assert all(axis >= 1 for axis in reading.axes)
    if isinstance(reading, Number):
        assert max(reading.value.numerator.bit_length(), reading.value.denominator.bit_length()) <= 4096 + 31


def indian(number: int) -> str:
    digits = str(number)
    head, tail = digits[:-3], digits[-3:]
    pairs = []
    while head:
        pairs.insert(0, head[-2:])
        head = head[:-2]
    return ",".join([*pairs, tail])


@given(st.integers(0, 10**40), st.sampled_from([",", "_", " ", "'", "\u2009", "\u202f"]))
def test_grouped_integers_come_back(number, mark):
    for typed in (str(number), f"{number:,}".replace(",", mark), indian(number), f"-{number:,}"):
        reading = read(typed, want="number")
        assert isinstance(reading, Number), typed
        assert abs(reading.value) == number
        assert reading.value == (-number if typed.startswith("-") else number)


@given(st.lists(st.integers(1, 10**9), max_size=8), st.sampled_from(["({})", "[{}]", "torch.Size([{}])", "shape=({})"]))
def test_shapes_come_back(axes, frame):
    reading = read(frame.format(", ".join(map(str, axes))), want="shape")
    assert isinstance(reading, Shape)
    assert reading.axes == tuple(axes)
    assert read(reading.read_as, want="shape") == reading


@given(st.decimals(0, 10**9, places=4))
def test_decimals_are_exact(number):
    reading = read(f"{number}", want="number")
    assert isinstance(reading, Number)
    assert reading.value == Fraction(str(number))
