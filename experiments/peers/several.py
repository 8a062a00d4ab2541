"""Several attributes: who is asked, by which methods, and what error is left on questions about two.

Populations have 64 bins an attribute: correlated normals (0.6), people in some forty places, amounts that are
often 0 beside skewed ones, and one of 64 occupations, which have no order, beside what depends on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from experiments.many.data import People
from experiments.many.hdg import hdg
from experiments.many.ours import ours
from experiments.many.pripl_grids import pripl_grids
from experiments.many.queries import Queries, random_queries, true_answers
from experiments.seeds import seed_of
from ldprange.support.arrays import Floats

BINS = 64
QUERIES = 1000
POPULATIONS = ("normals", "places", "amounts", "occupations")
CATEGORIES = {"occupations": (0,)}
"""Attributes whose bins have no order, by population."""


def population(name: str, attributes: int, users: int) -> People:
    """Return people, a row for each attribute; the same every time."""
    rng = np.random.default_rng(seed_of(("peers", name, attributes, users)))
    shared = rng.standard_normal(users)
    own = rng.standard_normal((attributes, users))
    if name == "normals":
        places = (np.sqrt(0.6) * shared + np.sqrt(0.4) * own) / 8 + 0.5
    elif name == "places":
        homes, sizes = rng.random((attributes, 40)), rng.exponential(size=40)
        chosen = rng.choice(40, users, p=sizes / sizes.sum())
        places = homes[:, chosen] + 0.01 * own
    elif name == "occupations":
        commonness, level = 1 / (rng.permutation(BINS) + 3), rng.normal(0.5, 0.12, BINS)
        held = rng.choice(BINS, users, p=commonness / commonness.sum())
        places = level[held] + own / 12
        places[0] = (held + 0.5) / BINS
    else:
        amounts = np.exp(0.7 * (np.sqrt(0.5) * shared + np.sqrt(0.5) * own)) / 8
        never = rng.random((attributes, users)) < 0.35
        never[::2] = False
        places = np.where(never, 0.0, amounts)
    people: People = np.clip(np.floor(places * BINS), 0, BINS - 1).astype(np.uint8)
    return people


METHODS: dict[str, Callable[[People, float, Queries, np.random.Generator], Floats]] = {
    "ldprange": partial(ours, answers="denoised"),
    "ldprange, default plan": ours,
    "unbiased": partial(ours, denoise=False),
    "PriPL-Tree": pripl_grids,
    "HDG": hdg,
}
"""Ours, on the plan for denoised answers and on the plan for unbiased ones; then the others."""

MEASURES = ("mean squared error",)


def asked(name: str, attributes: int, seed: int) -> Queries:
    """Return questions about half of each of two attributes, or about one bin where these have no order."""
    rng, categories = np.random.default_rng(seed), CATEGORIES.get(name, ())
    queries = random_queries(QUERIES, 2, attributes, BINS, rng)
    if not categories:
        return queries
    unordered = np.isin(queries.attributes, categories)
    starts = np.where(unordered, rng.integers(0, BINS, unordered.shape), queries.starts)
    ends = np.where(unordered, starts + 1, queries.ends)
    return replace(queries, starts=starts, ends=ends, categories=categories)


def errors(method: str, name: str, attributes: int, users: int, epsilon: float, seed: int) -> Floats:
    """Return the mean squared error of one survey, over questions about two attributes."""
    people = population(name, attributes, users)
    rng = np.random.default_rng(seed_of(("peers", method, name, attributes, users, str(epsilon), seed)))
    queries = asked(name, attributes, seed)
    found = METHODS[method](people, epsilon, queries, rng)
    return np.array([((found - true_answers(people, queries)) ** 2).mean()])
