"""The centralised case: the paper's figure ``tab:haar_vs_hh``, after Qardaji, Yang and Li (2013, Table 3).

A trusted collector adds Laplace noise to true counts, ε = 1 in all. What is printed is the variance of a
range's count, averaged over all ranges. Here it is computed:

- *consistent tree*: h levels below the root share ε, so a node's noise has variance 2h²/ε²; least squares
  makes the tree consistent. The total is not known, so it has a coordinate of its own in the basis of
  details, of which all levels speak. If D is no power of B the tree has more leaves than D.
- *wavelet* (Privelet): half the difference of the means of a node's halves gets Laplace noise of scale
  (1 + log₂ D)/(ε·size), and so does the overall mean.
"""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from experiments import figures
from experiments.paper import CENTRALISED, printed
from experiments.runs import Run
from experiments.sizes import Size
from experiments.store import Store
from experiments.tables import Table, distinct, select
from ldprange.workloads import mean_overlap

TITLE = "the centralised case, after Qardaji et al."
EPSILON = 1.0
DOMAINS = (1 << 8, 1 << 9, 1 << 10, 1 << 11)
_RATIOS = {"Wavelet/HH16": ("Wavelet", "HH16"), "HH2/HH16": ("HH2", "HH16")}


def tree_variance(bins: int, branching: int) -> float:
    """Return the exact mean variance of a range's count from a consistent tree.

    >>> round(tree_variance(256, 16), 2)
    79.23
    """
    height = math.ceil(round(math.log(bins, branching), 9))
    sizes = np.int64(branching) ** np.arange(height, -1, -1)  # leaves below a node: of the root, …, of a leaf
    noise = 2 * (height / EPSILON) ** 2
    precisions = sizes / noise
    precisions[0] = 0.0  # the root itself is not asked
    shrink = 1 / np.cumsum(precisions[::-1])[::-1]
    return float(np.dot(shrink, _parts(bins, sizes)))


def wavelet_variance(bins: int) -> float:
    """Return the exact mean variance of a range's count from Privelet.

    >>> round(wavelet_variance(1024), 2)
    410.29
    """
    height = bins.bit_length() - 1
    sizes = 1 << np.arange(height, -1, -1)
    spans = np.array(
        [bins, *sizes[:-1]]
    )  # leaves that the overall mean, and each level's coefficient, is about
    noise = 2 * ((1 + height) / (EPSILON * spans)) ** 2
    return float(np.dot(noise * spans, _parts(bins, sizes)))


def _parts(bins: int, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how much of a range's square lies, on average, in its total and in the details of each level."""
    return np.diff([mean_overlap(bins, int(size))[0] for size in sizes], prepend=0.0)


def runs(size: Size) -> list[Run]:
    """Return no runs: all of it is computed."""
    return []


def tabulate(store: Store, size: Size) -> Table:
    """Return the exact variances, and their ratios, beside the printed ones."""
    paper = {(entry.method, entry.bins): entry.value for entry in printed(CENTRALISED)}
    exact = {
        (method, bins): variance
        for bins in DOMAINS
        for method, variance in (
            ("Wavelet", wavelet_variance(bins)),
            ("HH16", tree_variance(bins, 16)),
            ("HH2", tree_variance(bins, 2)),
        )
    }
    exact |= {
        (name, bins): exact[above, bins] / exact[below, bins]
        for name, (above, below) in _RATIOS.items()
        for bins in DOMAINS
    }
    return [
        {"method": method, "bins": bins, "exact": value, "printed": paper[method, bins]}
        for (method, bins), value in sorted(exact.items(), key=lambda item: list(paper).index(item[0]))
    ]


def draw(table: Table) -> dict[str, Figure]:
    """Draw variances against D, and beside them their ratios."""
    figure, ((variances, ratios),) = figures.grid(1, 2, width=5)
    figure.suptitle("Centralised privacy, ε = 1: mean variance of a range's count over all ranges")
    looks = dict(
        zip(distinct(table, "method"), ("#c2410c", "#0b2a4d", "#6aaee8", "#c2410c", "#6aaee8"), strict=True)
    )
    for method, shade in looks.items():
        line = select(table, method=method)
        panel, bins = ratios if method in _RATIOS else variances, figures.column(line, "bins")
        width = 4 if str(method).startswith("Wavelet") else 1.2  # it lies below HH2
        panel.plot(bins, figures.column(line, "exact"), color=shade, lw=width, label=f"{method}, exact")
        panel.plot(bins, figures.column(line, "printed"), "x", color=shade, ms=9, label=f"{method}, printed")
    for panel, label in ((variances, "variance (people²)"), (ratios, "ratio of variances")):
        panel.set_xscale("log", base=2)
        panel.set_xticks(DOMAINS)
        panel.set_xlabel("bins, D")
        panel.set_ylabel(label)
        panel.set_ylim(0, 1.1 * panel.get_ylim()[1])
    figures.legend_below(figure, (variances, ratios), 5)
    return {"centralised": figure}
