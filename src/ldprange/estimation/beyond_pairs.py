"""What reports about three attributes or more at once say beyond pairs of them.

Tables of pairs have a most even joint distribution. Reports about all attributes together tell by how much
each detail of three attributes or more differs from it, with a known error. Of all details of some depths as
much is kept as is surely there: they are shrunk towards the pairs' by James and Stein's estimator, positive
part, which for three numbers or more has less error than the unbiased one wherever the truth lies.

It is done from the whole down, cutting cells along one attribute after the other. A cell's people are divided
among its parts, so that what is known of large cells stays: noise that would make parts of it negative does
not add up.
"""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from ldprange.least_squares.axis import Axis, analysed, rebuilt
from ldprange.least_squares.table import JointFit, coarser
from ldprange.support.arrays import Floats

_FEWEST = 3  # attributes of a detail that no pair tells
_MIN_RATIO = 1e-6  # of what is expected of a cell, so that no cell is ruled out for good
_MIN_SHARE = 1e-15  # expected of a cell, which may else come out as small as can be told from 0


def beyond_pairs(
    table: JointFit, coefficients: Sequence[Floats], expected: Floats, depths: Sequence[int]
) -> Floats:
    """Return the shares of cells of some ``depths``, from those ``expected`` by their pairs.

    Parameters
    ----------
    table
        How all grids come together in these attributes.
    coefficients
        What the grids say, as :meth:`JointFit.fit` takes it.
    """
    found = np.maximum(expected, _MIN_SHARE)
    known = [min(each) for each in zip(table.known, depths, strict=True)]
    for cut, reached in _cuts(table.axes, known):
        cells = [axis.cells[depth] for axis, depth in zip(table.axes, reached, strict=True)]
        scale, now = np.sqrt(table.leaves_of_a_cell(reached)), coarser(found, cells)
        away = analysed(table.axes, (table.fit(coefficients, reached) - now) / scale, reached)
        told = _surely(table, away, cut, reached)
        parts = np.maximum(now + rebuilt(table.axes, told, reached) * scale, _MIN_RATIO * now)
        # among the parts of a cell before it was cut
        cells[cut] = table.axes[cut].cells[reached[cut] - 1]
        parts *= _repeated(_ratio(coarser(now, cells), coarser(parts, cells)), parts.shape)
        found = found * _repeated(_ratio(parts, now), found.shape)
    return found


def _cuts(axes: Sequence[Axis], known: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """Yield along which attribute all cells are cut next, and how deep they then are."""
    reached = [0] * len(axes)
    while any(now < last for now, last in zip(reached, known, strict=True)):
        to_go = [
            axis.cells[last] / axis.cells[now] for axis, now, last in zip(axes, reached, known, strict=True)
        ]
        cut = int(np.argmax(to_go))
        reached[cut] += 1
        yield cut, list(reached)


def _surely(table: JointFit, away: Floats, cut: int, reached: Sequence[int]) -> Floats:
    """Return as much as is surely there of the details of three attributes or more that a cut brings."""
    kept = np.zeros_like(away)
    for block in product(*(range(depth + 1) for depth in reached)):
        variance = float(table.shrink[block])
        if block[cut] < reached[cut] or np.count_nonzero(block) < _FEWEST or variance == 0:
            continue
        at = tuple(
            slice(axis.cells[depth - 1] if depth else 0, axis.cells[depth])
            for axis, depth in zip(table.axes, block, strict=True)
        )
        noise = max(away[at].size - 2, 1) * variance
        kept[at] = away[at] * max(0.0, 1 - noise / max(float((away[at] ** 2).sum()), noise))
    return kept


def _ratio(one: Floats, other: Floats) -> Floats:
    return np.divide(one, other, out=np.ones_like(one), where=other > 0)


def _repeated(cells: Floats, shape: Sequence[int]) -> Floats:
    """Repeat what belongs to cells for each of their parts, along every axis."""
    for a, number in enumerate(shape):
        cells = np.repeat(cells, number // cells.shape[a], axis=a)
    return cells
