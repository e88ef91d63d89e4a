"""Looks for notes that break the reader: an error, a place outside of the note, a separator that is lost, a slow text.

    python benchmarks/fuzz_reading.py [FOLDER] [-len_control=0 -max_len=64 -max_total_time=600]

Needs `pip install atheris hypothesis`. FOLDER keeps the inputs that reach new code; all options are libFuzzer's.
"""

import importlib.util
import sys
import time
from pathlib import Path
from types import ModuleType

try:
    import atheris
except ImportError:
    sys.exit("fuzz_reading.py needs atheris: pip install atheris")

with atheris.instrument_imports(include=["cards"]):
    from cards import pasted
    from cards.derived import derive
    from cards.flashcards import read_note
    from cards.setting_values import DERIVED_KINDS
    from cards.settings import Settings

ROOT = Path(__file__).parents[1]
SETTINGS = Settings(deck_tags=("",))
SHORT, LONG = 5_000, 20_000
"""Characters of two texts that repeat the input."""
MOST_TIMES = 9
"""How many times as long the long one may take: a linear reader takes 4 times, one by the square of the length 16."""
NOISE = 0.5
"""Seconds of the processor that a busy machine may add."""


def properties() -> ModuleType:
    """The module of the property tests, for its words and its checks."""
    spec = importlib.util.spec_from_file_location("properties", ROOT / "tests" / "test_grammar_properties.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PROPERTIES = properties()
CHECKS = tuple(
    test.hypothesis.inner_test
    for test in (
        PROPERTIES.test_every_separator_is_that_of_one_card_or_of_one_problem,
        PROPERTIES.test_line_ends_and_a_byte_order_mark_change_nothing,
        PROPERTIES.test_marks_come_in_order_and_do_not_overlap,
    )
)
_PARTS = (PROPERTIES.STARTS, PROPERTIES.WORDS, PROPERTIES.MARKS, PROPERTIES.HIDING, PROPERTIES.ODD, PROPERTIES.WHOLE)
WORDS = tuple(dict.fromkeys(("\n", "\n\n", "Why?", "It is: ", *(word for part in _PARTS for word in part if word))))


def check_places(text: str) -> None:
    found = read_note(text, "note.md", SETTINGS)
    implied = derive(found, SETTINGS, DERIVED_KINDS, page=False)
    lines = [*text.split("\n"), ""]
    for place in (each.place for each in (*found.cards, *found.problems, *implied.cards)):
        assert 1 <= place.line <= len(lines), place
        assert 1 <= place.column <= len(lines[place.line - 1]) + 1, place


def check_time(text: str) -> None:
    short, long = (seconds(text * (length // len(text) + 1)) for length in (SHORT, LONG))
    assert long < MOST_TIMES * short + NOISE, f"{short:.2f} s, then {long:.2f} s for {text!r} again and again"


def seconds(text: str) -> float:
    start = time.process_time()
    found = read_note(text, "note.md", SETTINGS)
    derive(found, SETTINGS, DERIVED_KINDS, page=False)
    pasted.tidy(text, "page.txt", SETTINGS)
    return time.process_time() - start


def one_input(data: bytes) -> None:
    """Each byte is a word, so that short inputs make full notes; the first one says whether to look at the time."""
    text = "".join(WORDS[byte % len(WORDS)] for byte in data[1:])
    if not text:
        return
    for check in CHECKS:
        check(text)
    check_places(text)
    if data[0] % 16 == 0:
        check_time(text)


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
