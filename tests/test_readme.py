"""The README says what runs: each of its examples is run here, in order, in one folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
NOTE = re.search(r"Save this as `(?P<name>[^`]+)`:\n\n```markdown\n(?P<text>.*?)```", README, re.DOTALL)
CONSOLES = re.findall(r"```console\n(.*?)```", README, re.DOTALL)


def shown(commands: list[str], folder: Path) -> str:
    """What a terminal shows of these commands, prompts included."""
    environ = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "XDG_DATA_HOME": str(folder / "data"),
    }
    lines = ""
    for command in commands:
        done = subprocess.run(
            ["bash", "-c", command],
            check=False,
            cwd=folder,
            env=environ,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        lines += f"$ {command}\n{done.stdout}"
    return lines


def test_examples_print_what_the_readme_shows(tmp_path: Path) -> None:
    assert NOTE is not None
    (tmp_path / NOTE["name"]).write_text(NOTE["text"], encoding="utf-8")

    assert CONSOLES
    for console in CONSOLES:
        commands = [line.removeprefix("$ ") for line in console.split("\n") if line.startswith("$ ")]
        assert shown(commands, tmp_path) == console


def test_make_builds_the_deck_that_it_names(tmp_path: Path) -> None:
    """`make deck` without the setting up: the command of its recipe."""
    recipe = re.search(r"^deck: .*\n\t(?:\.venv/bin/)(?P<command>.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert recipe is not None
    assert "make deck" in README
    assert "make test" in README

    told = shown([recipe["command"]], tmp_path)
    assert f"{recipe['command'].split()[-1]}: " in told
    assert (tmp_path / recipe["command"].split()[-1]).exists()


def test_a_short_readme() -> None:
    assert README.count("\n") < 120
