"""The command line: options in, one room called, lines out.

Results go to stdout, problems to stderr as `path:line:column: message`. Exit status 0: done; 1: problems found; 2: wrong
use. Each command imports its room when it runs, so that none waits for what it does not need.
"""

import json
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn, TextIO

import click

from cards.model import Language, Origin, Problem
from mha_quiz.history_command import due, history, stats
from mha_quiz.review_command import review

if TYPE_CHECKING:
    from cards.collection import Collection
    from cards.identity import Scope
    from cards.lock import Lock
    from cards.model import Note
    from decks.build import Built
    from mha_quiz.claims import Claim
    from mha_quiz.question import Family, Question

BUNDLED = Path(__file__).parent / "notes"
_NOTES = click.argument("paths", metavar="[NOTES]...", nargs=-1, type=click.Path(exists=True, path_type=Path))
_ALL = click.option("--all", "everything", is_flag=True, help="Read notes without a deck tag too.")
_DERIVED = click.option(
    "--derived/--no-derived",
    default=None,
    help="Also make cards from the structure of the notes.  [default: as the notes and the settings say]",
)
_ORIGINS = {
    "flashcards": (Origin.FLASHCARD, Origin.RECONSTRUCTED),
    "reconstructed": (Origin.RECONSTRUCTED,),
    "derived": (Origin.DERIVED,),
}
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON value instead of text.")
_LANGUAGE = click.option(
    "--lang",
    "language",
    type=click.Choice([language.value for language in Language]),
    callback=lambda _context, _option, value: Language(value),
    default=Language.EN.value,
    show_default=True,
    help="Language of the questions.",
)
_SEED = click.option("--seed", type=click.IntRange(min=0), required=True, help="Which variant of the family.")
_FAMILY = click.argument("family_id", metavar="FAMILY")
_NEGATIVE = {"ignore_unknown_options": True}
"""An answer may begin with a minus sign."""


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="mha-quiz", message="%(prog)s %(version)s")
def main() -> None:
    """Study notes in, things you remember out: cards, Anki decks and numeric questions.

    NOTES are files or folders; without them the bundled notes on multi-head attention are read.
    """


@main.command()
@_NOTES
@click.option(
    "--only",
    type=click.Choice(list(_ORIGINS)),
    help="Show only what the authors marked, what of it was reconstructed, or what was derived.",
)
@_ALL
@_DERIVED
@_JSON
def cards(paths: tuple[Path, ...], only: str | None, everything: bool, derived: bool | None, as_json: bool) -> None:
    """List the cards of the notes, and the problems after them."""
    from textwrap import indent

    from cards.identity import identify
    from cards.interchange import card_json, problem_json

    collection = _without_false(_read(paths, everything, False if only == "flashcards" else derived))
    scope, lock = _scope_and_lock(paths, collection)
    known = identify(collection.cards, lock, now=0, fingerprint=lambda card: "", scope=scope).cards
    wanted = [card for card in known if only is None or card.card.origin in _ORIGINS[only]]
    if as_json:
        _print_json(
            {
                "cards": [card_json(card.card, card.id) for card in wanted],
                "problems": [problem_json(problem) for problem in collection.problems],
            }
        )
    else:
        for card in wanted:
            _echo(f"{card.card.place}  {card.card.deck}")
            entry = card_json(card.card, card.id)
            _echo(indent(f"{entry['front']}", "  "))
            _echo(indent(f"→ {entry['back']}", "  ") + "\n" if entry["back"] else "")
        _echo(_count(len(wanted), "card"))
    _tell(collection.problems)


@main.command()
@_NOTES
@_ALL
@_JSON
def check(paths: tuple[Path, ...], everything: bool, as_json: bool) -> None:
    """Look for problems in the notes, and for numbers in them that do not compute."""
    from cards.interchange import problem_json
    from mha_quiz import claims

    collection = _read(paths, everything)
    found = _claims(collection.notes)
    problems = sorted([*collection.problems, *claims.problems(found)])
    if as_json:
        told = [problem_json(problem) for problem in problems]
        _print_json({"problems": told, "claims": [claims.claim_json(claim) for claim in found]})
    else:
        _echo(
            f"{_count(len(collection.notes), 'note')}, {_count(len(collection.cards), 'card')}, "
            f"{_count(len(found), 'numeric claim')}, {_count(len(problems), 'problem')}"
        )
    _tell(problems)


@main.command()
@click.argument("page", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def tidy(page: Path) -> None:
    """Print a pasted PAGE as clean Markdown; what was repaired is told on stderr."""
    from cards.collection import decoded
    from cards.pasted import tidy
    from cards.settings import load

    text = decoded(page)
    if isinstance(text, Problem):
        _stop([text])
    tidied = tidy(text, str(page), load(page.parent).settings)
    _echo(tidied.markdown.removesuffix("\n"))
    for notice in tidied.notices:
        _echo(notice, sys.stderr)


@main.command()
@_NOTES
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=lambda _context, _option, value: _with_ending(value, ".html"),
    default=Path("mha-quiz.html"),
    show_default=True,
    help="The page, which ends in .html.",
)
@_ALL
@_DERIVED
def preview(paths: tuple[Path, ...], output: Path, everything: bool, derived: bool | None) -> None:
    """Write the cards as Anki will show them, as one HTML page that needs neither Anki nor a network."""
    import time

    from cards.lock_file import notes_root
    from cards.media import Vault
    from decks.build import plan
    from decks.preview import write_preview

    collection = _without_false(_read(paths, everything, derived))
    scope, lock = _scope_and_lock(paths, collection)
    vault = Vault(notes_root(paths or (BUNDLED,)))
    planned = plan(collection.cards, lock, scope=scope, now=int(time.time()), twins=collection.twins, vault=vault)
    problems = sorted([*collection.problems, *planned.built.problems])
    try:
        write_preview(planned, problems, output)
    except OSError as error:
        _fail(f"{output} was not written: {error.strerror} ({error.filename})")
    _echo(f"{output}: {_count(planned.built.cards, 'card')}")
    _tell(problems)


@main.command()
@_NOTES
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=lambda _context, _option, value: _with_ending(value, ".apkg"),
    default=Path("mha-quiz.apkg"),
    show_default=True,
    help="The deck file, which ends in .apkg.",
)
@click.option(
    "--lang",
    "language",
    type=click.Choice([*Language, "both"]),
    callback=lambda _context, _option, value: None if value == "both" else Language(value),
    default="both",
    show_default=True,
    help="Show cards that have a twin in this language.",
)
@_ALL
@_DERIVED
@click.option("--plan", is_flag=True, help="Tell what would change in Anki; write nothing.")
@click.option("--watch", is_flag=True, help="Build again whenever notes are saved, until Ctrl-C.")
@_JSON
def deck(
    paths: tuple[Path, ...],
    output: Path,
    language: Language | None,
    everything: bool,
    derived: bool | None,
    plan: bool,
    watch: bool,
    as_json: bool,
) -> None:
    """Build or rebuild the Anki deck. Import the file into Anki; import it again after each rebuild."""
    if watch and (plan or as_json):
        raise click.UsageError("--watch goes with neither --plan nor --json")

    def build(imported: "Lock | None" = None) -> None:
        collection = _without_false(_read(paths, everything, derived))
        built = _build(paths, output, language, collection, plan, imported)
        _tell_build(output, built, plan, as_json)
        _tell([*collection.problems, *built.problems])

    if not watch:
        build()
        return
    from cards.lock import Lock
    from cards.lock_file import read_lock
    from mha_quiz.watching import watch as watch_notes

    imported = read_lock(_lock_file(paths))
    if not isinstance(imported, Lock):
        _stop(imported)

    def rebuild() -> None:
        try:
            build(imported)
        except click.ClickException as error:
            error.show()
        except SystemExit:  # problems in the notes, which were told; the next save may mend them
            pass
        _echo("Waiting for the next save; Ctrl-C ends.")
        sys.stdout.flush()

    watch_notes(paths or (BUNDLED,), rebuild)


def _build(
    paths: tuple[Path, ...],
    output: Path,
    language: Language | None,
    collection: "Collection",
    plan: bool,
    imported: "Lock | None",
) -> "Built":
    import time
    from contextlib import nullcontext

    from cards.lock_file import held, notes_root
    from cards.media import Vault
    from decks import build

    lock_file = _lock_file(paths)
    try:
        with nullcontext() if plan else held(lock_file, data=_data_folder()):
            scope, lock = _scope_and_lock(paths, collection)
            planned = build.plan(
                collection.cards,
                lock,
                scope=scope,
                now=int(time.time()),
                twins=collection.twins,
                language=language,
                vault=Vault(notes_root(paths or (BUNDLED,))),
                imported=imported,
            )
            if not plan:
                build.write(planned, output, lock_file)
            return planned.built
    except TimeoutError:
        _fail("another mha-quiz is building a deck from these notes; try again when it is done")
    except OSError as error:
        _fail(f"{output} was not written: {error.strerror} ({error.filename})")


def _tell_build(output: Path, built: "Built", plan: bool, as_json: bool) -> None:
    from decks.report import plan_lines, todo_lines

    changes = built.changes
    report = {
        "unchanged": [card.id for card in changes.unchanged],
        "edited": [card.id for card in changes.edited],
        "moved": [card.id for card in changes.moved],
        "new": [card.id for card in changes.new],
        "removed": [card.id for card in changes.removed],
    }
    if as_json:
        _print_json({"deck_file": str(output), "notes": built.notes, "cards": built.cards, **report})
        return
    _echo(f"{output}: {_count(built.notes, 'note')}, {_count(built.cards, 'card')} in Anki")
    for name, notes in built.decks:
        _echo(f"  {name}: {_count(notes, 'note')}")
    if plan:
        for line in plan_lines(changes, built.questions, built.moves):
            _echo(line)
    else:
        _echo(", ".join(f"{len(ids)} {name}" for name, ids in report.items()))
    for line in todo_lines(built.marked, built.moves):
        _echo(line)
    if plan:
        _echo("Nothing was written.")


@main.command()
@click.option("-n", "count", type=click.IntRange(min=1), default=10, show_default=True, help="How many questions.")
@click.option("--family", "family_ids", multiple=True, metavar="ID", help="Ask this family, such as B1; repeatable.")
@_LANGUAGE
@click.option("--seed", type=click.IntRange(min=0), help="Repeat the quiz that told this seed.")
def quiz(count: int, family_ids: tuple[str, ...], language: Language, seed: int | None) -> None:
    """Ask numeric questions; every answer was computed by the attention that ships with this program."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small, and numpy starts faster
    from itertools import islice
    from random import Random, SystemRandom

    from mha_quiz.choice import questions
    from mha_quiz.families import FAMILIES
    from mha_quiz.terminal import run_quiz

    if seed is None:
        seed = SystemRandom().randrange(10**6)
    families = [_family(family_id) for family_id in family_ids] or FAMILIES
    chosen = islice(questions(families, Random(seed)), count)
    tally = run_quiz(chosen, count=count, seed=seed, language=language, stdin=sys.stdin, stdout=sys.stdout)
    if tally.interrupted:
        raise SystemExit(130)


@main.group()
def question() -> None:
    """The same questions, for scripts."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@question.command("list")
@_LANGUAGE
@_JSON
def list_(language: Language, as_json: bool) -> None:
    """List the families of questions."""
    from mha_quiz.families import FAMILIES
    from mha_quiz.question import family_json

    if as_json:
        _print_json([family_json(family, language) for family in FAMILIES])
    else:
        for family in FAMILIES:
            _echo(f"{family.id:4} {family.theme:10} {family.title.told(language)}")


@question.command()
@_FAMILY
@_SEED
@_LANGUAGE
@_JSON
def draw(family_id: str, seed: int, language: Language, as_json: bool) -> None:
    """Draw and verify one question of FAMILY, without asking it."""
    from mha_quiz.question import question_json, value_text

    drawn = _draw(family_id, seed)
    if as_json:
        _print_json(question_json(drawn, language))
    else:
        _echo(drawn.prompt.told(language))
        _echo(f"→ {value_text(drawn.answer, drawn.precision)}")


@question.command(context_settings=_NEGATIVE)
@_FAMILY
@_SEED
@click.argument("text")
@_LANGUAGE
@_JSON
def grade(family_id: str, seed: int, text: str, language: Language, as_json: bool) -> None:
    """Grade TEXT as an answer to one question."""
    from mha_quiz.verdicts import grade, grade_json

    drawn = _draw(family_id, seed)
    graded = grade_json(drawn, grade(drawn, text), language)
    if as_json:
        _print_json(graded)
    else:
        _echo(f"{graded['verdict']}: {graded['message']}")


@question.command()
@click.option("--variants", type=click.IntRange(min=1), default=200, show_default=True, help="How many of each family.")
def verify(variants: int) -> None:
    """Verify every family: its formula against a run of the attention core."""
    import time

    from mha_quiz.families import FAMILIES
    from mha_quiz.verification import verify_all

    report = verify_all(FAMILIES, variants, time.perf_counter)
    for disagreement in report.disagreements:
        _echo(disagreement, sys.stderr)
    _echo(
        f"families {report.families}, variants {report.variants}, disagreements {len(report.disagreements)}, "
        f"collisions handled {report.collisions}, seconds {report.seconds:.1f}"
    )
    if report.disagreements:
        raise SystemExit(1)


@question.command()
@click.argument("family_ids", metavar="[FAMILY]...", nargs=-1)
@click.option("--format", "form", type=click.Choice(["moodle", "gift"]), required=True)
@click.option("--variants", type=click.IntRange(min=1), default=5, show_default=True, help="How many of each family.")
@_LANGUAGE
def export(family_ids: tuple[str, ...], form: str, variants: int, language: Language) -> None:
    """Print verified questions for Moodle; a feedback tells each slip."""
    from mha_quiz.export import gift, moodle_xml
    from mha_quiz.families import FAMILIES
    from mha_quiz.question import draw

    families = [_family(family_id) for family_id in family_ids] or FAMILIES
    drawn = [draw(family, seed) for family in families for seed in range(variants)]
    _echo((moodle_xml if form == "moodle" else gift)(drawn, language).removesuffix("\n"))


@question.command(context_settings=_NEGATIVE)
@click.argument("text")
@click.option("--want", type=click.Choice(["number", "shape"]), default="number", show_default=True)
@click.option("--name", "names", multiple=True, metavar="NAME=NUMBER", help="A name the text may use; repeatable.")
@_LANGUAGE
@_JSON
def read(
    text: str, want: Literal["number", "shape"], names: tuple[str, ...], language: Language, as_json: bool
) -> None:
    """Show how TEXT is read as an answer."""
    from mha_quiz.answers import read, reading_json

    shown = reading_json(read(text, want=want, names=dict(map(_named, names))), language)
    if as_json:
        _print_json(shown)
    else:
        _echo(str(shown["message"]))


def _read(paths: tuple[Path, ...], everything: bool, derived: bool | None = None) -> "Collection":
    from cards.collection import read

    try:
        collection = read(paths or (BUNDLED,), everything=everything, derived=derived)
    except OSError as error:
        _fail(f"{error.filename}: {error.strerror}")
    if not collection.notes and not collection.problems:
        _fail("no notes here; notes are files that end in .md, .markdown or .txt")
    return collection


def _with_ending(path: Path, ending: str) -> Path:
    """Refuse other endings: a slip such as `-o notes.md` must not overwrite the notes."""
    if path.suffix.lower() != ending:
        raise click.BadParameter(f"{path} does not end in {ending}")
    return path


def _claims(notes: "Iterable[Note]") -> "tuple[Claim, ...]":
    """The numeric claims of the notes, recomputed."""
    from cards.collection import decoded
    from cards.settings import load
    from mha_quiz.claims import check

    found: list[Claim] = []
    for note in notes:
        path = Path(note.path)
        if isinstance(text := decoded(path), str):
            found += check(text, note.path, load(path.parent).settings, page=note.page)
    return tuple(found)


def _without_false(collection: "Collection") -> "Collection":
    """The collection without the derived cards that show a claim which fails; `check` tells these claims."""
    from cards.collection import leave_out

    derived = {card.place.path for card in collection.cards if card.origin is Origin.DERIVED}
    if not derived:
        return collection
    from mha_quiz.claims import failing_lines

    lines: dict[str, set[int]] = {}
    for path, line in failing_lines(_claims(note for note in collection.notes if note.path in derived)):
        lines.setdefault(path, set()).add(line)
    return leave_out(collection, lines)


def _lock_file(paths: tuple[Path, ...]) -> Path:
    from cards.lock_file import lock_path, notes_root

    return lock_path(notes_root(paths or (BUNDLED,)), data=_data_folder(), beside=bool(paths))


def _data_folder() -> Path:
    from platformdirs import user_data_path

    return user_data_path("mha-quiz")


def _scope_and_lock(paths: tuple[Path, ...], collection: "Collection") -> "tuple[Scope, Lock]":
    """What was remembered about the notes; a lock file that cannot be read ends the command."""
    from cards.identity import scope_of
    from cards.lock import Lock
    from cards.lock_file import notes_root, read_lock

    match read_lock(_lock_file(paths)):
        case Lock() as lock:
            return scope_of(notes_root(paths or (BUNDLED,)), [Path(note.path) for note in collection.notes]), lock
        case problems:
            _stop(problems)


def _family(family_id: str) -> "Family":
    from mha_quiz.families import FAMILIES

    for family in FAMILIES:
        if family.id.casefold() == family_id.casefold():
            return family
    raise click.UsageError(f"there is no family {family_id}; `mha-quiz question list` shows them all")


def _draw(family_id: str, seed: int) -> "Question":
    from mha_quiz.question import draw

    return draw(_family(family_id), seed)


def _named(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if not name or not number.isdecimal():
        raise click.UsageError(f"--name wants NAME=NUMBER such as d=512, not {text}")
    return name, int(number)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" + ("" if number == 1 else "s")


def _print_json(value: object) -> None:
    _echo(json.dumps(value, ensure_ascii=not _encodes("√", sys.stdout), indent=1))


def _echo(text: str, stream: TextIO | None = None) -> None:
    """Print the text as the stream can carry it."""
    stream = stream or sys.stdout
    if not _encodes(text, stream):
        from mha_quiz.plaintext import ascii_text

        text = ascii_text(text)
    print(text, file=stream)


def _encodes(text: str, stream: TextIO) -> bool:
    try:
        text.encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _tell(problems: Sequence[Problem]) -> None:
    if problems:
        _stop(problems)


def _stop(problems: Iterable[Problem]) -> NoReturn:
    for problem in problems:
        _echo(str(problem), sys.stderr)
    raise SystemExit(1)


def _fail(message: str) -> NoReturn:
    raise click.ClickException(message)


for _command in (review, due, stats, history):
    main.add_command(_command)
