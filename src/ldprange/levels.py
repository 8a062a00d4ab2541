"""What oracles and decompositions share: a level, the cells that a report is about, and windows of cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldprange.support.arrays import Floats


def boundaries(bins: int, size: int) -> NDArray[np.int64]:
    """Return the boundaries between cells of a size, of which the last may have fewer bins.

    >>> boundaries(10, 4).tolist()
    [0, 4, 8, 10]
    """
    return np.append(np.arange(0, bins, size), bins)


def block_begins(width: int, bins: int, step: int) -> NDArray[np.int64]:
    """Return where blocks of ``width`` neighbours begin: one after every ``step`` bins.

    All that have a bin are among them; the first has the first ``step`` bins.

    >>> block_begins(4, 5, 2).tolist()
    [-2, 0, 2, 4]
    """
    return np.arange(step - width, bins, step)


def block_ends(
    begins: NDArray[np.int64], width: int, bins: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return both ends of blocks of ``width`` neighbours, as far as they lie among the ``bins``."""
    return np.clip(begins, 0, bins), np.minimum(begins + width, bins)


def neighbours(width: int, bins: int, step: int = 1) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where blocks of ``width`` neighbours begin and end, as far as they lie among the ``bins``.

    >>> [ends.tolist() for ends in neighbours(2, 3)]
    [[0, 0, 1, 2], [1, 2, 3, 3]]
    >>> [ends.tolist() for ends in neighbours(4, 5, 2)]
    [[0, 0, 2, 4], [2, 4, 5, 5]]
    """
    return block_ends(block_begins(width, bins, step), width, bins)


def windows_covering(cells: int, width: int) -> int:
    """Return how many windows of ``width`` cells cover a block of ``cells``, at any shift."""
    return (cells - 2 + width) // width + 1


def window_sums(cells: Floats, width: int) -> Floats:
    """Return the sums over every window of ``width`` cells of a row, from the one with only the first on.

    >>> window_sums(np.array([[1.0, 2.0, 3.0]]), 2).tolist()
    [[1.0, 3.0, 5.0, 3.0]]
    """
    *rows, number = cells.shape
    upto = np.zeros((*rows, number + 2 * width - 1))  # np.pad would take as long as all the rest
    np.cumsum(cells, axis=-1, out=upto[..., width : width + number])
    upto[..., width + number :] = upto[..., width + number - 1, None]
    found: Floats = upto[..., width:] - upto[..., :-width]
    return found


def over_cells(windows: Floats, width: int) -> Floats:
    """Return, for every cell of a row, the sum over the windows that hold it.

    >>> over_cells(np.array([[1.0, 3.0, 5.0, 3.0]]), 2).tolist()
    [[4.0, 8.0, 8.0]]
    """
    *rows, number = windows.shape
    upto = np.zeros((*rows, number + 1))
    np.cumsum(windows, axis=-1, out=upto[..., 1:])
    found: Floats = upto[..., width:] - upto[..., :-width]
    return found


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a decomposition: ``cells`` nodes of ``size`` leaves, ``branching`` to a parent.

    ``contrast`` says that only differences between siblings will be used. With ``shifts`` above 1 the
    oracle is asked about windows of ``shifts`` cells, on a grid at a random public shift; they end where a
    block of ``block`` cells does (unless given, all cells are one block).
    """

    cells: int
    branching: int
    size: int
    contrast: bool = False
    shifts: int = 1
    block: int = 0

    @property
    def asked(self) -> int:
        """Among how many the oracle is asked: the cells, or the windows that cover them at any shift.

        >>> Level(8, 1, 1).asked, Level(8, 1, 1, shifts=2).asked, Level(8, 1, 1, shifts=2, block=4).asked
        (8, 5, 6)
        """
        block = self.block or self.cells
        return self.cells // block * windows_covering(block, self.shifts)

    def windows(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where the oracle's cells begin and end, in leaves: a row for each shift.

        >>> [ends.tolist() for ends in Level(4, 1, 1, shifts=2).windows()]
        [[[0, 2, 4], [0, 1, 3]], [[2, 4, 4], [1, 3, 4]]]
        """
        block = self.block or self.cells
        first = (
            self.shifts * np.arange(windows_covering(block, self.shifts)) - np.arange(self.shifts)[:, None]
        )
        blocks = block * np.arange(self.cells // block)[:, None]

        def leaves(ends: NDArray[np.int64]) -> NDArray[np.int64]:
            inside = np.clip(ends, 0, block)[:, None] + blocks
            return self.size * inside.reshape(self.shifts, -1)

        return leaves(first), leaves(first + self.shifts)

    def cell(self, index: Any) -> int:
        """Return the cell that holds a bin."""
        return int(index // self.size)

    def cells_of(self, indices: NDArray[Any]) -> NDArray[np.uint32]:
        """Return the cells that hold bins."""
        return indices // np.uint32(self.size)

    def sums(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add people per bin up into cells."""
        padded = np.zeros(self.cells * self.size, np.int64)
        padded[: counts.size] = counts
        sums: NDArray[np.int64] = padded.reshape(self.cells, self.size).sum(axis=1)
        return sums
