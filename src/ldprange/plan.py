"""The plan: the public agreement between clients and collector. Frozen data and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from ldprange.agreement import Agreement, read_json
from ldprange.decompositions import KINDS as DECOMPOSITIONS
from ldprange.decompositions import Decomposition, Estimator, Layout, decomposition_from_dict
from ldprange.decompositions.contract import check_levels
from ldprange.domain import Domain
from ldprange.errors import DomainError, PlanError
from ldprange.influence import Influence, Liars, influence_on
from ldprange.levels import Level
from ldprange.noise import Law
from ldprange.oracles import KINDS as ORACLES
from ldprange.oracles import Mechanism, Oracle, mechanism_of, oracle_from_dict
from ldprange.oracles.contract import Column
from ldprange.prediction import Prediction
from ldprange.randomness import WORDS
from ldprange.sampling import Population, fixed_people
from ldprange.support.arrays import Floats
from ldprange.support.blas import callers_thread
from ldprange.support.checking import is_number, listed, normalise, shown, times
from ldprange.support.html_tables import html_facts

VERSION = 1
_MAX_BINS = 1 << 26
_MAX_CELLS = 1 << 28
MAX_COUNTERS = 1 << 28
"""Of a plan: 2 GiB of counts."""


def check_bins(domain: Domain) -> None:
    """Raise PlanError if an attribute of ``domain`` has more bins than a plan can have."""
    if max(domain.shape) > _MAX_BINS:
        raise PlanError(
            f"a domain may have at most {_MAX_BINS} bins, got {max(domain.shape)}; "
            "use fewer and wider ones (Domain.real)"
        )


def check_cells(levels: Sequence[Level]) -> None:
    """Raise PlanError if one of ``levels`` has more cells than can be asked about."""
    most = max(level.cells for level in levels)
    if most > _MAX_CELLS:
        raise PlanError(
            f"a level may have at most {_MAX_CELLS} cells, got {shown(most)}; use fewer bins or attributes"
        )


def check_epsilon(epsilon: object) -> None:
    """Raise PlanError unless ``epsilon`` is a finite number above 0."""
    if not is_number(epsilon) or epsilon <= 0:
        raise PlanError(f"ε must be a finite number above 0, got {shown(epsilon)}")


@dataclass(frozen=True)
class Plan(Agreement):
    """Domain, total ε of a person, decomposition, an oracle per level, and level probabilities.

    Parameters
    ----------
    domain
        What values people may have.
    epsilon
        The total privacy loss of a person who reports once.
    decomposition
        How the domain is split into levels: ``Windows()``, ``Tree(branching)`` and its like; of several
        attributes also ``Grids(…)``.
    oracle
        One oracle for all levels, or a sequence with one for each.
    level_probabilities
        With what probability a person reports on each level; evenly if left out.

    >>> from ldprange import Domain, Haar, HRR
    >>> plan = Plan(Domain.integers(0, 119), epsilon=1.1, decomposition=Haar(), oracle=HRR())
    >>> Plan.from_json(plan.to_json()) == plan
    True
    >>> round(plan.predict(users=1_000_000).range_rmse, 4)
    0.0053
    """

    domain: Domain
    epsilon: float
    decomposition: Decomposition
    oracle: Oracle | Sequence[Oracle]
    level_probabilities: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.domain, Domain):
            raise PlanError(
                f"the domain must be made with Domain.integers and its like, got {shown(self.domain)}"
            )
        check_bins(self.domain)
        check_epsilon(self.epsilon)
        if not isinstance(self.decomposition, Decomposition):
            raise PlanError(
                f"the decomposition must be one of {_called(DECOMPOSITIONS)}, got {shown(self.decomposition)}"
            )
        layout = self.layout  # of the decomposition as it was given; the same as of the one that is kept
        levels = layout.levels
        check_levels(len(levels))
        check_cells(levels)
        normalise(
            self,
            epsilon=float(self.epsilon),
            decomposition=layout.decomposition,
            oracle=_oracles(self.oracle, levels, float(self.epsilon)),
            level_probabilities=_probabilities(self.level_probabilities, len(levels)),
        )
        if self.counters > MAX_COUNTERS:
            raise PlanError(
                f"a plan may need at most 2**28 counters, got {self.counters}; "
                "use fewer bins, or Hadamard hashing with fewer bits"
            )

    @cached_property
    def layout(self) -> Layout:
        """The decomposition on the domain: its levels, and how they come together."""
        return self.decomposition.on(self.domain)

    @property
    def levels(self) -> tuple[Level, ...]:
        """The levels, coarsest first."""
        return self.layout.levels

    @property
    def oracles(self) -> tuple[Oracle, ...]:
        """The oracle of every level."""
        return cast("tuple[Oracle, ...]", self.oracle)

    @property
    def probabilities(self) -> tuple[float, ...]:
        """The probability of every level."""
        return cast("tuple[float, ...]", self.level_probabilities)

    @cached_property
    def mechanisms(self) -> tuple[Mechanism, ...]:
        """Randomiser, tally and estimator of every level."""
        return tuple(
            mechanism_of(oracle, level, self.epsilon)
            for oracle, level in zip(self.oracles, self.levels, strict=True)
        )

    @cached_property
    def counters(self) -> int:
        """How many integers an aggregate holds."""
        return sum(mechanism.counters for mechanism in self.mechanisms)

    @cached_property
    def empty_columns(self) -> tuple[Column, ...]:
        """The column of each level on which nobody reported."""
        return tuple(
            mechanism.unpack(np.empty((0, mechanism.width), np.uint8)) for mechanism in self.mechanisms
        )

    @cached_property
    def level_thresholds(self) -> tuple[int, ...]:
        """A word below ``level_thresholds[l]`` and not below the one before chooses level l.

        The last level has no threshold: it takes what is left.
        """
        return tuple(int(upto) for upto in np.cumsum(self.probabilities[:-1]) * WORDS)

    def to_dict(self) -> dict[str, Any]:
        return {**self._description(), "fingerprint": self.fingerprint}

    def _description(self) -> dict[str, Any]:
        return {
            "ldprange_plan": VERSION,
            "domain": self.domain.to_dict(),
            "epsilon": self.epsilon,
            "decomposition": self.decomposition.to_dict(),
            "branchings": self._branchings,
            "oracles": [oracle.to_dict() for oracle in self.oracles],
            "level_probabilities": list(self.probabilities),
        }

    @property
    def _branchings(self) -> list[int]:
        return [level.branching for level in self.levels]

    @classmethod
    def from_json(cls, text: str) -> Plan:
        return Plan.from_dict(read_json(text, "a plan"))

    @staticmethod
    def from_dict(description: object) -> Plan:
        """Read a plan from what :meth:`to_dict` returned."""
        if isinstance(description, Mapping) and "ldprange_labelled_plan" in description:
            raise PlanError("this must be a plan, but it is a labelled plan; read it with LabelledPlan.load")
        if not isinstance(description, Mapping) or "ldprange_plan" not in description:
            raise PlanError("a plan must be a JSON object with the key 'ldprange_plan', and this is not")
        if description["ldprange_plan"] != VERSION or isinstance(description["ldprange_plan"], bool):
            raise PlanError(
                f"this version reads plans of format {VERSION}, got {shown(description['ldprange_plan'])}; "
                "upgrade ldprange"
            )
        wanted = {"ldprange_plan", "domain", "epsilon", "decomposition", "oracles", "level_probabilities"}
        derived = {"branchings", "fingerprint"}  # may be left out by whoever writes a plan by hand
        for key in sorted(wanted ^ (set(description) - derived)):
            wrong = "lacks" if key in wanted else "also has"
            raise PlanError(f"a plan must have the keys {sorted(wanted)}, and this one {wrong} {shown(key)}")
        if not isinstance(description["oracles"], list):
            raise PlanError(f"a plan's oracles must be a list, got {shown(description['oracles'])}")
        try:
            domain = Domain.from_dict(description["domain"])
        except DomainError as error:
            raise PlanError(f"the plan's domain is not valid: {error}") from None
        plan = Plan(
            domain,
            description["epsilon"],
            decomposition_from_dict(description["decomposition"]),
            [oracle_from_dict(oracle) for oracle in description["oracles"]],
            description["level_probabilities"],
        )
        if description.get("branchings", plan._branchings) != plan._branchings:
            raise PlanError(
                f"the plan's branchings must be {shown(plan._branchings)}, "
                f"got {shown(description['branchings'])}; "
                "the plan was edited, or its levels were chosen by a rule that this version does not know"
            )
        if description.get("fingerprint", plan.fingerprint) != plan.fingerprint:
            raise PlanError(
                f"the plan's fingerprint must be {plan.fingerprint}, "
                f"got {shown(description['fingerprint'])}; "
                "the plan was edited: make a new one, or remove the fingerprint if the change is meant"
            )
        return plan

    def differences(self, other: Plan) -> list[str]:
        """Say what differs between two plans, one line each."""
        ours, theirs = self._description(), other._description()
        found = [
            f"{key}: {listed([ours[key]])} against {listed([theirs[key]])}"
            for key in ("domain", "epsilon", "decomposition")
            if ours[key] != theirs[key]
        ]
        for key in ("oracles", "level_probabilities"):  # one entry a level: the first that differs will do
            pairs = enumerate(zip(ours[key], theirs[key], strict=False))
            differing = [
                f"{key} of level {level}: {listed([a])} against {listed([b])}"
                for level, (a, b) in pairs
                if a != b
            ]
            found += differing[:1] if len(ours[key]) == len(theirs[key]) else []
        return found

    def law(self, users: ArrayLike, population: Population = None) -> Law:
        """Return the noise of an estimate of ``population`` from this many ``users`` on each level."""
        each = np.asarray(users, np.float64)
        noises = tuple(mechanism.noise for mechanism in self.mechanisms)
        return Law(each, noises, fixed_people(population, float(each.sum())))

    def estimator(self, users: ArrayLike, population: Population = None) -> Estimator:
        """Return how the levels come together when this many ``users`` of ``population`` reported on each."""
        return self.layout.estimator(self.law(users, population))

    @callers_thread
    def predict(
        self, users: float, counts: ArrayLike | None = None, *, population: Population = None
    ) -> Prediction:
        """Predict the error of a survey of ``users`` people, without simulating it.

        It is the exact variance, averaged over all ranges and all prefixes: of several attributes, products
        over those asked about together; of categories, single ones and, beside other attributes, as often
        all of them. Inside cells of several bins people are taken to be spread evenly.

        Parameters
        ----------
        users
            How many people report.
        counts
            People per bin, in any unit, with an axis for each attribute; spread evenly if left out. (Evenly
            over more than 1024 bins, cells that the domain's ends cut off are taken to be like the rest.)
        population
            Whom the answers are to speak of, as in :func:`ldprange.estimate`.
        """
        self.check_predictable(users)
        law = self.law(users * np.array(self.probabilities), population)
        return Prediction(users, *self.layout.mean_variances(law, self.shares_of(counts)))

    def shares_of(self, counts: ArrayLike | None) -> Floats | None:
        """Return people per bin, ``counts``, as shares, with an axis for each attribute; None for None."""
        if counts is None:
            return None
        try:
            people = np.asarray(counts, np.float64)
        except (ValueError, TypeError):
            people = np.array([])
        shape = self.domain.shape
        if people.shape != shape or not np.all((people >= 0) & np.isfinite(people)) or people.sum() == 0:
            raise PlanError(
                f"counts must be {times(shape)} numbers of at least 0 that are not all 0, "
                f"got shape {people.shape}" + (f", the least {people.min():g}" if people.size else "")
            )
        shares: Floats = people / people.sum()
        return shares

    def _repr_html_(self) -> str:
        return html_facts(
            [
                ("domain", self.domain.describe()),
                ("privacy", f"ε = {self.epsilon:g} for each person in total"),
                ("decomposition", self.layout.describe()),
                ("fingerprint", self.fingerprint),
            ],
            "Plan",
        )

    @callers_thread
    def influence(
        self, share: float = 0.01, *, between: tuple[Any, Any] | Mapping[str, tuple[Any, Any]] | None = None
    ) -> Influence:
        """Return how far people who lie together can move a share of all people, whatever they report.

        Parameters
        ----------
        share
            How many of those who report are liars: above 0, below 1.
        between
            The range that they move, its ends in the domain's units, both of them in it; of several
            attributes, ranges by their names. Left out, the one that can be moved furthest is searched for,
            of the attributes that are asked about together.

        >>> from ldprange import Domain, Haar, HRR
        >>> plan = Plan(Domain.integers(0, 63), epsilon=1.0, decomposition=Haar(), oracle=HRR())
        >>> round(plan.influence(share=0.01).fair_coins, 3)
        0.057
        """
        if not is_number(share) or not 0 < share < 1:
            raise PlanError(f"the share of liars must be above 0 and below 1, got {shown(share)}")
        self.check_predictable(1)
        names = list(self.domain.attributes)

        def liars(table: Sequence[int]) -> Liars:
            return Liars(self.layout, self.mechanisms, self.probabilities, self.law, table, share)

        if between is None:
            return influence_on(self.layout.tables, liars, names, share)
        given = between if isinstance(between, Mapping) else {names[0]: between}
        ranges = {name: self._bins_between(name, given[name]) for name in names if name in given}
        if len(ranges) < len(given) or not ranges:
            raise PlanError(f"between must be ranges of {listed(names)}, got {shown(between)}")
        asked = liars([names.index(name) for name in ranges])
        question = np.array(list(ranges.values()))
        return Influence(share, ranges, asked.fair(question), asked.chosen(question))

    def _bins_between(self, name: str, ends: tuple[Any, Any]) -> tuple[int, int]:
        """Return the first bin of a range of an attribute, and the one after its last."""
        low, high = (self.domain.attribute(name).index_one(end) for end in ends)
        if low > high:
            raise PlanError(f"a range must not end before it begins, got {shown(ends)}")
        return low, high + 1

    def check_predictable(self, users: object) -> None:
        """Raise PlanError unless the error of a survey of ``users`` people can be predicted."""
        if not is_number(users) or users <= 0:
            raise PlanError(f"users must be a finite number above 0, got {shown(users)}")
        if not all(self.probabilities[level] for level in self.layout.required):
            raise PlanError(
                "cannot predict the error: the finest level (with Haar, every level) must have a probability "
                f"above 0, got level_probabilities={shown(self.probabilities)}"
            )


def _oracles(
    given: Oracle | Sequence[Oracle], levels: tuple[Level, ...], epsilon: float
) -> tuple[Oracle, ...]:
    each = (
        [given] * len(levels) if isinstance(given, Oracle) or not isinstance(given, Sequence) else list(given)
    )
    if len(each) != len(levels) or not all(isinstance(oracle, Oracle) for oracle in each):
        raise PlanError(
            f"the oracle must be one of {_called(ORACLES)}, or a list with "
            f"one of these for each of the {len(levels)} levels, got {shown(given)}"
        )
    return tuple(oracle.resolve(epsilon, level.asked) for oracle, level in zip(each, levels, strict=True))


def _called(kinds: Mapping[str, type]) -> str:
    """Return how one of each of these ``kinds`` is made, for a message."""
    return listed(f"{kind.__name__}()" for kind in kinds.values())


def _probabilities(given: Sequence[float] | None, levels: int) -> tuple[float, ...]:
    if given is None:
        return (1.0 / levels,) * levels
    weights = list(given) if isinstance(given, Iterable) else []
    if (
        len(weights) != levels
        or not all(is_number(weight) and weight >= 0 for weight in weights)
        or abs(sum(weights) - 1) > 1e-9
    ):
        raise PlanError(
            f"level probabilities must be {levels} numbers of at least 0 that add up to 1, got {shown(given)}"
        )
    return tuple(map(float, weights))
