"""The noise of an estimate along a line, as denoising has to know it: of blocks and of any ranges."""

from __future__ import annotations

import numpy as np

from ldprange.decompositions.contract import Estimator
from ldprange.levels import neighbours
from ldprange.support.arrays import Boundaries, Floats


class LineNoise:
    """The variances of what lies between ``known`` boundaries of the bins, were people spread evenly."""

    def __init__(self, estimator: Estimator, known: Boundaries, bins: int) -> None:
        self._estimator, self._known, self._bins = estimator, known, bins

    def variances(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return them for the cells ``low`` … ``high − 1``."""
        return self._estimator.even_variances(self._known[low], self._known[high])

    def block_variances(self, width: int, step: int) -> Floats:
        """Return them for blocks of ``width`` cells, as far as they lie on the line, one every ``step``."""
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
