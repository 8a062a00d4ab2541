"""Exact variances: what one report adds to an estimate, and what that makes of any range.

One report of level k contributes a random vector X to that level's estimate θ̂. For every
oracle here its second moment has the form

    E[X Xᵀ] = spread·I + held·diag(θ) + total·11ᵀ + cross·(1θᵀ + θ1ᵀ),

so a query that weighs the level's cells by w has variance (wᵀE[XXᵀ]w − (wᵀθ)²)/N_k from that
level. Users are spread over levels without replacement, which takes off the population's own
variance of the query over N. In a consistent estimate every w is a sum of details, so Σw = 0 and
only ``spread`` and ``held`` remain.

(ψ of the literature, the variance of an item nobody holds, is ``spread + total``; the parts in θ
matter on coarse levels and at large ε. Hadamard hashing with more than one bit has a further
term, between three cells on one line over GF(2^t), that averages to nothing over a population; it
is left out.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldprange.details import Details, Floats

Boundaries = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Noise:
    """The four numbers of one report's second moment; see the module."""

    spread: float
    held: float = 0.0
    total: float = 0.0
    cross: float = 0.0

    @classmethod
    def of_supports(cls, p: float, q: float, *, others: float, held_and_other: float) -> Noise:
        """Return the moments of X = (S − q)/(p − q), S the 0/1 support of each cell.

        A report supports the held cell with probability p and any other with q; it supports two
        given others with probability ``others``, the held and a given other with ``held_and_other``.
        """
        unit = (p - q) ** 2
        spread = (q - others) / unit
        total = (others - q * q) / unit
        cross = (held_and_other - p * q) / unit - total
        held = (p - 2 * p * q + q * q) / unit - spread - total - 2 * cross
        return cls(spread, held, total, cross)


@dataclass(frozen=True, slots=True)
class Law:
    """Who reported on which level, by which noise: all that a variance depends on besides θ."""

    users: NDArray[np.float64]
    noises: tuple[Noise, ...]

    def __post_init__(self) -> None:
        # a level that nobody reported on says nothing; a trace of a user keeps every formula finite
        object.__setattr__(self, "users", np.maximum(self.users, 1e-9))

    def node_variances(self, cells: Sequence[int]) -> Floats:
        """Return σ² of a node on every level, in a population spread evenly over its cells."""
        return np.array(
            [
                (noise.spread + noise.held / count) / users
                for noise, count, users in zip(self.noises, cells, self.users, strict=True)
            ]
        )


def range_variances(details: Details, law: Law, cdf: Floats, low: Boundaries, high: Boundaries) -> Floats:
    """Return the exact variance of the estimated share of bins ``low`` … ``high − 1``, for many ranges.

    ``cdf`` is the population's share below each of the ``bins + 1`` boundaries.
    """
    cuts, steps = [low, high], [np.ones(low.shape), np.zeros(low.shape)]
    if details.padding:
        rho = details.padding.weights
        cuts.append(np.full(low.shape, details.bins))
        steps.append(rho[low] - rho[high])
    share = cdf[high] - cdf[low]
    variance = _walk(details, law, cdf, cuts, steps) - share * (1 - share) / law.users.sum()
    return np.maximum(variance, 0.0)


def _walk(
    details: Details, law: Law, cdf: Floats, cuts: Sequence[Boundaries], steps: Sequence[Floats]
) -> Floats:
    """Add up, level by level, what reports of that level put into queries that are step functions.

    Query f is 0 before the first cut and ``steps[t]`` between cut t and the next. Going down, only
    the nodes that hold a cut need following: on any other, f is constant and so has no further
    details. The weight of a level's node is precision_k times E_k, the sum of λ_l × (mean of f over
    its level-l ancestor − mean over that one's parent), l ≤ k.
    """
    rises = [step - before for step, before in zip(steps, [0.0, *steps[:-1]], strict=True)]
    shape = cuts[0].shape

    def integral(position: Boundaries) -> Floats:
        area = np.zeros(shape)
        for cut, rise in zip(cuts, rises, strict=True):
            area += rise * np.maximum(position - cut, 0)
        return area

    def mass(position: Boundaries) -> Floats:
        return cdf[np.minimum(position, details.bins)]

    root = _Node(np.zeros(shape, np.int64), details.leaves)
    parents = [root] * len(cuts)
    weights = [np.zeros(shape)] * len(cuts)  # E of the node that holds each cut
    means = [integral(np.full(shape, details.leaves)) / details.leaves] * len(cuts)
    squares, held_squares, held_sums = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    variance = np.zeros(shape)

    for k, level in enumerate(details.levels):
        shrink = details.shrink[k]
        if not details.nested:
            squares, held_squares, held_sums = np.zeros(shape), np.zeros(shape), np.zeros(shape)
            weights = [np.zeros(shape)] * len(cuts)
        children = [_Node(np.minimum(cut // level.size, level.cells - 1) * level.size, level.size) for cut in cuts]
        child_means, child_weights = [], []

        def rest(
            start: Boundaries, stop: Boundaries, weight: Floats, apart: NDArray[np.bool_] | bool = True
        ) -> None:
            """Count the siblings in [start, stop), which hold no cut and share one weight."""
            nonlocal squares, held_squares, held_sums
            leaves = np.where(apart, np.maximum(stop - start, 0), 0)
            held = np.where(leaves > 0, mass(stop) - mass(start), 0.0)
            squares = squares + leaves * weight**2
            held_squares = held_squares + held * weight**2
            held_sums = held_sums + held * weight

        path_squares, path_held_squares, path_held_sums = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        for t, child in enumerate(children):
            parent, base, mean = parents[t], weights[t], means[t]
            child_mean = (integral(child.stop) - integral(child.start)) / level.size
            child_weight = base + shrink * (child_mean - mean)
            child_means.append(child_mean)
            child_weights.append(child_weight)

            before = steps[t - 1] if t else np.zeros(shape)
            apart = parents[t - 1].start != parent.start if t else True
            rest(parent.start, child.start, base + shrink * (before - mean), apart)
            stop = parent.stop if t == len(cuts) - 1 else np.minimum(parent.stop, children[t + 1].start)
            rest(child.stop, stop, base + shrink * (steps[t] - mean))

            once = children[t - 1].start != child.start if t else True
            held = np.where(once, mass(child.stop) - mass(child.start), 0.0)
            path_squares += np.where(once, level.size, 0) * child_weight**2
            path_held_squares += held * child_weight**2
            path_held_sums += held * child_weight

        noise, scale = law.noises[k], details.precisions[k] ** 2 / law.users[k]
        variance += scale * (
            noise.spread * (squares + path_squares) / level.size
            + noise.held * (held_squares + path_held_squares)
            - (held_sums + path_held_sums) ** 2
        )
        parents, weights, means = children, child_weights, child_means
    return variance


@dataclass(frozen=True, slots=True)
class _Node:
    start: Boundaries
    size: int

    @property
    def stop(self) -> Boundaries:
        return self.start + self.size
