"""The square wave: a report that is likely near the value, and expectation maximisation to undo it.

After Z. Li, T. Wang, M. Lopuhaä-Zwakenberg, N. Li, B. Škorić, "Estimating Numerical Distributions under
Local Differential Privacy", SIGMOD 2020. A value v in [0, 1] is reported as a number in [−b, 1 + b], with
density p within b of v and q = p/e^ε elsewhere; their b is the one at which a report says most about v.
This is their variant *randomise before bucketise*: reports are numbers, and whoever collects them counts them
in buckets, as many as there are bins. Here a value is known by its bin only, so a person first draws v evenly
within it, which is what the reconstruction takes for granted.

The chance of a bucket given a bin is q times the bucket's width, plus p − q times how much of it a window of
width 2b around v covers on average. So the matrix of chances is never built: to multiply with it is to
integrate a step function twice and take differences, O(D).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ldprange.oracles.contract import each_holder
from ldprange.support.arrays import Counts, Floats

_TOLERANCE = 1e-3  # of the log-likelihood, the paper's τ for smoothed steps; for others it is e^ε times that
_MAX_STEPS = 10_000
_TOGETHER = 1 << 20  # people whose reports are drawn at a time


def square_wave(counts: Counts, epsilon: float, rng: np.random.Generator, smooth: bool) -> Floats:
    """Ask a population once, and return the share of people that each bin is found to have.

    >>> people = np.array([0, 0, 60_000, 20_000, 10_000, 10_000, 0, 0])
    >>> square_wave(people, 3.0, np.random.default_rng(1), smooth=False).round(2).tolist()
    [0.0, 0.0, 0.6, 0.2, 0.1, 0.1, 0.0, 0.0]
    """
    wave = SquareWave.of(counts.size, epsilon)
    return reconstruct(wave, wave.draw(counts, rng), smooth)


@dataclass(frozen=True)  # not slotted, so that windows are kept
class SquareWave:
    """The law of reports of values in so many bins, counted in as many buckets."""

    bins: int
    epsilon: float
    half_width: float
    near: float
    far: float

    @classmethod
    def of(cls, bins: int, epsilon: float) -> SquareWave:
        """Return the law with the window that the paper chooses.

        >>> wave = SquareWave.of(256, math.log(3))
        >>> round(wave.half_width, 3), round(wave.near, 3), round(wave.far, 3)
        (0.24, 1.231, 0.41)
        """
        e, less = math.exp(epsilon), math.expm1(epsilon)
        half_width = (epsilon * e - less) / (2 * e * (less - epsilon))
        far = 1 / (2 * half_width * e + 1)
        return cls(bins, epsilon, half_width, e * far, far)

    @property
    def bucket(self) -> float:
        """How wide a bucket is, where a bin's width is 1/bins."""
        return (1 + 2 * self.half_width) / self.bins

    def draw(self, counts: Counts, rng: np.random.Generator) -> Counts:
        """Draw how many reports fall into each bucket, by the law of drawing each person's.

        The density is q everywhere and p − q more in the window. So a part of the people report anything,
        whatever they hold, and only the others are gone through.
        """
        near = rng.binomial(counts, 2 * self.half_width * (self.near - self.far))
        anything = int(counts.sum() - near.sum())
        reports = rng.multinomial(anything, np.full(self.bins, 1 / self.bins))
        for held in each_holder(near, _TOGETHER):
            above = (held + rng.random(held.size)) / self.bins  # how far a report lies above −b
            above += 2 * self.half_width * rng.random(held.size)
            reports += np.bincount(_cells(above / self.bucket, self.bins), minlength=self.bins)
        return reports

    def chances(self, shares: Floats) -> Floats:
        """Return the chance of a report in each bucket, when people hold bins with these shares."""
        covered = self._bins_of_buckets.covered(shares)
        chances: Floats = self.far * self.bucket * shares.sum() + (self.near - self.far) * covered
        return chances

    def credits(self, weights: Floats) -> Floats:
        """Return each bin's mean of the weights of buckets: :meth:`chances` transposed."""
        masses = weights * self.bucket
        covered = self._buckets_of_bins.covered(masses)
        means: Floats = self.far * masses.sum() + (self.near - self.far) * self.bins * covered
        return means

    @cached_property
    def _bins_of_buckets(self) -> _Windows:
        """From a report y on: values within b of it. Reports are told by how far they lie above −b."""
        ends = self.bucket * np.arange(self.bins + 1.0)
        return _Windows(self.bins, 1 / self.bins, ends - 2 * self.half_width, ends)

    @cached_property
    def _buckets_of_bins(self) -> _Windows:
        """From a value v on: reports within b of it."""
        ends = np.arange(self.bins + 1) / self.bins
        return _Windows(self.bins, self.bucket, ends, ends + 2 * self.half_width)


class _Windows:
    """Masses spread evenly over equal cells from 0 on, seen through a window that slides along them.

    Parameters
    ----------
    cells
        How many.
    width
        Of a cell.
    lower, upper
        Where the window stands when it enters each stretch of its way, and at the end of the last.
    """

    def __init__(self, cells: int, width: float, lower: Floats, upper: Floats) -> None:
        self._width = width
        self._ends = _places(np.stack([lower, upper]) / width, cells)

    def covered(self, masses: Floats) -> Floats:
        """Return the integral of the mass in the window over each stretch of its way."""
        below, areas = np.zeros((2, masses.size + 1))
        masses.cumsum(out=below[1:])
        (below[:-1] + masses / 2).cumsum(out=areas[1:])
        cell, part, beyond = self._ends
        lower, upper = areas[cell] + part * (below[cell] + part / 2 * masses[cell]) + below[-1] * beyond
        covered: Floats = self._width * np.diff(upper - lower)
        return covered


def _places(ends: Floats, cells: int) -> tuple[Counts, Floats, Floats]:
    """Return the cell of each end, the part of it that lies below, and what is left beyond the last cell."""
    cell = _cells(ends, cells)
    return cell, np.clip(ends - cell, 0.0, 1.0), np.maximum(ends - cells, 0.0)


def _cells(ends: Floats, cells: int) -> Counts:
    """Return the cell of each place, in units of cells; what lies outside counts to the nearest."""
    return np.clip(ends.astype(np.int64), 0, cells - 1)


def reconstruct(wave: SquareWave, reports: Counts, smooth: bool, tolerance: float | None = None) -> Floats:
    """Return the shares that make the reports likely, by expectation maximisation from equal ones.

    It stops as the paper does, when a step changes the log-likelihood by less than a tolerance. Without
    smoothing that is the only thing that keeps the result from following the noise.

    Parameters
    ----------
    wave
        The law of the reports.
    reports
        How many fell into each bucket.
    smooth
        Whether neighbours are averaged after each step: EMS in the paper, EM without.
    tolerance
        Of the log-likelihood; the paper's, if none is given.
    """
    if tolerance is None:
        tolerance = _TOLERANCE if smooth else _TOLERANCE * math.exp(wave.epsilon)
    shares, before = np.full(wave.bins, 1 / wave.bins), -math.inf
    for _ in range(_MAX_STEPS):
        chances = wave.chances(shares)
        likelihood = float(reports @ np.log(chances))
        if abs(likelihood - before) < tolerance:
            break
        before = likelihood
        shares = shares * wave.credits(reports / chances)
        if smooth:
            shares = _smoothed(shares)
        shares /= shares.sum()
    return shares


def _smoothed(shares: Floats) -> Floats:
    """Average each bin with its neighbours, weights 1, 2, 1; an end has one neighbour and weights 2, 1."""
    sums = 2 * shares
    sums[1:] += shares[:-1]
    sums[:-1] += shares[1:]
    weights = np.full(shares.size, 4.0)
    weights[[0, -1]] -= 1
    smoothed: Floats = sums / weights
    return smoothed
