"""Shifted windows: levels of windows that lie at a random place for each person.

A fixed grid wastes a third of what the reports say: a range that straddles the grid's cuts pays for all of
them. Here every person draws a public shift of the grid besides the level, so that no place is worse than
another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

from ldprange.decompositions.contract import Decomposition, Estimator, Variances
from ldprange.errors import PlanError
from ldprange.least_squares.line import Line
from ldprange.least_squares.line_variances import LineVariances
from ldprange.levels import Level
from ldprange.noise import Law
from ldprange.support.arrays import Floats
from ldprange.support.checking import shown


@dataclass(frozen=True, slots=True)
class Windows(Decomposition):
    """Windows at a random shift: the most accurate decomposition for ranges and prefixes.

    ``widths`` are the windows' sizes in bins, one a level, widest first; left out, they are the powers
    of two below the number of bins.

    >>> [level.shifts for level in Windows().levels(120)]
    [64, 32, 16, 8, 4, 2, 1]
    """

    widths: Sequence[int] | None = None
    kind: ClassVar[str] = "windows"
    nested: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.widths is None:
            return
        widths = tuple(self.widths) if isinstance(self.widths, list | tuple) else ()
        if not widths or not all(type(width) is int and width >= 1 for width in widths):
            raise PlanError(
                f"widths must be whole numbers of at least 1, such as [8, 4, 2, 1], got {shown(self.widths)}"
            )
        if any(wide <= narrow for wide, narrow in pairwise(widths)) or widths[-1] != 1:
            raise PlanError(f"widths must fall from level to level down to 1, got {shown(widths)}")
        object.__setattr__(self, "widths", widths)

    def resolve(self, shape: tuple[int, ...], unordered: frozenset[int] = frozenset()) -> Windows:
        if len(shape) > 1:
            raise PlanError("windows are for one attribute; use Tree(branching) over several")
        (bins,) = shape
        if self.widths is None:
            return Windows(tuple(1 << k for k in reversed(range(max(1, (bins - 1).bit_length())))))
        if self.widths[0] > 1 and self.widths[0] >= bins:
            raise PlanError(
                f"windows must be narrower than the {bins} bins, got a width of {shown(self.widths[0])}"
            )
        return self

    def levels(self, bins: int) -> tuple[Level, ...]:
        widths = self.resolve((bins,)).widths or ()
        return tuple(Level(max(2, bins), 1, 1, shifts=width) for width in widths)

    def estimator(self, bins: int, law: Law) -> Estimator:
        levels = self.levels(bins)
        return _WindowsEstimator(
            bins, [level.shifts for level in levels], [level.asked for level in levels], law
        )

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "widths": None if self.widths is None else list(self.widths)}


class _WindowsEstimator(Line):
    def variances(self, cdf: Floats) -> Variances:
        return LineVariances(self, cdf)
