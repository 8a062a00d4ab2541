"""Where in cells of several bins their people are: reports do not tell, but the cells beside them do."""

from __future__ import annotations

import numpy as np

from ldprange.support.arrays import Boundaries, Floats


def within_cells(cells: Floats, ends: Boundaries) -> Floats:
    """Return the shares of bins from those of ``cells``, as a density that has no jumps where cells meet.

    Every cell keeps its share. The cdf is Fritsch and Carlson's monotone cubic through the cells' ends: at an
    end its slope, the density, is the harmonic mean of those on either side, so it never falls.

    Parameters
    ----------
    cells
        Shares, none of them negative.
    ends
        Of the cells, from 0 to the number of bins.

    >>> within_cells(np.array([0.2, 0.6, 0.2]), np.array([0, 2, 4, 6])).round(3).tolist()
    [0.063, 0.138, 0.3, 0.3, 0.138, 0.062]
    """
    sizes = np.diff(ends)
    density = cells / sizes
    if cells.size < 2:
        return np.repeat(density, sizes)
    sums = density[1:] + density[:-1]
    inner = np.divide(2 * density[1:] * density[:-1], sums, out=np.zeros_like(sums), where=sums > 0)
    first, last = (np.clip((3 * a - b) / 2, 0.0, 3 * a) for a, b in (density[:2], density[:-3:-1]))
    slopes = np.concatenate([[first], inner, [last]])
    cell = np.repeat(np.arange(cells.size), sizes)
    part = (np.arange(ends[-1]) + 1 - ends[cell]) / sizes[cell]
    # Hermite's cubic from 0 to the cell's share, in units of its size
    below = part**2 * (3 - 2 * part) * density[cell] + part * (1 - part) * (
        (1 - part) * slopes[cell] - part * slopes[cell + 1]
    )
    upto = below * sizes[cell]
    shares: Floats = np.diff(upto, prepend=0.0)
    starts = ends[:-1]
    shares[starts] = upto[starts]
    return np.maximum(shares, 0.0)
