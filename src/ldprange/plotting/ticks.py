"""Where an axis is marked: round numbers, days where people look for them, a few of the labels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldprange.domain import Domain
from ldprange.domain.dates import Dates

_TICKS = 8


def ticks_of(domain: Domain) -> tuple[NDArray[np.float64], list[str]]:
    """Name a few places in the user's own units: round numbers, or a few of the days or labels."""
    low, high = domain.lower(0), domain.upper(domain.bins - 1)
    if domain.scale is not None:
        whole = isinstance(low, int)
        ticks = _even(low, high, whole=whole) if domain.scale == "linear" else _magnitudes(low, high)
        return domain.starts(ticks) + (0.5 if whole else 0.0), [f"{tick:.12g}" for tick in ticks]
    if isinstance(domain, Dates):
        days = _days(np.arange(np.datetime64(low), np.datetime64(high) + 1))
        return domain.starts(days) + 0.5, [str(day) for day in days]
    shown = np.unique(np.linspace(0, domain.bins - 1, min(domain.bins, 7)).astype(int))
    return shown + 0.5, [domain.label(int(index)) for index in shown]


def _days(days: NDArray[np.datetime64]) -> NDArray[np.datetime64]:
    """Return a few of the ``days`` in a row: all, Mondays, or the first of months, quarters or years.

    >>> [str(day) for day in _days(np.arange("2026-01-01", "2026-02-15", dtype="datetime64[D]"))]
    ['2026-01-05', '2026-01-12', '2026-01-19', '2026-01-26', '2026-02-02', '2026-02-09']
    """
    months, years = (
        days.astype("datetime64[M]").astype(np.int64),
        days.astype("datetime64[Y]").astype(np.int64),
    )
    first = days == days.astype("datetime64[M]")  # of a month
    mondays = (days.astype(np.int64) + 3) % 7 == 0
    kinds = [np.full(days.shape, True), mondays, *(first & (months % every == 0) for every in (1, 3))]
    for every in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000):
        kinds.append(first & (months % 12 == 0) & ((years + 1970) % every == 0))
    return next((days[kind] for kind in kinds if 0 < np.count_nonzero(kind) <= _TICKS), days[:1])


def _even(low: float, high: float, *, whole: bool = False) -> NDArray[np.float64]:
    """Return a few round numbers at equal distances."""
    from matplotlib.ticker import MaxNLocator

    locator = MaxNLocator(_TICKS, steps=[1, 2, 5, 10], integer=whole)
    return _inside(locator.tick_values(low, high), low, high)


def _magnitudes(low: float, high: float) -> NDArray[np.float64]:
    """Return a few round numbers at about equal ratios: 1, 2 and 5 in every decade, or only decades.

    >>> _magnitudes(0.3, 60).tolist()
    [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0]
    >>> _magnitudes(0.3, 60_000).tolist()
    [1.0, 10.0, 100.0, 1000.0, 10000.0]
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    fine = _inside([float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)], low, high)
    if fine.size <= _TICKS:
        return fine if fine.size > 1 else _even(low, high)
    decades = _inside([float(f"1e{power}") for power in powers], low, high)
    return decades[:: math.ceil(decades.size / _TICKS)]


def _inside(ticks: ArrayLike, low: float, high: float) -> NDArray[np.float64]:
    numbers = np.asarray(ticks, np.float64)
    return numbers[(numbers >= low) & (numbers <= high)]
