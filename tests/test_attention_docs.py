"""The page on the attention core says what runs."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "attention.md"


def test_every_example_of_the_page_runs_as_shown() -> None:
    test = doctest.DocTestParser().get_doctest(PAGE.read_text(encoding="utf-8"), {}, PAGE.name, PAGE.name, 0)
    assert len(test.examples) > 30
    report: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert report == []
