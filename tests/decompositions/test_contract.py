"""What every decomposition must do: a new one adds itself to CASES, and nothing else here.

Reports of a small domain are enumerated, so that all is exact: what an estimate is expected to be, and how it
varies. The rest is held against these variances: what is predicted, which probabilities are best, and what is
known when nobody reports on some of the levels.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence

import numpy as np
import pytest

import ldprange as ldp
from exact_laws import contributions
from ldprange.decompositions import KINDS, Decomposition, decomposition_from_dict
from ldprange.planner.optimise import Workload
from ldprange.support.arrays import Floats
from ldprange.workloads import ranges_of

CASES: list[Decomposition] = [
    ldp.Flat(),
    ldp.Tree(branching=2),
    ldp.Tree(branching=3),
    ldp.Haar(),
    ldp.Windows(),
    ldp.Windows([3, 1]),
    ldp.Windows(stages=[(2, 4, (2, 1)), (1, 4, (3, 1))]),  # two cells more than bins
    ldp.Windows(stages=[(4, 2, (1,)), (2, 2, (1,))]),  # of cells of two bins, and one more
    ldp.Windows(stages=[(4, 2, (1,))]),  # of cells of four bins and of two
]
PRODUCTS: list[Decomposition] = [
    ldp.Flat(),
    ldp.Tree(branching=2),
    ldp.Haar(),
    ldp.Grids.product([(2, 4), (2,)]),
]
SHARES = np.array([0.5, 0.05, 0.2, 0.0, 0.15, 0.1])
DOMAIN = ldp.Domain.integers(1, SHARES.size)
TWO = ldp.Domain.product(a=ldp.Domain.integers(1, 8), b=ldp.Domain.integers(1, 2))
UNKNOWN = 1e4  # a variance that only a level without reports can have: of a few, none comes near it

every_case = pytest.mark.parametrize("decomposition", CASES, ids=str)
all_cases = pytest.mark.parametrize(
    ("decomposition", "domain"),
    [*((case, DOMAIN) for case in CASES), *((case, TWO) for case in PRODUCTS)],
    ids=[*map(str, CASES), *(f"{case} of two" for case in PRODUCTS)],
)


def test_every_kind_of_decomposition_is_here() -> None:
    assert {case.kind for case in (*CASES, *PRODUCTS)} == set(KINDS)


def plan_of(decomposition: Decomposition, domain: ldp.Domain = DOMAIN) -> ldp.Plan:
    return ldp.Plan(domain, 1.3, decomposition, ldp.GRR())


def domain_without_padding(decomposition: Decomposition, bins: int) -> ldp.Domain:
    """Return the domain of ``bins`` bins, or of as many as the finest level covers: padding tells more."""
    if isinstance(decomposition, ldp.Windows) and decomposition.stages:
        bins = SHARES.size  # its stages are for so many, whatever is asked for
    finest = decomposition.on(ldp.Domain.integers(1, bins)).levels[-1]
    return ldp.Domain.integers(1, finest.cells * finest.size)


def told_prefixes(plan: ldp.Plan) -> list[int]:
    """Return the numbers of bins, from the first on, of which a plan tells the share if all report."""
    return [0, *sorted(multiples(plan.layout.known_sizes([1] * len(plan.levels))[-1], plan.domain.bins))]


def takes_ends_like_the_rest(decomposition: Decomposition) -> bool:
    """Say whether what is stated of an even population is near what is so, instead of exactly it."""
    return isinstance(decomposition, ldp.Windows)


@every_case
def test_estimates_are_exactly_unbiased(decomposition: Decomposition) -> None:
    plan = plan_of(decomposition)
    users = np.arange(len(plan.levels)) + 3
    nothing = [np.zeros(mechanism.cells) for mechanism in plan.mechanisms]
    expected = np.append(0.0, np.cumsum(plan.estimator(users).fit(nothing)))
    for chances, added in contributions(plan, users, SHARES):
        assert chances.sum() == pytest.approx(1.0)
        expected = expected + chances @ added
    told, truth = told_prefixes(plan), np.append(0.0, np.cumsum(SHARES))
    between = np.interp(np.arange(truth.size), told, truth[told])  # even in a cell
    np.testing.assert_allclose(expected, between, atol=1e-9)


@every_case
def test_variances_are_exactly_those_of_all_reports(decomposition: Decomposition) -> None:
    plan = plan_of(decomposition)
    users = np.arange(len(plan.levels)) + 3
    low, high = ranges_of(SHARES.size)
    exact = np.zeros(low.size)
    for (chances, added), number in zip(contributions(plan, users, SHARES), users, strict=True):
        answers = added[:, high] - added[:, low]
        exact += (chances @ answers**2 - (chances @ answers) ** 2) / number
    stated = plan.estimator(users).variances(np.append(0.0, np.cumsum(SHARES)))(low, high)
    np.testing.assert_allclose(stated, exact, rtol=1e-9, atol=1e-12)


@every_case
def test_gains_are_what_each_level_adds(decomposition: Decomposition) -> None:
    plan = plan_of(decomposition)
    estimator, rng = plan.estimator(np.arange(len(plan.levels)) + 3), np.random.default_rng(1)
    estimates = [rng.normal(size=mechanism.cells) for mechanism in plan.mechanisms]
    if isinstance(decomposition, ldp.Haar):  # whose estimates are deviations from a pair's mean
        estimates = [each - np.repeat(each.reshape(-1, 2).mean(axis=1), 2) for each in estimates]
    upto, nothing = (
        np.append(0.0, np.cumsum(estimator.fit(each)))
        for each in (estimates, [np.zeros(estimate.size) for estimate in estimates])
    )
    for boundary in range(SHARES.size + 1):
        gains = estimator.gains(boundary)
        added = sum(float(gain @ estimate) for gain, estimate in zip(gains, estimates, strict=True))
        assert nothing[boundary] + added == pytest.approx(upto[boundary], abs=1e-9)


@pytest.mark.parametrize("decomposition", PRODUCTS, ids=str)
def test_weights_are_what_each_grid_adds_to_joint_answers(decomposition: Decomposition) -> None:
    plan, rng = plan_of(decomposition, TWO), np.random.default_rng(1)
    law, layout = plan.law(np.arange(len(plan.levels)) + 3), plan.layout
    assert isinstance(layout, ldp.decompositions.GridsLayout)
    estimates = [rng.normal(size=mechanism.cells) for mechanism in plan.mechanisms]
    for table in ([0], [1], [0, 1]):
        shares = layout.table(law, table).fit(layout.coefficients(estimates))
        low, high = np.array([[0, 0], [2, 1], [3, 0]])[:, table], np.array([[5, 1], [8, 2], [4, 2]])[:, table]
        weights = layout.answer_weights(law, table)(low, high)
        answers = weights.nothing + sum(
            each @ estimate for each, estimate in zip(weights.levels, estimates, strict=True)
        )
        boxes = [tuple(map(slice, first, last)) for first, last in zip(low, high, strict=True)]
        np.testing.assert_allclose(answers, [shares[box].sum() for box in boxes], atol=1e-9)


@every_case
def test_predictions_are_the_mean_variances(decomposition: Decomposition) -> None:
    plan, users = plan_of(decomposition), 500
    variances = plan.estimator(users * np.array(plan.probabilities)).variances(
        np.append(0.0, np.cumsum(SHARES))
    )
    predicted = plan.predict(users, SHARES)
    told = np.array(told_prefixes(plan))
    low, high = ranges_of(told.size - 1)
    assert predicted.range_variance == pytest.approx(variances(told[low], told[high]).mean())
    upto = told[1:]
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


@every_case
def test_mean_variances_are_those_of_an_even_population(decomposition: Decomposition) -> None:
    plan = plan_of(decomposition, domain_without_padding(decomposition, 8))
    estimator, bins = plan.estimator(np.arange(len(plan.levels)) + 3), plan.domain.bins
    variances, told = estimator.variances(np.linspace(0, 1, bins + 1)), np.array(told_prefixes(plan))
    low, high = ranges_of(told.size - 1)
    ranges, prefixes = (
        variances(told[low], told[high]).mean(),
        variances(np.zeros_like(told[1:]), told[1:]).mean(),
    )
    near = 0.1 if takes_ends_like_the_rest(decomposition) else 1e-9
    assert estimator.mean_variances() == pytest.approx((ranges, prefixes), rel=near)


@every_case
def test_block_variances_are_those_of_an_even_population(decomposition: Decomposition) -> None:
    plan = plan_of(decomposition, domain_without_padding(decomposition, 8))
    estimator, bins = plan.estimator(np.arange(len(plan.levels)) + 3), plan.domain.bins
    variances = estimator.variances(np.linspace(0, 1, bins + 1))
    near = 0.1 if takes_ends_like_the_rest(decomposition) else 1e-9
    for width, step in itertools.product(range(1, bins + 1), (1, 2)):
        first = np.arange(step - width, bins, step)
        ends = np.maximum(first, 0), np.minimum(first + width, bins)
        exact = variances(*ends)
        np.testing.assert_allclose(estimator.even_variances(*ends), exact, atol=near * exact.max())
        np.testing.assert_allclose(estimator.block_variances(width, step), exact, atol=near * exact.max())


# What reports tell of


def known_prefixes(plan: ldp.Plan, users: Sequence[int]) -> set[int]:
    """Return the numbers of bins whose share, from the first on, these users' reports tell of."""
    upto = np.arange(1, plan.domain.bins + 1)
    variances = plan.estimator(users).variances(np.linspace(0, 1, upto.size + 1))
    return set(upto[variances(np.zeros_like(upto), upto) < UNKNOWN].tolist())


def multiples(size: int, bins: int) -> set[int]:
    return {*range(size, bins, size), bins}


@every_case
def test_known_sizes_say_what_is_known_whoever_reports(decomposition: Decomposition) -> None:
    plan = plan_of(decomposition, domain_without_padding(decomposition, 8))
    bins = plan.domain.bins
    for users in itertools.product([0, 5], repeat=len(plan.levels)):
        known, sizes = known_prefixes(plan, users), plan.layout.known_sizes(users)
        assert list(sizes) == sorted(set(sizes), reverse=True)
        stated = multiples(sizes[-1], bins)
        assert stated <= known, users
        if not isinstance(decomposition, ldp.Windows):  # those beyond the ends would tell of more
            assert stated == known, users
        assert multiples(plan.layout.known_sizes(users, consistent=False)[-1], bins) <= stated
    assert sizes[-1] == plan.levels[-1].size  # where there are reports on every level


@every_case
def test_the_levels_that_are_required_are_those_without_which_bins_are_unknown(
    decomposition: Decomposition,
) -> None:
    plan = plan_of(decomposition, domain_without_padding(decomposition, 8))
    required, finest = set(plan.layout.required), len(plan.levels) - 1
    everything = known_prefixes(plan, [5] * len(plan.levels))
    missed = {
        level
        for level in range(len(plan.levels))
        if known_prefixes(plan, [5 * (other != level) for other in range(len(plan.levels))]) != everything
    }
    assert required == missed | {finest}


# The best probabilities


@pytest.mark.parametrize(
    ("decomposition", "domain"),
    [
        *((case, domain_without_padding(case, bins)) for case in CASES for bins in (8, 64)),
        *((case, TWO) for case in PRODUCTS),
    ],
    ids=lambda part: part.bins if isinstance(part, ldp.Domain) else str(part),
)
@pytest.mark.parametrize(
    "weights", [(1.0, 0.0), (0.0, 1.0), (0.45, 0.55)], ids=["ranges", "prefixes", "both"]
)
def test_no_small_change_of_the_best_probabilities_makes_the_error_less(
    decomposition: Decomposition, domain: ldp.Domain, weights: tuple[float, float]
) -> None:
    plan = plan_of(decomposition, domain)
    information = [
        1 / mechanism.noise.in_even_population(level.asked)
        for mechanism, level in zip(plan.mechanisms, plan.levels, strict=True)
    ]
    best = plan.layout.best_probabilities(np.array(information), np.array(weights))
    assert best.sum() == pytest.approx(1.0)

    def error(probabilities: Floats) -> float:
        return float(np.array(weights) @ np.log(plan.layout.mean_variances(plan.law(1000 * probabilities))))

    step = 1e-5  # of everybody, moved to one level
    slopes = [
        (error((1 - step) * best + step * towards) - error(best)) / step for towards in np.eye(best.size)
    ]
    assert min(slopes) > (-0.05 if takes_ends_like_the_rest(decomposition) else -0.005)


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
