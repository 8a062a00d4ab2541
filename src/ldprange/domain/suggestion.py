"""A domain that fits a column of values, for rehearsals: real people's values are not to be looked at."""

import datetime
from typing import Any

import numpy as np

from ldprange.domain.contract import Domain
from ldprange.domain.dates import days_of
from ldprange.errors import DomainError
from ldprange.support.checking import first_of, shown
from ldprange.support.columns import column_names, with_missing, without

_BINS = 256  # of numbers with fractions, and of whole ones over a wide span
_MAX_WHOLE_NUMBERS = 1 << 16


def suggested(values: Any) -> Domain:
    """Return a domain that holds all of ``values``, by their type and extent; of a frame, a product."""
    names = column_names(values)
    if names is not None and len(names) > 1:
        return Domain.product(**{name: suggested(values[name]) for name in names})
    array, missing = with_missing(values)
    there = without(array, missing)
    if not there.size:
        raise DomainError(f"a domain can only be suggested for values that are there, got {shown(array)}")
    ordered = _declared_order(values)
    if ordered is not None:
        return Domain.ordered(ordered)
    if there.dtype.kind == "b":
        return Domain.ordered(["False", "True"])
    if there.dtype.kind in "UT":
        return Domain.categories(np.unique(there).tolist())
    if there.dtype.kind == "M" or isinstance(first_of(there), datetime.date):
        days = days_of(there)
        return Domain.dates(days.min().item(), days.max().item())
    if there.dtype.kind in "iuf":
        return _of_numbers(there.min().item(), there.max().item(), bool(np.all(there == np.floor(there))))
    raise DomainError(
        f"a domain is suggested for numbers, dates, labels and truth values, got {shown(first_of(there))}; "
        "make one by hand, as with Domain.integers(0, 119)"
    )


def _of_numbers(low: float, high: float, whole: bool) -> Domain:
    if whole and high - low < _MAX_WHOLE_NUMBERS:
        return Domain.integers(int(low), int(high))
    if low == high:
        low, high = low - 0.5, high + 0.5
    return Domain.real(low, high, bins=_BINS)


def _declared_order(values: Any) -> list[str] | None:
    """Return the labels of a column that gives them an order: pandas' ordered categories, polars' Enum."""
    kind = getattr(values, "dtype", None)
    if type(kind).__name__ == "Enum" or getattr(kind, "ordered", False):
        return [str(label) for label in kind.categories]  # type: ignore[union-attr]
    return None
