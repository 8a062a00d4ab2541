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
from ldprange.least_squares.stages import Block
from ldprange.support.arrays import Boundaries, Floats
from ldprange.support.parallel import in_threads, slices

_TOGETHER = 1 << 9  # rows that a thread works on together


class Forms(Protocol):
    """The forms of some blocks, at some of their boundaries.

    Attributes
    ----------
    blocks, boundaries
        Their numbers, rising.
    rows
        For each block and boundary, its row.
    """

    blocks: Boundaries
    boundaries: Boundaries
    rows: Floats

    def both(self, low: Ends, high: Ends) -> Floats:
        """Return cᵀ(R + R M R)c of the cells below two ends in one block."""
        ...


class UpperForms(Forms, Protocol):
    """Those of a stage with others below."""

    def among(self, block: Boundaries, boundaries: Boundaries) -> Floats:
        """Return the same for any two of a row of ``boundaries``, the ends of the cells of a block below.

        ``block`` tells in which of the blocks each row is.
        """
        ...


class LastForms(Forms, Protocol):
    """Those of the last stage."""

    @property
    def alone(self) -> Floats:
        """For each block and boundary, cᵀ(R + R M R)c."""
        ...


def product(left: Floats, right: Floats) -> Floats:
    """Return the product of matrices, or of many, worked out by rows in threads where there are many."""
    parts = in_threads(lambda some: left[..., some, :] @ right, slices(left.shape[-2], _TOGETHER))
    return np.concatenate(list(parts), axis=-2)


def placed(forms: Forms, end: Ends) -> Ends:
    """Return an end with its block and boundary as they are counted in ``forms``."""
    return Ends(_places(forms.blocks, end.block), _places(forms.boundaries, end.start), end.weights)


def _places(numbers: Boundaries, sought: Boundaries) -> Boundaries:
    """Return where ``sought`` numbers are among all, which rise."""
    if sought.size < numbers[-1] - numbers[0]:
        return np.searchsorted(numbers, sought)
    place: Boundaries = np.cumsum(np.bincount(numbers - numbers[0])) - 1
    found: Boundaries = place[sought - numbers[0]]
    return found


class CoarseForms:
    """The whole line, or a few boundaries in blocks of stages that follow: M R c is worked out for each.

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
        self.blocks, self.boundaries = blocks, boundaries
        self._block, self._weighed = block, weighed
        self.rows: Floats = np.concatenate([weighed @ block.shared_out, rows @ rights], axis=2)

    @property
    def alone(self) -> Floats:
        own = np.einsum("bic,ic->bi", self._weighed, self._block.prefix_rows[self.boundaries])
        alone: Floats = own + np.diagonal(self._block.prefixes)[self.boundaries]
        return alone

    def both(self, low: Ends, high: Ends) -> Floats:
        return placed(self, low).form(self._pairs, placed(self, high))

    def among(self, block: Boundaries, boundaries: Boundaries) -> Floats:
        own, at = np.searchsorted(self.blocks, block), np.searchsorted(self.boundaries, boundaries)
        rows = np.swapaxes(self._block.prefix_rows[boundaries], 1, 2)
        found: Floats = self._block.prefixes[boundaries[:, :, None], boundaries[:, None, :]]
        found += self._weighed[own[:, None], at] @ rows
        return found

    @cached_property
    def _pairs(self) -> Floats:
        """The same for any two boundaries, a table for each block."""
        rows, at = self._block.prefix_rows[self.boundaries], np.ix_(self.boundaries, self.boundaries)
        pairs = product(self._weighed, rows.T)
        pairs += self._block.prefixes[at]
        return pairs


class FineMaps:
    """For blocks of bins: what gives, times their shares, the forms of every boundary of a block.

    A block is the same from its other end, where cells that lay below a boundary lie above it. Given the
    parts all cells together are certain, so R of those is −R of these: ``alone`` stays, and rows change their
    signs, and the order of their parts. So only the boundaries of one half are worked out, from sums and
    differences of the shares that face each other.
    """

    def __init__(self, block: Block, windows: StageWindows) -> None:
        rows, parts, cells = block.prefix_rows, block.parts, windows.cells
        boundary, part = np.divmod(np.arange(len(rows) * parts), parts)
        alone, alone_less = windows.form(rows, rows)
        with_parts, parts_less = windows.form(rows[boundary], block.shared_out.T[part])
        means = windows.means(rows).transpose(1, 0, 2)  # cell, boundary, level
        half, middle = -(-cells // 2), cells // 2 + 1
        each = np.concatenate([alone.T[:, :, None], with_parts.T.reshape(cells, -1, parts), means], axis=2)
        facing = each[::-1][:half, :middle]
        self._sums: Floats = ((each[:half, :middle] + facing) / 2).reshape(half, -1)
        self._differences: Floats = ((each[:half, :middle] - facing) / 2).reshape(half, -1)
        if cells % 2:  # the cell in the middle faces itself
            self._sums[-1] /= 2
        less = np.zeros((len(rows), each.shape[2]))
        less[:, 0], less[:, 1 : 1 + parts] = (
            alone_less - np.diagonal(block.prefixes),
            parts_less.reshape(-1, parts),
        )
        self._less, self._parts = less[:middle], parts
        self.windows, self.sums, self.pairs = windows, windows.sums(rows), block.prefixes

    def forms(self, shares: Floats) -> Floats:
        """Return ``alone`` and the row of every boundary of blocks with these shares."""
        half, (middle, columns), last = len(self._sums), self._less.shape, self._parts + 1
        left, right = shares[:, :half], shares[:, ::-1][:, :half]
        even = ((left + right) @ self._sums).reshape(-1, middle, columns)
        even -= self._less
        odd = ((left - right) @ self._differences).reshape(even.shape)
        forms = np.empty((len(shares), len(self.pairs), columns))
        np.add(even, odd, out=forms[:, :middle])
        mirrored, even = forms[:, : middle - 1 : -1], np.subtract(even, odd, out=even)
        even = even[:, : mirrored.shape[1]]
        mirrored[..., 0] = even[..., 0]
        np.negative(even[..., last - 1 : 0 : -1], out=mirrored[..., 1:last])
        np.negative(even[..., last:], out=mirrored[..., last:])
        return forms


class FineForms:
    """Blocks of bins. An end is a boundary of bins here, with one weight, 1."""

    def __init__(self, maps: FineMaps, blocks: Boundaries, shares: Floats) -> None:
        self.blocks, self.boundaries = blocks, np.arange(len(maps.pairs))
        self._maps, self._shares = maps, shares
        forms = maps.forms(shares)
        self.alone, self.rows = forms[..., 0], forms[..., 1:]

    def both(self, low: Ends, high: Ends) -> Floats:
        found: Floats = self._maps.pairs[low.start, high.start]
        if low.block.size:
            masses, at = self._maps.windows.masses(self._shares), np.searchsorted(self.blocks, low.block)
            found += kernels.product_sums(self._maps.sums, low.start, high.start, masses, at)
        return found
