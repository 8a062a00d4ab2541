"""Shares among the people who gave an answer, where some may have given none."""

from functools import partial

import numpy as np

from ldprange.estimation.consistent import ConsistentShares
from ldprange.estimation.fieller import mean_ratio_interval, ratio_interval
from ldprange.estimation.means import sum_variance
from ldprange.estimation.shares import Interval, Shares, unseen_variance
from ldprange.support.arrays import Boundaries, Floats


class AnsweredShares(Shares):
    """Shares among those who are not in the last bin, with Fieller's interval for a ratio.

    Parameters
    ----------
    everyone
        The shares of all people. They add up, so the covariance of two of them follows from variances of
        ranges: 2·Cov(F(x), F(y)) = V(0, x) + V(0, y) − V(x, y) for shares F below boundaries x < y.
    """

    def __init__(self, everyone: ConsistentShares) -> None:
        self._everyone = everyone
        self.users, self.scales, self.bins = everyone.users, everyone.scales, everyone.bins - 1
        self.name = f"{everyone.name} among those who answered"
        answered = everyone.cdf[-2]
        # if nobody seems to have answered, all is possible
        self.cdf = everyone.cdf[:-1] / answered if answered > 0 else np.linspace(0.0, 1.0, self.bins + 1)

    def interval(self, low: Boundaries, high: Boundaries, z: float) -> Interval:
        low, high = np.broadcast_arrays(low, high)
        if self.scales[-1] > 1:  # reports do not yet tell who answered
            return np.zeros(low.shape), np.ones(low.shape)
        share, spread = self._everyone.centre(low, high), self._everyone.spread(low, high)
        whole, rest = self._variances(low, high, spread.variance)
        answered = float(self._everyone.centre(np.array(0), np.array(self.bins)))
        certain = (low == 0) & (high == self.bins)  # whoever answered: of that we are sure
        bounded = self._everyone.bounded
        least, most = ratio_interval(share, spread, answered, whole, rest, z, bounded=bounded)
        return np.where(certain, 1.0, least), np.where(certain, 1.0, most)

    def mean_interval(self, values: Floats, z: float) -> tuple[float, float]:
        if self.scales[-1] > 1:  # reports do not yet tell who answered
            return float(values.min()), float(values.max())
        bins = np.arange(self.bins)
        shares = self._everyone.centre(bins, bins + 1)
        unseen = unseen_variance(self.users, self._everyone.sampled)
        variance = partial(sum_variance, self._variance, self.bins)
        return mean_ratio_interval(values, shares, variance, unseen, z)

    def _variances(self, low: Boundaries, high: Boundaries, part: Floats) -> tuple[float, Floats]:
        """Return those of the share of all who answered, and of those of them who are in no range.

        ``part`` has the variances of the shares in ranges.
        """
        start, stop = np.zeros_like(low), np.full_like(low, self.bins)
        (whole,) = self._variance(np.zeros(1, np.int64), np.full(1, self.bins)).tolist()
        covariance_twice = (
            self._variance(start, high)
            - self._variance(high, stop)
            - self._variance(start, low)
            + self._variance(low, stop)
        )
        return whole, np.maximum(part + whole - covariance_twice, 0.0)

    def _variance(self, low: Boundaries, high: Boundaries) -> Floats:
        return self._everyone.spread(low, high).variance
