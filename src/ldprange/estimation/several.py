"""Answers about several attributes at once."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ldprange.aggregate import Aggregate
from ldprange.answer import Answer
from ldprange.axes import Boundaries
from ldprange.decompositions import Grids
from ldprange.details import Floats
from ldprange.domain import Domain, Product
from ldprange.errors import QueryError
from ldprange.estimation.answers import Estimate, normal_quantile, single
from ldprange.estimation.shares import level_estimates, rising
from ldprange.joint import Question


class JointTable:
    """The estimated joint distribution of some attributes, read off by products of ranges."""

    def __init__(self, aggregate: Aggregate, chosen: tuple[int, ...], coefficients: list[Floats]) -> None:
        plan = aggregate.plan
        assert isinstance(plan.decomposition, Grids)  # noqa: S101 (a product has no other)
        self._table = plan.decomposition.table(plan.law(aggregate.users), chosen)
        self.shape = self._table.bins
        self.shares = self._table.fit(coefficients)
        self._upto = _sums(self.shares)

    def ask(self, asked: Question) -> Floats:
        """Return the unbiased answers, for mere ranges."""
        found: Floats = np.zeros(asked.low[0].shape)
        for corner in np.ndindex((2,) * len(self.shape)):
            ends = tuple(asked.high[a] if upper else asked.low[a] for a, upper in enumerate(corner))
            found = found + (-1) ** (len(corner) - sum(corner)) * self._upto[ends]
        return found

    @cached_property
    def variances(self) -> Any:
        """Exact variances, were the population the estimated one."""
        return self._table.variances(_sums(np.maximum(self.shares, 0) / np.maximum(self.shares, 0).sum()))


class JointEstimate(Estimate):
    """What reports on several attributes say about the population.

    Questions name the attributes; whoever is not named may be anything. Made by :func:`ldprange.estimate`.
    """

    def __init__(self, aggregate: Aggregate) -> None:
        self.plan = aggregate.plan
        assert isinstance(aggregate.plan.domain, Product)  # noqa: S101 (else it is another class's)
        self.users = aggregate.reports
        self._product = aggregate.plan.domain
        self._aggregate = aggregate
        self._tables: dict[tuple[int, ...], JointTable] = {}

    @cached_property
    def _coefficients(self) -> list[Floats]:
        assert isinstance(self.plan.decomposition, Grids)  # noqa: S101 (a product has no other)
        return self.plan.decomposition.coefficients(level_estimates(self._aggregate))

    def __repr__(self) -> str:
        return f"Estimate of {' × '.join(self._product.names)} from {self.users:,} reports"

    def range(self, *, confidence: float | None = 0.95, **ranges: tuple[Any, Any]) -> Answer[float]:  # type: ignore[override]
        """Return the share of people within a range on every attribute that is named.

        >>> import ldprange as ldp
        >>> people = ldp.Domain.product(age=ldp.Domain.integers(0, 15), children=ldp.Domain.integers(0, 3))
        >>> plan = ldp.Plan(people, 2.0, ldp.Tree(branching=4), ldp.HadamardHashing())
        >>> values = {"age": [3, 12] * 10_000, "children": [0, 2] * 10_000}
        >>> found = estimate_joint(ldp.rehearse(plan, values, seed=1))
        >>> print(found.range(age=(8, 15), children=(1, 3)))
        0.517 [0.486, 0.548] at 95%
        """
        each = {name: ([low], [high]) for name, (low, high) in _pairs(ranges).items()}
        return single(self.ranges(confidence=confidence, **each))

    def ranges(self, *, confidence: float | None = 0.95, **ranges: tuple[Any, Any]) -> Answer[Floats]:  # type: ignore[override]
        """Return the shares of many products of ranges at once, as arrays: low ends and high ends of each."""
        z = normal_quantile(confidence, 1)
        chosen, lows, highs = self._bounds(_pairs(ranges))
        table = self._table(chosen)
        question = Question(lows, highs, [np.zeros(low.shape) for low in lows])
        value = table.ask(question)
        if z is None:
            return Answer(value, None, None, None)
        spread = z * np.sqrt(table.variances(question))
        return Answer(value, value - spread, value + spread, confidence)

    def _bounds(
        self, ranges: dict[str, tuple[Any, Any]]
    ) -> tuple[tuple[int, ...], list[Boundaries], list[Boundaries]]:
        if not ranges:
            raise QueryError(f"name an attribute and its range, such as {self._product.names[0]}=(low, high)")
        named = {self._place(name): name for name in ranges}
        chosen = tuple(sorted(named))
        lows, highs = [], []
        for place in chosen:
            axis, (low, high) = self._product.axes[place], ranges[named[place]]
            starts, stops = np.broadcast_arrays(axis.starts(low), axis.stops(high))
            if np.any(starts >= stops):
                raise QueryError(f"{named[place]}: a range must end after it begins, got {low} and {high}")
            for column, ends in ((lows, starts), (highs, stops)):
                whole = np.round(ends).astype(np.int64)
                if np.any(whole != ends):
                    raise QueryError(f"{named[place]}: over several attributes ranges must be of whole bins")
                column.append(whole)
        try:
            shape = np.broadcast_shapes(*(low.shape for low in lows))
        except ValueError:
            raise QueryError("there must be as many ranges of every attribute") from None
        return chosen, *([np.broadcast_to(each, shape) for each in ends] for ends in (lows, highs))  # type: ignore[return-value]

    def _place(self, name: str) -> int:
        if name not in self._product.names:
            raise QueryError(f"the attributes are {', '.join(self._product.names)}, got {name!r}")
        return list(self._product.names).index(name)

    def _table(self, chosen: tuple[int, ...]) -> JointTable:
        assert isinstance(self.plan.decomposition, Grids)  # noqa: S101 (a product has no other)
        if not any(set(chosen) <= set(each) for each in self.plan.decomposition.tables()):
            raise QueryError(f"the plan does not ask about {len(chosen)} of these attributes together")
        if chosen not in self._tables:
            self._tables[chosen] = JointTable(self._aggregate, chosen, self._coefficients)
        return self._tables[chosen]

    def marginal(self, name: str) -> Estimate:
        """Return the estimate of one attribute, for all questions that can be asked about one."""
        place = self._place(name)
        return Estimate(self.plan, _Marginal(self._table((place,)), self.users), self._product.axes[place])

    def histogram(self, *, confidence: float | None = 0.95) -> Answer[Floats]:
        """Return the share of every joint bin: an array with an axis for each attribute."""
        bins = np.indices(self._product.shape).reshape(len(self._product.shape), -1)
        table = self._table(tuple(range(len(bins))))
        question = Question(list(bins), list(bins + 1), [np.zeros(each.shape) for each in bins])
        z = normal_quantile(confidence, 1)
        if z is None:
            return Answer(table.shares, None, None, None)
        spread = z * np.sqrt(table.variances(question)).reshape(self._product.shape)
        return Answer(table.shares, table.shares - spread, table.shares + spread, confidence)


def estimate_joint(aggregate: Aggregate) -> JointEstimate:
    """Estimate the joint distribution of several attributes."""
    return JointEstimate(aggregate)


class _Marginal:
    """One attribute's shares, for the questions about one."""

    is_distribution = False
    scales = (1,)

    def __init__(self, table: JointTable, users: int) -> None:
        self._table, self.users = table, users
        (self.bins,) = table.shape

    def share(self, low: Boundaries, high: Boundaries) -> Floats:
        return self._table.ask(Question([low], [high], []))

    def centre(self, low: Boundaries, high: Boundaries) -> Floats:
        return self.share(low, high)

    def variance(self, low: Boundaries, high: Boundaries) -> Floats:
        low, high = np.broadcast_arrays(low, high)
        flat = [each.reshape(-1) for each in (low, high)]
        found: Floats = self._table.variances(Question([flat[0]], [flat[1]], [np.zeros(flat[0].shape)]))
        return found.reshape(low.shape)

    @cached_property
    def rising_cdf(self) -> Floats:
        return rising(np.concatenate([[0.0], np.cumsum(self._table.shares)]))


def _pairs(ranges: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    for name, pair in ranges.items():
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise QueryError(f"{name} must be a pair of ends, such as (18, 64), got {pair!r}")
    return ranges


def _sums(shares: Floats) -> Floats:
    """Return the share below every joint boundary."""
    upto = np.zeros([bins + 1 for bins in shares.shape])
    upto[(slice(1, None),) * shares.ndim] = shares
    for a in range(shares.ndim):
        upto = np.cumsum(upto, axis=a)
    return upto
