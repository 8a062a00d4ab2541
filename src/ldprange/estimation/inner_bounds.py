"""Bounds inside a bin, or inside a cell of bins that reports do not tell apart.

Such a bound says nothing about where in the cell people are. So the share of a range is at least that of the
whole cells inside it, and at most that of all cells that it touches. What is told is the share of people who
are spread evenly in their bins.
"""

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from ldprange.domain import Domain
from ldprange.domain.text import shown
from ldprange.support.arrays import Boundaries, Floats, Positions

Ends = tuple[Boundaries, Boundaries]
OfBins = Callable[[Sequence[Boundaries], Sequence[Boundaries]], Floats]
"""Shares in products of ranges of whole bins, from where they start and stop on every axis."""


def shares_between(share: OfBins, starts: Sequence[Positions], stops: Sequence[Positions]) -> Floats:
    """Return shares in products of ranges between positions, from the ``share`` of whole bins.

    >>> cdf = np.array([0.0, 0.25, 0.75, 1.0])
    >>> shares_between(lambda low, high: cdf[high[0]] - cdf[low[0]], [np.array([0.5])], [np.array([2.0])])
    array([0.625])
    """
    corners: list[list[tuple[Any, Boundaries]]] = []  # on both sides of every end, with their weights
    for position in (*starts, *stops):
        below = position.astype(np.int64)
        along = position - below
        corners.append([(1.0, below)])
        if along.any():
            corners[-1] = [(1 - along, below), (along, below + (along > 0))]
    total = 0.0
    for corner in product(*corners):
        weights, ends = zip(*corner, strict=True)
        total = total + math.prod(weights) * share(ends[: len(starts)], ends[len(starts) :])
    return np.asarray(total)


def interval_between(
    interval: Callable[[Sequence[Ends]], tuple[Floats, Floats]],
    starts: Sequence[Positions],
    stops: Sequence[Positions],
    steps: Sequence[int],
    sizes: Sequence[int],
) -> tuple[Floats, Floats]:
    """Return the ends of intervals of shares between positions, from the ``interval`` of whole bins.

    On every axis, cells have ``steps`` bins of ``sizes`` in all; see :func:`whole_cells`.
    """
    cells = [whole_cells(*axis) for axis in zip(starts, stops, steps, sizes, strict=True)]
    inner, outer = ([each[side] for each in cells] for side in (0, 1))
    low, high = interval(outer)
    differ = np.any([a != b for pairs in cells for a, b in zip(*pairs, strict=True)], axis=0)
    if differ.any():
        low[differ], _ = interval([(start[differ], stop[differ]) for start, stop in inner])
    return low, high


def whole_cells(starts: Positions, stops: Positions, step: int, last: int) -> tuple[Ends, Ends]:
    """Return the ends of the whole cells inside ranges, and of those that the ranges touch.

    A cell has ``step`` bins, up to ``last``, where the line ends. If no whole cell is inside, both ends are
    the same.

    >>> inner, outer = whole_cells(np.array([1.5, 4.0]), np.array([5.0, 7.0]), 2, 7)
    >>> [end.tolist() for end in (*inner, *outer)]
    [[2, 4], [4, 7], [0, 4], [6, 7]]
    """
    whole = _whole(starts, stops)
    if step == 1 and np.array_equal(whole[0], starts) and np.array_equal(whole[1], stops):
        return whole, whole
    lows, highs = starts / step, stops / step
    inner = np.where(stops >= last, last, np.floor(highs) * step)
    outer = np.floor(lows) * step, np.minimum(np.ceil(highs) * step, last)
    within = np.minimum(np.ceil(lows) * step, inner), inner
    return _whole(*within), _whole(*outer)


def _whole(low: Positions, high: Positions) -> Ends:
    return low.astype(np.int64), high.astype(np.int64)


def inner_bounds_note(
    domain: Domain, starts: Positions, stops: Positions, step: int, attribute: str = ""
) -> str:
    """Return a sentence about the bounds of ranges of ``domain`` that lie inside a cell of ``step`` bins.

    It is empty if there are none. ``attribute`` is the domain's name where there are several.

    >>> hours = Domain.real(0, 24, 24)
    >>> inner_bounds_note(hours, hours.starts([7.5]), hours.stops([9]), 1)
    '7.5 lies inside a bin, which makes the interval wider; 7 or 8 would not'
    """
    inside_start = np.floor(starts / step) * step != starts
    inside_stop = (np.floor(stops / step) * step != stops) & (stops < domain.bins)
    inside = inside_start | inside_stop
    if not inside.any():
        return ""
    first = int(np.flatnonzero(inside)[0])
    told = []
    if inside_start[first]:  # a range cannot start at the domain's end, or stop at its beginning
        told.append(_near(domain.at, float(starts[first]), step, range(domain.bins)))
    if inside_stop[first]:
        told.append(_near(domain.up_to, float(stops[first]), step, range(1, domain.bins + 1)))
    where = "a bin" if step == 1 else f"a cell of {step} bins that the reports do not tell apart"
    more = int(np.count_nonzero(inside)) - 1
    others = f" (as do bounds of {more:,} other range{'s' * (more > 1)})" if more else ""
    bounds, better = (" and ".join(words) for words in zip(*told, strict=True))
    return (
        f"{attribute + ' = ' if attribute else ''}{bounds} {'lie' if len(told) > 1 else 'lies'} inside "
        f"{where}{others}, "
        f"which makes the interval wider; {better} would not"
    )


def cells_note(step: int) -> str:
    """Return a sentence about the cells of ``step`` bins on which a mean rests; empty if each is a bin."""
    if step == 1:
        return ""
    return f"cells have {step} bins that the reports do not tell apart, which makes the interval wider"


def _near(value: Callable[[float], Any], position: float, step: int, allowed: range) -> tuple[str, str]:
    """Return the bound at a position, and those at the edges of its cell that are allowed."""
    below = step * math.floor(position / step)
    edges = [edge for edge in (below, below + step) if edge in allowed]
    return shown(value(position)), " or ".join(_exact(value(float(edge))) for edge in edges)


def _exact(bound: Any) -> str:
    """Return a bound with enough digits to mean the edge of a bin when typed."""
    return f"{bound:.12g}" if isinstance(bound, float) else shown(bound)
