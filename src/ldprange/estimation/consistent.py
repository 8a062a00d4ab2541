"""Shares from all levels together: least squares in the basis of details."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ldprange.aggregate import Aggregate
from ldprange.decompositions.contract import Variances
from ldprange.estimation.shares import (
    CentredShares,
    Spread,
    drawn_slope,
    level_estimates,
    rising,
)
from ldprange.sampling import Population
from ldprange.support.arrays import Boundaries, Floats

_NEGLIGIBLE = 0.01  # part of a variance that who is in a cell may have without being looked at


class ConsistentShares(CentredShares):
    """Shares with exact variances; the population in them is the estimated one."""

    def __init__(self, aggregate: Aggregate, population: Population = None) -> None:
        plan = aggregate.plan
        self.bins, self.users = plan.domain.bins, aggregate.reports
        self.scales = plan.layout.known_sizes(aggregate.users)
        law = plan.law(aggregate.users, population)
        self._estimator = plan.layout.estimator(law)
        self._sampled = law.sampled
        self._occupied = law.occupied_part([level.asked for level in plan.levels])
        if self.users:
            fractions = self._estimator.fit(level_estimates(aggregate))
        else:
            fractions = np.full(self.bins, 1 / self.bins)
        self.cdf = np.concatenate([[0.0], np.cumsum(fractions)])
        self.cdf[-1] = 1.0
        if self.scales[-1] > 1:  # people are taken to be spread evenly where no level says more
            place = np.arange(self.bins + 1)
            known = np.append(place[: -1 : self.scales[-1]], self.bins)
            self.cdf = np.interp(place, known, self.cdf[known])

    def share(self, low: Boundaries, high: Boundaries) -> Floats:
        shares: Floats = self.cdf[high] - self.cdf[low]
        return shares

    def centre(self, low: Boundaries, high: Boundaries) -> Floats:
        return self.share(low, high)

    def spread(self, low: Boundaries, high: Boundaries) -> Spread:
        variance, share = self._variances(low, high), self.rising_cdf[high] - self.rising_cdf[low]
        even_share = (high - low) / self.bins
        if self._occupied < _NEGLIGIBLE:
            return Spread(variance, share, drawn_slope(even_share, self._sampled))
        even = self._even_variances(low, high)
        empty = (1 - self._occupied) * even
        return Spread.of(variance, share, even, even_share, empty, self._sampled)

    @cached_property
    def _variances(self) -> Variances:
        return self._estimator.variances(self.rising_cdf)

    @cached_property
    def _even_variances(self) -> Variances:
        return self._estimator.variances(np.linspace(0.0, 1.0, self.bins + 1))

    @cached_property
    def rising_cdf(self) -> Floats:
        """The cdf, made to rise: the population in the variances."""
        return rising(self.cdf)
