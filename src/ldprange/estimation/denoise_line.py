"""Denoising one attribute: two ways to see a population, each as far as it accounts for the reports.

One sees blocks that are split in two, from the whole domain down (:mod:`ldprange.estimation.denoise_splits`):
good where people are in few places, or where the density jumps. The other sees a smooth density
(:mod:`ldprange.estimation.smooth`). On cells of a hundredth of the domain, Akaike's criterion tells what
either makes of the estimate: how far it lies from it, by the exact covariance, and how free it was to come
near. The cells get the mean of both, weighed by that.
"""

from __future__ import annotations

from functools import cache, partial
from typing import NamedTuple

import numpy as np

from ldprange.decompositions.contract import Variances
from ldprange.estimation.denoise_splits import BlockVariances, by_splits
from ldprange.estimation.risk import criterion, weights_of_ways
from ldprange.estimation.smooth import smooth_line
from ldprange.levels import neighbours
from ldprange.support.arrays import Boundaries, Floats

_CELLS = 128  # on which both are compared
_FEW_CELLS = 8  # on fewer there is nothing to smooth
_NO_NOISE = 1e-4  # of an even share: errors so small need no smoothing


def denoised(
    estimate: Floats, block_variances: BlockVariances, variances: Variances, places: Boundaries
) -> Floats:
    """Return a distribution near an unbiased estimate of one that adds up to 1.

    Parameters
    ----------
    estimate, block_variances
        As :func:`~ldprange.estimation.denoise_splits.by_splits` has them.
    variances
        Gives those of the estimate's sums over any ranges, were people spread evenly.
    places
        Where on the line the bins begin, and where the last one ends.
    """
    split = by_splits(estimate, block_variances)
    cells = min(estimate.size, _CELLS)
    ends = np.arange(cells + 1) * estimate.size // cells
    seen, sizes = np.add.reduceat(estimate, ends[:-1]), np.diff(ends)
    ways = denoised_cells(seen, share_covariance(variances, ends), np.diff(places[ends]))
    cell = np.add.reduceat(split, ends[:-1])
    mixed = (1 - ways.weight) * cell + ways.weight * ways.smooth
    # what is within a cell only the splits tell; where they see nobody people are spread evenly
    inside = np.where(np.repeat(cell > 0, sizes), split, 1.0)
    return inside * np.repeat(mixed / np.add.reduceat(inside, ends[:-1]), sizes)


class Ways(NamedTuple):
    """The shares of cells by splits and by a smooth density, and the weight of the latter."""

    split: Floats
    smooth: Floats
    weight: float

    @property
    def shares(self) -> Floats:
        """The mean of both."""
        return (1 - self.weight) * self.split + self.weight * self.smooth


def denoised_cells(estimate: Floats, below: Floats, sizes: Boundaries) -> Ways:
    """Return both ways to see the cells of a line.

    Parameters
    ----------
    estimate
        Of the share of every cell.
    below
        The covariance of the shares below the cells' ends, from :func:`share_covariance`.
    sizes
        Of the cells.
    """
    block_variances = cache(partial(_block_variances, below))

    def split_cells(shares: Floats) -> Floats:
        return by_splits(shares, block_variances)

    split = split_cells(estimate)
    if sizes.size < _FEW_CELLS:
        return Ways(split, split, 0.0)
    try:
        root, precision = _of_cells(below)
    except np.linalg.LinAlgError:  # some shares are known for certain
        return Ways(split, split, 0.0)
    if np.sqrt((root**2).sum() / sizes.size) < _NO_NOISE / sizes.size:
        return Ways(split, split, 0.0)
    smooth = smooth_line(estimate, precision, root, sizes.astype(np.float64))
    split_criterion = criterion(split_cells, estimate, split, precision, root)
    weight = float(weights_of_ways(smooth.criterion, [split_criterion])[0])
    return Ways(split, smooth.shares, weight)


def share_covariance(variances: Variances, ends: Boundaries) -> Floats:
    """Return the covariance of the shares below some boundaries, of which the outer ones are certain."""
    low, high = np.triu_indices(ends.size, 1)
    between = np.zeros((ends.size, ends.size))
    between[low, high] = variances(ends[low], ends[high])
    between += between.T
    covariance: Floats = (between[0] + between[0][:, None] - between) / 2
    return covariance


def _of_cells(below: Floats) -> tuple[Floats, Floats]:
    """Return a square root of the covariance of cells' shares, and its inverse, from that of those below."""
    root: Floats = np.linalg.cholesky(below[1:-1, 1:-1]).astype(np.float64, copy=False)
    each = np.diff(np.pad(root, [(1, 1), (0, 0)]), axis=0)
    # a share below a boundary is the sum of all cells before it: precisions add up from behind
    precision = np.pad(np.linalg.inv(below[1:-1, 1:-1]), (0, 1))[::-1, ::-1]
    return each, np.cumsum(np.cumsum(precision, axis=0), axis=1)[::-1, ::-1]


def _block_variances(below: Floats, width: int, step: int) -> Floats:
    """Return the variances of blocks of cells, as far as they lie on the line, from ``below``."""
    low, high = neighbours(width, len(below) - 1, step)
    own = np.diagonal(below)
    return np.maximum(own[low] + own[high] - 2 * below[low, high], 0.0)
