"""Trees: levels of ever smaller equal blocks (the paper's hierarchical histograms), and the flat one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any, ClassVar

from ldprange.decompositions.contract import Decomposition, stacked
from ldprange.decompositions.grids import Grids
from ldprange.errors import PlanError
from ldprange.levels import Level
from ldprange.support.checking import shown

_MOST_BRANCHES = 1 << 32


@dataclass(frozen=True, slots=True)
class Flat(Decomposition):
    """One level: the bins themselves.

    >>> [level.cells for level in Flat().levels(7)]
    [7]
    """

    kind: ClassVar[str] = "flat"
    nested: ClassVar[bool] = True

    def resolve(self, shape: tuple[int, ...], unordered: frozenset[int] = frozenset()) -> Decomposition:
        return self if len(shape) == 1 else Grids([[bins] for bins in shape], [[1] * len(shape)])

    def levels(self, bins: int) -> tuple[Level, ...]:
        return stacked((max(2, bins),))


@dataclass(frozen=True, slots=True)
class Tree(Decomposition):
    """A tree of about ``branching`` children to a node; every level but the root is asked.

    The number of bins need not be a power of the branching: each level gets a factor near it,
    so that their product is the number of bins or just above. Over several attributes there is a tree for
    each, and every combination of their levels is a level.

    >>> [level.branching for level in Tree(4).levels(120)]
    [4, 5, 6]
    >>> [level.cells for level in Tree(4).levels(256)]
    [4, 16, 64, 256]
    """

    branching: int
    kind: ClassVar[str] = "tree"
    nested: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if type(self.branching) is not int or not 2 <= self.branching <= _MOST_BRANCHES:
            raise PlanError(
                f"branching must be a whole number of at least 2 (and at most {_MOST_BRANCHES}), "
                f"got {shown(self.branching)}"
            )

    def resolve(self, shape: tuple[int, ...], unordered: frozenset[int] = frozenset()) -> Decomposition:
        return self if len(shape) == 1 else Grids.of_trees(shape, self.branching, unordered)

    def levels(self, bins: int) -> tuple[Level, ...]:
        bins = max(2, bins)

        def cost(factors: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
            """How far the factors lie from the branching, and how much padding they bring.

            Rounded, so that equal costs are equal on every machine; the smallest factors then win.
            """
            away = sum(abs(math.log(factor / self.branching)) for factor in factors) / len(factors)
            return round(away + math.log(math.prod(factors) / bins), 9), factors

        return stacked(min(_factors(bins, self.branching), key=cost))

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "branching": self.branching}


def _factors(bins: int, branching: int) -> Iterator[tuple[int, ...]]:
    """Yield ways to write a number of at least ``bins`` as a product of nearly equal factors."""
    height = math.log(bins) / math.log(branching)
    for count in range(max(1, math.floor(height) - 1), math.ceil(height) + 1):
        root = round(bins ** (1 / count))
        for factors in combinations_with_replacement(range(max(2, root - 1), root + 3), count):
            if math.prod(factors) >= bins:
                yield factors
