"""What blocks make of the ends of ranges in them (for the formulas see ``stage_variances``).

Of a block and a boundary in it, below which the cells c lie, a range needs cᵀ(R + R M R)c, and a *row*:
first cᵀR M E, a number for each part, then cᵀR b for the right sides b of the levels' means.
"""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

import numpy as np

from ldprange import kernels
from ldprange.least_squares.stage_ends import Ends
from ldprange.least_squares.stage_windows import StageWindows
from ldprange.least_squares.stages import Block, StagesFit
from ldprange.support.arrays import Boundaries, Floats


class Forms(Protocol):
    """The forms of some blocks, for ends that lie in them."""

    def alone(self, end: Ends) -> Floats:
        """Return cᵀ(R + R M R)c."""
        ...

    def both(self, low: Ends, high: Ends) -> Floats:
        """Return the same of the cells below two ends in one block."""
        ...

    def rows(self, end: Ends) -> Floats:
        """Return the row of each end."""
        ...


class CoarseForms:
    """Blocks of all stages but that of bins: they are few, and M holds what comes from the blocks below.

    Parameters
    ----------
    block
        R and E.
    blocks
        The numbers of the blocks.
    boundaries
        Those between whose cells ends lie, rising.
    weighed
        For each block and boundary, M R c.
    rights
        For each block and cell, the right sides of the levels' means.
    """

    def __init__(
        self, block: Block, blocks: Boundaries, boundaries: Boundaries, weighed: Floats, rights: Floats
    ) -> None:
        rows = block.prefix_rows[boundaries]
        self._blocks, self._boundaries = blocks, boundaries
        self._pairs = block.prefixes[np.ix_(boundaries, boundaries)] + weighed @ rows.T
        self._rows = np.concatenate([weighed @ block.shared_out, rows @ rights], axis=2)

    def _placed(self, end: Ends) -> Ends:
        """Return an end with its block and its boundary as they are counted here."""
        block, start = np.searchsorted(self._blocks, end.block), np.searchsorted(self._boundaries, end.start)
        return Ends(block, start, end.weights)

    def alone(self, end: Ends) -> Floats:
        return self.both(end, end)

    def both(self, low: Ends, high: Ends) -> Floats:
        return self._placed(low).form(self._pairs, self._placed(high))

    def rows(self, end: Ends) -> Floats:
        return self._placed(end).sums(self._rows)


class FineMaps:
    """For blocks of bins: what gives, times their shares, the forms of every boundary of a block."""

    def __init__(self, block: Block, windows: StageWindows) -> None:
        rows, parts = block.prefix_rows, block.parts
        boundary, part = np.divmod(np.arange(len(rows) * parts), parts)
        alone, alone_less = windows.form(rows, rows)
        with_parts, parts_less = windows.form(rows[boundary], block.shared_out.T[part])
        means = windows.means(rows).transpose(1, 0, 2)  # cell, boundary, level
        cells = windows.cells
        self.each = np.concatenate(
            [alone.T[:, :, None], with_parts.T.reshape(cells, -1, parts), means], axis=2
        ).reshape(cells, -1)
        less = np.zeros((len(rows), 1 + parts + means.shape[2]))
        less[:, 0], less[:, 1 : 1 + parts] = (
            alone_less - np.diagonal(block.prefixes),
            parts_less.reshape(-1, parts),
        )
        self.less = less.reshape(-1)
        self.windows, self.sums, self.pairs = windows, windows.sums(rows), block.prefixes


class FineForms:
    """Blocks of bins. An end is a boundary of bins here, with one weight, 1."""

    def __init__(self, maps: FineMaps, blocks: Boundaries, shares: Floats) -> None:
        self._blocks, self._maps, self._shares = blocks, maps, shares
        self._forms = shares @ maps.each
        self._forms -= maps.less
        self._forms = self._forms.reshape(len(shares), len(maps.pairs), -1)

    def _at(self, end: Ends) -> tuple[Boundaries, Boundaries]:
        return np.searchsorted(self._blocks, end.block), end.start

    def alone(self, end: Ends) -> Floats:
        found: Floats = self._forms[..., 0][self._at(end)]
        return found

    def rows(self, end: Ends) -> Floats:
        found: Floats = self._forms[..., 1:][self._at(end)]
        return found

    def both(self, low: Ends, high: Ends) -> Floats:
        found: Floats = self._maps.pairs[low.start, high.start]
        if low.block.size:
            masses, at = self._maps.windows.masses(self._shares), np.searchsorted(self._blocks, low.block)
            found += kernels.product_sums(self._maps.sums, low.start, high.start, masses, at)
        return found


class StageTables:
    """What variances depend on besides the population: the windows of stages, and maps of forms."""

    def __init__(self, fit: StagesFit) -> None:
        self.fit = fit
        self.windows = [
            StageWindows.of(fit, stage, levels) for stage, levels in zip(fit.stages, fit.levels, strict=True)
        ]

    @cached_property
    def fine(self) -> FineMaps:
        """Those of the blocks of bins."""
        return FineMaps(self.fit.blocks[-1], self.windows[-1])
