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

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
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
from ldprange.oracles.randomized_response import SymbolResponse
from ldprange.randomness import Coins, below
from ldprange.support.arrays import Counts, Floats, Words
from ldprange.support.checking import shown
from ldprange.support.parallel import slices

_MAX_BITS = 4
_COUNTERS_PER_CELL = 8
_TABLE = 1 << 20  # entries of a table of items by indices that are drawn together


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


class _HadamardMechanism(CodedMechanism):
    """The code is line·g + symbol."""

    def __init__(self, cells: int, epsilon: float, bits: int) -> None:
        self.cells = cells
        self._bits, self._symbols = bits, 1 << bits
        self._response = SymbolResponse(self._symbols, epsilon)
        digits = max(1, -(-(cells - 1).bit_length() // bits))
        self._size = 1 << (bits * digits)  # K, the number of indices
        self._digits = digits
        k, g = self._size, self._symbols
        self._lines = (k - 1) // (g - 1)  # as a number: the lowest bit of every digit
        self._set_codes(self._lines * g)

        keep, lie = self._response.keep, self._response.lie
        collision = Fraction(k // g - 1, k - 1)
        # Two items besides the held one have independent symbols (less what index 0 would have given),
        # unless all three lie in a row over GF(g), as a share (g − 2)/(K − 2) of them does; then all
        # collide or none.
        apart = (Fraction(k, g * g) - keep) / (k - 1)
        in_row = Fraction(g - 2, max(1, k - 2))
        both = apart + in_row * (keep * collision - apart)
        self._p, self._q = float(keep), float(lie + (keep - lie) * collision)
        self.noise = Noise.of_supports(
            self._p, self._q, others=float(both), held_and_other=float(keep * collision)
        )

    def symbols(self, index: Words, items: Words) -> Words:
        """Hash items by indices."""
        places = kernels.hadamard_scatter(items, self._bits, self._digits)
        return kernels.hash_hadamard(index, places, self._bits, self._lines)

    def _index(self, lines: Words) -> Words:
        """Return the index of each line."""
        return kernels.hadamard_index(lines, self._bits, self._digits)

    def _code(self, lines: Words, items: Words) -> Words:
        return lines * np.uint32(self._symbols) + self.symbols(self._index(lines), items)

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

    def public_coins(self, counts: Counts) -> list[Counts]:
        return [counts.reshape(-1, self._lines, self._symbols).sum(axis=(0, 2))]

    def draw(self, holders: Counts, rng: np.random.Generator) -> Counts:
        lines = np.arange(self._lines, dtype=np.uint32)
        return _draw(self._response, holders, lines, self._code, self.counters, rng)

    def likelihood(self, report: bytes, item: int) -> Fraction:
        line, symbol = divmod(int.from_bytes(report, "little"), self._symbols)
        index = self._index(np.array([line], np.uint32))
        truth = int(self.symbols(index, np.array([item], np.uint32))[0])
        return (self._response.keep if symbol == truth else self._response.lie) / self._lines

    def supporting(self, column: Column, items: Items) -> NDArray[np.bool_]:
        supporting: NDArray[np.bool_] = self._code(column >> np.uint32(self._bits), items) == column
        return supporting

    def worst_ratio(self) -> Fraction:
        return self._response.worst_ratio  # some line tells any two items apart


class ContrastMechanism(CodedMechanism):
    """HRR on the difference of cells 2i and 2i + 1, the paper's signed one-hot vector (HaarHRR).

    The index is 2j + 1 and the code 2j + bit, where j runs over the pairs.
    """

    def __init__(self, cells: int, epsilon: float) -> None:
        self.cells = cells
        self._pairs = 1 << (cells // 2 - 1).bit_length()
        self._response = SymbolResponse(2, epsilon)
        self._scale = float(2 * self._response.keep - 1)
        self._set_codes(2 * self._pairs)
        # of a contrast w: ‖w‖²/(2 (2p − 1)²), whatever the population
        self.noise = Noise(spread=0.5 / self._scale**2)

    def _code(self, pair: Words, items: Words) -> Words:
        index = pair << np.uint32(1)
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

    def pull(self, weights: Floats) -> Pull:
        sums = np.zeros((*weights.shape[:-1], self._pairs))
        sums[..., : self.cells // 2] = (weights[..., 0::2] - weights[..., 1::2]) / (2 * self._scale)
        kernels.walsh_hadamard(sums)
        most = np.abs(sums)
        return Pull(most.mean(axis=-1), most.max(axis=-1))

    def expected(self, weights: Floats) -> Floats:
        half = (weights[..., 0::2] - weights[..., 1::2]) / 2
        return np.stack([half, -half], axis=-1).reshape(weights.shape)

    def public_coins(self, counts: Counts) -> list[Counts]:
        return [counts.reshape(-1, self._pairs, 2).sum(axis=(0, 2))]

    def draw(self, holders: Counts, rng: np.random.Generator) -> Counts:
        pairs = np.arange(self._pairs, dtype=np.uint32)
        return _draw(self._response, holders, pairs, self._code, self.counters, rng)

    def likelihood(self, report: bytes, item: int) -> Fraction:
        code = int.from_bytes(report, "little")
        same = (code & 1) == (((code | 1) & item).bit_count() & 1)
        return (self._response.keep if same else self._response.lie) / self._pairs

    def supporting(self, column: Column, items: Items) -> NDArray[np.bool_]:
        supporting: NDArray[np.bool_] = self._code(column >> np.uint32(1), items) == column
        return supporting

    def worst_ratio(self) -> Fraction:
        return self._response.worst_ratio  # some odd index tells any two items apart


def _draw(
    response: SymbolResponse,
    holders: Counts,
    indices: Words,
    code: Callable[[Words, Words], Words],
    outputs: int,
    rng: np.random.Generator,
) -> Counts:
    """Draw how often each code is sent: noise is even, the truth is the code of an even index and the item.

    Many users to few items and indices are split by multinomials; otherwise each is drawn.
    """
    truthful, noise = response.draw_truthful(holders, rng)
    counts = rng.multinomial(noise, np.full(outputs, 1 / outputs))
    items = np.flatnonzero(truthful)
    if 2 * items.size * indices.size <= int(truthful.sum()):
        even = np.full(indices.size, 1 / indices.size)
        for rows in slices(items.size, max(1, _TABLE // indices.size)):
            table = rng.multinomial(truthful[items[rows]], even)
            codes = code(indices, items[rows, None].astype(np.uint32))
            np.add.at(counts, codes.reshape(-1), table.reshape(-1))
        return counts
    for held in each_holder(truthful):
        index = indices[rng.integers(0, indices.size, held.size)]
        counts += kernels.tally(code(index, held), outputs)
    return counts
