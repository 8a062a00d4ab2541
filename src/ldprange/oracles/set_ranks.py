"""Sets as numbers: the place of a set among all sets of its size (the combinatorial number system).

The set c₁ < c₂ < … < c_k of cells has rank C(c₁, 1) + C(c₂, 2) + … + C(c_k, k). They run from 0 to the number
of sets less 1.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from ldprange.support.bit_rows import Rows, bytes_of
from ldprange.support.parallel import slices

_BLOCK = 1 << 22  # cells looked at together


class SetRanks:
    """The ranks of the sets of ``size`` out of ``cells`` cells, of which there are at most 2**64.

    >>> ranks = SetRanks(5, 2)
    >>> ranks.number, ranks.rank(np.array([[0b00011], [0b11000]], np.uint8)).tolist()
    (10, [0, 9])
    """

    def __init__(self, cells: int, size: int) -> None:
        self.number = comb(cells, size)
        self._cells, self._size = cells, size
        each = [[comb(cell, place + 1) for cell in range(cells)] for place in range(size)]
        self._table = np.array(each, np.uint64)

    def rank(self, rows: Rows) -> NDArray[np.uint64]:
        """Return the ranks of sets, one bit per cell."""
        ranks = np.empty(len(rows), np.uint64)
        for block in self._blocks(len(rows)):
            bits = np.unpackbits(rows[block], axis=1, count=self._cells, bitorder="little")
            places = np.nonzero(bits)[1].reshape(-1, self._size)
            ranks[block] = self._table[np.arange(self._size), places].sum(axis=1, dtype=np.uint64)
        return ranks

    def sets(self, ranks: NDArray[np.uint64]) -> Rows:
        """Return the sets of ranks, which must be below ``number``."""
        rows = np.empty((ranks.size, bytes_of(self._cells)), np.uint8)
        for block in self._blocks(ranks.size):
            left = ranks[block].copy()
            each, bits = np.arange(left.size), np.zeros((left.size, self._cells), bool)
            for terms in self._table[::-1]:
                place = np.searchsorted(terms, left, side="right") - 1
                left -= terms[place]
                bits[each, place] = True
            rows[block] = np.packbits(bits, axis=1, bitorder="little")
        return rows

    def _blocks(self, count: int) -> list[slice]:
        return list(slices(count, max(1, _BLOCK // self._cells)))
