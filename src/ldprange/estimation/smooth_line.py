"""The smooth density of one attribute.

Cells along the line have densities e^f. Slopes of f are small, and neighbouring ones alike: so as the prior
gets stronger the density becomes even, by way of e to a straight line.
"""

from __future__ import annotations

import numpy as np

from ldprange.estimation.log_density import Smooth, log_densities, weighed
from ldprange.support.arrays import Floats

_STRENGTHS = np.geomspace(1e7, 1e-8, 16)  # from an even density to nearly any
_EVENNESS = 0.3  # of squared slopes in the penalty, beside squared differences between them


def smooth_line(estimate: Floats, precision: Floats, sizes: Floats) -> Smooth:
    """Return the mean of all smooth densities, as each accounts for the ``estimate``.

    Parameters
    ----------
    estimate
        Of the share of every cell of a line, from its one end to the other.
    precision
        The inverse of its covariance; it says nothing of the sum, which is 1.
    sizes
        Of the cells.
    """
    cells = sizes.size
    slopes = np.diff(np.eye(cells), axis=0)
    bends = np.diff(slopes, axis=0)
    penalty = cells**3 * bends.T @ bends + _EVENNESS * cells * slopes.T @ slopes
    return weighed(log_densities(estimate, precision, sizes / sizes.sum(), penalty, _STRENGTHS), precision)
