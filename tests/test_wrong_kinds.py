"""What is not of the kind it must be is refused where it comes in, in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ldprange as ldp

PLAN = ldp.Plan(ldp.Domain.integers(0, 9), 1.0, ldp.Tree(4), ldp.OUE())
BATCH = ldp.encode_many(PLAN, [1, 2, 3], seed=1)
AGGREGATE = ldp.Aggregate.of(PLAN, BATCH)
TEXT: Any = PLAN.to_json()
ANY: Any = ldp  # the module, so that the type checker lets wrong calls through

WRONG: dict[str, Callable[[], object]] = {
    "a client of a plan's text": lambda: ldp.Client(TEXT),
    "an estimate of a batch": lambda: ANY.estimate(BATCH),
    "an estimate of a file's name": lambda: ANY.estimate("week.agg"),
    "a pack of a list": lambda: ANY.wire.pack([BATCH]),
    "encoding with arguments the other way round": lambda: ANY.encode_many([1], PLAN, seed=1),
    "an aggregate of what is not a plan": lambda: ANY.Aggregate.of(TEXT, BATCH),
    "unpacking the other way round": lambda: ANY.wire.unpack(b"", PLAN),
    "simulating what is not a plan": lambda: ldp.simulate(TEXT, [1], seed=1),
    "rehearsing what is not a plan": lambda: ldp.rehearse(TEXT, [1], seed=1),
}


@pytest.mark.parametrize("what", WRONG)
def test_another_kind_is_refused(what: str) -> None:
    with pytest.raises(ldp.LdprangeError, match=r"(?s)must be of type \w+.*, got .* of type \w+"):
        WRONG[what]()


@pytest.mark.parametrize("seed", [-1, 1.5, "a", None, True])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    for work in (ldp.encode_many, ldp.rehearse):
        with pytest.raises(ldp.LdprangeError, match="a seed must be a whole number"):
            work(PLAN, [1], seed=seed)
    with pytest.raises(ldp.LdprangeError, match="a seed must be a whole number"):
        ldp.simulate(PLAN, np.ones(10, np.int64), seed=seed)


def test_values_are_one_column_of_people_who_are_all_there() -> None:
    with pytest.raises(ldp.DomainError, match="one column"):
        ldp.encode_many(PLAN, np.ones((5, 2), np.int64), seed=1)
    with pytest.raises(ldp.DomainError, match="masked"):
        ldp.encode_many(PLAN, np.ma.array([1, 99], mask=[False, True]), seed=1)
    with pytest.raises(ldp.DomainError, match="in their order"):
        ldp.Domain.ordered({"a", "b"})


def test_the_first_of_many_wrong_values_is_named() -> None:
    with pytest.raises(ldp.DomainError, match="got 121"):
        ldp.encode_many(PLAN, [*[0] * 1000, 121, 122, 123], seed=1)


def test_aggregates_sum_without_a_start() -> None:
    assert sum([AGGREGATE, AGGREGATE]) == AGGREGATE + AGGREGATE


def test_an_aggregate_never_runs_over() -> None:
    users = [1 << 61, *AGGREGATE.users[1:]]
    half = ldp.Aggregate(PLAN, users, AGGREGATE.counts)
    with pytest.raises(ldp.LdprangeError, match=r"0 to 2\*\*62 reports"):
        half + half
