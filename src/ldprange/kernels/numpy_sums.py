"""Weighted sums over a few neighbouring rows of a table, in NumPy: the reference."""

import numpy as np

from ldprange.support.arrays import Boundaries, Floats
from ldprange.support.parallel import slices

_TOGETHER = 1 << 18  # numbers worked on together


def weighted_rows(
    table: Floats,
    first: Boundaries,
    weights: Floats,
    column: Boundaries | None = None,
    width: int | None = None,
) -> Floats:
    """Return the sums of ``weights`` times rows ``first``, ``first + 1``, … of ``table``.

    Of each row only ``width`` numbers from ``column`` on count; left out, all do.

    >>> table = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> weighted_rows(table, np.array([0, 1]), np.array([[1.0, 1.0], [0.0, 2.0]])).tolist()
    [[4.0, 6.0], [10.0, 12.0]]
    """
    columns = np.arange(table.shape[1] if width is None else width)
    start = np.zeros_like(first) if column is None else column
    rows = np.arange(weights.shape[1])
    found = np.empty((first.size, columns.size))
    for some in slices(first.size, max(1, _TOGETHER // (rows.size * columns.size + 1))):
        each = table[(first[some, None] + rows)[:, :, None], (start[some, None] + columns)[:, None, :]]
        found[some] = np.einsum("qk,qkc->qc", weights[some], each)
    return found


def weighted_pairs(
    table: Floats, first: Boundaries, weights: Floats, column: Boundaries, others: Floats
) -> Floats:
    """Return the sums over rows ``first``, … and columns ``column``, … of ``table`` × the weights of both.

    >>> table = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> both, second = np.array([[1.0, 1.0]]), np.array([[2.0]])
    >>> weighted_pairs(table, np.array([0]), both, np.array([1]), second).tolist()
    [12.0]
    """
    along = weighted_rows(table, first, weights, column, others.shape[1])
    sums: Floats = (along * others).sum(axis=1)
    return sums


def product_sums(
    table: Floats, one: Boundaries, other: Boundaries, weights: Floats, which: Boundaries
) -> Floats:
    """Return Σ of row ``one`` × row ``other`` of ``table`` × row ``which`` of ``weights``.

    >>> table, weights = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 10.0]])
    >>> product_sums(table, np.array([0]), np.array([1]), weights, np.array([0])).tolist()
    [83.0]
    """
    found = np.empty(one.size)
    for some in slices(one.size, max(1, _TOGETHER // (table.shape[1] + 1))):
        found[some] = np.einsum("qw,qw,qw->q", table[one[some]], table[other[some]], weights[which[some]])
    return found
