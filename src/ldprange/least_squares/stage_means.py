"""The even variance from windows in stages, averaged over all ranges and all prefixes, in closed form.

The share below a boundary is, for every stage, that of the cells below it in one block: of whole cells, then
of the parts φ of the cells that are one block of the stage below. A boundary anywhere on the line is anywhere
in its block, whichever block that is, so the mean over all boundaries needs only the mean of φ and of φφᵀ,
from the finest stage up. Over the D + 1 boundaries P_i, Σ_{i<j} Var(P_j − P_i) = (D + 1) Σ Var(P_i) −
Var(Σ P_i); the sum weighs bin z by D − z, which is for every stage a straight line and what parts make of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ldprange.least_squares.stages import Block, Stage
from ldprange.support.arrays import Floats


def mean_variances(stages: Sequence[Stage], blocks: Sequence[Block]) -> tuple[Floats, Floats]:
    """Return the mean even variance of all ranges and of all prefixes of the line that ``stages`` cover.

    ``blocks`` may be of many estimators; then there is a mean for each.
    """
    bins = stages[0].size * stages[0].block
    prefixes = all_together = np.zeros(())
    number, mean, square, line = 1, np.zeros(1), np.zeros((1, 1)), np.zeros(1)
    for stage, block in reversed(list(zip(stages, blocks, strict=True))):
        places = stage.block // number  # of blocks of the stage below
        place = np.repeat(np.arange(places), number)
        early, late = place[:, None] < place, place[:, None] > place
        below = (places - 1 - np.maximum.outer(place, place)) / places
        part = np.tile(mean, places)
        pairs = (
            below
            + np.tile(square, (places, places)) * ~(early | late) / places
            + (part[..., None] * late + part[..., None, :] * early) / places
        )
        straight = np.tile(line, places) + stage.size * number * place
        prefixes = prefixes + (block.within * pairs).sum(axis=(-2, -1))
        blocks_of_line = bins // (stage.size * stage.block)
        spread = (block.within @ straight[..., None])[..., 0]
        all_together = all_together + blocks_of_line * (spread * straight).sum(axis=-1)
        upward = np.swapaxes(block.shared_out, -1, -2)
        below_mean = (places - 1 - place) / places + part / places
        mean = (upward @ below_mean[..., None])[..., 0]
        square = upward @ pairs @ block.shared_out
        line, number = (upward @ straight[..., None])[..., 0], block.parts
    ranges = 2 * prefixes - 2 * all_together / (bins * (bins + 1))
    return ranges, prefixes
