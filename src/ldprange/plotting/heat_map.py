"""Two attributes together: a heat map of cells' shares, with each attribute's own at the sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ldprange.answer import Answer
from ldprange.domain import Domain
from ldprange.plotting.figures import ESTIMATE, empty_figure, ends_of, set_labels_across, set_labels_up
from ldprange.plotting.ticks import ticks_of
from ldprange.support.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LETTERS = 20  # of a label, in a line
_INCHES = 3.0  # across the cells, at least


class Side(NamedTuple):
    """An attribute at the side of a heat map."""

    name: str
    domain: Domain
    edges: list[int]
    """The bins that its cells begin with, and the number of all bins."""
    shares: Answer[Floats]
    """The share of all people in every row or column of cells."""


def heat_map(across: Side, up: Side, cells: Answer[Floats], title: str) -> Figure:
    """Draw the shares of ``cells`` (a row for each cell ``across``), crossing out those that may be 0."""
    figure = empty_figure((7, 6), title)
    parts = figure.subplots(
        2, 2, sharex="col", sharey="row", gridspec_kw={"width_ratios": [5, 1], "height_ratios": [1, 5]}
    )
    (top, corner), (middle, side) = parts
    corner.set_axis_off()
    value, low, _ = ends_of(cells)
    drawn = middle.pcolormesh(across.edges, up.edges, np.maximum(value, 0).T, cmap="Blues", vmin=0)
    unsure = np.nonzero(low <= 0)
    centres = [np.convolve(each.edges, [0.5, 0.5], "valid") for each in (across, up)]
    crossed = [centre[at] for centre, at in zip(centres, unsure, strict=True)]
    middle.plot(*crossed, "x", color="grey", ms=3, alpha=0.6)
    bar = figure.colorbar(drawn, ax=corner, location="right", fraction=0.9)
    bar.ax.set_title("share", fontsize=8)
    figure.supxlabel("×: the 95% interval reaches down to 0", fontsize=8, color="grey")
    for axes, axis, its, orientation in (
        (top, middle.xaxis, across, "vertical"),
        (side, middle.yaxis, up, "horizontal"),
    ):
        value, low, high = ends_of(its.shares)
        style: dict[str, Any] = {"color": ESTIMATE, "orientation": orientation}
        axes.stairs(high, its.edges, baseline=low, fill=True, alpha=0.2, lw=0, **style)
        axes.stairs(value, its.edges, lw=1.2, **style)
        axes.spines[["top", "right"]].set_visible(False)
        axis.set_label_text(its.name, parse_math=False)
    set_labels_across(middle.xaxis, *ticks_of(across.domain), across.edges[-1], _INCHES)
    set_labels_up(middle.yaxis, *ticks_of(up.domain), _LETTERS)
    return figure
