"""Reports as a stream: one cut into blocks, encoded side by side, the same whatever the threads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ldprange as ldp
from ldprange import wire
from ldprange.simulation import encode_stream, reports_at_once
from ldprange.support.parallel import workers

AGES = ldp.Domain.integers(0, 119)
HAAR = ldp.Plan(AGES, 1.1, ldp.Haar(), ldp.HRR())
WIDE = ldp.Plan(ldp.Domain.integers(0, (1 << 20) - 1), 1.1, ldp.Flat(), ldp.OUE())  # 128 KiB a report


def test_one_chunk_gives_the_reports_of_encode_many() -> None:
    values = np.arange(1000) % 120
    (batch,) = encode_stream(HAAR, [values], seed=7)
    assert wire.pack(batch) == wire.pack(ldp.encode_many(HAAR, values, seed=7))


def test_blocks_hold_64_mib_of_reports_and_at_most_a_million_people() -> None:
    assert reports_at_once(HAAR) == 1 << 20
    assert reports_at_once(WIDE) == 512
    assert [len(batch) for batch in encode_stream(WIDE, [np.arange(600)], seed=1)] == [512, 88]


@pytest.mark.parametrize("plan", [HAAR, ldp.Plan(AGES, 1.1, ldp.Tree(4), ldp.OLH())], ids=["Haar", "OLH"])
def test_simulated_values_are_the_reports_of_the_stream_counted(plan: ldp.Plan) -> None:
    chunks = [np.arange(number) % 120 for number in (1000, 0, 7, 500)]
    seen: list[int] = []
    counted = ldp.simulate_values(plan, iter(chunks), seed=3, progress=seen.append)
    assert counted == ldp.Aggregate.of(plan, encode_stream(plan, chunks, seed=3))
    assert seen == [1000, 1007, 1507]


def test_chunks_are_encoded_side_by_side_and_never_all_taken_at_once() -> None:
    taken = 0

    def chunks() -> Iterator[Any]:
        nonlocal taken
        for _ in range(10 * workers()):
            taken += 1
            yield [1, 2, 3]

    stream = encode_stream(HAAR, chunks(), seed=1)
    assert len(next(stream)) == 3
    assert taken == workers() + 1
    assert sum(len(batch) for batch in stream) == 3 * (10 * workers() - 1)


def test_a_wrong_plan_or_seed_is_refused_before_any_value_is_taken() -> None:
    untouched = iter([[1], [2]])
    plan: Any = "ages"
    with pytest.raises(ldp.LdprangeError, match="of type Plan"):
        encode_stream(plan, untouched, seed=1)
    with pytest.raises(ldp.LdprangeError, match="a seed must be"):
        encode_stream(HAAR, untouched, seed=-1)
    assert len(list(untouched)) == 2
