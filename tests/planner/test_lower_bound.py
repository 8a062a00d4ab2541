"""The least variance that any unbiased scheme can have: against matrices, brute force, all of our plans."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

import ldprange as ldp
from experiments.comparison.lower_bound import least_prefixes, least_ranges, unit, water_filling
from experiments.comparison.methods import PLANNED, plan
from ldprange.support.arrays import Floats

EPSILONS = (0.2, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0)
Least = Callable[[int, float], float]
both = pytest.mark.parametrize("least", [least_ranges, least_prefixes])


def questions(least: Least, bins: int) -> Floats:
    """Return a row for each range, or for each prefix: 1 in the bins that it asks about."""
    starts = range(bins) if least is least_ranges else range(1)
    ends = [(start, end) for start in starts for end in range(start + 1, bins + 1)]
    place = np.arange(bins)
    return np.array([(place >= start) & (place < end) for start, end in ends], np.float64)


def quadratic_form(least: Least, bins: int) -> Floats:
    """Return the mean of all questions' squares, on the shares that add up to 0, in a basis of those."""
    asked = questions(least, bins)
    basis = np.linalg.svd(np.ones((1, bins)))[2][1:]
    form: Floats = basis @ asked.T @ asked @ basis.T / len(asked)
    return form


def sampling(least: Least, bins: int) -> float:
    """Return the mean of R(1 − R) over all questions, where people are spread evenly."""
    shares = questions(least, bins).mean(axis=1)
    return float(np.mean(shares * (1 - shares)))


@pytest.mark.parametrize(("bins", "ranges", "prefixes"), [(256, 6.54, 4.10), (1024, 10.10, 6.08)])
def test_the_least_variances_are_the_known_ones(bins: int, ranges: float, prefixes: float) -> None:
    assert (round(least_ranges(bins, 1.0), 2), round(least_prefixes(bins, 1.0), 2)) == (ranges, prefixes)


@both
@pytest.mark.parametrize("bins", [2, 3, 7, 16, 33, 64])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_where_no_eigenvalue_reaches_its_limit_the_bound_has_a_closed_form(
    least: Least, bins: int, epsilon: float
) -> None:
    roots = np.sqrt(np.linalg.eigvalsh(quadratic_form(least, bins)))
    closed = roots.sum() ** 2 / bins
    if roots.max() / roots.sum() <= unit(epsilon, 1):
        assert least(bins, epsilon) == pytest.approx(closed, rel=1e-9)
    else:
        assert least(bins, epsilon) > closed


@both
@pytest.mark.parametrize("bins", [256, 1024, 65536])
def test_no_eigenvalue_does_up_to_two(least: Least, bins: int) -> None:
    assert least(bins, 2.0) == pytest.approx(least(bins, 0.1), rel=1e-12)
    assert least(bins, 6.0) > 1.2 * least(bins, 2.0)


@both
@pytest.mark.parametrize("bins", [2, 16, 64])
def test_the_bound_is_at_least_what_drawing_people_costs(least: Least, bins: int) -> None:
    own = sampling(least, bins)
    bounds = [least(bins, epsilon) * unit(epsilon, 1) for epsilon in EPSILONS]
    assert all(bound >= own * (1 - 1e-12) for bound in bounds)
    assert all(before >= after * (1 - 1e-12) for before, after in pairwise(bounds))
    assert bounds[-1] == pytest.approx(own, rel=1e-9)


@pytest.mark.parametrize("method", PLANNED)
@pytest.mark.parametrize("bins", [16, 64, pytest.param(256, marks=pytest.mark.slow)])
def test_nothing_unbiased_is_below_the_bound(method: str, bins: int) -> None:
    for epsilon in EPSILONS:
        predicted = plan(method, bins, epsilon).predict(1)
        assert predicted.range_variance > least_ranges(bins, epsilon) * unit(epsilon, 1), epsilon
        assert predicted.prefix_variance > least_prefixes(bins, epsilon) * unit(epsilon, 1), epsilon


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "ratio"), [(2, 1.095), (3, 1.21), (4, 1.63), (6, 1.53), (8, 1.14)])
def test_how_far_our_plan_is_from_it_on_256_bins(epsilon: float, ratio: float) -> None:
    ours = plan("Windows", 256, float(epsilon)).predict(1).range_variance
    assert ours / (least_ranges(256, epsilon) * unit(epsilon, 1)) == pytest.approx(ratio, abs=0.006)


@pytest.mark.parametrize("bins", [8, 16, 100])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_on_fewer_bins_the_plan_that_is_chosen_is_within_about_15_per_cent(bins: int, epsilon: float) -> None:
    chosen = ldp.choose_plan(
        ldp.Domain.integers(0, bins - 1), epsilon=epsilon, expected_users=100_000
    ).predict(1)
    assert chosen.range_variance < 1.155 * least_ranges(bins, epsilon) * unit(epsilon, 1)


@pytest.mark.slow
@both
@pytest.mark.parametrize("epsilon", [0.5, 1.5, 2.0, 2.5, 3.0])
def test_no_information_matrix_on_three_bins_does_better(least: Least, epsilon: float) -> None:
    """Go through all of them: two eigenvalues up to D, and the angle of the first one's direction."""
    bins, form, trace = 3, quadratic_form(least, 3), 1 / unit(epsilon, 1)
    steps = np.linspace(0, min(trace, 1.0), 201)[1:]
    first, second, angle = np.meshgrid(steps, steps, np.linspace(0, math.pi, 61), indexing="ij")
    cosine, sine = np.cos(angle), np.sin(angle)
    along = cosine**2 * form[0, 0] + 2 * cosine * sine * form[0, 1] + sine**2 * form[1, 1]
    variances = (along / first + (np.trace(form) - along) / second) / bins
    found = variances[first + second <= trace * (1 + 1e-12)].min()
    bound = least(bins, epsilon) * unit(epsilon, 1)
    assert bound * (1 - 1e-9) <= found < 1.02 * bound


@pytest.mark.parametrize("total", [0.05, 0.7, 1.3, 2.2, 2.9, 3.0, 3.5])
def test_water_filling_is_the_best_of_all_ways_to_share_out(total: float) -> None:
    """On a grid of all shares of three numbers; the last takes what is left, up to 1."""
    roots = np.array([0.4, 1.0, 3.0])
    steps = np.linspace(0, min(total, 1.0), 1001)[1:]
    first, second = np.meshgrid(steps, steps, indexing="ij")
    third = np.minimum(total - first - second, 1.0)
    kept = third > 0
    costs = roots[0] ** 2 / first[kept] + roots[1] ** 2 / second[kept] + roots[2] ** 2 / third[kept]
    shared = water_filling(roots, total)
    best = np.sum(roots**2 / shared)
    assert shared.sum() == pytest.approx(min(total, 3.0))
    assert best * (1 - 1e-9) <= costs.min() < 1.02 * best
