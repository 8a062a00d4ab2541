"""Domains of days."""

import datetime
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ldprange.domain.contract import Discrete, Domain
from ldprange.errors import DomainError
from ldprange.support.arrays import Bins
from ldprange.support.checking import Values, normalise, shown
from ldprange.support.columns import Bounded, as_array, outside_error


@dataclass(frozen=True, slots=True)
class Dates(Discrete):
    """Days, both ends included."""

    first: datetime.date
    last: datetime.date
    kind: ClassVar[str] = "dates"
    one_value: ClassVar[str] = "a date such as 2026-01-31"
    values: ClassVar[str] = "days"
    column: ClassVar[Literal["dates"]] = "dates"

    def __post_init__(self) -> None:
        normalise(self, first=_date(self.first), last=_date(self.last))
        if self.first > self.last:
            raise DomainError(f"the first day must not come after the last, got {self.first} and {self.last}")

    @property
    def bins(self) -> int:
        return (self.last - self.first).days + 1

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "first": self.first.isoformat(), "last": self.last.isoformat()}

    def _bins_of(self, values: Values, kind: Bounded) -> Bins:
        days = days_of(values)
        if np.any(np.isnat(days)):
            raise DomainError("values must be dates, got a missing one (NaT); leave such people out")
        offsets: Bins = (days - np.datetime64(self.first, "D")).astype(np.int64)
        outside = (offsets < 0) | (offsets >= self.bins)
        if np.any(outside):
            raise outside_error(days, np.datetime64(self.first), np.datetime64(self.last), kind)
        return offsets

    def sides_of(self, values: Values) -> NDArray[np.int64]:
        days = days_of(values)
        return (days > np.datetime64(self.last)).astype(np.int64) - (days < np.datetime64(self.first))

    def index_one(self, value: Any) -> int:
        if type(value) in (datetime.date, str):
            offset = (_date(value) - self.first).days
            if 0 <= offset < self.bins:
                return offset
        return Domain.index_one(self, value)

    def edges(self) -> NDArray[np.datetime64]:
        return np.datetime64(self.first, "D") + np.arange(self.bins + 1)

    def _read(self, text: str) -> datetime.date:
        return datetime.date.fromisoformat(text)

    def _value(self, index: int) -> datetime.date:
        return self.first + datetime.timedelta(days=index)


def days_of(values: Values) -> NDArray[np.datetime64]:
    """Return the days of texts, dates and times; of a time with a zone, the day that it was there."""
    array = as_array(values)
    if array.dtype.kind == "M" or array.size == 0:
        return array.astype("datetime64[D]")
    # each different text is read once
    texts = array.dtype.kind in "UT"
    present, inverse = np.unique(array, return_inverse=True) if texts else (array.reshape(-1), slice(None))
    days = np.array([_date(value) for value in present.tolist()], "datetime64[D]")[inverse]
    return days.reshape(array.shape)


def _date(value: Any) -> datetime.date:
    try:
        if isinstance(value, np.datetime64):
            value = value.astype("datetime64[D]").item()
        if isinstance(value, datetime.datetime):
            return value.date()
        if isinstance(value, datetime.date):
            return value
        return datetime.date.fromisoformat(value)
    except (ValueError, TypeError):
        raise DomainError(
            f"a day must be one of the calendar, such as 2026-01-31, got {shown(value)}"
        ) from None
