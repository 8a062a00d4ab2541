"""A line that is told cell by cell: between the ends of a cell of several bins people are spread evenly."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from ldprange.decompositions.contract import Estimator, Variances
from ldprange.levels import boundaries, neighbours
from ldprange.support.arrays import Boundaries, Floats


class EvenInCells:
    """The estimator of all bins that an estimator of cells makes; all that is said of cells stays the same.

    The share below a boundary inside a cell is the mean of those below the cell's two ends, by how near they
    are. So whatever is known of the shares below ends tells what is known of any other.

    Parameters
    ----------
    cells
        The estimator, to which cells are bins.
    bins, size
        How many there are, and how many a cell has; the last cell may have fewer.
    """

    def __init__(self, cells: Estimator, bins: int, size: int) -> None:
        self._cells, self._ends = cells, boundaries(bins, size)
        place = np.interp(np.arange(bins + 1), self._ends, np.arange(self._ends.size))
        self._below = np.minimum(place.astype(np.int64), self._ends.size - 2)
        self._along = place - self._below

    def fit(self, estimates: Sequence[Floats]) -> Floats:
        upto = np.append(0.0, np.cumsum(self._cells.fit(estimates)))
        return np.diff(np.interp(np.arange(self._below.size), self._ends, upto))

    def gains(self, boundary: int) -> list[Floats]:
        below, along = int(self._below[boundary]), float(self._along[boundary])
        ends = self._cells.gains(below), self._cells.gains(below + 1)
        return [(1 - along) * low + along * high for low, high in zip(*ends, strict=True)]

    def mean_variances(self) -> tuple[float, float]:
        """Return those over ranges and prefixes of whole cells."""
        return self._cells.mean_variances()

    def even_variances(self, low: Boundaries, high: Boundaries) -> Floats:
        return self._between(self._cells.even_variances, low, high)

    def block_variances(self, width: int, step: int) -> Floats:
        return self.even_variances(*neighbours(width, self._below.size - 1, step))

    def variances(self, cdf: Floats) -> Variances:
        of_cells = self._cells.variances(cdf[self._ends])
        return lambda low, high: self._between(of_cells, low, high)

    def _between(self, of_cells: Variances, low: Boundaries, high: Boundaries) -> Floats:
        """Return variances of ranges of bins from those of ranges of cells.

        A range's share is Σ w P over the shares P below four ends of cells. As Σ w = 0, its variance is
        −Σ w v Var(P − Q) over any two of them.
        """
        upper, lower = (
            [(sign * (1 - along), below), (sign * along, below + 1)]
            for sign, below, along in (
                (1, self._below[high], self._along[high]),
                (-1, self._below[low], self._along[low]),
            )
        )
        total = np.zeros(np.shape(low))
        for (w, p), (v, q) in combinations([*upper, *lower], 2):
            product = w * v
            some = (product != 0) & (p != q)
            ends = np.minimum(p[some], q[some]), np.maximum(p[some], q[some])
            total[some] -= product[some] * of_cells(*ends)
        return np.maximum(total, 0.0)
