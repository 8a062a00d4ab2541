"""Checks of what users pass in: arrays of numbers, and single numbers."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldprange.errors import DomainError

Values = ArrayLike | Sequence[datetime.date]


def as_array(values: Values) -> NDArray[Any]:
    """Return what came as an array."""
    try:
        return np.asarray(values)
    except ValueError:
        raise DomainError(f"values must be one list, or rows of one length, got {values!r}") from None


def as_numbers(values: Values) -> NDArray[Any]:
    """Return what came as an array of integers or of doubles."""
    array = as_array(values)
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind not in "iuf":
        raise DomainError(f"values must be numbers that a computer word holds, got {first_of(array)!r}")
    # a narrower float would have the domain's ends rounded to its own precision
    return array.astype(np.float64, copy=False) if array.dtype.kind == "f" else array


def check_inside(numbers: NDArray[Any], low: float, high: float) -> None:
    """Refuse numbers outside an interval, and NaN."""
    if numbers.size and not (low <= numbers.min() and numbers.max() <= high):  # NaN is inside nothing
        inside = (numbers >= low) & (numbers <= high)
        raise DomainError(
            f"values must lie between {low} and {high}, got {numbers[~inside].flat[0]}; "
            "leave it out, or make a plan with a wider domain"
        )


def first_of(array: NDArray[Any]) -> object:
    """Return the first entry, for messages."""
    return array.flat[0] if array.size else None


def is_number(value: object) -> TypeGuard[float]:
    """Say whether this is one finite number (and not a truth value)."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        return False
