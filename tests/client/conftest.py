"""A sender, and the collector that it sends to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import ldprange as ldp
from faulty_collector import PLAN, Collector, FakeTime, running


@pytest.fixture
def collector() -> Iterator[Collector]:
    """Return a collector of one survey, which misbehaves as its script says."""
    with running(PLAN) as collector:
        yield collector


@pytest.fixture
def clock() -> FakeTime:
    """Return the time that the sender knows."""
    return FakeTime()


@pytest.fixture
def sender(collector: Collector, clock: FakeTime) -> ldp.Sender:
    """Return a sender to the collector's survey, which waits on the clock alone."""
    return ldp.Sender(collector.url, _patience=clock.patience)
