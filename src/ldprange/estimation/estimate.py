"""Answers in the user's own units, each with its interval."""

from __future__ import annotations

import math
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldprange.answer import Answer
from ldprange.details import Floats
from ldprange.domain import Positions
from ldprange.errors import QueryError
from ldprange.estimation.shares import Boundaries, Shares
from ldprange.plan import Plan


class Estimate:
    """What the reports say about the population.

    Every question takes ``confidence``, 0.95 if not said otherwise; ``None`` leaves the interval out.
    Shares are unbiased, so a small one may come out below 0.

    Made by :func:`ldprange.estimate`.
    """

    def __init__(self, plan: Plan, shares: Shares) -> None:
        self.plan = plan
        self._shares = shares
        self._domain = plan.domain

    def range(self, low: Any, high: Any, *, confidence: float | None = 0.95) -> Answer[float]:
        """Return the share of people between ``low`` and ``high``, both included."""
        return _single(self.ranges([low], [high], confidence=confidence))

    def ranges(self, lows: ArrayLike, highs: ArrayLike, *, confidence: float | None = 0.95) -> Answer[Floats]:
        """Return the shares of many ranges at once, as arrays."""
        starts, stops = self._domain.starts(lows), self._domain.stops(highs)
        starts, stops = np.broadcast_arrays(starts, stops)
        wrong = starts >= stops
        if np.any(wrong):
            at = int(np.flatnonzero(wrong)[0])
            low, high = (np.broadcast_to(np.asarray(b), wrong.shape).flat[at] for b in (lows, highs))
            raise QueryError(f"a range's low end must not exceed its high end, got {low} and {high}")
        return self._answer(starts, stops, confidence)

    def prefix(self, bound: Any, *, confidence: float | None = 0.95) -> Answer[float]:
        """Return the share of people up to ``bound``, itself included."""
        return _single(self.prefixes([bound], confidence=confidence))

    def prefixes(self, bounds: ArrayLike, *, confidence: float | None = 0.95) -> Answer[Floats]:
        """Return the shares of many prefixes at once, as arrays."""
        stops = self._domain.stops(bounds)
        return self._answer(np.zeros_like(stops), stops, confidence)

    def histogram(self, *, confidence: float | None = 0.95) -> Answer[Floats]:
        """Return the share of every bin."""
        bins = np.arange(self._shares.bins, dtype=np.float64)
        return self._answer(bins, bins + 1, confidence)

    def cdf(self, *, confidence: float | None = 0.95, band: str = "pointwise") -> Answer[Floats]:
        """Return the share up to every bin, itself included.

        Parameters
        ----------
        confidence
            How often the interval is to hold the truth.
        band
            ``"pointwise"``: each interval holds on its own. ``"simultaneous"``: all hold at once (by
            Bonferroni's inequality: for trees and Haar 2 to 5% wider than need be).
        """
        if band not in ("pointwise", "simultaneous"):
            raise QueryError(f"the band must be 'pointwise' or 'simultaneous', got {band!r}")
        stops = np.arange(1.0, self._shares.bins + 1)
        at_once = max(1, self._shares.bins - 1) if band == "simultaneous" else 1
        return self._answer(np.zeros_like(stops), stops, confidence, at_once)

    def quantile(self, q: float, *, confidence: float | None = 0.95) -> Answer[Any]:
        """Return the value below which a share ``q`` of the people lies, in the domain's units."""
        answer = self.quantiles([q], confidence=confidence)
        low, high = (None, None) if answer.low is None or answer.high is None else (answer.low[0], answer.high[0])
        return Answer(_plain(answer.value[0]), _plain(low), _plain(high), answer.confidence)

    def quantiles(self, qs: ArrayLike, *, confidence: float | None = 0.95) -> Answer[NDArray[Any]]:
        """Return many quantiles at once, as arrays.

        The interval is that of the bins which the cdf's own intervals cannot rule out.
        """
        wanted = _floats(qs, "a quantile")
        if not np.all((wanted >= 0) & (wanted <= 1)):
            raise QueryError(f"a quantile must lie between 0 and 1, got {qs!r}")
        z = _normal_quantile(confidence, 1)
        cdf, last = self._shares.rising_cdf, self._shares.bins - 1
        found = np.minimum(np.searchsorted(cdf[1:], wanted, side="left"), last)
        step = cdf[found + 1] - cdf[found]
        along = np.divide(wanted - cdf[found], step, out=np.full(wanted.shape, 0.5), where=step > 0)
        positions = found + np.clip(along, 0.0, 1.0 - 2**-20)
        value = _units([self._domain.at(float(position)) for position in positions.flat], wanted.shape)
        if z is None:
            return Answer(value, None, None, None)
        known = self._known_boundaries
        spread = z * self._cdf_deviations
        # the quantile lies beyond boundary b if F(b) < q, and before it if F(b) ≥ q
        surely_before = (cdf[known] + spread)[None, :] < wanted.reshape(-1, 1)
        surely_reached = (cdf[known] - spread)[None, :] >= wanted.reshape(-1, 1)
        low = known[np.maximum(np.argmin(surely_before, axis=1) - 1, 0)]
        beyond = np.argmin(surely_reached[:, ::-1], axis=1)  # from the top: how many boundaries surely reach q
        high = known[np.minimum(len(known) - beyond, len(known) - 1)] - 1
        lows = _units([self._domain.lower(int(b)) for b in np.minimum(low, last)], wanted.shape)
        highs = _units([self._domain.upper(int(b)) for b in np.clip(high, 0, last)], wanted.shape)
        return Answer(value, lows, highs, confidence)

    @cached_property
    def _known_boundaries(self) -> Boundaries:
        inner = np.arange(0, self._shares.bins, self._shares.resolution)
        return np.append(inner, self._shares.bins)

    @cached_property
    def _cdf_deviations(self) -> Floats:
        known = self._known_boundaries
        return np.sqrt(self._shares.variance(np.zeros_like(known), known))

    def _answer(
        self, starts: Positions, stops: Positions, confidence: float | None, at_once: int = 1
    ) -> Answer[Floats]:
        z = _normal_quantile(confidence, at_once)
        value = self._share(starts, stops)
        if z is None:
            return Answer(value, None, None, None)
        step, bins = self._shares.resolution, self._shares.bins
        inner_low, inner_high = _whole(np.ceil(starts / step) * step), _whole(np.floor(stops / step) * step)
        outer_low, outer_high = _whole(np.floor(starts / step) * step), _whole(np.ceil(stops / step) * step)
        outer_high = np.minimum(outer_high, bins)
        inner_high = np.where(stops == bins, bins, inner_high)
        if np.array_equal(inner_low, outer_low) and np.array_equal(inner_high, outer_high):
            spread = z * np.sqrt(self._shares.variance(inner_low, inner_high))
            return Answer(value, value - spread, value + spread, confidence)
        # A bound inside a bin (or inside a node whose parts nobody reported on) says nothing about where in
        # it people are: the share is at least that of the whole ones inside, at most that of all it touches.
        inner_low = np.minimum(inner_low, inner_high)
        inner_spread = z * np.sqrt(self._shares.variance(inner_low, inner_high))
        outer_spread = z * np.sqrt(self._shares.variance(outer_low, outer_high))
        low = self._shares.share(inner_low, inner_high) - inner_spread
        high = self._shares.share(outer_low, outer_high) + outer_spread
        return Answer(value, np.minimum(low, value), np.maximum(high, value), confidence)

    def _share(self, starts: Positions, stops: Positions) -> Floats:
        """Return shares between positions; inside a bin people are taken to be spread evenly."""
        low, high = _whole(starts), _whole(stops)
        shares = self._shares.share(low, high)
        into, beyond = starts - low, stops - high
        if np.any(into) or np.any(beyond):
            last = self._shares.bins - 1
            first_bin, last_bin = np.minimum(low, last), np.minimum(high, last)
            shares = shares - into * self._shares.share(first_bin, first_bin + 1)
            shares = shares + beyond * self._shares.share(last_bin, last_bin + 1)
        return shares


def _whole(positions: Positions) -> Boundaries:
    return positions.astype(np.int64)


def _normal_quantile(confidence: float | None, at_once: int) -> float | None:
    if confidence is None:
        return None
    if not isinstance(confidence, int | float) or not 0 < confidence < 1:
        raise QueryError(f"the confidence must lie between 0 and 1, such as 0.95, got {confidence!r}")
    return NormalDist().inv_cdf(1 - (1 - confidence) / (2 * at_once))


def _floats(given: ArrayLike, what: str) -> Floats:
    array = np.asarray(given)
    if array.dtype.kind not in "iuf":
        raise QueryError(f"{what} must be a number, got {given!r}")
    return array.astype(np.float64)


def _units(values: list[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Collect values of the domain's own type; dates and labels stay what they are."""
    numeric = all(isinstance(value, int | float) for value in values)
    array = np.empty(len(values), dtype=None if numeric else object) if not numeric else np.array(values)
    if not numeric:
        array[:] = values
    return array.reshape(shape)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _single(answer: Answer[Floats]) -> Answer[float]:
    if answer.low is None or answer.high is None:
        return Answer(float(answer.value[0]), None, None, None)
    assert not math.isnan(answer.value[0])  # noqa: S101
    return Answer(float(answer.value[0]), float(answer.low[0]), float(answer.high[0]), answer.confidence)
