"""One attribute's shares among the people in ranges of other attributes."""

from collections.abc import Callable, Sequence

import numpy as np

from ldprange.domain import Domain
from ldprange.estimation.among import Among
from ldprange.estimation.fieller import mean_ratio_interval
from ldprange.estimation.joint_shares import JointShares
from ldprange.estimation.means import in_cells, sum_variance
from ldprange.estimation.shares import Interval, Shares, rising, unseen_variance
from ldprange.least_squares.table import Boxes
from ldprange.support.arrays import Boundaries, Floats

_MAX_RUNS = 64  # of bins, that a mean tells apart


class Conditional(Shares):
    """An attribute's shares among the people in given ranges, with Fieller's interval for a ratio.

    A ratio of unbiased estimates is not one itself, and may be anything where few are given; so shares come
    from a cdf that is made to rise, or of categories are the nearest that are not negative; and intervals end
    at 0 and 1: the share of some people among others cannot lie beyond.

    Parameters
    ----------
    shares
        Those of the attribute together with all that are given.
    ranges
        The given ranges in the order of the axes; None where the attribute itself stands.
    joint_cdf
        The share of all people who are given and lie below each boundary of the attribute, up to that after
        its last bin, or after the last of those who answered.
    users
        How many people reported.
    domain
        The attribute's: says whether its values have an order. No answer has no place among them.
    """

    name = "Estimate among some of the people"

    def __init__(
        self,
        shares: JointShares,
        ranges: Sequence[tuple[int, int] | None],
        joint_cdf: Floats,
        users: int,
        domain: Domain,
    ) -> None:
        self._shares, self._ranges, self.users = shares, ranges, users
        at = ranges.index(None)
        sizes = shares.axes[at].sizes
        # if nobody reported on both, only the whole is known
        self.scales = tuple(size for size in sizes[1:] if size >= shares.steps[at]) or sizes[:1]
        self.bins = joint_cdf.size - 1
        self.cdf = joint_cdf / joint_cdf[-1]
        answered = domain.answered.bins
        values = self.cdf[: answered + 1]
        told = min(float(values[-1]), 1.0)
        among = (
            (_not_negative if domain.unordered else rising)(values / values[-1]) if told > 0 else 0 * values
        )
        self._rising = np.append(max(told, 0.0) * among, self.cdf[answered + 1 :])
        everybody = self._ends(np.zeros(1, np.int64), np.full(1, self.bins))
        self._among = Among(shares, *([int(end[0]) for end in ends] for ends in everybody))

    def share(self, low: Boundaries, high: Boundaries) -> Floats:
        return self._rising[high] - self._rising[low]

    def interval(self, low: Boundaries, high: Boundaries, z: float) -> Interval:
        low, high = np.broadcast_arrays(low, high)
        starts, stops = self._ends(low.reshape(-1), high.reshape(-1))
        least, most = self._among.interval(
            [each.astype(np.float64) for each in starts], [each.astype(np.float64) for each in stops], z
        )
        share = self.share(low, high).reshape(-1)
        least, most = np.clip(least, 0.0, share), np.clip(most, share, 1.0)
        return least.reshape(low.shape), most.reshape(low.shape)

    def mean_interval(self, values: Floats, z: float) -> tuple[float, float]:
        if not self._among.told_apart:  # reports do not tell who answered
            return float(values.min()), float(values.max())
        bins = np.arange(self.bins)
        shares = self._shares.ask(self._boxes(bins, bins + 1))
        unseen = unseen_variance(self.users, self._shares.fit.sampled)
        (low, _), (_, high) = (
            mean_ratio_interval(each, shares, self._sum_variance, unseen, z)
            for each in in_cells(values, self.scales[-1])
        )
        return max(low, float(values.min())), min(high, float(values.max()))

    def _sum_variance(self, values: Floats) -> float:
        """Return the variance of Σ ``values`` × the shares of all people who are given and in each bin."""

        def among(of_boxes: Callable[[Boxes], Floats]) -> float:
            def variances(low: Boundaries, high: Boundaries) -> Floats:
                return of_boxes(self._boxes(low, high))

            return sum_variance(variances, self.bins, values, step=self.scales[-1], max_runs=_MAX_RUNS)

        return max(among(each.variances) for each in self._shares.populations)

    def _ends(self, low: Boundaries, high: Boundaries) -> tuple[list[Boundaries], list[Boundaries]]:
        """Return where the given people in ranges of the attribute start and stop on every axis."""
        ends = [
            (low, high) if pair is None else (np.full_like(low, pair[0]), np.full_like(high, pair[1]))
            for pair in self._ranges
        ]
        return [start for start, _ in ends], [stop for _, stop in ends]

    def _boxes(self, low: Boundaries, high: Boundaries) -> Boxes:
        return self._shares.whole(*self._ends(low, high))


def _not_negative(cdf: Floats) -> Floats:
    """Return the cdf of the distribution nearest to shares that add up to 1, in whatever order they are.

    It takes as much from each of them, but none below 0.
    """
    shares = np.diff(cdf)
    greatest = np.sort(shares)[::-1]
    too_much = (np.cumsum(greatest) - 1) / np.arange(1, shares.size + 1)
    taken = too_much[np.flatnonzero(greatest > too_much)[-1]]
    return np.append(0.0, np.cumsum(np.maximum(shares - taken, 0.0)))
