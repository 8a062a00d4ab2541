"""Settings that every test shares, the package as people get it, and folders for the command line."""

from __future__ import annotations

import gc
import os
import shutil
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

from built_package import build
from command_line_survey import make_survey

# The same examples in every run, so that a failure is never a matter of luck; "explore" looks for new ones.
settings.register_profile(
    "steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

# A shell starts what runs in its background deaf to Ctrl-C, and all that this starts in turn. Tests press it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


HOME = Path(__file__).parent
# All tests of these folders start collectors, databases, browsers, clusters, Node or whole commands.
# Elsewhere a test that does so is marked where it stands, and so is a slow one.
SYSTEM_FOLDERS = ("tests/collector", "tests/javascript", "tests/spark", "experiments/tests")
SLOW_FOLDERS = ("docs", "tests/statistics")
# To look for doctests in these would import them: notebooks, which a test runs, and what needs a package that
# only the site has.
WITHOUT_TESTS = ("docs/notebooks", "docs/docstrings.py")
# Tests below each of these share a long start: a cluster, a browser, proxies, a package that is compiled, a
# site, mutants, experiments that have been run.
LONG_STARTS = (
    "tests/spark/",
    "tests/collector/test_dashboard",
    "tests/collector/test_deployment",
    "tests/collector/test_pages",
    "tests/house/test_light_client",
    "tests/house/test_mutants",
    "tests/house/test_shipped",
    "tests/house/test_site",
    "experiments/tests/test_comparison",
    "experiments/tests/test_experiments_command",
)


class OneProcessForAFile(LoadScopeScheduling):  # type: ignore[misc] # it has no type information
    """Gives all tests of a file to one process, and so all that share a long start.

    What a file's tests start, or calculate once and keep, is not started and calculated by every process.
    They are given out as they are collected: long ones first, so that short ones fill the end.
    """

    def _split_scope(self, nodeid: str) -> str:
        return _together(nodeid)


def _together(nodeid: str) -> str:
    """Return what all tests that go to the same process as this one have in common."""
    return next((shared for shared in LONG_STARTS if nodeid.startswith(shared)), nodeid.split("::")[0])


@pytest.hookimpl(optionalhook=True)  # without pytest-xdist there is but one process
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> OneProcessForAFile:
    """Return who decides which process runs which test. Marks will not do: pytest 9.2 loses xdist_group."""
    config.option.loadscopereorder = False
    return OneProcessForAFile(config, log)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what "scripts/test quick" says."""
    parser.addoption("--quick", action="store_true", help="leave out tests that are slow or whole systems")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Pass over what has no tests and, if asked for quick ones, no quick test: to import it takes long.

    Every conftest.py is passed over: to look for doctests would import several modules of one name.
    """
    folders = (*SYSTEM_FOLDERS, *SLOW_FOLDERS) if config.getoption("quick") else ()
    left_out = [HOME / each for each in (*WITHOUT_TESTS, *folders)]
    return collection_path in left_out or collection_path.name == "conftest.py" or None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while tests are collected, nor later among them: they stay to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by their folder, and keep the quick ones if no others are asked for."""
    for item in items:
        folder = item.path.parent.relative_to(HOME).as_posix()
        if folder in SYSTEM_FOLDERS:
            item.add_marker(pytest.mark.system)
        if folder in SLOW_FOLDERS:
            item.add_marker(pytest.mark.slow)
    if config.getoption("quick"):
        kept: list[pytest.Item] = []
        left_out: list[pytest.Item] = []
        for item in items:
            quick = not any(item.iter_markers("slow")) and not any(item.iter_markers("system"))
            (kept if quick else left_out).append(item)
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept
    if hasattr(config, "workerinput"):  # in one of several processes
        _put_long_ones_first(items)


def _put_long_ones_first(items: list[pytest.Item]) -> None:
    """Sort files: long starts, then systems, then slow ones, then the rest, each by their number of tests."""
    files: dict[str, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(_together(item.nodeid), []).append(item)

    def place(shared: str) -> tuple[bool, bool, bool, int]:
        marks = {mark.name for item in files[shared] for mark in item.iter_markers()}
        return shared not in LONG_STARTS, "system" not in marks, "slow" not in marks, -len(files[shared])

    items[:] = [item for shared in sorted(files, key=place) for item in files[shared]]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel that these sources make, without compiled kernels."""
    return build(HOME, tmp_path_factory.mktemp("wheel") / "built", "wheel")[".whl"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def made_survey(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a survey in it, to be copied."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("survey")
        patch.chdir(folder)
        make_survey()
    return folder


@pytest.fixture
def survey(here: Path, made_survey: Path) -> Path:
    """Return a working directory with a survey in it."""
    return shutil.copytree(made_survey, here, dirs_exist_ok=True)
