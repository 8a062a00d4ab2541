"""The comparison's figures."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.comparison.bars import BOUNDED
from experiments.comparison.methods import (
    ADAPTIVE,
    DENOISED_HAAR,
    DENOISED_WINDOWS,
    PAPERS,
    WAVES,
    WINDOWS,
)
from experiments.comparison.ratios import Ratio, ratios
from experiments.comparison.runs import ERRORS
from experiments.figures import column, grid, legend_below, log_scale, power
from experiments.methods import HAAR
from experiments.tables import Entry, Table, distinct, select

_SHOWN = {  # colour and marker
    WINDOWS: ("#0f8a5f", "o"),
    DENOISED_WINDOWS: ("#c2410c", "D"),
    DENOISED_HAAR: ("#d9a400", "^"),
    ADAPTIVE: ("#1f5fa8", "s"),
    WAVES[0]: ("#a855b5", "v"),
    WAVES[1]: ("#6b7280", "P"),
}
_LINES = {
    WINDOWS: "#0f8a5f",
    PAPERS[0]: "#c2410c",
    PAPERS[1]: "#6aaee8",
    PAPERS[2]: "#1f5fa8",
    PAPERS[3]: "#0b2a4d",
}


def draw(tables: dict[str, Table]) -> dict[str, Figure]:
    """Return the figures by the names of their files."""
    return {
        "ratios": _ratios(tables["errors"]),
        "bounds": _bounds(tables["bounds"]),
        "example": _example(tables["example"]),
    }


def _ratios(errors: Table) -> Figure:
    """Draw, for every domain and ε, each method's ratio by population."""
    domains, epsilons, data = (distinct(errors, name) for name in ("bins", "epsilon", "data"))
    figure, panels = grid(len(domains), len(epsilons), width=4.0, height=3.2)
    figure.suptitle(
        "Mean squared error over all ranges, as a ratio to the paper's best method in the same cell"
    )
    found = ratios(errors, ERRORS[0])
    for row, bins in zip(panels, domains, strict=True):
        for panel, epsilon in zip(row, epsilons, strict=True):
            here = [each for each in found if each.cell[:2] == (bins, epsilon)]
            for method in _SHOWN:
                _draw_ratios(panel, [each for each in here if each.method == method], data, method)
            panel.axhline(1.0, color="black", lw=0.8)
            panel.set_title(f"$D$ = {power(int(bins or 0))}, ε = {epsilon:.3g}")
            names = [str(name).replace("_", " ") if bins == domains[-1] else "" for name in data]
            panel.set_xticks(range(len(data)), names, rotation=90)
            log_scale(panel)
        row[0].set_ylabel("ratio")
    legend_below(figure, panels[0], len(_SHOWN))
    return figure


def _draw_ratios(panel: Axes, here: list[Ratio], data: list[Entry], method: str) -> None:
    shade, marker = _SHOWN[method]
    places = [data.index(each.row["data"]) for each in here]
    panel.errorbar(
        places,
        [each.measured.size for each in here],
        [each.measured.deviation or 0.0 for each in here],
        fmt=marker,
        color=shade,
        ms=4.5,
        lw=0.8,
        label=method.replace(", ", " "),
    )


def _bounds(bounds: Table) -> Figure:
    """Draw exact variances over an even population as ratios to the least possible."""
    figure, (panels,) = grid(1, 2, width=6.5, height=4.4)
    figure.suptitle("Exact mean variance over an even population, as a ratio to the least possible")
    domains = distinct(bounds, "bins")
    styles = dict(zip(domains, ("-", "--", ":"), strict=False))
    for panel, measure in zip(panels, ERRORS, strict=True):
        for method, shade in _LINES.items():
            for bins in domains:
                line = select(bounds, method=method, measure=measure, bins=bins)
                over = np.divide(column(line, "whole"), column(line, "least"))
                label = f"{method}, {bins} bins"
                panel.plot(column(line, "epsilon"), over, styles[bins], marker=".", color=shade, label=label)
        panel.axhline(1.0, color="black", lw=0.8)
        panel.axvspan(BOUNDED, panel.get_xlim()[1], color="#f3f4f6", zorder=0)
        log_scale(panel)
        panel.set_title(f"all {measure}")
        panel.set_xlabel("ε (shaded: the bound on the least possible is loose)")
    panels[0].set_ylabel("variance / least possible")
    legend_below(figure, panels, len(_LINES))
    return figure


def _example(table: Table) -> Figure:
    """Draw the cdf of flights' delays as one run finds it, and how far off it is."""
    figure, (panels,) = grid(1, 2, width=6.5, height=3.6)
    figure.suptitle("Delays at departure, 256 bins, $2^{20}$ people, ε = 0.2: one run")
    minutes, truth = column(table, "minutes"), np.array(column(table, "truth"))
    shown = {
        "haar": ("HaarHRR", _LINES[HAAR]),
        "unbiased": ("Windows, unbiased", _SHOWN[WINDOWS][0]),
        "denoised": ("Windows, denoised", "#1f5fa8"),
    }
    cdf, off = panels
    for name, (label, shade) in shown.items():
        cdf.plot(minutes, column(table, name), color=shade, lw=1, label=label)
        off.plot(minutes, np.array(column(table, name)) - truth, color=shade, lw=1)
    cdf.plot(minutes, truth, "--", color="black", lw=1.2, label="truth")
    off.axhline(0.0, color="black", lw=0.8, ls="--")
    cdf.set_xlim(minutes[0], 240)
    cdf.set_ylabel("share of people up to here")
    off.set_ylabel("error of that share")
    for panel in panels:
        panel.set_xlabel("minutes")
    legend_below(figure, [cdf], len(shown) + 1)
    return figure
