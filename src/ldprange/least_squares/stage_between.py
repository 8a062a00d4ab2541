"""The forms of blocks of stages between the first and the last, of which there may be hundreds.

M of such a block is linear in the shares of its cells and in A of the blocks below. So is what it makes of
any two vectors that are the same in all blocks: what they need is worked out once for all.
(Letters are those of :mod:`ldprange.least_squares.stage_variances`.)
"""

from __future__ import annotations

import numpy as np

from ldprange import kernels
from ldprange.least_squares.stage_ends import Ends
from ldprange.least_squares.stage_windows import StageWindows
from ldprange.least_squares.stages import Block
from ldprange.support.arrays import Boundaries, Floats
from ldprange.support.parallel import slices

_TOGETHER = 1 << 10  # pairs that are worked on together


class PairMap:
    """What gives oneᵀ M other in any block of a stage.

    Parameters
    ----------
    windows
        The stage's.
    inner
        How many of its cells a block of the stage below is; 0 if there is none.
    one, other
        The vectors over a block's cells, in rows.
    """

    def __init__(self, windows: StageWindows, inner: int, one: Floats, other: Floats) -> None:
        self._shares, self._less = windows.form(one, other)
        if inner:
            ones, others = (each.reshape(len(each), -1, inner) for each in (one, other))
            self._below: Floats = np.einsum("isp,isq->ispq", ones, others).reshape(len(one), -1)

    def forms(self, shares: Floats, below: Floats | None) -> Floats:
        """Return the forms of blocks with these ``shares``, and A of the blocks ``below`` in them."""
        forms: Floats = shares @ self._shares.T - self._less
        if below is not None:
            forms += below.reshape(len(below), -1) @ self._below.T
        return forms


class BetweenMaps:
    """What gives the forms of any block of a stage.

    Parameters
    ----------
    block, windows
        The stage's.
    inner
        How many of its cells a block of the stage below is.
    """

    def __init__(self, block: Block, windows: StageWindows, inner: int) -> None:
        self.block, self.windows, self._inner = block, windows, inner
        rows, columns = block.prefix_rows, block.shared_out.T
        ends = np.arange(0, windows.cells, inner)[:, None] + np.arange(inner + 1)
        low, high = np.broadcast_arrays(ends[:, :, None], ends[:, None, :])
        boundary, part = np.indices((len(rows), block.parts)).reshape(2, -1)
        one = np.concatenate([rows[low.reshape(-1)], rows[boundary]])
        other = np.concatenate([rows[high.reshape(-1)], columns[part]])
        self._map, self._even = PairMap(windows, inner, one, other), block.prefixes[low, high]
        self._sums = windows.sums(rows)

    def forms(self, shares: Floats, below: Floats) -> tuple[Floats, Floats]:
        """Return what any two ends of cells of a block below make, and cᵀR M E of every boundary."""
        blocks, (boundaries, _) = len(shares), self.block.prefix_rows.shape
        near, with_parts = np.split(self._map.forms(shares, below), [self._even.size], axis=1)
        among: Floats = self._even + near.reshape(blocks, *self._even.shape)
        return among, with_parts.reshape(blocks, boundaries, -1)

    def both(self, low: Ends, high: Ends, masses: Floats, below: Floats) -> Floats:
        """Return cᵀ(R + R M R)c of two ends, from masses of their block's windows and A of those below."""
        ends = (low.start, low.weights), (high.start, high.weights)
        found = kernels.weighted_pairs(self.block.prefixes, *ends[0], *ends[1])
        one, other = (kernels.weighted_rows(self._sums, *end) for end in ends)
        found += np.einsum("iw,iw,iw->i", masses, one, other)
        one, other = (kernels.weighted_rows(self.block.prefix_rows, *end) for end in ends)
        ones, others = (each.reshape(len(each), -1, self._inner) for each in (one, other))
        found += np.einsum("isp,isp->i", (ones[:, :, None] @ below)[:, :, 0], others)
        return found


class BetweenForms:
    """Many blocks, at all boundaries.

    Parameters
    ----------
    maps
        The stage's.
    blocks
        The numbers of the blocks.
    shares, below, rights
        Of each block: the shares of its cells, A of the blocks in it, the right sides of the levels' means.
    """

    def __init__(
        self, maps: BetweenMaps, blocks: Boundaries, shares: Floats, below: Floats, rights: Floats
    ) -> None:
        rows = maps.block.prefix_rows
        self.blocks, self.boundaries = blocks, np.arange(len(rows))
        self._maps, self._shares, self._below = maps, shares, below
        self._among, with_parts = maps.forms(shares, below)
        self.rows: Floats = np.concatenate([with_parts, rows @ rights], axis=2)

    def both(self, low: Ends, high: Ends) -> Floats:
        found, at = np.empty(low.block.size), np.searchsorted(self.blocks, low.block)
        masses = self._maps.windows.masses(self._shares)
        for some in slices(found.size, _TOGETHER):
            own = masses[at[some]], self._below[at[some]]
            found[some] = self._maps.both(low[some], high[some], *own)
        return found

    def among(self, block: Boundaries, boundaries: Boundaries) -> Floats:
        inside = boundaries[:, 0] // (boundaries.shape[1] - 1)
        among: Floats = self._among[np.searchsorted(self.blocks, block), inside]
        return among
