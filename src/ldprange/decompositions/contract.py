"""What every decomposition provides: a description, and what becomes of it on a domain."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from ldprange.domain import Domain
from ldprange.errors import PlanError
from ldprange.levels import Level
from ldprange.noise import Law
from ldprange.support.arrays import Boundaries, Floats
from ldprange.workloads import own_variances

Variances = Callable[[Boundaries, Boundaries], Floats]

MAX_LEVELS = 255  # a level is a byte on the wire, and 255 means none in memory


def check_levels(number: int) -> None:
    """Raise PlanError unless a plan may have ``number`` levels."""
    if number > MAX_LEVELS:
        raise PlanError(
            f"a plan may have at most {MAX_LEVELS} levels, got {number} or more; "
            "use fewer attributes, a larger branching, or grids of some attributes (Grids.pairs)"
        )


class Decomposition(ABC):
    """A way to split a domain into levels, of which each person reports on one. Public and frozen."""

    kind: ClassVar[str]

    @abstractmethod
    def on(self, domain: Domain) -> Layout:
        """Return the layout of this decomposition on ``domain``."""

    def to_dict(self) -> dict[str, Any]:
        """Describe the decomposition in plain JSON types."""
        return {"kind": self.kind}

    def describe(self) -> str:
        """Return the decomposition in a few words."""
        return type(self).__name__


class Estimator(Protocol):
    """How the levels of one attribute come together, for given users and noise."""

    def fit(self, estimates: Sequence[Floats]) -> Floats:
        """Return the bins' shares from every level's ``estimates``, by least squares; they add up to 1."""
        ...

    def gains(self, boundary: int) -> list[Floats]:
        """Return by how much the share below a boundary grows with each level's estimates."""
        ...

    def mean_variances(self) -> tuple[float, float]:
        """Return the mean variance over all ranges and over all prefixes, were people drawn evenly."""
        ...

    def even_variances(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the variance of the share of bins ``low`` … ``high − 1``, were people drawn evenly.

        It may be off by the little that cells at the ends of the line differ from others in.
        """
        ...

    def block_variances(self, width: int, step: int) -> Floats:
        """Return them for blocks of ``width`` neighbours, of which one begins after every ``step`` bins.

        Block t has bins t … t + width − 1, as far as they are in the domain; t runs from step − width up.
        """
        ...

    def variances(self, cdf: Floats) -> Variances:
        """Return a function that gives the exact variance of the share of bins ``low`` … ``high − 1``.

        ``cdf`` is the population's share below each boundary; it must not fall.
        """
        ...


class AnswerWeights(NamedTuple):
    """How answers to some questions, ranges of every attribute of a table, come from the levels' estimates.

    Attributes
    ----------
    levels
        For each level, a row for each question: by how much its answer grows with every cell's estimate.
    nothing
        The answer to each question if all estimates are 0.
    """

    levels: list[Floats]
    nothing: Floats


Weigh = Callable[[Boundaries, Boundaries], AnswerWeights]
"""Gives the weights of questions, from where ranges begin and end: a row each, a column for each axis."""


class Layout(ABC):
    """A decomposition on a domain: its levels, how they come together, and what error that leaves.

    Attributes
    ----------
    decomposition
        The description with every choice made that depends on the domain: what a plan keeps.
    levels
        Coarsest first; they may cover padding beyond the domain's bins.
    shape
        The number of bins of every attribute.
    unordered
        The attributes whose bins have no order.
    tables
        The attributes that are asked about together, as many at a time as possible.
    has_nodes
        Whether a range is also a sum of cells as they were reported: the paper's raw tree.
    """

    decomposition: Decomposition
    levels: tuple[Level, ...]
    shape: tuple[int, ...]
    unordered: frozenset[int] = frozenset()
    tables: tuple[tuple[int, ...], ...] = ((0,),)
    has_nodes: bool = False

    def describe(self) -> str:
        """Return the layout in a few words."""
        return f"{self.decomposition.describe()}, {self._number_of_levels}"

    @property
    def _number_of_levels(self) -> str:
        return f"{len(self.levels)} level" + "s" * (len(self.levels) != 1)

    @property
    def required(self) -> Sequence[int]:
        """The levels without which the bins are not known, whatever the others say: the finest."""
        return (len(self.levels) - 1,)

    def estimator(self, law: Law) -> Estimator:
        """Return how the levels of one attribute come together under ``law``."""
        raise PlanError("this needs a plan of one attribute, and the plan has several")

    @abstractmethod
    def answer_weights(self, law: Law, table: Sequence[int]) -> Weigh:
        """Return what gives the weights of questions about the attributes of a ``table`` under ``law``."""

    def known_sizes(self, users: Sequence[float], *, consistent: bool = True) -> tuple[int, ...]:
        """Return the bins per cell of the levels that reports tell of, coarsest first.

        ``users`` reported on each level. Only shares between multiples of the last size (and the far end) are
        known; it is 1 unless a level went unreported. Unless ``consistent``, levels are not combined.
        """
        raise PlanError("this needs a plan of one attribute, and the plan has several")

    @property
    def finest_together(self) -> Sequence[float]:
        """Of each attribute, the part that a cell of the finest grids of two has; 0 where cells are bins."""
        return [0.0] * len(self.shape)

    def unordered_in(self, chosen: Sequence[int]) -> frozenset[int]:
        """Return at which places of the ``chosen`` attributes bins have no order."""
        return frozenset(at for at, place in enumerate(chosen) if place in self.unordered)

    def mean_variances(self, law: Law, shares: Floats | None = None) -> tuple[float, float]:
        """Return the exact mean variance over all ranges and over all prefixes.

        ``shares`` are the population's, of every bin, with an axis for each attribute; even if left out.
        """
        if shares is not None:
            return self.population_variances(law, shares)
        own = [
            own_variances([self.shape[place] for place in chosen], self.unordered_in(chosen))
            for chosen in self.tables
        ]
        found = np.array(self.even_variances(law)) - np.mean(own, axis=0) / law.fixed_people
        ranges, prefixes = np.maximum(found, 0.0).tolist()
        return ranges, prefixes

    @abstractmethod
    def even_variances(self, law: Law) -> tuple[float, float]:
        """Return the mean variance over all ranges and all prefixes, were people drawn evenly."""

    @abstractmethod
    def population_variances(self, law: Law, shares: Floats) -> tuple[float, float]:
        """Return the mean variance over all ranges and all prefixes for people with these ``shares``."""

    @abstractmethod
    def best_probabilities(self, information: Floats, weights: Floats) -> Floats:
        """Return the probabilities of the levels that make the error least.

        ``information`` is that of one report on each level; ``weights`` are those of the logarithms of the
        mean variances over ranges and over prefixes.
        """

    def worth_asking(self, probabilities: Floats) -> tuple[Decomposition, Sequence[int]]:
        """Return the decomposition without levels of negligible ``probabilities``, and which it keeps."""
        return self.decomposition, range(len(self.levels))
