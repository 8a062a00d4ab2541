"""One attribute's shares among the people in ranges of other attributes."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ldprange.estimation.fieller import ratio_interval
from ldprange.estimation.joint_shares import JointShares
from ldprange.estimation.shares import Interval, Shares, rising
from ldprange.least_squares.table import Boxes
from ldprange.support.arrays import Boundaries, Floats


class Conditional(Shares):
    """An attribute's shares among the people in given ranges, with Fieller's interval for a ratio.

    A ratio of unbiased estimates is not one itself, and may be anything where few are given; so shares come
    from a cdf that is made to rise, and intervals end at 0 and 1: the share of some people among others
    cannot lie beyond.

    Parameters
    ----------
    shares
        Those of the attribute together with all that are given.
    ranges
        The given ranges in the order of the axes; None where the attribute itself stands.
    joint_cdf
        The share of all people who are given and lie below each boundary of the attribute.
    users
        How many people reported.
    """

    name = "Estimate among some of the people"

    def __init__(
        self, shares: JointShares, ranges: Sequence[tuple[int, int] | None], joint_cdf: Floats, users: int
    ) -> None:
        self._shares, self._ranges, self.users = shares, ranges, users
        at = ranges.index(None)
        sizes = shares.axes[at].sizes
        self.scales = tuple(size for size in sizes[1:] if size >= shares.steps[at])
        self.bins = joint_cdf.size - 1
        self.cdf = joint_cdf / joint_cdf[-1]
        self._rising = rising(self.cdf)

    def share(self, low: Boundaries, high: Boundaries) -> Floats:
        shares: Floats = self._rising[high] - self._rising[low]
        return shares

    def interval(self, low: Boundaries, high: Boundaries, z: float) -> Interval:
        low, high = np.broadcast_arrays(low, high)
        part, rest = (self._boxes(low.reshape(-1), high.reshape(-1), less) for less in (0.0, 1.0))
        variance, slope = self._shares.variance, self._shares.spread(part).slope
        least, most = ratio_interval(
            self._shares.ask(part), variance(part), *self._all_of_them, variance(rest), slope, z
        )
        share = self.share(low, high).reshape(-1)
        least, most = np.clip(least, 0.0, share), np.clip(most, share, 1.0)
        return least.reshape(low.shape), most.reshape(low.shape)

    @cached_property
    def _all_of_them(self) -> tuple[float, float]:
        """The share of the people who are given, and its variance."""
        boxes = self._boxes(np.zeros(1, np.int64), np.full(1, self.bins))
        return float(self._shares.ask(boxes)[0]), float(self._shares.variance(boxes)[0])

    def _boxes(self, low: Boundaries, high: Boundaries, less: float = 0.0) -> Boxes:
        """Ask about the given people in ranges of the attribute, less a part of all of them."""
        ends = [
            (low, high) if pair is None else (np.full_like(low, pair[0]), np.full_like(high, pair[1]))
            for pair in self._ranges
        ]
        constants = [np.full(low.shape, 0.0 if pair else less) for pair in self._ranges]
        return self._shares.whole([start for start, _ in ends], [stop for _, stop in ends], constants)
