"""Shares from all levels together: least squares in the basis of details."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ldprange.aggregate import Aggregate
from ldprange.decompositions.contract import Variances
from ldprange.details import Floats
from ldprange.estimation.shares import Boundaries, CentredShares, known_scales, level_estimates, rising


class ConsistentShares(CentredShares):
    """Shares with exact variances; the population in them is the estimated one."""

    def __init__(self, aggregate: Aggregate) -> None:
        plan = aggregate.plan
        self.bins, self.users = plan.domain.bins, aggregate.reports
        self.scales = known_scales(aggregate, nested=plan.decomposition.nested)
        self._estimator = plan.estimator(aggregate.users)
        if self.users:
            fractions = self._estimator.fit(level_estimates(aggregate))
        else:
            fractions = np.full(self.bins, 1 / self.bins)
        self._cdf = np.concatenate([[0.0], np.cumsum(fractions)])
        self._cdf[-1] = 1.0
        if self.scales[-1] > 1:  # people are taken to be spread evenly where no level says more
            place = np.arange(self.bins + 1)
            known = np.append(place[: -1 : self.scales[-1]], self.bins)
            self._cdf = np.interp(place, known, self._cdf[known])

    def share(self, low: Boundaries, high: Boundaries) -> Floats:
        shares: Floats = self._cdf[high] - self._cdf[low]
        return shares

    def centre(self, low: Boundaries, high: Boundaries) -> Floats:
        return self.share(low, high)

    def variance(self, low: Boundaries, high: Boundaries) -> Floats:
        return self._variances(low, high)

    @cached_property
    def _variances(self) -> Variances:
        return self._estimator.variances(self.rising_cdf)

    @cached_property
    def rising_cdf(self) -> Floats:
        return rising(self._cdf)
