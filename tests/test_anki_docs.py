"""docs/anki.md says what runs: its commands are run in order, in one folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = (Path(__file__).parents[1] / "docs" / "anki.md").read_text(encoding="utf-8")
NOTE = "#flashcards/bio\n\nWhat is a cell? :: The unit of life.\n\nheart ::: Herz\n"


def test_commands_print_what_the_page_shows(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "cell.md").write_text(NOTE, encoding="utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "XDG_DATA_HOME": str(tmp_path / "data")}

    consoles = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    assert len(consoles) == 3
    for console in consoles:
        shown = ""
        for command in re.findall(r"^\$ (.*)$", console, re.MULTILINE):
            done = subprocess.run(
                ["bash", "-c", command],
                check=False,
                cwd=tmp_path,
                env=environment,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            shown += f"$ {command}\n{done.stdout}"
        assert shown == console


def test_a_plan_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "cell.md").write_text(NOTE, encoding="utf-8")
    script = "from mha_quiz.cli import main; main()"
    environment = os.environ | {"XDG_DATA_HOME": str(tmp_path / "data")}

    subprocess.run([sys.executable, "-c", script, "deck", ".", "--plan"], check=True, cwd=tmp_path, env=environment)

    assert [file.name for file in tmp_path.iterdir()] == ["cell.md"]
