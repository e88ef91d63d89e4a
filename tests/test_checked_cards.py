"""No card shows a number that does not compute without a word about it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from anki.collection import Collection as AnkiCollection
from anki.collection import ImportAnkiPackageOptions, ImportAnkiPackageRequest
from click.testing import CliRunner

from cards.collection import Collection, read
from cards.identity import identify
from cards.known import scope_of
from cards.lock import Lock
from cards.model import Origin
from cards.settings import Settings
from decks.build import plan
from mha_quiz import claims
from mha_quiz.checked_cards import checked, may_claim
from mha_quiz.claims import Verdict, check
from mha_quiz.cli import main

DATA = Path(__file__).parent / "data" / "claims"
SHARED = Path(__file__).parents[2] / "shared"
NOTE = """---
lang: en
---
#flashcards/ai

How wide is a head? :: $d_k = 768/12 = 54$

How many heads are there? :: $h = 12$

Half a layer :::: no card

The width of each is 512/8 = ==60== here.
"""
HINGLISH = """---
lang: hinglish
---
#flashcards/ai

512/8 kitna hota hai? :: Har head ka size 512/8 = 60 hota hai
"""


def cards_of(folder: Path, text: str = NOTE) -> Collection:
    folder.mkdir(exist_ok=True)
    (folder / "note.md").write_text(text, encoding="utf-8")
    (folder / "other.md").write_text(HINGLISH, encoding="utf-8")
    return checked(read([folder]))


def warnings(collection: Collection) -> list[tuple[str, ...]]:
    return [card.warnings for card in collection.cards]


def test_each_kind_of_card_tells_what_the_note_says_and_what_is_right(tmp_path: Path) -> None:
    assert warnings(cards_of(tmp_path)) == [
        ("The note says $d_k = 768/12 = 54$; computed: `64`",),
        (),
        ("The note says `512/8 = 60`; computed: `64`",),
        ("Note mein likha hai `512/8 = 60`; hisaab se: `64`",),
    ]


def test_a_formula_that_is_right_is_shown_as_one(tmp_path: Path) -> None:
    text = "---\nlang: en\n---\n#flashcards\n\nScaled? :: $softmax(\\frac{QK^T}{d_k})V$\n"
    ((told,), _) = warnings(cards_of(tmp_path, text))
    assert told.endswith("; computed: $\\frac{QK^T}{\\sqrt{d_k}}$")


def test_the_same_signs_elsewhere_in_the_note_are_not_doubted(tmp_path: Path) -> None:
    right = "How large are {}? :: They have $3 d_{{model}}^2$ weights."
    wrong = "How large is it? :: Multi-head attention has $3 d_{model}^2$ parameters in total."
    cards = "\n\n".join([right.format("W_Q, W_K and W_V"), wrong, right.format("three of its matrices")])

    before, doubted, after, _ = warnings(cards_of(tmp_path, f"---\nlang: en\n---\n#flashcards\n\n{cards}\n"))

    assert (before, len(doubted), after) == ((), 1, ())


def test_what_holds_under_a_condition_is_not_doubted(tmp_path: Path) -> None:
    text = "#flashcards\n\nHow many parameters? :: $3 d_{model}^2 + d_{model}^2 = 4 d_{model}^2$ parameters\n"

    assert [claim.verdict for claim in check(text, "note.md", Settings(), page=False)] == [Verdict.HOLDS_IF]
    assert warnings(cards_of(tmp_path, text))[0] == ()


def test_a_derived_card_with_such_a_number_is_left_out(tmp_path: Path) -> None:
    fronts = []
    for right in ("64", "60"):
        text = f"#flashcards\n\n# Widths\n\nWhat is the width?\n\nIt is 512/8 = {right}.\n\nQ :: A\n"
        (tmp_path / "note.md").write_text(text, encoding="utf-8")
        fronts.append([card.origin for card in checked(read([tmp_path], derived=True)).cards])

    assert fronts == [[Origin.DERIVED, Origin.FLASHCARD], [Origin.FLASHCARD]]


def test_identity_does_not_see_the_warnings(tmp_path: Path) -> None:
    with_warnings = cards_of(tmp_path)
    without = read([tmp_path])
    scope = scope_of(tmp_path, [tmp_path / "note.md", tmp_path / "other.md"])

    known = [
        identify(found.cards, Lock(), now=1, fingerprint=lambda card: "", scope=scope)
        for found in (with_warnings, without)
    ]

    assert known[0].lock == known[1].lock
    assert [it.card._replace(warnings=()) for it in known[0].cards] == [it.card for it in known[1].cards]


def test_in_anki_only_the_cards_with_a_warning_are_updated(tmp_path: Path) -> None:
    scope = scope_of(tmp_path, [tmp_path / "note.md", tmp_path / "other.md"])
    with_warnings = cards_of(tmp_path)
    before = plan(read([tmp_path]).cards, Lock(), scope=scope, now=1_760_000_000)

    after = plan(with_warnings.cards, before.lock, scope=scope, now=1_760_000_060)

    assert (len(after.built.changes.edited), len(after.built.changes.unchanged)) == (3, 1)
    assert [note.changed for note in after.notes] == [1_760_000_060, 1_760_000_000, 1_760_000_060, 1_760_000_060]


def run(*arguments: str, typed: str | None = None) -> str:
    return CliRunner().invoke(main, arguments, input=typed).stdout


def test_the_learner_sees_it_on_the_back_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    cards_of(tmp_path)
    formula = "\\(d_k = 768/12 = 54\\)"

    told = run("deck", ".", "-o", "ai.apkg", "--no-numbers")
    collection = AnkiCollection(str(tmp_path / "collection.anki2"))
    request = ImportAnkiPackageRequest(package_path="ai.apkg", options=ImportAnkiPackageOptions())
    collection.import_anki_package(request)
    collection.models._clear_cache()
    (id_,) = collection.find_cards('"Front:How wide*"')
    warning = f'<div class="side warning" dir="auto">The note says {formula}; computed: <code>64</code></div>'
    assert warning in collection.get_card(id_).answer()
    assert "warning" not in collection.get_card(id_).question().rpartition("</style>")[2]
    (id_,) = collection.find_cards('"Text:The width*"')
    assert "The note says <code>512/8 = 60</code>" in collection.get_card(id_).answer()
    assert "The note says" not in collection.get_card(id_).question()
    collection.close()
    assert "3 cards with a number that does not compute, which `mha-quiz check` of the same notes tells\n" in told

    run("preview", ".", "-o", "ai.html", "--no-numbers")
    assert (tmp_path / "ai.html").read_text(encoding="utf-8").count('<div class="side warning" dir="auto">') == 3
    listed = json.loads(run("cards", ".", "--json"))["cards"]
    assert [card.get("warnings") for card in listed][:2] == [
        ["The note says $d_k = 768/12 = 54$; computed: `64`"],
        None,
    ]
    assert "  ! The note says `512/8 = 60`; computed: `64`\n" in run("cards", ".")
    shown = run("review", ".", "--no-numbers", typed=" \n3\n \n3\n \n3\n \n3\n")
    assert shown.count("\n! The note says dₖ = 768/12 = 54; computed: 64\n") == 1
    assert shown.count("\n! Note mein likha hai 512/8 = 60; hisaab se: 64\n") == 1


def loaded(folder: Path, command: str) -> set[str]:
    """The modules that a command loaded."""
    script = "import sys\ntry:\n    from mha_quiz.cli import main; main()\nfinally:\n    print(*sys.modules)"
    environment = os.environ | {"XDG_DATA_HOME": str(folder / "data"), "XDG_CACHE_HOME": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", script, *command.split()],
        check=False,
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
    )
    return set(done.stdout.split("\n")[-2].split())


@pytest.mark.parametrize(
    "text",
    [
        "#flashcards\n\nHow many chromosomes has a human? :: 46\n",
        "#flashcards\n\nWhat is the result? :: A zygote\n\nThere are 46 chromosomes.\n",
        "#flashcards\n\nWhat is force? :: mass times acceleration\n\n$1 + 1 = 3$ stands on no card.\n",
    ],
)
def test_ordinary_notes_load_nothing_that_computes(tmp_path: Path, text: str) -> None:
    (tmp_path / "note.md").write_text(text, encoding="utf-8")

    assert loaded(tmp_path, "deck note.md -o a.apkg") & {"numpy", "mha_quiz.claims"} == set()


def test_what_was_computed_is_remembered(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text(NOTE, encoding="utf-8")

    first, second = (loaded(tmp_path, "deck note.md -o a.apkg") for _ in range(2))
    assert ("mha_quiz.claims" in first, "mha_quiz.claims" in second) == (True, False)

    loaded(tmp_path, "check note.md")
    (tmp_path / "a.apkg").unlink()
    assert "mha_quiz.claims" not in loaded(tmp_path, "deck note.md -o a.apkg"), "a check makes no deck forget"


def test_check_computes_again_only_what_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("a.md", "b.md"):
        Path(name).write_text(f"#flashcards\n\nHow wide? :: {name} says $512/8 = 60$\n", encoding="utf-8")
    told = run("check", ".", "--json")
    Path("b.md").write_text("#flashcards\n\nHow wide? :: $512/8 = 61$\n", encoding="utf-8")
    computed: list[str] = []

    def watched(text: str, path: str, settings: Settings, *, page: bool) -> tuple[claims.Claim, ...]:
        computed.append(path)
        return check(text, path, settings, page=page)

    monkeypatch.setattr(claims, "check", watched)
    again = run("check", ".", "--json")
    assert computed == ["b.md"]
    assert json.loads(again)["claims"][0] == json.loads(told)["claims"][0]
    assert json.loads(again)["claims"][1]["text"] == "$512/8 = 61$"


HARMLESS = r"""
Heads :: $h = 8$ heads, each of $d_k = 60$

Shape :: $W_{3}^Q \in \mathbb{R}^{d \times d_k}$ has the shape of $Q_{h}^{T} \in \mathbb{R}^{h \times h}$

Why 8? :: The output of **softmax** keeps its gradient, a score and its weight of 512 dimensions

- $d_{model} = 512$

Why is score 7 divided by $\sqrt{d_k}$? Each of 8 scores is divided by √d_k.
"""


def test_what_only_gives_a_name_its_number_or_shape_needs_no_check() -> None:
    assert not may_claim(HARMLESS)
    assert {claim.verdict for claim in check(HARMLESS, "note.md", Settings(), page=False)} <= {Verdict.HOLDS}


@pytest.mark.parametrize(
    "text",
    [
        "#flashcards\n\nQ :: Two of width 32: 2 × $d = 32$\n\n$d = 64$\n",
        "#flashcards\n\nQ :: $h = 8$ × 64 $= 500$\n",
        "#flashcards\n\nQ :: The output is 8 x 64, of the shape $X \\in \\mathbb{R}^{8 \\times 32}$\n",
        "#flashcards\n\nQ :: The softmax weights of a row are 0.5, 0.4 and 0.3\n",
        "#flashcards\n\nQ :: The rows of a softmax sum to 2\n",
        "#flashcards\n\nQ :: The 8 scores are divided by $d_k$.\n",
        "#flashcards\n\nQ :: 512 divided by $\\sqrt{d_k}$ is 60, with $d_k = 64$\n",
        "#flashcards\n\nQ :: $softmax(Q K^T / d_k) V$ for 8 heads\n",
        "#flashcards\n\nQ :: The whole layer of 4 matrices: $3 d_{model}^2$ parameters\n",
    ],
)
def test_what_may_fail_is_checked(text: str) -> None:
    assert may_claim(text)


def failing_notes() -> list[str]:
    table = (DATA / "wrong.md").read_text(encoding="utf-8")
    return re.findall(r"~~~ note\n(.*?)\n~~~\n", table, re.DOTALL)


def test_no_note_with_a_failing_claim_is_passed_over() -> None:
    notes = failing_notes()
    if (SHARED / "cases" / "claims.json").exists():
        cases = json.loads((SHARED / "cases" / "claims.json").read_text("utf-8"))
        failing = [case for case in cases if any(claim["verdict"] == "fails" for claim in case["claims"])]
        notes += [text for case in failing for text in case["files"].values()]

    assert len(notes) > 60
    assert [note for note in notes if not may_claim(note)] == []


def test_no_paragraph_that_fails_alone_is_passed_over() -> None:
    paragraphs = [part for note in failing_notes() for part in re.split(r"\n\s*\n", note)]
    failing = [
        part
        for part in paragraphs
        if any(claim.verdict is Verdict.FAILS for claim in check(part, "note.md", Settings(), page=False))
    ]

    assert len(failing) > 150
    assert [part for part in failing if not may_claim(part)] == []
