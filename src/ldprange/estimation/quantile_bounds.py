"""Where quantiles may lie: what the shares below boundaries do not rule out."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from ldprange.estimation.shares import Shares, at_once
from ldprange.levels import boundaries
from ldprange.support.arrays import Boundaries, Floats, Positions

_IN_TURN = 0.8  # of the risk, for boundaries in turn; the rest for all at once
_FEW_NODES = 256  # at most, between which quantiles are first looked for; then between more of those nearby,
_FINER = 4  # times as many on the next level,
_NODES_ACROSS = 32  # until so many lie where the quantile may be; several are looked at together
_MANY_ACROSS = 16  # if there are so many at least


def quantile_bounds(shares: Shares, wanted: Floats, z: float) -> tuple[Positions, Positions]:
    """Return the boundaries between which quantiles lie, for the ``wanted`` shares of people below them.

    Intervals are as sure as those that reach ``z`` standard deviations to either side.

    Where the share below a boundary is surely less than q, the quantile lies beyond. One boundary may seem so
    by chance, so they are looked at in two ways, which share the risk. All at once, with long intervals: so
    it is found whereabouts the quantile is, and how close to look. There boundaries come one after another
    from either end, and the quantile's own is the first that can be wrong: several together, which have less
    noise, unless only few lie there.
    """
    number = 2 * shares.bins  # of boundaries, on all levels
    in_turn, all_of_them = at_once(z, 1 / _IN_TURN), at_once(z, number / (1 - _IN_TURN))
    low, high = np.zeros(wanted.size), np.full(wanted.size, float(shares.bins))

    def narrow(which: NDArray[np.intp], known: Boundaries, least: Floats, most: Floats) -> None:
        """Leave what lies beyond boundaries whose ``most`` is below q, up to where ``least`` reaches it."""
        before = known[np.maximum(np.searchsorted(most, wanted[which]) - 1, 0)]
        after = known[np.minimum(np.searchsorted(least, wanted[which]), known.size - 1)]
        ends = np.maximum(low[which], before), np.minimum(high[which], after)
        low[which], high[which] = np.minimum(*ends), np.maximum(*ends)  # reports of liars may rule out all

    sizes = shares.scales
    while shares.bins > _FEW_NODES * sizes[0]:
        sizes = (_FINER * sizes[0], *sizes)
    sought = np.arange(wanted.size)
    for size in sizes:
        known = boundaries(shares.bins, size)[_covered(low[sought] // size, -(-high[sought] // size))]
        below = shares.below(known)
        least, most = below(all_of_them)
        narrow(sought, known, np.maximum.accumulate(least), np.minimum.accumulate(most[::-1])[::-1])
        across = (high[sought] - low[sought]) / size
        enough = (across >= _NODES_ACROSS) | (size == sizes[-1])
        several = enough & (across >= _MANY_ACROSS)
        for some, interval in ((several, partial(shares.below_several, known)), (enough & ~several, below)):
            if some.any():
                least, most = interval(in_turn)
                least, most = np.minimum.accumulate(least[::-1])[::-1], np.maximum.accumulate(most)
                narrow(sought[some], known, least, most)
        sought = sought[~enough]
        if not sought.size:
            break
    return low, high


def _covered(first: Positions, last: Positions) -> NDArray[np.intp]:
    """Return, in rising order, the whole numbers from any ``first`` to its ``last``, with both.

    >>> _covered(np.array([0.0, 5.0]), np.array([2.0, 6.0])).tolist()
    [0, 1, 2, 5, 6]
    """
    begins, ends = first.astype(np.int64), last.astype(np.int64) + 1
    most = ends.max(initial=0) + 1
    steps = np.bincount(begins, minlength=most) - np.bincount(ends, minlength=most)
    return np.flatnonzero(np.cumsum(steps))
