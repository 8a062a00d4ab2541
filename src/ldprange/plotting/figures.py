"""What all figures have in common: a figure that shows itself, its colours, and texts that fit."""

from __future__ import annotations

import io
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ldprange.answer import Answer
from ldprange.support.arrays import Floats
from ldprange.support.optional import optional_packages

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

ESTIMATE, TRUTH = "#1f5fa8", "#c2410c"
_SCREEN_DPI = 110
_MAX_LINES = 3  # of a label
_LETTERS_ACROSS = 14  # in a line of a label below an axis
_INCHES_PER_LETTER = 0.08


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


def set_labels_up(axis: Axis, places: Floats, labels: list[str], letters: int) -> None:
    """Write ``labels`` at ``places`` of an upright ``axis``, in lines of so many ``letters``."""
    axis.set_ticks(places, [wrapped(label, letters) for label in labels], parse_math=False)


def set_labels_across(axis: Axis, places: Floats, labels: list[str], span: int, inches: float) -> None:
    """Write ``labels`` below an ``axis`` from 0 to ``span`` that is so many ``inches`` long.

    They are slanted where they would run into one another.
    """
    lines = [wrapped(label, _LETTERS_ACROSS) for label in labels]
    widths = _INCHES_PER_LETTER * np.array([max(map(len, each.split("\n"))) + 1 for each in lines])
    fit = np.all(np.diff(places) * inches / span >= (widths[1:] + widths[:-1]) / 2)
    if fit:
        axis.set_ticks(places, lines, parse_math=False)
    else:
        short = [textwrap.shorten(label, 2 * _LETTERS_ACROSS, placeholder=" …") for label in labels]
        axis.set_ticks(places, short, parse_math=False, rotation=40, ha="right", rotation_mode="anchor")
