"""Aggregates: a commutative monoid, and no report of another plan."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ldprange as ldp
from ldprange import wire
from ldprange.aggregate import Aggregate
from ldprange.errors import MismatchError, WireError
from plan_strategies import batches, plans
from some_aggregates import PLAN, aggregates_of_one_plan, some

# Laws


@given(aggregates_of_one_plan())
def test_aggregates_of_a_plan_are_a_commutative_monoid(three: list[Aggregate]) -> None:
    before = [(one.users, [counts.copy() for counts in one.counts]) for one in three]
    a, b, c = three
    nobody = Aggregate.empty(a.plan)
    assert nobody.reports == 0
    assert a + nobody == a == nobody + a
    assert a + b == b + a
    assert (a + b) + c == a + (b + c) == sum(three, start=nobody)
    assert sum(three, start=nobody).reports == sum(one.reports for one in three)
    assert nobody == Aggregate.empty(a.plan)
    for one, (users, counts) in zip(three, before, strict=True):  # adding leaves the summands alone
        assert one == Aggregate(one.plan, users, counts)


@given(plans(), st.data())
def test_counting_parts_and_adding_is_counting_all(plan: ldp.Plan, data: st.DataObject) -> None:
    parts = [data.draw(batches(plan)) for _ in range(3)]
    joined = ldp.Batch(
        plan, [np.concatenate(columns) for columns in zip(*(part.columns for part in parts), strict=True)]
    )
    whole = Aggregate.of(plan, joined)
    assert whole.reports == sum(map(len, parts))
    assert whole.users == tuple(len(column) for column in joined.columns)
    assert [len(counts) for counts in whole.counts] == [each.counters for each in plan.mechanisms]
    assert sum((Aggregate.of(plan, part) for part in parts), start=Aggregate.empty(plan)) == whole
    assert Aggregate.of(plan, [wire.pack(part) for part in parts]) == whole
    assert Aggregate.of(plan, iter(parts)) == whole


def test_reports_count_alike_one_by_one_packed_or_as_a_batch() -> None:
    client = ldp.Client(PLAN)
    reports = [client.encode(value) for value in (0, 3, 9, 9)]
    packed = [wire.pack(report) for report in reports]
    wanted = sum((Aggregate.of(PLAN, report) for report in reports), start=Aggregate.empty(PLAN))
    assert wanted.reports == 4
    assert Aggregate.of(PLAN, reports) == wanted
    assert Aggregate.of(PLAN, packed) == wanted
    views: Any = (memoryview(data) for data in packed)
    assert Aggregate.of(PLAN, views) == wanted


def test_equality_sees_plan_users_and_counts() -> None:
    one = some()
    assert one == some()
    assert one != Aggregate(PLAN, [users + 1 for users in one.users], one.counts)
    assert one != Aggregate(PLAN, one.users, [counts + 1 for counts in one.counts])
    assert one != "an aggregate"
    other = ldp.Plan(PLAN.domain, 1.2, PLAN.decomposition, PLAN.oracle)
    assert one != Aggregate(other, one.users, one.counts)
    with pytest.raises(TypeError):
        hash(one)


@pytest.mark.system
def test_levels_without_reports_take_no_memory() -> None:
    """In a process of its own, whose greatest memory is its own, too."""
    program = """if True:
        import resource, ldprange as ldp
        domain, levels = ldp.Domain.integers(0, (1 << 22) - 1), [0.5, 0.5] + [0.0] * 20
        plan = ldp.Plan(domain, 1.1, ldp.Haar(), ldp.HRR(), levels)
        reports = ldp.encode_many(plan, [5, 7], seed=1)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        total = ldp.Aggregate.of(plan, reports)
        took = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
        print(total.reports, took, 8 * plan.counters)
    """
    reports, took, counts = map(int, subprocess.check_output([sys.executable, "-c", program]).split())
    assert reports == 2
    assert took < counts / 4


# What cannot be added


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        (ldp.Plan(PLAN.domain, 1.2, PLAN.decomposition, PLAN.oracle), "epsilon: 1.1 against 1.2"),
        (ldp.Plan(PLAN.domain, 1.1, ldp.Haar(), ldp.HRR()), "decomposition: .*tree.* against .*haar"),
        (
            ldp.Plan(ldp.Domain.integers(0, 8), 1.1, PLAN.decomposition, ldp.HRR()),
            "domain: .*9.* against .*8",
        ),
        (ldp.Plan(PLAN.domain, 1.1, PLAN.decomposition, ldp.OUE()), "oracles of level 0: .* against .*oue"),
    ],
)
def test_aggregates_of_different_plans_do_not_add(other: ldp.Plan, difference: str) -> None:
    one, two = some(), Aggregate.empty(other)
    with pytest.raises(MismatchError, match=f"same plan.*{difference}"):
        one + two
    with pytest.raises(MismatchError, match=f"same plan.*{difference}"):
        one.absorb(two)
    with pytest.raises(MismatchError, match="plan"):
        Aggregate.of(PLAN, ldp.encode_many(other, [1, 2], seed=1))
    with pytest.raises(MismatchError, match="plan"):
        Aggregate.of(PLAN, ldp.Client(other).encode(3))
    assert one == some()


@pytest.mark.parametrize("other", [0, None, "aggregate", [1]])
def test_only_aggregates_add(other: Any) -> None:
    with pytest.raises(TypeError):
        some() + other


def test_one_bad_payload_among_good_ones_counts_none() -> None:
    good = wire.pack(ldp.encode_many(PLAN, np.arange(10), seed=1))
    total = some()
    with pytest.raises(WireError):
        total += Aggregate.of(PLAN, [good, good[:-1], good])
    assert total == some()


@pytest.mark.parametrize("reports", ["abc", ["abc"], 5, [5], None, [None]])
def test_what_is_no_report_is_refused(reports: Any) -> None:
    with pytest.raises(WireError, match=r"reports must be .*got"):
        Aggregate.of(PLAN, reports)
