"""Exact variances of ranges from windows in stages.

A range with indicator r weighs the cells of b (see :mod:`ldprange.least_squares.stages`) by u, the even
covariance of every cell with the range; Σu = 0. A user of level l adds to the answer λ times the sum, over
the windows of their shift, of the window's estimate × W, W being the sum of u over the window. So with spread
and occupied of the oracle's noise the variance of the range's share R is

    Σ_l n [λ²/w Σ_windows W² (spread + occupied·θ(window)) − (λ/w Σ_windows W·θ(window))²] − R(1 − R)/N′.

Of the sum, W²(spread + occupied/asked) adds up to the even variance, and (λ/w) Σ W·θ(window) is the even
covariance of the range with T_w θ, the level's *mean*. What is left depends on who is where,

    Q = Σ_l n λ²/w Σ_windows W² occupied (θ(window) − 1/asked) = Σ_blocks uᵀ M u,

M adding up the windows that hold two cells. In a block without an end of the range u = E U, U being u of its
parts: on the stage above such a block acts by the few numbers A = Eᵀ(M + diag(A of the blocks below))E. In a
block with an end, below which the cells c lie, u = R c + E U. So an end takes one small form for each stage
(:mod:`ldprange.least_squares.stage_walk`), and all is exact for any number of bins.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ldprange import kernels
from ldprange.least_squares.stage_ends import ends_seen
from ldprange.least_squares.stage_population import StagePopulation
from ldprange.least_squares.stage_tables import StageTables
from ldprange.least_squares.stage_walk import StageWalk
from ldprange.least_squares.stage_windows import StageWindows
from ldprange.least_squares.stages import StagesFit
from ldprange.support.arrays import Boundaries, Floats
from ldprange.support.blas import callers_thread
from ldprange.support.parallel import in_threads, slices

_RANGES = 1 << 19  # whose boundaries are looked at together
_TOGETHER = 1 << 13  # ranges that a thread works on together
_CELLS = 1 << 15  # of blocks that a thread works on together


@dataclass(frozen=True, slots=True)
class _End:
    """The share below the last bin's end, on which is conditioned.

    Attributes
    ----------
    others
        Its covariance with the share below every boundary, but for that of the shares of all people.
    alone
        The same with itself.
    """

    others: Floats
    alone: float


class StageVariances:
    """Variances of ranges of one estimate, given the population's cdf at the boundaries."""

    def __init__(self, tables: StageTables, cdf: Floats) -> None:
        self._cdf, self._fit = cdf, tables.fit
        self._population = StagePopulation(tables, cdf)

    @callers_thread
    def __call__(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the variance of the estimated share of bins ``low`` … ``high − 1``, for many ranges."""
        low, high = np.broadcast_arrays(low, high)
        ends = low.reshape(-1), high.reshape(-1)
        parts = in_threads(
            lambda some: self._of_ranges(ends[0][some], ends[1][some]), slices(low.size, _RANGES)
        )
        variances = np.concatenate([np.zeros(0), *parts]).reshape(low.shape)
        share = self._cdf[high] - self._cdf[low]
        variances = np.maximum(variances - share * (1 - share) / self._fit.law.fixed_people, 0.0)
        certain = (low == high) | ((low == 0) & (high == self._fit.bins))
        return np.where(certain, 0.0, variances)

    def _of_ranges(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the variances, but for that of the share of all people itself."""
        boundaries, begin, end_at = _distinct(low, high)
        if not boundaries.size:
            return np.zeros(low.size)
        pairs = np.flatnonzero(begin >= 0)  # the share below 0 varies with nothing
        first, last = begin[pairs], end_at[pairs]
        walk = StageWalk(self._population, boundaries, first, last)
        alone, covariances = walk.variances, walk.covariances
        if self._fit.padding:  # given that beyond the bins there is nobody
            end, gains = self._end, self._fit.padding.weights[boundaries]
            others = end.others[boundaries]
            alone += gains * (end.alone * gains - 2 * others)
            covariances += gains[first] * (end.alone * gains[last] - others[last])
            covariances -= gains[last] * others[first]
        variances: Floats = alone[end_at]
        variances[pairs] += alone[first] - 2 * covariances
        return variances

    @cached_property
    def _end(self) -> _End:
        fit, population = self._fit, self._population
        cells = fit.below(fit.bins)
        each = zip(population.tables.windows, population.shares, cells, strict=True)
        rights = [_right(windows, shares, own.reshape(shares.shape)) for windows, shares, own in each]
        others = np.append(0.0, np.cumsum(cells[-1] + fit.combine(rights)[-1]))[: fit.bins + 1]
        return _End(others, float(others[-1]))


def _right(windows: StageWindows, shares: Floats, rows: Floats) -> Floats:
    """Return what the population makes a stage's cells vary with ``rows`` over its blocks."""
    blocks = list(slices(len(rows), max(1, _CELLS // windows.cells)))

    def means_of(some: slice) -> Floats:
        found: Floats = np.einsum("bcl,bc->l", windows.means(shares[some]), rows[some])
        return found

    def work(some: slice) -> Floats:
        found: Floats = windows.times(shares[some], rows[some]) - windows.means(shares[some]) @ means
        return found

    means = np.sum(list(in_threads(means_of, blocks)), axis=0)
    return np.concatenate(list(in_threads(work, blocks))).reshape(-1)


def _distinct(low: Boundaries, high: Boundaries) -> tuple[Boundaries, Boundaries, Boundaries]:
    """Return the boundaries at which ranges begin or end, rising, and both ends' places; that of 0 is −1."""
    used = np.zeros(high.max(initial=0) + 1, np.int64)
    used[low] = used[high] = 1
    used[0] = 0
    place = np.cumsum(used) - 1
    return np.flatnonzero(used), place[low], place[high]


def even_covariances(fit: StagesFit, one: Boundaries, other: Boundaries) -> Floats:
    """Return the even covariance of the shares below many boundaries, each with that below another."""
    found = _unpadded(fit, one, other)
    if fit.padding:
        found -= fit.padding.variance * fit.padding.weights[one] * fit.padding.weights[other]
    return found


def even_prefixes(fit: StagesFit) -> Floats:
    """Return the even variance of the share below every boundary.

    Given the parts of its block, a share varies alike in every block, and the parts weigh in it alike. So all
    that blocks differ in is how the shares below their parts' ends vary together.
    """
    size, block = fit.stages[-1].block, fit.blocks[-1]
    ends = np.arange(0, fit.leaves, size)[:, None] + np.linspace(0, size, block.parts + 1, dtype=np.int64)
    one, other = np.triu_indices(ends.shape[1])
    together = _unpadded(fit, ends[:, one].reshape(-1), ends[:, other].reshape(-1)).reshape(len(ends), -1)
    pairs = block.prefix_parts[:, one] * block.prefix_parts[:, other] * np.where(one == other, 1, 2)
    found = together @ pairs.T + np.diagonal(block.prefixes)
    variances: Floats = np.append(found[:, :-1].reshape(-1), found[-1, -1])[: fit.bins + 1]
    if fit.padding:
        variances -= fit.padding.variance * fit.padding.weights**2
    return np.maximum(variances, 0.0)


def _unpadded(fit: StagesFit, one: Boundaries, other: Boundaries) -> Floats:
    def work(some: slice) -> Floats:
        found = np.zeros(one[some].size)
        pairs = zip(fit.blocks, ends_seen(fit, one[some]), ends_seen(fit, other[some]), strict=True)
        for block, first, second in pairs:
            within = kernels.weighted_pairs(
                block.prefixes, first.start, first.weights, second.start, second.weights
            )
            found += (first.block == second.block) * within
        return found

    return np.concatenate([np.zeros(0), *in_threads(work, slices(one.size, _TOGETHER))])
