"""The ends of ranges as the stages of windows see them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from ldprange import kernels
from ldprange.least_squares.stages import StagesFit
from ldprange.support.arrays import Boundaries, Floats


@dataclass(frozen=True, slots=True)
class Ends:
    """For many ranges: the share below one of their ends, as one stage sees it.

    It is ``weights`` times the shares below the boundaries ``start``, ``start + 1``, … of ``block``: where
    the end lies inside a block of the stage below, each of that block's parts counts by what of it lies
    below.
    """

    block: Boundaries
    start: Boundaries
    weights: Floats

    def __getitem__(self, chosen: Boundaries | slice) -> Self:
        return type(self)(self.block[chosen], self.start[chosen], self.weights[chosen])

    def blocks(self) -> Boundaries:
        """Return the blocks in which ends in rising order lie, each once."""
        return self.block[self._first()]

    def boundaries(self) -> Boundaries:
        """Return the boundaries of blocks between which the ends lie, rising, each once."""
        width = self.weights.shape[1]
        used = np.zeros(self.start.max(initial=0) + width, bool)
        for each in range(width):
            used[self.start + each] = True
        return np.flatnonzero(used)

    def by_block(self, few: int, many: int, groups: int) -> Iterator[slice]:
        """Yield slices of ends in rising order: those in ``few`` to ``many`` blocks at a time.

        They are enough for as many ``groups`` where each can have a few.
        """
        first = self._first()
        starts = first[:: min(max(few, -(-first.size // groups)), many)].tolist()
        yield from map(slice, starts, [*starts[1:], self.block.size])

    def _first(self) -> Boundaries:
        return np.flatnonzero(np.append(True, self.block[1:] != self.block[:-1]))

    def sums(self, rows: Floats) -> Floats:
        """Return the weighted sums of ``rows``: for each block a table, with a row for each boundary."""
        first = self.block * rows.shape[1] + self.start
        return kernels.weighted_rows(rows.reshape(-1, rows.shape[2]), first, self.weights)

    def form(self, pairs: Floats, other: Self) -> Floats:
        """Return sums over ``pairs`` of boundaries, tables by block, for two ends in one block."""
        first = self.block * pairs.shape[1] + self.start
        table = pairs.reshape(-1, pairs.shape[2])
        return kernels.weighted_pairs(table, first, self.weights, other.start, other.weights)


def ends_seen(fit: StagesFit, boundaries: Boundaries) -> list[Ends]:
    """Return the shares below ``boundaries`` as every stage of ``fit`` sees them, the topmost first."""
    start, weights = boundaries, np.ones((boundaries.size, 1))
    found = []
    for stage, block in reversed(list(zip(fit.stages, fit.blocks, strict=True))):
        last = fit.leaves // (stage.size * stage.block) - 1
        inside = np.minimum(start // stage.block, last)
        found.append(Ends(inside, start - inside * stage.block, weights))
        weights = kernels.weighted_rows(block.prefix_parts, found[-1].start, weights)
        start = inside * block.parts
    return found[::-1]
