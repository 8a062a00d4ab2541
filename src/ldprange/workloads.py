"""What errors are averaged over: all ranges and all prefixes of a domain, or an even sample of them.

Bins without an order have neither: there it is all bins, one by one. Beside other attributes, half of the
questions do not ask for one of them, but for all together.
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
    sides = [
        _any_of(bins, alone=len(shape) == 1) if place in unordered else ranges_of(bins)
        for place, bins in enumerate(shape)
    ]
    return _chosen(sides, _lattice(tuple(low.size for low, _ in sides)))


def corners_of(
    shape: tuple[int, ...], unordered: Collection[int] = ()
) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]:
    """Return all products of prefixes, or an even sample of them, one prefix for each attribute."""
    sides = [
        _any_of(bins, alone=len(shape) == 1)
        if place in unordered
        else (np.zeros(bins, np.int64), np.arange(bins) + 1)
        for place, bins in enumerate(shape)
    ]
    sizes = tuple(low.size for low, _ in sides)
    few = math.prod(sizes) <= _SOME_BOXES
    return _chosen(sides, list(np.indices(sizes).reshape(len(sizes), -1)) if few else _lattice(sizes))


def _any_of(bins: int, *, alone: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return single bins, and unless they are ``alone``, as often all of them."""
    low, high = ranges_of(bins, ordered=False)
    if alone:
        return low, high
    return np.append(low, np.zeros_like(low)), np.append(high, np.full_like(high, bins))


def _chosen(
    sides: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]], rows: Sequence[NDArray[np.int64]]
) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]:
    """Return the begins and the ends of some products of the ``sides``, by the rows that each is of."""
    pairs = [(low[each], high[each]) for (low, high), each in zip(sides, rows, strict=True)]
    return [low for low, _ in pairs], [high for _, high in pairs]


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
        if place not in unordered:
            shares *= (bins + 2) / (3 * bins), (bins + 1) / (2 * bins)
            squares *= np.array(mean_overlap(bins, bins)) / bins
        elif len(shape) == 1:
            shares, squares = shares / bins, squares / bins**2
        else:
            shares, squares = shares * (1 + 1 / bins) / 2, squares * (1 + 1 / bins**2) / 2
    return shares - squares


def mean_overlap(bins: int, size: int) -> tuple[float, float]:
    """Return the mean of Σ_blocks overlap²/size over all ranges and over all prefixes of ``bins`` bins.

    overlap² counts pairs (x, y) of a block's bins that the query holds both; a range holds
    bins x ≤ y for (x + 1)(D − y) of its D(D + 1)/2 placements, a prefix for D − y of D.
    """
    bins, size = int(bins), int(size)
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
