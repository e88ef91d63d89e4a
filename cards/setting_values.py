"""What may stand in a settings file: each reader gives the value of its setting, or ValueError with the reason."""

import re
from collections.abc import Callable, Mapping

from cards import cloze_patterns

SEPARATORS = ("inline", "inline_reversed", "multiline", "multiline_reversed", "multiline_end")

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


def _separator(value: object) -> str:
    match value:
        case str() if any(char in value for char in "\n\r`$"):
            raise ValueError("a separator holds no line break, back-tick or $")
        case str():
            return value if value.strip() else ""  # nothing but blanks switches it off, as in the plugin
    raise ValueError("not a text")


def _separator_line(value: object) -> str:
    """Compared with lines that are trimmed."""
    return _separator(value).strip()


def _switch(value: object) -> bool:
    match value:
        case bool():
            return value
    raise ValueError("neither true nor false")


def _one_of(*words: str) -> Callable[[object], str]:
    def read(value: object) -> str:
        if not isinstance(value, str) or value not in words:
            raise ValueError("not one of " + ", ".join(words))
        return value

    return read


def _texts(value: object) -> tuple[str, ...]:
    match value:
        case "":
            return ("",)
        case str():
            return tuple(part for part in re.split(r"[,\s]+", value) if part)
        case list() if all(isinstance(item, str) for item in value):
            return tuple(value)
    raise ValueError("not a list of texts")


def _tags(value: object) -> tuple[str, ...]:
    return tuple(text.strip().removeprefix("#").strip("/") for text in _texts(value))


def _clozes(value: object) -> tuple[cloze_patterns.ClozePattern, ...]:
    return tuple(dict.fromkeys(cloze_patterns.read(text) for text in _texts(value) if text))


def _derived(value: object) -> str | tuple[str, ...]:
    match value:
        case "auto":
            return "auto"
        case bool():
            return DERIVED_KINDS if value else ()
    kinds = _texts(value)
    if unknown := [kind for kind in kinds if kind not in DERIVED_KINDS]:
        raise ValueError(f"no such kind: {unknown[0]}")
    return kinds


def _labels(value: object) -> tuple[tuple[str, str], ...]:
    pairs = [(name.strip(), kind.strip()) for name, _, kind in (text.partition("=") for text in _texts(value))]
    if not all(name and kind for name, kind in pairs):
        raise ValueError('a label is written "Label=kind"')
    return tuple(pairs)


READERS: Mapping[str, Callable[[object], object]] = {
    **dict.fromkeys(SEPARATORS[:2], _separator),
    **dict.fromkeys(SEPARATORS[2:], _separator_line),
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
"""By the name of the setting."""
