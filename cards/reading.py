"""One note, Markdown or pasted page, with all the cards that are read off it."""

from dataclasses import replace

from cards import pasted, tex
from cards.derived import Derived, derive, wanted_kinds
from cards.embeds import may_embed
from cards.flashcards import ReadNote, read_note
from cards.lookalikes import QUESTIONS
from cards.model import Card, Origin, Place
from cards.note_cards import NoteCards
from cards.settings import Settings, path_matches
from cards.sides import sides


def read_cards(
    text: str, path: str, settings: Settings, *, below_root: str, everything: bool, derived: bool | None
) -> NoteCards:
    """The cards of the note `text`; `below_root` is its path below the folder that holds the settings, with `/`."""
    found, implied = _read(text, path, settings, below_root, everything=everything, derived=derived)
    shown = sorted((*found.cards, *implied.cards), key=lambda card: card.place)
    asked = {card.place.line for card in implied.cards}
    problems = (it for it in found.problems if it.place.line not in asked or not it.message.endswith(QUESTIONS))
    with_sign = shown if "[" in text or "<" in text else ()
    return NoteCards(
        found.note,
        found.cards,
        implied.cards,
        tuple(implied.repeats.items()),
        (*problems, *tex.problems(shown, text)),
        tuple(card for card in with_sign if any(map(may_embed, sides(card.content)))),
    )


def _read(
    text: str, path: str, settings: Settings, below_root: str, *, everything: bool, derived: bool | None
) -> tuple[ReadNote, Derived]:
    folder = below_root.rpartition("/")[0]
    is_page = path_matches(below_root, settings.pages) or pasted.is_page(text, settings)
    page = pasted.convert(text, path, settings) if is_page else None
    found = read_note(page.markdown if page else text, path, settings, everything=everything, folder=folder)
    kinds = wanted_kinds(found, settings, page=is_page, derived=derived)
    implied = derive(found, settings, kinds, page=is_page)
    return _in_page(found, implied, page) if page else (found, implied)


def _in_page(found: ReadNote, implied: Derived, page: pasted.Page) -> tuple[ReadNote, Derived]:
    """What was read from a page's Markdown, with all places in the page itself."""

    def moved(place: Place) -> Place:
        return Place(place.path, *page.original(place.line, place.column))

    def marked(card: Card) -> Card:
        rebuilt = card.place.line in page.reconstructed
        return card._replace(place=moved(card.place), origin=Origin.RECONSTRUCTED if rebuilt else card.origin)

    def derived(card: Card) -> Card:
        lines = () if card.derivation is None else (page.original(line, 1)[0] for line in card.derivation.lines)
        derivation = card.derivation and replace(card.derivation, lines=tuple(sorted(set(lines))))
        return card._replace(place=moved(card.place), derivation=derivation)

    headings = tuple(heading._replace(place=moved(heading.place)) for heading in found.note.headings)
    problems = (problem._replace(place=moved(problem.place)) for problem in found.problems)
    in_page = replace(
        found,
        note=replace(found.note, headings=headings, page=True),
        cards=tuple(map(marked, found.cards)),
        problems=tuple(sorted((*page.problems, *problems))),
    )
    repeats = {derived(card): marked(other) for card, other in implied.repeats.items()}
    return in_page, Derived(tuple(map(derived, implied.cards)), repeats)
