"""Answers about several attributes at once, each with its interval."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from ldprange.aggregate import Aggregate
from ldprange.answer import Answer
from ldprange.decompositions import GridsLayout
from ldprange.domain import Domain, Product
from ldprange.errors import QueryError, about
from ldprange.estimation.attribute_estimate import Estimate, normal_quantile, single
from ldprange.estimation.conditional import Conditional
from ldprange.estimation.inner_bounds import inner_bounds_note
from ldprange.estimation.joint_denoised import PairedShares
from ldprange.estimation.joint_shares import JointShares
from ldprange.estimation.marginal import marginal_shares
from ldprange.estimation.pictures import two_attributes
from ldprange.estimation.shares import level_estimates
from ldprange.sampling import Population
from ldprange.support.arrays import Floats, Positions
from ldprange.support.checking import listed, shown
from ldprange.support.html_tables import html_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Range = tuple[Any, Any] | Sequence[Any] | Any


class JointEstimate:
    """What reports on several attributes say about the population.

    Questions name attributes; one that is not named may be anything. A range is a pair of ends, as for one
    attribute, and a single value stands for itself: ``found.range(age=(18, 64), region="north")``, or
    ``found.range({"Rent in €": (0, 800)})`` where a name is no word of Python. All that can be asked of one
    attribute is asked of its :meth:`marginal`.

    Made by :func:`ldprange.estimate`.
    """

    def __init__(self, aggregate: Aggregate, *, denoise: bool = False, population: Population = None) -> None:
        plan = aggregate.plan
        self.plan = plan
        self.domain: Domain = plan.domain
        """What is asked about: the plan's domain."""
        self.users = aggregate.reports
        """How many people reported."""
        self._product = cast(Product, plan.domain)  # or it would be an Estimate
        self._grids = cast(GridsLayout, plan.layout)  # a product has no other
        self._law = plan.law(aggregate.users, population)
        self._coefficients = self._grids.coefficients(level_estimates(aggregate))
        self._joint_shares: dict[tuple[int, ...], JointShares] = {}
        self._denoised = PairedShares(self._grids, self._law, self._coefficients) if denoise else None

    def __repr__(self) -> str:
        kind = "Estimate" if self._denoised is None else "Denoised estimate"
        about = f"{kind} of {listed(self._product.names)}"
        return f"{about} from {self.users:,} reports under plan {self.plan.fingerprint}"

    def _repr_html_(self) -> str:
        told = [f"{name}\n{self.marginal(name).describe()}" for name in self._product.names]
        return html_text("\n\n".join([repr(self), *told]))

    if not TYPE_CHECKING:  # a type checker is to find out by itself what is not there

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or not hasattr(Estimate, name):
                raise AttributeError(f"'JointEstimate' object has no attribute {name!r}")
            raise AttributeError(
                f"{name}() needs one attribute; use estimate.marginal({self._product.names[0]!r}).{name}(…)"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes."""
        return tuple(self._product.names)

    def range(
        self,
        ranges: Mapping[str, Range] | None = None,
        /,
        *,
        confidence: float | None = 0.95,
        given: Mapping[str, Range] | None = None,
        **named: Range,
    ) -> Answer[float]:
        """Return the share of people who lie in a range on every attribute that is named.

        Parameters
        ----------
        ranges, named
            Ranges by attribute, as a mapping or as keywords.
        confidence
            How often the interval is to hold the truth.
        given
            Ranges of other attributes: the share is then that among the people in them.

        >>> import ldprange as ldp
        >>> people = ldp.Domain.product(age=ldp.Domain.integers(0, 15), children=ldp.Domain.integers(0, 3))
        >>> plan = ldp.Plan(people, 2.0, ldp.Tree(branching=4), ldp.HadamardHashing())
        >>> values = {"age": [3, 12] * 50_000, "children": [0, 2] * 50_000}
        >>> found = ldp.estimate(ldp.simulate_values(plan, values, seed=1))
        >>> print(found.range(age=(8, 15), children=(1, 3)))
        0.489 [0.476, 0.503] at 95%
        """
        each = {
            name: tuple([end] for end in _ends(name, pair))
            for name, pair in self._named(ranges, named).items()
        }
        return single(self.ranges(each, confidence=confidence, given=given))

    def ranges(
        self,
        ranges: Mapping[str, Range] | None = None,
        /,
        *,
        confidence: float | None = 0.95,
        given: Mapping[str, Range] | None = None,
        **named: Range,
    ) -> Answer[Floats]:
        """Return the shares of many at once, as arrays: of each attribute all low ends and all high ends."""
        ranges = self._named(ranges, named)
        if condition := self._condition(given, ranges):
            if len(ranges) != 1:
                raise QueryError(f"a conditional share must be of one attribute's range, got {len(ranges)}")
            ((name, pair),) = ranges.items()
            among = self._one(self._product.place(name), condition)
            return among.ranges(*_ends(name, pair), confidence=confidence)
        normal_quantile(confidence, 1)  # refuses what is none
        starts, stops = self._positions(ranges)
        answer = self._answer_ranges(starts, stops, confidence)
        ends = {
            f"{name} {which}": np.broadcast_to(np.asarray(end), answer.value.shape)
            for name, pair in ranges.items()
            for which, end in zip(("from", "to"), _ends(name, pair), strict=True)
        }
        return replace(answer, asked=partial(dict, ends))

    def _answer_ranges(
        self, starts: dict[int, Positions], stops: dict[int, Positions], confidence: float | None
    ) -> Answer[Floats]:
        chosen, ends = tuple(starts), (list(starts.values()), list(stops.values()))
        note = "; ".join(filter(None, (self._note(attribute, starts, stops, chosen) for attribute in chosen)))
        if len(chosen) == 1:
            return replace(self._one(chosen[0], {})._answer(ends[0][0], ends[1][0], confidence), note=note)
        value = self._value(chosen, *ends)
        if confidence is None:
            return Answer(value, None, None, None)
        if self._grids.asks_together(chosen):
            low, high = self._joint(chosen).interval(*ends, confidence)
        else:
            low, high = self._interval_from_pairs(starts, stops, confidence)
        if self._denoised is not None:
            low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
        return Answer(value, np.minimum(low, value), np.maximum(high, value), confidence, note)

    def _note(
        self,
        attribute: int,
        starts: Mapping[int, Positions],
        stops: Mapping[int, Positions],
        chosen: tuple[int, ...],
    ) -> str:
        """Return what to say of an attribute's bounds, in a question about all that were chosen."""
        together = chosen if self._grids.asks_together(chosen) else (attribute,)
        step = self._joint(together).steps[together.index(attribute)]
        domain, name = self._product.axes[attribute], self._product.names[attribute]
        return inner_bounds_note(domain, starts[attribute], stops[attribute], step, name)

    def _value(
        self, chosen: tuple[int, ...], starts: Sequence[Positions], stops: Sequence[Positions]
    ) -> Floats:
        if self._denoised is None:
            return self._joint(chosen).between(starts, stops)
        return self._denoised.between(chosen, starts, stops)

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
            ends = [starts[attribute] for attribute in part], [stops[attribute] for attribute in part]
            below, above = self._joint(part).interval(*ends, each)
            high = np.minimum(high, above)
            if len(part) == 1:
                low = low - (1 - np.clip(below, 0.0, 1.0))
        return low, high

    def histogram(self, *names: str, confidence: float | None = 0.95) -> Answer[Floats]:
        """Return the share of every joint bin: an array with an axis for each attribute (that is named)."""
        normal_quantile(confidence, 1)  # refuses what is none
        chosen = [self._product.place(name) for name in names] or list(range(len(self._product.names)))
        shape = [self._product.shape[attribute] for attribute in chosen]
        if len(set(chosen)) != len(chosen):
            raise QueryError(f"an attribute must be named once, got {listed(names)}")
        if prod(shape) > _MAX_CELLS:
            raise QueryError(f"a histogram may have {_MAX_CELLS:,} bins, got {prod(shape):,}; name fewer")
        bins = dict(zip(chosen, np.indices(shape, np.float64).reshape(len(shape), -1), strict=True))
        starts = {attribute: bins[attribute] for attribute in sorted(bins)}
        stops = {attribute: each + 1 for attribute, each in starts.items()}
        answer = self._answer_ranges(starts, stops, confidence).map(lambda column: column.reshape(shape))
        attributes = {self._product.names[attribute]: self._product.axes[attribute] for attribute in chosen}
        return replace(answer, asked=partial(_joint_bin_columns, attributes))

    def marginal(self, name: str | None = None, *, given: Mapping[str, Range] | None = None) -> Estimate:
        """Return the estimate of one attribute, for all questions about one; it agrees with the joint one.

        Parameters
        ----------
        name
            The attribute.
        given
            Ranges of other attributes: all is then asked of the people in them.
        """
        if name is None:
            raise QueryError(f"name one of the attributes {listed(self._product.names)}")
        return self._one(self._product.place(name), self._condition(given, {name}))

    def _one(self, attribute: int, condition: dict[int, tuple[int, int]]) -> Estimate:
        domain = self._product.axes[attribute]
        if condition:
            return Estimate(self.plan, self._among(attribute, condition), domain)
        denoised = None if self._denoised is None else self._denoised.alone(attribute)
        return Estimate(self.plan, marginal_shares(self._joint((attribute,)), self.users, denoised), domain)

    def _among(self, attribute: int, condition: dict[int, tuple[int, int]]) -> Conditional:
        """Return the shares of an attribute among the people in ranges of others."""
        chosen = tuple(sorted((attribute, *condition)))
        shares = self._joint(chosen)
        for other, pair in condition.items():
            at = chosen.index(other)
            step = shares.steps[at]
            if np.any(shares.axes[at].leaf(np.array(pair)) % step):
                raise QueryError(
                    f"{self._product.names[other]}: what is given must be of whole cells, of {step:g} bins; "
                    f"{self._nearest(other, pair, step)}, or ask for a plain range"
                )
        if self._denoised is not None:
            edges = self._grids.axes[attribute].leaf(np.arange(self._product.shape[attribute] + 1))
            joint_cdf = self._denoised.joint_cdf(chosen, attribute, condition)[edges]
        else:
            edges = np.arange(self._product.shape[attribute] + 1.0)
            ends = {p: [np.full(edges.shape, float(end)) for end in pair] for p, pair in condition.items()}
            ends[attribute] = [np.zeros_like(edges), edges]
            joint_cdf = shares.between([ends[p][0] for p in chosen], [ends[p][1] for p in chosen])
        if joint_cdf[-1] <= 0:
            raise QueryError("nobody seems to be in the given ranges, as far as reports tell; widen them")
        return Conditional(shares, [condition.get(p) for p in chosen], joint_cdf, self.users)

    def quantile(
        self,
        q: float,
        *,
        of: str | None = None,
        given: Mapping[str, Range] | None = None,
        confidence: float | None = 0.95,
    ) -> Answer[Any]:
        """Return the value of an attribute below which a share ``q`` lies (of the people in other ranges)."""
        return self.marginal(of, given=given).quantile(q, confidence=confidence)

    def plot(self, *names: str, title: str = "") -> "Figure":
        """Return a figure of two attributes, or one, by their ``names``; a notebook shows it by itself.

        Two are a heat map of at most 12 cells each way, with each attribute's own distribution at the sides.
        A cell is crossed out if its 95% interval reaches down to 0: there may be nobody in it. Names may be
        left out where there are only two attributes. It is a figure of matplotlib.
        """
        if len(names) == 1:
            return self.marginal(names[0]).plot(title=title, label=names[0])
        return two_attributes(self, names or self.names, title)

    def _condition(
        self, given: Mapping[str, Range] | None, names: Collection[str]
    ) -> dict[int, tuple[int, int]]:
        if given is None:
            return {}
        if not isinstance(given, Mapping):
            raise QueryError(
                f"what is given must be ranges by attribute, as {{'age': (18, 30)}} is, got {shown(given)}"
            )
        found = {}
        for name, pair in given.items():
            if name in names:
                raise QueryError(f"{name} must be asked about or be given, not both")
            attribute = self._product.place(name)
            axis, (low, high) = self._product.axes[attribute], _ends(name, pair)
            if np.ndim(low) or np.ndim(high):
                raise QueryError(f"{name}: what is given must be one range, got {shown(pair)}")
            ends = _between(name, axis, low, high)
            if ends[0] >= ends[1]:
                raise QueryError(f"{name}: what is given must end after it begins, got {low} and {high}")
            if any(float(end) != round(float(end)) for end in ends):
                raise QueryError(
                    f"{name}: what is given must be a range of whole bins, got {low} and {high}; "
                    f"{self._nearest(attribute, ends, 1)}"
                )
            found[attribute] = (int(ends[0]), int(ends[1]))
        return found

    def _nearest(self, attribute: int, ends: Sequence[Any], step: int) -> str:
        """Return which whole cells of ``step`` bins are nearest to a range."""
        axis = self._product.axes[attribute]
        first = int(min(max(0.0, round(float(ends[0]) / step) * step), axis.bins - 1))
        last = int(min(max(first + step, round(float(ends[1]) / step) * step), axis.bins))
        return f"the nearest is from {axis.lower(first)} to {axis.upper(last - 1)}"

    def _named(self, ranges: object, named: dict[str, Range]) -> dict[str, Range]:
        """Return all ranges by attribute: those of the mapping ``ranges``, if there is one, and ``named``."""
        if ranges is None:
            return named
        if not isinstance(ranges, Mapping):
            raise QueryError(
                f"ranges must be by attribute, as {{{self._product.names[0]!r}: (low, high)}} is, "
                f"got {shown(ranges)}"
            )
        if twice := ranges.keys() & named.keys():
            raise QueryError(f"an attribute must be named once, got {listed(sorted(twice))} twice")
        return {**ranges, **named}

    def _positions(self, ranges: Mapping[str, Range]) -> tuple[dict[int, Positions], dict[int, Positions]]:
        """Return where ranges start and stop, by attribute, in their order."""
        if not ranges:
            raise QueryError(f"name an attribute and its range, such as {self._product.names[0]}=(low, high)")
        starts, stops = {}, {}
        for attribute, name in sorted((self._product.place(name), name) for name in ranges):
            axis, (low, high) = self._product.axes[attribute], _ends(name, ranges[name])
            starts[attribute], stops[attribute] = _between(name, axis, low, high)
            if np.any(starts[attribute] >= stops[attribute]):
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
        starts = {attribute: np.broadcast_to(each, shape) for attribute, each in starts.items()}
        return starts, {attribute: np.broadcast_to(each, shape) for attribute, each in stops.items()}

    def _joint(self, chosen: tuple[int, ...]) -> JointShares:
        if not self._grids.asks_together(chosen):
            names = ", ".join(self._product.names[attribute] for attribute in chosen)
            advice = (
                "for a plain range denoise the estimate" if self._denoised is None else "ask a plain range"
            )
            raise QueryError(f"the plan does not ask about {names} together: ask about fewer, or {advice}")
        if chosen not in self._joint_shares:
            self._joint_shares[chosen] = JointShares(self._grids.table(self._law, chosen), self._coefficients)
        return self._joint_shares[chosen]


_MAX_CELLS = 1 << 22  # of a histogram


def _joint_bin_columns(attributes: Mapping[str, Domain]) -> dict[str, NDArray[Any]]:
    """Return columns that say what every joint bin is, the last attribute's bins one after another."""
    places = np.indices([domain.bins for domain in attributes.values()])
    return {
        name if what == "label" else f"{name} {what}": column[place.reshape(-1)]
        for (name, domain), place in zip(attributes.items(), places, strict=True)
        for what, column in domain.bin_columns().items()
    }


def _between(name: str, axis: Domain, low: Any, high: Any) -> tuple[Positions, Positions]:
    """Return where a range of an attribute starts and stops."""
    with about(name):
        return axis.starts(low), axis.stops(high)


def _ends(name: str, pair: Range) -> tuple[Any, Any]:
    if not isinstance(pair, tuple | list):
        if not isinstance(pair, str) and np.ndim(pair):
            raise QueryError(f"{name} must be a value or a pair of ends, such as (18, 64), got {shown(pair)}")
        return pair, pair
    if len(pair) != 2:
        raise QueryError(f"{name} must be a value or a pair of ends, such as (18, 64), got {shown(pair)}")
    return pair[0], pair[1]
