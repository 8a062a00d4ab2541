"""Several attributes of one person, each with a domain of its own."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NoReturn, get_args

import numpy as np
from numpy.typing import NDArray

from ldprange.domain.contract import Domain, in_message
from ldprange.errors import ArgumentError, DomainError, about
from ldprange.support.arrays import Bins
from ldprange.support.checking import Values, can_be_written, check_choice, listed, normalise, shown
from ldprange.support.columns import Missing, check_columns, column_names, told, with_missing, without
from ldprange.support.parallel import slices

_MAX_COUNTED = 1 << 28  # joint bins: 2 GiB of counters
_TAKEN = ("confidence", "given")  # questions name the attributes, and these words besides


@dataclass(frozen=True)
class Product(Domain):
    """Named attributes. A person has a value in each; people are a column for each.

    An *index* here is one row of bins for each attribute, in their order.
    """

    names: Sequence[str]
    axes: Sequence[Domain]
    kind: ClassVar[str] = "product"

    def __post_init__(self) -> None:
        names = tuple(self.names) if isinstance(self.names, list | tuple) else ()
        axes = tuple(self.axes) if isinstance(self.axes, list | tuple) else ()
        axes = tuple(Domain.from_dict(axis) if _is_readable(axis) else axis for axis in axes)
        if len(names) < 2 or len(names) != len(axes):
            raise DomainError(
                f"a product must have two attributes or more, each with a domain, got {shown(names)}"
            )
        for name, axis in zip(names, axes, strict=True):
            if not isinstance(name, str) or not name or name in _TAKEN or not can_be_written(name):
                raise DomainError(
                    f"an attribute's name must be a text in UTF-8, without NUL, other than "
                    f"{' and '.join(_TAKEN)}, got {shown(name)}"
                )
            if not isinstance(axis, Domain) or isinstance(axis, Product):
                raise DomainError(
                    f"{shown(name)} must have a domain such as Domain.integers makes, got {in_message(axis)}"
                )
            if axis.answered.bins < 2:
                raise DomainError(
                    f"{shown(name)} must have two bins or more, got {in_message(axis)}; leave it out"
                )
        if len(set(names)) != len(names):
            raise DomainError(f"attributes must have names of their own, got {shown(names)}")
        normalise(self, names=names, axes=axes)

    @property
    def bins(self) -> int:
        return math.prod(self.shape)

    @property
    def attributes(self) -> Mapping[str, Domain]:
        return dict(zip(self.names, self.axes, strict=True))

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(axis.bins for axis in self.axes)

    @property
    def answered(self) -> "Product":
        answered = tuple(axis.answered for axis in self.axes)
        everybody = all(one is other for one, other in zip(answered, self.axes, strict=True))
        return self if everybody else replace(self, axes=answered)

    @property
    def unordered(self) -> frozenset[int]:
        return frozenset(place for place, axis in enumerate(self.axes) if axis.unordered)

    def to_dict(self) -> dict[str, Any]:
        # lists, for the order of attributes is part of a plan
        return {"kind": self.kind, "names": list(self.names), "axes": [axis.to_dict() for axis in self.axes]}

    def place(self, name: str) -> int:
        """Return where an attribute stands among the others."""
        self.attribute(name)  # raises an error if there is none of this name
        return self.names.index(name)

    def index(self, values: Values) -> Bins:
        columns = self._columns(values)
        rows = []
        for name, axis, column in zip(self.names, self.axes, columns, strict=True):
            with about(listed([name])):
                rows.append(axis.index(column))
        if any(row.shape != rows[0].shape for row in rows):
            sizes = listed(f"{row.size} of {name}" for name, row in zip(self.names, rows, strict=True))
            raise DomainError(f"there must be as many values of each attribute, got {sizes}")
        return np.stack(rows)

    def index_one(self, value: Any) -> Any:
        """Return the bin of one person's value in each attribute."""
        found = []
        for name, axis, each in zip(self.names, self.axes, self._columns(value), strict=True):
            with about(listed([name])):
                found.append(axis.index_one(each))
        return tuple(found)

    def count(self, values: Values, *, missing: Missing = "refuse") -> Bins:
        """Count people per joint bin: an array with an axis for each attribute."""
        if self.bins > _MAX_COUNTED:
            raise DomainError(
                f"people are counted in at most {_MAX_COUNTED:,} joint bins, got {self.bins:,}; "
                "count some of the attributes"
            )
        flat = np.ravel_multi_index(tuple(self.index(self.present(values, missing))), self.shape)
        return np.bincount(flat.reshape(-1), minlength=self.bins).reshape(self.shape)

    def present(self, values: Values, missing: Missing = "refuse") -> Any:
        """Return a column for each attribute: what is ``missing`` is no answer, where there may be none.

        Elsewhere it is an error, or whoever lacks a value is left out (``"skip"``).
        """
        check_choice(missing, get_args(Missing), "missing", ArgumentError)
        columns = self._columns(values)
        if missing == "skip":
            columns = self._whole_rows(columns)
        found = {}
        for name, axis, column in zip(self.names, self.axes, columns, strict=True):
            with about(listed([name])):
                found[name] = axis.present(column)
        return found

    def _whole_rows(self, columns: Sequence[Any]) -> list[NDArray[Any]]:
        """Return the columns of the people who lack no value that everybody has to tell."""
        arrays, absent = map(list, zip(*map(with_missing, columns), strict=True))
        absent = [each for each, axis in zip(absent, self.axes, strict=True) if not axis.optional]
        if not any(each.any() for each in absent):
            return arrays
        self._check_lengths(arrays)
        incomplete = np.any(absent, axis=0)
        told(arrays[0], incomplete, "skip")
        return [without(each, incomplete) for each in arrays]

    def pieces(self, values: Values, size: int, missing: Missing = "refuse") -> Iterator[Any]:
        columns = list(self.present(values, missing).values())
        self._check_lengths(columns)
        for block in slices(columns[0].size, size):
            yield dict(zip(self.names, (column[block] for column in columns), strict=True))

    def _check_lengths(self, columns: Sequence[NDArray[Any]]) -> None:
        if any(column.ndim != 1 or column.size != columns[0].size for column in columns):
            shapes = listed(column.shape for column in columns)
            raise DomainError(f"values must be columns of one length, one for each attribute, got {shapes}")

    def _columns(self, values: Any) -> list[Any]:
        names = column_names(values)
        if names is not None:  # a frame, which may have other columns besides
            check_columns(names, self.names)
            return [values[name] for name in self.names]
        if not hasattr(values, "keys"):
            raise DomainError(
                f"values must say of which attribute they are, as in {{{self.names[0]!r}: …}}, "
                f"got {type(values).__name__}"
            )
        if set(values.keys()) != set(self.names):
            raise DomainError(f"the attributes must be {listed(self.names)}, got {listed(values.keys())}")
        return [values[name] for name in self.names]

    def describe(self) -> str:
        return "; ".join(f"{name}: {each.describe()}" for name, each in self.attributes.items())

    def _no_line(self, *_: Any, **__: Any) -> NoReturn:
        raise DomainError(
            f"this needs one attribute, and the domain has several; take one of {listed(self.names)}"
        )

    starts = stops = at = up_to = edges = parse = _no_line


def joint_bin_columns(attributes: Mapping[str, Domain]) -> dict[str, NDArray[Any]]:
    """Return columns that say what every joint bin is, the last attribute's bins one after another."""
    places = np.indices([domain.bins for domain in attributes.values()])
    return {
        name if what == "label" else f"{name} {what}": column[place.reshape(-1)]
        for (name, domain), place in zip(attributes.items(), places, strict=True)
        for what, column in domain.bin_columns().items()
    }


def _is_readable(axis: object) -> bool:
    """Say whether ``axis`` describes a domain that is no product: products in products are not read."""
    return isinstance(axis, Mapping) and axis.get("kind") != Product.kind
