"""How fast the history is: an answer, a replay, a union of two logs, the states of a session, a shell prompt.

    python benchmarks/history.py [--events 10000]

Times of one process are CPU seconds; `due` is the whole command, wall and CPU. Run it alone on the machine.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from mha_quiz import exchange
from mha_quiz.events import Answered, Sibling, new_stamp
from mha_quiz.history import History
from mha_quiz.history_command import history_file
from mha_quiz.progress import progress
from mha_quiz.schedule import Rating

NOW = datetime.now(UTC)
TODAY = NOW.date()


@contextmanager
def told(what: str, per: int = 1) -> Iterator[None]:
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"{what:44} {cpu / per * 1000:9.2f} ms CPU {wall / per * 1000:9.2f} ms wall")


def answers(number: int, rng: Random) -> list[Answered]:
    """Of 300 days, to a card for each ten of them."""
    ratings = (Rating.AGAIN, Rating.HARD, Rating.GOOD, Rating.GOOD, Rating.GOOD, Rating.EASY)
    stamps = (new_stamp(NOW - timedelta(days=300 * rng.random()), "desk", rng) for _ in range(number))
    return [Answered(stamp, Sibling(f"c{rng.randrange(number // 10)}", 0), rng.choice(ratings)) for stamp in stamps]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=10_000)
    number = parser.parse_args().events
    rng = Random(1)
    events = answers(number, rng)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with History.open(history_file(folder), computer="desk", rng=rng) as history:
            with told(f"{number:,} events into an empty history"):
                history.merge(events, TODAY)
            with told("the same again"):
                history.merge(events, TODAY)
            history._connection.execute("DELETE FROM replayed")
            with told("replay"):
                history.states(TODAY)
            with told("states, when nothing changed"):
                history.states(TODAY)
            with told("an answer, on the disk", per=50):
                for second in range(50):
                    stamp = history.stamp(NOW + timedelta(seconds=second))
                    history.record(Answered(stamp, Sibling(f"c{second}", 0), Rating.GOOD))
            with told("stats"):
                progress(history.events(), history.asked(TODAY), TODAY)
            with told("export as lines"):
                exchange.export(history, folder / "log.jsonl", lines=True, today=TODAY)
            with told("read these lines"):
                exchange.read(folder / "log.jsonl")
        with told("open to write, with a check of the file"):
            History.open(history_file(folder), computer="desk", rng=rng).close()
        for what, program in (("bare Python", "pass"), ("click", "import click"), ("due", DUE)):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            start = time.perf_counter()
            for _ in range(10):
                subprocess.run([sys.executable, "-c", program, name], check=True, capture_output=True)
            wall = time.perf_counter() - start
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            print(f"{what + ', whole process':44} {cpu * 100:9.2f} ms CPU {wall * 100:9.2f} ms wall")


DUE = "import sys; from mha_quiz.history_command import due; due(['--data', sys.argv[1]])"


if __name__ == "__main__":
    main()
