"""How a folder of notes wants to be read: `mha-quiz.toml`, and what the Obsidian plugin was told."""

import json
import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from cards.model import Place, Problem

FILE_NAME = "mha-quiz.toml"
PLUGIN_FILE = Path(".obsidian/plugins/obsidian-spaced-repetition/data.json")

DERIVED_KINDS = (
    "question",
    "why",
    "because",
    "step",
    "mistake",
    "recall",
    "count",
    "connection",
    "definition",
    "enumeration",
    "formula",
)
"""The structures of a note that can give a card."""


@dataclass(frozen=True, slots=True)
class ClozePattern:
    """Marks round a hidden piece, and what parts its group, answer and hint: `==1;;answer;;hint==`."""

    opening: str
    closing: str
    separator: str = ";;"


HIGHLIGHT = ClozePattern("==", "==")
BOLD = ClozePattern("**", "**")
CURLY = ClozePattern("{{", "}}")


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
    """The wanted `DERIVED_KINDS`; `true` gives all of them, `false` none."""
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
    problems: list[Problem] = []
    sources = [
        _Source.from_toml(_nearest(folder, Path(FILE_NAME)), problems),
        _Source.from_plugin(_nearest(folder, PLUGIN_FILE), problems),
    ]
    choices = {
        name: [choice for source in sources if (choice := source.choice(name, problems)) is not None]
        for name in _READERS
    }
    _part_equal_separators(choices, problems)
    settings = Settings(**{name: found[0].value for name, found in choices.items() if found})  # type: ignore[arg-type]  # each reader gives its field's type
    return Loaded(settings, _root(folder), tuple(sorted(problems)))


def path_matches(path: str, patterns: Iterable[str]) -> bool:
    """Whether `path` (relative to the root, with `/`) lies at or below a path prefix, or fits a glob.

    In a glob `*` and `?` stay within one folder and `**` stands for any number of folders.
    """
    names = _levels(path)
    return any(_matches(names, _levels(pattern)) for pattern in patterns)


def _levels(path: str) -> list[str]:
    return [level for level in unicodedata.normalize("NFC", path).split("/") if level not in ("", ".")]


def _matches(names: list[str], pattern: list[str]) -> bool:
    if not any(char in level for level in pattern for char in "*?["):
        return bool(pattern) and names[: len(pattern)] == pattern
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


def _nearest(folder: Path, name: Path) -> Path | None:
    return next((found for above in _upward(folder) if (found := above / name).exists()), None)


def _root(folder: Path) -> Path | None:
    holds = (above for above in _upward(folder) if (above / FILE_NAME).exists() or (above / ".obsidian").is_dir())
    return next((above.resolve() for above in holds), None)


class _Unusable(Exception):
    """The reason why a value is refused."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """A value that some file asks for, already read."""

    source: "_Source"
    key: str
    value: object

    def problem(self, reason: str) -> Problem:
        return self.source.problem(self.key, reason)


@dataclass(frozen=True, slots=True)
class _Source:
    """The table of one settings file; empty if there is no such file."""

    path: str
    text: str
    table: Mapping[str, object]
    keys: Mapping[str, str]
    """The name of each field in this file."""
    line_of: Callable[[str], str] = field(default=re.escape)
    """The key as a regular expression that finds its place."""

    @classmethod
    def from_toml(cls, path: Path | None, problems: list[Problem]) -> "_Source":
        names = {name: name for name in _READERS}
        text, data = _read(path, tomllib.loads, problems)
        source = cls(str(path), text, {}, names, lambda key: rf"^[ \t]*[\"']?{re.escape(key)}[\"']?[ \t]*=")
        match data.get("cards", {}) if isinstance(data, dict) else {}:
            case dict() as table:
                pass
            case other:
                problems.append(_bad(Place(str(path), 1, 1), "cards", other, "not a table"))
                return source
        source = cls(source.path, text, table, names, source.line_of)
        problems += [source.problem(key, "no such setting") for key in table if key not in names]
        return source

    @classmethod
    def from_plugin(cls, path: Path | None, problems: list[Problem]) -> "_Source":
        text, data = _read(path, json.loads, problems)
        table = data.get("settings") if isinstance(data, dict) else None
        if not isinstance(table, dict):
            table = {}
        if "clozePatterns" not in table and any(key in table for key, *_ in _OLD_CLOZES):
            table = {**table, "clozePatterns": _old_clozes(table)}
        return cls(str(path), text, table, _PLUGIN_KEYS, lambda key: rf"\"{re.escape(key)}\"[ \t]*:")

    def choice(self, name: str, problems: list[Problem]) -> _Choice | None:
        key = self.keys.get(name)
        if key is None or key not in self.table:
            return None
        try:
            return _Choice(self, key, _READERS[name](self.table[key]))
        except _Unusable as error:
            problems.append(self.problem(key, str(error)))
            return None

    def problem(self, key: str, reason: str) -> Problem:
        found = re.search(self.line_of(key), self.text, re.MULTILINE)
        start = found.start() + len(found[0]) - len(found[0].lstrip()) if found else 0
        line_start = self.text.rfind("\n", 0, start) + 1
        place = Place(self.path, self.text.count("\n", 0, start) + 1, start - line_start + 1)
        return _bad(place, key, self.table[key], reason)


def _bad(place: Place, key: str, value: object, reason: str) -> Problem:
    shown = json.dumps(value, ensure_ascii=False, default=str)
    return _unusable(place, key, shown if len(shown) <= 40 else shown[:39] + "…", reason)


def _unusable(place: Place, key: str, value: str, reason: str) -> Problem:
    return Problem(place, "bad-setting", f"{key}: {value} is not usable ({reason}); the setting is ignored")


def _read(path: Path | None, parse: Callable[[str], object], problems: list[Problem]) -> tuple[str, object]:
    """Text and content of a settings file; both empty if there is none or it cannot be read."""
    if path is None:
        return "", {}
    try:
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        return text, parse(text)
    except UnicodeDecodeError:
        reason = "not UTF-8"
    except OSError as error:
        reason = error.strerror or str(error)
    except RecursionError:
        reason = "nested too deeply"
    except ValueError as error:
        reason = str(error)
    at = re.search(r"line (\d+),? column (\d+)", reason)
    place = Place(str(path), int(at[1]), int(at[2])) if at else Place(str(path), 1, 1)
    problems.append(_unusable(place, path.name, "the file", reason))
    return "", {}


def _part_equal_separators(choices: dict[str, list[_Choice]], problems: list[Problem]) -> None:
    """Drop settings until no two separators that are switched on are equal; the defaults are not."""
    while clash := _equal_separators(choices):
        first, second = clash
        loser, other = (second, first) if choices[second] else (first, second)
        problems.append(choices[loser].pop(0).problem(f"the same as {other}"))


def _equal_separators(choices: Mapping[str, list[_Choice]]) -> tuple[str, str] | None:
    defaults = Settings()
    seen: dict[object, str] = {}
    for name in _SEPARATORS:
        value = choices[name][0].value if choices[name] else getattr(defaults, name)
        if value and value in seen:
            return seen[value], name
        seen[value] = name
    return None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _Unusable("not a text")
    return value


def _separator(value: object) -> str:
    text = _text(value)
    if any(char in text for char in "\n\r`$"):
        raise _Unusable("a separator holds no line break, back-tick or $")
    if text and not text.strip():
        raise _Unusable("nothing but blanks")
    return text


def _switch(value: object) -> bool:
    if not isinstance(value, bool):
        raise _Unusable("neither true nor false")
    return value


def _one_of(*words: str) -> Callable[[object], str]:
    def read(value: object) -> str:
        if not isinstance(value, str) or value not in words:
            raise _Unusable("not one of " + ", ".join(words))
        return value

    return read


def _texts(value: object) -> tuple[str, ...]:
    match value:
        case str():
            return tuple(part for part in re.split(r"[,\s]+", value) if part) or ((value,) if value == "" else ())
        case list() if all(isinstance(item, str) for item in value):
            return tuple(value)
    raise _Unusable("not a list of texts")


def _tags(value: object) -> tuple[str, ...]:
    return tuple(text.strip().removeprefix("#").strip("/") for text in _texts(value))


def _derived(value: object) -> str | tuple[str, ...]:
    match value:
        case "auto":
            return value
        case bool():
            return DERIVED_KINDS if value else ()
    kinds = _texts(value)
    if unknown := [kind for kind in kinds if kind not in DERIVED_KINDS]:
        raise _Unusable(f"no such kind: {unknown[0]}")
    return kinds


def _labels(value: object) -> tuple[tuple[str, str], ...]:
    pairs = [(name.strip(), kind.strip()) for name, _, kind in (text.partition("=") for text in _texts(value))]
    if not all(name and kind for name, kind in pairs):
        raise _Unusable('a label is written "Label=kind"')
    return tuple(pairs)


_STOCK_CLOZES = {pattern.opening: pattern for pattern in (HIGHLIGHT, BOLD, CURLY)}
_OLD_CLOZES = (
    ("convertHighlightsToClozes", "==", True),
    ("convertBoldTextToClozes", "**", False),
    ("convertCurlyBracketsToClozes", "{{", False),
)
_PATTERN = re.compile(
    r"(?P<opening>\S+?)(?:\[123(?P<after_group>[^\]]+)\])?answer(?:\[(?P<before_hint>[^\]]+)hint\])?(?P<closing>\S+?)"
    r"(?:\[\^\\\[hint\\\]\])?(?:\[\\\[\^123\\\]\])?"  # the footnote forms, which are always read
)


def _old_clozes(table: Mapping[str, object]) -> list[str]:
    return [mark for key, mark, default in _OLD_CLOZES if table.get(key, default) is True]


def _clozes(value: object) -> tuple[ClozePattern, ...]:
    return tuple(dict.fromkeys(_cloze(text) for text in _texts(value)))


def _cloze(text: str) -> ClozePattern:
    if stock := _STOCK_CLOZES.get(text):
        return stock
    found = _PATTERN.fullmatch(text)
    if found is None or any(char in found["opening"] + found["closing"] for char in "`$"):
        raise _Unusable(f"no such pattern: {text}")
    separators = {found["after_group"], found["before_hint"]} - {None}
    if len(separators) > 1:
        raise _Unusable(f"two different separators in {text}")
    return ClozePattern(found["opening"], found["closing"], *separators)


_SEPARATORS = ("inline", "inline_reversed", "multiline", "multiline_reversed", "multiline_end")
_READERS: Mapping[str, Callable[[object], object]] = {
    **dict.fromkeys(_SEPARATORS, _separator),
    "cloze": _clozes,
    "deck_tags": _tags,
    "ignore_tags": _tags,
    "folders_as_decks": _switch,
    "ignore_paths": _texts,
    "fields": _one_of("dataview", "quiet", "card"),
    "comments": _one_of("hide", "text"),
    "callouts": _texts,
    "derived": _derived,
    "format": _one_of("auto", "markdown", "page"),
    "pages": _texts,
    "labels": _labels,
}
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
assert tuple(_READERS) == tuple(entry.name for entry in fields(Settings))
