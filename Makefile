.PHONY: deck test lint clean

PYTHON ?= python3

# The stamp is redone when the list of dependencies changes.
.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

.venv/installed-test: .venv/installed
	.venv/bin/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	touch $@

deck: .venv/installed
	.venv/bin/mha-quiz deck -o mha-quiz.apkg

test: .venv/installed-test
	.venv/bin/python -m pytest

lint: .venv/installed-test
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

clean:
	rm -rf .venv dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
