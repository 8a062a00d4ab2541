"""How all figures look."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from experiments.methods import parts
from experiments.tables import Table, number
from ldprange.support.whole_files import whole_file

ERROR = "root mean squared error"
PRINTED = "#111111"
_NARROWEST = 13.0  # inches: a legend has to fit below
_COLOURS = {
    "HaarHRR": "#c2410c",
    "FlatOUE": "#6b7280",
    "TreeOUE": "#1f5fa8",
    "TreeHRR": "#0f8a5f",
    "TreeOLH": "#a855b5",
    "TreeHadamard": "#d9a400",
}
_SHADES = {2: "#6aaee8", 4: "#1f5fa8", 8: "#164a84", 16: "#0b2a4d"}
_MARKERS = {
    "HaarHRR": "D",
    "FlatOUE": "s",
    "TreeOUE": "o",
    "TreeHRR": "^",
    "TreeOLH": "v",
    "TreeHadamard": "P",
}


def family(method: str) -> str:
    """Return a method's name without its branching.

    >>> family("TreeOUE4")
    'TreeOUE'
    """
    decomposition, oracle, _ = parts(method)
    return decomposition + oracle


def colour(method: str, *, by_branching: bool = False) -> str:
    """Return the colour of a method: one for a family, or a shade for each branching."""
    branching = parts(method)[2]
    return _SHADES[branching] if by_branching and branching in _SHADES else _COLOURS[family(method)]


def marker(method: str) -> str:
    """Return the marker of a method's family."""
    return _MARKERS[family(method)]


def hierarchy(method: str) -> str:
    r"""Return the paper's name of a consistent method, set as mathematics.

    >>> hierarchy("TreeOUE4")
    '$\\mathrm{HH}^c_{4}$'
    """
    decomposition, oracle, branching = parts(method)
    tree = decomposition == "Tree" and oracle == "OUE"
    return rf"$\mathrm{{HH}}^c_{{{branching}}}$" if tree else method


def power(number: int) -> str:
    """Return a power of two set as one.

    >>> power(256), power(240)
    ('$2^{8}$', '240')
    """
    exponent = number.bit_length() - 1
    return f"$2^{{{exponent}}}$" if number == 1 << exponent and exponent > 3 else str(number)


def grid(
    rows: int, columns: int, *, width: float = 4.0, height: float = 3.2
) -> tuple[Figure, list[list[Axes]]]:
    """Return a figure of equal panels."""
    across = max(width * columns, _NARROWEST)
    figure = Figure(figsize=(across, height * rows), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False)
    for panel in panels.flat:
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(visible=True, which="major", lw=0.4, alpha=0.4)
    return figure, [list(row) for row in panels]


def log_scale(panel: Axes) -> None:
    """Make the vertical axis of a drawn panel logarithmic, with as many labels as fit."""
    panel.set_yscale("log")
    low, high = panel.get_ylim()
    labelled = (1, 1.5, 2, 3, 5, 7) if high < 20 * low else (1, 2, 5) if high < 2000 * low else (1,)
    panel.yaxis.set_major_locator(LogLocator(subs=labelled, numticks=12))
    panel.yaxis.set_major_formatter("{x:g}")
    panel.yaxis.set_minor_formatter("")


def column(table: Table, name: str, scale: float = 1.0) -> list[float]:
    """Return a column of numbers."""
    return [scale * number(row, name) for row in table]


def points(
    panel: Axes,
    places: Sequence[float],
    line: Table,
    method: str,
    *,
    scale: float = 1.0,
    label: str | None = None,
    shade: str | None = None,
    filled: bool = True,
    joined: bool = False,
) -> None:
    """Draw a method's measured errors, each with the deviation from run to run where there are several."""
    shade = shade or colour(method, by_branching=True)
    several = all(row["deviation"] is not None for row in line)
    panel.errorbar(
        places,
        column(line, "measured", scale),
        column(line, "deviation", scale) if several else None,
        fmt=marker(method) + ("-" if joined else ""),
        color=shade,
        mfc=shade if filled else "white",
        ms=4.5,
        lw=0.8,
        capsize=2,
        label=label,
    )


def legend_below(figure: Figure, panels: Sequence[Axes], columns: int) -> None:
    """Put one legend for all panels below them, a method's entries (they begin with its name) together."""
    entries = {
        label: handle
        for panel in panels
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    methods = list(dict.fromkeys(label.split(",")[0] for label in entries))
    labels = sorted(entries, key=lambda label: methods.index(label.split(",")[0]))
    handles = [entries[label] for label in labels]
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)


def save(figure: Figure, folder: Path, name: str, kinds: Sequence[str] = ("svg", "png")) -> None:
    """Write a figure as SVG and as PNG; the same figure gives the same files."""
    for kind in kinds:
        options: dict[str, Any] = {"metadata": {"Date": None}} if kind == "svg" else {"dpi": 110}
        with whole_file(folder / f"{name}.{kind}") as file, mpl.rc_context({"svg.hashsalt": "ldprange"}):
            figure.savefig(file, format=kind, **options)
        figure.set_layout_engine("none")  # it is laid out, and that takes half of the time
