"""The command line: options in, one room called, lines out.

Results go to stdout, problems to stderr as `path:line:column: message`. Exit status 0: done; 1: problems found; 2: wrong
use. Each command imports its room when it runs, so that none waits for what it does not need. The commands that need
`decks` stand here, the others in the modules `…_command`.
"""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from cards.kinds import Language, counted
from mha_quiz.history_command import due, history, learned, stats
from mha_quiz.note_files import checked_notes, given, remembered_deck, remembered_outcome, without_collector
from mha_quiz.notes_command import cards, check, tidy
from mha_quiz.options import ALL, JSON, NOTES, derived, output
from mha_quiz.printing import echo, fail, not_written, print_json, tell
from mha_quiz.question_command import question
from mha_quiz.quiz_command import quiz
from mha_quiz.review_command import review

if TYPE_CHECKING:
    from cards.collection import Collection
    from cards.known import Scope
    from cards.lock import Lock
    from decks.build import Built
    from mha_quiz.note_files import Given

_NUMBERS = click.option(
    "--numbers/--no-numbers",
    "with_numbers",
    default=None,
    help="With the sub-deck of numeric questions on multi-head attention, or without.  "
    "[default: with it where the notes speak of that]",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="mha-quiz", message="%(prog)s %(version)s")
def main() -> None:
    """Study notes in, things you remember out: cards, Anki decks and numeric questions.

    NOTES are files or folders; without them the bundled notes on multi-head attention are read.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by who started us
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - to the end of the run


@main.command()
@NOTES
@output("mha-quiz.html", "The page")
@ALL
@derived("make")
@_NUMBERS
@without_collector()
def preview(
    paths: tuple[Path, ...], output: Path, everything: bool, derived: bool | None, with_numbers: bool | None
) -> None:
    """Write the cards as Anki will show them, as one HTML page that needs neither Anki nor a network."""
    import time

    from cards.media import Vault
    from decks.build import plan
    from decks.numbers import wanted_numbers
    from decks.preview import write_preview
    from decks.report import and_numbers

    notes = given(paths)
    collection = checked_notes(notes.paths, everything=everything, derived=derived)
    lock = notes.lock()
    try:
        planned = plan(
            collection.cards,
            lock,
            scope=notes.scope(collection),
            now=int(time.time()),
            twins=collection.twins,
            vault=Vault(notes.root),
            numbers=wanted_numbers(with_numbers, collection.cards, lock),
        )
        problems = sorted([*collection.problems, *planned.built.problems])
        write_preview(planned, problems, output)
    except OSError as error:
        fail(not_written(output, error))
    echo(f"{output}: {counted(planned.built.cards, 'card')}{and_numbers(planned.built)}")
    tell(problems)


class _Wanted(NamedTuple):
    """The options of `deck`, each as its help tells."""

    paths: tuple[Path, ...]
    output: Path
    language: Language | None
    everything: bool
    derived: bool | None
    with_numbers: bool | None
    with_history: bool
    plan: bool
    as_json: bool


@main.command()
@NOTES
@output("mha-quiz.apkg", "The deck file")
@click.option(
    "--lang",
    "language",
    type=click.Choice([*(language.value for language in Language), "both"]),
    callback=lambda _context, _option, value: None if value == "both" else Language(value),
    default="both",
    show_default=True,
    help="Show cards that have a twin in this language.",
)
@ALL
@derived("make")
@_NUMBERS
@click.option("--with-history", is_flag=True, help="Give cards that Anki does not have yet your answers in `review`.")
@click.option("--plan", is_flag=True, help="Tell what would change in Anki; write nothing.")
@click.option("--watch", is_flag=True, help="Build again whenever notes are saved, until Ctrl-C.")
@JSON
def deck(
    paths: tuple[Path, ...],
    output: Path,
    language: Language | None,
    everything: bool,
    derived: bool | None,
    with_numbers: bool | None,
    with_history: bool,
    plan: bool,
    watch: bool,
    as_json: bool,
) -> None:
    """Build or rebuild the Anki deck. Import the file into Anki; import it again after each rebuild."""
    if watch and (plan or as_json):
        raise click.UsageError("--watch goes with neither --plan nor --json")
    wanted = _Wanted(paths, output, language, everything, derived, with_numbers, with_history, plan, as_json)
    if not watch:
        _build(wanted)
        return
    from mha_quiz.watching import watch as watch_notes

    notes = given(paths)
    imported = notes.lock()

    def rebuild() -> None:
        try:
            _build(wanted, imported)
        except click.ClickException as error:
            error.show()
        except SystemExit:  # problems in the notes, which were told; the next save may mend them
            pass
        echo("Waiting for the next save; Ctrl-C ends.")
        sys.stdout.flush()

    watch_notes(notes.paths, rebuild)


@without_collector()
def _build(wanted: _Wanted, imported: "Lock | None" = None) -> None:
    """Build the deck once and tell it; `imported` is the lock that the last imported package was built with, if that may
    be another than the last build's."""
    import time

    from mha_quiz import same_build

    notes, now = given(wanted.paths), int(time.time())

    def state() -> bytes | None:
        if wanted.plan or wanted.as_json or wanted.with_history or imported is not None:
            return None
        return same_build.state(notes.paths, wanted, notes.lock_file, wanted.output)

    before, outcome = state(), remembered_outcome(notes.paths, wanted.output)
    if before and (told := same_build.told(outcome, before, notes.paths, now)):
        lines, problems = told
    else:
        from decks.report import report_json, report_lines

        collection = checked_notes(notes.paths, everything=wanted.everything, derived=wanted.derived)
        built, scope, lock = _built(wanted, notes, collection, imported, now)
        problems = (*collection.problems, *built.problems)
        if wanted.as_json:
            print_json(report_json(wanted.output, built))
            tell(problems)
            return
        lines = tuple(report_lines(wanted.output, built, collection, plan=wanted.plan))
        unchanged = len(built.changes.unchanged) == built.notes
        lasts = unchanged and same_build.may_be_told_again(collection, problems, built.marked)
        if before and lasts and before == state():
            same_build.remember(outcome, before, (lines, problems), scope, lock, now)
    for line in lines:
        echo(line)
    tell(problems)


def _built(
    wanted: _Wanted, notes: "Given", collection: "Collection", imported: "Lock | None", now: int
) -> "tuple[Built, Scope, Lock]":
    """What was built, and of which notes and lock."""
    from contextlib import nullcontext

    from cards.lock_file import held
    from cards.media import Vault
    from decks import build
    from decks.numbers import wanted_numbers

    done = learned(None) if wanted.with_history else None
    memory = remembered_deck(notes.paths, wanted.output)
    try:
        with nullcontext() if wanted.plan else held(notes.lock_file, data=notes.data):
            scope, lock = notes.scope(collection), notes.lock()
            planned = build.plan(
                collection.cards,
                lock,
                scope=scope,
                now=now,
                twins=collection.twins,
                language=wanted.language,
                vault=Vault(notes.root),
                imported=imported,
                learned=done,
                numbers=wanted_numbers(wanted.with_numbers, collection.cards, lock),
                memory=memory,
            )
            if not wanted.plan:
                build.write(planned, wanted.output, notes.lock_file, memory)
                memory.save()
            return planned.built, scope, lock
    except TimeoutError:
        fail("another mha-quiz is building a deck from these notes; try again when it is done")
    except OSError as error:
        fail(not_written(wanted.output, error))


for _command in (cards, check, tidy, quiz, question, review, due, stats, history):
    main.add_command(_command)
