"""Hadamard hashing: local hashing with a linear hash, so that decoding is one fast transform.

Items and indices are vectors of bits, cut into digits of t bits. Let C be the companion matrix
of an irreducible polynomial of degree t over GF(2), acting on every digit: the sums of its powers
are the field GF(2^t), so every sum but the empty one is invertible. The index b hashes an item v to
the t bits y_r = ⟨C^r b, v⟩, r = 0 … t − 1, a symbol out of g = 2^t that goes through randomised
response. Two different items collide for exactly K/g of the K indices.

A multiple of b over GF(2^t) tells the same items apart and only renames the symbols. So indices are
drawn from one *line* each: those whose highest digit other than 0 is 1. Line number i has its highest
digit at place j, where (g^j − 1)/(g − 1) is the number of lines that end below, and index
b = i − (g^j − 1)/(g − 1) + g^j. That leaves (K − 1)/(g − 1) lines, and as few counters.

For each non-empty set λ of powers, Σ λ_r y_r = ⟨λ(C) b, v⟩ is the sign of one Hadamard
coefficient, so the number of reports that support v is

    (1/g) Σ_reports Σ_λ (−1)^{⟨λ, y⟩ + ⟨λ(C) b, v⟩},

one Walsh–Hadamard transform of coefficients gathered at the indices λ(C) b. With t = 1 this is
Hadamard randomised response (HRR).

Items that lie in a row over GF(2^t) collide together, and neighbours often do. So for
t > 1 items are first scattered by a fixed public permutation, and what is left averages out over a
range. For t = 1 no three items are in a row, and every covariance is exact.

Index 0 hashes every item alike and is on no line. Where only contrasts within pairs of cells are
wanted, HRR draws odd indices alone: the others cancel within every pair.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ldprange import kernels
from ldprange.errors import PlanError
from ldprange.noise import Noise
from ldprange.oracles.contract import (
    CodedMechanism,
    Column,
    Items,
    Mechanism,
    Oracle,
    Pull,
    Users,
    each_holder,
)
from ldprange.oracles.randomized_response import symbol_response
from ldprange.randomness import Coins, below
from ldprange.support.arrays import Counts, Floats, Words
from ldprange.support.checking import shown
from ldprange.support.parallel import slices

_MAX_BITS = 4
_COUNTERS_PER_CELL = 8
_TABLE = 1 << 20  # entries of a table of items by hashes that are drawn together


@dataclass(frozen=True, slots=True)
class HadamardHashing(Oracle):
    """Hadamard hashing to 2**bits symbols: OLH's accuracy with short reports and fast decoding.

    ``bits`` left out is the best of 1 to 4 for the plan's ε that takes at most 8 counters a cell.
    ``bits=1`` is HRR.

    >>> HadamardHashing().resolve(1.1, cells=16)
    HadamardHashing(bits=2)
    """

    bits: int | None = None
    kind: ClassVar[str] = "hadamard"

    def __post_init__(self) -> None:
        if self.bits is not None and (type(self.bits) is not int or not 1 <= self.bits <= _MAX_BITS):
            raise PlanError(f"bits must be a whole number from 1 to {_MAX_BITS}, got {shown(self.bits)}")

    def resolve(self, epsilon: float, cells: int) -> HadamardHashing:
        if self.bits is not None:
            return self
        many = 1 << 16  # the best number of bits is that of a large level

        def spread(bits: int) -> tuple[bool, float]:
            wasteful = _HadamardMechanism(cells, epsilon, bits).counters > _COUNTERS_PER_CELL * cells
            return wasteful, _HadamardMechanism(many, epsilon, bits).noise.spread

        return HadamardHashing(min(range(1, _MAX_BITS + 1), key=spread))

    def on(self, cells: int, epsilon: float, *, contrast: bool = False) -> Mechanism:
        bits = self.resolve(epsilon, cells).bits or 1
        if contrast and bits == 1:
            return ContrastMechanism(cells, epsilon)
        return _HadamardMechanism(cells, epsilon, bits)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "bits": self.bits}


def HRR() -> HadamardHashing:
    """Hadamard randomised response: one bit of one Hadamard coefficient."""
    return HadamardHashing(bits=1)


class _HashedMechanism(CodedMechanism):
    """The code is hash·g + symbol: the number of a public hash, and the item's symbol by it, randomised.

    All hashes are as likely, and some hash tells any two items apart.
    """

    def _set_hashes(self, hashes: int, symbols: int, epsilon: float) -> None:
        self._hashes, self._response = hashes, symbol_response(symbols, epsilon)
        self._set_codes(hashes * symbols)

    @abstractmethod
    def _code(self, hashes: Words, items: Words) -> Words:
        """Return the codes of ``hashes`` that tell the truth about ``items``."""

    def public_coins(self, counts: Counts) -> list[Counts]:
        return [counts.reshape(-1, self._hashes, self._response.symbols).sum(axis=(0, 2))]

    def draw(self, holders: Counts, rng: np.random.Generator) -> Counts:
        """Draw how often each code is sent: noise is even, the truth that of any hash and the item.

        Many users to few items and hashes are split by multinomials; otherwise each is drawn.
        """
        truthful, noise = self._response.draw_truthful(holders, rng)
        counts = rng.multinomial(noise, np.full(self.counters, 1 / self.counters))
        items = np.flatnonzero(truthful)
        if 2 * items.size * self._hashes <= int(truthful.sum()):
            hashes, even = np.arange(self._hashes, dtype=np.uint32), np.full(self._hashes, 1 / self._hashes)
            for rows in slices(items.size, max(1, _TABLE // self._hashes)):
                table = rng.multinomial(truthful[items[rows]], even)
                codes = self._code(hashes, items[rows, None].astype(np.uint32))
                np.add.at(counts, codes.reshape(-1), table.reshape(-1))
            return counts
        for held in each_holder(truthful):
            hashes = rng.integers(0, self._hashes, held.size).astype(np.uint32)
            counts += kernels.tally(self._code(hashes, held), self.counters)
        return counts

    def likelihood(self, report: bytes, item: int) -> Fraction:
        code = np.array([int.from_bytes(report, "little")], np.uint32)
        (same,) = self.supporting(code, np.array([item], np.uint32))
        return (self._response.keep if same else self._response.lie) / self._hashes

    def supporting(self, column: Column, items: Items) -> NDArray[np.bool_]:
        hashes = column // np.uint32(self._response.symbols)
        supporting: NDArray[np.bool_] = self._code(hashes, items) == column
        return supporting

    def worst_ratio(self) -> Fraction:
        return self._response.worst_ratio


@lru_cache(maxsize=1024)  # every level of every plan that is tried asks for one of few
def _supports(k: int, g: int, epsilon: float) -> tuple[float, float, float, float]:
    """Return how likely a report supports the cell held, another, two others, and the held with another."""
    response = symbol_response(g, epsilon)
    keep, lie = response.keep, response.lie
    collision = Fraction(k // g - 1, k - 1)
    # Two items besides the held one have independent symbols (less what index 0 would have given),
    # unless all three lie in a row over GF(g), as a share (g − 2)/(K − 2) of them does; then all
    # collide or none.
    apart = (Fraction(k, g * g) - keep) / (k - 1)
    in_row = Fraction(g - 2, max(1, k - 2))
    both = apart + in_row * (keep * collision - apart)
    return float(keep), float(lie + (keep - lie) * collision), float(both), float(keep * collision)


class _HadamardMechanism(_HashedMechanism):
    """A hash is the number of a line."""

    def __init__(self, cells: int, epsilon: float, bits: int) -> None:
        self.cells = cells
        self._bits, self._symbols = bits, 1 << bits
        digits = max(1, -(-(cells - 1).bit_length() // bits))
        self._size = 1 << (bits * digits)  # K, the number of indices
        self._digits = digits
        k, g = self._size, self._symbols
        self._lines = (k - 1) // (g - 1)  # as a number: the lowest bit of every digit
        self._set_hashes(self._lines, g, epsilon)

        p, q, both, held_and_other = _supports(k, g, epsilon)
        self._set_supports(p, q, others=both, held_and_other=held_and_other)

    def symbols(self, index: Words, items: Words) -> Words:
        """Hash items by indices."""
        places = kernels.hadamard_scatter(items, self._bits, self._digits)
        return kernels.hash_hadamard(index, places, self._bits, self._lines)

    def _index(self, lines: Words) -> Words:
        """Return the index of each line."""
        return kernels.hadamard_index(lines, self._bits, self._digits)

    def _code(self, hashes: Words, items: Words) -> Words:
        return hashes * np.uint32(self._symbols) + self.symbols(self._index(hashes), items)

    def encode(self, item: int, coins: Coins) -> bytes:
        line = below(coins, self._lines)
        symbol = kernels.hash_to_symbol(line, item, self._bits, self._digits)
        code = (line << self._bits) + self._response.encode(symbol, coins)
        return code.to_bytes(self.width, "little")

    def encode_many(self, items: Items, rng: np.random.Generator) -> Column:
        response = self._response
        return kernels.encode_hadamard(
            items, rng, self._bits, self._digits, response.threshold, response.finer
        )

    def _supports(self, counts: Counts) -> NDArray[np.float64]:
        rows = counts.reshape(-1, self.counters)
        supports = kernels.hadamard_supports(rows, self._bits, self._digits, self.cells)
        return supports.reshape(*counts.shape[:-1], self.cells)

    def pull(self, weights: Floats) -> Pull:
        most = self._code_sums(weights).max(axis=-1)
        each = most.mean(axis=-1), most.max(axis=-1)
        return Pull(*(self._pull_of(weights, supported) for supported in each))

    def _code_sums(self, weights: Floats) -> Floats:
        """Return the sum of the ``weights`` of cells that each line and symbol supports."""
        coefficients = np.zeros((*weights.shape[:-1], self._size))
        items = np.arange(self.cells, dtype=np.uint32)
        coefficients[..., kernels.hadamard_scatter(items, self._bits, self._digits)] = weights
        kernels.walsh_hadamard(coefficients)
        index = self._index(np.arange(self._lines, dtype=np.uint32))
        powers = kernels.hadamard_powers(index, self._bits, self._lines)
        sums = np.empty((*weights.shape[:-1], self._lines, self._symbols))
        for subset in range(self._symbols):  # of a symbol's bits
            chosen = [power for r, power in enumerate(powers) if subset >> r & 1]
            sums[..., subset] = coefficients[..., np.bitwise_xor.reduce([np.zeros_like(index), *chosen])]
        kernels.walsh_hadamard(sums)
        return sums / self._symbols


class ContrastMechanism(_HashedMechanism):
    """HRR on the difference of cells 2i and 2i + 1, the paper's signed one-hot vector (HaarHRR).

    A hash is the number j of a pair, the index 2j + 1, and the code 2j + bit.
    """

    def __init__(self, cells: int, epsilon: float) -> None:
        self.cells = cells
        self._pairs = 1 << (cells // 2 - 1).bit_length()
        self._set_hashes(self._pairs, 2, epsilon)
        self._scale = float(2 * self._response.keep - 1)
        # of a contrast w: ‖w‖²/(2 (2p − 1)²), whatever the population
        self.noise = Noise(spread=0.5 / self._scale**2)

    def _code(self, hashes: Words, items: Words) -> Words:
        index = hashes << np.uint32(1)
        return index | kernels.parity((index | np.uint32(1)) & items)

    def encode(self, item: int, coins: Coins) -> bytes:
        index = 2 * below(coins, self._pairs)
        bit = ((index | 1) & item).bit_count() & 1
        return (index | self._response.encode(bit, coins)).to_bytes(self.width, "little")

    def encode_many(self, items: Items, rng: np.random.Generator) -> Column:
        return kernels.encode_contrast(
            items, rng, self._pairs, self._response.threshold, self._response.finer
        )

    def people(self, counts: Counts, users: Users) -> NDArray[np.float64]:
        difference = (counts[0::2] - counts[1::2]).astype(np.float64)
        kernels.walsh_hadamard(difference)
        contrast = difference[: self.cells // 2] / (2 * self._scale)
        return np.stack([contrast, -contrast], axis=1).reshape(-1)

    @property
    def most_of_cell(self) -> float:
        return 1 / (2 * self._scale)

    def pull(self, weights: Floats) -> Pull:
        sums = np.zeros((*weights.shape[:-1], self._pairs))
        sums[..., : self.cells // 2] = (weights[..., 0::2] - weights[..., 1::2]) / (2 * self._scale)
        kernels.walsh_hadamard(sums)
        most = np.abs(sums)
        return Pull(most.mean(axis=-1), most.max(axis=-1))

    def expected(self, weights: Floats) -> Floats:
        half = (weights[..., 0::2] - weights[..., 1::2]) / 2
        return np.stack([half, -half], axis=-1).reshape(weights.shape)
