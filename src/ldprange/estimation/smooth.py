"""Smooth densities of one attribute, and of two whose own distributions are known.

Cells along a line have densities e^f. Slopes of f are small, and neighbouring ones alike: so as the prior
gets stronger the density becomes even, by way of e to a straight line.

Cells of two attributes have shares ∝ own share of one × own share of the other × e^f. If f is a sum of a
function of each, the attributes are independent. What f says beyond that are the logarithms of the odds
ratios of neighbouring cells. They are taken to be small, and neighbouring ones alike (of two normals they are
all the same), so as the prior gets stronger the attributes become independent. Categories have no neighbours:
there all differences between cells are alike, and nothing is smooth along them.
"""

from collections.abc import Sequence

import numpy as np

from ldprange.estimation.log_density import Smooth, log_densities, weighed
from ldprange.support.arrays import Floats

_LINE_STRENGTHS = np.geomspace(1e7, 1e-8, 16)  # from an even density to nearly any
_LINE_EVENNESS = 0.3  # of squared slopes in the penalty, beside squared differences between them
_PAIR_STRENGTHS = np.geomspace(1e4, 1e-6, 11)  # from independence to nearly anything
_PAIR_EVENNESS = 0.1  # of squared logarithms of odds ratios in the penalty, beside squared differences
_LEAST = 1e-9  # share of a cell, of what an even population would have there


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
    bends, slopes = _penalties(cells, ordered=True)
    penalty = cells**3 * bends + _LINE_EVENNESS * cells * slopes
    return weighed(
        log_densities(estimate, precision, sizes / sizes.sum(), penalty, _LINE_STRENGTHS), precision
    )


def smooth_pair(
    estimate: Floats, precision: Floats, judged: Floats, own: Sequence[Floats], ordered: Sequence[bool]
) -> Smooth:
    """Return the mean of all smooth densities, as each accounts for the ``estimate``.

    Parameters
    ----------
    estimate
        Of the share of every cell, with an axis for each attribute.
    precision
        The inverse of the covariance of all cells, the last attribute's running fastest; it says nothing of
        the sum, which is 1.
    judged
        The part of the precision by which densities are judged.
    own
        The distribution of each attribute's cells.
    ordered
        Whether neighbouring cells of each attribute are alike.
    """
    one, other = estimate.shape
    (bends, steps), (other_bends, other_steps) = map(_penalties, estimate.shape, ordered)
    penalty = (
        one**3 * other * np.kron(bends, other_steps)
        + one * other**3 * np.kron(steps, other_bends)
        + _PAIR_EVENNESS * one * other * np.kron(steps, other_steps)
    )
    base = np.maximum(np.multiply.outer(*own), _LEAST / estimate.size).reshape(-1)
    found = log_densities(estimate.reshape(-1), precision, base, penalty, _PAIR_STRENGTHS, judged)
    smooth = weighed(found, judged)
    return smooth._replace(shares=smooth.shares.reshape(estimate.shape))


def _penalties(cells: int, ordered: bool) -> tuple[Floats, Floats]:
    """Return what adds up the squared second and first differences of a function of an attribute's cells."""
    if not ordered:
        return np.zeros((cells, cells)), np.eye(cells) - 1 / cells
    steps = np.diff(np.eye(cells), axis=0)
    bends = np.diff(steps, axis=0)
    return bends.T @ bends, steps.T @ steps
