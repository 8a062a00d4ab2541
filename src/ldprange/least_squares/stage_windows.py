"""What the windows of one stage add up: over the cells of a block, and over those of many blocks at once.

M of :mod:`ldprange.least_squares.stage_variances` is linear in the shares of a block's cells, and so is what
it makes of any two vectors: the shares times a vector that is the same for all blocks, less a constant.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ldprange.least_squares.stages import Stage, StagesFit
from ldprange.levels import over_cells, window_sums
from ldprange.support.arrays import Floats
from ldprange.support.parallel import in_threads, slices

_TOGETHER = 1 << 9  # rows that a thread works on together


class StageWindows(NamedTuple):
    """The levels of a stage.

    Attributes
    ----------
    widths
        Of their windows, in cells.
    rates
        n λ² occupied.
    asked
        How many windows the oracle is asked about.
    weights
        √n λ.
    cells
        Of a block.
    """

    widths: tuple[int, ...]
    rates: Floats
    asked: Floats
    weights: Floats
    cells: int

    @classmethod
    def of(cls, fit: StagesFit, stage: Stage, levels: slice) -> StageWindows:
        """Return the levels of one stage of ``fit``."""
        weights = fit.weights / np.sqrt(fit.law.users)
        rates = fit.law.occupied_parts * weights**2
        return cls(stage.widths, rates[levels], fit.asked[levels], weights[levels], stage.block)

    def means(self, rows: Floats) -> Floats:
        """Return √n λ T_w times ``rows`` over the cells of blocks, with a last axis for the levels."""
        found = [
            weight / width * over_cells(window_sums(rows, width), width)
            for weight, width in zip(self.weights, self.widths, strict=True)
        ]
        return np.stack(found, axis=-1)

    def form(self, one: Floats, other: Floats) -> tuple[Floats, Floats]:
        """Return what, times a block's shares, gives oneᵀ M other, and what to take off; row by row."""

        def work(some: slice) -> tuple[Floats, Floats]:
            each, constant = np.zeros(one[some].shape), np.zeros(len(one[some]))
            for width, rate, asked in self._occupied():
                products = rate / width * window_sums(one[some], width) * window_sums(other[some], width)
                each += over_cells(products, width)
                constant += products.sum(axis=1) / asked
            return each, constant

        each, constant = zip(*in_threads(work, slices(len(one), _TOGETHER)), strict=True)
        return np.concatenate(each), np.concatenate(constant)

    def matrices(self, shares: Floats) -> Floats:
        """Return M of blocks with these ``shares``, a row each."""
        cells, widths = self.cells, [width for width, _, _ in self._occupied()]
        # the windows of w cells that hold i ≤ j, less than w apart, end at j … i + w − 1: of the widest
        # one, two, … levels these are as many, less those that end before j
        ends, begins = np.zeros((2, len(shares), len(widths) + 1, cells))
        for wider, (width, held) in enumerate(self._held(shares), 1):
            upto = np.cumsum(np.pad(held, [(0, 0), (1, 0)]), axis=1)
            ends[:, wider:] += upto[:, None, width:]
            begins[:, wider:] += upto[:, None, :cells]
        one, other = np.arange(cells)[:, None], np.arange(cells)
        hold_both = len(widths) - np.searchsorted(widths[::-1], np.abs(one - other), side="right")
        found: Floats = ends.reshape(len(shares), -1)[:, hold_both * cells + np.minimum(one, other)]
        found -= begins.reshape(len(shares), -1)[:, hold_both * cells + np.maximum(one, other)]
        return found

    def times(self, shares: Floats, vectors: Floats) -> Floats:
        """Return M of blocks with these ``shares`` times ``vectors`` over their cells: quicker for a few."""
        found = np.zeros(np.broadcast_shapes(shares.shape, vectors.shape))
        for width, held in self._held(shares):
            found += over_cells(held * window_sums(vectors, width), width)
        return found

    def masses(self, shares: Floats) -> Floats:
        """Return n λ² occupied/w (θ(window) − 1/asked) of all windows of blocks, a row each."""
        found = [held for _, held in self._held(shares)]
        return np.hstack([np.zeros((len(shares), 0)), *found])

    def sums(self, rows: Floats) -> Floats:
        """Return the sums over all windows, in the order of :meth:`masses`."""
        found = [window_sums(rows, width) for width, _, _ in self._occupied()]
        return np.hstack([np.zeros((len(rows), 0)), *found])

    def _held(self, shares: Floats) -> Iterator[tuple[int, Floats]]:
        """Yield the width of each level, and n λ² occupied/w (θ(window) − 1/asked) of its windows."""
        for width, rate, asked in self._occupied():
            yield width, rate / width * (window_sums(shares, width) - 1 / asked)

    def _occupied(self) -> list[tuple[int, float, int]]:
        every = zip(self.widths, self.rates.tolist(), self.asked.tolist(), strict=True)
        return [level for level in every if level[1]]
