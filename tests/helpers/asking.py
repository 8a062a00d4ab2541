"""Collectors to submit to and to ask, as fixtures."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import ldprange as ldp
from running_collector import Service, packed, serving

PEOPLE = [(7 * person) % 120 for person in range(2000)]


@pytest.fixture
def service(place: str) -> Iterator[Service]:
    with serving(place) as running:
        assert running.create().status == 201
        yield running


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Return a collector that has a survey with answers, for tests that change nothing."""
    with serving(tmp_path_factory.mktemp("asked")) as running:
        running.create()
        running.create("nobody")
        running.create("open-to-all", public=True)
        for name in ("ages", "open-to-all"):
            running.put(packed(PEOPLE, 1), name=name)
        yield running


def counted(service: Service, name: str = "ages") -> ldp.Aggregate:
    survey = service.collector.surveys[name]
    return service.collector.writer.live(survey).aggregate()
