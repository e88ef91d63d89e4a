"""How long `mha-quiz deck` takes from notes to package, each time as a whole process: the first build and those after
it, many cards, many decks, a watch; and ankivalenz on the same cards where it is installed.

    python benchmarks/builds.py [--cards 10000] [--runs 3] [--ankivalenz PATH-OF-ITS-COMMAND]

Run it alone on the machine. Prints the best of the runs: wall seconds, seconds of the processor, and the most memory
that the process held. The quotients are of processor seconds, which other work on the machine disturbs least.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

NOTES = 20


@dataclass(frozen=True)
class Took:
    wall: float
    cpu: float
    megabytes: float


def card(number: int) -> tuple[str, str]:
    """Front and back, nearly all with mathematics, some with bold words or code."""
    shape = f"$W_{{{number}}}^Q \\in \\mathbb{{R}}^{{d \\times d_k}}$"
    match number % 6:
        case 0:
            return (
                f"What is the shape of {shape} in layer {number}?",
                f"It grows like $\\frac{{n^2}}{{{number % 97}}}$.",
            )
        case 1:
            return f"Why is score {number} divided by $\\sqrt{{d_k}}$?", "So that **softmax** keeps its gradient."
        case 2:
            return f"Which call gives output {number}?", f"`attention(q, k, v)` with {shape}"
        case 3:
            return f"query {number}", f"what token $t_{{{number}}}$ looks for"
        case 4:
            return (
                f"How many heads has model {number}?",
                f"$h = {number % 31 + 1}$ heads, each of $d_k = {number % 64}$",
            )
        case _:
            return f"What does mask {number} hide?", f"The tokens *behind* position $i = {number}$."


def write_notes(folder: Path, cards: int, decks: int = NOTES) -> None:
    """One note a deck, and as many cards in all."""
    folder.mkdir()
    for note in range(decks):
        lines = [f"#flashcards/deck{note}", "", f"# Note {note}", ""]
        for at in range(note * cards // decks, (note + 1) * cards // decks):
            if at % 25 == 0:
                lines += [f"## Section {at // 25}", ""]
            lines += [" :: ".join(card(at)), ""]
        (folder / f"note{note:04}.md").write_text("\n".join(lines), "utf-8")


def write_for_ankivalenz(folder: Path, cards: int) -> None:
    """The same cards in its notation: items of a list."""
    folder.mkdir()
    (folder / "ankivalenz.json").write_text('{"deck_name": "Bench", "deck_id": 1234567890}', "utf-8")
    for note in range(NOTES):
        lines = [f"# Note {note}", ""]
        for at in range(note * cards // NOTES, (note + 1) * cards // NOTES):
            lines.append("- " + " :: ".join(card(at)))
        (folder / f"note{note:04}.md").write_text("\n".join(lines), "utf-8")


def environment(folder: Path) -> dict[str, str]:
    """The user's own, but for the folders; compiled modules are kept, as for every user."""
    ours = os.environ | {"XDG_CACHE_HOME": str(folder / "cache"), "XDG_DATA_HOME": str(folder / "data")}
    return {name: value for name, value in ours.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run(command: Sequence[str], folder: Path) -> Took:
    """One process from start to end, its own figures."""
    with (folder / "told.txt").open("w+") as told:
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, env=environment(folder), stdout=told, stderr=told)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        told.seek(0)
        if process.returncode:
            sys.exit(f"{command} ended with {process.returncode}: {told.read()[-500:]}")
    return Took(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def show(name: str, runs: Sequence[Took]) -> float:
    best = min(runs, key=lambda took: took.cpu)
    wall = min(took.wall for took in runs)
    memory = max(took.megabytes for took in runs)
    print(f"{name:36} {wall:7.2f} s, processor {best.cpu:6.2f} s, {memory:5.0f} MB", flush=True)
    return best.cpu


def first_builds(folder: Path, runs: int, notes: str = "notes") -> list[Took]:
    """Builds of a deck that was never built, with nothing remembered."""
    took = []
    for _ in range(runs):
        for left in ("cache", "data"):
            shutil.rmtree(folder / left, ignore_errors=True)
        (folder / notes / "cards.lock").unlink(missing_ok=True)
        took.append(run(deck(notes), folder))
    return took


def deck(notes: str) -> list[str]:
    return [str(Path(sys.executable).with_name("mha-quiz")), "deck", notes, "-o", f"{notes}.apkg"]


def edited(folder: Path, number: int) -> None:
    note = folder / "notes" / "note0003.md"
    text = note.read_text("utf-8")
    note.write_text(text.replace(":: It grows", f":: It now ({number}) grows", 1), "utf-8")


def watched(folder: Path, runs: int) -> list[float]:
    """Wall seconds from a save to the line that the deck is built again, the wait for a quiet moment included."""
    took = []
    process = subprocess.Popen(
        [*deck("notes"), "--watch"], cwd=folder, env=environment(folder), stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    note = folder / "notes" / "note0005.md"
    for _ in range(runs + 1):
        start = time.perf_counter()
        while not process.stdout.readline().startswith("Waiting"):
            pass
        took.append(time.perf_counter() - start)
        note.touch()
    process.kill()
    process.wait()
    process.stdout.close()
    return took[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cards", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--ankivalenz", default=shutil.which("ankivalenz"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_notes(folder / "notes", options.cards)
        full = show(f"first build of {options.cards} cards", first_builds(folder, options.runs))
        show("again, nothing changed", [run(deck("notes"), folder) for _ in range(options.runs)])
        edits = []
        for number in range(options.runs):
            edited(folder, number)
            edits.append(run(deck("notes"), folder))
        print(f"{'':36} {show('again, one card edited', edits) / full:7.2f} of the first build")
        print(f"{'watch: from a save to the deck':36} {min(watched(folder, options.runs)):7.2f} s")
        write_notes(folder / "tenfold", 10 * options.cards)
        tenfold = show(f"first build of {10 * options.cards} cards", first_builds(folder, 1, "tenfold"))
        print(f"{'':36} {tenfold / full:7.2f} times the tenth")
        show("again, nothing changed", [run(deck("tenfold"), folder)])
        for decks in (10, 1000):
            write_notes(folder / f"decks{decks}", options.cards, decks)
            show(f"first build with {decks} decks", first_builds(folder, options.runs, f"decks{decks}"))
        if options.ankivalenz:
            write_for_ankivalenz(folder / "theirs", options.cards)
            theirs = [run([options.ankivalenz, "run", "theirs"], folder) for _ in range(options.runs)]
            print(f"{'':36} {full / show('ankivalenz', theirs):7.2f} is our first build of it")


if __name__ == "__main__":
    main()
