"""Denoising: an unbiased estimate made into a distribution of less error.

Go from the whole domain down. A block of 2w neighbouring bins has a mass, to be split between its halves. The
unbiased estimate says how, with a known and nearly normal error. The other blocks of the same width say what
splits look like in this population: even, as where it is smooth; all on one side, as where it is sparse;
anything. The split taken is the mean given both: empirical Bayes, with one small mixture for each width.

It is done for *every* block of a width, wherever it begins, so that no grid of cuts is preferred. A block is
the left half of one parent and the right half of another, and takes the mean of what they give it. Each half
lies between 0 and its parent, so the bins' shares are never negative and add up to 1, with nothing to repair
in the end. (Projecting a noisy estimate's bins onto the distributions, as is often done, ruins ranges on
large domains.) Where nothing is to be shrunk the estimate stays what it is. Blocks that all hold so few
people that nothing can be told of their halves are not split: their people are spread evenly.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ldprange import kernels
from ldprange.estimation.splits import BROAD_SPLITS, NO_NOISE, SPREADS, mixture
from ldprange.levels import neighbours
from ldprange.support.arrays import Floats

_LEARNT_FROM = 1 << 14  # blocks of a width, at most
_FAINT = 1 / 8  # mass, in standard errors, of a block of which only the mass can be told
_GLANCE = 101  # blocks, of which one is looked at first
_FEW_BINS = 8  # fewer have too few splits to learn from: what one of them says would decide how it is shrunk
_BROAD_OF_FEW = 8.0  # splits that are anyhow, among those of so few


def by_splits(estimate: Floats, block_variances: Callable[[int], Floats]) -> Floats:
    """Return a distribution near an unbiased estimate of one that adds up to 1.

    Parameters
    ----------
    estimate
        A share for each of D bins.
    block_variances
        Gives, for a width w, the variance of the estimate's sum over each block of bins t … t + w − 1, as
        far as it lies in the domain, for t = 1 − w … D − 1. Widths are powers of two.
    """
    bins = estimate.size
    upto = np.concatenate([[0.0], np.cumsum(estimate)])
    width = 1 << (bins - 1).bit_length()
    begins = np.arange(1 - 2 * width, bins)
    # blocks that hold the whole domain have all the mass; no others are needed to begin with
    mass = np.where((begins <= 0) & (begins + 2 * width >= bins), 1.0, np.nan)
    variance = np.zeros(begins.size)
    while width and not _faint(mass, variance):
        half_variance = block_variances(width)
        blocks = kernels.Blocks(upto, mass, variance, half_variance, width, NO_NOISE)
        mass = kernels.split_blocks(blocks, SPREADS, _learnt(blocks))
        variance, width = half_variance, width // 2
    shares = _evenly(mass, max(2 * width, 1), bins)
    shares /= shares.sum()
    return shares


def _faint(mass: Floats, variance: Floats) -> bool:
    """Tell whether all blocks have so little mass that nothing can be told of their halves."""
    some = slice(None, None, _GLANCE)  # most often these are enough to see that not all have
    return all(bool(np.all(mass[k] ** 2 < _FAINT**2 * variance[k])) for k in (some, slice(None)))


def _evenly(mass: Floats, width: int, bins: int) -> Floats:
    """Return, for every bin, the mean density of all blocks of a ``width`` that hold it."""
    first, last = neighbours(width, bins)
    inside = last - first
    masses, sizes = (np.append(0.0, np.cumsum(each)) for each in (mass, inside))
    return np.asarray((masses[width:] - masses[:-width]) / (sizes[width:] - sizes[:-width]))


def _learnt(blocks: kernels.Blocks) -> Floats:
    """Return what splits of these blocks look like: the weights of the mixture."""
    cuts, width = blocks.upto.size - 2, blocks.width
    # blocks that overlap say the same again: four to a width will do, and count for as many as lie apart
    step = max(1, width // 4)
    if cuts > step * _LEARNT_FROM:
        step = -(-cuts // _LEARNT_FROM) | 1  # odd, so that no regular pattern is always missed
    broad = _BROAD_OF_FEW if cuts + 1 < _FEW_BINS else BROAD_SPLITS
    halves = kernels.block_halves(blocks, slice(0, cuts, step))
    return mixture(*halves, counts=step / (2 * width), broad=broad)
