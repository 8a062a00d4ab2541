"""Denoising two attributes at once: cells are split from the whole down, now along one, now along the other.

A cell's mass is split between its children as in one dimension (:mod:`ldprange.estimation.splits`): the
unbiased estimate says how, with a known error; all other cells of the same depths say what splits look like;
and what is expected of a split, were there no estimate, is that of the attribute alone. So whatever the
reports cannot tell is as if the attributes were independent within a cell, and what they do tell stays:
attributes that go together are not pulled apart. No share is ever negative, with nothing to repair.
"""

from collections.abc import Sequence
from math import log

import numpy as np

from ldprange.estimation.splits import NO_NOISE, mixture, split
from ldprange.least_squares.table import JointFit
from ldprange.support.arrays import Floats


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
    depths, mass = [0, 0], np.ones((1, 1))
    while tuple(depths) != table.known:
        a = _next(table, depths)
        depths[a] += 1
        estimate = np.moveaxis(table.fit(coefficients, depths), a, -1)
        own = alone[a].reshape(table.axes[a].cells[depths[a]], -1).sum(axis=1)
        parts = _split(np.moveaxis(mass, a, -1), estimate, own, _variance(table, depths, a))
        mass = np.moveaxis(parts, -1, a)
    return mass


def _next(table: JointFit, depths: Sequence[int]) -> int:
    """Return the attribute that has the longer way to go, so that cells stay about as long as wide."""
    known = zip(table.axes, table.known, depths, strict=True)
    first, second = (log(axis.cells[last] / axis.cells[depth]) for axis, last, depth in known)
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
