"""The command line: options in, one room called, lines out.

Results go to stdout, problems to stderr as `path:line:column: message`. Exit status 0: done; 1: problems found; 2: wrong
use. Each command imports its room when it runs, so that none waits for what it does not need.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cards.kinds import Language, Origin, counted
from mha_quiz.history_command import due, history, learned, stats
from mha_quiz.note_files import (
    BUNDLED,
    read_notes,
    remembered_deck,
    remembered_notes,
    remembered_outcome,
    without_collector,
)
from mha_quiz.options import ALL, JSON, NOTES, derived, output
from mha_quiz.printing import echo, fail, print_json, stop, tell
from mha_quiz.question_command import question
from mha_quiz.quiz_command import quiz
from mha_quiz.review_command import review

if TYPE_CHECKING:
    from cards.collection import Collection
    from cards.known import Scope
    from cards.learned import Learned
    from cards.lock import Lock
    from cards.model import Note, Problem
    from decks.build import Built
    from mha_quiz.claims import Claim

_NUMBERS = click.option(
    "--numbers/--no-numbers",
    "with_numbers",
    default=None,
    help="With the sub-deck of numeric questions on multi-head attention, or without.  "
    "[default: with it where the notes speak of that]",
)
_ORIGINS = {
    "flashcards": (Origin.FLASHCARD, Origin.RECONSTRUCTED),
    "reconstructed": (Origin.RECONSTRUCTED,),
    "derived": (Origin.DERIVED,),
}


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
@click.option(
    "--only",
    type=click.Choice(list(_ORIGINS)),
    help="Show only what the authors marked, what of it was reconstructed, or what was derived.",
)
@ALL
@derived("make")
@JSON
@without_collector()
def cards(paths: tuple[Path, ...], only: str | None, everything: bool, derived: bool | None, as_json: bool) -> None:
    """List the cards of the notes, and the problems after them."""
    from textwrap import indent

    from cards.identity import identify
    from cards.interchange import card_json, problem_json

    collection = _read(paths, everything, False if only == "flashcards" else derived)
    scope, lock = _scope_and_lock(paths, collection)
    known = identify(collection.cards, lock, now=0, fingerprint=lambda card: "", scope=scope).cards
    wanted = [card for card in known if only is None or card.card.origin in _ORIGINS[only]]
    if as_json:
        print_json(
            {
                "cards": [card_json(card.card, card.id) for card in wanted],
                "problems": [problem_json(problem) for problem in collection.problems],
            }
        )
    else:
        lines = []
        for card in wanted:
            entry = card_json(card.card, card.id)
            lines += [f"{card.card.place}  {card.card.deck}", indent(f"{entry['front']}", "  ")]
            lines.append(indent(f"→ {entry['back']}", "  ") + "\n" if entry["back"] else "")
            lines += [f"  ! {warning}\n" for warning in card.card.warnings]
        echo("\n".join([*lines, counted(len(wanted), "card")]))
        if only in (None, "derived"):
            for line in _left_out_lines(collection):
                echo(line)
    tell(collection.problems)


@main.command()
@NOTES
@ALL
@JSON
@without_collector()
def check(paths: tuple[Path, ...], everything: bool, as_json: bool) -> None:
    """Look for problems in the notes, and for numbers in them that do not compute."""
    from cards.interchange import problem_json
    from mha_quiz import claims

    collection = _read(paths, everything, check_cards=False)
    found = _claims(collection.notes)
    problems = sorted([*collection.problems, *claims.problems(found)])
    if as_json:
        told = [problem_json(problem) for problem in problems]
        print_json({"problems": told, "claims": [claims.claim_json(claim) for claim in found]})
    else:
        echo(
            f"{counted(len(collection.notes), 'note')}, {counted(len(collection.cards), 'card')}, "
            f"{counted(len(found), 'numeric claim')}, {counted(len(problems), 'problem')}"
        )
    tell(problems)


@main.command()
@click.argument("page", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@without_collector()
def tidy(page: Path) -> None:
    """Print a pasted PAGE as clean Markdown; what was repaired is told on stderr."""
    from cards.collection import decoded
    from cards.pasted import tidy
    from cards.settings import load

    text = decoded(page)
    if not isinstance(text, str):
        stop([text])
    tidied = tidy(text, str(page), load(page.parent).settings)
    echo(tidied.markdown.removesuffix("\n"))
    for notice in tidied.notices:
        echo(notice, sys.stderr)


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

    from cards.lock_file import notes_root
    from cards.media import Vault
    from decks.build import plan
    from decks.numbers import wanted_numbers
    from decks.preview import write_preview

    collection = _read(paths, everything, derived)
    scope, lock = _scope_and_lock(paths, collection)
    vault = Vault(notes_root(paths or (BUNDLED,)))
    try:
        planned = plan(
            collection.cards,
            lock,
            scope=scope,
            now=int(time.time()),
            twins=collection.twins,
            vault=vault,
            numbers=wanted_numbers(with_numbers, collection.cards, lock),
        )
        problems = sorted([*collection.problems, *planned.built.problems])
        write_preview(planned, problems, output)
    except OSError as error:
        fail(f"{output} was not written: {error.strerror} ({error.filename})")
    echo(f"{output}: {counted(planned.built.cards, 'card')}{_and_numbers(planned.built)}")
    tell(problems)


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

    @without_collector()
    def build(imported: "Lock | None" = None, imported_text: str = "") -> None:
        import time

        from mha_quiz import same_build

        notes, now = paths or (BUNDLED,), int(time.time())
        how = (language, everything, derived, with_numbers, imported_text)

        def state() -> bytes | None:
            if plan or as_json or with_history:
                return None
            return same_build.state(notes, how, _lock_file(paths), output)

        before, outcome = state(), remembered_outcome(notes, output)
        if before and (told := same_build.told(outcome, before, notes, now)):
            lines, problems = told
        else:
            collection = _read(paths, everything, derived)
            done = learned(None) if with_history else None
            built, scope, lock = _build(paths, output, language, collection, plan, imported, done, with_numbers, now)
            problems = (*collection.problems, *built.problems)
            lines = tuple(_report_lines(output, built, collection, plan))
            unchanged = len(built.changes.unchanged) == built.notes
            lasts = unchanged and same_build.may_be_told_again(collection, problems, built.marked)
            if before and lasts and before == state():
                same_build.remember(outcome, before, (lines, problems), scope, lock, now)
        if as_json:
            print_json(_report_json(output, built))
        else:
            for line in lines:
                echo(line)
        tell(problems)

    if not watch:
        build()
        return
    from cards.lock import Lock, format_lock
    from mha_quiz.watching import watch as watch_notes

    imported = _known_lock(paths)
    if not isinstance(imported, Lock):
        stop(imported)
    imported_text = format_lock(imported)

    def rebuild() -> None:
        try:
            build(imported, imported_text)
        except click.ClickException as error:
            error.show()
        except SystemExit:  # problems in the notes, which were told; the next save may mend them
            pass
        echo("Waiting for the next save; Ctrl-C ends.")
        sys.stdout.flush()

    watch_notes(paths or (BUNDLED,), rebuild)


def _build(
    paths: tuple[Path, ...],
    output: Path,
    language: Language | None,
    collection: "Collection",
    plan: bool,
    imported: "Lock | None",
    done: "Mapping[tuple[str, int], Learned] | None",
    with_numbers: bool | None,
    now: int,
) -> "tuple[Built, Scope, Lock]":
    """What was built, and of which notes and lock."""
    from contextlib import nullcontext

    from cards.lock_file import held, notes_root
    from cards.media import Vault
    from decks import build
    from decks.numbers import wanted_numbers

    lock_file = _lock_file(paths)
    memory = remembered_deck(paths or (BUNDLED,), output)
    try:
        with nullcontext() if plan else held(lock_file, data=_data_folder()):
            scope, lock = _scope_and_lock(paths, collection)
            planned = build.plan(
                collection.cards,
                lock,
                scope=scope,
                now=now,
                twins=collection.twins,
                language=language,
                vault=Vault(notes_root(paths or (BUNDLED,))),
                imported=imported,
                learned=done,
                numbers=wanted_numbers(with_numbers, collection.cards, lock),
                memory=memory,
            )
            if not plan:
                build.write(planned, output, lock_file, memory)
                memory.save()
            return planned.built, scope, lock
    except TimeoutError:
        fail("another mha-quiz is building a deck from these notes; try again when it is done")
    except OSError as error:
        fail(f"{output} was not written: {error.strerror} ({error.filename})")


def _report_json(output: Path, built: "Built") -> dict[str, object]:
    changes = built.changes
    return {
        "deck_file": str(output),
        "notes": built.notes,
        "cards": built.cards,
        "numbers": built.numbers.all,
        "unchanged": [card.id for card in changes.unchanged],
        "edited": [card.id for card in changes.edited],
        "moved": [card.id for card in changes.moved],
        "new": [card.id for card in (*changes.new, *changes.restored)],
        "removed": [card.id for card in changes.removed],
    }


def _report_lines(output: Path, built: "Built", collection: "Collection", plan: bool) -> Iterator[str]:
    from decks.report import plan_lines, todo_lines

    yield f"{output}: {counted(built.notes, 'note')}, {counted(built.cards, 'card')} in Anki{_and_numbers(built)}"
    for name, notes in built.decks:
        yield f"  {name}: {counted(notes, 'note')}"
    if plan:
        yield from plan_lines(built.changes, built.questions, built.moves, built.numbers)
    else:
        changes = built.changes
        restored = f", {len(changes.restored)} restored" if changes.restored else ""
        yield (
            f"{len(changes.unchanged)} unchanged, {len(changes.edited)} edited, {len(changes.moved)} moved, "
            f"{len(changes.new)} new, {len(changes.removed)} removed{restored}"
        )
    yield from _left_out_lines(collection)
    if warned := sum(bool(card.warnings) for card in collection.cards):
        yield f"{counted(warned, 'card')} with a number that does not compute, which `mha-quiz check` tells"
    yield from todo_lines(built.marked, built.emptied, built.moves)
    if plan:
        yield "Nothing was written."


def _left_out_lines(collection: "Collection") -> Iterator[str]:
    """What the structure of the notes would ask too, and why it does not."""
    if collection.repeating:
        yield f"{counted(collection.repeating, 'derived card')} left out: what an author marked says the same"
    if collection.failing:
        yield f"{counted(collection.failing, 'derived card')} left out: a number there does not compute"


def _and_numbers(built: "Built") -> str:
    number = built.numbers.all
    return f", and {counted(number, 'number')} in {built.numbers_deck}" if number else ""


def _read(
    paths: tuple[Path, ...], everything: bool, derived: bool | None = None, *, check_cards: bool = True
) -> "Collection":
    from mha_quiz.checked_cards import checked

    notes = paths or (BUNDLED,)
    remembered = remembered_notes(notes, everything, derived)
    collection = read_notes(notes, remembered, everything=everything, derived=derived)
    collection = checked(collection, remembered) if check_cards else collection
    remembered.save()
    return collection


def _claims(notes: "Iterable[Note]") -> "tuple[Claim, ...]":
    """The numeric claims of the notes, recomputed."""
    from functools import cache

    from cards.collection import decoded
    from cards.settings import load
    from mha_quiz.claims import check

    found: list[Claim] = []
    loaded = cache(load)  # of each folder once
    for note in notes:
        path = Path(note.path)
        if isinstance(text := decoded(path), str):
            found += check(text, note.path, loaded(path.parent).settings, page=note.page)
    return tuple(found)


def _lock_file(paths: tuple[Path, ...]) -> Path:
    from cards.lock_file import lock_path, notes_root

    return lock_path(notes_root(paths or (BUNDLED,)), data=_data_folder(), beside=bool(paths))


def _known_lock(paths: tuple[Path, ...]) -> "Lock | tuple[Problem, ...]":
    from cards.lock_file import known_lock, notes_root

    notes = paths or (BUNDLED,)
    return known_lock(_lock_file(paths), notes_root(notes), data=_data_folder(), notes=notes)


def _data_folder() -> Path:
    from platformdirs import user_data_path

    return user_data_path("mha-quiz")


def _scope_and_lock(paths: tuple[Path, ...], collection: "Collection") -> "tuple[Scope, Lock]":
    """What was remembered about the notes; a lock file that cannot be read ends the command."""
    from cards.known import scope_of
    from cards.lock import Lock
    from cards.lock_file import notes_root

    match _known_lock(paths):
        case Lock() as lock:
            return scope_of(notes_root(paths or (BUNDLED,)), [Path(note.path) for note in collection.notes]), lock
        case problems:
            stop(problems)


for _command in (quiz, question, review, due, stats, history):
    main.add_command(_command)
