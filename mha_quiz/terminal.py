"""A quiz in the terminal, or through a pipe: ask, read, judge, explain, and tell the tally, or an exam and its report."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, TextIO

from cards.model import Language
from mha_quiz import quiz_wording
from mha_quiz.answers import Unreadable, echo
from mha_quiz.keys import take_any_bytes
from mha_quiz.question import Question, Slip, Text
from mha_quiz.screen import Colour, Screen
from mha_quiz.tries import Try
from mha_quiz.verdicts import Grade, Verdict, grade, names_of, slips_text, verdict_text

if TYPE_CHECKING:
    from mha_quiz.rereading import Passage

HELP = ("?", "help", "madad")
SHOW = ("show", "skip", "dikhao", "chhodo")
QUIT = ("quit", "exit", "bas")


_COLOURS = {Verdict.RIGHT: Colour.GREEN, Verdict.TOO_COARSE: Colour.YELLOW, Verdict.WRONG: Colour.RED}


class Outcome(StrEnum):
    RIGHT = "right"
    RIGHT_AFTER_RETRY = "right after retry"
    """The first answer was too coarse."""
    TOO_COARSE = "too coarse"
    """Twice."""
    WRONG = "wrong"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Asked:
    question: Question
    remark: Text | None = None
    """Where its numbers come from."""


@dataclass(frozen=True, slots=True)
class Answered:
    question: Question
    outcome: Outcome
    slips: tuple[Slip, ...]
    read_as: str | None = None
    """How the last answer was read; None if there was none."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What happened in a quiz."""

    answered: tuple[Answered, ...]
    interrupted: bool
    """By Ctrl-C; a program should then end with status 130."""


class _Left(Exception):
    """The learner typed `quit`, or the input ended."""


def run_quiz(
    questions: Iterator[Asked],
    *,
    count: int,
    opening: Sequence[Text],
    language: Language,
    record: Callable[[Try], Text | None],
    reread: Callable[[Sequence[str]], Mapping[str, "Passage"]] | None = None,
    slips_ever: Callable[[], Mapping[str, int]] = dict,
    clock: Callable[[], datetime],
    stdin: TextIO,
    stdout: TextIO,
    environ: Mapping[str, str] = os.environ,
) -> Tally:
    """Ask all `questions` and tell the tally, also when the learner leaves early: `quit`, Ctrl-D, end of a pipe, Ctrl-C.

    `count` is how many questions there are, and is only told, as is the `opening`. Text that cannot be read is asked
    for again and never counted. `record` gets every answer before the next question, and says what went wrong.

    `slips_ever` tells how often each slip, such as `B1/no-out`, was met in all, this quiz included.

    With `reread` it is an exam: no verdicts before the end, and then a report. `reread` finds in the notes what the
    families that went wrong are about.
    """
    take_any_bytes(stdin)
    quiz = _Quiz(Screen(stdout, environ), stdin, language, record, clock, exam=reread is not None)
    answered: list[Answered] = []
    asked = 0
    interrupted = False
    try:
        for text in opening:
            quiz.tell(text, Colour.DIM)
        for one in questions:
            asked += 1
            quiz.screen.tell()
            quiz.tell(quiz_wording.heading(asked, count, one.question, one.remark), Colour.BOLD)
            answered.append(quiz.ask(one.question))
    except _Left:
        pass
    except KeyboardInterrupt:
        interrupted = True
        stdout.write("\n")
    if reread is None:
        quiz.tell_tally(answered, slips_ever, left_open=asked > len(answered))
    else:
        quiz.tell_report(answered, count, reread)
    return Tally(tuple(answered), interrupted)


@dataclass(frozen=True, slots=True)
class _Quiz:
    screen: Screen
    stdin: TextIO
    language: Language
    record: Callable[[Try], Text | None]
    clock: Callable[[], datetime]
    exam: bool

    def tell(self, text: Text, colour: Colour | None = None, *, indent: int = 0, hanging: int = 0) -> None:
        self.screen.tell(text.told(self.language), colour, indent=indent, hanging=hanging)

    def ask(self, question: Question) -> Answered:
        """Until it is answered; outside of exams a second time if the first answer was too coarse."""
        self.tell(question.prompt)
        began = self.clock()
        first = self._answer(question)
        again = first is not None and first[1].verdict is Verdict.TOO_COARSE and not self.exam
        self._done(question, first, began, counts=not again)
        if not again:
            return self._judged(question, first, Outcome.RIGHT)
        second = self._answer(question)
        self._done(question, second, began, counts=True)
        return self._judged(question, second, Outcome.RIGHT_AFTER_RETRY)

    def _done(self, question: Question, answer: tuple[str, Grade] | None, began: datetime, *, counts: bool) -> None:
        """Tell the verdict, and the solution after the last answer, and record it."""
        text, graded = answer or ("", None)
        if not self.exam:
            if graded is not None:
                self.tell(verdict_text(question, graded), _COLOURS[graded.verdict], indent=2)
            if counts and (graded is None or graded.verdict is not Verdict.RIGHT):
                self._tell_solution(question)
        self.screen.stream.flush()
        complaint = self.record(Try(question, text, graded, counts, self.clock() - began))
        if complaint is not None:
            self.tell(complaint, Colour.YELLOW)

    def _judged(self, question: Question, answer: tuple[str, Grade] | None, if_right: Outcome) -> Answered:
        if answer is None:
            return Answered(question, Outcome.SKIPPED, ())
        graded = answer[1]
        outcome = {Verdict.RIGHT: if_right, Verdict.TOO_COARSE: Outcome.TOO_COARSE}.get(graded.verdict, Outcome.WRONG)
        read_as = None if isinstance(graded.reading, Unreadable) else graded.reading.read_as
        return Answered(question, outcome, graded.slips, read_as)

    def _answer(self, question: Question) -> tuple[str, Grade] | None:
        """A readable answer, or None if the learner asks for the solution. Raises `_Left`."""
        while True:
            typed = self._line()
            command = typed.strip().casefold()
            if command in QUIT:
                raise _Left
            if command in SHOW:
                return None
            if command in HELP:
                for line in quiz_wording.help_lines(names_of(question), question.answer_kind, exam=self.exam):
                    self.tell(line, indent=2)
                continue
            if not command:
                self.tell(quiz_wording.NO_ANSWER, indent=2)
                continue
            graded = grade(question, typed)
            if not isinstance(graded.reading, Unreadable):
                self.tell(echo(graded.reading), Colour.DIM, indent=2)
                return typed.strip(), graded
            self.tell(quiz_wording.unreadable(graded.reading.reason), Colour.YELLOW, indent=2)

    def _line(self) -> str:
        self.screen.prompt("> ")
        line = self.stdin.readline()
        if not line.endswith("\n") or not self.stdin.isatty():
            self.screen.tell()
        if not line:
            raise _Left
        return line

    def _tell_solution(self, question: Question) -> None:
        for number, step in enumerate(question.solution, start=1):
            self.screen.tell(f"{number}. {step.told(self.language)}", indent=2, hanging=3)

    def tell_report(
        self, answered: Sequence[Answered], count: int, reread: Callable[[Sequence[str]], Mapping[str, "Passage"]]
    ) -> None:
        """The end of an exam: the score by theme, and each answer that was not right, with what to read again."""
        right = [one for one in answered if one.outcome is Outcome.RIGHT]
        self.screen.tell()
        self.tell(quiz_wording.score(len(right), len(answered)), Colour.BOLD)
        if len(answered) < count:
            self.tell(quiz_wording.not_reached(count - len(answered)))
        themes = Counter(one.question.theme for one in answered)
        for theme, times in themes.items():
            self.tell(
                quiz_wording.theme_score(theme, sum(one.question.theme is theme for one in right), times), indent=2
            )
        wrong = [(at, one) for at, one in enumerate(answered, start=1) if one.outcome is not Outcome.RIGHT]
        passages = reread([one.question.family for _, one in wrong]) if wrong else {}
        for at, one in wrong:
            self._tell_wrong(at, one, passages.get(one.question.family))

    def _tell_wrong(self, at: int, one: Answered, passage: "Passage | None") -> None:
        question = one.question
        self.screen.tell()
        self.tell(quiz_wording.reported(at, question), Colour.BOLD)
        self.tell(question.prompt)
        self.tell(quiz_wording.right_answer(question, one.read_as), Colour.RED, indent=2)
        if one.outcome is Outcome.TOO_COARSE:
            self.tell(quiz_wording.only_rounded(question.precision), indent=2)
        if one.slips:
            self.tell(slips_text(question, one.slips), indent=2)
        self._tell_solution(question)
        if passage is not None:
            self.tell(quiz_wording.read_again(passage.place, passage.title), Colour.YELLOW, indent=2)

    def tell_tally(
        self, answered: Sequence[Answered], slips_ever: Callable[[], Mapping[str, int]], *, left_open: bool
    ) -> None:
        self.screen.tell()
        self.tell(quiz_wording.tally(Counter(one.outcome.value for one in answered)), Colour.BOLD)
        if left_open:
            self.tell(quiz_wording.LEFT_OPEN)
        slips = [(f"{one.question.family}/{slip.id}", slip) for one in answered for slip in one.slips]
        if slips:
            self.tell(quiz_wording.SLIPS_MET)
        latest, ever = dict(slips), slips_ever() if slips else {}
        for name, times in Counter(name for name, _ in slips).most_common():
            self.tell(quiz_wording.slip_met(name, times, latest[name], ever.get(name, 0)), indent=2, hanging=2)
