"""Domains of numbers: whole, real, and over several magnitudes."""

import math
from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ldprange.domain.contract import Discrete, Domain
from ldprange.errors import DomainError
from ldprange.support.arrays import Bins, Positions
from ldprange.support.checking import Values, is_number, normalise, shown
from ldprange.support.columns import Bounded, as_numbers, check_inside

_MOST = 2**53 - 1  # beyond it doubles leave whole numbers out
_SNAP = 1e-9  # a value or bound this close to an edge, in bins, is on it


@dataclass(frozen=True, slots=True)
class Integers(Discrete):
    """Whole numbers, both ends included."""

    low: int
    high: int
    kind: ClassVar[str] = "integers"
    one_value: ClassVar[str] = "a whole number"
    values: ClassVar[str] = "whole numbers"
    scale: ClassVar[Literal["linear"]] = "linear"

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            given = getattr(self, name)
            if isinstance(given, bool) or not isinstance(given, int | np.integer):
                raise DomainError(f"the {name} end must be a whole number, got {shown(given)}")
            if abs(int(given)) > _MOST:
                raise DomainError(f"the {name} end must be from {-_MOST} to {_MOST}, got {shown(int(given))}")
            normalise(self, **{name: int(given)})
        if self.low > self.high:
            raise DomainError(f"the low end must not exceed the high end, got {self.low} > {self.high}")

    @property
    def bins(self) -> int:
        return self.high - self.low + 1

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "low": self.low, "high": self.high}

    def _bins_of(self, values: Values, kind: Bounded) -> Bins:
        numbers = as_numbers(values)
        check_inside(numbers, self.low, self.high, kind)
        if numbers.dtype.kind == "f" and not np.all(fractional := numbers == np.floor(numbers)):
            raise DomainError(
                f"values must be whole numbers, got {numbers[~fractional].flat[0]}; "
                "round first, or use a domain of real numbers"
            )
        index = numbers.astype(np.int64)
        if self.low:
            index -= self.low
        return index

    def index_one(self, value: Any) -> int:
        if type(value) is int and self.low <= value <= self.high:
            return value - self.low
        return Domain.index_one(self, value)

    def sides_of(self, values: Values) -> NDArray[np.int64]:
        return _sides(values, self.low, self.high)

    def edges(self) -> NDArray[np.int64]:
        return np.arange(self.low, self.high + 2)

    def middles(self) -> Positions:
        return self.low + np.arange(self.bins, dtype=np.float64)

    def _read(self, text: str) -> int:
        return int(text)

    def _value(self, index: int) -> int:
        return self.low + index


@dataclass(frozen=True, slots=True)
class _Continuous(Domain):
    """Bins with width: bounds may fall inside a bin, and quantiles are read off along it."""

    low: float
    high: float
    bins: int = field()  # or the contract's property would be its default

    @abstractmethod
    def _positions(self, numbers: Any) -> Any:
        """Return the exact places of numbers on the line of bins, one or many."""

    @abstractmethod
    def _numbers(self, positions: Positions) -> Positions:
        """Return the numbers at places on the line of bins, but for rounding."""

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            given = getattr(self, name)
            if not is_number(given):
                raise DomainError(f"the {name} end must be a finite number, got {shown(given)}")
            normalise(self, **{name: float(given)})
        if (
            isinstance(self.bins, bool)
            or not isinstance(self.bins, int | np.integer)
            or not 1 <= self.bins <= _MOST
        ):
            raise DomainError(f"bins must be a whole number from 1 to {_MOST}, got {shown(self.bins)}")
        normalise(self, bins=int(self.bins))
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
        return np.minimum(self._from_ends(values, "values").astype(np.int64), self.bins - 1)

    def index_one(self, value: Any) -> int:
        if type(value) in (int, float) and self.low <= value <= self.high:
            return min(int(self._snapped_one(float(value))), self.bins - 1)
        return Domain.index_one(self, value)

    def starts(self, bounds: Values) -> Positions:
        return self._from_ends(bounds, "bounds")

    def _from_ends(self, bounds: Values, kind: Bounded) -> Positions:
        numbers = as_numbers(bounds)
        check_inside(numbers, self.low, self.high, kind)
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

    def sides_of(self, values: Values) -> NDArray[np.int64]:
        return _sides(values, self.low, self.high)

    def stops(self, bounds: Values) -> Positions:
        return self.starts(bounds)

    def at(self, position: float) -> float:
        return float(self._at(np.array([position]))[0])

    def up_to(self, position: float) -> float:
        return self.at(position)

    def edges(self) -> NDArray[np.float64]:
        return self._at(np.arange(self.bins + 1, dtype=np.float64))

    def _at(self, positions: Positions) -> Positions:
        """Return the numbers at places: rounding must put none outside, and at the ends they are exact."""
        numbers = np.clip(self._numbers(positions), self.low, self.high)
        return np.select([positions <= 0, positions >= self.bins], [self.low, self.high], numbers)

    def label(self, index: int) -> str:
        return f"{self.lower(index):.6g} – {self.upper(index):.6g}"


@dataclass(frozen=True, slots=True)
class Real(_Continuous):
    """Real numbers in bins of equal width; the top end belongs to the last bin."""

    kind: ClassVar[str] = "real"
    scale: ClassVar[Literal["linear"]] = "linear"

    def _positions(self, numbers: Any) -> Any:
        return (numbers - self.low) * (self.bins / (self.high - self.low))

    def middles(self) -> Positions:
        edges = self.edges()
        return (edges[:-1] + edges[1:]) / 2

    def _numbers(self, positions: Positions) -> Positions:
        numbers: Positions = self.low + positions * ((self.high - self.low) / self.bins)
        return numbers


@dataclass(frozen=True, slots=True)
class Logarithmic(_Continuous):
    """Positive numbers in bins of equal ratio; the top end belongs to the last bin."""

    kind: ClassVar[str] = "logarithmic"
    values: ClassVar[str] = "numbers, logarithmic,"
    scale: ClassVar[Literal["logarithmic"]] = "logarithmic"

    def __post_init__(self) -> None:
        if is_number(self.low) and self.low <= 0:
            raise DomainError(f"a logarithmic domain must begin above 0, got {self.low}")
        _Continuous.__post_init__(self)

    def _positions(self, numbers: Any) -> Any:
        return np.log(numbers / self.low) * (self.bins / math.log(self.high / self.low))

    def middles(self) -> Positions:
        return self._numbers(np.arange(self.bins, dtype=np.float64) + 0.5)

    def _numbers(self, positions: Positions) -> Positions:
        numbers: Positions = self.low * np.power(self.high / self.low, positions / self.bins)
        return numbers


def _sides(values: Values, low: float, high: float) -> NDArray[np.int64]:
    numbers = as_numbers(values)
    return (numbers > high).astype(np.int64) - (numbers < low)
