"""People without a value: refused with their number, or left out as if they had not been there."""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ldprange as ldp
from ldprange.errors import ArgumentError, DomainError

AGES = ldp.Domain.integers(0, 9)
REALS = ldp.Domain.real(0, 10, bins=5)
DAYS = ldp.Domain.dates("2026-01-01", "2026-01-31")
SIZES = ldp.Domain.ordered(["S", "M", "L"])
DAY, LATER = datetime.date(2026, 1, 3), datetime.date(2026, 1, 30)

MADE: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "array of objects": lambda values: np.array(values, object),
    "pandas": pd.Series,
    "pandas frame": lambda values: pd.DataFrame({"value": values}),
    "polars": pl.Series,
    "polars frame": lambda values: pl.DataFrame({"value": values}),
    "arrow": pa.array,
    "arrow in parts": lambda values: pa.chunked_array([pa.array(values)[:1], pa.array(values)[1:]]),
    "arrow table": lambda values: pa.table({"value": values}),
}
HELD: list[tuple[ldp.Domain, list[Any]]] = [
    (AGES, [3, None, 5, None, 9]),
    (REALS, [0.5, None, 9.75]),
    (REALS, [float("nan"), 2.5]),
    (DAYS, [DAY, None, LATER]),
    (SIZES, ["L", None, "S", "L"]),
    (SIZES, [None, "M"]),
]
SPECIAL: dict[str, tuple[ldp.Domain, Any, list[Any]]] = {
    "pandas Int64": (AGES, pd.Series([3, pd.NA, 5], dtype="Int64"), [3, 5]),
    "pandas of arrow": (AGES, pd.Series([3, None, 5], dtype="int64[pyarrow]"), [3, 5]),
    "NA among objects": (AGES, np.array([3, pd.NA, 5], object), [3, 5]),
    "NaN": (REALS, np.array([1.5, np.nan]), [1.5]),
    "a narrow NaN": (REALS, np.array([1.5, np.nan], np.float32), [1.5]),
    "NaT": (DAYS, np.array(["2026-01-03", "NaT"], "datetime64[D]"), [DAY]),
    "pandas NaT": (DAYS, pd.Series([pd.Timestamp(DAY), pd.NaT]), [DAY]),
    "NaT in a list": (DAYS, [pd.Timestamp(DAY), pd.NaT], [DAY]),
    "pandas with a zone": (DAYS, pd.Series([pd.Timestamp(DAY, tz="Asia/Tokyo"), pd.NaT]), [DAY]),
    "pandas text": (SIZES, pd.Series(["L", pd.NA], dtype="string"), ["L"]),
    "pandas categories": (SIZES, pd.Series(["L", None, "M"], dtype="category"), ["L", "M"]),
    "polars categories": (SIZES, pl.Series(["L", None, "M"], dtype=pl.Categorical), ["L", "M"]),
    "arrow dictionary": (SIZES, pa.array(["L", None]).dictionary_encode(), ["L"]),
    "masked": (AGES, np.ma.array([3, 4, 5], mask=[False, True, False]), [3, 5]),
    "all of them": (AGES, [None, None], []),
}
CASES = {
    **{f"{name}, {held}": (domain, make(held), [each for each in held if each is not None and each == each])
       for name, make in MADE.items() for domain, held in HELD},
    **SPECIAL,
}  # fmt: skip
every_case = pytest.mark.parametrize(("domain", "values", "there"), CASES.values(), ids=CASES.keys())


@contextmanager
def left_out(number: int, people: int) -> Iterator[None]:
    """Expect the warning that says how many there were, and that it names the line of whoever asked."""
    with pytest.warns(UserWarning, match=f"left out {number} of {people} people") as said:
        yield
    assert [each.filename for each in said] == [__file__] * len(said)


def same(one: ldp.Batch, other: ldp.Batch) -> bool:
    return ldp.wire.pack(one) == ldp.wire.pack(other)


@every_case
def test_left_out_as_if_they_had_not_been_there(domain: ldp.Domain, values: Any, there: list[Any]) -> None:
    plan = ldp.Plan(domain, 1.0, ldp.Flat(), ldp.GRR())
    people = len(values)
    with left_out(people - len(there), people):
        assert domain.count(values, missing="skip").tolist() == domain.count(there).tolist()
    with left_out(people - len(there), people):
        assert same(
            ldp.encode_many(plan, values, seed=4, missing="skip"), ldp.encode_many(plan, there, seed=4)
        )
    with left_out(people - len(there), people):
        counted = ldp.simulate_values(plan, values, seed=4, missing="skip")
    assert counted == ldp.simulate_values(plan, there, seed=4)


@every_case
def test_refused_by_default_with_their_number(domain: ldp.Domain, values: Any, there: list[Any]) -> None:
    plan = ldp.Plan(domain, 1.0, ldp.Flat(), ldp.GRR())
    people, missing = len(values), len(values) - len(there)
    message = f'everyone must have a value, got .* for {missing} of {people} people; .*missing="skip"'
    for ask in (
        lambda: domain.count(values),
        lambda: ldp.encode_many(plan, values, seed=1),
        lambda: ldp.simulate_values(plan, values, seed=1),
    ):
        with pytest.raises(DomainError, match=message):
            ask()


@every_case
def test_nothing_is_told_where_nobody_is_missing(domain: ldp.Domain, values: Any, there: list[Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert domain.count(there, missing="skip").sum() == len(there)


class TestSeveralAttributes:
    DOMAIN = ldp.Domain.product(age=AGES, size=SIZES)
    HELD: ClassVar = {"age": [3, None, 5, 6], "size": ["S", "M", None, "L"], "who": ["a", "b", "c", "d"]}
    THERE: ClassVar = {"age": [3, 6], "size": ["S", "L"]}

    @pytest.mark.parametrize(
        "make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "arrow"]
    )
    def test_whoever_lacks_one_is_left_out(self, make: Callable[[Any], Any]) -> None:
        frame, plan = make(self.HELD), ldp.choose_plan(self.DOMAIN, epsilon=1.0, expected_users=1000)
        with left_out(2, 4):
            counts = self.DOMAIN.count(frame, missing="skip")
        assert counts.tolist() == self.DOMAIN.count(self.THERE).tolist()
        with left_out(2, 4):
            batch = ldp.encode_many(plan, frame, seed=2, missing="skip")
        assert same(batch, ldp.encode_many(plan, self.THERE, seed=2))
        with pytest.raises(DomainError, match=r"^age: everyone must have a value, got .* for 1 of 4 people"):
            self.DOMAIN.count(frame)

    def test_columns_of_unlike_lengths(self) -> None:
        with pytest.raises(DomainError, match="one length"):
            self.DOMAIN.count({"age": [1, None], "size": ["S"]}, missing="skip")


def test_another_word_is_refused() -> None:
    with pytest.raises(ArgumentError, match="missing must be 'refuse' or 'skip', got 'drop'"):
        AGES.count([1], missing="drop")  # type: ignore[arg-type]
