"""Domains: between people's values and D ordered bins, in both directions.

A domain is the sole owner of end points and units. Everything else counts bins. A
*position* is a point on the line of bins: bin ``b`` covers positions ``b`` to ``b + 1``.
"""

from __future__ import annotations

import datetime
import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ldprange.domain.text import shown as for_people
from ldprange.errors import ArgumentError, DomainError
from ldprange.support.arrays import Bins, Positions
from ldprange.support.checking import Values, check_choice, check_type, listed, make_described, shown
from ldprange.support.columns import Bounded, Missing, told, with_missing, without
from ldprange.support.parallel import slices

OpenEndsLike = bool | Literal["both", "low", "high"]
"""Which ends of a domain are open."""

LONGEST_NUMBER = 1 << 8
"""Bytes of a number or a date, as text."""


class Domain(ABC):
    """The ordered values that people may have, cut into ``bins`` bins.

    Make one with :meth:`integers`, :meth:`real`, :meth:`logarithmic`, :meth:`dates`,
    :meth:`ordered` or :meth:`categories`; several of them together are a :meth:`product`.

    >>> Domain.integers(0, 119).bins
    120
    >>> Domain.ordered(["XS", "S", "M"]).index(["M", "XS"]).tolist()
    [2, 0]
    """

    kind: ClassVar[str] = ""
    one_value: ClassVar[str] = "a number"  # for people
    values: ClassVar[str] = "numbers"
    scale: ClassVar[Literal["linear", "logarithmic"] | None] = None
    """How numbers lie on the line of bins; None for values that are no numbers."""
    column: ClassVar[Literal["numbers", "dates", "labels"]] = "numbers"
    """What a table's column of values holds."""
    _kinds: ClassVar[dict[str, Callable[..., Domain]]] = {}  # what a description's kind stands for

    def __init_subclass__(cls) -> None:
        if cls.kind:
            Domain._kinds[cls.kind] = cls

    @property
    @abstractmethod
    def bins(self) -> int:
        """The number of bins."""

    @property
    def longest(self) -> int:
        """How many bytes a value may have in a table, where it is text."""
        return LONGEST_NUMBER

    @staticmethod
    def integers(low: int, high: int, *, open_ends: OpenEndsLike = False, no_answer: bool = False) -> Domain:
        """Whole numbers from ``low`` to ``high``, both included, one bin each.

        ``open_ends`` is as :meth:`with_open_ends` has it, ``no_answer`` as :meth:`with_no_answer`; here and
        in the others below.
        """
        return Domain._kinds["integers"](low, high)._with(open_ends, no_answer)

    @staticmethod
    def real(
        low: float, high: float, bins: int, *, open_ends: OpenEndsLike = False, no_answer: bool = False
    ) -> Domain:
        """Real numbers from ``low`` to ``high`` in ``bins`` bins of equal width."""
        return Domain._kinds["real"](low, high, bins)._with(open_ends, no_answer)

    @staticmethod
    def logarithmic(
        low: float, high: float, bins: int, *, open_ends: OpenEndsLike = False, no_answer: bool = False
    ) -> Domain:
        """Positive numbers from ``low`` to ``high`` in bins of equal ratio."""
        return Domain._kinds["logarithmic"](low, high, bins)._with(open_ends, no_answer)

    @staticmethod
    def dates(
        first: datetime.date | str,
        last: datetime.date | str,
        *,
        open_ends: OpenEndsLike = False,
        no_answer: bool = False,
    ) -> Domain:
        """Days from ``first`` to ``last``, both included, one bin each."""
        return Domain._kinds["dates"](first, last)._with(open_ends, no_answer)

    @staticmethod
    def ordered(labels: Iterable[str], *, no_answer: bool = False) -> Domain:
        """Labels with an order, such as sizes or grades, one bin each."""
        return Domain._kinds["ordered"](labels)._with(False, no_answer)

    @staticmethod
    def categories(labels: Iterable[str], *, no_answer: bool = False) -> Domain:
        """Labels without an order, such as regions, one bin each; a range is of labels as they are listed."""
        return Domain._kinds["categories"](labels)._with(False, no_answer)

    @staticmethod
    def product(attributes: Mapping[str, Domain] | None = None, /, **named: Domain) -> Domain:
        """Several attributes of one person, by name, such as ``product(age=…, income=…)``.

        A mapping may have names that are no words of Python: ``product({"Rent in €": …, "rooms": …})``.
        """
        if attributes is not None and not isinstance(attributes, Mapping):
            raise DomainError(f"attributes must be by name, as in {{'age': …}}, got {shown(attributes)}")
        together = {**(attributes or {}), **named}
        if attributes and (twice := attributes.keys() & named.keys()):
            raise DomainError(f"an attribute must be named once, got {listed(sorted(twice))} twice")
        return Domain._kinds["product"](tuple(together), tuple(together.values()))

    def with_open_ends(self, sides: OpenEndsLike = True) -> Domain:
        """Return the domain with bins for all that lies beyond its ends: ``sides`` says which.

        ``True`` or ``"both"``, ``"low"`` or ``"high"``; ``False`` changes nothing. Such a bin's name stands
        for its value: "less than 0", "more than 120", "before 2026-01-01".

        >>> Domain.integers(0, 120).with_open_ends("high").describe()
        'whole numbers from 0 to 120, or more than 120 (122 bins)'
        """
        if sides is False:
            return self
        return Domain._kinds["open_ends"](self, "both" if sides is True else sides)

    def with_no_answer(self, may_be_none: bool = True) -> Domain:
        """Return the domain with one more bin, "no answer", if there ``may_be_none``; else itself.

        >>> Domain.ordered(["S", "M"]).with_no_answer().describe()
        'labels S, M, or no answer (3 bins)'
        """
        return Domain._kinds["no_answer"](self) if may_be_none else self

    def _with(self, open_ends: OpenEndsLike, no_answer: bool) -> Domain:
        check_type(no_answer, bool, "whether there may be no answer")
        return self.with_open_ends(open_ends).with_no_answer(no_answer)

    @property
    def plain(self) -> Domain:
        """The domain without bins for answers that are none of its values: itself, if it has none."""
        return self

    @property
    def plain_bins(self) -> slice:
        """Which of the bins are those of :attr:`plain`."""
        return slice(0, self.bins)

    @property
    def answered(self) -> Domain:
        """The domain of the people who gave an answer: itself, if all have to."""
        return self

    @property
    def optional(self) -> bool:
        """Whether people may give no answer."""
        return self.answered is not self

    @staticmethod
    def of(values: Any) -> Domain:
        """Suggest a domain for ``values``, such as a frame's column, by type and extent; for rehearsals.

        Whole numbers, real ones (256 bins), days, truth values, labels (without an order, unless the column
        has one); a frame gives a product of its columns. In a real survey nobody sees the values, and a
        domain made from them would tell of the least and the greatest: so there is a warning.
        """
        from ldprange.domain.suggestion import suggested

        warnings.warn(
            "a domain made from people's values gives away something about them, so use it for rehearsals "
            "only; for a survey, choose the ends by what you know beforehand",
            stacklevel=2,
        )
        return suggested(values)

    @staticmethod
    def from_dict(description: Mapping[str, Any]) -> Domain:
        """Rebuild a domain from :meth:`to_dict`."""
        return make_described("a domain", Domain._kinds, description, DomainError)

    @property
    def attributes(self) -> Mapping[str, Domain]:
        """The domain of every attribute by its name; a domain that is no product has one, without a name.

        >>> list(Domain.integers(0, 9).attributes), list(Domain.product(a=Domain.integers(0, 9),
        ...                                                             b=Domain.integers(0, 4)).attributes)
        ([''], ['a', 'b'])
        """
        return {"": self}

    def attribute(self, name: str) -> Domain:
        """Return the domain of the attribute called ``name``; ``""`` where there is only one."""
        if name in self.attributes:
            return self.attributes[name]
        if "" in self.attributes:
            raise DomainError(
                f"there is one attribute, without a name, got {shown(name)}; leave the name out"
            )
        raise DomainError(f"the attributes are {listed(self.attributes)}, got {shown(name)}")

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of bins of every attribute; there is one, unless this is a product."""
        return (self.bins,)

    @property
    def unordered(self) -> frozenset[int]:
        """The places of the attributes whose bins have no order: neighbours have nothing in common."""
        return frozenset()

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Describe the domain in plain JSON types."""

    @abstractmethod
    def index(self, values: Values) -> Bins:
        """Return the bin of every value; any value outside the domain is an error."""

    def index_one(self, value: Any) -> int:
        """Return the bin of one value, as :meth:`index` does."""
        if value is None and not self.optional:
            raise DomainError(
                "a person must have a value, got None; if people may give no answer, make the domain with "
                "no_answer=True"
            )
        index = self.index(value)
        if index.ndim:
            raise DomainError(f"the value must be a single one, got {shown(value)}")
        return int(index)

    def sides_of(self, values: Values) -> NDArray[np.int64]:
        """Return of every value −1 if it lies below the domain, 1 if above it, and else 0."""
        raise DomainError(f"only numbers and days lie below or above others, and these are {self.values}")

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
        return self.at(float(self._bin(index)))

    def upper(self, index: int) -> Any:
        """Return the greatest value of a bin (its upper edge, where bins have width)."""
        return self.up_to(float(self._bin(index) + 1))

    def _bin(self, index: Any) -> int:
        """Return the ``index`` of a bin as a whole number, or raise DomainError if there is no such bin."""
        if isinstance(index, bool) or not isinstance(index, int | np.integer) or not 0 <= index < self.bins:
            raise DomainError(f"a bin must be a whole number from 0 to {self.bins - 1}, got {shown(index)}")
        return int(index)

    @abstractmethod
    def edges(self) -> NDArray[Any]:
        """Return the ``bins + 1`` edges of the bins in the domain's units, as ``numpy.histogram`` takes them.

        The bin of a whole number, or of a day, goes from itself up to the next. Labels have no edges.

        >>> Domain.real(0.0, 1.0, bins=4).edges().tolist()
        [0.0, 0.25, 0.5, 0.75, 1.0]
        >>> Domain.integers(1, 3).edges().tolist()
        [1, 2, 3, 4]
        """

    def bin_columns(self) -> dict[str, NDArray[Any]]:
        """Return columns that say what every bin is: ``from`` and ``to``, its ends, or its ``label``.

        >>> {name: column.tolist() for name, column in Domain.real(0.0, 1.0, bins=2).bin_columns().items()}
        {'from': [0.0, 0.5], 'to': [0.5, 1.0]}
        """
        try:
            edges = self.edges()
        except DomainError:
            return {"label": np.array([self.label(each) for each in range(self.bins)])}
        return {"from": edges[:-1], "to": edges[:-1] if isinstance(self, Discrete) else edges[1:]}

    def run_ends(self, edges: Sequence[int]) -> tuple[list[Any], list[Any]]:
        """Return the least and the greatest value of every run of bins between edges.

        >>> Domain.integers(1, 9).run_ends([0, 3, 9])
        ([1, 4], [3, 9])
        """
        lows = [self.lower(int(edge)) for edge in edges[:-1]]
        return lows, [self.upper(int(edge) - 1) for edge in edges[1:]]

    def count(self, values: Values, *, missing: Missing = "refuse") -> Bins:
        """Count values per bin; a ``missing`` one (NaN, None, NaT, NA, null) is an error, or left out (skip).

        >>> Domain.integers(1, 3).count([1, 3, 3]).tolist()
        [1, 0, 2]
        """
        return np.bincount(self.index(_one_column(self.present(values, missing))), minlength=self.bins)

    def present(self, values: Values, missing: Missing = "refuse") -> Any:
        """Return ``values`` as an array; if some are ``missing``, an error, or the others with a warning."""
        check_choice(missing, get_args(Missing), "missing", ArgumentError)
        array, absent = with_missing(values)
        if not absent.any():
            return array
        told(array, absent, missing)
        return without(array, absent)

    def pieces(self, values: Values, size: int, missing: Missing = "refuse") -> Iterator[Any]:
        """Cut people's values into pieces of at most ``size``; ``missing`` ones as :meth:`count` does."""
        array = _one_column(self.present(values, missing))
        for block in slices(array.size, size):
            yield array[block]

    def middles(self) -> Positions:
        """Return the number in the middle of every bin; a domain of anything but numbers has none.

        >>> Domain.integers(3, 5).middles().tolist(), Domain.real(0, 1, 2).middles().tolist()
        ([3.0, 4.0, 5.0], [0.25, 0.75])
        """
        raise DomainError(
            f"a mean needs numbers, and the domain holds {self.values}; ask for "
            + ("the share of each" if self.unordered else "quantiles or shares")
        )

    def parse(self, text: str) -> Any:
        """Return the bound that was typed as ``text``.

        >>> Domain.dates("2026-01-01", "2026-12-31").parse("2026-03-01")
        datetime.date(2026, 3, 1)
        """
        return self._parse(text, self.one_value)

    def _parse(self, text: str, wanted: str) -> Any:
        """Do so; an error says that a bound must be what is ``wanted``."""
        try:
            if "_" in text or not text.isascii():  # Python's numbers may have these; people's have not
                raise ValueError
            return self._read(text)
        except ValueError:
            raise DomainError(f"a bound must be {wanted}, got {text[:40]!r}") from None

    def _read(self, text: str) -> Any:
        return float(text)

    def describe(self) -> str:
        """Return in a few words what values the domain holds.

        >>> Domain.integers(0, 119).describe()
        'whole numbers from 0 to 119 (120 bins)'
        """
        return f"{self.in_words()} ({self.bins:,} bin{'s' * (self.bins != 1)})"

    def in_words(self) -> str:
        """Return in a few words what values there are, without their number."""
        return f"{self.values} from {for_people(self.lower(0))} to {for_people(self.upper(self.bins - 1))}"

    def label(self, index: int) -> str:
        """Return a bin's name for tables and axes."""
        return str(self.lower(index))


def in_message(value: object) -> str:
    """Return ``value`` for a message: of a domain what it holds, in its own words."""
    return value.describe() if isinstance(value, Domain) else shown(value)


def _one_column(values: Any) -> Any:
    if values.ndim != 1:
        raise DomainError(f"values must be one column, a value a person, got shape {values.shape}")
    return values


class Discrete(Domain):
    """One bin per value, so both ends of a range are whole bins and both are included."""

    def starts(self, bounds: Values) -> Positions:
        return self._bins_of(bounds, "bounds").astype(np.float64)

    def stops(self, bounds: Values) -> Positions:
        return (self._bins_of(bounds, "bounds") + 1).astype(np.float64)

    def index(self, values: Values) -> Bins:
        return self._bins_of(values, "values")

    @abstractmethod
    def _bins_of(self, values: Values, kind: Bounded) -> Bins:
        """Return the bins of values, or of bounds: as an error calls them."""

    def at(self, position: float) -> Any:
        return self._value(min(max(math.floor(position), 0), self.bins - 1))

    def up_to(self, position: float) -> Any:
        return self._value(min(max(math.ceil(position) - 1, 0), self.bins - 1))

    @abstractmethod
    def _value(self, index: int) -> Any: ...
