"""Impact of branching and range length: the paper's figure ``fig:ci_b``.

Flat, trees and Haar, each without and with consistency, for four lengths on each domain. A tree's branching
is as near to B on every level as the number of bins allows, so B = 8 is there on every domain.
"""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments import figures
from experiments.methods import HAAR, parts, tree
from experiments.queries import lengths
from experiments.runs import LENGTHS, RAW_LENGTHS, Run
from experiments.sizes import Size
from experiments.store import Store
from experiments.tables import Table, distinct, number, row_of, select

TITLE = "impact of branching B and range length r"
FLAT = "FlatOUE"
_BESIDE = 1.07  # each family is drawn a little to the right of the one before
_ORACLES = ("OUE", "HRR", "OLH", "Hadamard")


def branchings(bins: int) -> list[int]:
    """Return the branchings that are compared on a domain, up to a tree of two levels.

    >>> branchings(256), branchings(1 << 22)
    ([2, 4, 8, 16], [2, 4, 8, 16, 2048])
    """
    most = math.isqrt(bins)
    return [*(small for small in (2, 4, 8, 16) if small < most), most]


def methods(bins: int) -> list[str]:
    """Return all methods that are compared."""
    return [FLAT, HAAR, *(tree(oracle, branching) for oracle in _ORACLES for branching in branchings(bins))]


def runs(size: Size) -> list[Run]:
    """Return every method's runs on every domain."""
    return [
        run
        for bins in size.domains
        for method in methods(bins)
        for run in size.asked(size.cell(bins, method))
    ]


def tabulate(store: Store, size: Size) -> Table:
    """Return the error by method and length, raw and consistent."""
    return [
        row_of(store, size.asked(size.cell(bins, method)), measure)
        | {"length": length, "consistent": int(consistent)}
        for bins in size.domains
        for method in methods(bins)
        for consistent, measures in ((False, RAW_LENGTHS), (True, LENGTHS))
        if consistent or method != HAAR
        for length, measure in zip(lengths(bins), measures, strict=True)
    ]


def draw(table: Table) -> dict[str, Figure]:
    """Draw a row of panels a domain, a column a length: error against B."""
    domains = [int(number(row, "bins")) for row in select(table, method=HAAR, measure=LENGTHS[0])]
    figure, panels = figures.grid(len(domains), 4, width=4.2, height=3.3)
    figure.suptitle(
        "Error of ranges of length r against branching B: measured (points, ± deviation of a run) "
        "and exact (lines).\nFlat is drawn at B = D, HaarHRR at B = 2."
    )
    for bins, line in zip(domains, panels, strict=True):
        for length, panel in zip(lengths(bins), line, strict=True):
            _draw_panel(panel, select(table, bins=bins, length=length), bins)
            panel.set_title(f"$D$ = {figures.power(bins)}, $r$ = {_length(length, bins)}")
        line[0].set_ylabel(figures.ERROR)
    for panel in panels[-1]:
        panel.set_xlabel("branching B")
    figures.legend_below(figure, [panel for line in panels for panel in line], 5)
    return {"branching": figure}


def _length(length: int, bins: int) -> str:
    """Return a length as the part of the domain it is."""
    root = math.isqrt(bins)
    return {1: "1", root: figures.power(root), bins // 2: "$D/2$"}.get(
        length, rf"$D - ${figures.power(root)}"
    )


def _draw_panel(panel: Axes, rows: Table, bins: int) -> None:
    families = list(dict.fromkeys(figures.family(str(method)) for method in distinct(rows, "method")))
    for name in families:
        for consistent in (0, 1):
            line = [
                row
                for row in select(rows, consistent=consistent)
                if figures.family(str(row["method"])) == name
            ]
            if not line:
                continue
            places = [parts(str(row["method"]))[2] or (2 if name == HAAR else bins) for row in line]
            beside = [place * _BESIDE ** families.index(name) for place in places]
            how = "" if name == HAAR else ", consistent" if consistent else ", raw"
            shade, style = figures.colour(name), "-" if consistent else ":"
            panel.plot(beside, figures.column(line, "exact"), style, lw=0.9, color=shade)
            figures.points(
                panel, beside, line, name, shade=shade, filled=bool(consistent), label=f"{name}{how}"
            )
    panel.set_xscale("log", base=2)
    figures.log_scale(panel)
