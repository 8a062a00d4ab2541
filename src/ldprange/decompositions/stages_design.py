"""The stages of windows on a line of many bins, and the best share of people on each width."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ldprange.decompositions.descent import descend
from ldprange.least_squares.stage_means import mean_variances
from ldprange.least_squares.stages import Stage, parts_of, stacked_blocks
from ldprange.support.arrays import Floats

_TOP = 1024  # cells of the topmost block, at most
_BLOCK = 256  # cells of any other
_PARTS = 4  # of a block: cells of the stage above
_SMALL = 64  # cells of a block for which probabilities are optimised
_EITHER_END = 3  # widths of a stage, from the widest and from the narrowest, that are not like those between
_STEP = 1e-5  # of a derivative
_STEPS = 30  # of the descent: twice as many would gain 0.2%
_LEAST = 1e-12  # a probability that is as good as none


def powers_below(cells: int) -> tuple[int, ...]:
    """Return the powers of two below ``cells``, largest first; 1 is always there."""
    return tuple(1 << k for k in reversed(range(max(1, (cells - 1).bit_length()))))


def stages_for(bins: int) -> list[Stage]:
    """Return the stages for a line of ``bins`` bins, the topmost first; it covers them and a few more.

    >>> [(stage.size, stage.block) for stage in stages_for(1 << 20)]
    [(4096, 256), (64, 256), (1, 256)]
    """
    size, found = 1, list[Stage]()
    while bins > size * _TOP:
        found.append(Stage(size, _BLOCK, powers_below(_BLOCK)))
        size *= _BLOCK // _PARTS
    cells = max(2, -(-bins // size))
    if found:
        cells = -(-cells // _PARTS) * _PARTS
    return [Stage(size, cells, powers_below(cells)), *reversed(found)]


def stages_probabilities(stages: Sequence[Stage], information: Floats, weights: Floats) -> Floats:
    """Return the best probabilities of the levels of ``stages``; see Layout.best_probabilities.

    They are optimised for blocks of at most 64 cells. In larger ones the three widest windows, and the three
    narrowest, get what they have there, and those between what the third has. (All places and all scales
    between a cell and its block being alike, so are their levels.)
    """
    ends = np.cumsum([len(stage.widths) for stage in stages]).tolist()
    parts = parts_of(stages)
    kept: list[list[int]] = []
    small: list[Stage] = []
    size = 1
    for stage, end, number in reversed(list(zip(stages, ends, parts, strict=True))):
        levels = list(range(end - len(stage.widths), end))
        block, widths = stage.block, stage.widths
        if block > _SMALL and _SMALL % number == 0 and len(levels) > 2 * _EITHER_END:
            levels[_EITHER_END:-_EITHER_END] = []
            block, widths = _SMALL, powers_below(_SMALL)
        small.insert(0, Stage(size, block, widths))
        kept.insert(0, levels)
        size *= block // number
    chosen = np.concatenate(kept)
    found = descend(lambda p: _gradient(small, p, information[chosen], weights), chosen.size, _STEPS)
    probabilities = np.full(information.size, np.nan)
    probabilities[chosen] = found
    for level in np.flatnonzero(np.isnan(probabilities)):
        probabilities[level] = probabilities[level - 1]
    probabilities /= probabilities.sum()
    return probabilities


def _gradient(stages: Sequence[Stage], probabilities: Floats, information: Floats, weights: Floats) -> Floats:
    """Return −∂log f/∂p, f the weighted geometric mean of the mean variances, from differences."""
    steps = 1 + _STEP * np.eye(probabilities.size + 1)[:, :-1]
    variances = np.stack(mean_variances(stages, stacked_blocks(stages, steps * probabilities * information)))
    *moved, here = weights @ np.log(variances)
    slopes: Floats = (here - np.array(moved)) / (_STEP * np.maximum(probabilities, _LEAST))
    return np.maximum(slopes, 0.0)
