"""The hot loops, both twins, against the plainest code that says the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernel_twins import Kernels, both_twins, levels_by_words, transformed
from ldprange.oracles import HRR, OLH, HadamardHashing
from ldprange.oracles.contract import CodedMechanism

MERSENNE = (7, 13, 17, 19, 31)


@both_twins
@pytest.mark.parametrize("bits", range(11))
def test_the_transform_is_the_hadamard_matrix(kernels: Kernels, bits: int) -> None:
    size = 1 << bits
    matrix = np.array([[(-1.0) ** (i & j).bit_count() for j in range(size)] for i in range(size)])
    values = np.random.default_rng(bits).normal(size=size)
    np.testing.assert_allclose(transformed(kernels, values), matrix @ values, atol=1e-10)


@both_twins
def test_the_transform_twice_is_the_size_times_the_identity(kernels: Kernels) -> None:
    values = np.random.default_rng(1).normal(size=1 << 16)
    twice = transformed(kernels, transformed(kernels, values))
    np.testing.assert_allclose(twice, values * (1 << 16), rtol=1e-9, atol=1e-6)


def _times(value: int, bits: int) -> int:
    """Multiply an element of GF(2**bits) by x modulo x**bits + x + 1."""
    value <<= 1
    return value ^ (1 << bits | 0b11) if value >> bits else value


def _symbol(index: int, item: int, bits: int) -> int:
    """Hash an item by an index, digit by digit."""
    symbol = 0
    while index:
        digit, piece = index % (1 << bits), item % (1 << bits)
        for r in range(bits):
            symbol ^= ((digit & piece).bit_count() & 1) << r
            digit = _times(digit, bits)
        index, item = index >> bits, item >> bits
    return symbol


def _highest_digit(index: int, bits: int) -> int:
    while index >> bits:
        index >>= bits
    return index


@pytest.mark.parametrize("bits", [1, 2, 3, 4])
@pytest.mark.parametrize("cells", [2, 3, 7, 16, 40])
def test_fast_hadamard_decoding_counts_supports(bits: int, cells: int) -> None:
    mechanism = HadamardHashing(bits=bits).on(cells, 1.1)
    assert isinstance(mechanism, CodedMechanism)
    counts = np.random.default_rng(cells).integers(0, 9, mechanism.counters)
    users = int(counts.sum())
    supports = np.zeros(cells)
    lines, symbols = mechanism.counters >> bits, 1 << bits
    size = lines * (symbols - 1) + 1
    indices = [index for index in range(size) if _highest_digit(index, bits) == 1]
    assert len(indices) == lines
    for code in range(mechanism.counters):
        line, symbol = divmod(code, symbols)
        for item in range(cells):
            place = _scattered(item, bits, size)
            supports[item] += counts[code] * (_symbol(indices[line], place, bits) == symbol)
    keep = float(mechanism.likelihood(bytes(mechanism.width), 0) * lines)  # item 0 always hashes to 0
    lie = (1 - keep) / (symbols - 1)
    collision = (size / symbols - 1) / (size - 1)
    q = lie + (keep - lie) * collision
    np.testing.assert_allclose(
        mechanism.estimate(counts, users), (supports / users - q) / (keep - q), atol=1e-9
    )


@pytest.mark.parametrize(("bits", "size"), [(2, 4), (2, 16), (3, 64), (4, 256), (4, 4096)])
def test_scattering_is_a_permutation_that_is_not_linear(bits: int, size: int) -> None:
    places = [_scattered(item, bits, size) for item in range(size)]
    assert sorted(places) == list(range(size))
    if size > 16:
        pairs = np.random.default_rng(1).integers(1, size, (1000, 2)).tolist()
        linear = sum(places[a ^ b] == places[a] ^ places[b] for a, b in pairs)
        assert linear < 250  # of a linear map it would be all


def _scattered(item: int, bits: int, size: int) -> int:
    """Permute as docs/formats.md says."""
    if bits == 1:
        return item
    half = (size.bit_length()) // 2
    for factor in (0x9E3779B1, 0x85EBCA6B):
        item = ((item ^ item >> half) * factor) % size
    return item ^ item >> half


@pytest.mark.parametrize(("bits", "cells"), [(1, 16), (2, 16), (3, 64), (4, 16)])
def test_two_items_collide_for_exactly_one_index_in_so_many(bits: int, cells: int) -> None:
    # of all cells indices, the never drawn 0 included, exactly a share 2**-bits
    for one in range(cells):
        for other in range(one):
            collisions = sum(_symbol(index, one ^ other, bits) == 0 for index in range(cells))
            assert collisions == cells >> bits


def test_contrast_decoding_is_hadamard_decoding_of_signed_items() -> None:
    mechanism = HRR().on(16, 1.1, contrast=True)
    counts = np.random.default_rng(3).integers(0, 9, 16)
    users = int(counts.sum())
    keep = float(mechanism.likelihood(b"\0", 0) * 8)
    coefficients = [
        sum((counts[2 * j] - counts[2 * j + 1]) * (-1) ** (j & i).bit_count() for j in range(8))
        for i in range(8)
    ]
    half = np.array(coefficients) / (2 * (2 * keep - 1) * users)
    estimate = mechanism.estimate(counts, users)
    np.testing.assert_allclose(estimate[0::2], half, atol=1e-12)
    np.testing.assert_allclose(estimate[1::2], -half, atol=1e-12)


def _hash(coefficients: tuple[int, ...], item: int, exponent: int, symbols: int) -> int:
    a0, a1, a2 = coefficients
    return ((a2 * item * item + a1 * item + a0) % ((1 << exponent) - 1)) * symbols >> exponent


@both_twins
@given(data=st.data(), exponent=st.sampled_from(MERSENNE))
def test_the_vectorised_hash_is_that_of_whole_numbers(
    kernels: Kernels, data: st.DataObject, exponent: int
) -> None:
    element = st.integers(0, (1 << exponent) - 2)
    coefficients = data.draw(st.tuples(element, element, element))
    item = data.draw(element)
    symbols = data.draw(st.integers(2, max(2, min(1 << 16, (1 << exponent) // 32))))
    found = kernels.polynomial_hash(
        np.array(coefficients, np.uint64)[:, None], np.array([item], np.uint64), exponent, symbols
    )
    assert found.tolist() == [_hash(coefficients, item, exponent, symbols)]


@both_twins
@pytest.mark.parametrize("exponent", MERSENNE)
def test_the_vectorised_hash_is_right_for_values_that_reduce_to_almost_nothing(
    kernels: Kernels, exponent: int
) -> None:
    # Intermediate values just past a multiple of the prime need the last fold: choose the constant so that
    # the outcome is 0, 1, −1 … exactly, for large items and coefficients.
    prime = (1 << exponent) - 1
    symbols = min(3, prime // 32)
    rng = np.random.default_rng(exponent)
    items = np.concatenate([prime - 1 - np.arange(20), rng.integers(prime // 2, prime, 300)])
    linear = np.concatenate([prime - 1 - np.arange(20), rng.integers(0, prime, 300)])
    quadratic = np.concatenate([prime - 1 - np.arange(20), rng.integers(prime // 2, prime, 300)])
    for outcome in (0, 1, 2, 3, prime - 1):
        rows = [
            ((outcome - a2 * x * x - a1 * x) % prime, a1, a2, x)
            for a1, a2, x in zip(linear.tolist(), quadratic.tolist(), items.tolist(), strict=True)
        ]
        table = np.array(rows, np.uint64).T
        found = kernels.polynomial_hash(table[:3], table[3], exponent, symbols)
        np.testing.assert_array_equal(found, outcome * symbols >> exponent)


@pytest.mark.parametrize(("cells", "symbols"), [(5, 2), (120, 3), (2000, 4), (300, 9)])
def test_supports_of_local_hashing_are_counted_one_by_one(cells: int, symbols: int) -> None:
    mechanism = OLH(symbols=symbols).on(cells, 1.1)
    column = mechanism.encode_many(np.arange(150, dtype=np.uint32) % cells, np.random.default_rng(cells))
    prime = next(s for s in MERSENNE if (1 << s) - 1 >= max(cells, 32 * symbols))
    wanted = [
        sum(_hash(tuple(row[:3]), item, prime, symbols) == row[3] for row in column.tolist())
        for item in range(cells)
    ]
    assert mechanism.tally(column).tolist() == wanted


@both_twins
@pytest.mark.parametrize("cells", [1, 7, 8, 9, 70_000])
def test_packed_bits_add_up(kernels: Kernels, cells: int) -> None:
    bits = np.random.default_rng(cells).random((5, cells)) < 0.3
    packed = np.packbits(bits, axis=1, bitorder="little")
    np.testing.assert_array_equal(kernels.sum_unary(packed, cells)[0], bits.sum(axis=0))


@both_twins
@given(st.lists(st.integers(0, 2**32 - 1), max_size=50))
def test_parity_is_that_of_the_number_of_ones(kernels: Kernels, words: list[int]) -> None:
    found = kernels.parity(np.array(words, np.uint32))
    assert found.tolist() == [word.bit_count() % 2 for word in words]


@both_twins
def test_tally_has_a_place_for_codes_nobody_sent(kernels: Kernels) -> None:
    assert kernels.tally(np.array([1, 1, 3], np.uint32), 6).tolist() == [0, 2, 0, 1, 0, 0]


@both_twins
@given(
    st.lists(st.integers(0, 2**32), max_size=6).map(sorted),
    st.lists(st.integers(0, 2**32 - 1), max_size=40),
)
def test_a_words_level_is_the_number_of_thresholds_it_reaches(
    kernels: Kernels, thresholds: list[int], words: list[int]
) -> None:
    # words at and beside every threshold, and beside every edge of its upper half
    words += [
        word
        for threshold in thresholds
        for edge in (threshold, threshold >> 16 << 16, (threshold >> 16) + 1 << 16)
        for word in (edge - 1, edge)
        if 0 <= word < 2**32
    ]
    wanted = [sum(word >= threshold for threshold in thresholds) for word in words]
    assert levels_by_words(kernels, words, tuple(thresholds)) == wanted
    chosen = np.array(wanted, np.uint8)
    groups = kernels.split_by_level(np.arange(chosen.size), chosen, len(thresholds) + 1)
    assert [group.tolist() for group in groups] == [
        [at for at, level in enumerate(wanted) if level == here] for here in range(len(thresholds) + 1)
    ]


class _Scripted:
    """A generator that gives the words that it was made of."""

    bit_generator = None

    def __init__(self, words: list[int]) -> None:
        self._words = words

    def integers(self, *_: object, **__: object) -> NDArray[np.uint64]:
        return np.array([self._words.pop(0)], np.uint64)


@both_twins
@pytest.mark.parametrize("bound", [1, 2, 3, 5, 66, 5461, 1 << 20, 2**31 + 1, 3 << 30, 2**32 - 1])
def test_each_integer_below_a_bound_has_as_many_words_and_the_rest_are_drawn_again(
    kernels: Kernels, bound: int
) -> None:
    unfair, each = 2**32 % bound, 2**32 // bound
    for wanted in {0, 1 % bound, bound // 2, bound - 1}:
        first = -(
            -((wanted << 32) + unfair) // bound
        )  # words whose product's lower half is not below 2³² mod bound
        last = -(-(wanted + 1 << 32) // bound) - 1
        assert last - first + 1 == each
        for word in (first, last):
            assert kernels.draw_below(_Scripted([word]), 1, bound).tolist() == [wanted]
        before = -(-(wanted << 32) // bound)
        if before < first:  # and those before the first, if any, are not this or another integer's
            rng = _Scripted([before, first - 1, last])
            assert kernels.draw_below(rng, 1, bound).tolist() == [wanted]


@both_twins
@pytest.mark.parametrize("number", [1, 3, 100])
def test_sums_by_group_are_the_sums_of_each_group(kernels: Kernels, number: int) -> None:
    rng = np.random.default_rng(number)
    packed = rng.integers(0, 256, (70_000, 3), dtype=np.uint8)  # of 20 bits: more than one block of rows
    groups = rng.integers(0, number, len(packed), dtype=np.uint32)
    together = kernels.sum_unary(packed, 20, groups, number)
    for group in range(number):
        np.testing.assert_array_equal(together[group], kernels.sum_unary(packed[groups == group], 20)[0])


@both_twins
@pytest.mark.parametrize("rows", [(), (3,), (2, 5)])
def test_transforms_of_many_rows_are_those_of_each(kernels: Kernels, rows: tuple[int, ...]) -> None:
    values = np.random.default_rng(1).normal(size=(*rows, 64))
    each = [transformed(kernels, row) for row in values.reshape(-1, 64)]
    np.testing.assert_allclose(transformed(kernels, values).reshape(-1, 64), each, atol=1e-12)
