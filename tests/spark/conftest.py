"""The Spark cluster that all tests of the folder share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from spark_cluster import Cluster, standalone


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a Spark cluster, for one application at a time."""
    with standalone(tmp_path_factory.mktemp("cluster")) as started:
        yield started
