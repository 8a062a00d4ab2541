"""Shares from a tree as it was reported, level by level: the paper's method without consistency."""

from collections.abc import Iterator, Sequence

import numpy as np

from ldprange.aggregate import Aggregate
from ldprange.estimation.shares import CentredShares, Spread, drawn_slope, level_estimates, one_person, rising
from ldprange.levels import Level
from ldprange.noise import Law
from ldprange.sampling import Population
from ldprange.support.arrays import Boundaries, Floats


class RawShares(CentredShares):
    """A range is the sum of the fewest nodes that make it up; the whole domain is the root, known to be 1."""

    def __init__(self, aggregate: Aggregate, population: Population = None) -> None:
        plan = aggregate.plan
        self.bins, self.users = plan.domain.bins, aggregate.reports
        self.scales = plan.layout.known_sizes(aggregate.users, consistent=False)
        self._levels = plan.levels
        self._law = plan.law(aggregate.users, population)
        self.sampled = self._law.sampled
        self._sums, above = [], np.ones(1)
        for level, nodes, users in zip(plan.levels, level_estimates(aggregate), aggregate.users, strict=True):
            # where nobody reported, children share what their parent has
            above = nodes if users else np.repeat(above / level.branching, level.branching)
            self._sums.append(np.concatenate([[0.0], np.cumsum(above)]))
        stops = np.arange(self.bins + 1)
        self.cdf = self.share(np.zeros_like(stops), stops)
        self._rising_cdf = rising(self.cdf)

    def share(self, low: Boundaries, high: Boundaries) -> Floats:
        total = np.where((low == 0) & (high == self.bins), 1.0, 0.0)
        for sums, (a, b, c, d) in zip(self._sums, _cover(self._levels, self.bins, low, high), strict=True):
            total += sums[b] - sums[a] + sums[d] - sums[c]
        return total

    centre = share

    def spread(self, low: Boundaries, high: Boundaries) -> Spread:
        variance = raw_variances(self._levels, self._law, self._rising_cdf, low, high)
        share = self._rising_cdf[high] - self._rising_cdf[low]
        slope = drawn_slope((high - low) / self.bins, self.sampled)
        return Spread(variance, share, slope, one_person(self.users))


def raw_variances(
    levels: Sequence[Level], law: Law, cdf: Floats, low: Boundaries, high: Boundaries
) -> Floats:
    """Return the exact variance of the raw tree's answers, for many ranges.

    ``cdf`` is the population's share below each boundary; it must not fall.
    """
    bins = cdf.size - 1
    total: Floats = np.zeros(np.broadcast_shapes(low.shape, high.shape))
    for level, noise, users, (a, b, c, d) in zip(
        levels, law.noises, law.users, _cover(levels, bins, low, high), strict=True
    ):
        nodes = b - a + d - c
        edges = [cdf[np.minimum(edge * level.size, bins)] for edge in (a, b, c, d)]
        inside = edges[1] - edges[0] + edges[3] - edges[2]
        moment = noise.spread * nodes + noise.occupied * inside
        moment += noise.total * nodes**2 + 2 * noise.cross * nodes * inside
        total += (moment - inside**2) / users
    share = cdf[high] - cdf[low]
    total -= share * (1 - share) / law.fixed_people
    return np.maximum(total, 0.0)


def _cover(
    levels: Sequence[Level], bins: int, low: Boundaries, high: Boundaries
) -> Iterator[tuple[Boundaries, ...]]:
    """Yield, level by level, the nodes [a, b) and [c, d) that lie in the range but not their parents."""
    covered_low, covered_high = np.zeros_like(low), np.zeros_like(low)
    whole = (low == 0) & (high == bins)  # the root itself
    high = np.where(whole, 0, high)
    for level in levels:
        first, last = -(-low // level.size), high // level.size
        last = np.maximum(first, last)
        inner_low, inner_high = covered_low * level.branching, covered_high * level.branching
        nothing = inner_low >= inner_high
        yield first, np.where(nothing, last, inner_low), np.where(nothing, last, inner_high), last
        covered_low, covered_high = first, last
