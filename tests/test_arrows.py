"""Which room may import which: `cards` ← `decks`, `cards` ← `mha_quiz`, and only the command line sees `decks`."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted(path for room in ("cards", "decks", "mha_quiz") for path in (ROOT / room).rglob("*.py"))


def rooms_imported(source: str) -> set[str]:
    rooms = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                rooms |= {alias.name.split(".")[0] for alias in names}
            case ast.ImportFrom(module=str(module), level=0):
                rooms.add(module.split(".")[0])
            case ast.ImportFrom(level=level) if level:
                rooms.add("a relative import")
    return rooms


def forbidden_for(module: Path) -> set[str]:
    match module.relative_to(ROOT).parts:
        case ("cards", *_):
            return {"decks", "mha_quiz", "genanki", "numpy", "a relative import"}
        case ("decks", *_):
            genanki = set() if module.name == "apkg.py" else {"genanki"}
            return {"mha_quiz", "numpy", "a relative import"} | genanki
        case ("mha_quiz", "cli.py"):
            return {"genanki", "a relative import"}
        case _:
            return {"decks", "genanki", "a relative import"}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_only_what_its_room_may(module: Path) -> None:
    assert rooms_imported(module.read_text(encoding="utf-8")) & forbidden_for(module) == set()


def test_a_wrong_arrow_is_seen() -> None:
    planted = "def late():\n    from decks.apkg import write\n    import mha_quiz.cli\n"

    assert rooms_imported(planted) & forbidden_for(ROOT / "cards" / "model.py") == {"decks", "mha_quiz"}
