"""`deck --lang` in a real Anki: what a learner finds there in one language and in both, also after a change of mind."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest
from click.testing import CliRunner

from mha_quiz.cli import main

ENGLISH = (
    "#flashcards/optics\n\nWhat does a convex lens do? :: It makes rays meet.\n\nWhat is a prism? :: A glass wedge\n"
)
HINGLISH = (
    "---\nlang: hinglish\nderived: true\n---\n#flashcards/optics\n\n"
    "Convex lens kya karta hai? :: Rays ko milata hai.\n\nEyeball mein retina kahan hai? :: Peeche\n\n"
    "Aasman neela kyun dikhta hai? Hawa blue light ko sabse zyada scatter karti hai.\n"
)


@pytest.fixture
def anki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Collection]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "lens.md").write_text(ENGLISH, encoding="utf-8")
    (tmp_path / "notes" / "lens.hinglish.md").write_text(HINGLISH, encoding="utf-8")
    collection = Collection(str(tmp_path / "collection.anki2"))
    yield collection
    collection.close()


def found(anki: Collection, lang: str) -> dict[str, tuple[str, str]]:
    """The notes in Anki after a build in this language: by the front, the second front and the deck."""
    built = CliRunner().invoke(main, ["deck", "notes", "-o", "optics.apkg", "--lang", lang])
    assert built.exit_code == 0, built.output
    options = ImportAnkiPackageOptions(merge_notetypes=True)
    anki.import_anki_package(ImportAnkiPackageRequest(package_path="optics.apkg", options=options))
    notes = [anki.get_note(id_) for id_ in anki.find_notes("-tag:mha-quiz::removed")]
    return {note["Front"]: (note["Front (second language)"], anki.decks.name(note.cards()[0].did)) for note in notes}


def test_one_language(anki: Collection) -> None:
    assert found(anki, "en") == {
        "What does a convex lens do?": ("", "optics"),
        "What is a prism?": ("", "optics"),
    }


def test_both_languages_and_cards_without_a_twin(anki: Collection) -> None:
    both = found(anki, "both")
    assert both == {
        "What does a convex lens do?": ("Convex lens kya karta hai?", "optics"),
        "What is a prism?": ("", "optics"),
        "Eyeball mein retina kahan hai?": ("", "optics"),
        "Aasman neela kyun dikhta hai?": ("", "optics::From the notes"),
    }


def test_a_change_of_mind_keeps_the_history(anki: Collection) -> None:
    found(anki, "hinglish")
    (id_,) = anki.find_cards('"front:Convex lens kya karta hai?"')
    anki.sched.set_due_date([id_], "7")
    anki.db.execute("update cards set reps = 3 where id = ?", id_)
    for lang, front in (("en", "What does a convex lens do?"), ("both", "What does a convex lens do?")):
        assert front in found(anki, lang)
        assert [anki.get_card(card).reps for card in anki.find_cards(f'"front:{front}"')] == [3]


@pytest.mark.parametrize(
    ("name", "left"), [("lens.md", "Convex lens kya karta hai?"), ("lens.hinglish.md", "What does a convex lens do?")]
)
def test_a_note_that_is_taken_away_and_comes_back_costs_no_history(anki: Collection, name: str, left: str) -> None:
    before = found(anki, "both")
    anki.db.execute("update cards set reps = 3")
    file = Path("notes", name)
    text = file.read_text(encoding="utf-8")
    file.unlink()
    assert found(anki, "both")[left] == ("", "optics")
    file.write_text(text, encoding="utf-8")
    after = found(anki, "both")
    assert {frozenset((front, second)) for front, (second, _) in after.items()} == {
        frozenset((front, second)) for front, (second, _) in before.items()
    }
    assert {anki.get_card(card).reps for card in anki.find_cards("")} == {3}
