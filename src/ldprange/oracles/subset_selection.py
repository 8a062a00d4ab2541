"""Subset selection: the report is a set of k cells that holds the sender's own more often than chance.

Of all sets of k out of G cells, those with the sender's cell are e times as likely as those without. So the
set holds it with probability p = ke/(ke + G − k) and is otherwise uniform. No report can tell more about the
cells than one in which a share 1/(e + 1) of them is e times as likely as the rest, so k is the whole number
near G/(e + 1) that makes the variance least. k = 1 is GRR.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import comb
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ldprange import kernels
from ldprange.errors import PlanError, WireError
from ldprange.oracles.bit_rows import Rows, bits_at, number_rows, numbers_of
from ldprange.oracles.contract import (
    Column,
    Groups,
    Items,
    Mechanism,
    Oracle,
    Pull,
    Users,
    add_up_to,
    check_below,
)
from ldprange.randomness import (
    LEAST_FAVOUR,
    WORD_BITS,
    Coins,
    below,
    chance_of,
    exponential_from_below,
    happens,
    thresholds_of,
)
from ldprange.support.arrays import Counts, Floats
from ldprange.support.checking import shown

_MAX_CELLS = 1 << 16


@dataclass(frozen=True, slots=True)
class SubsetSelection(Oracle):
    """Subset selection: the most accurate on every level, one bit per cell on the wire.

    ``size`` is k, the number of cells in a report; left out, it is the best for each level.
    """

    size: int | None = None
    kind: ClassVar[str] = "subset"

    def __post_init__(self) -> None:
        if self.size is not None and (type(self.size) is not int or self.size < 1):
            raise PlanError(f"a subset's size must be a whole number of at least 1, got {shown(self.size)}")

    def resolve(self, epsilon: float, cells: int) -> SubsetSelection:
        return self if self.size is not None else SubsetSelection(_best_size(epsilon, cells))

    def on(self, cells: int, epsilon: float, *, contrast: bool = False) -> Mechanism:
        return SubsetMechanism(cells, epsilon, self.resolve(epsilon, cells).size or 1)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "size": self.size}


@lru_cache(maxsize=1024)  # many levels of a plan have as many cells
def _best_size(epsilon: float, cells: int) -> int:
    ideal = int(cells / (exponential_from_below(epsilon) + 1))
    sizes = sorted({min(max(1, size), cells - 1) for size in (ideal, ideal + 1)})
    even = [SubsetMechanism(cells, epsilon, size).noise.in_even_population(cells) for size in sizes]
    return sizes[even.index(min(even))]


class SubsetMechanism(Mechanism):
    """The column is the reports' packed bits, one row each, lowest bit first."""

    def __init__(self, cells: int, epsilon: float, size: int) -> None:
        if not 1 <= size < cells <= _MAX_CELLS:
            raise PlanError(
                f"SubsetSelection needs 1 ≤ size < cells ≤ {_MAX_CELLS}, got size={size}, cells={cells}; "
                "HadamardHashing() has short reports on any level"
            )
        self.cells = self.counters = cells
        self.size = size
        self.width = (cells + 7) // 8
        e = exponential_from_below(epsilon)
        self._threshold, self._finer = thresholds_of(size * e / (size * e + cells - size))
        self._holds = chance_of(self._threshold, self._finer)
        if self._holds * cells <= size * LEAST_FAVOUR:
            raise PlanError(
                f"ε must be large enough for coins to favour the truth among {cells} cells, got {epsilon}"
            )
        p, k, others = float(self._holds), size, cells - 1
        q = (p * (k - 1) + (1 - p) * k) / others
        pairs = others * max(1, others - 1)
        both = (p * (k - 1) * (k - 2) + (1 - p) * k * (k - 1)) / pairs
        self._set_supports(p, q, others=both, held_and_other=p * (k - 1) / others)

    def encode(self, item: int, coins: Coins) -> bytes:
        word = coins.word
        holds = happens(coins, self._threshold, self._finer)
        # a set that holds the item has one other less, which is drawn nevertheless: time must not tell
        first = 1 << below((coins, coins.spare)[holds], self.cells - self.size)
        others = (first, 0)[holds]
        for last, shift in zip(*self._steps, strict=True):
            while (drawn := word() >> shift) > last:  # randomness.below, which would take a third longer
                pass
            bit = 1 << drawn
            others |= 1 << last if others & bit else bit
        before = others & ((1 << item) - 1)  # the others beyond the item move up by one
        return (before | holds << item | (others ^ before) << 1).to_bytes(self.width, "little")

    @cached_property
    def _steps(self) -> tuple[range, bytes]:
        """How all others of a set but the first are drawn, all sets equally likely, by Floyd's algorithm.

        That is for each the last cell that it may be, and what a word is shifted by to be a cell up to that
        one or, if it is drawn again, beyond: a byte each, as a plan from a stranger may have many large sets.
        """
        lasts = range(self.cells - self.size, self.cells - 1)
        return lasts, bytes(WORD_BITS - last.bit_length() for last in lasts)

    def encode_many(self, items: Items, rng: np.random.Generator) -> Column:
        return kernels.encode_subset(items, rng, self.cells, self.size, self._threshold, self._finer)

    def pack(self, column: Column) -> NDArray[np.uint8]:
        return column

    def unpack(self, rows: NDArray[np.uint8]) -> Column:
        spare = 8 * self.width - self.cells
        if np.any(kernels.set_sizes(rows) != self.size) or (spare and np.any(rows[:, -1] >> (8 - spare))):
            raise WireError(
                f"a report must hold {self.size} of {self.cells} cells and nothing else, and some do not; "
                "the batch is refused whole"
            )
        return rows

    @property
    def bits(self) -> int:
        return (self._sets - 1).bit_length() if self._sets else self.cells

    def compact(self, column: Column) -> Rows:
        if not self._sets:
            return self.pack(column)
        return number_rows(kernels.rank_sets(column, self._ranks))

    def expand(self, rows: Rows) -> Column:
        if not self._sets:
            return self.unpack(rows)
        numbers = check_below(self._sets, numbers_of(rows, np.dtype(np.uint64)))
        return kernels.sets_of_ranks(numbers, self._ranks)

    @cached_property
    def _sets(self) -> int:
        """How many sets there are, if they are few enough to be numbered in 64 bits; otherwise 0."""
        if 2 * self.size > self.cells:
            return 0
        number = comb(self.cells, self.size)
        return number if number <= 1 << 64 else 0

    @cached_property
    def _ranks(self) -> NDArray[np.uint64]:
        """What each cell adds to the rank of a set, by its place among the cells of the set."""
        places = range(1, self.size + 1)
        return np.array([[comb(cell, place) for cell in range(self.cells)] for place in places], np.uint64)

    def tally_groups(self, column: Column, groups: Groups | None, number: int) -> Counts:
        return kernels.sum_unary(column, self.cells, groups, number)

    def possible(self, counts: Counts, users: Users) -> bool:
        """Every report supports ``size`` cells."""
        return super().possible(counts, users) and add_up_to(counts, users, self.size)

    def pull(self, weights: Floats) -> Pull:
        most = np.partition(weights, -self.size, axis=-1)[..., -self.size :].sum(axis=-1)
        return Pull(*[self._pull_of(weights, most)] * 2)

    def draw(self, holders: Counts, rng: np.random.Generator) -> Counts:
        """Draw the tally cell by cell where people are many, and encode each of them where they are few.

        A report is a mixture: a set uniform over all, or the sender's cell with others beside it. Going
        through the cells, those who have j to choose yet among m take the next with probability j/m, so
        people count only by how many they have to choose and, until it comes, by the cell they hold.
        """
        if holders.sum() < self.cells * self.size:
            return self.draw_each(holders, rng)
        truthful = rng.binomial(holders, float(1 - (1 - self._holds) * self.cells / (self.cells - self.size)))
        choose = np.arange(self.size + 1)
        # by the cell held, and by how many to choose
        waiting = np.zeros((self.cells, self.size + 1), np.int64)
        waiting[:, self.size - 1] = truthful
        free = np.where(choose == self.size, int((holders - truthful).sum()), 0)
        counts = np.zeros(self.cells, np.int64)
        for cell in range(self.cells):
            left, own = self.cells - cell, waiting[cell]
            taken = rng.binomial(free, np.minimum(choose / left, 1.0))
            others = rng.binomial(waiting[cell + 1 :], np.minimum(choose / max(1, left - 1), 1.0))
            counts[cell] = own.sum() + taken.sum() + others.sum()
            free = free - taken + own
            free[:-1] += taken[1:]
            waiting[cell + 1 :] -= others
            waiting[cell + 1 :, :-1] += others[:, 1:]
        return counts

    def likelihood(self, report: bytes, item: int) -> Fraction:
        holds = int.from_bytes(report, "little") >> item & 1
        if holds:
            return self._holds / comb(self.cells - 1, self.size - 1)
        return (1 - self._holds) / comb(self.cells - 1, self.size)

    def supporting(self, column: Column, items: Items) -> NDArray[np.bool_]:
        return bits_at(column, items)

    def worst_ratio(self) -> Fraction:
        # of C(G − 1, k − 1) sets with the item and C(G − 1, k) without, whose quotient is k/(G − k)
        return self._holds / (1 - self._holds) * Fraction(self.cells - self.size, self.size)
