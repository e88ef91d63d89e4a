"""Formulas of twin notes that should be equal, and differ because one of them lost a command."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from cards import formulas
from cards.model import Card, Note, Place, Problem
from cards.sides import plain_text
from cards.stated import Stated, stated

_COMMAND = re.compile(r"\\([A-Za-z]+)(?:\[[^\]{}]*\])?(?=\{)")
_NOT_DROPPED = frozenset(("frac", "dfrac", "tfrac", "binom", "begin", "end", "mathbf", "mathcal", "boldsymbol", "bm"))
"""Commands with two arguments, environments, and mere fonts."""


def heading_name(heading: str) -> str:
    """A heading without what follows its dash, for comparing."""
    return " ".join(heading.partition(" — ")[0].casefold().split())


def differences(notes: tuple[Note, Note], texts: tuple[str, str], pairs: Iterable[tuple[Card, Card]]) -> list[Problem]:
    """A problem for each formula that lacks one command which its counterpart in the twin note has.

    Counterparts stand in sections with the same heading, or in paired cards, and have no equal in the other place.
    Places in the texts are places in the files of the notes.
    """
    (one, other), (here, there) = notes, (list(stated(text)) for text in texts)
    problems: dict[Place, Problem] = {}
    for mine, yours in (*_same_sections(one, here, other, there), *_same_cards(here, there, pairs)):
        only_mine, only_yours = _without(mine, yours), _without(yours, mine)
        for lacking, path, having, other_path in (
            (only_mine, one.path, only_yours, other.path),
            (only_yours, other.path, only_mine, one.path),
        ):
            for formula, command, full in _lacking(lacking, having):
                message = f"the formula differs from {other_path}:{full.line}: {command} is missing here"
                place = Place(path, formula.line, formula.column)
                problems.setdefault(place, Problem(place, "twin-differs", message))
    return sorted(problems.values())


def _without(some: Iterable[Stated], others: Iterable[Stated]) -> list[Stated]:
    known = {formula.tex for formula in others}
    return [formula for formula in some if formula.tex not in known]


def _same_sections(
    one: Note, here: Sequence[Stated], other: Note, there: Sequence[Stated]
) -> Iterator[tuple[list[Stated], list[Stated]]]:
    mine, yours = _sections(one, here), _sections(other, there)
    for heading in mine.keys() & yours.keys():
        yield mine[heading], yours[heading]


def _sections(note: Note, formulas_of_note: Iterable[Stated]) -> dict[tuple[str, int], list[Stated]]:
    """The formulas under each heading; a heading that comes twice is counted."""
    seen: Counter[str] = Counter()
    sections: dict[tuple[str, int], list[Stated]] = {}
    starts = []
    for heading in note.headings:
        name = heading_name(heading.text)
        seen[name] += 1
        starts.append((heading.place.line, (name, seen[name])))
    index, section = 0, ("", 0)
    for formula in formulas_of_note:
        while index < len(starts) and starts[index][0] <= formula.line:
            section = starts[index][1]
            index += 1
        sections.setdefault(section, []).append(formula)
    return sections


def _same_cards(
    here: Iterable[Stated], there: Iterable[Stated], pairs: Iterable[tuple[Card, Card]]
) -> Iterator[tuple[list[Stated], list[Stated]]]:
    mine, yours = _by_tex(here), _by_tex(there)
    for one, other in pairs:
        yield _in_card(one, mine), _in_card(other, yours)


def _by_tex(found: Iterable[Stated]) -> dict[str, list[Stated]]:
    places: dict[str, list[Stated]] = {}
    for formula in found:
        places.setdefault(formula.tex, []).append(formula)
    return places


def _in_card(card: Card, of_note: Mapping[str, Sequence[Stated]]) -> list[Stated]:
    """The formulas of a card at their places in the note; at the card's own place where the page shows them bare."""
    found = []
    for formula in stated(plain_text(card.content)):
        known = of_note.get(formula.tex, ())
        index = bisect_left(known, card.place.line, key=lambda each: each.line)
        found.append(known[index] if index < len(known) else Stated(formula.tex, card.place.line, card.place.column))
    return found


def _lacking(lacking: Iterable[Stated], having: Iterable[Stated]) -> Iterator[tuple[Stated, str, Stated]]:
    reduced = {tex: (command, full) for full in having for command, tex in _without_one_command(full.tex)}
    for formula in lacking:
        if formula.tex in reduced:
            yield formula, *reduced[formula.tex]


def _without_one_command(tex: str) -> Iterator[tuple[str, str]]:
    closing = formulas.closing_braces(tex)
    for match in _COMMAND.finditer(tex):
        opening = match.end()
        if match[1] not in _NOT_DROPPED and opening in closing:
            end = closing[opening]
            without = tex[: match.start()] + tex[opening + 1 : end] + tex[end + 1 :]
            yield f"\\{match[1]}", formulas.normalised(without)
