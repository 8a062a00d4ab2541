"""Exact variances of ranges from windows in stages.

A range with indicator r weighs the cells of b (see :mod:`ldprange.least_squares.stages`) by u, the even
covariance of every cell with the range; Σu = 0. A user of level l adds to the answer λ times the sum, over
the windows of their shift, of the window's estimate × W, W being the sum of u over the window. So with spread
and occupied of the oracle's noise the variance of the range's share R is

    Σ_l n [λ²/w Σ_windows W² (spread + occupied·θ(window)) − (λ/w Σ_windows W·θ(window))²] − R(1 − R)/N′.

Of the sum, W²(spread + occupied/asked) adds up to the even variance, and (λ/w) Σ W·θ(window) is the even
covariance of the range with T_w θ, the level's *mean*. What is left depends on who is where,

    Q = Σ_l n λ²/w Σ_windows W² occupied (θ(window) − 1/asked) = Σ_blocks uᵀ M u,

M adding up the windows that hold two cells. In a block without an end of the range u = E U, U being u of its
parts: on the stage above such a block acts by the few numbers A = Eᵀ(M + diag(A of the blocks below))E. In a
block with an end, below which the cells c lie, u = R c + E U. So a range takes one small form for each stage
and end, and all is exact for any number of bins.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np

from ldprange import kernels
from ldprange.least_squares.stage_ends import Ends, ends_seen
from ldprange.least_squares.stage_forms import CoarseForms, FineForms, Forms, StageTables
from ldprange.least_squares.stages import Block, StagesFit
from ldprange.support.arrays import Boundaries, Floats
from ldprange.support.parallel import slices

_RANGES = 1 << 18  # worked on together
_FINE_BLOCKS = 1 << 9  # blocks of bins worked on together
_COARSE_BLOCKS = 1 << 3  # blocks of the stages above


class StageVariances:
    """Variances of ranges of one estimate, given the population's cdf at the boundaries."""

    def __init__(self, tables: StageTables, cdf: Floats) -> None:
        self._tables, self._cdf = tables, cdf
        self._fit = fit = tables.fit
        whole = np.append(cdf, np.full(fit.leaves - fit.bins, cdf[-1]))
        self._shares = [np.diff(whole[:: stage.size]).reshape(-1, stage.block) for stage in fit.stages]

    def __call__(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the variance of the estimated share of bins ``low`` … ``high − 1``, for many ranges."""
        low, high = np.broadcast_arrays(low, high)
        ends = low.reshape(-1), high.reshape(-1)
        parts = [self._conditioned(ends[0][some], ends[1][some]) for some in slices(low.size, _RANGES)]
        variances = np.concatenate([np.zeros(0), *parts]).reshape(low.shape)
        share = self._cdf[high] - self._cdf[low]
        variances = np.maximum(variances - share * (1 - share) / self._fit.law.fixed_people, 0.0)
        certain = (low == high) | ((low == 0) & (high == self._fit.bins))
        return np.where(certain, 0.0, variances)

    def _conditioned(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the variances, given that beyond the bins there is nobody."""
        squares, means = self._squares_and_means(low, high)
        if self._fit.padding:
            gains = self._fit.padding.weights[high] - self._fit.padding.weights[low]
            with_last, last, last_means = self._last
            squares += gains * (last * gains - 2 * (with_last[high] - with_last[low]))
            means -= gains[:, None] * last_means
        variances: Floats = squares - (means**2).sum(axis=1)
        return variances

    @cached_property
    def _last(self) -> tuple[Floats, float, Floats]:
        """The share below the last bin's end, on which is conditioned: with others, alone, and its means."""
        fit = self._fit
        cells = fit.below(fit.bins)
        rights = [
            windows.times(shares, each.reshape(shares.shape)).reshape(-1)
            for windows, shares, each in zip(self._tables.windows, self._shares, cells, strict=True)
        ]
        with_last = np.append(0.0, np.cumsum(cells[-1] + fit.combine(rights)[-1]))[: fit.bins + 1]
        _, means = self._squares_and_means(np.zeros(1, np.int64), np.array([fit.bins]))
        return with_last, float(with_last[-1]), means[0]

    def _squares_and_means(self, low: Boundaries, high: Boundaries) -> tuple[Floats, Floats]:
        """Return even variance + Q, and √n × the mean of every level."""
        seen = list(zip(ends_seen(self._fit, low), ends_seen(self._fit, high), strict=True))
        squares, means = np.zeros(low.size), np.zeros((low.size, self._fit.weights.size))
        parts = [np.zeros((low.size, 1))] * 2  # U of the blocks with the low and with the high end
        for at, ends in enumerate(seen):
            number, levels = parts[0].shape[1], slice(self._fit.levels[at].start, None)
            same = ends[0].block == ends[1].block
            blocks = np.unique(np.concatenate([end.block for end in ends]))
            for some in slices(blocks.size, _FINE_BLOCKS if self._is_fine(at) else _COARSE_BLOCKS):
                forms, first, last = self._forms(at, blocks[some], ends), blocks[some][0], blocks[some][-1]
                inside = [(first <= end.block) & (end.block <= last) for end in ends]
                for end, held, above, sign in zip(ends, inside, parts, (-1, 1), strict=True):
                    chosen = np.flatnonzero(held)
                    rows = forms.rows(end[chosen])
                    with_parts = (rows[:, :number] * above[chosen]).sum(axis=1)
                    squares[chosen] += forms.alone(end[chosen]) + 2 * sign * with_parts
                    means[chosen, levels] += sign * rows[:, number:]
                chosen = np.flatnonzero(inside[0] & same)
                squares[chosen] -= 2 * forms.both(ends[0][chosen], ends[1][chosen])
            if at + 1 < len(seen):
                parts = self._cells(at, ends, parts)
        return squares, means

    def _cells(self, at: int, ends: tuple[Ends, Ends], parts: list[Floats]) -> list[Floats]:
        """Return u of the cells that are parts of the blocks, of the stage below, with either end."""
        block, number = self._fit.blocks[at], self._fit.blocks[at + 1].parts
        found = []
        for end, above in zip(ends, parts, strict=True):
            column = np.zeros_like(end.start)
            u = kernels.weighted_rows(block.shared_out.T.copy(), column, above, end.start, number)
            for other, sign in zip(ends, (-1, 1), strict=True):
                here = np.where(other.block == end.block, sign, 0)[:, None] * other.weights
                u += kernels.weighted_rows(block.prefix_rows, other.start, here, end.start, number)
            found.append(u)
        return found

    def _is_fine(self, at: int) -> bool:
        """Whether a stage's cells are bins, in many blocks."""
        return 0 < at == len(self._fit.stages) - 1

    def _forms(self, at: int, blocks: Boundaries, ends: tuple[Ends, Ends]) -> Forms:
        if self._is_fine(at):
            return FineForms(self._tables.fine, blocks, self._shares[at][blocks])
        places = [end.start + each for end in ends for each in range(end.weights.shape[1])]
        boundaries = np.unique(np.concatenate(places))
        many = at == 0 and 2 * boundaries.size > self._fit.stages[0].block
        return self._top if many else self._coarse(at, blocks, boundaries)

    @cached_property
    def _top(self) -> CoarseForms:
        """The forms of all boundaries of the whole line."""
        return self._coarse(0, np.zeros(1, np.int64), np.arange(self._fit.stages[0].block + 1))

    def _coarse(self, at: int, blocks: Boundaries, boundaries: Boundaries) -> CoarseForms:
        block, windows = self._fit.blocks[at], self._tables.windows[at]
        rows = block.prefix_rows[boundaries]
        weighed = windows.times(self._shares[at][blocks, None], rows)
        if at < len(self._from_below):
            inner = self._from_below[at][0][blocks]
            parts = rows.reshape(len(rows), *inner.shape[1:3])
            weighed += np.einsum("bnij,rnj->brni", inner, parts).reshape(weighed.shape)
        return CoarseForms(block, blocks, boundaries, weighed, self._rights(at, blocks))

    def _rights(self, at: int, blocks: Boundaries | slice) -> Floats:
        """Return the right sides of the means of a stage's levels and of those below, cell by cell."""
        own = np.einsum(
            "bz,lzc->bcl", self._shares[at][blocks], self._tables.windows[at].triangles(), optimize=True
        )
        below = (
            self._from_below[at][1][blocks] if at < len(self._from_below) else np.zeros((*own.shape[:2], 0))
        )
        return np.concatenate([own, below], axis=2)

    @cached_property
    def _from_below(self) -> list[tuple[Floats, Floats]]:
        """For all stages but the last, block by block: A of the blocks in it, and right sides."""
        found: list[tuple[Floats, Floats]] = []
        stages = list(
            zip(self._fit.stages, self._fit.blocks, self._tables.windows, self._shares, strict=True)
        )
        for (above, *_), (_, block, windows, shares) in reversed(list(pairwise(stages))):
            columns, number = block.shared_out.T, block.parts
            one, other = np.divmod(np.arange(number**2), number)
            each, less = windows.form(columns[one], columns[other])
            forms = (shares @ each.T - less).reshape(-1, number, number)
            own = windows.triangles() @ block.shared_out  # level, cell, part
            rights = np.einsum("bz,lzp->bpl", shares, own, optimize=True)
            if found:
                inner, carried = found[0]
                within = block.shared_out.reshape(inner.shape[1], -1, number)
                forms += np.einsum("sik,bsij,sjl->bkl", within, inner, within, optimize=True)
                rights = np.concatenate([rights, np.einsum("cp,bcl->bpl", block.shared_out, carried)], axis=2)
            blocks, places = len(forms) * number // above.block, above.block // number
            found.insert(
                0,
                (forms.reshape(blocks, places, number, number), rights.reshape(blocks, above.block, -1)),
            )
        return found


def even_variances(fit: StagesFit, low: Boundaries, high: Boundaries) -> Floats:
    """Return the even variance of the share of bins ``low`` … ``high − 1``, for many ranges."""
    found = np.zeros(low.size)
    for block, one, other in zip(fit.blocks, ends_seen(fit, low), ends_seen(fit, high), strict=True):
        found += _form(block, one, one) + _form(block, other, other)
        found -= 2 * (one.block == other.block) * _form(block, one, other)
    if fit.padding:
        found -= fit.padding.variance * (fit.padding.weights[high] - fit.padding.weights[low]) ** 2
    return np.maximum(found, 0.0)


def _form(block: Block, one: Ends, other: Ends) -> Floats:
    return kernels.weighted_pairs(block.prefixes, one.start, one.weights, other.start, other.weights)
