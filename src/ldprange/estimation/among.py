"""Shares among the people in a box of several attributes, and how sure they are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ldprange.estimation.fieller import quotient_interval, ratio_interval
from ldprange.estimation.inner_bounds import Ends, interval_between
from ldprange.estimation.joint_shares import JointShares
from ldprange.estimation.shares import Interval, at_once
from ldprange.least_squares.table import Boxes, from_corners, shares_below
from ldprange.support.arrays import Floats, Positions


class Among:
    """Shares among the people in a box: a range on every axis of a table.

    Parameters
    ----------
    shares
        Those of all people, in the table.
    low, high
        The first bin of the box on every axis, and the one after its last.
    bounded
        Whether intervals end at 0 and 1, which unbiased shares may lie beyond.
    """

    def __init__(
        self, shares: JointShares, low: Sequence[int], high: Sequence[int], *, bounded: bool = True
    ) -> None:
        self._shares, self._low, self._high, self._bounded = shares, tuple(low), tuple(high), bounded
        self._box = shares.whole(*([np.array([end]) for end in ends] for ends in (low, high)))

    @property
    def told_apart(self) -> bool:
        """Whether the reports tell the people in the box from all others: it is of whole cells."""
        ends = zip(self._box.low, self._box.high, self._shares.steps, strict=True)
        return not any(int(end[0]) % step for low, high, step in ends for end in (low, high))

    def interval(self, starts: Sequence[Positions], stops: Sequence[Positions], z: float) -> Interval:
        """Return the ends of intervals of shares between positions inside the box.

        They are Fieller's, from exact variances, where the box is of whole cells. Elsewhere they are the
        quotients of the ends of two intervals, which are wider. Of the share of all of them we are sure.
        """
        low, high = self._any_interval(starts, stops, z)
        same = zip((*starts, *stops), (*self._low, *self._high), strict=True)
        certain = np.logical_and.reduce([end == whole for end, whole in same])
        return np.where(certain, 1.0, low), np.where(certain, 1.0, high)

    def _any_interval(self, starts: Sequence[Positions], stops: Sequence[Positions], z: float) -> Interval:
        if not self.told_apart:
            both = at_once(z, 2)
            low, high = ([np.array([float(end)]) for end in ends] for ends in (self._low, self._high))
            whole = self._shares.interval(low, high, both)
            return quotient_interval(self._shares.interval(starts, stops, both), whole)

        def interval(ends: Sequence[Ends]) -> Interval:
            return self._fieller(self._shares.whole(*zip(*ends, strict=True)), z)

        sizes, steps = self._shares.table.shape, self._shares.steps
        return interval_between(interval, starts, self._shares.leaves(stops), steps, sizes)

    def _fieller(self, part: Boxes, z: float) -> Interval:
        shares, (whole, whole_variance) = self._shares, self.whole
        rest_variance = np.max(self._rest_variances(part), axis=0)
        estimated = shares.ask(part), shares.spread(part), whole, whole_variance, rest_variance
        return ratio_interval(*estimated, z, bounded=self._bounded)

    @cached_property
    def whole(self) -> tuple[float, float]:
        """The share of the people in the box, and its variance."""
        return float(self._shares.ask(self._box)[0]), float(self._shares.variance(self._box)[0])

    def _rest_variances(self, part: Boxes) -> list[Floats]:
        """Return, in each population, the variances of the shares of those in the box but in no ``part``."""
        rests = []
        for assumed, below in zip(self._shares.populations, self._covariances_below, strict=True):
            whole = float(assumed.variances(self._box)[0])
            rests.append(assumed.variances(part) + whole - 2 * from_corners(*part, below))
        return rests

    @cached_property
    def _covariances_below(self) -> list[Floats]:
        """The covariance with the box of the share below every boundary, in each population."""
        low, high = ([int(end[0]) for end in side] for side in self._box)
        fit = self._shares.fit
        return [shares_below(fit.covariances(each.shares, low, high)) for each in self._shares.populations]
