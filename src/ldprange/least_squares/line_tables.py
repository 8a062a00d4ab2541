"""Variances of many ranges on a long line: near approximations, in time that hardly grows with their number.

The even part is read from tables: it depends, smoothly, on how long a range is and how far from the ends. The
held part Q (see :mod:`ldprange.least_squares.line_variances`) depends on who lives where. It is taken in one
of two ways, as a ratio to the even part.

*Short ranges*, further from either end of the line than they are long, are taken to lie in the middle of a
line. Then Q = Σ_z θ_z κ(z) with κ known. A part of κ that falls from the range's low end to its high one goes
with the place of the low end, the rest with that of the high one, and lengths between those worked out are
interpolated.

*All others* are looked at in blocks. The first 512 blocks of 2^k items are a line on which Q, of windows that
begin and end with blocks, is exact between blocks and straight in between; k is the least for which the
range lies near the line's end, or that of the whole line. Windows narrower than a block only matter near the
range's ends, and Q there is that of one end far from everything. A range with two ends far apart takes Q of
the prefixes at both, and from the whole line's blocks only what they have in common.

tests/least_squares/test_line.py says how near it comes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ldprange.least_squares.line import WindowsFit
from ldprange.least_squares.line_occupancy import Occupancy, blurred, held_matrix, prefix_matrix, window_sums
from ldprange.support.arrays import Boundaries, Floats

_PER_OCTAVE = 16  # of lengths and places at which the even variance is tabulated
_KERNELS_PER_OCTAVE = 2  # of lengths at which κ is worked out
_BLOCKS = 1024  # that a whole line is looked at in
_END_BLOCKS = 512  # that one of its ends is
_NEAR = 32  # blocks from an end within which a range is near it
_MAX_SHORT_BLOCKS = 16  # blocks of the whole line up to which a range may be short
_AROUND = 16  # lengths of a range that a line must have for its middle to be like any long line's


class TabulatedVariances:
    """The even and the held part of the variance of ranges, for one population."""

    def __init__(self, line: WindowsFit, cdf: Floats, held: Occupancy) -> None:
        self._line, self._cdf, self._held = line, cdf, held
        self._items = line.items
        self._block = 1 << max(0, (line.items - 1).bit_length() - (_BLOCKS - 1).bit_length())
        self._kernels: dict[int, tuple[Floats, Floats]] = {}
        self._views: dict[tuple[int, bool], _Blocks] = {}

    def added(self, low: Boundaries, high: Boundaries, even: Floats) -> Floats:
        """Return the held part of ranges whose even part is known."""
        return self._added(low, high, even) if any(self._held.parts) else np.zeros(even.shape)

    def even(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the even part: interpolated for short ranges, and for long ones the covariance in it.

        By symmetry it depends on how far either end is from the nearest of the line's.
        """
        n, variance = self._items, self._line.prefix_variances
        near, far = np.minimum(low, n - high), np.maximum(low, n - high)
        knots, short, long = self._tables
        return np.where(
            high - low <= n // 2,
            _interpolated(short, knots, high - low, near),
            variance[low] + variance[high] - 2 * _interpolated(long, knots, near, far),
        )

    @cached_property
    def _tables(self) -> tuple[Boundaries, Floats, Floats]:
        """Variances by length and distance from the nearer end; covariances of the ends by both distances."""
        n, variance = self._items, self._line.prefix_variances
        knots = np.append(0, _knots(n // 2, _PER_OCTAVE))
        short, long = np.zeros((2, knots.size, knots.size))
        for row, length in zip(short, knots.tolist(), strict=True):
            low = np.minimum(knots, (n - length) // 2)
            row[:] = variance[low] + variance[low + length] - 2 * self._line.prefix_covariances(length)[low]
        for a, near in enumerate(knots.tolist()):
            for b, far in enumerate(knots.tolist()):
                if near <= far and near + far < n:
                    long[a, b] = self._line.prefix_covariances(n - near - far, near)[near]
        return knots, short, long

    def _added(self, low: Boundaries, high: Boundaries, even: Floats) -> Floats:
        n = self._items
        one_end = (low == 0) | (high == n)
        cut = np.where(low > 0, low, high)  # a prefix and the rest are equally sure: take the shorter
        low = np.where(one_end, np.where(2 * cut > n, cut, 0), low)
        high = np.where(one_end, np.where(2 * cut > n, n, cut), high)
        length = high - low
        added: Floats = np.zeros(low.shape)
        done = (length <= np.minimum(low, n - high)) & (length < _MAX_SHORT_BLOCKS * self._block)
        if np.any(done):
            added[done] = even[done] * self._short(low[done], high[done])
        for begin, stop, mirrored in ((low, high, False), (n - high, n - low, True)):
            block = 1
            while block < self._block:  # ranges near an end, in blocks as small as will do
                near = ~done & (stop <= _NEAR * block)
                if np.any(near):
                    added[near] = even[near] * self._view(block, mirrored)(begin[near], stop[near])
                done |= near
                block *= 2
        if np.any(rest := ~done & one_end):
            added[rest] = even[rest] * self._view(self._block, False)(low[rest], high[rest])
        if np.any(rest := ~done & ~one_end):
            first, last = low[rest], high[rest]
            cross = self._view(self._block, False).cross(first, last)
            added[rest] = self._prefixes[first] + self._prefixes[last] - 2 * cross
        return added

    @cached_property
    def _prefixes(self) -> Floats:
        """Q of the prefix below every boundary."""
        boundaries = np.arange(self._items + 1)
        return self._added(np.zeros_like(boundaries), boundaries, self._line.prefix_variances)

    def _view(self, block: int, mirrored: bool) -> _Blocks:
        """Look at the line in blocks, from its first item on or from its last."""
        if (block, mirrored) not in self._views:
            cdf = 1 - self._cdf[::-1] if mirrored else self._cdf
            items, line = self._items, self._line
            if block < self._block:
                items = _END_BLOCKS * block
                line = WindowsFit(items, line.widths, line.cells.tolist(), line.law)
            self._views[block, mirrored] = _Blocks(line, cdf[: items + 1], self._held, block)
        return self._views[block, mirrored]

    def _short(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the held part of short ranges as a ratio to the even one."""
        ratio: Floats = np.zeros(low.shape)
        lengths = _knots(self._items // 2, _KERNELS_PER_OCTAVE)
        for step, along in _neighbours(np.interp(high - low, lengths, np.arange(lengths.size)), lengths.size):
            for k in np.unique(step).tolist():
                chosen = step == k
                at_low, at_high = self._kernel(int(lengths[k]))
                ratio[chosen] += along[chosen] * (at_low[low[chosen]] + at_high[high[chosen]])
        return ratio

    def _kernel(self, length: int) -> tuple[Floats, Floats]:
        """Return what people on either side of a range's middle add to it, at any place of its ends."""
        if length not in self._kernels:
            items = min(self._items, max(_AROUND * length, _BLOCKS))
            low = (items - length) // 2
            line = WindowsFit(items, self._line.widths, self._line.cells.tolist(), self._line.law)
            density, constant, even = _density(line, low, length, self._held)
            left = np.clip((low + length - np.arange(items) - 0.5) / length, 0.0, 1.0)
            theta = np.diff(self._cdf)
            self._kernels[length] = (
                (_beside(theta, density * left, low) + constant / 2) / even,
                (_beside(theta, density * (1 - left), low + length) + constant / 2) / even,
            )
        return self._kernels[length]


class _Blocks:
    """The held part of ranges of a line that is looked at in blocks, as a ratio to the even one."""

    def __init__(self, line: WindowsFit, cdf: Floats, held: Occupancy, block: int) -> None:
        n = line.items
        self._last = n
        self._boundaries = np.append(np.arange(0, n, block), n)
        wide = held.where(block, n, unit=block)
        even = prefix_matrix(line, block)
        self._even = _spread(even)
        self._matrix = held_matrix(even, np.diff(cdf[self._boundaries]), wide)
        self._held = _spread(self._matrix)
        self._one_end = np.zeros(n + 1)
        narrow = held.where(1, block)
        if any(narrow.parts):
            items = min(n, _AROUND * block)
            around = WindowsFit(items, line.widths, line.cells.tolist(), line.law)
            density, constant, _ = _density(around, 0, items // 2, narrow)
            self._one_end = _beside(np.diff(cdf), density, items // 2) + constant

    def __call__(self, low: Boundaries, high: Boundaries) -> Floats:
        added = _interpolated(self._held, self._boundaries, low, high)
        for end in (low, high):
            added += np.where((end > 0) & (end < self._last), self._one_end[end], 0.0)
        even: Floats = np.maximum(_interpolated(self._even, self._boundaries, low, high), 1e-300)
        return added / even

    def cross(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the held part of the covariance of two prefixes that lie far apart."""
        return _interpolated(self._matrix, self._boundaries, low, high)


def _density(line: WindowsFit, low: int, length: int, held: Occupancy) -> tuple[Floats, float, float]:
    """Return κ of a range, what an even population takes off, and the even part."""
    inside = np.zeros(line.items)
    inside[low : low + length] = 1.0
    covariance = line.covariance_with(inside)
    density, constant = np.zeros(line.items), 0.0
    for part, width, cells in zip(*held, strict=True):
        squares = window_sums(covariance, width) ** 2
        density += part * blurred(squares, width)
        constant -= float(part * squares.sum() / (width * cells))
    return density, constant, float(covariance @ inside)


def _beside(theta: Floats, density: Floats, anchor: int) -> Floats:
    """Return Σ_z θ_z density[z − i + anchor] for every boundary i."""
    size = 1 << (theta.size + density.size).bit_length()
    turned = np.fft.rfft(theta, size) * np.fft.rfft(density[::-1], size)
    start = density.size - 1 - anchor
    return np.fft.irfft(turned, size)[start : start + theta.size + 1]


def _spread(covariance: Floats) -> Floats:
    """Return the variance of the difference of any two."""
    variance = np.diagonal(covariance)
    spread: Floats = variance[:, None] + variance - 2 * covariance
    return spread


def _knots(most: int, per_octave: int) -> Boundaries:
    """Return whole numbers from 1 to ``most``, evenly spread on a logarithmic scale."""
    count = int(per_octave * np.log2(max(2, most))) + 2
    return np.unique(np.rint(np.geomspace(1, max(1, most), count)).astype(np.int64))


def _interpolated(table: Floats, knots: Boundaries, row: Boundaries, column: Boundaries) -> Floats:
    """Read a table between its knots, straight in both directions."""
    found: Floats = np.zeros(row.shape)
    place = np.arange(knots.size)
    for step, along in _neighbours(np.interp(row, knots, place), knots.size):
        for stride, across in _neighbours(np.interp(column, knots, place), knots.size):
            found += along * across * table[step, stride]
    return found


def _neighbours(position: Floats, count: int) -> Iterator[tuple[NDArray[np.intp], Floats]]:
    """Yield the two whole positions beside a fractional one, each with its weight."""
    before = np.minimum(position.astype(np.intp), max(0, count - 2))
    yield before, 1 - (position - before)
    yield np.minimum(before + 1, count - 1), position - before
