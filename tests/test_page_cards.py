"""Pasted pages read as notes: the cards they give, where those stand, and that nothing is lost or made up."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cards import formulas, pasted
from cards.collection import Collection, read
from cards.flashcards import read_note
from cards.model import Basic, Card, Cloze, Deletion
from cards.page_blocks import paragraphs, separates
from cards.settings import Settings

PAGES = Path(__file__).parent / "data" / "pages"
SHARED = Path(__file__).parents[2] / "shared"
DEFAULTS = Settings()


def shown(card: Card) -> str:
    match card.content:
        case Basic(front, back):
            return f"{front} :: {back}"
        case Cloze(pieces):
            return "".join(f"[{p.answer}]" if isinstance(p, Deletion) else p for p in pieces)
    raise AssertionError(card)


def told(collection: Collection) -> list[str]:
    return [f"{problem.place.line}:{problem.place.column} {problem.code}" for problem in collection.problems]


def test_a_flattened_page() -> None:
    collection = read([PAGES / "heads.txt"], derived=False)
    assert [(f"{c.place.line}:{c.place.column}", shown(c)) for c in collection.cards] == [
        (
            "20:1",
            "Agar width $d_{\\text{model}} = 256$ aur heads $h = 4$ hain, toh ek head kitna chauda hai? :: $d_{k} = 64$",
        ),
        (
            "32:1",
            "Masked score ko softmax ke baad kya weight milta hai? :: $0$, kyunki $e^{-\\infty} = 0$ hota hai.",
        ),
        ("42:1", "Concatenation ke baad shape kya hai? :: $[n, d_{\\text{model}}]$"),
        ("46:1", "Softmax se pehle scaling kyun? :: Variance $d_{k}$ ke saath badhta hai."),
        (
            "54:1",
            "Kya order matter karta hai? :: Bina positional encoding ke nahi: attention permutation-equivariant hai!",
        ),
    ]
    assert {(card.origin.value, card.language.value) for card in collection.cards} == {("reconstructed", "hinglish")}
    assert {(card.deck, card.tags, card.heading[0]) for card in collection.cards} == {
        ("dl", (), "Kai heads kyun — Hinglish notes")
    }
    assert told(collection) == ["20:1 reconstructed"]


def test_a_page_with_bullets() -> None:
    collection = read([PAGES / "lens.txt"], derived=False)
    assert [(f"{c.place.line}:{c.place.column}", c.origin.value) for c in collection.cards] == [
        ("46:1", "reconstructed"),
        ("66:1", "flashcard"),
        ("68:1", "reconstructed"),
        ("80:1", "reconstructed"),
        ("88:1", "reconstructed"),
        ("92:1", "reconstructed"),
        ("100:1", "reconstructed"),
        ("109:1", "reconstructed"),
    ]
    cloze, marked, *_, kinds, _ = collection.cards
    assert shown(cloze) == (
        "Step 1 — Solve for the image: $\\frac{1}{b} = \\frac{1}{10} - \\frac{1}{30} =$ [$\\frac{1}{15}$]"
    )
    assert shown(kinds) == (
        "Which two kinds of thin lenses are there? :: There are two:\n- converging lenses, thicker in the middle\n"
        "- diverging lenses, thinner in the middle\n\nBoth have two foci."
    )
    assert {(card.deck, card.tags) for card in collection.cards} == {("physics::optics", ("exam",))}
    assert marked.language.value == "en"
    assert told(collection) == ["46:74 reconstructed", "68:1 reconstructed"]


def test_a_mended_highlight_in_a_paragraph_of_several_lines(tmp_path: Path) -> None:
    page = tmp_path / "page.txt"
    page.write_text(
        "Bees\n\n• hum\n\nTip 1\n\nTheir legs are\n$3 + 3 ==6==$\nand more.\n\n#flashcards\n", encoding="utf-8"
    )
    (card,) = read([page]).cards
    assert (card.place.line, card.origin.value, shown(card)) == (
        7,
        "reconstructed",
        "Their legs are\n$3 + 3 =$ [$6$]\nand more.",
    )


@pytest.mark.parametrize("path", sorted(PAGES.glob("*.txt")), ids=lambda path: path.stem)
def test_the_tidied_page_gives_the_same_cards(path: Path, tmp_path: Path) -> None:
    note = tmp_path / f"{path.stem}.md"
    note.write_bytes(pasted.tidy(path.read_text(encoding="utf-8"), path.name, DEFAULTS).markdown.encode())
    page, tidied = read([path]), read([note])
    assert [(c.content, c.deck, c.tags, c.language) for c in page.cards] == [
        (c.content, c.deck, c.tags, c.language) for c in tidied.cards
    ]
    assert {card.origin.value for card in tidied.cards if card.derivation is None} == {"flashcard"}
    assert tidied.problems == ()


VOCABULARY = (
    "bee Hive hum wax. why? kya hai :: ::: ? ?? # > - 1. • ◦ $ == d_{max} \\frac{a}{b} n = 2 ∣ _ ^ { } * < & | \\ é ⏳ "
    "Step 1: Connections Recall Definition with › #flashcards/x #flashcards"
)
OPENERS = "` `` $4 4$ %% \\( \\) [[ ]] <!-- --> <b> ~~~ https://x"
MARKS = ("::", ":::", "?", "??", "==", "why?")


def test_schedules_that_the_plugin_wrote_below_cards_stay(tmp_path: Path) -> None:
    path, note = PAGES / "waggle.txt", tmp_path / "waggle.md"
    note.write_text(pasted.tidy(path.read_text(encoding="utf-8"), path.name, DEFAULTS).markdown, encoding="utf-8")
    cards = [[card for card in read([it]).cards if card.derivation is None] for it in (path, note)]
    due = [[str(schedule.due) for card in found for schedule in card.schedule] for found in cards]
    assert due[0] == due[1] == [f"2031-03-0{day}" for day in range(3, 10)] + ["2031-03-10"]


def pages(words: list[str]) -> st.SearchStrategy[str]:
    lines = st.lists(st.sampled_from(words), max_size=6).map(" ".join)
    return st.lists(lines, max_size=20).map("\n".join)


ANY = pages(VOCABULARY.split())
HIDING = pages([*VOCABULARY.split(), *OPENERS.split()])
UNMARKED = pages([word for word in VOCABULARY.split() if word not in MARKS])


@settings(deadline=None)
@given(ANY)
def test_reading_and_tidying_agree(text: str) -> None:
    page = read_note(pasted.convert(text, "x.txt", DEFAULTS).markdown, "x.txt", DEFAULTS)
    tidied = read_note(pasted.tidy(text, "x.txt", DEFAULTS).markdown, "x.txt", DEFAULTS)
    assert [(c.content, c.deck, c.language) for c in page.cards] == [
        (c.content, c.deck, c.language) for c in tidied.cards
    ]


@settings(deadline=None)
@given(UNMARKED)
@example("bee\n# {\nbee _")  # `# {` is a line of a formula
@example("bee\n{\n# bee")  # `# bee` is a line of code
def test_nothing_is_made_up(text: str) -> None:
    page = pasted.convert(text, "x.txt", DEFAULTS)
    note = read_note(page.markdown, "x.txt", DEFAULTS, everything=True)
    assert note.cards == ()
    bare = re.sub(r"^(\$\$|```)\n.*?^\1$", "", page.markdown, flags=re.MULTILINE | re.DOTALL)
    written = [line for line in bare.split("\n") if re.match(r"#{1,3} ", line)]
    assert len(note.note.headings) == len(written)


@settings(deadline=None)
@given(ANY)
@example(":: -")  # no rule of a table
@example(":: ==\nbee")  # no formula over two lines
def test_no_separator_is_lost(text: str) -> None:
    page = pasted.convert(text, "x.txt", DEFAULTS)
    note = read_note(page.markdown, "x.txt", DEFAULTS, everything=True)
    places = [card.place for card in note.cards] + [problem.place for problem in note.problems]
    found = {page.original(place.line, place.column)[0] for place in places}
    found |= {problem.place.line for problem in page.problems}
    assert {row.number for paragraph in paragraphs(text) for row in paragraph if separates(row.text, DEFAULTS)} <= found


@settings(deadline=None)
@given(HIDING)
@example("why?\nbee\n- bee")
@example("- ?\nbee\nbee")  # no question
@example("[[ why?\n]]")  # no link
def test_a_card_put_together_is_read_as_one(text: str) -> None:
    page = pasted.convert("Bees\n\nThe Hive\n\n#flashcards\n\n" + text, "x.txt", DEFAULTS)
    note = read_note(page.markdown, "x.txt", DEFAULTS, everything=True)
    assert page.reconstructed <= {card.place.line for card in note.cards}


# The pages the grammar was measured on


def folded(text: str) -> str:
    """A text with each formula in one spelling."""
    parts, start = [], 0
    for found in formulas.find(text):
        parts += [text[start : found.start], f"${formulas.normalised(text[found.start : found.end])}$"]
        start = found.end
    return " ".join("".join([*parts, text[start:]]).split())


@pytest.mark.skipif(not SHARED.is_dir(), reason="the measured pages do not ship with the project")
def test_measured_pages() -> None:
    collection = read([SHARED / "seeds"], derived=False)
    keys = ("kind", "origin", "deck", "language", "line")
    wanted = [
        (entry["file"], *(entry[key] for key in keys), folded(entry["front"]), folded(entry["back"]))
        for entry in json.loads((SHARED / "golden" / "seeds.json").read_text(encoding="utf-8"))
    ]
    found = []
    clozes = []
    for card in collection.cards:
        match card.content:
            case Basic(front, back):
                where = (Path(card.place.path).name, "basic", card.origin.value, card.deck, card.language.value)
                found.append((*where, card.place.line, folded(front), folded(back)))
            case _:
                clozes.append((Path(card.place.path).name[:3], card.place.line, card.origin.value, shown(card)))
    assert sorted(found) == sorted(wanted)
    assert clozes == [
        ("000", 193, "reconstructed",
         "Total: $3 d_{\\text{model}}^{2} + d_{\\text{model}}^{2} =$ [$4 d_{\\text{model}}^2$] parameters"),
        ("001", 109, "reconstructed", "Total: $3 d_{\\text{model}}^2 + d_{\\text{model}}^2 =$ [$4 d_{\\text{model}}^2$] parameters"),
    ]  # fmt: skip
    again = "put together again"
    assert [(Path(p.place.path).name[:3], p.place.line, p.code, again in p.message) for p in collection.problems] == [
        ("000", 57, "twin-differs", False),
        ("000", 193, "reconstructed", True),
        ("000", 241, "reconstructed", True),
        ("001", 109, "reconstructed", True),
    ]
