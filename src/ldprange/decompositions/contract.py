"""What every decomposition provides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar, Protocol

import numpy as np

from ldprange.errors import PlanError
from ldprange.least_squares.tree import Details
from ldprange.least_squares.tree_variances import range_variances
from ldprange.levels import Level
from ldprange.noise import Law
from ldprange.support.arrays import Boundaries, Floats
from ldprange.workloads import ranges_of

Variances = Callable[[Boundaries, Boundaries], Floats]

MOST_LEVELS = 255  # a level is a byte on the wire, and 255 means none in memory


def check_levels(number: int) -> None:
    """Raise PlanError unless a plan may have ``number`` levels."""
    if number > MOST_LEVELS:
        raise PlanError(
            f"a plan may have at most {MOST_LEVELS} levels, got {number} or more; "
            "use fewer attributes, a larger branching, or grids of some attributes (Grids.pairs)"
        )


class Estimator(Protocol):
    """How the levels of a decomposition come together, for given users and noise."""

    def fit(self, estimates: Sequence[Floats]) -> Floats:
        """Return the bins' shares from every level's own estimate, by least squares; they add up to 1."""
        ...

    def mean_variances(self) -> tuple[float, float]:
        """Return the mean variance over all ranges and over all prefixes, were people drawn evenly."""
        ...

    def block_variances(self, width: int) -> Floats:
        """Return the variance, in an even population, of the share of every block of neighbouring bins.

        Block t has bins t … t + width − 1, as far as they are in the domain; t runs from 1 − width up.
        """
        ...

    def variances(self, cdf: Floats) -> Variances:
        """Return a function that gives the exact variance of the share of bins ``low`` … ``high − 1``.

        ``cdf`` is the population's share below each boundary; it must not fall.
        """
        ...


class Decomposition(ABC):
    """A way to split D bins into levels. Public and frozen.

    Attributes
    ----------
    nested
        Whether a level also speaks of the coarser ones (a tree), or of its own details only.
    """

    kind: ClassVar[str]
    nested: ClassVar[bool]

    @abstractmethod
    def resolve(self, shape: tuple[int, ...], unordered: frozenset[int] = frozenset()) -> Decomposition:
        """Return this decomposition with every choice made that depends on each attribute's bins.

        Attributes at ``unordered`` places have bins without an order, which no tree need bring together.
        """

    @abstractmethod
    def levels(self, bins: int) -> tuple[Level, ...]:
        """Return the levels for ``bins`` ≥ 1 bins, coarsest first; they may cover padding beyond."""

    def estimator(self, bins: int, law: Law) -> Estimator:
        """Return the estimator for users and noise."""
        return _DetailsEstimator(self.levels(bins), bins, self.nested, law)

    def tables(self) -> list[tuple[int, ...]]:
        """Return the attributes that are asked about together, as many at a time as possible."""
        return [(0,)]

    def mean_variances(self, bins: int, law: Law) -> tuple[float, float]:
        """Return the mean variance over all ranges and over all prefixes, were people drawn evenly."""
        return self.estimator(bins, law).mean_variances()

    def population_variances(self, law: Law, shares: Floats) -> tuple[float, float]:
        """Return the same for people who are asked as they are, given their share of every bin."""
        bins = shares.size
        variances = self.estimator(bins, law).variances(np.append(0.0, np.cumsum(shares)))
        upto = np.arange(1, bins + 1)
        ranges, prefixes = variances(*ranges_of(bins)), variances(np.zeros_like(upto), upto)
        return float(ranges.mean()), float(prefixes.mean())

    def to_dict(self) -> dict[str, Any]:
        """Describe the decomposition in plain JSON types."""
        return {"kind": self.kind}


class _DetailsEstimator(Details):
    def __init__(self, levels: Sequence[Level], bins: int, nested: bool, law: Law) -> None:
        super().__init__(levels, bins, nested, law.node_variances([level.cells for level in levels]))
        self._law = law

    def variances(self, cdf: Floats) -> Variances:
        return partial(range_variances, self, self._law, cdf)

    def block_variances(self, width: int) -> Floats:
        begins = np.arange(1 - width, self.bins)
        even = self.variances(np.linspace(0, 1, self.bins + 1))
        return even(np.maximum(begins, 0), np.minimum(begins + width, self.bins))


def stacked(branchings: tuple[int, ...], *, contrast: bool = False) -> tuple[Level, ...]:
    """Return the levels of a tree with these branchings from the root down."""
    size = 1
    for branching in branchings:
        size *= branching
    levels, cells = [], 1
    for branching in branchings:
        cells, size = cells * branching, size // branching
        levels.append(Level(cells, branching, size, contrast))
    return tuple(levels)
