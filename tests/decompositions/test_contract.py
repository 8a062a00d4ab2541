"""What every decomposition must do: a new one adds itself to CASES, and nothing else here.

Reports of a small domain are enumerated, so that all is exact: what an estimate is expected to be, how it
varies, and what is predicted of it.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

import ldprange as ldp
from exact_laws import all_reports
from ldprange.decompositions import Decomposition, decomposition_from_dict
from ldprange.planner.optimise import Workload
from ldprange.support.arrays import Counts, Floats
from ldprange.workloads import ranges_of

CASES: list[Decomposition] = [
    ldp.Flat(),
    ldp.Tree(branching=2),
    ldp.Tree(branching=3),
    ldp.Haar(),
    ldp.Windows(),
    ldp.Windows([3, 1]),
]
PRODUCTS: list[Decomposition] = [
    ldp.Flat(),
    ldp.Tree(branching=2),
    ldp.Haar(),
    ldp.Grids.product([(2, 3), (2,)]),
]
SHARES = np.array([0.5, 0.05, 0.2, 0.0, 0.15, 0.1])
DOMAIN = ldp.Domain.integers(1, SHARES.size)
TWO = ldp.Domain.product(a=DOMAIN, b=ldp.Domain.integers(1, 2))

every_case = pytest.mark.parametrize("decomposition", CASES, ids=str)
all_cases = pytest.mark.parametrize(
    ("decomposition", "domain"),
    [*((case, DOMAIN) for case in CASES), *((case, TWO) for case in PRODUCTS)],
    ids=[*map(str, CASES), *(f"{case} of two" for case in PRODUCTS)],
)


def plan_of(decomposition: Decomposition, domain: ldp.Domain = DOMAIN) -> ldp.Plan:
    return ldp.Plan(domain, 1.3, decomposition, ldp.GRR())


def contributions(plan: ldp.Plan, users: Counts) -> list[tuple[Floats, Floats]]:
    """Return, for each level, every report's chance in SHARES, and what it alone adds to the cdf × users."""
    estimator, found = plan.estimator(users), []
    nothing = [np.zeros(mechanism.cells) for mechanism in plan.mechanisms]
    base = np.cumsum(estimator.fit(nothing))
    for at, (level, mechanism) in enumerate(zip(plan.levels, plan.mechanisms, strict=True)):
        chances, added = [], []
        for report in all_reports(mechanism):
            tally = mechanism.tally(mechanism.unpack(np.frombuffer(report, np.uint8)[None]))
            each = [float(mechanism.likelihood(report, level.cell(item))) for item in range(SHARES.size)]
            alone = [*nothing]
            alone[at] = mechanism.estimate(tally, 1)
            chances.append(each @ SHARES)
            added.append(np.append(0.0, np.cumsum(estimator.fit(alone)) - base))
        found.append((np.array(chances), np.array(added)))
    return found


@every_case
def test_estimates_are_exactly_unbiased(decomposition: Decomposition) -> None:
    plan = plan_of(decomposition)
    users = np.arange(len(plan.levels)) + 3
    nothing = [np.zeros(mechanism.cells) for mechanism in plan.mechanisms]
    expected = np.append(0.0, np.cumsum(plan.estimator(users).fit(nothing)))
    for chances, added in contributions(plan, users):
        assert chances.sum() == pytest.approx(1.0)
        expected = expected + chances @ added
    np.testing.assert_allclose(expected, np.append(0.0, np.cumsum(SHARES)), atol=1e-9)


@every_case
def test_variances_are_exactly_those_of_all_reports(decomposition: Decomposition) -> None:
    plan = plan_of(decomposition)
    users = np.arange(len(plan.levels)) + 3
    low, high = ranges_of(SHARES.size)
    exact = np.zeros(low.size)
    for (chances, added), number in zip(contributions(plan, users), users, strict=True):
        answers = added[:, high] - added[:, low]
        exact += (chances @ answers**2 - (chances @ answers) ** 2) / number
    stated = plan.estimator(users).variances(np.append(0.0, np.cumsum(SHARES)))(low, high)
    np.testing.assert_allclose(stated, exact, rtol=1e-9, atol=1e-12)


@every_case
def test_predictions_are_the_mean_variances(decomposition: Decomposition) -> None:
    plan, users = plan_of(decomposition), 500
    variances = plan.estimator(users * np.array(plan.probabilities)).variances(
        np.append(0.0, np.cumsum(SHARES))
    )
    upto = np.arange(1, SHARES.size + 1)
    predicted = plan.predict(users, SHARES)
    assert predicted.range_variance == pytest.approx(variances(*ranges_of(SHARES.size)).mean())
    assert predicted.prefix_variance == pytest.approx(variances(np.zeros_like(upto), upto).mean())


@all_cases
def test_a_plan_keeps_the_description_of_its_layout(decomposition: Decomposition, domain: ldp.Domain) -> None:
    plan = plan_of(decomposition, domain)
    again = decomposition_from_dict(json.loads(json.dumps(plan.decomposition.to_dict())))
    assert again == plan.decomposition == plan.layout.decomposition
    assert again.on(domain).levels == plan.levels
    assert ldp.Plan.from_json(plan.to_json()) == plan


@all_cases
def test_reports_that_nobody_sent_leave_the_whole_alone_known(
    decomposition: Decomposition, domain: ldp.Domain
) -> None:
    plan = plan_of(decomposition, domain)
    found = ldp.estimate(ldp.Aggregate.empty(plan))
    assert found.histogram().value.sum() == pytest.approx(1.0)


@all_cases
@pytest.mark.parametrize("workload", ["ranges", "prefixes", "both"])
def test_the_best_probabilities_are_probabilities_and_better_than_even_ones(
    decomposition: Decomposition, domain: ldp.Domain, workload: Workload
) -> None:
    best = ldp.optimise_plan(
        domain, epsilon=1.3, decomposition=decomposition, oracle=ldp.GRR(), workload=workload
    )
    assert sum(best.probabilities) == pytest.approx(1.0)
    even = ldp.Plan(domain, 1.3, best.decomposition, ldp.GRR())
    better, worse = best.predict(1000), even.predict(1000)
    if workload != "prefixes":
        assert better.range_variance <= 1.05 * worse.range_variance
    if workload == "prefixes":
        assert better.prefix_variance <= 1.05 * worse.prefix_variance
