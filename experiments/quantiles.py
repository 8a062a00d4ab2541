"""Deciles: the paper's figure ``fig:quantiles``.

*Value error* is how many bins the estimated decile is away from the true one. *Quantile error* is how far the
wanted share is from those that the estimated bin stands for, which run from the share below it to the share
up to it: 0 if the bin is right. The prediction is of the error of the prefix at the true decile.
"""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments import figures
from experiments.centres import best_tree
from experiments.methods import HAAR
from experiments.queries import DECILES
from experiments.runs import QUANTILES, VALUES, Run
from experiments.sizes import DEFAULT_EPSILON, Size
from experiments.store import Store
from experiments.tables import Table, distinct, number, row_of, select

TITLE = "deciles: value error and quantile error"
CENTRES = (0.1, 0.5)


def runs(size: Size) -> list[Run]:
    """Return two methods' runs for a population that leans to the left and one in the middle."""
    return [
        run
        for bins in size.domains
        for centre in CENTRES
        for method in (best_tree(bins), HAAR)
        for run in size.asked(size.cell(bins, method, centre=centre))
    ]


def tabulate(store: Store, size: Size) -> Table:
    """Return both errors of every decile."""
    return [
        row_of(store, size.asked(size.cell(bins, method, centre=centre)), measure)
        | {"decile": decile, "kind": kind}
        for bins in size.domains
        for centre in CENTRES
        for method in (best_tree(bins), HAAR)
        for kind, measures in (("value", VALUES), ("quantile", QUANTILES))
        for decile, measure in zip(DECILES, measures, strict=True)
    ]


def draw(table: Table) -> dict[str, Figure]:
    """Draw a figure a domain: value error above quantile error, a column a population."""
    return {
        f"quantiles-{int(number(row, 'bins'))}": _draw_domain(select(table, bins=row["bins"]))
        for row in select(table, centre=CENTRES[0], method=HAAR, measure=VALUES[0])
    }


def _draw_domain(table: Table) -> Figure:
    bins = int(number(table[0], "bins"))
    figure, panels = figures.grid(2, len(CENTRES), width=5)
    figure.suptitle(f"Errors of deciles, $D$ = {figures.power(bins)}, ε = {DEFAULT_EPSILON}")
    for line, kind, label in (
        (panels[0], "value", "value error (bins)"),
        (panels[1], "quantile", "quantile error (share of people)"),
    ):
        line[0].set_ylabel(label)
        for panel, centre in zip(line, CENTRES, strict=True):
            rows = select(table, centre=centre, kind=kind)
            for method in map(str, distinct(rows, "method")):
                _draw_line(panel, select(rows, method=method), method)
            panel.set_title(f"P = {centre}")
            panel.set_ylim(bottom=0)
            panel.set_xlabel("decile")
    figures.legend_below(figure, [panel for line in panels for panel in line], 2)
    return figure


def _draw_line(panel: Axes, line: Table, method: str) -> None:
    deciles, name = figures.column(line, "decile"), figures.hierarchy(method)
    figures.points(panel, deciles, line, method, joined=True, label=f"{name}, mean ± deviation of a run")
    if line[0]["exact"] is not None:
        shade = figures.colour(method, by_branching=True)
        expected = figures.column(line, "exact")
        panel.plot(deciles, expected, "--", color=shade, lw=1, label=f"{name}, expected of the prefix there")
