"""The two files that can hold settings, as tables of raw values with the place of each key."""

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from cards.model import Place, Problem, quoted

_OLD_CLOZE_KEYS = {
    "convertHighlightsToClozes": ("==", True),
    "convertBoldTextToClozes": ("**", False),
    "convertCurlyBracketsToClozes": ("{{", False),
}
"""What the plugin had before `clozePatterns`: the mark and the default of each."""

_OLD_NAMES = {
    "singlelineCardSeparator": "singleLineCardSeparator",
    "singlelineReversedCardSeparator": "singleLineReversedCardSeparator",
}
"""How the plugin once spelled a key; vaults that were set up then still hold it."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """The raw values of one file by their key in it; empty if there is no such file or it cannot be read."""

    path: str
    text: str
    values: Mapping[str, object]
    header: str
    """What stands above the values."""
    key_pattern: str
    """A regular expression for a key with its mark: the group `key`, with `NAME` in it."""

    def problem(self, key: str, reason: str) -> Problem:
        """That the value of `key` is of no use."""
        pattern = re.compile(self.key_pattern.replace("NAME", re.escape(key)), re.MULTILINE)
        found = pattern.search(self.text, max(self.text.find(self.header), 0))
        at = found.start("key") if found else 0
        line, column = self.text.count("\n", 0, at) + 1, at - self.text.rfind("\n", 0, at)
        shown = json.dumps(self.values[key], ensure_ascii=False, default=str)
        return _unusable(Place(self.path, line, column), key, shown, reason)


def read_toml(path: Path | None) -> tuple[SettingsFile, tuple[Problem, ...]]:
    """The table `[cards]` of a `mha-quiz.toml`."""
    empty = SettingsFile("", "", {}, "[cards]", r"^(?:[^#\n]*[\s.{,])??(?P<key>[\"']?NAME[\"']?)[ \t]*=")
    file, problems = _read(path, tomllib.loads, "cards", empty)
    return file, (*problems, *_outside_cards(file))


def _outside_cards(file: SettingsFile) -> tuple[Problem, ...]:
    """What stands in no table, or in one of another name: a slip of the pen that would change nothing in silence."""
    others = {key: value for key, value in tomllib.loads(file.text).items() if key != "cards"}
    whole = replace(file, values=others, header="", key_pattern=r"^[ \t]*\[*[ \t]*(?P<key>[\"']?NAME[\"']?)[ \t]*[].=]")
    return tuple(whole.problem(key, "only the table [cards] is read") for key in others)


def read_plugin(path: Path | None) -> tuple[SettingsFile, tuple[Problem, ...]]:
    """The object `settings` of the plugin's `data.json`; an old one gets the `clozePatterns` that it means."""
    empty = SettingsFile("", "", {}, '"settings"', r"(?P<key>\"(?i:NAME)\")[ \t]*:")
    file, problems = _read(path, json.loads, "settings", empty)
    renamed = {new: file.values[old] for old, new in _OLD_NAMES.items() if old in file.values}
    values = {**renamed, **file.values}
    if "clozePatterns" not in values:
        marks = [mark for key, (mark, default) in _OLD_CLOZE_KEYS.items() if values.get(key, default) is True]
        values["clozePatterns"] = marks
    tags = values.get("flashcardTags")
    if isinstance(tags, list) and any(tags):
        values["flashcardTags"] = [tag for tag in tags if tag != ""]  # blanks typed in the field, no tag of all notes
    return replace(file, values=values), problems


def _read(
    path: Path | None, parse: Callable[[str], object], table: str, empty: SettingsFile
) -> tuple[SettingsFile, tuple[Problem, ...]]:
    if path is None:
        return empty, ()
    try:
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        data = parse(text)
    except UnicodeDecodeError:
        return empty, (_unreadable(path, "not UTF-8"),)
    except OSError as error:
        return empty, (_unreadable(path, error.strerror or str(error)),)
    except RecursionError:
        return empty, (_unreadable(path, "nested too deeply"),)
    except ValueError as error:  # of tomllib and json, and of int() for numbers without end
        return empty, (_unreadable(path, str(error)),)
    values = data.get(table, {}) if isinstance(data, dict) else data
    if not isinstance(values, dict):
        return empty, (_unreadable(path, f"{table} is no table"),)
    return replace(empty, path=str(path), text=text, values=values), ()


def _unreadable(path: Path, reason: str) -> Problem:
    at = re.search(r"line (\d+),? column (\d+)", reason)
    line, column = (int(at[1]), int(at[2])) if at else (1, 1)
    return _unusable(Place(str(path), line, column), path.name, "the file", reason)


def _unusable(place: Place, key: str, value: str, reason: str) -> Problem:
    return Problem(place, "bad-setting", f"{key}: {quoted(value)} is not usable ({reason}); the setting is ignored")
