"""Denoising: an unbiased estimate made into a distribution of less error.

Go from the whole domain down. A block of 2w neighbouring bins has a mass, to be split between its halves. The
unbiased estimate says how, with a known and nearly normal error. The other blocks of the same width say what
splits look like in this population: even, as where it is smooth; all on one side, as where it is sparse;
anything. The split taken is the mean given both: empirical Bayes, with one small mixture for each width.

It is done for *every* block of a width, wherever it begins, so that no grid of cuts is preferred. A block is
the left half of one parent and the right half of another, and takes the mean of what they give it. Each half
lies between 0 and its parent, so the bins' shares are never negative and add up to 1, with nothing to repair
in the end. (Projecting a noisy estimate's bins onto the distributions, as is often done, ruins ranges on
large domains.) Where nothing is to be shrunk the estimate stays what it is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ldprange.support.arrays import Floats

_SPREADS = (1 / 3, 1 / 9, 1 / 27, 0.0)
"""Of a half's mass about what is expected of it, as a share of the parent's mass: the mixture's parts."""

_BROAD_BLOCKS = 2.0
"""Blocks that split anyhow, with which each mixture begins: where there are few others, little is shrunk."""

_ROUNDS = 30
_NO_NOISE = 1e-30


def denoised(estimate: Floats, block_variances: Callable[[int], Floats]) -> Floats:
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
    while width:
        half_variance = block_variances(width)
        left = _left_halves(upto, mass, variance, half_variance, width)
        # the block at t is the left half of the parent at t, and the right half of that at t − w
        halves = np.stack([left[width:], (mass - left)[:-width]])
        known = ~np.isnan(halves)
        mass = np.where(known, halves, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        mass[~known.any(axis=0)] = np.nan
        variance, width = half_variance, width // 2
    shares: Floats = mass / mass.sum()
    return shares


def _left_halves(upto: Floats, mass: Floats, variance: Floats, half_variance: Floats, width: int) -> Floats:
    """Return the mass of the left half of each block of 2w bins, given the block's."""
    bins = upto.size - 1
    begins = np.arange(1 - 2 * width, bins)
    low, cut, high = (np.clip(begins + k * width, 0, bins) for k in range(3))
    result = np.where(cut > low, mass, 0.0)  # a half outside the domain holds nobody
    block = np.flatnonzero((low < cut) & (cut < high) & ~np.isnan(mass))
    low, cut, high, parent = low[block], cut[block], high[block], mass[block]

    # the estimate of the left half, given that both add up to the parent
    total, left, right = variance[block], half_variance[block - width], half_variance[block]
    covariance = (total + left - right) / 2
    slope = np.divide(covariance, total, out=np.zeros_like(total), where=total > 0)
    value = upto[cut] - upto[low] + slope * (parent - (upto[high] - upto[low]))
    noise = np.maximum(left - slope * covariance, _NO_NOISE)

    centre = np.clip(
        parent * (cut - low) / (high - low) + _steepness(mass, begins, width, bins)[block] / 4, 0.0, parent
    )
    # blocks that overlap say the same again: four to a width will do, and count for as many as are disjoint
    step = max(1, width // 4)
    some, each = slice(None, None, step), step / (2 * width)
    result[block] = split(value, noise, centre, parent, sample=some, counts=each)
    return result


def split(
    value: Floats,
    noise: Floats,
    centre: Floats,
    parent: Floats,
    *,
    sample: slice = slice(None),
    counts: float = 1.0,
) -> Floats:
    """Return how much of each parent's mass a part of it has, given an estimate and all the others.

    Parameters
    ----------
    value
        Unbiased estimates of the parts.
    noise
        Their variances.
    centre
        What is expected of each, were there no estimate.
    parent
        The masses of which they are parts.
    sample
        Those from which the mixture is learnt.
    counts
        For how many each of these counts.
    """
    logs, means = [], []
    for spread in _SPREADS:
        prior = (spread * parent) ** 2
        logs.append(_log_density(value - centre, noise + prior))
        means.append(np.clip(centre + (value - centre) * prior / (noise + prior), 0.0, parent))
    nothing, everything = _log_density(value, noise), _log_density(value - parent, noise)
    one_side = np.logaddexp(nothing, everything)
    logs.append(one_side - np.log(2.0))
    means.append(parent * np.exp(everything - one_side))

    likelihood = np.exp(np.stack(logs) - np.max(logs, axis=0))
    posterior = _mixture(likelihood[:, sample], counts)[:, None] * likelihood
    mean: Floats = (posterior * np.stack(means)).sum(axis=0) / posterior.sum(axis=0)
    return np.minimum(mean, parent)


def _steepness(mass: Floats, begins: NDArray[np.int_], width: int, bins: int) -> Floats:
    """Return by how much the mass of each block falls from one width before it to one after it, a width.

    Where a neighbour reaches out of the domain the block itself takes its place.
    """
    block = np.arange(mass.size)
    inside = (begins >= 0) & (begins + 2 * width <= bins)
    before, after = np.maximum(block - width, 0), np.minimum(block + width, mass.size - 1)
    before, after = np.where(inside[before], before, block), np.where(inside[after], after, block)
    widths_apart = (after - before) // width
    falls = inside & (widths_apart > 0)
    steepness: Floats = np.where(falls, (mass[before] - mass[after]) / np.maximum(widths_apart, 1), 0.0)
    return steepness


def _log_density(deviation: Floats, variance: Floats) -> Floats:
    log: Floats = -0.5 * (deviation**2 / variance + np.log(variance))
    return log


def _mixture(likelihood: Floats, counts: float) -> Floats:
    """Return the weights of the mixture's parts, a row each, by expectation maximisation over the blocks."""
    start = np.full(len(likelihood), 1e-9)
    start[0] = _BROAD_BLOCKS
    weights = np.full(len(likelihood), 1 / len(likelihood))
    for _ in range(_ROUNDS):
        shares = weights[:, None] * likelihood
        weights = (shares / shares.sum(axis=0)).sum(axis=1) * counts + start
        weights /= weights.sum()
    return weights
