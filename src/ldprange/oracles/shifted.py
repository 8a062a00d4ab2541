"""Windows at a random place: any oracle, asked about the cells of a grid that each person shifts.

The grid's cells are windows of w items, which end where a block of items does. A person draws a shift a in
[0, w), holds window (item + a) // w of their block, counting items from the block's first, and reports the
shift in the open beside the oracle's report on that window. The shift says nothing about the item, so privacy
is the oracle's.

Window c of a block begins, at shift a, at item c·w − a, and every begin from 1 − w up to the last item
belongs to exactly one pair (c, a). So the tally, a row of the oracle's for each shift, estimates the people
in *every* window, and the mean over the w windows that hold an item estimates, without bias,

    (Tθ)[z] = Σ_y max(0, 1 − |z − y|/w) θ[y],      y in the block of z,

at each item z. That back-projection is what ``estimate`` returns;
:mod:`ldprange.least_squares.stages` inverts it.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ldprange import kernels
from ldprange.levels import Level, over_cells, window_sums, windows_covering
from ldprange.oracles.bit_rows import Rows, byte_rows, bytes_of, join_fields, number_rows, part_fields
from ldprange.oracles.contract import (
    CodedMechanism,
    Column,
    Groups,
    Items,
    Mechanism,
    Oracle,
    Pull,
    Users,
    add_up_to,
    integers_below,
    width_of,
)
from ldprange.randomness import WORD_BITS, Coins
from ldprange.support.arrays import Counts, Floats, Words

_SHIFT_BYTES = 4  # of a shift in a column
_CROWD = 2  # users for each item and shift, from which on it is faster to draw each shift's users at once


def mechanism_of(oracle: Oracle, level: Level, epsilon: float) -> Mechanism:
    """Return an oracle's mechanism for a level of any decomposition."""
    asked = oracle.on(level.asked, epsilon, contrast=level.contrast)
    if level.shifts == 1:
        return asked
    kind = ShiftedCodes if isinstance(asked, CodedMechanism) else ShiftedMechanism
    return kind(asked, level.cells, level.shifts, level.block or level.cells)


class ShiftedMechanism(Mechanism):
    """An oracle's mechanism on a shifted grid.

    The column has two fields, ``shift`` and ``report``, unless reports are codes. The tally has a row for
    each shift: how many people drew it, then the oracle's own tally. ``noise`` is the oracle's, of one
    window.
    """

    def __init__(self, grid: Mechanism, items: int, shifts: int, block: int) -> None:
        self._grid = grid
        self.cells, self._shifts, self._block = items, shifts, block
        self._windows = windows_covering(block, shifts)  # of a block
        self._row = 1 + self._grid.counters
        self.counters = shifts * self._row
        self._shift_width, self._shift_bits = width_of(shifts), (shifts - 1).bit_length()
        self.width = self._shift_width + self._grid.width
        # all that encode needs, looked up once: each look-up is slow where objects of two classes take turns
        unused = WORD_BITS - self._shift_bits
        self._for_one = shifts, unused, self._shift_width, block, self._windows, grid.encode
        self.noise = self._grid.noise
        empty = self._grid.unpack(np.empty((0, self._grid.width), np.uint8))
        self._record = np.dtype([("shift", np.uint32), ("report", empty.dtype, empty.shape[1:])])
        self._record_bytes = [self._record[field].itemsize for field in ("shift", "report")]

    @property
    def outputs(self) -> int:
        return self._shifts * self._grid.outputs

    def encode(self, item: int, coins: Coins) -> bytes:
        shifts, unused, bytes_of_shift, length, windows, encode = self._for_one
        word = coins.word
        while (shift := word() >> unused) >= shifts:  # randomness.below, which would take twice as long
            pass
        block, place = divmod(item, length)
        window = block * windows + (place + shift) // shifts
        return shift.to_bytes(bytes_of_shift, "little") + encode(window, coins)

    def encode_many(self, items: Items, rng: np.random.Generator) -> Column:
        shifts = kernels.draw_below(rng, items.size, self._shifts)
        return self._joined(shifts, self._grid.encode_many(self._windows_of(items, shifts), rng))

    def _windows_of(self, items: Items, shifts: Items | int) -> Items:
        """Return the windows that hold items at their shifts."""
        width, length = np.uint32(self._shifts), np.uint32(self._block)
        if self._block == self.cells:
            return (items + np.uint32(shifts)) // width
        blocks = items // length
        return blocks * np.uint32(self._windows) + (items - blocks * length + np.uint32(shifts)) // width

    def _joined(self, shifts: Words, reports: Column) -> Column:
        """Return the column of shifts and of the oracle's reports."""
        parts = zip((shifts, reports), self._record_bytes, strict=True)
        return (
            join_fields([(byte_rows(part), 8 * size) for part, size in parts]).view(self._record).reshape(-1)
        )

    def _parted(self, column: Column) -> tuple[Words, Column]:
        """Return the shifts and the oracle's reports of a column."""
        shifts, reports = part_fields(byte_rows(column), [(8 * size, size) for size in self._record_bytes])
        shape = self._record["report"]
        return shifts.view(np.uint32).reshape(-1), reports.view(shape.base).reshape(-1, *shape.shape)

    def pack(self, column: Column) -> NDArray[np.uint8]:
        shifts, reports = self._parted(column)
        first = number_rows(shifts), 8 * self._shift_width
        return join_fields([first, (self._grid.pack(reports), 8 * self._grid.width)])

    def unpack(self, rows: NDArray[np.uint8]) -> Column:
        first = 8 * self._shift_width, _SHIFT_BYTES
        shifts, reports = part_fields(rows, [first, (8 * self._grid.width, self._grid.width)])
        return self._joined(integers_below(self._shifts, shifts), self._grid.unpack(reports))

    @property
    def bits(self) -> int:
        return self._shift_bits + self._grid.bits

    def compact(self, column: Column) -> Rows:
        shifts, reports = self._parted(column)
        first = number_rows(shifts), self._shift_bits
        return join_fields([first, (self._grid.compact(reports), self._grid.bits)])

    def expand(self, rows: Rows) -> Column:
        first = self._shift_bits, _SHIFT_BYTES
        shifts, reports = part_fields(rows, [first, (self._grid.bits, bytes_of(self._grid.bits))])
        return self._joined(integers_below(self._shifts, shifts), self._grid.expand(reports))

    def tally_groups(self, column: Column, groups: Groups | None, number: int) -> Counts:
        rows = number * self._shifts
        shifts, reports = self._parted(column)
        row = np.ascontiguousarray(shifts) if groups is None else groups * np.uint32(self._shifts) + shifts
        table = np.empty((rows, self._row), np.int64)
        table[:, 0] = kernels.tally(row, rows)
        table[:, 1:] = self._grid.tally_groups(reports, row, rows)
        return table.reshape(number, self.counters)

    def possible(self, counts: Counts, users: Users) -> bool:
        people, tallies = self._table(counts)
        shifts = people.reshape(*counts.shape[:-1], self._shifts)
        everyone = super().possible(shifts, users) and add_up_to(shifts, users)
        return everyone and self._grid.possible(tallies, people)

    def _table(self, counts: Counts) -> tuple[Counts, Counts]:
        table = counts.reshape(-1, self._row)
        return table[:, :1], table[:, 1:]

    def people(self, counts: Counts, users: Users) -> NDArray[np.float64]:
        people, tallies = self._table(counts)
        # window c at shift a begins at item c·w − a: in the order of beginnings, shifts run backward
        each = self._grid.people(tallies, people)[::-1].T.reshape(self.cells // self._block, -1)
        return over_cells(each[:, : self._block + self._shifts - 1], self._shifts).reshape(-1)

    @property
    def most_of_cell(self) -> float:
        """Of a window, here as in the noise."""
        return self._grid.most_of_cell

    def pull(self, weights: Floats) -> Pull:
        of_shifts = self._grid.pull(self._window_weights(weights))
        return Pull(of_shifts.fair_coins.mean(axis=-1), of_shifts.chosen_coins.max(axis=-1))

    def expected(self, weights: Floats) -> Floats:
        found = over_cells(self._by_begin(weights), self._shifts) / self._shifts
        return found.reshape(weights.shape)

    def _by_begin(self, weights: Floats) -> Floats:
        """Return the weight of every window of a block, from the one with only the first item on."""
        return window_sums(weights.reshape(*weights.shape[:-1], -1, self._block), self._shifts)

    def _window_weights(self, weights: Floats) -> Floats:
        """Return the weight of every window of the grid of each shift."""
        windows = self._by_begin(weights)
        # window c at shift a begins at c·w − a; the last ones may lie beyond the block
        spare = self._windows * self._shifts - windows.shape[-1]
        every = np.pad(windows, [*[(0, 0)] * (windows.ndim - 1), (0, spare)])
        grids = every.reshape(*windows.shape[:-1], self._windows, self._shifts)
        found: Floats = np.moveaxis(grids[..., ::-1], -1, -3)  # shift, block, window
        return found.reshape(*weights.shape[:-1], self._shifts, -1)

    def public_coins(self, counts: Counts) -> list[Counts]:
        people, tallies = self._table(counts)
        return [people.reshape(-1, self._shifts).sum(axis=0), *self._grid.public_coins(tallies)]

    @property
    def grid(self) -> Mechanism:
        return self._grid

    def people_of_grids(self, counts: Counts, users: int) -> tuple[Counts, Floats]:
        people, tallies = self._table(counts)
        return people[:, 0], self._grid.people(tallies, people)

    def draw(self, holders: Counts, rng: np.random.Generator) -> Counts:
        crowded = int(holders.sum()) >= _CROWD * self.cells * self._shifts
        return self._draw_shifts(holders, rng) if crowded else self.draw_each(holders, rng)

    def _draw_shifts(self, holders: Counts, rng: np.random.Generator) -> Counts:
        """Draw who has each shift, then what they report, all at once."""
        items, rest = np.arange(self.cells, dtype=np.uint32), holders
        table = np.empty((self._shifts, self._row), np.int64)
        for shift, row in enumerate(table):
            shifted = rng.binomial(rest, 1 / (self._shifts - shift))
            rest = rest - shifted
            held = np.bincount(self._windows_of(items, shift), shifted, self._grid.cells).astype(np.int64)
            row[0], row[1:] = held.sum(), self._grid.draw(held, rng)
        return table.reshape(-1)

    def likelihood(self, report: bytes, item: int) -> Fraction:
        shift = int.from_bytes(report[: self._shift_width], "little")
        window = int(self._windows_of(np.array([item], np.uint32), shift)[0])
        return self._grid.likelihood(report[self._shift_width :], window) / self._shifts

    def supporting(self, column: Column, items: Items) -> NDArray[np.bool_]:
        shifts, reports = self._parted(column)
        return self._grid.supporting(reports, self._windows_of(items, shifts))

    def worst_ratio(self) -> Fraction:
        return self._grid.worst_ratio()  # at some shift, any two items stand in different windows


class ShiftedCodes(ShiftedMechanism):
    """A shifted grid whose oracle sends codes: the column has the places of their counts in the tally."""

    def _joined(self, shifts: Words, reports: Column) -> Column:
        column: Words = shifts * np.uint32(self._row)
        column += reports
        column += np.uint32(1)
        return column

    def _parted(self, column: Column) -> tuple[Words, Column]:
        shifts = column // np.uint32(self._row)
        return shifts, column - shifts * np.uint32(self._row) - np.uint32(1)

    def tally_groups(self, column: Column, groups: Groups | None, number: int) -> Counts:
        codes = column if groups is None else groups * np.uint32(self.counters) + column
        table = kernels.tally(codes, number * self.counters).reshape(-1, self._row)
        table[:, 0] = table.sum(axis=1)  # nobody was counted there
        return table.reshape(number, self.counters)
