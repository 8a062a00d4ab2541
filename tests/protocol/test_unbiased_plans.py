"""Whole plans without bias: from the exact expected counts every range comes out as it is.

Expected counts are rational; times their common denominator they are whole numbers, and an aggregate like
any other. Each level gets a different multiple of people, so that nothing depends on their being equal.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

import ldprange as ldp
from exact_laws import expected_tally
from ldprange.aggregate import Aggregate
from ldprange.decompositions import Decomposition
from ldprange.levels import Level
from ldprange.oracles import Oracle

pytestmark = pytest.mark.slow

EPSILON = 1.1
MULTIPLES = (2, 1, 5, 3)
BINS = (1, 2, 3, 5, 6, 8, 12)
ORACLES: dict[str, Oracle] = {
    "GRR": ldp.GRR(),
    "OUE": ldp.OUE(),
    "OLH": ldp.OLH(symbols=3),
    "HRR": ldp.HRR(),
    "Subset": ldp.SubsetSelection(),
    "Hadamard-2": ldp.HadamardHashing(bits=2),
    "Hadamard-3": ldp.HadamardHashing(bits=3),
    "Hadamard-4": ldp.HadamardHashing(bits=4),
}
DECOMPOSITIONS: dict[str, Decomposition] = {
    "Flat": ldp.Flat(),
    "Tree-2": ldp.Tree(branching=2),
    "Tree-3": ldp.Tree(branching=3),
    "Tree-4": ldp.Tree(branching=4),
    "Haar": ldp.Haar(),
    "Windows": ldp.Windows(),
}
every_plan = pytest.mark.parametrize(
    ("bins", "decomposition", "oracle"),
    [(bins, kind, oracle) for bins in BINS for kind in DECOMPOSITIONS for oracle in ORACLES],
)


def _plan(bins: int, decomposition: str, oracle: str) -> ldp.Plan:
    return ldp.Plan(ldp.Domain.integers(0, bins - 1), EPSILON, DECOMPOSITIONS[decomposition], ORACLES[oracle])


def _expected_aggregate(plan: ldp.Plan, people: NDArray[np.int64]) -> Aggregate:
    users, tallies = [], []
    for at, (level, oracle) in enumerate(zip(plan.levels, plan.oracles, strict=True)):
        leaves = np.zeros(level.cells * level.size, np.int64)
        leaves[: people.size] = people
        holders = leaves.reshape(level.cells, level.size).sum(axis=1).tolist()
        tally, number = _expected_tally(oracle, level, holders)
        multiple = MULTIPLES[at % len(MULTIPLES)]
        users.append(multiple * number)
        tallies.append(multiple * tally)
    return Aggregate(plan, users, tallies)


def _expected_tally(oracle: Oracle, level: Level, holders: list[int]) -> tuple[NDArray[np.int64], int]:
    if level.shifts == 1:
        return expected_tally(oracle, level.cells, EPSILON, level.contrast, holders)
    rows = []  # of as many people each, who stand on a grid of windows
    for shift in range(level.shifts):
        windows = [0] * level.asked
        for item, number in enumerate(holders):
            windows[(item + shift) // level.shifts] += number
        rows.append(expected_tally(oracle, level.asked, EPSILON, False, windows))
    people = math.lcm(*(number for _, number in rows))
    table = np.array([[people, *(people // number * tally)] for tally, number in rows])
    return table.reshape(-1), level.shifts * people


@every_plan
@pytest.mark.parametrize("consistent", [True, False], ids=["consistent", "raw"])
def test_every_range_comes_out_as_it_is(bins: int, decomposition: str, oracle: str, consistent: bool) -> None:
    plan = _plan(bins, decomposition, oracle)
    people = np.array([(5 * i * i + 2 * i + 1) % 4 for i in range(bins)])  # uneven, with empty bins
    truth = people / people.sum()
    estimate = ldp.estimate(_expected_aggregate(plan, people), consistent=consistent)
    lows, highs = np.triu_indices(bins)
    wanted = [truth[low : high + 1].sum() for low, high in zip(lows, highs, strict=True)]
    found = estimate.ranges(lows, highs, confidence=None).value
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-9)


@every_plan
def test_padding_never_shows_in_a_noisy_estimate(bins: int, decomposition: str, oracle: str) -> None:
    plan = _plan(bins, decomposition, oracle)
    estimate = ldp.estimate(ldp.simulate(plan, np.full(bins, 40), seed=bins))
    histogram, cdf = estimate.histogram(), estimate.cdf()
    assert histogram.value.shape == (bins,)
    assert cdf.value.shape == (bins,)
    assert histogram.value.sum() == pytest.approx(1.0, abs=1e-12)
    assert cdf.value[-1] == 1.0
    np.testing.assert_allclose(np.cumsum(histogram.value), cdf.value, atol=1e-12)
    whole = estimate.range(0, bins - 1)
    assert (whole.value, whole.low, whole.high) == pytest.approx((1.0, 1.0, 1.0), abs=1e-6)
    for outside in (-1, bins):
        with pytest.raises(ldp.DomainError, match=rf"between 0 and {bins - 1}, got {outside}"):
            estimate.prefix(outside)


@pytest.mark.parametrize("bins", [6, 8])
def test_different_oracles_and_probabilities_on_every_level_are_unbiased_too(bins: int) -> None:
    levels = ldp.Tree(2).on(ldp.Domain.integers(1, bins)).levels
    oracles: list[Oracle] = [ldp.GRR(), ldp.OUE(), ldp.HRR()][: len(levels)]
    probabilities = np.arange(1.0, len(oracles) + 1) / np.sum(np.arange(1.0, len(oracles) + 1))
    plan = ldp.Plan(ldp.Domain.integers(0, bins - 1), EPSILON, ldp.Tree(2), oracles, probabilities.tolist())
    people = np.arange(bins)
    histogram = ldp.estimate(_expected_aggregate(plan, people)).histogram(confidence=None)
    np.testing.assert_allclose(histogram.value, people / people.sum(), atol=1e-9)
