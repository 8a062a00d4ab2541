"""Impact of ε on prefixes: the paper's figure ``tab:mse_prefix``."""

from __future__ import annotations

from matplotlib.figure import Figure

from experiments import epsilons
from experiments.epsilons import runs
from experiments.paper import PREFIXES
from experiments.sizes import Size
from experiments.store import Store
from experiments.tables import Table

TITLE = "impact of ε on prefixes"


def tabulate(store: Store, size: Size) -> Table:
    """Return the error over all prefixes."""
    return epsilons.tabulate(store, size, "prefixes", PREFIXES)


def draw(table: Table) -> dict[str, Figure]:
    """Draw the error against ε."""
    return {"prefixes": epsilons.draw(table, "Error of prefixes against ε")}


__all__ = ["TITLE", "draw", "runs", "tabulate"]
