"""Claims of notes: own golden tables, whole messages, the bundled notes, and properties."""

import json
import re
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards import pasted
from cards.settings import Settings
from mha_quiz.claims import Claim, Verdict, check, claim_json, problems

TABLES = Path(__file__).parent / "data" / "claims"
SHARED = Path(__file__).parents[2] / "shared"
BUNDLED = Path(__file__).parents[1] / "mha_quiz" / "notes"
CASE = re.compile(r"^# ([^\n]+)\n\n~~~ note\n(.*?)\n~~~\n\n?((?:- [^\n]*\n)*)", re.MULTILINE | re.DOTALL)


def claims_in(text: str, path: str = "note.md") -> tuple[Claim, ...]:
    return check(text, path, Settings(), page=pasted.is_page(text, Settings()))


def cases(name: str) -> Iterator[object]:
    table = (TABLES / name).read_text(encoding="utf-8")
    found = list(CASE.finditer(table))
    assert len(found) == len(
        re.findall(r"^# ", re.sub(r"~~~ note.*?\n~~~\n", "", table, flags=re.DOTALL), re.MULTILINE)
    )
    for case in found:
        yield pytest.param(case[2], case[3].splitlines(), id=case[1])


@pytest.mark.parametrize(("note", "expected"), [*cases("wrong.md"), *cases("right.md")])
def test_golden_tables(note: str, expected: list[str]) -> None:
    """Each line of a case is `- LINE VERDICT PART OF WHAT IS RIGHT`; claims that hold need not be named."""
    left = list(claims_in(note))
    for wanted in expected:
        line, verdict, *right = wanted.removeprefix("- ").split(" ", 2)
        fitting = [
            claim
            for claim in left
            if claim.place.line == int(line) and claim.verdict == verdict and "".join(right) in claim.right
        ]
        assert fitting, (wanted, left)
        left.remove(fitting[0])
    assert [claim for claim in left if claim.verdict is not Verdict.HOLDS] == []


def test_the_problem_says_what_was_stated_and_what_is_right() -> None:
    note = "# Count\n\nEvery head has $d_k = 768 / 12 = 54$ columns, and $64 = 8$.\n"

    assert [str(problem) for problem in problems(claims_in(note))] == [
        "note.md:3:16: $d_k = 768 / 12 = 54$ does not hold: it comes to 64, not 54",
        "note.md:3:51: $64 = 8$ does not hold: the square root is lost: 64 is not 8, √64 is; right is √64 = 8",
    ]
    assert {problem.code for problem in problems(claims_in(note))} == {"false-claim"}


def test_a_claim_as_json() -> None:
    (claim,) = claims_in("So $2 + 2 = 5$.\n")

    assert claim_json(claim) == {
        "path": "note.md",
        "line": 1,
        "column": 4,
        "text": "$2 + 2 = 5$",
        "verdict": "fails",
        "right": "4",
        "why": "it comes to 4, not 5",
    }


def test_a_formula_over_several_lines() -> None:
    note = "> $$\n> 3 \\cdot 4\n> = 13\n> $$\n"

    (claim,) = claims_in(note)
    assert (claim.place.line, claim.last_line, claim.verdict, claim.right) == (1, 4, Verdict.FAILS, "12")


def test_places_in_a_pasted_page() -> None:
    page = (TABLES / "page.txt").read_text(encoding="utf-8")
    assert pasted.is_page(page, Settings())

    failing = [claim for claim in claims_in(page, "page.txt") if claim.verdict is Verdict.FAILS]

    lines = page.split("\n")
    for claim in failing:
        assert lines[claim.place.line - 1][claim.place.column - 1 :].startswith(claim.text)
    assert [(claim.place.line, claim.text, claim.right) for claim in failing] == [
        (16, "$d _{k} = 96/4 = 25$", "24"),
        (19, "$Q _{i} K _{i}^{T} \\in R ^{5 \\times 24}$", "5 × 5"),
        (20, "$16 = 4$", "√16 = 4"),
    ]


def test_windows_lines_and_a_byte_order_mark_keep_places() -> None:
    note = "\ufeff# A\r\n\r\nSo $2 + 2 = 5$.\r\n"

    (claim,) = claims_in(note)
    assert (claim.place.line, claim.place.column, claim.text) == (3, 4, "$2 + 2 = 5$")


@pytest.mark.parametrize("name", ["multi-head-attention.md", "multi-head-attention.hinglish.md"])
def test_the_bundled_notes_hold(name: str) -> None:
    claims = claims_in((BUNDLED / name).read_text(encoding="utf-8"), name)

    assert len(claims) > 40
    assert [claim for claim in claims if claim.verdict is not Verdict.HOLDS] == []


def test_a_changed_digit_in_a_bundled_equality_is_told() -> None:
    """The last digit of the last number of each chain."""
    note = (BUNDLED / "multi-head-attention.md").read_text(encoding="utf-8")
    before = [claim for claim in claims_in(note) if re.fullmatch(r"\$+[^$]*=[^$]*\$+", claim.text)]
    lines = note.split("\n")
    untold = []
    for claim in before[::3]:
        last = max(match.start() for match in re.finditer(r"\d(?=\D*$)", claim.text))
        changed = claim.text[:last] + str((int(claim.text[last]) + 1) % 10) + claim.text[last + 1 :]
        row, start = claim.place.line - 1, claim.place.column - 1
        mutated = [*lines]
        mutated[row] = lines[row][:start] + changed + lines[row][start + len(claim.text) :]
        after = claims_in("\n".join(mutated))
        if not any(other.place == claim.place and other.verdict is Verdict.FAILS for other in after):
            untold.append(claim.text)
    assert len(before) >= 25
    assert untold == []


# Properties


numbers = st.integers(1, 5000)


@given(st.lists(numbers, min_size=2, max_size=4), st.sampled_from(["+", r"\cdot", r"\times"]), st.data())
@settings(max_examples=50, deadline=None)
def test_a_changed_digit_fails_with_the_right_value(terms: list[int], sign: str, data: st.DataObject) -> None:
    value = sum(terms) if sign == "+" else 1
    if sign != "+":
        for term in terms:
            value *= term
    left = f" {sign} ".join(map(str, terms))
    (claim,) = claims_in(f"So ${left} = {value}$ here.\n")
    assert (claim.verdict, claim.right) == (Verdict.HOLDS, f"{value:,}")

    digits = str(value)
    at = data.draw(st.integers(0, len(digits) - 1))
    wrong = digits[:at] + str((int(digits[at]) + data.draw(st.integers(1, 9))) % 10) + digits[at + 1 :]
    (claim,) = claims_in(f"So ${left} = {wrong}$ here.\n")
    assert (claim.verdict, claim.right) == (Verdict.FAILS, f"{value:,}")


@given(st.integers(1, 999), st.integers(1, 99), st.integers(1, 4))
@settings(max_examples=50, deadline=None)
def test_rounding_is_exact(top: int, bottom: int, places: int) -> None:
    """A quotient rounded to the places shown holds; two units off at the last place fails."""
    value = Fraction(top, bottom)
    rounded = round(value * 10**places)

    def shown(units: int) -> str:
        return f"{units // 10**places}.{units % 10**places:0{places}d}"

    (claim,) = claims_in(f"${top} / {bottom} = {shown(rounded)}$\n")
    assert claim.verdict is Verdict.HOLDS
    (claim,) = claims_in(f"${top} / {bottom} = {shown(rounded + 2)}$\n")
    assert claim.verdict is Verdict.FAILS


TEX = r"""$ $$ \frac { } _ ^ ( ) [ ] = ≈ \approx + - * × \times / √ \sqrt softmax \text{softmax} Q K^T d_k d_{model} h n 512
8 0.5 1{,}024 10,512 \in \mathbb{R} \dots … weights scores sum parameters bytes cache heads layers tokens shape | > # -
-\infty -inf % ! e^ \\ & GiB million lakh ² ₖ == :: O( \left( \right) , and . ** ~ ` 0 1/0 ^{99999} 10^{400} \sqrt{-1} BERT"""
PIECES = (*TEX.split(), "\n", "\n\n", "\n| a | b |\n|--|--|\n", "9" * 400, "\x00", "१२")


@given(st.lists(st.sampled_from(PIECES), max_size=60), st.sampled_from(["", " "]))
@settings(max_examples=100, deadline=None)
def test_no_text_raises(pieces: list[str], blank: str) -> None:
    text = blank.join(pieces)
    for claim in claims_in(text):
        assert 1 <= claim.place.line <= claim.last_line <= text.count("\n") + 1


@given(st.text(max_size=300))
@settings(max_examples=60, deadline=None)
def test_no_characters_raise(text: str) -> None:
    claims_in(text)


@pytest.mark.parametrize(
    "piece",
    [
        "$2 \\cdot 3 = 6$ and ",
        "$\\text{softmax}(QK^T/d_k)$ ",
        "- $n = 3$ and $n^2 = 9$\n",
        "$n = 3$, $n = 4$, $n^2 = 9$, ",
        "weights 0.2, 0.3, 0.5 sum to 1 ",
        "$\\,$",
        "n = 7: n² = 49, ",
        "$(a+b)^6 = (a+b)^5 (a + b)$ ",
        "9^9^9^9 = 9^9^9 ",
        "| 3 | 4 | 7 |\n",
        "multi-head attention with $d_{model} = 512$ and 8 heads has 1,048,576 parameters ",
        "d_model = 512, h = 8, so d_k = 46 ",
        "concat 8 heads 10 × 64 ",
        "the softmax of 2, 1 and 0 is ",
        "e^1 = 2.718, sum = 3, ",
        "variance of q·k for d_k = 64 is ",
        "7B in fp16 takes 14 GB ",
        "causal mask over 5 tokens on on leaves 10 ",
    ],
)
def test_time_grows_with_the_length(piece: str) -> None:
    def seconds(length: int) -> float:
        text = piece * (length // len(piece))
        start = time.process_time()
        check(text, "note.md", Settings(), page=False)
        return time.process_time() - start

    seconds(1000)
    assert seconds(16_000) < 10 * seconds(4_000) + 0.5  # 4 times the length; 16 would be quadratic


@pytest.mark.parametrize("power", ["(a+b)^{7}", "(a+b+c+d+e)^4", "(a+b)^6 (a+b)^6 (a+b)^6 (a+b)^6 (a+b)^6"])
def test_large_polynomials_are_not_worked_out(power: str) -> None:
    assert claims_in(f"${power} = a + b$\n") == ()


# The prepared cases, where they are


def numbers_in(text: str) -> set[float]:
    return {float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", text)}


def assert_as_expected(claims: tuple[Claim, ...], expected: list[dict[str, object]]) -> None:
    def within(claim: Claim, wanted: dict[str, object]) -> bool:
        return int(str(wanted["line"])) <= claim.place.line <= int(str(wanted.get("to", wanted["line"])))

    for wanted in expected:
        here = [claim for claim in claims if within(claim, wanted)]
        fitting = [claim for claim in here if claim.verdict == wanted["verdict"]]
        assert fitting or wanted.get("optional"), (wanted, here)
        if wanted["verdict"] == "fails":
            right = {float(number) for number in wanted.get("right_numbers", [])}  # type: ignore[attr-defined]  # JSON
            assert any(right <= numbers_in(claim.right) for claim in fitting), (wanted, fitting)
    wrong = [wanted for wanted in expected if wanted["verdict"] == "fails"]
    alarms = [claim for claim in claims if claim.verdict is Verdict.FAILS]
    assert [claim for claim in alarms if not any(within(claim, wanted) for wanted in wrong)] == []


@pytest.mark.skipif(not (SHARED / "cases" / "claims.json").exists(), reason="no prepared cases here")
def test_prepared_cases() -> None:
    for case in json.loads((SHARED / "cases" / "claims.json").read_text(encoding="utf-8")):
        for name, text in case["files"].items():
            assert_as_expected(claims_in(text, name), case["claims"])


@pytest.mark.skipif(not (SHARED / "golden" / "claims.json").exists(), reason="no golden claims here")
def test_golden_pages() -> None:
    golden = json.loads((SHARED / "golden" / "claims.json").read_text(encoding="utf-8"))
    for name in {entry["file"] for entry in golden}:
        page = (SHARED / "seeds" / name).read_text(encoding="utf-8")
        assert_as_expected(claims_in(page, name), [entry for entry in golden if entry["file"] == name])
