"""Impact of the input distribution: the paper's figure ``fig:mse_dbn``.

The peak of the population moves from one end of the domain to the other, P·D; HaarHRR stands beside the tree
that the paper's table of ranges has as the best at e^ε = 3.
"""

from __future__ import annotations

from matplotlib.figure import Figure

from experiments import figures
from experiments.methods import HAAR, named_in_paper, tree
from experiments.paper import RANGES, printed
from experiments.runs import Run
from experiments.sizes import DEFAULT_EPSILON, Size
from experiments.store import Store
from experiments.tables import Table, distinct, row_of, select

TITLE = "impact of the distribution's centre P"


def best_tree(bins: int) -> str:
    """Return the best tree of the paper's table at its default ε; HH₄ where the table has no such domain.

    >>> best_tree(1 << 22), best_tree(1 << 10)
    ('TreeOUE2', 'TreeOUE4')
    """
    trees = [
        entry
        for entry in printed(RANGES)
        if entry.bins == bins and entry.epsilon == DEFAULT_EPSILON and entry.method != HAAR
    ]
    if not trees:
        return tree("OUE", 4)
    return named_in_paper(min(trees, key=lambda entry: entry.value).method)


def runs(size: Size) -> list[Run]:
    """Return two methods' runs for every domain and centre."""
    return [
        run
        for bins in size.domains
        for centre in size.centres
        for method in (best_tree(bins), HAAR)
        for run in size.asked(size.cell(bins, method, centre=centre))
    ]


def tabulate(store: Store, size: Size) -> Table:
    """Return the error over ranges by centre."""
    return [
        row_of(store, size.asked(size.cell(bins, method, centre=centre)), "ranges")
        for bins in size.domains
        for method in (best_tree(bins), HAAR)
        for centre in size.centres
    ]


def draw(table: Table) -> dict[str, Figure]:
    """Draw the error against P, a panel a domain."""
    domains = distinct(table, "bins")
    figure, panels = figures.grid(1, len(domains))
    figure.suptitle(f"Error of ranges against the centre of the distribution, ε = {DEFAULT_EPSILON}")
    for panel, bins in zip(panels[0], domains, strict=True):
        rows = select(table, bins=bins)
        for method in map(str, distinct(rows, "method")):
            line = select(rows, method=method)
            centres, name = figures.column(line, "centre"), figures.hierarchy(method)
            shade = figures.colour(method, by_branching=True)
            panel.plot(
                centres, figures.column(line, "exact", 1000), color=shade, lw=1, label=f"{name}, exact"
            )
            label = f"{name}, measured ± deviation of a run"
            figures.points(panel, centres, line, method, scale=1000, label=label)
        panel.set_ylim(bottom=0)
        panel.set_title(f"$D$ = {figures.power(int(bins or 0))}")
        panel.set_xlabel("centre of the distribution, P")
    panels[0][0].set_ylabel(f"{figures.ERROR}\n× 1000 (share of people)")
    figures.legend_below(figure, panels[0], 3)
    return {"centres": figure}
