"""What all figures have in common: a figure that shows itself, its colours, and texts that fit."""

from __future__ import annotations

import io
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ldprange.answer import Answer
from ldprange.support.optional import optional_packages

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

ESTIMATE, TRUTH = "#1f5fa8", "#c2410c"
_SCREEN_DPI = 110
_MAX_LINES = 3  # of a label


def empty_figure(size: tuple[float, float], title: str) -> Figure:
    """Return a figure of a ``size`` in inches with a ``title``, which a notebook shows by itself."""
    with optional_packages():
        from matplotlib.figure import Figure

    class ShownFigure(Figure):
        def _repr_png_(self) -> bytes:
            drawn = io.BytesIO()
            self.savefig(drawn, format="png", dpi=_SCREEN_DPI)
            return drawn.getvalue()

    figure = ShownFigure(figsize=size, layout="constrained")
    if title:
        lines = [wrapped(line, round(9 * size[0])) for line in title.splitlines()]
        figure.suptitle("\n".join(lines), parse_math=False)
    return figure


def ends_of(answer: Answer[Any]) -> tuple[NDArray[Any], ...]:
    """Return value, low and high of an ``answer`` with its interval."""
    return answer.value, *(answer.interval or ())


def wrapped(text: str, letters: int) -> str:
    """Return a ``text`` in at most three lines of so many ``letters``, cut short where it is longer.

    >>> print(wrapped("By train, and then by bicycle", 14))
    By train, and
    then by
    bicycle
    """
    return "\n".join(textwrap.wrap(text, letters, max_lines=_MAX_LINES, placeholder=" …"))


def set_labels(axis: Axis, places: NDArray[np.float64], labels: list[str], letters: int) -> None:
    """Write ``labels`` at ``places`` of an ``axis``, in lines of so many ``letters``; $ is only a letter."""
    axis.set_ticks(places, [wrapped(label, letters) for label in labels], parse_math=False)
