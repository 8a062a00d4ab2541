"""Answers about several attributes at once, each with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldprange.aggregate import Aggregate
from ldprange.answer import Answer
from ldprange.decompositions import Grids
from ldprange.details import Floats
from ldprange.domain import Domain, Positions, Product
from ldprange.errors import QueryError
from ldprange.estimation.answers import Estimate, normal_quantile, single
from ldprange.estimation.joint_shares import JointShares, Marginal
from ldprange.estimation.pairs import PairedShares
from ldprange.estimation.shares import level_estimates

Range = tuple[Any, Any] | Sequence[Any] | Any


class JointEstimate(Estimate):
    """What reports on several attributes say about the population.

    Questions name attributes; one that is not named may be anything. A range is a pair of ends, as for one
    attribute, and a single value stands for itself: ``found.range(age=(18, 64), region="north")``.

    Made by :func:`ldprange.estimate`.
    """

    def __init__(self, aggregate: Aggregate, *, denoise: bool = False) -> None:
        plan = aggregate.plan
        assert isinstance(plan.domain, Product)  # noqa: S101 (else another class is made)
        assert isinstance(plan.decomposition, Grids)  # noqa: S101 (a product has no other)
        self.plan = plan
        self.domain = plan.domain
        self.users = aggregate.reports
        self._product = plan.domain
        self._grids = plan.decomposition
        self._law = plan.law(aggregate.users)
        self._coefficients = plan.decomposition.coefficients(level_estimates(aggregate))
        self._joint_shares: dict[tuple[int, ...], JointShares] = {}
        self._denoised = PairedShares(self._grids, self._law, self._coefficients) if denoise else None

    def __repr__(self) -> str:
        names = ", ".join(self._product.names)
        return f"Estimate of {names} from {self.users:,} reports under plan {self.plan.fingerprint}"

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes."""
        return tuple(self._product.names)

    def axis(self, name: str) -> Domain:
        """Return the domain of one attribute."""
        return self._product.axes[self._place(name)]

    def range(
        self,
        /,
        *unnamed: object,
        confidence: float | None = 0.95,
        given: Mapping[str, Range] | None = None,
        **ranges: Range,
    ) -> Answer[float]:
        """Return the share of people who lie in a range on every attribute that is named.

        Parameters
        ----------
        confidence
            How often the interval is to hold the truth.
        given
            Ranges of other attributes: the share is then that among the people in them.
        ranges
            By attribute.

        >>> import ldprange as ldp
        >>> people = ldp.Domain.product(age=ldp.Domain.integers(0, 15), children=ldp.Domain.integers(0, 3))
        >>> plan = ldp.Plan(people, 2.0, ldp.Tree(branching=4), ldp.HadamardHashing())
        >>> values = {"age": [3, 12] * 50_000, "children": [0, 2] * 50_000}
        >>> found = ldp.estimate(ldp.rehearse(plan, values, seed=1))
        >>> print(found.range(age=(8, 15), children=(1, 3)))
        0.496 [0.484, 0.509] at 95%
        """
        self._check_named(unnamed)
        each = {name: tuple([end] for end in _ends(name, pair)) for name, pair in ranges.items()}
        return single(self.ranges(confidence=confidence, given=given, **each))

    def ranges(
        self,
        /,
        *unnamed: object,
        confidence: float | None = 0.95,
        given: Mapping[str, Range] | None = None,
        **ranges: Range,
    ) -> Answer[Floats]:
        """Return the shares of many at once, as arrays: of each attribute all low ends and all high ends."""
        self._check_named(unnamed)
        normal_quantile(confidence, 1)  # refuses what is none
        starts, stops = self._positions(ranges)
        if given:
            return self._conditional(starts, stops, self._condition(given, ranges), confidence)
        return self._answer_ranges(starts, stops, confidence)

    def _answer_ranges(
        self, starts: dict[int, Positions], stops: dict[int, Positions], confidence: float | None
    ) -> Answer[Floats]:
        chosen, ends = tuple(starts), (list(starts.values()), list(stops.values()))
        value = self._value(chosen, *ends)
        if confidence is None:
            return Answer(value, None, None, None)
        if self._grids.asks_together(chosen):
            return _within(value, *self._joint(chosen).interval(*ends, confidence), confidence)
        return _within(value, *self._interval_from_pairs(starts, stops, confidence), confidence)

    def _value(
        self, chosen: tuple[int, ...], starts: Sequence[Positions], stops: Sequence[Positions]
    ) -> Floats:
        shares = self._denoised
        return (
            self._joint(chosen).between(starts, stops)
            if shares is None
            else shares.between(chosen, starts, stops)
        )

    def _interval_from_pairs(
        self, starts: dict[int, Positions], stops: dict[int, Positions], confidence: float
    ) -> tuple[Floats, Floats]:
        """Return what the shares of one attribute and of two leave possible, all of their intervals at once.

        Whoever is in all ranges is in any two of them, and is missing in none (Fréchet's inequalities).
        """
        parts = [*combinations(starts, 1), *combinations(starts, 2)]
        each = 1 - (1 - confidence) / len(parts)
        low, high = np.ones(starts[next(iter(starts))].shape), np.ones(starts[next(iter(starts))].shape)
        for part in parts:
            ends = [starts[place] for place in part], [stops[place] for place in part]
            below, above = self._joint(part).interval(*ends, each)
            high = np.minimum(high, above)
            if len(part) == 1:
                low = low - (1 - np.clip(below, 0.0, 1.0))
        return low, high

    def histogram(self, *names: str, confidence: float | None = 0.95) -> Answer[Floats]:
        """Return the share of every joint bin: an array with an axis for each attribute (that is named)."""
        normal_quantile(confidence, 1)  # refuses what is none
        places = [self._place(name) for name in names] or list(range(len(self._product.names)))
        shape = [self._product.shape[place] for place in places]
        if len(set(places)) != len(places):
            raise QueryError(f"an attribute must be named once, got {', '.join(names)}")
        if prod(shape) > _MOST_CELLS:
            raise QueryError(f"a histogram may have {_MOST_CELLS:,} bins, got {prod(shape):,}; name fewer")
        bins = dict(zip(places, np.indices(shape, np.float64).reshape(len(shape), -1), strict=True))
        starts = {place: bins[place] for place in sorted(bins)}
        stops = {place: each + 1 for place, each in starts.items()}
        answer = self._answer_ranges(starts, stops, confidence)
        columns = (
            None if each is None else each.reshape(shape) for each in (answer.value, answer.low, answer.high)
        )
        value, low, high = columns
        assert value is not None  # noqa: S101 (for the type checker)
        return Answer(value, low, high, answer.confidence)

    def marginal(self, name: str) -> Estimate:
        """Return the estimate of one attribute, for all questions about one; it agrees with the joint one."""
        place = self._place(name)
        denoised = None if self._denoised is None else self._denoised.alone(place)
        shares = Marginal(self._joint((place,)), self.users, denoised)
        return Estimate(self.plan, shares, self._product.axes[place])

    def quantile(  # type: ignore[override]
        self,
        q: float,
        *,
        of: str,
        given: Mapping[str, Range] | None = None,
        confidence: float | None = 0.95,
    ) -> Answer[Any]:
        """Return the value of an attribute below which a share ``q`` lies of the people in other ranges.

        The interval holds all bins that the reports cannot rule out. (Whether too few people of those who
        are given lie below x is a question about one sum: those below x, less q times all of them.)
        """
        if self.axis(of).unordered:
            raise QueryError(f"{of} has no order, so it has no quantiles; ask for the share of each label")
        if not given:
            return self.marginal(of).quantile(q, confidence=confidence)
        if not isinstance(q, int | float) or not 0 <= q <= 1:
            raise QueryError(f"a quantile must lie between 0 and 1, such as 0.5 for the median, got {q!r}")
        z = normal_quantile(confidence, 1)
        place, axis = self._place(of), self._product.axes[self._place(of)]
        condition = self._condition(given, {of: None})
        chosen = tuple(sorted((place, *condition)))
        shares = self._joint(chosen)
        self._check_known(shares, chosen, condition)
        edges = np.arange(0, axis.bins + 1, shares.steps[chosen.index(place)])
        low = [np.full(edges.shape, 0 if p == place else condition[p][0]) for p in chosen]
        high = [edges if p == place else np.full(edges.shape, condition[p][1]) for p in chosen]
        upto = self._value(chosen, *(_floats(ends) for ends in (low, high)))
        if upto[-1] <= 0:
            raise _NOBODY
        found = min(int(np.searchsorted(np.maximum.accumulate(upto)[1:], q * upto[-1])), edges.size - 2)
        value = axis.at((edges[found] + edges[found + 1]) / 2)
        if z is None:
            return Answer(value, None, None, None)
        less = [np.full(edges.shape, float(q)) if p == place else np.zeros(edges.shape) for p in chosen]
        asked = shares.whole(low, high, less)
        below, spread = shares.ask(asked), z * np.sqrt(shares.variance(asked))
        # the quantile is in a bin if too few may lie below it, and enough up to its end
        possible = np.flatnonzero(((below - spread)[:-1] <= 0) & ((below + spread)[1:] >= 0))
        first, last = min([found, *possible[:1].tolist()]), max([found, *possible[-1:].tolist()])
        return Answer(value, axis.at(float(edges[first])), axis.up_to(float(edges[last + 1])), confidence)

    def _check_known(
        self, shares: JointShares, chosen: tuple[int, ...], bounds: Mapping[int, tuple[Any, Any]]
    ) -> None:
        """Refuse bounds inside cells of which the plan does not tell the parts together."""
        for place, ends in bounds.items():
            step = shares.steps[chosen.index(place)]
            if any(np.any(np.asarray(end) % step) for end in ends):
                raise QueryError(
                    f"{self._product.names[place]}: such a question must be of whole bins, "
                    f"here {step:g} at a time; move the ends, or ask for a plain range"
                )

    def prefix(self, bound: Any, *, confidence: float | None = 0.95) -> Answer[float]:
        raise self._one_at_a_time("prefix")

    def prefixes(self, bounds: ArrayLike, *, confidence: float | None = 0.95) -> Answer[Floats]:
        raise self._one_at_a_time("prefixes")

    def cdf(self, *, confidence: float | None = 0.95, band: str = "pointwise") -> Answer[Floats]:
        raise self._one_at_a_time("cdf")

    def quantiles(self, qs: ArrayLike, *, confidence: float | None = 0.95) -> Answer[Any]:
        raise self._one_at_a_time("quantiles")

    def _one_at_a_time(self, what: str) -> QueryError:
        return QueryError(f"{what} is asked of one attribute: marginal({self._product.names[0]!r}).{what}(…)")

    def _conditional(
        self,
        starts: dict[int, Positions],
        stops: dict[int, Positions],
        condition: dict[int, tuple[int, int]],
        confidence: float | None,
    ) -> Answer[Floats]:
        """Return shares among some of the people, with Fieller's interval for a ratio.

        The share ρ = a/b lies where (a − ρb)² ≤ z² Var(a − ρb), and the variance is a parabola in ρ that is
        known from those of a, of b and of b − a, the people in the condition but not in the range.
        """
        if len(starts) != 1:
            raise QueryError(f"a conditional share must be of one attribute's range, got {len(starts)}")
        ((place, low), high) = next(iter(starts.items())), stops[next(iter(stops))]
        chosen = tuple(sorted((place, *condition)))
        shares = self._joint(chosen)
        self._check_known(shares, chosen, {place: (low, high), **condition})

        def asked(begin: Floats, end: Floats, less: float) -> Any:
            bounds = {p: (np.full(low.shape, a), np.full(low.shape, b)) for p, (a, b) in condition.items()}
            bounds[place] = (begin, end)
            constants = [np.full(low.shape, less if p == place else 0.0) for p in chosen]
            return shares.whole([bounds[p][0] for p in chosen], [bounds[p][1] for p in chosen], constants)

        part = asked(low, high, 0.0)
        whole = asked(np.zeros(low.shape), np.full(low.shape, shares.table.shape[chosen.index(place)]), 0.0)
        of_them, all_of_them = (
            self._value(chosen, _floats(ask.low), _floats(ask.high)) for ask in (part, whole)
        )
        if np.any(all_of_them <= 0):
            raise _NOBODY
        value, z = np.clip(of_them / all_of_them, 0.0, 1.0), normal_quantile(confidence, 1)
        if z is None:
            return Answer(value, None, None, None)
        a, b = shares.ask(part), shares.ask(whole)
        va, vb, vc = (shares.variance(each) for each in (part, whole, asked(low, high, 1.0)))
        covariance = (va + vb - vc) / 2
        square, linear, constant = b**2 - z**2 * vb, a * b - z**2 * covariance, a**2 - z**2 * va
        root = np.sqrt(np.maximum(linear**2 - square * constant, 0.0))
        known = square > 0  # else the people who are given may be nobody, and their share anything
        low_end = np.divide(linear - root, square, out=np.zeros_like(a), where=known)
        high_end = np.divide(linear + root, square, out=np.ones_like(a), where=known)
        return _within(value, low_end, high_end, confidence)

    def _condition(self, given: Mapping[str, Range], ranges: Mapping[str, Any]) -> dict[int, tuple[int, int]]:
        if not isinstance(given, Mapping):
            raise QueryError(
                f"what is given must be ranges by attribute, as {{'age': (18, 30)}} is, got {given!r}"
            )
        found = {}
        for name, pair in given.items():
            if name in ranges:
                raise QueryError(f"{name} must be asked about or be given, not both")
            place = self._place(name)
            axis, (low, high) = self._product.axes[place], _ends(name, pair)
            if np.ndim(low) or np.ndim(high):
                raise QueryError(f"{name}: what is given must be one range, got {pair!r}")
            ends = axis.starts(low), axis.stops(high)
            if ends[0] >= ends[1] or any(float(end) != round(float(end)) for end in ends):
                raise QueryError(f"{name}: what is given must be a range of whole bins, got {low} and {high}")
            found[place] = (int(ends[0]), int(ends[1]))
        return found

    def _check_named(self, unnamed: tuple[object, ...]) -> None:
        if unnamed:
            raise QueryError(
                f"ranges must be named, such as {self._product.names[0]}=(low, high), got {unnamed}"
            )

    def _positions(self, ranges: Mapping[str, Range]) -> tuple[dict[int, Positions], dict[int, Positions]]:
        """Return where ranges start and stop, by the attributes' places, in their order."""
        if not ranges:
            raise QueryError(f"name an attribute and its range, such as {self._product.names[0]}=(low, high)")
        starts, stops = {}, {}
        for place, name in sorted((self._place(name), name) for name in ranges):
            axis, (low, high) = self._product.axes[place], _ends(name, ranges[name])
            starts[place], stops[place] = axis.starts(low), axis.stops(high)
            if np.any(starts[place] >= stops[place]):
                raise QueryError(
                    f"{name}: a range must end after it begins, got {low} and {high}; "
                    "where bins have a width, a single value is no range"
                )
        try:
            shape = np.broadcast_shapes(*(each.shape for each in (*starts.values(), *stops.values())))
        except ValueError:
            raise QueryError("there must be as many ranges of one attribute as of another") from None
        if len(shape) != 1:
            raise QueryError("range takes single bounds; ranges takes lists of them")
        starts = {place: np.broadcast_to(each, shape) for place, each in starts.items()}
        return starts, {place: np.broadcast_to(each, shape) for place, each in stops.items()}

    def _place(self, name: str) -> int:
        if name not in self._product.names:
            raise QueryError(f"the attributes are {', '.join(self._product.names)}, got {name!r}")
        return list(self._product.names).index(name)

    def _joint(self, chosen: tuple[int, ...]) -> JointShares:
        if not self._grids.asks_together(chosen):
            names = ", ".join(self._product.names[place] for place in chosen)
            advice = (
                "for a plain range denoise the estimate" if self._denoised is None else "ask a plain range"
            )
            raise QueryError(f"the plan does not ask about {names} together: ask about fewer, or {advice}")
        if chosen not in self._joint_shares:
            self._joint_shares[chosen] = JointShares(self._grids.table(self._law, chosen), self._coefficients)
        return self._joint_shares[chosen]


_MOST_CELLS = 1 << 22  # of a histogram
_NOBODY = QueryError("nobody seems to be in the given ranges, as far as the reports tell; widen them")


def _floats(columns: Sequence[NDArray[Any]]) -> list[Floats]:
    return [column.astype(np.float64) for column in columns]


def _ends(name: str, pair: Range) -> tuple[Any, Any]:
    if not isinstance(pair, tuple | list):
        if not isinstance(pair, str) and np.ndim(pair):
            raise QueryError(f"{name} must be a value or a pair of ends, such as (18, 64), got {pair!r}")
        return pair, pair
    if len(pair) != 2:
        raise QueryError(f"{name} must be a value or a pair of ends, such as (18, 64), got {pair!r}")
    return pair[0], pair[1]


def _within(value: Floats, low: Floats, high: Floats, confidence: float | None) -> Answer[Floats]:
    """Return answers with intervals that hold them and, beyond that, nothing that no share can be."""
    low, high = np.minimum(value, np.maximum(low, 0.0)), np.maximum(value, np.minimum(high, 1.0))
    return Answer(value, low, high, confidence)
