"""The tree as it was reported: a range is the sum of the fewest nodes, with exactly that sum's variance."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import ldprange as ldp
from dense_least_squares import all_ranges
from exact_laws import expected_tally
from ldprange.aggregate import Aggregate
from ldprange.estimation.raw import RawShares
from ldprange.estimation.shares import level_estimates
from ldprange.oracles import Oracle

EPSILON = 1.3
CASES = [(bins, branching) for bins in (2, 5, 8, 11, 12, 27) for branching in (2, 3, 4)]
every_tree = pytest.mark.parametrize(("bins", "branching"), CASES)


def _plan(bins: int, branching: int, oracle: Oracle) -> ldp.Plan:
    return ldp.Plan(ldp.Domain.integers(0, bins - 1), EPSILON, ldp.Tree(branching), oracle)


def _cover(plan: ldp.Plan, low: int, high: int) -> list[list[int]]:
    """Return the nodes of every level that make up bins ``low`` … ``high − 1``, found from the root down."""
    chosen: list[list[int]] = [[] for _ in plan.levels]
    if (low, high) == (0, plan.domain.bins):
        return chosen

    def visit(depth: int, node: int) -> None:
        level = plan.levels[depth]
        start, stop = node * level.size, (node + 1) * level.size
        if low <= start and stop <= high:
            chosen[depth].append(node)
        elif start < high and low < stop:
            below = plan.levels[depth + 1].branching
            for child in range(node * below, (node + 1) * below):
                visit(depth + 1, child)

    for node in range(plan.levels[0].cells):
        visit(0, node)
    return chosen


@every_tree
def test_a_range_is_the_sum_of_the_fewest_nodes(bins: int, branching: int) -> None:
    plan = _plan(bins, branching, ldp.OUE())
    aggregate = ldp.simulate(plan, np.full(bins, 50), seed=1)
    nodes, shares = level_estimates(aggregate), RawShares(aggregate)
    low, high, _ = all_ranges(bins)
    found = shares.share(low, high)
    for at, (start, stop) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        if (start, stop) == (0, bins):
            assert found[at] == 1.0
        else:
            cover = _cover(plan, start, stop)
            wanted = sum(level[chosen].sum() for level, chosen in zip(nodes, cover, strict=True))
            assert found[at] == pytest.approx(wanted, abs=1e-12)


def _expected(plan: ldp.Plan, people: NDArray[np.int64]) -> Aggregate:
    users, tallies = [], []
    for level, oracle in zip(plan.levels, plan.oracles, strict=True):
        leaves = np.zeros(level.cells * level.size, np.int64)
        leaves[: people.size] = people
        holders = leaves.reshape(level.cells, level.size).sum(axis=1).tolist()
        tally, number = expected_tally(oracle, level.cells, EPSILON, False, holders)
        users.append(number)
        tallies.append(tally)
    return Aggregate(plan, users, tallies)


@every_tree
@pytest.mark.parametrize("oracle", [ldp.GRR(), ldp.OUE(), ldp.HRR()], ids=["GRR", "OUE", "HRR"])
def test_its_variance_is_that_of_the_sum(bins: int, branching: int, oracle: Oracle) -> None:
    plan = _plan(bins, branching, oracle)
    people = np.arange(bins) % 4
    shares = people / people.sum()
    # the estimate is exactly the truth, so the variance is about the true population
    aggregate = _expected(plan, people)
    low, high, rows = all_ranges(bins)
    found = RawShares(aggregate, "respondents").spread(low, high).variance
    leaves = np.zeros(plan.levels[0].cells * plan.levels[0].size)
    leaves[:bins] = shares
    for at, (start, stop) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        inside = rows[at] @ shares
        wanted = -inside * (1 - inside) / sum(aggregate.users)
        for level, mechanism, users, chosen in zip(
            plan.levels, plan.mechanisms, aggregate.users, _cover(plan, start, stop), strict=True
        ):
            noise, held = mechanism.noise, leaves.reshape(level.cells, level.size).sum(axis=1)
            w, ones = np.zeros(level.cells), np.ones(level.cells)
            w[chosen] = 1.0
            moment = noise.spread * np.eye(level.cells) + noise.occupied * np.diag(held)
            moment += noise.total * np.outer(ones, ones)
            moment += noise.cross * (np.outer(ones, held) + np.outer(held, ones))
            wanted += (w @ moment @ w - (w @ held) ** 2) / users
        if (start, stop) == (0, bins):
            wanted = 0.0
        assert found[at] == pytest.approx(wanted, rel=1e-6, abs=1e-9 / min(aggregate.users))
