"""Denoising two attributes at once: three ways to see a table, each as far as it accounts for the reports.

Two split cells from the whole down (:mod:`ldprange.estimation.pair_splits`), and differ in what they expect
of a split of which reports tell little: that of the attribute alone, or that of the block around. The third
sees a smooth density (:mod:`ldprange.estimation.smooth`). On some hundred cells Akaike's criterion tells what
each makes of the estimate. These get the mean of all, weighed by that.

In the end rows and columns are to hold what each attribute has by itself. They are scaled for that, which
moves what was too much or too little to wherever people are, row by row as chance has it: much of what is
known of large blocks could get lost. So the cells on which the ways were compared keep what they hold.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import prod

import numpy as np

from ldprange.estimation.pair_noise import PairNoise
from ldprange.estimation.pair_splits import PairSplits
from ldprange.estimation.raking import agreeing, raked
from ldprange.estimation.risk import criterion, weights_of_ways
from ldprange.estimation.shares import nowhere_empty
from ldprange.estimation.smooth import smooth_pair
from ldprange.least_squares.table import JointFit, coarser
from ldprange.support.arrays import Floats

_MAX_CELLS = 256  # on which the ways are compared
_MIN_CELL_RATIO = 1e-6  # of what independence would give a cell, so that no cell is ruled out for good
_DOUBT = 6.0  # by which splits as of the blocks around have to be better: noise of several adds up in them
_CERTAINTY = 100.0  # by which an attribute's own distribution is more certain than what the table says of it


def denoised_pair(
    table: JointFit,
    coefficients: Sequence[Floats],
    alone: Sequence[Floats],
    ordered: Sequence[bool],
    people: float,
    rounds: int,
) -> Floats:
    """Return the distribution of the cells that are known of two attributes; each keeps its own in it.

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
    cells = [axis.cells[depth] for axis, depth in zip(table.axes, table.known, strict=True)]
    own = _coarser_each(alone, cells)
    margins: dict[tuple[int, ...], Floats] = {(0,): own[0], (1,): own[1]}
    estimate, splits = table.fit(coefficients, table.known), PairSplits(table, cells, ordered)
    depths = _compared(table)
    if not all(depths):
        return raked(_somewhat_everywhere(splits.as_alone(estimate, alone), own), margins)
    coarse = table.fit(coefficients, depths)
    coarse_splits = PairSplits(table, coarse.shape, ordered)
    mixed: Floats = np.full(coarse.shape, 1 / coarse.size)
    part = 0.0
    for _ in range(rounds):
        noise = PairNoise(table, depths, nowhere_empty(mixed, people))
        mixed, part = _mixed(coarse_splits, noise, coarse, alone, ordered)
    # what is within these cells only the splits tell
    found = (1 - part) * splits.as_alone(estimate, alone) + part * splits.as_around(estimate, alone)
    ends = _coarser_each(own, mixed.shape)
    mixed = agreeing(raked(mixed, {(0,): ends[0], (1,): ends[1]}), *ends)
    return raked(_somewhat_everywhere(found, own), margins, blocks=mixed)


def _coarser_each(shares: Sequence[Floats], cells: Sequence[int]) -> list[Floats]:
    """Return each attribute's distribution over its number of cells."""
    return [coarser(each, [number]) for each, number in zip(shares, cells, strict=True)]


def _somewhat_everywhere(found: Floats, own: Sequence[Floats]) -> Floats:
    """Return ``found`` cells with no less than a little of what independence would give each."""
    return np.maximum(found, _MIN_CELL_RATIO * np.multiply.outer(*own))


def _compared(table: JointFit) -> list[int]:
    """Return the depths of the cells on which both ways are compared."""
    depths = list(table.known)
    while prod(numbers := [axis.cells[d] for axis, d in zip(table.axes, depths, strict=True)]) > _MAX_CELLS:
        depths[int(np.argmax(numbers))] -= 1
    return depths


def _mixed(
    splits: PairSplits, noise: PairNoise, estimate: Floats, alone: Sequence[Floats], ordered: Sequence[bool]
) -> tuple[Floats, float]:
    """Return the distribution of cells by all ways, from their ``estimate`` and its ``noise``.

    Beside it stands the part that splits as of the blocks around are to have within these cells: there they
    are not doubted, for what only many cells can tell together is more.
    """
    cells = estimate.shape
    own = _coarser_each(alone, cells)
    estimate = noise.with_own(estimate, own)
    judged = noise.precision(0.0)
    smooth = smooth_pair(estimate, noise.precision(_CERTAINTY), judged, own, ordered)

    def flat(way: Callable[[Floats, Sequence[Floats]], Floats], shares: Floats) -> Floats:
        return way(shares.reshape(cells), alone).reshape(-1)

    found, criteria = [smooth.shares], []
    for way in (splits.as_alone, splits.as_around):
        found.append(way(estimate, alone))
        seen = estimate.reshape(-1), found[-1].reshape(-1)
        criteria.append(criterion(partial(flat, way), *seen, judged, noise.root))
    as_alone, as_around = criteria
    weights = weights_of_ways(smooth.criterion, [as_alone, as_around + _DOUBT])
    return np.tensordot(weights, found, axes=1), float(weights_of_ways(np.inf, criteria)[2])
