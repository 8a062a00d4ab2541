"""One law, three paths: ``run_protocol``, ``encode_many`` and ``simulate`` agree in distribution.

Reports of the client and of ``encode_many`` are compared with the exact chance of every output of every
level, by chi-squared. ``run_protocol`` and ``simulate`` give only totals, so their draws are compared in mean
and in the whole covariance matrix, and what must hold in every draw (such as: codes add up to users) is
checked in each.

The client's coins cannot be seeded. Each of its tests raises a false alarm with probability 1e−6, so all of
them together with less than 1e−4. The others are seeded: they pass always or never.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import stats

import ldprange as ldp
from exact_laws import all_symbols, outputs
from ldprange.aggregate import Aggregate
from ldprange.decompositions import Decomposition
from ldprange.oracles import Mechanism, Oracle
from ldprange.oracles.contract import CodedMechanism, Column
from ldprange.oracles.local_hashing import HashingMechanism
from ldprange.oracles.shifted import ShiftedMechanism
from ldprange.oracles.subset_selection import SubsetMechanism
from ldprange.protocol import run_protocol
from ldprange.support.arrays import Counts, Floats
from scripted_coins import SeededCoins

pytestmark = pytest.mark.slow

FALSE_ALARM = 1e-6
BINS = 6

ORACLES: dict[str, Oracle] = {
    "GRR": ldp.GRR(),
    "OUE": ldp.OUE(),
    "OLH": ldp.OLH(symbols=3),
    "HRR": ldp.HRR(),
    "Subset": ldp.SubsetSelection(),
    "Hadamard-2": ldp.HadamardHashing(bits=2),
    "Hadamard-3": ldp.HadamardHashing(bits=3),
}
DECOMPOSITIONS: dict[str, tuple[Decomposition, list[float]]] = {
    "Flat": (ldp.Flat(), [1.0]),
    "Tree": (ldp.Tree(branching=2), [0.4, 0.6]),
    "Haar": (ldp.Haar(), [0.25, 0.25, 0.5]),
    "Windows": (ldp.Windows((4, 3, 1)), [0.25, 0.25, 0.5]),
}
# Every oracle, every decomposition, HRR with contrasts and without, and on windows a report that is a code
# and one that is not. Other pairs draw nothing else: a level, and then the oracle's report on its cells.
PLANS = [
    ("GRR", "Flat"),
    ("OUE", "Tree"),
    ("OLH", "Haar"),
    ("HRR", "Tree"),
    ("HRR", "Haar"),
    ("Subset", "Tree"),
    ("Hadamard-2", "Haar"),
    ("Hadamard-3", "Flat"),
    ("GRR", "Windows"),
    ("Subset", "Windows"),
]


def _plan(oracle: str, decomposition: str) -> ldp.Plan:
    kind, probabilities = DECOMPOSITIONS[decomposition]
    return ldp.Plan(ldp.Domain.integers(0, BINS - 1), 1.0, kind, ORACLES[oracle], probabilities)


every_plan = pytest.mark.parametrize(("oracle", "decomposition"), PLANS)


# The exact law: every report of a level falls into a category, a code or a set of supported cells; on a
# shifted grid there are as many for each shift


def _categories(mechanism: Mechanism, column: Column) -> Counts:
    if isinstance(mechanism, ShiftedMechanism):
        each = _chances(mechanism._grid).shape[1]
        found: Counts = column["shift"].astype(np.int64) * each + _categories(
            mechanism._grid, column["report"]
        )
        return found
    if isinstance(mechanism, CodedMechanism):
        return column.astype(np.int64)
    if isinstance(mechanism, HashingMechanism):
        items = np.arange(mechanism.cells, dtype=np.uint64)
        hashed = mechanism.hashed(column[:, :3].T.astype(np.uint64)[:, :, None], items)
        bits = hashed == column[:, 3:]
    else:
        bits = np.unpackbits(column, axis=1, count=mechanism.cells, bitorder="little").astype(bool)
    categories: Counts = bits @ (1 << np.arange(mechanism.cells))
    if isinstance(mechanism, SubsetMechanism):
        categories = np.searchsorted(_patterns(mechanism), categories)
    return categories


def _patterns(mechanism: SubsetMechanism) -> list[int]:
    return [int.from_bytes(report, "little") for report in outputs(mechanism)]


def _chances(mechanism: Mechanism) -> Floats:
    """Return the chance of every category under every item."""
    if isinstance(mechanism, ShiftedMechanism):
        shifts, items = np.arange(mechanism._shifts), np.arange(mechanism.cells)
        windows = (items[:, None] + shifts) // shifts.size
        by_shift: Floats = _chances(mechanism._grid)[windows] / shifts.size
        return by_shift.reshape(items.size, -1)
    if isinstance(mechanism, HashingMechanism):
        return _hashing_chances(mechanism)
    reports = outputs(mechanism)
    return np.array(
        [[float(mechanism.likelihood(report, item)) for report in reports] for item in range(mechanism.cells)]
    )


def _hashing_chances(mechanism: HashingMechanism) -> Floats:
    keep, lie = float(mechanism._response.keep), float(mechanism._response.lie)
    chances = np.zeros((mechanism.cells, 1 << mechanism.cells))
    symbols = [all_symbols(mechanism._response.symbols, item) for item in range(mechanism.cells)]
    for symbol in range(mechanism._response.symbols):
        supported = sum((row == symbol).astype(np.int64) << item for item, row in enumerate(symbols))
        hashes = np.bincount(supported, minlength=chances.shape[1]) / symbols[0].size
        members = np.arange(hashes.size)
        for item in range(mechanism.cells):
            chances[item] += hashes * np.where(members >> item & 1, keep, lie)
    return chances


@cache
def _law(oracle: str, decomposition: str) -> tuple[Floats, ...]:
    """Return, level by level, the chance of every category under every bin, times that of the level."""
    plan = _plan(oracle, decomposition)
    tables = []
    for level, mechanism, probability in zip(plan.levels, plan.mechanisms, plan.probabilities, strict=True):
        cells = np.arange(BINS) // level.size
        tables.append(probability * _chances(mechanism)[cells])
    return tuple(tables)


def _chi_squared(observed: Floats | Counts, expected: Floats) -> tuple[float, int]:
    """Return statistic and degrees of freedom; categories that hardly occur are put together."""
    order = np.argsort(expected)
    observed, expected = observed[order], expected[order]
    rare = max(1, int(np.searchsorted(expected, 10.0)))
    while expected[:rare].sum() < 10:
        rare += 1
    observed, expected = (np.append(array[rare:], array[:rare].sum()) for array in (observed, expected))
    return float(((observed - expected) ** 2 / expected).sum()), expected.size - 1


def _alarm(oracle: str, decomposition: str, counted: list[list[Counts]], people: int) -> float:
    """Return the chance of so large a chi-squared of all bins and levels together."""
    law = np.concatenate(_law(oracle, decomposition), axis=1)
    assert law.sum(axis=1) == pytest.approx(np.ones(BINS))
    observed = [np.concatenate(of_bin) for of_bin in counted]
    assert [row.sum() for row in observed] == [people] * BINS
    each = [_chi_squared(row, people * chances) for row, chances in zip(observed, law, strict=True)]
    return float(stats.chi2.sf(sum(statistic for statistic, _ in each), sum(degrees for _, degrees in each)))


def _count(plan: ldp.Plan, columns: tuple[Column, ...], law: tuple[Floats, ...]) -> list[Counts]:
    return [
        np.bincount(_categories(mechanism, column), minlength=table.shape[1])
        for mechanism, column, table in zip(plan.mechanisms, columns, law, strict=True)
    ]


@every_plan
def test_encode_many_follows_the_exact_law(oracle: str, decomposition: str) -> None:
    plan, law = _plan(oracle, decomposition), _law(oracle, decomposition)
    people = 40_000
    counted = [
        _count(plan, ldp.encode_many(plan, [bin_] * people, seed=bin_).columns, law) for bin_ in range(BINS)
    ]
    assert _alarm(oracle, decomposition, counted, people) > FALSE_ALARM


def _columns(plan: ldp.Plan, reports: list[ldp.Report]) -> tuple[Column, ...]:
    payloads: defaultdict[int, list[bytes]] = defaultdict(list)
    for report in reports:
        payloads[report.level].append(report.payload)
    return tuple(
        mechanism.unpack(np.frombuffer(b"".join(payloads[level]), np.uint8).reshape(-1, mechanism.width))
        for level, mechanism in enumerate(plan.mechanisms)
    )


@every_plan
def test_the_client_follows_the_exact_law(oracle: str, decomposition: str) -> None:
    plan, law = _plan(oracle, decomposition), _law(oracle, decomposition)
    client, people = ldp.Client(plan), 4_000
    reports = [[client.encode(bin_) for _ in range(people)] for bin_ in range(BINS)]
    counted = [_count(plan, _columns(plan, of_bin), law) for of_bin in reports]
    assert _alarm(oracle, decomposition, counted, people) > FALSE_ALARM


def test_hashes_are_drawn_evenly_by_the_client_and_by_encode_many() -> None:
    # categories of local hashing say nothing about the coefficients themselves
    plan = _plan("OLH", "Flat")
    client = ldp.Client(plan)
    ours = _columns(plan, [client.encode(3) for _ in range(10_000)])[0]
    many = ldp.encode_many(plan, [3] * 10_000, seed=1).columns[0]
    for column in (ours, many):
        for field in range(3):
            counts = np.bincount(column[:, field], minlength=127)
            assert stats.chi2.sf(*_chi_squared(counts, np.full(127, 10_000 / 127))) > FALSE_ALARM / 3


# Totals: mean and covariance


def _moments(oracle: str, decomposition: str, people: Counts) -> tuple[Floats, Floats]:
    """Return mean and covariance of an aggregate's users and counts, level after level, as one vector."""
    plan, law = _plan(oracle, decomposition), _law(oracle, decomposition)
    maps = []  # what a report of each category adds to (users, counts)
    for mechanism, table in zip(plan.mechanisms, law, strict=True):
        maps.append(_with_users(_tallies(mechanism, table.shape[1])))
    size = sum(map_.shape[1] for map_ in maps)
    mean, covariance = np.zeros(size), np.zeros((size, size))
    for bin_, number in enumerate(people.tolist()):
        one, second, at = np.zeros(size), np.zeros((size, size)), 0
        for map_, table in zip(maps, law, strict=True):
            here = slice(at, at + map_.shape[1])
            one[here] = table[bin_] @ map_
            second[here, here] = map_.T @ (table[bin_][:, None] * map_)  # a person reports on one level only
            at = here.stop
        mean += number * one
        covariance += number * (second - np.outer(one, one))
    return mean, covariance


def _tallies(mechanism: Mechanism, categories: int) -> Floats:
    """Return what a report of each category adds to the counts."""
    if isinstance(mechanism, ShiftedMechanism):
        each = _tallies(mechanism._grid, categories // mechanism._shifts)
        return np.kron(np.eye(mechanism._shifts), _with_users(each)).astype(np.float64)
    if isinstance(mechanism, CodedMechanism):
        return np.eye(mechanism.counters)
    patterns = np.arange(categories)
    if isinstance(mechanism, SubsetMechanism):
        patterns = np.array(_patterns(mechanism))
    return (patterns[:, None] >> np.arange(mechanism.cells) & 1).astype(float)


def _with_users(tallies: Floats) -> Floats:
    return np.hstack([np.ones((len(tallies), 1)), tallies])


def _vector(aggregate: Aggregate) -> Floats:
    parts: list[Any] = []
    for users, counts in zip(aggregate.users, aggregate.counts, strict=True):
        parts += [[users], counts]
    return np.concatenate(parts).astype(np.float64)


def _alarms(draws: Floats, mean: Floats, covariance: Floats) -> dict[str, float]:
    """Compare draws with mean and covariance; return the chance of being so far off, or 0 if impossible."""
    variances, directions = np.linalg.eigh(covariance)
    free = variances > 1e-9 * variances.max()
    off = (draws - mean) @ directions
    scale = 1e-6 * np.abs(mean).max()
    impossible = bool(np.any(np.abs(off[:, ~free]) > scale))
    unit = off[:, free] / np.sqrt(variances[free])
    number, rank = unit.shape
    mean_statistic = number * np.sum(unit.mean(axis=0) ** 2)
    products = unit[:, :, None] * unit[:, None, :]
    upper = np.triu_indices(rank)
    away = (products.mean(axis=0) - np.eye(rank))[upper] / (products.std(axis=0)[upper] / np.sqrt(number))
    return {
        "what must hold in every draw": 0.0 if impossible else 1.0,
        "means": float(stats.chi2.sf(mean_statistic, rank)),
        "variances": float(stats.chi2.sf(np.sum(away[upper[0] == upper[1]] ** 2), rank)),
        "covariances": float(stats.chi2.sf(np.sum(away**2), away.size)),
    }


SMALL = np.array([11, 0, 5, 29, 3, 16])  # fewer people than codes: drawn one by one
LARGE = SMALL * 100  # many to a code: drawn by multinomials


@every_plan
@pytest.mark.parametrize("people", [SMALL, LARGE], ids=["small", "large"])
def test_simulate_follows_the_exact_law(oracle: str, decomposition: str, people: Counts) -> None:
    plan = _plan(oracle, decomposition)
    encodes_each = decomposition == "Windows" or (oracle == "OLH" and people is LARGE)
    times = 300 if encodes_each else 1500
    draws = np.array([_vector(ldp.simulate(plan, people, seed=seed)) for seed in range(times)])
    alarms = _alarms(draws, *_moments(oracle, decomposition, people))
    assert min(alarms.values()) > FALSE_ALARM, alarms


@every_plan
def test_totals_of_the_protocol_follow_the_exact_law(oracle: str, decomposition: str) -> None:
    plan, coins = _plan(oracle, decomposition), SeededCoins(1)
    values = np.repeat(np.arange(BINS), SMALL).tolist()
    draws = np.array([_vector(run_protocol(plan, values, lambda: coins)[0]) for _ in range(150)])
    alarms = _alarms(draws, *_moments(oracle, decomposition, SMALL))
    assert min(alarms.values()) > FALSE_ALARM, alarms


@every_plan
def test_totals_of_encode_many_follow_the_exact_law(oracle: str, decomposition: str) -> None:
    plan = _plan(oracle, decomposition)
    values = np.repeat(np.arange(BINS), SMALL)
    draws = np.array(
        [_vector(Aggregate.of(plan, ldp.encode_many(plan, values, seed=seed))) for seed in range(300)]
    )
    alarms = _alarms(draws, *_moments(oracle, decomposition, SMALL))
    assert min(alarms.values()) > FALSE_ALARM, alarms


# The checks themselves can fail


def test_the_chi_squared_notices_a_law_that_is_a_little_off() -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, BINS - 1), 1.05, ldp.Flat(), ldp.GRR())  # the law is that of ε = 1
    law = _law("GRR", "Flat")
    people = 40_000
    counted = [_count(plan, ldp.encode_many(plan, [b] * people, seed=b).columns, law) for b in range(BINS)]
    assert _alarm("GRR", "Flat", counted, people) < FALSE_ALARM


@pytest.mark.parametrize(
    ("wrong", "noticed"),
    [
        ("each count on its own", "what must hold in every draw"),
        ("the same number of users in every draw", "variances"),
        ("indices shared out evenly", "covariances"),
        ("a person reports on both levels", "covariances"),
    ],
)
def test_the_moments_notice_wrong_dependence(wrong: str, noticed: str) -> None:
    oracle, decomposition = "HRR", "Tree"
    law = _law(oracle, decomposition)
    rng = np.random.default_rng(7)

    def draw() -> Floats:
        parts: list[Any] = []
        for table in law:
            share = table[0].sum()
            chances = LARGE @ table / (LARGE.sum() * share)
            users = rng.binomial(LARGE.sum(), share)
            if wrong == "the same number of users in every draw":
                users = round(LARGE.sum() * share)
            if wrong == "each count on its own":
                counts = rng.binomial(users, chances)
            elif wrong == "indices shared out evenly":
                pairs = chances.reshape(-1, 2)
                each = np.full(len(pairs), users // len(pairs))
                each[: users % len(pairs)] += 1
                ones = rng.binomial(each, pairs[:, 0] / pairs.sum(axis=1))
                counts = np.stack([ones, each - ones], axis=1).reshape(-1)
            else:
                counts = rng.multinomial(users, chances)
            parts += [[users], counts]
        return np.concatenate(parts).astype(np.float64)

    alarms = _alarms(np.array([draw() for _ in range(1500)]), *_moments(oracle, decomposition, LARGE))
    assert alarms[noticed] < FALSE_ALARM
    assert alarms["means"] > FALSE_ALARM  # the mean alone would not have told
