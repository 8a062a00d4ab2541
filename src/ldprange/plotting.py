"""Figures: the estimated distribution with its bands. Needs matplotlib (``pip install 'ldprange[plot]'``)."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldprange.answer import Answer
from ldprange.domain import Domain
from ldprange.domain.dates import Dates
from ldprange.errors import ArgumentError, ArgumentTypeError, DomainError
from ldprange.estimation import Estimate, JointEstimate
from ldprange.support.checking import shown
from ldprange.support.optional import optional_packages

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ESTIMATE, _TRUTH = "#1f5fa8", "#c2410c"
_MAX_BINS_DRAWN = 2000
_TICKS = 8
_SCREEN_DPI = 110
_MAX_CELLS = 12  # of a heat map, each way


def distribution_figure(estimate: Estimate, *, counts: ArrayLike | None = None, title: str = "") -> Figure:
    """Draw the cdf with its simultaneous band above the histogram with its intervals.

    Parameters
    ----------
    estimate
        What the reports say.
    counts
        The true number of people per bin (:meth:`ldprange.Domain.count` makes them), where it is known
        (a rehearsal), drawn beside.
    title
        Above the figure.
    """
    if not isinstance(estimate, Estimate):
        raise ArgumentTypeError(
            "what is drawn must be an estimate of one attribute, "
            f"got {estimate!r:.60} of type {type(estimate).__name__}; make one with "
            "ldprange.estimate(aggregate), or from several with its marginal(name); joint_figure draws two"
        )
    domain = estimate.domain
    truth = None if counts is None else _shares(counts, domain.bins)
    figure = _empty_figure((8, 6))
    upper, lower = figure.subplots(2, 1, sharex=True)
    if title:
        figure.suptitle(title)

    edges = np.arange(domain.bins + 1)
    value, low, high = (np.append(0.0, column) for column in _columns(estimate.cdf(band="simultaneous")))
    upper.fill_between(edges, low, high, color=_ESTIMATE, alpha=0.2, lw=0, label="95% band, all at once")
    upper.plot(edges, value, color=_ESTIMATE, lw=1.5, label="estimated")
    if truth is not None:
        upper.plot(edges, np.append(0.0, np.cumsum(truth)), color=_TRUTH, lw=1, ls="--", label="true")
    upper.set_ylabel("share of people up to the value")
    upper.set_ylim(-0.02, 1.02)
    upper.legend(loc="lower right", frameon=False)

    value, low, high = _columns(estimate.histogram())
    if domain.bins <= _MAX_BINS_DRAWN:
        lower.stairs(high, edges, baseline=low, fill=True, color=_ESTIMATE, alpha=0.2, lw=0)
    lower.stairs(value, edges, color=_ESTIMATE, lw=1.2)
    if truth is not None:
        lower.stairs(truth, edges, color=_TRUTH, lw=1, ls="--")
    lower.axhline(0, color="grey", lw=0.5)
    lower.set_ylabel("share of people per bin")
    lower.set_xticks(*_ticks(domain))
    lower.set_xlabel("value")
    for axes in (upper, lower):
        axes.spines[["top", "right"]].set_visible(False)
        axes.margins(x=0)
    return figure


def _columns(answer: Answer[Any]) -> tuple[NDArray[Any], ...]:
    """Return value, low and high of an ``answer`` with its interval."""
    return answer.value, *(answer.interval or ())


def _empty_figure(size: tuple[float, float]) -> Figure:
    """Return a figure without a window, which a notebook shows where it is the last thing in a cell."""
    with optional_packages():
        from matplotlib.figure import Figure

    class ShownFigure(Figure):
        def _repr_png_(self) -> bytes:
            drawn = io.BytesIO()
            self.savefig(drawn, format="png", dpi=_SCREEN_DPI)
            return drawn.getvalue()

    return ShownFigure(figsize=size, layout="constrained")


def _shares(counts: ArrayLike, bins: int) -> NDArray[np.float64]:
    """Return the true share of every bin."""
    try:
        people = np.asarray(counts, np.float64)
    except (TypeError, ValueError):
        people = np.array(np.nan)
    if people.shape != (bins,) or not np.all(np.isfinite(people) & (people >= 0)) or not np.any(people):
        raise DomainError(
            f"counts must be {bins} numbers of at least 0, one per bin, and not all 0, got "
            f"{str(counts)[:60]} of shape {people.shape}; make them with domain.count(values)"
        )
    shares: NDArray[np.float64] = people / people.sum()
    return shares


def joint_figure(estimate: JointEstimate, across: str, up: str, *, title: str = "") -> Figure:
    """Draw two attributes together: a heat map of cells' shares, with each attribute's own at the sides.

    Cells are so large that there are at most 12 each way. Where the 95% interval of a cell reaches down to 0
    it is crossed out: there may be nobody in it.

    Parameters
    ----------
    estimate
        What the reports say about several attributes.
    across, up
        The attributes.
    title
        Above the figure.
    """
    if not isinstance(estimate, JointEstimate) or across == up:
        raise ArgumentError(
            f"what is drawn must be two attributes of several, got {shown(across)} and {shown(up)}"
        )
    figure = _empty_figure((7, 6))
    parts = figure.subplots(
        2, 2, sharex="col", sharey="row", gridspec_kw={"width_ratios": [5, 1], "height_ratios": [1, 5]}
    )
    (top, corner), (middle, side) = parts
    corner.set_axis_off()
    domains = [estimate.domain.attribute(name) for name in (across, up)]
    edges = [_cell_edges(domain.bins) for domain in domains]
    ends = [domain.run_ends(each) for domain, each in zip(domains, edges, strict=True)]
    shape = tuple(len(each) - 1 for each in edges)
    places = np.indices(shape).reshape(2, -1)
    pairs = [
        tuple([column[i] for i in at] for column in columns) for columns, at in zip(ends, places, strict=True)
    ]
    value, low, _ = _columns(estimate.ranges({across: pairs[0], up: pairs[1]}))
    drawn = middle.pcolormesh(*edges, np.maximum(value.reshape(shape), 0).T, cmap="Blues", vmin=0)
    unsure = np.flatnonzero(low <= 0)
    centres = [np.convolve(each, [0.5, 0.5], "valid") for each in edges]
    crossed = [centre[at[unsure]] for centre, at in zip(centres, places, strict=True)]
    middle.plot(*crossed, "x", color="grey", ms=3, alpha=0.6)
    bar = figure.colorbar(drawn, ax=corner, location="right", fraction=0.9)
    bar.ax.set_title("share", fontsize=8)
    figure.supxlabel("×: the 95% interval reaches down to 0", fontsize=8, color="grey")
    for axes, name, its_edges, (lows, highs), orientation in (
        (top, across, edges[0], ends[0], "vertical"),
        (side, up, edges[1], ends[1], "horizontal"),
    ):
        value, low, high = _columns(estimate.marginal(name).ranges(lows, highs))
        style: dict[str, Any] = {"color": _ESTIMATE, "orientation": orientation}
        axes.stairs(high, its_edges, baseline=low, fill=True, alpha=0.2, lw=0, **style)
        axes.stairs(value, its_edges, lw=1.2, **style)
        axes.spines[["top", "right"]].set_visible(False)
    for axis, domain, name in ((middle.xaxis, domains[0], across), (middle.yaxis, domains[1], up)):
        axis.set_ticks(*_ticks(domain))
        axis.set_label_text(name)
    if title:
        figure.suptitle(title)
    return figure


def _cell_edges(bins: int) -> list[int]:
    edges: list[int] = np.unique(np.linspace(0, bins, min(bins, _MAX_CELLS) + 1).astype(int)).tolist()
    return edges


def _ticks(domain: Domain) -> tuple[NDArray[np.float64], list[str]]:
    """Name a few places in the user's own units: round numbers, or a few of the days or labels."""
    low, high = domain.lower(0), domain.upper(domain.bins - 1)
    if domain.scale is not None:
        whole = isinstance(low, int)
        ticks = _even(low, high, whole=whole) if domain.scale == "linear" else _magnitudes(low, high)
        return domain.starts(ticks) + (0.5 if whole else 0.0), [f"{tick:.12g}" for tick in ticks]
    if isinstance(domain, Dates):
        days = _days(np.arange(np.datetime64(low), np.datetime64(high) + 1))
        return domain.starts(days) + 0.5, [str(day) for day in days]
    shown = np.unique(np.linspace(0, domain.bins - 1, min(domain.bins, 7)).astype(int))
    return shown + 0.5, [domain.label(int(index)) for index in shown]


def _days(days: NDArray[np.datetime64]) -> NDArray[np.datetime64]:
    """Return a few of the ``days`` in a row: all, Mondays, or the first of months, quarters or years.

    >>> [str(day) for day in _days(np.arange("2026-01-01", "2026-02-15", dtype="datetime64[D]"))]
    ['2026-01-05', '2026-01-12', '2026-01-19', '2026-01-26', '2026-02-02', '2026-02-09']
    """
    months, years = (
        days.astype("datetime64[M]").astype(np.int64),
        days.astype("datetime64[Y]").astype(np.int64),
    )
    first = days == days.astype("datetime64[M]")  # of a month
    mondays = (days.astype(np.int64) + 3) % 7 == 0
    kinds = [np.full(days.shape, True), mondays, *(first & (months % every == 0) for every in (1, 3))]
    for every in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000):
        kinds.append(first & (months % 12 == 0) & ((years + 1970) % every == 0))
    return next((days[kind] for kind in kinds if 0 < np.count_nonzero(kind) <= _TICKS), days[:1])


def _even(low: float, high: float, *, whole: bool = False) -> NDArray[np.float64]:
    """Return a few round numbers at equal distances."""
    from matplotlib.ticker import MaxNLocator

    locator = MaxNLocator(_TICKS, steps=[1, 2, 5, 10], integer=whole)
    return _inside(locator.tick_values(low, high), low, high)


def _magnitudes(low: float, high: float) -> NDArray[np.float64]:
    """Return a few round numbers at about equal ratios: 1, 2 and 5 in every decade, or only decades.

    >>> _magnitudes(0.3, 60).tolist()
    [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0]
    >>> _magnitudes(0.3, 60_000).tolist()
    [1.0, 10.0, 100.0, 1000.0, 10000.0]
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    fine = _inside([float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)], low, high)
    if fine.size <= _TICKS:
        return fine if fine.size > 1 else _even(low, high)
    decades = _inside([float(f"1e{power}") for power in powers], low, high)
    return decades[:: math.ceil(decades.size / _TICKS)]


def _inside(ticks: ArrayLike, low: float, high: float) -> NDArray[np.float64]:
    numbers = np.asarray(ticks, np.float64)
    return numbers[(numbers >= low) & (numbers <= high)]
