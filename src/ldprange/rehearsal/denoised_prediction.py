"""The error to expect of denoised answers, which depends on who answers: over populations of many kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from ldprange.estimation import estimate
from ldprange.estimation.denoise_line import denoised_cells, share_covariance
from ldprange.oracles.contract import Items
from ldprange.plan import Plan
from ldprange.rehearsal.kinds import kinds_of_line, kinds_of_people
from ldprange.rehearsal.scoring import questions_for
from ldprange.simulation import simulate_drawn
from ldprange.support.arrays import Counts, Floats
from ldprange.support.blas import callers_thread
from ldprange.support.parallel import in_threads
from ldprange.workloads import boxes_of, corners_of

_CELLS = 64  # of a line, on which errors are predicted
_REPETITIONS = 10  # on a line
_PEOPLE = 1 << 18  # of each kind, of whom those who answer are drawn
_SURVEYS = 2  # of each kind
_MAX_USERS = 10**8  # who are drawn; more leave less error still
_MAX_TABLES = 3  # of attributes asked about together, that are looked at


@dataclass(frozen=True, slots=True)
class DenoisedPrediction:
    """The root mean squared error of denoised answers: the least and the greatest over kinds of populations.

    Attributes
    ----------
    users
        How many people report.
    range_rmse, prefix_rmse
        Over all ranges, and over all prefixes, of the domain; of several attributes over products of them.
    """

    users: float
    range_rmse: tuple[float, float]
    prefix_rmse: tuple[float, float]


@callers_thread
def predict_denoised(
    plan: Plan, users: float, *, progress: Callable[[int], None] | None = None
) -> DenoisedPrediction:
    """Return the error to expect of denoised answers from so many ``users`` under a ``plan``.

    It depends on the population, which nobody knows: six are tried, from even to all in a few places. On one
    attribute with an order that takes moments, with noise as exact as the plan's on at most 64 cells of the
    domain. Of several, and of categories, twelve surveys are drawn and denoised, of a hundred million people
    at the most, and some of those asked about together are looked at.

    Parameters
    ----------
    plan
        The plan.
    users
        How many people report.
    progress
        Called after each population with the number of those done.

    >>> import ldprange as ldp
    >>> ages = ldp.Domain.integers(0, 99)
    >>> plan = ldp.choose_plan(ages, epsilon=1, expected_users=10_000, answers="denoised")
    >>> found = ldp.predict_denoised(plan, 10_000)
    >>> unbiased = plan.predict(10_000)
    >>> found.range_rmse[0] < found.range_rmse[1] < unbiased.range_rmse
    True
    """
    plan.check_predictable(users)
    surveyed = len(plan.domain.attributes) > 1 or plan.domain.unordered
    errors = []
    kinds = _by_surveys(plan, users) if surveyed else _on_a_line(plan, users)
    for squares in kinds:
        errors.append(np.sqrt(squares))
        if progress:
            progress(len(errors))
    least, greatest = np.min(errors, axis=0), np.max(errors, axis=0)
    ranges, prefixes = zip(least.tolist(), greatest.tolist(), strict=True)
    return DenoisedPrediction(users, ranges, prefixes)


def _on_a_line(plan: Plan, users: float) -> Iterable[Floats]:
    """Return the mean squared errors of ranges and of prefixes, for each kind of population."""
    bins = plan.domain.bins
    cells = min(bins, _CELLS)
    ends = np.arange(cells + 1) * bins // cells
    law = plan.law(users * np.array(plan.probabilities), None)
    below = share_covariance(plan.layout.estimator(law).even_variances, ends)
    roots, pairs = np.linalg.cholesky(below[1:-1, 1:-1]), (cells + 1) * cells / 2
    # the same noise for each kind of people
    noise = np.random.default_rng(0).normal(size=(_REPETITIONS, cells - 1)) @ roots.T

    def errors(shares: Floats) -> Floats:
        squares, truth = np.zeros(2), np.append(0.0, np.cumsum(shares))
        for each in noise:
            seen = truth.copy()
            seen[1:-1] += each
            found = denoised_cells(np.diff(seen), below, np.diff(ends)).shares
            off = np.append(0.0, np.cumsum(found)) - truth
            squares += ((cells + 1) * off @ off - off.sum() ** 2) / pairs, off @ off / cells
        return squares / _REPETITIONS

    return map(errors, kinds_of_line((ends[1:] + ends[:-1]) / (2 * bins)))


def _by_surveys(plan: Plan, users: float) -> Iterable[Floats]:
    """Yield the same, of surveys that are drawn."""
    tables, drawn = plan.layout.tables, round(min(max(1, users), _MAX_USERS))
    chosen = tables[:: -(-len(tables) // _MAX_TABLES)]

    def errors(people: Items) -> Floats:
        counts = {table: _counts(people[list(table)], plan.domain.shape, table) for table in chosen}
        asked = [questions_for(plan, counts, boxes) for boxes in (boxes_of, corners_of)]
        for seed in range(_SURVEYS):
            found = estimate(simulate_drawn(plan, people, drawn, seed=seed), denoise=True)
            for questions in asked:
                questions.ask(found, intervals=False)
        return np.array([questions.mean_square for questions in asked])

    return in_threads(errors, kinds_of_people(plan.domain, _PEOPLE))


def _counts(held: Items, shape: tuple[int, ...], table: tuple[int, ...]) -> Counts:
    """Return how many people there are in each bin of attributes that are asked about together."""
    sides = tuple(shape[attribute] for attribute in table)
    bins = np.ravel_multi_index(tuple(held), sides)
    return np.bincount(bins, minlength=int(np.prod(sides))).reshape(sides)
