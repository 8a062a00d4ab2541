"""Frames and columns of other libraries, wherever values are taken; and domains suggested for them."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ldprange as ldp
from ldprange.errors import DomainError

AGES, SIZES = ldp.Domain.integers(0, 9), ldp.Domain.ordered(["S", "M", "L"])
BOTH = ldp.Domain.product(age=AGES, size=SIZES)
PEOPLE: dict[str, list[Any]] = {"who": ["a", "b", "c"], "size": ["M", "L", "L"], "age": [3, 0, 9]}
THERE = {name: PEOPLE[name] for name in ("age", "size")}
FRAMES: dict[str, Callable[[Any], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "arrow batch": pa.record_batch,
}
COLUMNS: dict[str, Callable[[list[Any]], Any]] = {"pandas": pd.Series, "polars": pl.Series, "arrow": pa.array}
every_frame = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
every_column = pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS.keys())
PLANS = {domain: ldp.choose_plan(domain, epsilon=1.0, expected_users=1000) for domain in (AGES, SIZES, BOTH)}


class TestTaken:
    @every_column
    @pytest.mark.parametrize(("domain", "values"), [(AGES, PEOPLE["age"]), (SIZES, PEOPLE["size"])])
    def test_a_column(self, domain: ldp.Domain, values: list[Any], column: Callable[[Any], Any]) -> None:
        came, plan = column(values), PLANS[domain]
        assert domain.index(came).tolist() == domain.index(values).tolist()
        assert domain.count(came).tolist() == domain.count(values).tolist()
        assert ldp.simulate_values(plan, came, seed=1) == ldp.simulate_values(plan, values, seed=1)
        made, expected = (ldp.encode_many(plan, each, seed=1) for each in (came, values))
        assert ldp.wire.pack(made) == ldp.wire.pack(expected)

    @every_frame
    def test_a_frame_with_other_columns_besides(self, frame: Callable[[Any], Any]) -> None:
        came, plan = frame(PEOPLE), PLANS[BOTH]
        assert BOTH.index(came).tolist() == BOTH.index(THERE).tolist()
        assert BOTH.count(came).tolist() == BOTH.count(THERE).tolist()
        assert ldp.simulate_values(plan, came, seed=1) == ldp.simulate_values(plan, THERE, seed=1)
        made, expected = (ldp.encode_many(plan, each, seed=1) for each in (came, THERE))
        assert ldp.wire.pack(made) == ldp.wire.pack(expected)

    @every_frame
    def test_a_frame_of_one_column_is_one(self, frame: Callable[[Any], Any]) -> None:
        assert AGES.count(frame({"age": PEOPLE["age"]})).tolist() == AGES.count(PEOPLE["age"]).tolist()


NEW_YORK = pa.timestamp("us", tz="America/New_York")
EVENING = pa.array([datetime.datetime(2026, 1, 5, 3), None], NEW_YORK)  # the 4th, there
DAYS = ldp.Domain.dates("2026-01-01", "2026-01-10", no_answer=True)
ZONED: dict[str, Callable[[], Any]] = {
    "arrow": lambda: EVENING,
    "arrow in chunks": lambda: pa.chunked_array([EVENING]),
    "arrow's dictionary": EVENING.dictionary_encode,
    "arrow, an offset": lambda: EVENING.cast(pa.timestamp("s", tz="-05:00")),
    "polars": lambda: pl.from_arrow(EVENING),
    "pandas": EVENING.to_pandas,
    "pandas' index": lambda: pd.DatetimeIndex(EVENING.to_pandas()),
    "pandas, of arrow": lambda: EVENING.to_pandas().astype(pd.ArrowDtype(NEW_YORK)),
    "a list": EVENING.to_pylist,
    "a frame": lambda: pa.table({"day": EVENING}),
}


class TestTimesWithAZone:
    @pytest.mark.parametrize("column", ZONED.values(), ids=ZONED.keys())
    def test_count_on_the_day_that_it_was_there(self, column: Callable[[], Any]) -> None:
        assert DAYS.index(column()).tolist() == [3, 10]
        assert DAYS.plain.index(column()[:1]).tolist() == [3]

    @pytest.mark.parametrize("column", [ZONED[name] for name in ("arrow", "polars", "pandas", "a list")])
    def test_count_so_as_one_of_several_attributes(self, column: Callable[[], Any]) -> None:
        both = ldp.Domain.product(day=DAYS, age=AGES)
        assert both.index({"day": column(), "age": [1, 2]}).tolist() == [[3, 10], [1, 2]]

    @pytest.mark.filterwarnings("ignore:a domain made from")
    @pytest.mark.parametrize("column", [ZONED[name] for name in ("arrow", "polars", "pandas", "a list")])
    def test_suggest_that_day(self, column: Callable[[], Any]) -> None:
        assert ldp.Domain.of(column()[:1]) == ldp.Domain.dates("2026-01-04", "2026-01-04")

    def test_of_a_zone_that_nobody_knows(self) -> None:
        nowhere = EVENING.cast(pa.timestamp("us", tz="Mars/Olympus"))
        with pytest.raises(
            DomainError, match="'Mars/Olympus' in a TimestampArray; make a column of days first"
        ):
            DAYS.index(nowhere)


class TestRefused:
    @every_frame
    def test_a_column_that_is_not_there(self, frame: Callable[[Any], Any]) -> None:
        with pytest.raises(DomainError, match="no column 'age'; its columns are: who, size"):
            BOTH.count(frame({name: PEOPLE[name] for name in ("who", "size")}))

    def test_a_frame_without_its_rows(self) -> None:
        lazy: Any = pl.LazyFrame({"age": PEOPLE["age"]})
        with pytest.raises(DomainError, match=r"lazy one; call its collect\(\) first"):
            AGES.count(lazy)

    def test_a_column_that_is_there_twice(self) -> None:
        frame = pd.DataFrame([[1, 2, "S"]], columns=["age", "age", "size"])
        with pytest.raises(DomainError, match="more than one column 'age'"):
            BOTH.count(frame)

    @every_frame
    def test_several_columns_of_one_attribute(self, frame: Callable[[Any], Any]) -> None:
        for ask in (AGES.count, AGES.index, lambda values: ldp.encode_many(PLANS[AGES], values, seed=1)):
            with pytest.raises(
                DomainError, match=r"one column of the frame, got all of who, size, age; .*frame"
            ):
                ask(frame(PEOPLE))


DAY, LATER = datetime.date(2026, 1, 3), datetime.date(2026, 2, 1)
SUGGESTED: list[tuple[list[Any], ldp.Domain]] = [
    ([3, 9, 4], ldp.Domain.integers(3, 9)),
    ([3.0, None, 9.0], ldp.Domain.integers(3, 9)),
    ([7], ldp.Domain.integers(7, 7)),
    ([0.5, 2.0], ldp.Domain.real(0.5, 2.0, 256)),
    ([0.5], ldp.Domain.real(0.0, 1.0, 256)),
    ([0, 10_000_000], ldp.Domain.real(0, 10_000_000, 256)),
    ([LATER, None, DAY], ldp.Domain.dates(DAY, LATER)),
    (["b", "a", "b", None], ldp.Domain.categories(["a", "b"])),
    ([True, False], ldp.Domain.ordered(["False", "True"])),
    ([True, None], ldp.Domain.ordered(["False", "True"])),
]
for_rehearsals = pytest.mark.filterwarnings("ignore:a domain made from people's values")


@for_rehearsals
class TestSuggested:
    @pytest.mark.parametrize("column", [list, *COLUMNS.values()], ids=["list", *COLUMNS])
    @pytest.mark.parametrize(("values", "expected"), SUGGESTED)
    def test_by_type_and_extent(
        self, values: list[Any], expected: ldp.Domain, column: Callable[[Any], Any]
    ) -> None:
        came = column(values)
        found = ldp.Domain.of(came)
        assert found == expected
        there = [value for value in values if value is not None]
        assert found.count(column(there)).sum() == len(there)  # it takes what it was made for

    def test_days_with_hours(self) -> None:
        hours = np.array(["2026-01-03", "2026-02-01T23:00"], "datetime64[m]")
        for values in (hours, pd.Series([pd.Timestamp(DAY), pd.NaT, pd.Timestamp(LATER)])):
            assert ldp.Domain.of(values) == ldp.Domain.dates(DAY, LATER)

    def test_an_order_that_the_column_has(self) -> None:
        sizes = ldp.Domain.ordered(["S", "M", "L"])
        ordered = pd.Categorical(["L", "S"], categories=["S", "M", "L"], ordered=True)
        assert ldp.Domain.of(pd.Series(ordered)) == sizes
        assert ldp.Domain.of(pl.Series(["L", "S"], dtype=pl.Enum(["S", "M", "L"]))) == sizes

    @every_frame
    def test_of_a_frame_it_is_a_product(self, frame: Callable[[Any], Any]) -> None:
        expected = ldp.Domain.product(age=ldp.Domain.integers(0, 9), size=ldp.Domain.categories(["L", "M"]))
        assert ldp.Domain.of(frame(THERE)) == expected

    def test_nothing_to_go_by(self) -> None:
        for nothing in ([], [None], np.array([np.nan])):
            with pytest.raises(DomainError, match="values that are there"):
                ldp.Domain.of(nothing)
        with pytest.raises(DomainError, match="by hand"):
            ldp.Domain.of([b"x"])


def test_a_warning_says_what_it_is_for() -> None:
    with pytest.warns(UserWarning, match="for rehearsals"):
        ldp.Domain.of([1, 2])
