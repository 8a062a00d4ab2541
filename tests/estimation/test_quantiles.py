"""Quantiles: which crossing of a noisy cdf is taken, and that tails do not run away."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import isotonic_regression

import ldprange as ldp
from experiments.tails import BINS, QS, errors, populations


@given(seed=st.integers(0, 2**32 - 1), bins=st.integers(2, 60), q=st.floats(0.01, 0.99))
def test_a_quantile_is_where_the_isotonic_regression_crosses(seed: int, bins: int, q: float) -> None:
    rng = np.random.default_rng(seed)
    plan = ldp.Plan(ldp.Domain.real(0, bins, bins), 1.0, ldp.Flat(), ldp.GRR())
    found = ldp.estimate(
        ldp.simulate(plan, rng.multinomial(200, rng.dirichlet(np.full(bins, 0.3))), seed=seed)
    )
    cdf = np.append(0.0, found.cdf(confidence=None).value)
    inner = isotonic_regression(cdf[1:-1])
    below, above = np.searchsorted(inner, q - 1e-9), np.searchsorted(inner, q + 1e-9)
    value = found.quantile(q, confidence=None).value
    assert below <= int(value) <= above
    assert cdf[int(value)] <= q + 1e-9
    assert cdf[int(value) + 1] >= q - 1e-9


@pytest.mark.slow
def test_many_quantiles_are_the_same_as_one_at_a_time() -> None:
    domain = ldp.Domain.integers(0, 999)
    found = ldp.estimate(
        ldp.simulate(ldp.choose_plan(domain, epsilon=1.0, expected_users=1e4), np.full(1000, 10), seed=1)
    )
    qs = np.linspace(0, 1, 10_001)  # more than fit together
    together = found.quantiles(qs)
    lows, highs = np.asarray(together.low), np.asarray(together.high)
    for at in range(0, qs.size, 501):
        one = found.quantile(float(qs[at]))
        assert (together.value[at], lows[at], highs[at]) == (one.value, one.low, one.high)
    assert np.all(np.diff(together.value) >= 0)


def test_quantile_0_is_the_least_value_that_anyone_has() -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, 9), 20.0, ldp.Flat(), ldp.GRR())
    for seed in range(20):
        found = ldp.estimate(ldp.simulate(plan, [1] + [0] * 8 + [999], seed=seed))
        assert (found.quantile(0).value, found.quantile(1).value) == (0, 9)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lognormal", "delays", "pareto"])
def test_a_quantile_of_a_heavy_tail_stays_near(name: str) -> None:
    found = errors(populations(BINS)[name], 1.0, 300_000, 4)
    tail = QS.tolist().index(0.99)
    assert found["least check loss"][0, tail] < found["middle of envelopes"][0, tail] / 3
    assert found["least check loss"][0, tail] < 15  # % of the domain; the last crossing's is 77 to 92
