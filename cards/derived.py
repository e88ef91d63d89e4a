"""The cards that the structure of a note implies: why-questions, mistakes, counts, connections, and the like."""

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cards import implied_facts, implied_questions
from cards.asking import is_no_subject
from cards.drafts import Draft, Script
from cards.flashcards import ReadNote
from cards.model import Basic, Card, Cloze, Derivation, Origin
from cards.passages import Section, sections
from cards.repeats import repeated
from cards.setting_values import DERIVED_KINDS
from cards.settings import Settings

DECK = "From the notes"
"""The deck below the one of the note that derived cards lie in."""
TAG = "derived"


@dataclass(frozen=True, slots=True)
class Derived:
    cards: tuple[Card, ...]
    repeats: Mapping[Card, Card]
    """Derived cards left out because they say what a marked card of the note says, with that card."""


NOTHING = Derived((), {})


def wanted_kinds(note: ReadNote, settings: Settings, *, page: bool, derived: bool | None) -> tuple[str, ...]:
    """The structures that shall give cards; `derived` is what the command line says."""
    if not note.note.counts or derived is False:
        return ()
    listed = () if settings.derived == "auto" else settings.derived
    if derived or note.note.derived:
        return listed or DERIVED_KINDS
    if note.note.derived is False:
        return ()
    if settings.derived == "auto":
        return DERIVED_KINDS if page else ()
    return listed


def derive(note: ReadNote, settings: Settings, kinds: Collection[str], *, page: bool) -> Derived:
    """The cards of these kinds of structure, in order of the text, with places of `note.sheet.source`."""
    if not kinds:
        return NOTHING
    script = Script.of(note.sheet, note.note, page=page)
    found = list(sections(note.sheet, note.taken))
    drafts = [draft for draft in _drafts(script, found, settings) if draft.structure in kinds]
    drafts = _with_different_fronts(sorted(drafts, key=lambda draft: draft.start), note.cards)
    cards = [(_card(draft, script, note), draft.question) for draft in drafts]
    repeats = repeated(cards, note.cards)
    return Derived(tuple(card for card, _ in cards if card not in repeats), repeats)


def _drafts(script: Script, found: Sequence[Section], settings: Settings) -> Iterator[Draft]:
    definition = implied_facts.definition(script, found)
    if definition is not None:
        yield definition
    for section in found:
        if any(is_no_subject(heading.shown) for heading in section.headings):
            continue
        for draft in implied_questions.asked(script, section, settings.callouts):
            if draft is not None:
                yield draft
        if implied_questions.mistake_heading(section) is None:
            example = implied_questions.is_example(section)
            for draft in implied_facts.stated(script, section, example=example):
                if draft is not None:
                    yield draft


def _with_different_fronts(drafts: Iterable[Draft], marked: Iterable[Card]) -> list[Draft]:
    """The drafts, those with equal fronts with more context; the first one only if that does not help."""
    drafts = list(drafts)
    fronts: dict[str, list[int]] = {}
    for index, draft in enumerate(drafts):
        fronts.setdefault(_key(draft.front), []).append(index)
    for equal in fronts.values():
        if len(equal) > 1:
            for index in equal:
                drafts[index] = drafts[index].widened()
    seen = {_key(card.content.front) for card in marked if not isinstance(card.content, Cloze)}
    kept = []
    for draft in drafts:
        if (key := _key(draft.front)) not in seen:
            seen.add(key)
            kept.append(draft)
    return kept


def _key(front: str) -> str:
    return " ".join(unicodedata.normalize("NFC", front).casefold().split())


def _card(draft: Draft, script: Script, note: ReadNote) -> Card:
    source = script.sheet.source
    deck, tags = note.decks.choose(source.line_of(draft.start), ())
    return Card(
        content=Basic(draft.front, draft.back),
        origin=Origin.DERIVED,
        place=source.place(draft.start),
        deck=f"{deck}::{DECK}",
        tags=(*tags, TAG) if TAG not in tags else tags,
        language=draft.language,
        heading=draft.headings,
        schedule=(),
        block_id=None,
        derivation=Derivation(draft.structure, tuple(line + 1 for line in draft.lines)),
    )
