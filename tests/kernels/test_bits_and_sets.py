"""Rows of bits: they are copied bit by bit, and sets of cells are numbered in their order; by either twin."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel_twins import Kernels, both_twins, compiled, equal, needs_compiled
from ldprange.kernels import numpy_kernels


@both_twins
@given(
    seed=st.integers(0, 2**32),
    bits=st.one_of(st.integers(0, 70), st.sampled_from([111, 112, 113, 500])),
    count=st.integers(0, 40),
    places=st.tuples(*[st.integers(0, 20)] * 4),
)
def test_fields_are_copied_bit_by_bit(
    kernels: Kernels, seed: int, bits: int, count: int, places: tuple[int, int, int, int]
) -> None:
    before, after, to_before, to_after = places
    steps, rng = (before + bits + after, to_before + bits + to_after), np.random.default_rng(seed)
    taken, wanted = (rng.integers(0, 2, (count, step), dtype=np.uint8) for step in steps)
    field = slice(to_before, to_before + bits)
    wanted[:, field] = 0
    source, target = (np.packbits(each, bitorder="little") for each in (taken, wanted))
    kernels.copy_bits(source, (before, steps[0]), target, (to_before, steps[1]), bits, count)
    wanted[:, field] = taken[:, before : before + bits]
    equal(np.packbits(wanted, bitorder="little"), target)


def _table(cells: int, size: int) -> Any:
    return np.array([[comb(cell, place + 1) for cell in range(cells)] for place in range(size)], np.uint64)


@both_twins
@pytest.mark.parametrize(("cells", "size"), [(1, 1), (5, 1), (5, 2), (9, 9), (17, 4), (20, 3)])
def test_sets_are_numbered_in_their_order(kernels: Kernels, cells: int, size: int) -> None:
    every = sorted(sum(1 << cell for cell in cells) for cells in combinations(range(cells), size))
    width = (cells + 7) // 8
    rows = np.array([list(each.to_bytes(width, "little")) for each in every], np.uint8)
    ranks = np.arange(len(every), dtype=np.uint64)
    equal(ranks, kernels.rank_sets(rows, _table(cells, size)))
    equal(rows, kernels.sets_of_ranks(ranks, _table(cells, size)))
    equal(np.full(len(every), size, np.uint32), kernels.set_sizes(rows))


@needs_compiled
@pytest.mark.parametrize(("cells", "size"), [(65, 16), (67, 33), (64, 8), (129, 3), (1 << 16, 2)])
@pytest.mark.parametrize("number", [0, 1, 255, 257])
def test_numbers_of_large_sets_are_the_twins(cells: int, size: int, number: int) -> None:
    table, most = _table(cells, size), comb(cells, size) - 1
    ranks = np.random.default_rng(1).integers(0, most, number, dtype=np.uint64, endpoint=True)
    ranks[:1] = most
    rows = compiled.sets_of_ranks(ranks, table)
    equal(numpy_kernels.sets_of_ranks(ranks, table), rows)
    for twin in (numpy_kernels, compiled):
        equal(ranks, twin.rank_sets(rows, table))
    equal(numpy_kernels.set_sizes(rows), compiled.set_sizes(rows))


@both_twins
def test_what_is_no_set_or_lies_outside_its_row_is_refused(kernels: Kernels) -> None:
    table, none = _table(5, 2), np.zeros(2, np.uint8)
    for row in (0b00001, 0b00111, 0b100001):
        with pytest.raises(ValueError, match="as many cells as the table has rows"):
            kernels.rank_sets(np.array([[3], [row]], np.uint8), table)
    with pytest.raises(ValueError, match="must be that of a set"):
        kernels.sets_of_ranks(np.array([0, 10], np.uint64), table)
    for source, target, bits, count in (
        ((0, 8), (0, 3), 4, 2),
        ((5, 8), (0, 8), 4, 2),
        ((0, 8), (0, 8), 3, 3),
        ((0, 9), (0, 8), 3, 2),
        ((0, 8), (0, 1 << 62), 3, 2),
    ):
        with pytest.raises(ValueError, match="lie in its row"):
            kernels.copy_bits(none, source, none.copy(), target, bits, count)
