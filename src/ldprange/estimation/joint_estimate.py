"""Answers about several attributes at once, each with its interval."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ldprange.aggregate import Aggregate
from ldprange.answer import Answer
from ldprange.decompositions import GridsLayout
from ldprange.domain import Domain, Product
from ldprange.domain.no_answer import check_answered
from ldprange.domain.product import joint_bin_columns
from ldprange.errors import QueryError
from ldprange.estimation.among import Among
from ldprange.estimation.answered import AnsweredShares
from ldprange.estimation.attribute_estimate import Estimate, normal_quantile, single
from ldprange.estimation.conditional import Conditional
from ldprange.estimation.fieller import quotient_interval
from ldprange.estimation.inner_bounds import inner_bounds_note
from ldprange.estimation.joint_denoised import PairedShares
from ldprange.estimation.joint_shares import JointShares
from ldprange.estimation.marginal import marginal_shares
from ldprange.estimation.named_ranges import (
    Condition,
    Range,
    all_named,
    check_one,
    condition,
    ends_of,
    nearest_cells,
    positions,
)
from ldprange.estimation.pictures import two_attributes
from ldprange.estimation.shares import Interval, at_once, level_estimates
from ldprange.sampling import Population
from ldprange.support.arrays import Floats, Positions
from ldprange.support.checking import counted, listed
from ldprange.support.html_tables import html_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MAX_CELLS = 1 << 22  # of a histogram
_ONLY_PAIRS = "no report is about all of these attributes, so the interval holds all that two at a time allow"


class JointEstimate:
    """What reports on several attributes say about the population.

    Questions name attributes; one that is not named may be anything. A range is a pair of ends, as for one
    attribute, and a single value stands for itself: ``found.range(age=(18, 64), region="north")``, or
    ``found.range({"Rent in €": (0, 800)})`` where a name is no word of Python. All that can be asked of one
    attribute is asked of its :meth:`marginal`. Where people may give no answer, shares are of those who gave
    one on every attribute that is named; :attr:`everyone` speaks of all.

    Made by :func:`ldprange.estimate`.
    """

    def __init__(self, aggregate: Aggregate, *, denoise: bool = False, population: Population = None) -> None:
        plan = aggregate.plan
        self.plan = plan
        self._product = cast(Product, plan.domain)  # or it would be an Estimate
        self._asked = self._product.answered
        self.domain: Domain = self._asked
        """What is asked about: the plan's domain, its attributes without "no answer"."""
        self.users = aggregate.reports
        """How many people reported."""
        self._grids = cast(GridsLayout, plan.layout)  # a product has no other
        self._law = plan.law(aggregate.users, population)
        self._coefficients = self._grids.coefficients(level_estimates(aggregate))
        self._joint_shares: dict[tuple[int, ...], JointShares] = {}
        self._answered: dict[tuple[int, ...], Among] = {}
        self._denoised = None
        if denoise:
            plain = [axis.plain_bins for axis in self._product.axes]
            known = self._grids, self._law, self._coefficients
            self._denoised = PairedShares(*known, plain, self._product.unordered)

    def __repr__(self) -> str:
        kind = "Estimate" if self._denoised is None else "Denoised estimate"
        about = f"{kind} of {listed(self._product.names)}"
        return f"{about} from {counted(self.users, 'report', 'reports')} under plan {self.plan.fingerprint}"

    def _repr_html_(self) -> str:
        told = [f"{name}\n{self.marginal(name).describe()}" for name in self._product.names]
        return html_text("\n\n".join([repr(self), *told]))

    if not TYPE_CHECKING:  # a type checker is to find out by itself what is not there

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or not hasattr(Estimate, name):
                raise AttributeError(f"'JointEstimate' object has no attribute {name!r}")
            first, *others = self._product.names
            raise AttributeError(
                f"{name}() needs one attribute; use estimate.marginal({first!r}).{name}(…), "
                f"or the same of {' or '.join(map(repr, others))}"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes."""
        return tuple(self._product.names)

    @property
    def everyone(self) -> "JointEstimate":
        """The estimate of all people, with "no answer" as a bin; itself, where everybody has to answer.

        >>> import ldprange as ldp
        >>> people = ldp.Domain.product(
        ...     pay=ldp.Domain.integers(0, 7, no_answer=True),
        ...     region=ldp.Domain.categories(["north", "south"]),
        ... )
        >>> plan = ldp.Plan(people, 4.0, ldp.Tree(branching=2), ldp.OUE())
        >>> regions = ["north", "north", "south", "south"]
        >>> values = {"pay": [1, 6, None, 6] * 20_000, "region": regions * 20_000}
        >>> found = ldp.estimate(ldp.simulate_values(plan, values, seed=1))
        >>> print(found.range(pay=(4, 7), region="north"))  # of those who told their pay
        0.335 [0.325, 0.345] at 95%
        >>> print(found.everyone.range(pay="no answer", region="south"))
        0.251 [0.244, 0.259] at 95%
        """
        if self._asked is self._product:
            return self
        everyone = copy(self)
        everyone.domain = everyone._asked = self._product
        return everyone

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
            name: tuple([end] for end in ends_of(name, pair))
            for name, pair in all_named(self._asked, ranges, named).items()
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
        ranges = all_named(self._asked, ranges, named)
        if among := condition(self._product, given, ranges):
            if len(ranges) != 1:
                raise QueryError(f"a conditional share must be of one attribute's range, got {len(ranges)}")
            ((name, pair),) = ranges.items()
            alone = self._one(self._product.place(name), among)
            return alone.ranges(*ends_of(name, pair), confidence=confidence)
        normal_quantile(confidence, 1)  # refuses what is none
        for name, pair in ranges.items():
            for end in ends_of(name, pair):
                check_answered(self._asked.attribute(name), self._product.attribute(name), end)
        starts, stops = positions(self._asked, ranges)
        answer = self._answer_ranges(starts, stops, confidence)
        ends = {
            f"{name} {which}": np.broadcast_to(np.asarray(end), answer.value.shape)
            for name, pair in ranges.items()
            for which, end in zip(("from", "to"), ends_of(name, pair), strict=True)
        }
        return replace(answer, asked=partial(dict, ends))

    def _answer_ranges(
        self, starts: dict[int, Positions], stops: dict[int, Positions], confidence: float | None
    ) -> Answer[Floats]:
        chosen, ends = tuple(starts), (list(starts.values()), list(stops.values()))
        note = self._note(starts, stops)
        if len(chosen) == 1:
            return replace(self._one(chosen[0], {})._answer(ends[0][0], ends[1][0], confidence), note=note)
        value = self._value(chosen, *ends)
        if (z := normal_quantile(confidence, 1)) is None:
            return Answer(value, None, None, None, kind="shares")
        low, high = self._interval(starts, stops, z)
        if self._denoised is not None:
            low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
        low, high = np.minimum(low, value), np.maximum(high, value)
        return Answer(value, low, high, confidence, note, kind="shares")

    def _note(self, starts: Mapping[int, Positions], stops: Mapping[int, Positions]) -> str:
        """Return what makes the interval of an answer wide, and what would not."""
        chosen = tuple(starts)
        together = self._grids.asks_together(chosen)
        notes = [] if together else [_ONLY_PAIRS]
        for attribute in chosen:
            table = chosen if together else (attribute,)
            step, domain = self._joint(table).steps[table.index(attribute)], self._asked.axes[attribute]
            ends = starts[attribute], stops[attribute]
            notes.append(inner_bounds_note(domain, *ends, step, self._asked.names[attribute]))
        return "; ".join(filter(None, notes))

    def _value(
        self, chosen: tuple[int, ...], starts: Sequence[Positions], stops: Sequence[Positions]
    ) -> Floats:
        """Return shares on some attributes, among those who answered all of them."""
        between = (
            self._joint(chosen).between if self._denoised is None else partial(self._denoised.between, chosen)
        )
        value: Floats = between(starts, stops)
        if not self._some_may_be_none(chosen):
            return value
        bins = [np.array([float(self._asked.shape[attribute])]) for attribute in chosen]
        (answered,) = between([np.zeros(1)] * len(chosen), bins)
        # if nobody seems to have answered, all is possible
        parts = [(stop - start) / most for start, stop, most in zip(starts, stops, bins, strict=True)]
        among: Floats = value / answered if answered > 0 else np.prod(parts, axis=0)
        # cells that do not tell who answered may hold more of one share than of the other
        apart = self._grids.asks_together(chosen) and self._who_answered(chosen).told_apart
        return among if apart else np.minimum(among, 1.0)

    def _some_may_be_none(self, chosen: tuple[int, ...]) -> bool:
        """Whether shares on the ``chosen`` attributes are of those who answered, and not of all people."""
        return any(self._asked.axes[at] is not self._product.axes[at] for at in chosen)

    def _interval(self, starts: dict[int, Positions], stops: dict[int, Positions], z: float) -> Interval:
        chosen, ends = tuple(starts), (list(starts.values()), list(stops.values()))
        together, some = self._grids.asks_together(chosen), self._some_may_be_none(chosen)
        if together and some:
            return self._who_answered(chosen).interval(*ends, z)
        if together:
            return self._joint(chosen).interval(*ends, z)
        if not some:
            return self._interval_from_pairs(starts, stops, z)
        first = {attribute: np.zeros(1) for attribute in chosen}
        last = {attribute: np.array([float(self._asked.shape[attribute])]) for attribute in chosen}
        both = at_once(z, 2)
        part = self._interval_from_pairs(starts, stops, both)
        return quotient_interval(part, self._interval_from_pairs(first, last, both))

    def _who_answered(self, chosen: tuple[int, ...]) -> Among:
        """Return the shares among the people who answered all of the ``chosen`` attributes."""
        if chosen not in self._answered:
            bins = [self._asked.shape[attribute] for attribute in chosen]
            whole, denoised = ([0] * len(chosen), bins), self._denoised is not None
            self._answered[chosen] = Among(self._joint(chosen), *whole, bounded=denoised)
        return self._answered[chosen]

    def _interval_from_pairs(
        self, starts: dict[int, Positions], stops: dict[int, Positions], z: float
    ) -> Interval:
        """Return what the shares of one attribute and of two leave possible, all of their intervals at once.

        Whoever is in all ranges is in any two of them, and is missing in none (Fréchet's inequalities).
        """
        parts = [*combinations(starts, 1), *combinations(starts, 2)]
        each = at_once(z, len(parts))
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
        chosen = [self._asked.place(name) for name in names] or list(range(len(self._asked.names)))
        shape = [self._asked.shape[attribute] for attribute in chosen]
        if len(set(chosen)) != len(chosen):
            raise QueryError(f"an attribute must be named once, got {listed(names)}")
        if prod(shape) > _MAX_CELLS:
            raise QueryError(f"a histogram may have {_MAX_CELLS:,} bins, got {prod(shape):,}; name fewer")
        bins = dict(zip(chosen, np.indices(shape, np.float64).reshape(len(shape), -1), strict=True))
        starts = {attribute: bins[attribute] for attribute in sorted(bins)}
        stops = {attribute: each + 1 for attribute, each in starts.items()}
        answer = self._answer_ranges(starts, stops, confidence).map(lambda column: column.reshape(shape))
        attributes = {self._asked.names[attribute]: self._asked.axes[attribute] for attribute in chosen}
        return replace(answer, asked=partial(joint_bin_columns, attributes), kind="shares of bins")

    def describe(self, *, confidence: float | None = 0.95) -> str:
        """Return lines with the number of people, and of each attribute what its own ``describe`` has."""
        each = [self.marginal(name).describe(confidence=confidence).splitlines() for name in self.names]
        lines = [each[0][0]]
        for name, (_, *own) in zip(self.names, each, strict=True):
            lines += [name, *(f"  {line}" for line in own)]
        return "\n".join(lines)

    def no_answer(self, *names: str, confidence: float | None = 0.95) -> Answer[float]:
        """Return the share of all people who left out some of the attributes ``names``, or of all of them.

        Shares on these attributes together are of the others.
        """
        asked = [self._product.place(name) for name in names] or range(len(self._product.names))
        axes = self._product.axes
        optional = [at for at in sorted(asked) if axes[at].optional]
        if not optional:
            raise QueryError(
                f"everybody has to answer {listed(names or self.names)}; for a share of no answer, make its "
                "domain with no_answer=True"
            )
        bins = {at: np.array([float(axes[at].answered.bins)]) for at in optional}
        start = {at: np.zeros(1) for at in optional}
        answered = single(self.everyone._answer_ranges(start, bins, confidence))
        low, high = (None if end is None else 1 - end for end in (answered.high, answered.low))
        return Answer(1 - answered.value, low, high, confidence, answered.note, kind="shares")

    def marginal(
        self, name: str | None = None, *more: str, given: Mapping[str, Range] | None = None
    ) -> Estimate:
        """Return the estimate of one attribute, for all questions about one; it agrees with the joint one.

        Parameters
        ----------
        name
            The attribute.
        *more
            None: further names are an error, in words.
        given
            Ranges of other attributes: all is then asked of the people in them. ``"no answer"`` is a range,
            too, of an attribute that people need not answer.
        """
        check_one(name, more)
        if name is None:
            raise QueryError(f"name one of the attributes {listed(self._product.names)}")
        return self._one(self._product.place(name), condition(self._product, given, {name}))

    def _one(self, attribute: int, given: Condition) -> Estimate:
        """Return the estimate of an attribute among those who answered it, or of all where all are asked."""
        domain, asked = self._product.axes[attribute], self._asked.axes[attribute]
        if given:
            everyone = Estimate(self.plan, self._among(attribute, given, domain.bins), domain)
            if asked is domain:
                return everyone
            return Estimate(self.plan, self._among(attribute, given, asked.bins), asked, everyone)
        denoised = None if self._denoised is None else self._denoised.alone(attribute)
        shares = marginal_shares(self._joint((attribute,)), self.users, denoised)
        everyone = Estimate(self.plan, shares, domain)
        return everyone if asked is domain else Estimate(self.plan, AnsweredShares(shares), asked, everyone)

    def _among(self, attribute: int, given: Condition, bins: int) -> Conditional:
        """Return the shares of an attribute's first ``bins`` among the people in them and in given ranges."""
        chosen = tuple(sorted((attribute, *given)))
        shares = self._joint(chosen)
        for other, pair in given.items():
            at = chosen.index(other)
            step = shares.steps[at]
            if np.any(shares.axes[at].leaf(np.array(pair)) % step):
                raise QueryError(
                    f"{self._product.names[other]}: what is given must be of whole cells, of {step:g} bins; "
                    f"{nearest_cells(self._product.axes[other], pair, step)}, or ask for a plain range"
                )
        if self._denoised is not None:
            edges = self._grids.axes[attribute].leaf(np.arange(bins + 1))
            joint_cdf = self._denoised.joint_cdf(chosen, attribute, given)[edges]
        else:
            edges = np.arange(bins + 1.0)
            ends = {p: [np.full(edges.shape, float(end)) for end in pair] for p, pair in given.items()}
            ends[attribute] = [np.zeros_like(edges), edges]
            joint_cdf = shares.between([ends[p][0] for p in chosen], [ends[p][1] for p in chosen])
        if joint_cdf[-1] <= 0:
            raise QueryError("nobody seems to be in the given ranges, as far as reports tell; widen them")
        ranges = [given.get(p) for p in chosen]
        return Conditional(shares, ranges, joint_cdf, self.users, self._product.axes[attribute])

    def quantile(
        self,
        q: float,
        *,
        of: str | None = None,
        given: Mapping[str, Range] | None = None,
        confidence: float | None = 0.95,
    ) -> Answer[Any]:
        """Return the value of an attribute up to which a share ``q`` lies (of the people in other ranges)."""
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

    def _joint(self, chosen: tuple[int, ...]) -> JointShares:
        if not self._grids.asks_together(chosen):
            names = ", ".join(self._product.names[attribute] for attribute in chosen)
            advice = "denoise the estimate" if self._denoised is None else "about all people, without given="
            raise QueryError(f"the plan does not ask about {names} together: ask about fewer, or {advice}")
        if chosen not in self._joint_shares:
            self._joint_shares[chosen] = JointShares(self._grids.table(self._law, chosen), self._coefficients)
        return self._joint_shares[chosen]
