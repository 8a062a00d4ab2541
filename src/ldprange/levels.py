"""What oracles and decompositions share: a level, the cells that one report is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a decomposition: ``cells`` nodes of ``size`` leaves, ``branching`` to a parent.

    ``contrast`` says that only differences between siblings will be used. With ``shifts`` above 1 the
    oracle is asked about windows of ``shifts`` cells, on a grid at a random public shift.
    """

    cells: int
    branching: int
    size: int
    contrast: bool = False
    shifts: int = 1

    @property
    def asked(self) -> int:
        """Among how many the oracle is asked: the cells, or the windows that cover them at any shift.

        >>> Level(8, 1, 1).asked, Level(8, 1, 1, shifts=2).asked, Level(8, 1, 1, shifts=4).asked
        (8, 5, 3)
        """
        return (self.cells - 2 + self.shifts) // self.shifts + 1

    def cell(self, index: Any) -> int:
        """Return the cell that holds a bin."""
        return int(index // self.size)

    def cells_of(self, indices: NDArray[Any]) -> NDArray[np.uint32]:
        """Return the cells that hold bins."""
        cells: NDArray[np.uint32] = indices // np.uint32(self.size)
        return cells

    def sums(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add people per bin up into cells."""
        padded = np.zeros(self.cells * self.size, np.int64)
        padded[: counts.size] = counts
        sums: NDArray[np.int64] = padded.reshape(self.cells, self.size).sum(axis=1)
        return sums
