"""The command `quiz`: notes, history, clock and randomness for `mha_quiz.terminal`."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cards.kinds import Language
from mha_quiz.note_files import BUNDLED, read_notes
from mha_quiz.options import DATA, NOTES, language
from mha_quiz.printing import full_disk_told, stop
from mha_quiz.question_command import family_called

if TYPE_CHECKING:
    from cards.collection import Collection
    from cards.model import Note, Place
    from cards.remembered import Remembered
    from cards.settings import Settings
    from mha_quiz.history import History
    from mha_quiz.note_questions import Found
    from mha_quiz.question import Family, Text
    from mha_quiz.rereading import Passage
    from mha_quiz.tries import Try

_USUAL_COUNT = 10
THEMES = ("shapes", "parameters", "costs", "memory", "values", "pytorch")
"""Those of `mha_quiz.question`, which need not be loaded to show help."""


@click.command()
@NOTES
@click.option("-n", "count", type=click.IntRange(min=1), help=f"How many questions.  [default: {_USUAL_COUNT}]")
@click.option("--family", "family_ids", multiple=True, metavar="ID", help="Ask this family, such as B1; repeatable.")
@click.option(
    "--theme",
    "themes",
    multiple=True,
    type=click.Choice(THEMES),
    help="Ask the families of this theme; repeatable.",
)
@click.option(
    "--difficulty",
    type=click.Choice(["easy", "hard"]),
    help="Small numbers for the head (d_model up to 64, up to 12 tokens), or only others. Those of NOTES stay as they are.",
)
@click.option(
    "--weakest",
    is_flag=True,
    help="First the families that your latest answers got wrong most often, then those most likely forgotten.",
)
@click.option("--exam", type=click.IntRange(min=1), metavar="N", help="Ask N questions without verdicts, then report.")
@language("of the questions")
@click.option("--seed", type=click.IntRange(min=0), help="Repeat the quiz that told this seed, with the same options.")
@DATA
def quiz(
    paths: tuple[Path, ...],
    count: int | None,
    family_ids: tuple[str, ...],
    themes: tuple[str, ...],
    difficulty: str | None,
    weakest: bool,
    exam: int | None,
    language: Language,
    seed: int | None,
    data: Path | None,
) -> None:
    """Ask numeric questions; every answer was computed by the attention that ships with this program.

    With NOTES the first half has the numbers that the notes use in their examples (d_model, heads, tokens), and the
    second half asks the same with others. What you answer is kept in the history, for `stats` and `review`.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small, and numpy starts faster
    from itertools import chain
    from random import Random, SystemRandom

    from mha_quiz import quiz_wording
    from mha_quiz.choice import Difficulty, quiz
    from mha_quiz.terminal import Asked, run_quiz

    if exam is not None and count is not None:
        raise click.UsageError("--exam says how many questions, so -n is not needed")
    count = exam or count or _USUAL_COUNT
    families = _families(family_ids, themes)
    found = _numbers(paths, language) if paths else ()
    seed = SystemRandom().randrange(10**6) if seed is None else seed
    with full_disk_told(), _history(data) as (history, complaint):
        first = _weakest(families, history) if weakest and history else ()
        chosen = quiz(
            families,
            Random(seed),
            count,
            found=found,
            first=first,
            difficulty=Difficulty(difficulty) if difficulty else None,
        )
        begin = next(chosen, None)
        if begin is None:
            raise click.UsageError(f"no question of these families is {difficulty}")
        several = len(paths) > 1 or any(path.is_dir() for path in paths)
        asked = (
            Asked(one.question, one.source.said(with_name=several) if one.source else None)
            for one in chain([begin], chosen)
        )
        opening = [quiz_wording.WEAKEST if weakest else quiz_wording.start(seed)]
        opening += [quiz_wording.EXAM] if exam else []
        opening += [quiz_wording.NO_NUMBERS] if paths and not found else []
        opening += [complaint] if complaint else []
        tally = run_quiz(
            asked,
            count=count,
            opening=opening,
            language=language,
            record=_recorder(history),
            reread=(lambda ids: _to_read_again(ids, paths, language)) if exam else None,
            slips_ever=lambda: _slips_ever(history),
            clock=_now,
            stdin=sys.stdin,
            stdout=sys.stdout,
        )
    if tally.interrupted:
        raise SystemExit(130)


def _families(ids: Sequence[str], themes: Sequence[str]) -> "Sequence[Family]":
    from mha_quiz.families import FAMILIES

    wanted = {family_called(family_id).id for family_id in ids}
    return tuple(family for family in FAMILIES if family.id in wanted or family.theme in themes) or FAMILIES


def _read(paths: Sequence[Path]) -> "tuple[Collection, Remembered]":
    collection, remembered = read_notes(paths, everything=True, derived=False)
    if not collection.notes:
        stop(collection.problems)
    return collection, remembered


def _numbers(paths: Sequence[Path], language: Language) -> "tuple[Found, ...]":
    """The numbers that the notes use, each once; notes in the language of the quiz first."""
    from cards.remembered import key_of, program
    from mha_quiz.note_questions import Found
    from mha_quiz.sized import Sizes

    collection, remembered = _read(paths)
    kept: dict[Sizes, Found] = {}
    for note, text, settings in _texts(collection, language):

        def work_out(
            text: str = text, note: "Note" = note, settings: "Settings" = settings
        ) -> "tuple[tuple[int, int, int | None, Place], ...]":
            from mha_quiz.note_numbers import settings_in  # it loads all that reads claims

            found = settings_in(text, note.path, settings, page=note.page)
            return tuple((it.sizes.d, it.sizes.h, it.sizes.n, it.place) for it in found)

        key = key_of("numbers", program("cards", "mha_quiz"), text, note.path, repr((settings, note.page)))
        for d, h, n, place in remembered.recall(key, work_out):
            kept.setdefault(Sizes(d, h, n), Found(Sizes(d, h, n), place))
    remembered.save()
    return tuple(kept.values())


def _to_read_again(ids: Sequence[str], paths: Sequence[Path], language: Language) -> "Mapping[str, Passage]":
    """Where the notes, or the bundled ones, speak of these families."""
    from dataclasses import replace

    from mha_quiz.card_text import plain
    from mha_quiz.claims.passages import read
    from mha_quiz.rereading import to_read_again

    collection, remembered = _read(paths or (BUNDLED,))
    remembered.save()
    readings = [read(text, note.path, it, page=note.page) for note, text, it in _texts(collection, language)]
    found = {family_id: to_read_again(family_id, readings) for family_id in ids}
    inside = "" if paths else f"{BUNDLED}{os.sep}"  # nobody wants to read where a program is installed
    return {
        family_id: replace(it, place=it.place.removeprefix(inside), title=plain(it.title))
        for family_id, it in found.items()
        if it
    }


def _texts(collection: "Collection", language: Language) -> "Iterator[tuple[Note, str, Settings]]":
    """The notes with their texts and settings, those in the language first."""
    from cards.collection import texts

    return texts(sorted(collection.notes, key=lambda note: note.language is not language))


@contextmanager
def _history(data: Path | None) -> "Iterator[tuple[History | None, Text | None]]":
    """The history, or why there is none: a quiz goes on without."""
    import platform
    from random import SystemRandom

    from mha_quiz import quiz_wording
    from mha_quiz.history import History, HistoryUnusable
    from mha_quiz.history_command import history_file

    try:
        history = History.open(history_file(data), computer=platform.node(), rng=SystemRandom())
    except HistoryUnusable as error:
        yield None, quiz_wording.not_recorded(str(error))
        return
    with history:
        yield history, None


def _recorder(history: "History | None") -> "Callable[[Try], Text | None]":
    """Writes each try into the history; when that fails, tells it once and stops recording."""
    from mha_quiz import quiz_wording
    from mha_quiz.history import HistoryUnusable

    usable = history

    def record(one: "Try") -> "Text | None":
        nonlocal usable
        if usable is None:
            return None
        try:
            usable.record(one.event(usable.stamp(_now())))
        except HistoryUnusable as error:
            usable = None
            return quiz_wording.not_recorded(str(error))
        return None

    return record


def _slips_ever(history: "History | None") -> "Mapping[str, int]":
    """How often each slip was met; nothing if the history is of no use."""
    from collections import Counter

    from mha_quiz.events import Tried
    from mha_quiz.history import HistoryUnusable

    if history is None:
        return {}
    try:
        tries = [event for event in history.events() if isinstance(event, Tried)]
    except HistoryUnusable:  # which was told when the last answer was not recorded
        return {}
    return Counter(f"{event.key.family}/{slip}" for event in tries for slip in event.slips)


def _weakest(families: "Sequence[Family]", history: "History") -> "Sequence[Family]":
    from mha_quiz.progress import weakest_first

    today = _now().date()
    order = weakest_first(history.events(), history.states(today), today)
    return [family for family_id in order for family in families if family.id == family_id]


def _now() -> datetime:
    return datetime.now().astimezone()
