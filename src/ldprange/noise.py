"""What one report adds to the variance of an estimate.

One report of level k contributes a random vector X to that level's estimate θ̂. For every
oracle here its second moment has the form

    E[X Xᵀ] = spread·I + occupied·diag(θ) + total·11ᵀ + cross·(1θᵀ + θ1ᵀ),

so a query that weighs the level's cells by w has variance (wᵀE[XXᵀ]w − (wᵀθ)²)/N_k from that
level. That is for people drawn at random from an endless population; for a finite one, or for those
alone who answered, R(1 − R)/N′ is taken off (:mod:`ldprange.sampling`). In a consistent estimate every
w is a sum of details, so Σw = 0 and only ``spread`` and ``occupied`` remain.

(ψ of the literature, the variance of an item nobody holds, is ``spread + total``; the parts in θ
matter on coarse levels and at large ε. Hadamard hashing with more than one bit has a further
term, between three cells in a row over GF(2^t), that scattering makes average out; docs/method.md
says how nearly. It is left out.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldprange.support.arrays import Floats
from ldprange.support.checking import normalise

_ROUNDING = 1e-12
_TRACE = 1e-9  # of a user
_NEGLIGIBLE = 0.01  # part of a variance that who is in a cell may have without being looked at


@dataclass(frozen=True, slots=True)
class Noise:
    """The four numbers of one report's second moment; see the module.

    ``occupied`` is the part that grows with the share of people in a cell.
    """

    spread: float
    occupied: float = 0.0
    total: float = 0.0
    cross: float = 0.0

    def in_even_population(self, cells: int) -> float:
        """Return the variance × N of a cell's estimate, as details see it, where all cells are held alike."""
        return self.spread + self.occupied / cells

    @classmethod
    def of_supports(cls, p: float, q: float, *, others: float, held_and_other: float) -> Noise:
        """Return the moments of X = (S − q)/(p − q), S the 0/1 support of each cell.

        A report supports the held cell with probability p and any other with q; it supports two
        given others with probability ``others``, the held and a given other with ``held_and_other``.
        """
        unit = (p - q) ** 2
        spread = (q - others) / unit
        total = (others - q * q) / unit
        cross = (held_and_other - p * q) / unit - total
        occupied = (p - 2 * p * q + q * q) / unit - spread - total - 2 * cross
        return cls(spread, occupied if abs(occupied) > _ROUNDING * spread else 0.0, total, cross)


@dataclass(frozen=True, slots=True)
class Law:
    """Who reported on which level, by which noise, and of whom: all that a variance depends on besides θ.

    Attributes
    ----------
    users
        How many people reported on each level.
    noises
        The noise of a report on each level.
    fixed_people
        N′ of :func:`ldprange.sampling.fixed_people`: infinite where people stand for an endless population.
    """

    users: Floats
    noises: tuple[Noise, ...]
    fixed_people: float = math.inf

    def __post_init__(self) -> None:
        # a level that nobody reported on says nothing; a trace of a user keeps every formula finite
        normalise(self, users=np.maximum(self.users, _TRACE))

    @property
    def reported(self) -> NDArray[np.bool_]:
        """Whether anybody reported on each level."""
        return self.users > _TRACE

    @property
    def occupied_parts(self) -> Floats:
        """The ``occupied`` part of every level's noise."""
        return np.array([noise.occupied for noise in self.noises])

    @property
    def sampled(self) -> float:
        """1/N − 1/N′: how much of R(1 − R) the drawing of people adds to the variance of a share R."""
        users = float(self.users.sum())
        return max(0.0, 1 / users - 1 / self.fixed_people) if users >= 1 else 0.0

    @property
    def drawn(self) -> bool:
        """Whether people were drawn: from a population of twice as many at least."""
        return self.sampled * float(self.users.sum()) >= 0.5

    def occupied_part(self, cells: Sequence[int]) -> float:
        """Return the least part, over levels, of an even population's variance that depends on who is where.

        ``cells`` are the cells that each level's oracle is asked about. Near 1 a share varies as that of a
        plain random sample does; 0 if it varies as much wherever people are, or nearly so.
        """
        parts = [
            noise.occupied / (count * noise.in_even_population(count)) if noise.occupied > 0 else 0.0
            for noise, count in zip(self.noises, cells, strict=True)
        ]
        least = min(parts)
        return 0.0 if least < _NEGLIGIBLE else least

    def node_variances(self, cells: Sequence[int]) -> Floats:
        """Return σ² of a node on every level, in a population spread evenly over its cells."""
        return np.array(
            [
                noise.in_even_population(count) / users
                for noise, count, users in zip(self.noises, cells, self.users, strict=True)
            ]
        )
