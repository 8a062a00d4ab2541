"""Sets of cells, one bit per cell, and their numbers, in NumPy: the reference.

The set c₁ < c₂ < … < c_k of cells has rank C(c₁, 1) + C(c₂, 2) + … + C(c_k, k), its place among all sets of k
cells (the combinatorial number system). ``table`` has C(cell, j) in row j − 1, a column for each cell.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ldprange.support.arrays import Words
from ldprange.support.parallel import slices

Ranks = NDArray[np.uint64]

_BLOCK = 1 << 18  # cells looked at together


def set_sizes(rows: NDArray[np.uint8]) -> Words:
    """Return how many cells each of ``rows``, which have one bit per cell, holds."""
    sizes: Words = np.bitwise_count(rows).sum(axis=1, dtype=np.uint32)
    return sizes


def rank_sets(rows: NDArray[np.uint8], table: Ranks) -> Ranks:
    """Return the ranks of sets, whose ``rows`` have one bit per cell, by their ``table``.

    >>> pairs_of_4 = np.array([[0, 1, 2, 3], [0, 0, 1, 3]], np.uint64)
    >>> rank_sets(np.array([[0b0011], [0b1100]], np.uint8), pairs_of_4).tolist()
    [0, 5]
    """
    size, cells = table.shape
    ranks = np.empty(len(rows), np.uint64)
    for some in slices(len(rows), max(1, _BLOCK // cells)):
        found, places = np.nonzero(np.unpackbits(rows[some], axis=1, bitorder="little"))
        if np.any(np.bincount(found, minlength=some.stop - some.start) != size) or np.any(places >= cells):
            raise ValueError("every row must hold as many cells as the table has rows, and nothing else")
        ranks[some] = table[np.arange(size), places.reshape(-1, size)].sum(axis=1, dtype=np.uint64)
    return ranks


def sets_of_ranks(ranks: Ranks, table: Ranks) -> NDArray[np.uint8]:
    """Return the sets of ``ranks``, which must be those of sets, by their ``table``: a row each.

    >>> pairs_of_4 = np.array([[0, 1, 2, 3], [0, 0, 1, 3]], np.uint64)
    >>> sets_of_ranks(np.array([0, 5], np.uint64), pairs_of_4).tolist()
    [[3], [12]]
    """
    check_ranks(ranks, table)
    cells = table.shape[1]
    rows = np.empty((ranks.size, (cells + 7) // 8), np.uint8)
    for some in slices(ranks.size, max(1, _BLOCK // cells)):
        left = ranks[some].copy()
        each, bits = np.arange(left.size), np.zeros((left.size, cells), bool)
        for terms in table[::-1]:
            place = np.searchsorted(terms, left, side="right") - 1
            left -= terms[place]
            bits[each, place] = True
        rows[some] = np.packbits(bits, axis=1, bitorder="little")
    return rows


def check_ranks(ranks: Ranks, table: Ranks) -> None:
    """Raise ValueError unless all ``ranks`` are those of sets, by their ``table``."""
    last = np.arange(len(table))
    if ranks.size and ranks.max() > table[last, table.shape[1] - len(table) + last].sum(dtype=np.uint64):
        raise ValueError("every rank must be that of a set")
