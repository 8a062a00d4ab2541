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
from scipy.linalg import block_diag

import ldprange as ldp
from exact_laws import ExactLaw, law_of
from law_comparisons import chance_of_counts, chances_of_draws, chi_squared, moments
from ldprange.aggregate import Aggregate
from ldprange.decompositions import Decomposition
from ldprange.oracles import Oracle
from ldprange.oracles.contract import Column
from ldprange.protocol import run_protocol
from ldprange.support.arrays import Counts, Floats
from scripted_coins import SeededCoins

pytestmark = pytest.mark.slow

FALSE_ALARM = 1e-6
DRAWS = 600  # enough for what is wrong at the end of this file to be noticed
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


@cache
def _laws(oracle: str, decomposition: str) -> tuple[ExactLaw, ...]:
    return tuple(law_of(mechanism) for mechanism in _plan(oracle, decomposition).mechanisms)


@cache
def _chances(oracle: str, decomposition: str) -> tuple[Floats, ...]:
    """Return, level by level, the chance of every output under every bin, times that of the level."""
    plan = _plan(oracle, decomposition)
    return tuple(
        probability * law.table[np.arange(BINS) // level.size]
        for level, law, probability in zip(
            plan.levels, _laws(oracle, decomposition), plan.probabilities, strict=True
        )
    )


def _alarm(oracle: str, decomposition: str, counted: list[Counts], people: int) -> float:
    """Return the chance of so large a chi-squared of all bins and levels together."""
    chances = np.concatenate(_chances(oracle, decomposition), axis=1)
    assert chances.sum(axis=1) == pytest.approx(np.ones(BINS))
    assert [row.sum() for row in counted] == [people] * BINS
    return chance_of_counts(np.array(counted), chances)


def _count(laws: tuple[ExactLaw, ...], columns: tuple[Column, ...]) -> Counts:
    """Return how many reports there are of every output, level after level."""
    each = [law.count(law.mechanism.pack(column)) for law, column in zip(laws, columns, strict=True)]
    return np.concatenate(each)


@every_plan
def test_encode_many_follows_the_exact_law(oracle: str, decomposition: str) -> None:
    plan, laws = _plan(oracle, decomposition), _laws(oracle, decomposition)
    people = 40_000
    counted = [
        _count(laws, ldp.encode_many(plan, [bin_] * people, seed=bin_).columns) for bin_ in range(BINS)
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
    plan, laws = _plan(oracle, decomposition), _laws(oracle, decomposition)
    client, people = ldp.Client(plan), 4_000
    reports = [[client.encode(bin_) for _ in range(people)] for bin_ in range(BINS)]
    counted = [_count(laws, _columns(plan, of_bin)) for of_bin in reports]
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
            assert stats.chi2.sf(*chi_squared(counts, np.full(127, 10_000 / 127))) > FALSE_ALARM / 3


# Totals: mean and covariance


def _moments(oracle: str, decomposition: str, people: Counts) -> tuple[Floats, Floats]:
    """Return mean and covariance of an aggregate's users and counts, level after level, as one vector."""
    # what a report of each output adds to the vector: a person reports on one level only
    adds = block_diag(*(_with_users(law.tallies) for law in _laws(oracle, decomposition)))
    chances = np.concatenate(_chances(oracle, decomposition), axis=1)
    return moments(adds, chances, people)


def _with_users(tallies: Counts) -> Counts:
    return np.hstack([np.ones((len(tallies), 1), np.int64), tallies])


def _vector(aggregate: Aggregate) -> Floats:
    parts: list[Any] = []
    for users, counts in zip(aggregate.users, aggregate.counts, strict=True):
        parts += [[users], counts]
    return np.concatenate(parts).astype(np.float64)


SMALL = np.array([11, 0, 5, 29, 3, 16])  # fewer people than codes: drawn one by one
LARGE = SMALL * 100  # many to a code: drawn by multinomials


@every_plan
@pytest.mark.parametrize("people", [SMALL, LARGE], ids=["small", "large"])
def test_simulate_follows_the_exact_law(oracle: str, decomposition: str, people: Counts) -> None:
    plan = _plan(oracle, decomposition)
    encodes_each = decomposition == "Windows" or (oracle == "OLH" and people is LARGE)
    times = 300 if encodes_each else DRAWS
    draws = np.array([_vector(ldp.simulate(plan, people, seed=seed)) for seed in range(times)])
    alarms = chances_of_draws(draws, *_moments(oracle, decomposition, people))
    assert min(alarms.values()) > FALSE_ALARM, alarms


@every_plan
def test_totals_of_the_protocol_follow_the_exact_law(oracle: str, decomposition: str) -> None:
    plan, coins = _plan(oracle, decomposition), SeededCoins(1)
    values = np.repeat(np.arange(BINS), SMALL).tolist()
    draws = np.array([_vector(run_protocol(plan, values, lambda: coins)[0]) for _ in range(150)])
    alarms = chances_of_draws(draws, *_moments(oracle, decomposition, SMALL))
    assert min(alarms.values()) > FALSE_ALARM, alarms


@every_plan
def test_totals_of_encode_many_follow_the_exact_law(oracle: str, decomposition: str) -> None:
    plan = _plan(oracle, decomposition)
    values = np.repeat(np.arange(BINS), SMALL)
    draws = np.array(
        [_vector(Aggregate.of(plan, ldp.encode_many(plan, values, seed=seed))) for seed in range(300)]
    )
    alarms = chances_of_draws(draws, *_moments(oracle, decomposition, SMALL))
    assert min(alarms.values()) > FALSE_ALARM, alarms


# The checks themselves can fail


def test_the_chi_squared_notices_a_law_that_is_a_little_off() -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, BINS - 1), 1.05, ldp.Flat(), ldp.GRR())  # the law is that of ε = 1
    laws, people = _laws("GRR", "Flat"), 40_000
    counted = [_count(laws, ldp.encode_many(plan, [b] * people, seed=b).columns) for b in range(BINS)]
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
    law = _chances(oracle, decomposition)
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

    alarms = chances_of_draws(
        np.array([draw() for _ in range(DRAWS)]), *_moments(oracle, decomposition, LARGE)
    )
    assert alarms[noticed] < FALSE_ALARM
    assert alarms["means"] > FALSE_ALARM  # the mean alone would not have told
