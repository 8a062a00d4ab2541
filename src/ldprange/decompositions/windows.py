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

import numpy as np

from ldprange.decompositions.contract import Decomposition, Estimator, Layout, Variances
from ldprange.decompositions.one_attribute import LineLayout, bins_of
from ldprange.decompositions.windows_design import windows_probabilities
from ldprange.domain import Domain
from ldprange.errors import PlanError
from ldprange.least_squares.line import WindowsFit
from ldprange.least_squares.line_variances import LineVariances
from ldprange.levels import Level
from ldprange.noise import Law
from ldprange.support.arrays import Floats
from ldprange.support.checking import shown

_NEGLIGIBLE = 0.003  # the least probability worth a level


@dataclass(frozen=True, slots=True)
class Windows(Decomposition):
    """Windows at a random shift: the most accurate decomposition for ranges and prefixes.

    ``widths`` are the windows' sizes in bins, one a level, widest first; left out, they are the powers
    of two below the number of bins.

    >>> from ldprange import Domain
    >>> [level.shifts for level in Windows().on(Domain.integers(0, 119)).levels]
    [64, 32, 16, 8, 4, 2, 1]
    """

    widths: Sequence[int] | None = None
    kind: ClassVar[str] = "windows"

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

    def on(self, domain: Domain) -> Layout:
        bins = bins_of(domain, "windows")
        if self.widths is None:
            return _WindowsLayout([1 << k for k in reversed(range(max(1, (bins - 1).bit_length())))], bins)
        if self.widths[0] > 1 and self.widths[0] >= bins:
            raise PlanError(
                f"windows must be narrower than the {bins} bins, got a width of {shown(self.widths[0])}"
            )
        return _WindowsLayout(self.widths, bins)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "widths": None if self.widths is None else list(self.widths)}


class _WindowsLayout(LineLayout):
    def __init__(self, widths: Sequence[int], bins: int) -> None:
        levels = tuple(Level(max(2, bins), 1, 1, shifts=width) for width in widths)
        super().__init__(Windows(tuple(widths)), levels, bins)
        self.widths = tuple(widths)

    def describe(self) -> str:
        widths = ", ".join(map(str, self.widths))
        return f"Windows, {self._number_of_levels} of {widths} bin" + "s" * (self.widths[0] != 1)

    def estimator(self, law: Law) -> Estimator:
        return _WindowsEstimator(self.bins, self.widths, [level.asked for level in self.levels], law)

    def known_sizes(self, users: Sequence[int], *, consistent: bool = True) -> tuple[int, ...]:
        # windows lie anywhere, and the narrowest say it all
        told = [width for width, number in zip(self.widths, users, strict=True) if number]
        return (min(told),) if told else (self.bins,)

    def best_probabilities(self, information: Floats, weights: Floats) -> Floats:
        return windows_probabilities(self.bins, np.array(self.widths), information, weights)

    def worth_asking(self, probabilities: Floats) -> tuple[Decomposition, Sequence[int]]:
        kept = [*np.flatnonzero(probabilities[:-1] >= _NEGLIGIBLE).tolist(), len(self.widths) - 1]
        return Windows([self.widths[level] for level in kept]), kept


class _WindowsEstimator(WindowsFit):
    def variances(self, cdf: Floats) -> Variances:
        return LineVariances(self, cdf)
