"""Domains with a bin of its own before or after another domain's, for answers that are none of its values.

Such a bin has a name, as "more than 120", and the name is its value wherever a value is taken or told: of a
person, as the bound of a range, in an answer.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from ldprange.domain.contract import Domain
from ldprange.errors import DomainError
from ldprange.support.arrays import Bins, Positions
from ldprange.support.checking import Values, first_of, shown
from ldprange.support.columns import as_array

Sides = NDArray[np.int64]
"""Of every value −1 if it is in the bin before all others, 1 if in the one after them, and else 0."""


class Extended(Domain):
    """A domain ``inside`` with a named bin before or after it, or both."""

    inside: Domain

    @property
    @abstractmethod
    def before(self) -> str | None:
        """The name of the first bin; None if that is the first of the domain inside."""

    @property
    @abstractmethod
    def after(self) -> str | None:
        """The name of the last bin; None if that is the last of the domain inside."""

    @abstractmethod
    def _sides(self, values: NDArray[Any]) -> Sides:
        """Return the sides of people's values, which are no names."""

    @abstractmethod
    def _bound_sides(self, bounds: NDArray[Any]) -> Sides:
        """Return the sides of bounds, which are no names; raise DomainError for one inside a named bin."""

    @property
    @abstractmethod
    def words(self) -> dict[str, Any]:
        """The names of all named bins, also of those inside, and a number or day that is in each, or None."""

    @property
    def bins(self) -> int:
        return self.inside.bins + (self.before is not None) + (self.after is not None)

    @property
    def plain(self) -> Domain:
        return self.inside.plain

    @property
    def plain_bins(self) -> slice:
        inside, moved = self.inside.plain_bins, int(self.before is not None)
        return slice(inside.start + moved, inside.stop + moved)

    @property
    def unordered(self) -> frozenset[int]:
        return self.inside.unordered

    @property
    def longest(self) -> int:
        return self.inside.longest

    def index(self, values: Values) -> Bins:
        return self._places(values, self._sides, self.inside.index, 0)

    def starts(self, bounds: Values) -> Positions:
        return self._places(bounds, self._bound_sides, self.inside.starts, 0)

    def stops(self, bounds: Values) -> Positions:
        return self._places(bounds, self._bound_sides, self.inside.stops, 1)

    def _places(
        self,
        values: Values,
        sides_of: Callable[[NDArray[Any]], Sides],
        inner: Callable[[NDArray[Any]], NDArray[Any]],
        beyond: int,
    ) -> NDArray[Any]:
        """Return places on the line: ``inner`` ones, moved, and ``beyond`` the start of a named bin."""
        array = as_array(values)
        sides = np.zeros(array.shape, np.int64)
        if array.dtype.kind in "OUT":
            for side, name in ((-1, self.before), (1, self.after)):
                if name is not None:
                    sides[np.asarray(array == name, np.bool_)] = side
        unnamed = sides == 0
        others = self._values(array[unnamed], mixed=not unnamed.all())
        sides[unnamed] = own = sides_of(others)
        within = inner(others[own == 0])
        places = np.full(sides.shape, self.bins - 1 + beyond, within.dtype)
        places[sides < 0] = beyond
        places[sides == 0] = int(self.before is not None) + within
        return places

    def _values(self, others: NDArray[Any], *, mixed: bool) -> NDArray[Any]:
        """Return numbers that came as texts or objects, because names or missing ones were among them."""
        if self.plain.column != "numbers" or not (
            others.dtype.kind == "O" or (mixed and others.dtype.kind in "UT")
        ):
            return others
        try:
            return others.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            if isinstance(self.inside, Extended):  # which has names of its own
                return others
            raise DomainError(
                f"values must be numbers, or {self._names}, got {shown(first_of(others))}"
            ) from None

    def at(self, position: float) -> Any:
        if self.before is not None and position < 1:
            return self.before
        if self.after is not None and position >= self.bins - 1:
            return self.after
        return self.inside.at(position - (self.before is not None))

    def up_to(self, position: float) -> Any:
        if self.before is not None and position <= 1:
            return self.before
        if self.after is not None and position > self.bins - 1:
            return self.after
        return self.inside.up_to(position - (self.before is not None))

    def label(self, index: int) -> str:
        value = self.lower(index)
        named = isinstance(value, str) and value in (self.before, self.after)
        return value if named else self.inside.label(index - (self.before is not None))

    def parse(self, text: str) -> Any:
        return self._parse(text, one_value_of(self))

    def _parse(self, text: str, wanted: str) -> Any:
        return text if text in (self.before, self.after) else self.inside._parse(text, wanted)

    def edges(self) -> NoReturn:
        raise DomainError(f"“{self._names}” has no edges; use domain.plain.edges() for the other bins")

    def bin_columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of the other bins, with nothing in ``from`` and ``to`` of a named one."""
        columns = {"label": np.array([self.label(each) for each in range(self.bins)])}
        for name, column in self.inside.bin_columns().items():
            if name != "label":
                kind = column.dtype if column.dtype.kind == "M" else np.float64
                nothing = np.full(1, np.nan if kind is np.float64 else "NaT", kind)
                before, after = nothing[: self.before is not None], nothing[: self.after is not None]
                columns[name] = np.concatenate([before, column.astype(kind), after])
        return columns

    def middles(self) -> Positions:
        raise DomainError(
            f"a mean needs a number for everybody, and “{self._names}” is none; ask for quantiles or shares"
        )

    def in_words(self) -> str:
        return f"{self.inside.in_words()}, or {self._names}"

    @property
    def _names(self) -> str:
        return " or ".join(filter(None, (self.before, self.after)))


def words_of(domain: Domain) -> dict[str, Any]:
    """Return the words that a ``domain`` takes beside its plain values, and what each may be written as."""
    return domain.words if isinstance(domain, Extended) else {}


def one_value_of(domain: Domain) -> str:
    """Return what one value of a ``domain`` is, in words: ``"a whole number, or “more than 120”"``."""
    words = " or ".join(f"“{word}”" for word in words_of(domain))
    return f"{domain.plain.one_value}, or {words}" if words else domain.plain.one_value


def read_inside(inside: object, *kinds: type[Domain]) -> object:
    """Return the domain that ``inside`` describes, if it is of one of ``kinds``, and else ``inside`` itself.

    Other kinds are not read, so that no description goes deeper than domains do.
    """
    described = isinstance(inside, Mapping) and inside.get("kind") in [kind.kind for kind in kinds]
    return Domain.from_dict(cast(Mapping[str, Any], inside)) if described else inside
