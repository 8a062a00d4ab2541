"""A made-up population for the demonstration: how many minutes people travel to work."""

import numpy as np
from numpy.typing import NDArray

from ldprange.randomness import generator

MAX_MINUTES = 119
_SEED = 2026


def commutes(people: int) -> NDArray[np.int64]:
    """Return everyone's minutes, from 0 (works at home) to 119: the same people every time.

    Three kinds of way to work, and people's habit of rounding to five minutes or to a quarter of
    an hour, which puts spikes where a smooth curve would hide them.
    """
    rng = generator(_SEED)
    typical = np.array([11.0, 27.0, 58.0])  # in the neighbourhood, across town, from out of town
    spread = np.array([0.5, 0.4, 0.25])
    kind = rng.choice(3, people, p=[0.35, 0.48, 0.17])
    minutes = typical[kind] * np.exp(spread[kind] * rng.standard_normal(people))
    step = rng.choice([1.0, 5.0, 15.0], people, p=[0.35, 0.45, 0.2])
    rounded = np.clip(np.round(minutes / step) * step, 1, MAX_MINUTES)
    at_home = rng.random(people) < 0.14
    return np.where(at_home, 0, rounded).astype(np.int64)
