"""Which file an embed of a note means; nothing outside of the notes' folder is ever taken."""

import errno
import filecmp
import os
import posixpath
import re
import stat
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from unicodedata import normalize
from urllib.parse import unquote

from cards.embeds import SIGN, Embed, embeds
from cards.model import Card, Place, Problem, quoted
from cards.sides import sides
from cards.source import normalized

PICTURES = frozenset(("avif", "bmp", "gif", "ico", "jpeg", "jpg", "png", "svg", "webp"))
SOUNDS = frozenset(("aac", "flac", "m4a", "mp3", "oga", "ogg", "opus", "spx", "wav")) | frozenset(
    ("3gp", "avi", "flv", "mkv", "mov", "mp4", "mpeg", "mpg", "ogv", "ogx", "webm")
)
"""And films, which Anki plays in the same way."""
LARGEST = 100
"""Megabytes (2²⁰ bytes); Anki's server takes no larger file."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_CODE = re.compile(r"(`+)(?!`)[^`]{1,500}?(?<!`)\1(?!`)")
_REMOTE = re.compile(r"(?:https?:)?//", re.IGNORECASE)
_OUTSIDE = re.compile(r"[A-Za-z]:[\\/]|\\\\|file:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Refused:
    """Why an embed shows nothing."""

    code: str
    message: str


def kind(name: str) -> frozenset[str] | None:
    """`PICTURES` or `SOUNDS`, by the ending of a file's name."""
    ending = name.rpartition(".")[2].lower()
    return next((kind for kind in (PICTURES, SOUNDS) if ending in kind), None)


def is_remote(target: str) -> bool:
    return _REMOTE.match(target) is not None


class Vault:
    """The folder of the notes, as Obsidian looks for files in it."""

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.realpath(root))
        """Without links."""
        self._folder = cache(self._folder_of)

    def find(self, embed: Embed, note: str) -> Path | Refused | None:
        """The file that an embed in the note at the path `note` means; None for a note that is no picture or sound.

        A path is read from the note's folder, then from the root, then as the end of one path below the root, or of
        several with the same content. Capitals and the ways to write an accent do not count unless two files differ in
        nothing else.
        """
        target = embed.target
        if _OUTSIDE.match(target):
            return _outside(target)
        if is_remote(target):
            return Refused("remote-media", f"{_quoted(target)} is not loaded from the web; save it beside the note")
        if _SCHEME.match(target) and not embed.wikilink:
            return Refused("unsupported-media", f"Anki cannot show {_quoted(target)}")
        names = tuple(dict.fromkeys(_spellings(target)))
        wanted = [name for name in names if kind(name)]
        folder = "" if target.startswith("/") else self._folder(note)
        paths = dict.fromkeys(posixpath.normpath(f"{folder}/{name}".lstrip("/")) for name in wanted or names)
        paths |= dict.fromkeys(posixpath.normpath(name.lstrip("/")) for name in wanted or names)
        inside = [path for path in paths if not _leads_out(path)]
        if not inside:
            return _outside(target)
        found = self._beside(inside) or self._indexed(inside)
        if embed.wikilink and not wanted and not (found and self._is_other_file(found[0])):
            return None
        if len(found) > 1 and not self._are_equal(found, target):
            return Refused("ambiguous-media", f"{_quoted(target)} may be {' or '.join(map(_quoted, found))}")
        if not found:
            return Refused("missing-media", f"there is no file {_quoted(target)}")
        return self._checked(found[0], target)

    def _folder_of(self, note: str) -> str:
        """The folder of a note, from the root."""
        for folder in (os.path.realpath(Path(note).parent), Path(os.path.realpath(note)).parent):
            path = os.path.relpath(folder, self.root).replace(os.sep, "/")
            if not _leads_out(path):
                return path
        return ""

    def _beside(self, paths: Sequence[str]) -> list[str]:
        return [path for path in paths if os.path.lexists(self.root / path)][:1]

    @cached_property
    def _index(self) -> dict[str, list[str]]:
        """For each file name, without capitals, the paths from the root."""
        index: dict[str, list[str]] = {}
        for folder, below, names in os.walk(self.root):
            below[:] = sorted(name for name in below if not name.startswith("."))
            path = os.path.relpath(folder, self.root).replace(os.sep, "/")
            for name in sorted(names):
                index.setdefault(_key(name), []).append(name if path == "." else f"{path}/{name}")
        return index

    def _indexed(self, paths: Sequence[str]) -> list[str]:
        for path in paths:
            known = self._index.get(_key(path.rpartition("/")[2]), [])
            whole = [it for it in known if _key(it) == _key(path)]
            found = whole or [it for it in known if _key(it).endswith("/" + _key(path))]
            for spelled in (str, _composed):
                if same := [it for it in found if spelled(it).endswith(spelled(path))]:
                    return same
            if found:
                return found
        return []

    def _is_other_file(self, path: str) -> bool:
        return not path.lower().endswith(".md") and (self.root / path).is_file()

    def _are_equal(self, paths: Sequence[str], target: str) -> bool:
        """Whether the files hold the same bytes, so that it is no matter which one is meant."""
        first, *others = (self._checked(path, target) for path in paths)
        return isinstance(first, Path) and all(
            isinstance(other, Path) and filecmp.cmp(first, other, shallow=False) for other in others
        )

    def _checked(self, path: str, target: str) -> Path | Refused:
        file = self.root / path
        real = Path(os.path.realpath(file))
        if not real.is_relative_to(self.root):
            return _outside(target)
        try:
            status = real.stat()
        except OSError as error:
            return Refused("missing-media", f"{_quoted(target)} cannot be read: {error.strerror}")
        size = status.st_size / 2**20
        if not stat.S_ISREG(status.st_mode):
            return Refused("missing-media", f"{_quoted(target)} is no file")
        if not kind(path):
            return Refused("unsupported-media", f"Anki cannot show {_quoted(target)}")
        if size > LARGEST:
            return Refused("large-media", f"{_quoted(target)} has {size:.0f} MB; Anki takes at most {LARGEST}")
        if not os.access(real, os.R_OK):
            return Refused("missing-media", f"{_quoted(target)} cannot be read: {os.strerror(errno.EACCES)}")
        return file


def problems(cards: Sequence[Card], text: str, vault: Vault) -> Iterator[Problem]:
    """One problem for each embed that shows nothing; `cards` are those of one note, `text` is the note."""
    find = cache(vault.find)  # a picture often stands there more than once
    refused = [
        (card.place, embed, found)
        for card in cards
        for side in sides(card.content)
        for embed in embeds(side)
        if isinstance(found := find(embed, card.place.path), Refused)
    ]
    if refused:
        places = _places(text)
        for begin, embed, found in refused:
            known = places.get(embed.target, [])
            at = bisect_left(known, (begin.line, begin.column))
            place = Place(begin.path, *known[at]) if at < len(known) else begin
            yield Problem(place, found.code, found.message)


def _places(text: str) -> dict[str, list[tuple[int, int]]]:
    """Where the embeds of a note begin, by their target."""
    places: dict[str, list[tuple[int, int]]] = {}
    for number, line in enumerate(normalized(text).split("\n"), 1):
        if "`" in line:
            line = _CODE.sub(lambda code: "`" * len(code[0]), line)
        starts = [sign.start() for sign in SIGN.finditer(line)]
        for start, behind in pairwise([*starts, len(line)]):
            if found := next(embeds(line[start : min(behind, start + 500)]), None):
                places.setdefault(found.target, []).append((number, start + 1))
    return places


def _spellings(target: str) -> Iterator[str]:
    """The paths that a target may stand for."""
    for name in (target, unquote(target), re.split("[#?]", target)[0]):
        yield name.replace("\\", "/")


def _leads_out(path: str) -> bool:
    return path == ".." or path.startswith("../")


def _composed(path: str) -> str:
    return normalize("NFC", path)


def _key(path: str) -> str:
    return normalize("NFC", path).casefold()


def _outside(target: str) -> Refused:
    return Refused("unsafe-path", f"{_quoted(target)} lies outside of the notes' folder; it was left out")


def _quoted(text: str) -> str:
    return f'"{quoted(text)}"'
