"""Cards that the structure of a note implies; notes and their cards stand side by side in `data/derived.md`."""

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cards import formulas
from cards.asking import sentences
from cards.collection import leave_out, read
from cards.derived import derive
from cards.flashcards import read_note
from cards.interchange import cloze_text
from cards.model import Basic, Card, Cloze, Derivation, Language, Origin, Place
from cards.repeats import repeated
from cards.setting_values import DERIVED_KINDS
from cards.settings import Settings
from cards.twin_cards import Told, pair_cards

SETTINGS = Settings()

DATA = Path(__file__).parent / "data" / "derived.md"
CASE = re.compile(
    r"^## ([^\n]+)\n\n~~~~ (note|whole note|page)\n(.*?)^~~~~\n\n~~~~ cards\n(.*?)^~~~~$", re.MULTILINE | re.DOTALL
)
CASES = CASE.findall(DATA.read_text(encoding="utf-8"))


def derived_of(path: Path, *, forced: bool | None = True) -> list[Card]:
    return [card for card in read([path], derived=forced).cards if card.origin is Origin.DERIVED]


def shown(card: Card) -> str:
    assert card.derivation is not None
    assert isinstance(card.content, Basic)
    first, last = card.place.line, max(card.derivation.lines)
    lines = f"{first}" if first == last else f"{first}-{last}"
    answer = card.content.back.replace("\n", "⏎")
    return f"{lines} {card.derivation.structure}: {card.content.front} || {answer}"


def written(folder: Path, kind: str, text: str) -> Path:
    path = folder / ("page.txt" if kind == "page" else "note.md")
    path.write_text(f"#flashcards\n\n{text}" if kind == "note" else text, encoding="utf-8")
    return path


@pytest.mark.parametrize(("kind", "text", "wanted"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_note_implies_what_stands_beside_it(kind: str, text: str, wanted: str, tmp_path: Path) -> None:
    path = written(tmp_path, kind, text)
    found = derived_of(path, forced=None if kind == "page" else True)
    assert "".join(shown(card) + "\n" for card in found) == wanted


def test_all_cases_are_read() -> None:
    assert len(CASES) == DATA.read_text(encoding="utf-8").count("\n~~~~ cards\n") > 40


def test_a_question_that_is_read_is_not_told_as_unread(tmp_path: Path) -> None:
    note = tmp_path / "bees.md"
    note.write_text("#flashcards\n\nQ: Why do bees dance?\nA: To tell.\n\nQ: Who?\nA: Bees.\n", encoding="utf-8")
    told = {
        forced: [problem.place.line for problem in read([note], derived=forced).problems] for forced in (True, False)
    }
    assert told == {True: [6], False: [3, 6]}


# Which notes give them, and where they lie


NOTE = """---
title: Tides
tags: [{tags}]
{more}
---
## What causes them?

The pull of the moon.

- **Spring tide**: when sun and moon pull together
- **Neap tide**: when they pull crosswise
"""


def structures(path: Path, *, forced: bool | None = None, everything: bool = False) -> list[str]:
    cards = read([path], derived=forced, everything=everything).cards
    return [card.derivation.structure for card in cards if card.derivation is not None]


@pytest.mark.parametrize(
    ("setting", "more", "forced", "wanted"),
    [
        ("", "", None, []),
        ("", "derived: true", None, ["question", "definition", "definition"]),
        ("", "derived: false", None, []),
        ("derived = true", "", None, ["question", "definition", "definition"]),
        ("derived = true", "derived: false", None, []),
        ("derived = false", "derived: true", None, ["question", "definition", "definition"]),
        ("derived = false", "", None, []),
        ('derived = ["question"]', "", None, ["question"]),
        ('derived = ["question"]', "derived: true", None, ["question"]),
        ('derived = ["why"]', "", None, []),
        ("", "", True, ["question", "definition", "definition"]),
        ("derived = false", "derived: false", True, ["question", "definition", "definition"]),
        ('derived = ["definition"]', "", True, ["definition", "definition"]),
        ("derived = true", "derived: true", False, []),
    ],
)
def test_note_settings_and_command_line_switch_them(
    setting: str, more: str, forced: bool | None, wanted: list[str], tmp_path: Path
) -> None:
    (tmp_path / "mha-quiz.toml").write_text(f"[cards]\n{setting}\n", encoding="utf-8")
    path = tmp_path / "note.md"
    path.write_text(NOTE.format(tags="flashcards", more=more), encoding="utf-8")
    assert structures(path, forced=forced) == wanted


def test_a_note_that_does_not_count_gives_none(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_text(NOTE.format(tags="physics", more="derived: true"), encoding="utf-8")
    assert structures(path) == structures(path, forced=True) == []
    assert len(structures(path, everything=True)) == 3
    (tmp_path / "mha-quiz.toml").write_text('[cards]\nignore_tags = ["physics"]\n', encoding="utf-8")
    assert structures(path, everything=True) == []


def test_a_page_gives_them_unless_the_settings_say_no(tmp_path: Path) -> None:
    page = next(text for _, kind, text, _ in reversed(CASES) if kind == "page")
    path = written(tmp_path, "page", page)
    assert len(structures(path)) == 7
    assert structures(path, forced=False) == []
    (tmp_path / "mha-quiz.toml").write_text('[cards]\nderived = "recall"\n', encoding="utf-8")
    assert structures(path) == ["recall"]


def test_what_a_derived_card_carries(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    text = NOTE.format(tags="flashcards/sea/tides, exam", more="derived: true")
    path.write_text(f"\ufeff{text}\nHow high? :: Metres\n", encoding="utf-8")
    first, *_, marked = read([path]).cards
    assert (first.origin, first.deck, first.tags) == (Origin.DERIVED, "sea::tides::From the notes", ("exam", "derived"))
    assert (str(first.place), first.heading) == (f"{path}:6:4", ("What causes them?",))
    assert first.derivation == Derivation("question", (6, 8, 10, 11))
    assert (first.language, first.schedule, first.block_id) == (Language.EN, (), None)
    assert (marked.deck, marked.tags, marked.derivation) == ("sea::tides", ("exam",), None)


@pytest.mark.parametrize(("tags", "typed"), [("flashcards", False), ("flashcards, type-in", True)])
def test_an_answer_is_typed_only_where_the_tag_says_so(tags: str, typed: bool, tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_text(f"---\ntags: [{tags}]\n---\n## What pulls the tides?\n\nThe moon\n", encoding="utf-8")
    assert [card.type_in for card in derived_of(path)] == [typed]


def test_the_deck_tag_above_decides(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_text(
        "#flashcards/a\n\nWhat is a tide?\n\nA swell.\n\n#flashcards/b #derived\n\nWhat is an ebb?\n\nA fall.\n",
        "utf-8",
    )
    assert [(card.deck, card.tags) for card in derived_of(path)] == [
        ("a::From the notes", ("derived",)),
        ("b::From the notes", ("derived",)),
    ]


def test_the_name_of_the_file_stands_in_for_a_title(tmp_path: Path) -> None:
    for name, fronts in {
        "Spring_tides.md": ["How is Moon connected to Spring tides?"],
        "03 - Neap tides.md": ["How is Moon connected to Neap tides?"],
        "2031-02-03.md": [],
        "f45b7d61.md": [],
        "README.md": [],
    }.items():
        path = tmp_path / name
        path.write_text("#flashcards\n\n## Connections\n\n- Moon: pulls the water\n", encoding="utf-8")
        assert [card.content.front for card in derived_of(path) if isinstance(card.content, Basic)] == fronts


def test_cards_that_show_some_lines_are_left_out(tmp_path: Path) -> None:
    path = written(tmp_path, "note", "# Tides\n\nWhy a tide? The moon.\n\nWhat is an ebb?\n\nA fall.\n\nQ :: A\n")
    found = read([path], derived=True)

    def lines_left(lines: set[int]) -> list[int]:
        return [card.place.line for card in leave_out(found, {str(path): lines}).cards]

    assert lines_left(set()) == [5, 7, 11]
    assert lines_left({9}) == [5, 11]
    assert lines_left({5, 7, 11}) == [11]
    assert leave_out(found, {"other.md": {5}}) == found


# The measured pages


SHARED = Path(__file__).parents[2] / "shared"
MEASURED = {
    "000_f45b7d61c07c828c.txt": """
        question 5-14 20-27 61-64; why 29-32 147 158; because 210; step 107-111 113-120 122-126 128-130 160-162;
        mistake 166-176; recall 212-225; count 184 185 186 187 189 191 199 200 201 202 204 206 208;
        connection 227 229 230 231 232 233 234 235; definition 14; enumeration 7-12;
        formula 36-40 55-59 68-72 80-84
    """,
    "001_3fb050d14b13d446.txt": """
        question 3-12 18-25 40-43 59-62 72-76 84-88; why 27-30; because 126;
        count 100 101 102 103 105 107 115 116 117 118 120 122 124; connection 128 130 131 132 133 134 135 136;
        definition 12; enumeration 5-10; formula 34-38 53-57 66-70 78-82
    """,
}
measured = pytest.mark.skipif(not SHARED.is_dir(), reason="the measured pages do not ship with the project")


@measured
@pytest.mark.parametrize("name", MEASURED)
def test_measured_pages_give_exactly_these(name: str) -> None:
    wanted = []
    for entry in MEASURED[name].split(";"):
        structure, *places = entry.split()
        wanted += [(structure, place) for place in places]
    found = [shown(card).partition(":")[0].split() for card in derived_of(SHARED / "seeds" / name, forced=None)]
    assert sorted((structure, place) for place, structure in found) == sorted(wanted)


def folded(text: str) -> str:
    return re.sub(r"[\s$*_=]", "", formulas.normalised(text)).casefold()


def text_of(card: Card) -> tuple[str, str]:
    match card.content:
        case Cloze(pieces):
            return cloze_text(pieces), ""
        case content:
            return content.front, content.back


@measured
@pytest.mark.parametrize("name", MEASURED)
def test_measured_pages_give_what_a_reader_wants(name: str) -> None:
    golden = json.loads((SHARED / "golden" / "derived.json").read_text(encoding="utf-8"))
    cards = [(card.place.line, *text_of(card)) for card in read([SHARED / "seeds" / name]).cards]

    def covers(line: int, front: str, back: str, item: Any) -> bool:
        ranges = [item["lines"], *item.get("also", [])]
        asks = all(any(folded(word) in folded(front) for word in words.split("|")) for words in item["question_words"])
        tells = all(folded(piece) in folded(front + back) for piece in item["must_contain"])
        return asks and tells and any(first <= line <= last for first, last in ranges)

    wanted = [item for item in golden["items"] if item["file"] == name and item["tier"] != "worked"]
    assert len(wanted) > 30
    assert [item["id"] for item in wanted if not any(covers(*card, item) for card in cards)] == []
    for entry in golden["no_card"]:
        if entry["file"] == name:
            first, last = entry["lines"]
            texts = entry.get("texts")
            assert [card for card in cards if not texts and first <= card[0] <= last] == []
            assert [card for card in cards for text in texts or () if text in card[1] + card[2]] == []


# Repeats and twins


def lines_of_pairs(pairs: Iterable[tuple[Card, Card]]) -> set[tuple[int, str, int]]:
    return {(a.place.line, a.derivation.structure if a.derivation else "", b.place.line) for a, b in pairs}


BUNDLED = Path(__file__).parents[1] / "mha_quiz" / "notes"


def test_the_bundled_notes_pair_card_for_card() -> None:
    found = read([BUNDLED])
    assert found.problems == ()
    paired = [card for pair in found.twins for card in pair]
    assert len(paired) == len(set(paired)) == len(found.cards) == 134
    assert all(one.place.line == other.place.line for one, other in found.twins)
    assert {card.language for card, _ in found.twins} != {card.language for _, card in found.twins}


@measured
def test_the_measured_pages_pair_as_read_by_a_person() -> None:
    found = read([SHARED / "seeds"])
    pairs = {(other.place.line, one.place.line) for one, other in found.twins}
    assert len(pairs) == len(found.twins) == 37
    assert {(40, 255), (72, 271), (84, 315), (109, 193), (140, 239), (3, 5), (128, 227), (126, 210)} <= pairs
    assert [problem.code for problem in found.problems].count("twin-differs") == 1


@given(st.randoms(use_true_random=False))
@settings(max_examples=15, deadline=None)
def test_order_and_gaps_make_no_wrong_pair(random: Random) -> None:
    one, other = _bundled_told()
    right = lines_of_pairs(pair_cards(one, other))
    mine, yours = list(one.cards), list(other.cards)
    random.shuffle(mine)
    random.shuffle(yours)
    shuffled = pair_cards(replace(one, cards=tuple(mine)), replace(other, cards=tuple(yours)))
    assert lines_of_pairs(shuffled) == right
    kept = tuple(card for card in mine if random.random() < 0.6)
    some = pair_cards(replace(one, cards=kept), replace(other, cards=tuple(yours)))
    assert {pair for pair in lines_of_pairs(some) if pair[1]} <= right


@cache
def _bundled_told() -> tuple[Told, Told]:
    found = read([BUNDLED])
    told = []
    for note in found.notes:
        cards = tuple(card for card in found.cards if card.place.path == note.path)
        structures = {card: card.derivation.structure for card in cards if card.derivation}
        told.append(Told(note, Path(note.path).read_text(encoding="utf-8"), cards, structures))
    return told[0], told[1]


def card(front: str, back: str) -> Card:
    return Card(Basic(front, back), Origin.FLASHCARD, Place("x.md", 1, 1), "d", (), Language.EN, (), (), None)


@pytest.mark.parametrize(
    ("front", "back", "repeats"),
    [
        ("other words here", "alpha beta gamma delta epsilon", True),  # five of ten
        ("other words here", "alpha beta gamma delta", False),
        ("yeast bread oven", "alpha beta", True),  # two of ten are too few, but the other card says both
        ("yeast bread oven", "alpha beta wrong", False),
        ("yeast bread oven", "alpha beta gamma delta wrong", True),  # four of eleven
        ("other words here", "alpha beta gamma delta wrong", False),
        ("which why kitna", "one two", False),
    ],
)
def test_when_a_card_repeats_another(front: str, back: str, repeats: bool) -> None:
    marked = card("yeast bread oven heat", "alpha beta gamma delta epsilon four five six seven eight")
    derived = card(f"How is {front}?", back)
    assert repeated([(derived, derived.content.front)], [marked]) == ({derived: marked} if repeats else {})  # type: ignore[union-attr]


def test_questions_that_name_nothing_have_nothing_in_common() -> None:
    marked, derived = card("Why so?", "alpha beta gamma four five"), card("How so?", "alpha beta gamma six seven")
    assert repeated([(derived, "How so?")], [marked]) == {}


# Whatever a note holds


PIECES = (
    *(
        "# Title",
        "## Why it works?",
        "### Step 2: Costs",
        "## Connections",
        "## Mistake 1: All is lost",
        "## Example: E",
    ),
    *("Why so?", "What is x?", "Kyun hota hai?", "It is so.", "Why? So.", "**Why now?** Then.", "Yeh kyun hai? Aise."),
    *(
        "Title is a thing.",
        "Title (TT) does it",
        "There are three kinds:",
        "Per head:",
        "Key: $n^2$",
        "where $n$ is big",
    ),
    *("$$a = b$$", "$$", "\\[c = d\\]", "- **T**: a b c", "- N — text", "- K: $k$", "1. one", "- Why? Because."),
    *(
        "> [!example] E",
        "> [!mistake] It was all lost",
        "> [!recall] R",
        "> [!question] Q?",
        "> Why this step? So.",
        ">",
    ),
    *(
        "Q :: A",
        "a ==b== c",
        "?",
        "#flashcards/x",
        "```",
        "<!--",
        "-->",
        "%%",
        "---",
        "| a | b |",
        "|---|---|",
        "    x",
    ),
    *(
        "",
        "",
        "",
        "Cold. That is why we freeze so.",
        "Thanda hai. Isliye sab so jaate hain.",
        "Why: x",
        "*",
        "**",
        "\u2028",
    ),
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=30).map("\n".join)


@given(text=TEXTS)
@example(text="\n".join(PIECES))
@settings(max_examples=150, deadline=None)
def test_no_card_from_cards_or_hidden_text(text: str) -> None:
    note = read_note(f"#flashcards\n{text}\n", "x.md", SETTINGS)
    for page in (False, True):
        found = derive(note, SETTINGS, DERIVED_KINDS, page=page)
        for each in (*found.cards, *found.repeats):
            assert each.derivation is not None
            assert isinstance(each.content, Basic)
            assert each.content.front.strip()
            assert each.content.back.strip()
            lines = {line - 1 for line in each.derivation.lines}
            assert lines
            assert lines.isdisjoint(note.taken)
            assert max(lines) < len(note.sheet.source.lines)
        fronts = [each.content.front for each in found.cards if isinstance(each.content, Basic)]
        assert len(fronts) == len(set(fronts))


def test_which_answers_begin_within_a_line() -> None:
    note = """---
lang: en
---
#flashcards

# Echo values

## Normal values

- **Ejection fraction**: > 55 % of the volume at rest
- **Left atrium**: 4. chamber of the heart
- **Charge of an electron**: - 1.6e-19 coulomb, by convention negative

## What is needed?

- air

> [!question] What is said?
> - a lot
> - more
"""
    found = derive(read_note(note, "x.md", SETTINGS), SETTINGS, DERIVED_KINDS, page=False).cards
    assert [(text_of(each)[1], each.in_line) for each in found] == [
        ("> 55 % of the volume at rest", True),
        ("4. chamber of the heart", True),
        ("- 1.6e-19 coulomb, by convention negative", True),
        ("- air", False),
        ("- a lot\n- more", False),
    ]


@given(text=TEXTS)
@settings(max_examples=75, deadline=None)
def test_hidden_text_changes_nothing_but_places(text: str) -> None:
    def told(note: str) -> list[tuple[str, str]]:
        found = derive(read_note(note, "x.md", SETTINGS), SETTINGS, DERIVED_KINDS, page=False)
        return [text_of(each) for each in found.cards]

    hidden = "<!-- Why hide it? Because. -->"
    note = f"---\nlang: en\n---\n#flashcards\n\n# Title\n\n{text}\n"
    assert told(note) == told(note.replace("# Title\n", f"# Title\n\n{hidden}\n", 1))


@pytest.mark.parametrize(
    "piece",
    [
        "## Why is it so?\n\nBecause.\n\n",
        "Why is it so?\n\n- a\n- b\n\n",
        "text. b. c. d. ",
        "$$a = b$$\n",
        "- **T**: a b c\n",
        "There are three kinds:\n\n- a\n- b\n- c\n\n",
        "Cold. That is why we freeze so.\n\n",
        "> [!mistake] It was all lost\n> Then found.\n\n",
        "Why? ",
    ],
)
def test_the_time_grows_with_the_length(piece: str) -> None:
    def seconds(count: int) -> float:
        note = read_note("#flashcards\n\n# Title\n\n" + piece * count, "x.md", SETTINGS)
        start = process_time()
        derive(note, SETTINGS, DERIVED_KINDS, page=False)
        return process_time() - start

    seconds(10)
    assert min(seconds(1000) for _ in range(3)) < 0.2 + 10 * seconds(200)


def test_a_long_run_of_dots_is_looked_at_once() -> None:
    """The square of such a length would take minutes."""
    dots = "." * 1_000_000
    assert list(sentences(f"One{dots}two{dots} Three.")) == [(0, 2_000_006), (2_000_007, 2_000_013)]
