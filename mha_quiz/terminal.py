"""A quiz in the terminal, or through a pipe: ask, read, judge, explain, and tell the tally."""

import io
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TextIO

from cards.model import Language
from mha_quiz import quiz_wording
from mha_quiz.answers import Unreadable, echo
from mha_quiz.question import Question, Slip, Text
from mha_quiz.screen import Colour, Screen
from mha_quiz.verdicts import Grade, Verdict, grade, names_of, verdict_text

HELP = ("?", "help", "madad")
SHOW = ("show", "skip", "dikhao", "chhodo")
QUIT = ("quit", "exit", "bas")


class Outcome(StrEnum):
    RIGHT = "right"
    RIGHT_AFTER_RETRY = "right after retry"
    """The first answer was too coarse."""
    TOO_COARSE = "too coarse"
    """Twice."""
    WRONG = "wrong"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Answered:
    question: Question
    outcome: Outcome
    slips: tuple[Slip, ...]


@dataclass(frozen=True, slots=True)
class Tally:
    """What happened in a quiz."""

    answered: tuple[Answered, ...]
    interrupted: bool
    """By Ctrl-C; a program should then end with status 130."""


class _Left(Exception):
    """The learner typed `quit`, or the input ended."""


def run_quiz(
    questions: Iterator[Question],
    *,
    count: int,
    seed: int,
    language: Language,
    stdin: TextIO,
    stdout: TextIO,
    environ: Mapping[str, str] = os.environ,
) -> Tally:
    """Ask all `questions` and tell the tally, also when the learner leaves early: `quit`, Ctrl-D, end of a pipe, Ctrl-C.

    `count` is how many questions there are and `seed` what repeats them; both are only told. Text that cannot be read
    is asked for again and never counted.
    """
    if isinstance(stdin, io.TextIOWrapper):
        ascii_only = (stdin.encoding or "").lower() in ("ascii", "us-ascii", "ansi_x3.4-1968", "646")
        stdin.reconfigure(encoding="utf-8" if ascii_only else None, errors="replace")
    quiz = _Quiz(Screen(stdout, environ), stdin, language)
    answered: list[Answered] = []
    asked = 0
    interrupted = False
    try:
        quiz.tell(quiz_wording.start(seed), Colour.DIM)
        for question in questions:
            asked += 1
            quiz.screen.tell()
            quiz.tell(quiz_wording.heading(asked, count, question), Colour.BOLD)
            answered.append(quiz.ask(question))
    except _Left:
        pass
    except KeyboardInterrupt:
        interrupted = True
        stdout.write("\n")
    quiz.tell_tally(answered, left_open=asked > len(answered))
    return Tally(tuple(answered), interrupted)


@dataclass(frozen=True, slots=True)
class _Quiz:
    screen: Screen
    stdin: TextIO
    language: Language

    def tell(self, text: Text, colour: Colour | None = None, *, indent: int = 0, hanging: int = 0) -> None:
        self.screen.tell(text.told(self.language), colour, indent=indent, hanging=hanging)

    def ask(self, question: Question) -> Answered:
        """Until it is answered; a second time if the first answer was too coarse."""
        self.tell(question.prompt)
        first = self._answer(question)
        if first is None:
            return self._skipped(question)
        if first.verdict is not Verdict.TOO_COARSE:
            return self._judged(question, first, Outcome.RIGHT)
        self._tell_verdict(question, first, Colour.YELLOW)
        second = self._answer(question)
        if second is None:
            return self._skipped(question)
        return self._judged(question, second, Outcome.RIGHT_AFTER_RETRY)

    def _judged(self, question: Question, graded: Grade, if_right: Outcome) -> Answered:
        if graded.verdict is Verdict.RIGHT:
            self._tell_verdict(question, graded, Colour.GREEN)
            return Answered(question, if_right, ())
        coarse = graded.verdict is Verdict.TOO_COARSE
        self._tell_verdict(question, graded, Colour.YELLOW if coarse else Colour.RED)
        self._tell_solution(question)
        return Answered(question, Outcome.TOO_COARSE if coarse else Outcome.WRONG, graded.slips)

    def _skipped(self, question: Question) -> Answered:
        self._tell_solution(question)
        return Answered(question, Outcome.SKIPPED, ())

    def _answer(self, question: Question) -> Grade | None:
        """A readable answer, or None if the learner asks for the solution. Raises `_Left`."""
        while True:
            typed = self._line()
            command = typed.strip().casefold()
            if command in QUIT:
                raise _Left
            if command in SHOW:
                return None
            if command in HELP:
                for line in quiz_wording.help_lines(names_of(question), question.answer_kind):
                    self.tell(line, indent=2)
                continue
            if not command:
                self.tell(quiz_wording.NO_ANSWER, indent=2)
                continue
            graded = grade(question, typed)
            if not isinstance(graded.reading, Unreadable):
                self.tell(echo(graded.reading), Colour.DIM, indent=2)
                return graded
            self.tell(quiz_wording.unreadable(graded.reading.reason), Colour.YELLOW, indent=2)

    def _line(self) -> str:
        self.screen.prompt("> ")
        line = self.stdin.readline()
        if not line.endswith("\n") or not self.stdin.isatty():
            self.screen.tell()
        if not line:
            raise _Left
        return line

    def _tell_verdict(self, question: Question, graded: Grade, colour: Colour) -> None:
        self.tell(verdict_text(question, graded), colour, indent=2)

    def _tell_solution(self, question: Question) -> None:
        for number, step in enumerate(question.solution, start=1):
            self.screen.tell(f"{number}. {step.told(self.language)}", indent=2, hanging=3)

    def tell_tally(self, answered: Sequence[Answered], *, left_open: bool) -> None:
        self.screen.tell()
        self.tell(quiz_wording.tally(Counter(one.outcome.value for one in answered)), Colour.BOLD)
        if left_open:
            self.tell(quiz_wording.LEFT_OPEN)
        slips = [(f"{one.question.family}/{slip.id}", slip) for one in answered for slip in one.slips]
        if slips:
            self.tell(quiz_wording.SLIPS_MET)
        latest = dict(slips)
        for name, times in Counter(name for name, _ in slips).most_common():
            self.tell(quiz_wording.slip_met(name, times, latest[name]), indent=2, hanging=2)
