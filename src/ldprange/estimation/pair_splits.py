"""Cells of two attributes by splits, from the whole down, now along one attribute, now along the other.

A cell's mass is split between its children as in one dimension (:mod:`ldprange.estimation.splits`): the
unbiased estimate says how, with a known error, and all other cells of the same depths say what splits look
like. What is expected of a split, were there no estimate, is one of two things:

- It is that of the attribute *alone*. Whatever reports cannot tell is then as if the attributes were
  independent within a cell. That is best where they tell little.
- It is that of the block *around*: of the larger cell, on the other attribute, which the cell is a part of.
  So what many cells have in common is found first, of which reports tell far more than of each. That is best
  where they tell much: else whatever is shrunk in each of many cells adds up.

No share is ever negative, with nothing to repair.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import log

import numpy as np

from ldprange.estimation.splits import NO_NOISE, mixture, split
from ldprange.least_squares.axis import Axis
from ldprange.least_squares.table import JointFit, coarser
from ldprange.support.arrays import Floats


class PairSplits:
    """The splits that lead from the whole to cells, and how noisy they are.

    Parameters
    ----------
    table
        How all grids come together in the two attributes.
    shape
        How many cells of each attribute there are in the end.
    ordered
        Whether neighbouring bins of each attribute are alike.
    """

    def __init__(self, table: JointFit, shape: Sequence[int], ordered: Sequence[bool]) -> None:
        self._numbers = [
            _numbers_of_cells(axis, number, in_order)
            for axis, number, in_order in zip(table.axes, shape, ordered, strict=True)
        ]
        self._noise = {
            (a, (first, second)): _variances(table, (less, fewer)[a], (first, second), a)
            for less, first in pairwise(self._numbers[0])
            for fewer, second in pairwise(self._numbers[1])
            for a in range(2)
        }

    def as_alone(self, estimate: Floats, alone: Sequence[Floats]) -> Floats:
        """Return the distribution of cells from an ``estimate``; splits are as of attributes ``alone``."""
        own = self._alone(alone)
        mass, at = np.ones((1, 1)), [0, 0]
        while any(rest := [self._rest(a, at[a]) for a in range(2)]):
            # along the attribute that has most of its way to go, so that large blocks of both come first
            a = int(np.argmax(rest))
            at[a] += 1
            shares = np.expand_dims(own[a][at[a]], 1 - a)
            mass = self._split(a, mass, estimate, shares) if at[1 - a] else shares
        return mass

    def as_around(self, estimate: Floats, alone: Sequence[Floats]) -> Floats:
        """Return the distribution of cells from an ``estimate``; splits are as of the blocks around.

        A cell comes from a split along either attribute, and has the mean of what both give it.
        """
        own = self._alone(alone)
        before = [shares[None, :] for shares in own[1]]
        for rows in own[0][1:]:
            here = [rows[:, None]]
            for above in before[1:]:
                parts = rows.size // above.shape[0], above.shape[1] // here[-1].shape[1]
                along = self._split(0, above, estimate, np.repeat(here[-1], parts[1], axis=1))
                across = self._split(1, here[-1], estimate, np.repeat(above, parts[0], axis=0))
                here.append((along + across) / 2)
            before = here
        return before[-1]

    def _alone(self, alone: Sequence[Floats]) -> list[list[Floats]]:
        """Return the distributions of both attributes over all their numbers of cells."""
        both = zip(alone, self._numbers, strict=True)
        return [[coarser(shares, [number]) for number in numbers] for shares, numbers in both]

    def _rest(self, a: int, at: int) -> float:
        """Return how much of the way is left along an attribute that is at its number ``at`` of cells."""
        numbers = self._numbers[a]
        return log(numbers[-1] / numbers[at]) / log(numbers[-1]) if numbers[-1] > 1 else 0.0

    def _split(self, a: int, mass: Floats, estimate: Floats, expected: Floats) -> Floats:
        """Return the cells of a ``mass`` split along an attribute, as ``expected`` where nothing is told."""
        cells = (expected.shape[0], mass.shape[1]) if a == 0 else (mass.shape[0], expected.shape[1])
        here, expected = coarser(estimate, cells), np.broadcast_to(expected, cells)
        mass, here, expected = (each.swapaxes(a, 1) for each in (mass, here, expected))
        return _split(mass, here, expected, *self._noise[a, cells]).swapaxes(a, 1)


def _numbers_of_cells(axis: Axis, last: int, ordered: bool) -> list[int]:
    """Return how many cells there are of an attribute after every split, from the whole to the ``last``.

    They are split in as few parts as can be, so that neighbours stay together: what is near nothing is a
    small part of little, and does not add up over many cells. Categories are no neighbours, and are split at
    once.
    """
    numbers = [1]
    while numbers[-1] != last:
        children = next(number for number in axis.cells if number > numbers[-1]) // numbers[-1]
        least = 2 if ordered else children
        numbers.append(numbers[-1] * next(n for n in range(least, children + 1) if children % n == 0))
    return numbers


def _variances(table: JointFit, before: int, cells: tuple[int, int], a: int) -> tuple[float, float]:
    """Return the variance of how far a cell lies from an equal part of its parent on attribute ``a``.

    The first part is the same wherever people are; the second is of parents of average mass, and in
    proportion to it. Both come from the details that tell cells from the ones ``before``, at any depth of the
    other attribute.
    """
    axis, other = table.axes[a], table.axes[1 - a]
    depth = next(depth for depth, number in enumerate(axis.cells) if number >= cells[a])
    size = axis.leaves / cells[a]
    energies = size * (1 - before / cells[a]) * other.cell_energies(other.leaves // cells[1 - a])
    spread, occupied = (
        float(by_depths.take(depth, axis=a) @ energies)
        for by_depths in (table.spread_parts, table.occupied_parts)
    )
    return spread, occupied


def _split(mass: Floats, estimate: Floats, expected: Floats, spread: float, occupied: float) -> Floats:
    """Split every cell along the last axis, child by child: each against those that are left.

    ``expected`` are the children's shares, in proportion, where nothing is told of them; ``spread`` and
    ``occupied`` are the parts of a child's variance about an equal part, as :func:`_variances` has them.
    """
    branching = estimate.shape[-1] // mass.shape[-1]
    found, expected = (each.reshape(*mass.shape, branching) for each in (estimate, expected))
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
