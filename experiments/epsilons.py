"""What the figures on ranges and on prefixes share: HH₂, HH₄, HH₁₆ and HaarHRR against ε."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments import figures
from experiments.methods import HAAR, named_in_paper, plan_of, tree
from experiments.paper import printed
from experiments.runs import Run
from experiments.sizes import Size
from experiments.store import Store
from experiments.tables import Table, distinct, row_of, select


def methods(bins: int) -> list[str]:
    """Return the methods of the paper's tables: trees whose levels all have the same branching, and Haar."""
    trees = [tree("OUE", branching) for branching in (2, 4, 16)]
    regular = [
        name for name in trees if len({level.branching for level in plan_of(name, bins, 1).levels}) == 1
    ]
    return [*regular, HAAR]


def runs(size: Size) -> list[Run]:
    """Return the runs of both figures."""
    return [
        run
        for bins in size.domains
        for epsilon in size.epsilons
        for method in methods(bins)
        for run in size.asked_often(size.cell(bins, method, epsilon=epsilon))
    ]


def tabulate(store: Store, size: Size, measure: str, figure: str) -> Table:
    """Return one row a cell, with what the paper prints where it has the cell and the users."""
    paper = {
        (entry.bins, entry.epsilon, named_in_paper(entry.method)): entry.value / 1000
        for entry in printed(figure)
        if size.users == Size().users
    }
    return [
        row_of(
            store,
            size.asked_often(size.cell(bins, method, epsilon=epsilon)),
            measure,
            paper.get((bins, epsilon, method)),
        )
        for bins in size.domains
        for epsilon in size.epsilons
        for method in methods(bins)
    ]


def draw(table: Table, title: str) -> Figure:
    """Draw errors against ε, and below them what was measured and printed as a ratio to what is exact."""
    domains = distinct(table, "bins")
    figure, (errors, ratios) = figures.grid(2, len(domains), height=2.9)
    figure.suptitle(title)
    for error, ratio, bins in zip(errors, ratios, domains, strict=True):
        rows = select(table, bins=bins)
        for method in map(str, distinct(rows, "method")):
            _draw_line(error, ratio, select(rows, method=method), method)
        error.set_title(f"$D$ = {figures.power(int(bins or 0))}")
        ratio.set_xlabel("ε")
        ratio.axhline(1.0, color="black", lw=0.8)
        ratio.set_ylim(0.6, 3.1 if any(row["printed"] for row in table) else 1.6)
        figures.log_scale(error)
    errors[0].set_ylabel(f"{figures.ERROR}\n× 1000 (share of people)")
    ratios[0].set_ylabel("ratio to the exact error")
    figures.legend_below(figure, errors, len(distinct(table, "method")))
    return figure


def _draw_line(error: Axes, ratio: Axes, line: Table, method: str) -> None:
    epsilons, exact = figures.column(line, "epsilon"), figures.column(line, "exact", 1000)
    shade, name = figures.colour(method, by_branching=True), figures.hierarchy(method)
    error.plot(epsilons, exact, color=shade, lw=1, label=f"{name}, exact")
    figures.points(error, epsilons, line, method, scale=1000, label=f"{name}, measured ± deviation of a run")
    measured = figures.column(line, "measured", 1000)
    ratio.plot(epsilons, np.divide(measured, exact), figures.marker(method), color=shade, ms=4.5)
    if all(row["printed"] for row in line):
        printed = figures.column(line, "printed", 1000)
        error.plot(epsilons, printed, "x", color=shade, ms=6, label=f"{name}, printed in the paper")
        ratio.plot(epsilons, np.divide(printed, exact), "x:", color=shade, ms=6, lw=0.7)
