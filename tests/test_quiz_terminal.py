"""A quiz as the learner sees it: whole transcripts, pipes, an ASCII locale, and a real terminal with its keys."""

import io
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from random import Random

import pexpect
import pytest

from cards.model import Language
from mha_quiz import quiz_wording
from mha_quiz.choice import questions
from mha_quiz.families import FAMILIES
from mha_quiz.plaintext import ascii_text
from mha_quiz.question import AnswerKind, Question, Slip, Text, Theme, draw
from mha_quiz.question_text import value_text
from mha_quiz.terminal import HELP, QUIT, SHOW, Asked, Outcome, Tally, run_quiz
from mha_quiz.verdicts import names_of


@pytest.fixture(autouse=True)
def own_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers are recorded; not in the history of who runs the tests."""
    for environ in (ENVIRON, ASCII):
        monkeypatch.setitem(environ, "XDG_DATA_HOME", str(tmp_path / "data"))


COMMAND = Path(sys.executable).with_name("mha-quiz")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ENVIRON = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "xterm"}
ASCII = {"PATH": os.environ["PATH"], "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "TERM": "xterm"}

WEIGHTS = Question(
    family="B1",
    version=1,
    seed=0,
    theme=Theme.PARAMETERS,
    title=Text("all weights", "saare weights"),
    parameters={"d": 512, "h": 8},
    prompt=Text("d_model = 512 and 8 heads: how many weights?", "d_model = 512, 8 heads: kitne weights?"),
    answer=1048576,
    answer_kind=AnswerKind.INTEGER,
    precision=None,
    unit="parameters",
    slips=(Slip("no-out", 786432, "3 · 512²", "W_O was left out", "W_O chhoot gaya"),),
    solution=(
        Text("Four matrices of 512².", "512² ke chaar matrices."),
        Text("So 1,048,576.", "Yaani 1,048,576."),
    ),
    redraws=0,
)
HALF = Question(
    family="E4",
    version=1,
    seed=0,
    theme=Theme.VALUES,
    title=Text("equal scores", "barabar scores"),
    parameters={"n": 3},
    prompt=Text("Three equal scores: each weight? Give 3 decimals.", "Teen barabar scores: weight? Teen decimals tak."),
    answer=1 / 3,
    answer_kind=AnswerKind.REAL,
    precision=3,
    unit=None,
    slips=(),
    solution=(Text("1 / 3 = 0.333.", "1 / 3 = 0.333."),),
    redraws=0,
)


def play(
    asked: Sequence[Question], typed: str, language: Language = Language.EN, environ: dict[str, str] | None = None
) -> tuple[str, Tally]:
    stdout = io.StringIO()
    tally = run_quiz(
        map(Asked, asked),
        count=len(asked),
        opening=[quiz_wording.start(7)],
        language=language,
        record=lambda one: None,
        clock=lambda: NOON,
        stdin=io.StringIO(typed),
        stdout=stdout,
        environ=environ or {},
    )
    return stdout.getvalue(), tally


def test_a_whole_quiz_in_english():
    text, tally = play([WEIGHTS, HALF, WEIGHTS, HALF], "1,04\n4d^2\n0.33\n0.333\n786432\nshow\n")
    assert (
        text
        == """\
Type ? for help, quit to stop. --seed 7 asks the same questions again.

1/4 · B1 all weights
d_model = 512 and 8 heads: how many weights?
>\x20
  Not understood: cannot tell what the comma means; write 1.04 (at character 1).
  Nothing is counted, try again.
>\x20
  read as 1,048,576 = 4d^2
  Right.

2/4 · E4 equal scores
Three equal scores: each weight? Give 3 decimals.
>\x20
  read as 0.33
  Close, but not exact enough: 3 decimals must be right.
>\x20
  read as 0.333
  Right. 0.33284 to 0.33383 counts.

3/4 · B1 all weights
d_model = 512 and 8 heads: how many weights?
>\x20
  read as 786,432
  Wrong. 786,432 = 3 · 512²: W_O was left out.
  1. Four matrices of 512².
  2. So 1,048,576.

4/4 · E4 equal scores
Three equal scores: each weight? Give 3 decimals.
>\x20
  1. 1 / 3 = 0.333.

4 questions: 1 right at once, 1 right on the second try, 1 wrong, 1 skipped.
Slips met:
  B1/no-out: W_O was left out
"""
    )
    assert [(one.question, one.outcome, [slip.id for slip in one.slips]) for one in tally.answered] == [
        (WEIGHTS, Outcome.RIGHT, []),
        (HALF, Outcome.RIGHT_AFTER_RETRY, []),
        (WEIGHTS, Outcome.WRONG, ["no-out"]),
        (HALF, Outcome.SKIPPED, []),
    ]
    assert not tally.interrupted


def test_a_whole_quiz_in_hinglish():
    text, _ = play(
        [WEIGHTS, HALF, WEIGHTS, WEIGHTS, HALF], "\n1,04\n4d^2\n0.33\n0.34\n786432\n786432\ndikhao\n", Language.HINGLISH
    )
    assert (
        text
        == """\
Madad ke liye ? likho, rukne ke liye bas. --seed 7 se yahi sawaal phir aayenge.

1/5 · B1 saare weights
d_model = 512, 8 heads: kitne weights?
>\x20
  Abhi koi jawab nahi. Jawab likho, ya madad ke liye ? likho.
>\x20
  Yeh samajh nahi aaya: pata nahi comma ka matlab kya hai; 1.04 likho (character
  1 par). Ginti nahi hui, phir se likho.
>\x20
  Padha gaya: 1,048,576 = 4d^2
  Sahi!

2/5 · E4 barabar scores
Teen barabar scores: weight? Teen decimals tak.
>\x20
  Padha gaya: 0.33
  Kareeb hai, par 3 decimals sahi hone chahiye.
>\x20
  Padha gaya: 0.34
  Galat. 0.33284 se 0.33383 tak sahi maana jaata hai.
  1. 1 / 3 = 0.333.

3/5 · B1 saare weights
d_model = 512, 8 heads: kitne weights?
>\x20
  Padha gaya: 786,432
  Galat. 786,432 = 3 · 512²: W_O chhoot gaya.
  1. 512² ke chaar matrices.
  2. Yaani 1,048,576.

4/5 · B1 saare weights
d_model = 512, 8 heads: kitne weights?
>\x20
  Padha gaya: 786,432
  Galat. 786,432 = 3 · 512²: W_O chhoot gaya.
  1. 512² ke chaar matrices.
  2. Yaani 1,048,576.

5/5 · E4 barabar scores
Teen barabar scores: weight? Teen decimals tak.
>\x20
  1. 1 / 3 = 0.333.

5 sawaal: 1 pehli baar mein sahi, 3 galat, 1 chhode hue.
Yeh galtiyan hui:
  B1/no-out, 2×: W_O chhoot gaya
"""
    )


def test_too_coarse_twice_and_a_skip_after_too_coarse():
    text, tally = play([WEIGHTS, WEIGHTS], "1M\n1.05M\n1M\nskip\n")
    assert [one.outcome for one in tally.answered] == [Outcome.TOO_COARSE, Outcome.SKIPPED]
    assert text.count("Close, but rounded: give the exact number.") == 3
    assert text.count("2. So 1,048,576.") == 2
    assert text.endswith("2 questions: 0 right at once, 1 only rounded, 0 wrong, 1 skipped.\n")


@pytest.mark.parametrize("typed", ["", "quit\n", "1,04\n", "?\n", "1M\n", "BAS\n"])
def test_leaving_a_question_open_counts_nothing(typed):
    text, tally = play([WEIGHTS], typed)
    assert tally == Tally((), interrupted=False)
    assert text.endswith(
        "\n0 questions: 0 right at once, 0 wrong.\nThe last question was left open and does not count.\n"
    )


def test_help_tells_the_forms_the_names_and_the_commands():
    text, _ = play([WEIGHTS], "?\n")
    assert (
        """\
  Type a number: 1048576, 1,048,576, 2^20, 4*512^2, 1/3, 12.5%, 1.5M or, for
  bytes, 64 MiB.
  You may use the question's own names: d, h, d_model, d_k.
  show: see the solution and go on. quit: stop and see the tally.
"""
        in text
    )


def test_no_command_is_an_answer():
    names = {name.casefold() for family in FAMILIES for seed in range(5) for name in names_of(draw(family, seed))}
    assert not names & {*HELP, *SHOW, *QUIT}


def test_the_last_line_of_a_pipe_may_lack_its_end():
    _, tally = play([WEIGHTS], "1048576")
    assert [one.outcome for one in tally.answered] == [Outcome.RIGHT]


@pytest.mark.parametrize("columns", [20, 40, 57, 80, 200])
def test_lines_fit_the_width(columns):
    asked = list(islice(questions(FAMILIES, Random(columns)), 12))
    text, tally = play(asked, "?\n0.5 apples\n1\n1\n" * 12, environ={"COLUMNS": str(columns)})
    assert len(tally.answered) > 5
    assert max(map(len, text.split("\n"))) <= columns
    assert max(map(len, text.split("\n"))) > min(columns, 80) - 20


@pytest.mark.parametrize(("columns", "width"), [("5", 20), ("1000", 200), ("0", 80), ("wide", 80)])
def test_width_has_bounds(columns, width):
    long = Question(**{**_fields(WEIGHTS), "prompt": Text("a " * 400, "a")})
    text, _ = play([long], "", environ={"COLUMNS": columns})
    assert max(map(len, text.split("\n"))) in (width, width - 1)


def _fields(question: Question) -> dict[str, object]:
    return {name: getattr(question, name) for name in Question.__slots__}


def quiz(*options: str, typed: str | bytes, environ: dict[str, str] = ENVIRON) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [COMMAND, "quiz", *options],
        input=typed.encode() if isinstance(typed, str) else typed,
        capture_output=True,
        env=environ,
        timeout=60,
        check=False,
    )


def right_answers(seed: int, count: int) -> list[str]:
    return [str(question.answer) for question in islice(questions(FAMILIES, Random(seed)), count)]


def test_a_pipe_without_colour_and_with_status_0():
    run = quiz("--seed", "5", "-n", "4", typed="\n".join(right_answers(5, 4)) + "\n")
    assert (run.returncode, run.stderr) == (0, b"")
    assert b"\x1b" not in run.stdout
    assert run.stdout.decode().endswith("\n4 questions: 4 right at once, 0 wrong.\n")


def test_a_seed_repeats_the_quiz_exactly():
    typed = "1\nshow\n" * 6
    first, again, other = (quiz("--seed", seed, "-n", "6", typed=typed).stdout for seed in ("11", "11", "12"))
    assert first == again
    assert first != other


@pytest.mark.parametrize("language", ["en", "hinglish"])
def test_ascii_locale(language):
    """Nothing but ASCII comes out, nothing is lost, and pasted UTF-8 or broken bytes do no harm."""
    typed = "4×512²\n".encode() + b"\xff\xfe\n" + b"show\n" * 12
    run = quiz("--seed", "2", "-n", "12", "--lang", language, typed=typed, environ=ASCII)
    assert (run.returncode, run.stderr) == (0, b"")
    text = " ".join(run.stdout.decode("ascii").split())
    for question in islice(questions(FAMILIES, Random(2)), 12):
        assert ascii_text(question.prompt.told(Language(language))) in text
    assert "1,048,576" in text
    assert "\\u" not in text


def terminal(*options: str, environ: dict[str, str] = ENVIRON, columns: int = 80) -> "pexpect.spawn[str]":
    child = pexpect.spawn(
        str(COMMAND), ["quiz", *options], env=environ, dimensions=(40, columns), timeout=30, encoding="utf-8"
    )
    child.delaybeforesend = None
    return child


PROMPT = "> (\x1b\\[0m)?"


def test_a_terminal_has_colour_echoes_keys_and_ends_with_the_tally():
    question = next(questions(FAMILIES, Random(9)))
    child = terminal("--seed", "9", "-n", "1")
    child.expect(PROMPT)
    child.send("12x\x7f\x7f\x7f")  # the backspace key
    child.send("\x15")  # Ctrl-U empties the line
    child.sendline(str(question.answer))
    child.expect(re.escape(f"read as {value_text(question.answer, None if question.precision is None else 12)}"[:14]))
    child.expect("\x1b\\[32m  Right")
    child.expect("1 question: 1 right at once, 0 wrong.")
    child.expect(pexpect.EOF)
    child.close()
    assert (child.exitstatus, child.signalstatus) == (0, None)


@pytest.mark.parametrize("change", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour_where_none_is_wanted(change):
    child = terminal("--seed", "9", "-n", "1", environ={**ENVIRON, **change})
    child.expect("> ")
    child.sendline("show")
    child.expect(pexpect.EOF)
    assert "\x1b" not in child.before
    assert child.before.rstrip().endswith("1 question: 0 right at once, 0 wrong, 1 skipped.")


def test_a_dumb_terminal_gets_ascii():
    child = terminal("--seed", "2", "-n", "12", environ={**ENVIRON, "TERM": "dumb"})
    shown = ""
    for _ in range(12):
        child.expect("> ")
        shown += child.before
        child.sendline("show")
    child.expect(pexpect.EOF)
    assert (shown + child.before).isascii()


def test_escape_keys_are_told_and_cannot_steer_the_terminal():
    child = terminal("--seed", "9", "-n", "1", environ={**ENVIRON, "NO_COLOR": "1"})
    child.expect("> ")
    child.sendline("\x1b[2J\x07")
    child.expect("Not understood: `U\\+001B` not understood \\(at character 1\\).")
    child.expect("> ")
    child.sendeof()
    child.expect("0 questions: 0 right at once, 0 wrong.")
    child.expect(pexpect.EOF)


def test_ctrl_d_ends_with_the_tally_and_status_0():
    child = terminal("--seed", "9", "-n", "3")
    child.expect(PROMPT)
    child.sendline("show")
    child.expect(PROMPT)
    child.sendeof()
    child.expect("1 question: 0 right at once, 0 wrong, 1 skipped.")
    child.expect("The last question was left open and does not count.")
    child.expect(pexpect.EOF)
    child.close()
    assert (child.exitstatus, child.signalstatus) == (0, None)


def test_ctrl_c_ends_with_the_tally_and_status_130():
    child = terminal("--seed", "9", "-n", "3")
    child.expect(PROMPT)
    child.sendline("show")
    child.expect(PROMPT)
    child.send("12")
    child.sendintr()
    child.expect("1 question: 0 right at once, 0 wrong, 1 skipped.")
    child.expect("The last question was left open and does not count.")
    child.expect(pexpect.EOF)
    assert "Traceback" not in child.before
    child.close()
    assert (child.exitstatus, child.signalstatus) == (130, None)


def test_a_resize_holds_from_the_next_paragraph():
    child = terminal("--seed", "9", "-n", "3", environ={**ENVIRON, "NO_COLOR": "1"}, columns=120)
    child.expect("> ")
    wide = child.before
    child.setwinsize(40, 44)
    child.sendline("?")
    child.expect("> ")
    narrow = child.before
    assert max(map(len, wide.split("\r\n"))) > 60
    assert 24 < max(map(len, narrow.split("\r\n"))) <= 44


def test_a_terminal_that_does_not_know_its_width():
    child = terminal("--seed", "9", "-n", "1", columns=0)
    child.expect(PROMPT)
    assert 60 < max(map(len, child.before.split("\r\n"))) <= 80 + len("\x1b[1m\x1b[0m")
    child.sendeof()
    child.expect(pexpect.EOF)


def test_ascii_locale_on_a_terminal():
    child = terminal("--seed", "2", "-n", "2", environ=ASCII)
    child.expect(PROMPT)
    shown = child.before
    child.sendline("4×512²")
    child.expect("read as 1,048,576|Not understood")
    assert shown.isascii()
    child.sendintr()
    child.expect(pexpect.EOF)
