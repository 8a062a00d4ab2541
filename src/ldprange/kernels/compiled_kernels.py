"""The hot loops in C++: arrays are made and brought into shape here, and filled in ``src/compiled``.

What each function does is said by its twin in ``numpy_kernels``; those that cost little are that twin.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ldprange.kernels._compiled as _compiled
from ldprange.kernels import numpy_kernels
from ldprange.kernels.numpy_bits import Bytes, Places
from ldprange.kernels.numpy_kernels import (
    Blocks,
    block_halves,
    hadamard_index,
    hadamard_powers,
    hadamard_scatter,
    happens,
    parity,
    polynomial_hash,
)
from ldprange.kernels.numpy_randomisers import subsets_together
from ldprange.kernels.numpy_sets import Ranks, check_ranks
from ldprange.support.arrays import Boundaries, Codes, Counts, Floats, Words
from ldprange.support.parallel import workers

__all__ = ["Blocks", "block_halves", "hadamard_index", "hadamard_powers", "hadamard_scatter", "happens"]
__all__ += ["parity", "polynomial_hash"]  # they are the twin's
__all__ += [name for name in numpy_kernels.__all__ if name not in __all__]

_SPARSE = 32  # cells for each of a set, from which on searching for those that it holds is faster


def _stepped(rng: np.random.Generator, kernel: Callable[..., None], *arguments: Any, finer: int = 0) -> bool:
    """Call a ``kernel`` on the four numbers that are the generator's state, and return whether that can be.

    They must be SFC64's, and one word must decide: two do at a large ε alone, which nobody rehearses at
    length.
    """
    if finer or not isinstance(rng.bit_generator, np.random.SFC64):
        return False
    state: Any = rng.bit_generator.state
    kernel(state["state"]["state"], *arguments)
    rng.bit_generator.state = state
    return True


def seeded_words(rng: np.random.Generator, count: int) -> Words:
    """Return words from a seeded generator."""
    words = np.empty(count, np.uint32)
    if _stepped(rng, _compiled.draw_words, words):
        return words
    return numpy_kernels.seeded_words(rng, count)


def tally(codes: Codes, outputs: int) -> Counts:
    """Count how often each code in ``[0, outputs)`` occurs; any other is an error."""
    if codes.dtype.itemsize > 4:
        return numpy_kernels.tally(codes, outputs)
    counts = np.empty(outputs, np.int64)
    _compiled.tally(np.ascontiguousarray(codes, np.uint32), counts, workers())
    return counts


def draw_levels(rng: np.random.Generator, count: int, thresholds: tuple[int, ...]) -> NDArray[np.uint8]:
    """Draw a word and choose a level for each of ``count`` users."""
    chosen = np.empty(count, np.uint8)
    if _stepped(rng, _compiled.draw_levels, np.array(thresholds, np.uint64), chosen):
        return chosen
    return numpy_kernels.draw_levels(rng, count, thresholds)


def split_by_level(items: NDArray[np.integer[Any]], chosen: NDArray[np.uint8], levels: int) -> list[Words]:
    """Return, for every level, the items of those who chose it, in their order."""
    grouped = np.empty(items.size, np.uint32)
    bounds = np.empty(levels + 1, np.int64)
    if items.dtype != np.int64:
        items = items.astype(np.uint32, copy=False)
    _compiled.split_by_level(np.ascontiguousarray(items), np.ascontiguousarray(chosen), grouped, bounds)
    return np.split(grouped, bounds[1:-1])


def encode_contrast(
    items: Words, rng: np.random.Generator, pairs: int, threshold: int, finer: int = 0
) -> Words:
    """Randomise items by HRR on pairs of cells."""
    held, codes = np.ascontiguousarray(items), np.empty(items.size, np.uint32)
    if _stepped(rng, _compiled.encode_contrast, held, pairs, threshold, codes, finer=finer):
        return codes
    return numpy_kernels.encode_contrast(items, rng, pairs, threshold, finer)


hash_to_symbol: Callable[[int, int, int, int], int] = _compiled.hash_to_symbol  # a wrapper would cost as much


def draw_below(rng: np.random.Generator, count: int, bound: int) -> Words:
    """Return ``count`` integers in ``[0, bound)``, all equally likely."""
    drawn = np.empty(count, np.uint32)
    if _stepped(rng, _compiled.draw_below, bound, drawn):
        return drawn
    return numpy_kernels.draw_below(rng, count, bound)


def respond(symbols: Words, rng: np.random.Generator, number: int, threshold: int, finer: int = 0) -> Words:
    """Randomise symbols out of ``number``."""
    sent = symbols.copy()
    if _stepped(rng, _compiled.respond, number, threshold, sent, finer=finer):
        return sent
    return numpy_kernels.respond(symbols, rng, number, threshold, finer)


def encode_hadamard(
    items: Words, rng: np.random.Generator, bits: int, digits: int, threshold: int, finer: int = 0
) -> Words:
    """Randomise items by Hadamard hashing."""
    held, codes = np.ascontiguousarray(items), np.empty(items.size, np.uint32)
    if _stepped(rng, _compiled.encode_hadamard, held, bits, digits, threshold, codes, finer=finer):
        return codes
    return numpy_kernels.encode_hadamard(items, rng, bits, digits, threshold, finer)


def encode_subset(
    items: Words, rng: np.random.Generator, cells: int, size: int, threshold: int, finer: int = 0
) -> NDArray[np.uint8]:
    """Randomise items by subset selection."""
    rows = np.empty((items.size, (cells + 7) // 8), np.uint8)
    how = np.ascontiguousarray(items), cells, size, threshold, subsets_together(cells), rows
    if _stepped(rng, _compiled.encode_subset, *how, finer=finer):
        return rows
    return numpy_kernels.encode_subset(items, rng, cells, size, threshold, finer)


def copy_bits(
    source: Bytes, source_places: Places, target: Bytes, target_places: Places, bits: int, count: int
) -> None:
    """Copy a field of ``bits`` bits of each of ``count`` rows of ``source`` to a place in ``target``."""
    _compiled.copy_bits(source, *source_places, target, *target_places, bits, count)


def rank_sets(rows: NDArray[np.uint8], table: Ranks) -> Ranks:
    """Return the ranks of sets, whose ``rows`` have one bit per cell, by their ``table``."""
    ranks = np.empty(len(rows), np.uint64)
    _compiled.rank_sets(np.ascontiguousarray(rows), table, ranks)
    return ranks


def sets_of_ranks(ranks: Ranks, table: Ranks) -> NDArray[np.uint8]:
    """Return the sets of ``ranks``, which must be those of sets, by their ``table``: a row each."""
    size, cells = table.shape
    if cells > _SPARSE * size:  # it looks at every cell
        return numpy_kernels.sets_of_ranks(ranks, table)
    check_ranks(ranks, table)
    terms = np.ascontiguousarray(np.vstack([np.zeros_like(table[0]), table]).T)
    rows = np.empty((ranks.size, (cells + 7) // 8), np.uint8)
    _compiled.sets_of_ranks(np.ascontiguousarray(ranks), terms, rows)
    return rows


def set_sizes(rows: NDArray[np.uint8]) -> Words:
    """Return how many cells each of ``rows``, which have one bit per cell, holds."""
    sizes = np.empty(len(rows), np.uint32)
    _compiled.set_sizes(np.ascontiguousarray(rows), sizes)
    return sizes


def hash_hadamard(index: Words, items: Words, bits: int, lowest: int) -> Words:
    """Hash items by indices to ``bits`` bits."""
    index, items = np.broadcast_arrays(index, items)
    symbols = np.empty(items.shape, np.uint32)
    _compiled.hash_hadamard(index.ravel(), items.ravel(), bits, lowest, symbols.reshape(-1))
    return symbols


def hadamard_supports(counts: Counts, bits: int, digits: int, cells: int) -> NDArray[np.float64]:
    """Return how many reports support each of the ``cells``, from ``counts`` of their codes, row by row."""
    supports = np.empty((len(counts), cells))
    _compiled.hadamard_supports(np.ascontiguousarray(counts), bits, digits, supports, workers())
    return supports


def split_blocks(blocks: Blocks, spreads: Floats, weights: Floats) -> Floats:
    """Return the mean mass of every half of ``blocks``."""
    masses = np.empty(blocks.half_variance.size)
    known = map(np.ascontiguousarray, blocks[:4])
    _compiled.split_blocks(
        *known, blocks.width, blocks.length, blocks.least, spreads, weights, masses, workers()
    )
    return masses


def mixture_weights(
    value: Floats,
    noise: Floats,
    centre: Floats,
    parent: Floats,
    spreads: Floats,
    start: Floats,
    counts: float,
    rounds: int,
) -> Floats:
    """Return the weights of the mixture's parts, by expectation maximisation over estimates of parts."""
    weights = np.empty(start.size)
    arrays = map(np.ascontiguousarray, (value, noise, centre, parent, spreads, start))
    _compiled.mixture_weights(*arrays, counts, rounds, weights)
    return weights


def mixture_means(
    value: Floats, noise: Floats, centre: Floats, parent: Floats, spreads: Floats, weights: Floats
) -> Floats:
    """Return the mean of each part, from 0 to ``parent``, given ``value`` and the mixture's ``weights``."""
    means = np.empty(value.size)
    arrays = map(np.ascontiguousarray, (value, noise, centre, parent, spreads, weights))
    _compiled.mixture_means(*arrays, means, workers())
    return means


def walsh_hadamard(values: NDArray[np.float64]) -> None:
    """Put Σ_j (−1)^⟨i,j⟩ values[…, j] in every place i; the last axis has a power of two.

    >>> values = np.array([1.0, 2.0, 3.0, 4.0])
    >>> walsh_hadamard(values)
    >>> values.tolist()
    [10.0, -2.0, -4.0, 0.0]
    """
    if not values.flags.c_contiguous:
        raise ValueError("what is transformed in place must lie in one piece")
    _compiled.walsh_hadamard(values.reshape(-1, values.shape[-1]), workers())


def sum_unary(packed: NDArray[np.uint8], cells: int, groups: Words | None = None, number: int = 1) -> Counts:
    """Add up rows of packed bits, lowest bit first, into one count per cell, for each group of rows."""
    rows, counts = np.ascontiguousarray(packed), np.zeros((number, cells), np.int64)
    if groups is None:
        _compiled.sum_unary(rows, counts[0], workers())
    else:
        _compiled.sum_unary_groups(rows, np.ascontiguousarray(groups), counts)
    return counts


def sum_supports(
    coefficients: Words,
    reported: Words,
    cells: int,
    exponent: int,
    symbols: int,
    groups: Words | None = None,
    number: int = 1,
) -> Counts:
    """Count, for every cell, the reports of each group whose hash of it equals the symbol they carry."""
    counts = np.empty((number, cells), np.int64)
    order, bounds = _grouped(len(reported), groups, number)
    if order is not None:
        coefficients, reported = coefficients[:, order], reported[order]
    fields = np.ascontiguousarray(coefficients, np.uint32)
    sent = np.ascontiguousarray(reported, np.uint32)
    _compiled.sum_supports(fields, sent, bounds, exponent, symbols, counts, workers())
    return counts


def joint_variances(
    low: Sequence[NDArray[np.int64]],
    high: Sequence[NDArray[np.int64]],
    sizes: Sequence[Sequence[int]],
    upto: NDArray[np.float64],
    shrink: NDArray[np.float64],
    spread: NDArray[np.float64],
    scales: NDArray[np.float64],
    held: NDArray[np.float64],
    users: float,
) -> NDArray[np.float64]:
    """Return the exact variances of many questions, each on every axis a range of bins."""
    if len(sizes) > 2:
        return numpy_kernels.joint_variances(low, high, sizes, upto, shrink, spread, scales, held, users)
    count, by_depths = low[0].size, [shrink, spread, scales, held]
    if len(sizes) == 1:  # beside an axis of one bin, which is always asked for
        low, high = [*low, np.zeros(count, np.int64)], [*high, np.ones(count, np.int64)]
        sizes = [*sizes, (1,)]
        upto = np.stack([np.zeros_like(upto), upto], axis=1)
        by_depths = [each[:, None] for each in by_depths]
    ends = np.array(low, np.int64), np.array(high, np.int64)
    nested = [np.array(each, np.int64) for each in sizes]
    tables = [np.ascontiguousarray(each, np.float64) for each in (upto, *by_depths)]
    variances = np.empty(count)
    _compiled.joint_variances(*ends, *nested, *tables, users, variances, workers())
    return variances


def weighted_rows(
    table: Floats,
    first: Boundaries,
    weights: Floats,
    column: Boundaries | None = None,
    width: int | None = None,
) -> Floats:
    """Return the sums of ``weights`` times rows ``first``, ``first + 1``, … of ``table``."""
    sums = np.empty((first.size, table.shape[1] if width is None else width))
    columns = np.zeros_like(first) if column is None else column
    _compiled.weighted_rows(*map(np.ascontiguousarray, (table, first, weights, columns)), sums, workers())
    return sums


def weighted_pairs(
    table: Floats, first: Boundaries, weights: Floats, column: Boundaries, others: Floats
) -> Floats:
    """Return the sums over rows ``first``, … and columns ``column``, … of ``table`` × the weights of both."""
    sums = np.empty(first.size)
    arrays = map(np.ascontiguousarray, (table, first, weights, column, others))
    _compiled.weighted_pairs(*arrays, sums, workers())
    return sums


def product_sums(
    table: Floats, one: Boundaries, other: Boundaries, weights: Floats, which: Boundaries
) -> Floats:
    """Return Σ of row ``one`` × row ``other`` of ``table`` × row ``which`` of ``weights``."""
    sums = np.empty(one.size)
    arrays = map(np.ascontiguousarray, (table, one, other, weights, which))
    _compiled.product_sums(*arrays, sums, workers())
    return sums


def _grouped(
    length: int, groups: Words | None, number: int
) -> tuple[NDArray[np.intp] | None, NDArray[np.int64]]:
    """Return the rows sorted by group, and where each group begins and ends among them."""
    if groups is None:
        return None, np.array([0] + [length] * number, np.int64)
    bounds = np.concatenate([[0], np.cumsum(tally(groups, number))])
    return np.argsort(groups, kind="stable"), bounds
