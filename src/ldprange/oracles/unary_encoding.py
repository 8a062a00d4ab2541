"""Optimised unary encoding: one bit per cell, each randomised on its own.

The held cell's bit is 1 with probability p = 1/2, any other with q = 1/(e + 1). Supports are
independent, so the tally of a whole population is a sum of binomials and can be drawn at once,
as the paper does. (The paper's aggregation formula has the wrong sign and scale; the
estimate is (count/N − q)/(p − q).)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ldprange import kernels
from ldprange.errors import PlanError, WireError
from ldprange.oracles.bit_rows import bits_at
from ldprange.oracles.contract import Column, Groups, Items, Mechanism, Oracle, Pull
from ldprange.randomness import WORDS, Coins, chance_of, exponential_from_below, thresholds_of
from ldprange.support.arrays import Counts, Floats
from ldprange.support.parallel import slices

_HELD = WORDS // 2
_BLOCK = 1 << 20  # coins drawn together


@dataclass(frozen=True, slots=True)
class OUE(Oracle):
    """Optimised unary encoding (OUE): accurate at any ε, one bit per cell on the wire."""

    kind: ClassVar[str] = "oue"

    def on(self, cells: int, epsilon: float, *, contrast: bool = False) -> Mechanism:
        return _UnaryMechanism(cells, epsilon)


class _UnaryMechanism(Mechanism):
    """The column is the reports' packed bits, one row each, lowest bit first."""

    def __init__(self, cells: int, epsilon: float) -> None:
        self.cells = self.counters = cells
        self.width = (cells + 7) // 8
        self._threshold, self._finer = thresholds_of(1 / (exponential_from_below(epsilon) + 1), math.ceil)
        self._other = chance_of(self._threshold, self._finer)
        if self._threshold >= _HELD:
            raise PlanError(f"ε must be large enough for coins to tell bits apart, got {epsilon}")
        p, q = 0.5, float(self._other)
        self._set_supports(p, q, others=q * q, held_and_other=p * q)

    @property
    def bits(self) -> int:
        return self.cells

    def encode(self, item: int, coins: Coins) -> bytes:
        words = coins.words(self.cells)
        bits = words < self._threshold
        if self._finer and (tied := np.flatnonzero(words == self._threshold)).size:
            bits[tied] = coins.words(tied.size) < self._finer
        bits[item] = words[item] < _HELD
        return np.packbits(bits, bitorder="little").tobytes()

    def encode_many(self, items: Items, rng: np.random.Generator) -> Column:
        column = np.empty((items.size, self.width), np.uint8)
        for rows in slices(items.size, max(1, _BLOCK // self.cells)):
            held = items[rows]
            words = kernels.seeded_words(rng, held.size * self.cells).reshape(-1, self.cells)
            bits = kernels.happens(words, rng, self._threshold, self._finer)
            each = np.arange(held.size)
            bits[each, held] = words[each, held] < _HELD
            column[rows] = np.packbits(bits, axis=1, bitorder="little")
        return column

    def pack(self, column: Column) -> NDArray[np.uint8]:
        return column

    def unpack(self, rows: NDArray[np.uint8]) -> Column:
        spare = 8 * self.width - self.cells
        if spare and np.any(rows[:, -1] >> (8 - spare)):
            raise WireError(
                f"a report's last {spare} spare bits must be 0, and some are not; the batch is refused whole"
            )
        return rows

    def tally_groups(self, column: Column, groups: Groups | None, number: int) -> Counts:
        return kernels.sum_unary(column, self.cells, groups, number)

    def pull(self, weights: Floats) -> Pull:
        most = self._pull_of(weights, np.maximum(weights, 0.0).sum(axis=-1))  # any bits may be sent
        return Pull(most, most)

    def draw(self, holders: Counts, rng: np.random.Generator) -> Counts:
        users = int(holders.sum())
        return rng.binomial(holders, self._p) + rng.binomial(users - holders, self._q)

    def likelihood(self, report: bytes, item: int) -> Fraction:
        bits = int.from_bytes(report, "little")
        p, q = Fraction(1, 2), self._other
        ones = (bits & ~(1 << item)).bit_count()
        others = q**ones * (1 - q) ** (self.cells - 1 - ones)
        return others * (p if bits >> item & 1 else 1 - p)

    def supporting(self, column: Column, items: Items) -> NDArray[np.bool_]:
        return bits_at(column, items)

    def worst_ratio(self) -> Fraction:
        p, q = Fraction(1, 2), self._other
        return p / (1 - p) * ((1 - q) / q)  # a report with the bit of one item, and without that of the other
