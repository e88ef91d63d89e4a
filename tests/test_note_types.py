"""The note types are frozen: Anki would stop updating every note made before a change of their fields."""

import json
import re
from hashlib import sha256
from pathlib import Path

import pytest

from decks import note_types
from decks.note_types import NoteType

GOLDEN = Path(__file__).parent / "data" / "note_types.json"
TYPES = (note_types.basic(), note_types.cloze(), note_types.number())


def described(note_type: NoteType) -> dict[str, object]:
    return {
        "name": note_type.name,
        "id": note_type.id,
        "is_cloze": note_type.is_cloze,
        "fields": [[field.name, field.id] for field in note_type.fields],
        "templates": [[template.name, template.id] for template in note_type.templates],
    }


def test_schema_is_as_it_was_released() -> None:
    assert [described(note_type) for note_type in TYPES] == json.loads(GOLDEN.read_text())["types"]


def test_new_looks_come_with_a_new_release_date() -> None:
    texts = [text for t in TYPES for text in (t.css, *(part for x in t.templates for part in (x.front, x.back)))]
    look = sha256("\n".join(texts).encode()).hexdigest()[:16]

    assert {"released": note_types.RELEASED, "look": look} == json.loads(GOLDEN.read_text())["look"], (
        "templates or style changed: raise RELEASED in decks/note_types.py, and put both values into the file"
    )


def test_ids_are_all_different() -> None:
    ids = [id_ for t in TYPES for id_ in (t.id, *(f.id for f in t.fields), *(x.id for x in t.templates))]

    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("note_type", TYPES, ids=lambda note_type: note_type.name)
def test_templates_name_fields_that_exist(note_type: NoteType) -> None:
    names = {field.name for field in note_type.fields}
    for template in note_type.templates:
        used = set(re.findall(r"\{\{[#/^]?(?:type:)?(?:cloze:)?(.+?)\}\}", template.front + template.back))
        assert used <= names | {"FrontSide"}


@pytest.mark.parametrize("note_type", TYPES, ids=lambda note_type: note_type.name)
def test_every_field_in_use_is_shown(note_type: NoteType) -> None:
    text = "".join(template.front + template.back for template in note_type.templates)

    unused = [field.name for field in note_type.fields if f"{field.name}}}}}" not in text]
    assert len(unused) >= 1
    assert all(name.startswith("Spare ") for name in unused)
