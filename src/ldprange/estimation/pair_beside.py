"""A table of two attributes with bins apart: with what lies beyond open ends, or no answer.

These are no neighbours of the values beside them, and whoever is there may be quite other people, of whom
what the rest of the table looks like tells little. So where reports say something else of a bin apart than
the denoised table does, along the other attribute, scale by scale, and more than noise would, it is believed
(James and Stein's estimator). People who have a value make up for it, in proportion.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ldprange.estimation.raking import raked
from ldprange.estimation.splits import NO_NOISE
from ldprange.least_squares.table import JointFit
from ldprange.support.arrays import Boundaries, Floats

_SURELY = 1.0  # standard deviations by which squares exceed what noise makes of them


def with_bins_apart(
    table: JointFit, estimate: Floats, shares: Floats, own: Sequence[Floats], apart: Sequence[Boundaries]
) -> Floats:
    """Return the denoised ``shares`` of a table's cells, with what reports tell of bins apart.

    Parameters
    ----------
    table
        How all grids come together in the two attributes.
    estimate
        The unbiased shares of the same cells.
    own
        The distribution of each attribute over them.
    apart
        Those cells of each attribute that are bins apart.
    """
    found, told = shares.copy(), np.zeros(shares.shape)
    for a, cells in enumerate(apart):
        if not cells.size:
            continue
        rows, away, known = (np.moveaxis(each, a, 0) for each in (found, estimate - found, told))
        there = np.maximum(rows[cells] + _beyond_noise(table, away[cells], own[a][cells], a), 0.0)
        rows[cells] = np.where(known[cells] > 0, rows[cells], there)
        known[cells] = 1.0
    rest = np.ix_(*(np.delete(np.arange(each.size), cells) for each, cells in zip(own, apart, strict=True)))
    left = [np.maximum(each - (found * told).sum(axis=1 - a), 0.0) for a, each in enumerate(own)]
    found[rest] = raked(found[rest], {(a,): each[rest[a].reshape(-1)] for a, each in enumerate(left)})
    return found


def _beyond_noise(table: JointFit, rows: Floats, shares: Floats, attribute: int) -> Floats:
    """Return of ``rows`` what is more than noise: of cells of an ``attribute`` with these ``shares``.

    Their sums, which tell of the attribute alone, are left out.
    """
    own, other = table.axes[attribute], table.axes[1 - attribute]
    spread, occupied = noise_along_a_cell(table, attribute)
    details = other.analyse(rows, spread.size - 1)
    details[:, 0] = 0.0
    for scale, (begin, end) in enumerate(pairwise(other.cells[: spread.size]), 1):
        average = own.cells[table.known[attribute]] * shares
        variance = np.maximum(spread[scale] + occupied[scale] * average, NO_NOISE)
        squares = (details[:, begin:end] ** 2).sum(axis=1) / variance
        number = end - begin
        more = squares > number + _SURELY * np.sqrt(2 * number)
        kept = np.where(more, 1 - max(number - 2, 1) / np.maximum(squares, 1.0), 0.0)
        details[:, begin:end] *= kept[:, None]
    return other.rebuild(details, spread.size - 1)


def noise_along_a_cell(table: JointFit, attribute: int) -> tuple[Floats, Floats]:
    """Return the variance of a unit detail along the other attribute, within one known cell of ``attribute``.

    It has two parts, by the detail's depth: what is the same wherever people are, and what is in proportion
    to the people in the cell, of one that has as many as all cells have on average.
    """
    own, (depth, along) = table.axes[attribute], (table.known[attribute], table.known[1 - attribute])
    energies = table.axes[1 - attribute].sizes[along] * own.cell_energies(own.sizes[depth])
    spread, occupied = (
        energies @ np.moveaxis(parts, attribute, 0)[:, : along + 1]
        for parts in (table.spread_parts, table.occupied_parts)
    )
    return spread, occupied
