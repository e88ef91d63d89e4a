"""Questions with the numbers that a note itself uses, such as the n = 10, d_model = 512, h = 8 of its worked example."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from cards.model import Place
from cards.settings import Settings
from mha_quiz.claims.checking import settings_of_note
from mha_quiz.claims.context import whole
from mha_quiz.claims.passages import Role
from mha_quiz.question import Family, Question, Text, draw

_LETTERS = {"d_model": "d", "d": "d", "h": "h", "n": "n"}
_EXAMPLE = re.compile(r"example|udaharan|walkthrough", re.IGNORECASE)
MOST_SEEDS = 3000
"""Tried for one family; that takes half a second."""

MOST_IN_VAIN = 12
"""Families in a row without such a question, then the numbers are given up: some are never drawn, such as d_model = 4."""


@dataclass(frozen=True, slots=True)
class Found:
    """Sizes of a layer that a note fixes in one place."""

    parameters: Mapping[str, int]
    """Under the letters of the families: d and h, and n if it is given."""
    place: Place
    """Of the first of them in the running text."""

    @property
    def said(self) -> Text:
        """Where the numbers come from."""
        line = self.place.line
        return Text(f"from your note, line {line}", f"aapke note se, line {line}")


def settings_in(text: str, path: str, settings: Settings, *, page: bool) -> tuple[Found, ...]:
    """The layers whose sizes the note gives, worked examples first, each set of numbers once.

    Numbers belong together if they stand under the same heading or in the same box.
    """
    reading, found = settings_of_note(text, path, settings, page=page)
    layers: dict[tuple[int, ...], dict[str, int]] = {}
    places: dict[tuple[int, ...], Place] = {}
    in_text: set[tuple[int, ...]] = set()
    for setting in found:
        letter, size, scope = _LETTERS.get(setting.name), whole(setting.value), setting.passage.scope
        if letter is None or size is None or setting.passage.role is Role.CELL:
            continue
        layers.setdefault(scope, {}).setdefault(letter, size)
        running = setting.passage.role in (Role.TEXT, Role.ITEM)
        if scope not in places or (running and scope not in in_text):
            places[scope] = reading.place(setting.passage, setting.offset)
        if running:
            in_text.add(scope)
    usable = [scope for scope, sizes in layers.items() if {"d", "h"} <= sizes.keys() and sizes["d"] % sizes["h"] == 0]
    usable.sort(
        key=lambda scope: (not any(_EXAMPLE.search(reading.titles[each]) for each in scope), -len(layers[scope]))
    )
    kept: dict[tuple[tuple[str, int], ...], Found] = {}
    for scope in usable:
        kept.setdefault(tuple(sorted(layers[scope].items())), Found(layers[scope], places[scope]))
    return tuple(kept.values())


def seed_with(family: Family, parameters: Mapping[str, int]) -> int | None:
    """A seed whose question has these numbers, for the letters that the family draws; None if none was found.

    The question is drawn and verified like any other; only its seed is looked for. A family without d_model has none.
    """
    for seed in range(MOST_SEEDS):
        drawn = family.draft(Random(f"{family.id}/{family.version}/{seed}")).parameters
        if "d" not in drawn:
            return None
        if all(drawn[letter] == size for letter, size in parameters.items() if letter in drawn):
            question = draw(family, seed)
            if not question.redraws:
                return seed
    return None


def questions_from(found: Sequence[Found], families: Sequence[Family], rng: Random) -> Iterator[tuple[Question, Found]]:
    """Verified questions with the note's numbers, each family once, with where the numbers stand."""
    order = list(families)
    rng.shuffle(order)
    in_vain = dict.fromkeys(range(len(found)), 0)
    for family in order:
        for index, layer in enumerate(found):
            if in_vain[index] == MOST_IN_VAIN:
                continue
            seed = seed_with(family, layer.parameters)
            if seed is not None:
                in_vain[index] = 0
                yield draw(family, seed), layer
                break
            in_vain[index] += 1
