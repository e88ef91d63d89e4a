"""With MHA_QUIZ_NO_SKIPS set, as in continuous integration, a skipped test fails the run."""

import os

import pytest


def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("MHA_QUIZ_NO_SKIPS") and reporter is not None and reporter.stats.get("skipped"):
        reporter.write_line("a test was skipped, and MHA_QUIZ_NO_SKIPS forbids it", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
