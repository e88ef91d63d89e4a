"""The cards that the structure of a note implies: why-questions, mistakes, counts, connections, and the like."""

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cards import announced, implied_boxes, implied_facts, implied_questions
from cards.drafts import Draft, Script
from cards.example_steps import is_example
from cards.flashcards import ReadNote
from cards.implied_boxes import is_mistake
from cards.model import Basic, Card, Cloze, Derivation, Origin
from cards.passages import Section
from cards.repeats import repeated
from cards.sections import sections
from cards.setting_values import DERIVED_KINDS
from cards.settings import Settings
from cards.source import Source
from cards.topics import is_no_subject, is_personal
from cards.type_in import may_be_typed, wants_typing

_DECK = "From the notes"
"""The deck below the one of the note that derived cards lie in."""
_TAG = "derived"


@dataclass(frozen=True, slots=True)
class Derived:
    cards: tuple[Card, ...]
    repeats: Mapping[Card, Card]
    """Derived cards left out because they say what a marked card of the note says, with that card."""


_NOTHING = Derived((), {})


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
        return _NOTHING
    script = Script.of(note.sheet, note.note, page=page)
    found = tuple(sections(note.sheet, note.taken))
    drafts = [draft for draft in _drafts(script, found, settings.callouts) if draft and draft.structure in kinds]
    if not drafts:
        return _NOTHING
    drafts = _with_different_fronts(_without_doubles(sorted(drafts, key=lambda draft: draft.start)), note.cards)
    cards = [(_card(draft, script, note), draft.question) for draft in drafts]
    repeats = repeated(cards, note.cards)
    return Derived(tuple(card for card, _ in cards if card not in repeats), repeats)


def _drafts(script: Script, found: Sequence[Section], callouts: Collection[str]) -> Iterator[Draft | None]:
    yield implied_facts.definition(script, found)
    for section in found:
        if any(is_no_subject(heading.shown) for heading in section.headings):
            continue
        if any(is_personal(heading.shown) for heading in section.headings[1:]):
            continue
        if is_mistake(section):
            yield implied_boxes.mistake(script, section)
        else:
            in_example = is_example(section)
            yield from implied_questions.asked(script, section, in_example=in_example)
            if not in_example:
                yield from implied_facts.stated(script, section)
                yield from announced.announced(script, section)
        yield from implied_boxes.boxed(script, section, callouts)


_NEARLY_ALL = 0.7
"""Share of an answer from which on a card that asks for that part of it, with the sentence above it, adds nothing."""


def _without_doubles(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts without reasons, definitions, enumerations and formulas that are nearly all of what a question of the note answers."""
    questions = [draft for draft in drafts if draft.structure == "question"]
    by_line = {line: draft for draft in questions for line in draft.lines}

    def doubles(draft: Draft) -> bool:
        other = by_line.get(draft.lines[-1])
        return (
            draft.structure in ("because", "definition", "enumeration", "formula")
            and other is not None
            and draft.back in other.back
            and len(draft.question) + len(draft.back) >= _NEARLY_ALL * len(other.back)
        )

    return [draft for draft in drafts if not doubles(draft)]


def _with_different_fronts(drafts: Sequence[Draft], marked: Iterable[Card]) -> list[Draft]:
    """The drafts, those with equal fronts with more context; the first one only if that does not help."""
    keys = [_key(draft.front) for draft in drafts]
    count = Counter(keys)
    seen = {_key(card.content.front) for card in marked if not isinstance(card.content, Cloze)}
    kept = []
    for key, draft in zip(keys, drafts, strict=True):
        if count[key] > 1:
            draft = draft.widened()
            key = _key(draft.front)
        if key not in seen:
            seen.add(key)
            kept.append(draft)
    return kept


def _key(front: str) -> str:
    return " ".join(unicodedata.normalize("NFC", front).casefold().split())


def _card(draft: Draft, script: Script, note: ReadNote) -> Card:
    source = script.sheet.source
    deck, tags = note.decks.choose(source.line_of(draft.start), ())
    content = Basic(draft.front, draft.back)
    return Card(
        content=content,
        origin=Origin.DERIVED,
        place=source.place(draft.start),
        deck=f"{deck}::{_DECK}",
        tags=(*tags, _TAG) if _TAG not in tags else tags,
        language=draft.language,
        heading=draft.headings,
        schedule=(),
        block_id=None,
        derivation=Derivation(draft.structure, tuple(line + 1 for line in draft.lines)),
        in_line=_begins_in_line(draft, source),
        type_in=wants_typing(tags) and may_be_typed(content),
    )


def _begins_in_line(draft: Draft, source: Source) -> bool:
    """Whether the answer begins within a line of the note, as in `EF: > 55 %`."""
    begin = draft.back.partition("\n")[0]
    for number in draft.lines:
        line = source.text[source.starts[number] : source.end(number)].rstrip()
        if line.endswith(begin):
            return bool(line.removesuffix(begin).strip("> \t"))
    return False
