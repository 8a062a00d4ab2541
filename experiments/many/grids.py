"""The grids of HDG: a fine one of each attribute, a coarse one of each pair, and how they come to agree.

This is the second phase of :mod:`experiments.many.hdg`. All grids of one kind are one array.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from experiments.adaptive_tree import without_negatives
from ldprange.support.arrays import Floats

_ROUNDS = 100  # the authors' program has as many


@dataclass(frozen=True, slots=True)
class Grids:
    """The share of people in each cell.

    Attributes
    ----------
    lines
        A row for each attribute, of g₁ cells.
    planes
        A g₂ × g₂ table for each pair of attributes, in the order of :func:`pairs_of`.
    """

    lines: Floats
    planes: Floats


def pairs_of(attributes: int) -> tuple[tuple[int, int], ...]:
    """Return all pairs, the lower attribute first.

    >>> pairs_of(3)
    ((0, 1), (0, 2), (1, 2))
    """
    return tuple((a, b) for a in range(attributes) for b in range(a + 1, attributes))


def processed(grids: Grids) -> Grids:
    """Make grids non-negative and consistent by turns, ending with the former.

    Either undoes a little of the other. The last is what the weighted updates that follow cannot do without.
    """
    for _ in range(_ROUNDS):
        grids = consistent(non_negative(grids))
    return non_negative(grids)


def non_negative(grids: Grids) -> Grids:
    """Make every grid a distribution (Norm-Sub)."""
    planes = without_negatives(grids.planes.reshape(len(grids.planes), -1))
    return Grids(without_negatives(grids.lines), planes.reshape(grids.planes.shape))


def consistent(grids: Grids) -> Grids:
    """Make all grids of an attribute say the same of its coarse cells, one attribute after the other.

    What they say is averaged with the weights that make the variance least: one over how many cells of a grid
    make up a coarse cell, as all cells have the same variance. The difference goes to these cells alike. An
    attribute's turn leaves what was said of others as it is, provided that all grids have the same total.
    """
    lines, planes = grids.lines.copy(), grids.planes.copy()
    pairs = np.array(pairs_of(len(lines)))
    coarse = planes.shape[1]
    parts = lines.shape[1] // coarse
    for attribute, line in enumerate(lines):
        cells = line.reshape(coarse, parts)  # a view, as line is
        rows, columns = (np.flatnonzero(pairs[:, side] == attribute) for side in (0, 1))
        by_line, by_rows, by_columns = (
            cells.sum(axis=1),
            planes[rows].sum(axis=2),
            planes[columns].sum(axis=1),
        )
        others = (by_rows.sum(axis=0) + by_columns.sum(axis=0)) / coarse
        mean = (by_line / parts + others) / (1 / parts + (rows.size + columns.size) / coarse)
        cells += ((mean - by_line) / parts)[:, None]
        planes[rows] += ((mean - by_rows) / coarse)[:, :, None]
        planes[columns] += ((mean - by_columns) / coarse)[:, None, :]
    return Grids(lines, planes)
