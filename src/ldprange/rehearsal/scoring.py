"""Questions whose true answers are known, put to many surveys."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ldprange.answer import Answer
from ldprange.least_squares.table import from_corners, shares_below
from ldprange.plan import Plan
from ldprange.prediction import TWO_SIDED
from ldprange.support.arrays import Counts

if TYPE_CHECKING:
    from ldprange.estimation import EitherEstimate

Ends = list[NDArray[np.int64]]
Boxes = Callable[[tuple[int, ...], Collection[int]], tuple[Ends, Ends]]


@dataclass(frozen=True)
class _Part:
    """Questions about the same attributes."""

    ends: dict[str, tuple[list[Any], list[Any]]]
    truth: NDArray[np.float64]

    @staticmethod
    def of(plan: Plan, counts: Counts, chosen: tuple[int, ...], low: Ends, high: Ends) -> _Part:
        names, axes = zip(*plan.domain.attributes.items(), strict=True)
        ends = {
            names[attribute]: (
                _values(axes[attribute].lower, starts),
                _values(axes[attribute].upper, stops - 1),
            )
            for attribute, starts, stops in zip(chosen, low, high, strict=True)
        }
        return _Part(ends, from_corners(low, high, shares_below(counts / counts.sum())))

    def ask(self, estimated: EitherEstimate, confidence: float | None) -> Answer[NDArray[np.float64]]:
        if "" in self.ends:  # the name of an only attribute
            return estimated.everyone.ranges(*self.ends[""], confidence=confidence)
        return estimated.everyone.ranges(self.ends, confidence=confidence)


@dataclass(frozen=True)
class Score:
    """Of some questions: how many, their root mean squared error, and how often 95% intervals hold.

    ``standard_error`` is that of ``measured_rmse``, by how much surveys differ; None if there was only one.
    """

    asked: int
    predicted_rmse: float
    measured_rmse: float
    standard_error: float | None
    coverage: float | None

    @property
    def margin(self) -> float | None:
        """How far chance may have moved the measured error, at 95%; None if there was only one survey."""
        return None if self.standard_error is None else TWO_SIDED * self.standard_error


class Questions:
    """Ranges of all attributes that are asked about together, and what became of them so far."""

    def __init__(self, parts: Sequence[_Part]) -> None:
        self._parts = parts
        self._number = sum(part.truth.size for part in parts)
        self._squares: list[float] = []  # the mean squared error of each survey
        self._covered = self._intervals = 0

    def ask(self, estimated: EitherEstimate, *, intervals: bool = True) -> None:
        """Count the error of one survey's answers, and how many ``intervals`` held the truth, if wanted."""
        squares = 0.0
        for part in self._parts:
            found = part.ask(estimated, 0.95 if intervals else None)
            squares += float(((found.value - part.truth) ** 2).sum())
            if not intervals:
                continue
            low, high = np.asarray(found.low), np.asarray(found.high)
            open_question = high > low  # the whole domain holds everybody: nothing to cover
            holds = (low <= part.truth) & (part.truth <= high)
            self._covered += int(np.count_nonzero(holds & open_question))
            self._intervals += int(np.count_nonzero(open_question))
        self._squares.append(squares / self._number)

    @property
    def mean_square(self) -> float:
        """The mean squared error over all surveys."""
        return fmean(self._squares)

    def score(self, predicted: float) -> Score:
        """Return error and coverage over all surveys, beside the ``predicted`` error."""
        measured = self.mean_square**0.5
        error = None
        if len(self._squares) > 1:  # of a root: that of what it is taken of, over twice the root
            error = stdev(self._squares) / (2 * measured * len(self._squares) ** 0.5) if measured else 0.0
        return Score(
            asked=self._number,
            predicted_rmse=predicted,
            measured_rmse=measured,
            standard_error=error,
            coverage=self._covered / self._intervals if self._intervals else None,
        )


def _values(value: Callable[[int], Any], bins: NDArray[np.int64]) -> list[Any]:
    """Return the ``value`` of each of many bins, which are worked out once if they are the same."""
    different, places = np.unique(bins, return_inverse=True)
    values = [value(each) for each in different.tolist()]
    return [values[place] for place in places.tolist()]


def questions_for(plan: Plan, people: Mapping[tuple[int, ...], Counts], boxes: Boxes) -> Questions:
    """Return questions about attributes that are asked about together, with what is true of these people.

    Parameters
    ----------
    plan
        The plan.
    people
        For attributes that are asked about together, how many there are in each bin.
    boxes
        Gives ranges, or prefixes, from how many bins the attributes have, and which have no order.
    """
    return Questions(
        [
            _Part.of(plan, counts, chosen, *boxes(counts.shape, plan.layout.unordered_in(chosen)))
            for chosen, counts in people.items()
        ]
    )
