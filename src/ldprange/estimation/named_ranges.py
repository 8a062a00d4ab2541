"""Ranges by attribute, as they are asked, and where they lie on the attributes' lines of bins."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ldprange.domain import Domain, Product
from ldprange.errors import QueryError, about
from ldprange.support.arrays import Positions
from ldprange.support.checking import listed, shown

Range = tuple[Any, Any] | Sequence[Any] | Any
"""A pair of ends, or a value, which stands for itself."""

Condition = dict[int, tuple[int, int]]
"""By attribute, the first bin of a range and the one after its last."""


def all_named(product: Product, ranges: object, named: dict[str, Range]) -> dict[str, Range]:
    """Return all ranges by attribute: those of the mapping ``ranges``, if there is one, and ``named``."""
    if ranges is None:
        return named
    if not isinstance(ranges, Mapping):
        raise QueryError(
            f"ranges must be by attribute, as {{{product.names[0]!r}: (low, high)}} is, got {shown(ranges)}"
        )
    if twice := ranges.keys() & named.keys():
        raise QueryError(f"an attribute must be named once, got {listed(sorted(twice))} twice")
    return {**ranges, **named}


def positions(
    product: Product, ranges: Mapping[str, Range]
) -> tuple[dict[int, Positions], dict[int, Positions]]:
    """Return where ``ranges`` start and stop, by attribute of the ``product``, in their order."""
    if not ranges:
        raise QueryError(f"name an attribute and its range, such as {product.names[0]}=(low, high)")
    starts, stops = {}, {}
    for attribute, name in sorted((product.place(name), name) for name in ranges):
        low, high = ends_of(name, ranges[name])
        starts[attribute], stops[attribute] = _between(name, product.axes[attribute], low, high)
        with about(name):
            check_ends(starts[attribute], stops[attribute], low, high)
    try:
        shape = np.broadcast_shapes(*(each.shape for each in (*starts.values(), *stops.values())))
    except ValueError:
        raise QueryError("there must be as many ranges of one attribute as of another") from None
    if len(shape) != 1:
        raise QueryError("range takes single bounds; ranges takes lists of them")
    starts = {attribute: np.broadcast_to(each, shape) for attribute, each in starts.items()}
    return starts, {attribute: np.broadcast_to(each, shape) for attribute, each in stops.items()}


def check_ends(starts: Positions, stops: Positions, lows: Any, highs: Any) -> None:
    """Raise QueryError, with the ends as they were asked, if a range does not stop after where it starts."""
    wrong = starts >= stops
    if np.any(wrong):
        at = int(np.flatnonzero(wrong)[0])
        low, high = (np.broadcast_to(np.asarray(ends), wrong.shape).flat[at] for ends in (lows, highs))
        raise QueryError(f"a range must end after it begins, got {low} and {high}; swap or widen them")


def check_one(name: str | None, more: Sequence[str]) -> None:
    """Raise QueryError if a marginal is asked of ``more`` than one name."""
    if more:
        raise QueryError(
            f"a marginal is of one attribute, so name one at a time, got {listed([name, *more])}; "
            "several together have a histogram"
        )


def condition(product: Product, given: Mapping[str, Range] | None, asked: Collection[str]) -> Condition:
    """Return the bins of ranges that are ``given``; none may be of an attribute that is ``asked`` about."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise QueryError(
            f"what is given must be ranges by attribute, as {{'age': (18, 30)}} is, got {shown(given)}"
        )
    found = {}
    for name, pair in given.items():
        if name in asked:
            raise QueryError(f"{name} must be asked about or be given, not both")
        attribute = product.place(name)
        axis, (low, high) = product.axes[attribute], ends_of(name, pair)
        if np.ndim(low) or np.ndim(high):
            raise QueryError(f"{name}: what is given must be one range, got {shown(pair)}")
        ends = _between(name, axis, low, high)
        if ends[0] >= ends[1]:
            raise QueryError(f"{name}: what is given must end after it begins, got {low} and {high}")
        if any(float(end) != round(float(end)) for end in ends):
            raise QueryError(
                f"{name}: what is given must be a range of whole bins, got {low} and {high}; "
                f"{nearest_cells(axis, ends, 1)}"
            )
        found[attribute] = (int(ends[0]), int(ends[1]))
    return found


def nearest_cells(axis: Domain, ends: Sequence[Any], step: int) -> str:
    """Return which whole cells of ``step`` bins are nearest to the range between two ``ends``."""
    last_cell = (axis.bins - 1) // step * step
    first = int(min(max(0.0, round(float(ends[0]) / step) * step), last_cell))
    last = int(min(max(first + step, round(float(ends[1]) / step) * step), axis.bins))
    return f"the nearest is from {axis.lower(first)} to {axis.upper(last - 1)}"


def _between(name: str, axis: Domain, low: Any, high: Any) -> tuple[Positions, Positions]:
    """Return where a range of an attribute starts and stops."""
    with about(name):
        return axis.starts(low), axis.stops(high)


def ends_of(name: str, pair: Range) -> tuple[Any, Any]:
    """Return the two ends of an attribute's range, which is a ``pair`` of them or a single value."""
    several = isinstance(pair, tuple | list)
    if not several and (isinstance(pair, str) or not np.ndim(pair)):
        return pair, pair
    if not several or len(pair) != 2:
        raise QueryError(f"{name} must be a value or a pair of ends, such as (18, 64), got {shown(pair)}")
    return pair[0], pair[1]
