"""Symmetric positive definite Toeplitz matrices: products, solutions, and sums of the inverse.

A product is a convolution, so it costs two Fourier transforms. A solution is found by conjugate
gradients, preconditioned by the circulant matrix nearest to the Toeplitz one (T. Chan, 1988): the matrices
of :mod:`ldprange.least_squares.line` take 9 to 20 steps to full precision at any size.

The inverse is known from its first column x alone (Gohberg and Semencul), and summing it up keeps the form:
with X = cumsum(x) and Y = cumsum(0, x[n−1], …, x[1]), the sum of the inverse over its first i rows and
first i + r columns is (1/x[0]) Σ_{m<i} (X[m] X[m+r] − Y[m] Y[m+r]).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ldprange.support.arrays import Floats

_PRECISION = 1e-13  # of a solution's residual, relative to the right side
_MAX_STALLED = 10  # steps without progress
_NOTHING = 1e-300  # in place of 0, where a row is solved before the others


class Toeplitz:
    """The matrix with entry ``column[|i − j|]`` in row i and column j.

    >>> matrix = Toeplitz(np.array([2.0, 1.0, 0.5]))
    >>> matrix.times(np.array([1.0, 2.0, 3.0])).round(12).tolist()
    [5.5, 8.0, 8.5]
    >>> matrix.solve(np.array([5.5, 8.0, 8.5])).round(12).tolist()
    [1.0, 2.0, 3.0]
    """

    def __init__(self, column: Floats) -> None:
        self.size = n = column.size
        self._padded = 1 << (2 * n - 1).bit_length()
        around = np.zeros(self._padded)
        around[:n] = column
        around[self._padded - n + 1 :] = column[:0:-1]
        self._spectrum = np.fft.rfft(around).real
        # a circulant of a power of two is faster, but it is positive only if the column has fallen to 0
        self._around = m = n if column[-1] else self._padded // 2
        longer = np.zeros(m)
        longer[:n] = column
        k = np.arange(m)
        nearest = ((m - k) * longer + k * np.roll(longer[::-1], 1)) / m
        self._circulant = np.fft.rfft(nearest).real

    def times(self, vectors: Floats) -> Floats:
        """Multiply a vector, or each row of many."""
        transformed = self._spectrum * np.fft.rfft(vectors, self._padded)
        product: Floats = np.fft.irfft(transformed, self._padded)[..., : self.size]
        return product

    def solve(self, right: Floats) -> Floats:
        """Return the vector that is multiplied to ``right``, or one for each row of many."""
        solution, residual = np.zeros_like(right), right
        left = np.linalg.norm(right, axis=-1, keepdims=True)
        wanted, least, stalled = _PRECISION * left, np.inf, 0
        direction, before = np.zeros_like(right), np.full(left.shape, np.inf)
        while np.any(left > wanted) and stalled < _MAX_STALLED:
            turned = np.fft.rfft(residual, self._around) / self._circulant
            near = np.fft.irfft(turned, self._around)[..., : self.size]
            agreement = (residual * near).sum(axis=-1, keepdims=True)
            direction = near + (agreement / np.maximum(before, _NOTHING)) * direction
            image = self.times(direction)
            step = agreement / np.maximum((direction * image).sum(axis=-1, keepdims=True), _NOTHING)
            step = np.where(left > wanted, step, 0.0)  # a row that is solved stays as it is
            solution, residual, before = solution + step * direction, residual - step * image, agreement
            left = np.linalg.norm(residual, axis=-1, keepdims=True)
            furthest = float((left / np.maximum(wanted, _NOTHING)).max())
            stalled = 0 if furthest < least else stalled + 1  # rounding allows no more
            least = min(least, furthest)
        return solution

    @cached_property
    def _sums(self) -> tuple[Floats, Floats, float]:
        unit = np.zeros(self.size)
        unit[0] = 1.0
        first = self.solve(unit)
        return np.cumsum(first), np.cumsum(np.roll(first[::-1], 1) * (np.arange(self.size) > 0)), first[0]

    def inverse_sums(self, apart: int, most: int | None = None) -> Floats:
        """Return the inverse's sums over the first i rows and i + ``apart`` columns, i = 1 … n − ``apart``.

        ``most`` is the number of rows to stop at.
        """
        x, y, corner = self._sums
        stop = self.size - apart if most is None else most
        sums: Floats = (
            np.cumsum(x[:stop] * x[apart : apart + stop] - y[:stop] * y[apart : apart + stop]) / corner
        )
        return sums
