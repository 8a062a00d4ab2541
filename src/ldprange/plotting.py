"""Figures: the estimated distribution with its bands. Needs matplotlib (``pip install ldprange[plot]``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ldprange.domain import Domain, Integers, Logarithmic, Real
from ldprange.errors import LdprangeError
from ldprange.estimation import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ESTIMATE, _TRUTH = "#1f5fa8", "#c2410c"
_MOST_BINS_DRAWN = 2000


def distribution_figure(estimate: Estimate, *, counts: ArrayLike | None = None, title: str = "") -> Figure:
    """Draw the cdf with its simultaneous band above the histogram with its intervals.

    Parameters
    ----------
    estimate
        What the reports say.
    counts
        The true number of people per bin, where it is known (a rehearsal), drawn beside.
    title
        Above the figure.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise LdprangeError(
            "drawing needs matplotlib, which is not installed; pip install 'ldprange[plot]'"
        ) from None
    domain = estimate.plan.domain
    truth = None if counts is None else np.asarray(counts, np.float64) / np.sum(counts)
    figure = Figure(figsize=(8, 6), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    if title:
        figure.suptitle(title)

    edges = np.arange(domain.bins + 1)
    cdf = estimate.cdf(band="simultaneous")
    assert cdf.low is not None and cdf.high is not None  # noqa: S101, PT018 (a confidence was asked for)
    with_start = [np.concatenate([[0.0], column]) for column in (cdf.value, cdf.low, cdf.high)]
    upper.fill_between(
        edges, with_start[1], with_start[2], color=_ESTIMATE, alpha=0.2, lw=0, label="95% band, all at once"
    )
    upper.plot(edges, with_start[0], color=_ESTIMATE, lw=1.5, label="estimated")
    if truth is not None:
        upper.plot(
            edges, np.concatenate([[0.0], np.cumsum(truth)]), color=_TRUTH, lw=1, ls="--", label="true"
        )
    upper.set_ylabel("share of people up to the value")
    upper.set_ylim(-0.02, 1.02)
    upper.legend(loc="lower right", frameon=False)

    histogram = estimate.histogram()
    assert histogram.low is not None and histogram.high is not None  # noqa: S101, PT018 (the same)
    if domain.bins <= _MOST_BINS_DRAWN:
        lower.fill_between(
            edges[:-1] + 0.5, histogram.low, histogram.high, step="mid", color=_ESTIMATE, alpha=0.2, lw=0
        )
    lower.stairs(histogram.value, edges, color=_ESTIMATE, lw=1.2)
    if truth is not None:
        lower.stairs(truth, edges, color=_TRUTH, lw=1, ls="--")
    lower.axhline(0, color="grey", lw=0.5)
    lower.set_ylabel("share of people per bin")
    _label_bins(lower, domain)
    for axes in (upper, lower):
        axes.spines[["top", "right"]].set_visible(False)
        axes.margins(x=0)
    return figure


def _label_bins(axes: Axes, domain: Domain) -> None:
    """Name a few places in the user's own units: round numbers on an even scale, else a few bins."""
    from matplotlib.ticker import MaxNLocator

    if isinstance(domain, Integers | Real):
        whole = isinstance(domain, Integers)
        ticks = np.asarray(MaxNLocator(8, integer=whole).tick_values(domain.low, domain.high))
        ticks = ticks[(ticks >= domain.low) & (ticks <= domain.high)]
        axes.set_xticks(domain.starts(ticks) + (0.5 if whole else 0.0), [f"{tick:.6g}" for tick in ticks])
    else:
        shown = np.unique(np.linspace(0, domain.bins - 1, min(domain.bins, 7)).astype(int))
        named = [domain.lower(int(index)) for index in shown]
        labels = [f"{value:.3g}" if isinstance(value, float) else str(value) for value in named]
        axes.set_xticks(shown + (0.0 if isinstance(domain, Logarithmic) else 0.5), labels)
    axes.set_xlabel("value")
