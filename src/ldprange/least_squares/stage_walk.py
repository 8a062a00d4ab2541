"""From the whole line down to bins: what the stages make of the shares below boundaries.

Of a block that holds a boundary it is enough to know what the ends of its *parts* make together. The share
below a boundary inside is a mixture of the shares below those, plus what lies in the block. (Letters are
those of :mod:`ldprange.least_squares.stage_variances`.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from ldprange import kernels
from ldprange.least_squares.stage_ends import Ends, ends_seen
from ldprange.least_squares.stage_forms import Forms, LastForms, UpperForms, placed
from ldprange.least_squares.stage_population import StagePopulation
from ldprange.least_squares.stages import Block
from ldprange.support.arrays import Boundaries, Floats
from ldprange.support.parallel import in_threads, slices, workers

_FEW, _MANY = 1 << 4, 1 << 7  # blocks worked on together
_TOGETHER = 1 << 13  # pairs that a thread works on together


@dataclass(frozen=True, slots=True)
class _Known:
    """What the stages above make of the ends of the parts of some blocks, the first's begin too.

    Attributes
    ----------
    blocks
        Their numbers, rising.
    covariances
        Even covariance + Q of the shares below any two ends of a block's parts.
    parts
        U of the block, for the share below each.
    means
        √n × the mean of every level, for the same.
    """

    blocks: Boundaries
    covariances: Floats
    parts: Floats
    means: Floats

    @classmethod
    def joined(cls, some: Sequence[_Known]) -> _Known:
        """Return what is known of all blocks, in the order in which they come."""
        return cls(*(np.concatenate([getattr(each, name) for each in some]) for name in cls.__slots__))

    def of(self, blocks: Boundaries) -> _Known:
        """Return what is known of some of the blocks."""
        at = np.searchsorted(self.blocks, blocks)
        return _Known(blocks, self.covariances[at], self.parts[at], self.means[at])


@dataclass(frozen=True, slots=True)
class _Inside:
    """The same for boundaries inside the blocks: what a stage makes of them, block by block.

    Attributes
    ----------
    forms
        Of the blocks, at these boundaries.
    known
        What the stages above make of the blocks.
    weights
        Of the shares below the ends of a block's parts, at each boundary.
    parts, means
        U and √n × the means of all levels.
    with_parts
        cᵀR M E.
    """

    forms: Forms
    known: _Known
    weights: Floats
    parts: Floats
    means: Floats
    with_parts: Floats

    @classmethod
    def of(cls, forms: Forms, known: _Known, block: Block, first_level: int) -> _Inside:
        """Return what is known inside blocks, whose own levels are those from the first on."""
        weights = block.prefix_parts[forms.boundaries]
        with_parts, own = np.split(forms.rows, [block.parts], axis=2)
        means = weights @ known.means
        means[..., first_level:] += own
        return cls(forms, known, weights, weights @ known.parts, means, with_parts)

    def variances(self) -> Floats:
        """Return those of the shares below each boundary."""
        above = np.einsum("bip,ip->bi", self.weights @ self.known.covariances, self.weights)
        variances: Floats = cast("LastForms", self.forms).alone + above
        variances += 2 * np.einsum("bip,bip->bi", self.with_parts, self.parts)
        variances -= np.einsum("bil,bil->bi", self.means, self.means)
        return variances

    def covariances(self, low: Ends, high: Ends) -> Floats:
        """Return even covariance + Q of the shares below two ends in one block."""
        one, other = placed(self.forms, low), placed(self.forms, high)
        above = one.sums(np.broadcast_to(self.weights, (len(self.parts), *self.weights.shape)))
        there = other.sums(self.weights @ self.known.covariances)
        covariances: Floats = self.forms.both(low, high) + np.einsum("ip,ip->i", above, there)
        covariances += np.einsum("ip,ip->i", one.sums(self.with_parts), other.sums(self.parts))
        covariances += np.einsum("ip,ip->i", other.sums(self.with_parts), one.sums(self.parts))
        return covariances


class StageWalk:
    """What the stages make of the shares below ``boundaries``, and of pairs of these.

    Parameters
    ----------
    population
        Gives the forms of blocks.
    boundaries
        Between bins, rising.
    low, high
        Places among the boundaries: the pairs.

    Attributes
    ----------
    variances
        Of the share below each boundary, but for that of the share of all people itself.
    covariances
        The same of each pair.
    """

    def __init__(
        self, population: StagePopulation, boundaries: Boundaries, low: Boundaries, high: Boundaries
    ) -> None:
        self._population, self._fit = population, population.fit
        self._low, self._high = low, high
        self._ends = ends_seen(self._fit, boundaries)
        levels, paired = self._fit.weights.size, boundaries.size * (low.size > 0)
        self.variances, self.covariances = np.empty(boundaries.size), np.empty(low.size)
        # the stage up to which both ends of a pair lie in one block
        self._deepest = np.sum([ends.block[low] == ends.block[high] for ends in self._ends], axis=0) - 1
        self._with_parts, self._parts = [
            [np.empty((paired, block.parts)) for block in self._fit.blocks] for _ in range(2)
        ]
        self._means = np.empty((paired, levels))
        known = _Known(
            np.zeros(1, np.int64), np.zeros((1, 2, 2)), np.zeros((1, 2, 1)), np.zeros((1, 2, levels))
        )
        for at in range(len(self._ends)):
            known = self._stage(at, known)
        if low.size:
            list(in_threads(self._apart, slices(low.size, _TOGETHER)))

    def _stage(self, at: int, known: _Known) -> _Known:
        """Look at a stage, and return what is known of the blocks of the next."""
        ends = self._ends[at]
        same = np.flatnonzero(self._deepest == at)
        same = same[np.argsort(self._low[same], kind="stable")]
        last = at + 1 == len(self._ends)

        def work(group: slice) -> _Known | None:
            """Fill in what is seen of the boundaries in a few blocks."""
            here = ends[group]
            pairs = same[slice(*np.searchsorted(self._low[same], [group.start, group.stop]))]
            forms = self._population.forms(at, here, pairs.size)
            block, first_level = self._fit.blocks[at], self._fit.levels[at].start
            inside = _Inside.of(forms, known.of(forms.blocks), block, first_level)
            if pairs.size:
                self.covariances[pairs] = inside.covariances(ends[self._low[pairs]], ends[self._high[pairs]])
            there = placed(forms, here)
            if self._low.size:
                self._with_parts[at][group] = there.sums(inside.with_parts)
                self._parts[at][group] = there.sums(inside.parts)
            if not last:
                return self._known(at, inside, self._ends[at + 1][group].blocks())
            if self._low.size:
                self._means[group] = there.sums(inside.means)
            self.variances[group] = inside.variances()[there.block, there.start]
            return None

        groups = ends.by_block(_FEW, _MANY, 2 * workers())
        found = [each for each in in_threads(work, groups) if each]
        return known if last else _Known.joined(found)

    def _known(self, at: int, inside: _Inside, blocks: Boundaries) -> _Known:
        """Return what is known of the next stage's ``blocks``."""
        block, number = self._fit.blocks[at], self._fit.blocks[at + 1].parts
        outer, first = np.divmod(blocks * number, self._fit.stages[at].block)
        cells = first[:, None] + np.arange(number + 1)
        covariances = cast("UpperForms", inside.forms).among(outer, cells)
        at_block = np.searchsorted(inside.forms.blocks, outer)
        there = at_block[:, None], np.searchsorted(inside.forms.boundaries, cells)
        weights, parts = inside.weights[there[1]], inside.parts[there]
        half = inside.with_parts[there] @ np.swapaxes(parts, 1, 2)
        covariances += half + np.swapaxes(half, 1, 2)
        covariances += weights @ inside.known.covariances[at_block] @ np.swapaxes(weights, 1, 2)
        inner = cells[:, :-1]
        shared = block.prefix_rows[cells[:, :, None], inner[:, None, :]]
        shared += parts @ np.swapaxes(block.shared_out[inner], 1, 2)
        return _Known(blocks, covariances, shared, inside.means[there])

    def _apart(self, some: slice) -> None:
        """Add what both ends of some pairs make in blocks that hold only one, and take the means off."""
        low, high, deepest = self._low[some], self._high[some], self._deepest[some]
        self.covariances[some] -= np.einsum("il,il->i", self._means[low], self._means[high])
        for at in range(len(self._ends) - 1):
            chosen = np.flatnonzero(deepest == at)
            for end, other in ((low[chosen], high[chosen]), (high[chosen], low[chosen])):
                self.covariances[some.start + chosen] += self._seen_apart(at, end, other)

    def _seen_apart(self, at: int, end: Boundaries, other: Boundaries) -> Floats:
        """Return cᵀR M E U, summed over the stages after ``at``: c of one end, U of the other."""
        found = np.zeros(end.size)
        there, block = self._ends[at][other], self._fit.blocks[at]
        start, width = self._ends[at].start[end], self._fit.blocks[at + 1].parts
        parts = kernels.weighted_rows(block.prefix_rows, there.start, there.weights, start, width)
        parts += _shared_out(block, self._parts[at][other], start, width)
        for below in range(at + 1, len(self._ends)):
            found += np.einsum("ip,ip->i", self._with_parts[below][end], parts)
            if below + 1 < len(self._ends):
                start, width = self._ends[below].start[end], self._fit.blocks[below + 1].parts
                parts = _shared_out(self._fit.blocks[below], parts, start, width)
        return found


def _shared_out(block: Block, parts: Floats, start: Boundaries, width: int) -> Floats:
    """Return E × ``parts`` of ``width`` cells from ``start`` on."""
    columns = np.ascontiguousarray(block.shared_out.T)
    return kernels.weighted_rows(columns, np.zeros_like(start), parts, start, width)
