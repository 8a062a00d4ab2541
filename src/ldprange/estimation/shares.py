"""What an estimate is read off: shares of ranges of whole bins, and how sure they are."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from ldprange.aggregate import Aggregate
from ldprange.estimation.means import in_cells, sum_variance
from ldprange.oracles import Mechanism
from ldprange.support.arrays import Boundaries, Counts, Floats
from ldprange.support.parallel import in_threads, slices

Interval = tuple[Floats, Floats]
Reach = Callable[[Floats, float], Floats]

_MANY_COUNTERS = 1 << 18  # beyond so many, levels are estimated side by side
_MANY_SHARES = 1 << 16  # beyond so many, intervals are worked out side by side, in parts that caches hold
_TOGETHER = 4  # boundaries, which are looked at as one
_STRANGERS = 3.0  # people, who may be anywhere
_SKEWED = 0.2  # of a variance, that one person's step times the way to an end may be where a law is normal
_ROUNDING = 1e-9  # by which a normal law's own end may seem to be too near
_HALVINGS = 24
_TINY = 1e-300  # where a share of 0 would have no variance


class Shares(ABC):
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
    cdf
        The estimated share below each boundary; it need not rise everywhere.
    """

    bins: int
    users: int
    scales: tuple[int, ...]
    name: str = "Estimate"
    cdf: Floats

    def share(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the estimated shares."""
        return self.cdf[high] - self.cdf[low]

    @abstractmethod
    def interval(self, low: Boundaries, high: Boundaries, z: float) -> Interval:
        """Return the ends of intervals that reach ``z`` standard deviations to either side."""

    @abstractmethod
    def mean_interval(self, values: Floats, z: float) -> tuple[float, float]:
        """Return the ends of the interval of the mean of bins' ``values``, as :meth:`interval` has them."""

    def below(self, known: Boundaries) -> Callable[[float], Interval]:
        """Return what gives the intervals of the shares below ``known`` boundaries, for any ``z``."""
        return partial(self.interval, np.zeros_like(known), known)

    def below_several(self, known: Boundaries, z: float) -> Interval:
        """Return bounds on the shares below ``known`` boundaries that rest on several of them.

        The share below a boundary is at most the mean of those below it and the next few, and at least that
        of those below it and the few before; their noise is less.
        """
        return self.below(known)(z)


class CentredShares(Shares):
    """Shares whose intervals lie about an unbiased one."""

    bounded: bool = False
    """Whether intervals end at 0 and 1."""
    sampled: float
    """How much of R(1 − R) the drawing of people adds to the variance of a share R."""

    @abstractmethod
    def centre(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the unbiased shares, about which intervals lie."""

    @abstractmethod
    def spread(self, low: Boundaries, high: Boundaries) -> Spread:
        """Return how :meth:`centre` varies."""

    def interval(self, low: Boundaries, high: Boundaries, z: float) -> Interval:
        ends = score_interval(self.centre(low, high), self.spread(low, high), z)
        return (np.clip(ends[0], 0.0, 1.0), np.clip(ends[1], 0.0, 1.0)) if self.bounded else ends

    def mean_interval(self, values: Floats, z: float) -> tuple[float, float]:
        if self.scales[-1] == 1:
            return self._mean_ends(values, z)
        (low, _), (_, high) = (self._mean_ends(each, z) for each in in_cells(values, self.scales[-1]))
        return low, high

    def _mean_ends(self, values: Floats, z: float) -> tuple[float, float]:
        bins = np.arange(self.bins)
        centre, variance = float(values @ self.centre(bins, bins + 1)), self.mean_variance(values)
        unseen = unseen_variance(self.users, self.sampled)
        least, most = values.min(), values.max()
        low, high = (variance + unseen * (end - centre) ** 2 for end in (least, most))
        ends = centre - z * math.sqrt(low), centre + z * math.sqrt(high)
        return (max(ends[0], least), min(ends[1], most)) if self.bounded else ends

    def mean_variance(self, values: Floats) -> float:
        """Return the variance of the mean of bins' ``values``."""
        variances, step = (lambda low, high: self.spread(low, high).variance), self.scales[-1]
        return sum_variance(variances, self.bins, values, step=step)

    def below(self, known: Boundaries) -> Callable[[float], Interval]:
        start = np.zeros_like(known)
        return partial(score_interval, self.centre(start, known), self.spread(start, known))

    def below_several(self, known: Boundaries, z: float) -> Interval:
        several, (first, second) = sliding_window_view(known, _TOGETHER), np.triu_indices(_TOGETHER, 1)
        low, high = (several[:, each].reshape(-1) for each in (first, second))
        spread = self.spread(np.append(np.zeros_like(known), low), np.append(known, high))
        between = spread.variance[known.size :].reshape(-1, first.size).sum(axis=1)
        variance, share, slope, step, reach = spread.at(slice(known.size))
        centre, variance, share, slope = (
            sliding_window_view(each, _TOGETHER).mean(axis=1)
            for each in (self.centre(np.zeros_like(known), known), variance, share, slope)
        )
        # of a sum, by 2 cov(F_a, F_b) = V(0, a) + V(0, b) − V(a, b)
        variance = np.maximum(variance - between / _TOGETHER**2, 0.0)
        least, most = score_interval(centre, Spread(variance, share, slope, step, reach), z)
        unknown = np.full(_TOGETHER - 1, np.inf)  # at the ends, with too few before or after
        return np.concatenate([-unknown, least]), np.concatenate([most, unknown])


class Spread(NamedTuple):
    """How the estimates of shares R vary: by V(R) = variance + slope·(R(1 − R) − share(1 − share)).

    Attributes
    ----------
    variance
        The exact variance, were the population the estimated one.
    share
        The share that this population has.
    slope
        How much the variance changes with R(1 − R): 0 if it is the same wherever people are, 1/N if the
        estimate is the share of a plain random sample of N people.
    step
        How far one person more or less moves an estimate. It is taken to be ``slope`` at least.
    reach
        How far estimates of given variances may be off, at z standard deviations of a normal law; None if
        they have such a law.
    """

    variance: Floats
    share: Floats
    slope: Floats
    step: float = 0.0
    reach: Reach | None = None

    def at(self, some: slice) -> Spread:
        """Return how ``some`` of the shares vary."""
        return Spread(self.variance[some], self.share[some], self.slope[some], self.step, self.reach)

    @classmethod
    def of(
        cls,
        variance: Floats,
        share: Floats,
        even_variance: Floats,
        even_share: Floats,
        empty_variance: Floats,
        sampled: float,
        users: float,
        reach: Reach | None = None,
    ) -> Spread:
        """Return the spread whose slope is an even population's, but leaves no variance below the empty one.

        ``even_variance`` and ``even_share`` are an even population's, ``empty_variance`` what is left where
        nobody is. ``sampled`` is the slope that the drawing of people has by itself, and so many ``users``
        reported.
        """
        slope = ratio(np.maximum(even_variance - empty_variance, 0.0), even_share * (1 - even_share), 0.0)
        most = ratio(np.maximum(variance - empty_variance, 0.0), share * (1 - share), np.inf)
        slope = np.maximum(np.minimum(slope, most), drawn_slope(even_share, sampled))
        return cls(variance, share, slope, one_person(users), reach)


def one_person(users: float) -> float:
    """Return how far one of so many ``users`` moves an estimate at least: by their share."""
    return 1 / max(users, 1.0)


def drawn_slope(even_share: Floats, sampled: float) -> Floats:
    """Return the slope that the drawing of people has: none where the share is known to be 0 or 1."""
    return np.where((even_share > 0) & (even_share < 1), sampled, 0.0)


def ratio(above: Floats, below: Floats, otherwise: float) -> Floats:
    """Return ``above / below`` where ``below`` is above 0, and ``otherwise`` elsewhere."""
    found: Floats = np.divide(above, below, out=np.full(np.shape(below), otherwise), where=below > 0)
    return found


def score_interval(centre: Floats, spread: Spread, z: float) -> Interval:
    """Return the ends of the interval of all shares R with (centre − R)² ≤ z²·V(R).

    No share lies beyond 0 or 1, so V stays there what it is at 0 and 1, and every estimate has an interval.

    Without noise this is Wilson's interval, which holds what it says where few people are in a range, or
    nearly all. With slope 0 it reaches z standard deviations to either side. Towards 0 and 1 it reaches
    further where a share is made up of few people, whose number has a skewed law, and to either side where a
    single report may move it far.
    """
    if len(centre) > _MANY_SHARES:
        some = slices(len(centre), _MANY_SHARES)
        parts = in_threads(lambda at: score_interval(centre[at], spread.at(at), z), some)
        low, high = map(np.concatenate, zip(*parts, strict=True))
        return low, high
    bend = z * z * spread.slope
    at_zero = np.maximum(spread.variance - spread.slope * spread.share * (1 - spread.share), 0.0)
    square = bend * centre * (1 - centre) + bend**2 / 4 + (1 + bend) * z * z * at_zero
    reach, beyond = np.sqrt(np.maximum(square, 0.0)), z * np.sqrt(at_zero)
    low, high = (centre + bend / 2 - reach) / (1 + bend), (centre + bend / 2 + reach) / (1 + bend)
    low = np.where((centre < beyond) | (centre > 1 + beyond), centre - beyond, low)
    high = np.where((centre > 1 - beyond) | (centre < -beyond), centre + beyond, high)
    return (
        _lower_end_of_few(low, centre, at_zero, spread, z),
        1 - _lower_end_of_few(1 - high, 1 - centre, at_zero, spread, z),
    )


def _lower_end_of_few(low: Floats, centre: Floats, at_zero: Floats, spread: Spread, z: float) -> Floats:
    """Return ``low`` ends, moved towards 0 where chance may add more than a normal law has it.

    A share R is then ruled out only if a sum of steps as large as one person's, with variance V(R), hardly
    ever reaches ``centre``: by Bennett's inequality, which for a plain sample is Chernoff's for a Poisson
    number of people. At the other end a skewed law takes hardly any of the risk, so this one may take all.
    Nor is it ruled out if single reports may move it so far.
    """
    moved = low.copy()
    step = np.maximum(spread.slope, spread.step)
    few = (low > 0) & (low < centre) & (step * z * z > _SKEWED * (centre - low))
    if few.any():
        one_sided, steps, noise, slope = at_once(z, 0.5), step[few], at_zero[few], spread.slope[few]

        def ruled_out(distance: Floats, share: Floats) -> NDArray[np.bool_]:
            variance = np.maximum(noise + slope * share * (1 - share), _TINY)
            number = steps * distance / variance
            exponent = 2 * variance * ((1 + number) * np.log1p(number) - number)
            far: NDArray[np.bool_] = exponent > (one_sided * steps) ** 2
            return far

        moved[few] = _least_possible(moved[few], centre[few], ruled_out)
    reach = spread.reach
    if reach is None:
        return moved

    def variance(share: Floats, some: Any) -> Floats:
        inside = np.clip(share, 0.0, 1.0)
        found: Floats = at_zero[some] + spread.slope[some] * inside * (1 - inside)
        return found

    far = (moved > 0) & (centre - moved < (1 - _ROUNDING) * reach(variance(moved, slice(None)), z))
    if far.any():
        reached = centre[far]
        moved[far] = _least_possible(
            moved[far], reached, lambda distance, share: distance > reach(variance(share, far), z)
        )
    return moved


def _least_possible(
    low: Floats, centre: Floats, ruled_out: Callable[[Floats, Floats], NDArray[np.bool_]]
) -> Floats:
    """Return the least shares from 0 to ``low`` not ruled out by how far they are from the ``centre``."""
    out, possible = np.zeros_like(low), low
    for _ in range(_HALVINGS):
        share = (out + possible) / 2
        far = ruled_out(centre - share, share)
        out, possible = np.where(far, share, out), np.where(far, possible, share)
    return np.where(ruled_out(centre, np.zeros_like(low)), possible, 0.0)


def at_once(z: float, number: float) -> float:
    """Return how far each of a ``number`` of intervals must reach, for all to hold as often as one at ``z``.

    By Bonferroni's inequality, whatever they have to do with each other. One that takes only a part of the
    risk is one of a number: that of half of it, one of two. Half a number takes twice the risk.

    >>> round(at_once(1.96, 1), 2), round(at_once(1.96, 2), 2), round(at_once(1.96, 0.5), 2)
    (1.96, 2.24, 1.64)
    """
    law = NormalDist()
    return -law.inv_cdf(min(law.cdf(-z) / number, 0.5))


def level_estimates(aggregate: Aggregate) -> list[Floats]:
    """Return each level's estimated fractions; zeros where nobody reported."""
    levels = zip(aggregate.plan.mechanisms, aggregate.counts, aggregate.users, strict=True)

    def estimate(level: tuple[Mechanism, Counts, int]) -> Floats:
        mechanism, counts, users = level
        return mechanism.estimate(counts, users) if users else np.zeros(mechanism.cells)

    return list((in_threads if aggregate.plan.counters > _MANY_COUNTERS else map)(estimate, levels))


def nowhere_empty(shares: Floats, people: float) -> Floats:
    """Return estimated ``shares`` of so many ``people`` as if a few more were among them, spread evenly.

    A cell of which nobody was seen may have somebody: noise that grows with its share is not to vanish there.
    """
    return (people * shares + _STRANGERS / shares.size) / (people + _STRANGERS)


def unseen_variance(users: int, sampled: float) -> float:
    """Return the variance that a few people who were not seen would add to a share, were they all in it.

    Whoever draws so many ``users`` may well miss those few, though they be as far away as people can be.
    """
    return _STRANGERS / max(users, 1) * sampled


def rising(cdf: Floats) -> Floats:
    """Return a non-decreasing version of a noisy cdf: halfway between its upper and lower envelope."""
    inside = np.clip(cdf, 0.0, 1.0)
    upper = np.maximum.accumulate(inside)
    lower = np.minimum.accumulate(inside[::-1])[::-1]
    return (upper + lower) / 2
