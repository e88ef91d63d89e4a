"""What Anki's reviewer shows of a note: its templates filled with its fields."""

import re
from bisect import bisect_left
from operator import itemgetter

from decks.apkg import Note

MATH = re.compile(r"\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
"""A formula of a field; other text never holds these signs."""
TYPED = re.compile(r"\[\[type:[^]]+\]\]")
"""Where an answer is typed, and compared on the back; other text never holds these signs."""
_SECTION = re.compile(r"\{\{#(.+?)\}\}(.*?)\{\{/\1\}\}", re.DOTALL)
_FIELD = re.compile(r"\{\{(type:)?(cloze:)?(.+?)\}\}")
_DELETION = re.compile(r"\{\{c(\d+)::(.*?)(?:::(.*?))?\}\}", re.DOTALL)


def sides(note: Note, card: int) -> tuple[str, str]:
    """HTML of the front and the back of one card of a note; `card` is one of `note.cards`."""
    names = (field.name for field in note.note_type.fields)
    fields = dict(zip(names, note.fields, strict=True))
    template = note.note_type.templates[0 if note.note_type.is_cloze else card]
    front = _filled(template.front, fields, card, is_answer=False)
    return front, _filled(template.back, fields | {"FrontSide": front}, card, is_answer=True)


def _filled(template: str, fields: dict[str, str], card: int, *, is_answer: bool) -> str:
    def value(found: re.Match[str]) -> str:
        if found[1]:
            return f"[[{found[0][2:-2]}]]"
        text = fields[found[3]]
        return _cloze(text, card + 1, is_answer=is_answer) if found[2] else text

    return _FIELD.sub(value, _sections(template, fields))


def _sections(template: str, fields: dict[str, str]) -> str:
    """The template with those sections whose field holds something."""
    return _SECTION.sub(lambda found: _sections(found[2], fields) if fields[found[1]] else "", template)


def _cloze(text: str, number: int, *, is_answer: bool) -> str:
    formulas = [found.span() for found in MATH.finditer(text)]

    def is_in_formula(offset: int) -> bool:
        before = bisect_left(formulas, offset, key=itemgetter(0))
        return before > 0 and offset < formulas[before - 1][1]

    def shown(found: re.Match[str]) -> str:
        is_asked = int(found[1]) == number
        said = found[2] if is_answer or not is_asked else f"[{found[3] or '...'}]"
        if is_in_formula(found.start()):
            return said
        return f'<span class="{"cloze" if is_asked else "cloze-inactive"}">{said}</span>'

    return _DELETION.sub(shown, text)
