"""Weighted updates: a distribution is scaled, part by part, until it has the sums that it should have.

This is the third phase of :mod:`experiments.many.hdg`, and iterative proportional fitting from equal shares.
It comes twice: for the response matrix of a pair of attributes, which has the sums of their three grids, and
for a question about more than two attributes, from the answers about each pair of them.

Steps are repeated until one changes a distribution by less than a person, or 100 times, as in the authors'
program; after each the total is made 1 again, as there.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product

import numpy as np

from experiments.many.grids import Grids, pairs_of
from experiments.many.queries import Queries
from ldprange.support.arrays import Floats

_MAX_STEPS = 100


def response_matrices(grids: Grids, users: int) -> Floats:
    """Return the joint distribution of each pair of attributes, on g₁ × g₁ cells.

    The paper's matrices have a number for every pair of bins. All updates are of whole cells of g₁ × g₁, so
    within one they stay equal and need not be kept apart.
    """
    first, second = np.array(pairs_of(len(grids.lines))).T
    fine, coarse = grids.lines.shape[1], grids.planes.shape[1]
    blocks = (len(first), coarse, fine // coarse, coarse, fine // coarse)

    def step(matrices: Floats) -> Floats:
        factors = factors_of(matrices.sum(axis=2), grids.lines[first])
        matrices = in_all(matrices * factors[:, :, None])
        factors = factors_of(matrices.sum(axis=1), grids.lines[second])
        matrices = in_all(matrices * factors[:, None, :])
        factors = factors_of(matrices.reshape(blocks).sum(axis=(2, 4)), grids.planes)
        scaled = matrices.reshape(blocks) * factors[:, :, None, :, None]
        return in_all(scaled.reshape(matrices.shape))

    return repeated(step, np.full((len(first), fine, fine), 1 / fine**2), users)


def pair_answers(matrices: Floats, queries: Queries, attributes: int) -> Floats:
    """Return what the matrices say about each pair of a question's ranges: question × pair × 2 × 2.

    The last two tell whether the pair's first attribute is in range (1) or not (0), and the second.
    """
    places = np.zeros((attributes, attributes), np.int64)
    places[tuple(np.array(pairs_of(attributes)).T)] = np.arange(len(matrices))
    covered = queries.coverage(matrices.shape[1])
    sides = np.stack([1 - covered, covered], axis=2)
    answers = [
        sides[:, one]
        @ matrices[places[queries.attributes[:, one], queries.attributes[:, other]]]
        @ sides[:, other].swapaxes(1, 2)
        for one, other in combinations(range(queries.ways), 2)
    ]
    return np.stack(answers, axis=1)


def joint_shares(by_pair: Floats, ways: int, users: int, *, quadrants: bool = False) -> Floats:
    """Return the shares of people of 2^ways kinds, by which attributes are in range; the last has all.

    The answer about a pair of attributes is the sum over those kinds that have both in range. With
    ``quadrants`` all four answers about each pair are kept to, where the authors keep to that one only.

    >>> even = np.full((1, 3, 2, 2), 0.25)
    >>> joint_shares(even, ways=3, users=1000)[:, -1].tolist()
    [0.125]
    """
    kinds = np.array(list(product((0, 1), repeat=ways)))
    targets = [
        ((kinds[:, one] == x) & (kinds[:, other] == y), by_pair[:, pair, x, y])
        for pair, (one, other) in enumerate(combinations(range(ways), 2))
        for x, y in (product((0, 1), repeat=2) if quadrants else [(1, 1)])
    ]

    def step(shares: Floats) -> Floats:
        for having, wanted in targets:
            factors = factors_of(shares[:, having].sum(axis=1), wanted)
            shares = in_all(np.where(having, shares * factors[:, None], shares))
        return shares

    return repeated(step, np.full((len(by_pair), len(kinds)), 1 / len(kinds)), users)


def factors_of(sums: Floats, wanted: Floats) -> Floats:
    """Return what to multiply parts with; one that nobody is left in stays so."""
    return np.divide(wanted, sums, out=np.ones(sums.shape), where=sums > 0)


def in_all(shares: Floats) -> Floats:
    """Return distributions, whose total is 1, that are proportional to the given ones."""
    totals = shares.sum(axis=tuple(range(1, shares.ndim)), keepdims=True)
    whole: Floats = shares / totals
    return whole


def repeated(step: Callable[[Floats], Floats], shares: Floats, users: int) -> Floats:
    """Repeat a step of all distributions until none of them changes any more."""
    for _ in range(_MAX_STEPS):
        before, shares = shares, step(shares)
        if np.abs(shares - before).reshape(len(shares), -1).sum(axis=1).max() < 1 / users:
            break
    return shares
