"""The commands `stats`, `due` and `history`: options and the clock for the rooms that know the history."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cards.kinds import counted
from mha_quiz.note_files import data_folder, given
from mha_quiz.options import DATA, JSON, NOTES, in_folder
from mha_quiz.printing import echo, print_json

if TYPE_CHECKING:
    from cards.learned import Learned
    from mha_quiz.events import Key
    from mha_quiz.history import History

_MOST_SIBLINGS = 20
"""So many deletions of a text are named."""
_LONGEST_NAME = 60


@click.command()
@DATA
@JSON
def due(data: Path | None, as_json: bool) -> None:
    """Tell how much is due today; nothing if nothing is, so that a shell prompt can hold it."""
    from mha_quiz.history_file import HistoryUnusable
    from mha_quiz.upcoming import due_line, upcoming

    try:
        found = upcoming(history_file(data), _now().date())
    except HistoryUnusable as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        echo(json.dumps(found._asdict()))
    elif line := due_line(found):
        echo(line)


@click.command()
@NOTES
@DATA
@JSON
def stats(paths: tuple[Path, ...], data: Path | None, as_json: bool) -> None:
    """Tell what the history says: retention, forecast, a year of answers, weakest skills, leeches.

    NOTES only give names to the cards that are hard.
    """
    from mha_quiz.progress import progress, progress_json
    from mha_quiz.progress_text import progress_lines
    from mha_quiz.screen import Screen

    today = _now().date()
    with opened(data, write=False) as history:
        found = progress(history.events(), history.asked(today), today)
    if as_json:
        print_json(progress_json(found))
    else:
        for line in progress_lines(found, _names(paths, data), Screen(sys.stdout, os.environ).width()):
            echo(line)


@click.group()
def history() -> None:
    """Carry the history to another computer, take in Anki's, and fit the schedule to it."""


@history.command()
@click.argument(
    "output",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=lambda _context, _argument, value: in_folder(value),
)
@click.option("--jsonl", "lines", is_flag=True, help="As lines of JSON, made for git.  [default: if so named]")
@DATA
def export(output: Path, lines: bool, data: Path | None) -> None:
    """Write the whole log to OUTPUT, to be imported elsewhere."""
    from mha_quiz import exchange

    with opened(data, write=False) as history:
        as_lines = lines or output.suffix.lower() == ".jsonl"
        count = exchange.export(history, output, lines=as_lines, today=_now().date())
    echo(f"{output}: {counted(count, 'event')}")


@history.command("import")
@click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@DATA
def import_(paths: tuple[Path, ...], data: Path | None) -> None:
    """Add what FILE knows and the history does not: an export, or an Anki package (.apkg, .colpkg) with our cards.

    The order does not matter, and a second time adds nothing.
    """
    from mha_quiz import exchange
    from mha_quiz.history import Conflict

    failed = False
    with opened(data) as history:
        for path in paths:
            try:
                taken = exchange.take(history, path, datetime.astimezone, _now().date())
            except Conflict as error:
                raise click.ClickException(
                    f"{path}: event {error} differs from the one in the history; one of them was changed or damaged"
                ) from error
            except OSError as error:
                raise click.ClickException(f"{path}: {error.strerror}") from error
            if isinstance(taken, int):
                echo(f"{path}: {counted(taken, 'new event')}")
                continue
            failed = True
            for problem in taken:
                print(problem, file=sys.stderr)
    if failed:
        raise SystemExit(1)


@history.command()
@DATA
def fit(data: Path | None) -> None:
    """Fit the schedule to your own answers, if that predicts them better."""
    from mha_quiz.fitting import FEWEST, TooFew
    from mha_quiz.fitting import fit as fit_to

    with opened(data) as history:
        try:
            found = fit_to(history.events(), history.plan(), _now().date())
        except ImportError as error:
            raise click.ClickException("this needs one package more: pip install fsrs-rs-python") from error
        except TooFew as error:
            message = f"only {error} answers to things that were asked before; {FEWEST} are needed to learn from"
            raise click.ClickException(message) from error
        if found.plan == history.plan():
            echo(f"{counted(found.answers, 'answer')}: the schedule in use predicts them best")
            return
        _plan(history, found.plan.desired_retention, found.plan.parameters)
    echo(f"{counted(found.answers, 'answer')}: log loss {found.loss_before:.4f} -> {found.loss:.4f}; now in use")


@history.command()
@click.argument("share", type=click.FloatRange(0.7, 0.97), required=False)
@DATA
def retention(share: float | None, data: Path | None) -> None:
    """Show or set the SHARE of answers that shall be right when they come due, such as 0.9."""
    with opened(data, write=share is not None) as history:
        plan = history.plan()
        if share is not None:
            _plan(history, share, plan.parameters)
            plan = history.plan()
    echo(f"{plan.desired_retention:g}")


def _plan(history: "History", desired_retention: float, parameters: tuple[float, ...]) -> None:
    from mha_quiz.events import Planned
    from mha_quiz.schedule import Plan

    history.record(Planned(history.stamp(_now()), Plan(desired_retention, parameters)))


def history_file(data: Path | None) -> Path:
    """Where the history lies."""
    return (data or data_folder()) / "history.db"


@contextmanager
def opened(data: Path | None, *, write: bool = True) -> "Iterator[History]":
    """The history, to be closed in the end; what is wrong with it ends the command."""
    import platform
    from random import SystemRandom

    from mha_quiz.history import History, HistoryUnusable

    path = history_file(data)
    try:
        with History.open(path, computer=platform.node(), rng=SystemRandom(), write=write) as history:
            yield history
    except HistoryUnusable as error:
        raise click.ClickException(str(error)) from error


def learned(data: Path | None) -> "dict[tuple[str, int], Learned]":
    """What the learner did with each sibling, for `deck --with-history`."""
    from mha_quiz import anki_history

    with opened(data, write=False) as history:
        return anki_history.learned(history.events(), history.plan(), _now().date())


def _names(paths: tuple[Path, ...], data: Path | None) -> "dict[Key, str]":
    """What the skills, and the cards in the lock of the notes, ask."""
    from cards.identity import question_of
    from cards.lock import Lock
    from mha_quiz.events import Sibling, Skill
    from mha_quiz.families import FAMILIES

    names: dict[Key, str] = {Skill(family.id): family.title.en for family in FAMILIES}
    match given(paths, data).lock_or_problems():
        case Lock(cards=cards):
            for card in cards:
                asked = " ".join(question_of(card.content).split())
                asked = asked if len(asked) <= _LONGEST_NAME else f"{asked[:_LONGEST_NAME]}…"
                names |= {Sibling(card.id, ordinal): asked for ordinal in range(_MOST_SIBLINGS)}
    return names


def _now() -> datetime:
    return datetime.now().astimezone()
