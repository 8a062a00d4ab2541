"""Denoising two attributes at once: two ways to see a table, each as far as it accounts for the reports.

One splits cells from the whole down, now along one attribute, now along the other. A cell's mass is split
between its children as in one dimension (:mod:`ldprange.estimation.splits`): the unbiased estimate says how,
with a known error; all other cells of the same depths say what splits look like; and what is expected of a
split, were there no estimate, is that of the attribute alone. So whatever the reports cannot tell is as if
the attributes were independent within a cell, and what they do tell stays: attributes that go together are
not pulled apart. No share is ever negative, with nothing to repair.

The other sees a smooth density (:mod:`ldprange.estimation.smooth`). On some hundred cells Akaike's
criterion tells what either makes of the estimate. These get the mean of both, weighed by that.
"""

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from ldprange.estimation.pair_noise import PairNoise
from ldprange.estimation.risk import criterion, weight_of_smooth
from ldprange.estimation.shares import nowhere_empty
from ldprange.estimation.smooth import smooth_pair
from ldprange.estimation.splits import NO_NOISE, mixture, split
from ldprange.least_squares.axis import Axis
from ldprange.least_squares.table import JointFit, coarser
from ldprange.support.arrays import Floats

_MAX_CELLS = 256  # on which both are compared
_MIN_CELL_RATIO = 1e-6  # of what independence would give a cell, so that no cell is ruled out for good
_CERTAINTY = 100.0  # by which an attribute's own distribution is more certain than what the table says of it


def denoised_pair(
    table: JointFit,
    coefficients: Sequence[Floats],
    alone: Sequence[Floats],
    ordered: Sequence[bool],
    people: float,
    rounds: int,
) -> Floats:
    """Return the distribution of the cells that are known of two attributes.

    Parameters
    ----------
    table
        How all grids come together in the two.
    coefficients
        What the grids say, as :meth:`JointFit.fit` takes it.
    alone
        The distribution of each attribute's leaves.
    ordered
        Whether neighbouring bins of each attribute are alike.
    people
        How many reported.
    rounds
        How often cells are denoised: first with the noise of an even population, then of what was found.
    """
    own = [
        coarser(shares, [axis.cells[depth]])
        for shares, axis, depth in zip(alone, table.axes, table.known, strict=True)
    ]
    estimate = table.fit(coefficients, table.known)
    found = _by_splits(_cuts(table, estimate.shape, ordered), estimate, alone)
    found = np.maximum(found, _MIN_CELL_RATIO * np.multiply.outer(*own))
    depths = _compared(table)
    if not all(depths):
        return found
    estimate = table.fit(coefficients, depths)
    cells = estimate.shape
    mixed: Floats = np.full(cells, 1 / prod(cells))
    for _ in range(rounds):
        noise = PairNoise(table, depths, nowhere_empty(mixed, people))
        mixed = _mixed(table, noise, estimate, alone, ordered)
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


def _mixed(
    table: JointFit, noise: PairNoise, estimate: Floats, alone: Sequence[Floats], ordered: Sequence[bool]
) -> Floats:
    """Return the distribution of cells, by both ways, from their ``estimate`` and its ``noise``."""
    own = [coarser(shares, [cells]) for shares, cells in zip(alone, estimate.shape, strict=True)]
    estimate = noise.with_own(estimate, own)
    judged = noise.precision(0.0)
    smooth = smooth_pair(estimate, noise.precision(_CERTAINTY), judged, own, ordered)

    cuts = _cuts(table, estimate.shape, ordered)

    def split_cells(shares: Floats) -> Floats:
        return _by_splits(cuts, shares.reshape(estimate.shape), alone).reshape(-1)

    split = split_cells(estimate)
    split_criterion = criterion(split_cells, estimate.reshape(-1), split, judged, noise.root)
    weight = weight_of_smooth(smooth.criterion, split_criterion)
    return (1 - weight) * split.reshape(estimate.shape) + weight * smooth.shares


class _Cut(NamedTuple):
    """A cut of all cells along one attribute: how many there are then, and the noise of the parts.

    It is in two parts: see :func:`_variances`.
    """

    attribute: int
    cells: tuple[int, ...]
    spread: float
    occupied: float


def _cuts(table: JointFit, shape: Sequence[int], ordered: Sequence[bool]) -> list[_Cut]:
    """Return the cuts that lead from the whole to cells of a ``shape``."""
    found, now = list[_Cut](), (1, 1)
    while now != tuple(shape):
        # along the attribute that has the longer way to go, so that cells stay about as long as wide
        first, second = (last / reached for last, reached in zip(shape, now, strict=True))
        a = int(second > first)
        parts = _parts(table.axes[a], now[a], ordered[a])
        cells = (now[0], now[1] * parts) if a else (now[0] * parts, now[1])
        found.append(_Cut(a, cells, *_variances(table, now, cells, a)))
        now = cells
    return found


def _by_splits(cuts: Sequence[_Cut], estimate: Floats, alone: Sequence[Floats]) -> Floats:
    """Return the distribution of cells from an ``estimate`` of theirs, by splitting cells."""
    mass = np.ones((1, 1))
    for a, cells, *noise in cuts:
        here = coarser(estimate, cells).swapaxes(a, -1)
        parts = _split(mass.swapaxes(a, -1), here, coarser(alone[a], [cells[a]]), *noise)
        mass = parts.swapaxes(a, -1)
    return mass


def _parts(axis: Axis, cells: int, ordered: bool) -> int:
    """Return in how many parts each of an attribute's ``cells`` is to be split.

    They are as few as can be, so that neighbours stay together: what is near nothing is a small part of
    little, and does not add up over many cells. Categories are no neighbours, and are split all at once.
    """
    children = next(number for number in axis.cells if number > cells) // cells
    return next(
        number for number in range(2 if ordered else children, children + 1) if children % number == 0
    )


def _variances(table: JointFit, before: Sequence[int], cells: Sequence[int], a: int) -> tuple[float, float]:
    """Return the variance of how far a cell lies from an equal part of its parent on attribute ``a``.

    The first part is the same wherever people are; the second is of parents of average mass, and in
    proportion to it. Both come from the details that tell cells from the ones ``before``, at any depth of the
    other attribute.
    """
    axis, other = table.axes[a], table.axes[1 - a]
    depth = next(depth for depth, number in enumerate(axis.cells) if number >= cells[a])
    size = axis.leaves / cells[a]
    energies = size * (1 - before[a] / cells[a]) * other.cell_energies(other.leaves // cells[1 - a])
    spread, occupied = (
        float(by_depths.take(depth, axis=a) @ energies)
        for by_depths in (table.spread_parts, table.occupied_parts)
    )
    return spread, occupied


def _split(mass: Floats, estimate: Floats, own: Floats, spread: float, occupied: float) -> Floats:
    """Split every cell along the last axis, child by child: each against those that are left.

    ``own`` is the attribute's distribution over the children; ``spread`` and ``occupied`` are the parts of a
    child's variance about an equal part, as :func:`_variances` has them.
    """
    branching = estimate.shape[-1] // mass.shape[-1]
    found = estimate.reshape(*mass.shape, branching)
    expected = np.broadcast_to(own.reshape(-1, branching), found.shape)
    parts, left = np.empty(found.shape), mass
    # of each child by itself
    each = (spread + occupied * estimate.size * np.maximum(found, 0.0)) * branching / (branching - 1)
    each = np.maximum(each, NO_NOISE)
    for child in range(branching - 1):
        rest = branching - child
        part = each[..., child] / each[..., child:].sum(axis=-1)
        value = found[..., child] + (left - found[..., child:].sum(axis=-1)) * part
        those = expected[..., child:].sum(axis=-1)
        share = np.divide(expected[..., child], those, out=np.full(those.shape, 1 / rest), where=those > 0)
        noise = (each[..., child] * (1 - part)).reshape(-1)
        flat = value.reshape(-1), noise, (left * share).reshape(-1), left.reshape(-1)
        parts[..., child] = split(*flat, mixture(*flat)).reshape(value.shape)
        left = left - parts[..., child]
    parts[..., -1] = left
    return parts.reshape(estimate.shape)
