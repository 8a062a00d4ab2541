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
people that nothing can be told of their halves are not split: their people are spread evenly. Of wide blocks
a thousand begin within a width; those between are taken to hold what both neighbours do on average, but for
what the estimate tells beyond its noise.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ldprange import kernels
from ldprange.estimation.splits import BROAD_SPLITS, NO_NOISE, SPREADS, mixture
from ldprange.levels import block_begins, boundaries, neighbours
from ldprange.support.arrays import Floats

_PLACES = 1 << 10  # to a width, at which blocks begin
_FEW = 16  # of steps, one is looked at for how noisy they are
_LEARNT_FROM = 1 << 14  # blocks of a width, at most
_FAINT = 1 / 8  # mass, in standard errors, of a block of which only the mass can be told
_GLANCE = 101  # blocks, of which one is looked at first
_FEW_BINS = 8  # fewer have too few splits to learn from: what one of them says would decide how it is shrunk
_BROAD_OF_FEW = 8.0  # splits that are anyhow, among those of so few


class BlockVariances(Protocol):
    """The variances of an estimate's sums over blocks of bins."""

    def __call__(self, width: int, step: int, /) -> Floats:
        """Return them for blocks of ``width`` bins, of which one begins after every ``step``.

        Block t has bins t … t + width − 1, as far as they are in the domain; t runs from step − width up.
        Both are powers of two.
        """
        ...


def by_splits(estimate: Floats, block_variances: BlockVariances) -> Floats:
    """Return a distribution near an unbiased estimate of one that adds up to 1.

    Parameters
    ----------
    estimate
        A share for each of D bins.
    block_variances
        Gives those of the estimate.
    """
    bins = estimate.size
    upto = np.concatenate([[0.0], np.cumsum(estimate)])
    width = 1 << (bins - 1).bit_length()
    step = max(1, width // _PLACES)
    begins = block_begins(2 * width, bins, step)
    # blocks that hold the whole domain have all the mass; no others are needed to begin with
    mass = np.where((begins <= 0) & (begins + 2 * width >= bins), 1.0, np.nan)
    variance, below = np.zeros(begins.size), upto[boundaries(bins, step)]
    while width and not _faint(mass, variance):
        if step > max(1, width // _PLACES):
            step //= 2
            noise = float(block_variances(step, _FEW * step).mean())
            mass = _at_more_places(mass, upto, 2 * width, step, noise)
            variance, below = block_variances(2 * width, step), upto[boundaries(bins, step)]
        half_variance = block_variances(width, step)
        blocks = kernels.Blocks(below, mass, variance, half_variance, width // step, bins / step, NO_NOISE)
        mass = kernels.split_blocks(blocks, SPREADS, _learnt(blocks))
        variance, width = half_variance, width // 2
    shares = _evenly(mass, max(2 * width, 1), bins, step)
    shares /= shares.sum()
    return shares


def _at_more_places(mass: Floats, upto: Floats, width: int, step: int, noise: float) -> Floats:
    """Return the masses of blocks that begin after every ``step``, from those after every second one.

    A block between two others has their mean, and what the estimate says that it has besides as far as they
    differ by more than the ``noise``, which is the variance of what lies in a step.
    """
    bins = upto.size - 1
    begins, (low, high) = block_begins(width, bins, step), neighbours(width, bins, step)
    seen = upto[high] - upto[low]
    falls = np.diff(mass, prepend=0.0, append=0.0)[: begins[::2].size]  # the outer blocks hold nobody
    rest = min(step, bins - begins[-1]) / step  # of a step, from the last begin to the domain's end
    expected, between = (_between(each, begins.size, rest) for each in (mass, seen[1::2]))
    squares = falls**2
    found = np.empty(begins.size)
    found[1::2] = mass
    found[::2] = expected + (seen[::2] - between) * squares / (squares + 4 * max(noise, NO_NOISE))
    return np.clip(found, 0.0, 1.0, out=found)


def _between(found: Floats, places: int, rest: float) -> Floats:
    """Return what lies between the ``found``, at every second one of the ``places``."""
    padded = np.pad(found, 1)
    means = ((padded[:-1] + padded[1:]) / 2)[: -(-places // 2)]
    if places % 2:
        means[-1] = found[-1] * rest / (1 + rest)
    return means


def _faint(mass: Floats, variance: Floats) -> bool:
    """Tell whether all blocks have so little mass that nothing can be told of their halves."""
    some = slice(None, None, _GLANCE)  # most often these are enough to see that not all have
    return all(bool(np.all(mass[k] ** 2 < _FAINT**2 * variance[k])) for k in (some, slice(None)))


def _evenly(mass: Floats, width: int, bins: int, step: int) -> Floats:
    """Return, for every bin, the mean density of all blocks of a ``width`` that hold it."""
    first, last = neighbours(width, bins, step)
    inside, across = last - first, width // step
    masses, sizes = (np.append(0.0, np.cumsum(each)) for each in (mass, inside))
    densities = (masses[across:] - masses[:-across]) / (sizes[across:] - sizes[:-across])
    return np.repeat(densities, step)[:bins]


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
