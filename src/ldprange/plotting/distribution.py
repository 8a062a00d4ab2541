"""The distribution of one attribute: a curve above a histogram, or a bar for every label."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ldprange.answer import Answer
from ldprange.domain import Domain
from ldprange.plotting.figures import ESTIMATE, TRUTH, empty_figure, ends_of, set_labels
from ldprange.plotting.ticks import ticks_of
from ldprange.support.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MAX_BINS_DRAWN = 2000
_LETTERS = 14  # of a label, in a line


class Distribution(NamedTuple):
    """What is drawn of the people who have a place on an axis, from its first bin to its last."""

    domain: Domain
    cdf: Answer[Floats]
    """The shares below all edges of bins, both ends included, with a band that holds everywhere at once."""
    histogram: Answer[Floats]
    true_cdf: Floats | None
    """The same, where the truth is known."""


def distribution_figure(drawn: Distribution, *, title: str, label: str) -> Figure:
    """Draw the cdf with its simultaneous band above the histogram with its intervals.

    ``title`` stands above the figure, and ``label``, which says what values are, below its axis.
    """
    domain = drawn.domain
    figure = empty_figure((8, 6), title)
    upper, lower = figure.subplots(2, 1, sharex=True)
    edges = np.arange(domain.bins + 1)
    value, low, high = ends_of(drawn.cdf)
    upper.fill_between(edges, low, high, color=ESTIMATE, alpha=0.2, lw=0, label="95% band, all at once")
    upper.plot(edges, value, color=ESTIMATE, lw=1.5, label="estimated")
    if drawn.true_cdf is not None:
        upper.plot(edges, drawn.true_cdf, color=TRUTH, lw=1, ls="--", label="true")
    upper.set_ylabel("share of people up to the value")
    upper.set_ylim(-0.02, 1.02)
    upper.legend(loc="lower right", frameon=False)

    value, low, high = ends_of(drawn.histogram)
    if domain.bins <= _MAX_BINS_DRAWN:
        lower.stairs(high, edges, baseline=low, fill=True, color=ESTIMATE, alpha=0.2, lw=0)
    lower.stairs(value, edges, color=ESTIMATE, lw=1.2)
    if drawn.true_cdf is not None:
        lower.stairs(np.diff(drawn.true_cdf), edges, color=TRUTH, lw=1, ls="--")
    lower.axhline(0, color="grey", lw=0.5)
    lower.set_ylabel("share of people per bin")
    set_labels(lower.xaxis, *ticks_of(domain), _LETTERS)
    lower.set_xlabel(label or "value", parse_math=False)
    for axes in (upper, lower):
        axes.spines[["top", "right"]].set_visible(False)
        axes.margins(x=0)
    return figure
