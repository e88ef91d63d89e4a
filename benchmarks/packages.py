"""How fast cards become a deck file: rendering, naming, writing; many decks; peak memory.

    python benchmarks/packages.py [--cards 10000]

In one process, so without the start of Python and without reading notes. Run it alone on the machine.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from cards.known import Scope
from cards.lock import Lock
from cards.lock_file import read_lock
from cards.model import Basic, Card, Cloze, Content, Deletion, Language, Origin, Place, Reversed
from decks import apkg, html, note_types
from decks.build import plan, write

NOTES = 20
NOW = 1_760_000_000


def content(number: int) -> Content:
    """One of the shapes that notes have; six of ten are words and formulas in one line."""
    shape = f"$W_{{{number}}}^Q \\in \\mathbb{{R}}^{{d_{{\\text{{model}}}} \\times d_k}}$"
    cost = f"$\\frac{{n^2 d}}{{{number % 97 + 2}}}$"
    match number % 10:
        case 0:
            return Cloze(
                (f"Layer {number} holds ", Deletion(1, shape, None), " and costs ", Deletion(2, cost, "cost"), ".")
            )
        case 1:
            return Reversed(f"query {number}", f"what token {number} **looks for**, such as {cost}")
        case 2:
            return Basic(f"Which steps does layer {number} take?", f"1. project with {shape}\n2. score\n3. *softmax*")
        case 3:
            return Basic(f"How is {number} written in `numpy`?", f"```python\nx[{number}] @ w.T\n```\nof {cost}")
        case _:
            return Basic(f"What is the size of {shape} in layer {number}?", f"It grows like {cost}, with $d_k = 64$.")


def cards(number: int, decks: int = 5) -> list[Card]:
    return [
        Card(
            content(at),
            Origin.FLASHCARD,
            Place(f"note{at * NOTES // number}.md", at + 1, 1),
            f"ml::part {at % decks}",
            ("exam",),
            Language.EN,
            ("Attention", f"Section {at // 50}"),
            (),
            None,
        )
        for at in range(number)
    ]


SCOPE = Scope({f"note{at}.md": f"note{at}.md" for at in range(NOTES)}, lambda note: True)


@contextmanager
def timed(name: str) -> Iterator[None]:
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    print(f"{name:44} {time.perf_counter() - wall:7.2f} s, processor {time.process_time() - cpu:6.2f} s")


def sides(written: list[Card]) -> Iterator[Callable[[], str]]:
    for card in written:
        match card.content:
            case Cloze() as cloze:
                yield lambda cloze=cloze: html.render_cloze(cloze)
            case Basic(front, back) | Reversed(front, back):
                yield lambda front=front: html.render(front)
                yield lambda back=back: html.render(back)


def rebuild(written: list[Card], folder: Path, now: int) -> None:
    lock = read_lock(folder / "cards.lock")
    assert isinstance(lock, Lock)
    files = {"out": folder / "deck.apkg", "lock_file": folder / "cards.lock"}
    write(plan(written, lock, scope=SCOPE, now=now), **files)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cards", type=int, default=10_000)
    number = parser.parse_args().cards
    written = cards(number)
    html.render("**warm**")

    with timed(f"render {number} cards"):
        for side in sides(written):
            side()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for decks in (10, 1000):
            fields = ("front", "back", *("",) * 9)
            notes = [
                apkg.Note(f"id{at}", note_types.basic(), fields, (0,), (), f"deck {at % decks}", NOW)
                for at in range(number)
            ]
            with timed(f"write {number} notes in {decks} decks"), apkg.staged(folder / "many.apkg", notes):
                pass
        with timed("first build (render, name, write, lock)"):
            rebuild(written, folder, NOW)
        print(f"{'size of the package':44} {(folder / 'deck.apkg').stat().st_size / 1e6:7.2f} MB")
        with timed("build again, nothing changed"):
            rebuild(written, folder, NOW + 60)
        written[7] = replace(written[7], content=Basic("What is the size?", "small"))
        with timed("build again, one card edited"):
            rebuild(written, folder, NOW + 120)
    print(f"{'peak memory':44} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:7.0f} MB")


if __name__ == "__main__":
    main()
