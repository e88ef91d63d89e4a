"""With MHA_QUIZ_NO_SKIPS set, as in continuous integration, a skipped test fails the run."""

import os
import sys
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, settings

# A busy machine fails no property. Continuous integration draws the same examples each time: it tests the change.
settings.register_profile(
    "project",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="MHA_QUIZ_NO_SKIPS" in os.environ,
)
settings.load_profile("project")


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes what the user's own commands remember."""
    with pytest.MonkeyPatch.context() as patch:
        folder = str(tmp_path_factory.mktemp("cache"))
        patch.setenv("XDG_CACHE_HOME", folder)
        patch.setenv("LOCALAPPDATA", folder)
        yield


@pytest.fixture
def steps_of() -> Callable[[Callable[[], object]], int]:
    """How many calls and lines some work takes: a measure of time that no busy machine disturbs."""

    def steps(work: Callable[[], object]) -> int:
        taken = 0

        def count(frame, event, argument):
            nonlocal taken
            taken += 1
            return count

        sys.settrace(count)
        try:
            work()
        finally:
            sys.settrace(None)
        return taken

    return steps


def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("MHA_QUIZ_NO_SKIPS") and reporter is not None and reporter.stats.get("skipped"):
        reporter.write_line("a test was skipped, and MHA_QUIZ_NO_SKIPS forbids it", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
