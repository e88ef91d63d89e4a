"""How long the commands take on notes of 100 kB: none may need more than seconds, whatever stands in the note.

A deck is built anew, and again when each line was edited. All figures are seconds of the processor, start-up included.

python benchmarks/commands.py [--all] [NAME …]     with --all also the notes that are nasty to read, about half an hour
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from reading import NASTY

SIZE = 100_000
SLOW = 10.0


def numbered(block: str) -> str:
    """The block again and again, each with the next number."""
    return "".join(block.format(n=n) for n in range(SIZE // len(block)))


NOTES = {
    "equal cards": "Q :: A\n" * 14_000,
    "equal cards of several words": "What does it do? :: It mixes vectors\n\n" * 2_500,
    "equal questions": numbered("What is it? :: Thing {n}\n\n"),
    "equal answers": numbered("What is thing{n}? :: a thing\n\n"),
    "cards that differ by a number": numbered("What does layer {n} do? :: It mixes vectors\n\n"),
    "equal clozes": "The thing is ==made== of it\n\n" * 3_400,
    "one cloze": numbered("a{n} ==deletion{n}== "),
    "one cloze, equal deletions": "a ==b== " * 12_000,
    "one long card": "What? :: " + numbered("word{n} a") + "\n",
    "a word of 100 kB": "What? :: " + "a" * SIZE + "\n",
    "a deck of many levels": "#flashcards" + "/a" * 50_000 + "\n\na :: b\n",
    "many decks": numbered("#flashcards/d{n}\n\na{n} :: b\n\n"),
    "a formula of many levels": "a :: $" + "\\sqrt{" * 14_000 + "}" * 14_000 + "$\n",
    "a wide table": "|a" * 25_000 + "|\n" + "|-" * 25_000 + "|\n" + "|1" * 25_000 + "|\n",
    "claims": numbered("{n} + 1 = {n}\n\n"),
    "claims in one paragraph": numbered("{n} + 1 = {n}\n"),
    "claims in one line": numbered("{n} + 1 = {n}, "),
    "claims in one table": "| a | b | sum |\n|---|---|---|\n" + numbered("| {n} | 1 | {n} + 1 = {n} |\n"),
    "claims in cards": numbered("What is {n} + 1? :: {n} + 1 = {n}\n\n"),
    "pictures that are missing": numbered("What is it? :: ![a](b{n}.png)\n\n"),
}


def edited(text: str) -> str:
    return "".join(f"{line} too\n" if line else "\n" for line in text.removesuffix("\n").split("\n"))


def seconds(folder: Path, *arguments: str, stdin: str = "") -> float:
    """What one run of the program takes that remembers nothing."""
    with tempfile.TemporaryDirectory() as cache:
        where = {"XDG_CACHE_HOME": cache, "XDG_DATA_HOME": str(folder)}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, "-m", "mha_quiz", *arguments],
            env=os.environ | where,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in (0, 1), done.stderr[-2000:]
    return after.ru_utime - before.ru_utime


def measure(text: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        note, deck = folder / "notes" / "note.md", str(folder / "deck.apkg")
        note.parent.mkdir()
        note.write_bytes(text.encode())
        took = {
            "cards": seconds(folder, "cards", "--all", str(note)),
            "check": seconds(folder, "check", "--all", str(note)),
            "preview": seconds(folder, "preview", "--all", str(note), "-o", str(folder / "cards.html")),
            "tidy": seconds(folder, "tidy", str(note)),
            "deck": seconds(folder, "deck", "--all", str(note), "-o", deck),
        }
        note.write_bytes(edited(text).encode())
        took["edited"] = seconds(folder, "deck", "--all", str(note), "-o", deck)
        took["review"] = seconds(folder, "review", "--all", str(note), "--data", name, "--no-numbers", stdin="q\n")
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="only these notes")
    parser.add_argument("--all", action="store_true", help="also the notes of reading.py")
    options = parser.parse_args()
    notes = {**NASTY, **NOTES} if options.all else NOTES
    for name, text in notes.items():
        if options.names and name not in options.names:
            continue
        took = measure(text)
        told = "  ".join(f"{command} {time:5.2f}" for command, time in took.items())
        print(f"{name:32} {told}{'  TOO SLOW' if max(took.values()) > SLOW else ''}", flush=True)


if __name__ == "__main__":
    main()
