"""People who would rather not say: their own bin, and everything else about those who answered."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import ldprange as ldp
from exact_laws import all_reports, contributions
from example_kinds import ORACLES
from ldprange.decompositions import Decomposition
from ldprange.errors import DomainError, QueryError
from ldprange.estimation.answered import AnsweredShares
from ldprange.estimation.consistent import ConsistentShares
from ldprange.oracles import Oracle
from ldprange.workloads import ranges_of

Domain = ldp.Domain
HOURS = Domain.integers(1, 4, open_ends="high", no_answer=True)  # six bins
SHARES = np.array([0.5, 0.05, 0.2, 0.0, 0.15, 0.1])
EVERY = [
    HOURS,
    Domain.real(0.0, 1.0, 3, no_answer=True),
    Domain.dates("2026-01-01", "2026-01-04", open_ends=True, no_answer=True),
    Domain.ordered(["S", "M"], no_answer=True),
    Domain.categories(["north", "south"], no_answer=True),
]
DECOMPOSITIONS: list[Decomposition] = [
    ldp.Flat(),
    ldp.Tree(branching=2),
    ldp.Tree(branching=3),
    ldp.Haar(),
    ldp.Windows(),
]
every_domain = pytest.mark.parametrize("domain", EVERY, ids=Domain.describe)
every_decomposition = pytest.mark.parametrize("decomposition", DECOMPOSITIONS, ids=str)


# The domain


@every_domain
def test_no_answer_is_the_last_bin(domain: Domain) -> None:
    assert domain.index_one("no answer") == domain.index_one(None) == domain.bins - 1
    assert domain.label(domain.bins - 1) == "no answer"
    assert [domain.index_one(domain.lower(each)) for each in range(domain.bins)] == list(range(domain.bins))
    assert Domain.from_dict(domain.to_dict()) == domain
    assert domain.answered.bins == domain.bins - 1


@pytest.mark.parametrize(
    ("domain", "values"),
    [
        (HOURS, [1.0, math.nan, 9.0]),
        (HOURS, [1, None, "more than 4"]),
        (HOURS, ["1", "no answer", "more than 4"]),
        (HOURS, np.array([1, None, 9], object)),
        (EVERY[2], np.array(["2025-12-31", "NaT", "2026-01-05"], "datetime64[D]")),
        (EVERY[3], ["S", None, "M"]),
    ],
)
def test_what_is_missing_is_no_answer(domain: Domain, values: Any) -> None:
    first, missing, last = domain.index(values).tolist()
    assert (first, missing, last) == (0, domain.bins - 1, domain.bins - 2)


def test_no_answer_is_beside_values_of_one_attribute_and_once() -> None:
    anything: Any = Domain
    for make in (
        lambda: HOURS.with_no_answer(),
        lambda: Domain.product(a=EVERY[1].answered, b=EVERY[1].answered).with_no_answer(),
        lambda: anything.from_dict({"kind": "no_answer", "inside": HOURS.to_dict()}),
        lambda: anything.from_dict({"kind": "no_answer", "inside": {"kind": "product"}}),
    ):
        with pytest.raises(
            DomainError, match="no answer must be beside the values of one attribute, and once"
        ):
            make()
    with pytest.raises(DomainError, match="labels must differ from 'no answer'"):
        Domain.ordered(["yes", "no answer"], no_answer=True)
    with pytest.raises(ldp.ArgumentTypeError, match="whether there may be no answer must be of type bool"):
        anything.integers(0, 9, no_answer="yes")


# Exact laws, by going through every report


@pytest.mark.parametrize("oracle", [each for kind, each in ORACLES.items() if kind != "olh"], ids=str)
def test_a_report_hides_that_there_is_no_answer_as_it_hides_a_value(oracle: Oracle) -> None:
    plan = ldp.Plan(HOURS, 1.3, ldp.Flat(), oracle)
    (mechanism,) = plan.mechanisms
    for report in all_reports(mechanism):
        chances = [Fraction(mechanism.likelihood(report, item)) for item in range(HOURS.bins)]
        for one, other in itertools.permutations(chances, 2):
            assert one == other == 0 or one / other <= Fraction(math.exp(1.3)) * (1 + Fraction(1, 10**12))


@pytest.mark.parametrize("oracle", [each for kind, each in ORACLES.items() if kind != "olh"], ids=str)
def test_shares_of_everyone_are_unbiased(oracle: Oracle) -> None:
    plan = ldp.Plan(HOURS, 1.3, ldp.Flat(), oracle)
    (mechanism,) = plan.mechanisms
    expected = np.zeros((HOURS.bins, HOURS.bins))
    for report in all_reports(mechanism):
        reports = mechanism.unpack(np.frombuffer(report, np.uint8)[None])
        counts = ldp.Aggregate(plan, (1,), (mechanism.tally(reports),))
        found = ldp.estimate(counts).everyone.histogram(confidence=None).value
        for item in range(HOURS.bins):
            expected[item] += float(mechanism.likelihood(report, item)) * found
    np.testing.assert_allclose(expected, np.eye(HOURS.bins), atol=1e-9)


@every_decomposition
def test_variances_of_a_ratio_are_exactly_those_of_all_reports(decomposition: Decomposition) -> None:
    plan = ldp.Plan(HOURS, 1.3, decomposition, ldp.GRR())
    users = np.arange(len(plan.levels)) + 3
    low, high = ranges_of(HOURS.bins - 1)
    exact = np.zeros((3, low.size))
    for (chances, added), number in zip(contributions(plan, users, SHARES), users, strict=True):
        part, whole = added[:, high] - added[:, low], np.broadcast_to(added[:, [-2]], (len(added), low.size))
        for each, answers in zip(exact, (part, whole, whole - part), strict=True):
            each += (chances @ answers**2 - (chances @ answers) ** 2) / number
    cdf = np.append(0.0, np.cumsum(SHARES))
    law = plan.estimator(users).variances
    shares = AnsweredShares(ConsistentShares(cdf, None, int(users.sum()), (1,), law, None, 0.0))
    parts = shares._variance(low, high)
    all_of_them, rests = shares._variances(low, high, parts)
    for stated, wanted in zip((parts, np.full(low.size, all_of_them), rests), exact, strict=True):
        assert stated == pytest.approx(wanted, abs=1e-12)
    np.testing.assert_allclose(shares.share(low, high), (cdf[high] - cdf[low]) / 0.9)


# Answers


@pytest.mark.slow
@pytest.mark.parametrize("decomposition", [ldp.Tree(branching=3), ldp.Windows()], ids=str)
def test_intervals_hold_as_often_as_they_say(decomposition: Decomposition) -> None:
    """Of 150 surveys of 1,500 people: with a chance of 1 in 10,000 for each question a false alarm."""
    plan = ldp.Plan(HOURS, 2.0, decomposition, ldp.HadamardHashing())
    rng = np.random.default_rng(1)
    low, high = ranges_of(HOURS.bins - 1)
    lows, highs = (
        [HOURS.answered.lower(at) for at in low.tolist()],
        [HOURS.answered.upper(at - 1) for at in high.tolist()],
    )
    cdf = np.append(0.0, np.cumsum(SHARES)) / 0.9
    truth = np.append(cdf[high] - cdf[low], [0.1])
    open_question = truth < 1
    held, surveys = np.zeros(truth.size), 150
    for seed in range(surveys):
        found = ldp.estimate(ldp.simulate(plan, rng.multinomial(1500, SHARES), seed=seed))
        shares, none = found.ranges(lows, highs), found.no_answer()
        assert shares.interval is not None
        assert none.interval is not None
        ends = [np.append(column, end) for column, end in zip(shares.interval, none.interval, strict=True)]
        held += (ends[0] <= truth) & (truth <= ends[1])
    slack = 3.9 * math.sqrt(0.95 * 0.05 / surveys)
    assert np.all(np.abs(held[open_question] / surveys - 0.95) < slack), held / surveys
    assert np.all(held[~open_question] == surveys)


@pytest.mark.slow
@pytest.mark.parametrize(("bins", "users", "epsilon"), [(20, 1000, 8.0), (97, 100, 6.0)])
def test_intervals_hold_where_nobody_is(bins: int, users: int, epsilon: float) -> None:
    """Half decline, and all others have the first or the last value.

    Among those who answered, nobody has any value between: of 100 surveys 95% of the intervals hold, or more;
    they hold together, so the part of them varies by 1% from one hundred to the next.
    """
    domain = ldp.Domain.integers(0, bins - 1, no_answer=True)
    plan = ldp.choose_plan(domain, epsilon=epsilon, expected_users=users)
    people, rng = np.append([0.25], [*np.zeros(bins - 2), 0.25, 0.5]), np.random.default_rng(1)
    found = [
        ldp.estimate(ldp.simulate(plan, rng.multinomial(users, people), seed=seed)) for seed in range(100)
    ]
    between = [each.histogram().low for each in found]
    assert np.mean([low is not None and low[1:-1] <= 0 for low in between]) > 0.94


@pytest.mark.slow
def test_the_interval_of_a_difference_holds_where_shares_lie_near_zero() -> None:
    """Of 60 pairs of surveys it holds in 95%, ± 0.4%, of which 3 allow for chance.

    Ends that were cut at 0 would say too little of how far off a share may be: it would hold in 91%.
    """
    hours = ldp.Domain.integers(0, 99, no_answer=True)
    plan = ldp.choose_plan(hours, epsilon=1.0, expected_users=2000)
    people, low = np.append(np.full(100, 18), 200), np.arange(97)
    held = []
    for seed in range(0, 120, 2):
        one, other = (
            ldp.estimate(ldp.simulate(plan, people, seed=each)).ranges(low, low + 2)
            for each in (seed, seed + 1)
        )
        ends = one.minus(other).interval
        assert ends is not None
        held.append(np.mean((ends[0] <= 0) & (ends[1] >= 0)))
    assert np.mean(held) == pytest.approx(0.95, abs=3 * 0.004)


def test_more_confidence_never_makes_an_interval_shorter_however_little_is_known() -> None:
    """Where nobody may have answered, too, and where more confidence is what makes that possible."""
    plan = ldp.choose_plan(HOURS, epsilon=0.2, expected_users=300)
    for seed in range(20):
        found = ldp.estimate(ldp.simulate(plan, 60 * np.ones(HOURS.bins, np.int64), seed=seed))
        several = [found.histogram(confidence=part).interval for part in (0.3, 0.6, 0.9, 0.99, 0.9999)]
        for (low, high), (lower, higher) in itertools.pairwise(filter(None, several)):
            assert np.all(lower <= low + 1e-12)
            assert np.all(higher >= high - 1e-12)


PLAN = ldp.choose_plan(HOURS, epsilon=4.0, expected_users=50_000)
PEOPLE = np.array([20_000, 10_000, 0, 5_000, 5_000, 10_000])
FOUND = ldp.estimate(ldp.simulate(PLAN, PEOPLE, seed=1))


def test_answers_are_about_those_who_answered() -> None:
    assert FOUND.domain == HOURS.answered
    assert FOUND.range(1, 1).value == pytest.approx(0.5, abs=0.02)
    assert FOUND.everyone.range(1, 1).value == pytest.approx(0.4, abs=0.02)
    assert FOUND.no_answer().value == pytest.approx(0.2, abs=0.02)
    assert FOUND.histogram().value.sum() == pytest.approx(1)
    assert FOUND.cdf().value[-1] == pytest.approx(1)
    assert FOUND.quantiles([0.4, 0.7, 0.99]).value.tolist() == [1, 2, "more than 4"]
    whole = FOUND.prefix("more than 4")
    assert (whole.value, whole.low, whole.high) == pytest.approx((1, 1, 1))
    assert "no answer  0.2" in FOUND.describe()
    assert repr(FOUND).startswith("Estimate among those who answered from 50,000 reports")


def test_a_mean_is_that_of_those_who_answered() -> None:
    numbers = Domain.integers(1, 4, no_answer=True)
    plan = ldp.Plan(numbers, 4.0, ldp.Flat(), ldp.GRR())
    found = ldp.estimate(ldp.simulate_values(plan, [1.0, 3.0, 3.0, math.nan] * 10_000, seed=1))
    assert found.mean().value == pytest.approx(7 / 3, abs=0.03)
    with pytest.raises(DomainError, match="a mean needs a number for everybody, and “no answer” is none"):
        found.everyone.mean()


def test_denoised_answers_are_shares_of_those_who_answered() -> None:
    found = ldp.estimate(ldp.simulate(PLAN, PEOPLE, seed=1), denoise=True)
    histogram = found.histogram()
    assert histogram.interval is not None
    assert np.all(histogram.interval[0] >= 0)
    assert np.all(histogram.value >= 0)
    assert histogram.value.sum() == pytest.approx(1)
    assert found.no_answer().value == pytest.approx(0.2, abs=0.02)


def test_where_nobody_is_seen_to_have_answered_all_is_possible() -> None:
    found = ldp.estimate(ldp.simulate(PLAN, np.array([0, 0, 0, 0, 0, 300]), seed=2))
    assert found.no_answer().value > 0.8
    answer = found.range(1, 2)
    assert answer.interval is not None
    assert answer.interval[0] <= answer.value <= answer.interval[1]
    assert ldp.estimate(ldp.Aggregate.empty(PLAN)).range(1, 2).interval == (0, 1)


@pytest.mark.parametrize("ask", ["quantile", "cdf"])
def test_everyone_has_no_order(ask: str) -> None:
    with pytest.raises(QueryError, match="people who gave no answer have no place among values"):
        getattr(FOUND.everyone, ask)(*([0.5] if ask == "quantile" else []))


def test_where_everybody_has_to_answer_there_is_no_share_of_no_answer() -> None:
    plan = ldp.Plan(HOURS.answered, 4.0, ldp.Flat(), ldp.GRR())
    found = ldp.estimate(ldp.simulate_values(plan, [1, 2, 9], seed=1))
    assert found.everyone is found
    with pytest.raises(QueryError, match="everybody has to answer here"):
        found.no_answer()


def test_the_raw_tree_is_of_everyone_and_so_refused() -> None:
    plan = ldp.Plan(HOURS, 4.0, ldp.Tree(2), ldp.GRR())
    with pytest.raises(QueryError, match="where there may be no answer, every estimate is consistent"):
        ldp.estimate(ldp.simulate(plan, PEOPLE, seed=1), consistent=False)


def test_categories_have_shares_among_those_who_answered_and_no_cdf() -> None:
    regions = EVERY[4]
    plan = ldp.choose_plan(regions, epsilon=4.0, expected_users=1000)
    found = ldp.estimate(ldp.simulate(plan, np.array([3000, 1000, 1000]), seed=1))
    assert found.range("north", "north").value == pytest.approx(0.75, abs=0.03)
    for ask in (found.cdf, found.everyone.cdf):
        with pytest.raises(QueryError, match="categories have no order, so they have no cdf"):
            ask()


def test_reports_are_checked_as_ever() -> None:
    assert not ldp.check(ldp.simulate(PLAN, PEOPLE, seed=3)).findings


@every_domain
def test_among_those_who_gave_an_answer_there_is_no_share_of_none(domain: Domain) -> None:
    plan = ldp.Plan(domain, 3.0, ldp.Flat(), ldp.GRR())
    found = ldp.estimate(ldp.simulate(plan, [100] * domain.bins, seed=1))
    first: Any = domain.lower(0)
    asked: list[Any] = [(found.range, "no answer"), (found.range, None), (found.ranges, [first, "no answer"])]
    if not domain.unordered:
        asked.append((found.prefix, "no answer"))
    for ask, bounds in asked:
        with pytest.raises(
            QueryError, match=r"got “no answer”; its share is no_answer\(\); .*estimate\.everyone"
        ):
            ask(bounds) if ask != found.ranges else ask([first, first], bounds)
    assert found.everyone.range("no answer").value == found.no_answer().value


def test_so_it_is_of_several_attributes() -> None:
    both = Domain.product(hours=HOURS, town=EVERY[-1])
    plan = ldp.choose_plan(both, epsilon=2.0, expected_users=1000)
    found = ldp.estimate(
        ldp.simulate_values(plan, {"hours": [1, 2] * 500, "town": [None, "south"] * 500}, seed=1)
    )
    for ranges in ({"town": "no answer"}, {"town": "south", "hours": (2, None)}):
        with pytest.raises(QueryError, match=r"got “no answer”; its share is no_answer\(\)"):
            found.range(ranges)
    assert found.range(hours=(1, 2), given={"town": "no answer"}).value > 0
