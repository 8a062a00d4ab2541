"""Domains: every way of asking for the impossible."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from example_domains import AGES, INCOMES, SHARES, SIZES, WEEK
from ldprange.domain import Domain
from ldprange.errors import DomainError, LdprangeError

DAY = datetime.date


def _message(error: pytest.ExceptionInfo[DomainError]) -> str:
    assert isinstance(error.value, LdprangeError)
    return str(error.value)


BAD_VALUES: list[tuple[Domain, Any, str]] = [
    (AGES, 17, "17"),
    (AGES, 121, "121"),
    (AGES, 10**30, "1000"),
    (AGES, 42.5, "42.5"),
    (AGES, math.nan, "nan"),
    (AGES, math.inf, "inf"),
    (AGES, -math.inf, "-inf"),
    (AGES, "42", "42"),
    (AGES, True, "True"),
    (AGES, None, "None"),
    (AGES, Decimal(42), "42"),
    (AGES, 42 + 0j, "42"),
    (AGES, DAY(2026, 1, 31), "2026"),
    (SHARES, -1.001, "-1.001"),
    (SHARES, 3.001, "3.001"),
    (SHARES, math.nan, "nan"),
    (SHARES, math.inf, "inf"),
    (SHARES, "0.5", "0.5"),
    (SHARES, False, "False"),
    (SHARES, None, "None"),
    (INCOMES, 0.0, "0.0"),
    (INCOMES, -5.0, "-5.0"),
    (INCOMES, 1001.0, "1001"),
    (INCOMES, math.nan, "nan"),
    (INCOMES, "ten", "ten"),
    (WEEK, "2026-01-27", "2026-01-27"),
    (WEEK, DAY(2026, 2, 4), "2026-02-04"),
    (WEEK, np.datetime64("NaT"), "NaT"),
    (WEEK, None, "missing|None"),
    (WEEK, "", "missing|''"),
    (WEEK, "31/01/2026", "31/01/2026"),
    (WEEK, "yesterday", "yesterday"),
    (WEEK, 20260131, "20260131"),
    (WEEK, 3.5, "3.5"),
    (WEEK, True, "True"),
    (SIZES, "XXL", "XXL"),
    (SIZES, "xs", "xs"),
    (SIZES, "", "''"),
    (SIZES, 1, "1"),
    (SIZES, math.nan, "nan"),
    (SIZES, True, "True"),
    (SIZES, None, "None"),
]


@pytest.mark.parametrize(("domain", "value", "came"), BAD_VALUES)
def test_a_value_that_cannot_be_is_refused_alone_and_among_good_ones(
    domain: Domain, value: Any, came: str
) -> None:
    with pytest.raises(DomainError, match=rf"must .*got .*({came})") as error:
        domain.index_one(value)
    assert _message(error)
    for ask in (domain.index, domain.starts, domain.stops, domain.count):
        with pytest.raises(DomainError, match=rf"must .*got .*({came})"):
            ask(np.array([value]) if isinstance(value, np.datetime64) else [value])
    # arrays of mixed kinds are objects; one bad value among good ones still counts
    mixed = np.empty(3, object)
    mixed[:] = [domain.lower(0), value, domain.lower(0)]
    with pytest.raises(DomainError, match=r"must .*got "):
        domain.index(mixed)


@pytest.mark.parametrize(
    "domain", [AGES, SHARES, INCOMES, WEEK, SIZES, Domain.integers(0, 9, open_ends="high")]
)
@pytest.mark.parametrize("index", [-1, 1.5, "a", True, None, math.nan])
def test_a_bin_that_is_not_there_has_no_ends_and_no_name(domain: Domain, index: Any) -> None:
    for which in (index, domain.bins):
        for ask in (domain.lower, domain.upper, domain.label):
            with pytest.raises(DomainError, match=rf"from 0 to {domain.bins - 1}, got"):
                ask(which)
    last: Any = np.int64(domain.bins - 1)
    assert domain.label(last) == domain.label(int(last))


@pytest.mark.parametrize("given", [[AGES], AGES, "age", 5])
def test_attributes_that_come_without_their_names(given: Any) -> None:
    with pytest.raises(DomainError, match=r"attributes must be by name, as in \{'age': …\}, got"):
        Domain.product(given)
    with pytest.raises(DomainError, match="named once, got age twice"):
        Domain.product({"age": AGES, "size": SIZES}, age=AGES)
    named = Domain.product({"Rent in €": INCOMES}, size=SIZES)
    assert list(named.attributes) == ["Rent in €", "size"]


def test_people_are_counted_from_one_column() -> None:
    with pytest.raises(DomainError, match=r"one column, a value a person, got shape \(2, 2\)"):
        AGES.count([[20, 21], [22, 23]])


def test_the_value_outside_is_the_one_that_is_named() -> None:
    with pytest.raises(DomainError, match=r"between 18 and 120, got 7 "):
        AGES.index([20, 7, 30])


@pytest.mark.parametrize("value", ["2026", "2026-01", "today", "now"])
def test_half_a_date_is_not_taken_for_a_day(value: str) -> None:
    year = Domain.dates("2000-01-01", "2100-12-31")
    with pytest.raises(DomainError, match=r"must be one of the calendar.*got"):
        year.index_one(value)


@pytest.mark.parametrize("value", [5, 5.0, np.timedelta64(5, "D")])
def test_numbers_among_dates_are_not_taken_for_days_since_1970(value: Any) -> None:
    seventies = Domain.dates("1970-01-01", "1979-12-31")
    mixed = np.empty(2, object)
    mixed[:] = [DAY(1971, 1, 1), value]
    for values in ([value], mixed):
        with pytest.raises(DomainError, match=r"must be one of the calendar.*got"):
            seventies.index(values)


@pytest.mark.parametrize("domain", [AGES, SHARES, INCOMES, WEEK, SIZES])
def test_ragged_lists_and_lists_for_a_single_value_are_refused(domain: Domain) -> None:
    good = domain.lower(0)
    with pytest.raises(DomainError, match="must"):
        domain.index([[good], [good, good]])
    with pytest.raises(DomainError, match="must"):
        domain.index_one([good, good])


@pytest.mark.parametrize(
    ("low", "high", "came"),
    [
        (5, 4, "5 > 4"),
        (0.0, 4, "0.0"),
        (0, 4.0, "4.0"),
        (0, math.nan, "nan"),
        ("0", 4, "'0'"),
        (None, 4, "None"),
        (True, 4, "True"),
        (-(2**53), 0, "-9007199254740992"),
        (0, 2**53, "9007199254740992"),
    ],
)
def test_integer_ends_that_cannot_be(low: Any, high: Any, came: str) -> None:
    with pytest.raises(DomainError, match=rf"must .*got {came}"):
        Domain.integers(low, high)


@pytest.mark.parametrize("make", [Domain.real, Domain.logarithmic])
@pytest.mark.parametrize(
    ("low", "high", "bins", "came"),
    [
        (5.0, 4.0, 3, "5.0 and 4.0"),
        (5.0, 5.0, 3, "5.0 and 5.0"),
        (math.nan, 4.0, 3, "nan"),
        (1.0, math.nan, 3, "nan"),
        (1.0, math.inf, 3, "inf"),
        ("1", 4.0, 3, "'1'"),
        (None, 4.0, 3, "None"),
        (True, 4.0, 3, "True"),
        pytest.param(1.0, 10**400, 3, "1000", id="beyond all floats"),
        (1.0, 4.0, 0, "0"),
        (1.0, 4.0, -1, "-1"),
        (1.0, 4.0, 2.0, "2.0"),
        (1.0, 4.0, True, "True"),
        (1.0, 4.0, "3", "'3'"),
        (1.0, 4.0, None, "None"),
        (1.0, 4.0, math.nan, "nan"),
    ],
)
def test_ends_and_bins_that_cannot_be(make: Any, low: Any, high: Any, bins: Any, came: str) -> None:
    with pytest.raises(DomainError, match=rf"must .*got {came}"):
        make(low, high, bins)


@pytest.mark.parametrize(
    ("make", "low", "high"),
    [
        (Domain.real, -1e308, 1e308),
        (Domain.real, 0.0, 5e-324),
        (Domain.logarithmic, 1e-300, 1e300),
    ],
    ids=["too wide to subtract", "too narrow to divide", "too wide to divide"],
)
def test_ends_whose_distance_is_no_number_are_refused(make: Any, low: float, high: float) -> None:
    with pytest.raises(DomainError, match="must be neither too far apart nor too close"):
        make(low, high, 4)


@pytest.mark.parametrize("low", [0.0, -1.0])
def test_a_logarithmic_domain_begins_above_zero(low: float) -> None:
    with pytest.raises(DomainError, match=rf"must begin above 0, got {low}"):
        Domain.logarithmic(low, 4.0, 3)


@pytest.mark.parametrize(
    ("first", "last", "came"),
    [
        ("2026-02-01", "2026-01-31", "2026-02-01 and 2026-01-31"),
        ("31.1.2026", "2026-02-01", "'31.1.2026'"),
        ("2026-01-31", None, "None"),
        (20260131, "2026-02-01", "20260131"),
        (np.datetime64("NaT"), "2026-02-01", "NaT|None"),
    ],
)
def test_days_that_cannot_be(first: Any, last: Any, came: str) -> None:
    with pytest.raises(DomainError, match=rf"must .*got .*{came}"):
        Domain.dates(first, last)


@pytest.mark.parametrize(
    ("labels", "came"),
    [
        ([], "none"),
        (["a", "b", "a"], "'a' more than once"),
        ("abc", "abc"),
        ([1, 2], "1 among them"),
        (["a", None], "None"),
        (5, "5"),
        (None, "None"),
    ],
)
def test_labels_that_cannot_be(labels: Any, came: str) -> None:
    with pytest.raises(DomainError, match=rf"must .*got .*{came}"):
        Domain.ordered(labels)


def test_labels_with_nul_characters_are_refused() -> None:
    # NumPy's strings lose trailing ones, which would quietly make one label of two
    with pytest.raises(DomainError, match="must be without NUL"):
        Domain.ordered(["a", "a\0"])


@pytest.mark.parametrize(
    "description",
    [
        None,
        [],
        {},
        {"kind": "complex"},
        {"kind": []},
        {"kind": "integers"},
        {"kind": "integers", "low": 0},
        {"kind": "integers", "low": 0, "high": 4, "bins": 5},
        {"kind": "integers", "low": "0", "high": "4"},
        {"kind": "real", "low": 0, "high": 4},
        {"kind": "ordered", "labels": "abc"},
        {"kind": "ordered", "labels": 5},
        {"kind": "dates", "first": 0, "last": 4},
        {"kind": "from_dict", "description": {}},
    ],
)
def test_a_description_of_no_domain_is_refused(description: Any) -> None:
    with pytest.raises(DomainError, match=r"must|cannot be made"):
        Domain.from_dict(description)


@pytest.mark.parametrize("value", ["M\0", "\0", "m", ""])
def test_a_label_is_taken_as_it_is(value: str) -> None:
    with pytest.raises(DomainError, match="must be among the labels"):
        Domain.ordered(["S", "M"]).index_one(value)


@pytest.mark.parametrize("domain", [AGES, SHARES, WEEK, AGES.with_open_ends("high")], ids=Domain.describe)
def test_bounds_outside_are_told_what_can_still_be_done(domain: Domain) -> None:
    below = "2020-01-01" if domain is WEEK else -1000
    for ask in (domain.starts, domain.stops):
        with pytest.raises(
            DomainError, match=r"bounds must lie between .*; ask within these ends"
        ) as refused:
            ask([below])
        assert "open" not in str(refused.value)


@pytest.mark.parametrize(
    ("domain", "values", "told"),
    [
        (
            AGES,
            [17, 42, 3],
            r"between 18 and 120, got 17 \(outside: 2 of 3\); .*below 18 .*open_ends=\"low\"",
        ),
        (AGES, 150, r"between 18 and 120, got 150; .*all above 120 .*open_ends=\"high\""),
        (SHARES, [-2.0, 4.0], r"got -2.0 \(outside: 2 of 2\); .*beyond the ends .*open_ends=True"),
        (WEEK, ["2026-02-01", "2027-01-01"], r"got 2027-01-01 \(outside: 1 of 2\); .*open_ends=\"high\""),
    ],
)
def test_values_outside_are_counted_and_open_ends_named(domain: Domain, values: Any, told: str) -> None:
    with pytest.raises(DomainError, match=told):
        domain.index(values)


def test_values_that_are_no_labels_are_counted() -> None:
    with pytest.raises(DomainError, match=r"among the labels S, M, got 'L' \(unknown: 3 of 4\)$"):
        Domain.ordered(["S", "M"]).index(["M", "L", "XL", "L"])


def test_the_limit_that_is_told_is_the_one_that_holds() -> None:
    with pytest.raises(
        DomainError, match=r"from -9007199254740991 to 9007199254740991, got 9007199254740992"
    ):
        Domain.integers(0, 2**53)
    assert Domain.integers(2**53 - 1, 2**53 - 1).bins == 1
    with pytest.raises(DomainError, match=r"from 1 to 9007199254740991, got 9007199254740992"):
        Domain.real(0, 1, 2**53)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: SIZES.with_open_ends(), r"those of numbers or days, got labels XS, S, M.* \(\d bins\)$"),
        (lambda: Domain.product(a=AGES, b=Domain.ordered(["x"])), r"got labels x \(1 bin\); leave it out"),
        (
            lambda: Domain.product(confidence=AGES, b=AGES),
            "other than confidence and given, got 'confidence'",
        ),
        (
            lambda: Domain.product(a=AGES, b=Domain.product(c=AGES, d=AGES)),
            r"such as Domain.integers makes, got c: whole numbers .* d: whole numbers",
        ),
        (lambda: AGES.with_no_answer().with_no_answer(), r"got whole numbers from 18 to 120, or no answer"),
    ],
)
def test_a_domain_is_told_in_words(make: Any, told: str) -> None:
    with pytest.raises(DomainError, match=told):
        make()
