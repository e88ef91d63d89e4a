"""The command `question`: options for the families of questions."""

import os
import sys
from typing import TYPE_CHECKING, Literal

import click

from cards.kinds import Language
from mha_quiz.options import JSON, language
from mha_quiz.printing import echo, print_json

if TYPE_CHECKING:
    from mha_quiz.question import Family, Question

_SEED = click.option("--seed", type=click.IntRange(min=0), required=True, help="Which variant of the family.")
_FAMILY = click.argument("family_id", metavar="FAMILY")
LONGEST_NUMBER = 100
_NEGATIVE = {"ignore_unknown_options": True}
"""An answer may begin with a minus sign."""


@click.group()
def question() -> None:
    """The same questions, for scripts."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@question.command("list")
@language("of the questions")
@JSON
def list_(language: Language, as_json: bool) -> None:
    """List the families of questions."""
    from mha_quiz.families import FAMILIES
    from mha_quiz.question_text import family_json

    if as_json:
        print_json([family_json(family, language) for family in FAMILIES])
    else:
        for family in FAMILIES:
            echo(f"{family.id:4} {family.theme:10} {family.title.told(language)}")


@question.command()
@_FAMILY
@_SEED
@language("of the questions")
@JSON
def draw(family_id: str, seed: int, language: Language, as_json: bool) -> None:
    """Draw and verify one question of FAMILY, without asking it."""
    from mha_quiz.question_text import question_json, value_text

    drawn = _draw(family_id, seed)
    if as_json:
        print_json(question_json(drawn, language))
    else:
        echo(drawn.prompt.told(language))
        echo(f"→ {value_text(drawn.answer, drawn.precision)}")


@question.command(context_settings=_NEGATIVE)
@_FAMILY
@_SEED
@click.argument("text")
@language("of the questions")
@JSON
def grade(family_id: str, seed: int, text: str, language: Language, as_json: bool) -> None:
    """Grade TEXT as an answer to one question."""
    from mha_quiz.verdicts import grade, grade_json

    drawn = _draw(family_id, seed)
    graded = grade_json(drawn, grade(drawn, text), language)
    if as_json:
        print_json(graded)
    else:
        echo(f"{graded['verdict']}: {graded['message']}")


@question.command()
@click.option("--variants", type=click.IntRange(min=1), default=200, show_default=True, help="How many of each family.")
def verify(variants: int) -> None:
    """Verify every family: its formula against a run of the attention core."""
    import time

    from mha_quiz.families import FAMILIES
    from mha_quiz.verification import verify_all

    report = verify_all(FAMILIES, variants, time.perf_counter)
    for disagreement in report.disagreements:
        echo(disagreement, sys.stderr)
    echo(
        f"families {report.families}, variants {report.variants}, disagreements {len(report.disagreements)}, "
        f"collisions handled {report.collisions}, seconds {report.seconds:.1f}"
    )
    if report.disagreements:
        raise SystemExit(1)


@question.command()
@click.argument("family_ids", metavar="[FAMILY]...", nargs=-1)
@click.option("--format", "form", type=click.Choice(["moodle", "gift"]), required=True)
@click.option("--variants", type=click.IntRange(min=1), default=5, show_default=True, help="How many of each family.")
@language("of the questions")
def export(family_ids: tuple[str, ...], form: str, variants: int, language: Language) -> None:
    """Print verified questions for Moodle; a feedback tells each slip."""
    from mha_quiz.export import gift, moodle_xml
    from mha_quiz.families import FAMILIES
    from mha_quiz.question import draw

    families = [family_called(family_id) for family_id in family_ids] or FAMILIES
    drawn = [draw(family, seed) for family in families for seed in range(variants)]
    echo((moodle_xml if form == "moodle" else gift)(drawn, language).removesuffix("\n"))


@question.command(context_settings=_NEGATIVE)
@click.argument("text")
@click.option(
    "--want", type=click.Choice(["number", "shape"]), default="number", show_default=True, help="What TEXT shall be."
)
@click.option("--name", "names", multiple=True, metavar="NAME=NUMBER", help="A name the text may use; repeatable.")
@language("of the messages")
@JSON
def read(
    text: str, want: Literal["number", "shape"], names: tuple[str, ...], language: Language, as_json: bool
) -> None:
    """Show how TEXT is read as an answer."""
    from mha_quiz.answers import read, reading_json

    shown = reading_json(read(text, want=want, names=dict(map(_named, names))), language)
    if as_json:
        print_json(shown)
    else:
        echo(str(shown["message"]))


def family_called(family_id: str) -> "Family":
    """The family with this id, in capitals or not; ends the command if there is none."""
    from mha_quiz.families import FAMILIES

    for family in FAMILIES:
        if family.id.casefold() == family_id.casefold():
            return family
    raise click.UsageError(f"there is no family {family_id}; `mha-quiz question list` shows them all")


def _draw(family_id: str, seed: int) -> "Question":
    from mha_quiz.question import draw

    return draw(family_called(family_id), seed)


def _named(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if not name or not number.isdecimal() or len(number) > LONGEST_NUMBER:
        raise click.UsageError(f"--name wants NAME=NUMBER such as d=512, not {text}")
    return name, int(number)
