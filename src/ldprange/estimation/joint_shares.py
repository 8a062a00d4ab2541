"""The estimated joint distribution of some attributes, and how sure its shares are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldprange.errors import QueryError
from ldprange.estimation.attribute_estimate import normal_quantile
from ldprange.estimation.inner_bounds import whole_cells
from ldprange.estimation.shares import Spread, score_interval
from ldprange.least_squares.axis import Axis
from ldprange.least_squares.table import Boxes, JointFit, from_corners, shares_below, shares_between
from ldprange.support.arrays import Boundaries, Floats, Positions

_MAX_BINS = 1 << 26  # of a table


class JointShares:
    """Shares in products of ranges.

    Attributes
    ----------
    table
        The unbiased share of every joint leaf.
    """

    def __init__(self, estimator: JointFit, coefficients: Sequence[Floats]) -> None:
        if prod(estimator.leaves) > _MAX_BINS:
            raise QueryError(
                f"attributes may have {_MAX_BINS:,} bins together, got {prod(estimator.leaves):,}; "
                "make a plan with fewer and wider bins"
            )
        self._estimator = estimator
        self.table = estimator.fit(coefficients)
        self._upto = shares_below(self.table)

    @property
    def steps(self) -> list[int]:
        """Of every axis, the bins of the cells that are known together."""
        known = zip(self._estimator.axes, self._estimator.known, strict=True)
        return [axis.sizes[depth] for axis, depth in known]

    @property
    def axes(self) -> Sequence[Axis]:
        """The attributes' trees."""
        return self._estimator.axes

    def _leaves(self, stops: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        return [axis.leaf(stop) for axis, stop in zip(self.axes, stops, strict=True)]

    def whole(
        self,
        low: Sequence[NDArray[Any]],
        high: Sequence[NDArray[Any]],
        less: Sequence[Floats] | None = None,
    ) -> Boxes:
        """Return the question about whole bins; a range that ends before it begins is empty."""
        stops = self._leaves([np.asarray(each).astype(np.int64) for each in high])
        starts = [
            np.minimum(np.asarray(each).astype(np.int64), stop) for each, stop in zip(low, stops, strict=True)
        ]
        return Boxes(starts, stops, less or [np.zeros(each.shape) for each in starts])

    def ask(self, asked: Boxes) -> Floats:
        """Return unbiased answers."""
        for a, less in enumerate(asked.less):
            if np.any(less):  # a range less a constant is the range, less so many times the whole line
                return self.ask(asked.without(a)) - less * self.ask(asked.without(a, self.table.shape[a]))
        return from_corners(asked.low, asked.high, lambda ends: self._upto[tuple(ends)])

    def between(self, starts: Sequence[Positions], stops: Sequence[Positions]) -> Floats:
        """Return shares between positions; inside a bin people are taken to be spread evenly."""
        return shares_between(self._upto, starts, self._leaves(stops))

    def interval(
        self, starts: Sequence[Positions], stops: Sequence[Positions], confidence: float
    ) -> tuple[Floats, Floats]:
        """Return the ends of intervals for shares between positions; see :func:`whole_cells`."""
        z = normal_quantile(confidence, 1) or 0.0
        each = zip(starts, self._leaves(stops), self.steps, self.table.shape, strict=True)
        inner, outer = (
            self.whole(*zip(*ends, strict=True))
            for ends in zip(*(whole_cells(*axis) for axis in each), strict=True)
        )
        low, high = score_interval(self.ask(outer), self.spread(outer), z)
        differ = np.flatnonzero(_differ(inner.low, outer.low) | _differ(inner.high, outer.high))
        if differ.size:
            narrow = inner.part(differ)
            low[differ], _ = score_interval(self.ask(narrow), self.spread(narrow), z)
        return low, high

    def variance(self, asked: Boxes) -> Floats:
        """Return plug-in variances of the answers to ``asked``: the exact formula at the unbiased estimate.

        Its cells below 0 can make that too small, so none is below the variance of an empty population.
        """
        return np.maximum(self._variances(asked), self._estimator.spread_variances(asked))

    def spread(self, asked: Boxes) -> Spread:
        """Return how the shares of mere ranges vary."""
        variance, even = self.variance(asked), self._even_variances(asked)
        empty = self._estimator.spread_variances(asked)
        estimated = self.ask(asked)
        share = np.clip(estimated, 0.0, 1.0)
        variance = np.where(estimated < 0, empty, variance)  # nobody is there
        even_share = prod(
            (high - low) / leaves
            for low, high, leaves in zip(asked.low, asked.high, self.table.shape, strict=True)
        )
        return Spread.of(variance, share, even, even_share, empty, self._estimator.sampled)

    @cached_property
    def _even_variances(self) -> Callable[[Boxes], Floats]:
        return self._estimator.variances(shares_below(np.full(self.table.shape, 1 / self.table.size)))

    @cached_property
    def _variances(self) -> Callable[[Boxes], Floats]:
        return self._estimator.variances(self._upto)


def _differ(one: Sequence[Boundaries], other: Sequence[Boundaries]) -> NDArray[np.bool_]:
    """Return in which questions the ends are not the same on all axes."""
    found: NDArray[np.bool_] = np.any([a != b for a, b in zip(one, other, strict=True)], axis=0)
    return found
