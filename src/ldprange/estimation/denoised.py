"""Shares of a denoised estimate: a distribution, with the intervals of the unbiased one."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ldprange.aggregate import Aggregate
from ldprange.estimation.consistent import ConsistentShares
from ldprange.estimation.denoise_line import denoised
from ldprange.sampling import Population
from ldprange.support.arrays import Boundaries, Floats


class DenoisedShares(ConsistentShares):
    """Denoised values are biased where a bin stands out alone, so intervals stay about the unbiased ones."""

    name = "Denoised estimate"
    bounded = True

    def __init__(self, aggregate: Aggregate, population: Population = None) -> None:
        super().__init__(aggregate, population)
        self._unbiased_cdf = self.cdf
        shares = np.diff(self.cdf)
        if self.users:
            shares = denoised(shares, self._estimator.block_variances)
        self.cdf = np.concatenate([[0.0], np.minimum(np.cumsum(shares), 1.0)])
        self.cdf[-1] = 1.0

    def centre(self, low: Boundaries, high: Boundaries) -> Floats:
        shares: Floats = self._unbiased_cdf[high] - self._unbiased_cdf[low]
        return shares

    @cached_property
    def rising_cdf(self) -> Floats:
        return self.cdf
