"""Large batches go in pieces, and are counted once however often they are sent."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

import ldprange as ldp
from example_plans import batch_of, every_plan
from faulty_collector import (
    BATCH_ID,
    PLAN,
    Collector,
    FakeTime,
    drop_after,
    drop_before,
    running,
    saying,
)
from ldprange.client import sender as sender_module


@every_plan
def test_a_large_batch_goes_in_pieces_and_again_as_a_whole(
    plan: ldp.Plan, clock: FakeTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = 700
    monkeypatch.setattr(sender_module, "_MAX_BODY_BYTES", limit)
    batch = batch_of(plan, people=3000)
    with running(plan) as collector:
        sender = ldp.Sender(collector.url, _patience=clock.patience)
        assert sender.send(batch, BATCH_ID) == 3000
        bodies = dict(collector.batches)
        assert len(bodies) >= len(ldp.wire.pack(batch)) / limit
        assert max(map(len, bodies.values())) <= limit
        assert collector.ids() == [
            hashlib.sha256(bytes.fromhex(BATCH_ID) + number.to_bytes(8, "big")).hexdigest()[:32]
            for number in range(len(bodies))
        ]
        assert ldp.Aggregate.of(plan, list(bodies.values())) == ldp.Aggregate.of(plan, batch)
        assert sender.send(ldp.wire.pack(batch), BATCH_ID) == 3000  # packed, it is cut in the same places
        assert collector.batches == bodies


def test_pieces_are_as_full_as_may_be_at_full_size(sender: ldp.Sender, collector: Collector) -> None:
    batch = ldp.encode_many(PLAN, np.zeros(3_000_000, np.int64), seed=1)
    assert len(ldp.wire.pack(batch)) > 2_000_000
    assert sender.send(batch) == 3_000_000
    sizes = [len(request.body) for request in collector.requests]
    assert all(900_000 < size <= 1_000_000 for size in sizes[:-1])
    assert collector.counted() == 3_000_000


def test_what_just_fits_goes_whole(
    sender: ldp.Sender, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = batch_of(PLAN)
    monkeypatch.setattr(sender_module, "_MAX_BODY_BYTES", len(ldp.wire.pack(batch)))
    sender.send(batch, BATCH_ID)
    assert collector.ids() == [BATCH_ID]


def test_half_a_batch_that_is_sent_again_is_counted_once(
    collector: Collector, clock: FakeTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sender_module, "_MAX_BODY_BYTES", 100)
    batch = batch_of(PLAN)
    sender = ldp.Sender(collector.url, patience=5, _patience=clock.patience)
    for misbehave in (drop_after, drop_before, saying(410)):
        collector.script = [None, None, *[misbehave] * 100]
        with pytest.raises(ldp.SendError, match=f"piece 2 of batch {BATCH_ID}") as caught:
            sender.send(batch, BATCH_ID)
        assert caught.value.batch_id == BATCH_ID
        assert 0 < collector.counted() < 500
    collector.script = []
    assert sender.send(batch, caught.value.batch_id) == 500
    assert ldp.Aggregate.of(PLAN, list(collector.batches.values())) == ldp.Aggregate.of(PLAN, batch)


def test_one_report_that_is_too_large_is_for_the_collector_to_refuse(clock: FakeTime) -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, (1 << 23) + 99), 1.0, ldp.Flat(), ldp.OUE())
    with running(plan) as collector:
        with pytest.raises(ldp.SendError, match="413"):
            ldp.Sender(collector.url, _patience=clock.patience).send(ldp.encode_many(plan, [5], seed=1))
        assert collector.counted() == 0
