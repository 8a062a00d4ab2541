"""People within cells of several bins: cells keep their shares, and smooth populations come out smooth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ldprange as ldp
from ldprange.estimation.within_cells import within_cells

CELLS = st.lists(st.tuples(st.floats(0, 1), st.integers(1, 6)), min_size=1, max_size=12)


@given(CELLS)
def test_cells_keep_their_shares_and_no_bin_is_negative(made: list[tuple[float, int]]) -> None:
    cells, sizes = np.array([share for share, _ in made]), np.array([size for _, size in made])
    ends = np.append(0, np.cumsum(sizes))
    bins = within_cells(cells, ends)
    assert bins.min() >= 0
    np.testing.assert_allclose(np.add.reduceat(bins, ends[:-1]), cells, atol=1e-12)
    mirrored = within_cells(cells[::-1], np.append(0, np.cumsum(sizes[::-1])))
    np.testing.assert_allclose(mirrored[::-1], bins, atol=1e-12)


def test_an_even_population_stays_even() -> None:
    np.testing.assert_allclose(within_cells(np.full(5, 0.2), np.arange(0, 21, 4)), 0.05)


@pytest.mark.parametrize("centre", [0.1, 0.4, 0.9])
def test_a_bell_is_nearer_than_by_even_cells(centre: float) -> None:
    place = (np.arange(64) + 0.5) / 64
    bell = np.exp(-((place - centre) ** 2) / 0.03)
    bell /= bell.sum()
    ends = np.arange(0, 65, 4)
    cells = np.add.reduceat(bell, ends[:-1])
    away = [
        np.abs(np.cumsum(found - bell)).sum()
        for found in (within_cells(cells, ends), np.repeat(cells / 4, 4))
    ]
    assert away[0] < 0.25 * away[1]


@pytest.mark.slow
def test_plans_that_ask_about_few_cells_have_smooth_margins() -> None:
    """Of the distributions of single attributes, also where no report tells bins apart."""
    domain = ldp.Domain.product(a=ldp.Domain.integers(0, 63), b=ldp.Domain.integers(0, 63))
    plan = ldp.choose_plan(domain, epsilon=0.6, expected_users=30_000, answers="denoised")
    rng = np.random.default_rng(1)
    people = {name: np.clip(rng.normal(32, 9, 30_000), 0, 63).astype(int) for name in "ab"}
    truth = np.cumsum(np.bincount(people["a"], minlength=64)) / 30_000
    away = np.zeros(2)
    for seed in range(10):
        aggregate = ldp.simulate_values(plan, people, seed=seed)
        for at, denoise in enumerate((True, False)):
            found = ldp.estimate(aggregate, denoise=denoise).marginal("a").cdf(confidence=None)
            away[at] += ((found.value - truth) ** 2).mean()
    assert away[0] < 0.5 * away[1]
