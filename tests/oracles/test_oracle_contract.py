"""What every oracle must hold to, by enumerating all it can send, in rational numbers.

Its likelihoods are private and its estimate unbiased, exactly; ``encode``, ``encode_many`` and ``draw`` keep
to the likelihoods; bytes and tallies that no client can have sent are refused.

A new oracle joins by one line in ``ORACLES``. All draws are seeded, so a test passes always or never; with
fresh seeds each would fail a correct oracle with probability 1e−6.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations
from operator import truediv
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from exact_laws import ExactLaw, check_pull, exact_law, rows_of
from example_kinds import ORACLES as DEFAULTS
from law_comparisons import chance_of_counts, chances_of_draws, moments
from ldprange.errors import PlanError, WireError
from ldprange.oracles import (
    GRR,
    HRR,
    KINDS,
    OLH,
    OUE,
    HadamardHashing,
    Mechanism,
    Oracle,
    SubsetSelection,
    oracle_from_dict,
)
from scripted_coins import SeededCoins

EPSILONS = (0.1, 0.7, 1.1, 3.0)
FALSE_ALARM = 1e-6
Case = tuple[Oracle, int, float, bool]

ORACLES: list[tuple[str, Oracle, tuple[int, ...], bool]] = [  # name, oracle, numbers of cells, contrast
    ("GRR", GRR(), (2, 3, 5, 8, 16), False),
    ("OUE", OUE(), (2, 3, 5, 8), False),  # 2**cells reports
    ("OLH-2", OLH(symbols=2), (2, 3, 5, 7), False),
    ("OLH-3", OLH(symbols=3), (2, 3, 5), False),  # 3**cells groups of hashes
    ("HRR", HRR(), (2, 3, 5, 8, 16), False),
    ("Hadamard-2", HadamardHashing(bits=2), (2, 3, 5, 8, 16), False),
    ("Hadamard-3", HadamardHashing(bits=3), (2, 3, 5, 8, 16), False),
    ("Hadamard-4", HadamardHashing(bits=4), (2, 3, 5, 8, 16), False),
    ("Subset", SubsetSelection(), (2, 3, 5, 8, 10), False),
    ("Subset-2", SubsetSelection(size=2), (3, 5, 8), False),
    ("HRR-contrast", HRR(), (2, 4, 6, 8, 16), True),
]
CASES: dict[str, Case] = {
    f"{name}-{cells}-{epsilon}": (oracle, cells, epsilon, contrast)
    for name, oracle, many, contrast in ORACLES
    for cells in many
    for epsilon in (EPSILONS if cells <= 5 else EPSILONS[2:])  # the large ones take a second each
}
DRAWN: dict[str, Case] = {
    name: (oracle, max(cells for cells in many if cells <= 5), 1.1, contrast)
    for name, oracle, many, contrast in ORACLES
}
STATED: dict[str, Case] = {  # those whose noise is exact in every population
    name: case
    for name, case in CASES.items()
    if not (isinstance(case[0], HadamardHashing) and case[0].bits != 1)
}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
drawn_cases = pytest.mark.parametrize("case", DRAWN.values(), ids=DRAWN.keys())
every_oracle = pytest.mark.parametrize(
    "oracle",
    dict.fromkeys([*(oracle for _, oracle, _, _ in ORACLES), *DEFAULTS.values()]),
    ids=str,
)


def test_every_kind_of_oracle_is_here() -> None:
    assert {oracle.kind for _, oracle, _, _ in ORACLES} == set(KINDS)


def _mechanism(case: Case) -> Mechanism:
    oracle, cells, epsilon, contrast = case
    return oracle.on(cells, epsilon, contrast=contrast)


def _exponential(epsilon: float) -> tuple[Fraction, Fraction]:
    """Bound e**ε from below and above, by other means than the library's."""
    with localcontext() as context:
        context.prec = 60
        near = Fraction(Decimal(epsilon).exp())
    slack = Fraction(1, 10**58)
    return near * (1 - slack), near * (1 + slack)


def _wanted(case: Case, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """What an estimate must give on average: shares, or for a contrast deviations from the pair's mean."""
    if not case[3]:
        return shares
    pairs = shares.reshape(-1, 2)
    deviations: NDArray[np.float64] = pairs - pairs.mean(axis=1, keepdims=True)
    return deviations.reshape(-1)


@every_case
def test_chances_of_every_item_add_up_to_exactly_one(case: Case) -> None:
    for chances in exact_law(*case).chances:
        assert sum(chances) == 1


@every_case
def test_no_output_tells_items_apart_by_more_than_the_privacy_parameter(case: Case) -> None:
    chances = exact_law(*case).chances
    worst = max(max(column) / min(column) for column in zip(*chances, strict=True))
    least, most = _exponential(case[2])
    found = f"the worst ratio is {float(worst):.15g}, e^ε is {float(least):.15g}"
    if worst > least:  # e^ε is irrational, so its lower bound is as good
        pytest.fail(f"{found}; round the threshold the other way")
    if worst < most * (1 - Fraction(1, 10**6)):
        pytest.fail(f"{found}; privacy is given away for nothing")


@every_case
def test_the_worst_ratio_is_that_of_any_two_items_exactly(case: Case) -> None:
    stated, chances = _mechanism(case).worst_ratio(), exact_law(*case).chances
    for one, other in combinations(chances, 2):
        assert max(map(truediv, one, other)) == stated
        assert max(map(truediv, other, one)) == stated


@every_case
def test_a_report_is_likelier_from_all_items_that_it_supports_than_from_the_others(case: Case) -> None:
    mechanism, cells = _mechanism(case), case[1]
    column = mechanism.encode_many(np.arange(60, dtype=np.uint32) % cells, np.random.default_rng(1))
    items = np.arange(cells, dtype=np.uint32)
    for one, row in zip(np.split(column, len(column)), mechanism.pack(column), strict=True):
        supports = mechanism.supporting(np.repeat(one, cells, axis=0), items)
        chances = [mechanism.likelihood(row.tobytes(), item) for item in range(cells)]
        assert supports.tolist() == [chance == max(chances) for chance in chances] or len(set(chances)) == 1


@every_case
def test_the_expected_estimate_is_the_truth(case: Case) -> None:
    cells = case[1]
    holders = [(7 * item + 3) % 5 for item in range(cells)]
    counts, users = exact_law(*case).expected_tally(holders)
    truth = np.array(holders) / sum(holders)
    np.testing.assert_allclose(_mechanism(case).estimate(counts, users), _wanted(case, truth), atol=1e-9)


def _second_moment(mechanism: Mechanism, law: ExactLaw, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """E[X Xᵀ] of one report's contribution X to the estimate."""
    each = np.array([mechanism.estimate(tally, 1) for tally in law.tallies])
    moment: NDArray[np.float64] = each.T @ (law.mixture(shares)[:, None] * each)
    return moment


def _stated_moment(mechanism: Mechanism, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    noise, ones = mechanism.noise, np.ones(shares.size)
    mixed = np.outer(ones, shares)
    stated: NDArray[np.float64] = (
        noise.spread * np.eye(shares.size)
        + noise.occupied * np.diag(shares)
        + noise.total * np.outer(ones, ones)
        + noise.cross * (mixed + mixed.T)
    )
    return stated


@pytest.mark.parametrize("case", STATED.values(), ids=STATED.keys())
@pytest.mark.parametrize("population", ["even", "skewed", "alone"])
def test_stated_noise_is_the_second_moment_of_a_report(case: Case, population: str) -> None:
    cells = case[1]
    shares = {
        "even": np.full(cells, 1 / cells),
        "skewed": np.arange(1.0, cells + 1) ** 2 / np.sum(np.arange(1.0, cells + 1) ** 2),
        "alone": np.eye(cells)[cells - 1],
    }[population]
    mechanism = _mechanism(case)
    found = _second_moment(mechanism, exact_law(*case), shares)
    stated = _stated_moment(mechanism, shares)
    if case[3]:  # of a contrast only differences within pairs are ever used
        differences = np.kron(np.eye(cells // 2), [[1.0, -1.0]])
        found, stated = (differences @ moment @ differences.T for moment in (found, stated))
    np.testing.assert_allclose(found, stated, rtol=1e-9, atol=1e-9 * np.abs(found).max())


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("bits", "cells"), [(2, 4), (2, 16), (3, 8), (4, 16)])
def test_stated_noise_of_hadamard_hashing_is_exact_in_an_even_population(
    bits: int, cells: int, epsilon: float
) -> None:
    # with more than one bit three cells may lie on a line; that part vanishes when all are held alike
    case: Case = (HadamardHashing(bits=bits), cells, epsilon, False)
    shares = np.full(cells, 1 / cells)
    contrasts = np.eye(cells) - 1 / cells
    mechanism = _mechanism(case)
    found = contrasts @ _second_moment(mechanism, exact_law(*case), shares) @ contrasts
    stated = contrasts @ _stated_moment(mechanism, shares) @ contrasts
    np.testing.assert_allclose(found, stated, rtol=1e-9, atol=1e-9 * np.abs(found).max())


# Three ways of randomising, one law: that of the likelihoods


def _check_reports(law: ExactLaw, rows_by_item: list[NDArray[np.uint8]]) -> None:
    chance = chance_of_counts(np.array([law.count(rows) for rows in rows_by_item]), law.table)
    assert chance > FALSE_ALARM, f"reports so far from the likelihoods have a chance of {chance:.1g}"


@drawn_cases
def test_encode_keeps_to_the_likelihoods(case: Case) -> None:
    mechanism, law, coins = _mechanism(case), exact_law(*case), SeededCoins(1)
    reports = [[mechanism.encode(item, coins) for _ in range(1000)] for item in range(mechanism.cells)]
    _check_reports(law, [rows_of(mechanism, of_item) for of_item in reports])


@drawn_cases
def test_encode_many_keeps_to_the_likelihoods(case: Case) -> None:
    mechanism, law, people = _mechanism(case), exact_law(*case), 10_000
    items = np.tile(np.arange(mechanism.cells, dtype=np.uint32), people)  # each beside all others
    rows = mechanism.pack(mechanism.encode_many(items, np.random.default_rng(1)))
    _check_reports(law, [rows[items == item] for item in range(mechanism.cells)])


@drawn_cases
@pytest.mark.parametrize("times", [1, 100], ids=["few", "many"])  # a draw may go about them differently
def test_draw_has_the_mean_and_the_covariance_of_encoding_each(case: Case, times: int) -> None:
    mechanism, law, rng = _mechanism(case), exact_law(*case), np.random.default_rng(1)
    holders = times * np.array([11, 0, 5, 29, 3])[: mechanism.cells]
    draws = np.array([mechanism.draw(holders, rng) for _ in range(400)])
    chances = chances_of_draws(draws, *moments(law.tallies, law.table, holders))
    assert min(chances.values()) > FALSE_ALARM, chances


# Tallies and bytes


@every_case
def test_a_tally_is_possible_and_a_forged_one_is_not(case: Case) -> None:
    mechanism, rng, users = _mechanism(case), np.random.default_rng(1), 40
    items = rng.integers(0, case[1], users, dtype=np.uint32)
    encoded = mechanism.tally(mechanism.encode_many(items, rng))
    drawn = mechanism.draw(np.bincount(items, minlength=case[1]), rng)
    for counts in encoded, drawn:
        assert mechanism.possible(counts, users)
        for place in range(mechanism.counters):
            for forged in users + 1, -1, 2**62, -(2**63), 2**63 - 1:
                changed = counts.copy()
                changed[place] = forged
                assert not mechanism.possible(changed, users)
    assert mechanism.possible(np.zeros_like(encoded), 0)
    for number in users + 1, 2**32 * users:
        assert not mechanism.possible(encoded, number) or _can_add_up(case, encoded, number)
    for place in range(mechanism.counters):  # one more in one place, and as much support as ever in each
        changed = encoded.copy()
        changed[place] += 1
        assert not mechanism.possible(changed, users) or _can_add_up(case, changed, users)


def _can_add_up(case: Case, counts: NDArray[np.int64], users: int) -> bool:
    """Say whether the reports of ``users`` people can leave counts of this sum."""
    sums = exact_law(*case).tallies.sum(axis=1)
    total: int = sum(counts.tolist())
    return users * int(sums.min()) <= total <= users * int(sums.max())


@every_case
def test_a_tally_whose_sum_wraps_is_not_possible(case: Case) -> None:
    mechanism = _mechanism(case)
    if mechanism.counters >= 5:
        # of 2**62 reports; the sum beyond 2**64 is left out where sums wrap
        counts = np.zeros(mechanism.counters, np.int64)
        counts[:5] = 2**62
        assert not mechanism.possible(counts, 2**62) or _can_add_up(case, counts, 2**62)


@every_case
def test_packing_and_unpacking_gives_the_same_reports(case: Case) -> None:
    mechanism = _mechanism(case)
    items = np.arange(200, dtype=np.uint32) % mechanism.cells
    column = mechanism.encode_many(items, np.random.default_rng(1))
    rows = mechanism.pack(column)
    assert rows.shape == (200, mechanism.width)
    np.testing.assert_array_equal(mechanism.unpack(rows), column)


@every_case
def test_a_row_that_no_client_can_have_sent_is_refused(case: Case) -> None:
    mechanism = _mechanism(case)
    good = mechanism.pack(mechanism.encode_many(np.zeros(3, np.uint32), np.random.default_rng(1)))
    bad = good.copy()
    bad[1] = 255
    if bytes(bad[1]) in exact_law(*case).outputs:
        assert len(mechanism.unpack(bad)) == 3
    else:
        with pytest.raises(WireError, match="refused whole"):
            mechanism.unpack(bad)


@every_oracle
def test_an_oracle_comes_back_from_its_description(oracle: Oracle) -> None:
    assert oracle_from_dict(oracle.to_dict()) == oracle


@pytest.mark.parametrize(
    "description",
    [
        None,
        [],
        {},
        {"kind": "none"},
        {"kind": []},
        {"kind": "grr", "bits": 1},
        {"kind": "hadamard", "bits": 5},
    ],
)
def test_a_description_of_no_oracle_is_refused(description: Any) -> None:
    with pytest.raises(PlanError, match=r"must be|cannot be made"):
        oracle_from_dict(description)


@every_oracle
def test_an_epsilon_too_small_for_the_coins_is_refused(oracle: Oracle) -> None:
    with pytest.raises(PlanError, match="ε must be large enough"):
        oracle.on(16, 1e-11)


@every_oracle
def test_a_huge_epsilon_is_no_more_than_the_coins_allow(oracle: Oracle) -> None:
    mechanism = oracle.on(16, 1e6)
    assert np.isfinite(mechanism.noise.spread)
    counts, users = mechanism.draw(np.full(16, 1000), np.random.default_rng(1)), 16_000
    assert np.isfinite(mechanism.estimate(counts, users)).all()


@every_case
def test_no_report_adds_more_than_the_stated_pull(case: Case) -> None:
    """All reports are tried, by public coins; a bound may be above them, as it is for local hashing."""
    check_pull(exact_law(*case), exact=not isinstance(case[0], OLH))
