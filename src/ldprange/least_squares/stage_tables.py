"""What variances of ranges depend on besides the population."""

from __future__ import annotations

from functools import cached_property

from ldprange.least_squares.stage_between import BetweenMaps
from ldprange.least_squares.stage_forms import FineMaps
from ldprange.least_squares.stage_windows import StageWindows
from ldprange.least_squares.stages import StagesFit


class StageTables:
    """The windows of the stages of ``fit``, and maps of forms."""

    def __init__(self, fit: StagesFit) -> None:
        self.fit = fit
        self.windows = [
            StageWindows.of(fit, stage, levels) for stage, levels in zip(fit.stages, fit.levels, strict=True)
        ]

    @cached_property
    def between(self) -> list[BetweenMaps]:
        """Those of the blocks of the stages between the first and the last."""
        blocks, windows = self.fit.blocks, self.windows
        return [
            BetweenMaps(blocks[at], windows[at], blocks[at + 1].parts) for at in range(1, len(blocks) - 1)
        ]

    @cached_property
    def fine(self) -> FineMaps:
        """Those of the blocks of bins."""
        return FineMaps(self.fit.blocks[-1], self.windows[-1])
