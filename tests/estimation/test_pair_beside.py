"""Tables of two attributes with open ends and no answer: who is there may be quite other people."""

from __future__ import annotations

import numpy as np
import pytest

import ldprange as ldp
from ldprange.decompositions import GridsLayout
from ldprange.estimation.pair_beside import noise_along_a_cell, with_bins_apart
from ldprange.estimation.raking import raked
from ldprange.least_squares.table import Boxes, JointFit

Domain = ldp.Domain
TOWNS = ["p", "q", "r", "s"]
RENTS = Domain.product(
    rent=Domain.integers(0, 31, open_ends="high", no_answer=True), town=Domain.categories(TOWNS)
)


def table_of(*bins: int, epsilon: float) -> JointFit:
    """Return how all grids of a plan come together in two attributes, with 10,000 people."""
    domain = Domain.product({name: Domain.integers(1, each) for name, each in zip("ab", bins, strict=True)})
    plan = ldp.choose_plan(domain, epsilon=epsilon, expected_users=10_000)
    assert isinstance(plan.layout, GridsLayout)
    return plan.layout.table(plan.law([10_000 * each for each in plan.probabilities]), (0, 1))


@pytest.mark.parametrize("attribute", [0, 1])
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_the_noise_in_one_cell_is_exact_in_an_even_population(attribute: int, epsilon: float) -> None:
    table = table_of(16, 8, epsilon=epsilon)
    spread, occupied = noise_along_a_cell(table, attribute)
    other = table.axes[1 - attribute]
    half = other.leaves // 2
    ends = [(0, half), (half, other.leaves), (0, other.leaves)]
    low, high = np.zeros((2, 2, 3), np.int64)
    low[attribute], high[attribute] = 3, 4
    low[1 - attribute], high[1 - attribute] = np.transpose(ends)
    one, two, both = table.even_variances(Boxes(list(low), list(high)))
    assert other.branchings[0] == 2  # so the first detail tells one half from the other
    np.testing.assert_allclose(spread[1] + occupied[1], (2 * (one + two) - both) / other.leaves, rtol=1e-9)


def test_what_is_sure_is_believed_and_the_rest_makes_up_for_it() -> None:
    table = table_of(8, 4, epsilon=8.0)
    own = [np.full(8, 1 / 8), np.full(4, 1 / 4)]
    alike, estimate = np.full((8, 4), 1 / 32), np.full((8, 4), 1 / 32)
    estimate[7] += np.array([3, -1, -1, -1]) / 40
    found = with_bins_apart(table, estimate, alike, own, [np.array([7]), np.array([], np.int64)])
    np.testing.assert_allclose(found[7], estimate[7], atol=0.01)
    np.testing.assert_allclose(found.sum(axis=0), own[1], atol=1e-6)
    np.testing.assert_allclose(found.sum(axis=1), own[0], atol=1e-6)
    np.testing.assert_allclose(found[:7], np.tile(found[0], (7, 1)))  # those who have a value, in proportion


def test_what_noise_may_be_changes_nothing() -> None:
    table = table_of(8, 4, epsilon=1.0)
    shares = raked(np.random.default_rng(3).gamma(2, size=(8, 4)), {(): np.array(1.0)})
    own, none = [shares.sum(axis=1), shares.sum(axis=0)], np.array([], np.int64)
    estimate = shares + 0.5 * np.sqrt(noise_along_a_cell(table, 0)[0][1:].min()) * np.sin(shares)
    found = with_bins_apart(table, estimate, shares, own, [np.array([7]), none])
    np.testing.assert_allclose(found, shares, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1.0, 2.0])
def test_denoised_shares_of_bins_apart_are_not_those_of_everybody_else(epsilon: float) -> None:
    """In one of four towns half of all are beyond the end, and nobody elsewhere, where one in ten declines.

    Of eight surveys: 0.7 of the unbiased squared error; as neighbours of values, 2.4 and 2.0.
    """
    rng, people = np.random.default_rng(0), 100_000
    town = rng.choice(TOWNS, people, p=[0.4, 0.3, 0.2, 0.1])
    rent = rng.integers(0, 32, people).astype(float)
    there = town == "s"
    rent[there & (rng.random(people) < 0.5)] = np.inf
    rent[~there & (rng.random(people) < 0.1)] = np.nan
    plan = ldp.choose_plan(RENTS, epsilon=epsilon, expected_users=people)
    bins = RENTS.attribute("rent").index(rent), RENTS.attribute("town").index(town)
    truth = np.zeros(RENTS.shape)
    np.add.at(truth, bins, 1 / people)
    errors = {False: 0.0, True: 0.0}
    for seed in range(8):
        reports = ldp.simulate_values(plan, {"rent": rent, "town": town}, seed=seed)
        for denoise in errors:
            found = ldp.estimate(reports, denoise=denoise).everyone.histogram(confidence=None).value
            errors[denoise] += float(((found - truth)[32:] ** 2).sum())
    assert errors[True] <= 1.0 * errors[False]
