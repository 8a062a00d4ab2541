"""Denoising beside open ends and no answer: what is on the line is as well known as on a line of its own."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import ldprange as ldp
from ldprange.estimation.line_noise import LineNoise, NoiseGiven
from ldprange.levels import neighbours
from ldprange.support.arrays import Boundaries, Floats
from ldprange.workloads import ranges_of

Domain = ldp.Domain


class _Known:
    """The noise of cells with a covariance that is written down."""

    def __init__(self, covariance: Floats) -> None:
        self._below = np.pad(covariance, [(1, 0), (1, 0)]).cumsum(axis=0).cumsum(axis=1)

    def variances(self, low: Boundaries, high: Boundaries) -> Floats:
        below = self._below
        found: Floats = below[high, high] + below[low, low] - 2 * below[low, high]
        return found

    def block_variances(self, width: int, step: int) -> Floats:
        return self.variances(*neighbours(width, len(self._below) - 1, step))


@pytest.mark.parametrize("stretch", [slice(0, 12), slice(0, 11), slice(1, 12), slice(1, 10)])
def test_the_noise_on_a_stretch_is_that_given_its_total(stretch: slice) -> None:
    root = np.random.default_rng(5).normal(size=(12, 12))
    covariance = root @ root.T
    given = NoiseGiven(_Known(covariance), stretch)
    there = covariance[stretch, stretch]
    following = there.sum(axis=1) / there.sum()
    exact = _Known(there - np.outer(following, following) * there.sum())
    np.testing.assert_allclose(np.diff(given.total.weights), following, atol=1e-12)
    low, high = ranges_of(len(there))
    np.testing.assert_allclose(given.variances(low, high), exact.variances(low, high), atol=1e-9)
    for width in (1, 2, 4, 8, 16):
        found = given.block_variances(width, 1)
        np.testing.assert_allclose(found, exact.block_variances(width, 1), atol=1e-9)


def test_a_total_that_is_certain_leaves_the_noise_as_it_is() -> None:
    alike = np.eye(6) - 1 / 6
    given = NoiseGiven(_Known(alike), slice(0, 6))
    low, high = ranges_of(6)
    np.testing.assert_allclose(given.variances(low, high), _Known(alike).variances(low, high), atol=1e-12)
    np.testing.assert_allclose(np.diff(given.total.weights).sum(), 1)


@pytest.mark.parametrize("width", [1, 64, 1024, 4096])
def test_on_a_long_stretch_blocks_are_known_nearly(width: int) -> None:
    domain = Domain.integers(1, 5000, open_ends=True, no_answer=True)
    plan = ldp.choose_plan(domain, epsilon=1, expected_users=10_000)
    estimator = plan.estimator(10_000 * np.array(plan.probabilities))
    line = NoiseGiven(LineNoise(estimator, np.arange(domain.bins + 1), domain.bins), domain.plain_bins)
    step = max(1, width // 1024)
    found, exact = line.block_variances(width, step), line.variances(*neighbours(width, 5000, step))
    # at few places a stage's blocks end, and more is known
    assert np.quantile(np.abs(found - exact), 0.9) <= 0.03 * exact.max()


# Answers

RENTS = np.random.default_rng(0).gamma(6, 150, 50_000).clip(0, 2999)
BESIDE = {
    "an open end": Domain.real(0, 3000, 60, open_ends="high"),
    "both ends open": Domain.real(0, 3000, 60, open_ends=True),
    "no answer": Domain.real(0, 3000, 60, no_answer=True),
    "all of these": Domain.real(0, 3000, 60, open_ends=True, no_answer=True),
}
every_kind = pytest.mark.parametrize("domain", BESIDE.values(), ids=BESIDE.keys())


@cache
def _error(domain: Domain, surveys: int) -> float:
    """Return the root mean squared error of the shares below, of those who have a value."""
    plan, counts = ldp.choose_plan(domain, epsilon=1, expected_users=RENTS.size), domain.count(RENTS)
    below = np.cumsum(counts[domain.plain_bins]) / RENTS.size
    errors = []
    for seed in range(surveys):
        found = ldp.estimate(ldp.simulate(plan, counts, seed=seed), denoise=True)
        shares = (found.everyone if domain.optional else found).histogram(confidence=None).value
        errors.append(np.cumsum(shares[domain.plain_bins]) - below)
    return float(np.sqrt(np.mean(np.square(errors))))


@pytest.mark.slow
@every_kind
def test_bins_that_nobody_uses_cost_denoised_answers_hardly_anything(domain: Domain) -> None:
    """Of 16 surveys: 1.0 to 1.3 times the error; 1.8 to 2.6 with average people in the place of others."""
    assert _error(domain, 16) <= 1.4 * _error(Domain.real(0, 3000, 60), 16)


@cache
def _error_beside_rooms(rent: Domain, surveys: int) -> float:
    """Return the same where people say how many rooms they have, too."""
    rooms = np.clip((RENTS / 400).round(), 1, 6).astype(np.int64)
    several = Domain.product(rent=rent, rooms=Domain.integers(1, 6))
    plan = ldp.choose_plan(several, epsilon=2, expected_users=RENTS.size)
    below, errors = np.cumsum(rent.count(RENTS)[rent.plain_bins]) / RENTS.size, []
    for seed in range(surveys):
        reports = ldp.simulate_values(plan, {"rent": RENTS, "rooms": rooms}, seed=seed)
        found = ldp.estimate(reports, denoise=True).marginal("rent")
        shares = (found.everyone if rent.optional else found).histogram(confidence=None).value
        errors.append(np.cumsum(shares[rent.plain_bins]) - below)
    return float(np.sqrt(np.mean(np.square(errors))))


@pytest.mark.slow
@every_kind
def test_nor_with_several_attributes(domain: Domain) -> None:
    """Of 6 surveys: 1.0 to 1.7 times the error; 2.6 to 3.9 with average people in the place of others."""
    assert _error_beside_rooms(domain, 6) <= 2 * _error_beside_rooms(Domain.real(0, 3000, 60), 6)


def test_who_gave_an_answer_is_as_well_known_as_without_denoising() -> None:
    domain = BESIDE["no answer"]
    plan = ldp.choose_plan(domain, epsilon=1, expected_users=RENTS.size)
    counts = np.append(Domain.real(0, 3000, 60).count(RENTS[:40_000]), 10_000)
    reports = ldp.simulate(plan, counts, seed=3)
    denoised, unbiased = (ldp.estimate(reports, denoise=each).no_answer() for each in (True, False))
    assert denoised.value == pytest.approx(unbiased.value, abs=0.003)
