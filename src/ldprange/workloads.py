"""What errors are averaged over: all ranges and all prefixes of a domain, or an even sample of them.

Bins without an order have neither: there it is all bins, one by one.
"""

import math
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

_ALL_RANGES = 256  # up to this many bins a prediction for a population goes through every range
_SOME_RANGES = 1 << 14
_SOME_BOXES = 1 << 11  # products of ranges, each of which takes much longer


def ranges_of(bins: int, *, ordered: bool = True) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all ranges of a small domain, or an even sample (a lattice) of a large one's."""
    if not ordered:
        return np.arange(bins), np.arange(bins) + 1
    if bins <= _ALL_RANGES:
        low, high = np.triu_indices(bins)
        return low.astype(np.int64), high.astype(np.int64) + 1
    step = np.arange(_SOME_RANGES)
    one = ((step + 0.5) / _SOME_RANGES * (bins + 1)).astype(np.int64)
    other = ((step * (math.sqrt(5) - 1) / 2) % 1.0 * bins).astype(np.int64)
    other += other >= one  # any two boundaries that differ
    return np.minimum(one, other), np.maximum(one, other)


def boxes_of(
    shape: tuple[int, ...], unordered: Collection[int] = ()
) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]:
    """Return an even sample (a lattice) of all products of ranges, one range for each attribute."""
    sides = [ranges_of(bins, ordered=place not in unordered) for place, bins in enumerate(shape)]
    chosen = _lattice(tuple(low.size for low, _ in sides))
    pairs = [(low[rows], high[rows]) for (low, high), rows in zip(sides, chosen, strict=True)]
    return [low for low, _ in pairs], [high for _, high in pairs]


def corners_of(
    shape: tuple[int, ...], unordered: Collection[int] = ()
) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]:
    """Return all products of prefixes, or an even sample of them, one prefix for each attribute."""
    few = math.prod(shape) <= _SOME_BOXES
    ends = [1 + rows for rows in (np.indices(shape).reshape(len(shape), -1) if few else _lattice(shape))]
    return [end - 1 if place in unordered else np.zeros_like(end) for place, end in enumerate(ends)], ends


def _lattice(sizes: tuple[int, ...]) -> list[NDArray[np.int64]]:
    """Return points spread evenly over a box: multiples of numbers that no fraction comes near."""
    root = 2.0  # of x^(d + 1) = x + 1: for d = 1 the golden section
    for _ in range(64):
        root = (1 + root) ** (1 / (len(sizes) + 1))
    steps = (np.arange(_SOME_BOXES)[:, None] + 0.5) * root ** -np.arange(1, len(sizes) + 1) % 1.0
    return list((steps * sizes).astype(np.int64).T)


def own_variances(shape: Sequence[int], unordered: Collection[int] = ()) -> NDArray[np.float64]:
    """Return the mean of R(1 − R), R an even population's share in ranges, and in prefixes."""
    shares, squares = np.ones(2), np.ones(2)
    for place, bins in enumerate(shape):
        ordered = place not in unordered
        shares *= [(bins + 2) / (3 * bins), (bins + 1) / (2 * bins)] if ordered else [1 / bins] * 2
        squares *= np.array(mean_overlap(bins, bins, ordered=ordered)) / bins
    return shares - squares


def mean_overlap(bins: int, size: int, *, ordered: bool = True) -> tuple[float, float]:
    """Return the mean of Σ_blocks overlap²/size over all ranges and over all prefixes of ``bins`` bins.

    overlap² counts pairs (x, y) of a block's bins that the query holds both; a range holds
    bins x ≤ y for (x + 1)(D − y) of its D(D + 1)/2 placements, a prefix for D − y of D.
    """
    bins, size = int(bins), int(size)
    if not ordered:
        return 1 / size, 1 / size
    whole, rest = divmod(bins, size)
    starts, squares = size * whole * (whole - 1) // 2, size**2 * (whole - 1) * whole * (2 * whole - 1) // 6
    last = whole * size
    parts = [(size, whole, starts, squares), (rest, min(rest, 1), last, last**2)]
    ranges = prefixes = 0
    for width, number, start, square in parts:  # sums over so many blocks of their beginnings and squares
        least = width * (width - 1) * (2 * width - 1) // 6  # Σ min(u, v) over a block's pairs
        most = width**2 * (width - 1) - least
        after, around = number * bins - start, number * bins + start * (bins - 1) - square
        ranges += around * width**2 + after * least - (start + number) * most
        ranges -= number * (width * (width - 1) // 2) ** 2
        prefixes += after * width**2 - number * most
    return ranges / (size * bins * (bins + 1) // 2), prefixes / (size * bins)
