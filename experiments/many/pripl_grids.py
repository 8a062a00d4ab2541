"""PriPL-Tree on several attributes: a tree of each, and a grid of each pair that is cut where people are.

After L. Wang, Q. Ye, H. Hu, X. Meng, "PriPL-Tree: Accurate Range Query for Arbitrary Distribution under Local
Differential Privacy", PVLDB 17(11), 2024 (several attributes), and after the authors' program in what it
leaves open. Half of the people are spread over the attributes, for a tree each
(:mod:`experiments.pripl_tree`), and half over the pairs, where each says by OUE in which cell of an adaptive
grid he is (:mod:`experiments.many.adaptive_grids`).

Then trees and grids come to agree. A *block* is a least stretch of an attribute that leaves and cells both
fill: one leaf, or one cell, or both. All grids of an attribute correct the shares of its leaves, block by
block, with weights by precision. Then each grid is moved to have the sums of its two attributes' blocks, none
of its cells below 0. Answers come from weighted updates (:mod:`experiments.many.updates`), as those of HDG
do: by the attributes' bins, which follow the lines of the leaves, and by the cells of the grid.

Where several leaves are one cell, the authors' program gives their sum the variance of all leaves;
here it has that of these leaves, which makes answers better (of five attributes at ε = 2, by more than half).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from experiments.adaptive_tree import without_negatives
from experiments.many.adaptive_grids import adaptive_cells, assumed_variance
from experiments.many.data import People
from experiments.many.grids import pairs_of
from experiments.many.queries import Queries
from experiments.many.updates import factors_of, in_all, joint_shares, pair_answers, repeated
from experiments.pripl_tree import Leaves, leaves
from ldprange import OUE
from ldprange.support.arrays import Boundaries, Floats

_ROUNDS = 1000
_STILL = 1e-3  # of a person: how little a round may move for the last one
_Edges = tuple[Boundaries, Boundaries]


def pripl_grids(people: People, epsilon: float, queries: Queries, rng: np.random.Generator) -> Floats:
    """Ask people once and answer questions about two attributes or more."""
    attributes, users = people.shape
    pairs = pairs_of(attributes)
    order = rng.permutation(users)
    for_trees = np.array_split(order[: users // 2], attributes)
    for_grids = np.array_split(order[users // 2 :], len(pairs))
    trees = [
        leaves(np.bincount(held[group], minlength=queries.bins), epsilon, rng)
        for held, group in zip(people, for_trees, strict=True)
    ]
    a_grid = users / 2 / len(pairs)
    edges = [adaptive_cells(trees[a], trees[b], assumed_variance(epsilon, a_grid)) for a, b in pairs]
    grids = [
        heard(people[[*pair]][:, group], sides, epsilon, rng)
        for pair, group, sides in zip(pairs, for_grids, edges, strict=True)
    ]
    variance = OUE().on(2, epsilon).noise.spread / a_grid
    for (a, b), sides, grid in zip(pairs, edges, grids, strict=True):
        trees[a] = corrected(trees[a], sides[0], grid.sum(axis=1), variance * grid.shape[1])
        trees[b] = corrected(trees[b], sides[1], grid.sum(axis=0), variance * grid.shape[0])
    trees = [replace(tree, shares=without_negatives(tree.shares)) for tree in trees]
    matrices = [
        response_matrix(trees[a], trees[b], sides, agreed(trees[a], trees[b], sides, grid, users), users)
        for (a, b), sides, grid in zip(pairs, edges, grids, strict=True)
    ]
    by_pair = pair_answers(np.stack(matrices), queries, attributes)
    if queries.ways == 2:
        return by_pair[:, 0, 1, 1]
    return joint_shares(by_pair, queries.ways, users, quadrants=True)[:, -1]


def heard(two: People, sides: _Edges, epsilon: float, rng: np.random.Generator) -> Floats:
    """Ask people with two attributes in which cell they are, and return unbiased estimates of all cells."""
    shape = tuple(edges.size - 1 for edges in sides)
    cells = [np.searchsorted(edges, held, side="right") - 1 for edges, held in zip(sides, two, strict=True)]
    holders = np.bincount(np.ravel_multi_index(tuple(cells), shape), minlength=shape[0] * shape[1])
    oracle = OUE().on(holders.size, epsilon)
    return oracle.estimate(oracle.draw(holders, rng), two.shape[1]).reshape(shape)


def corrected(tree: Leaves, edges: Boundaries, sums: Floats, variance: float) -> Leaves:
    """Return a tree's leaves averaged, block by block, with what a grid says.

    Parameters
    ----------
    tree
        The leaves.
    edges
        Of the grid's cells on the side of the tree's attribute.
    sums
        What the grid says of each of them.
    variance
        Of each of these.
    """
    starts = _blocks(tree.edges, edges)[:-1]
    by_leaf, by_cell = np.searchsorted(tree.edges, starts), np.searchsorted(edges, starts)
    parts = np.diff(by_leaf, append=tree.shares.size)
    own = np.add.reduceat(tree.variances, by_leaf)
    others = variance * np.diff(by_cell, append=sums.size)
    weight = own / (own + others) / parts  # of the difference, for each leaf of a block
    moves = weight * (np.add.reduceat(sums, by_cell) - np.add.reduceat(tree.shares, by_leaf))
    # a leaf keeps 1 − weight of its own error, and has −weight of its siblings' and weight of the grid's
    weight, own, others, moves = (np.repeat(block, parts) for block in (weight, own, others, moves))
    errors = (1 - 2 * weight) * tree.variances + weight**2 * (own + others)
    return replace(tree, shares=tree.shares + moves, variances=errors)


def agreed(first: Leaves, second: Leaves, sides: _Edges, grid: Floats, users: int) -> Floats:
    """Return a grid that has the sums of both attributes' blocks, and none of its cells below 0."""
    fit_rows, fit_columns = (_Fit(tree, edges) for tree, edges in zip((first, second), sides, strict=True))
    for _ in range(_ROUNDS):
        before, grid = grid, fit_columns.moved(fit_rows.moved(grid).T).T
        if np.abs(grid - before).sum() < _STILL / users:
            break
    return without_negatives(grid.ravel()).reshape(grid.shape)


class _Fit:
    """Gives the rows of a grid, block by block, the shares that a tree has."""

    def __init__(self, tree: Leaves, edges: Boundaries) -> None:
        blocks = _blocks(tree.edges, edges)
        first, last = (np.searchsorted(edges, ends)[:, None] for ends in (blocks[:-1], blocks[1:]))
        rows = first + np.arange((last - first).max())
        self._present = rows < last
        self._rows = np.where(self._present, rows, 0)
        self._totals = np.add.reduceat(tree.shares, np.searchsorted(tree.edges, blocks[:-1]))

    def moved(self, grid: Floats) -> Floats:
        """Move the cells of each block alike, those that would be negative to 0."""
        present = self._present[:, :, None]
        cells = np.where(present, grid[self._rows], -np.inf)  # so that those of no row get nothing
        shares = without_negatives(cells.reshape(len(cells), -1), self._totals).reshape(cells.shape)
        rows: Floats = shares[self._present]
        return rows


def response_matrix(first: Leaves, second: Leaves, sides: _Edges, grid: Floats, users: int) -> Floats:
    """Return the joint distribution of two attributes, on all pairs of bins."""
    rows, columns = first.spread(), second.spread()
    (row_starts, row_sizes), (column_starts, column_sizes) = ((edges[:-1], np.diff(edges)) for edges in sides)

    def step(matrices: Floats) -> Floats:
        matrices = in_all(matrices * factors_of(matrices.sum(axis=2), rows[None])[:, :, None])
        matrices = in_all(matrices * factors_of(matrices.sum(axis=1), columns[None])[:, None, :])
        sums = np.add.reduceat(np.add.reduceat(matrices, row_starts, axis=1), column_starts, axis=2)
        factors = factors_of(sums, grid[None]).repeat(row_sizes, axis=1).repeat(column_sizes, axis=2)
        return in_all(matrices * factors)

    even = np.full((1, rows.size, columns.size), 1 / (rows.size * columns.size))
    matrix: Floats = repeated(step, even, users)[0]
    return matrix


def _blocks(leaves: Boundaries, cells: Boundaries) -> Boundaries:
    """Return the edges of the least stretches that both fill."""
    return np.intersect1d(leaves, cells)
