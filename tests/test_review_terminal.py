"""A review on a real terminal: keys, colours, resize, Ctrl-C, Ctrl-Z, hang-up, the editor."""

import io
import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pexpect
import pytest

from mha_quiz.events import Answered, Skill, Tried
from mha_quiz.history import History
from mha_quiz.schedule import Rating

ENVIRON = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "xterm"}
RUN = "from mha_quiz.review_command import review; review(prog_name='mha-quiz review')"
NOTE = """\
#flashcards

Width of a head?::$d_k = \\frac{d_{\\text{model}}}{h}$

How many scores?::n²

Why scale?::The variance of $q \\cdot k$ grows with d_k
"""
FRONT, BACK = "q quit", "4 easy 8 d"


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text(NOTE, encoding="utf-8")
    return tmp_path


def start(desk: Path, *options: str, columns: int = 80, environ: Mapping[str, str] = ENVIRON) -> "pexpect.spawn[str]":
    child = pexpect.spawn(
        sys.executable,
        [
            "-c",
            RUN,
            str(desk / "notes"),
            "--data",
            str(desk / "data"),
            *(() if "--numbers" in options else ("--no-numbers",)),
            *(it for it in options if it != "--numbers"),
        ],
        env=environ,  # type: ignore[arg-type]
        dimensions=(40, columns),
        timeout=15,
        encoding="utf-8",
    )
    child.delaybeforesend = None
    return child


def ratings(desk: Path) -> list[Rating]:
    with History.open(desk / "data" / "history.db", computer="test", rng=Random(0), write=False) as history:
        return [event.rating for event in history.events() if isinstance(event, Answered)]


def ended(child: "pexpect.spawn[str]") -> tuple[int | None, int | None]:
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus, child.signalstatus


def test_keys_need_no_enter_and_are_not_echoed(desk: Path) -> None:
    child = start(desk)
    child.expect("Width of a head")
    child.expect(FRONT)
    child.send(" ")
    child.expect("dₖ = d_model/h")
    child.expect(BACK)
    child.send("3")
    child.expect("2/3")
    child.expect(FRONT)
    child.send("\r")
    child.expect(BACK)
    child.send("4")
    child.expect("3/3")
    child.expect(FRONT)
    child.send("q")
    child.expect("2 cards and 0 questions in")
    assert ended(child) == (0, None)
    assert ratings(desk) == [Rating.GOOD, Rating.EASY]


def test_keys_typed_ahead_are_not_lost(desk: Path) -> None:
    child = start(desk)
    child.expect(FRONT)
    child.send(" 3 3 3")
    child.expect("3 cards and 0 questions")
    assert ended(child) == (0, None)
    assert ratings(desk) == [Rating.GOOD] * 3


def test_arrows_and_letters_of_other_scripts_do_nothing(desk: Path) -> None:
    child = start(desk)
    child.expect(FRONT)
    child.send("\x1b[A")
    child.expect("means nothing here")
    child.send("ह")
    child.expect("means nothing here")
    child.send("?")
    child.expect("take the last answer back")
    child.send("q")
    assert ended(child) == (0, None)
    assert ratings(desk) == []


def test_undo(desk: Path) -> None:
    child = start(desk)
    child.expect(FRONT)
    child.send(" ")
    child.expect(BACK)
    child.send("1")
    child.expect("How many scores")
    child.send("u")
    child.expect("Width of a head")
    child.expect("Taken back")
    child.send("q")
    assert ended(child) == (0, None)
    assert ratings(desk) == []


def test_typing_an_answer_with_backspace(desk: Path) -> None:
    child = start(desk)
    child.expect(FRONT)
    child.send("s")
    child.expect("How many scores")
    child.expect(FRONT)
    child.send("t")
    child.expect("answer>")
    child.send("n^3\x7f2\r")
    child.expect("That is it")
    child.expect(BACK)
    child.send("q")
    assert ended(child) == (0, None)


def test_a_card_that_asks_for_it_is_typed_at_once(desk: Path) -> None:
    (desk / "notes" / "a.md").write_text("#flashcards\n\n#type-in Capital of Peru?::Lima\n\n#type-in Six?::6\n")
    child = start(desk)
    child.expect("type the answer")
    child.expect("answer>")
    child.send("lima\r")
    child.expect("That is it")
    child.expect(BACK)
    child.send("3")
    child.expect("2/2")
    child.expect("answer>")
    child.send("\r")
    child.expect(FRONT)
    child.send("q")
    assert ended(child) == (0, None)
    assert ratings(desk) == [Rating.GOOD]


def test_what_stood_above_the_review_can_still_be_scrolled_to(desk: Path) -> None:
    child = start(desk)
    child.logfile_read = io.StringIO()
    child.expect(FRONT)
    child.send("q")
    child.expect("Due tomorrow")
    written = child.logfile_read.getvalue()
    assert "\x1b[2J" in written
    assert "\x1b[3J" not in written


def test_a_resize_draws_the_card_anew(desk: Path) -> None:
    child = start(desk, columns=100)
    child.expect("╰─+╯")
    assert len(child.after) == 100
    child.expect(FRONT)
    child.setwinsize(30, 50)
    child.expect("╰─+╯")
    assert len(child.after) == 50
    child.expect("quit")
    child.send("q")
    assert ended(child) == (0, None)


def test_ctrl_c_ends_with_the_summary_and_the_usual_terminal(desk: Path) -> None:
    child = start(desk)
    child.expect(FRONT)
    child.send(" ")
    child.expect(BACK)
    child.send("3")
    child.expect("2/3")
    child.expect(FRONT)
    child.sendintr()
    child.expect("What was open does not count")
    child.expect("1 card and 0 questions")
    assert ended(child) == (130, None)
    assert ratings(desk) == [Rating.GOOD]


def test_a_number_is_recorded_before_the_next_key(desk: Path) -> None:
    (desk / "data").mkdir()
    with History.open(desk / "data" / "history.db", computer="test", rng=Random(0)) as history:
        stamp = history.stamp(datetime.now().astimezone() - timedelta(days=9))
        history.record(Tried(stamp, Skill("B1"), 1, 1, "1", "wrong", (), Rating.AGAIN, 0))
    child = start(desk, "--limit", "0", "--numbers")
    child.expect("1/1 · B1")
    child.expect("> \x1b")
    child.send("1 apple\r")
    child.expect("Not understood")
    child.expect("> \x1b")
    child.send("12\x7f\r")
    child.expect("read as 1")
    child.expect("Wrong")
    child.expect("any key")
    child.sendintr()
    child.expect("0 cards and 1 question in")
    assert ended(child) == (130, None)
    with History.open(desk / "data" / "history.db", computer="test", rng=Random(0), write=False) as history:
        assert [event.text for event in history.events() if isinstance(event, Tried)] == ["1", "1"]


@pytest.mark.parametrize("wait", ["keys.key()", "keys.line(lambda: None)"])
def test_ctrl_c_is_never_missed(wait: str) -> None:
    """A signal may come just before the waiting begins, which it then does not cut short; nor does one in a thread."""
    script = f"""
import signal, sys, threading
from mha_quiz.keys import Keys
with Keys(sys.stdin) as keys:
    threading.Timer(0.3, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGINT)).start()
    try:
        {wait}
    except KeyboardInterrupt:
        print("interrupted")
"""
    child: pexpect.spawn[str] = pexpect.spawn(sys.executable, ["-c", script], timeout=15, encoding="utf-8")
    child.expect("interrupted")
    assert ended(child) == (0, None)


def test_keys_typed_ahead_of_a_line_are_not_lost(desk: Path) -> None:
    child = start(desk)
    child.expect(FRONT)
    child.send("t")
    child.expect("answer>")
    child.send("d_k\r3 3q")
    child.expect("2 cards and 0 questions")
    assert ended(child) == (0, None)
    assert ratings(desk) == [Rating.GOOD] * 2


def test_windows_keys() -> None:
    """Read by msvcrt, for which a list of keys stands in: another system has none."""
    script = """
import sys, types
from contextlib import suppress
import io, os, signal
sys.platform = "win32"
pressed = iter([" ", "\\r", "3", "Q", "\\xe0", "Q", "\\x00", ";", "\\x1a", "ह", "\\x03"])
sys.modules["msvcrt"] = types.SimpleNamespace(getwch=lambda: next(pressed))
from mha_quiz.keys import Keys
class Console(io.StringIO):
    def isatty(self): return True
with Keys(Console("a line\\n")) as keys:
    print(ascii([keys.key() for _ in range(8)]), keys.line(lambda: None), end="")
    with suppress(KeyboardInterrupt):
        print(keys.key())
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert run.stdout == r"['\n', '\n', '3', 'q', '\x1b', '\x1b', '\x04', '\u0939'] a line" + "\n", run.stderr


def test_ctrl_z_and_back(desk: Path) -> None:
    shell = pexpect.spawn(
        "bash", ["--norc", "--noprofile"], env={**ENVIRON, "PS1": "shell> "}, encoding="utf-8", timeout=15, dimensions=(40, 80)
    )  # fmt: skip
    shell.delaybeforesend = None
    shell.expect_exact("shell> ")
    command = f'{sys.executable} -c "{RUN}" {desk / "notes"} --data {desk / "data"} --no-numbers'
    shell.sendline(command)
    shell.expect("Width of a head")
    shell.expect(FRONT)
    shell.send("\x1a")
    shell.expect("Stopped")
    shell.expect_exact("shell> ")
    shell.sendline("echo between")
    shell.expect("\rbetween")
    shell.expect_exact("shell> ")
    shell.sendline("fg")
    shell.expect("Width of a head")
    shell.expect(FRONT)
    shell.send(" ")
    shell.expect(BACK)
    shell.send("3")
    shell.expect("2/3")
    shell.expect(FRONT)
    shell.send("q")
    shell.expect_exact("shell> ")
    shell.sendline(command)
    shell.expect(FRONT)
    shell.send("t")
    shell.expect("answer>")
    shell.send("lost\x1a")
    shell.expect("Stopped")
    shell.expect_exact("shell> ")
    shell.sendline("fg")
    shell.expect("answer>")
    shell.send("n^2\r")
    shell.expect("That is it")
    shell.expect(BACK)
    shell.send("q")
    shell.expect_exact("shell> ")
    shell.sendline("stty -a | grep -o ' icanon'")
    shell.expect("\r icanon")
    shell.sendline("exit")
    assert ended(shell) == (0, None)
    assert ratings(desk) == [Rating.GOOD]


def test_a_hang_up_keeps_all_answers(desk: Path) -> None:
    child = start(desk)
    child.expect(FRONT)
    child.send(" ")
    child.expect(BACK)
    child.send("3")
    child.expect("2/3")
    child.close(force=False)  # closes the terminal, which sends a hang-up
    for _ in range(100):
        if not child.isalive():
            break
        time.sleep(0.05)
    assert child.signalstatus == signal.SIGHUP
    assert ratings(desk) == [Rating.GOOD]


def test_the_editor_gets_the_line_and_the_note_is_read_again(desk: Path) -> None:
    editor = desk / "editor"
    editor.write_text(
        f"#!{sys.executable}\nimport sys\nfrom pathlib import Path\n"
        "line, path = sys.argv[1:]\nnote = Path(path)\n"
        "note.write_text(note.read_text('utf-8').replace('How many scores?', 'How many scores are there?'), 'utf-8')\n"
        "print('EDITOR', line, input())\n",
        encoding="utf-8",
    )
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    child = start(desk, environ={**ENVIRON, "EDITOR": str(editor)})
    child.expect(FRONT)
    child.send("s")
    child.expect("How many scores")
    child.expect(FRONT)
    child.send("e")
    child.sendline("with lines")
    child.expect_exact("EDITOR +5 with lines")
    child.expect("How many scores are there")
    child.expect("The note was read again")
    child.send(" ")
    child.expect(BACK)
    child.send("3")
    child.expect("3/3")
    child.send("q")
    assert ended(child) == (0, None)
    assert ratings(desk) == [Rating.GOOD]


def test_an_editor_that_is_not_there(desk: Path) -> None:
    child = start(desk, environ={**ENVIRON, "EDITOR": "no-such-editor"})
    child.expect(FRONT)
    child.send("e")
    child.expect("no-such-editor cannot be started: No such file or directory; set EDITOR")
    child.send("q")
    assert ended(child) == (0, None)


@pytest.mark.parametrize(
    ("change", "colour", "ascii_only"),
    [({}, True, False), ({"NO_COLOR": "1"}, False, False), ({"TERM": "dumb"}, False, True), ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}, True, True)],
)  # fmt: skip
def test_colours_and_letters_as_the_terminal_wants_them(
    desk: Path, change: dict[str, str], colour: bool, ascii_only: bool
) -> None:
    child = start(desk, environ={**ENVIRON, **change}, columns=40)
    child.expect(FRONT)
    shown = child.before
    child.send(" ")
    child.expect("4 easy")
    shown += child.before
    child.send("q")
    child.expect(pexpect.EOF)
    shown += child.before
    assert ("\x1b[1m" in shown or "\x1b[32m" in shown) is colour
    assert shown.isascii() is ascii_only
    assert ("d_k = d_model/h" if ascii_only else "dₖ = d_model/h") in shown
    assert ("+------" if ascii_only else "╭─────") in shown
    lines = re.sub("\x1b\\[[0-9;]*[A-Za-z]", "", shown).split("\r\n")
    assert max(map(len, lines)) <= 40
