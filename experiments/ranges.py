"""Impact of ε on arbitrary ranges: the paper's figure ``tab:mse_range``."""

from __future__ import annotations

from matplotlib.figure import Figure

from experiments import epsilons
from experiments.epsilons import runs
from experiments.paper import RANGES
from experiments.sizes import Size
from experiments.store import Store
from experiments.tables import Table

TITLE = "impact of ε on ranges"


def tabulate(store: Store, size: Size) -> Table:
    """Return the error over the paper's ranges: all, or on large domains all that begin at certain bins."""
    return epsilons.tabulate(store, size, "ranges", RANGES)


def draw(table: Table) -> dict[str, Figure]:
    """Draw the error against ε."""
    return {"ranges": epsilons.draw(table, "Error of ranges against ε")}


__all__ = ["TITLE", "draw", "runs", "tabulate"]
