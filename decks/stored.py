"""A card as Anki stores it: its note type, fields, tags and files, but for its id."""

from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from cards.model import Basic, Card, Cloze, Content, Reversed
from cards.sides import filled, siblings, to_show
from decks import html, names, note_types
from decks.media import Media


class Stored(NamedTuple):
    """What a note of Anki holds of a card."""

    note_type: note_types.NoteType
    fields: tuple[str, ...]
    cards: tuple[int, ...]
    tags: tuple[str, ...]
    media: tuple[tuple[str, Path], ...]
    """The files that the fields show, by their names there."""


def stored(card: Card, twin: Card | None, note: str, media: Media | None) -> Stored:
    """`card` as Anki stores it, with the same in the other language if there is a `twin`.

    `note` is the path that the card shows as its source; without `media` no picture and no sound is shown.
    """
    content = to_show(card)
    used: dict[str, Path] = {}
    named = media.named(card.place.path, used) if media else html.no_media
    fields = {"Context": html.plain(" › ".join(card.heading)), "Source": html.plain(note)}
    if isinstance(content, Cloze):
        note_type = note_types.cloze()
        fields["Text"] = html.render_cloze(content, named)
    else:
        note_type = note_types.basic()
        fields |= {"Front": html.render(content.front, named), "Back": html.render(content.back, named)}
        if isinstance(content, Reversed):
            fields["Reverse"] = "yes"
    if card.type_in or (twin is not None and twin.type_in and _may_be_typed(content)):
        fields["Typed"] = "yes"
    if twin is not None:
        fields |= _second_language(content, twin, media.named(twin.place.path, used) if media else html.no_media)
    warnings = dict.fromkeys((*card.warnings, *(twin.warnings if twin is not None else ())))
    fields["Warning"] = "<br>".join(map(html.render, warnings))
    ordered = tuple(fields.get(field.name, "") for field in note_type.fields)
    return Stored(note_type, ordered, siblings(content), names.tags(card.tags), tuple(used.items()))


def _may_be_typed(content: Content) -> bool:
    from cards.type_in import may_be_typed  # it loads the grammar of notes

    return may_be_typed(content)


def empty_side(side: Stored) -> str | None:
    """Which side of a card shows nothing, if one does."""
    if html.is_empty(side.fields[0]):
        return "front"
    if not side.note_type.is_cloze and html.is_empty(side.fields[1]):
        return "back"
    return None


def fingerprint(side: Stored) -> str:
    """The same for the same fields and tags, in any run."""
    parts = (side.note_type.name, *side.fields, *side.tags)
    return sha256("\x1f".join(parts).encode()).hexdigest()[:16]


def _second_language(content: Content, twin: Card, named: html.Named) -> dict[str, str]:
    match content, to_show(twin):
        case Cloze(), Cloze() as cloze:
            return {"Text (second language)": html.render(filled(cloze), named)}
        case (Basic() | Reversed(), (Basic(front, back) | Reversed(front, back))):
            return {
                "Front (second language)": html.render(front, named),
                "Back (second language)": html.render(back, named),
            }
        case _:
            return {}
