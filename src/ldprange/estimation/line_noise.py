"""The noise of an estimate along a line, as denoising has to know it: of blocks and of any ranges."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ldprange.decompositions.contract import Estimator
from ldprange.least_squares.known_total import KnownTotal
from ldprange.levels import neighbours
from ldprange.support.arrays import Boundaries, Floats

_EXACTLY = 1 << 10  # cells on a stretch up to which ranges from its ends are known for each of them


class Noise(Protocol):
    """The noise of an estimate of a line's cells."""

    def variances(self, low: Boundaries, high: Boundaries, /) -> Floats:
        """Return the variances of the shares of cells ``low`` … ``high − 1``."""
        ...

    def block_variances(self, width: int, step: int, /) -> Floats:
        """Return them for blocks of ``width`` cells, as far as they lie on the line, one every ``step``."""
        ...


class LineNoise:
    """The variances of what lies between ``known`` boundaries of the bins, were people spread evenly."""

    def __init__(self, estimator: Estimator, known: Boundaries, bins: int) -> None:
        self._estimator, self._known, self._bins = estimator, known, bins

    def variances(self, low: Boundaries, high: Boundaries) -> Floats:
        return self._estimator.even_variances(self._known[low], self._known[high])

    def block_variances(self, width: int, step: int) -> Floats:
        if self._known.size == self._bins + 1:
            return self._estimator.block_variances(width, step)
        return self.variances(*neighbours(width, self._known.size - 1, step))


class LineNoiseIn(LineNoise):
    """The same in a population: exact for ranges, nearly so for blocks, which are many.

    Parameters
    ----------
    estimator, known
        As above.
    cdf
        The population's share below each boundary of the bins.
    occupied
        The part of an even population's variance that depends on who is where.
    """

    def __init__(self, estimator: Estimator, known: Boundaries, cdf: Floats, occupied: float) -> None:
        super().__init__(estimator, known, cdf.size - 1)
        self._exact, self._cdf, self._occupied = estimator.variances(cdf), cdf, occupied

    def variances(self, low: Boundaries, high: Boundaries) -> Floats:
        return self._exact(self._known[low], self._known[high])

    def block_variances(self, width: int, step: int) -> Floats:
        even = LineNoise(self._estimator, self._known, self._bins).block_variances(width, step)
        low, high = (self._known[ends] for ends in neighbours(width, self._known.size - 1, step))
        share, even_share = self._cdf[high] - self._cdf[low], (high - low) / self._bins
        drawn, of_even = share * (1 - share), even_share * (1 - even_share)
        ratio = np.divide(drawn, of_even, out=np.zeros_like(drawn), where=of_even > 0)
        return even * (1 - self._occupied + self._occupied * ratio)


class NoiseGiven:
    """The noise of shares on a stretch of a line, given how many people are on all of it.

    With V(a, b) the variance of what lies between two boundaries, and S the share on the stretch from s to t,
    Cov(P, S) of the share P between s and b is (V(s, b) + V(s, t) − V(b, t))/2.

    Parameters
    ----------
    noise
        Of the shares on all of the line.
    stretch
        Which of the line's cells.
    """

    def __init__(self, noise: Noise, stretch: slice) -> None:
        self._noise, self._first, self._cells = noise, stretch.start, stretch.stop - stretch.start
        places = np.arange(self._cells + 1)
        if self._cells > _EXACTLY:
            near = np.geomspace(1, self._cells, _EXACTLY).astype(np.int64)
            places = np.unique(np.concatenate([[0], near, self._cells - near]))
        at, ends = self._first + places, np.full((2, places.size), [[stretch.start], [stretch.stop]])
        self._places = places
        # of what lies on the stretch before each of the places, and behind
        self._before, self._behind = noise.variances(ends[0], at), noise.variances(at, ends[1])
        self.total = KnownTotal(places, (self._before + self._before[-1] - self._behind) / 2)

    def variances(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return those of the shares of cells ``low`` … ``high − 1`` of the stretch."""
        return self._given(self._noise.variances(self._first + low, self._first + high), low, high)

    def block_variances(self, width: int, step: int) -> Floats:
        """Return them for blocks of ``width`` cells, as far as they lie on the stretch, one every ``step``.

        Of wide ones, which begin after every so many, and of those at the ends of a long stretch, they are
        those of blocks that begin a cell or a few before.
        """
        low, high = neighbours(width, self._cells, step)
        skipped = self._first if step == 1 else 0
        own = self._noise.block_variances(width, step)[skipped : skipped + low.size].copy()
        first, last = slice(np.searchsorted(low, 1)), slice(np.searchsorted(high, self._cells), None)
        own[last] = np.interp(low[last], self._places, self._behind)
        own[first] = np.interp(high[first], self._places, self._before)
        return self._given(own, low, high)

    def _given(self, own: Floats, low: Boundaries, high: Boundaries) -> Floats:
        """Return the variances of ranges from those that they have by themselves."""
        follows = self.total.weights[high] - self.total.weights[low]
        return np.maximum(own - follows**2 * self.total.variance, 0.0)
