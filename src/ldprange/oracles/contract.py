"""What every frequency oracle provides.

An :class:`Oracle` is a public choice, such as ``OUE()``. Asked about one level of a plan it
gives a :class:`Mechanism`: randomiser, tally and estimator for one item out of ``cells``,
all three from the same integer thresholds.

In memory, many reports of one level are one array, the mechanism's *column*, whose first
axis runs over reports. A single report is its bytes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldprange import kernels
from ldprange.errors import WireError
from ldprange.noise import Noise
from ldprange.oracles.bit_rows import Rows, cut, number_rows, numbers_of
from ldprange.randomness import Coins
from ldprange.support.arrays import Counts, Floats
from ldprange.support.parallel import slices

Column = NDArray[Any]
Items = NDArray[np.uint32]
Groups = NDArray[np.uint32]
Users = NDArray[np.int64] | int

_BLOCK = 1 << 16  # users taken together
_LOW = (1 << 32) - 1  # the lower half of a 64-bit integer


class Pull(NamedTuple):
    """The most that a liar's report adds to a weighed sum of estimates.

    Attributes
    ----------
    fair_coins
        The mean over coins that are public, of which a tally can tell whether they were fair.
    chosen_coins
        With the best of these coins.
    """

    fair_coins: Floats
    chosen_coins: Floats


class Oracle(ABC):
    """A way to randomise one item out of many. Public, frozen, without data of its own."""

    kind: ClassVar[str]

    def resolve(self, epsilon: float, cells: int) -> Oracle:
        """Return this oracle with every choice that depends on ε, and on the number of cells, made."""
        return self

    @abstractmethod
    def on(self, cells: int, epsilon: float, *, contrast: bool = False) -> Mechanism:
        """Return the mechanism for one item out of ``cells`` ≥ 2.

        With ``contrast`` only the differences between cells 2i and 2i + 1 will be used; an
        oracle that can ask for nothing else may do so.
        """

    def to_dict(self) -> dict[str, Any]:
        """Describe the oracle in plain JSON types."""
        return {"kind": self.kind}


class Mechanism(ABC):
    """An oracle on one level: every formula that client and collector share.

    Attributes
    ----------
    cells
        Number of items; an item is an integer in ``[0, cells)``.
    width
        Bytes of one report.
    counters
        Length of the tally.
    noise
        Exact second moments of one report's contribution to the estimate.
    """

    cells: int
    width: int
    counters: int
    noise: Noise
    _p: float  # the probability that a report supports the item its sender holds
    _q: float  # and any other

    def _set_supports(self, p: float, q: float, *, others: float, held_and_other: float) -> None:
        """Set what follows from how often reports support cells; see :meth:`Noise.of_supports`."""
        self._p, self._q = p, q
        self.noise = Noise.of_supports(p, q, others=others, held_and_other=held_and_other)

    @property
    def outputs(self) -> int:
        """How many different reports there are, at most."""
        return 1 << 8 * self.width

    @abstractmethod
    def encode(self, item: int, coins: Coins) -> bytes:
        """Randomise one item. The only randomness is the coins."""

    @abstractmethod
    def encode_many(self, items: Items, rng: np.random.Generator) -> Column:
        """Randomise many items at once, by the same law."""

    @abstractmethod
    def pack(self, column: Column) -> NDArray[np.uint8]:
        """Return the reports' bytes, one row each."""

    @abstractmethod
    def unpack(self, rows: NDArray[np.uint8]) -> Column:
        """Read rows of bytes; a row that no client can have sent is an error."""

    @property
    def bits(self) -> int:
        """How many bits hold any report: the fewest that this mechanism can do with."""
        return 8 * self.width

    def compact(self, column: Column) -> Rows:
        """Return the reports in ``bits`` bits each, at the beginning of one row each; the rest of it is 0."""
        return self.pack(column)

    def expand(self, rows: Rows) -> Column:
        """Read rows of as many bytes as ``bits`` need; one that no client can have sent is an error."""
        return self.unpack(rows)

    def tally(self, column: Column) -> Counts:
        """Add reports up into ``counters`` integers."""
        counts: Counts = self.tally_groups(column, None, 1)[0]
        return counts

    @abstractmethod
    def tally_groups(self, column: Column, groups: Groups | None, number: int) -> Counts:
        """Return the tallies of ``number`` groups of reports, of shape (number, counters).

        ``groups[i]`` is the row of report i; None puts all into row 0.
        """

    def possible(self, counts: Counts, users: Users) -> bool:
        """Say whether ``users`` reports can have left these counts: none has more than there are reports.

        A mechanism that knows more of its tallies says so here. Counts come from files, so they may be any
        64-bit integers: whoever adds them up does it with :func:`add_up_to`. As everywhere here, there may be
        many tallies, a row each; ``users``, which are at most 2**62, is then a column.
        """
        return bool(np.all((counts >= 0) & (counts <= users)))

    def estimate(self, counts: Counts, users: int) -> NDArray[np.float64]:
        """Return unbiased fractions of the cells (for a contrast: deviations from the pair's mean)."""
        return self.people(counts, users) / users

    def people(self, counts: Counts, users: Users) -> NDArray[np.float64]:
        """Return unbiased numbers of people in the cells (for a contrast: as :meth:`estimate` has it)."""
        return (self._supports(counts) - self._q * users) / (self._p - self._q)

    def _supports(self, counts: Counts) -> NDArray[Any]:
        """Return how many reports support each cell."""
        return counts

    @property
    def most_of_cell(self) -> float:
        """How many people in a cell one report counts for at most."""
        return (1 - self._q) / (self._p - self._q)

    @abstractmethod
    def pull(self, weights: Floats) -> Pull:
        """Return the most that a report, made up by a liar, adds to Σ ``weights`` × the people estimated.

        There may be many rows of weights.
        """

    def _pull_of(self, weights: Floats, supported: Floats) -> Floats:
        """Return what a report adds if the cells that it supports have this sum of ``weights``."""
        added: Floats = (supported - self._q * weights.sum(axis=-1)) / (self._p - self._q)
        return added

    def expected(self, weights: Floats) -> Floats:
        """Return what an honest report adds to Σ ``weights`` × estimate, on average, for each item held."""
        return weights

    def public_coins(self, counts: Counts) -> list[Counts]:
        """Return how often each outcome came of every coin that is public, all as likely by rights."""
        return []

    @property
    def grid(self) -> Mechanism:
        """The mechanism of one grid of cells, where there are several: itself, unless they are shifted."""
        return self

    def people_of_grids(self, counts: Counts, users: int) -> tuple[Counts, Floats]:
        """Return how many people reported on every grid, and unbiased numbers of them in its cells."""
        return np.array([users]), self.people(counts, users)[None]

    def draw(self, holders: Counts, rng: np.random.Generator) -> Counts:
        """Draw the tally of ``holders[i]`` users with item i, by the law of encoding each.

        A mechanism that can draw the tally of many users at once does so here.
        """
        return self.draw_each(holders, rng)

    def draw_each(self, holders: Counts, rng: np.random.Generator) -> Counts:
        """Draw the same by encoding each user."""
        counts = np.zeros(self.counters, np.int64)
        for items in each_holder(holders, max(_BLOCK, self.counters)):
            counts += self.tally(self.encode_many(items, rng))
        return counts

    @abstractmethod
    def likelihood(self, report: bytes, item: int) -> Fraction:
        """Return the exact probability that the item is encoded as this report."""

    @abstractmethod
    def supporting(self, column: Column, items: Items) -> NDArray[np.bool_]:
        """Say of each report of a ``column`` whether it supports the item of ``items`` that stands beside it.

        A report is likelier from an item that it supports than from one that it does not.
        """

    @abstractmethod
    def worst_ratio(self) -> Fraction:
        """Return the greatest ratio of two items' likelihoods of one report, exactly.

        Its logarithm is the true ε. It must come from the thresholds that ``encode`` compares coins with, and
        from no ε. It is that of any two different items, so also of a level with cells that nobody can hold.
        """


class CodedMechanism(Mechanism):
    """A mechanism whose report is one integer, its *code*, in ``[0, counters)``; the tally counts codes."""

    def _set_codes(self, outputs: int) -> None:
        self.counters = outputs
        self.width = width_of(outputs)

    @property
    def outputs(self) -> int:
        return self.counters

    @property
    def bits(self) -> int:
        return (self.counters - 1).bit_length()

    def compact(self, column: Column) -> Rows:
        return number_rows(column)

    def pack(self, column: Column) -> NDArray[np.uint8]:
        return cut(number_rows(column.astype(np.uint32, copy=False)), self.width)

    def unpack(self, rows: NDArray[np.uint8]) -> Column:
        return integers_below(self.counters, rows)

    def tally_groups(self, column: Column, groups: Groups | None, number: int) -> Counts:
        codes = column if groups is None else groups * np.uint32(self.counters) + column
        return kernels.tally(codes, number * self.counters).reshape(number, self.counters)

    def possible(self, counts: Counts, users: Users) -> bool:
        """Every report has one code."""
        return super().possible(counts, users) and add_up_to(counts, users)


def add_up_to(counts: Counts, users: Users, each: int = 1) -> bool:
    """Say whether the counts of every row add up to ``users`` × ``each``; they must be at least 0.

    Sums of 64-bit integers wrap, and a forged tally may add up to anything then. So the upper and the lower
    halves are added up apart: with fewer than 2**31 counts, and ``each`` below 2**31, neither can wrap.
    """
    number = np.asarray(users, np.int64)
    high, low = (half.sum(axis=-1, keepdims=True) for half in (counts >> 32, counts & _LOW))
    wanted_high, wanted_low = (number >> 32) * each, (number & _LOW) * each
    same_high = high + (low >> 32) == wanted_high + (wanted_low >> 32)
    return bool(np.all(same_high & (low & _LOW == wanted_low & _LOW)))


def width_of(bound: int) -> int:
    """Return how many whole bytes hold any integer in ``[0, bound)``."""
    return max(1, ((bound - 1).bit_length() + 7) // 8)


def integers_below(bound: int, rows: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Read rows of bytes, lowest first, as integers; one that no client can have sent is an error."""
    return check_below(bound, numbers_of(rows, np.dtype(np.uint32)))


def check_below(bound: int, values: NDArray[Any]) -> NDArray[Any]:
    """Return integers that a client can have sent; one that none can is an error."""
    if values.size and int(values.max()) >= bound:
        raise WireError(
            f"every report must lie in [0, {bound}) on its level, got {int(values.max())}; "
            "the batch is refused whole"
        )
    return values


def each_holder(holders: Counts, together: int = _BLOCK) -> Iterator[Items]:
    """Yield the item of every user, ``holders[i]`` times item i, ``together`` users at a time."""
    upto = np.cumsum(holders)
    for block in slices(int(upto[-1]), together):
        first = int(np.searchsorted(upto, block.start, side="right"))
        last = int(np.searchsorted(upto, block.stop, side="left"))
        ends = np.minimum(upto[first : last + 1], block.stop)
        yield np.repeat(np.arange(first, last + 1, dtype=np.uint32), np.diff(ends, prepend=block.start))
