"""One run: a population is asked once by one method, and every error is measured.

Everything a figure may want is measured in each run, so that figures share runs. Beside the runs
stands their *exact* prediction, in the same columns: it needs no run.
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass

import numpy as np

from experiments import queries
from experiments.methods import plan_of, users_encoded
from experiments.population import cauchy
from experiments.seeds import seed_of
from ldprange import Aggregate, Plan, estimate, simulate, simulate_values
from ldprange.estimation.raw import raw_variances
from ldprange.oracles.contract import each_holder
from ldprange.sampling import RESPONDENTS
from ldprange.support.arrays import Boundaries, Floats

ENCODED, DRAWN, EXACT = "encoded", "drawn", "exact"
_TOGETHER = 1 << 20  # users handed to the encoder at a time

LENGTHS = tuple(f"length_{place}" for place in range(1, 5))
RAW_LENGTHS = tuple(f"raw_{place}" for place in range(1, 5))
VALUES = tuple(f"value_{round(100 * share)}" for share in queries.DECILES)
QUANTILES = tuple(f"quantile_{round(100 * share)}" for share in queries.DECILES)
SQUARES = ("ranges", "prefixes", *LENGTHS, *RAW_LENGTHS)
"""Mean squared errors; the rest are absolute errors."""
MEASURES = (*SQUARES, *VALUES, *QUANTILES)


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """What is asked of whom: one cell of a table."""

    bins: int
    centre: float
    users: int
    epsilon: float
    method: str


@dataclass(frozen=True, slots=True, order=True)
class Run:
    """One repetition of a cell, and how its reports came about."""

    cell: Cell
    how: str
    repetition: int


def repetitions(cell: Cell, number: int) -> list[Run]:
    """Return the runs of a cell as the paper has them: encoded user by user where that can be done."""
    how = ENCODED if users_encoded(cell.method) else DRAWN
    return [Run(cell, how, repetition) for repetition in range(number)]


def prediction(cell: Cell) -> Run:
    """Return the exact prediction of a cell."""
    return Run(cell, EXACT, 0)


def perform(run: Run) -> dict[str, float]:
    """Return every measure of a run that there is."""
    cell = run.cell
    plan, people = plan_of(cell.method, cell.bins, cell.epsilon), cauchy(cell.bins, cell.centre, cell.users)
    cdf = np.concatenate([[0.0], np.cumsum(people) / cell.users])
    if run.how == EXACT:
        return _predicted(plan, cdf, cell.users)
    seed = seed_of(astuple(run))
    if run.how == ENCODED:
        aggregate = simulate_values(plan, each_holder(people, _TOGETHER), seed=seed)
    else:
        aggregate = simulate(plan, people, seed=seed)
    return _measured(aggregate, cdf)


def _measured(aggregate: Aggregate, cdf: Floats) -> dict[str, float]:
    bins, consistent = aggregate.plan.domain.bins, estimate(aggregate)
    error = np.concatenate([[0.0], consistent.cdf(confidence=None).value]) - cdf
    measured = {"ranges": queries.over_ranges(error), "prefixes": queries.over_prefixes(error)}
    measured |= {
        name: queries.over_length(error, length)
        for length, name in zip(queries.lengths(bins), LENGTHS, strict=True)
    }
    if aggregate.plan.layout.has_nodes:
        measured |= _measured_raw(aggregate, cdf)
    found = consistent.quantiles(queries.DECILES, confidence=None).value
    true = np.searchsorted(cdf[1:], queries.DECILES)
    measured |= zip(VALUES, np.abs(found - true).astype(float).tolist(), strict=True)
    # bin j is the φ-quantile for every φ between the shares below it and up to it
    below, upto = cdf[found], cdf[found + 1]
    distances = np.maximum(np.maximum(below - queries.DECILES, queries.DECILES - upto), 0.0)
    measured |= zip(QUANTILES, distances.tolist(), strict=True)
    return measured


def _measured_raw(aggregate: Aggregate, cdf: Floats) -> dict[str, float]:
    """Return the errors of the tree as it was reported; its ranges are sums of nodes, so they are asked."""
    raw, measured = estimate(aggregate, consistent=False), {}
    for length, name in zip(queries.lengths(cdf.size - 1), RAW_LENGTHS, strict=True):
        starts = queries.sampled_starts(cdf.size - 1, length)
        answers = raw.ranges(starts, starts + length - 1, confidence=None).value
        measured[name] = float(np.mean((answers - (cdf[starts + length] - cdf[starts])) ** 2))
    return measured


def _predicted(plan: Plan, cdf: Floats, users: int) -> dict[str, float]:
    """Return the exact variances about the people asked; of deciles, the mean size of a normal error."""
    bins = plan.domain.bins
    law = plan.law(users * np.array(plan.probabilities), RESPONDENTS)
    variances = plan.estimator(law.users, RESPONDENTS).variances(cdf)

    def mean(low: Boundaries, high: Boundaries) -> float:
        return float(variances(low, high).mean())

    ends = queries.sampled_prefixes(bins)
    asked = queries.sampled_ranges(bins, queries.start_step(bins))
    predicted = {"ranges": mean(*asked), "prefixes": mean(np.zeros_like(ends), ends)}
    for length, name, raw_name in zip(queries.lengths(bins), LENGTHS, RAW_LENGTHS, strict=True):
        starts = queries.sampled_starts(bins, length)
        predicted[name] = mean(starts, starts + length)
        if plan.layout.has_nodes:
            raw = raw_variances(plan.levels, law, cdf, starts, starts + length)
            predicted[raw_name] = float(raw.mean())
    deciles = np.searchsorted(cdf[1:], queries.DECILES)
    spread = np.sqrt(2 / math.pi * variances(np.zeros_like(deciles), deciles + 1))
    predicted |= zip(QUANTILES, spread.tolist(), strict=True)
    return predicted
