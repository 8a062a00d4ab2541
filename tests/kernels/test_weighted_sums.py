"""Weighted sums over neighbouring rows: either twin against plain loops, and rows that are not there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel_twins import Kernels, both_twins

sizes = st.integers(1, 6)


@both_twins
@given(st.integers(0, 2**32), sizes, sizes, st.integers(0, 9), st.sampled_from([0, 1, 7, 3000]))
def test_weighted_sums_are_those_of_plain_loops(
    kernels: Kernels, seed: int, number: int, width: int, more: int, count: int
) -> None:
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(number + more, width + more))
    first, column = (rng.integers(0, more, count, endpoint=True) for _ in range(2))
    weights, others = rng.normal(size=(count, number)), rng.normal(size=(count, width))
    near = [
        table[row : row + number, start : start + width] for row, start in zip(first, column, strict=True)
    ]
    blocks = np.reshape(near, (count, number, width))
    rows = kernels.weighted_rows(table, first, weights, column, width)
    np.testing.assert_allclose(rows, (weights[:, :, None] * blocks).sum(axis=1), atol=1e-12)
    whole = kernels.weighted_rows(np.asfortranarray(table), first, weights)
    np.testing.assert_allclose(
        whole[:, :width], kernels.weighted_rows(table, first, weights, 0 * first, width)
    )
    pairs = kernels.weighted_pairs(table, first, weights, column, others)
    np.testing.assert_allclose(pairs, (rows * others).sum(axis=1), atol=1e-12)
    products = kernels.product_sums(table, first, column % len(table), table, first)
    wanted = (table[first] ** 2 * table[column % len(table)]).sum(axis=1)
    np.testing.assert_allclose(products, wanted, atol=1e-11)


@both_twins
@pytest.mark.parametrize(("first", "column"), [(3, 0), (0, 3), (9, 0), (0, 9)])
def test_rows_and_columns_outside_the_table_are_refused(kernels: Kernels, first: int, column: int) -> None:
    table, weights = np.ones((4, 4)), np.ones((1, 2))
    places = np.array([first]), np.array([column])
    with pytest.raises((ValueError, IndexError)):
        kernels.weighted_rows(table, places[0], weights, places[1], 2)
    with pytest.raises((ValueError, IndexError)):
        kernels.weighted_pairs(table, places[0], weights, places[1], weights)
    with pytest.raises((ValueError, IndexError)):
        kernels.product_sums(table, places[0] + 2, places[1] + 2, table, places[0])
