"""Whom an answer speaks of: exact identities, and coverage of the population by seeded surveys."""

from __future__ import annotations

import math
from itertools import combinations
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import binom

import ldprange as ldp
from experiments.coverage import one_attribute, surveys_of_one, surveys_of_two, two_attributes
from ldprange.decompositions import Decomposition
from ldprange.estimation.shares import Spread, score_interval
from ldprange.sampling import Population, fixed_people
from ldprange.support.arrays import Floats

PLANS = {
    "flat": ldp.Plan(ldp.Domain.integers(0, 3), 2.0, ldp.Flat(), ldp.GRR()),
    "tree": ldp.Plan(ldp.Domain.integers(0, 3), 1.0, ldp.Tree(2), ldp.OUE()),
    "haar": ldp.Plan(ldp.Domain.integers(0, 3), 1.0, ldp.Haar(), ldp.HRR()),
    "windows": ldp.Plan(ldp.Domain.integers(0, 3), 3.0, ldp.Windows(), ldp.GRR()),
}


def variance(plan: ldp.Plan, users: Floats, shares: Floats, population: Population) -> float:
    """Return the variance of the share of the first two bins."""
    cdf = np.append(0.0, np.cumsum(shares))
    return float(plan.estimator(users, population).variances(cdf)(np.array([0]), np.array([2]))[0])


@pytest.mark.parametrize("name", PLANS)
def test_a_sample_without_replacement_has_the_variance_of_its_draws_and_of_its_reports(name: str) -> None:
    # every way to draw 4 of 7 people: the mean variance about those drawn, and the variance of who is drawn
    plan, people = PLANS[name], np.array([0, 0, 1, 2, 3, 3, 3])
    users = np.full(len(plan.levels), 4 / len(plan.levels))
    samples = [np.bincount(people[list(each)], minlength=4) / 4 for each in combinations(range(7), 4)]
    about_them = np.mean([variance(plan, users, each, "respondents") for each in samples])
    drawn = np.var([each[:2].sum() for each in samples])
    whole = np.bincount(people, minlength=4) / 7
    # on several levels, who of the four is on which is taken to be drawn with replacement: off by 1/N² parts
    near = 1e-9 if name == "flat" else 0.02
    assert variance(plan, users, whole, 7) == pytest.approx(about_them + drawn, rel=near)


@pytest.mark.parametrize("name", PLANS)
def test_populations_lie_between_the_respondents_and_an_endless_one(name: str) -> None:
    plan, shares = PLANS[name], np.array([0.1, 0.2, 0.3, 0.4])
    users = np.full(len(plan.levels), 50.0)
    number = users.sum()
    found = [
        variance(plan, users, shares, population)
        for population in ("respondents", number, 2 * number, 1e9, None)
    ]
    assert found[0] == pytest.approx(found[1])
    assert found[1] < found[2] < found[3]
    assert found[3] == pytest.approx(found[4], rel=1e-6)
    assert found[4] - found[0] == pytest.approx(0.3 * 0.7 / number)


TWO = ldp.Domain.product(age=ldp.Domain.integers(0, 3), pay=ldp.Domain.integers(0, 3))


@pytest.mark.parametrize("consistent", [True, False], ids=["consistent", "raw"])
@pytest.mark.parametrize("name", PLANS)
def test_the_whole_is_known_beforehand_however_people_are_drawn(name: str, consistent: bool) -> None:
    estimate = ldp.estimate(ldp.simulate(PLANS[name], [3, 2, 1, 30], seed=1), consistent=consistent)
    for whole in (estimate.range(0, 3), estimate.prefix(3)):
        assert (whole.value, whole.low, whole.high) == pytest.approx((1.0, 1.0, 1.0), abs=1e-6)


def test_the_whole_of_two_attributes_is_known_beforehand() -> None:
    plan = ldp.Plan(TWO, 1.0, ldp.Tree(2), ldp.OUE())
    estimate = ldp.estimate(ldp.simulate(plan, np.ones((4, 4), int), seed=1))
    whole = estimate.range(age=(0, 3), pay=(0, 3))
    assert (whole.value, whole.low, whole.high) == pytest.approx((1.0, 1.0, 1.0), abs=1e-6)


def test_nobody_and_one_person_fix_nothing() -> None:
    assert fixed_people(10, 0) == fixed_people(10, 1) == math.inf
    assert fixed_people("respondents", 1) == 1.0


@pytest.mark.parametrize("population", ["everybody", 0, -1, math.nan, math.inf, True, [100], 9])
def test_a_population_is_nothing_else(population: object) -> None:
    plan = PLANS["flat"]
    aggregate = ldp.simulate(plan, [4, 3, 2, 1], seed=1)
    with pytest.raises(ldp.QueryError, match="population must be"):
        ldp.estimate(aggregate, population=population)  # type: ignore[arg-type]
    with pytest.raises(ldp.QueryError, match="population must be"):
        plan.predict(10, population=population)  # type: ignore[arg-type]


def test_predictions_add_what_drawing_people_adds() -> None:
    for plan in PLANS.values():
        endless, alone = plan.predict(1000), plan.predict(1000, population="respondents")
        low, high = np.triu_indices(4)
        shares = (high + 1 - low) / 4
        own = np.mean(shares * (1 - shares)) / 1000
        assert endless.range_variance - alone.range_variance == pytest.approx(own)
        assert plan.predict(1000, population=1000).range_variance == pytest.approx(alone.range_variance)


def test_without_noise_the_interval_is_wilsons() -> None:
    users, z = 50, 1.96
    share = np.array([0.0, 0.2, 0.3, 0.5, 1.0])
    spread = Spread(share * (1 - share) / users, share, np.full(5, 1 / users))
    low, high = score_interval(share, spread, z)
    middle = (share + z**2 / (2 * users)) / (1 + z**2 / users)
    reach = z / (1 + z**2 / users) * np.sqrt(share * (1 - share) / users + z**2 / (4 * users**2))
    np.testing.assert_allclose(low, middle - reach, atol=1e-12)
    np.testing.assert_allclose(high, middle + reach, atol=1e-12)


@pytest.mark.parametrize("users", [50, 1000])
@pytest.mark.parametrize(("z", "least"), [(1.96, 0.9), (2.576, 0.975), (3.291, 0.9975), (3.891, 0.9997)])
def test_few_people_are_held_at_any_confidence(users: int, z: float, least: float) -> None:
    """Without noise, over all numbers that a sample may find; Wilson's hold in 84 to 98% at the worst."""
    found = np.arange(users + 1) / users
    low, high = score_interval(
        found, Spread(found * (1 - found) / users, found, np.full_like(found, 1 / users)), z
    )
    shares = np.append(np.geomspace(1e-4, 0.05, 200), np.linspace(0.05, 1 - 1e-4, 200))
    chances = binom.pmf(np.arange(users + 1), users, shares[:, None])
    held = np.sum(chances * ((low <= shares[:, None]) & (shares[:, None] <= high)), axis=1)
    assert held.min() > least
    assert held.mean() > 1 - 2 * NormalDist().cdf(-z)
    np.testing.assert_allclose(low, 1 - high[::-1], atol=1e-12)


def test_more_confidence_never_makes_an_interval_shorter() -> None:
    """However far beyond 0 or 1 an estimate lies, there is an interval about it."""
    rng = np.random.default_rng(1)
    share, centre = rng.uniform(0, 1, 3000), rng.uniform(-1, 2, 3000)
    noise, slope = 10 ** rng.uniform(-8, -2, (2, 3000))
    spread = Spread(noise + slope * share * (1 - share), share, slope)
    before = centre, centre
    for z in (0.1, 0.5, 1.0, 1.96, 2.6, 3.3, 4.5):
        low, high = score_interval(centre, spread, z)
        assert np.all(low <= before[0] + 1e-9)
        assert np.all(high >= before[1] - 1e-9)
        before = low, high


def test_the_ends_are_as_many_deviations_away_as_was_asked() -> None:
    rng = np.random.default_rng(1)
    share, even = rng.uniform(0, 1, 1000), rng.uniform(0.01, 0.99, 1000)
    spread = Spread.of(
        rng.uniform(1e-6, 0.1, 1000), share, rng.uniform(0, 0.001, 1000), even, np.zeros(1000), 0.0, 1e6
    )
    centre = share + rng.normal(0, 0.05, 1000)
    for end in score_interval(centre, spread, 1.96):
        held, many = np.clip(end, 0, 1), spread.slope * 1.96**2 < 0.2 * np.abs(centre - end)
        there = spread.variance + spread.slope * (held * (1 - held) - share * (1 - share))
        assert np.all((centre - end) ** 2 > (1 - 1e-6) * 1.96**2 * there)
        assert (many & (held == end)).sum() > 100
        np.testing.assert_allclose((centre - end)[many] ** 2, 1.96**2 * there[many], rtol=1e-6)
    plain = Spread(spread.variance, share, np.zeros(1000))
    np.testing.assert_allclose(np.mean(score_interval(centre, plain, 2.0), axis=0), centre)


def test_intervals_about_respondents_hold_where_only_a_few_reports_are_wrong() -> None:
    """Of 600 surveys 98% of bins' intervals hold; by a normal law, shorter than a person's share, 85% did."""
    plan = ldp.choose_plan(ldp.Domain.integers(0, 36), epsilon=8, expected_users=300)
    rng, held = np.random.default_rng(5), []
    for seed in range(40):
        counts = rng.multinomial(300, np.full(37, 1 / 37))
        found = ldp.estimate(ldp.simulate(plan, counts, seed=seed), population="respondents").histogram()
        assert found.low is not None
        assert found.high is not None
        held.append(np.mean((found.low <= counts / 300 + 1e-12) & (counts / 300 - 1e-12 <= found.high)))
    # a survey's part that holds has a standard deviation of 0.03
    assert np.mean(held) > 0.95


def test_three_labels_and_three_hundred_people_are_covered() -> None:
    # of 800 surveys two intervals each, and a third that follows: at a true coverage of 95% fewer than 93%
    # once in 10^4
    plan = ldp.choose_plan(ldp.Domain.ordered(["no", "maybe", "yes"]), epsilon=3.0, expected_users=300)
    shares, rng = np.array([0.2, 0.3, 0.5]), np.random.default_rng(2)
    held = {None: 0.0, "respondents": 0.0}
    for seed in range(800):
        aggregate = ldp.simulate(plan, rng.multinomial(300, shares), seed=seed)
        for population in held:
            answer = ldp.estimate(aggregate, population=population).histogram()  # type: ignore[arg-type]
            held[population] += float(((answer.low <= shares) & (shares <= answer.high)).mean()) / 800
    assert 0.93 < held[None] < 0.97
    assert held["respondents"] < 0.8  # which is what was told of the population before


@pytest.mark.parametrize("decomposition", [ldp.Haar(), ldp.Flat()], ids=["haar", "flat"])
@pytest.mark.parametrize("consistent", [True, False])
def test_nearly_all_in_one_bin_are_covered_by_one_bit_reports(
    decomposition: Decomposition, consistent: bool
) -> None:
    # 400 surveys of one interval: a true coverage of 95% comes out below 90% once in 10^4
    plan = ldp.Plan(ldp.Domain.integers(0, 1), 8.0, decomposition, ldp.HRR())
    rng, held = np.random.default_rng(4), 0
    for seed in range(400):
        drawn = ldp.simulate(plan, rng.multinomial(100, [0.99, 0.01]), seed=seed)
        answer = ldp.estimate(drawn, consistent=consistent).range(0, 0)
        assert answer.low is not None
        assert answer.high is not None
        held += answer.low <= 0.99 <= answer.high
    assert held > 360


@pytest.mark.parametrize(("users", "epsilon"), [(100, 2.0), (100, 8.0), (1000, 4.0), (100_000, 1.0)])
def test_intervals_hold_the_populations_shares(users: int, epsilon: float) -> None:
    # 120 surveys; prefixes of one survey go together: the part of them that is held has a deviation of 8
    # points, that of ranges 6, of bins 4, so a coverage of 95% comes out of bounds about once in a thousand
    plan, seeds = (
        ldp.choose_plan(ldp.Domain.integers(0, 31), epsilon=epsilon, expected_users=users),
        range(30),
    )
    each = [list(surveys_of_one(plan, shares, users, seeds)) for shares in one_attribute(32).values()]
    ranges, prefixes, bins = np.array(each).reshape(-1, 3).mean(axis=0)
    assert 0.93 < ranges < 0.97
    assert 0.92 < prefixes < 0.98
    assert 0.93 < bins < 0.97


@pytest.mark.parametrize(("users", "epsilon"), [(100, 0.5), (100, 8.0), (1000, 2.0), (10_000, 4.0)])
def test_intervals_of_two_attributes_hold_the_populations_shares(users: int, epsilon: float) -> None:
    # 120 surveys, of which 100 people at ε = 0.5 cannot tell whether anybody is in the condition; a coverage
    # of 95% comes out of bounds about once in a thousand
    domain = ldp.Domain.product(a=ldp.Domain.integers(0, 7), b=ldp.Domain.integers(0, 3))
    plan, seeds = ldp.choose_plan(domain, epsilon=epsilon, expected_users=users), range(40)
    each = [list(surveys_of_two(plan, shares, users, seeds)) for shares in two_attributes((8, 4)).values()]
    rectangles, given = np.nanmean(np.array(each).reshape(-1, 2), axis=0)
    assert 0.925 < rectangles < 0.975
    assert 0.92 < given < 0.975
