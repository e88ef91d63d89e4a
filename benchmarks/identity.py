"""How many review histories survive the edits of a note-taker, and how fast: a simulation that knows the truth.

    python benchmarks/identity.py [--seed 1] [--edits 10000] [--sizes 30 100 300 1000 3000] [--traps]

Collections of cards, most of them from families of near-equal ones (data/identity_families.txt), are edited at random
and built again and again. The simulation knows which card is which, so each card touched since the last build counts
as kept (its id stayed), lost (it got a new id) or wrong (it has the id of another card).
"""

import argparse
import random
import time
from collections import Counter
from itertools import count, product

from note_taker import Author, Entry

from cards.identity import answer_of, identify, question_of
from cards.known import Scope
from cards.lock import Lock
from cards.model import Basic, Card, Language, Origin, Place


def cards_of(author: Author) -> tuple[list[Entry], list[Card]]:
    entries, cards = [], []
    for note in author.notes:
        for line, (heading, entry) in enumerate(author.entries(note), start=1):
            place = Place(note, line, 1)
            entries.append(entry)
            cards.append(
                Card(entry.content(), Origin.FLASHCARD, place, entry.deck, (), Language.EN, (heading,), (), None)
            )
    return entries, cards


def fingerprint(card: Card) -> str:
    return f"{question_of(card.content)}\n{answer_of(card.content)}"


def simulate(seed: int, size: int, edits: int, verbose: bool, traps: bool) -> tuple[Counter[tuple[str, str]], float]:
    """What became of the touched cards, by edit and outcome, and the longest time of one `identify`."""
    rng = random.Random(seed)
    author = Author(rng, size, traps=traps)
    lock = Lock()
    slowest = 0.0
    ids: dict[int, str] = {}
    owner: dict[str, int] = {}
    said: dict[int, str] = {}
    outcomes: Counter[tuple[str, str]] = Counter()
    done = 0
    for now in count(1):
        entries, cards = cards_of(author)
        before = time.process_time()
        scope = Scope({note: note for note in author.notes}, lambda _: False)
        result = identify(cards, lock, now=now, fingerprint=fingerprint, scope=scope)
        slowest = max(slowest, time.process_time() - before)
        outcome_of = {}
        for entry, known in zip(entries, result.cards, strict=True):
            outcome = judge(entry.truth, fingerprint(known.card), known.id, ids, owner, said)
            outcome_of[entry.truth] = outcome
            if (outcome != "born" and entry.truth in author.touched) or outcome == "wrong":
                outcomes[author.touched.get(entry.truth, "untouched"), outcome] += 1
            if verbose and outcome in ("wrong", "lost"):
                other = said.get(owner.get(known.id, -1)) if outcome == "wrong" else None
                text = fingerprint(known.card)
                print(
                    f"{outcome}:{'?' * any(p.place == known.card.place for p in result.problems)} {author.touched.get(entry.truth)}: {said.get(entry.truth)!r} -> {text!r} {other!r}"
                )
        for entry, known in zip(entries, result.cards, strict=True):
            ids[entry.truth], owner[known.id] = known.id, entry.truth
            said[entry.truth] = fingerprint(known.card)
        lock = result.lock
        if done >= edits:
            return outcomes, slowest
        author.touched.clear()
        for _ in range(min(edits - done, rng.choice((1, 2, 5, 20, 1 + size // 20)))):
            author.edit()
            done += 1
    raise AssertionError("the count has no end")


def judge(truth: int, text: str, name: str, ids: dict[int, str], owner: dict[str, int], said: dict[int, str]) -> str:
    """Cards of the very same text may stand for each other."""
    if ids.get(truth) == name:
        return "kept"
    if name in owner and owner[name] != truth:
        return "kept" if said[owner[name]] in (text, said.get(truth)) else "wrong"
    return "lost" if truth in ids else "born"


def time_unchanged(size: int) -> float:
    cards = [
        Card(
            Basic(f"How large is part {at}?", f"{at} rows"),
            Origin.FLASHCARD,
            Place(f"n{at // 30}.md", at, 1),
            "d",
            (),
            Language.EN,
            (),
            (),
            None,
        )
        for at in range(size)
    ]
    scope = Scope({card.place.path: card.place.path for card in cards}, lambda _: False)
    lock = identify(cards, Lock(), now=1, fingerprint=fingerprint, scope=scope).lock
    before = time.process_time()
    assert identify(cards, lock, now=2, fingerprint=fingerprint, scope=scope).lock == lock
    return time.process_time() - before


def time_reworded(size: int) -> float:
    """All cards of one family in one note, questions and answers worded anew at a time."""
    names = ["".join(parts).capitalize() for parts in product(("ba", "ko", "ri", "tu", "me", "la"), repeat=4)][:size]
    lock, taken = Lock(), 0.0
    for now, (ask, answer) in enumerate((("Capital of {}?", "{} city"), ("Which town rules {}?", "the town of {}"))):
        cards = [
            Card(
                Basic(ask.format(name), answer.format(name[::-1])),
                Origin.FLASHCARD,
                Place("n.md", at, 1),
                "d",
                (),
                Language.EN,
                (),
                (),
                None,
            )
            for at, name in enumerate(names, start=1)
        ]
        before = time.process_time()
        lock = identify(
            cards, lock, now=now, fingerprint=fingerprint, scope=Scope({"n.md": "n.md"}, lambda _: True)
        ).lock
        taken = time.process_time() - before
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--edits", type=int, default=10_000)
    parser.add_argument("--sizes", type=int, nargs="+", default=[30, 100, 300, 1000, 3000])
    parser.add_argument("--verbose", action="store_true", help="show each card lost or wrong")
    parser.add_argument("--traps", action="store_true", help="also swap, negate and rewrite what cards say")
    options = parser.parse_args()
    print(f"10000 cards, none changed: identify {time_unchanged(10_000):.3f} s")
    print(f"1000 cards of a family, all reworded: identify {time_reworded(1000):.3f} s")
    total: Counter[tuple[str, str]] = Counter()
    for size in options.sizes:
        outcomes, slowest = simulate(
            options.seed, size, options.edits // len(options.sizes), options.verbose, options.traps
        )
        total += outcomes
        print(f"{size:5} cards: slowest identify {slowest:.3f} s")
    print(f"\n{'edit':28} {'kept':>6} {'lost':>6} {'wrong':>6}")
    for what in sorted({what for what, _ in total}):
        print(f"{what:28} {total[what, 'kept']:6} {total[what, 'lost']:6} {total[what, 'wrong']:6}")
    kept, lost, wrong = (sum(n for (_, o), n in total.items() if o == wanted) for wanted in ("kept", "lost", "wrong"))
    print(f"{'all':28} {kept:6} {lost:6} {wrong:6}   {kept / (kept + lost):.2%} kept")


if __name__ == "__main__":
    main()
