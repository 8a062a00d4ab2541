"""Exact variances of ranges from shifted windows, and near ones for many ranges of a long line.

A range with indicator r weighs the items of b (see :mod:`ldprange.line`) by u, the even covariance of every
item with the range; Σu = 0. A user of level l adds to the answer λ times the sum, over the windows of their
shift, of the window's estimate × W, W being the sum of u over the window. So with spread and held of the
oracle's noise the variance of the range's share R is

    Σ_l n [λ²/w Σ_windows W² (spread + held·θ(window)) − (λ/w Σ_windows W·θ(window))²] − R(1 − R)/N.

Of the sum, W²(spread + held/cells) adds up to the even variance, known in closed form; (λ/w) Σ W·θ(window) is
the covariance of the range with T_w θ, one solution a level for all ranges. What is left is the *held* part,

    Q = Σ_l n λ²/w Σ_windows W² held (θ(window) − 1/cells),

which has no closed form. Up to 64 ranges are worked out one by one. On lines of up to 2048 items Q is one
matrix over pairs of boundaries. Beyond, W is taken to be that of a range of the same length in the middle of
the line, so that Q = Σ_z θ_z κ(z) with κ known; κ's left half goes with the range's low end and its right
half with the high end, and lengths between those worked out are interpolated.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ldprange.line import Line
from ldprange.noise import Boundaries
from ldprange.parallel import slices
from ldprange.toeplitz import Floats

_FEW = 64  # ranges that are worked out one by one, on any line
_SHORT = 2048  # items of a line on which every range is exact
_TOGETHER = 1 << 21  # numbers worked on together
_PER_OCTAVE = 16  # of lengths and places at which the even variance is tabulated
_HELD_PER_OCTAVE = 2  # of lengths at which the held part is
_AROUND = 16  # lengths of a range that a line must have for its middle to be like any long line's


class LineVariances:
    """Variances of ranges of one line's estimate, given the population's cdf at the boundaries."""

    def __init__(self, line: Line, cdf: Floats) -> None:
        self._line = line
        self._cdf = cdf
        self._held = line.law.held_parts * line.weights**2 / line.law.users  # n λ² held

    def __call__(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the variance of the estimated share of items ``low`` … ``high − 1``, for many ranges."""
        low, high = np.broadcast_arrays(low, high)
        if low.size <= _FEW:
            variances = self._each(low.reshape(-1), high.reshape(-1)).reshape(low.shape)
        else:
            variances = self._many(low, high)
        share = self._cdf[high] - self._cdf[low]
        variances = variances - share * (1 - share) / self._line.law.users.sum()
        certain = (low == high) | ((low == 0) & (high == self._line.items))
        return np.where(certain, 0.0, np.maximum(variances, 0.0))

    def _each(self, low: Boundaries, high: Boundaries) -> Floats:
        """Follow the formula, range by range."""
        place = np.arange(self._line.items)
        found = [np.zeros(0)]
        for rows in slices(low.size, max(1, _TOGETHER // self._line.items)):
            inside = (place >= low[rows, None]) & (place < high[rows, None])
            covariance = self._line.covariance_with(inside.astype(np.float64))
            even = (covariance * inside).sum(axis=-1)
            known = self._means[:, high[rows]] - self._means[:, low[rows]]
            found.append(even + self._added(covariance) - (known**2).sum(axis=0))
        return np.concatenate(found)

    def _added(self, covariance: Floats) -> Floats:
        """Return the held part of ranges from their covariance with every item."""
        added = np.zeros(covariance.shape[:-1])
        for held, width, cells, mass in self._windows():
            if held:
                window = _window_sums(covariance, width)
                added += held / width * (window**2 @ (mass - 1 / cells))
        return added

    def _windows(self) -> Iterator[tuple[float, int, int, Floats]]:
        """Yield each level's n λ² held, its width, its number of cells and the share in every window."""
        theta = np.diff(self._cdf)
        for held, width, cells in zip(self._held, self._line.widths, self._line.cells, strict=True):
            yield float(held), width, int(cells), _window_sums(theta, width)

    @cached_property
    def _means(self) -> Floats:
        """√n × (λ/w) Σ W·θ(window) of the prefix below every boundary, level by level."""
        blurred = np.stack([_blurred(mass, width) for _, width, _, mass in self._windows()])
        scale = self._line.weights / np.sqrt(self._line.law.users)
        each = scale[:, None] * self._line.covariance_with(blurred)
        return np.concatenate([np.zeros((len(each), 1)), np.cumsum(each, axis=1)], axis=1)

    def _many(self, low: Boundaries, high: Boundaries) -> Floats:
        if self._line.items <= _SHORT:
            variance = np.diagonal(self._matrix)
            found: Floats = variance[low] + variance[high] - 2 * self._matrix[low, high]
            return found
        variances: Floats = self._even(low, high) * (1 + self._excess(low, high))
        for means in self._means:
            variances -= (means[high] - means[low]) ** 2
        return variances

    def _even(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the even variance: interpolated for short ranges, and for long ones the covariance in it.

        By symmetry it depends on how far either end is from the nearest of the line's.
        """
        n, variance = self._line.items, self._line.prefix_variances
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
        n, variance = self._line.items, self._line.prefix_variances
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

    def _excess(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the held part of many ranges of a long line, as a ratio to the even one."""
        n = self._line.items
        excess: Floats = np.zeros(low.shape)
        if not np.any(self._held):
            return excess
        one_end = (low == 0) | (high == n)
        if np.any(one_end):
            below, above = self._halves(0, n // 2, n)
            cut = np.where(low > 0, low, high)[one_end]
            excess[one_end] = below[cut] + above[cut]
        lengths = _knots(n - 2, _HELD_PER_OCTAVE)
        row = np.interp(high - low, lengths, np.arange(lengths.size))
        for step, along in _neighbours(row, lengths.size):
            for k in np.unique(step[~one_end]).tolist():
                chosen = (step == k) & ~one_end
                length = int(lengths[k])
                items = min(n, max(_AROUND * length, _SHORT))
                at_low, at_high = self._halves((items - length) // 2, length, items)
                excess[chosen] += along[chosen] * (at_low[low[chosen]] + at_high[high[chosen]])
        return excess

    def _halves(self, begin: int, length: int, items: int) -> tuple[Floats, Floats]:
        """Return what people on either side of a range's middle add to it, at any place of its ends.

        They add it as to the range that begins at ``begin`` on a line of so many items: those on the
        left by the place of its low end, or of its only one, those on the right by that of its high end.
        """
        line = Line(items, self._line.widths, self._line.cells.tolist(), self._line.law)
        inside = np.zeros(items)
        inside[begin : begin + length] = 1.0
        covariance = line.covariance_with(inside)
        density, constant = np.zeros(items), 0.0
        for held, width, cells in zip(self._held, line.widths, line.cells, strict=True):
            squares = _window_sums(covariance, width) ** 2
            density += held * _blurred(squares, width)
            constant -= float(held * squares.sum() / (width * cells))
        even = covariance @ inside
        high = begin + length
        low = begin or high
        left = np.clip((low + high) / 2 - np.arange(items), 0.0, 1.0)  # the middle item counts half to each
        return (
            (self._beside(density * left, low) + constant / 2) / even,
            (self._beside(density * (1 - left), high) + constant / 2) / even,
        )

    def _beside(self, density: Floats, anchor: int) -> Floats:
        """Return Σ_z θ_z density[z − i + anchor] for every boundary i."""
        n, reach = self._line.items, density.size
        size = 1 << (n + reach).bit_length()
        turned = np.fft.rfft(np.diff(self._cdf), size) * np.fft.rfft(density[::-1], size)
        start = reach - 1 - anchor
        return np.fft.irfft(turned, size)[start : start + n + 1]

    @cached_property
    def _matrix(self) -> Floats:
        """The covariance of the shares below any two boundaries."""
        n = self._line.items
        covariance = self._line.covariance_with(np.eye(n))
        middle = np.zeros((n, n))
        early, late = (
            np.minimum.outer(np.arange(n), np.arange(n)),
            np.maximum.outer(np.arange(n), np.arange(n)),
        )
        for held, width, cells, mass in self._windows():
            if held:  # windows that hold two items begin after the later one less w, up to the earlier
                upto = np.concatenate([[0.0], np.cumsum(mass - 1 / cells)])
                begins = upto[early + width] - upto[np.minimum(late, early + width)]
                middle += held / width * begins
        whole = covariance + covariance @ middle @ covariance
        sums = np.zeros((n + 1, n + 1))
        sums[1:, 1:] = whole.cumsum(axis=0).cumsum(axis=1)
        return sums - self._means.T @ self._means


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


def _window_sums(values: Floats, width: int) -> Floats:
    """Return the sums over every window of ``width`` items, from the one that holds only the first on."""
    nothing = np.zeros((*values.shape[:-1], width))
    upto = np.concatenate([nothing, np.cumsum(values, axis=-1)], axis=-1)
    total = np.repeat(upto[..., -1:], width - 1, axis=-1)
    sums: Floats = np.concatenate([upto, total], axis=-1)[..., width:] - upto[..., :-1]
    return sums


def _blurred(mass: Floats, width: int) -> Floats:
    """Return, for every item, the mean over the windows that hold it."""
    upto = np.concatenate([[0.0], np.cumsum(mass)])
    blurred: Floats = (upto[width:] - upto[:-width]) / width
    return blurred
