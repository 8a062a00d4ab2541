"""How large the comparison is: its full size, and a quick one for looking and for tests."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from experiments.comparison.methods import (
    ADAPTIVE,
    DENOISED_HAAR,
    FLAT,
    METHODS,
    PAPERS,
    PLANNED,
    WAVES,
    WINDOWS,
)
from experiments.comparison.runs import COVERED, DENOISED, EXACT, PLAIN, Cell, Run
from experiments.data import DATA
from experiments.methods import HAAR

LN3 = math.log(3)
SMOOTH, SPIKY, SPARSE = "bimodal", "spiky", "sparse"
_SMALL = 1 << 12  # bins up to which nothing takes long: beyond, predictions and intervals are left out
_SLOW_DATA = ("delays", "spiky")  # what the square wave, a minute a run, is asked about beyond, at ε = ln 3
_EXACT = 1 << 10  # bins up to which predictions for even people are exact at large ε too
_LARGE_EPSILONS = (3.0, 4.0, 6.0, 8.0)  # at which nothing is run, only predicted
_LATER = 0.2  # how far the rest is when the slowest runs have their turn
_INTERVALS = "intervals"


@dataclass(frozen=True, slots=True)
class Size:
    """Everything about a comparison that can be made larger or smaller.

    ``repetitions`` says how many there are, by method and then by the place of the domain in ``domains``.
    """

    domains: tuple[int, ...] = (1 << 8, 1 << 10, 1 << 16)
    users: int = 1 << 20
    epsilons: tuple[float, ...] = (0.2, 0.5, LN3, 2.0)
    data: tuple[str, ...] = DATA
    repetitions: dict[str, tuple[int, ...]] = field(
        default_factory=lambda: {
            WINDOWS: (25, 10, 10),
            **dict.fromkeys(PAPERS, (40, 20, 10)),
            DENOISED_HAAR: (20, 10, 1),
            FLAT: (20, 10, 3),
            ADAPTIVE: (25, 10, 10),
            **dict.fromkeys(WAVES, (2, 2, 1)),
            _INTERVALS: (25, 8, 0),
        }
    )

    def runs(self) -> list[Run]:
        """Return all runs."""
        return [
            run
            for bins in self.domains
            for epsilon in self.epsilons
            for data in self.data
            for method in METHODS
            for run in self._asked(Cell(bins, data, self.users, epsilon, method))
        ]

    def _asked(self, cell: Cell) -> list[Run]:
        method, large = cell.method, cell.bins > _SMALL
        if large and method in WAVES and (cell.data not in _SLOW_DATA or cell.epsilon != LN3):
            return []
        also = self._number(WINDOWS, cell) if method == WINDOWS else 0
        if method == HAAR and (not large or cell.epsilon == LN3):
            also = self._number(DENOISED_HAAR, cell)
        runs = [
            Run(cell, DENOISED if repetition < also else PLAIN, repetition)
            for repetition in range(self._number(method, cell))
        ]
        if method in PLANNED and not large:
            runs.append(Run(cell, EXACT, 0))
        if method == WINDOWS and cell.data in (SMOOTH, SPIKY, SPARSE):
            runs += [Run(cell, COVERED, repetition) for repetition in range(self._number(_INTERVALS, cell))]
        return runs

    def _number(self, what: str, cell: Cell) -> int:
        return self.repetitions[what][self.domains.index(cell.bins)]

    def bounded(self) -> list[tuple[int, float]]:
        """Return the domains and ε at which predictions stand beside the least variance possible."""
        return [
            (bins, epsilon)
            for bins in self.domains
            for epsilon in (*self.epsilons, *(_LARGE_EPSILONS if bins <= _EXACT else ()))
        ]

    def only(self, domains: tuple[int, ...]) -> Size:
        """Return a size with those of its domains that are among these."""
        kept = [place for place, bins in enumerate(self.domains) if bins in domains]
        return replace(
            self,
            domains=tuple(self.domains[place] for place in kept),
            repetitions={
                name: tuple(numbers[place] for place in kept) for name, numbers in self.repetitions.items()
            },
        )

    def turn(self, run: Run) -> tuple[float, Run]:
        """Return when a run has its turn: all cells go on side by side, so what is there is always even."""
        if run.how == EXACT:
            return 0.0, run
        what = _INTERVALS if run.how == COVERED else run.cell.method
        slow = run.cell.bins > _SMALL and run.cell.method in WAVES
        return (_LATER if slow else 0.0) + run.repetition / self._number(what, run.cell), run


FULL = Size()
QUICK = Size(
    domains=(1 << 6, 1 << 8),
    users=1 << 16,
    epsilons=(0.5, LN3),
    data=("cauchy", SMOOTH, SPIKY, SPARSE),
    repetitions={
        **dict.fromkeys((*METHODS, DENOISED_HAAR), (2, 2)),
        **dict.fromkeys((*WAVES, _INTERVALS), (1, 1)),  # which take longer than all others together
    },
)
