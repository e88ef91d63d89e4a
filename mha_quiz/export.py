"""Questions for a course on Moodle: its XML format, and GIFT."""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from html import escape
from xml.etree import ElementTree

from cards.model import Language
from mha_quiz.question import Question, Slip, Value
from mha_quiz.question_text import value_text
from mha_quiz.verdicts import slips_text

_GIFT_SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "\\~=#{}:"} | {"\n": "\\n"})


def moodle_xml(questions: Iterable[Question], language: Language) -> str:
    """A Moodle question bank: numeric questions with tolerance and a feedback for each slip, shapes as short answers."""
    quiz = ElementTree.Element("quiz")
    for question in questions:
        category = ElementTree.SubElement(quiz, "question", type="category")
        _text(ElementTree.SubElement(category, "category"), f"$course$/mha-quiz/{question.theme.value}")
        quiz.append(_moodle_question(question, language))
    ElementTree.indent(quiz)
    return ElementTree.tostring(quiz, encoding="unicode", xml_declaration=True) + "\n"


def gift(questions: Iterable[Question], language: Language) -> str:
    """The same questions as GIFT."""
    return "\n".join(_gift_question(question, language) for question in questions)


def _moodle_question(question: Question, language: Language) -> ElementTree.Element:
    shape = isinstance(question.answer, tuple)
    asked = ElementTree.Element("question", type="shortanswer" if shape else "numerical")
    _text(ElementTree.SubElement(asked, "name"), _name(question, language))
    _text(
        ElementTree.SubElement(asked, "questiontext", format="html"), f"<p>{_html(question.prompt.told(language))}</p>"
    )
    _text(ElementTree.SubElement(asked, "generalfeedback", format="html"), _solution_html(question, language))
    for name, setting in (("defaultgrade", "1"), ("penalty", "0.3333333"), ("hidden", "0")):
        ElementTree.SubElement(asked, name).text = setting
    if shape:
        ElementTree.SubElement(asked, "usecase").text = "0"
    for value, told, fraction in _answers(question, language):
        for spelling in _spellings(value):
            answer = ElementTree.SubElement(asked, "answer", fraction=fraction, format="moodle_auto_format")
            ElementTree.SubElement(answer, "text").text = spelling
            _text(ElementTree.SubElement(answer, "feedback", format="html"), _html(told))
            if not shape:
                ElementTree.SubElement(answer, "tolerance").text = _tolerance(question)
    return asked


def _gift_question(question: Question, language: Language) -> str:
    shape = isinstance(question.answer, tuple)
    lines = [f"$CATEGORY: $course$/mha-quiz/{question.theme.value}", ""]
    prompt = question.prompt.told(language).translate(_GIFT_SIGNS)
    lines.append(f"::{_name(question, language).translate(_GIFT_SIGNS)}::{prompt}{{" + ("" if shape else "#"))
    for value, told, fraction in _answers(question, language):
        for spelling in _spellings(value):
            typed = spelling.translate(_GIFT_SIGNS) if shape else f"{spelling}:{_tolerance(question)}"
            lines.append(f"={'' if fraction == '100' else '%0%'}{typed}#{told.translate(_GIFT_SIGNS)}")
    solution = " ".join(step.told(language) for step in question.solution)
    return "\n".join([*lines, f"####{solution.translate(_GIFT_SIGNS)}", "}", ""])


def _answers(question: Question, language: Language) -> Iterator[tuple[Value, str, str]]:
    """The right answer and each number of a slip, with what to tell and the part of the mark in percent.

    Moodle tells one feedback for a number: slips that look the same in the decimals asked for share theirs.
    """
    yield question.answer, "Right." if language is Language.EN else "Sahi!", "100"
    alike: dict[str, list[Slip]] = {}
    for slip in question.slips:
        alike.setdefault(value_text(slip.value, question.precision), []).append(slip)
    for slips in alike.values():
        yield slips[0].value, slips_text(question, slips).told(language), "0"


def _spellings(value: Value) -> tuple[str, ...]:
    """How an answer may be typed: a number plainly, a shape with either bracket or none, with blanks or without.

    Moodle compares a short answer sign by sign.
    """
    match value:
        case tuple():
            axes = ", ".join(map(str, value))
            spaced = (value_text(value, None), f"[{axes}]", axes)
            return tuple(dict.fromkeys([*spaced, *(spelling.replace(" ", "") for spelling in spaced)]))
        case int():
            return (str(value),)
        case float():
            return (f"{Decimal(repr(value)):f}",)


def _tolerance(question: Question) -> str:
    return "0" if question.precision is None else f"{Decimal(5).scaleb(-question.precision - 1):f}"


def _name(question: Question, language: Language) -> str:
    return f"{question.family} {question.title.told(language)} {question.seed}"


def _html(text: str) -> str:
    return re.sub("`(.+?)`", r"<code>\1</code>", escape(text))


def _solution_html(question: Question, language: Language) -> str:
    return "<ol>" + "".join(f"<li>{_html(step.told(language))}</li>" for step in question.solution) + "</ol>"


def _text(parent: ElementTree.Element, text: str) -> None:
    ElementTree.SubElement(parent, "text").text = text
