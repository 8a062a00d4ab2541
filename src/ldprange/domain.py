"""Domains: between people's values and D ordered bins, in both directions.

A domain is the sole owner of end points and units. Everything else counts bins. A
*position* is a point on the line of bins: bin ``b`` covers positions ``b`` to ``b + 1``.
"""

from __future__ import annotations

import datetime
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ldprange.checking import Values, as_array, as_numbers, check_inside, first_of, is_number, make_described
from ldprange.errors import DomainError

Positions = NDArray[np.float64]
Bins = NDArray[np.int64]

_KINDS = ("integers", "real", "logarithmic", "dates", "ordered")
_SNAP = 1e-9  # a bound this close to an edge, in bins, is that edge


class Domain(ABC):
    """The ordered values that people may have, cut into ``bins`` bins.

    Make one with :meth:`integers`, :meth:`real`, :meth:`logarithmic`, :meth:`dates` or
    :meth:`ordered`.

    >>> Domain.integers(0, 119).bins
    120
    >>> Domain.ordered(["XS", "S", "M"]).index(["M", "XS"]).tolist()
    [2, 0]
    """

    kind: ClassVar[str]
    bins: int

    @staticmethod
    def integers(low: int, high: int) -> Domain:
        """Whole numbers from ``low`` to ``high``, both included, one bin each."""
        return Integers(low, high)

    @staticmethod
    def real(low: float, high: float, bins: int) -> Domain:
        """Real numbers from ``low`` to ``high`` in ``bins`` bins of equal width."""
        return Real(low, high, bins)

    @staticmethod
    def logarithmic(low: float, high: float, bins: int) -> Domain:
        """Positive numbers from ``low`` to ``high`` in bins of equal ratio."""
        return Logarithmic(low, high, bins)

    @staticmethod
    def dates(first: datetime.date | str, last: datetime.date | str) -> Domain:
        """Days from ``first`` to ``last``, both included, one bin each."""
        return Dates(_date(first), _date(last))

    @staticmethod
    def ordered(labels: Iterable[str]) -> Domain:
        """Labels with an order, such as sizes or grades, one bin each."""
        if isinstance(labels, str | Set | Mapping) or not isinstance(labels, Iterable):
            raise DomainError(f"labels must be a list of strings, in their order, got {labels!r}")
        return Ordered(tuple(labels))

    @staticmethod
    def from_dict(description: Mapping[str, Any]) -> Domain:
        """Rebuild a domain from :meth:`to_dict`."""
        kinds: dict[str, Callable[..., Domain]] = {kind: getattr(Domain, kind) for kind in _KINDS}
        return make_described("a domain", kinds, description, DomainError)

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Describe the domain in plain JSON types."""

    @abstractmethod
    def index(self, values: Values) -> Bins:
        """Return the bin of every value; any value outside the domain is an error."""

    def index_one(self, value: Any) -> int:
        """Return the bin of one value, as :meth:`index` does."""
        index = self.index(value)
        if index.ndim:
            raise DomainError(f"the value must be a single one, got {value!r}")
        return int(index)

    @abstractmethod
    def starts(self, bounds: Values) -> Positions:
        """Return the positions at which ranges that begin with these bounds start."""

    @abstractmethod
    def stops(self, bounds: Values) -> Positions:
        """Return the positions at which ranges that end with these bounds stop."""

    @abstractmethod
    def at(self, position: float) -> Any:
        """Return the value, in the user's units, at a position."""

    @abstractmethod
    def up_to(self, position: float) -> Any:
        """Return the greatest value, in the user's units, that lies before a position."""

    def lower(self, index: int) -> Any:
        """Return the least value of a bin."""
        return self.at(float(index))

    def upper(self, index: int) -> Any:
        """Return the greatest value of a bin (its upper edge, where bins have width)."""
        return self.up_to(float(index + 1))

    def count(self, values: Values) -> Bins:
        """Count values per bin.

        >>> Domain.integers(1, 3).count([1, 3, 3]).tolist()
        [1, 0, 2]
        """
        return np.bincount(self.index(values).reshape(-1), minlength=self.bins)

    def label(self, index: int) -> str:
        """Return a bin's name for tables and axes."""
        return str(self.lower(index))


class _Discrete(Domain):
    """One bin per value, so both ends of a range are whole bins and both are included."""

    def starts(self, bounds: Values) -> Positions:
        return self.index(bounds).astype(np.float64)

    def stops(self, bounds: Values) -> Positions:
        return (self.index(bounds) + 1).astype(np.float64)

    def at(self, position: float) -> Any:
        return self._value(min(max(math.floor(position), 0), self.bins - 1))

    def up_to(self, position: float) -> Any:
        return self._value(min(max(math.ceil(position) - 1, 0), self.bins - 1))

    @abstractmethod
    def _value(self, index: int) -> Any: ...


@dataclass(frozen=True, slots=True)
class Integers(_Discrete):
    """Whole numbers, both ends included."""

    low: int
    high: int
    bins: int = field(init=False, repr=False, compare=False)
    kind: ClassVar[str] = "integers"

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            given = getattr(self, name)
            if isinstance(given, bool) or not isinstance(given, int | np.integer):
                raise DomainError(f"the {name} end must be a whole number, got {given!r}")
            if abs(int(given)) >= 2**53:
                raise DomainError(f"the {name} end must be within ±2**53, got {given}")
            object.__setattr__(self, name, int(given))
        if self.low > self.high:
            raise DomainError(f"the low end must not exceed the high end, got {self.low} > {self.high}")
        object.__setattr__(self, "bins", self.high - self.low + 1)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "low": self.low, "high": self.high}

    def index(self, values: Values) -> Bins:
        numbers = as_numbers(values)
        check_inside(numbers, self.low, self.high)
        if numbers.dtype.kind == "f" and not np.all(fractional := numbers == np.floor(numbers)):
            raise DomainError(
                f"values must be whole numbers, got {numbers[~fractional].flat[0]}; "
                "round first, or use a domain of real numbers"
            )
        return numbers.astype(np.int64) - self.low

    def index_one(self, value: Any) -> int:
        if type(value) is int and self.low <= value <= self.high:
            return value - self.low
        return Domain.index_one(self, value)

    def _value(self, index: int) -> int:
        return self.low + index


class _Continuous(Domain):
    """Bins with width: bounds may fall inside a bin, and quantiles are read off along it."""

    low: float
    high: float

    @abstractmethod
    def _positions(self, numbers: Any) -> Any:
        """Return the exact places of numbers on the line of bins, one or many."""

    def _check(self) -> None:
        for name in ("low", "high"):
            given = getattr(self, name)
            if not is_number(given):
                raise DomainError(f"the {name} end must be a finite number, got {given!r}")
            object.__setattr__(self, name, float(given))
        if (
            isinstance(self.bins, bool)
            or not isinstance(self.bins, int | np.integer)
            or not 1 <= self.bins < 2**53
        ):
            raise DomainError(f"bins must be a whole number from 1 to 2**53, got {self.bins!r}")
        object.__setattr__(self, "bins", int(self.bins))
        if not self.low < self.high:
            raise DomainError(f"the low end must be below the high end, got {self.low} and {self.high}")
        with np.errstate(all="ignore"):
            far = self._positions(np.array(self.high))
        if not abs(far - self.bins) < 0.5:
            raise DomainError(
                f"the ends must be neither too far apart nor too close for floating-point numbers, "
                f"got {self.low} and {self.high} in {self.bins} bins"
            )

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "low": self.low, "high": self.high, "bins": self.bins}

    def index(self, values: Values) -> Bins:
        numbers = as_numbers(values)
        check_inside(numbers, self.low, self.high)
        positions = self._snapped(numbers.astype(np.float64))
        return np.minimum(positions.astype(np.int64), self.bins - 1)

    def index_one(self, value: Any) -> int:
        if type(value) in (int, float) and self.low <= value <= self.high:
            return min(int(self._snapped_one(float(value))), self.bins - 1)
        return Domain.index_one(self, value)

    def starts(self, bounds: Values) -> Positions:
        numbers = as_numbers(bounds)
        check_inside(numbers, self.low, self.high)
        return self._snapped(numbers.astype(np.float64))

    def _snapped(self, numbers: NDArray[np.float64]) -> Positions:
        """Return positions; one as good as on an edge is the edge, for values and bounds alike."""
        positions: Positions = np.clip(self._positions(numbers), 0, self.bins)
        edges = np.round(positions)
        return np.where(np.abs(positions - edges) < _SNAP * np.maximum(1.0, edges), edges, positions)

    def _snapped_one(self, number: float) -> float:
        position = min(max(float(self._positions(np.float64(number))), 0.0), float(self.bins))
        edge = float(round(position))
        return edge if abs(position - edge) < _SNAP * max(1.0, edge) else position

    def stops(self, bounds: Values) -> Positions:
        return self.starts(bounds)

    def up_to(self, position: float) -> Any:
        return self.at(position)

    def label(self, index: int) -> str:
        return f"{self.lower(index):.6g} – {self.upper(index):.6g}"


@dataclass(frozen=True, slots=True)
class Real(_Continuous):
    """Real numbers in bins of equal width; the top end belongs to the last bin."""

    low: float
    high: float
    bins: int
    kind: ClassVar[str] = "real"

    def __post_init__(self) -> None:
        self._check()

    def _positions(self, numbers: Any) -> Any:
        return (numbers - self.low) * (self.bins / (self.high - self.low))

    def at(self, position: float) -> float:
        share = position / self.bins
        return self.low * (1 - share) + self.high * share


@dataclass(frozen=True, slots=True)
class Logarithmic(_Continuous):
    """Positive numbers in bins of equal ratio; the top end belongs to the last bin."""

    low: float
    high: float
    bins: int
    kind: ClassVar[str] = "logarithmic"

    def __post_init__(self) -> None:
        if is_number(self.low) and self.low <= 0:
            raise DomainError(f"a logarithmic domain must begin above 0, got {self.low}")
        self._check()

    def _positions(self, numbers: Any) -> Any:
        return np.log(numbers / self.low) * (self.bins / math.log(self.high / self.low))

    def at(self, position: float) -> float:
        value = self.low * math.exp(math.log(self.high / self.low) * (position / self.bins))
        return min(value, self.high)  # rounding must not put the top end outside


@dataclass(frozen=True, slots=True)
class Dates(_Discrete):
    """Days, both ends included."""

    first: datetime.date
    last: datetime.date
    bins: int = field(init=False, repr=False, compare=False)
    kind: ClassVar[str] = "dates"

    def __post_init__(self) -> None:
        if self.first > self.last:
            raise DomainError(f"the first day must not come after the last, got {self.first} and {self.last}")
        object.__setattr__(self, "bins", (self.last - self.first).days + 1)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "first": self.first.isoformat(), "last": self.last.isoformat()}

    def index(self, values: Values) -> Bins:
        array = as_array(values)
        if array.dtype.kind == "M" or array.size == 0:
            days = array.astype("datetime64[D]")
        else:
            # each different text is read once
            texts = array.dtype.kind in "UT"
            present, inverse = (
                np.unique(array, return_inverse=True) if texts else (array.reshape(-1), slice(None))
            )
            days = np.array([_date(value) for value in present.tolist()], "datetime64[D]")[inverse]
            days = days.reshape(array.shape)
        if np.any(np.isnat(days)):
            raise DomainError("values must be dates, got a missing one (NaT); leave such people out")
        offsets: Bins = (days - np.datetime64(self.first, "D")).astype(np.int64)
        outside = (offsets < 0) | (offsets >= self.bins)
        if np.any(outside):
            raise DomainError(
                f"values must lie between {self.first} and {self.last}, got {days[outside].flat[0]}; "
                "stay inside, or make a plan with a wider domain"
            )
        return offsets

    def index_one(self, value: Any) -> int:
        if type(value) in (datetime.date, str):
            offset = (_date(value) - self.first).days
            if 0 <= offset < self.bins:
                return offset
        return Domain.index_one(self, value)

    def _value(self, index: int) -> datetime.date:
        return self.first + datetime.timedelta(days=index)


@dataclass(frozen=True, slots=True)
class Ordered(_Discrete):
    """Labels in a given order."""

    labels: Sequence[str]
    bins: int = field(init=False, repr=False, compare=False)
    _places: dict[str, int] = field(init=False, repr=False, compare=False)
    kind: ClassVar[str] = "ordered"

    def __post_init__(self) -> None:
        if not self.labels or not all(isinstance(label, str) for label in self.labels):
            raise DomainError(f"labels must be one or more strings, got {list(self.labels)!r}")
        if any("\0" in label for label in self.labels):
            raise DomainError(f"labels must be without NUL characters, got {list(self.labels)!r}")
        if len(set(self.labels)) != len(self.labels):
            raise DomainError(f"labels must differ from one another, got {list(self.labels)!r}")
        try:
            "".join(self.labels).encode()
        except UnicodeEncodeError:
            raise DomainError(
                f"labels must be text that UTF-8 can write, got {list(self.labels)!r}"
            ) from None
        object.__setattr__(self, "bins", len(self.labels))
        object.__setattr__(self, "_places", {label: index for index, label in enumerate(self.labels)})

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "labels": list(self.labels)}

    def index(self, values: Values) -> Bins:
        array = as_array(values)
        if array.size == 0:
            return np.zeros(array.shape, np.int64)
        if array.dtype.kind == "O" and all(isinstance(value, str) for value in array.flat):
            array = array.astype(np.str_)
        if array.dtype.kind not in "UT":
            raise DomainError(f"values must be labels (strings), got {first_of(array)!r}")
        present, inverse = np.unique(array, return_inverse=True)
        for label in present:
            if str(label) not in self._places:
                known = ", ".join(self.labels[:8]) + (" …" if self.bins > 8 else "")
                raise DomainError(f"values must be among the labels {known}, got {str(label)!r}")
        return np.array([self._places[str(label)] for label in present], np.int64)[inverse]

    def index_one(self, value: Any) -> int:
        found = self._places.get(value) if type(value) is str else None
        return Domain.index_one(self, value) if found is None else found

    def _value(self, index: int) -> str:
        return self.labels[index]


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
        raise DomainError(f"a day must be one of the calendar, such as 2026-01-31, got {value!r}") from None
