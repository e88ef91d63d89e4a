"""The numbers that a note uses, such as the n = 10, d_model = 512, h = 8 of its worked example."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cards.model import Place
from cards.settings import Settings
from mha_quiz.claims.checking import settings_of_note
from mha_quiz.claims.context import whole
from mha_quiz.claims.passages import Role
from mha_quiz.note_questions import Found
from mha_quiz.sized import Sizes

_NAMES = {"d_model": "d", "d": "d", "h": "h", "#heads": "h", "n": "n", "#tokens": "n"}
_EXAMPLE = re.compile(r"example|udaharan|walkthrough", re.IGNORECASE)


def settings_in(text: str, path: str, settings: Settings, *, page: bool) -> tuple[Found, ...]:
    """The layers whose sizes the note gives, worked examples first, each set of numbers once.

    Numbers belong together if they stand under the same heading or in the same box, or if the note has no others.
    """
    reading, found = settings_of_note(text, path, settings, page=page)
    scopes: dict[tuple[int, ...], list[_Size]] = {}
    for setting in found:
        letter, size = _NAMES.get(setting.name), whole(setting.value)
        if letter is None or size is None or setting.passage.role is Role.CELL:
            continue
        running = setting.passage.role in (Role.TEXT, Role.ITEM)
        in_words = setting.name.startswith("#")
        place = reading.place(setting.passage, setting.offset)
        scopes.setdefault(setting.passage.scope, []).append(_Size(letter, size, in_words, running, place))
    layers = {scope: layer for scope, sizes in scopes.items() if (layer := _layer(sizes))}
    examples = [scope for scope in layers if any(_EXAMPLE.search(reading.titles[each]) for each in scope)]
    order = sorted(layers, key=lambda scope: (scope not in examples, layers[scope].sizes.n is None))
    kept: dict[Sizes, Found] = {}
    for scope in order:
        kept.setdefault(layers[scope].sizes, layers[scope])
    whole_layers = {(sizes.d, sizes.h) for sizes in kept if sizes.n}
    several = tuple(it for it in kept.values() if it.sizes.n or (it.sizes.d, it.sizes.h) not in whole_layers)
    everything = [size for sizes in scopes.values() for size in sizes]
    if not several and all(len({size.number for size in everything if size.letter == letter}) == 1 for letter in "dh"):
        several = tuple(filter(None, (_layer(everything),)))
    return several


@dataclass(frozen=True, slots=True)
class _Size:
    letter: str
    number: int
    in_words: bool
    """`8 heads` in place of `h = 8`."""
    running: bool
    """In the running text, not in a title."""
    place: Place


def _layer(sizes: Sequence[_Size]) -> Found | None:
    """What the sizes make together, those in letters before those in words; None if that is no layer of several heads."""
    first: dict[str, int] = {}
    for size in sorted(sizes, key=lambda size: size.in_words):
        if size.letter != "n" or size.number > 1:
            first.setdefault(size.letter, size.number)
    if not {"d", "h"} <= first.keys():
        return None
    layer = Sizes(first["d"], first["h"], first.get("n"))
    used = [size for size in sizes if first.get(size.letter) == size.number]
    return Found(layer, min(used, key=lambda size: not size.running).place) if layer.possible else None
