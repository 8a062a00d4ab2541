"""Questions to an estimate: answers that fit together, in the domain's own units, and clear refusals."""

from __future__ import annotations

import datetime
import json
import math
from typing import Any

import numpy as np
import pytest

import ldprange as ldp
from ldprange.aggregate import Aggregate

DOMAINS: dict[str, ldp.Domain] = {
    "integers": ldp.Domain.integers(10, 19),
    "real": ldp.Domain.real(0.0, 5.0, 10),
    "logarithmic": ldp.Domain.logarithmic(1.0, 1024.0, 10),
    "dates": ldp.Domain.dates("2026-01-01", "2026-01-10"),
    "ordered": ldp.Domain.ordered([f"grade {i}" for i in range(10)]),
}
every_domain = pytest.mark.parametrize("kind", DOMAINS)


def _estimate(kind: str = "integers", *, people: int = 400, consistent: bool = True) -> ldp.Estimate:
    plan = ldp.Plan(DOMAINS[kind], 2.0, ldp.Tree(branching=3), ldp.OUE())
    counts = people * np.arange(1, 11)
    return ldp.estimate(ldp.simulate(plan, counts, seed=1), consistent=consistent)


# Answers fit together


@every_domain
@pytest.mark.parametrize("consistent", [True, False], ids=["consistent", "raw"])
def test_prefixes_ranges_histogram_and_cdf_say_the_same(kind: str, consistent: bool) -> None:
    domain, estimate = DOMAINS[kind], _estimate(kind, consistent=consistent)
    lowest = domain.lower(0)
    histogram, cdf = estimate.histogram(), estimate.cdf()
    assert histogram.low is not None
    assert cdf.low is not None
    for index in range(domain.bins):
        prefix = estimate.prefix(domain.upper(index))
        assert prefix == estimate.range(lowest, domain.upper(index))
        assert prefix.value == pytest.approx(cdf.value[index], abs=1e-12)
        assert prefix.low == pytest.approx(cdf.low[index], abs=1e-12)
        alone = estimate.range(domain.lower(index), domain.upper(index))
        assert alone.value == pytest.approx(histogram.value[index], abs=1e-9)
        assert alone.low == pytest.approx(histogram.low[index], abs=1e-6)


def test_many_ranges_are_answered_as_one_is() -> None:
    estimate = _estimate()
    lows, highs = np.array([10, 12, 15]), np.array([19, 12, 18])
    many = estimate.ranges(lows, highs, confidence=0.9)
    assert many.low is not None
    assert many.high is not None
    for at in range(3):
        one = estimate.range(lows[at], highs[at], confidence=0.9)
        assert (one.value, one.low, one.high) == (many.value[at], many.low[at], many.high[at])
    assert estimate.ranges(10, highs).value.shape == (3,)


def test_a_wider_confidence_has_a_wider_interval_around_the_same_value() -> None:
    estimate = _estimate()
    narrow, wide = estimate.range(12, 15, confidence=0.5), estimate.range(12, 15, confidence=0.99)
    assert narrow.value == wide.value
    assert narrow.high is not None
    assert wide.high is not None
    # standard normal quantiles of 0.75 and 0.995, nearly: the variance changes a little with the share
    assert (wide.high - wide.value) / (narrow.high - narrow.value) == pytest.approx(
        2.575829 / 0.674490, rel=0.01
    )


def test_no_interval_is_given_where_none_is_wanted() -> None:
    estimate = _estimate()
    for answer in (
        estimate.range(12, 15, confidence=None),
        estimate.quantile(0.5, confidence=None),
        estimate.histogram(confidence=None),
        estimate.cdf(confidence=None),
    ):
        assert (answer.low, answer.high, answer.confidence) == (None, None, None)


def test_a_simultaneous_band_is_wider_than_a_pointwise_one() -> None:
    estimate = _estimate()
    each, all_at_once = estimate.cdf(), estimate.cdf(band="simultaneous")
    assert each.low is not None
    assert all_at_once.low is not None
    np.testing.assert_array_equal(each.value, all_at_once.value)
    assert np.all(all_at_once.low[:-1] < each.low[:-1])


# Units


@pytest.mark.parametrize(
    ("kind", "median", "type_"),
    [
        ("integers", 16, int),
        ("real", 0.5 * (6 + 6.5 / 7), float),
        ("logarithmic", 2 ** (6 + 6.5 / 7), float),
        ("dates", datetime.date(2026, 1, 7), datetime.date),
        ("ordered", "grade 6", str),
    ],
)
def test_quantiles_come_in_the_domains_units(kind: str, median: Any, type_: type) -> None:
    # of 1, 2, … 10 parts in ten bins, 27½ of 55 are those of bins 0 to 5 and 6½ of the 7 in bin 6
    answer = _estimate(kind, people=100_000).quantile(0.5)
    for value in (answer.value, answer.low, answer.high):
        assert type(value) is type_
    if type_ is float:
        assert answer.value == pytest.approx(median, rel=0.02)
    else:
        assert answer.value == median
    domain = DOMAINS[kind]
    assert answer.low is not None
    assert domain.index_one(answer.low) <= domain.index_one(answer.value) <= domain.index_one(answer.high)


def test_quantiles_rise_and_reach_both_ends() -> None:
    estimate = _estimate("real")
    qs = np.linspace(0, 1, 21)
    answer = estimate.quantiles(qs)
    assert np.all(np.diff(answer.value) >= 0)
    assert answer.low is not None
    assert answer.high is not None
    assert np.all(answer.low <= answer.value)
    assert np.all(answer.value <= answer.high)
    assert answer.value[0] >= 0.0
    assert answer.value[-1] <= 5.0
    single = estimate.quantile(0.25)
    assert (single.value, single.low, single.high) == (answer.value[5], answer.low[5], answer.high[5])


def test_a_bound_inside_a_bin_shares_it_out_evenly_and_doubts_all_of_it() -> None:
    estimate = _estimate("real", people=100_000)
    whole, part, less = (estimate.range(1.0, high) for high in (2.0, 1.75, 1.5))
    assert part.value == pytest.approx((whole.value + less.value) / 2)
    assert part.low is not None
    assert part.high is not None
    assert whole.high is not None
    assert less.low is not None
    assert part.low == pytest.approx(less.low, abs=1e-4)
    assert part.high == pytest.approx(whole.high, abs=1e-4)


# Levels that nobody reported on


@pytest.mark.parametrize("decomposition", [ldp.Flat(), ldp.Tree(2), ldp.Haar()], ids=["Flat", "Tree", "Haar"])
@pytest.mark.parametrize("consistent", [True, False], ids=["consistent", "raw"])
@pytest.mark.parametrize("bins", [1, 8, 11])
def test_nobody_says_nothing(decomposition: Any, consistent: bool, bins: int) -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, bins - 1), 1.1, decomposition, ldp.HRR())
    estimate = ldp.estimate(Aggregate.empty(plan), consistent=consistent)
    whole = estimate.range(0, bins - 1)
    assert whole.value == pytest.approx(1.0)
    if bins > 1:
        part = estimate.range(0, bins // 2)
        assert part.low is not None
        assert part.high is not None
        assert part.low <= 0.0
        assert part.high >= 1.0
        median = estimate.quantile(0.5)
        assert (median.low, median.high) == (0, bins - 1)


@pytest.mark.parametrize("decomposition", [ldp.Tree(2), ldp.Haar()], ids=["Tree", "Haar"])
def test_an_unreported_level_widens_only_what_depends_on_it(decomposition: Any) -> None:
    plan = ldp.Plan(
        ldp.Domain.integers(0, 7), 3.0, decomposition, ldp.HRR(), level_probabilities=[0.5, 0.5, 0.0]
    )
    estimate = ldp.estimate(ldp.simulate(plan, np.full(8, 10_000), seed=1))
    pairs, single = estimate.range(2, 5), estimate.range(3, 3)
    assert pairs.high is not None
    assert pairs.low is not None
    assert pairs.high - pairs.low < 0.1
    assert single.low is not None
    assert single.high is not None
    # between nobody and all of its pair, which holds a quarter
    assert single.low <= 0.0
    assert single.high >= 0.25


# Refusals


@pytest.mark.parametrize("q", [-0.01, 1.01, math.nan, math.inf, "half", None, True, [0.5, 2.0]])
def test_a_quantile_lies_between_0_and_1(q: Any) -> None:
    with pytest.raises(ldp.QueryError, match=r"quantile must .*got"):
        _estimate().quantiles(q)


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 95, math.nan, "high", True])
def test_a_confidence_lies_between_0_and_1(confidence: Any) -> None:
    estimate = _estimate()
    for ask in (
        lambda: estimate.range(12, 15, confidence=confidence),
        lambda: estimate.prefix(12, confidence=confidence),
        lambda: estimate.quantile(0.5, confidence=confidence),
        lambda: estimate.histogram(confidence=confidence),
        lambda: estimate.cdf(confidence=confidence),
    ):
        with pytest.raises(ldp.QueryError, match=r"confidence must lie between 0 and 1.*got"):
            ask()


def test_a_confidence_may_be_a_number_of_numpys() -> None:
    estimate: Any = _estimate()
    assert estimate.range(12, 15, confidence=np.float32(0.5)) == estimate.range(12, 15, confidence=0.5)
    assert json.dumps(estimate.range(12, 15, confidence=np.float32(0.5)).to_dict())


def test_no_questions_have_no_answers() -> None:
    estimate = _estimate()
    for found in (estimate.quantiles([]), estimate.prefixes([]), estimate.ranges([], [])):
        assert found.interval is not None
        assert [column.size for column in (found.value, *found.interval)] == [0, 0, 0]


@pytest.mark.parametrize("band", ["wide", None, 5])
def test_a_band_is_one_of_two(band: Any) -> None:
    with pytest.raises(ldp.QueryError, match=r"band must be .*got"):
        _estimate().cdf(band=band)


@every_domain
def test_a_range_upside_down_is_refused(kind: str) -> None:
    domain, estimate = DOMAINS[kind], _estimate(kind)
    low, high = domain.lower(2), domain.lower(7)
    with pytest.raises(ldp.QueryError, match=rf"must end after it begins, got {high} and {low}"):
        estimate.range(high, low)
    with pytest.raises(ldp.QueryError, match="must end after it begins"):
        estimate.ranges([low, high], [high, low])


@every_domain
def test_bounds_outside_the_domain_are_refused(kind: str) -> None:
    estimate = _estimate(kind)
    for outside in (9, 1025.0, "2026-01-11", "grade 10", math.nan, None):
        if kind == "logarithmic" and outside == 9:
            continue
        with pytest.raises(ldp.DomainError, match=r"must .*got"):
            estimate.prefix(outside)
        with pytest.raises(ldp.DomainError, match=r"must .*got"):
            estimate.range(DOMAINS[kind].lower(0), outside)


def test_lists_of_different_lengths_are_refused() -> None:
    with pytest.raises(ldp.QueryError, match="must"):
        _estimate().ranges([10, 11], [12, 13, 14])


@pytest.mark.parametrize("counts", [[1] * 9, [1.0] * 10, [-1] + [1] * 9, ["1"] * 10, None, [[1] * 10]])
def test_a_simulation_takes_whole_counts_per_bin(counts: Any) -> None:
    plan = ldp.Plan(DOMAINS["integers"], 2.0, ldp.Flat(), ldp.OUE())
    with pytest.raises(ldp.DomainError, match=r"counts must be 10 whole numbers .*got"):
        ldp.simulate(plan, counts, seed=1)


def test_quantile_0_is_the_least_value_anyone_has() -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, 99), 2.0, ldp.Tree(4), ldp.OUE())
    counts = np.zeros(100, np.int64)
    counts[60:] = 10_000
    answer = ldp.estimate(ldp.simulate(plan, counts, seed=1)).quantile(0)
    assert answer.low is not None
    assert answer.high is not None
    assert answer.low <= 60 <= answer.high


def test_single_questions_take_single_bounds() -> None:
    estimate = _estimate("integers")
    domain = DOMAINS["integers"]
    with pytest.raises(ldp.QueryError, match="ranges and prefixes take many"):
        estimate.range([domain.lower(0)] * 2, [domain.lower(3)] * 2)
    with pytest.raises(ldp.QueryError, match="ranges and prefixes take many"):
        estimate.prefix([domain.lower(3)] * 2)


def test_bins_with_width_leave_the_upper_bound_out() -> None:
    """What lies exactly on an edge belongs to the bin above it; only the domain's top end does not."""
    plan = ldp.Plan(ldp.Domain.real(0, 10, 10), 3.0, ldp.Flat(), ldp.OUE())
    everyone_at_5 = plan.domain.count([5.0] * 200_000)
    estimate = ldp.estimate(ldp.simulate(plan, everyone_at_5, seed=1))
    assert estimate.range(0, 5).value == pytest.approx(0, abs=0.02)
    assert estimate.range(5, 6).value == pytest.approx(1, abs=0.02)
    assert plan.domain.index([10.0]).tolist() == [9]


def test_without_reports_everything_is_even() -> None:
    plan = ldp.Plan(ldp.Domain.real(0, 5000, 200), 1.0, ldp.Haar(), ldp.HRR())
    assert ldp.estimate(ldp.Aggregate.empty(plan)).range(0, 500).value == pytest.approx(0.1)


def test_categories_are_described_by_their_largest_shares() -> None:
    regions = ldp.Domain.categories([f"region {number}" for number in range(12)])
    plan = ldp.Plan(regions, 4.0, ldp.Flat(), ldp.GRR())
    found = ldp.estimate(ldp.simulate(plan, 100 * np.arange(12), seed=1))
    people, *shares = found.describe().split("\n")
    assert people == "6,600 people reported"
    assert shares[0] == f"region 11  {found.range('region 11', 'region 11')}"
    assert len(shares) == 8


def test_one_value_is_a_range_by_itself() -> None:
    estimate = _estimate()
    assert estimate.range(12) == estimate.range(12, 12)
    assert _estimate("ordered").range("grade 3").value == _estimate("ordered").histogram().value[3]
    with pytest.raises(ldp.LdprangeError, match="a range must end after it begins"):
        _estimate("real").range(2.0)
