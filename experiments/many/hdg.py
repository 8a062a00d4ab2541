"""HDG: a fine grid of each attribute and a coarse grid of each pair, brought together.

After J. Yang, T. Wang, N. Li, X. Cheng, S. Su, "Answering Multi-Dimensional Range Queries under Local
Differential Privacy", PVLDB 14(3), 2020. With d attributes people are spread evenly over d + d(d − 1)/2
groups, one for each grid, and each says by OLH in which cell of it he is. Then the grids are made
non-negative and consistent (:mod:`experiments.many.grids`), and answers come from weighted updates
(:mod:`experiments.many.updates`).

Supports are drawn as :mod:`experiments.hashing` says: with a perfectly random hash those of all cells are
independent sums of two binomials, so what is drawn has OLH's joint law, not only its means and variances.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from experiments.hashing import PerfectHashing
from experiments.many.data import People
from experiments.many.grids import Grids, pairs_of, processed
from experiments.many.queries import Queries
from experiments.many.updates import joint_shares, pair_answers, response_matrices
from ldprange.support.arrays import Counts, Floats

_ALPHA_LINE, _ALPHA_PLANE = 0.7, 0.03  # the authors' α₁ and α₂


@dataclass(frozen=True, slots=True)
class Granularity:
    """How many cells an attribute has in its own grid (g₁) and in those of its pairs (g₂)."""

    line: int
    plane: int


def hdg(
    people: People,
    epsilon: float,
    queries: Queries,
    rng: np.random.Generator,
    *,
    quadrants: bool = False,
) -> Floats:
    """Ask people once and answer questions about two attributes or more.

    With ``quadrants`` the last step is ours, and uses all that the matrices say about a pair (see
    :func:`~experiments.many.updates.joint_shares`): so that nothing is beaten that is easily made better.
    """
    attributes, users = people.shape
    granularity = guideline(attributes, queries.bins, users, epsilon)
    grids = processed(heard(people, queries.bins, epsilon, granularity, rng))
    by_pair = pair_answers(response_matrices(grids, users), queries, attributes)
    if queries.ways == 2:
        return by_pair[:, 0, 1, 1]
    return joint_shares(by_pair, queries.ways, users, quadrants=quadrants)[:, -1]


def guideline(attributes: int, bins: int, users: int, epsilon: float) -> Granularity:
    """Return the authors' choice, which weighs noise against unevenness within cells.

    With n people a group: g₁ = ∛(n(e^ε − 1)²α₁²/2e^ε) and g₂ = √(2α₂(e^ε − 1)√(n/e^ε)), each taken to the
    nearest power of two, at least 2 and at most the bins.

    >>> guideline(attributes=6, bins=64, users=10**6, epsilon=1.0)
    Granularity(line=16, plane=4)
    """
    if bins < 2 or bins & (bins - 1):
        raise ValueError(f"bins must be a power of two, at least 2, got {bins}")
    a_group = users / (attributes + len(pairs_of(attributes)))
    e, less = math.exp(epsilon), math.expm1(epsilon)
    line = math.cbrt(a_group * (less * _ALPHA_LINE) ** 2 / (2 * e))
    plane = math.sqrt(2 * _ALPHA_PLANE * less * math.sqrt(a_group / e))
    coarse = _power_of_two(plane, bins)
    return Granularity(max(_power_of_two(line, bins), coarse), coarse)


def _power_of_two(number: float, most: int) -> int:
    lower = 1 << int(math.log2(max(number, 1.0)))
    nearest = lower if number - lower <= 2 * lower - number else 2 * lower
    return min(max(nearest, 2), most)


def heard(
    people: People, bins: int, epsilon: float, granularity: Granularity, rng: np.random.Generator
) -> Grids:
    """Ask each group for its grid, and return unbiased estimates of all cells."""
    attributes, users = people.shape
    pairs = pairs_of(attributes)
    groups = np.array_split(rng.permutation(users), attributes + len(pairs))
    fine, coarse = (people // (bins // cells) for cells in (granularity.line, granularity.plane))
    lines = [
        _estimated(cells[group], granularity.line, epsilon, rng)
        for cells, group in zip(fine, groups[:attributes], strict=True)
    ]
    planes = [
        _estimated(
            coarse[a][group] * np.int64(granularity.plane) + coarse[b][group],
            granularity.plane**2,
            epsilon,
            rng,
        )
        for (a, b), group in zip(pairs, groups[attributes:], strict=True)
    ]
    shape = (len(pairs), granularity.plane, granularity.plane)
    return Grids(np.stack(lines), np.reshape(planes, shape))


def _estimated(held: Counts | People, cells: int, epsilon: float, rng: np.random.Generator) -> Floats:
    oracle = PerfectHashing().on(cells, epsilon)
    return oracle.estimate(oracle.draw(np.bincount(held, minlength=cells), rng), held.size)
