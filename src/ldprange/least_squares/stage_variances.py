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

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ldprange import kernels
from ldprange.least_squares.stage_ends import Ends, ends_seen
from ldprange.least_squares.stage_forms import CoarseForms, FineForms, Forms, StageTables
from ldprange.least_squares.stages import Block, StagesFit
from ldprange.support.arrays import Boundaries, Floats
from ldprange.support.blas import callers_thread
from ldprange.support.parallel import in_threads, slices

_RANGES = 1 << 18  # whose boundaries are looked at together
_TOGETHER = 1 << 13  # ranges that a thread works on together
_FINE_BLOCKS = 1 << 7  # blocks of bins worked on together
_COARSE_BLOCKS = 1 << 2  # blocks of the stages above


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a stage makes of the boundaries at which ranges end.

    Attributes
    ----------
    ends
        The shares below them, as the stage sees them.
    alone, with_parts
        Of each, cᵀ(R + R M R)c and cᵀR M E.
    own
        R c of those cells that are the parts of the block of the stage below in which the end lies.
    """

    ends: Ends
    alone: Floats
    with_parts: Floats
    own: Floats


@dataclass(frozen=True, slots=True)
class _End:
    """The share below the last bin's end, on which is conditioned.

    Attributes
    ----------
    others
        Its covariance, and Q, with the share below every boundary.
    alone
        The same with itself.
    means
        √n × the mean of every level.
    """

    others: Floats
    alone: float
    means: Floats


class StageVariances:
    """Variances of ranges of one estimate, given the population's cdf at the boundaries."""

    def __init__(self, tables: StageTables, cdf: Floats) -> None:
        self._tables, self._cdf = tables, cdf
        self._fit = fit = tables.fit
        whole = np.append(cdf, np.full(fit.leaves - fit.bins, cdf[-1]))
        self._shares = [np.diff(whole[:: stage.size]).reshape(-1, stage.block) for stage in fit.stages]

    @callers_thread
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
        boundaries, first, last = _distinct(low, high)
        means, together = np.zeros((boundaries.size, self._fit.weights.size)), np.zeros(low.size)
        seen = [
            self._seen(at, ends, first, last, together, means)
            for at, ends in enumerate(ends_seen(self._fit, boundaries))
        ]

        def work(some: slice) -> Floats:
            squares = together[some] + self._squares(seen, first[some], last[some])
            mean = means[last[some]] - means[first[some]]
            if self._fit.padding:
                weights, end = self._fit.padding.weights, self._end
                gains = weights[high[some]] - weights[low[some]]
                squares += gains * (end.alone * gains - 2 * (end.others[high[some]] - end.others[low[some]]))
                mean -= gains[:, None] * end.means
            variances: Floats = squares - (mean**2).sum(axis=1)
            return variances

        return np.concatenate(list(in_threads(work, slices(low.size, _TOGETHER))))

    @cached_property
    def _end(self) -> _End:
        fit = self._fit
        cells = fit.below(fit.bins)
        rights = [
            windows.times(shares, each.reshape(shares.shape)).reshape(-1)
            for windows, shares, each in zip(self._tables.windows, self._shares, cells, strict=True)
        ]
        others = np.append(0.0, np.cumsum(cells[-1] + fit.combine(rights)[-1]))[: fit.bins + 1]
        means = [
            (windows.means(shares) * each.reshape(*shares.shape, 1)).sum(axis=(0, 1))
            for windows, shares, each in zip(self._tables.windows, self._shares, cells, strict=True)
        ]
        return _End(others, float(others[-1]), np.concatenate(means))

    def _seen(
        self, at: int, ends: Ends, low: Boundaries, high: Boundaries, together: Floats, means: Floats
    ) -> _Seen:
        """Return what a stage makes of all ``ends``, and add their part of √n × the levels' ``means``.

        What both ends of a range in one block make goes off ``together``.
        """
        block, number = self._fit.blocks[at], ends.start.size
        below = self._fit.blocks[at + 1].parts if at + 1 < len(self._fit.blocks) else 0
        seen = _Seen(ends, np.empty(number), np.empty((number, block.parts)), np.empty((number, below)))
        same = _in_one_block(ends, low, high)
        same = same[np.argsort(low[same], kind="stable")]

        def work(group: slice) -> None:
            """Fill in what is seen of the ends in a few blocks."""
            forms = self._forms(at, ends[group])
            pairs = same[slice(*np.searchsorted(low[same], [group.start, group.stop]))]
            together[pairs] -= 2 * forms.both(ends[low[pairs]], ends[high[pairs]])
            for part in slices(group.stop - group.start, _TOGETHER):
                some = slice(group.start + part.start, group.start + part.stop)
                here = ends[some]
                rows = forms.rows(here)
                seen.alone[some], seen.with_parts[some] = forms.alone(here), rows[:, : block.parts]
                means[some, self._fit.levels[at].start :] += rows[:, block.parts :]
                seen.own[some] = kernels.weighted_rows(
                    block.prefix_rows, here.start, here.weights, here.start, below
                )

        groups = ends.by_block(_FINE_BLOCKS if self._is_fine(at) else _COARSE_BLOCKS)
        deque(in_threads(work, groups), maxlen=0)
        return seen

    def _squares(self, seen: Sequence[_Seen], low: Boundaries, high: Boundaries) -> Floats:
        """Return even variance + Q, less what both ends of a range in one block make together."""
        squares = np.zeros(low.size)
        ends = [(high, low, 1), (low, high, -1)][: 1 + low.any()]  # a prefix has one that matters
        parts = [np.zeros((low.size, 1)) for _ in ends]  # U of the blocks with the high and with the low end
        for stage, block in zip(seen, self._fit.blocks, strict=True):
            width = stage.own.shape[1]
            same = _in_one_block(stage.ends, low, high)
            squares += stage.alone[low] + stage.alone[high]
            for place, (end, other, sign) in enumerate(ends):
                squares += 2 * sign * np.einsum("ij,ij->i", stage.with_parts[end], parts[place])
                start, there = stage.ends.start[end], stage.ends[other[same]]
                parts[place] = _shared_out(block, parts[place], start, width) + sign * stage.own[end]
                parts[place][same] -= sign * kernels.weighted_rows(
                    block.prefix_rows, there.start, there.weights, start[same], width
                )
        return squares

    def _is_fine(self, at: int) -> bool:
        """Whether a stage's cells are bins, in many blocks."""
        return 0 < at == len(self._fit.stages) - 1

    def _forms(self, at: int, ends: Ends) -> Forms:
        blocks = np.unique(ends.block)
        if self._is_fine(at):
            return FineForms(self._tables.fine, blocks, self._shares[at][blocks])
        used = np.zeros(self._fit.stages[at].block + 1, bool)
        for each in range(ends.weights.shape[1]):
            used[ends.start + each] = True
        boundaries = np.flatnonzero(used)
        many = 2 * boundaries.size > self._fit.stages[at].block
        return self._top if many and at == 0 else self._coarse(at, blocks, boundaries)

    @cached_property
    def _top(self) -> CoarseForms:
        """The forms of all boundaries of the whole line."""
        return self._coarse(0, np.zeros(1, np.int64), np.arange(self._fit.stages[0].block + 1))

    def _coarse(self, at: int, blocks: Boundaries, boundaries: Boundaries) -> CoarseForms:
        block, windows = self._fit.blocks[at], self._tables.windows[at]
        rows = block.prefix_rows[boundaries]
        shares = self._shares[at][blocks]
        if 2 * boundaries.size > windows.cells:
            weighed = rows @ windows.matrices(shares)
        else:
            weighed = windows.times(shares[:, None], rows)
        if at < len(self._from_below):
            inner = self._from_below[at][0][blocks]
            parts = rows.reshape(len(rows), *inner.shape[1:3])
            carried = parts.transpose(1, 0, 2) @ np.swapaxes(inner, 2, 3)  # block, its part, boundary, part
            weighed += carried.swapaxes(1, 2).reshape(weighed.shape)
        return CoarseForms(block, blocks, boundaries, weighed, self._rights(at, blocks))

    def _rights(self, at: int, blocks: Boundaries | slice) -> Floats:
        """Return the right sides of the means of a stage's levels and of those below, cell by cell."""
        own = self._tables.windows[at].means(self._shares[at][blocks])
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
            own = windows.means(columns).transpose(1, 0, 2)  # cell, part, level
            rights = (shares @ own.reshape(len(own), -1)).reshape(len(shares), number, -1)
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


def _in_one_block(ends: Ends, low: Boundaries, high: Boundaries) -> Boundaries:
    """Return which ranges have both ends in one block; end 0, below which nobody is, does not count."""
    return np.flatnonzero((low > 0) & (ends.block[low] == ends.block[high]))


def _shared_out(block: Block, parts: Floats, start: Boundaries, width: int) -> Floats:
    """Return E × ``parts`` of ``width`` cells from ``start`` on."""
    columns = np.ascontiguousarray(block.shared_out.T)
    return kernels.weighted_rows(columns, np.zeros_like(start), parts, start, width)


def _distinct(low: Boundaries, high: Boundaries) -> tuple[Boundaries, Boundaries, Boundaries]:
    """Return 0 and the boundaries at which ranges begin or end, rising, and both ends' places among them."""
    used = np.zeros(high.max(initial=0) + 1, np.int64)
    used[0] = used[low] = used[high] = 1
    place = np.cumsum(used) - 1
    return np.flatnonzero(used), place[low], place[high]


def even_variances(fit: StagesFit, low: Boundaries, high: Boundaries) -> Floats:
    """Return the even variance of the share of bins ``low`` … ``high − 1``, for many ranges."""

    def work(some: slice) -> Floats:
        found = np.zeros(high[some].size)
        ends = ends_seen(fit, high[some])
        for block, end in zip(fit.blocks, ends, strict=True):
            found += _form(block, end, end)
        if low[some].any():  # the share below 0 is certain
            for block, end, other in zip(fit.blocks, ends, ends_seen(fit, low[some]), strict=True):
                found += _form(block, other, other)
                found -= 2 * (end.block == other.block) * _form(block, end, other)
        if fit.padding:
            gains = fit.padding.weights[high[some]] - fit.padding.weights[low[some]]
            found -= fit.padding.variance * gains**2
        return np.maximum(found, 0.0)

    return np.concatenate([np.zeros(0), *in_threads(work, slices(low.size, _TOGETHER))])


def _form(block: Block, one: Ends, other: Ends) -> Floats:
    return kernels.weighted_pairs(block.prefixes, one.start, one.weights, other.start, other.weights)
