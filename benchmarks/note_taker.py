"""A person who takes notes: writes cards, edits them at random, and knows which card is which."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count, product
from pathlib import Path

from cards.model import Basic, Cloze, Content, Deletion, Reversed

FAMILIES = Path(__file__).parent / "data" / "identity_families.txt"


@dataclass(frozen=True, slots=True)
class Fact:
    """What a card is about: the ways to ask for it and to answer."""

    family: int
    asks: tuple[str, ...]
    answers: tuple[str, ...]


@dataclass(slots=True)
class Entry:
    """A card in a note as its author sees it."""

    truth: int
    fact: Fact
    kind: type[Basic | Reversed | Cloze]
    asked: int
    """Which of the ways."""
    question: str
    answer: str
    deck: str = "d"
    marks: list[str] = field(default_factory=list)
    """Words of the question that are hidden too, in a cloze."""

    def content(self) -> Content:
        if self.kind is Basic:
            return Basic(self.question, self.answer)
        if self.kind is Reversed:
            return Reversed(self.question, self.answer)
        pieces: list[str | Deletion] = []
        number = count(1)
        for part in re.split(r"(\w+)", self.question):
            pieces.append(Deletion(next(number), part, None) if part in self.marks else part)
        return Cloze((*(piece for piece in pieces if piece), " ", Deletion(next(number), self.answer, None), "."))


def read_families() -> list[list[Fact]]:
    """The facts of each family, with `{n}` for their numbers."""
    found: list[list[Fact]] = []
    for block in FAMILIES.read_text("utf-8").split("\n\n")[1:]:
        lines = [(line[0], line[2:]) for line in block.strip().split("\n")]
        asks, answers = ([line for mark, line in lines if mark == wanted] for wanted in "?!")
        columns = [[part.split("|") for part in line.split(" x ")] for mark, line in lines if mark == "="]
        values = [value for parts in columns for value in (product(*parts) if len(parts) > 1 else parts)]
        found.append(
            [
                Fact(len(found), tuple(q.format(*v) for q in asks), tuple(a.format(*v, n="{n}") for a in answers))
                for v in values
            ]
        )
    return found


class Author:
    """Writes and edits a collection, and remembers which card is which."""

    def __init__(self, rng: random.Random, size: int, *, traps: bool = False) -> None:
        self.rng = rng
        self.edits = EDITS | TRAPS if traps else EDITS
        self.truths, self.names = count(), count()
        self.pools = read_families()
        for pool in self.pools:
            rng.shuffle(pool)
        self.theme = 0
        self.notes: dict[str, dict[str, list[Entry]]] = {}
        self.trash: list[tuple[Entry, str, str]] = []
        self.touched: dict[int, str] = {}
        for _ in range(max(2, size // 25)):
            self.new_note()
        for _ in range(size):
            self.insert()

    def edit(self) -> None:
        edits, weights = zip(*self.edits.items(), strict=True)
        self.rng.choices(edits, weights)[0](self)

    # What the edits are made of.

    def fact(self, family: int) -> Fact | None:
        """A fact of the family that no card had yet."""
        if not self.pools[family]:
            return None
        fact = self.pools[family].pop()
        number = self.rng.choice(("8", "64", "512", str(self.rng.randint(2, 1999))))
        return Fact(family, fact.asks, tuple(answer.replace("{n}", number) for answer in fact.answers))

    def born(self, fact: Fact, kind: type[Basic | Reversed | Cloze], asked: int, answer: str, what: str) -> Entry:
        entry = Entry(next(self.truths), fact, kind, asked, fact.asks[asked], answer)
        self.touched[entry.truth] = what
        return entry

    def new_note(self) -> str:
        name = f"{self.rng.choice(('bio/', 'ml/', 'history/', ''))}n{next(self.names)}.md"
        self.notes[name] = {f"Part {part}": [] for part in range(self.rng.randint(1, 4))}
        return name

    def put(self, entry: Entry, note: str | None = None, heading: str | None = None) -> None:
        note = note or self.rng.choice(list(self.notes))
        entries = self.notes[note][heading or self.rng.choice(list(self.notes[note]))]
        entries.insert(self.rng.randint(0, len(entries)), entry)

    def entries(self, note: str) -> Iterator[tuple[str, Entry]]:
        for heading, entries in self.notes[note].items():
            yield from ((heading, entry) for entry in entries)

    def pick(self, what: str) -> tuple[Entry, str, str]:
        """Some card, its note and its heading."""
        note = self.rng.choice([note for note, parts in self.notes.items() if any(parts.values())])
        heading, entry = self.rng.choice(list(self.entries(note)))
        self.touched[entry.truth] = what
        return entry, note, heading

    def take(self, what: str) -> tuple[Entry, str, str]:
        """Some card, taken out of its note."""
        entry, note, heading = self.pick(what)
        self.notes[note][heading].remove(entry)
        return entry, note, heading

    def slipped(self, text: str) -> str:
        """`text` with a typing slip in one word."""
        words = list(re.finditer(r"[^\W\d_]{4,}", text))
        if not words:
            return text
        word = self.rng.choice(words)
        at = self.rng.randint(word.start() + 1, word.end() - 2)
        one, two = text[at], text[at + 1]
        middle = self.rng.choice((two + one, one, one + one + two, one + self.rng.choice("aeiknrst")))
        return text[:at] + middle + text[at + 2 :]

    # The edits.

    def insert(self) -> None:
        """People write several cards of a family in a row."""
        fact = self.fact(self.theme)
        while fact is None or self.rng.random() < 0.2:
            self.theme = self.rng.choices(range(len(self.pools)), [len(pool) ** 0.5 for pool in self.pools])[0]
            fact = fact or self.fact(self.theme)
        kind = self.rng.choice((Basic, Basic, Basic, Reversed, Cloze))
        answer = fact.answers[0]
        if self.rng.random() < 0.2:
            answer = f"- *{answer}*\n- see the book"
        self.put(self.born(fact, kind, 0, answer, "born"))

    def typo(self) -> None:
        entry, *_ = self.pick("typo in the question")
        entry.question = self.slipped(entry.question)

    def mend(self) -> None:
        entry, *_ = self.pick("question mended")
        entry.question = entry.fact.asks[entry.asked]

    def answer_typo(self) -> None:
        entry, *_ = self.pick("typo in the answer")
        entry.answer = self.slipped(entry.answer)

    def reword(self, what: str = "question reworded") -> Entry:
        entry, *_ = self.pick(what)
        entry.asked = self.rng.randrange(len(entry.fact.asks))
        entry.question = entry.fact.asks[entry.asked]
        return entry

    def answer_anew(self) -> None:
        entry, *_ = self.pick("new answer")
        entry.answer = self.rng.choice(entry.fact.answers)

    def correct(self) -> None:
        entry, *_ = self.pick("number corrected")
        entry.answer = re.sub(r"\d+", lambda _: str(self.rng.randint(2, 1999)), entry.answer, count=1)

    def both(self) -> None:
        entry, *_ = self.pick("typo and new answer")
        entry.question, entry.answer = self.slipped(entry.question), self.rng.choice(entry.fact.answers)

    def reword_and_extend(self) -> None:
        entry = self.reword("reworded, answer extended")
        entry.answer += self.rng.choice((", as a rule", " (see the book)", "; remember the picture"))

    def delete(self) -> None:
        self.trash.append(self.take("deleted"))

    def restore(self) -> None:
        if self.trash:
            entry, note, heading = self.trash.pop(self.rng.randrange(len(self.trash)))
            self.touched[entry.truth] = "restored"
            self.put(entry, *((note, heading) if heading in self.notes.get(note, ()) else ()))

    def replace(self) -> None:
        """The trap: a card goes, and one of its family comes in its place, perhaps with the same answer."""
        entry, note, heading = self.take("deleted")
        self.trash.append((entry, note, heading))
        if fact := self.fact(entry.fact.family):
            answers = (entry.answer, *fact.answers) if len(entry.answer) < 20 else fact.answers
            self.put(
                self.born(fact, entry.kind, entry.asked, self.rng.choice(answers), "instead of a sibling"),
                note,
                heading,
            )

    def copy_and_change(self) -> None:
        """The other trap: a card is copied, and the copy is made into one of the same family."""
        entry, note, heading = self.pick("copied")
        if fact := self.fact(entry.fact.family):
            answer = self.rng.choice((entry.answer, *fact.answers))
            self.put(self.born(fact, entry.kind, entry.asked, answer, "copied from a sibling"), note, heading)

    def swap_answers(self) -> None:
        """Two answers stood with each other's question."""
        entry, note, _ = self.pick("answers swapped")
        if others := [other for _, other in self.entries(note) if other is not entry]:
            other = self.rng.choice(others)
            self.touched[other.truth] = "answers swapped"
            entry.answer, other.answer = other.answer, entry.answer

    def swap_sides(self) -> None:
        entry, *_ = self.pick("sides swapped")
        if entry.kind is not Cloze:
            entry.question, entry.answer = entry.answer, entry.question

    def negate(self) -> None:
        entry, *_ = self.pick("question negated")
        entry.question = re.sub(r" (is|does|are|has|of|in) ", r" \1 not ", entry.question, count=1)

    def renumber(self) -> None:
        entry, *_ = self.pick("number in the question")
        entry.question = re.sub(r"\d+", lambda _: str(self.rng.randint(1, 12)), entry.question, count=1)

    def rewrite_note(self) -> None:
        """All cards of a part go; as many of another family come in their place, some with the same answers."""
        note = self.rng.choice(list(self.notes))
        heading = self.rng.choice(list(self.notes[note]))
        olds, family = self.notes[note][heading], self.rng.randrange(len(self.pools))
        self.notes[note][heading] = []
        for old in olds:
            self.touched[old.truth] = "deleted"
            self.trash.append((old, note, heading))
            if fact := self.fact(family):
                answer = self.rng.choice((old.answer, *fact.answers))
                self.put(self.born(fact, old.kind, 0, answer, "another subject"), note, heading)

    def move_within(self) -> None:
        entry, note, _ = self.take("moved within a note")
        self.put(entry, note)

    def move_between(self) -> None:
        self.put(self.take("moved to some note")[0])

    def move_and_edit(self) -> None:
        entry, *_ = self.take("moved, typo in the question")
        entry.question = self.slipped(entry.question)
        self.put(entry)

    def touch_all(self, note: str, what: str) -> None:
        self.touched.update({entry.truth: what for _, entry in self.entries(note) if entry.truth not in self.touched})

    def rename_note(self) -> None:
        note = self.rng.choice(list(self.notes))
        self.touch_all(note, "note renamed")
        parts = self.notes.pop(note)
        self.notes[self.new_note()] = parts

    def split_note(self) -> None:
        note = self.rng.choice(list(self.notes))
        self.touch_all(note, "note split")
        parts = self.notes.pop(note)
        first, second = self.new_note(), self.new_note()
        cut = self.rng.randint(0, len(parts))
        halves = list(parts.items())[:cut], list(parts.items())[cut:]
        self.notes[first], self.notes[second] = (dict(half or [("Part 0", [])]) for half in halves)

    def merge_notes(self) -> None:
        if len(self.notes) > 2:
            note, other = self.rng.sample(list(self.notes), 2)
            self.touch_all(note, "notes merged")
            for heading, entries in self.notes.pop(note).items():
                self.notes[other].setdefault(heading, []).extend(entries)

    def reorder_notes(self) -> None:
        notes = list(self.notes.items())
        self.rng.shuffle(notes)
        self.notes = dict(notes)

    def rename_heading(self) -> None:
        note = self.rng.choice(list(self.notes))
        self.touch_all(note, "heading renamed")
        heading = self.rng.choice(list(self.notes[note]))
        self.notes[note][f"Section {next(self.names)}"] = self.notes[note].pop(heading)

    def turn(self) -> None:
        entry, *_ = self.pick("basic to reversed, or back")
        entry.kind = {Basic: Reversed, Reversed: Basic, Cloze: Cloze}[entry.kind]

    def make_cloze(self) -> None:
        """A card of another note type is another card to Anki."""
        entry, *_ = self.pick("made a cloze")
        if entry.kind is not Cloze:
            entry.kind, entry.truth = Cloze, next(self.truths)
            self.touched[entry.truth] = "made a cloze"

    def mark(self) -> None:
        entry, *_ = self.pick("cloze added")
        if entry.kind is Cloze:
            entry.marks = [*entry.marks, self.rng.choice(re.findall(r"\w+", entry.question))]

    def unmark(self) -> None:
        entry, *_ = self.pick("cloze taken away")
        entry.marks = entry.marks[1:]

    def retag(self) -> None:
        entry, *_ = self.pick("deck tag changed")
        entry.deck = self.rng.choice("abcd")

    def format(self) -> None:
        note = self.rng.choice(list(self.notes))
        self.touch_all(note, "formatter run")
        for _, entry in self.entries(note):
            for old, new in (("\n- ", "\n\n* "), ("*", "_")):
                entry.answer = re.sub(r"^_ ", "* ", entry.answer.replace(old, new), flags=re.MULTILINE)


EDITS = {
    Author.insert: 10, Author.delete: 6, Author.restore: 4, Author.replace: 6, Author.copy_and_change: 4,
    Author.typo: 10, Author.mend: 8, Author.answer_typo: 4, Author.reword: 6, Author.answer_anew: 6,
    Author.correct: 5, Author.both: 3, Author.reword_and_extend: 3,
    Author.move_within: 4, Author.move_between: 4, Author.move_and_edit: 2,
    Author.rename_note: 1, Author.split_note: 1, Author.merge_notes: 1, Author.reorder_notes: 1,
    Author.rename_heading: 1, Author.turn: 1, Author.make_cloze: 1, Author.mark: 3, Author.unmark: 2,
    Author.retag: 2, Author.format: 1,
}  # fmt: skip
TRAPS = {
    Author.swap_answers: 2, Author.swap_sides: 1, Author.negate: 2, Author.renumber: 2, Author.rewrite_note: 1,
}  # fmt: skip
"""Edits after which a card had better be new than be taken for another."""
