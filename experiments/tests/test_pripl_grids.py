"""PriPL-Tree on several attributes: its grids and how they agree with trees, against literal versions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from experiments.adaptive_tree import without_negatives
from experiments.many import updates
from experiments.many.adaptive_grids import _Side, adaptive_cells, assumed_variance
from experiments.many.data import BINS, people
from experiments.many.hdg import hdg
from experiments.many.pripl_grids import _Fit, agreed, corrected, heard, pripl_grids, response_matrix
from experiments.many.queries import random_queries, true_answers
from experiments.pripl_tree import Leaves
from ldprange import OUE
from ldprange.support.arrays import Floats


def leaves(edges: list[int], shares: list[float], variance: float = 1e-4) -> Leaves:
    """Return leaves that people are even in."""
    return Leaves(np.array(edges), np.array(shares), np.full(len(shares), variance), np.zeros(len(shares)))


FIRST = leaves([0, 4, 5, 6, 10, 16], [0.2, 0.05, 0.05, 0.4, 0.3])
SECOND = leaves([0, 8, 16], [0.5, 0.5])
SIDES = (np.array([0, 2, 4, 6, 10, 13, 14, 16]), np.array([0, 8, 12, 16]))
"""Leaf 0 is two cells, 1 and 2 are one, 3 is one and 4 is three; on the other side leaf 1 is two."""


def test_without_noise_all_bins_are_cells_and_with_much_none() -> None:
    fine, coarse = (adaptive_cells(FIRST, SECOND, variance) for variance in (1e-9, 10.0))
    assert [edges.tolist() for edges in fine] == [list(range(17))] * 2
    assert [edges.tolist() for edges in coarse] == [[0, 16]] * 2


def test_a_cell_is_split_where_its_halves_are_most_alike() -> None:
    """Bins have 1, 3, … 15 of 64: the first five have 25, and the first six 36."""
    side = _Side(Leaves(np.array([0, 8]), np.ones(1), np.zeros(1), np.array([2 / 64])), 1e-4)
    side.split(others=2)
    assert side.edges.tolist() == [0, 6, 8]
    np.testing.assert_allclose(side.shares, [36 / 64, 28 / 64])
    assert side.splittable.all()
    assert not side.joinable.any()


@pytest.mark.parametrize("others", [1, 5, 9, 20])
def test_cells_are_split_and_joined_where_that_makes_errors_less(others: int) -> None:
    """Noise of all cells, and η times the square of what is taken to be even."""
    variance, part = 1e-3, 3 / 8
    one = variance * others + 0.04 * 0.8**2
    two = variance * others * 2 + 0.04 * ((part * 0.3) ** 2 + ((1 - part) * 0.5) ** 2)
    apart = _Side(leaves([0, 3, 8, 9], [0.3, 0.5, 0.2]), variance)
    apart.joinable[2] = False
    apart.join(others)
    assert (apart.edges.tolist() == [0, 3, 8, 9]) == (two < one)
    even = np.array([0.8 / 8] * 8)
    together = _Side(leaves([0, 8, 9], [0.8, 0.2]), variance)
    together.split(others)
    halves = variance * others * 2 + 0.04 * 2 * (even[:4].sum() / 2) ** 2
    assert (together.edges.size == 4) == (halves < one)


def test_no_part_is_smaller_than_noise() -> None:
    """With a standard deviation of 0.1: 0.15 is not split, and two leaves below 0.1 are joined."""
    side = _Side(leaves([0, 8, 12, 16], [0.15, 0.09, 0.76]), 0.01)
    side.splittable[2] = False
    side.split(others=0)
    assert side.edges.tolist() == [0, 8, 12, 16]
    assert side.splittable.tolist() == [False, True, False]
    small = _Side(leaves([0, 8, 12, 16], [0.07, 0.09, 0.84]), 0.01)
    small.join(others=0)
    assert small.edges.tolist() == [0, 12, 16]


def test_a_cell_without_a_neighbour_to_join_stays() -> None:
    side = _Side(leaves([0, 8, 12, 16], [0.07, 0.09, 0.84]), 0.01)
    side.joinable[1] = False
    side.join(others=10**6)
    assert (side.edges.tolist(), side.joinable.tolist()) == ([0, 8, 12, 16], [False, False, True])


def test_the_assumed_variance_is_the_greater_one() -> None:
    """OUE's for small ε, and the program's above where e^ε/e = e^ε − 1."""
    equal = -np.log1p(-np.exp(-1.0))
    for epsilon in (0.2, equal):
        noise = OUE().on(2, epsilon).noise.spread / 500
        assert assumed_variance(epsilon, 500.0) == pytest.approx(noise, rel=1e-6)
    assert assumed_variance(2.0, 500.0) == pytest.approx(4 / 500)


def literally_corrected(shares: Floats, sums: Floats) -> Floats:
    """Return shares of the leaves of FIRST, with variances of 1e-4, averaged with sums that have 3e-4."""
    found = shares.copy()
    for parts, cells in (([0], [0, 1]), ([1, 2], [2]), ([3], [3]), ([4], [4, 5, 6])):
        own, others = 1e-4 * len(parts), 3e-4 * len(cells)
        total = (shares[parts].sum() / own + sums[cells].sum() / others) / (1 / own + 1 / others)
        found[parts] += (total - shares[parts].sum()) / len(parts)
    return found


def test_leaves_are_averaged_with_a_grid_and_errors_are_followed() -> None:
    sums = np.array([0.12, 0.1, 0.06, 0.3, 0.2, 0.1, 0.12])
    found = corrected(FIRST, SIDES[0], sums, 3e-4)
    np.testing.assert_allclose(found.shares, literally_corrected(FIRST.shares, sums))
    zeros, nothing = np.zeros(5), np.zeros(7)
    by_leaf = np.stack([literally_corrected(unit, nothing) for unit in np.eye(5)], axis=1)
    by_cell = np.stack([literally_corrected(zeros, unit) for unit in np.eye(7)], axis=1)
    variances = 1e-4 * np.sum(by_leaf**2, axis=1) + 3e-4 * np.sum(by_cell**2, axis=1)
    np.testing.assert_allclose(found.variances, variances)


def test_cells_of_a_block_are_moved_alike() -> None:
    grid = np.random.default_rng(1).normal(0.04, 0.05, (7, 3))
    moved = _Fit(FIRST, SIDES[0]).moved(grid)
    for (first, last), total in zip(pairwise([0, 2, 3, 4, 7]), [0.2, 0.1, 0.4, 0.3], strict=True):
        block = without_negatives(grid[first:last].ravel(), total)
        np.testing.assert_allclose(moved[first:last].ravel(), block)


def test_a_grid_agrees_with_both_of_its_trees() -> None:
    grid = np.random.default_rng(2).normal(0.04, 0.05, (7, 3))
    found = agreed(FIRST, SECOND, SIDES, grid, 10**6)
    assert found.min() >= 0
    np.testing.assert_allclose(
        np.add.reduceat(found.sum(axis=1), [0, 2, 3, 4]), [0.2, 0.1, 0.4, 0.3], atol=1e-8
    )
    np.testing.assert_allclose(np.add.reduceat(found.sum(axis=0), [0, 1]), [0.5, 0.5], atol=1e-8)
    np.testing.assert_allclose(agreed(FIRST, SECOND, SIDES, found, 10**6), found, atol=1e-8)


def test_response_matrices_are_the_literal_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(updates, "_MAX_STEPS", 5)
    first = Leaves(
        FIRST.edges, np.array([0.25, 0, 0, 0.45, 0.3]), np.zeros(5), np.array([0.01, 0, 0, -0.02, 0])
    )
    grid = np.random.default_rng(3).dirichlet(np.ones(21)).reshape(7, 3)
    found = response_matrix(first, SECOND, SIDES, grid, users=10**12)
    matrix = np.full((16, 16), 1 / 256)
    for _ in range(5):
        for row, share in enumerate(first.spread()):
            matrix[row] *= share / matrix[row].sum() if matrix[row].sum() else 1
        matrix /= matrix.sum()
        matrix *= SECOND.spread() / matrix.sum(axis=0)
        for i, (top, bottom) in enumerate(pairwise(SIDES[0])):
            for j, (left, right) in enumerate(pairwise(SIDES[1])):
                cell = matrix[top:bottom, left:right]
                cell *= grid[i, j] / cell.sum() if cell.sum() else 1
        matrix /= matrix.sum()
    np.testing.assert_allclose(found, matrix, rtol=1e-9, atol=1e-15)


def test_people_are_heard_in_their_cells() -> None:
    """Half of the bits that are held are sent: 0.006 is 6 standard deviations of the largest share."""
    rng = np.random.default_rng(4)
    two = np.stack([rng.integers(0, 16, 200_000), rng.integers(0, 16, 200_000) ** 2 // 16]).astype(np.uint8)
    truth = np.histogram2d(two[0], two[1], bins=[*SIDES])[0] / 200_000
    assert np.abs(heard(two, SIDES, 12.0, rng) - truth).max() < 0.006


@pytest.mark.parametrize("ways", [2, 3])
def test_even_people_are_found_where_privacy_is_weak(ways: int) -> None:
    """Only sampling is left: 15,000 people a group, so 0.03 is 7 standard deviations of a share."""
    rng = np.random.default_rng(5)
    persons = rng.integers(0, 16, (3, 90_000), dtype=np.uint8)
    asked = random_queries(50, ways, 3, 16, rng)
    answers = pripl_grids(persons, 8.0, asked, rng)
    assert np.abs(answers - true_answers(persons, asked)).max() < 0.03


def test_smooth_people_are_found_better_than_by_even_cells() -> None:
    """At a million people, ε = 1, three attributes and two of them asked about."""
    persons, rng = people("normal", 10**6, 0)[:3], np.random.default_rng(6)
    asked = random_queries(200, 2, 3, BINS, rng)
    truth = true_answers(persons, asked)
    error, other = (np.abs(by(persons, 1.0, asked, rng) - truth).mean() for by in (pripl_grids, hdg))
    assert error < other < 0.04
