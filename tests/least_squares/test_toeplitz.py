"""Toeplitz matrices against dense linear algebra."""

from __future__ import annotations

import numpy as np
import pytest

from ldprange.least_squares.toeplitz import Toeplitz
from ldprange.support.arrays import Floats


def _column(size: int, seed: int) -> Floats:
    """Return the first column of a positive definite Toeplitz matrix: triangles, as the library has them.

    A sum of triangles of several widths, the narrowest of width 1, weighted by factors of up to a hundred.
    """
    rng = np.random.default_rng([size, seed])
    widths = np.append(1, rng.integers(1, max(2, size), 4))
    weights = 10.0 ** rng.uniform(-1, 1, widths.size)
    column: Floats = np.sum(
        [w * np.maximum(0, 1 - np.arange(size) / width) for w, width in zip(weights, widths, strict=True)],
        axis=0,
    )
    return column


def _dense_toeplitz(column: Floats) -> Floats:
    place = np.arange(column.size)
    matrix: Floats = column[np.abs(place[:, None] - place)]
    return matrix


every_size = pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 8, 17, 31, 64, 100, 255, 256, 300])


@every_size
@pytest.mark.parametrize("seed", [1, 2])
def test_products_and_solutions_are_those_of_the_dense_matrix(size: int, seed: int) -> None:
    column = _column(size, seed)
    matrix, dense = Toeplitz(column), _dense_toeplitz(column)
    rows = np.random.default_rng(seed).normal(size=(5, size)) * [[1.0], [1e6], [1e-6], [0.0], [1.0]]
    rows[4] = np.eye(size)[size // 2]
    products, solutions = matrix.times(rows), matrix.solve(rows)
    for at, row in enumerate(rows):
        scale = np.abs(row).max()
        wanted = np.linalg.solve(dense, row)
        np.testing.assert_allclose(products[at], dense @ row, atol=1e-12 * scale * column.sum())
        np.testing.assert_allclose(solutions[at], wanted, atol=1e-10 * np.abs(wanted).max())
        # a row alone is what it is beside others
        np.testing.assert_allclose(matrix.times(row), products[at], atol=1e-13 * scale * column.sum())
        np.testing.assert_allclose(matrix.solve(row), wanted, atol=1e-10 * np.abs(wanted).max())
    assert np.all(solutions[3] == 0)


@every_size
def test_other_positive_definite_columns_are_solved_too(size: int) -> None:
    # any positive spectrum of a circulant three times as long gives one; here with spread of a hundred
    rng = np.random.default_rng(size)
    longer = 3 * size
    spectrum = 10.0 ** rng.uniform(-1, 1, longer // 2 + 1)
    column = np.fft.irfft(spectrum, longer)[:size]
    dense = _dense_toeplitz(column)
    right = rng.normal(size=size)
    wanted = np.linalg.solve(dense, right)
    np.testing.assert_allclose(Toeplitz(column).solve(right), wanted, atol=1e-9 * np.abs(wanted).max())


class _Counting(Toeplitz):
    products = 0

    def times(self, vectors: Floats) -> Floats:
        self.products += 1
        return super().times(vectors)


@pytest.mark.parametrize("items", [100, 1000, 4096])
def test_lines_take_few_steps_to_solve(items: int) -> None:
    widths = [1 << k for k in reversed(range((items - 1).bit_length()))]
    column = np.sum([np.maximum(0, 1 - np.arange(items) / width) for width in widths], axis=0)
    matrix, right = _Counting(column), np.random.default_rng(1).normal(size=items)
    left = right - Toeplitz(column).times(matrix.solve(right))
    assert np.linalg.norm(left) < 1e-12 * np.linalg.norm(right)
    assert 5 < matrix.products <= 20


@pytest.mark.parametrize("items", [17, 100, 513, 2049, 3000])
@pytest.mark.parametrize("falling", [1.0, 0.5])
def test_lines_shorter_than_their_widest_windows_are_solved_too(items: int, falling: float) -> None:
    # the column does not reach 0, so no longer matrix with zeros in it need be positive definite
    widths = 2.0 ** np.arange(16, -1, -1)
    weights = falling ** np.arange(widths.size)
    column = weights @ np.maximum(0, 1 - np.arange(items) / widths[:, None])
    matrix, right = Toeplitz(column / column[0]), np.random.default_rng(1).normal(size=items)
    left = right - matrix.times(matrix.solve(right))
    assert np.linalg.norm(left) < 1e-8 * np.linalg.norm(right)


@every_size
def test_sums_of_the_inverse_are_those_of_the_dense_matrix(size: int) -> None:
    column = _column(size, 3)
    matrix, inverse = Toeplitz(column), np.linalg.inv(_dense_toeplitz(column))
    upto = np.zeros((size + 1, size + 1))
    upto[1:, 1:] = inverse.cumsum(axis=0).cumsum(axis=1)
    for apart in sorted({0, 1, size // 3, size - 1} & set(range(size))):
        wanted = [upto[i, i + apart] for i in range(1, size - apart + 1)]
        slack = 1e-9 * np.abs(upto).max()
        np.testing.assert_allclose(matrix.inverse_sums(apart), wanted, atol=slack)
        most = (size - apart) // 2
        np.testing.assert_allclose(matrix.inverse_sums(apart, most), wanted[:most], atol=slack)
