"""Settings that every test shares, working directories for the command line, databases, and a cluster."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from command_line_survey import make_survey
from node_client import node_program
from postgresql_server import emptied, postgresql
from spark_cluster import Cluster, standalone

# The same examples in every run, so that a failure is never a matter of luck; "explore" looks for new ones.
settings.register_profile(
    "steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

# A shell starts what runs in its background deaf to Ctrl-C, and all that this starts in turn. Tests press it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def survey(here: Path) -> Path:
    """Return a working directory with a survey in it."""
    make_survey()
    return here


@pytest.fixture(scope="session")
def database() -> Iterator[str]:
    """Return the URL of a PostgreSQL server."""
    with postgresql() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return an empty place for a collector's store, on either database."""
    if request.param == "sqlite":
        return str(tmp_path / "data")
    return emptied(request.getfixturevalue("database"))


@pytest.fixture(scope="session")
def node() -> str:
    """Return the program that runs the JavaScript client."""
    return node_program()


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a Spark cluster, for one application at a time."""
    with standalone(tmp_path_factory.mktemp("cluster")) as started:
        yield started
