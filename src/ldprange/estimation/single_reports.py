"""How far an answer may be off where a level has few reports, so that a single one moves it far.

A share below a boundary is a sum of independent reports. Let those that move it by about b, one way or
the other, make up V_b of its variance. Then it is off by more than t, to one side, with a chance of at most
exp(−L) if

    t = min over s > 0 of (L + Σ_b V_b (cosh(s b) − 1)/b²)/s.

That is Bennett's inequality, with all b in place of the greatest, and as many reports one way as the other.
If all b are small it is √(2 L ΣV_b), as of a normal law.

V_b and b are those of some boundaries, with people spread evenly. Of other shares the variance alone is
known, and it is divided as :meth:`SingleReports.reach` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from statistics import NormalDist

import numpy as np

from ldprange.decompositions.contract import Estimator
from ldprange.levels import Level, window_sums
from ldprange.noise import Law
from ldprange.oracles import Mechanism
from ldprange.support.arrays import Floats

_BOUNDARIES = 12  # that are looked at,
_BOUNDARIES_OF_MANY = 4  # or so few
_MANY = 1 << 18  # of more bins than that
_HARDLY = 1e-3  # of the greatest weight of a cell
_FINE = 6  # b within a factor of 2, which are told apart,
_SIZES = 10 * _FINE  # below the greatest; all that are smaller count as the last
_NUMBER = 256  # for which t is worked out; others lie between
_RANGE = 1e-12, 1e4  # of these, in terms of what shares below boundaries have
_ENDS = 2  # of a range, whose share varies up to twice as much as that below a boundary
_SLOPES = 600  # s that are tried,
_STEEPEST = 60.0  # up to so many over the smallest b
_OVERFLOWS = 300.0  # an s b that is as bad as any greater
_TINY = 1e-300


class SingleReports:
    """What single reports do to shares below boundaries, were people spread evenly.

    Parameters
    ----------
    moves, variances
        b, falling, and V_b of the module.
    """

    def __init__(self, moves: Floats, variances: Floats) -> None:
        self._moves, self._variances = moves, variances
        self._tables: dict[float, tuple[Floats, Floats]] = {}

    @classmethod
    def of(
        cls,
        estimator: Estimator,
        levels: Sequence[Level],
        mechanisms: Sequence[Mechanism],
        law: Law,
        bins: int,
    ) -> SingleReports | None:
        """Return the mean over some boundaries of so many ``bins``; None if no report moves any."""
        number = min(_BOUNDARIES if bins <= _MANY else _BOUNDARIES_OF_MANY, bins - 1)
        looked_at = np.minimum((2 * np.arange(number) + 1) * bins // (2 * number) | 1, bins - 1)
        found = [_moved(estimator.gains(each), levels, mechanisms, law) for each in looked_at.tolist()]
        furthest = max((float(moves.max()) for each in found for moves, _ in each), default=0.0)
        if not furthest:
            return None
        total = np.zeros(_SIZES + 1)
        for moves, variances in chain(*found):
            places = -_FINE * np.log2(np.maximum(moves / furthest, _TINY))
            total += np.bincount(np.minimum(places.astype(np.int64), _SIZES), variances, total.size)
        # as much as the boundary has that varies most
        most = max(sum(float(variances.sum()) for _, variances in each) for each in found)
        return cls(furthest * 2 ** (-np.arange(_SIZES + 1) / _FINE), total * (most / total.sum()))

    @property
    def furthest(self) -> float:
        """How far one report moves a share below a boundary at most."""
        return float(self._moves[0])

    def reach(self, variance: Floats, z: float) -> Floats:
        """Return t for shares of each ``variance``, about as unlikely as ``z`` deviations of a normal law.

        One that varies less than those of the module, as that of a narrow range, is taken to do so by the
        reports that move it furthest. One that varies up to twice as much has two ends; what is more than
        that comes from the former again, as where many people are in one place.
        """
        if z not in self._tables:
            self._tables[z] = self._table(z)
        known, reaches = self._tables[z]
        places = np.log(np.maximum(variance, _TINY))
        return np.where(variance > 0, np.exp(np.interp(places, known, reaches)), 0.0)

    def _table(self, z: float) -> tuple[Floats, Floats]:
        """Return logarithms of variances and of what :meth:`reach` gives for them."""
        known = np.geomspace(*_RANGE, _NUMBER) * self._variances.sum()
        parts = self._parts(known)
        # a part of the risk may be that any report comes at all of those that move a share furthest
        risk = NormalDist().cdf(-z)
        others = np.where(np.cumsum(parts / self._moves**2, axis=1) > risk, parts, 0.0)
        flattest, steepest = z / np.sqrt(known[-1]), _STEEPEST / self._moves[-1]
        slopes = np.geomspace(min(flattest, 1 / self.furthest) / 10, steepest, _SLOPES)
        reaches = np.minimum(*(self._reaches(each, z, slopes) for each in (parts, others)))
        return np.log(known), np.log(np.maximum.accumulate(reaches))

    def _parts(self, known: Floats) -> Floats:
        """Return V_b of shares with ``known`` variances, a row each."""
        upto = np.cumsum(self._variances)
        ends = np.clip(known / upto[-1], 1.0, _ENDS)[:, None]
        parts: Floats = np.clip(known[:, None] - ends * (upto - self._variances), 0.0, ends * self._variances)
        parts[:, 0] += np.maximum(known - _ENDS * upto[-1], 0.0)
        return parts

    def _reaches(self, parts: Floats, z: float, slopes: Floats) -> Floats:
        """Return t for rows of ``parts`` V_b, with L = z²/2, by trying ``slopes`` as s."""
        steps = np.minimum(slopes * self._moves[:, None], _OVERFLOWS)
        # cosh(x) − 1 = 2 sinh²(x/2), which keeps its digits where x is small
        cumulants = parts @ (2 * (np.sinh(steps / 2) / self._moves[:, None]) ** 2)
        reaches: Floats = ((z * z / 2 + cumulants) / slopes).min(axis=1)
        return reaches


def most_of_one(mechanisms: Sequence[Mechanism], users: Sequence[float]) -> float:
    """Return how far one report moves a share at most, if no cell weighs more in it than it has people."""
    each = zip(mechanisms, users, strict=True)
    return max((mechanism.most_of_cell / people for mechanism, people in each if people > 0), default=0.0)


def _moved(
    gains: Sequence[Floats], levels: Sequence[Level], mechanisms: Sequence[Mechanism], law: Law
) -> list[tuple[Floats, Floats]]:
    """Return b and V_b of cells of each level, of a share that ``gains`` so much from it.

    The many that hardly matter are put together, as if they mattered a little more.
    """
    found = []
    each = zip(gains, levels, mechanisms, law.noises, law.users, law.reported, strict=True)
    for weights, level, mechanism, noise, users, reported in each:
        if level.shifts > 1:
            weights = window_sums(weights.reshape(-1, level.block or level.cells), level.shifts).reshape(-1)
        weights = np.abs(weights) if reported else np.zeros(1)
        least = _HARDLY * weights.max()
        kept = weights[weights > least]
        squares = np.append(kept**2, max(float(weights @ weights - kept @ kept), 0.0))
        each_adds = noise.in_even_population(level.asked) / (level.shifts * users)
        found.append((np.append(kept, least) * mechanism.most_of_cell / users, squares * each_adds))
    return found
