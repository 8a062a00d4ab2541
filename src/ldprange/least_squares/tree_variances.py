"""Exact variances of ranges in a consistent tree, by a walk down both ends of each range.

A query weighs every level's cells by a step function with few steps, and so does everything that its variance
depends on: :mod:`ldprange.noise` has the second moment of one report.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ldprange.least_squares.tree import TreeFit
from ldprange.levels import Level
from ldprange.noise import Law
from ldprange.support.arrays import Boundaries, Floats
from ldprange.support.parallel import in_threads, slices

_BLOCK = 1 << 16  # ranges worked out together: threads take turns at Python itself, so few large steps


def range_variances(details: TreeFit, law: Law, cdf: Floats, low: Boundaries, high: Boundaries) -> Floats:
    """Return the exact variance of the estimated share of bins ``low`` … ``high − 1``, for many ranges.

    ``cdf`` is the population's share below each of the ``bins + 1`` boundaries; it must not fall.
    """
    low, high = np.broadcast_arrays(low, high)
    flat_low, flat_high = low.reshape(-1), high.reshape(-1)

    def block(part: slice) -> Floats:
        return _block_variances(details, law, cdf, flat_low[part], flat_high[part])

    if flat_low.size <= _BLOCK:
        return block(slice(None)).reshape(low.shape)
    return np.concatenate(list(in_threads(block, slices(flat_low.size, _BLOCK)))).reshape(low.shape)


def _block_variances(details: TreeFit, law: Law, cdf: Floats, low: Boundaries, high: Boundaries) -> Floats:
    share = cdf[high] - cdf[low]
    certain = (low == high) | ((low == 0) & (high == details.bins))  # nobody, or everybody
    if not np.any(low):  # a prefix is as sure as its complement, which has one cut less
        low, high = high, np.full(high.shape, details.bins)
    cuts: list[Boundaries] = [low]
    steps: list[Floats | float] = [1.0]
    if np.any(high < details.bins):
        cuts.append(high)
        steps.append(0.0)
    if details.padding:
        rho = details.padding.weights
        cuts.append(np.full(low.shape, details.bins))
        steps.append(rho[high] - rho[low])
    variance = _walk(details, law, cdf, [cut.astype(np.float64) for cut in cuts], steps)
    variance -= share * (1 - share) / law.fixed_people
    return np.where(certain, 0.0, np.maximum(variance, 0.0))


def _walk(
    details: TreeFit, law: Law, cdf: Floats, cuts: Sequence[Floats], steps: Sequence[Floats | float]
) -> Floats:
    """Add up, level by level, what reports of that level put into queries that are step functions.

    Query f is 0 before the first cut and ``steps[t]`` between cut t and the next. The weight of a
    node of level k is precision_k × E_k, where E_k = E_{k−1} of its parent + λ_k (mean of f over it −
    mean over its parent). On a node that no cut falls into f is constant, so only the nodes that hold
    one, the *paths*, are followed; siblings between them count in groups. Needed are the sums over
    all nodes of E² by leaves, and of E and E² by the population; each changes from level to level only
    below path nodes.
    """
    rises = [step - before for step, before in zip(steps, [0.0, *steps[:-1]], strict=True)]
    nothing = np.zeros(cuts[0].shape)
    root = _Path(nothing, float(details.leaves), nothing, nothing + 1.0)
    root.mean = _mean(0, cuts, rises, root)
    root.once = 1.0
    parents = [root, *[replace(root, once=0.0) for _ in cuts[1:]]]
    squares, held_sums, held_squares = nothing, nothing, nothing
    path_squares, path_sums = root.size * root.mean**2, root.mean
    any_held = any(noise.occupied for noise in law.noises)
    variance = np.zeros(cuts[0].shape)

    for k, level in enumerate(details.levels):
        shrink = details.shrink[k]
        if not details.nested:
            squares, held_sums, held_squares = nothing, nothing, nothing
        paths = [_Path.at(cut, level, cdf) for cut in cuts]
        squares = squares - shrink**2 * path_squares
        held_sums = held_sums - shrink * path_sums
        path_squares, path_sums = nothing, nothing
        for t, (path, parent) in enumerate(zip(paths, parents, strict=True)):
            path.mean = _mean(t, cuts, rises, path)
            path.once = path.start != paths[t - 1].start if t else 1.0
            own = path.once * path.mean
            path_squares = path_squares + path.size * own * path.mean
            path_sums = path_sums + path.held * own
            group_sums, group_squares = nothing, nothing
            for leaves, held, value in _between(t, paths, parents, steps):
                squares = squares + (shrink * value) ** 2 * leaves
                group_sums = group_sums + value * held
                group_squares = group_squares + value**2 * held
            held_sums = held_sums + shrink * group_sums
            if any_held:
                above = parent.weight if details.nested else 0.0
                base = above - shrink * parent.mean
                path.weight = base + shrink * path.mean
                first, second = group_sums + path.held * own, group_squares + path.held * own * path.mean
                held_squares = held_squares + parent.once * parent.held * (base**2 - above**2)
                held_squares = held_squares + 2 * shrink * base * first + shrink**2 * second
        squares = squares + shrink**2 * path_squares
        held_sums = held_sums + shrink * path_sums

        noise, scale = law.noises[k], details.precisions[k] ** 2 / law.users[k]
        variance += (scale * noise.spread / level.size) * squares
        variance += (scale * noise.occupied) * held_squares
        variance -= scale * held_sums**2
        parents = paths
    return variance


@dataclass(slots=True)
class _Path:
    """For many queries at once: the node of one level that holds a cut."""

    start: Floats
    size: float
    mass: Floats  # the population below its start, and below its end
    mass_after: Floats
    mean: Floats | float = 0.0  # of the query over the node
    weight: Floats | float = 0.0  # E of the node
    once: NDArray[np.bool_] | float = 1.0  # whether no earlier cut falls into the same node

    @classmethod
    def at(cls, cut: Floats, level: Level, cdf: Floats) -> _Path:
        """Find the node that holds a cut; a cut at the far end counts to the last."""
        start = np.minimum(np.floor(cut / level.size), level.cells - 1) * level.size
        first = start.astype(np.intp)
        # nobody lives in the padding, past the end of the cdf
        mass, mass_after = cdf.take(first, mode="clip"), cdf.take(first + level.size, mode="clip")
        return cls(start, float(level.size), mass, mass_after)

    @property
    def held(self) -> Floats:
        """The share of the population in the node."""
        return self.mass_after - self.mass


def _between(
    t: int, paths: Sequence[_Path], parents: Sequence[_Path], steps: Sequence[Floats | float]
) -> Iterator[tuple[Floats, Floats, Floats | float]]:
    """Yield leaves, population and query of the siblings beside path t that no cut falls into.

    Those on its right up to the next path, and those on its left unless they are on an earlier path's
    right. Where the query is 0 throughout there is nothing to count.
    """
    path, parent = paths[t], parents[t]
    if t and _somewhere(steps[t - 1]):
        apart = parent.start != parents[t - 1].start
        yield apart * (path.start - parent.start), apart * (path.mass - parent.mass), steps[t - 1]
    if _somewhere(steps[t]):
        stop, mass = parent.start + parent.size, parent.mass_after
        if t + 1 < len(paths):
            stop, mass = np.minimum(stop, paths[t + 1].start), np.minimum(mass, paths[t + 1].mass)
        leaves = np.maximum(stop - path.start - path.size, 0.0)
        yield leaves, np.maximum(mass - path.mass_after, 0.0), steps[t]


def _somewhere(step: Floats | float) -> bool:
    return not isinstance(step, float) or step != 0.0


def _mean(t: int, cuts: Sequence[Floats], rises: Sequence[Floats | float], path: _Path) -> Floats:
    """Return the mean of step functions over the node that holds cut t (and perhaps others)."""
    stop = path.start + path.size
    area = rises[t] * np.maximum(stop - cuts[t], 0.0)
    for s, (cut, rise) in enumerate(zip(cuts, rises, strict=True)):
        if s < t:
            area += rise * np.minimum(stop - cut, path.size)
        elif s > t:
            area += rise * np.maximum(stop - cut, 0.0)
    return area / path.size
