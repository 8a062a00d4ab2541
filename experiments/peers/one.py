"""One attribute: who is asked, by which methods, and what error is left.

The first four populations are those on which PriPL-Tree's authors show it (on any number of bins, from the
least value drawn to the greatest); three are real, flights of 2013; the last is in few places.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import TypeAlias

import numpy as np

import ldprange as ldp
from experiments.adaptive_tree import adaptive_tree, nodes
from experiments.data import people as people_of
from experiments.pripl_tree import pripl_tree
from experiments.seeds import seed_of
from experiments.square_wave import square_wave
from ldprange.planner.choose import Answers
from ldprange.support.arrays import Boundaries, Counts, Floats

POPULATIONS = ("gaussian", "mixgaussian", "cauchy", "zipf", "delays", "distances", "air_time", "spiky")
_REACH = 20.0  # of the Cauchy distribution, which has no end
_ZIPF = 1.1
_ALL_RANGES = 1024  # bins, up to which all are asked about
_DRAWN = 500_000


def population(name: str, bins: int, users: int) -> Counts:
    """Return how many of ``users`` people are in each bin; the same every time."""
    if name in ("delays", "distances", "air_time", "spiky"):
        return people_of(name, bins, users)
    rng = np.random.default_rng(seed_of(("peers", name, bins, users)))
    if name == "zipf":
        shares = 1 / np.arange(1, bins + 1) ** _ZIPF
        return rng.multinomial(users, shares / shares.sum())
    values = {"gaussian": _normal, "mixgaussian": _two, "cauchy": _cauchy}[name](users, rng)
    places = (values - values.min()) / (values.max() - values.min())
    return np.bincount(np.minimum((places * bins).astype(np.int64), bins - 1), minlength=bins)


def _normal(users: int, rng: np.random.Generator) -> Floats:
    return rng.normal(size=users)


def _two(users: int, rng: np.random.Generator) -> Floats:
    second = rng.random(users) < 0.5
    return np.where(second, rng.normal(3.0, 0.8, users), rng.normal(0.0, 0.5, users))


def _cauchy(users: int, rng: np.random.Generator) -> Floats:
    within = np.arctan(_REACH)
    return np.tan(rng.uniform(-within, within, users))


Between: TypeAlias = Callable[[Boundaries, Boundaries], Floats]
"""The shares of people that are found from bins on, up to others."""

Method: TypeAlias = Callable[[Counts, float, np.random.Generator], Between]


def of_shares(method: Callable[[Counts, float, np.random.Generator], Floats]) -> Method:
    """Return a method that finds a share of each bin."""

    def found(counts: Counts, epsilon: float, rng: np.random.Generator) -> Between:
        upto = np.append(0.0, np.cumsum(method(counts, epsilon, rng)))
        return lambda low, high: upto[high] - upto[low]

    return found


def _ours(answers: Answers) -> Method:
    def shares(counts: Counts, epsilon: float, rng: np.random.Generator) -> Floats:
        domain, users = ldp.Domain.integers(0, counts.size - 1), int(counts.sum())
        plan = ldp.choose_plan(domain, epsilon=epsilon, expected_users=users, answers=answers)
        found = ldp.estimate(ldp.simulate(plan, counts, seed=int(rng.integers(1 << 62))), denoise=True)
        return found.histogram(confidence=None).value

    return of_shares(shares)


METHODS: dict[str, Method] = {
    "ldprange": _ours("denoised"),
    "ldprange, default plan": _ours("unbiased"),
    "PriPL-Tree": of_shares(pripl_tree),
    "AHEAD": lambda counts, epsilon, rng: nodes(counts, epsilon, rng).shares_between,
    "AHEAD, consistent": of_shares(adaptive_tree),
    "SW-EM": of_shares(partial(square_wave, smooth=False)),
    "SW-EMS": of_shares(partial(square_wave, smooth=True)),
}
"""Ours, on the plan for denoised answers and on the plan for unbiased ones; then the others."""

MEASURES = ("mean squared error over all ranges", "Wasserstein-1 distance", "Kolmogorov-Smirnov distance")


def errors(method: str, name: str, bins: int, users: int, epsilon: float, seed: int) -> Floats:
    """Return the three measures of one survey."""
    counts = population(name, bins, users)
    rng = np.random.default_rng(seed_of(("peers", method, name, bins, users, str(epsilon), seed)))
    found, true = METHODS[method](counts, epsilon, rng), np.append(0.0, np.cumsum(counts / users))
    low, high = _ranges(bins)
    off = found(low, high) - (true[high] - true[low])
    below = np.arange(bins + 1)
    prefixes = np.abs(found(np.zeros_like(below), below) - true)
    return np.array([off @ off / off.size, prefixes.mean(), prefixes.max()])


@lru_cache(maxsize=1)
def _ranges(bins: int) -> tuple[Boundaries, Boundaries]:
    """Return where all ranges begin and end; of very many, as many as were drawn."""
    if bins <= _ALL_RANGES:
        return np.triu_indices(bins + 1, 1)
    ends = np.random.default_rng(0).integers(0, bins + 1, (2, _DRAWN))
    low, high = np.sort(ends[:, ends[0] != ends[1]], axis=0)
    return low, high
