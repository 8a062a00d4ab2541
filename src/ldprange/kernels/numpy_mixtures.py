"""The mean of a part of a mass, given an estimate of it and a mixture of what parts look like, in NumPy.

Also of the left halves of all blocks of 2w bins on a line, from the one of which only the last bin lies in
the domain on: that is block 0, and block 2w − 1 begins at bin 0. Those with a cut in the domain, at boundary
1, 2, … up to the last but one, have numbers from w on.

The mixture has a normal part about ``centre`` for each of ``spreads``, whose standard deviation is that share
of the mass, and one last part of which half has nothing and half has everything.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ldprange.support.arrays import Floats
from ldprange.support.parallel import slices

_TOGETHER = 1 << 14  # halves worked on together


def _parts(
    value: Floats, noise: Floats, centre: Floats, parent: Floats, spreads: Floats
) -> tuple[Floats, Floats]:
    """Return the likelihood of every part of the mixture, a row each and the greatest 1, and its mean.

    ``value`` estimates parts of ``parent`` with variance ``noise``.
    """
    prior = (spreads[:, None] * parent) ** 2
    logs = _log_density(value - centre, noise + prior)
    means = np.clip(centre + (value - centre) * prior / (noise + prior), 0.0, parent)
    nothing, everything = _log_density(value, noise), _log_density(value - parent, noise)
    one_side = np.logaddexp(nothing, everything)
    logs = np.vstack([logs, one_side - np.log(2.0)])
    return np.exp(logs - logs.max(axis=0)), np.vstack([means, parent * np.exp(everything - one_side)])


def mixture_weights(
    value: Floats,
    noise: Floats,
    centre: Floats,
    parent: Floats,
    spreads: Floats,
    start: Floats,
    counts: float,
    rounds: int,
) -> Floats:
    """Return the weights of the mixture's parts, by expectation maximisation over estimates of parts.

    Parameters
    ----------
    value, noise, centre, parent
        Estimates of parts of ``parent``, expected about ``centre``, with their variances.
    spreads
        Of the mixture's normal parts.
    start
        How many splits of each part of the mixture there are besides.
    counts
        For how many splits each estimate counts.
    rounds
        How often expectations are taken and weights chosen.
    """
    likelihood, _ = _parts(value, noise, centre, parent, spreads)
    weights = np.full(start.size, 1 / start.size)
    for _ in range(rounds):
        weights = weights * (likelihood @ (1 / (weights @ likelihood))) * counts + start
        weights /= weights.sum()
    return weights


def mixture_means(
    value: Floats, noise: Floats, centre: Floats, parent: Floats, spreads: Floats, weights: Floats
) -> Floats:
    """Return the mean of each part, from 0 to ``parent``, given ``value`` and the mixture's ``weights``.

    >>> one = np.ones(1)
    >>> spreads, weights = np.array([0.5]), np.array([1.0, 0.0])
    >>> mixture_means(0.9 * one, 0.25 * one, 0.5 * one, one, spreads, weights).tolist()
    [0.7]
    """
    likelihood, means = _parts(value, noise, centre, parent, spreads)
    posterior = weights[:, None] * likelihood
    mean: Floats = (posterior * means).sum(axis=0) / posterior.sum(axis=0)
    return np.minimum(mean, parent)


class Blocks(NamedTuple):
    """All blocks of 2 × ``width`` bins on a line, with what is known of them.

    Attributes
    ----------
    upto
        The estimated share below each boundary.
    mass
        Of each block.
    variance, half_variance
        Of the estimates of blocks of 2 × ``width`` bins, and of ``width`` bins.
    width
        Of a half.
    length
        Of the line, in bins: of the last one only a part may lie on it.
    least
        The least variance of an estimate.
    """

    upto: Floats
    mass: Floats
    variance: Floats
    half_variance: Floats
    width: int
    length: float
    least: float


def split_blocks(blocks: Blocks, spreads: Floats, weights: Floats) -> Floats:
    """Return the mean mass of every half of ``blocks``, from the one that only ends in the domain on.

    A half is the left one of the block that begins where it does, and the right one of that ``width`` before:
    it takes the mean of what they give it, or what one does if the other's mass is not a number. ``spreads``
    and ``weights`` are the mixture's, as in :func:`mixture_means`.
    """
    mass, width, cuts = blocks.mass, blocks.width, blocks.upto.size - 2
    left = mass.copy()
    left[:width] = 0.0  # a half outside the domain holds nobody
    cut = left[width : width + cuts]
    for some in slices(cuts, _TOGETHER):
        cut[some] = mixture_means(*block_halves(blocks, some), spreads, weights)
    one, other = left[width:], mass[:-width] - left[:-width]
    one, other = np.where(np.isnan(one), other, one), np.where(np.isnan(other), one, other)
    return np.asarray((one + other) / 2)


def block_halves(blocks: Blocks, some: slice) -> tuple[Floats, Floats, Floats, Floats]:
    """Return value, noise, centre and parent (see :func:`mixture_weights`) of the left halves of blocks.

    They are ``some`` of those with a cut in the domain.
    """
    upto, mass, variance, half_variance, width, length, least = blocks
    cut = np.arange(some.start, some.stop, some.step) + 1
    low, high, block = np.maximum(cut - width, 0), np.minimum(cut + width, upto.size - 1), cut + (width - 1)
    parent, total, left = mass[block], variance[block], half_variance[cut - 1]
    # the estimate of the left half, given that both add up to the block
    covariance = (total + left - half_variance[block]) / 2
    slope = np.divide(covariance, total, out=np.zeros_like(total), where=total > 0)
    value = upto[cut] - upto[low] + slope * (parent - (upto[high] - upto[low]))
    noise = np.maximum(left - slope * covariance, least)
    # masses fall evenly from a block to the next, where neither reaches out of the domain
    inside = (cut >= width) & (cut + width <= length)
    before, after = inside & (cut >= 2 * width), inside & (cut + 2 * width <= length)
    fall = mass[block - width * before] - mass[block + width * after]
    even = parent * (cut - low) / (np.minimum(high, length) - low)
    centre = np.clip(even + fall / np.maximum(before + 1 * after, 1) / 4, 0.0, parent)
    return value, noise, centre, parent


def _log_density(deviation: Floats, variance: Floats) -> Floats:
    return -0.5 * (deviation**2 / variance + np.log(variance))
