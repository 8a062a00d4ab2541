"""Variances from shifted windows against enumeration: what people's reports really do to an estimate.

What is exact: with the users of every level given, the stated variance is the true one of an estimate whose
people are sent to levels without replacement, but for a factor of N/(N − 1) on the part that comes of who is
sent where. That part is worked out beside it, so that equality is asserted to rounding.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

import ldprange as ldp
from dense_least_squares import all_ranges, cdf_of
from exact_laws import all_reports
from ldprange.oracles import Mechanism, Oracle
from ldprange.support.arrays import Floats

ORACLES: dict[str, Oracle] = {
    # those whose stated noise is exact in any population; that of Hadamard hashing to several bits is not
    "GRR": ldp.GRR(),
    "OUE": ldp.OUE(),
    "HRR": ldp.HRR(),
    "Subset": ldp.SubsetSelection(),
}


def _one(mechanism: Mechanism, report: bytes) -> NDArray[np.int64]:
    return mechanism.tally(mechanism.unpack(np.frombuffer(report, np.uint8)[None]))


@cache
def _reports(plan: ldp.Plan, level: int) -> tuple[NDArray[np.int64], Floats]:
    """Return the tally of every report of a level, and its chance under every bin."""
    mechanism = plan.mechanisms[level]
    reports = all_reports(mechanism)
    chances = [
        [float(mechanism.likelihood(report, item)) for report in reports] for item in range(plan.domain.bins)
    ]
    return np.array([_one(mechanism, report) for report in reports]), np.array(chances)


def _from_one_report(plan: ldp.Plan, users: Sequence[int], level: int) -> Floats:
    """Return what each report of a level adds to the estimated bins, a row each."""
    line = plan.estimator(users)
    nothing = [np.zeros(mechanism.cells) for mechanism in plan.mechanisms]
    mechanism, base = plan.mechanisms[level], line.fit(nothing)

    def adds(tally: NDArray[np.int64]) -> Floats:
        estimates = [*nothing]
        estimates[level] = mechanism.people(tally, 1) / users[level]
        return line.fit(estimates) - base

    return np.array([adds(tally) for tally in _reports(plan, level)[0]])


@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize(
    ("bins", "widths"), [(2, (1,)), (3, (2, 1)), (4, (3, 1)), (5, (4, 2, 1)), (6, (4, 3, 1))]
)
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_variances_are_those_of_all_that_can_happen_to_each_person(
    oracle: str, bins: int, widths: tuple[int, ...], epsilon: float
) -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, bins - 1), epsilon, ldp.Windows(widths), ORACLES[oracle])
    people = np.array([(5 * i * i + 2 * i + 1) % 4 for i in range(bins)]) * 30  # uneven, with empty bins
    total, shares = people.sum(), people / people.sum()
    users = np.array([2, 5, 3][: len(widths)], float)
    users = np.diff(np.rint(np.cumsum(users) / users.sum() * total), prepend=0).astype(int)
    low, high, rows = all_ranges(bins)
    within, between = np.zeros(low.size), -_spread(rows, shares) / total
    for level, number in enumerate(users.tolist()):
        each = _from_one_report(plan, users.tolist(), level) @ rows.T  # by report and range
        chances = _reports(plan, level)[1]
        means = chances @ each  # by bin and range
        within += number * shares @ (chances @ each**2 - means**2)
        between += number * (shares @ means**2 - (shares @ means) ** 2)
    stated = plan.estimator(users, "respondents").variances(cdf_of(shares))(low, high)
    np.testing.assert_allclose(stated, within + between, rtol=1e-9, atol=1e-12 * stated.max())
    # people are sent to levels without replacement, which makes the variance this much larger
    exact = within + between * total / (total - 1)
    assert np.all(exact - stated <= stated / (total - 1) + 1e-15)


def _spread(rows: Floats, shares: Floats) -> Floats:
    """Return R(1 − R) of every range."""
    found: Floats = (rows @ shares) * (1 - rows @ shares)
    return found


def _everything(
    plan: ldp.Plan, people: Sequence[int], users: Sequence[int]
) -> Iterator[tuple[ldp.Aggregate, float]]:
    """Yield every aggregate that people can leave, of whom a given number reports on each of two levels."""
    chances: defaultdict[tuple[int, ...], float] = defaultdict(float)
    tables = [_reports(plan, level) for level in range(2)]
    splits = list(itertools.combinations(range(len(people)), users[0]))
    for first in splits:
        on = [int(person not in first) for person in range(len(people))]
        each = [list(range(tables[level][1].shape[1])) for level in on]
        for sent in itertools.product(*each):
            chance = 1 / len(splits)
            tallies = [np.zeros(tables[level][0].shape[1], np.int64) for level in range(2)]
            for item, level, report in zip(people, on, sent, strict=True):
                chance *= tables[level][1][item, report]
                tallies[level] += tables[level][0][report]
            chances[tuple(np.concatenate(tallies).tolist())] += chance
    cut = plan.mechanisms[0].counters
    for counts, chance in chances.items():
        whole = np.array(counts)
        yield ldp.Aggregate(plan, users, [whole[:cut], whole[cut:]]), chance


@pytest.mark.parametrize("oracle", ["GRR", "HRR"])
def test_a_tiny_survey_goes_through_all_that_can_happen(oracle: str) -> None:
    """Four people, three bins, two levels: every split, every shift and every report, to the estimate."""
    plan = ldp.Plan(ldp.Domain.integers(0, 2), 1.1, ldp.Windows(), ORACLES[oracle])
    people, users = [0, 2, 2, 1], [2, 2]
    low, high, rows = all_ranges(3)
    shares = np.bincount(people) / len(people)
    chances, found = [], []
    for aggregate, chance in _everything(plan, people, users):
        chances.append(chance)
        found.append(ldp.estimate(aggregate).ranges(low, high - 1, confidence=None).value)
    weights, values = np.array(chances), np.array(found)
    assert weights.sum() == pytest.approx(1, abs=1e-12)
    truth = rows @ shares
    np.testing.assert_allclose(weights @ values, truth, atol=1e-12)
    variance = weights @ (values - truth) ** 2

    stated = plan.estimator(users, "respondents").variances(cdf_of(shares))(low, high)
    between = -_spread(rows, shares) / len(people)
    for level, number in enumerate(users):
        means = _reports(plan, level)[1] @ _from_one_report(plan, users, level) @ rows.T
        between += number * (shares @ means**2 - (shares @ means) ** 2)
    np.testing.assert_allclose(variance, stated + between / (len(people) - 1), rtol=1e-9, atol=1e-12)
