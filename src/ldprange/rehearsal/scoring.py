"""Questions whose true answers are known, put to many surveys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ldprange.answer import Answer
from ldprange.least_squares.table import from_corners, shares_below
from ldprange.plan import Plan
from ldprange.workloads import boxes_of, corners_of

if TYPE_CHECKING:
    from ldprange.estimation import EitherEstimate

Ends = list[NDArray[np.int64]]


@dataclass(frozen=True)
class _Part:
    """Questions about the same attributes."""

    ends: dict[str, tuple[list[Any], list[Any]]]
    truth: NDArray[np.float64]

    @staticmethod
    def of(plan: Plan, counts: NDArray[np.int64], chosen: tuple[int, ...], low: Ends, high: Ends) -> _Part:
        names, axes = zip(*plan.domain.attributes.items(), strict=True)
        ends = {
            names[attribute]: (
                [axes[attribute].lower(int(start)) for start in starts],
                [axes[attribute].upper(int(stop) - 1) for stop in stops],
            )
            for attribute, starts, stops in zip(chosen, low, high, strict=True)
        }
        others = tuple(set(range(counts.ndim)) - set(chosen))
        cdf = shares_below(counts.sum(axis=others) / counts.sum())
        return _Part(ends, from_corners(low, high, lambda corner: cdf[tuple(corner)]))

    def ask(self, estimated: EitherEstimate) -> Answer[NDArray[np.float64]]:
        if "" in self.ends:  # the name of an only attribute
            return estimated.everyone.ranges(*self.ends[""])
        return estimated.ranges(self.ends)


@dataclass(frozen=True)
class Score:
    """Of some questions: how many, their root mean squared error, and how often 95% intervals hold."""

    asked: int
    predicted_rmse: float
    measured_rmse: float
    coverage: float | None


class Questions:
    """Ranges of all attributes that are asked about together, and what became of them so far."""

    def __init__(self, parts: Sequence[_Part]) -> None:
        self._parts = parts
        self._squares = 0.0
        self._asked = self._covered = self._intervals = 0

    def ask(self, estimated: EitherEstimate) -> None:
        """Count the error of one survey's answers, and how many intervals held the truth."""
        for part in self._parts:
            found = part.ask(estimated)
            low, high = np.asarray(found.low), np.asarray(found.high)
            self._squares += float(((found.value - part.truth) ** 2).sum())
            self._asked += part.truth.size
            open_question = high > low  # the whole domain holds everybody: nothing to cover
            holds = (low <= part.truth) & (part.truth <= high)
            self._covered += int(np.count_nonzero(holds & open_question))
            self._intervals += int(np.count_nonzero(open_question))

    def score(self, predicted: float) -> Score:
        """Return error and coverage over all surveys, beside the ``predicted`` error."""
        return Score(
            asked=sum(part.truth.size for part in self._parts),
            predicted_rmse=predicted,
            measured_rmse=(self._squares / self._asked) ** 0.5,
            coverage=self._covered / self._intervals if self._intervals else None,
        )


def ranges_for(plan: Plan, counts: NDArray[np.int64]) -> Questions:
    """Return an even choice of all ranges, with what is true of these people."""
    return Questions(
        [
            _Part.of(plan, counts, chosen, *boxes_of(tuple(plan.domain.shape[a] for a in chosen)))
            for chosen in plan.layout.tables
        ]
    )


def prefixes_for(plan: Plan, counts: NDArray[np.int64]) -> Questions:
    """Return all prefixes, or an even choice of them, with what is true of these people."""
    parts = []
    for chosen in plan.layout.tables:
        stops = corners_of(tuple(plan.domain.shape[a] for a in chosen))
        parts.append(_Part.of(plan, counts, chosen, [np.zeros_like(stop) for stop in stops], stops))
    return Questions(parts)
