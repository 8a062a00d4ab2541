"""Numbers and days beyond the ends of a domain, as bins of their own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ldprange.domain.contract import Domain, in_message
from ldprange.domain.dates import Dates
from ldprange.domain.extended import Extended, Sides, read_inside
from ldprange.domain.numbers import Integers, Logarithmic, Real
from ldprange.domain.text import exact
from ldprange.errors import DomainError
from ldprange.support.checking import Values, first_of, normalise, shown
from ldprange.support.columns import as_array

_KINDS = (Integers, Real, Logarithmic, Dates)
SIDES = ("both", "low", "high")


@dataclass(frozen=True)
class OpenEnds(Extended):
    """A domain of numbers or days, and bins for all that lies beyond its ``sides``: both, low or high.

    >>> minutes = Domain.integers(0, 120, open_ends="high")
    >>> minutes.index([0, 120, 121, 500]).tolist(), minutes.label(121)
    ([0, 120, 121, 121], 'more than 120')
    """

    inside: Domain
    sides: str
    kind: ClassVar[str] = "open_ends"

    def __post_init__(self) -> None:
        normalise(self, inside=read_inside(self.inside, *_KINDS))
        if not isinstance(self.inside, _KINDS):
            raise DomainError(f"open ends must be those of numbers or days, got {in_message(self.inside)}")
        if self.sides not in SIDES:
            raise DomainError(
                f"open_ends must be True, False, 'low', 'high' or 'both', got {shown(self.sides)}"
            )

    @property
    def before(self) -> str | None:
        return f"{self._words[0]} {exact(self.inside.lower(0))}" if self.sides != "high" else None

    @property
    def after(self) -> str | None:
        highest = self.inside.upper(self.inside.bins - 1)
        return f"{self._words[1]} {exact(highest)}" if self.sides != "low" else None

    @property
    def _words(self) -> tuple[str, str]:
        return ("before", "after") if isinstance(self.inside, Dates) else ("less than", "more than")

    @property
    def words(self) -> dict[str, Any]:
        beyond: tuple[Any, Any] = (-math.inf, math.inf)
        if isinstance(self.inside, Dates):  # NumPy's days go further than Python's
            beyond = (np.datetime64(self.inside.first) - 1, np.datetime64(self.inside.last) + 1)
        named = zip((self.before, self.after), beyond, strict=True)
        return {name: value for name, value in named if name is not None}

    def _parse(self, text: str, wanted: str) -> Any:
        # inf and the like: the word, which JSON can write
        return self._endless.get(_number(text)) or Extended._parse(self, text, wanted)

    @property
    def _endless(self) -> dict[float | None, str | None]:
        return {-math.inf: self.before, math.inf: self.after}

    def _places(self, values: Values, *how: Any) -> NDArray[Any]:
        array = as_array(values)
        if isinstance(self.inside, Dates) and array.dtype.kind in "fO":  # among days the word stands for inf
            came = array.reshape(-1).tolist()
            words = [self._endless.get(each) or each if isinstance(each, float) else each for each in came]
            array = np.array([*words, None], object)[:-1].reshape(array.shape)
        return Extended._places(self, array, *how)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "inside": self.inside.to_dict(), "sides": self.sides}

    def _sides(self, values: NDArray[Any]) -> Sides:
        if self.plain.column == "numbers" and values.dtype.kind not in "iuf":
            return np.zeros(values.shape, np.int64)  # the domain inside says what is wrong with them
        sides = self.inside.sides_of(values)
        return np.where((sides < 0) & (self.before is None) | (sides > 0) & (self.after is None), 0, sides)

    def _bound_sides(self, bounds: NDArray[Any]) -> Sides:
        sides = self._sides(bounds)
        within = sides != 0 if bounds.dtype.kind != "f" else (sides != 0) & np.isfinite(bounds)
        if np.any(within):
            raise DomainError(
                f"a bound must be one of {self.inside.in_words()}, or the words “{self._names}”, got "
                f"{shown(first_of(bounds[within]))}; reports do not tell people beyond an end apart"
            )
        return sides


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
