"""How far people who lie together can move an answer.

An answer is a sum over reports, so what one report can do to it is known exactly. Of a range, let W_l be by
how much the answer grows with the estimates of level l. A liar sends whatever report on level l makes
Σ W_l × estimate greatest, which the mechanism knows (:meth:`~ldprange.oracles.Mechanism.pull`).

Whoever keeps to the public coins (level, shift, index) that chance gave them counts, on average over levels,
for some number of people. Whoever chooses these too sends everything to the level that gives most, but then
the coins themselves are not as likely as they should be, which shows (``ldprange check``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ldprange.decompositions.contract import Estimator
from ldprange.oracles import Mechanism
from ldprange.support.arrays import Boundaries, Floats
from ldprange.support.parallel import slices

EstimatorFor = Callable[[Floats], Estimator]
"""Gives the estimator, from how many people report on each level."""

_PEOPLE = 1e9  # any number: only how they are spread over levels matters
_WORK = 1 << 23  # twice the cells × ranges that are tried before the search is narrowed, about
_TOGETHER = 1 << 20  # cells × ranges that are worked on at once
_LEVELS = 3  # those that promise most to whoever chooses a level, of which each is tried
_FEWEST, _MOST = 8, 64  # pieces of the line between whose ends the first ranges lie


@dataclass(frozen=True, slots=True)
class Influence:
    """The furthest that people who lie together can move an answer.

    Attributes
    ----------
    share
        How many of those who report are liars, as a share.
    low, high
        The bins of the range that is moved furthest by those who leave public coins to chance: from ``low``
        up to, but not with, ``high``.
    fair_coins
        How far that is.
    chosen_coins
        How far any answer is moved by those who choose their public coins too. It is detected with near
        certainty unless they are very few.
    """

    share: float
    low: int
    high: int
    fair_coins: float
    chosen_coins: float

    @property
    def people(self) -> float:
        """For how many people a liar counts who leaves public coins to chance."""
        return self.fair_coins / self.share

    def __str__(self) -> str:
        return (
            f"{self.share:.3g} of all reports, made up, move an answer by at most {self.fair_coins:.3g}: "
            f"each counts for {self.people:.3g} people "
            f"({self.chosen_coins:.3g} with public coins chosen too, which shows)"
        )


class Liars:
    """What a ``share`` of liars can do under a plan.

    Parameters
    ----------
    estimator_for
        How levels come together.
    mechanisms, probabilities
        Of every level.
    bins
        The length of the line.
    """

    def __init__(
        self,
        estimator_for: EstimatorFor,
        mechanisms: Sequence[Mechanism],
        probabilities: Sequence[float],
        bins: int,
        share: float,
    ) -> None:
        self._estimator_for, self._mechanisms = estimator_for, mechanisms
        self._probabilities, self._bins, self._share = np.array(probabilities), bins, share
        self._asked = [level for level, chance in enumerate(probabilities) if chance > 0]
        self._cells = sum(mechanisms[level].cells for level in self._asked)
        self._estimator = estimator_for(_PEOPLE * self._probabilities)
        nothing = [np.zeros(mechanism.cells) for mechanism in mechanisms]
        self._told_nothing = np.append(0.0, np.cumsum(self._estimator.fit(nothing)))

    def greatest(self) -> Influence:
        """Return the greatest influence on any range.

        All ranges between some boundaries are tried, then those near the best ones, ever nearer.
        """
        pieces = min(self._bins, int(np.clip(np.sqrt(_WORK / self._cells), _FEWEST, _MOST)))
        ends = np.arange(pieces + 1) * self._bins // pieces
        first, last = np.triu_indices(ends.size, 1)
        low, high, near = ends[first], ends[last], -(-self._bins // pieces)
        best: dict[str, tuple[float, int, int]] = {"fair": (-1.0, 0, 1), "chosen": (-1.0, 0, 1)}
        while True:
            for coins, moves in zip(best, self._moves(low, high), strict=True):
                at = int(np.argmax(moves))
                best[coins] = max(best[coins], (float(moves[at]), int(low[at]), int(high[at])))
            if near <= 1:
                break
            near = -(-near // 2)
            low, high = self._around([best["fair"][1:], best["chosen"][1:]], near)
        move, first_bin, end = best["fair"]
        return Influence(self._share, first_bin, end, move, self._chosen(*best["chosen"][1:]))

    def of(self, low: int, high: int) -> Influence:
        """Return the influence on the share of bins ``low`` … ``high − 1``."""
        fair, _ = self._moves(np.array([low]), np.array([high]))
        return Influence(self._share, low, high, float(fair[0]), self._chosen(low, high))

    def _moves(self, low: Boundaries, high: Boundaries) -> tuple[Floats, Floats]:
        """Return how far the shares of ranges are moved, up or down, with fair coins and with chosen ones.

        The latter but for how much more the level counts that all liars report on.
        """
        ends, places = np.unique(np.concatenate([low, high]), return_inverse=True)
        gains = [self._estimator.gains(boundary) for boundary in ends.tolist()]
        first, last = places.reshape(2, -1)
        nothing = self._told_nothing[high] - self._told_nothing[low]
        up, down, chosen = nothing.copy(), 1 - nothing, np.zeros(low.size)
        for level in self._asked:
            at_ends = np.array([each[level] for each in gains])
            for some in slices(low.size, max(1, _TOGETHER // at_ends.shape[1])):
                gain = at_ends[last[some]] - at_ends[first[some]]
                pulls = self._pulls(level, gain)
                up[some] += pulls.up
                down[some] += pulls.down
                chosen[some] = np.maximum(chosen[some], pulls.chosen / self._probabilities[level])
        return self._share * np.maximum(up, down), self._share * chosen

    def _pulls(self, level: int, gain: Floats) -> _Pulls:
        mechanism = self._mechanisms[level]
        up, down, honest = mechanism.pull(gain), mechanism.pull(-gain), mechanism.expected(gain)
        chosen = np.maximum(up.chosen_coins - honest.min(axis=-1), down.chosen_coins + honest.max(axis=-1))
        return _Pulls(up.fair_coins, down.fair_coins, chosen)

    def _chosen(self, low: int, high: int) -> float:
        """Return how far the share of a range is moved, up or down, by the best public coins.

        All liars report on one level, which then counts for as much more as it has more reports.
        """
        gains = zip(self._estimator.gains(low), self._estimator.gains(high), strict=True)
        nearly = [
            float(self._pulls(level, above - below).chosen) / chance if chance else 0.0
            for (level, chance), (below, above) in zip(enumerate(self._probabilities), gains, strict=True)
        ]
        moves = []
        for level in np.argsort(nearly)[-_LEVELS:].tolist():
            users = (1 - self._share) * self._probabilities
            users[level] += self._share
            estimator = self._estimator_for(_PEOPLE * users)
            gain = estimator.gains(high)[level] - estimator.gains(low)[level]
            moves.append(float(self._share / users[level] * self._pulls(level, gain).chosen))
        return max(moves)

    def _around(self, ranges: Sequence[tuple[int, int]], near: int) -> tuple[Boundaries, Boundaries]:
        """Return the ranges whose ends are ``near`` those of the given ones, or the same."""
        steps = near * np.array([-1, 0, 1])
        low = np.concatenate([np.repeat(first + steps, 3) for first, _ in ranges])
        high = np.concatenate([np.tile(last + steps, 3) for _, last in ranges])
        kept = (low >= 0) & (low < high) & (high <= self._bins)
        return low[kept], high[kept]


class _Pulls(NamedTuple):
    """What a liar adds to an answer on one level: upwards, downwards, and at most with chosen coins."""

    up: Floats
    down: Floats
    chosen: Floats
