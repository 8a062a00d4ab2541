"""What every decomposition provides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from ldprange.details import Level


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
    def levels(self, bins: int) -> tuple[Level, ...]:
        """Return the levels for ``bins`` ≥ 1 bins, coarsest first; they may cover padding beyond."""

    def to_dict(self) -> dict[str, Any]:
        """Describe the decomposition in plain JSON types."""
        return {"kind": self.kind}


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
