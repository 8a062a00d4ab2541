"""The experiments by name: one for each table and figure of the paper's evaluation."""

from __future__ import annotations

from typing import Protocol

from matplotlib.figure import Figure

from experiments import branching, centralised, centres, prefixes, quantiles, ranges, theory
from experiments.runs import Run
from experiments.sizes import Size
from experiments.store import Store
from experiments.tables import Table


class Experiment(Protocol):
    """What each of the modules offers."""

    TITLE: str

    def runs(self, size: Size) -> list[Run]:
        """Return the runs that the experiment needs; others may share them."""
        ...

    def tabulate(self, store: Store, size: Size) -> Table:
        """Return what they come to."""
        ...

    def draw(self, table: Table) -> dict[str, Figure]:
        """Return the figures of a table, by the names of their files."""
        ...


EXPERIMENTS: dict[str, Experiment] = {
    "branching": branching,
    "ranges": ranges,
    "prefixes": prefixes,
    "centralised": centralised,
    "centres": centres,
    "quantiles": quantiles,
    "theory": theory,
}
