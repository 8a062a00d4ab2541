"""The planner: what it calls best is best, by exact calculation, and its questions turn round."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
import pytest

import ldprange as ldp
from experiments.comparison.lower_bound import least_prefixes, least_ranges, unit
from experiments.many.cells import DOMAIN as FIVE
from experiments.many.cells import errors
from ldprange.decompositions import Decomposition
from ldprange.errors import LdprangeError, PlanError
from ldprange.oracles import mechanism_of
from ldprange.plan import MAX_COUNTERS
from ldprange.planner.compare import GUESS
from ldprange.planner.optimise import Workload, best_oracle, best_oracles, rounded_probabilities

AGES = ldp.Domain.integers(0, 119)
KINDS: dict[str, Decomposition] = {
    "Haar": ldp.Haar(),
    "Tree 2": ldp.Tree(2),
    "Tree 4": ldp.Tree(4),
    "Windows": ldp.Windows(),
}
WORKLOADS: tuple[Workload, ...] = ("ranges", "prefixes", "both")
every_kind = pytest.mark.parametrize("decomposition", KINDS.values(), ids=KINDS.keys())


def _criterion(plan: ldp.Plan, workload: Workload, probabilities: np.ndarray | None = None) -> float:
    shares = np.array(plan.probabilities) if probabilities is None else probabilities
    ranges, prefixes = plan.estimator(1000 * shares).mean_variances()
    return {"ranges": ranges, "prefixes": prefixes, "both": math.sqrt(ranges * prefixes)}[workload]


# Level probabilities and oracles


@every_kind
@pytest.mark.parametrize("workload", WORKLOADS)
def test_no_change_of_the_probabilities_is_better(decomposition: Decomposition, workload: Workload) -> None:
    plan = ldp.optimise_plan(
        ldp.Domain.integers(0, 63), epsilon=1.0, decomposition=decomposition, workload=workload
    )
    best = _criterion(plan, workload)
    rng = np.random.default_rng(1)
    for size in (0.02, 0.1, 0.5):
        for _ in range(20):
            other = np.array(plan.probabilities) * np.exp(size * rng.normal(size=len(plan.levels)))
            assert _criterion(plan, workload, other / other.sum()) > best * (1 - 5e-4)


@every_kind
def test_each_workload_is_served_best_by_its_own_plan(decomposition: Decomposition) -> None:
    plans = {
        each: ldp.optimise_plan(AGES, epsilon=1.0, decomposition=decomposition, workload=each)
        for each in WORKLOADS
    }
    for workload in WORKLOADS:
        least = min(_criterion(plan, workload) for plan in plans.values())
        assert _criterion(plans[workload], workload) <= least * 1.0005


@every_kind
@pytest.mark.parametrize("epsilon", [0.2, 1.1, 3.0])
def test_optimised_beats_even_levels(decomposition: Decomposition, epsilon: float) -> None:
    plan = ldp.optimise_plan(AGES, epsilon=epsilon, decomposition=decomposition)
    even = ldp.Plan(AGES, epsilon, plan.decomposition, plan.oracles)
    assert _criterion(plan, "both") < _criterion(even, "both")


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.1, 2.0, 4.0])
@every_kind
def test_the_best_oracle_has_the_most_information(decomposition: Decomposition, epsilon: float) -> None:
    for level in decomposition.on(ldp.Domain.integers(1, 500)).levels:
        chosen = mechanism_of(best_oracle(level, epsilon), level, epsilon)
        others = [ldp.GRR(), ldp.HRR(), ldp.HadamardHashing()]
        others += [ldp.SubsetSelection()] if level.asked <= 65 else []
        for oracle in others:
            try:
                other = mechanism_of(oracle, level, epsilon)
            except PlanError:
                continue
            if other.counters <= 16 * level.cells * level.size:
                assert chosen.noise.in_even_population(level.asked) <= other.noise.in_even_population(
                    level.asked
                ) * (1 + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.5, 3.0, 8.0])
@pytest.mark.parametrize("bins", [10_000_000, 1 << 25, 1 << 26])
def test_where_the_best_oracles_need_too_many_counters_large_levels_have_cheaper_ones(
    bins: int, epsilon: float
) -> None:
    levels = ldp.Windows().on(ldp.Domain.integers(0, bins - 1)).levels
    best, chosen = [best_oracle(level, epsilon) for level in levels], best_oracles(levels, epsilon)
    needed, left = (
        np.array([mechanism_of(*pair, epsilon).counters for pair in zip(oracles, levels, strict=True)])
        for oracles in (best, chosen)
    )
    if left.sum() <= MAX_COUNTERS:
        assert needed[needed > left].min() >= needed[needed == left].max()
    else:  # fewer cannot be had
        assert chosen == [best_oracle(level, epsilon, 1) for level in levels]
    plan = ldp.choose_plan(ldp.Domain.integers(0, bins - 1), epsilon=epsilon, expected_users=10**6)
    assert plan.counters <= MAX_COUNTERS


def test_a_given_oracle_is_kept() -> None:
    plan = ldp.optimise_plan(AGES, epsilon=1.1, decomposition=ldp.Tree(4), oracle=ldp.OUE())
    assert set(plan.oracles) == {ldp.OUE()}
    assert sum(plan.probabilities) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("bins", [1, 2, 3, 5, 100, 257, 1000, 5000])
def test_any_number_of_bins_can_be_planned(bins: int) -> None:
    plan = ldp.optimise_plan(ldp.Domain.integers(0, bins - 1), epsilon=1.0, decomposition=ldp.Windows())
    assert plan == ldp.Plan.from_json(plan.to_json())
    assert plan.predict(1000).range_rmse >= 0


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.2, 0.5, math.log(3), 2.0])
@pytest.mark.parametrize("bins", [256, 1024])
def test_windows_come_near_the_least_variance_possible(bins: int, epsilon: float) -> None:
    plan = ldp.choose_plan(ldp.Domain.integers(0, bins - 1), epsilon=epsilon, expected_users=2**20)
    predicted, measure = plan.predict(2**20), unit(epsilon, 2**20)
    assert predicted.range_variance <= 1.10 * least_ranges(bins, epsilon) * measure
    assert predicted.prefix_variance <= 1.15 * least_prefixes(bins, epsilon) * measure


# Comparison


def test_a_comparison_is_sorted_and_says_why() -> None:
    comparison = ldp.compare_plans(AGES, epsilon=1.1, expected_users=100_000)
    errors = [each.error("both") for each in comparison.candidates]
    assert errors == sorted(errors)
    assert comparison.best.plan == ldp.choose_plan(AGES, epsilon=1.1, expected_users=100_000)
    assert comparison.useful
    text = str(comparison)
    for each in comparison.candidates:
        assert each.name in text
    assert "Windows needs 21% fewer people than Tree 2" in text
    assert len({tuple(each.plan.levels) + each.plan.probabilities for each in comparison.candidates}) == len(
        comparison.candidates
    )


@pytest.mark.parametrize("bins", [3, 5, 8, 33, 120])
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 5.0, 10.0])
def test_the_chosen_plan_has_the_least_exact_error(bins: int, epsilon: float) -> None:
    """Predictions are those for an even population, by the formula of any other population."""
    comparison = ldp.compare_plans(ldp.Domain.integers(0, bins - 1), epsilon=epsilon, expected_users=10_000)
    for each in comparison.candidates:
        exact = each.plan.predict(10_000, counts=np.ones(bins))
        assert each.prediction == exact
        assert each.error("both") >= comparison.best.error("both") / 1.006


@pytest.mark.parametrize("bins", [1, 2])
def test_domains_with_nothing_to_choose(bins: int) -> None:
    comparison = ldp.compare_plans(ldp.Domain.integers(0, bins - 1), epsilon=700.0, expected_users=100)
    assert comparison.best.name == "Flat"
    assert "nothing else" in str(comparison)


def test_an_error_of_nothing_can_be_compared() -> None:
    assert "Flat" in str(ldp.compare_plans(ldp.Domain.integers(0, 9), epsilon=700.0, expected_users=100))


def test_few_people_are_told_so_in_numbers() -> None:
    comparison = ldp.compare_plans(AGES, epsilon=0.1, expected_users=50)
    assert not comparison.useful
    assert "Nothing useful can be had" in comparison.reason
    needed = int(comparison.reason.split("more than ")[1].split(" people")[0].replace(",", ""))
    enough = ldp.compare_plans(AGES, epsilon=0.1, expected_users=1.01 * needed)
    assert enough.useful
    assert enough.best.error("both") == pytest.approx(GUESS, rel=0.02)


# Questions turned round


@pytest.mark.parametrize("workload", WORKLOADS)
def test_so_many_people_give_the_wanted_error(workload: Workload) -> None:
    users = ldp.users_needed(AGES, epsilon=1.1, error=0.01, workload=workload)
    best = ldp.compare_plans(AGES, epsilon=1.1, expected_users=users, workload=workload).best
    assert 0.99 * 0.01 < best.error(workload) <= 0.01


@pytest.mark.slow
@pytest.mark.parametrize("workload", WORKLOADS)
def test_such_an_epsilon_gives_the_wanted_error(workload: Workload) -> None:
    stars = ldp.Domain.integers(1, 10)  # few bins, as plans are made again and again
    epsilon = ldp.epsilon_needed(stars, expected_users=100_000, error=0.01, workload=workload)
    best = ldp.compare_plans(stars, epsilon=epsilon, expected_users=100_000, workload=workload).best
    assert 0.97 * 0.01 < best.error(workload) <= 0.01


@pytest.mark.slow
def test_more_people_or_privacy_spent_make_finer_bins_useful() -> None:
    few, many = (ldp.useful_bins(epsilon=1.0, expected_users=users) for users in (10_000, 1_000_000))
    assert 2 <= few < many < ldp.useful_bins(epsilon=3.0, expected_users=1_000_000)
    assert ldp.useful_bins(epsilon=3.0, expected_users=1e15) == 1 << 16


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "no such workload": (
        lambda: ldp.choose_plan(AGES, epsilon=1.0, expected_users=100, workload="all"),  # type: ignore[arg-type]
        "'both', got 'all'",
    ),
    "nobody": (lambda: ldp.choose_plan(AGES, epsilon=1.0, expected_users=0), "at least 1, got 0"),
    "people without number": (
        lambda: ldp.compare_plans(AGES, epsilon=1.0, expected_users=math.nan),
        "at least 1, got nan",
    ),
    "no ε": (lambda: ldp.choose_plan(AGES, epsilon=0.0, expected_users=100), "above 0, got 0"),
    "ε without number": (
        lambda: ldp.optimise_plan(AGES, epsilon=math.nan, decomposition=ldp.Haar()),
        "above 0, got nan",
    ),
    "ε too small for coins": (
        lambda: ldp.choose_plan(AGES, epsilon=1e-12, expected_users=100),
        "favour the truth",
    ),
    "no domain": (lambda: ldp.choose_plan(120, epsilon=1.0, expected_users=100), "must be of type Domain"),  # type: ignore[arg-type]
    "no decomposition": (
        lambda: ldp.optimise_plan(AGES, epsilon=1.0, decomposition="haar"),  # type: ignore[arg-type]
        "must be of type Decomposition",
    ),
    "an error of 0": (
        lambda: ldp.users_needed(AGES, epsilon=1.0, error=0.0),
        "between 0 and 1, such as 0.01, got 0",
    ),
    "an error out of reach": (
        lambda: ldp.epsilon_needed(AGES, expected_users=10, error=1e-6),
        "even ε = 20 leaves",
    ),
    "two halves alike": (lambda: ldp.useful_bins(epsilon=0.01, expected_users=10), "not even two halves"),
    "too many levels": (
        lambda: ldp.Plan(ldp.Domain.integers(0, 999), 1.0, ldp.Windows(list(range(300, 0, -1))), ldp.HRR()),
        "at most 255 levels, got 300",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_say_what_must_hold(case: str) -> None:
    question, message = REFUSED[case]
    with pytest.raises(LdprangeError, match=re.escape(message)):
        question()


def test_a_plan_is_the_most_exact_of_those_on_which_liars_have_little_influence() -> None:
    domain = ldp.Domain.integers(0, 63)
    free = ldp.choose_plan(domain, epsilon=1.0, expected_users=10_000)
    most = free.influence().fair_coins
    assert ldp.choose_plan(domain, epsilon=1.0, expected_users=10_000, max_influence=most) == free
    limited = ldp.choose_plan(domain, epsilon=1.0, expected_users=10_000, max_influence=0.8 * most)
    assert limited.influence().fair_coins <= 0.8 * most
    assert limited.predict(10_000).range_rmse > free.predict(10_000).range_rmse


def test_too_little_influence_is_refused_with_what_can_be_had() -> None:
    with pytest.raises(PlanError, match=r"max_influence must be at least 0\.0\d+ here, got 0\.001"):
        ldp.choose_plan(ldp.Domain.integers(0, 63), epsilon=1.0, expected_users=10_000, max_influence=0.001)


@pytest.mark.parametrize(
    ("domain", "options"),
    [
        (ldp.Domain.categories(["a", "b", "c"]), {}),
        (ldp.Domain.integers(0, 9), {"answers": "denoised"}),
        (ldp.Domain.product(a=ldp.Domain.integers(0, 9), b=ldp.Domain.integers(0, 9)), {}),
    ],
)
def test_influence_is_limited_for_unbiased_answers_on_a_line(domain: ldp.Domain, options: Any) -> None:
    with pytest.raises(PlanError, match="max_influence goes with unbiased answers about one attribute"):
        ldp.choose_plan(domain, epsilon=1.0, expected_users=10_000, max_influence=0.1, **options)


@pytest.mark.parametrize("levels", [1, 2, 20, 210, 255])
@pytest.mark.parametrize("shape", [0.05, 1.0, 1e6])
def test_rounded_probabilities_add_up_and_none_is_0(levels: int, shape: float) -> None:
    """Also where there are so many levels that none can make up by itself for the rounding of all others."""
    for seed in range(20):
        exact = np.random.default_rng(seed).dirichlet(np.full(levels, shape))
        units = np.array(rounded_probabilities(exact)) * 10_000
        np.testing.assert_allclose(units, np.rint(units), atol=1e-6)
        assert units.min() >= 1 - 1e-6
        assert np.rint(units).sum() == 10_000
        moved = np.rint(units) - np.maximum(np.rint(10_000 * exact), 1)
        assert np.count_nonzero(moved) <= 1 or (moved.max() == 0 and moved.min() >= -2)


FOUR = ldp.Domain.product(**{name: ldp.Domain.integers(0, 63) for name in "abcd"})


def _depth(plan: ldp.Plan) -> int:
    """Return how often attributes are cut, at the most, where two are asked about together."""
    depths = np.array(plan.decomposition.to_dict()["depths"])
    return int(depths[np.count_nonzero(depths, axis=1) > 1].max())


def test_pairs_are_told_apart_the_more_finely_the_more_people_there_are() -> None:
    plans = [
        ldp.choose_plan(FOUR, epsilon=1.0, expected_users=users) for users in (1, 1e4, 1e6, 1e7, 1e8, 1e12)
    ]
    assert plans[0].decomposition == plans[1].decomposition == ldp.Grids.pairs(FOUR)
    assert list(map(_depth, plans)) == [3, 3, 4, 5, 6, 6]


def test_a_comparison_of_pairs_says_what_cells_hide() -> None:
    some, all_bins = (ldp.compare_plans(FOUR, epsilon=1.0, expected_users=users) for users in (1e6, 1e9))
    assert "16 × 16 cells" in some.reason
    assert "a typical answer is off by some 1.0 points" in some.reason
    assert some.best.error("ranges") == pytest.approx(
        math.hypot(some.best.prediction.range_rmse, some.best.non_uniformity)
    )
    assert "every bin is a cell" in all_bins.reason
    assert all_bins.best.non_uniformity == 0


@pytest.mark.parametrize("error", [0.05, 0.01, 0.001])
def test_so_many_people_give_the_wanted_error_where_more_are_asked_about_finer_cells(error: float) -> None:
    users = ldp.users_needed(FOUR, epsilon=1.0, error=error, workload="ranges")
    chosen = ldp.compare_plans(FOUR, epsilon=1.0, expected_users=users, workload="ranges").best
    assert 0.99 * error < chosen.range_rmse <= error


def test_more_people_and_a_larger_epsilon_never_make_pairs_less_accurate() -> None:
    def errors(surveys: list[tuple[float, float]]) -> list[float]:
        return [
            ldp.compare_plans(FOUR, epsilon=epsilon, expected_users=users).best.error("both")
            for epsilon, users in surveys
        ]

    for surveys in (
        [(1.0, 10.0**power) for power in range(1, 10)],
        [(half / 2, 4e5) for half in range(1, 9)],
    ):
        assert np.all(np.diff(errors(surveys)) < 0)


LARGE = ldp.Domain.product(**{name: ldp.Domain.integers(0, (1 << 20) - 1) for name in "abcd"})


def test_cells_of_pairs_are_no_finer_than_a_collector_can_bear() -> None:
    assert _depth(ldp.choose_plan(LARGE, epsilon=4.0, expected_users=1e15)) == 8


def test_an_error_that_the_finest_cells_hide_cannot_be_had() -> None:
    assert ldp.users_needed(LARGE, epsilon=4.0, error=0.001) > 1e6
    with pytest.raises(PlanError, match="would take more people than can be counted"):
        ldp.users_needed(LARGE, epsilon=4.0, error=0.0001)


def test_of_two_attributes_every_bin_is_a_cell() -> None:
    two = ldp.Domain.product(a=AGES, b=AGES)
    candidates = ldp.compare_plans(two, epsilon=1, expected_users=9).candidates
    assert all(each.non_uniformity == 0 for each in candidates)


@pytest.mark.slow
def test_with_many_people_fine_pairs_have_less_error() -> None:
    """Of ten million: more if people are spread evenly, but less than a third of it if amounts are skewed."""
    chosen = ldp.choose_plan(FIVE, epsilon=1.0, expected_users=10**7)
    coarse = ldp.optimise_plan(FIVE, epsilon=1.0, decomposition=ldp.Grids.pairs(FIVE))
    (even, _, amounts), by_coarse = (list(islice(errors(plan, 10**7), 3)) for plan in (chosen, coarse))
    assert even > by_coarse[0]
    assert amounts < by_coarse[2] / 3


@pytest.mark.parametrize("bins", [2, pytest.param(100, marks=pytest.mark.slow)])
def test_twenty_attributes_have_a_plan(bins: int) -> None:
    attributes = {f"a{number}": ldp.Domain.integers(0, bins - 1) for number in range(20)}
    plan = ldp.choose_plan(ldp.Domain.product(**attributes), epsilon=1.0, expected_users=10_000)
    assert sum(plan.probabilities) == pytest.approx(1)
    assert min(plan.probabilities) > 0
