"""Exact laws of mechanisms, by enumerating everything that a client can send.

Coded and unary mechanisms list their reports. Local hashing has too many to list one by one, but on
the field of 127 elements all 127³ hashes can be drawn up at once and grouped by what they make of the
items: hashes of one group have the same likelihoods and the same tally.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ldprange.oracles import Mechanism, Oracle
from ldprange.oracles.contract import CodedMechanism
from ldprange.oracles.local_hashing import HashingMechanism
from ldprange.oracles.shifted import ShiftedMechanism
from ldprange.oracles.subset_selection import SubsetMechanism
from ldprange.oracles.unary_encoding import _UnaryMechanism

PRIME = 127
"""The smallest field of local hashing; it takes up to three symbols."""


@dataclass(frozen=True)
class ExactLaw:
    """Every output, or group of alike outputs: what it adds to the tally, and its chance under every item."""

    tallies: NDArray[np.int64]
    chances: tuple[tuple[Fraction, ...], ...]

    def expected_tally(self, holders: Sequence[int]) -> tuple[NDArray[np.int64], int]:
        """Return a population's expected tally and its users, both times what makes the tally whole."""
        expected = [Fraction()] * self.tallies.shape[1]
        for number, chances in zip(holders, self.chances, strict=True):
            for row, chance in zip(self.tallies, chances, strict=True):
                for counter in np.flatnonzero(row):
                    expected[counter] += number * chance * int(row[counter])
        return _whole(expected, sum(holders))

    def mixture(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the chance of every output when items are held with these shares."""
        mixed: NDArray[np.float64] = shares @ np.array(self.chances, np.float64)
        return mixed


def outputs(mechanism: Mechanism) -> list[bytes]:
    """Return every report there can be, of any oracle but local hashing."""
    assert isinstance(mechanism, CodedMechanism | _UnaryMechanism | SubsetMechanism)
    if isinstance(mechanism, SubsetMechanism):
        subsets = combinations(range(mechanism.cells), mechanism.size)
        patterns = sorted(sum(1 << cell for cell in each) for each in subsets)
        return [pattern.to_bytes(mechanism.width, "little") for pattern in patterns]
    count = mechanism.counters if isinstance(mechanism, CodedMechanism) else 1 << mechanism.cells
    return [code.to_bytes(mechanism.width, "little") for code in range(count)]


def all_reports(mechanism: Mechanism) -> list[bytes]:
    """Return every report there can be, also of windows: under every shift those of its grid."""
    if not isinstance(mechanism, ShiftedMechanism):
        return outputs(mechanism)
    shifts = [shift.to_bytes(1, "little") for shift in range(mechanism._shifts)]
    return [shift + report for shift in shifts for report in outputs(mechanism._grid)]


@cache
def exact_law(oracle: Oracle, cells: int, epsilon: float, contrast: bool = False) -> ExactLaw:
    """Enumerate the law of an oracle on one level."""
    mechanism = oracle.on(cells, epsilon, contrast=contrast)
    if isinstance(mechanism, HashingMechanism):
        return _hashing_law(mechanism)
    reports = outputs(mechanism)
    return ExactLaw(
        np.array([_tally(mechanism, report) for report in reports]),
        tuple(
            tuple(mechanism.likelihood(report, item) for report in reports) for item in range(mechanism.cells)
        ),
    )


def _tally(mechanism: Mechanism, report: bytes) -> NDArray[np.int64]:
    return mechanism.tally(mechanism.unpack(np.frombuffer(report, np.uint8)[None]))


def _hashing_law(mechanism: HashingMechanism) -> ExactLaw:
    symbols = mechanism._response.symbols
    patterns = np.zeros(PRIME**3, np.int64)  # the symbols of all items, as one number
    for item in range(mechanism.cells):
        patterns = patterns * symbols + all_symbols(symbols, item)
    hashes = np.bincount(patterns)
    last = np.zeros(hashes.size, np.int64)
    last[patterns] = np.arange(patterns.size)
    examples, hashes = last[hashes > 0], hashes[hashes > 0]
    columns = np.array(
        [(*_coefficients(seed), symbol) for seed in examples.tolist() for symbol in range(symbols)], np.uint32
    )
    reports = [row.tobytes() for row in mechanism.pack(columns)]
    groups = np.repeat(hashes, symbols).tolist()
    return ExactLaw(
        np.array([_tally(mechanism, report) for report in reports]),
        tuple(
            tuple(
                number * mechanism.likelihood(report, item)
                for number, report in zip(groups, reports, strict=True)
            )
            for item in range(mechanism.cells)
        ),
    )


def expected_tally(
    oracle: Oracle, cells: int, epsilon: float, contrast: bool, holders: Sequence[int]
) -> tuple[NDArray[np.int64], int]:
    """Return what :meth:`ExactLaw.expected_tally` does, for levels with too many outputs to list."""
    each = _expected_of_one(oracle, cells, epsilon, contrast)
    sums = [
        sum((number * one for number, one in zip(holders, column, strict=True)), Fraction())
        for column in zip(*each, strict=True)
    ]
    return _whole(sums, sum(holders))


def _whole(expected: Sequence[Fraction], users: int) -> tuple[NDArray[np.int64], int]:
    scale = math.lcm(*(value.denominator for value in expected))
    assert scale * users < 2**60
    return np.array([int(value * scale) for value in expected], np.int64), scale * users


@cache
def _expected_of_one(oracle: Oracle, cells: int, epsilon: float, contrast: bool) -> list[list[Fraction]]:
    """Return the expected tally of one report of each item."""
    mechanism = oracle.on(cells, epsilon, contrast=contrast)
    if isinstance(mechanism, CodedMechanism):
        return [
            [mechanism.likelihood(report, item) for report in outputs(mechanism)] for item in range(cells)
        ]
    if isinstance(mechanism, _UnaryMechanism):
        # bits are independent, so those of two cells tell all
        two = exact_law(oracle, 2, epsilon)
        held, other = (
            sum(
                (chance for chance, row in zip(two.chances[0], two.tallies, strict=True) if row[cell]),
                Fraction(),
            )
            for cell in (0, 1)
        )
        return [[held if cell == item else other for cell in range(cells)] for item in range(cells)]
    if isinstance(mechanism, SubsetMechanism):
        law = exact_law(oracle, cells, epsilon)
        return [
            [
                sum(
                    (chance for chance, row in zip(chances, law.tallies, strict=True) if row[cell]),
                    Fraction(),
                )
                for cell in range(cells)
            ]
            for chances in law.chances
        ]
    assert isinstance(mechanism, HashingMechanism)
    symbols = [all_symbols(mechanism._response.symbols, item) for item in range(cells)]
    keep, lie = mechanism._response.keep, mechanism._response.lie
    return [
        [lie + (keep - lie) * Fraction(int(np.count_nonzero(one == other)), PRIME**3) for other in symbols]
        for one in symbols
    ]


@cache
def all_symbols(symbols: int, item: int) -> NDArray[np.uint8]:
    """Return what each of the 127³ hashes makes of an item, in the order of :func:`_coefficients`."""
    field = np.arange(PRIME, dtype=np.int64)
    a2, a1, a0 = field[:, None, None], field[:, None], field
    values = ((a2 * item + a1) * item + a0) % PRIME
    return (values * symbols >> 7).astype(np.uint8).reshape(-1)


def _coefficients(seed: int) -> tuple[int, int, int]:
    return seed % PRIME, seed // PRIME % PRIME, seed // PRIME**2
