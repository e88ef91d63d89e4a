"""How a folder of notes wants to be read: `mha-quiz.toml`, and what the Obsidian plugin was told."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Literal

from cards.cloze_patterns import HIGHLIGHT, ClozePattern
from cards.model import Problem
from cards.setting_values import READERS, SEPARATORS
from cards.settings_file import SettingsFile, read_plugin, read_toml

FILE_NAME = "mha-quiz.toml"
PLUGIN_FILE = ".obsidian/plugins/obsidian-spaced-repetition/data.json"

_PLUGIN_KEYS = {
    "inline": "singleLineCardSeparator",
    "inline_reversed": "singleLineReversedCardSeparator",
    "multiline": "multilineCardSeparator",
    "multiline_reversed": "multilineReversedCardSeparator",
    "multiline_end": "multilineCardEndMarker",
    "cloze": "clozePatterns",
    "deck_tags": "flashcardTags",
    "ignore_tags": "flashcardTagsToIgnore",
    "folders_as_decks": "convertFoldersToDecks",
    "ignore_paths": "noteFoldersToIgnore",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """One field for each key of the table `[cards]`; an empty separator switches its kind of card off."""

    inline: str = "::"
    inline_reversed: str = ":::"
    multiline: str = "?"
    multiline_reversed: str = "??"
    multiline_end: str = ""
    """Empty: a blank line ends an answer."""
    cloze: tuple[ClozePattern, ...] = (HIGHLIGHT,)
    deck_tags: tuple[str, ...] = ("flashcards",)
    """Without `#`; an empty one means that every note counts."""
    ignore_tags: tuple[str, ...] = ()
    """Without `#`."""
    folders_as_decks: bool = False
    ignore_paths: tuple[str, ...] = ("**/*.excalidraw.md",)
    """Path prefixes and globs, for `path_matches`."""
    fields: Literal["dataview", "quiet", "card"] = "dataview"
    comments: Literal["hide", "text"] = "hide"
    callouts: tuple[str, ...] = ("question", "faq", "help", "card")
    derived: Literal["auto"] | tuple[str, ...] = "auto"
    """The wanted kinds of `setting_values.DERIVED_KINDS`; `true` gives all of them, `false` none."""
    format: Literal["auto", "markdown", "page"] = "auto"
    pages: tuple[str, ...] = ()
    """Path prefixes and globs, for `path_matches`."""
    labels: tuple[tuple[str, str], ...] = ()
    """Further labels of pages with their kind: `("Key fact", "note")`."""


@dataclass(frozen=True, slots=True)
class Loaded:
    settings: Settings
    root: Path | None
    """The nearest folder upward with a settings file or a vault, absolute and without links; None if there is none."""
    problems: tuple[Problem, ...]


def load(folder: Path) -> Loaded:
    """The settings that hold for the notes in `folder`; `mha-quiz.toml` beats the plugin, the plugin the defaults."""
    toml, plugin = _nearest(folder, FILE_NAME), _nearest(folder, PLUGIN_FILE)
    settings, problems = _read(toml, _state(toml), plugin, _state(plugin))
    return Loaded(settings, _root(folder), problems)


@lru_cache(maxsize=16)  # the folders of a vault share their two files, and the plugin's can be large
def _read(
    toml_path: Path | None, toml_state: object, plugin_path: Path | None, plugin_state: object
) -> tuple[Settings, tuple[Problem, ...]]:
    toml, toml_problems = read_toml(toml_path)
    plugin, plugin_problems = read_plugin(plugin_path)
    problems = [*toml_problems, *plugin_problems]
    problems += [toml.problem(key, "no such setting") for key in toml.values if key not in READERS]
    choices = {
        name: [*_choice(toml, name, name, problems), *_choice(plugin, name, _PLUGIN_KEYS.get(name), problems)]
        for name in READERS
    }
    _part_equal_separators(choices, problems)
    chosen = {name: found[0].value for name, found in choices.items() if found}
    settings = Settings(**chosen)  # type: ignore[arg-type]  # each reader gives the type of its field
    return settings, tuple(sorted(problems))


def toml_state(folder: Path) -> object:
    """Differs once the `mha-quiz.toml` that holds for the notes in `folder` came, went or was edited."""
    path = _nearest(folder, FILE_NAME)
    return path, _state(path)


def _state(path: Path | None) -> object:
    """Differs once the file was edited."""
    if path is None:
        return None
    try:
        state = path.stat()
    except OSError:  # an editor is just putting another in its place
        return None
    return state.st_ino, state.st_mtime_ns, state.st_size


def path_matches(path: str, patterns: Iterable[str]) -> bool:
    """Whether `path` (relative to the root, with `/`) lies at or below a path prefix, or fits a glob.

    In a glob `*` and `?` stay within one folder and `**` stands for any number of folders.
    """
    names = _levels(path)
    return any(_matches(names, _levels(pattern)) for pattern in patterns)


def _levels(path: str) -> list[str]:
    return [level for level in unicodedata.normalize("NFC", path).split("/") if level not in ("", ".")]


def _matches(names: list[str], pattern: list[str]) -> bool:
    if pattern and names[: len(pattern)] == pattern:
        return True
    taken = {0}  # how many of the names the levels so far can stand for
    for level in pattern:
        if level == "**":
            taken = set(range(min(taken), len(names) + 1))
        else:
            taken = {n + 1 for n in taken if n < len(names) and fnmatchcase(names[n], level)}
        if not taken:
            return False
    return len(names) in taken


def _upward(folder: Path) -> Iterator[Path]:
    """The folder and those above it, spelled as the user did where possible."""
    if ".." in folder.parts:
        folder = folder.resolve()
    yield folder
    yield from folder.parents
    if not folder.is_absolute():
        yield from Path.cwd().parents


def _nearest(folder: Path, name: str) -> Path | None:
    return next((found for above in _upward(folder) if _exists(found := above / name)), None)


def _root(folder: Path) -> Path | None:
    roots = (above for above in _upward(folder) if _exists(above / FILE_NAME) or _exists(above / ".obsidian"))
    return next((above.resolve() for above in roots), None)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a folder further up that nobody but its owner may look into
        return False


@dataclass(frozen=True, slots=True)
class _Choice:
    """A usable value that a file asks for."""

    file: SettingsFile
    key: str
    value: object


def _choice(file: SettingsFile, name: str, key: str | None, problems: list[Problem]) -> tuple[_Choice, ...]:
    """The file's value for a setting, if it has one that is usable."""
    if key is None or key not in file.values:
        return ()
    try:
        return (_Choice(file, key, READERS[name](file.values[key])),)
    except ValueError as error:
        problems.append(file.problem(key, str(error)))
        return ()


def _part_equal_separators(choices: Mapping[str, list[_Choice]], problems: list[Problem]) -> None:
    """Drop choices until no two separators in use are equal; the defaults are not."""
    while clash := _equal_separators(choices):
        first, second = clash
        loser, other = (second, first) if choices[second] else (first, second)
        dropped = choices[loser].pop(0)
        problems.append(dropped.file.problem(dropped.key, f"the same as {other}"))


def _equal_separators(choices: Mapping[str, list[_Choice]]) -> tuple[str, str] | None:
    defaults = Settings()
    owner: dict[object, str] = {}
    for name in SEPARATORS:
        value = choices[name][0].value if choices[name] else getattr(defaults, name)
        if value in owner:
            return owner[value], name
        if value:
            owner[value] = name
    return None
