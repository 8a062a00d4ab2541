"""Smooth densities of one attribute, and of two whose own distributions are known.

Cells along a line have densities e^f. Slopes of f are small, and neighbouring ones alike: so as the prior
gets stronger the density becomes even, by way of e to a straight line. A few cells may stand out, of people
who all have the same value (0, or all beyond the last): these are left to the estimate, and the others are
neighbours over their heads. Where most people are near one end, as of amounts and durations, the density may
rather be smooth along a logarithmic scale, which is finer there: the mean of both is taken, as either
accounts for the estimate.

Cells of two attributes have shares ∝ own share of one × own share of the other × e^f. If f is a sum of a
function of each, the attributes are independent. What f says beyond that are the logarithms of the odds
ratios of neighbouring cells. They are taken to be small, and neighbouring ones alike (of two normals they are
all the same), so as the prior gets stronger the attributes become independent. Categories have no neighbours:
there all differences between cells are alike, and nothing is smooth along them.
"""

from collections.abc import Sequence

import numpy as np

from ldprange.estimation.log_density import Smooth, log_densities, weighed
from ldprange.estimation.risk import weight_of
from ldprange.support.arrays import Bins, Floats, Positions

_LINE_STRENGTHS = np.geomspace(1e7, 1e-8, 16)  # from an even density to nearly any
_LINE_EVENNESS = 0.3  # of squared slopes in the penalty, beside squared differences between them
_PAIR_STRENGTHS = np.geomspace(1e4, 1e-6, 11)  # from independence to nearly anything
_PAIR_EVENNESS = 0.1  # of squared logarithms of odds ratios in the penalty, beside squared differences
_LEAST = 1e-9  # share of a cell, of what an even population would have there
_STANDS_OUT = 4.0  # standard errors of a cell's density above what those about it lead to expect
_END_STANDS_OUT = 3.0  # the same of the first and the last cell
_MAX_STANDING_OUT = 1 / 4  # of all cells: if more do, it is not a smooth density with a few exceptions
_FINEST = 1 / 128  # of the line, near the end of a logarithmic scale
_LOG_DOUBT = 1.0  # by which a logarithmic scale has to be better
_LOG_TEMPERATURE = 1.5  # a difference between the two scales that matters


def smooth_line(estimate: Floats, precision: Floats, root: Floats, sizes: Floats) -> Smooth:
    """Return the mean of all smooth densities, as each accounts for the ``estimate``.

    Parameters
    ----------
    estimate
        Of the share of every cell of a line, from its one end to the other.
    precision
        The inverse of its covariance; it says nothing of the sum, which is 1.
    root
        A square root of its covariance.
    sizes
        Of the cells.
    """
    cells, even = sizes.size, sizes / sizes.sum()
    alike = _alike(estimate / sizes, root / sizes[:, None])

    def along(places: Positions) -> Smooth:
        bends, slopes = _penalties(places, alike)
        penalty = cells**3 * bends + _LINE_EVENNESS * cells * slopes
        return weighed(log_densities(estimate, precision, even, penalty, _LINE_STRENGTHS), precision)

    plain, middles = along(np.arange(cells, dtype=np.float64)), np.cumsum(even) - even / 2
    if estimate[middles < 1 / 3].sum() > 1 / 2:
        logarithmic = along(cells * _logarithms(middles))
    elif estimate[middles > 2 / 3].sum() > 1 / 2:
        logarithmic = along(-cells * _logarithms(1 - middles))
    else:
        return plain
    return _better(plain, logarithmic)


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
    (bends, steps), (other_bends, other_steps) = (
        _penalties(np.arange(cells), np.arange(cells)) if along else _penalties_of_categories(cells)
        for cells, along in zip(estimate.shape, ordered, strict=True)
    )
    penalty = (
        one**3 * other * np.kron(bends, other_steps)
        + one * other**3 * np.kron(steps, other_bends)
        + _PAIR_EVENNESS * one * other * np.kron(steps, other_steps)
    )
    base = np.maximum(np.multiply.outer(*own), _LEAST / estimate.size).reshape(-1)
    found = log_densities(estimate.reshape(-1), precision, base, penalty, _PAIR_STRENGTHS, judged)
    smooth = weighed(found, judged)
    return smooth._replace(shares=smooth.shares.reshape(estimate.shape))


def _alike(density: Floats, root: Floats) -> Bins:
    """Return the cells of a line but for those that surely stand out.

    These are denser than a straight line through the four nearest others. ``root`` is a square root of the
    covariance of the densities.
    """
    cells = density.size
    about = np.clip(np.arange(cells) - 2, 0, cells - 5)[:, None] + np.arange(5)
    away = (about - np.arange(cells)[:, None]).astype(np.float64)
    others = (away != 0) / 4
    centre = (others * away).sum(axis=1, keepdims=True)
    spread = (others * (away - centre) ** 2).sum(axis=1, keepdims=True)
    expected = others * (1 - centre * (away - centre) / spread)
    excess = np.eye(cells)
    np.put_along_axis(excess, about, (away == 0) - expected, axis=1)
    limit = np.full(cells, _STANDS_OUT)
    limit[[0, -1]] = _END_STANDS_OUT
    found = np.flatnonzero(excess @ density > limit * np.sqrt(((excess @ root) ** 2).sum(axis=1)))
    few = found.size <= _MAX_STANDING_OUT * cells
    return np.delete(np.arange(cells), found if few else [])


def _logarithms(places: Positions) -> Positions:
    """Return where ``places`` between 0 and 1 are on a logarithmic scale from 0 to 1."""
    logarithms: Positions = np.log1p(places / _FINEST) / np.log1p(1 / _FINEST)
    return logarithms


def _better(plain: Smooth, logarithmic: Smooth) -> Smooth:
    """Return the mean of both, weighed by their criteria, or the only one that smooths anything."""
    if not np.isfinite(logarithmic.criterion) or not np.isfinite(plain.criterion):
        return logarithmic if np.isfinite(logarithmic.criterion) else plain
    weight = weight_of(logarithmic.criterion, plain.criterion, _LOG_DOUBT, _LOG_TEMPERATURE)
    return Smooth(
        weight * logarithmic.shares + (1 - weight) * plain.shares,
        weight * logarithmic.criterion + (1 - weight) * plain.criterion,
    )


def _penalties(places: Positions, alike: Bins) -> tuple[Floats, Floats]:
    """Return what adds up squared second and first differences along a line, of those cells alone.

    ``places`` are where the cells are on it, about 1 apart.
    """
    gaps = np.diff(places[alike])[:, None]
    slopes = np.diff(np.eye(places.size)[alike], axis=0) / gaps
    bends = np.diff(slopes, axis=0) / np.sqrt((gaps[1:] + gaps[:-1]) / 2)
    return bends.T @ bends, (slopes.T * gaps[:, 0]) @ slopes


def _penalties_of_categories(cells: int) -> tuple[Floats, Floats]:
    """Return the same of cells that have no neighbours: all differences between them are alike."""
    return np.zeros((cells, cells)), np.eye(cells) - 1 / cells
