"""The commands `cards`, `check` and `tidy`: what the notes hold, what is wrong with them, and a page as a note."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cards.kinds import Origin, counted
from mha_quiz.note_files import checked_notes, given, read_notes, without_collector
from mha_quiz.options import ALL, JSON, NOTES, derived
from mha_quiz.printing import echo, print_json, stop, tell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cards.model import Note, Place
    from cards.remembered import Remembered
    from cards.settings import Settings
    from mha_quiz.claims import Claim

_ORIGINS = {
    "flashcards": (Origin.FLASHCARD, Origin.RECONSTRUCTED),
    "reconstructed": (Origin.RECONSTRUCTED,),
    "derived": (Origin.DERIVED,),
}


@click.command()
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

    from cards.collection import left_out_lines
    from cards.identity import identify
    from cards.interchange import card_json, problem_json

    notes = given(paths)
    derived = False if only == "flashcards" else derived
    collection = checked_notes(notes.paths, everything=everything, derived=derived)
    scope = notes.scope(collection)
    known = identify(collection.cards, notes.lock(), now=0, fingerprint=lambda card: "", scope=scope).cards
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
        if derived and collection.notes and not any(note.counts for note in collection.notes):
            echo("nothing was derived, since no note has a deck tag; add a tag such as #flashcards, or use --all")
        if only in (None, "derived"):
            for line in left_out_lines(collection):
                echo(line)
    tell(collection.problems)


@click.command()
@NOTES
@ALL
@JSON
@without_collector()
def check(paths: tuple[Path, ...], everything: bool, as_json: bool) -> None:
    """Look for problems in the notes, and for numbers in them that do not compute."""
    from cards.interchange import problem_json
    from mha_quiz import claims

    collection, remembered = read_notes(given(paths).paths, everything=everything, derived=None, purpose="check")
    found = tuple(_claims(collection.notes, remembered))
    remembered.save()
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


def _claims(notes: "Iterable[Note]", remembered: "Remembered") -> "Iterator[Claim]":
    """The numeric claims of the notes, recomputed."""
    from cards.collection import texts
    from cards.remembered import key_of, program
    from mha_quiz.claims import Claim, Verdict, check

    ours = program("cards", "mha_quiz")
    for note, text, settings in texts(notes):

        def work_out(
            text: str = text, note: "Note" = note, settings: "Settings" = settings
        ) -> "tuple[tuple[Place, str, str, str, str, int], ...]":
            found = check(text, note.path, settings, page=note.page)
            return tuple((it.place, it.text, it.verdict.value, it.right, it.why, it.last_line) for it in found)

        key = key_of("claims", ours, text, note.path, repr((settings, note.page)))
        for place, said, verdict, right, why, last_line in remembered.recall(key, work_out):
            yield Claim(place, said, Verdict(verdict), right, why, last_line)


@click.command()
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
