"""Our own answers: the plan that the planner chooses, its reports, and the estimate."""

from __future__ import annotations

import numpy as np

import ldprange as ldp
from experiments.many.data import People
from experiments.many.queries import Queries
from ldprange.planner.choose import Answers
from ldprange.support.arrays import Floats

_SEEDS = 1 << 62


def ours(
    people: People,
    epsilon: float,
    queries: Queries,
    rng: np.random.Generator,
    *,
    answers: Answers = "unbiased",
    denoise: bool = True,
) -> Floats:
    """Return the answers to all questions, from one report of every person.

    The plan is that for unbiased or for denoised ``answers``; the estimate is denoised, if wanted.
    """
    names = [f"a{place}" for place in range(len(people))]
    numbers, labels = ldp.Domain.integers(0, queries.bins - 1), np.arange(queries.bins).astype(str)
    domain = ldp.Domain.product(
        **{
            name: ldp.Domain.categories(labels.tolist()) if place in queries.categories else numbers
            for place, name in enumerate(names)
        }
    )
    plan = ldp.choose_plan(domain, epsilon=epsilon, expected_users=people.shape[1], answers=answers)
    columns = {
        name: labels[column] if place in queries.categories else column
        for place, (name, column) in enumerate(zip(names, people, strict=True))
    }
    aggregate = ldp.simulate_values(plan, columns, seed=int(rng.integers(_SEEDS)))
    found, shares = ldp.estimate(aggregate, denoise=denoise), np.zeros(len(queries.attributes))
    for asked in np.unique(queries.attributes, axis=0):
        rows = np.flatnonzero((queries.attributes == asked).all(axis=1))
        ranges = {}
        for at, place in enumerate(asked.tolist()):
            ends = queries.starts[rows, at], queries.ends[rows, at] - 1
            ranges[names[place]] = tuple(labels[end] for end in ends) if place in queries.categories else ends
        shares[rows] = found.ranges(confidence=None, given=None, **ranges).value
    return shares
