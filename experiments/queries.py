"""The paper's questions, and the mean squared error over each set of them.

Answers of a consistent estimate are differences of its cdf, so with E the error of the cdf at every
boundary the sums over all ranges have closed forms: no query is asked one by one.
"""

from __future__ import annotations

import math

import numpy as np

from ldprange.support.arrays import Boundaries, Floats

DECILES = tuple(round(0.1 * tenth, 1) for tenth in range(1, 10))
_ALL_STARTS = 1 << 16  # up to this many bins every range is asked
_SAMPLE = 1 << 16  # of a set of ranges, where each has to be looked at


def start_step(bins: int) -> int:
    """Return the distance between the first bins of the ranges that are asked.

    On 2^16 bins and fewer all ranges are; beyond, all that begin at every 2^15th bin (2^20 bins) or at
    every 2^16th (2^22 bins).
    """
    if bins <= _ALL_STARTS:
        return 1
    return 1 << 15 if bins <= 1 << 20 else 1 << 16


def lengths(bins: int) -> tuple[int, int, int, int]:
    """Return four range lengths from 1 to nearly the whole domain.

    The paper's figure has four; its text gives the first and, roughly, the last.

    >>> lengths(256)
    (1, 16, 128, 240)
    """
    root = math.isqrt(bins)
    return 1, root, bins // 2, bins - root


def over_ranges(error: Floats) -> float:
    """Return the mean squared error over the ranges that :func:`start_step` says, exactly."""
    bins = error.size - 1
    starts = np.arange(0, bins, start_step(bins))
    after = np.cumsum(error[::-1])[::-1]  # Σ E_b over b ≥ a, and Σ E_b²
    after_squared = np.cumsum(error[::-1] ** 2)[::-1]
    ends = bins - starts
    here = error[starts]
    squares = ends * here**2 - 2 * here * (after[starts] - here) + after_squared[starts] - here**2
    return float(squares.sum() / ends.sum())


def over_prefixes(error: Floats) -> float:
    """Return the mean squared error over all prefixes."""
    return float(np.mean(error[1:] ** 2))


def over_length(error: Floats, length: int) -> float:
    """Return the mean squared error over all ranges of one length."""
    return float(np.mean((error[length:] - error[:-length]) ** 2))


def sampled_ranges(bins: int, step: int) -> tuple[Boundaries, Boundaries]:
    """Return first bin and end of every range that begins at a multiple of ``step``, or of an even sample."""
    starts = np.arange(0, bins, step)
    before = np.concatenate([[0], np.cumsum(bins - starts)])
    chosen = _spread(int(before[-1]))
    which = np.searchsorted(before, chosen, side="right") - 1
    return starts[which], starts[which] + 1 + chosen - before[which]


def sampled_prefixes(bins: int) -> Boundaries:
    """Return the end of every prefix, or of an even sample of them."""
    return 1 + _spread(bins)


def sampled_starts(bins: int, length: int) -> Boundaries:
    """Return where every range of one length begins, or an even sample."""
    return _spread(bins - length + 1)


def _spread(number: int) -> Boundaries:
    """Return all of ``range(number)``, or a sample that is in step with no grid."""
    if number <= _SAMPLE:
        return np.arange(number)
    golden = (np.arange(_SAMPLE) * (math.sqrt(5) - 1) / 2) % 1.0
    return (golden * number).astype(np.int64)
