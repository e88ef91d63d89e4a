"""Questions for Moodle: each exported number is graded like a typed one."""

import json
import re
import subprocess
import sys
from html import unescape
from importlib.util import find_spec
from xml.etree import ElementTree

import pytest

from cards.model import Language
from mha_quiz.export import gift, moodle_xml
from mha_quiz.families import FAMILIES
from mha_quiz.question import AnswerKind, Question, draw
from mha_quiz.question_text import slip_sentence, value_text
from mha_quiz.verdicts import Verdict, grade, slips_text

DRAWN = [draw(family, seed) for family in FAMILIES for seed in range(2)]


def drawn(family_id: str) -> Question:
    return next(question for question in DRAWN if question.family == family_id)


B1 = drawn("B1")


def asked(xml: str) -> list[ElementTree.Element]:
    return [each for each in ElementTree.fromstring(xml) if each.get("type") != "category"]


@pytest.mark.parametrize("language", Language)
def test_moodle_marks_as_we_do(language: Language) -> None:
    for question, element in zip(DRAWN, asked(moodle_xml(DRAWN, language)), strict=True):
        assert element.findtext("questiontext/text", "").startswith("<p>")
        for answer in element.findall("answer"):
            typed = answer.findtext("text", "")
            verdict = Verdict.RIGHT if answer.get("fraction") == "100" else Verdict.WRONG
            assert grade(question, typed).verdict is verdict, (question.family, typed)


def test_tolerance_is_half_a_unit_of_the_last_decimal() -> None:
    for question, element in zip(DRAWN, asked(moodle_xml(DRAWN, Language.EN)), strict=True):
        told = {answer.findtext("tolerance") for answer in element.findall("answer")}
        if question.answer_kind.value == "shape":
            assert told == {None}
        else:
            assert told == {"0" if question.precision is None else f"0.{'0' * question.precision}5"}


def test_each_slip_has_its_feedback() -> None:
    (element,) = asked(moodle_xml([B1], Language.HINGLISH))
    told = {answer.findtext("text"): answer.findtext("feedback/text") for answer in element.findall("answer")}

    assert told == {str(B1.answer): "Sahi!"} | {
        str(slip.value): slip_sentence(slip, B1, Language.HINGLISH) for slip in B1.slips
    }


ALIKE = [draw(family, seed) for family in FAMILIES for seed in (600002, 600003) if family.id in ("E2", "E4")]
"""Slips of 1 and 0.99966, of 0 and 0.00005, are the same number in the decimals asked for."""


@pytest.mark.parametrize("question", DRAWN + ALIKE, ids=lambda question: f"{question.family}-{question.seed}")
def test_a_number_that_several_slips_share_tells_them_all(question: Question) -> None:
    (element,) = asked(moodle_xml([question], Language.EN))
    told = {unescape(answer.findtext("feedback/text", "")) for answer in element.findall("answer")}
    shown = {value_text(slip.value, question.precision) for slip in question.slips}

    slips = [grade(question, number).slips for number in shown]

    assert {text.replace("<code>", "`").replace("</code>", "`") for text in told} == {"Right."} | {
        slips_text(question, together).en for together in slips
    }


def test_a_shape_may_be_typed_with_blanks_or_without() -> None:
    (element,) = asked(moodle_xml([drawn("A2")], Language.EN))

    assert [answer.findtext("text") for answer in element.findall("answer") if answer.get("fraction") == "100"] == [
        "(3, 384, 4096)",
        "[3, 384, 4096]",
        "3, 384, 4096",
        "(3,384,4096)",
        "[3,384,4096]",
        "3,384,4096",
    ]


def test_code_in_a_question_is_code_on_the_page() -> None:
    (element,) = asked(moodle_xml([drawn("B10")], Language.EN))

    assert element.findtext("questiontext/text") == (
        "<p>How many rows does in_proj_weight of <code>nn.MultiheadAttention(1600, 8)</code> have?</p>"
    )


@pytest.mark.parametrize(
    ("language", "name"), [(Language.EN, "A1 width of one head 0"), (Language.HINGLISH, "A1 ek head ki width 0")]
)
def test_a_question_has_its_name_in_the_language_of_the_course(language: Language, name: str) -> None:
    (element,) = asked(moodle_xml([drawn("A1")], language))

    assert element.findtext("name/text") == name
    assert f"\n::{name}::" in gift([drawn("A1")], language)


def test_gift_of_a_number() -> None:
    category, _, *lines = gift([B1], Language.EN).split("\n")

    assert category == "$CATEGORY: $course$/mha-quiz/parameters"
    assert lines[0].startswith("::B1 all weights, no bias 0::A layer has d_model \\= 64 and 4 heads. How many ")
    assert lines[1:3] == ["=16384:0#Right.", "=%0%12288:0#12,288 \\= 3 · 64²\\: W_O was left out."]


def meant(element: ElementTree.Element) -> list[tuple[str, str | None, int, str]]:
    """Of each answer what is typed, the tolerance, the part of the mark in percent and the feedback."""
    return [
        (
            answer.findtext("text", ""),
            answer.findtext("tolerance"),
            int(answer.get("fraction", "")),
            unescape(answer.findtext("feedback/text", "")),
        )
        for answer in element.findall("answer")
    ]


def read_gift(text: str) -> dict[str, object]:
    """One question as Moodle's importer takes the text apart: escapes are hidden, the signs left over cut it up.

    pygiftparser leaves escapes as they are; these are the importer's rules, on what is written here.
    """
    assert "\n\n" not in text, "an empty line ends a question"
    hidden = re.sub(r"\\(.)", lambda found: chr(0xE000 + ord(found[1])), text)
    name, question, inside = re.fullmatch(r"::(.*?)::(.*?)\{(.*)\}\n*", hidden, re.DOTALL).groups()  # type: ignore[union-attr]
    inside, _, general = inside.strip().rpartition("####")
    kind = (
        "numerical" if inside[0] == "#" else "multichoice" if "~" in inside else "match" if "->" in inside else "short"
    )
    answers = []
    for part in inside.removeprefix("#").split("=")[1:]:
        weight = re.match(r"%(\d+)%", part)
        typed, _, feedback = (part[weight.end() :] if weight else part).partition("#")
        answers.append((shown(typed), int(weight[1]) if weight else 100, shown(feedback)))
    return {"name": shown(name), "text": shown(question), "kind": kind, "answers": answers, "general": shown(general)}


def shown(text: str) -> str:
    return re.sub("[\ue000-\ue07f]", lambda found: chr(ord(found[0]) - 0xE000), text).strip()


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("question", DRAWN, ids=lambda question: f"{question.family}-{question.seed}")
def test_moodle_reads_from_gift_what_was_meant(question: Question, language: Language) -> None:
    category, _, written = gift([question], language).partition("\n\n")
    (xml,) = asked(moodle_xml([question], language))

    read = read_gift(written)

    assert category == f"$CATEGORY: $course$/mha-quiz/{question.theme.value}"
    assert read == {
        "name": xml.findtext("name/text"),
        "text": question.prompt.told(language),
        "kind": "short" if question.answer_kind is AnswerKind.SHAPE else "numerical",
        "answers": [
            (":".join(filter(None, (typed, tolerance))), percent, told)
            for typed, tolerance, percent, told in meant(xml)
        ],
        "general": " ".join(step.told(language) for step in question.solution),
    }


READER = r"""
import json, re, sys
from pygiftparser.parser import parseFile
def plain(text):
    return re.sub(r"\\(.)", r"\1", text)
def told(answer):
    typed = answer.value if hasattr(answer, "value") else plain(answer.answer)
    return [float(answer.fraction), typed, plain(answer.feedback)]
found = [question for question in parseFile(sys.stdin) if question.valid]
print(json.dumps({plain(question.title): [told(answer) for answer in question.answers.answers] for question in found}))
"""


@pytest.mark.skipif(find_spec("pygiftparser") is None, reason="needs pygiftparser")
@pytest.mark.parametrize("language", Language)
def test_a_reader_of_gift_reads_each_question(language: Language) -> None:
    """The reader knows no negative numbers, though Moodle does."""
    command = [sys.executable, "-W", "ignore", "-X", "utf8", "-c", READER]
    written = gift(DRAWN, language)
    read = json.loads(subprocess.run(command, input=written, capture_output=True, encoding="utf-8", check=True).stdout)

    expected = {
        xml.findtext("name/text"): [
            [percent, float(typed) if tolerance else typed, told] for typed, tolerance, percent, told in meant(xml)
        ]
        for xml in asked(moodle_xml(DRAWN, language))
        if not any(typed.startswith("-") for typed, *_ in meant(xml))
    }
    assert len(expected) > 140
    assert read == expected
