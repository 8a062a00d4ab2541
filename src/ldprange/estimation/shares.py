"""What an estimate is read off: shares of ranges of whole bins, and how sure they are."""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ldprange.aggregate import Aggregate
from ldprange.details import Floats

Boundaries = NDArray[np.int64]


class Shares(Protocol):
    """Shares of the population in ranges of bins ``low`` … ``high − 1``, many at once.

    Attributes
    ----------
    bins
        Number of bins.
    scales
        Bins per node on every level that reports tell of, coarsest first. Only shares between multiples
        of the last (and the far end) are known; it is 1 unless a level went unreported.
    users
        How many people reported.
    is_distribution
        Whether shares lie between 0 and 1, and so should their intervals.
    """

    bins: int
    users: int
    scales: tuple[int, ...]
    is_distribution: bool

    def share(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the estimated shares."""
        ...

    def centre(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the unbiased shares, about which intervals lie."""
        ...

    def variance(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the variances of :meth:`centre`."""
        ...

    @cached_property
    def rising_cdf(self) -> Floats:
        """The estimated share below each boundary, made to rise."""
        ...


def level_estimates(aggregate: Aggregate) -> list[Floats]:
    """Return each level's estimated fractions; zeros where nobody reported."""
    return [
        mechanism.estimate(counts, users) if users else np.zeros(mechanism.cells)
        for mechanism, counts, users in zip(
            aggregate.plan.mechanisms, aggregate.counts, aggregate.users, strict=True
        )
    ]


def known_scales(aggregate: Aggregate, *, nested: bool) -> tuple[int, ...]:
    """Return the bins per node of the levels that reports tell of, coarsest first.

    In a nested tree any level tells of all coarser ones; otherwise a level is known only if it and all
    coarser ones were reported on. Windows lie anywhere, and the narrowest say it all. If nobody reported at
    all, only the whole is known.
    """
    levels = aggregate.plan.levels
    reported = np.array(aggregate.users) > 0
    if not reported.any():
        return (max(levels[0].size * levels[0].branching, aggregate.plan.domain.bins),)
    if levels[0].shifts > 1:
        return (min(level.shifts for level, told in zip(levels, reported, strict=True) if told),)
    known = np.maximum.accumulate(reported[::-1])[::-1] if nested else np.minimum.accumulate(reported)
    sizes = [level.size for level, is_known in zip(levels, known, strict=True) if is_known]
    return tuple(sizes) or (levels[0].size * levels[0].branching,)


def rising(cdf: Floats) -> Floats:
    """Return a non-decreasing version of a noisy cdf: halfway between its upper and lower envelope."""
    inside = np.clip(cdf, 0.0, 1.0)
    upper = np.maximum.accumulate(inside)
    lower = np.minimum.accumulate(inside[::-1])[::-1]
    return (upper + lower) / 2
