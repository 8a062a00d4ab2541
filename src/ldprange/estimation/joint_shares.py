"""The estimated joint distribution of some attributes, and how sure its shares are."""

from collections.abc import Callable, Sequence
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldprange.errors import QueryError
from ldprange.estimation.inner_bounds import Ends, interval_between, shares_between
from ldprange.estimation.shares import Interval, Spread, nowhere_empty, score_interval
from ldprange.least_squares.axis import Axis
from ldprange.least_squares.table import Boxes, JointFit, from_corners, shares_below
from ldprange.support.arrays import Floats, Positions

_MAX_BINS = 1 << 26  # of a table


class Assumed(NamedTuple):
    """A population by joint leaf, and the exact variances that answers would have in it."""

    shares: Floats
    variances: Callable[[Boxes], Floats]


class JointShares:
    """Shares in products of ranges.

    Attributes
    ----------
    table
        The unbiased share of every joint leaf.
    fit
        How it came about, from all grids that tell of these attributes.
    """

    def __init__(self, fit: JointFit, coefficients: Sequence[Floats]) -> None:
        if prod(fit.leaves) > _MAX_BINS:
            raise QueryError(
                f"attributes may have {_MAX_BINS:,} bins together, got {prod(fit.leaves):,}; "
                "make a plan with fewer and wider bins"
            )
        self.fit = fit
        self.table = fit.fit(coefficients)
        for a, (axis, depth) in enumerate(zip(fit.axes, fit.deepest, strict=True)):
            self.table = axis.among_bins(self.table.swapaxes(a, -1), depth).swapaxes(a, -1)
        self._cdf = shares_below(self.table)
        self._cdf[(-1,) * self._cdf.ndim] = 1.0  # without rounding errors

    @property
    def steps(self) -> list[int]:
        """Of every axis, the bins of the cells that are known together."""
        known = zip(self.fit.axes, self.fit.known, strict=True)
        return [axis.sizes[depth] for axis, depth in known]

    @property
    def axes(self) -> Sequence[Axis]:
        """The attributes' trees."""
        return self.fit.axes

    def leaves(self, stops: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """Return where ranges stop among the leaves that stop at boundaries between bins, or positions."""
        return [axis.leaf(stop) for axis, stop in zip(self.axes, stops, strict=True)]

    def whole(self, low: Sequence[NDArray[Any]], high: Sequence[NDArray[Any]]) -> Boxes:
        """Return the question about whole bins; a range that ends before it begins is empty."""
        stops = self.leaves([np.asarray(each).astype(np.int64) for each in high])
        starts = [
            np.minimum(np.asarray(each).astype(np.int64), stop) for each, stop in zip(low, stops, strict=True)
        ]
        return Boxes(starts, stops)

    def ask(self, boxes: Boxes) -> Floats:
        """Return unbiased answers."""
        return from_corners(*boxes, self._cdf)

    def between(self, starts: Sequence[Positions], stops: Sequence[Positions]) -> Floats:
        """Return shares between positions; inside a bin people are taken to be spread evenly."""
        return shares_between(lambda low, high: self.ask(Boxes(low, high)), starts, self.leaves(stops))

    def interval(self, starts: Sequence[Positions], stops: Sequence[Positions], z: float) -> Interval:
        """Return the ends of intervals, ``z`` standard deviations to either side, between positions."""

        def interval(ends: Sequence[Ends]) -> Interval:
            boxes = self.whole(*zip(*ends, strict=True))
            return score_interval(self.ask(boxes), self.spread(boxes), z)

        return interval_between(interval, starts, self.leaves(stops), self.steps, self.table.shape)

    def variance(self, boxes: Boxes) -> Floats:
        """Return the greatest variances that answers to ``boxes`` have in any of the :attr:`populations`."""
        variances: Floats = np.max(self._variances(boxes), axis=0)
        return variances

    def _variances(self, boxes: Boxes) -> list[Floats]:
        return [each.variances(boxes) for each in self.populations]

    def spread(self, boxes: Boxes) -> Spread:
        """Return how the shares vary."""
        each, even = self._variances(boxes), self.fit.even_variances(boxes)
        share = np.clip(self.ask(boxes), 0.0, 1.0)
        even_share = prod(
            (high - low) / leaves
            for low, high, leaves in zip(boxes.low, boxes.high, self.table.shape, strict=True)
        )
        variance, empty = np.max(each, axis=0), each[-1]
        return Spread.of(variance, share, even, even_share, empty, self.fit.sampled, self.fit.users)

    @cached_property
    def populations(self) -> tuple[Assumed, Assumed, Assumed]:
        """What the population may be: the unbiased estimate, that without cells below 0, and nobody at all.

        The exact formula at the unbiased estimate is right on average. But where cells come out too small, so
        do their neighbours' variances; and where they come out too large and are made smaller to add up to 1,
        so do their own.
        """
        there = np.maximum(self.table, 0.0)
        there = nowhere_empty(there / there.sum(), self.fit.users)
        return (
            Assumed(self.table, self.fit.variances(self._cdf)),
            Assumed(there, self.fit.variances(shares_below(there))),
            Assumed(np.zeros_like(there), self.fit.spread_variances),
        )
