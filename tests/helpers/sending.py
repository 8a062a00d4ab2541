"""A sender and the collector that it sends to, as fixtures."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import ldprange as ldp
from example_plans import PLANS
from faulty_collector import Collector, FakeTime, running

PLAN = PLANS["HRR"]
ID = "00112233445566778899aabbccddeeff"


@pytest.fixture
def collector() -> Iterator[Collector]:
    with running(PLAN) as collector:
        yield collector


@pytest.fixture
def clock() -> FakeTime:
    return FakeTime()


@pytest.fixture
def sender(collector: Collector, clock: FakeTime) -> ldp.Sender:
    return ldp.Sender(collector.url, _patience=clock.patience)
