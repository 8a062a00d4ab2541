"""Domains: from people's values to bins and back."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from example_domains import AGES, INCOMES, SHARES, SIZES, WEEK
from ldprange.domain import Domain
from ldprange.errors import DomainError

DAY = datetime.date


@st.composite
def integer_domains(draw: st.DrawFn) -> Domain:
    low = draw(st.integers(-(2**53) + 1, 2**53 - 1))
    return Domain.integers(low, min(low + draw(st.integers(0, 2**40)), 2**53 - 1))


@st.composite
def real_domains(draw: st.DrawFn) -> Domain:
    low, high = sorted(draw(st.tuples(st.floats(-1e12, 1e12), st.floats(-1e12, 1e12))))
    assume(high - low > 1e-9 * max(1.0, abs(low), abs(high)))
    return Domain.real(low, high, draw(st.integers(1, 10_000)))


@st.composite
def logarithmic_domains(draw: st.DrawFn) -> Domain:
    low, high = sorted(draw(st.tuples(st.floats(1e-100, 1e100), st.floats(1e-100, 1e100))))
    assume(high / low > 1 + 1e-6)
    return Domain.logarithmic(low, high, draw(st.integers(1, 10_000)))


@st.composite
def date_domains(draw: st.DrawFn) -> Domain:
    first, last = sorted(draw(st.tuples(st.dates(), st.dates())))
    return Domain.dates(first, last)


def ordered_domains() -> st.SearchStrategy[Domain]:
    labels = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)
    return st.lists(labels, min_size=1, max_size=20, unique=True).map(Domain.ordered)


def domains() -> st.SearchStrategy[Domain]:
    return st.one_of(
        integer_domains(), real_domains(), logarithmic_domains(), date_domains(), ordered_domains()
    )


def positions(domain: Domain) -> st.SearchStrategy[float]:
    return st.floats(0, domain.bins, exclude_max=True)


# Edges, as numpy.histogram has them


@given(st.one_of(integer_domains(), real_domains(), logarithmic_domains(), date_domains()))
def test_edges_are_where_bins_begin_and_the_last_one_ends(domain: Domain) -> None:
    assume(domain.bins <= 10_000)
    edges = domain.edges()
    assert edges.shape == (domain.bins + 1,)
    assert np.all(edges[:-1] < edges[1:])
    assert domain.index(edges[:-1]).tolist() == list(range(domain.bins))
    assert edges[0] == domain.lower(0)


@pytest.mark.parametrize(
    "domain", [AGES, Domain.real(-1.0, 7.0, bins=13), Domain.logarithmic(0.01, 1e6, bins=29)]
)
def test_numpy_counts_the_same_between_edges(domain: Domain) -> None:
    low, high = domain.lower(0), domain.upper(domain.bins - 1)
    values = np.random.default_rng(1).uniform(low, high, 10_000)
    values = values.astype(int) if domain is AGES else values
    assert np.histogram(values, domain.edges())[0].tolist() == domain.count(values).tolist()


def test_edges_of_days_are_days() -> None:
    assert WEEK.edges().astype(str).tolist()[::7] == [str(WEEK.lower(0)), str(WEEK.upper(6) + DAY.resolution)]


def test_what_has_no_edges_says_what_to_use() -> None:
    with pytest.raises(DomainError, match=r"labels have no edges, got XS, S.*; use domain\.labels"):
        SIZES.edges()
    with pytest.raises(DomainError, match=r"needs one attribute, .* one of a, b"):
        Domain.product(a=AGES, b=WEEK).edges()


# What each kind says


def test_integers_have_one_bin_each_and_both_ends() -> None:
    assert AGES.bins == 103
    assert AGES.index([18, 42, 120]).tolist() == [0, 24, 102]
    assert AGES.starts([18, 64]).tolist() == [0.0, 46.0]
    assert AGES.stops([18, 64]).tolist() == [1.0, 47.0]
    assert [AGES.at(0.0), AGES.at(0.99), AGES.at(1.0), AGES.at(102.5)] == [18, 18, 19, 120]
    assert (AGES.lower(5), AGES.upper(5), AGES.label(5)) == (23, 23, "23")


def test_integers_take_whole_floats_and_every_integer_type() -> None:
    for dtype in (np.int8, np.uint8, np.int32, np.uint64, np.float32, np.float64):
        assert AGES.index(np.array([18, 100], dtype)).tolist() == [0, 82]


def test_small_integer_types_reach_across_a_domain_wider_than_they_are() -> None:
    wide = Domain.integers(-1000, 1000)
    for dtype, values in {np.int8: [-128, 127], np.uint8: [0, 255], np.uint64: [0, 1000]}.items():
        assert wide.index(np.array(values, dtype)).tolist() == [value + 1000 for value in values]


def test_small_number_types_are_not_rounded_into_or_out_of_the_domain() -> None:
    # a bound that a 32-bit float cannot hold must not be rounded to one that it can
    narrow = Domain.integers(2**24 + 1, 2**24 + 9)
    with pytest.raises(DomainError, match="must lie between"):
        narrow.index(np.array([2**24], np.float32))
    assert Domain.integers(0, 100_000).index(np.array([5], np.float16)).tolist() == [5]
    assert Domain.real(0, 100_000, 4).index(np.array([5], np.float16)).tolist() == [0]


def test_reals_have_equal_bins_and_the_top_end_in_the_last() -> None:
    assert SHARES.bins == 8
    assert SHARES.index([-1.0, -0.51, -0.5, 2.99, 3.0]).tolist() == [0, 0, 1, 7, 7]
    assert SHARES.starts([-1.0, 0.25, 3.0]).tolist() == [0.0, 2.5, 8.0]
    assert SHARES.stops([-1.0, 0.25, 3.0]).tolist() == [0.0, 2.5, 8.0]
    assert [SHARES.at(0.0), SHARES.at(2.5), SHARES.at(8.0)] == [-1.0, 0.25, 3.0]
    assert (SHARES.lower(1), SHARES.upper(1), SHARES.label(1)) == (-0.5, 0.0, "-0.5 – 0")


def test_logarithmic_bins_have_equal_ratios() -> None:
    assert INCOMES.index([1.0, 9.99, 10.01, 99.9, 100.1, 1000.0]).tolist() == [0, 0, 1, 1, 2, 2]
    np.testing.assert_allclose([INCOMES.lower(i) for i in range(3)], [1, 10, 100])
    np.testing.assert_allclose([INCOMES.upper(i) for i in range(3)], [10, 100, 1000])
    assert INCOMES.starts([10.0, 1000.0]).tolist() == [1.0, 3.0]  # edges, in spite of rounding


def test_dates_have_one_bin_a_day_and_come_back_as_dates() -> None:
    assert WEEK.bins == 7
    wanted = [0, 3, 6]
    days = ["2026-01-28", "2026-01-31", "2026-02-03"]
    assert WEEK.index(days).tolist() == wanted
    assert WEEK.index(np.array(days, "datetime64[D]")).tolist() == wanted
    assert WEEK.index(np.array(days, "datetime64[ns]")).tolist() == wanted
    objects: Any = [DAY.fromisoformat(day) for day in days]
    assert WEEK.index(objects).tolist() == wanted
    late: Any = [datetime.datetime(2026, 1, 31, 23, 59)]
    assert WEEK.index(late).tolist() == [3]
    assert WEEK.at(3.2) == DAY(2026, 1, 31)
    assert (WEEK.lower(4), WEEK.upper(4), WEEK.label(4)) == (DAY(2026, 2, 1), DAY(2026, 2, 1), "2026-02-01")
    assert WEEK.starts(["2026-01-29"]).tolist() == [1.0]
    assert WEEK.stops(["2026-01-29"]).tolist() == [2.0]


def test_labels_keep_their_order() -> None:
    assert SIZES.bins == 4
    assert SIZES.index([["M", "XS"], ["L", "L"]]).tolist() == [[2, 0], [3, 3]]
    assert SIZES.index(np.array(["S", "M"], object)).tolist() == [1, 2]
    assert (SIZES.at(1.7), SIZES.lower(1), SIZES.upper(1), SIZES.label(1)) == ("S", "S", "S", "S")
    assert SIZES.starts(["S"]).tolist() == [1.0]
    assert SIZES.stops(["S"]).tolist() == [2.0]


@pytest.mark.parametrize("domain", [AGES, SHARES, INCOMES, WEEK, SIZES])
def test_counts_are_those_of_the_values_bins(domain: Domain) -> None:
    values = [domain.at(0.5), domain.at(0.5), domain.at(domain.bins - 0.5)]
    counts = domain.count(values)
    assert counts.shape == (domain.bins,)
    assert counts[0] == 2
    assert counts[-1] == 1
    assert counts.sum() == 3


@pytest.mark.parametrize("domain", [AGES, SHARES, INCOMES, WEEK, SIZES])
def test_nobody_is_counted_as_nobody(domain: Domain) -> None:
    assert domain.count([]).tolist() == [0] * domain.bins


@pytest.mark.parametrize("position", [-0.5, 1e9])
@pytest.mark.parametrize("domain", [AGES, WEEK, SIZES])
def test_positions_beyond_a_discrete_domain_are_its_ends(domain: Domain, position: float) -> None:
    assert domain.at(position) == domain.lower(0 if position < 0 else domain.bins - 1)


def test_values_on_edges_belong_to_the_bin_above() -> None:
    """What is a round number to a person lies on an edge, though its float may fall a little short."""
    hundredths = Domain.real(0, 1, 100)
    values = [round(i / 100, 2) for i in range(100)]
    assert hundredths.index(values).tolist() == list(range(100))
    assert [hundredths.index_one(value) for value in values] == list(range(100))
    assert hundredths.starts(values).tolist() == list(range(100))
    powers = Domain.logarithmic(1, 1024, 10)
    assert powers.index([2.0**i for i in range(11)]).tolist() == [*range(10), 9]
    assert [powers.index_one(2.0**i) for i in range(11)] == [*range(10), 9]


# Laws


@given(st.data())
def test_every_value_lies_in_its_bin(data: st.DataObject) -> None:
    domain = data.draw(domains())
    value = domain.at(data.draw(positions(domain)))
    index = domain.index_one(value)
    assert 0 <= index < domain.bins
    low, high = domain.lower(index), domain.upper(index)
    if isinstance(value, float):
        # an edge may be rounded to either of its sides
        slack = 1e-12 * max(abs(domain.lower(0)), abs(domain.upper(domain.bins - 1)))
        assert low - slack <= value <= high + slack
    else:
        assert low == value == high


@given(st.data())
def test_bins_rise_with_values(data: st.DataObject) -> None:
    domain = data.draw(domains())
    places = sorted(data.draw(st.lists(positions(domain), min_size=2, max_size=10)))
    values = [domain.at(place) for place in places]
    if isinstance(values[0], float):
        values.sort()  # rounding may swap neighbours
    indices = domain.index(values)
    assert np.all(np.diff(indices) >= 0)


@given(st.data())
def test_one_value_gets_the_bin_that_it_gets_among_many(data: st.DataObject) -> None:
    domain = data.draw(domains())
    values = [domain.at(place) for place in data.draw(st.lists(positions(domain), min_size=1, max_size=10))]
    assert [domain.index_one(value) for value in values] == domain.index(values).tolist()


@given(st.data())
def test_a_range_of_a_single_value_is_its_bin_in_a_discrete_domain(data: st.DataObject) -> None:
    domain = data.draw(st.one_of(integer_domains(), date_domains(), ordered_domains()))
    value = domain.at(data.draw(positions(domain)))
    index = domain.index_one(value)
    assert domain.starts([value]).tolist() == [index]
    assert domain.stops([value]).tolist() == [index + 1]


@given(st.data())
def test_bounds_of_a_continuous_domain_come_back_as_they_went(data: st.DataObject) -> None:
    domain = data.draw(st.one_of(real_domains(), logarithmic_domains()))
    position = data.draw(positions(domain))
    found = float(domain.starts([domain.at(position)])[0])
    assert found == pytest.approx(position, abs=1e-4 * domain.bins)
    assert 0 <= found <= domain.bins


@given(st.data())
def test_edges_of_bins_are_whole_positions(data: st.DataObject) -> None:
    domain = data.draw(st.one_of(real_domains(), logarithmic_domains()))
    width = (domain.upper(0) - domain.lower(0)) / max(abs(domain.lower(0)), abs(domain.upper(0)))
    assume(width > 1e-5)  # finer bins may lie below the precision of their own edges
    edge = data.draw(st.integers(0, domain.bins))
    bound = min(max(domain.at(float(edge)), domain.at(0.0)), domain.upper(domain.bins - 1))
    assume(domain.to_dict()["low"] <= bound <= domain.to_dict()["high"])
    assert domain.starts([bound]).tolist() == [edge]


@given(domains())
def test_a_domain_comes_back_from_its_description(domain: Domain) -> None:
    again = Domain.from_dict(domain.to_dict())
    assert again == domain
    assert again.bins == domain.bins
    assert hash(again) == hash(domain)
