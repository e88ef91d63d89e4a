"""Arguments and options that several commands take."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from cards.kinds import Language

NOTES = click.argument("paths", metavar="[NOTES]...", nargs=-1, type=click.Path(exists=True, path_type=Path))
ALL = click.option("--all", "everything", is_flag=True, help="Read notes without a deck tag too.")
DATA = click.option(
    "--data", type=click.Path(file_okay=False, path_type=Path), help="The folder of the history.  [default: the user's]"
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON value instead of text.")

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def derived(verb: str) -> Decorator:
    """Whether to `verb`, make or ask, cards from the structure of notes too."""
    return click.option(
        "--derived/--no-derived",
        default=None,
        help=f"Also {verb} cards from the structure of the notes.  [default: as the notes and the settings say]",
    )


def language(what: str) -> Decorator:
    """English or Hinglish, of `what`."""
    return click.option(
        "--lang",
        "language",
        type=click.Choice([language.value for language in Language]),
        callback=lambda _context, _option, value: Language(value),
        default=Language.EN.value,
        show_default=True,
        help=f"Language {what}.",
    )


def output(default: str, what: str) -> Decorator:
    """A file to write, with the ending of the default."""
    ending = Path(default).suffix
    return click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False, path_type=Path),
        callback=lambda _context, _option, value: in_folder(_with_ending(value, ending)),
        default=Path(default),
        show_default=True,
        help=f"{what}, which ends in {ending}.",
    )


def _with_ending(path: Path, ending: str) -> Path:
    """Refuse other endings: a slip such as `-o notes.md` must not overwrite the notes."""
    if path.suffix.lower() != ending:
        raise click.BadParameter(f"{path} does not end in {ending}")
    return path


def in_folder(path: Path) -> Path:
    """The path of a file to write; refused if its folder is not there, also where the current one was deleted."""
    try:
        found = path.absolute().parent.is_dir()
    except FileNotFoundError:
        found = False
    if not found:
        raise click.BadParameter(f"there is no folder {path.parent}")
    return path
