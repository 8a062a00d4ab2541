"""What single oracles promise besides the contract: their formulas, their bytes, their choices."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from exact_laws import PRIME, all_symbols
from ldprange.errors import PlanError, WireError
from ldprange.oracles import GRR, HRR, OLH, OUE, HadamardHashing, Oracle
from ldprange.oracles.local_hashing import HashingMechanism

EPSILONS = (0.1, 0.7, 1.1, 3.0)


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
            assert max(chances) / min(chances) <= math.exp(1.1)


@pytest.mark.parametrize("bits", [0, 5, 1.0, True, "2"])
def test_hadamard_bits_must_be_one_to_four(bits: Any) -> None:
    with pytest.raises(PlanError, match=r"bits must be .* got"):
        HadamardHashing(bits=bits)


@pytest.mark.parametrize("symbols", [1, 0, -3, 2.0, True, (1 << 16) + 1])
def test_hashing_symbols_must_be_at_least_two(symbols: Any) -> None:
    with pytest.raises(PlanError, match=r"symbols must be .* got"):
        OLH(symbols=symbols)


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
