"""Quantiles: where a noisy cdf, which may fall in places, crosses a height."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ldprange.support.arrays import Boundaries, Floats, Positions

_TOGETHER = 1 << 22  # losses worked out together


def crossings(cdf: Floats, wanted: Floats) -> Positions:
    """Return where a ``cdf`` at bins' boundaries crosses each of ``wanted``: where the check loss is least.

    A quantile is the x of least E|X − x|, with weights q and 1 − q on the two sides. Along x that loss
    changes by cdf − q, so that an unbiased cdf gives it without bias. (It is also where the isotonic
    regression of the cdf crosses q. The first or the last crossing of a noisy cdf may lie far out in a
    tail that holds hardly anybody.)

    >>> crossings(np.array([0.0, 0.2, 0.7, 0.6, 1.0]), np.array([0.1, 0.45, 0.9])).tolist()
    [0.5, 1.5, 3.75]
    """
    inner = cdf[1:-1]
    sums = np.append(0.0, np.cumsum(inner))
    # up to where the cdf first reaches q the loss falls, and from where it stays there it rises
    first = np.searchsorted(np.maximum.accumulate(inner), wanted)
    lengths = np.searchsorted(np.minimum.accumulate(inner[::-1])[::-1], wanted) - first + 1
    upto = np.append(0, np.cumsum(lengths))
    found = np.zeros(wanted.size, np.int64)
    for rows in _together(upto):
        begins = upto[rows] - upto[rows.start]
        places = np.arange(lengths[rows].sum()) + np.repeat(first[rows] - begins, lengths[rows])
        loss = sums[places] - np.repeat(wanted[rows], lengths[rows]) * places
        least = np.flatnonzero(loss == np.repeat(np.minimum.reduceat(loss, begins), lengths[rows]))
        found[rows] = places[least[np.searchsorted(least, begins)]]
    step = cdf[found + 1] - cdf[found]
    along = np.divide(wanted - cdf[found], step, out=np.full(wanted.shape, 0.5), where=step > 0)
    inside: Floats = np.clip(along, 0.0, 1.0 - 2**-20)  # still in the bin that was found
    return found + inside


def _together(upto: Boundaries) -> Iterator[slice]:
    """Yield slices of rows with few enough losses, or of one; ``upto`` tells how many come before each."""
    start, rows = 0, upto.size - 1
    while start < rows:
        most = int(np.searchsorted(upto, upto[start] + _TOGETHER, side="right")) - 1
        yield slice(start, start := max(most, start + 1))
