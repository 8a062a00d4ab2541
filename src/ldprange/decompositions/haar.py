"""The Haar transform: each level asks in which half of its node the value lies (the paper's DHT)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldprange.decompositions.contract import Decomposition, stacked
from ldprange.decompositions.grids import Grids
from ldprange.levels import Level


@dataclass(frozen=True, slots=True)
class Haar(Decomposition):
    """Signed dyadic levels, padded to a power of two.

    HRR reports the sign itself. Any other oracle reports the half among all halves of the level, and
    the coefficient is the difference of the two estimates. Over several attributes it is the same as the
    binary tree, whose details are the products of Haar's.

    >>> [level.cells for level in Haar().levels(6)]
    [2, 4, 8]
    """

    kind: ClassVar[str] = "haar"
    nested: ClassVar[bool] = False

    def resolve(self, shape: tuple[int, ...], unordered: frozenset[int] = frozenset()) -> Decomposition:
        return self if len(shape) == 1 else Grids.of_trees(shape, 2, unordered)

    def levels(self, bins: int) -> tuple[Level, ...]:
        height = max(1, (bins - 1).bit_length())
        return stacked((2,) * height, contrast=True)
