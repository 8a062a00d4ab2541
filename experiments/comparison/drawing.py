"""Aggregates of our plan drawn fast: by the law of :func:`ldprange.simulate`, which encodes person by person.

With subset selection on shifted windows that takes half a second for 2^20 people. Where many of them share a
shift, what a shift's people report can be drawn at once instead.
"""

from __future__ import annotations

import numpy as np

from ldprange import Aggregate, Plan, simulate
from ldprange.kernels import Counts
from ldprange.oracles.contract import Mechanism
from ldprange.oracles.shifted import ShiftedMechanism
from ldprange.oracles.subset_selection import SubsetMechanism

_MOST_BINS = 1 << 12  # beyond, few people share a shift


def draw(plan: Plan, people: Counts, seed: int) -> Aggregate:
    """Draw the aggregate of a population under a plan of windows, or any other plan."""
    if plan.domain.bins > _MOST_BINS or not any(map(_fast, plan.mechanisms)):
        return simulate(plan, people, seed=seed)
    rng = np.random.default_rng(seed)
    asked = rng.multinomial(people, plan.probabilities).T
    tallies = [_drawn(mechanism, held, rng) for mechanism, held in zip(plan.mechanisms, asked, strict=True)]
    return Aggregate(plan, [int(held.sum()) for held in asked], tallies)


def _fast(mechanism: Mechanism) -> bool:
    return isinstance(mechanism, ShiftedMechanism) and isinstance(mechanism._grid, SubsetMechanism)


def _drawn(mechanism: Mechanism, held: Counts, rng: np.random.Generator) -> Counts:
    if not isinstance(mechanism, ShiftedMechanism) or not _fast(mechanism):
        return mechanism.draw(held, rng)
    grid, shifts, items = mechanism._grid, mechanism._shifts, np.arange(held.size)
    rows = []
    for shift, shifted in enumerate(rng.multinomial(held, np.full(shifts, 1 / shifts)).T):
        windows = np.bincount((items + shift) // shifts, shifted, grid.cells).astype(np.int64)
        rows.append(np.append(windows.sum(), grid.draw(windows, rng)))
    return np.concatenate(rows)
