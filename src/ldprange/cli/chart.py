"""A cdf with its band, drawn in characters."""

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from ldprange.domain.text import shown
from ldprange.estimation import Estimate
from ldprange.support.checking import in_percent

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # of a Braille character, row by row
_MARGIN = 6  # characters left of the picture
_WIDEST, _NARROWEST = 100, 20
_TICKS = 4
_SHADED = 0.5  # of a character must lie in the band for it to be shaded


def draw_cdf(
    estimate: Estimate, *, width: int, height: int = 20, confidence: float = 0.95, ascii_only: bool = False
) -> Text:
    """Return a picture of the cdf, ``width`` characters wide; the band holds everywhere at once."""
    columns = max(_NARROWEST, min(width, _WIDEST) - _MARGIN - 1)
    value, low, high = _curve(estimate, 2 * columns, confidence)
    line = _line(value, height)
    edges = _dotted(low, height) | _dotted(high, height)
    band = _band(low, high, height)
    picture = Text()
    for row in range(height):
        every = height // _TICKS
        label = f"{100 - 100 * row // height:>3}% ┤" if row % every == 0 else "     │"
        picture.append(label.translate(_ASCII) if ascii_only else label, style="dim")
        for column in range(columns):
            if dots := line[row, column]:
                picture.append("*" if ascii_only else chr(0x2800 + dots), style="bold")
            elif dots := edges[row, column]:
                picture.append("." if ascii_only else chr(0x2800 + dots), style="cyan")
            elif band[row, column]:
                picture.append(":" if ascii_only else "░", style="cyan")
            else:
                picture.append(" ")
        picture.append("\n")
    caption = (
        f"share of people up to each value; between the dots: the whole curve, at {in_percent(confidence)}"
    )
    for text in (*_axis(estimate, columns), caption):
        picture.append(text.translate(_ASCII) if ascii_only else text, style="dim")
    return picture


_ASCII = str.maketrans("┤│└┬─", "||+++")


def _curve(estimate: Estimate, points: int, confidence: float) -> NDArray[np.float64]:
    """Return the cdf, and the ends of its band, at evenly spaced points of the domain.

    Between two prefixes that are asked, a curve that never falls lies above the one and below the other.
    """
    domain = estimate.domain
    bins = np.unique(np.linspace(0, domain.bins - 1, min(points, domain.bins)).round().astype(np.int64))
    # each of these holds with its own probability; all hold at once if each may fail that much more rarely
    each = 1 - (1 - confidence) / max(1, bins.size - 1)
    answer = estimate.prefixes([domain.upper(int(index)) for index in bins], confidence=each)
    at = np.concatenate([[0.0], (bins + 1) / domain.bins])
    where = (np.arange(points) + 0.5) / points
    value, low, high = (np.concatenate([[0.0], end]) for end in (answer.value, answer.low, answer.high))
    after = np.searchsorted(at, where)
    return np.array([np.interp(where, at, value), low[after - 1], high[after]]).clip(0, 1)


def _line(value: NDArray[np.float64], height: int) -> NDArray[np.int64]:
    """Return the dots of every character; neighbouring dots are joined, so that a jump is a line."""
    rows = 4 * height
    level = np.minimum((value * rows).astype(np.int64), rows - 1)
    cells = np.zeros((height, value.size // 2), np.int64)
    before = level[0]
    for column, now in enumerate(level):
        for dot in range(min(before + (now > before), now), max(before - (now < before), now) + 1):
            row = rows - 1 - dot
            cells[row // 4, column // 2] |= _DOTS[row % 4][column % 2]
        before = now
    return cells


def _dotted(value: NDArray[np.float64], height: int) -> NDArray[np.int64]:
    """Return the dots of every character for a fainter curve: one dot each."""
    rows = 4 * height
    cells = np.zeros((height, value.size // 2), np.int64)
    row = rows - 1 - np.minimum((value[::2] * rows).astype(np.int64), rows - 1)
    cells[row // 4, np.arange(row.size)] = np.array(_DOTS)[row % 4, 0]
    return cells


def _band(low: NDArray[np.float64], high: NDArray[np.float64], height: int) -> NDArray[np.bool_]:
    """Say of every character whether enough of it lies in the band."""
    bottom = np.arange(height)[::-1, None] / height
    lowest, highest = (end.reshape(-1, 2).mean(axis=1) for end in (low, high))
    inside = np.minimum(highest, bottom + 1 / height) - np.maximum(lowest, bottom)
    enough: NDArray[np.bool_] = inside * height >= _SHADED
    return enough


def _axis(estimate: Estimate, columns: int) -> tuple[str, str]:
    """Return the line below the picture and the values along it; the ends have precedence."""
    domain = estimate.domain
    line, labels, said = list("─" * columns), [" "] * columns, set()
    for tick in (0, _TICKS, *range(1, _TICKS)):
        last = tick == _TICKS
        column = columns - 1 if last else columns * tick // _TICKS
        line[column] = "┬"
        value = domain.upper(domain.bins - 1) if last else domain.at(domain.bins * tick / _TICKS)
        text = shown(value)[: columns // _TICKS]
        start = column - len(text) + 1 if last else column
        around = labels[max(0, start - 1) : start + len(text) + 1]
        if text not in said and set(around) == {" "}:
            labels[start : start + len(text)] = text
            said.add(text)
    return "  0% └" + "".join(line) + "\n", " " * _MARGIN + "".join(labels).rstrip() + "\n"
