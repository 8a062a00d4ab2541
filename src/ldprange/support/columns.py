"""Columns of people's values as arrays, also from frames of other libraries, and what is missing in them."""

import sys
import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ldprange.errors import DomainError, LdprangeError
from ldprange.support.checking import Values, first_of, listed, shown

Missing = Literal["refuse", "skip"]
"""What becomes of people without a value: an error that says how many there are, or they are left out."""

Bounded = Literal["values", "numbers", "bounds"]
"""What must lie between ends: people's values, numbers where no end can be open, or ends of ranges."""

Mask = NDArray[np.bool_]


def column_names(frame: Any) -> list[str] | None:
    """Return the names of a frame's columns; None for anything that is no frame, such as a single column."""
    if type(frame).__name__ == "LazyFrame":  # polars'
        raise DomainError("a frame must have its rows, got a lazy one; call its collect() first")
    names = getattr(frame, "column_names", None)  # arrow's
    if names is None:
        names = getattr(frame, "columns", None)  # everyone else's
    return None if names is None else list(names)


def check_columns(
    names: Sequence[object],
    wanted: Sequence[str],
    error: type[LdprangeError] = DomainError,
    kind: str = "frame",
) -> None:
    """Raise ``error`` unless each ``wanted`` column is there, once, among the ``names`` of a ``kind``'s."""
    for name in wanted:
        if list(names).count(name) != 1:
            what = "no" if name not in names else "more than one"
            raise error(f"the {kind} has {what} column {shown(name)}; its columns are: {listed(names)}")


def as_array(values: Values) -> NDArray[Any]:
    """Return what came as an array: a list, an array, a column of a frame, or a frame that has only one.

    Times with a zone come as clocks there showed them, whatever library a column is of.
    """
    names = column_names(values)
    if names is not None:
        if len(names) != 1:
            raise DomainError(
                f"values must be one column of the frame, got all of {listed(names)}; "
                f"choose one, as in frame[{shown(next(iter(names), 'age'))}]"
            )
        values = values[names[0]]  # type: ignore[call-overload, index]
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise DomainError("values must all be there, and some are masked; leave those out (.compressed())")
    try:
        array = np.asarray(values)
    except ValueError:
        raise DomainError(f"values must be one list, or rows of one length, got {shown(values)}") from None
    return _by_local_clocks(values) if array.dtype.kind == "M" and _zone_of(values) else array


def _zone_of(column: Any) -> str | None:
    """Return the time zone of a column whose times NumPy, which knows no zones, would have in UTC."""
    kind = getattr(column, "type", None) or getattr(column, "dtype", None)  # arrow's, and everyone else's
    kind = getattr(kind, "value_type", kind)  # of a dictionary
    return getattr(kind, "tz", None) or getattr(kind, "time_zone", None)


def _by_local_clocks(column: Any) -> NDArray[Any]:
    """Return times with a zone as clocks and calendars there showed them."""
    try:
        if hasattr(column, "dt"):  # polars'
            local = column.dt.replace_time_zone(None)
        else:
            from pyarrow import compute

            local = compute.local_timestamp(column.cast(getattr(column.type, "value_type", column.type)))
        return np.asarray(local)
    except (AttributeError, ImportError, TypeError, ValueError):
        raise DomainError(
            "times with a zone must be such that their days there can be told, got those of "
            f"{shown(_zone_of(column))} in a {type(column).__name__}; make a column of days first"
        ) from None


def with_missing(values: Values) -> tuple[NDArray[Any], Mask]:
    """Return what came as an array, and where in it a value is missing.

    Missing are NaN, NaT, None, pandas' NA, null in polars and arrow, and what NumPy has masked.

    >>> with_missing([3, None, 5])[1].tolist()
    [False, True, False]
    """
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        hidden = np.ma.getmaskarray(values)
        array = np.ma.getdata(values).astype(object)
        array[hidden] = "masked"  # for the message
        return array, hidden | np.frompyfunc(_is_missing, 1, 1)(array).astype(bool)
    array = as_array(values)
    if array.dtype.kind == "f":
        missing = np.isnan(array)
    elif array.dtype.kind == "M":
        missing = np.isnat(array)
    elif array.dtype.kind == "O":
        missing = np.asarray(np.frompyfunc(_is_missing, 1, 1)(array), bool)  # also of a single one
    else:
        missing = np.zeros(array.shape, bool)
    return array, missing


def _is_missing(value: Any) -> bool:
    # pandas' own are known by their names, because NA compares with nothing
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.generic) and bool(value != value)


def without(array: NDArray[Any], missing: Mask) -> NDArray[Any]:
    """Return the entries of ``array`` that are not ``missing``, in the type that they have by themselves."""
    kept = array[~missing]
    return np.array(kept.tolist()) if kept.dtype.kind == "O" else kept


def told(array: NDArray[Any], missing: Mask, choice: Missing) -> None:
    """Raise DomainError if values of an ``array`` are ``missing``; only warn if the ``choice`` is "skip"."""
    number = int(np.count_nonzero(missing))
    if number and choice == "refuse":
        raise DomainError(
            f"everyone must have a value, got {array[missing][0]} for {number:,} of {array.size:,} people; "
            'leave them out with missing="skip"'
        )
    if number:
        message = f"left out {number:,} of {array.size:,} people, who have no value"
        warnings.warn(message, stacklevel=_callers_level())


def _callers_level() -> int:
    """Return the ``stacklevel`` with which a warning of this function's caller names the user's own line."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals["__name__"].startswith("ldprange."):
        frame, level = frame.f_back, level + 1
    return level


def as_numbers(values: Values) -> NDArray[Any]:
    """Return what came as an array of integers or of doubles."""
    array = as_array(values)
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind not in "iuf":
        first = first_of(array)
        many = f"an array of {array.dtype} that begins with " * (array.size > 1)
        raise DomainError(
            f"values must be numbers, got {many}{shown(first)}; "
            "convert them first, as with numpy.asarray(values, float)"
        )
    # a narrower float would have the domain's ends rounded to its own precision
    return array.astype(np.float64, copy=False) if array.dtype.kind == "f" else array


def check_inside(numbers: NDArray[Any], low: float, high: float, kind: Bounded = "values") -> None:
    """Raise an error if any number lies outside an interval, or is NaN; what to do is told by ``kind``."""
    if numbers.dtype.kind == "u" and low <= 0 and np.iinfo(numbers.dtype).max <= high:
        return  # such numbers can be nowhere else
    if numbers.size and not (low <= numbers.min() and numbers.max() <= high):  # NaN is inside nothing
        raise outside_error(numbers, low, high, kind)


def outside_error(values: NDArray[Any], low: Any, high: Any, kind: Bounded = "values") -> DomainError:
    """Return the error that says how many ``values`` are not from ``low`` to ``high``, and what to do."""
    below, above = values < low, values > high
    outside = ~((values >= low) & (values <= high))  # also NaN, which is on no side
    number = np.count_nonzero(outside)
    first = values[outside].flat[0]
    others = f" (outside: {number:,} of {values.size:,})" if values.size > 1 else ""
    if not below.any() and not above.any():
        what = "leave missing values out"
    elif kind == "bounds":
        what = "ask within these ends, for reports tell nothing beyond"
    elif kind == "numbers":
        what = "stay within, or make the domain wider"
    else:
        sides = {(True, False): ('"low"', f"below {low}"), (False, True): ('"high"', f"above {high}")}
        ends, place = sides.get((bool(below.any()), bool(above.any())), ("True", "beyond the ends"))
        what = (
            f"stay within, or make the domain wider, or give all {place} a bin of their own, with "
            f"open_ends={ends} (or --open-ends)"
        )
    return DomainError(f"{kind} must lie between {low} and {high}, got {first}{others}; {what}")
