"""The keys that the page for scripts promises are those that the commands print."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from mha_quiz.cli import main

PAGE = (Path(__file__).parents[1] / "docs" / "scripts.md").read_text(encoding="utf-8")
NOTE = (
    "#flashcards/bio #plants\n\nHow many? :: $512/8 = 60$ <!--SR:!2026-01-05,4,250-->\n\n"
    "Bad ::\n\nThe ==cat==^[animal] sat.\n"
)


def promised(title: str) -> list[str]:
    """The keys of the table below the heading."""
    section = re.split(r"^#{2,3} ", PAGE.split(f"# {title}\n")[1], flags=re.MULTILINE)[0]
    rows = [row.split(" | ")[0] for row in section.split("\n") if row.startswith("| `")]
    return [key for row in rows for key in re.findall(r"`(\w+)`", row)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "a.md").write_text(NOTE, encoding="utf-8")
    return tmp_path


def printed(command: str, *texts: str) -> object:
    result = CliRunner().invoke(main, [*command.split(), *texts, "--json"])
    assert result.exit_code in (0, 1)
    return json.loads(result.stdout)


def test_cards_and_problems(folder: Path) -> None:
    match printed("cards a.md"):
        case {"cards": [warned, cloze], "problems": [problem], **others}:
            assert list(warned) == promised("A card")
            assert list(cloze) == [key for key in promised("A card") if key != "warnings"]
            assert list(problem) == promised("A problem")
            assert not others
        case other:
            pytest.fail(str(other))


def test_claims(folder: Path) -> None:
    match printed("check a.md"):
        case {"problems": [*problems], "claims": [claim], **others}:
            assert {problem["code"] for problem in problems} == {"no-back", "false-claim"}
            assert list(claim) == promised("A claim")
            assert not others
        case other:
            pytest.fail(str(other))


@pytest.mark.parametrize(
    ("command", "texts", "title"),
    [
        ("deck a.md -o a.apkg", (), "mha-quiz deck"),
        ("question draw B1 --seed 1", (), "mha-quiz question draw"),
        ("question grade B1 --seed 1", ("7",), "mha-quiz question grade"),
        ("question grade B1 --seed 1", ("what?",), "mha-quiz question grade"),
        ("question read", ("1/3",), "mha-quiz question read"),
        ("question read", ("what?",), "mha-quiz question read"),
        ("due", (), "mha-quiz due"),
        ("stats", (), "mha-quiz stats"),
    ],
)
def test_objects(folder: Path, command: str, texts: tuple[str, ...], title: str) -> None:
    match printed(command, *texts):
        case {**keys}:
            assert list(keys) == promised(title)
        case other:
            pytest.fail(str(other))


def test_families(folder: Path) -> None:
    match printed("question list"):
        case [*families]:
            assert {tuple(family) for family in families} == {tuple(promised("mha-quiz question list"))}
        case other:
            pytest.fail(str(other))
