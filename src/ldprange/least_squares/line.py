"""The estimate from shifted windows: least squares on a line, where every place is alike.

Level l, windows of w items, gives an unbiased estimate of T_w θ (:mod:`ldprange.oracles.shifted`), where T_w
is the Toeplitz matrix of max(0, 1 − t/w). With n users and λ the information of one report (1 over the
variance of a window's estimate in an even population), the levels together say

    H θ = Σ_l n λ (T_w θ)        with        H = Σ_l n λ T_w,

Toeplitz again. So x = H⁻¹ b, b = Σ_l n λ × the level's estimate; and since everybody is somewhere,
x + H⁻¹1 (1 − Σx)/(1ᵀH⁻¹1). H⁻¹, corrected so, is the estimate's *even* covariance: that of a population
which every window holds an equal part of. :mod:`ldprange.least_squares.line_variances` has the exact one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ldprange.least_squares.toeplitz import Toeplitz
from ldprange.noise import Law
from ldprange.support.arrays import Floats


class WindowsFit:
    """Levels of shifted windows with their users and noise: the estimator and its even covariance.

    Parameters
    ----------
    items
        Length of the line.
    widths
        Items per window, level by level.
    cells
        How many windows the oracle of each level is asked about.
    law
        Users and noise of every level.
    """

    def __init__(self, items: int, widths: Sequence[int], cells: Sequence[int], law: Law) -> None:
        self.items, self.widths, self.law = items, tuple(widths), law
        self.cells = np.array(cells)
        self.weights = 1 / law.node_variances(cells)
        """n λ of every level."""
        apart, column = np.arange(items), np.zeros(items)
        for weight, width in zip(self.weights, widths, strict=True):
            column += weight * np.maximum(0.0, 1 - apart / width)
        self._scale = column[0]
        self._matrix = Toeplitz(column / self._scale)
        self._ones = self._matrix.solve(np.ones(items))
        self._upto = np.cumsum(self._ones)

    def fit(self, estimates: Sequence[Floats]) -> Floats:
        """Return the items' shares from every level's back-projected estimate."""
        right = np.zeros(self.items)
        for weight, estimate in zip(self.weights, estimates, strict=True):
            right += (weight / self._scale) * estimate[: self.items]
        shares = self._matrix.solve(right)
        shares += self._ones * ((1 - shares.sum()) / self._upto[-1])
        return shares

    def covariance_with(self, sums: Floats) -> Floats:
        """Return the even covariance of every item with weighted sums of items, a row each."""
        solved = self._matrix.solve(sums)
        excess = solved.sum(axis=-1, keepdims=True) / self._upto[-1]
        covariance: Floats = (solved - excess * self._ones) / self._scale
        return covariance

    def prefix_covariances(self, apart: int, most: int | None = None) -> Floats:
        """Return the even covariance of the shares below boundaries i and i + ``apart``, i = 0 … D − apart.

        ``most`` stops at that i.
        """
        upto = np.concatenate([[0.0], self._upto])
        inverse = np.concatenate([[0.0], self._matrix.inverse_sums(apart, most)])
        product = upto[: inverse.size] * upto[apart : apart + inverse.size]
        covariances: Floats = (inverse - product / upto[-1]) / self._scale
        return covariances

    @cached_property
    def prefix_variances(self) -> Floats:
        """The even variance of the share below each boundary."""
        return self.prefix_covariances(0)

    def block_variances(self, width: int) -> Floats:
        """Return the even variance of every block of ``width`` items; the first ends with the first item."""
        prefixes = self.prefix_variances
        if width >= self.items:
            whole = np.zeros(width - self.items)
            return np.concatenate([prefixes[1:], whole, prefixes[1:-1]])
        apart = self.prefix_covariances(width)
        inside = prefixes[width:] + prefixes[:-width] - 2 * apart
        return np.concatenate([prefixes[1:width], inside, prefixes[1 - width + self.items : -1]])

    def mean_variances(self) -> tuple[float, float]:
        """Return the even variance averaged over all D(D + 1)/2 ranges and over all D prefixes."""
        n, total = self.items, self.prefix_variances.sum()
        # Σ_{i<j} Var(P_j − P_i) over the n + 1 boundaries is (n + 1) Σ Var(P_i) − Var(Σ P_i)
        prefixes_with = np.arange(n, 0.0, -1.0)
        pairs = (n + 1) * total - self.covariance_with(prefixes_with) @ prefixes_with
        return float(pairs / (n * (n + 1) / 2)), float(total / n)
