"""What every oracle must hold to, by enumerating all it can send, in rational numbers.

A new oracle joins by one line in ``CASES``.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from exact_laws import PRIME, ExactLaw, all_symbols, exact_law
from ldprange.errors import PlanError, WireError
from ldprange.oracles import (
    GRR,
    HRR,
    OLH,
    OUE,
    HadamardHashing,
    Mechanism,
    Oracle,
    SubsetSelection,
    oracle_from_dict,
)
from ldprange.oracles.local_hashing import HashingMechanism
from ldprange.oracles.unary_encoding import _UnaryMechanism

EPSILONS = (0.1, 0.7, 1.1, 3.0)
Case = tuple[Oracle, int, float, bool]
_ANY_SUM = (HashingMechanism, _UnaryMechanism)  # a report may support any number of cells


def _cases() -> list[Any]:
    sizes: list[tuple[str, Oracle, tuple[int, ...], bool]] = [
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
    return [
        pytest.param((oracle, cells, epsilon, contrast), id=f"{name}-{cells}-{epsilon}")
        for name, oracle, many, contrast in sizes
        for cells in many
        for epsilon in (EPSILONS if cells <= 5 else EPSILONS[2:])  # the large ones take a second each
    ]


CASES = _cases()
every_case = pytest.mark.parametrize("case", CASES)


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
    assert worst <= least  # e**ε is irrational, so its lower bound is as good
    assert worst >= most * (1 - Fraction(1, 10**6)), "privacy is given away for nothing"


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


def _is_hashing_to_several_bits(oracle: Oracle) -> bool:
    return isinstance(oracle, HadamardHashing) and (oracle.bits or 0) > 1


@pytest.mark.parametrize("case", [c for c in CASES if not _is_hashing_to_several_bits(c.values[0][0])])
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


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(
    ("oracle", "psi"),
    [
        (GRR(), lambda e, k: (e + k - 2) / (e - 1) ** 2),
        (OUE(), lambda e, k: 4 * e / (e - 1) ** 2),
        (OLH(symbols=3), lambda e, k: (e + 2) ** 2 / (2 * (e - 1) ** 2)),
        (HRR(), lambda e, k: ((e + 1) / (e - 1)) ** 2),
        (HadamardHashing(bits=2), lambda e, k: (e + 3) ** 2 / (3 * (e - 1) ** 2)),
    ],
    ids=["GRR", "OUE", "OLH", "HRR", "Hadamard-2"],
)
def test_variance_of_an_item_nobody_holds_is_that_of_the_literature(
    oracle: Oracle, psi: Any, epsilon: float
) -> None:
    cells = 1 << 12  # the formulas are those of many cells
    noise = oracle.on(cells, epsilon).noise
    assert noise.spread + noise.total == pytest.approx(psi(np.exp(epsilon), cells), rel=2e-3)


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
    assert not mechanism.possible(encoded, 2**32 * users) or isinstance(mechanism, _ANY_SUM)
    if not isinstance(mechanism, _ANY_SUM):
        assert not mechanism.possible(encoded, users + 1)
        for place in range(mechanism.counters):  # one more in one place, and as much support as ever in each
            changed = encoded.copy()
            changed[place] += 1
            assert not mechanism.possible(changed, users)


@every_case
def test_a_tally_whose_sum_wraps_is_not_possible(case: Case) -> None:
    mechanism = _mechanism(case)
    if mechanism.counters >= 5:
        # of 2**62 reports; the sum beyond 2**64 is left out where sums wrap
        counts = np.zeros(mechanism.counters, np.int64)
        counts[:5] = 2**62
        assert mechanism.possible(counts, 2**62) == isinstance(mechanism, _ANY_SUM)


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
    possible = 256**mechanism.width == mechanism.counters or (
        isinstance(case[0], OUE) and mechanism.cells % 8 == 0
    )
    if possible:
        assert len(mechanism.unpack(bad)) == 3
    else:
        with pytest.raises(WireError, match="refused whole"):
            mechanism.unpack(bad)


@pytest.mark.parametrize("oracle", [GRR(), HRR(), HadamardHashing(bits=3)])
def test_the_first_code_past_the_last_is_refused(oracle: Oracle) -> None:
    mechanism = oracle.on(300, 1.0)  # codes take two bytes or more
    last = np.frombuffer((mechanism.counters - 1).to_bytes(mechanism.width, "little"), np.uint8)[None]
    past = np.frombuffer(mechanism.counters.to_bytes(mechanism.width, "little"), np.uint8)[None]
    assert mechanism.unpack(last).tolist() == [mechanism.counters - 1]
    with pytest.raises(WireError, match=rf"\[0, {mechanism.counters}\).*got {mechanism.counters}"):
        mechanism.unpack(past)


@pytest.mark.parametrize("spare", range(1, 8))
def test_each_spare_bit_of_unary_encoding_is_refused(spare: int) -> None:
    mechanism = OUE().on(16 - spare, 1.0)
    rows = np.zeros((2, 2), np.uint8)
    mechanism.unpack(rows)
    rows[1, 1] = 1 << (8 - spare)  # the lowest of the spare bits
    with pytest.raises(WireError, match=f"{spare} spare bits"):
        mechanism.unpack(rows)


@pytest.mark.parametrize("field", range(4))
def test_each_field_of_local_hashing_is_bounded(field: int) -> None:
    mechanism = OLH(symbols=3).on(5, 1.0)
    row = np.array([[126, 126, 126, 2]], np.uint8)
    mechanism.unpack(row)
    row[0, field] += 1
    with pytest.raises(WireError, match="refused whole"):
        mechanism.unpack(row)


@pytest.mark.parametrize("symbols", [2, 3])
def test_all_hashes_of_the_smallest_field_are_what_the_formula_says(symbols: int) -> None:
    mechanism = OLH(symbols=symbols).on(5, 1.0)
    assert isinstance(mechanism, HashingMechanism)
    field = np.arange(PRIME, dtype=np.uint64)
    a2, a1, a0 = np.meshgrid(field, field, field, indexing="ij")
    coefficients = np.stack([a0, a1, a2]).reshape(3, -1)
    for item in (0, 1, 4, 126):
        hashed = mechanism.hashed(coefficients, np.array(item, np.uint64))
        np.testing.assert_array_equal(hashed, all_symbols(symbols, item))


def test_all_reports_of_one_hash_share_out_its_chance() -> None:
    # the groups of the enumeration stand for all their members
    mechanism = OLH(symbols=3).on(5, 1.1)
    for seed in np.random.default_rng(1).integers(0, PRIME, (50, 3)).tolist():
        for item in range(5):
            chances = [mechanism.likelihood(bytes([*seed, symbol]), item) for symbol in range(3)]
            assert sum(chances) == Fraction(1, PRIME**3)
            assert max(chances) / min(chances) <= _exponential(1.1)[0]


@pytest.mark.parametrize(
    "oracle", [GRR(), OUE(), OLH(), OLH(symbols=5), HRR(), HadamardHashing(bits=4), SubsetSelection(size=3)]
)
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


@pytest.mark.parametrize("bits", [0, 5, 1.0, True, "2"])
def test_hadamard_bits_must_be_one_to_four(bits: Any) -> None:
    with pytest.raises(PlanError, match=r"bits must be .* got"):
        HadamardHashing(bits=bits)


@pytest.mark.parametrize("symbols", [1, 0, -3, 2.0, True, (1 << 16) + 1])
def test_hashing_symbols_must_be_at_least_two(symbols: Any) -> None:
    with pytest.raises(PlanError, match=r"symbols must be .* got"):
        OLH(symbols=symbols)


@pytest.mark.parametrize("oracle", [GRR(), OUE(), OLH(), HRR(), HadamardHashing(), SubsetSelection()])
def test_an_epsilon_too_small_for_the_coins_is_refused(oracle: Oracle) -> None:
    with pytest.raises(PlanError, match="ε must be large enough"):
        oracle.on(16, 1e-11)


@pytest.mark.parametrize("oracle", [GRR(), OUE(), OLH(), HRR(), HadamardHashing(), SubsetSelection()])
def test_a_huge_epsilon_is_no_more_than_the_coins_allow(oracle: Oracle) -> None:
    mechanism = oracle.on(16, 1e6)
    assert np.isfinite(mechanism.noise.spread)
    counts, users = mechanism.draw(np.full(16, 1000), np.random.default_rng(1)), 16_000
    assert np.isfinite(mechanism.estimate(counts, users)).all()


@pytest.mark.parametrize(("epsilon", "bits"), [(0.2, 1), (1.1, 2), (2.0, 3), (3.0, 4)])
def test_hadamard_hashing_chooses_the_bits_of_least_variance(epsilon: float, bits: int) -> None:
    e = np.exp(epsilon)
    psi = [(e + g - 1) ** 2 / ((g - 1) * (e - 1) ** 2) for g in (2, 4, 8, 16)]
    assert 1 + int(np.argmin(psi)) == bits
    assert HadamardHashing().resolve(epsilon, cells=16) == HadamardHashing(bits=bits)


@pytest.mark.parametrize("epsilon", [0.1, 1.1, 2.0, 3.0])
def test_local_hashing_chooses_the_symbols_of_least_variance(epsilon: float) -> None:
    e = np.exp(epsilon)
    psi = {g: (e + g - 1) ** 2 / ((g - 1) * (e - 1) ** 2) for g in range(2, 60)}
    chosen = OLH().resolve(epsilon, cells=16)
    assert isinstance(chosen, OLH)
    assert chosen.symbols is not None
    assert psi[chosen.symbols] == pytest.approx(min(psi.values()), rel=5e-3)
