"""A histogram as a few straight lines that meet: where to break it, and how steep each line is.

This is the first phase of PriPL-Tree (:mod:`experiments.pripl_tree`), PL fitting. From one line over all bins
on, the segment with the largest sum of squared residuals is broken in two, where that makes the sum over all
bins least; all lines are fitted anew each time.

The first 16 segments follow an estimate that was not smoothed, for it still has its spikes and steps. The
others, up to 32, follow the smoothed one, which also has the last word on the slopes.

One more break adds a function to those that the lines are made of: a tent over the segment, with its top at
the break. What it takes off the sum of squares is (r·h)²/|h|², where r are the residuals and h is the part of
the tent that is orthogonal to the other functions. So all candidates are looked at together, and none fitted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ldprange.support.arrays import Boundaries, Floats

MAX_SEGMENTS = 32
_GRANULARITY = 128  # candidates for a break at first; then those between the best one and its neighbours
_GAIN = 1.005  # a break must divide the sum of squares by more; the authors round the quotient to 2 decimals


@dataclass(frozen=True, slots=True)
class Segments:
    """Stretches of bins: their edges, and the slope of each, in shares a bin."""

    edges: Boundaries
    slopes: Floats


def segments(rough: Floats, smooth: Floats, least: float) -> Segments:
    """Return the segments of a ``rough`` and a ``smooth`` estimate; none with less than ``least`` is broken.

    >>> hill = np.array([0.02, 0.06, 0.1, 0.14, 0.18, 0.18, 0.14, 0.1, 0.06, 0.02])
    >>> found = segments(hill, hill, least=0.6)
    >>> found.edges.tolist(), found.slopes.round(3).tolist()
    ([0, 5, 10], [0.04, -0.04])
    """
    edges = np.array([0, smooth.size])
    for shares, most in ((rough, MAX_SEGMENTS // 2), (smooth, MAX_SEGMENTS)):
        edges = _broken(shares, edges, smooth, least, most)
    return Segments(edges, _Lines(smooth, edges).slopes)


def _broken(shares: Floats, edges: Boundaries, smooth: Floats, least: float, most: int) -> Boundaries:
    """Break segments until that helps little, there are as many as may be, or none may be broken."""
    lines = _Lines(shares, edges)
    while True:
        may_break = (np.diff(edges) > 1) & (np.add.reduceat(smooth, edges[:-1]) >= least)
        if not may_break.any():
            return edges
        worst = int(np.argmax(np.where(may_break, lines.squares, -1.0)))
        found = _best_break(lines, int(edges[worst]), int(edges[worst + 1]))
        edges = np.insert(edges, worst + 1, found)
        before, lines = lines.squares.sum(), _Lines(shares, edges)
        if before <= _GAIN * lines.squares.sum() or edges.size > most:
            return edges


def _best_break(lines: _Lines, start: int, end: int) -> int:
    """Return the boundary within a segment that is best to break it at, looking from coarse to fine."""
    step = -(-(end - start) // _GRANULARITY)
    candidates = np.arange(start + 1, end, step)
    while True:
        best = int(candidates[np.argmax(lines.gains(start, end, candidates))])
        if step == 1:
            return best
        finer = -(-step // _GRANULARITY)
        candidates = np.arange(max(start + 1, best - step + 1), min(end, best + step), finer)
        step = finer


class _Lines:
    """The lines that meet at given boundaries, halfway between bins, fitted to shares by least squares."""

    def __init__(self, shares: Floats, edges: Boundaries) -> None:
        bins = np.arange(shares.size, dtype=np.float64)[:, None]
        functions = np.hstack([np.ones_like(bins), bins, np.maximum(bins - (edges[1:-1] - 0.5), 0.0)])
        self._functions, triangle = np.linalg.qr(functions)
        self._residuals = shares - self._functions @ (self._functions.T @ shares)
        # where there are more functions than bins, the least that will do
        changes = np.linalg.lstsq(triangle, self._functions.T @ shares)[0][1:]
        self.slopes: Floats = np.cumsum(changes)
        self.squares: Floats = np.add.reduceat(self._residuals**2, edges[:-1])

    def gains(self, start: int, end: int, boundaries: Boundaries) -> Floats:
        """Return what a break at each boundary within a segment would take off the sum of squares."""
        bins, tops = np.arange(start, end, dtype=np.float64)[:, None], boundaries - 0.5
        left, right = max(start - 0.5, 0.0), min(end - 0.5, self._residuals.size - 1.0)
        tents = np.minimum((bins - left) / (tops - left), (right - bins) / (right - tops))
        lengths = np.sum(tents**2, axis=0)
        new = lengths - np.sum((self._functions[start:end].T @ tents) ** 2, axis=0)
        products = self._residuals[start:end] @ tents
        # a tent that is made of the other functions has only rounding left
        gains: Floats = np.divide(products**2, new, out=np.zeros(tops.size), where=new > 1e-9 * lengths)
        return gains
