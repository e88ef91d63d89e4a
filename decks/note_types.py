"""Anki's note types for our cards: fields, templates, style.

They are frozen. Anki knows a note type, a field and a template by the ids below; with another list of fields it would
copy the type as "Name+" and never update a note made before. What the future needs goes into the spare fields. A change
of a template or of the style is welcome and reaches the users if `RELEASED` is raised with it.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

RELEASED = 1795974600
"""Unix seconds. Anki takes templates and style that are newer than its own, so a user's own style stays till then."""


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    id: int


@dataclass(frozen=True, slots=True)
class Template:
    """What makes one card of a note."""

    name: str
    id: int
    front: str
    back: str


@dataclass(frozen=True, slots=True)
class NoteType:
    name: str
    id: int
    fields: tuple[Field, ...]
    templates: tuple[Template, ...]
    css: str
    is_cloze: bool


@cache
def basic() -> NoteType:
    """Front and back; the second template asks the other way round where the field `Reverse` is filled.

    Where `Typed` is filled, the answer is typed.
    """
    return NoteType(
        "mha-quiz Basic",
        1423987499092,
        (
            Field("Front", 4827223983157625),
            Field("Back", 3661795982804133),
            Field("Reverse", 8702126872072095),
            Field("Front (second language)", 1406625865592159),
            Field("Back (second language)", 3758882528072139),
            Field("Extra", 7926999358715451),
            Field("Context", 2432327913380472),
            Field("Source", 6635543387842223),
            Field("Typed", 1706565184160475),
            Field("Warning", 2308631362984309),
            Field("Spare 3", 3154725191052576),
        ),
        (
            Template("Card", 5772062477039358, _text("basic_front.html"), _text("basic_back.html")),
            Template("Reverse", 1791349938230492, _text("reverse_front.html"), _text("reverse_back.html")),
        ),
        _text("style.css"),
        is_cloze=False,
    )


@cache
def cloze() -> NoteType:
    """A text with deletions; the second language is shown with the answer, without deletions.

    Where `Typed` is filled, they are typed.
    """
    return NoteType(
        "mha-quiz Cloze",
        1592127219689,
        (
            Field("Text", 6533577560477585),
            Field("Text (second language)", 6544832863951286),
            Field("Extra", 6583618820401258),
            Field("Context", 1477011023126392),
            Field("Source", 3176306866736687),
            Field("Typed", 4968749964620683),
            Field("Warning", 3142080604806149),
            Field("Spare 3", 7344295874254987),
        ),
        (Template("Cloze", 1511562350341814, _text("cloze_front.html"), _text("cloze_back.html")),),
        _text("style.css"),
        is_cloze=True,
    )


@cache
def number() -> NoteType:
    """A numeric question whose answer is typed; see `decks.numbers`."""
    return NoteType(
        "mha-quiz Number",
        1498611796451,
        (
            Field("Question", 2961255694511575),
            Field("Question (second language)", 6632404362787879),
            Field("Answer", 8970252800838683),
            Field("Typing", 8483097640116396),
            Field("Also right", 5188582713865921),
            Field("Solution", 5958283220787852),
            Field("Solution (second language)", 8393140146858819),
            Field("Slips", 6004833899562618),
            Field("Slips (second language)", 1644083737389150),
            Field("Extra", 7186691909831680),
            Field("Context", 8834758727980649),
            Field("Source", 4383648376812874),
            Field("Spare 1", 3246865107445731),
            Field("Spare 2", 7511916253412040),
            Field("Spare 3", 4072060872045260),
            Field("Spare 4", 5028868896869935),
        ),
        (Template("Number", 8311740491842845, _text("number_front.html"), _text("number_back.html")),),
        _text("style.css"),
        is_cloze=False,
    )


def _text(name: str) -> str:
    return files("decks").joinpath("templates", name).read_text("utf-8")
