"""Exact laws of mechanisms, by enumerating everything that a client can send.

A mechanism's reports are the rows of bytes that it unpacks: all rows of one or two bytes are tried, so that
no oracle has to list its own. Local hashing has too many reports, but on the field of 127 elements all 127³
hashes can be drawn up at once, and reports with one symbol that support the same items are alike.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

import ldprange as ldp
from ldprange.errors import WireError
from ldprange.oracles import Mechanism, Oracle
from ldprange.oracles.local_hashing import HashingMechanism
from ldprange.oracles.shifted import ShiftedMechanism
from ldprange.oracles.unary_encoding import _UnaryMechanism
from ldprange.support.arrays import Counts, Floats

PRIME = 127
"""The smallest field of local hashing; it takes up to three symbols."""
ZERO = Fraction()
_MAX_WIDTH = 2  # bytes of a report up to which all rows of bytes are tried


@dataclass(frozen=True)
class ExactLaw:
    """Every output, or group of alike outputs: what it adds to the tally, and its chance under every item."""

    mechanism: Mechanism
    outputs: tuple[bytes, ...]
    tallies: NDArray[np.int64]
    chances: tuple[tuple[Fraction, ...], ...]

    @cached_property
    def table(self) -> Floats:
        """The chances as floating-point numbers, a row for each item."""
        return np.array(self.chances, np.float64)

    @cached_property
    def means(self) -> list[list[Fraction]]:
        """The expected tally of one report of each item."""
        columns = self.tallies.T.tolist()
        return [
            [
                sum((chance * number for chance, number in zip(chances, column, strict=True) if number), ZERO)
                for column in columns
            ]
            for chances in self.chances
        ]

    def expected_tally(self, holders: Sequence[int]) -> tuple[NDArray[np.int64], int]:
        """Return a population's expected tally and its users, both times what makes the tally whole."""
        return _whole(self.means, holders)

    def mixture(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the chance of every output when items are held with these shares."""
        mixed: NDArray[np.float64] = shares @ self.table
        return mixed

    def count(self, rows: NDArray[np.uint8]) -> Counts:
        """Return how many reports, ``rows`` of bytes, there are of every output."""
        outputs = np.ascontiguousarray(_outputs_of(self.mechanism, rows))
        found = Counter(outputs.view(f"V{outputs.shape[1]}").reshape(-1).tolist())
        unknown = set(found).difference(self.outputs)
        assert not unknown, f"reports that are not unpacked: {unknown}"
        return np.array([found[output] for output in self.outputs])


def check_pull(law: ExactLaw, *, exact: bool = True) -> None:
    """Assert that pulls are what the best of all reports adds, and what honest ones are expected to add.

    By public coins: of each, the best report. Unless ``exact`` pulls may be above.
    """
    mechanism, rng = law.mechanism, np.random.default_rng(1)
    adds = np.array([mechanism.people(tally, 1) for tally in law.tallies])
    coins = [
        tuple(int(np.argmax(coin)) for coin in mechanism.public_coins(tally)) if exact else ()
        for tally in law.tallies
    ]
    weights = rng.normal(size=(3, mechanism.cells))
    pull, sums = mechanism.pull(weights), adds @ weights.T
    by_coins: dict[tuple[int, ...], Floats] = {}
    for coin, row in zip(coins, sums, strict=True):
        by_coins[coin] = np.maximum(row, by_coins.get(coin, row))
    best = np.array(list(by_coins.values()))
    compare = np.testing.assert_allclose if exact else np.testing.assert_array_less
    compare(best.max(axis=0) - 1e-12, pull.chosen_coins)
    compare(best.mean(axis=0) - 1e-12, pull.fair_coins)
    np.testing.assert_allclose(law.table @ sums, mechanism.expected(weights).T, atol=1e-9)


def rows_of(mechanism: Mechanism, reports: Sequence[bytes]) -> NDArray[np.uint8]:
    """Return reports as rows of bytes."""
    return np.frombuffer(b"".join(reports), np.uint8).reshape(-1, mechanism.width)


@cache
def all_reports(mechanism: Mechanism) -> list[bytes]:
    """Return every report that is unpacked: on a shifted grid, with every shift those of its grid."""
    if isinstance(mechanism, ShiftedMechanism):
        shifts = [shift.to_bytes(mechanism._shift_width, "little") for shift in range(mechanism._shifts)]
        return [shift + report for shift in shifts for report in all_reports(mechanism._grid)]
    assert mechanism.width <= _MAX_WIDTH, (
        f"reports of {type(mechanism).__name__} take {mechanism.width} bytes, too many to try all; "
        "test it on fewer cells, or group alike reports in exact_laws.py, as is done for local hashing"
    )
    rows = (code.to_bytes(mechanism.width, "little") for code in range(256**mechanism.width))
    return [row for row in rows if _unpacks(mechanism, row)]


def _unpacks(mechanism: Mechanism, row: bytes) -> bool:
    try:
        mechanism.unpack(rows_of(mechanism, [row]))
    except WireError:
        return False
    return True


@cache
def exact_law(oracle: Oracle, cells: int, epsilon: float, contrast: bool = False) -> ExactLaw:
    """Return the exact law of an oracle on one level."""
    return law_of(oracle.on(cells, epsilon, contrast=contrast))


def law_of(mechanism: Mechanism) -> ExactLaw:
    """Return the exact law of a mechanism, by enumeration."""
    if isinstance(mechanism, HashingMechanism):
        reports, numbers = _hashing_reports(mechanism)
    else:
        reports = all_reports(mechanism)
        numbers = [1] * len(reports)
    outputs = _outputs_of(mechanism, rows_of(mechanism, reports))
    return ExactLaw(
        mechanism,
        tuple(output.tobytes() for output in outputs),
        np.array([mechanism.tally(mechanism.unpack(rows_of(mechanism, [report]))) for report in reports]),
        tuple(
            tuple(
                number * mechanism.likelihood(report, item)
                for report, number in zip(reports, numbers, strict=True)
            )
            for item in range(mechanism.cells)
        ),
    )


def _outputs_of(mechanism: Mechanism, rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the output of each report: itself; of local hashing, its symbol and the items it supports."""
    if not isinstance(mechanism, HashingMechanism):
        return rows
    column = mechanism.unpack(rows).astype(np.uint64)
    items = np.arange(mechanism.cells, dtype=np.uint64)
    supported = mechanism.hashed(column[:, :3].T[:, :, None], items) == column[:, 3:]
    return np.column_stack([column[:, 3], supported]).astype(np.uint8)


def _hashing_reports(mechanism: HashingMechanism) -> tuple[list[bytes], list[int]]:
    """Return a report for every symbol and set of items that it can support, and of how many it is one."""
    reports: list[bytes] = []
    numbers: list[int] = []
    for symbol in range(mechanism._response.symbols):
        supported = np.zeros(PRIME**3, np.int64)  # by every hash, the items as the bits of a number
        for item in range(mechanism.cells):
            supported |= (all_symbols(mechanism._response.symbols, item) == symbol).astype(np.int64) << item
        hashes = np.bincount(supported)
        example = np.zeros(hashes.size, np.int64)
        example[supported] = np.arange(supported.size)
        for group in np.flatnonzero(hashes).tolist():
            reports.append(bytes([*_coefficients(int(example[group])), symbol]))
            numbers.append(int(hashes[group]))
    return reports, numbers


def expected_tally(
    oracle: Oracle, cells: int, epsilon: float, contrast: bool, holders: Sequence[int]
) -> tuple[NDArray[np.int64], int]:
    """Return what :meth:`ExactLaw.expected_tally` does, for levels with too many outputs to list."""
    return _whole(_means(oracle, cells, epsilon, contrast), holders)


def _whole(means: list[list[Fraction]], holders: Sequence[int]) -> tuple[NDArray[np.int64], int]:
    expected = [
        sum((number * mean for number, mean in zip(holders, column, strict=True)), ZERO)
        for column in zip(*means, strict=True)
    ]
    scale = math.lcm(*(value.denominator for value in expected))
    users = scale * sum(holders)
    assert users < 2**60
    return np.array([int(value * scale) for value in expected], np.int64), users


@cache
def _means(oracle: Oracle, cells: int, epsilon: float, contrast: bool) -> list[list[Fraction]]:
    """Return the expected tally of one report of each item."""
    mechanism = oracle.on(cells, epsilon, contrast=contrast)
    if isinstance(mechanism, _UnaryMechanism):
        # bits are independent, so those of two cells tell all
        held, other = exact_law(oracle, 2, epsilon).means[0]
        return [[held if cell == item else other for cell in range(cells)] for item in range(cells)]
    if isinstance(mechanism, HashingMechanism):
        symbols = [all_symbols(mechanism._response.symbols, item) for item in range(cells)]
        keep, lie = mechanism._response.keep, mechanism._response.lie
        return [
            [
                lie + (keep - lie) * Fraction(int(np.count_nonzero(one == other)), PRIME**3)
                for other in symbols
            ]
            for one in symbols
        ]
    return exact_law(oracle, cells, epsilon, contrast).means


@cache
def all_symbols(symbols: int, item: int) -> NDArray[np.uint8]:
    """Return what each of the 127³ hashes makes of an item, in the order of :func:`_coefficients`."""
    field = np.arange(PRIME, dtype=np.int64)
    a2, a1, a0 = field[:, None, None], field[:, None], field
    values = ((a2 * item + a1) * item + a0) % PRIME
    return (values * symbols >> 7).astype(np.uint8).reshape(-1)


def _coefficients(seed: int) -> tuple[int, int, int]:
    return seed % PRIME, seed // PRIME % PRIME, seed // PRIME**2


def contributions(plan: ldp.Plan, users: Counts, shares: Floats) -> list[tuple[Floats, Floats]]:
    """Return, for each level, every report's chance in ``shares``, and what it adds to the cdf × users."""
    estimator, found = plan.estimator(users), []
    nothing = [np.zeros(mechanism.cells) for mechanism in plan.mechanisms]
    base = np.cumsum(estimator.fit(nothing))
    for at, (level, mechanism) in enumerate(zip(plan.levels, plan.mechanisms, strict=True)):
        chances, added = [], []
        for report in all_reports(mechanism):
            tally = mechanism.tally(mechanism.unpack(np.frombuffer(report, np.uint8)[None]))
            each = [float(mechanism.likelihood(report, level.cell(item))) for item in range(shares.size)]
            alone = [*nothing]
            alone[at] = mechanism.estimate(tally, 1)
            chances.append(each @ shares)
            added.append(np.append(0.0, np.cumsum(estimator.fit(alone)) - base))
        found.append((np.array(chances), np.array(added)))
    return found
