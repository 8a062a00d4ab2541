"""Means, and whether their intervals hold."""

from __future__ import annotations

import numpy as np
import pytest

import ldprange as ldp
from ldprange.estimation.means import mean_variance

DOMAIN = ldp.Domain.integers(-3, 28)
PEOPLE = np.round(3000 * np.random.default_rng(1).dirichlet(np.full(32, 0.4))).astype(np.int64)
TRUTH = float(np.arange(-3, 29) @ PEOPLE / PEOPLE.sum())
PLANS = {
    "chosen": ldp.choose_plan(DOMAIN, epsilon=1.0, expected_users=3000),
    "chosen at 4": ldp.choose_plan(DOMAIN, epsilon=4.0, expected_users=3000),
    "Haar": ldp.Plan(DOMAIN, 1.0, ldp.Haar(), ldp.HRR()),
    "flat": ldp.Plan(DOMAIN, 2.0, ldp.Flat(), ldp.GRR()),
}
SURVEYS = 100


@pytest.mark.parametrize("name", PLANS)
def test_the_interval_of_a_mean_holds_what_it_says(name: str) -> None:
    """Of 100 intervals 95 hold on average, with a deviation of 2.2; 85 or fewer less than once in 2,000.

    The population is those who answered (nobody was drawn), as in simulations.
    """
    found = [
        ldp.estimate(ldp.simulate(PLANS[name], PEOPLE, seed=seed), population=int(PEOPLE.sum()))
        for seed in range(SURVEYS)
    ]
    means = [each.mean() for each in found]
    held = sum(low <= TRUTH <= high for low, high in filter(None, (mean.interval for mean in means)))
    assert held > 85
    values = np.array([mean.value for mean in means])
    predicted = np.mean([mean_variance(each._shares, DOMAIN.middles()) for each in found])  # type: ignore[arg-type]
    # a variance of 100 draws is off by 14% (one deviation)
    assert values.var() == pytest.approx(predicted, rel=0.56)
    assert abs(values.mean() - TRUTH) < 4 * np.sqrt(predicted / SURVEYS)


def test_two_bins_have_the_interval_of_their_share() -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, 1), 1.0, ldp.Flat(), ldp.GRR())
    found = ldp.estimate(ldp.simulate(plan, np.array([700, 300]), seed=1))
    share = found._shares.spread(np.array([1]), np.array([2])).variance[0]  # type: ignore[attr-defined]
    assert mean_variance(found._shares, np.array([0.0, 1.0])) == pytest.approx(share)  # type: ignore[arg-type]
    assert mean_variance(found._shares, np.array([5.0, 15.0])) == pytest.approx(100 * share)  # type: ignore[arg-type]


def test_bins_taken_together_change_it_little() -> None:
    """100 draws tell a deviation to 7%."""
    plan, people = ldp.Plan(ldp.Domain.real(0, 1, 1024), 1.0, ldp.Haar(), ldp.HRR()), np.full(1024, 100)
    found = [ldp.estimate(ldp.simulate(plan, people, seed=seed), population=102_400) for seed in range(100)]
    predicted = mean_variance(found[0]._shares, plan.domain.middles())  # type: ignore[arg-type]
    values = [each.mean(confidence=None).value for each in found]
    assert np.std(values) == pytest.approx(np.sqrt(predicted), rel=0.3)


def test_one_bin_has_a_mean_that_is_sure() -> None:
    plan = ldp.Plan(ldp.Domain.integers(7, 7), 1.0, ldp.Flat(), ldp.GRR())
    mean = ldp.estimate(ldp.simulate(plan, np.array([9]), seed=1)).mean()
    assert (mean.low, mean.value, mean.high) == (7.0, 7.0, 7.0)


def test_without_confidence_there_is_no_interval() -> None:
    found = ldp.estimate(ldp.simulate(PLANS["Haar"], PEOPLE, seed=1))
    assert found.mean(confidence=None).interval is None
    assert found.mean(confidence=None).value == found.mean().value
