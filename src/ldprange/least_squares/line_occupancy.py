"""What people held in windows add to the variance of ranges: sums over windows, and Q as a matrix.

For Q see :mod:`ldprange.least_squares.line_variances`. With S the even covariance of the shares below any two
boundaries, the prefix below boundary i has W = S(i, s + w) − S(i, s) for the window that begins at s. So Q of
all pairs of prefixes is U M Uᵀ, where U has the differences of S, and M adds up the windows that hold two
items.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ldprange.least_squares.line import WindowsFit
from ldprange.support.arrays import Floats


class Occupancy(NamedTuple):
    """How much the variance grows with who is in a window, level by level.

    Attributes
    ----------
    parts
        The coefficient n·λ²·occupied of Q.
    widths
        The windows' width in bins.
    cells
        The oracle's number of cells.
    """

    parts: tuple[float, ...]
    widths: tuple[int, ...]
    cells: tuple[int, ...]

    @classmethod
    def of(cls, line: WindowsFit) -> Occupancy:
        """Return that of a line's levels."""
        parts = line.law.occupied_parts * line.weights**2 / line.law.users
        return cls(tuple(parts.tolist()), line.widths, tuple(line.cells.tolist()))

    def where(self, least: int, below: int, unit: int = 1) -> Occupancy:
        """Return the levels of widths in ``[least, below)``, with widths in another unit."""
        chosen = [
            (part, width // unit, cells)
            for part, width, cells in zip(*self, strict=True)
            if least <= width < below
        ]
        return Occupancy(*zip(*chosen, strict=True)) if chosen else Occupancy((), (), ())


def window_sums(values: Floats, width: int) -> Floats:
    """Return the sums over every window of ``width`` items, from the one that holds only the first on.

    >>> window_sums(np.array([1.0, 2.0, 3.0]), 2).tolist()
    [1.0, 3.0, 5.0, 3.0]
    """
    nothing = np.zeros((*values.shape[:-1], width))
    upto = np.concatenate([nothing, np.cumsum(values, axis=-1)], axis=-1)
    total = np.repeat(upto[..., -1:], width - 1, axis=-1)
    sums: Floats = np.concatenate([upto, total], axis=-1)[..., width:] - upto[..., :-1]
    return sums


def blurred(windows: Floats, width: int) -> Floats:
    """Return, for every item, the mean over the windows that hold it.

    >>> blurred(np.array([1.0, 3.0, 5.0, 3.0]), 2).tolist()
    [2.0, 4.0, 4.0]
    """
    upto = np.concatenate([[0.0], np.cumsum(windows)])
    means: Floats = (upto[width:] - upto[:-width]) / width
    return means


def prefix_matrix(line: WindowsFit, step: int) -> Floats:
    """Return the even covariance of the shares below any two boundaries: 0, step, 2·step, … and the last."""
    size = -(-line.items // step) + 1
    matrix = np.zeros((size, size))
    for apart in range(size - 1):  # the last boundary has everybody below it, surely
        diagonal = line.prefix_covariances(apart * step)[::step][: size - 1 - apart]
        place = np.arange(diagonal.size)
        matrix[place, place + apart] = matrix[place + apart, place] = diagonal
    return matrix


def held_matrix(even: Floats, theta: Floats, held: Occupancy) -> Floats:
    """Return Q of the shares below any two boundaries, from their even covariance.

    Boundaries may lie further apart than items do; ``theta`` and the widths are then in blocks between them,
    and windows are those that begin at a boundary.
    """
    blocks = theta.size
    together = np.zeros((blocks, blocks))
    place = np.arange(blocks)
    early, late = np.minimum.outer(place, place), np.maximum.outer(place, place)
    for part, width, cells in zip(*held, strict=True):
        if part:  # two blocks are held by the windows that begin after the later less w, up to the earlier
            upto = np.concatenate([[0.0], np.cumsum(window_sums(theta, width) - 1 / cells)])
            together += part / width * (upto[early + width] - upto[np.minimum(late, early + width)])
    weights = np.diff(even, axis=1)
    matrix: Floats = weights @ together @ weights.T
    return matrix
