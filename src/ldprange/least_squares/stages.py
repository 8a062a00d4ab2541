"""The estimate from windows in stages: least squares in blocks that know of each other only by their parts.

A *stage* cuts the line into cells, and the cells into blocks. Its levels ask for windows of so many cells,
clipped to the block. The cells of the stage above are *parts* of a block, a few to each, so windows of one
stage reach where the next one's do too. Given the shares of its parts, a block depends on nothing outside it.
So let T_w be the matrix of max(0, 1 − t/w), n λ a level's users × the information of a report (1 over the
variance of a window's estimate in an even population), and Z what adds a block's cells up into parts. From
the finest stage up, with the parts of the stage below as cells here,

    F = Σ_levels n λ T_w + diag(Λ of the blocks below)      the information on a block's cells,
    Λ = (Z F⁻¹ Zᵀ)⁻¹      what it says of its parts,
    E = F⁻¹ Zᵀ Λ      how parts are shared out among cells,
    R = F⁻¹ − E Λ⁻¹ Eᵀ      the covariance of cells, given the parts.

The whole line is the topmost block, its only part is everybody, known to be 1. Level l gives an unbiased
estimate of T_w θ (:mod:`ldprange.oracles.shifted`); let b be n λ times it, summed over a stage's levels, plus
Eᵀb of the blocks below. Then from the top down, cells = R b + E × parts. With one stage that is least squares
on the whole line; stages of one part, asked for windows of one cell only, are the paper's tree.

The covariance so found is that of an *even* population, which every window holds an equal part of;
:mod:`ldprange.least_squares.stage_variances` has the exact one. Cells beyond the bins hold nobody: the
estimate is conditioned on their total being 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ldprange.least_squares.either_end import inverses
from ldprange.least_squares.known_total import KnownTotal
from ldprange.noise import Law
from ldprange.support.arrays import Floats


class Stage(NamedTuple):
    """Windows of ``widths`` cells, widest first, in blocks of ``block`` cells of ``size`` bins."""

    size: int
    block: int
    widths: tuple[int, ...]

    def scaled(self, bins: int) -> Stage:
        """Return the same stage of a line whose bins are cells of so many ``bins``."""
        return self._replace(size=self.size * bins)


class Block:
    """What the levels of a stage, and of those below, say of a block and of its parts: R, E and Λ.

    ``information`` is F, or many of them: the same from either end of a block.
    """

    def __init__(self, information: Floats, parts: int) -> None:
        inverse = inverses(information)
        *many, cells, _ = inverse.shape
        shared = inverse.reshape(*many, cells, parts, cells // parts).sum(axis=-1)
        known = shared.reshape(*many, parts, cells // parts, parts).sum(axis=-2)
        self.parts = parts
        self.precision: Floats = np.linalg.inv(known)
        self.shared_out: Floats = shared @ self.precision
        self.within: Floats = inverse - self.shared_out @ np.swapaxes(shared, -1, -2)

    def __getitem__(self, rows: Any) -> Block:
        """Return the block of one row of many, or of some."""
        some = copy(self)
        some.precision, some.shared_out, some.within = (
            each[rows] for each in (self.precision, self.shared_out, self.within)
        )
        return some

    @cached_property
    def prefix_rows(self) -> Floats:
        """The covariance of the cells below each boundary with every cell, given the parts."""
        return _first_rows(self.within)

    @cached_property
    def prefixes(self) -> Floats:
        """The covariance of the cells below any two boundaries, given the parts."""
        return np.ascontiguousarray(_first_rows(self.prefix_rows.T))

    @cached_property
    def prefix_parts(self) -> Floats:
        """Weights of the shares below the ends of parts, that of the first's begin too, at each boundary.

        Their sum is what is known, given the parts, of the share below the boundary.
        """
        below = np.pad(_first_rows(self.shared_out), [(0, 0), (1, 1)])
        below[:, 0] = 1
        return -np.diff(below, axis=1)


def parts_of(stages: Sequence[Stage]) -> list[int]:
    """Return how many cells of the stage above a block of each stage is; the whole line is one part."""
    return [1, *(low.size * low.block // high.size for high, low in pairwise(stages))]


def stacked_blocks(stages: Sequence[Stage], weights: Floats) -> list[Block]:
    """Return the block of every stage, given n λ of all levels (or many such rows)."""
    many, at, found = np.atleast_2d(weights), weights.shape[-1], list[Block]()
    for stage, number in reversed(list(zip(stages, parts_of(stages), strict=True))):
        first = at - len(stage.widths)
        apart = np.arange(stage.block)
        held = [np.maximum(0.0, 1 - apart / width) for width in stage.widths]
        # rows that differ only in the stages above are worked out once
        _, some, places = np.unique(many[:, first:], axis=0, return_index=True, return_inverse=True)
        column = many[some, first:at] @ np.reshape(held, (-1, stage.block))
        information = column[:, np.abs(apart[:, None] - apart)]
        if found:
            inner = apart.reshape(-1, found[-1].parts)
            information[:, inner[:, :, None], inner[:, None, :]] += found[-1].precision[some, None]
        found.append(Block(information, number)[places.reshape(-1)])
        at = first
    return found[::-1] if weights.ndim > 1 else [block[0] for block in reversed(found)]


class StagesFit:
    """Stages of windows with their users and noise: the estimator and its even covariance.

    Parameters
    ----------
    stages
        From the one whose only block is the whole line down to the one whose cells are bins.
    bins
        How many cells of the last stage are real; the others hold nobody.
    asked
        How many windows the oracle of each level is asked about, level by level.
    law
        Users and noise of every level.
    """

    def __init__(self, stages: Sequence[Stage], bins: int, asked: Sequence[int], law: Law) -> None:
        self.stages, self.bins, self.law = tuple(stages), bins, law
        self.asked = np.array(asked)
        self.weights = 1 / law.node_variances(asked)
        """n λ of every level."""
        first = np.append(0, np.cumsum([len(stage.widths) for stage in stages]))
        self.levels = [slice(*ends) for ends in pairwise(first.tolist())]
        """Which levels are each stage's."""
        self.leaves = stages[0].size * stages[0].block
        self.blocks = stacked_blocks(stages, self.weights)
        self.padding = self._padding() if self.leaves > bins else None

    def fit(self, estimates: Sequence[Floats]) -> Floats:
        """Return the bins' shares from every level's back-projected estimate."""
        rights = [
            sum(
                weight * estimate[: self.leaves // stage.size]
                for weight, estimate in zip(self.weights[levels], estimates[levels], strict=True)
            )
            for stage, levels in zip(self.stages, self.levels, strict=True)
        ]
        shares = self.combine(rights, 1.0)[-1]
        return self.padding.condition(shares) if self.padding else shares

    def combine(self, rights: Sequence[Floats | float], total: float = 0.0) -> list[Floats]:
        """Return the cells of every stage from its right side b, and what all of them add up to.

        With a total of 0 that is the even covariance of every cell with Σ b × cell. Stages that follow after
        the last right side have none, and are left out.
        """
        used = list(zip(self.stages, self.blocks, rights, strict=False))
        carried: Floats | float = 0.0
        together: list[Floats] = []
        for stage, block, right in reversed(used):
            cells = np.zeros(self.leaves // stage.size) + right + carried
            together.append(cells.reshape(-1, stage.block))
            carried = (together[-1] @ block.shared_out).reshape(-1)
        found = [np.array([total])]
        for (_, block, _), cells in zip(used, reversed(together), strict=True):
            parts = found[-1].reshape(-1, block.parts)
            found.append((cells @ block.within + parts @ block.shared_out.T).reshape(-1))
        return found[1:]

    def gains(self, boundary: int) -> list[Floats]:
        """Return what the share below a boundary gains from each level's back-projected estimate."""
        cells = self.below(boundary)
        if self.padding:
            known = float(self.padding.weights[boundary])
            cells = [own - known * whole for own, whole in zip(cells, self.below(self.bins), strict=True)]
        return [
            weight * own
            for own, levels in zip(cells, self.levels, strict=True)
            for weight in self.weights[levels]
        ]

    def _padding(self) -> KnownTotal:
        covariances = np.append(0.0, np.cumsum(self.below(self.bins)[-1][: self.bins]))
        return KnownTotal(np.arange(self.bins + 1), covariances)

    def below(self, boundary: int) -> list[Floats]:
        """Return the even covariance, were there no padding, of all cells with the share below a boundary."""
        # all blocks of bins but one are on either side of the boundary: three kinds of them are worked out
        size, block = self.stages[-1].block, self.blocks[-1]
        at, inside = divmod(boundary, size)
        kinds = np.array([np.ones(size), np.arange(size) < inside, np.zeros(size)])
        which = np.clip(np.arange(self.leaves // size) - at, -1, 1) + 1
        carried = (kinds @ block.shared_out)[which].reshape(-1)
        above = self.combine([*[0.0] * (len(self.stages) - 2), carried]) if len(self.stages) > 1 else []
        parts = above[-1].reshape(-1, block.parts) if above else np.zeros((1, 1))
        return [*above, ((kinds @ block.within)[which] + parts @ block.shared_out.T).reshape(-1)]


def _first_rows(rows: Floats) -> Floats:
    """Return the sums of the first 0, 1, 2, … rows."""
    return np.concatenate([np.zeros((1, rows.shape[1])), np.cumsum(rows, axis=0)])
