"""A numeric question inside a review: fresh numbers for a skill that is due."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from random import Random

from mha_quiz import quiz_wording, review_wording
from mha_quiz.answers import Unreadable, echo
from mha_quiz.choice import SEEDS
from mha_quiz.events import Skill, Tried
from mha_quiz.history import History
from mha_quiz.keys import Keys
from mha_quiz.question import Family, Question, Slip, Text, draw
from mha_quiz.review_screen import ReviewScreen
from mha_quiz.tries import Try
from mha_quiz.verdicts import Grade, Verdict, grade, names_of, verdict_text

_COLOURS = {Verdict.RIGHT: "green", Verdict.TOO_COARSE: "yellow", Verdict.WRONG: "red", Verdict.UNREADABLE: "yellow"}


@dataclass(frozen=True, slots=True)
class Number:
    """How a question went."""

    events: tuple[Tried, ...] = ()
    """What to record; empty for one that was skipped."""
    slips: tuple[Slip, ...] = ()
    """What a wrong answer showed."""
    undo: bool = False
    """The learner wants the step before it back instead."""


def ask_number(
    skill: Skill,
    at: str,
    rng: Random,
    keys: Keys,
    screen: ReviewScreen,
    history: History,
    clock: Callable[[], datetime],
) -> Number | None:
    """Ask a fresh variant, a second time if the first answer was too coarse; None if the learner leaves."""
    question = draw(_families()[skill.family], rng.randrange(SEEDS))
    screen.tell(f"{at} · {quiz_wording.title(question).told(screen.language)}", "bold")
    screen.sentence(question.prompt)
    screen.tell(review_wording.NUMBER_KEYS, "dim")
    began = clock()
    tried: list[Tried] = []
    while True:
        answer = _answer(question, keys, screen)
        if not isinstance(answer, tuple):
            match answer:
                case "quit":
                    return None
                case "undo":
                    return Number(undo=True)
                case "skip":
                    return Number()
        text, graded = answer if isinstance(answer, tuple) else ("", None)
        last = graded is None or graded.verdict is not Verdict.TOO_COARSE or bool(tried)
        one = Try(question, text, graded, last, clock() - began)
        tried.append(one.event(history.stamp(clock())))
        if last:
            if graded is None or graded.verdict is not Verdict.RIGHT:
                for number, step in enumerate(question.solution, start=1):
                    screen.step(number, step)
            return Number(tuple(tried), () if graded is None else graded.slips)


def is_known(skill: Skill) -> bool:
    """Whether this version of the program has the family."""
    return skill.family in _families()


def _families() -> Mapping[str, Family]:
    from mha_quiz.families import FAMILIES  # numpy, only for who is asked a number

    return {family.id: family for family in FAMILIES}


def _answer(question: Question, keys: Keys, screen: ReviewScreen) -> tuple[str, Grade] | str:
    """A readable answer and its grade, or what the learner wants instead: `show`, `skip`, `undo` or `quit`."""
    commands = {"q": "quit", "quit": "quit", "bas": "quit", "u": "undo", "undo": "undo", "s": "skip", "skip": "skip"}
    commands |= {"show": "show", "dikhao": "show"}
    while True:
        line = keys.line(lambda: screen.prompt(Text("> ", "> ")))
        if not keys.is_terminal:
            screen.tell("")
        if line is None:
            return "quit"
        typed = line.strip()
        if typed.casefold() in commands and typed not in names_of(question):
            return commands[typed.casefold()]
        if typed in ("?", ""):
            screen.tell_all(quiz_wording.help_lines(names_of(question), question.answer_kind))
            screen.tell_all(review_wording.NUMBER_HELP)
            continue
        graded = grade(question, typed)
        if isinstance(graded.reading, Unreadable):
            screen.tell(quiz_wording.unreadable(graded.reading.reason), "yellow")
            continue
        screen.tell(echo(graded.reading), "dim")
        screen.tell(verdict_text(question, graded), _COLOURS[graded.verdict])
        return typed, graded
