"""Counts in few bytes: they come back, whatever they are, and few of them take few bytes."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldprange.support.arrays import Counts
from ldprange.support.packed_counts import BLOCK, packed_counts, unpacked_counts

EDGES = [2**bits + more for bits in (8, 16, 32) for more in (-1, 0)]
LARGEST = 2**63 - 1


@st.composite
def sparse_counts(draw: st.DrawFn) -> Counts:
    """Draw counts that are 0 but for a few, on a little less or more than one block, or on three."""
    number = draw(st.sampled_from([1, 2, 300, 1000, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK - 5]))
    places = st.one_of(st.integers(0, number - 1), st.sampled_from([0, number - 1, min(number, BLOCK) - 1]))
    values = st.one_of(st.integers(1, 300), st.sampled_from(EDGES), st.integers(1, LARGEST))
    counts = np.zeros(number, np.int64)
    for place, value in draw(st.dictionaries(places, values, max_size=20)).items():
        counts[place] = value
    return counts


def dense_counts() -> st.SearchStrategy[Counts]:
    numbers = st.one_of(st.integers(0, 3), st.sampled_from(EDGES), st.integers(0, LARGEST))
    return st.lists(numbers, max_size=100).map(lambda counts: np.array(counts, np.int64))


@given(sparse_counts() | dense_counts(), st.binary(max_size=3))
def test_counts_come_back(counts: Counts, after: bytes) -> None:
    data = b"".join(packed_counts(counts))
    again, left = unpacked_counts(memoryview(data + after), len(counts))
    assert again.dtype == np.int64
    assert np.array_equal(again, counts)
    assert bytes(left) == after


@given(sparse_counts() | dense_counts())
def test_counts_cut_short_are_refused(counts: Counts) -> None:
    data = b"".join(packed_counts(counts))
    for stop in {0, 1, len(data) // 2, len(data) - 1} & set(range(len(data))):
        with pytest.raises(ValueError, match="end too early"):
            unpacked_counts(memoryview(data)[:stop], len(counts))


@pytest.mark.parametrize(
    ("counts", "size"),
    [
        (np.zeros(BLOCK, np.int64), 4),  # nobody
        (np.full(BLOCK, 255), 2 + BLOCK),  # each count in the fewest bytes
        (np.full(BLOCK, 256), 2 + 2 * BLOCK),
        (np.full(BLOCK, 2**32 - 1), 2 + 4 * BLOCK),
        (np.full(BLOCK, 2**32), 2 + 8 * BLOCK),
        (
            np.repeat([[1, 0, 0]], 1000, axis=0).ravel(),
            4 + 2 * 1000,
        ),  # a third: a byte for each gap and count
        (np.repeat([[1, 0]], 1000, axis=0).ravel(), 2 + 2000),  # a half: all of them
        (np.bincount([0, 256], minlength=BLOCK), 4 + 2 * (1 + 1)),  # a gap of 255
        (np.bincount([0, 257], minlength=BLOCK), 4 + 2 * (2 + 1)),  # a gap of 256
        (np.bincount([BLOCK - 1]), 4 + 2 + 1),  # the longest gap
        (np.bincount([BLOCK]), 4 + 2 + 1),  # no gap is longer than a block, of which the last has one count
    ],
)
def test_each_block_takes_the_shortest_form(counts: Counts, size: int) -> None:
    assert len(b"".join(packed_counts(counts))) == size


def test_nothing_larger_than_a_block_is_held_beside_the_counts() -> None:
    for counts in (np.arange(64 * BLOCK), np.arange(64 * BLOCK) % 2, np.zeros(64 * BLOCK, np.int64)):
        tracemalloc.start()
        sizes = [len(part) for part in packed_counts(counts)]
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 6 * 8 * BLOCK < counts.nbytes / 10
        assert len(sizes) == 64
