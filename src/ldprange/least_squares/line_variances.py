"""Exact variances of ranges from shifted windows.

A range with indicator r weighs the items of b (see :mod:`ldprange.least_squares.line`) by u, the even
covariance of every item with the range; Σu = 0. A user of level l adds to the answer λ times the sum, over
the windows of their shift, of the window's estimate × W, W being the sum of u over the window. So with spread
and held of the oracle's noise the variance of the range's share R is

    Σ_l n [λ²/w Σ_windows W² (spread + held·θ(window)) − (λ/w Σ_windows W·θ(window))²] − R(1 − R)/N′.

Of the sum, W²(spread + held/cells) adds up to the even variance, known in closed form; (λ/w) Σ W·θ(window) is
the covariance of the range with T_w θ, one solution a level for all ranges. What is left is the *held* part,

    Q = Σ_l n λ²/w Σ_windows W² held (θ(window) − 1/cells),

which has no closed form. Up to 16 ranges are worked out one by one. For more, on lines of up to 2048 items, Q
is one matrix over pairs of boundaries, and all is exact still. For longer lines see
:mod:`ldprange.least_squares.line_tables`.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ldprange.least_squares.line import WindowsFit
from ldprange.least_squares.line_occupancy import Occupancy, blurred, held_matrix, prefix_matrix, window_sums
from ldprange.least_squares.line_tables import TabulatedVariances
from ldprange.support.arrays import Boundaries, Floats
from ldprange.support.parallel import slices

_MAX_ONE_BY_ONE = 16  # ranges that are worked out one by one, on any line
_MAX_EXACT_ITEMS = 2048  # items of a line on which every range is exact
_MIN_VARIANCE_RATIO = 0.3  # of the even variance, where what is taken off it is not known exactly
_TOGETHER = 1 << 21  # numbers worked on together


class LineVariances:
    """Variances of ranges of one line's estimate, given the population's cdf at the boundaries."""

    def __init__(self, line: WindowsFit, cdf: Floats) -> None:
        self._line = line
        self._cdf = cdf
        self._theta = np.diff(cdf)
        self._held = Occupancy.of(line)
        self._scale = line.weights / np.sqrt(line.law.users)  # √n λ

    def __call__(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the variance of the estimated share of items ``low`` … ``high − 1``, for many ranges."""
        low, high = np.broadcast_arrays(low, high)
        least: Floats | float = 0.0
        if low.size <= _MAX_ONE_BY_ONE:
            variances = self._each(low.reshape(-1), high.reshape(-1)).reshape(low.shape)
        elif self._line.items <= _MAX_EXACT_ITEMS:
            variances = self._matrix_variances(low, high)
        else:
            even = self._long.even(low, high)
            variances, least = even + self._long.added(low, high, even), _MIN_VARIANCE_RATIO * even
            for means in self._means:
                variances -= (means[high] - means[low]) ** 2
        share = self._cdf[high] - self._cdf[low]
        variances = np.maximum(variances - share * (1 - share) / self._line.law.fixed_people, least)
        certain = (low == high) | ((low == 0) & (high == self._line.items))
        return np.where(certain, 0.0, variances)

    def _each(self, low: Boundaries, high: Boundaries) -> Floats:
        """Follow the formula, range by range."""
        place = np.arange(self._line.items)
        found = [np.zeros(0)]
        for rows in slices(low.size, max(1, _TOGETHER // self._line.items)):
            inside = (place >= low[rows, None]) & (place < high[rows, None])
            covariance = self._line.covariance_with(inside.astype(np.float64))
            variance = (covariance * inside).sum(axis=-1)
            for scale, held, width, cells in zip(self._scale, *self._held, strict=True):
                mass = window_sums(self._theta, width)
                if held:
                    variance += held / width * (window_sums(covariance, width) ** 2 @ (mass - 1 / cells))
                variance -= (scale * (covariance @ blurred(mass, width))) ** 2
            found.append(variance)
        return np.concatenate(found)

    @cached_property
    def _means(self) -> Floats:
        """√n × (λ/w) Σ W·θ(window) of the prefix below every boundary, level by level."""
        masses = [blurred(window_sums(self._theta, width), width) for width in self._line.widths]
        each = self._scale[:, None] * self._line.covariance_with(np.stack(masses))
        return np.concatenate([np.zeros((len(each), 1)), np.cumsum(each, axis=1)], axis=1)

    def _matrix_variances(self, low: Boundaries, high: Boundaries) -> Floats:
        variance = np.diagonal(self._matrix)
        found: Floats = variance[low] + variance[high] - 2 * self._matrix[low, high]
        return found

    @cached_property
    def _matrix(self) -> Floats:
        """The covariance of the shares below any two boundaries."""
        even = prefix_matrix(self._line, 1)
        matrix: Floats = even + held_matrix(even, self._theta, self._held) - self._means.T @ self._means
        return matrix

    @cached_property
    def _long(self) -> TabulatedVariances:
        return TabulatedVariances(self._line, self._cdf, self._held)
