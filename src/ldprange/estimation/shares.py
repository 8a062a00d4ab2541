"""What an estimate is read off: shares of ranges of whole bins, and how sure they are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ldprange.aggregate import Aggregate
from ldprange.details import Floats

Boundaries = NDArray[np.int64]
Interval = tuple[Floats, Floats]


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
    name
        What an estimate that is read off these is called.
    """

    bins: int
    users: int
    scales: tuple[int, ...]
    name: str

    def share(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the estimated shares."""
        ...

    @cached_property
    def rising_cdf(self) -> Floats:
        """The estimated share below each boundary, made to rise."""
        ...

    def interval(self, low: Boundaries, high: Boundaries, z: float) -> Interval:
        """Return the ends of intervals that reach ``z`` standard deviations to either side."""
        ...

    def cdf_interval(self, size: int, z: float) -> tuple[Boundaries, Interval]:
        """Return the boundaries between nodes of a size, and the intervals of the shares below them."""
        ...


class CentredShares(ABC):
    """Shares whose intervals lie evenly about an unbiased one."""

    bins: int
    name: str = "Estimate"
    bounded: bool = False
    """Whether intervals end at 0 and 1."""

    @abstractmethod
    def centre(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the unbiased shares, about which intervals lie."""

    @abstractmethod
    def variance(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the variances of :meth:`centre`."""

    def interval(self, low: Boundaries, high: Boundaries, z: float) -> Interval:
        centre, spread = self.centre(low, high), z * np.sqrt(self.variance(low, high))
        if self.bounded:
            return np.clip(centre - spread, 0.0, 1.0), np.clip(centre + spread, 0.0, 1.0)
        return centre - spread, centre + spread

    def cdf_interval(self, size: int, z: float) -> tuple[Boundaries, Interval]:
        known, cdf, deviations = self._cdf_at(size)
        return known, (cdf - z * deviations, cdf + z * deviations)

    @cached_property
    def _cdfs(self) -> dict[int, tuple[Boundaries, Floats, Floats]]:
        return {}  # by size, once asked for

    def _cdf_at(self, size: int) -> tuple[Boundaries, Floats, Floats]:
        """Return the boundaries between nodes of a size, the cdf there, made to rise, and its deviations."""
        if size not in self._cdfs:
            known = boundaries(self.bins, size)
            start = np.zeros_like(known)
            deviations = np.sqrt(self.variance(start, known))
            self._cdfs[size] = known, rising(self.centre(start, known)), deviations
        return self._cdfs[size]


def boundaries(bins: int, size: int) -> Boundaries:
    """Return the boundaries between nodes of a size."""
    return np.append(np.arange(0, bins, size), bins)


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
