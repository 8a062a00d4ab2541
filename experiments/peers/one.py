"""One attribute: who is asked, by which methods, and what error is left.

The first four populations are those on which PriPL-Tree's authors show it (on any number of bins, from the
least value drawn to the greatest); three are real, flights of 2013; the last is in few places.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import ldprange as ldp
from experiments.adaptive_tree import adaptive_tree
from experiments.data import people as people_of
from experiments.pripl_tree import pripl_tree
from experiments.seeds import seed_of
from experiments.square_wave import square_wave
from ldprange.planner.choose import Answers
from ldprange.support.arrays import Counts, Floats

POPULATIONS = ("gaussian", "mixgaussian", "cauchy", "zipf", "delays", "distances", "air_time", "spiky")
_REACH = 20.0  # of the Cauchy distribution, which has no end
_ZIPF = 1.1


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


def _ours(answers: Answers) -> Callable[[Counts, float, np.random.Generator], Floats]:
    def shares(counts: Counts, epsilon: float, rng: np.random.Generator) -> Floats:
        domain, users = ldp.Domain.integers(0, counts.size - 1), int(counts.sum())
        plan = ldp.choose_plan(domain, epsilon=epsilon, expected_users=users, answers=answers)
        found = ldp.estimate(ldp.simulate(plan, counts, seed=int(rng.integers(1 << 62))), denoise=True)
        return found.histogram(confidence=None).value

    return shares


METHODS: dict[str, Callable[[Counts, float, np.random.Generator], Floats]] = {
    "ldprange": _ours("denoised"),
    "ldprange, default plan": _ours("unbiased"),
    "PriPL-Tree": pripl_tree,
    "AHEAD": adaptive_tree,
    "SW-EM": lambda counts, epsilon, rng: square_wave(counts, epsilon, rng, smooth=False),
    "SW-EMS": lambda counts, epsilon, rng: square_wave(counts, epsilon, rng, smooth=True),
}
"""Ours, on the plan for denoised answers and on the plan for unbiased ones; then the others."""

MEASURES = ("mean squared error over all ranges", "Wasserstein-1 distance", "Kolmogorov-Smirnov distance")


def errors(method: str, name: str, bins: int, users: int, epsilon: float, seed: int) -> Floats:
    """Return the three measures of one survey."""
    counts = population(name, bins, users)
    rng = np.random.default_rng(seed_of(("peers", method, name, bins, users, str(epsilon), seed)))
    off = np.append(0.0, np.cumsum(METHODS[method](counts, epsilon, rng) - counts / users))
    pairs = (bins + 1) * bins / 2
    ranges = ((bins + 1) * off @ off - off.sum() ** 2) / pairs
    return np.array([ranges, np.abs(off).mean(), np.abs(off).max()])
