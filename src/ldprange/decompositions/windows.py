"""Shifted windows: levels of windows that lie at a random place for each person.

A fixed grid wastes a third of what the reports say: a range that straddles the grid's cuts pays for all of
them. Here every person draws a public shift of the grid besides the level, so that no place is worse than
another. On long lines windows come in stages (:mod:`ldprange.least_squares.stages`): narrow ones inside
blocks of bins, wide ones of whole parts of such blocks. Where little can be known they are windows of cells
of several bins, which nothing tells apart (:mod:`ldprange.decompositions.cells`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from ldprange.decompositions.cells import EvenInCells
from ldprange.decompositions.contract import Decomposition, Estimator, Layout, Variances
from ldprange.decompositions.one_attribute import LineLayout, narrow_blocks
from ldprange.decompositions.stages_design import stages_for, stages_probabilities
from ldprange.decompositions.windows_design import windows_probabilities
from ldprange.domain import Domain
from ldprange.errors import PlanError
from ldprange.least_squares.stage_means import mean_variances
from ldprange.least_squares.stage_tables import StageTables
from ldprange.least_squares.stage_variances import StageVariances, even_covariances, even_prefixes
from ldprange.least_squares.stages import Stage, StagesFit
from ldprange.levels import Level, block_begins, block_ends
from ldprange.noise import Law
from ldprange.support.arrays import Boundaries, Floats
from ldprange.support.checking import normalise, shown
from ldprange.support.parallel import in_threads, slices

_NEGLIGIBLE = 0.003  # the least probability worth a level
_TOGETHER = 1 << 16  # blocks of bins whose variances are worked out together
_MAX_BLOCK = 1 << 12  # cells of a block: its tables have a number for any two


@dataclass(frozen=True, slots=True, repr=False)
class Windows(Decomposition):
    """Windows at a random shift: the most accurate decomposition for ranges and prefixes.

    ``widths`` are the windows' sizes in bins, one a level, widest first, on the whole line at once.
    ``stages`` are given instead on long lines, the one of the widest windows first: the bins of a cell, the
    cells of a block, and the widths of windows in cells. The cells of the last are bins, or as many as are
    not to be told apart (:meth:`coarse`). Left out, both are chosen for the number of bins: the powers of
    two, in blocks of at most 1,024 cells.

    >>> from ldprange import Domain
    >>> [level.shifts for level in Windows().on(Domain.integers(0, 119)).levels]
    [64, 32, 16, 8, 4, 2, 1]
    """

    widths: Sequence[int] | None = None
    stages: Sequence[tuple[int, int, Sequence[int]]] | None = None
    kind: ClassVar[str] = "windows"

    def __post_init__(self) -> None:
        if self.widths is not None and self.stages is not None:
            raise PlanError("windows must have widths or stages, got both")
        if self.widths is not None:
            normalise(self, widths=_checked_widths(self.widths, finest=True))
        if self.stages is not None:
            normalise(self, stages=_checked_stages(self.stages))

    def __repr__(self) -> str:
        if self.stages is not None:
            return f"Windows(stages={tuple((size, block, widths) for size, block, widths in self.stages)})"
        return f"Windows({'' if self.widths is None else f'widths={self.widths}'})"

    @staticmethod
    def coarse(domain: Domain, cells: int) -> Windows:
        """Return windows of about so many ``cells`` of ``domain``: from half as many to twice as many.

        All cells are alike, if the bins can be divided so; else the last is smaller.

        >>> from ldprange import Domain
        >>> Windows.coarse(Domain.integers(0, 999), 120)
        Windows(stages=((8, 125, (64, 32, 16, 8, 4, 2, 1)),))
        """
        if type(cells) is not int or cells < 2:
            raise PlanError(f"cells must be a whole number of at least 2, got {shown(cells)}")
        bins = domain.bins
        size = max(1, round(bins / cells))
        near = np.arange(-(-2 * size // 3), 3 * size // 2 + 1)
        even = near[(bins % near == 0) & (near < bins)]
        if even.size:
            size = int(even[np.argmin(np.abs(np.log(even / size)))])
        return _described([stage.scaled(size) for stage in stages_for(-(-bins // size))])

    def on(self, domain: Domain) -> Layout:
        if len(domain.shape) > 1:
            raise PlanError("windows are for one attribute; use Tree(branching) over several")
        bins = domain.bins
        if self.stages is not None:
            stages = [Stage(size, block, tuple(widths)) for size, block, widths in self.stages]
            covered = stages[0].size * stages[0].block
            spare = stages[1].size * stages[1].block if len(stages) > 1 else stages[0].size
            if not bins <= covered < bins + spare:
                raise PlanError(f"the stages must cover the {bins} bins and no block more, got {covered}")
        elif self.widths is not None:
            stages = [Stage(1, max(2, bins), tuple(self.widths))]
        else:
            stages = stages_for(bins)
        widest = stages[0].widths[0] * stages[0].size
        if widest > 1 and widest >= bins:
            raise PlanError(f"windows must be narrower than the {bins} bins, got a width of {shown(widest)}")
        return _WindowsLayout(stages, domain)

    def to_dict(self) -> dict[str, Any]:
        if self.stages is None:
            return {"kind": self.kind, "widths": None if self.widths is None else list(self.widths)}
        stages = [[size, block, list(widths)] for size, block, widths in self.stages]
        return {"kind": self.kind, "stages": stages}


def _checked_widths(widths: object, *, finest: bool) -> tuple[int, ...]:
    """Return ``widths`` if they are whole numbers that fall, those of the finest stage down to 1."""
    found = tuple(widths) if isinstance(widths, list | tuple) else ()
    if not found or not all(type(width) is int and width >= 1 for width in found):
        raise PlanError(
            f"widths must be whole numbers of at least 1, such as [8, 4, 2, 1], got {shown(widths)}"
        )
    if any(wide <= narrow for wide, narrow in pairwise(found)) or (finest and found[-1] != 1):
        raise PlanError(f"widths must fall from level to level{' down to 1' * finest}, got {shown(found)}")
    return found


def _checked_stages(stages: object) -> tuple[Stage, ...]:
    """Return ``stages`` if their blocks nest: each whole cells of the stage above, in one of its blocks."""
    rows = stages if isinstance(stages, list | tuple) else ()
    whole = all(
        isinstance(row, list | tuple)
        and len(row) == 3
        and all(type(number) is int and number >= 1 for number in row[:2])
        for row in rows
    )
    if not rows or not whole:
        raise PlanError(
            "stages must be of cell size, cells of a block, and widths, "
            f"such as [[16, 64, [32, 16]], [1, 64, [32, 8, 1]]], got {shown(stages)}"
        )
    found = [
        Stage(size, block, _checked_widths(widths, finest=at == len(rows)))
        for at, (size, block, widths) in enumerate(rows, 1)
    ]
    for stage in found:
        if not stage.widths[0] < stage.block <= _MAX_BLOCK:
            raise PlanError(
                f"a block must have at most {_MAX_BLOCK} cells, and more than its widest window, "
                f"got {stage.block} with a window of {stage.widths[0]}"
            )
    for high, low in pairwise(found):
        length = low.size * low.block
        nests = high.size % low.size == length % high.size == high.size * high.block % length == 0
        if not nests or high.size == low.size:
            raise PlanError(
                "a block must be whole cells of the stage before, and lie in one of its blocks, "
                f"got blocks of {low.block} cells of {low.size} bins in {high.block} of {high.size}"
            )
    if len(found) == 1 and found[0].size == 1:
        raise PlanError("windows of bins in a single stage must be given by their widths, got stages")
    return tuple(found)


class _WindowsLayout(LineLayout):
    def __init__(self, stages: Sequence[Stage], domain: Domain) -> None:
        leaves = stages[0].size * stages[0].block
        levels = tuple(
            Level(leaves // size, 1, size, shifts=width, block=block if len(stages) > 1 else 0)
            for size, block, widths in stages
            for width in widths
        )
        super().__init__(_described(stages), levels, domain)
        self.stages = tuple(stages)
        self._cell = stages[-1].size
        self._cells = -(-self.bins // self._cell)
        self._of_cells = tuple(stage._replace(size=stage.size // self._cell) for stage in stages)

    def describe(self) -> str:
        sizes = [level.size * level.shifts for level in self.levels]
        stages = f" in {len(self.stages)} stages" * (len(self.stages) > 1)
        stages += f" of cells of {self._cell} bins" * (self._cell > 1)
        listed = ", ".join(map(str, sizes))
        return f"Windows{stages}, {self._number_of_levels} of {listed} bin" + "s" * (sizes[0] != 1)

    def estimator(self, law: Law) -> Estimator:
        if self.stages[0].block > _MAX_BLOCK:
            raise PlanError(
                f"windows on the whole line can be estimated on at most {_MAX_BLOCK} bins, got {self.bins}; "
                "make a new plan, whose windows have stages"
            )
        asked = [level.asked for level in self.levels]
        estimator = _WindowsEstimator(self._of_cells, self._cells, asked, law)
        return estimator if self._cell == 1 else EvenInCells(estimator, self.bins, self._cell)

    def known_sizes(self, users: Sequence[float], *, consistent: bool = True) -> tuple[int, ...]:
        # windows lie anywhere, and the narrowest say it all
        told = [level.size * level.shifts for level, number in zip(self.levels, users, strict=True) if number]
        return (min(told),) if told else (self.bins,)

    def best_probabilities(self, information: Floats, weights: Floats) -> Floats:
        if len(self.stages) == 1:
            return windows_probabilities(self._cells, np.array(self.stages[0].widths), information, weights)
        return stages_probabilities(self._of_cells, information, weights)

    def worth_asking(self, probabilities: Floats) -> tuple[Decomposition, Sequence[int]]:
        kept, stages, at = [], [], 0
        for stage in self.stages:
            levels = np.arange(at, at + len(stage.widths))
            at += len(stage.widths)
            worth = probabilities[levels] >= _NEGLIGIBLE
            worth[np.argmax(probabilities[levels])] = True
            worth[-1] |= stage is self.stages[-1]
            kept += levels[worth].tolist()
            stages.append(stage._replace(widths=tuple(np.array(stage.widths)[worth].tolist())))
        return _described(stages), kept


def _described(stages: Sequence[Stage]) -> Windows:
    one = len(stages) == stages[0].size == 1
    return Windows(stages[0].widths) if one else Windows(stages=tuple(stages))


class _WindowsEstimator(StagesFit):
    def mean_variances(self) -> tuple[float, float]:
        ranges, prefixes = mean_variances(self.stages, self.blocks)
        return float(ranges), float(prefixes)

    def block_variances(self, width: int, step: int) -> Floats:
        begins = block_begins(width, self.bins, step)
        every = max(1, min(width // 8, self.stages[-1].block) // step)
        if self.bins <= _MAX_BLOCK or (width >= self.stages[-1].block // 2 and every == 1):
            return self.even_variances(*block_ends(begins, width, self.bins))
        if width < self.stages[-1].block // 2:
            period = self.stages[-1].block
            return narrow_blocks(self.even_variances, width, begins, self.bins, period)
        # Var(P_high − P_low), P the share below an end: their covariance changes little from block to block
        known = np.arange(begins[0], self.bins + every * step, every * step)
        shared = -2 * even_covariances(self, *block_ends(known, width, self.bins))
        prefixes = np.pad(self._prefixes, width - 1, mode="edge")[step - 1 :]
        below, upto = prefixes[::step], prefixes[width::step]
        variances = np.empty(begins.size)

        def fill(some: slice) -> None:
            rows = shared[some.start // every : -(-some.stop // every) + 1]
            along = rows[:-1, None] + np.diff(rows)[:, None] * (np.arange(every) / every)
            both = below[some] + upto[some]
            both += along.reshape(-1)[: both.size]
            np.maximum(both, 0.0, out=variances[some])

        list(in_threads(fill, slices(variances.size, -(-_TOGETHER // every) * every)))
        return variances

    def even_variances(self, low: Boundaries, high: Boundaries) -> Floats:
        covariance = even_covariances(self, low, high)
        return np.maximum(self._prefixes[low] + self._prefixes[high] - 2 * covariance, 0.0)

    @cached_property
    def _prefixes(self) -> Floats:
        """The even variance of the share below every boundary."""
        return even_prefixes(self)

    @cached_property
    def _tables(self) -> StageTables:
        return StageTables(self)

    def variances(self, cdf: Floats) -> Variances:
        return StageVariances(self._tables, cdf)
