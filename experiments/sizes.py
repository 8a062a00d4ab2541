"""How large the experiments are: the paper's own size, and a quick one for looking and for tests."""

from __future__ import annotations

from dataclasses import dataclass, field

from experiments.population import CENTRE
from experiments.runs import DRAWN, Cell, Run, prediction, repetitions

DEFAULT_EPSILON = 1.1  # the paper's e^ε = 3


@dataclass(frozen=True, slots=True)
class Size:
    """Everything about an evaluation that can be made larger or smaller.

    ``more`` says up to how many repetitions, by number of bins, are drawn for the tables: five are too
    few to tell an error to within a few per cent, and on small domains a drawn one costs next to nothing.
    """

    domains: tuple[int, ...] = (1 << 8, 1 << 16, 1 << 20, 1 << 22)
    users: int = 1 << 26
    repetitions: int = 5
    more: dict[int, int] = field(default_factory=lambda: {1 << 8: 150, 1 << 16: 30})
    epsilons: tuple[float, ...] = (0.2, 0.4, 0.6, 0.8, 1.0, 1.1, 1.2, 1.4)
    centres: tuple[float, ...] = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)

    def cell(
        self, bins: int, method: str, *, epsilon: float = DEFAULT_EPSILON, centre: float = CENTRE
    ) -> Cell:
        """Return a cell with this size's number of users."""
        return Cell(bins, centre, self.users, epsilon, method)

    def asked(self, cell: Cell) -> list[Run]:
        """Return a cell's repetitions and its prediction."""
        return [prediction(cell), *repetitions(cell, self.repetitions)]

    def asked_often(self, cell: Cell) -> list[Run]:
        """Return the same, with more repetitions where they are cheap."""
        more = range(self.repetitions, self.more.get(cell.bins, 0))
        return [*self.asked(cell), *(Run(cell, DRAWN, repetition) for repetition in more)]


FULL = Size()
QUICK = Size(
    domains=(1 << 6, 1 << 8, 1 << 10, 1 << 12),
    users=1 << 18,
    repetitions=3,
    more={},
    epsilons=(0.2, 0.6, 1.1, 1.4),
    centres=(0.1, 0.4, 0.5, 0.9),
)
