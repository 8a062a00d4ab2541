"""Bars that lie, one below the other, so that even long labels can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ldprange.answer import Answer
from ldprange.plotting.figures import ESTIMATE, TRUTH, ends_of, set_labels_up, wrapped
from ldprange.support.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

_LETTERS = 32  # of a label, in a line
_LINE, _GAP = 0.18, 0.14  # inches that a line of a label takes, and what is between labels


class Bars(NamedTuple):
    """Bars from the first, at the top, to the last."""

    labels: list[str]
    shares: Answer[Floats]
    truth: Floats | None
    """The true shares, where they are known."""

    @property
    def height(self) -> float:
        """How many inches they take."""
        lines = max(wrapped(label, _LETTERS).count("\n") + 1 for label in self.labels)
        return len(self.labels) * (lines * _LINE + _GAP)

    def largest(self, most: int) -> Bars:
        """Return the largest bars, and of them at ``most`` so many."""
        chosen = np.argsort(-self.shares.value, kind="stable")[:most]
        truth = None if self.truth is None else self.truth[chosen]
        return Bars(
            [self.labels[at] for at in chosen.tolist()], self.shares.map(lambda column: column[chosen]), truth
        )


def draw_bars(axes: Axes, bars: Bars) -> None:
    """Draw ``bars`` with their intervals, and a mark where the truth is."""
    value, low, high = ends_of(bars.shares)
    places = np.arange(len(bars.labels), dtype=np.float64)
    axes.barh(places, value, height=0.7, color=ESTIMATE, alpha=0.35, label="estimated")
    axes.errorbar(
        value,
        places,
        xerr=[value - low, high - value],
        fmt="none",
        color=ESTIMATE,
        lw=1.2,
        capsize=3,
        label="95% interval",
    )
    if bars.truth is not None:
        axes.plot(bars.truth, places, "D", color=TRUTH, ms=4, label="true")
    set_labels_up(axes.yaxis, places, bars.labels, _LETTERS)
    axes.set_ylim(len(bars.labels) - 0.4, -0.6)  # the first at the top
    axes.axvline(0, color="grey", lw=0.5)
    show_percent(axes.xaxis)
    axes.spines[["top", "right"]].set_visible(False)


def show_percent(axis: Axis) -> None:
    """Mark shares on an ``axis`` as percentages."""
    axis.set_major_formatter(lambda share, _: f"{100 * share:.3g}%")
