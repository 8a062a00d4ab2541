"""Denoising two attributes at once: two ways to see a table, each as far as it accounts for the reports.

One splits cells from the whole down, now along one attribute, now along the other. A cell's mass is split
between its children as in one dimension (:mod:`ldprange.estimation.splits`): the unbiased estimate says how,
with a known error; all other cells of the same depths say what splits look like; and what is expected of a
split, were there no estimate, is that of the attribute alone. So whatever the reports cannot tell is as if
the attributes were independent within a cell, and what they do tell stays: attributes that go together are
not pulled apart. No share is ever negative, with nothing to repair.

The other sees a smooth density (:mod:`ldprange.estimation.smooth_pair`). On some hundred cells Akaike's
criterion tells what either makes of the estimate. These get the mean of both, weighed by that.
"""

from collections.abc import Sequence
from math import log, prod

import numpy as np

from ldprange.estimation.pair_noise import PairNoise
from ldprange.estimation.risk import criterion, weight_of_smooth
from ldprange.estimation.smooth_pair import smooth_pair
from ldprange.estimation.splits import NO_NOISE, mixture, split
from ldprange.least_squares.table import JointFit, coarser
from ldprange.support.arrays import Floats

_MAX_CELLS = 256  # on which both are compared
_MIN_CELL_RATIO = 1e-6  # of what independence would give a cell, so that no cell is ruled out for good
_CERTAINTY = 100.0  # by which an attribute's own distribution is more certain than what the table says of it


def denoised_pair(table: JointFit, coefficients: Sequence[Floats], alone: Sequence[Floats]) -> Floats:
    """Return the distribution of the cells that are known of two attributes.

    Parameters
    ----------
    table
        How all grids come together in the two.
    coefficients
        What the grids say, as :meth:`JointFit.fit` takes it.
    alone
        The distribution of each attribute's leaves.
    """
    own = [
        coarser(shares, [axis.cells[depth]])
        for shares, axis, depth in zip(alone, table.axes, table.known, strict=True)
    ]
    found = _by_splits(table, table.fit(coefficients, table.known), table.known, alone)
    found = np.maximum(found, _MIN_CELL_RATIO * np.multiply.outer(*own))
    depths = _compared(table)
    if not all(depths):
        return found
    cells = [axis.cells[depth] for axis, depth in zip(table.axes, depths, strict=True)]
    mixed = _mixed(table, depths, table.fit(coefficients, depths), alone)
    # what is within these cells only the splits tell
    coarse = coarser(found, cells)
    scale = np.divide(mixed, coarse, out=np.zeros_like(coarse), where=coarse > 0)
    for a, number in enumerate(found.shape):
        scale = np.repeat(scale, number // cells[a], axis=a)
    return found * scale


def _compared(table: JointFit) -> list[int]:
    """Return the depths of the cells on which both ways are compared."""
    depths = list(table.known)
    while prod(numbers := [axis.cells[d] for axis, d in zip(table.axes, depths, strict=True)]) > _MAX_CELLS:
        depths[int(np.argmax(numbers))] -= 1
    return depths


def _mixed(table: JointFit, depths: Sequence[int], estimate: Floats, alone: Sequence[Floats]) -> Floats:
    """Return the distribution of cells of some depths, by both ways, from their ``estimate``."""
    noise = PairNoise(table, depths)
    own = [coarser(shares, [cells]) for shares, cells in zip(alone, estimate.shape, strict=True)]
    estimate = noise.with_own(estimate, own)
    judged, ordered = noise.precision(0.0), [axis.depth > 1 for axis in table.axes]
    smooth = smooth_pair(estimate, noise.precision(_CERTAINTY), judged, own, ordered)

    def split_cells(shares: Floats) -> Floats:
        return _by_splits(table, shares.reshape(estimate.shape), depths, alone).reshape(-1)

    split = split_cells(estimate)
    split_criterion = criterion(split_cells, estimate.reshape(-1), split, judged, noise.root)
    weight = weight_of_smooth(smooth.criterion, split_criterion)
    return (1 - weight) * split.reshape(estimate.shape) + weight * smooth.shares


def _by_splits(table: JointFit, estimate: Floats, known: Sequence[int], alone: Sequence[Floats]) -> Floats:
    """Return the distribution of cells of some depths from an ``estimate``, by splitting cells."""
    depths, mass = [0, 0], np.ones((1, 1))
    while depths != list(known):
        a = _next(table, known, depths)
        depths[a] += 1
        cells = [axis.cells[depth] for axis, depth in zip(table.axes, depths, strict=True)]
        here = np.moveaxis(coarser(estimate, cells), a, -1)
        own = coarser(alone[a], [cells[a]])
        parts = _split(np.moveaxis(mass, a, -1), here, own, _variance(table, depths, a))
        mass = np.moveaxis(parts, -1, a)
    return mass


def _next(table: JointFit, known: Sequence[int], depths: Sequence[int]) -> int:
    """Return the attribute that has the longer way to go, so that cells stay about as long as wide."""
    each = zip(table.axes, known, depths, strict=True)
    first, second = (log(axis.cells[last] / axis.cells[depth]) for axis, last, depth in each)
    return int(second > first)


def _variance(table: JointFit, depths: Sequence[int], a: int) -> float:
    """Return the variance of how far a cell lies from an equal part of its parent on an attribute.

    It comes from the details that the attribute's last depth adds, at any depth of the other.
    """
    one, other = (table.axes[k].cell_energies(depths[k]) for k in (a, 1 - a))
    shrink = np.moveaxis(table.shrink, a, 0)[depths[a], : depths[1 - a] + 1]
    return float((shrink * other).sum() * one[-1])


def _split(mass: Floats, estimate: Floats, own: Floats, variance: float) -> Floats:
    """Split every cell along the last axis, child by child: each against those that are left.

    ``own`` is the attribute's distribution over the children; ``variance`` is of a child about an equal part.
    """
    branching = estimate.shape[-1] // mass.shape[-1]
    found = estimate.reshape(*mass.shape, branching)
    expected = np.broadcast_to(own.reshape(-1, branching), found.shape)
    parts, left = np.empty(found.shape), mass
    each = variance * branching / (branching - 1)  # of one child by itself
    for child in range(branching - 1):
        rest = branching - child
        value = found[..., child] + (left - found[..., child:].sum(axis=-1)) / rest
        those = expected[..., child:].sum(axis=-1)
        share = np.divide(expected[..., child], those, out=np.full(those.shape, 1 / rest), where=those > 0)
        noise = np.full(value.size, max(each * (1 - 1 / rest), NO_NOISE))
        flat = value.reshape(-1), noise, (left * share).reshape(-1), left.reshape(-1)
        parts[..., child] = split(*flat, mixture(*flat)).reshape(value.shape)
        left = left - parts[..., child]
    parts[..., -1] = left
    return parts.reshape(estimate.shape)
