"""An exam: no verdicts before the end, then a report with what to read again."""

import io
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from random import Random

import pexpect
import pytest

from cards.model import Language
from cards.settings import Settings
from mha_quiz.choice import questions
from mha_quiz.claims.passages import read
from mha_quiz.families import FAMILIES
from mha_quiz.question import Family, Question, draw
from mha_quiz.rereading import Passage, to_read_again
from mha_quiz.terminal import Asked, Outcome, Tally, run_quiz

COMMAND = Path(sys.executable).with_name("mha-quiz")
BUNDLED = Path(__file__).parents[1] / "mha_quiz" / "notes"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    folders = {"XDG_DATA_HOME": str(tmp_path / "data"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    return {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "xterm", "NO_COLOR": "1", **folders}


def family(name: str) -> Family:
    return next(family for family in FAMILIES if family.id == name)


B1 = draw(family("B1"), 2)
E4 = draw(family("E4"), 0)


def sit(
    asked: Sequence[Question], typed: str, language: Language = Language.EN, *, count: int = 0
) -> tuple[str, Tally, list[str]]:
    """The text, the tally, and the families that were looked up in the notes."""
    stdout = io.StringIO()
    looked_up: list[str] = []

    def reread(ids: Sequence[str]) -> Mapping[str, Passage]:
        looked_up.extend(ids)
        return {"B1": Passage("heads.md:12", "Parameter count")}

    tally = run_quiz(
        map(Asked, asked),
        count=count or len(asked),
        opening=[],
        language=language,
        record=lambda one: None,
        reread=reread,
        clock=lambda: NOON,
        stdin=io.StringIO(typed),
        stdout=stdout,
        environ={},
    )
    return stdout.getvalue(), tally, looked_up


TYPED = "1,04\n50331648\n0.1\n4d^2\nskip\n67.1M\n"


def test_a_whole_exam_in_english() -> None:
    text, tally, looked_up = sit([B1, E4, B1, E4, B1], TYPED)

    asked, report = text.split("\nExam: ")
    assert (
        asked
        == """
1/5 · B1 all weights, no bias
Llama-2-7B has d_model = 4096 and 32 heads. How many parameters do W_Q, W_K, W_V
and W_O have together, without biases?
>\x20
  Not understood: cannot tell what the comma means; write 1.04 (at character 1).
  Nothing is counted, try again.
>\x20
  read as 50,331,648

2/5 · E4 equal scores
A query meets 4 keys, and all scores are equal. What weight does each key get?
Give 4 decimals.
>\x20
  read as 0.1

3/5 · B1 all weights, no bias
Llama-2-7B has d_model = 4096 and 32 heads. How many parameters do W_Q, W_K, W_V
and W_O have together, without biases?
>\x20
  read as 67,108,864 = 4d^2

4/5 · E4 equal scores
A query meets 4 keys, and all scores are equal. What weight does each key get?
Give 4 decimals.
>\x20

5/5 · B1 all weights, no bias
Llama-2-7B has d_model = 4096 and 32 heads. How many parameters do W_Q, W_K, W_V
and W_O have together, without biases?
>\x20
  read as 67,100,000 (M = 10^6)
"""
    )
    assert report.startswith(
        """1 of 5 right (20 %).
  parameters 1 of 3
  values     0 of 2

Question 1 · B1 all weights, no bias
Llama-2-7B has d_model = 4096 and 32 heads. How many parameters do W_Q, W_K, W_V
and W_O have together, without biases?
  You said 50,331,648. Right: 67,108,864 parameters.
  50,331,648 = 3 · 4096²: W_O was left out.
  1. 32 heads of width 128 fill 32 · 128 = 4096 columns, so each matrix is 4096
     × 4096: 4096² = 16,777,216.
  2. W_Q, W_K and W_V: 3 · 4096² = 50,331,648.
  3. W_O brings the joined heads back to d_model: 4096² = 16,777,216.
  4. Together 4 · 4096² = 67,108,864 parameters.
  Read again: heads.md:12 Parameter count

Question 2 · E4 equal scores
A query meets 4 keys, and all scores are equal. What weight does each key get?
Give 4 decimals.
  You said 0.1. Right: 0.2500.
  1. Equal scores s have equal exponentials e^s, so all 4 weights are equal.
"""
    )
    assert "  No answer. Right: 0.2500.\n" in report
    assert (
        "  You said 67,100,000 (M = 10^6). Right: 67,108,864 parameters.\n"
        "  Only rounded: the exact number was wanted.\n" in report
    )
    assert "Question 3" not in report
    outcomes = [Outcome.WRONG, Outcome.WRONG, Outcome.RIGHT, Outcome.SKIPPED, Outcome.TOO_COARSE]
    assert [one.outcome for one in tally.answered] == outcomes
    assert looked_up == ["B1", "E4", "E4", "B1"]


def test_a_whole_exam_in_hinglish() -> None:
    text, _, _ = sit([B1, E4, B1], "50331648\nchhodo\n67.1M\n", Language.HINGLISH, count=5)

    assert (
        text.split("\nExam: ")[1]
        == """3 mein se 0 sahi (0 %).
2 sawaal bina jawab ke reh gaye, unki ginti nahi.
  parameters 2 mein se 0
  values     1 mein se 0

Sawaal 1 · B1 saare weights, bina bias
Llama-2-7B mein d_model = 4096 hai aur 32 heads hain. Bina bias ke W_Q, W_K, W_V
aur W_O milakar kul kitne parameters hain?
  Aapka jawab: 50,331,648. Sahi jawab: 67,108,864 parameters.
  50,331,648 = 3 · 4096²: W_O chhoot gaya.
  1. 128 width wale 32 heads milkar 32 · 128 = 4096 columns bharte hain, yaani
     har matrix 4096 × 4096 hai: 4096² = 16,777,216.
  2. W_Q, W_K aur W_V: 3 · 4096² = 50,331,648.
  3. W_O jude hue heads ko wapas d_model par laata hai: 4096² = 16,777,216.
  4. Kul milakar 4 · 4096² = 67,108,864 parameters.
  Phir se padho: heads.md:12 Parameter count

Sawaal 2 · E4 barabar scores
Ek query ke saamne 4 keys hain aur saare scores barabar hain. Har key ko kitna
weight milta hai? Chaar decimals tak batao.
  Koi jawab nahi. Sahi jawab: 0.2500.
  1. Barabar scores s ke exponentials e^s bhi barabar hain, to saare 4 weights
     barabar hain.
  2. Inka sum 4 · e^s hai, aur har weight e^s / (4 · e^s).
  3. Har ek 1 / 4 = 0.2500 hai (chaar decimals).

Sawaal 3 · B1 saare weights, bina bias
Llama-2-7B mein d_model = 4096 hai aur 32 heads hain. Bina bias ke W_Q, W_K, W_V
aur W_O milakar kul kitne parameters hain?
  Aapka jawab: 67,100,000 (M = 10^6). Sahi jawab: 67,108,864 parameters.
  Sirf round kiya hua: poora exact number chahiye tha.
  1. 128 width wale 32 heads milkar 32 · 128 = 4096 columns bharte hain, yaani
     har matrix 4096 × 4096 hai: 4096² = 16,777,216.
  2. W_Q, W_K aur W_V: 3 · 4096² = 50,331,648.
  3. W_O jude hue heads ko wapas d_model par laata hai: 4096² = 16,777,216.
  4. Kul milakar 4 · 4096² = 67,108,864 parameters.
  Phir se padho: heads.md:12 Parameter count
"""
    )


def test_all_right_or_nothing_answered_reads_no_notes() -> None:
    text, _, looked_up = sit([B1], "67108864\n")
    assert text.endswith("\nExam: 1 of 1 right (100 %).\n  parameters 1 of 1\n")
    assert looked_up == []

    text, _, looked_up = sit([B1], "?\n1,04\n")
    assert text.endswith("\nExam: nothing was answered.\n1 question was left without an answer and does not count.\n")
    assert "skip: go on without an answer. quit: stop and see the report." in text
    assert looked_up == []


def exam(*options: str, typed: str, environ: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [COMMAND, "quiz", *options], input=typed.encode(), capture_output=True, env=environ, timeout=60, check=False
    )


@pytest.mark.parametrize("language", Language)
def test_through_a_pipe_in_an_ascii_locale(environ: dict[str, str], language: Language) -> None:
    ascii_only = environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    options = ["--exam", "3", "--theme", "parameters", "--seed", "8", "--lang", language.value]
    run = exam(*options, typed="7\n7\n7\n", environ=ascii_only)

    assert (run.returncode, run.stderr) == (0, b"")
    shown = " ".join(run.stdout.decode("ascii").split())
    assert ("0 of 3 right (0 %)" if language is Language.EN else "3 mein se 0 sahi (0 %)") in shown
    again = "Read again: " if language is Language.EN else "Phir se padho: "
    name = "multi-head-attention.md" if language is Language.EN else "multi-head-attention.hinglish.md"
    assert re.search(rf"{again}{re.escape(name)}:\d+ Parameter count", shown)


def test_what_to_read_again_is_looked_for_in_the_notes_given(environ: dict[str, str], tmp_path: Path) -> None:
    note = tmp_path / "layer.md"
    note.write_text("# Layer\n\nA layer: d_model = 48, h = 3.\n\n## How many parameters?\n\nCount.\n", encoding="utf-8")
    run = exam(str(note), "--exam", "1", "--family", "B1", typed="1\n", environ=environ | {"COLUMNS": "200"})

    text = run.stdout.decode()
    assert "1/1 · B1 all weights, no bias · from your note, line 3\n" in text
    assert "You said 1. Right: 9,216 parameters.\n" in text
    assert text.endswith(f"  Read again: {note}:5 How many parameters?\n")


@pytest.mark.parametrize(
    ("language", "told"), [("en", "from your note layer.md, line 1"), ("hinglish", "aapke note layer.md se, line 1")]
)
def test_of_a_folder_the_file_is_named(environ: dict[str, str], tmp_path: Path, language: str, told: str) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "layer.md").write_text("A layer: d_model = 48, h = 3.\n", encoding="utf-8")
    options = ["--exam", "1", "--family", "B1", "--lang", language]
    run = exam(str(tmp_path / "notes"), *options, typed="", environ=environ)

    assert f" · {told}\n" in run.stdout.decode()


def test_nothing_is_shown_where_the_notes_say_nothing(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "plants.md").write_text("# Plants\n\nLight :: makes sugar\n", encoding="utf-8")
    run = exam(str(tmp_path / "plants.md"), "--exam", "1", "--family", "B1", typed="1\n", environ=environ)

    assert "Read again" not in run.stdout.decode()
    assert "Your notes give no layer to take numbers from" in run.stdout.decode()


@pytest.mark.parametrize(
    ("family_id", "line"),
    [
        *(("B1", 134), ("B8", 171), ("C6", 158), ("E11", 56), ("A15", 193), ("D3", 279), ("E10", 50)),
        *(("C5", 152), ("E12", 52), ("A7", 94)),
        *(("E22", None), ("E19", None), ("C14", None), ("E5", None)),
    ],
)
def test_where_the_bundled_note_speaks_of_a_family(family_id: str, line: int | None) -> None:
    text = (BUNDLED / "multi-head-attention.md").read_text(encoding="utf-8")
    found = to_read_again(family_id, [read(text, "note.md", Settings(), page=False)])
    assert (found and found.place) == (line and f"note.md:{line}")


def test_the_line_of_a_paragraph_is_told() -> None:
    text = "## Costs\n\nFLOPs of all projections.\nThe scores take 32 MiB of memory.\nA third line.\n"

    found = to_read_again("D1", [read(text, "note.md", Settings(), page=False)])
    assert found == Passage("note.md:4", "Costs")


def test_a_chapter_on_costs_teaches_no_shapes() -> None:
    text = "## Complexity\n\n- Scores $Q K^T$: $n^2 d$ in all\n"

    reading = [read(text, "note.md", Settings(), page=False)]
    assert to_read_again("A5", reading) is None
    assert to_read_again("C2", reading) == Passage("note.md:3", "Complexity")


def terminal(*options: str, environ: Mapping[str, str]) -> "pexpect.spawn[str]":
    child = pexpect.spawn(
        str(COMMAND), ["quiz", *options], env=environ, dimensions=(40, 80), timeout=30, encoding="utf-8"
    )
    child.delaybeforesend = None
    return child


def test_on_a_terminal_nothing_is_judged_before_the_end(environ: dict[str, str]) -> None:
    right = [question.answer for question in islice(questions([family("B1"), family("E4")], Random(9)), 2)]
    child = terminal("--exam", "2", "--family", "B1", "--family", "E4", "--seed", "9", environ=environ)
    child.expect("Exam: no verdicts before the end.")
    for answer in (right[0], 0.5):
        child.expect("> ")
        child.sendline(str(answer))
    child.expect(r"Exam: 1 of 2 right \(50 %\)\.")
    assert "Right." not in child.before
    assert "Wrong." not in child.before
    child.expect("Read again: ")
    child.expect(pexpect.EOF)
    child.close()
    assert (child.exitstatus, child.signalstatus) == (0, None)


@pytest.mark.parametrize(("end", "status"), [("eof", 0), ("intr", 130)])
def test_leaving_early_tells_the_report_so_far(environ: dict[str, str], end: str, status: int) -> None:
    child = terminal("--exam", "5", "--family", "B1", "--seed", "9", environ=environ)
    child.expect("> ")
    child.sendline("7")
    child.expect("2/5")
    child.expect("> ")
    child.sendeof() if end == "eof" else child.sendintr()
    child.expect(r"Exam: 0 of 1 right \(0 %\)\.")
    child.expect("4 questions were left without an answer and do not count.")
    child.expect("You said 7. Right: ")
    child.expect(pexpect.EOF)
    assert "Traceback" not in child.before
    child.close()
    assert (child.exitstatus, child.signalstatus) == (status, None)


def test_a_note_is_read_once_and_again_when_it_changed(environ: dict[str, str], tmp_path: Path) -> None:
    note = tmp_path / "layer.md"
    for width, answer in ((48, 9216), (48, 9216), (96, 36864)):
        note.write_text(f"# Layer\n\nA layer: d_model = {width}, h = 3.\n", encoding="utf-8")
        run = exam(str(note), "--exam", "1", "--family", "B1", typed=f"{answer}\n", environ=environ)
        assert "1 of 1 right" in run.stdout.decode()
    assert list((tmp_path / "cache" / "mha-quiz").iterdir())
