"""Values beyond the ends of a domain: bins of their own, with names that are their values."""

from __future__ import annotations

import datetime
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ldprange as ldp
from ldprange.domain import Domain
from ldprange.domain.text import exact
from ldprange.errors import DomainError

MINUTES = Domain.integers(0, 120, open_ends=True)
PAY = Domain.real(-0.5, 2.0, 5, open_ends="high")
DELAYS = Domain.logarithmic(0.1, 1000.0, 4, open_ends="low")
MONTH = Domain.dates("2026-02-01", "2026-02-28", open_ends=True)
EVERY = [MINUTES, PAY, DELAYS, MONTH]


@pytest.mark.parametrize("domain", EVERY, ids=Domain.describe)
def test_every_bin_has_a_value_and_every_run_of_bins_its_ends(domain: Domain) -> None:
    bins = range(domain.bins)
    assert [domain.index_one(domain.lower(each)) for each in bins] == list(bins)
    for first in (0, 1, 2, domain.bins - 1):
        for stop in range(first + 1, domain.bins + 1):
            (low,), (high,) = domain.run_ends([first, stop])
            assert (float(domain.starts(low)), float(domain.stops(high))) == (first, stop)
    assert Domain.from_dict(domain.to_dict()) == domain


@pytest.mark.parametrize(
    ("domain", "value", "label"),
    [
        (MINUTES, -1, "less than 0"),
        (MINUTES, -math.inf, "less than 0"),
        (MINUTES, 120.5, "more than 120"),
        (MINUTES, np.uint64(2**64 - 1), "more than 120"),
        (MINUTES, 120, "120"),
        (PAY, 2.0, "1.5 – 2"),
        (PAY, math.nextafter(2.0, 3.0), "more than 2"),
        (DELAYS, 0.0999, "less than 0.1"),
        (MONTH, "2026-03-01", "after 2026-02-28"),
        (MONTH, datetime.date(1, 1, 1), "before 2026-02-01"),
        (MONTH, -math.inf, "before 2026-02-01"),
        (MONTH, np.inf, "after 2026-02-28"),
        (MONTH, np.datetime64("2026-02-28"), "2026-02-28"),
    ],
)
def test_a_value_beyond_an_end_is_in_its_bin(domain: Domain, value: Any, label: str) -> None:
    assert domain.label(domain.index_one(value)) == label


@given(st.lists(st.one_of(st.integers(-5, 125), st.sampled_from(["less than 0", "more than 120"]))))
def test_values_and_names_may_stand_in_one_list(values: list[Any]) -> None:
    assert MINUTES.index(values).tolist() == [MINUTES.index_one(value) for value in values]
    column = np.array(values, object)
    assert MINUTES.index(column).tolist() == [MINUTES.index_one(value) for value in values]


@pytest.mark.parametrize(
    ("domain", "value"),
    [
        (PAY, -0.6),
        (DELAYS, 1000.1),
        (MINUTES, math.nan),
        (MINUTES, "more than 12"),
        (MINUTES, None),
        (MINUTES, 1.5),
        (MONTH, "2026-02-30"),
        (MONTH, "more than 120"),
    ],
)
def test_what_is_beyond_a_closed_end_or_nowhere_is_refused(domain: Domain, value: Any) -> None:
    with pytest.raises(DomainError):
        domain.index_one(value)


@pytest.mark.parametrize(("domain", "bound"), [(MINUTES, 121), (MINUTES, -0.5), (MONTH, "2027-01-01")])
def test_a_bound_among_people_who_are_not_told_apart_is_refused(domain: Domain, bound: Any) -> None:
    for positions in (domain.starts, domain.stops):
        with pytest.raises(DomainError, match=r"a bound must be one of .*, or the words .*not tell people"):
            positions([bound])


def test_without_an_end_a_range_takes_all_beyond_it() -> None:
    lows: list[Any] = [-math.inf, 0, "more than 120"]
    highs: list[Any] = [math.inf, 120, "less than 0"]
    assert MINUTES.starts(lows).tolist() == [0, 1, 122]
    assert MINUTES.stops(highs).tolist() == [123, 122, 1]


@pytest.mark.parametrize(
    ("domain", "typed", "bound"),
    [
        (MINUTES, "inf", "more than 120"),
        (MINUTES.with_no_answer(), "-Infinity", "less than 0"),
        (MINUTES, "more than 120", "more than 120"),
        (PAY, "1e999", "more than 2"),
        (DELAYS, "-inf", "less than 0.1"),
    ],
)
def test_a_bound_without_an_end_may_be_typed_as_infinite(domain: Domain, typed: str, bound: str) -> None:
    assert domain.parse(typed) == bound


@pytest.mark.parametrize(
    ("domain", "typed", "message"),
    [
        (MINUTES, "30.5", "must be a whole number, or “less than 0” or “more than 120”, got '30.5'"),
        (PAY.with_no_answer(), "x", "must be a number, or “more than 2” or “no answer”, got 'x'"),
        (Domain.integers(0, 9, open_ends="high"), "-inf", "whole number, or “more than 9”, got '-inf'"),
        (MONTH, "endless", "31, or “before 2026-02-01” or “after 2026-02-28”, got 'endless'"),
    ],
)
def test_a_bound_that_cannot_be_is_told_with_the_words_that_can(
    domain: Domain, typed: str, message: str
) -> None:
    with pytest.raises(DomainError, match=message):
        domain.parse(typed)


def test_open_ends_are_those_of_numbers_and_days_and_once() -> None:
    anything: Any = Domain
    for make in (
        lambda: Domain.ordered(["S", "M"]).with_open_ends(),
        lambda: MINUTES.with_open_ends(),
        lambda: anything.from_dict({"kind": "open_ends", "inside": MINUTES.to_dict(), "sides": "both"}),
        lambda: Domain.product(a=MINUTES, b=MINUTES).with_open_ends(),
    ):
        with pytest.raises(DomainError, match="open ends must be those of numbers or days"):
            make()
    with pytest.raises(
        DomainError, match="open_ends must be True, False, 'low', 'high' or 'both', got 'left'"
    ):
        anything.integers(0, 9, open_ends="left")
    assert Domain.integers(0, 9, open_ends=False) == Domain.integers(0, 9)


@pytest.mark.parametrize("ask", [MINUTES.edges, MINUTES.middles])
def test_what_an_open_bin_does_not_have_is_refused(ask: Any) -> None:
    with pytest.raises(DomainError, match="less than 0 or more than 120"):
        ask()


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_in_a_name_is_that_number(value: float) -> None:
    assert float(exact(value)) == value


PLAN = ldp.choose_plan(MINUTES, epsilon=4.0, expected_users=100_000)
PEOPLE = [-5] * 20_000 + [30] * 50_000 + [500] * 30_000
FOUND = ldp.estimate(ldp.simulate(PLAN, MINUTES.count(PEOPLE), seed=1))


def test_shares_beyond_the_ends_are_asked_by_name() -> None:
    for ends, truth in {
        ("less than 0", "less than 0"): 0.2,
        ("more than 120", "more than 120"): 0.3,
        (0, 120): 0.5,
        (31, math.inf): 0.3,
    }.items():
        found = FOUND.range(*ends)
        assert found.interval is not None
        assert found.interval[0] <= truth <= found.interval[1], ends
    assert FOUND.prefix(120).value == pytest.approx(0.7, abs=0.02)
    assert FOUND.prefix("more than 120").value == 1
    assert FOUND.histogram().value[[0, -1]] == pytest.approx([0.2, 0.3], abs=0.02)


def test_a_quantile_beyond_an_end_says_so() -> None:
    answer = FOUND.quantiles([0.1, 0.5, 0.9])
    assert answer.value.tolist() == ["less than 0", 30, "more than 120"]
    assert str(FOUND.quantile(0.9)) == "more than 120 [more than 120, more than 120] at 95%"
    assert FOUND.quantile(0.9).to_dict()["value"] == "more than 120"


def test_there_is_no_mean_of_people_beyond_an_end() -> None:
    with pytest.raises(DomainError, match="a mean needs a number for everybody, and “less than 0 or more"):
        FOUND.mean()
    assert "mean" not in FOUND.describe()


def test_an_attribute_may_have_open_ends() -> None:
    people = Domain.product(minutes=MINUTES, size=Domain.ordered(["S", "M"]))
    plan = ldp.Plan(people, 4.0, ldp.Tree(4), ldp.HadamardHashing())
    values = {"minutes": PEOPLE, "size": ["S"] * 40_000 + ["M"] * 60_000}
    joint = ldp.estimate(ldp.simulate_values(plan, values, seed=1))
    assert joint.range(minutes="more than 120", size="M").value == pytest.approx(0.3, abs=0.03)
    given = joint.marginal("minutes", given={"size": "S"})
    assert given.quantile(0.25).value == "less than 0"
    assert joint.marginal("size", given={"minutes": "less than 0"}).range("S", "S").value > 0.9


def test_frames_name_every_bin_and_give_the_ends_of_those_that_have_some() -> None:
    columns = Domain.integers(1, 3, open_ends="high", no_answer=True).bin_columns()
    assert columns["label"].tolist() == ["1", "2", "3", "more than 3", "no answer"]
    for end in ("from", "to"):
        assert columns[end].tolist()[:3] == [1, 2, 3]
        assert np.isnan(columns[end][3:]).all()
    days = Domain.dates("2026-01-01", "2026-01-02", open_ends="low").bin_columns()
    assert np.isnat(days["from"]).tolist() == [True, False, False]
    assert days["to"][2] == np.datetime64("2026-01-02")
    assert list(Domain.ordered(["S", "M"], no_answer=True).bin_columns()) == ["label"]


def test_endless_bounds_of_days() -> None:
    day: Any = datetime.date(2026, 2, 3)
    low, high = -math.inf, math.inf
    assert MONTH.starts([low, day, high]).tolist() == [0.0, 3.0, 29.0]
    assert MONTH.stops(np.array([low, high])).tolist() == [1.0, 30.0]
    assert (MONTH.parse("-inf"), MONTH.parse("inf")) == ("before 2026-02-01", "after 2026-02-28")
    no_answer = MONTH.with_no_answer()
    assert no_answer.starts([low, day, "no answer"]).tolist() == [0.0, 3.0, 30.0]
    assert (no_answer.parse("inf"), no_answer.stops(high).item()) == ("after 2026-02-28", 30.0)
    closed = MONTH.plain.with_open_ends("high")
    with pytest.raises(DomainError, match=r"a day must be one of the calendar, .*got -inf"):
        closed.starts([low])
    with pytest.raises(DomainError, match="or “after 2026-02-28”, got '-inf'"):
        closed.parse("-inf")
    found = ldp.estimate(ldp.simulate(ldp.Plan(MONTH, 3.0, ldp.Flat(), ldp.GRR()), [10] * 30, seed=1))
    assert found.range(day, math.inf) == found.range(day, "after 2026-02-28")
