"""Intervals of a ratio of two estimated shares, by Fieller's method."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ldprange.estimation.shares import Interval, Spread, ratio
from ldprange.support.arrays import Floats

_BEYOND = 1.0  # by how much the ends of an unbiased share may lie below 0 or above 1


def mean_ratio_interval(
    values: Floats, shares: Floats, variance_of_sum: Callable[[Floats], float], unseen: float, z: float
) -> tuple[float, float]:
    """Return the ends of the interval of Σ ``values`` × ``shares`` / Σ ``shares``, as below.

    With the values moved and stretched to lie from 0 to 1 the sum is a part of the whole Σ ``shares``.
    ``variance_of_sum`` gives the variance of Σ weights × shares, and ``unseen`` what people add to it who may
    have been missed where the weight is 1: at the greatest value, for the upper end, or at the least.
    """
    least_value, most_value = float(values.min()), float(values.max())
    if least_value == most_value:
        return least_value, most_value
    parts = (values - least_value) / (most_value - least_value)
    part, whole, rest = (variance_of_sum(weights) for weights in (parts, np.ones_like(parts), 1 - parts))
    (low, _), (_, high) = ratio_interval(
        np.full(2, parts @ shares),
        Spread(np.array([part, part + unseen]), np.zeros(2), np.zeros(2)),
        float(shares.sum()),
        whole + unseen,
        np.array([rest + unseen, rest]),
        z,
    )
    length = most_value - least_value
    return least_value + length * float(low), least_value + length * float(high)


def ratio_interval(
    part: Floats,
    spread: Spread,
    whole: float,
    whole_variance: float,
    rest_variance: Floats,
    z: float,
    *,
    bounded: bool = True,
) -> Interval:
    """Return the ends of intervals of ρ = part/whole that reach ``z`` standard deviations to either side.

    ρ lies where (a − ρb)² ≤ z² Var(a − ρb), for a part a of a whole b. The variance is a parabola in ρ that
    is known from those of a, of b and of the rest b − a. They are those of a population that has a share A in
    the part; were it ρb, the variance would differ by slope·(ρb − A)(1 − 2ρ). Where ρ is ``bounded``, the
    ends lie within 0 and 1. Those of an unbiased ρ may lie beyond, as it may: cut there, they would say too
    little of how far off it may be, which :meth:`Answer.minus` needs. Where the whole has nobody, as far as
    reports see, they are 0 and 1.
    """
    a, b, va, vb, vc = part, whole, spread.variance, whole_variance, rest_variance
    if b <= 0:  # the reports see nobody there
        return np.zeros(a.shape), np.ones(a.shape)
    covariance = (va + vb - vc) / 2
    share, slope = spread.share, spread.slope
    slope = np.minimum(slope, np.minimum(ratio(va, share, np.inf), ratio(vc, b - share, np.inf)))
    square = b**2 - z**2 * (vb - 2 * slope * b)
    linear = a * b - z**2 * (covariance - slope * (b / 2 + share))
    constant = a**2 - z**2 * (va - slope * share)
    root = np.sqrt(np.maximum(linear**2 - square * constant, 0.0))
    first, last = np.sort([(linear - root) / square, (linear + root) / square], axis=0)
    # where the whole may be nobody, ρ lies not between the roots but outside of them
    outside = square < 0
    lowest, highest = (0.0, 1.0) if bounded else (-_BEYOND, 1 + _BEYOND)
    least = np.where(outside, np.where((first < lowest) & (last <= highest), last, lowest), first)
    most = np.where(outside, np.where((last > highest) & (first >= lowest), first, highest), last)
    return least.clip(lowest, highest), most.clip(lowest, highest)


def quotient_interval(part: Interval, whole: Interval) -> Interval:
    """Return the ends of intervals of shares of a whole, from those of parts of it and that of the whole.

    They hold whenever both do, however the two depend on each other, and end at 0 and 1.

    >>> low, high = quotient_interval((np.array([0.2]), np.array([0.3])), (np.array([0.5]), np.array([0.8])))
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.25], [0.6])
    """
    most = ratio(np.clip(part[1], 0.0, 1.0), np.broadcast_to(whole[0], part[1].shape), 1.0)
    least = ratio(np.clip(part[0], 0.0, 1.0), np.broadcast_to(whole[1], part[0].shape), 0.0)
    return np.minimum(least, 1.0), np.minimum(most, 1.0)
