"""The distribution of one attribute: a curve above a histogram, or a bar for every label."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ldprange.answer import Answer
from ldprange.domain import Domain
from ldprange.plotting.figures import ESTIMATE, TRUTH, empty_figure, ends_of, set_labels_across
from ldprange.plotting.labelled_bars import Bars, draw_bars, show_percent
from ldprange.plotting.ticks import ticks_of
from ldprange.support.arrays import Boundaries, Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH = 8.0  # of a figure; all lengths are inches
_PANEL = 3.0  # the height of a curve or a histogram
_AXIS = 0.6  # the height of what is written below bars
_MAX_BARS = 40


class Distribution(NamedTuple):
    """What is drawn of the people."""

    domain: Domain
    """The values that have a place on an axis."""
    edges: Boundaries
    """Of the cells that are drawn: bins or, of very many, some together."""
    histogram: Answer[Floats]
    """The share of a bin in each cell."""
    cdf: Answer[Floats] | None
    """The shares of people below all edges, both ends included, with a band that holds everywhere at once;
    None where values have no order."""
    true_cdf: Floats | None
    """The true shares below all edges, where they are known."""
    beside: Bars | None
    """What has no place on the axis, if there is any of it."""

    @property
    def truth(self) -> Floats | None:
        """The true share of a bin in each cell, where it is known."""
        return None if self.true_cdf is None else np.diff(self.true_cdf) / np.diff(self.edges)

    @property
    def labelled(self) -> bool:
        """Whether every bin has a label of its own to be shown."""
        has_labels = self.domain.column == "labels"
        return has_labels and (self.cdf is None or self.domain.bins <= _MAX_BARS)


def distribution_figure(drawn: Distribution, *, title: str, label: str) -> Figure:
    """Draw the cdf with its simultaneous band above the histogram with its intervals; labels as bars.

    ``title`` stands above the figure, and ``label``, which says what values are, at their axis. What has no
    place on the axis is below it.
    """
    names = [drawn.domain.label(each) for each in range(drawn.domain.bins)] if drawn.labelled else []
    bars = Bars(names, drawn.histogram, drawn.truth) if names else None
    shown = bars if bars is None or len(names) <= _MAX_BARS else bars.largest(_MAX_BARS)
    heights = [_PANEL, _PANEL] if shown is None else [shown.height + _AXIS]
    if drawn.beside is not None:
        heights.append(drawn.beside.height + _AXIS)
    figure = empty_figure((_WIDTH, sum(heights) + _AXIS * (bool(title) + bool(names))), title)
    columns = 1 if shown is None or drawn.cdf is None else 2
    grid = figure.add_gridspec(len(heights), columns, height_ratios=heights)
    if shown is None:
        upper = figure.add_subplot(grid[0])
        lower = figure.add_subplot(grid[1], sharex=upper)
        _draw_curve(upper, drawn)
        _draw_histogram(lower, drawn, label)
    else:
        first = figure.add_subplot(grid[0, 0])
        draw_bars(first, shown)
        some = (
            ""
            if len(names) == len(shown.labels)
            else f" (the {_MAX_BARS} largest estimates of {len(names):,}; chance favours some)"
        )
        first.set_xlabel(f"share of people{some}")
        first.set_ylabel(label, parse_math=False)
        figure.legend(*first.get_legend_handles_labels(), loc="outside lower right", ncols=3, frameon=False)
        if drawn.cdf is not None:
            _draw_steps(figure.add_subplot(grid[0, 1], sharey=first), drawn)
    if drawn.beside is not None:
        last = figure.add_subplot(grid[-1, 0])
        draw_bars(last, drawn.beside)
        last.set_xlabel("share of people")
    return figure


def _draw_curve(axes: Axes, drawn: Distribution) -> None:
    if drawn.cdf is None:
        return
    edges = drawn.edges
    value, low, high = ends_of(drawn.cdf)
    # a curve that never falls lies, inside a cell, between what is known at the cell's two edges
    ends, below, above = np.repeat(edges, 2)[1:-1], np.repeat(low[:-1], 2), np.repeat(high[1:], 2)
    axes.fill_between(ends, below, above, color=ESTIMATE, alpha=0.2, lw=0, label="95% band, all at once")
    axes.plot(edges, value, color=ESTIMATE, lw=1.5, label="estimated")
    if drawn.true_cdf is not None:
        axes.plot(edges, drawn.true_cdf, color=TRUTH, lw=1, ls="--", label="true")
    axes.set_ylabel("share of people up to the value")
    axes.set_ylim(-0.02, 1.02)
    axes.tick_params(labelbottom=False)
    axes.legend(loc="lower right", frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0)


def _draw_histogram(axes: Axes, drawn: Distribution, label: str) -> None:
    if drawn.histogram.interval is not None:
        low, high = drawn.histogram.interval
        axes.stairs(high, drawn.edges, baseline=low, fill=True, color=ESTIMATE, alpha=0.2, lw=0)
    axes.stairs(drawn.histogram.value, drawn.edges, color=ESTIMATE, lw=1.2)
    if drawn.truth is not None:
        axes.stairs(drawn.truth, drawn.edges, color=TRUTH, lw=1, ls="--")
    axes.axhline(0, color="grey", lw=0.5)
    axes.set_ylabel("share of people per bin")
    set_labels_across(axes.xaxis, *ticks_of(drawn.domain), drawn.domain.bins, _WIDTH - 1)
    axes.set_xlabel(label or "value", parse_math=False)
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0)


def _draw_steps(axes: Axes, drawn: Distribution) -> None:
    """Draw the share up to each label at its bar's height, with the band that holds everywhere at once."""
    if drawn.cdf is None:
        return
    value, low, high = (column[1:] for column in ends_of(drawn.cdf))
    places = np.arange(value.size)
    axes.errorbar(
        value, places, xerr=[value - low, high - value], fmt="o", color=ESTIMATE, ms=4, lw=1.2, capsize=3
    )
    if drawn.true_cdf is not None:
        axes.plot(drawn.true_cdf[1:], places, "D", color=TRUTH, ms=4)
    axes.set_xlabel("share of people up to the label\n(95% sure of all at once)")
    show_percent(axes.xaxis)
    axes.set_xlim(-0.02, 1.02)
    axes.tick_params(labelleft=False)
    axes.spines[["top", "right"]].set_visible(False)
