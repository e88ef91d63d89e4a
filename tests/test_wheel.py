"""The wheel that people install works alone, also where the user has folders named like our packages."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


def test_wheel_holds_all_rooms_and_their_data(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    shipped = {
        path.relative_to(ROOT).as_posix()
        for room in ("cards", "decks", "mha_quiz")
        for path in (ROOT / room).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert shipped <= set(names)
    assert {"cards/py.typed", "decks/py.typed", "mha_quiz/py.typed"} <= shipped  # type checkers see our types
    assert {name.split("/")[0] for name in names} == {"cards", "decks", "mha_quiz", "mha_quiz-0.1.0.dist-info"}


def test_installed_alone_beside_a_folder_named_cards(wheel: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, cwd=tmp_path)
    here = tmp_path / "elsewhere"
    (here / "cards").mkdir(parents=True)
    (here / "cards" / "__init__.py").write_text("raise SystemExit('the wrong cards')\n")
    command = tmp_path / "venv" / "bin" / "mha-quiz"

    assert run(command, "--version", cwd=here).stdout == "mha-quiz 0.1.0\n"
    assert run(python, "-m", "mha_quiz", "--version", cwd=tmp_path).stdout == "python -m mha_quiz 0.1.0\n"
    built = run(command, "deck", "-o", "deck.apkg", cwd=here)
    assert "deck.apkg" in built.stdout
    assert {"collection.anki2", "media"} <= set(zipfile.ZipFile(here / "deck.apkg").namelist())
