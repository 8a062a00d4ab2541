"""Denoising where reports nearly tell the values: noise is mostly that of drawing people."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import ldprange as ldp
from example_products import joint
from ldprange.decompositions import GridsLayout
from ldprange.estimation.pair_noise import PairNoise
from ldprange.support.arrays import Floats

BINS = 16
USERS = 30_000


def people(population: str, users: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], ...]:
    """Return two attributes of people drawn from a population."""
    common = rng.normal(size=users)
    if population == "normals":
        columns = [0.5 + 0.15 * (0.77 * common + 0.63 * rng.normal(size=users)) for _ in range(2)]
    else:
        columns = [np.exp(0.8 * (0.5 * common + 0.87 * rng.normal(size=users))) / 12 for _ in range(2)]
        columns[0][rng.random(users) < 0.3] = 0.0
    first, second = (np.clip(column * BINS, 0, BINS - 1).astype(np.int64) for column in columns)
    return first, second


def ends() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return every range of bins."""
    low, high = np.triu_indices(BINS)
    return low, high


@pytest.mark.slow
@pytest.mark.parametrize("population", ["normals", "amounts"])
def test_one_attribute_is_not_worse_denoised(population: str) -> None:
    # the mean over 15 surveys, always the same; 1.12 for amounts with the noise of an even population
    plan = ldp.choose_plan(ldp.Domain.integers(0, BINS - 1), epsilon=8.0, expected_users=USERS)
    low, high = ends()
    truth = np.bincount(people(population, 2_000_000, np.random.default_rng(1))[0], minlength=BINS) / 2e6
    upto = np.append(0.0, np.cumsum(truth))
    errors = np.zeros(2)
    for seed in range(15):
        values = people(population, USERS, np.random.default_rng(seed))[0]
        aggregate = ldp.simulate_values(plan, values, seed=seed)
        for k, denoise in enumerate((False, True)):
            found = ldp.estimate(aggregate, denoise=denoise).ranges(low, high, confidence=None).value
            errors[k] += np.mean((found - (upto[high + 1] - upto[low])) ** 2)
    assert errors[1] < 1.05 * errors[0]


@pytest.mark.slow
@pytest.mark.parametrize(("population", "surveys"), [("normals", 2), ("amounts", 5)])
def test_two_attributes_are_not_worse_denoised(population: str, surveys: int) -> None:
    # the mean over the surveys, always the same; 1.8 and 1.9 with the noise of an even population, and with
    # numbers that are asked about on one scale taken for categories. Of normals 0.3 to 0.8 in one survey
    domain = ldp.Domain.product(a=ldp.Domain.integers(0, BINS - 1), b=ldp.Domain.integers(0, BINS - 1))
    plan = ldp.choose_plan(domain, epsilon=8.0, expected_users=USERS, answers="denoised")
    which = np.random.default_rng(2).integers(0, BINS * (BINS + 1) // 2, (2, 400))
    low, high = (end[which] for end in ends())
    first, second = people(population, 1_000_000, np.random.default_rng(1))
    table = np.zeros((BINS + 1, BINS + 1))
    np.add.at(table, (first + 1, second + 1), 1e-6)
    upto = table.cumsum(axis=0).cumsum(axis=1)
    truth = upto[high[0] + 1, high[1] + 1] - upto[low[0], high[1] + 1]
    truth += upto[low[0], low[1]] - upto[high[0] + 1, low[1]]
    errors = np.zeros(2)
    for seed in range(surveys):
        first, second = people(population, USERS, np.random.default_rng(seed))
        aggregate = ldp.simulate_values(plan, {"a": first, "b": second}, seed=seed)
        for k, denoise in enumerate((False, True)):
            found = joint(aggregate, denoise=denoise)
            asked = {"a": (low[0], high[0]), "b": (low[1], high[1])}
            errors[k] += np.mean((found.ranges(asked, confidence=None).value - truth) ** 2)
    assert errors[1] < 1.1 * errors[0]


def test_what_both_attributes_tell_follows_what_is_known_of_each() -> None:
    # the mean and the covariance of some normal numbers, given others of them
    domain = ldp.Domain.product(a=ldp.Domain.integers(0, 3), b=ldp.Domain.integers(0, 3))
    plan = ldp.Plan(domain, 6.0, ldp.Grids.product([(2, 2), (4,)]), ldp.OUE())
    assert isinstance(plan.layout, GridsLayout)
    rng = np.random.default_rng(3)
    shares: Floats = rng.dirichlet(np.ones(16)).reshape(4, 4)
    table = plan.layout.table(plan.law(np.full(len(plan.levels), 500.0)), (0, 1))
    noise = PairNoise(table, [2, 1], shares)
    covariance = np.stack(
        [table.covariances(shares, [i, j], [i + 1, j + 1]).reshape(-1) for i in range(4) for j in range(4)]
    )
    margins = np.concatenate([np.kron(np.eye(4), np.ones(4)), np.kron(np.ones(4), np.eye(4))])
    gain = covariance @ margins.T @ np.linalg.pinv(margins @ covariance @ margins.T)
    estimate = rng.dirichlet(np.ones(16)).reshape(4, 4)
    own = [rng.dirichlet(np.ones(4)) for _ in range(2)]
    expected = estimate.reshape(-1) + gain @ (np.concatenate(own) - margins @ estimate.reshape(-1))
    np.testing.assert_allclose(noise.with_own(estimate, own).reshape(-1), expected, atol=1e-10)
    left = covariance - gain @ margins @ covariance
    np.testing.assert_allclose(noise.root @ noise.root.T, left, atol=1e-12)
