"""Notes and what they hold, side by side in `data/notes/*.md`; a case is added there, without Python.

A case is a heading and two or three fences: `settings` (the table `[cards]`), `note` (below a line `#flashcards` and a
blank one; `whole note` stands alone), and `outcome`, a line for each card and problem. In notes `→` is a tab, `␠` a
blank that an editor might strip; in outcomes `⏎` is a line break.
"""

from pathlib import Path

import pytest

from cards.flashcards import read_note
from cards.interchange import cloze_text
from cards.model import Basic, Card, Cloze, Reversed
from cards.settings import Settings, load

DATA = Path(__file__).parent / "data" / "notes"
FENCE = "~~~~"


def golden_cases():
    return list(_golden_cases())


def _golden_cases():
    for path in sorted(DATA.glob("*.md")):
        title, parts, kind = "", {}, None
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line.startswith(FENCE) and kind is not None:
                kind = None
                if "outcome" in parts:
                    yield pytest.param(parts, id=f"{path.stem}: {title}")
                    parts = {}
            elif line.startswith(FENCE):
                kind = line.removeprefix(FENCE).strip()
                parts[kind] = []
            elif kind is not None:
                parts[kind].append(line)
            elif line.startswith("## "):
                title = line.removeprefix("## ")


def shown_card(card: Card) -> str:
    match card.content:
        case Basic(front, back):
            text = f"basic: {front} || {back}"
        case Reversed(front, back):
            text = f"reversed: {front} || {back}"
        case Cloze(pieces):
            text = f"cloze: {cloze_text(pieces)}"
    more = [f"deck {card.deck}"] if card.deck != "Flashcards" else []
    more += [f"tags {' '.join(card.tags)}"] if card.tags else []
    more += [f"id {card.block_id}"] if card.block_id else []
    more += [f"due {' '.join(schedule.due for schedule in card.schedule)}"] if card.schedule else []
    more += [f"under {' > '.join(card.heading)}"] if card.heading else []
    more += ["typed"] if card.type_in else []
    ending = f" ({'; '.join(more)})" if more else ""
    return f"{card.place.line}:{card.place.column} {text}{ending}".replace("\n", "⏎")


def settings_of(lines: list[str], folder: Path) -> Settings:
    if not lines:
        return Settings()
    text = "\n".join(["[cards]", *lines])
    (folder / "mha-quiz.toml").write_text(text, encoding="utf-8")
    loaded = load(folder)
    assert loaded.problems == ()
    return loaded.settings


@pytest.mark.parametrize("case", golden_cases())
def test_a_note_gives_what_stands_beside_it(case, tmp_path):
    note = "\n".join(case["whole note"] if "whole note" in case else ["#flashcards", "", *case["note"]])
    note = note.replace("→", "\t").replace("␠", " ")
    found = read_note(note, "note.md", settings_of(case.get("settings", []), tmp_path))
    outcome = [shown_card(card) for card in found.cards]
    outcome += [
        f"{problem.place.line}:{problem.place.column} {problem.code}: {problem.message}" for problem in found.problems
    ]
    assert outcome == [line for line in case["outcome"] if line]


@pytest.mark.parametrize(("length", "hint"), [(1000, "x" * 1000), (1001, None)])
def test_a_hint_has_an_end(length, hint):
    (card,) = read_note(f"#flashcards\n\nIt is ==so==^[{'x' * length}]\n", "a.md", Settings()).cards
    assert [piece.hint for piece in card.content.pieces if not isinstance(piece, str)] == [hint]
    assert ("^[xxx" in cloze_text(card.content.pieces)) == (hint is None)  # then it is text, and nothing is lost


def test_a_long_fence_is_looked_at_once():
    """The square of such a length would take minutes."""
    found = read_note("#flashcards\n\n" + "`" * 1_000_000 + "\n", "a.md", Settings())
    assert [problem.code for problem in found.problems] == ["unclosed-fence"]
