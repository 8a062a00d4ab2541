"""The hot loops in NumPy: the reference, and what is used where the compiled twin is not there."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldprange.kernels.numpy_bits import copy_bits
from ldprange.kernels.numpy_mixtures import Blocks, block_halves, mixture_means, mixture_weights, split_blocks
from ldprange.kernels.numpy_randomisers import (
    draw_below,
    encode_contrast,
    encode_hadamard,
    encode_subset,
    hadamard_index,
    hadamard_powers,
    hadamard_scatter,
    happens,
    hash_hadamard,
    hash_to_symbol,
    parity,
    respond,
    seeded_words,
)
from ldprange.kernels.numpy_sets import rank_sets, set_sizes, sets_of_ranks
from ldprange.kernels.numpy_sums import product_sums, weighted_pairs, weighted_rows
from ldprange.kernels.numpy_variances import joint_variances
from ldprange.support.arrays import Codes, Counts, Words
from ldprange.support.parallel import slices

__all__ = [
    "Blocks",
    "block_halves",
    "copy_bits",
    "draw_below",
    "draw_levels",
    "encode_contrast",
    "encode_hadamard",
    "encode_subset",
    "hadamard_index",
    "hadamard_powers",
    "hadamard_scatter",
    "hadamard_supports",
    "happens",
    "hash_hadamard",
    "hash_to_symbol",
    "joint_variances",
    "mixture_means",
    "mixture_weights",
    "parity",
    "polynomial_hash",
    "product_sums",
    "rank_sets",
    "respond",
    "seeded_words",
    "set_sizes",
    "sets_of_ranks",
    "split_blocks",
    "split_by_level",
    "sum_supports",
    "sum_unary",
    "tally",
    "walsh_hadamard",
    "weighted_pairs",
    "weighted_rows",
]


_BLOCK = 1 << 16  # elements that are worked on together: small enough to stay in a core's cache
_UNSETTLED = 255  # no level: a plan has fewer
_STEP = 1 << 15  # users whose level is drawn together: small enough that no memory is asked for anew
_RADIX_BITS = 4  # the Walsh–Hadamard transform takes this many index bits at a time


def tally(codes: Codes, outputs: int) -> Counts:
    """Count how often each code in ``[0, outputs)`` occurs; any other is an error."""
    counts = np.bincount(codes, minlength=outputs)
    if counts.size > outputs:
        raise ValueError(f"every code must lie in [0, {outputs}), got {counts.size - 1}")
    return counts


def draw_levels(rng: np.random.Generator, count: int, thresholds: tuple[int, ...]) -> NDArray[np.uint8]:
    """Draw a word for each of ``count`` users, whose level is the number of thresholds that it reaches."""
    chosen, table = np.empty(count, np.uint8), _level_table(thresholds)
    for part in slices(count, _STEP):
        words = seeded_words(rng, part.stop - part.start)
        levels = table.take(words >> np.uint32(16))
        rare = np.flatnonzero(levels == _UNSETTLED)
        levels[rare] = np.searchsorted(thresholds, words[rare], side="right")
        chosen[part] = levels
    return chosen


def split_by_level(items: NDArray[np.integer[Any]], chosen: NDArray[np.uint8], levels: int) -> list[Words]:
    """Return, for every level, the items of those who chose it, in their order."""
    if chosen.size and int(chosen.max()) >= levels:
        raise ValueError(f"every level must be below the number of levels, {levels}, got {chosen.max()}")
    order = np.argsort(chosen, kind="stable")
    grouped = items.astype(np.uint32, copy=False).take(order)
    return np.split(grouped, np.searchsorted(chosen, np.arange(1, levels), sorter=order))


@lru_cache(maxsize=64)
def _level_table(thresholds: tuple[int, ...]) -> NDArray[np.uint8]:
    """Return the level by the upper half of a word, where that settles it."""
    edges = np.arange((1 << 16) + 1, dtype=np.uint64) << np.uint64(16)
    reached = np.searchsorted(np.array(thresholds, np.uint64), edges, side="right")
    return np.where(reached[:-1] == reached[1:], reached[:-1], _UNSETTLED).astype(np.uint8)


def walsh_hadamard(values: NDArray[np.float64]) -> None:
    """Put Σ_j (−1)^⟨i,j⟩ values[…, j] in every place i; the last axis has a power of two.

    Each step transforms the lowest index bits with one matrix product and moves them to the
    top, so after all bits have had their turn the index is in its old order again.

    >>> values = np.array([1.0, 2.0, 3.0, 4.0])
    >>> walsh_hadamard(values)
    >>> values.tolist()
    [10.0, -2.0, -4.0, 0.0]
    """
    result, rows = values, values.shape[:-1]
    bits = values.shape[-1].bit_length() - 1
    while bits:
        step = min(bits, _RADIX_BITS)
        result = hadamard_matrix(step) @ result.reshape(*rows, -1, 1 << step).swapaxes(-1, -2)
        bits -= step
    values[...] = result.reshape(values.shape)


def hadamard_supports(counts: Counts, bits: int, digits: int, cells: int) -> NDArray[np.float64]:
    """Return how many reports support each of the ``cells``, from ``counts`` of their codes, row by row.

    A line's counts, with the signs of a subset of a symbol's bits, are the coefficient where that subset of
    the line's powers points.
    """
    symbols, lines = 1 << bits, counts.shape[1] >> bits
    table = counts.reshape(-1, lines, symbols).astype(np.float64)
    powers = hadamard_powers(hadamard_index(np.arange(lines, dtype=np.uint32), bits, digits), bits, lines)
    coefficients = np.zeros((len(counts), 1 << bits * digits))
    coefficients[:, 0] = counts.sum(axis=1)
    for subset in range(1, symbols):
        chosen = [power for r, power in enumerate(powers) if subset >> r & 1]
        coefficients[:, np.bitwise_xor.reduce(chosen)] = table @ hadamard_matrix(bits)[subset]
    walsh_hadamard(coefficients)
    supports: NDArray[np.float64] = coefficients[
        :, hadamard_scatter(np.arange(cells, dtype=np.uint32), bits, digits)
    ]
    return supports / symbols


@cache
def hadamard_matrix(bits: int) -> NDArray[np.float64]:
    """Return the matrix of (−1)^⟨i,j⟩ for ``bits``-bit indices."""
    index = np.arange(1 << bits, dtype=np.uint32)
    return np.where(parity(index[:, None] & index), -1.0, 1.0)


def sum_unary(
    packed: NDArray[np.uint8], cells: int, groups: NDArray[np.uint32] | None = None, number: int = 1
) -> Counts:
    """Add up rows of packed bits, lowest bit first, into one count per cell, for each group of rows."""
    counts = np.zeros((number, cells), np.int64)
    for rows, into, starts in _grouped(len(packed), groups, max(1, _BLOCK // cells)):
        bits = np.unpackbits(packed[rows], axis=1, count=cells, bitorder="little")
        counts[into] += np.add.reduceat(bits, starts, axis=0, dtype=np.int64)
    return counts


def _grouped(
    length: int, groups: NDArray[np.uint32] | None, together: int
) -> Iterator[tuple[slice | NDArray[np.intp], NDArray[np.uint32], NDArray[np.intp]]]:
    """Yield rows a block at a time, sorted by group: the rows, the groups among them, where each starts."""
    if groups is None:
        for block in slices(length, together):
            yield block, np.zeros(1, np.uint32), np.zeros(1, np.intp)
        return
    order = np.argsort(groups, kind="stable")
    for block in slices(length, together):
        rows = order[block]
        sorted_groups = groups[rows]
        starts = np.flatnonzero(np.diff(sorted_groups, prepend=sorted_groups[0] + np.uint32(1)))
        yield rows, sorted_groups[starts], starts


def polynomial_hash(
    coefficients: NDArray[np.uint64], items: NDArray[np.uint64], exponent: int, symbols: int
) -> NDArray[np.uint64]:
    """Hash items by quadratics over the prime field of 2**exponent − 1 elements, onto ``symbols`` symbols.

    ``coefficients`` has the constant, linear and quadratic coefficients along its first axis;
    the rest broadcasts against ``items``.
    """
    prime, shift = np.uint64((1 << exponent) - 1), np.uint64(exponent)
    constant, linear, quadratic = coefficients
    value = quadratic * items + linear
    value = (value & prime) + (value >> shift)
    value = value * items + constant
    value = (value & prime) + (value >> shift)
    value = (value & prime) + (value >> shift)
    value[value >= prime] -= prime
    hashed: NDArray[np.uint64] = (value * np.uint64(symbols)) >> shift
    return hashed


def sum_supports(
    coefficients: Words,
    reported: Words,
    cells: int,
    exponent: int,
    symbols: int,
    groups: NDArray[np.uint32] | None = None,
    number: int = 1,
) -> Counts:
    """Count, for every cell, the reports of each group whose hash of it equals the symbol they carry.

    Work is in blocks of reports by cells, so memory does not grow with either.
    """
    fields = coefficients.astype(np.uint64)
    if reported.size and (int(fields.max()) >= (1 << exponent) - 1 or int(reported.max()) >= symbols):
        raise ValueError("every coefficient must lie below the prime, and every symbol below their number")
    counts = np.zeros((number, cells), np.int64)
    for columns in slices(cells, 1 << 10):
        items = np.arange(columns.start, columns.stop, dtype=np.uint64)
        for rows, into, starts in _grouped(len(reported), groups, max(1, _BLOCK // items.size)):
            hashed = polynomial_hash(fields[:, rows, None], items, exponent, symbols)
            agrees = hashed == reported[rows, None]
            counts[into, columns] += np.add.reduceat(agrees, starts, axis=0, dtype=np.int64)
    return counts
