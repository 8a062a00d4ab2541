"""What a population adds to the forms of the blocks of stages (formulas in ``stage_variances``)."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np

from ldprange.least_squares.stage_between import BetweenForms, PairMap
from ldprange.least_squares.stage_ends import Ends
from ldprange.least_squares.stage_forms import CoarseForms, FineForms, Forms, product
from ldprange.least_squares.stage_tables import StageTables
from ldprange.support.arrays import Boundaries, Floats

_PAIRS = 1 << 9  # in a block, beyond which a table of all is quicker


class StagePopulation:
    """The shares of a population in the cells of every stage, given its cdf at the boundaries of bins."""

    def __init__(self, tables: StageTables, cdf: Floats) -> None:
        self.tables, self.fit = tables, tables.fit
        whole = np.append(cdf, np.full(self.fit.leaves - self.fit.bins, cdf[-1]))
        self.shares = [np.diff(whole[:: stage.size]).reshape(-1, stage.block) for stage in self.fit.stages]

    def forms(self, at: int, ends: Ends, pairs: int) -> Forms:
        """Return the forms of the blocks of a stage in which ``ends`` lie, at least at their boundaries.

        Of how many ``pairs`` in one block they will be asked decides how they are worked out.
        """
        blocks = ends.blocks()
        if 0 < at == len(self.fit.stages) - 1:  # cells are bins, in many blocks
            return FineForms(self.tables.fine, blocks, self.shares[at][blocks])
        boundaries = ends.boundaries()
        many = 2 * boundaries.size > self.fit.stages[at].block
        if many and at == 0:
            return self._top
        if not many or pairs > _PAIRS * blocks.size:
            return self._coarse(at, blocks, boundaries)
        own = self.shares[at][blocks], self._from_below[at][0][blocks], self._rights(at, blocks)
        return BetweenForms(self.tables.between[at - 1], blocks, *own)

    @cached_property
    def _top(self) -> CoarseForms:
        """The forms of all boundaries of the whole line."""
        return self._coarse(0, np.zeros(1, np.int64), np.arange(self.fit.stages[0].block + 1))

    def _coarse(self, at: int, blocks: Boundaries, boundaries: Boundaries) -> CoarseForms:
        block, windows = self.fit.blocks[at], self.tables.windows[at]
        rows = block.prefix_rows[boundaries]
        shares = self.shares[at][blocks]
        if 2 * boundaries.size > windows.cells:
            weighed = product(rows, windows.matrices(shares))
        else:
            weighed = windows.times(shares[:, None], rows)
        if at < len(self._from_below):
            inner = self._from_below[at][0][blocks]
            parts = rows.reshape(len(rows), *inner.shape[1:3])
            carried = parts.transpose(1, 0, 2) @ np.swapaxes(inner, 2, 3)  # block, its part, boundary, part
            weighed += carried.swapaxes(1, 2).reshape(weighed.shape)
        return CoarseForms(block, blocks, boundaries, weighed, self._rights(at, blocks))

    def _rights(self, at: int, blocks: Boundaries) -> Floats:
        """Return the right sides of the means of a stage's levels and of those below, cell by cell."""
        own = self.tables.windows[at].means(self.shares[at][blocks])
        below = (
            self._from_below[at][1][blocks] if at < len(self._from_below) else np.zeros((*own.shape[:2], 0))
        )
        return np.concatenate([own, below], axis=2)

    @cached_property
    def _from_below(self) -> list[tuple[Floats, Floats]]:
        """For all stages but the last, block by block: A of the blocks in it, and right sides."""
        found: list[tuple[Floats, Floats]] = []
        inner = 0
        stages = list(zip(self.fit.stages, self.fit.blocks, self.tables.windows, self.shares, strict=True))
        for (above, *_), (_, block, windows, shares) in reversed(list(pairwise(stages))):
            columns, number = block.shared_out.T, block.parts
            one, other = np.divmod(np.arange(number**2), number)
            pairs = PairMap(windows, inner, columns[one], columns[other])
            forms = pairs.forms(shares, found[0][0] if found else None).reshape(-1, number, number)
            own = windows.means(columns).transpose(1, 0, 2)  # cell, part, level
            rights = (shares @ own.reshape(len(own), -1)).reshape(len(shares), number, -1)
            if found:
                carried = np.einsum("cp,bcl->bpl", block.shared_out, found[0][1])
                rights = np.concatenate([rights, carried], axis=2)
            inner, blocks, places = number, len(forms) * number // above.block, above.block // number
            found.insert(
                0,
                (forms.reshape(blocks, places, number, number), rights.reshape(blocks, above.block, -1)),
            )
        return found
