"""HDG: its grids, its updates and its answers, against dense and literal versions of each."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from experiments.adaptive_tree import without_negatives
from experiments.hashing import PerfectHashing
from experiments.many import updates
from experiments.many.data import ATTRIBUTES, BINS, people
from experiments.many.grids import Grids, consistent, non_negative, pairs_of, processed
from experiments.many.hdg import Granularity, guideline, hdg, heard
from experiments.many.queries import Queries, random_queries, true_answers
from experiments.many.updates import joint_shares, pair_answers, response_matrices
from ldprange.support.arrays import Floats


def random_grids(attributes: int, fine: int, coarse: int, seed: int) -> Grids:
    """Return grids with some negative cells, and total 1 each."""
    rng = np.random.default_rng(seed)
    lines = rng.normal(1, 1, (attributes, fine))
    planes = rng.normal(1, 1, (len(pairs_of(attributes)), coarse, coarse))
    return Grids(lines / lines.sum(axis=1, keepdims=True), planes / planes.sum(axis=(1, 2), keepdims=True))


def grids_of(joint: Floats, fine: int, coarse: int) -> Grids:
    """Return the exact grids of a distribution over two or more attributes."""
    lines, planes = [], []
    for a in range(joint.ndim):
        marginal = joint.sum(axis=tuple(set(range(joint.ndim)) - {a}))
        lines.append(marginal.reshape(fine, -1).sum(axis=1))
    for pair in pairs_of(joint.ndim):
        table = joint.sum(axis=tuple(set(range(joint.ndim)) - set(pair)))
        width = len(table) // coarse
        planes.append(table.reshape(coarse, width, coarse, width).sum(axis=(1, 3)))
    return Grids(np.stack(lines), np.stack(planes))


def coarse_sums(grids: Grids) -> list[Floats]:
    """Return all that is said of each attribute's coarse cells, a row for each grid."""
    coarse = grids.planes.shape[1]
    pairs = pairs_of(len(grids.lines))
    return [
        np.stack(
            [line.reshape(coarse, -1).sum(axis=1)]
            + [
                plane.sum(axis=1 - pair.index(attribute))
                for pair, plane in zip(pairs, grids.planes, strict=True)
                if attribute in pair
            ]
        )
        for attribute, line in enumerate(grids.lines)
    ]


@pytest.mark.parametrize(
    ("users", "epsilon", "expected"),
    [
        # a million a group, e = 4: g₁³ = 10⁶·9·0.49/8, g₁ = 82.0; g₂² = 0.06·3·√(10⁶/4), g₂ = 9.5
        (21 * 10**6, math.log(4), Granularity(64, 8)),
        # 1000 a group, e = 2: g₁³ = 1000·0.49/4, g₁ = 4.97; g₂² = 0.06·√500, g₂ = 1.2, and 2 is the least
        (21_000, math.log(2), Granularity(4, 2)),
        # g₂ = 2.82 and 3.28, g₁ = 23.3 and 26.6: on either side of what is rounded up, so α₁ and α₂ are told
        (10**6, 0.6, Granularity(16, 2)),
        (10**6, 0.8, Granularity(16, 4)),
        (10**6, 1.0, Granularity(16, 4)),
        (10**6, 1.2, Granularity(32, 4)),
        (10**6, 2.0, Granularity(32, 4)),
    ],
)
def test_granularities_are_the_authors(users: int, epsilon: float, expected: Granularity) -> None:
    assert guideline(6, 64, users, epsilon) == expected


def test_granularities_are_bounded_by_the_bins() -> None:
    assert guideline(6, 4, 10**9, 4.0) == Granularity(4, 4)
    assert guideline(6, 64, 10, 0.1) == Granularity(2, 2)
    with pytest.raises(ValueError, match="power of two"):
        guideline(6, 60, 10**6, 1.0)


def test_consistency_is_exact_for_all_attributes_at_once() -> None:
    before = random_grids(5, 16, 4, seed=1)
    assert max(np.ptp(sums, axis=0).max() for sums in coarse_sums(before)) > 0.1
    after = consistent(before)
    for sums in coarse_sums(after):
        np.testing.assert_allclose(sums, np.broadcast_to(sums[0], sums.shape), atol=1e-14)
    np.testing.assert_allclose(after.lines.sum(axis=1), 1)
    np.testing.assert_allclose(after.planes.sum(axis=(1, 2)), 1)


def test_consistency_is_least_squares() -> None:
    """The nearest grids that agree, by dense projection."""
    grids = random_grids(3, 8, 2, seed=2)
    size = grids.lines.size

    def said(cells: Floats) -> Floats:
        parts = Grids(cells[:size].reshape(grids.lines.shape), cells[size:].reshape(grids.planes.shape))
        return np.concatenate([(sums[1:] - sums[0]).ravel() for sums in coarse_sums(parts)])

    cells = np.concatenate([grids.lines.ravel(), grids.planes.ravel()])
    differences = np.stack([said(unit) for unit in np.eye(cells.size)], axis=1)
    expected = cells - np.linalg.pinv(differences) @ differences @ cells
    after = consistent(grids)
    np.testing.assert_allclose(
        np.concatenate([after.lines.ravel(), after.planes.ravel()]), expected, atol=1e-12
    )


def test_non_negative_grids_are_distributions() -> None:
    grids = random_grids(4, 16, 4, seed=3)
    assert min(grids.lines.min(), grids.planes.min()) < 0
    for after in (non_negative(grids), processed(grids)):
        assert min(after.lines.min(), after.planes.min()) >= 0
        np.testing.assert_allclose(after.lines.sum(axis=1), 1)
        np.testing.assert_allclose(after.planes.sum(axis=(1, 2)), 1)
    np.testing.assert_allclose(
        non_negative(grids).planes[2].ravel(), without_negatives(grids.planes[2].ravel()), rtol=1e-12
    )


def test_what_is_consistent_and_non_negative_stays() -> None:
    grids = grids_of(np.random.default_rng(4).dirichlet(np.ones(512)).reshape(8, 8, 8), 4, 2)
    after = processed(grids)
    np.testing.assert_allclose(after.lines, grids.lines, atol=1e-12)
    np.testing.assert_allclose(after.planes, grids.planes, atol=1e-12)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_cells_are_unbiased_with_the_variance_of_hashing(epsilon: float) -> None:
    """Means within 6 standard errors, variances within 6 of theirs: a false alarm in ten million seeds."""
    rng, repetitions, users = np.random.default_rng(5), 3000, 1200
    persons = rng.integers(0, [[3], [8]], (2, users)).astype(
        np.uint8
    )  # the last cells of the first are empty
    granularity = Granularity(4, 2)
    drawn = [heard(persons, 8, epsilon, granularity, rng) for _ in range(repetitions)]
    table = np.bincount(persons[0] * np.int64(8) + persons[1], minlength=64).reshape(8, 8) / users
    exact, group = grids_of(table, 4, 2), users // 3
    for cells, shares in (
        (np.stack([grids.lines for grids in drawn]), exact.lines),
        (np.stack([grids.planes for grids in drawn]), exact.planes),
    ):
        noise = PerfectHashing().on(4, epsilon).noise
        second = noise.spread + noise.total + (noise.occupied + 2 * noise.cross) * shares
        # people are drawn without replacement
        variances = (second - shares**2) / group - shares * (1 - shares) * (group - 1) / (users - 1) / group
        assert np.abs((cells.mean(axis=0) - shares) / np.sqrt(variances / repetitions)).max() < 6
        ratios = cells.var(axis=0, ddof=1) / variances
        assert np.abs(ratios - 1).max() < 6 * math.sqrt(2 / repetitions)


def test_an_empty_cell_has_the_published_variance() -> None:
    """4e^ε/(n(e^ε − 1)²) of T. Wang et al., USENIX Security 2017, at e^ε = 3: 4 symbols are the best."""
    noise = PerfectHashing().on(16, math.log(3)).noise
    assert noise.spread + noise.total == pytest.approx(4 * 3 / 4, rel=1e-6)


def literal_matrix(grids: Grids, pair: int, bins: int, steps: int) -> Floats:
    """Return a response matrix with a number for every pair of bins, updated cell by cell."""
    a, b = pairs_of(len(grids.lines))[pair]
    matrix = np.full((bins, bins), 1 / bins**2)
    every = slice(None)
    fine, coarse = (
        [slice(k * bins // cells, (k + 1) * bins // cells) for k in range(cells)]
        for cells in (grids.lines.shape[1], grids.planes.shape[1])
    )
    cells = [((part, every), grids.lines[a, k]) for k, part in enumerate(fine)]
    cells += [((every, part), grids.lines[b, k]) for k, part in enumerate(fine)]
    cells += [
        ((row, column), grids.planes[pair, i, j])
        for i, row in enumerate(coarse)
        for j, column in enumerate(coarse)
    ]
    for _ in range(steps):
        for cell, share in cells:
            if matrix[cell].sum() > 0:
                matrix[cell] *= share / matrix[cell].sum()
    return matrix


def test_response_matrices_are_the_literal_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(updates, "_MAX_STEPS", 5)
    joint = np.random.default_rng(6).dirichlet(np.full(16**3, 0.3)).reshape(16, 16, 16)
    joint[:4] = 0  # an empty row of fine cells
    grids = grids_of(joint / joint.sum(), 8, 2)
    matrices = response_matrices(grids, users=10**12)
    for pair, matrix in enumerate(matrices):
        spread = np.kron(matrix, np.full((2, 2), 1 / 4))
        np.testing.assert_allclose(spread, literal_matrix(grids, pair, 16, 5), rtol=1e-9, atol=1e-15)


def test_response_matrices_have_the_sums_of_the_grids() -> None:
    joint = np.random.default_rng(7).dirichlet(np.full(16**3, 0.3)).reshape(16, 16, 16)
    grids, users = grids_of(joint, 8, 4), 10**6
    matrices = response_matrices(grids, users)
    first, second = np.array(pairs_of(3)).T
    np.testing.assert_allclose(matrices.reshape(3, 4, 2, 4, 2).sum(axis=(2, 4)), grids.planes, atol=1e-12)
    np.testing.assert_allclose(matrices.sum(axis=2), grids.lines[first], atol=2 / users)
    np.testing.assert_allclose(matrices.sum(axis=1), grids.lines[second], atol=2 / users)


def test_answers_about_pairs_are_sums_of_the_matrix() -> None:
    """Ranges that cut cells, against the matrix spread over all bins."""
    matrices = np.random.default_rng(8).dirichlet(np.ones(16), 3).reshape(3, 4, 4)
    asked = Queries(16, np.array([[0, 2], [1, 2]]), np.array([[1, 6], [0, 3]]), np.array([[7, 13], [16, 4]]))
    spread = np.kron(matrices, np.full((1, 4, 4), 1 / 16))
    by_pair = pair_answers(matrices, asked, 3)
    assert by_pair[0, 0, 1, 1] == pytest.approx(spread[1, 1:7, 6:13].sum())
    assert by_pair[0, 0, 0, 1] == pytest.approx(spread[1, :, 6:13].sum() - spread[1, 1:7, 6:13].sum())
    assert by_pair[1, 0, 1, 1] == pytest.approx(spread[2, :, 3].sum())
    np.testing.assert_allclose(by_pair.sum(axis=(2, 3)), 1)


@pytest.mark.parametrize("quadrants", [False, True])
def test_joint_shares_have_the_answers_about_pairs(quadrants: bool) -> None:
    ways, users = 4, 10**6
    joint = np.random.default_rng(9).dirichlet(np.ones(2**ways), 3).reshape(3, 2, 2, 2, 2)
    pairs = list(combinations(range(ways), 2))

    def by_pair(shares: Floats) -> Floats:
        others = [tuple(1 + way for way in range(ways) if way not in pair) for pair in pairs]
        return np.stack([shares.sum(axis=axes) for axes in others], axis=1)

    found = joint_shares(by_pair(joint), ways, users, quadrants=quadrants).reshape(joint.shape)
    assert found.min() >= 0
    np.testing.assert_allclose(found.sum(axis=(1, 2, 3, 4)), 1)
    kept = (..., slice(None), slice(None)) if quadrants else (..., 1, 1)
    np.testing.assert_allclose(by_pair(found)[kept], by_pair(joint)[kept], atol=1e-4)


def test_independent_attributes_are_found_independent_from_all_quadrants() -> None:
    chances = np.array([0.1, 0.5, 0.7])
    sides = np.stack([1 - chances, chances], axis=1)
    by_pair = np.stack([np.outer(sides[a], sides[b]) for a, b in combinations(range(3), 2)])[None]
    found = joint_shares(by_pair, 3, 10**9, quadrants=True)[0].reshape(2, 2, 2)
    np.testing.assert_allclose(found, np.einsum("a,b,c->abc", *sides), rtol=1e-6)


@pytest.mark.parametrize("ways", [2, 3])
def test_even_people_are_found_where_privacy_is_weak(ways: int) -> None:
    """Only sampling is left: 14,000 people or more a group, so 0.03 is 7 standard deviations of a share."""
    rng = np.random.default_rng(10)
    persons = rng.integers(0, 16, (3, 90_000), dtype=np.uint8)
    asked = random_queries(50, ways, 3, 16, rng)
    for quadrants in (False, True):
        answers = hdg(persons, 8.0, asked, rng, quadrants=quadrants)
        assert np.abs(answers - true_answers(persons, asked)).max() < 0.03


def test_errors_are_a_few_hundredths() -> None:
    """At a million people, ε = 1 and two attributes; without noise two thirds of it are left."""
    persons, rng = people("normal", 10**6, 0), np.random.default_rng(11)
    asked = random_queries(200, 2, ATTRIBUTES, BINS, rng)
    error = np.abs(hdg(persons, 1.0, asked, rng) - true_answers(persons, asked)).mean()
    assert 0.01 < error < 0.04
