"""The noise of an estimate along a line, as denoising has to know it: of blocks and of any ranges."""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

import numpy as np

from ldprange.decompositions.contract import Estimator
from ldprange.estimation.splits import NO_NOISE
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
    Cov(P, S) of the share P between s and b is (V(s, b) + V(s, t) − V(b, t))/2. So if S is known to differ
    from its estimate, P is expected to differ κ_b times as much, κ_b = Cov(P, S)/V(s, t), and what lies
    between a and b then has the variance V(a, b) − (κ_b − κ_a)² V(s, t).

    Parameters
    ----------
    noise
        Of the shares on all of the line.
    stretch
        Which of the line's cells.
    """

    def __init__(self, noise: Noise, stretch: slice) -> None:
        self._noise, self._first, self._cells = noise, stretch.start, stretch.stop - stretch.start

    @property
    def following(self) -> Floats:
        """By how much every cell's share is expected to grow with that of all of the stretch."""
        rises, whole = np.diff(self._twice_covariances), self._known[1][-1]
        return rises / (2 * whole) if whole > 0 else np.full(self._cells, 1 / self._cells)

    def variances(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return those of the shares of cells ``low`` … ``high − 1`` of the stretch."""
        own = self._noise.variances(self._first + low, self._first + high)
        ends, places = np.unique(np.concatenate([low, high]), return_inverse=True)
        before, behind = np.split(np.subtract(*self._from_ends(ends))[places.reshape(-1)], 2)
        return self._given(own, behind - before)

    def block_variances(self, width: int, step: int) -> Floats:
        """Return them for blocks of ``width`` cells, as far as they lie on the stretch, one every ``step``.

        Of wide ones, which begin after every so many, and of those at the ends of a long stretch, they are
        those of blocks that begin a cell or a few before.
        """
        low, high = neighbours(width, self._cells, step)
        places, upto, after = self._known
        skipped = self._first if step == 1 else 0
        own = self._noise.block_variances(width, step)[skipped : skipped + low.size].copy()
        first, last = slice(np.searchsorted(low, 1)), slice(np.searchsorted(high, self._cells), None)
        own[last] = np.interp(low[last], places, after)
        own[first] = np.interp(high[first], places, upto)
        return self._given(own, self._twice_covariances[high] - self._twice_covariances[low])

    def _given(self, own: Floats, rise: Floats) -> Floats:
        """Return the variances from the ranges' own, and their covariances with the whole, twice."""
        whole = self._known[1][-1]
        found: Floats = np.maximum(own - rise**2 / (4 * max(whole, NO_NOISE)), 0.0)
        return found

    @cached_property
    def _twice_covariances(self) -> Floats:
        """Twice the covariance of what lies before every boundary with the whole, but for a constant."""
        places, upto, after = self._known
        return np.interp(np.arange(self._cells + 1), places, upto - after)

    @cached_property
    def _known(self) -> tuple[Boundaries, Floats, Floats]:
        """Some boundaries, and the variances of what lies before them on the stretch, and behind."""
        places = np.arange(self._cells + 1)
        if self._cells > _EXACTLY:
            near = np.geomspace(1, self._cells, _EXACTLY).astype(np.int64)
            places = np.unique(np.concatenate([[0], near, self._cells - near]))
        return places, *self._from_ends(places)

    def _from_ends(self, ends: Boundaries) -> tuple[Floats, Floats]:
        """Return the variances of what lies before boundaries on the stretch, and behind them."""
        at, last = self._first + ends, np.full(ends.size, self._first + self._cells)
        return self._noise.variances(np.full(ends.size, self._first), at), self._noise.variances(at, last)
