"""Bounds inside a bin, or inside a cell of bins that reports do not tell apart.

Such a bound says nothing about where in the cell people are. So the share of a range is at least that of the
whole cells inside it, and at most that of all cells that it touches.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ldprange.domain import Domain
from ldprange.domain.text import shown
from ldprange.support.arrays import Boundaries, Positions

Ends = tuple[Boundaries, Boundaries]


def whole_cells(starts: Positions, stops: Positions, step: int, last: int) -> tuple[Ends, Ends]:
    """Return the ends of the whole cells inside ranges, and of those that the ranges touch.

    A cell has ``step`` bins, up to ``last``, where the line ends. If no whole cell is inside, both ends are
    the same.

    >>> inner, outer = whole_cells(np.array([1.5, 4.0]), np.array([5.0, 7.0]), 2, 7)
    >>> [end.tolist() for end in (*inner, *outer)]
    [[2, 4], [4, 7], [0, 4], [6, 7]]
    """
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
    inside_start, inside_stop = starts % step != 0, (stops % step != 0) & (stops < domain.bins)
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


def _near(value: Callable[[float], Any], position: float, step: int, allowed: range) -> tuple[str, str]:
    """Return the bound at a position, and those at the edges of its cell that are allowed."""
    below = step * math.floor(position / step)
    edges = [edge for edge in (below, below + step) if edge in allowed]
    return shown(value(position)), " or ".join(_exact(value(float(edge))) for edge in edges)


def _exact(bound: Any) -> str:
    """Return a bound with enough digits to mean the edge of a bin when typed."""
    return f"{bound:.12g}" if isinstance(bound, float) else shown(bound)
