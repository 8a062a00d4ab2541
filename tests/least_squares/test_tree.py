"""The one basis against dense linear algebra, and against the procedures that it replaces."""

from __future__ import annotations

import numpy as np
import pytest

from dense_least_squares import DenseTree, all_ranges, law_of, sums, variances_of
from ldprange.decompositions import Haar
from ldprange.decompositions.tree_layout import stacked
from ldprange.domain import Domain
from ldprange.least_squares.tree import TreeFit
from ldprange.least_squares.tree_variances import range_variances
from ldprange.levels import Level
from ldprange.noise import Law, Noise
from ldprange.support.arrays import Floats

Tree = tuple[tuple[int, ...], int, bool]

TREES: list[Tree] = [
    # branchings from the root down, real bins, nested
    ((6,), 6, True),
    ((6,), 4, True),
    ((2,), 1, True),
    ((2, 2, 2), 8, True),
    ((2, 2, 2, 2), 11, True),
    ((4, 5, 3), 60, True),
    ((2, 3, 4), 24, True),
    ((2, 3, 4), 19, True),
    ((3, 2, 5, 2), 60, True),
    ((3, 2, 5, 2), 41, True),
    ((2,), 2, False),
    ((2,), 1, False),
    ((2, 2, 2), 8, False),
    ((2, 2, 2, 2), 11, False),
    ((2, 2, 2, 2, 2), 17, False),
]
every_tree = pytest.mark.parametrize(
    "tree", TREES, ids=[f"{'x'.join(map(str, b))}-{n}-{'tree' if t else 'haar'}" for b, n, t in TREES]
)


def _both(tree: Tree, seed: int = 1) -> tuple[TreeFit, DenseTree, list[Level]]:
    branchings, bins, nested = tree
    levels = list(stacked(branchings))
    # unequal by a factor of up to a hundred, in no order
    variances = 10.0 ** np.random.default_rng(seed).uniform(-3, -1, len(levels))
    return (
        TreeFit(levels, bins, nested, variances),
        DenseTree(levels, bins, nested, variances.tolist()),
        levels,
    )


@every_tree
def test_the_estimate_is_constrained_least_squares(tree: Tree) -> None:
    details, dense, levels = _both(tree)
    rng = np.random.default_rng(2)
    estimates = [rng.normal(1 / level.cells, 0.3, level.cells) for level in levels]
    found = details.fit(estimates)
    assert found.shape == (tree[1],)
    np.testing.assert_allclose(found, dense.fit(estimates), atol=1e-10)
    assert found.sum() == pytest.approx(1.0, abs=1e-12)


@every_tree
def test_consistent_levels_are_left_as_they_are(tree: Tree) -> None:
    details, _, levels = _both(tree)
    leaves = np.zeros(details.leaves)
    leaves[: tree[1]] = np.random.default_rng(3).dirichlet(np.ones(tree[1]))
    np.testing.assert_allclose(
        details.fit([sums(level) @ leaves for level in levels]), leaves[: tree[1]], atol=1e-12
    )


def _covariances(details: TreeFit) -> Floats:
    """Return the working covariances of the shares below any two boundaries."""
    boundaries = np.arange(details.leaves + 1)
    return np.array([np.interp(boundaries, *details.below(cut)) for cut in boundaries.tolist()])


@every_tree
def test_the_working_covariance_is_that_of_least_squares(tree: Tree) -> None:
    details, dense, _ = _both(tree)
    upto = np.tri(details.leaves + 1, details.leaves, -1)
    np.testing.assert_allclose(_covariances(details), upto @ dense.covariance @ upto.T, atol=1e-12)


@every_tree
def test_shrink_is_the_variance_along_each_levels_details(tree: Tree) -> None:
    details, dense, levels = _both(tree)
    for level, shrink in zip(levels, details.shrink, strict=True):
        children = np.zeros((level.cells // level.branching, level.branching))
        children[0, :2] = 1.0, -1.0
        direction = sums(level).T @ children.reshape(-1)
        direction /= np.linalg.norm(direction)
        np.testing.assert_allclose(dense.covariance @ direction, shrink * direction, atol=1e-12)


@every_tree
def test_mean_variances_are_those_over_all_ranges_and_prefixes(tree: Tree) -> None:
    details, dense, _ = _both(tree)
    low, _, rows = all_ranges(tree[1])
    each = variances_of(rows, dense.conditioned)
    ranges, prefixes = details.mean_variances()
    assert ranges == pytest.approx(each.mean(), rel=1e-9, abs=1e-15)
    assert prefixes == pytest.approx(each[low == 0].mean(), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(("branching", "height"), [(2, 4), (3, 3), (4, 2)])
def test_at_equal_variances_it_is_the_two_stage_procedure(branching: int, height: int) -> None:
    """Hay, Rastogi, Miklau and Suciu (2010): weighted averages upward, then equal corrections downward.

    Their procedure ends by taking the root as it was estimated; here it is known to be 1.
    """
    levels = stacked((branching,) * height)
    rng = np.random.default_rng(branching)
    reported = [rng.normal(1 / level.cells, 0.2, level.cells) for level in levels]

    averaged = [reported[-1]]  # leaves first
    for at, nodes in enumerate(reversed(reported[:-1]), start=2):
        power = branching**at
        below = averaged[-1].reshape(-1, branching).sum(axis=1)
        own = (power - power // branching) / (power - 1)
        averaged.append(own * nodes + (power // branching - 1) / (power - 1) * below)
    final = np.ones(1)
    for nodes in reversed(averaged):
        siblings = nodes.reshape(-1, branching)
        lacking = final - siblings.sum(axis=1)
        final = (siblings + lacking[:, None] / branching).reshape(-1)

    details = TreeFit(levels, branching**height, True, np.full(height, 0.04))
    np.testing.assert_allclose(details.fit(reported), final, atol=1e-12)


def test_haar_is_the_explicit_matrix() -> None:
    transform = np.array(
        [
            [1, 1, 1, 1, 1, 1, 1, 1],
            [1, 1, 1, 1, -1, -1, -1, -1],
            [1, 1, -1, -1, 0, 0, 0, 0],
            [0, 0, 0, 0, 1, 1, -1, -1],
            [1, -1, 0, 0, 0, 0, 0, 0],
            [0, 0, 1, -1, 0, 0, 0, 0],
            [0, 0, 0, 0, 1, -1, 0, 0],
            [0, 0, 0, 0, 0, 0, 1, -1],
        ]
    )
    coefficients = np.random.default_rng(5).normal(size=7)
    wanted = np.linalg.solve(transform, [1.0, *coefficients])

    levels = Haar().on(Domain.integers(1, 8)).levels
    assert [level.cells for level in levels] == [2, 4, 8]
    # a level's estimates are plus and minus half of each coefficient, whatever it says of the mean
    estimates = [
        np.stack([half, -half], axis=1).reshape(-1) + 0.7
        for half in (coefficients[:1] / 2, coefficients[1:3] / 2, coefficients[3:] / 2)
    ]
    variances = np.array([0.3, 0.02, 0.1])
    details = TreeFit(levels, 8, False, variances)
    np.testing.assert_allclose(details.fit(estimates), wanted, atol=1e-12)

    inverse = np.linalg.inv(transform)
    spread = np.diag([0.0, 2 * 0.3, 2 * 0.02, 2 * 0.02, 2 * 0.1, 2 * 0.1, 2 * 0.1, 2 * 0.1])
    covariance = inverse @ spread @ inverse.T  # a difference of two has twice the variance
    upto = np.tri(9, 8, -1)
    np.testing.assert_allclose(_covariances(details), upto @ covariance @ upto.T, atol=1e-12)


# What reports really add: exact variances of ranges, with any weights and any population


def _populations(bins: int) -> dict[str, Floats]:
    rising = np.arange(1.0, bins + 1) ** 3
    return {
        "even": np.full(bins, 1 / bins),
        "skewed": rising / rising.sum(),
        "alone": np.eye(bins)[bins // 2],
        "gaps": np.random.default_rng(9).dirichlet(np.full(bins, 0.1)),
    }


def _true_covariance(dense: DenseTree, law: Law, levels: list[Level], shares: Floats) -> Floats:
    """Return the covariance of the estimated bins, from the second moment of every level's reports.

    Σ_k W_k (M_k − θ_k θ_kᵀ) W_kᵀ/N_k, less (diag θ − θθᵀ)/N′: people are drawn
    from a finite population.
    """
    leaves = np.zeros(levels[0].cells * levels[0].size)
    leaves[: shares.size] = shares
    total: Floats = -(np.diag(shares) - np.outer(shares, shares)) / law.fixed_people
    for level, map_, noise, users in zip(levels, dense.maps, law.noises, law.users, strict=True):
        held, ones = sums(level) @ leaves, np.ones(level.cells)
        moment = (
            noise.spread * np.eye(level.cells)
            + noise.occupied * np.diag(held)
            + noise.total * np.outer(ones, ones)
            + noise.cross * (np.outer(ones, held) + np.outer(held, ones))
        )
        total += map_ @ (moment - np.outer(held, held)) @ map_.T / users
    return total


@every_tree
@pytest.mark.parametrize("population", ["even", "skewed", "alone", "gaps"])
def test_range_variances_are_exact(tree: Tree, population: str) -> None:
    details, dense, levels = _both(tree)  # its weights have nothing to do with the noise below
    shares, law = _populations(tree[1])[population], law_of(len(levels))
    low, high, rows = all_ranges(tree[1])
    wanted = variances_of(rows, _true_covariance(dense, law, levels, shares))
    cdf = np.concatenate([[0.0], np.cumsum(shares)])
    slack = 1e-12 * max(1.0, np.abs(wanted).max())
    # all at once, and the kinds of ranges that may be worked out in a shorter way
    for chosen in (low >= 0, low == 0, high == tree[1], (low > 0) & (high < tree[1])):
        found = range_variances(details, law, cdf, low[chosen], high[chosen])
        np.testing.assert_allclose(found, np.maximum(wanted[chosen], 0.0), rtol=1e-8, atol=slack)


def test_one_range_at_a_time_is_the_same_as_all_at_once() -> None:
    tree: Tree = ((3, 2, 5, 2), 41, True)
    details, _, levels = _both(tree)
    cdf = np.concatenate([[0.0], np.cumsum(_populations(41)["gaps"])])
    low, high, _ = all_ranges(41)
    together = range_variances(details, law_of(len(levels)), cdf, low, high)
    for at in range(0, low.size, 37):
        alone = range_variances(details, law_of(len(levels)), cdf, low[at : at + 1], high[at : at + 1])
        assert alone[0] == pytest.approx(together[at], rel=1e-9, abs=1e-15)


def test_a_range_of_nothing_and_the_whole_have_no_variance() -> None:
    for tree in TREES:
        details, _, levels = _both(tree)
        cdf = np.concatenate([[0.0], np.cumsum(_populations(tree[1])["skewed"])])
        ends = np.array([0, 0, tree[1]])
        found = range_variances(details, law_of(len(levels)), cdf, ends, np.array([0, tree[1], tree[1]]))
        np.testing.assert_allclose(found, 0.0, atol=1e-12)


def test_a_level_that_nobody_reported_on_has_all_the_variance_there_is() -> None:
    levels = list(stacked((2, 2)))
    law = Law(np.array([1000.0, 0.0]), (Noise(spread=4.0), Noise(spread=4.0)), fixed_people=1000.0)
    details = TreeFit(levels, 4, True, law.node_variances([2, 4]))
    cdf = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    half, quarter = range_variances(details, law, cdf, np.array([0, 0]), np.array([2, 1]))
    # the first level alone tells half of the difference of two nodes, about all its people
    assert half == pytest.approx((4.0 / 2 - 0.25) / 1000, rel=1e-3)
    assert quarter > 1e6
