"""Optimal local hashing: a public random hash to g symbols, then randomised response on the symbol.

The hash is a random quadratic over a prime field, h(x) = ⌊g·(a₂x² + a₁x + a₀ mod P)/2^s⌋ with
P = 2^s − 1. Over a random quadratic the values of any three items are exactly independent, and
that is all that is ever needed: two make the estimate unbiased, three make the variance of any
sum of estimates what it would be with a perfectly random hash. The symbols are not quite
equally likely (P is no multiple of g), and the estimator knows by how much.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ldprange import kernels
from ldprange.errors import PlanError
from ldprange.oracles.bit_rows import Rows, join_fields, number_rows, part_fields
from ldprange.oracles.contract import (
    Column,
    Groups,
    Items,
    Mechanism,
    Oracle,
    Pull,
    integers_below,
    width_of,
)
from ldprange.oracles.randomized_response import symbol_response
from ldprange.randomness import Coins, below
from ldprange.support.arrays import Counts, Floats
from ldprange.support.checking import shown

_MERSENNE_EXPONENTS = (7, 13, 17, 19, 31)
_EVENNESS = 32  # the field has at least this many elements per symbol, so symbols are nearly equally likely
_MAX_SYMBOLS = 1 << 16


@dataclass(frozen=True, slots=True)
class OLH(Oracle):
    """Optimal local hashing (OLH): OUE's accuracy with a short report; decoding takes users × cells steps.

    ``symbols`` is g; left out, it is the best whole number, exp(ε) + 1 rounded.
    """

    symbols: int | None = None
    kind: ClassVar[str] = "olh"

    def __post_init__(self) -> None:
        if self.symbols is not None and (
            type(self.symbols) is not int or not 2 <= self.symbols <= _MAX_SYMBOLS
        ):
            raise PlanError(
                f"symbols must be a whole number from 2 to {_MAX_SYMBOLS}, got {shown(self.symbols)}"
            )

    def resolve(self, epsilon: float, cells: int) -> OLH:
        if self.symbols is not None:
            return self
        most = math.log(_MAX_SYMBOLS - 1)
        return OLH(round(math.exp(min(epsilon, most))) + 1)

    def on(self, cells: int, epsilon: float, *, contrast: bool = False) -> Mechanism:
        return HashingMechanism(cells, epsilon, self.resolve(epsilon, cells).symbols or 2)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "symbols": self.symbols}


class HashingMechanism(Mechanism):
    """The column has four numbers a report: the coefficients a₀, a₁, a₂, and the symbol.

    Supports that share a hash are not independent, so there is no short cut to the tally of many users.
    """

    def __init__(self, cells: int, epsilon: float, symbols: int) -> None:
        self.cells = self.counters = cells
        self._response = symbol_response(symbols, epsilon)
        self._exponent = next(
            s for s in _MERSENNE_EXPONENTS if (1 << s) - 1 >= max(cells, _EVENNESS * symbols)
        )
        self._prime = (1 << self._exponent) - 1
        self._widths = [width_of(self._prime)] * 3 + [width_of(symbols)]
        self.width = sum(self._widths)
        self._field_bits = [self._exponent] * 3 + [(symbols - 1).bit_length()]

        # the exact probabilities with which an item hashes to a symbol, each with how many symbols have it
        edges = np.append(-(-(np.arange(symbols) << self._exponent) // symbols), self._prime)
        widths, numbers = np.unique(np.diff(edges), return_counts=True)
        chances = [
            (Fraction(width, self._prime), number)
            for width, number in zip(widths.tolist(), numbers.tolist(), strict=True)
        ]
        keep, lie = self._response.keep, self._response.lie
        collision = sum((n * c * c for c, n in chances), Fraction())
        both = sum((n * c * c * (lie + (keep - lie) * c) for c, n in chances), Fraction())
        q = float(lie + (keep - lie) * collision)
        self._set_supports(float(keep), q, others=float(both), held_and_other=float(keep * collision))

    def hashed(self, coefficients: NDArray[np.uint64], items: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return the symbols of items; ``coefficients`` holds a₀, a₁, a₂ along its first axis."""
        return kernels.polynomial_hash(coefficients, items, self._exponent, self._response.symbols)

    def encode(self, item: int, coins: Coins) -> bytes:
        a0, a1, a2 = (below(coins, self._prime) for _ in range(3))
        symbol = self._hash_one(a0, a1, a2, item)
        fields = (a0, a1, a2, self._response.encode(symbol, coins))
        return b"".join(
            value.to_bytes(width, "little") for value, width in zip(fields, self._widths, strict=True)
        )

    def _hash_one(self, a0: int, a1: int, a2: int, item: int) -> int:
        return (((a2 * item + a1) * item + a0) % self._prime) * self._response.symbols >> self._exponent

    def encode_many(self, items: Items, rng: np.random.Generator) -> Column:
        column = np.empty((items.size, 4), np.uint32)
        column[:, :3] = rng.integers(0, self._prime, (items.size, 3), dtype=np.uint32)
        symbols = self.hashed(column[:, :3].T.astype(np.uint64), items.astype(np.uint64))
        column[:, 3] = self._response.encode_many(symbols.astype(np.uint32), rng)
        return column

    def pack(self, column: Column) -> NDArray[np.uint8]:
        return self._joined(column, [8 * width for width in self._widths])

    def unpack(self, rows: NDArray[np.uint8]) -> Column:
        return self._parted(rows, [8 * width for width in self._widths])

    @property
    def bits(self) -> int:
        return sum(self._field_bits)

    def compact(self, column: Column) -> Rows:
        return self._joined(column, self._field_bits)

    def expand(self, rows: Rows) -> Column:
        return self._parted(rows, self._field_bits)

    def _joined(self, column: Column, bits: Sequence[int]) -> Rows:
        """Return reports as rows in which each of the four numbers has its ``bits``."""
        return join_fields([(number_rows(field), width) for field, width in zip(column.T, bits, strict=True)])

    def _parted(self, rows: Rows, bits: Sequence[int]) -> Column:
        """Read rows in which each of the four numbers has its ``bits``."""
        fields = part_fields(rows, [(width, 4) for width in bits])
        bounds = [self._prime] * 3 + [self._response.symbols]
        return np.stack([integers_below(*each) for each in zip(bounds, fields, strict=True)], axis=1)

    def tally_groups(self, column: Column, groups: Groups | None, number: int) -> Counts:
        fields = column.T
        exponent, symbols = self._exponent, self._response.symbols
        return kernels.sum_supports(fields[:3], fields[3], self.cells, exponent, symbols, groups, number)

    def pull(self, weights: Floats) -> Pull:
        # a bound: a hash may take all that has a weight above 0, and nothing else, to one symbol. Hashes are
        # public, but a tally does not keep them
        most = self._pull_of(weights, np.maximum(weights, 0.0).sum(axis=-1))
        return Pull(most, most)

    def likelihood(self, report: bytes, item: int) -> Fraction:
        row = self.unpack(np.frombuffer(report, np.uint8)[None])[0]
        a0, a1, a2, symbol = map(int, row)
        same = symbol == self._hash_one(a0, a1, a2, item)
        return (self._response.keep if same else self._response.lie) / self._prime**3

    def supporting(self, column: Column, items: Items) -> NDArray[np.bool_]:
        symbols = self.hashed(column[:, :3].T.astype(np.uint64), items.astype(np.uint64))
        supporting: NDArray[np.bool_] = symbols == column[:, 3]
        return supporting

    def worst_ratio(self) -> Fraction:
        return self._response.worst_ratio  # two items' symbols are independent, so some hash tells them apart
