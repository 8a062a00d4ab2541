"""The cells of a grid of two attributes, cut where their trees say that people are.

This is how PriPL-Tree goes on to several attributes (:mod:`experiments.many.pripl_grids`). A side of a grid
begins with the leaves of its attribute's tree. Then cells are split in two, those with most people first,
where that makes the halves most alike; and leaves that were not split are joined with their neighbours, those
with fewest people first. One more cell on a side adds the noise of as many cells as the other side has. It
takes off η(f² − (a·f₁)² − (b·f₂)²), where f₁ and f₂ are the parts of a share f, and a and b those of its
bins: the squared error of taking people to be even within a cell.

The authors' program takes the noise of a cell to be 4e^ε/(n·e^(2ε−2)), where OUE's is 4e^ε/(n(e^ε − 1)²).
That is more from ε = 0.46 on, and less below. Coarse grids are better on either side, so here cells are
chosen by the greater of the two.
"""

from __future__ import annotations

import math

import numpy as np

from experiments.pripl_tree import Leaves
from ldprange import OUE
from ldprange.support.arrays import Boundaries, Floats

_UNEVENNESS = 0.04  # the authors' η


def assumed_variance(epsilon: float, users: float) -> float:
    """Return what the variance of a cell is taken to be, of which ``users`` are asked, to choose cells.

    >>> round(assumed_variance(1.0, users=1000), 4)
    0.0109
    """
    return max(OUE().on(2, epsilon).noise.spread, 4 * math.exp(2 - epsilon)) / users


def adaptive_cells(first: Leaves, second: Leaves, variance: float) -> tuple[Boundaries, Boundaries]:
    """Return the edges of a grid's cells along ``first`` and ``second``, chosen for a cell's ``variance``."""
    sides = (_Side(first, variance), _Side(second, variance))
    while any(side.splittable.any() for side in sides):
        tops = [np.where(side.splittable, side.shares, -math.inf).max() for side in sides]
        turn = int(tops[1] > tops[0])
        sides[turn].split(sides[1 - turn].shares.size)
    while any(side.joinable.any() for side in sides):
        bottoms = [np.where(side.joinable, side.shares, math.inf).min() for side in sides]
        turn = int(bottoms[1] < bottoms[0])
        sides[turn].join(sides[1 - turn].shares.size)
    return sides[0].edges, sides[1].edges


class _Side:
    """The cells of one side: where they are, and which may still be split, or joined with a neighbour."""

    def __init__(self, leaves: Leaves, variance: float) -> None:
        self.edges = leaves.edges
        self.splittable = np.ones(leaves.shares.size, bool)
        self.joinable = np.ones(leaves.shares.size, bool)
        self._below: Floats = np.concatenate([[0.0], np.cumsum(leaves.spread())])
        self._variance = variance
        self._deviation = math.sqrt(variance)

    @property
    def shares(self) -> Floats:
        """What part of the people each cell has."""
        return np.diff(self._below[self.edges])

    def split(self, others: int) -> None:
        """Split the cell that has most people, or settle that it stays; ``others`` are on the other side."""
        cell = int(np.argmax(np.where(self.splittable, self.shares, -math.inf)))
        start, end = self.edges[cell : cell + 2]
        inner = np.arange(start + 1, end)
        lower, upper = self._below[inner] - self._below[start], self._below[end] - self._below[inner]
        allowed = np.minimum(lower, upper) >= self._deviation
        if allowed.any():
            middle = inner[np.argmin(np.where(allowed, lower**2 + upper**2, math.inf))]
            if self._worth(start, middle, end, others):
                self.edges = np.insert(self.edges, cell + 1, middle)
                self.splittable = np.insert(self.splittable, cell, True)
                self.joinable = np.insert(self.joinable, cell, False)
                self.joinable[cell + 1] = False
                return
        self.splittable[cell] = False

    def join(self, others: int) -> None:
        """Join the cell that has fewest people with a neighbour, or settle that it stays."""
        shares = np.where(self.joinable, self.shares, math.inf)
        cell = int(np.argmin(shares))
        before, after = np.pad(shares, 1, constant_values=math.inf)[[cell, cell + 2]]
        if min(before, after) == math.inf:
            self.joinable[cell] = False
            return
        lower = cell - 1 if before <= after else cell
        start, middle, end = self.edges[lower : lower + 3]
        few = shares[lower : lower + 2].max() < self._deviation
        if few or not self._worth(start, middle, end, others):
            self.edges, self.joinable = np.delete(self.edges, lower + 1), np.delete(self.joinable, lower)
        else:
            self.joinable[lower : lower + 2] = False

    def _worth(self, start: int, middle: int, end: int, others: int) -> bool:
        """Say whether two cells are better than one."""
        lower, upper = np.diff(self._below[[start, middle, end]])
        part = (middle - start) / (end - start)
        gain = (lower + upper) ** 2 - (part * lower) ** 2 - ((1 - part) * upper) ** 2
        return bool(_UNEVENNESS * gain > self._variance * others)
