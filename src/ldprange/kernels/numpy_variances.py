"""Exact variances over several attributes, in NumPy.

:mod:`ldprange.least_squares.table` says what they are made of.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod
from typing import NamedTuple

import numpy as np

from ldprange.support.arrays import Boundaries, Floats
from ldprange.support.parallel import in_threads, slices

_TOGETHER = 1 << 20  # pieces of questions worked on together, at most


def joint_variances(
    low: Sequence[Boundaries],
    high: Sequence[Boundaries],
    sizes: Sequence[Sequence[int]],
    upto: Floats,
    shrink: Floats,
    spread: Floats,
    scales: Floats,
    held: Floats,
    users: float,
) -> Floats:
    """Return the exact variances of many questions, each on every axis a range of bins.

    Parameters
    ----------
    low, high
        Of every axis the ranges ``low`` … ``high − 1`` of all questions.
    sizes
        Of every axis, how many bins a cell of each depth has, from all of them down to one.
    upto
        The population's share below every joint boundary.
    shrink, spread, scales, held
        Arrays of shape (depths₁ + 1, …). ``shrink``: λ_m. ``spread``: the coefficient of ‖P_m f‖².
        ``scales``: the coefficient of (Σ_{m≤k} λ_m⟨θ, P_m f⟩)². ``held``: the coefficient of ⟨θ, E_k²⟩.
    users
        How many people reported, in all.
    """
    for begin, end, cells in zip(low, high, sizes, strict=True):
        if np.any(begin < 0) or np.any(begin > end) or np.any(end > cells[0]):
            raise ValueError(f"every range must begin before it ends and lie in 0 to {cells[0]}")

    def block(part: slice) -> Floats:
        ranges = zip(low, high, sizes, strict=True)
        pieces = [_pieces(begin[part], end[part], cells) for begin, end, cells in ranges]
        return _block_variances(pieces, upto, shrink, spread, scales, held, users)

    most = prod(4 * len(cells) for cells in sizes)  # pieces of a question
    blocks = slices(low[0].size, max(1, _TOGETHER // most))
    return np.concatenate([np.zeros(0), *in_threads(block, blocks)])


class _Pieces(NamedTuple):
    """For many ranges at once: the pieces of the line on which everything about a range is constant.

    Attributes
    ----------
    edges
        (queries, pieces + 1) boundaries between bins; the last pieces may be empty.
    details
        (queries, pieces, depths + 1): what the projection on the details of each depth is there; of depth 0
        it is the mean over the whole line.
    """

    edges: Boundaries
    details: Floats

    @property
    def energies(self) -> Floats:
        """(queries, depths + 1): the squared length of every projection."""
        energies: Floats = np.einsum("qg,qgm,qgm->qm", np.diff(self.edges), self.details, self.details)
        return energies


def _pieces(low: Boundaries, high: Boundaries, sizes: Sequence[int]) -> _Pieces:
    """Cut the line for ranges of bins ``low`` … ``high − 1``."""
    bins = sizes[0]
    ends = [np.zeros_like(low), np.full_like(low, bins), low, high]
    for size in sizes[1:-1]:  # the cells that an end of the range falls into
        for end in (low, high):
            start = end // size * size
            ends += [start, np.minimum(start + size, bins)]
    # many of them coincide, most of all where ranges are short: each is kept once
    sorted_ends = np.sort(np.stack(ends, axis=-1), axis=-1)
    places = np.cumsum(np.diff(sorted_ends, axis=-1, prepend=-1) > 0, axis=-1) - 1
    edges = np.full((low.size, places.max(initial=1) + 1), bins)
    np.put_along_axis(edges, places, sorted_ends, axis=-1)
    begin = edges[:, :-1, None] // np.array(sizes) * np.array(sizes)
    overlap = np.minimum(high[:, None, None], begin + sizes) - np.maximum(low[:, None, None], begin)
    means = np.maximum(overlap, 0) / np.array(sizes)
    return _Pieces(edges, np.diff(means, axis=-1, prepend=0.0))


def _block_variances(
    pieces: Sequence[_Pieces],
    upto: Floats,
    shrink: Floats,
    spread: Floats,
    scales: Floats,
    held: Floats,
    users: float,
) -> Floats:
    energies = _outer([each.energies for each in pieces])
    variance = energies.reshape(len(energies), -1) @ spread.reshape(-1)
    people = _people(upto, [each.edges for each in pieces])
    towards = shrink * _contract(people, [each.details for each in pieces])
    for a in range(1, towards.ndim):
        towards = np.cumsum(towards, axis=a)
    variance -= (towards**2).reshape(len(towards), -1) @ scales.reshape(-1)
    start = np.broadcast_to(shrink, (len(people), 1, *shrink.shape))
    variance += _held(start, [each.details for each in pieces], held, people.reshape(len(people), -1))
    inside = _outer([each.details.sum(axis=-1) for each in pieces])
    share = (inside * people).reshape(len(people), -1).sum(axis=1)
    exact: Floats = np.maximum(variance - share * (1 - share) / users, 0.0)
    return exact


def _held(sums: Floats, details: Sequence[Floats], held: Floats, people: Floats) -> Floats:
    """Return Σ ``held`` × ⟨θ, E²⟩ over grids of all depths, for every query.

    ``sums`` is (queries, pieces, depths + 1, …): Σ λ P over the depths of the axes before, on the pieces of
    these, for all depths of the axes that come, whose ``details`` are given. Each depth adds to the last.
    """
    queries, before, depths, *rest = sums.shape
    first, *others = details
    total, weights = np.zeros(queries), np.zeros(1)
    for depth in range(depths):
        here = sums[:, :, depth].reshape(queries, before, 1, -1)
        weights = weights + here * first[:, None, :, depth, None]
        if others and np.any(held[depth]):
            total += _held(weights.reshape(queries, -1, *rest), others, held[depth], people)
        elif not others and held[depth]:
            each = weights.reshape(queries, -1)
            total += held[depth] * np.einsum("qp,qp,qp->q", each, each, people)
    return total


def _outer(columns: Sequence[Floats]) -> Floats:
    """Return the products of rows: (queries, …) of every axis into (queries, …, …)."""
    return reduce(lambda a, b: a[..., None] * b[(slice(None), *[None] * (a.ndim - 1))], columns)


def _contract(values: Floats, matrices: Sequence[Floats]) -> Floats:
    """Multiply every axis but the first by that axis's matrices, one for each query."""
    for matrix in matrices:  # the axis in front is taken off, and comes back at the end
        rest = values.shape[2:]
        flat = values.reshape(len(values), values.shape[1], -1)
        values = (flat.transpose(0, 2, 1) @ matrix).reshape(len(values), *rest, matrix.shape[-1])
    return values


def _people(upto: Floats, edges: Sequence[Boundaries]) -> Floats:
    """Return the population in all products of pieces."""
    dimensions = len(edges)
    corners = upto[
        tuple(
            edge.reshape(len(edge), *(-1 if b == a else 1 for b in range(dimensions)))
            for a, edge in enumerate(edges)
        )
    ]
    for a in range(dimensions):
        corners = np.diff(corners, axis=a + 1)
    return corners
