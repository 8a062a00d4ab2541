"""Shares of a denoised estimate: a distribution, with the intervals of the unbiased one."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ldprange.aggregate import Aggregate
from ldprange.details import Floats
from ldprange.estimation.consistent import ConsistentShares
from ldprange.estimation.denoising import denoised
from ldprange.estimation.shares import Boundaries


class DenoisedShares(ConsistentShares):
    """Denoised values are biased where a bin stands out alone, so intervals stay about the unbiased ones."""

    name = "Denoised estimate"
    bounded = True

    def __init__(self, aggregate: Aggregate) -> None:
        super().__init__(aggregate)
        shares = np.diff(self._cdf)
        if self.users:
            shares = denoised(shares, self._estimator.block_variances)
        self._denoised_cdf = np.concatenate([[0.0], np.minimum(np.cumsum(shares), 1.0)])
        self._denoised_cdf[-1] = 1.0

    def share(self, low: Boundaries, high: Boundaries) -> Floats:
        shares: Floats = self._denoised_cdf[high] - self._denoised_cdf[low]
        return shares

    def centre(self, low: Boundaries, high: Boundaries) -> Floats:
        return super().share(low, high)

    @cached_property
    def rising_cdf(self) -> Floats:
        return self._denoised_cdf
