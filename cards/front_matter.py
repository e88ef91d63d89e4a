"""The YAML block at the top of a note: its tags, language, title, twin and switches."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

import yaml

from cards import tags
from cards.model import Language, Place, Problem
from cards.source import behind_front_matter

_WIKILINK = re.compile(r"\[\[([^\[\]|#]+)[^\[\]]*\]\]")
_KNOWN = re.compile(r"""[ \t]*(["']?)(tags?|lang|language|title|twin|derived|cloze)\1[ \t]*:(?=\s|$)""", re.IGNORECASE)
_ANY_KEY = re.compile(r"[^\s#\-{}\[\],].*?:(?=\s|$)")
_HASH = re.compile(r"(?<![^\s\[,])#+(?=[^\s#])")
_TAB = re.compile(r"(?<=\S)\t+")  # PyYAML takes none behind text, though YAML does
_LONGEST_ENTRY = 20_000  # characters; a longer value is no list of tags and no title
_DEEPEST = 20  # the time PyYAML takes grows with the square of the nesting

_T = TypeVar("_T")

_LANGUAGES = {"en": Language.EN, "hinglish": Language.HINGLISH, "hi": Language.HINGLISH}
_SWITCHES = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}  # as in YAML 1.1


@dataclass(frozen=True, slots=True)
class FrontMatter:
    line_count: int = 0
    """The lines it takes from the top, both `---` included; 0 if the note has none."""
    tags: tuple[str, ...] = ()
    """As written, without `#`."""
    language: Language | None = None
    title: str | None = None
    twin: str | None = None
    """Path of the note in the other language, as written."""
    derived: bool | None = None
    cloze: bool = True
    """False: highlights are decoration in this note."""


def read(lines: Sequence[str], path: str) -> tuple[FrontMatter, tuple[Problem, ...]]:
    """The front matter of a note split into lines. Unknown keys are skipped, unreadable values told."""
    count = behind_front_matter(lines)
    if not count:
        if len(lines) < 2 or lines[0].rstrip() != "---" or not _ANY_KEY.match(lines[1]):
            return FrontMatter(), ()
        message = 'front matter has no closing "---"; it was read as text'
        return FrontMatter(), (Problem(Place(path, 1, 1), "unclosed-front-matter", message),)
    matter = FrontMatter(line_count=count)
    problems = []
    for entry in _entries([_TAB.sub(" ", line) for line in lines[1 : count - 1]]):
        try:
            matter = _with(matter, entry.key.lower(), entry.value)
        except _Unreadable:
            place = Place(path, entry.line + 2, entry.column + 1)
            problems.append(Problem(place, "bad-front-matter", f"front matter: cannot read {entry.key}"))
    return matter, tuple(problems)


class _Unreadable(Exception):
    """The value of a known key makes no sense."""


_Value = str | tuple[str, ...] | None
"""A scalar ("" for null), a flat list, or None for what is neither."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A known key with its value; line and column count from 0, within the front matter."""

    line: int
    column: int
    key: str
    value: _Value


def _with(matter: FrontMatter, key: str, value: _Value) -> FrontMatter:
    if value is None:
        raise _Unreadable
    if key in ("tags", "tag"):
        texts = (value,) if isinstance(value, str) else value
        names = (part.lstrip("#") for text in texts for part in re.split(r"[,\s]+", text))
        return replace(matter, tags=tuple(dict.fromkeys((*matter.tags, *filter(None, names)))))
    if not isinstance(value, str):
        raise _Unreadable
    text = value.strip()
    if not text:
        return matter
    match key:
        case "lang" | "language":
            return replace(matter, language=_word(re.split("[-_]", text)[0], _LANGUAGES))
        case "title":
            return replace(matter, title=" ".join(text.split()))
        case "twin":
            link = _WIKILINK.fullmatch(text)
            return replace(matter, twin=link[1].strip() if link else text)
        case "derived":
            return replace(matter, derived=_word(text, _SWITCHES))
    return replace(matter, cloze=_word(text, _SWITCHES))


def _word(text: str, meanings: dict[str, _T]) -> _T:
    if (meaning := meanings.get(text.casefold())) is None:
        raise _Unreadable
    return meaning


def _entries(lines: Sequence[str]) -> Iterator[_Entry]:
    """The known entries; of a key given twice the second cannot be read.

    Each is parsed alone, so that a broken one spoils no other and unknown ones cost nothing.
    """
    filled = [index for index, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    if not filled:
        return
    if lines[filled[0]].startswith("- "):  # a list, which Obsidian reads too
        lines = ["  " + line[2:] if line.startswith("- ") else line for line in lines]
    first = lines[filled[0]]
    if first.lstrip().startswith("{"):
        yield from _object(lines, filled[0])
        return
    margin = _indentation(first)
    starts = [i for i in filled if _indentation(lines[i]) <= margin and _ANY_KEY.match(lines[i].lstrip())]
    seen: set[str] = set()
    for start, end in pairwise((*starts, len(lines))):
        if found := _KNOWN.match(lines[start]):
            key = found[2]
            read = _tag_value if key.lower() in ("tag", "tags") else _single_value
            yield _Entry(start, found.start(2), key, None if key.lower() in seen else read(lines[start:end]))
            seen.add(key.lower())


def _object(lines: Sequence[str], start: int) -> Iterator[_Entry]:
    """The entries of front matter that is one JSON object."""
    entries = _parsed("\n".join(lines))
    if entries is None:
        yield _Entry(start, _indentation(lines[start]), "the object", None)
    yield from (entry for entry in entries or () if _KNOWN.fullmatch(f"{entry.key}:"))


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _single_value(lines: Sequence[str]) -> _Value:
    entries = _parsed("\n".join(lines))
    return entries[0].value if entries else None


def _tag_value(lines: Sequence[str]) -> _Value:
    """The value of `tags:`; what stands behind a `#` is a tag where YAML sees a comment."""
    text = "\n".join(lines)
    bare = "\n".join(line if line.lstrip().startswith("#") else _HASH.sub("", line) for line in lines)
    entries = _parsed(bare)
    if not entries and bare != text:  # a real comment, as in `[a, b] #old`
        entries = _parsed(text)
    if not entries:
        return None
    value = entries[0].value
    return tuple(tag.name for tag in tags.find("\n".join(lines[1:]))) if value == "" else value


def _parsed(text: str) -> tuple[_Entry, ...] | None:
    """The entries of a YAML mapping; None if it is none.

    It walks over the parser's events and builds nothing, so neither aliases nor dates nor deep nesting matter.
    """
    if len(text) > _LONGEST_ENTRY:
        return None
    try:
        return tuple(_mapping(yaml.parse(text, Loader=yaml.SafeLoader)))
    except (yaml.YAMLError, ValueError, OverflowError, _Unreadable):  # PyYAML lets the middle two out of bad escapes
        return None


def _mapping(events: Iterator[yaml.Event]) -> Iterator[_Entry]:
    next(events), next(events)  # the starts of stream and document
    if not isinstance(next(events), yaml.MappingStartEvent):
        raise _Unreadable
    while not isinstance(key := next(events), yaml.MappingEndEvent):
        if not isinstance(key, yaml.ScalarEvent):
            raise _Unreadable
        mark = key.start_mark
        assert mark is not None  # the parser sets it; only hand-made events go without
        yield _Entry(mark.line, mark.column, key.value, _value(events))


def _value(events: Iterator[yaml.Event]) -> _Value:
    texts: list[str] = []
    first = event = next(events)
    flat = True
    depth = 0
    while True:
        match event:
            case yaml.ScalarEvent():
                texts.append(_scalar(event))
            case yaml.CollectionStartEvent():
                depth += 1
                flat = depth == 1
            case yaml.CollectionEndEvent():
                depth -= 1
            case _:
                flat = False  # an alias
        if depth == 0:
            break
        if depth > _DEEPEST:
            raise _Unreadable
        event = next(events)
    if not flat or isinstance(first, yaml.MappingStartEvent):
        return None
    return tuple(texts) if isinstance(first, yaml.SequenceStartEvent) else texts[0]


def _scalar(event: yaml.ScalarEvent) -> str:
    text: str = event.value
    text.encode()  # ValueError for half a surrogate pair, which an escape can write
    return "" if event.style is None and text.lower() in ("~", "null") else text
