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
from itertools import product
from typing import NamedTuple

import numpy as np

from ldprange.decompositions.contract import Layout, Weigh
from ldprange.noise import Law
from ldprange.oracles import Mechanism
from ldprange.support.arrays import Boundaries, Floats
from ldprange.support.html_tables import html_text
from ldprange.support.parallel import slices

LawFor = Callable[[Floats], Law]
"""Gives the law of a survey, from how many people report on each level."""

_PEOPLE = 1e9  # any number: only how they are spread over levels matters
_WORK = 1 << 23  # twice the cells × questions that are tried before the search is narrowed, about
_TOGETHER = 1 << 20  # cells × questions that are worked on at once
_FEWEST, _MOST = 4, 64  # pieces of a line between whose ends the first ranges lie


@dataclass(frozen=True, slots=True)
class Influence:
    """The furthest that people who lie together can move an answer, which is a share of all people.

    Shares among some of the people (those who answered, where some may decline, or those in a condition) are
    ratios of two such answers, and can be moved further: the fewer these people are, the further.

    Attributes
    ----------
    share
        How many of those who report are liars, as a share.
    ranges
        The bins of the range that is moved furthest by those who leave public coins to chance: from the first
        number up to, but not with, the second; by the names of attributes (``""`` where there is only one).
    fair_coins
        How far that is.
    chosen_coins
        How far any answer is moved by those who choose their public coins too. It is detected with near
        certainty unless they are very few.
    """

    share: float
    ranges: dict[str, tuple[int, int]]
    fair_coins: float
    chosen_coins: float

    @property
    def people(self) -> float:
        """For how many people a liar counts who leaves public coins to chance."""
        return self.fair_coins / self.share

    def _repr_html_(self) -> str:
        return html_text(str(self))

    def __str__(self) -> str:
        return (
            f"{self.share:.3g} of all reports, made up, move an answer by at most {self.fair_coins:.3g}: "
            f"each counts for {self.people:.3g} people "
            f"({self.chosen_coins:.3g} with public coins chosen too, which shows)"
        )


class Liars:
    """What a ``share`` of liars can do to the answers about one table of attributes.

    Parameters
    ----------
    layout, mechanisms, probabilities
        Of the plan.
    law_for
        Gives its law.
    table
        The attributes that are asked about together.
    """

    def __init__(
        self,
        layout: Layout,
        mechanisms: Sequence[Mechanism],
        probabilities: Sequence[float],
        law_for: LawFor,
        table: Sequence[int],
        share: float,
    ) -> None:
        self._layout, self._mechanisms, self._law_for = layout, mechanisms, law_for
        self._table, self._shape = table, np.array([layout.shape[place] for place in table])
        self._probabilities, self._share = np.array(probabilities), share
        self._asked = [level for level, chance in enumerate(probabilities) if chance > 0]
        self._cells = sum(mechanisms[level].cells for level in self._asked)
        self._weigh = self._weigh_for(self._probabilities)

    def _weigh_for(self, users: Floats) -> Weigh:
        return self._layout.answer_weights(self._law_for(_PEOPLE * users), self._table)

    def greatest(self) -> tuple[Moved, Moved]:
        """Return the question that is moved furthest with fair coins, and the one with chosen coins.

        All ranges between some boundaries are tried, then those near the best ones, ever nearer: on a large
        domain there may be one that is moved a little further.
        """
        axes = self._shape.size
        wanted = (2 * _WORK / self._cells) ** (1 / axes)  # ranges of one attribute
        pieces = np.minimum(self._shape, int(np.clip(np.sqrt(wanted), _FEWEST, _MOST)))
        questions = _all_ranges(self._shape, pieces)
        near = -(-self._shape // pieces)
        best = [Moved(-1.0, questions[0]), Moved(-1.0, questions[0])]
        while True:
            for coins, moves in enumerate(self._moves(questions)):
                at = int(np.argmax(moves))
                if moves[at] > best[coins].move:
                    best[coins] = Moved(float(moves[at]), questions[at])
            if near.max() <= 1:
                break
            near = -(-near // 2)
            questions = np.concatenate([self._around(each.question, near) for each in best])
        return best[0], Moved(self.chosen(best[1].question), best[1].question)

    def fair(self, question: Boundaries) -> float:
        """Return how far the answer to a question is moved, with public coins left to chance."""
        return float(self._moves(question[None])[0][0])

    def chosen(self, question: Boundaries) -> float:
        """Return how far the answer to a question is moved, up or down, by the best public coins.

        All liars report on one level, which then counts for as much more as it has more reports.
        """
        moves = []
        for level in self._asked:
            users = (1 - self._share) * self._probabilities
            users[level] += self._share
            weight = self._weigh_for(users)(question[None, :, 0], question[None, :, 1]).levels[level]
            moves.append(float(self._share / users[level] * self._pulls(level, weight).chosen[0]))
        return max(moves)

    def _moves(self, questions: Boundaries) -> tuple[Floats, Floats]:
        """Return how far answers are moved, up or down, with fair coins and with chosen ones.

        The latter but for how much more the level counts that all liars report on.
        """
        fair, chosen = np.zeros((2, len(questions)))
        for some in slices(len(questions), max(1, _TOGETHER // max(each.cells for each in self._mechanisms))):
            weights = self._weigh(questions[some, :, 0], questions[some, :, 1])
            up, down = weights.nothing.copy(), 1 - weights.nothing
            for level in self._asked:
                pulls = self._pulls(level, weights.levels[level])
                up += pulls.up
                down += pulls.down
                chosen[some] = np.maximum(chosen[some], pulls.chosen / self._probabilities[level])
            fair[some] = np.maximum(up, down)
        return self._share * fair, self._share * chosen

    def _pulls(self, level: int, weights: Floats) -> _Pulls:
        mechanism = self._mechanisms[level]
        up, down, honest = mechanism.pull(weights), mechanism.pull(-weights), mechanism.expected(weights)
        chosen = np.maximum(up.chosen_coins - honest.min(axis=-1), down.chosen_coins + honest.max(axis=-1))
        return _Pulls(up.fair_coins, down.fair_coins, chosen)

    def _around(self, question: Boundaries, near: Boundaries) -> Boundaries:
        """Return the questions whose ends are ``near`` those of a given one, or the same."""
        steps = np.array(list(product((-1, 0, 1), repeat=question.size)), np.int64)
        found: Boundaries = question + steps.reshape(-1, *question.shape) * near[:, None]
        low, high = found[..., 0], found[..., 1]
        kept = np.all((low >= 0) & (low < high) & (high <= self._shape), axis=1)
        return found[kept]


def _all_ranges(shape: Boundaries, pieces: Boundaries) -> Boundaries:
    """Return all ranges between the ends of ``pieces`` of each axis, combined: question, axis, end."""
    axes = []
    for bins, number in zip(shape, pieces, strict=True):
        ends = np.arange(number + 1) * bins // number
        axes.append(ends[np.transpose(np.triu_indices(ends.size, 1))])
    places = np.indices([len(ranges) for ranges in axes]).reshape(len(axes), -1)
    return np.stack([ranges[place] for ranges, place in zip(axes, places, strict=True)], axis=1)


class Moved(NamedTuple):
    """How far the answer to a question is moved: where ranges begin and end, a row for each attribute."""

    move: float
    question: Boundaries


class _Pulls(NamedTuple):
    """What a liar adds to answers on one level: upwards, downwards, and at most with chosen coins."""

    up: Floats
    down: Floats
    chosen: Floats


def influence_on(
    tables: Sequence[Sequence[int]],
    liars: Callable[[Sequence[int]], Liars],
    names: Sequence[str],
    share: float,
) -> Influence:
    """Return the greatest influence on the answers about any of the ``tables`` of attributes."""
    found = [(table, *liars(table).greatest()) for table in tables]
    table, fair, _ = max(found, key=lambda each: each[1].move)
    chosen = max(each.move for _, _, each in found)
    ranges = {
        names[place]: (int(low), int(high)) for place, (low, high) in zip(table, fair.question, strict=True)
    }
    return Influence(share, ranges, fair.move, chosen)
