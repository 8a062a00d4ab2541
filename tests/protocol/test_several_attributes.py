"""Reports on several attributes: one law, private, on the wire and in counts as any others."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import ldprange as ldp
from example_products import THREE, TWO
from ldprange import wire


@pytest.mark.slow
def test_clients_and_rehearsals_have_the_same_law() -> None:
    """Every report of a client has the chance that the level's mechanism gives the person's cell."""
    plan = ldp.Plan(TWO, 1.0, ldp.Tree(4), ldp.HadamardHashing())
    person, users = {"age": 11, "children": 4}, 40_000
    client = ldp.Client(plan)
    made = ldp.Aggregate.of(plan, [client.encode(person) for _ in range(users)])
    many = ldp.simulate_values(plan, {each: np.full(users, value) for each, value in person.items()}, seed=1)
    for mechanism, level, one, other in zip(
        plan.mechanisms, plan.levels, made.counts, many.counts, strict=True
    ):
        cell = level.cell(TWO.index_one(person))
        reports = [code.to_bytes(mechanism.width, "little") for code in range(mechanism.counters)]
        chances = np.array([float(mechanism.likelihood(report, cell)) for report in reports])
        assert chances.sum() == pytest.approx(1)
        for counts in (one, other):
            expected = chances * counts.sum()
            # a chi-squared number has mean and variance of its degrees of freedom, and twice that
            squares = ((counts - expected) ** 2 / expected).sum()
            assert squares < chances.size + 6 * np.sqrt(2 * chances.size)


@pytest.mark.slow
def test_no_two_people_are_told_apart_by_more_than_epsilon() -> None:
    plan = ldp.Plan(TWO, 1.0, ldp.Tree(4), ldp.HadamardHashing())
    for level, mechanism in zip(plan.levels, plan.mechanisms, strict=True):
        cells = sorted({level.cell(index) for index in product(range(16), range(6))})
        for code in range(mechanism.counters):
            report = code.to_bytes(mechanism.width, "little")
            chances = [mechanism.likelihood(report, cell) for cell in cells]
            assert max(chances) <= min(chances) * np.exp(1.0)


def test_reports_travel_as_any_others() -> None:
    plan = ldp.Plan(THREE, 1.0, ldp.Tree(2), ldp.OUE())
    batch = ldp.encode_many(plan, {"age": [1, 2], "income": [10.0, 390.0], "region": ["N", "S"]}, seed=1)
    again = wire.unpack(plan, wire.pack(batch))
    assert ldp.Aggregate.of(plan, again) == ldp.Aggregate.of(plan, batch)
    total = ldp.Aggregate.of(plan, batch)
    assert ldp.Aggregate.from_bytes(total.to_bytes()) == total


def test_counts_are_those_of_people() -> None:
    counts = TWO.count({"age": [1, 1, 15], "children": [0, 0, 5]})
    assert counts.shape == (16, 6)
    assert counts[1, 0] == 2
    assert counts[15, 5] == 1
    assert counts.sum() == 3
