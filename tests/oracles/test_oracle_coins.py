"""Encoding with scripted coins: what each word decides, and that it decides exactly what the law says."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

from exact_laws import all_reports
from ldprange.oracles import GRR, HRR, OLH, OUE, HadamardHashing
from ldprange.oracles.contract import CodedMechanism
from ldprange.randomness import WORDS, below
from scripted_coins import ScriptedCoins, choosing

LAST = WORDS - 1
HALF = WORDS // 2
EPSILONS = (0.1, 0.7, 1.1, 3.0)
Script = tuple[list[int], Fraction]


def _exponential(epsilon: float) -> Fraction:
    with localcontext() as context:
        context.prec = 60
        return Fraction(Decimal(epsilon).exp())


def _keep_threshold(symbols: int, epsilon: float) -> int:
    e = _exponential(epsilon)
    return math.floor(WORDS * e / (e + symbols - 1))


def _response_scripts(symbols: int, epsilon: float) -> Iterator[Script]:
    """Words for every outcome of randomised response, each just at the edge of what gives it."""
    threshold = _keep_threshold(symbols, epsilon)
    keep = Fraction(threshold, WORDS)
    yield [threshold - 1], keep
    for other in range(symbols - 1):
        yield [threshold, *choosing(other, symbols - 1)], (1 - keep) / (symbols - 1)


def _law_of_encode(mechanism: CodedMechanism, item: int, scripts: Iterator[Script]) -> dict[bytes, Fraction]:
    law: defaultdict[bytes, Fraction] = defaultdict(Fraction)
    for words, chance in scripts:
        coins = ScriptedCoins(words)
        law[mechanism.encode(item, coins)] += chance
        assert coins.left == 0
    return law


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("cells", [2, 3, 5, 8])
def test_grr_encodes_by_its_stated_law(cells: int, epsilon: float) -> None:
    mechanism = GRR().on(cells, epsilon)
    assert isinstance(mechanism, CodedMechanism)
    for item in range(cells):
        law = _law_of_encode(mechanism, item, _response_scripts(cells, epsilon))
        assert law == {report: mechanism.likelihood(report, item) for report in all_reports(mechanism)}


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("bits", "cells"), [(1, 2), (1, 3), (1, 8), (2, 3), (2, 5), (3, 8), (4, 5)])
def test_hadamard_hashing_encodes_by_its_stated_law(bits: int, cells: int, epsilon: float) -> None:
    mechanism = HadamardHashing(bits=bits).on(cells, epsilon)
    assert isinstance(mechanism, CodedMechanism)
    indices = mechanism.counters >> bits

    def scripts() -> Iterator[Script]:
        for index in range(indices):
            for words, chance in _response_scripts(1 << bits, epsilon):
                yield choosing(index, indices) + words, chance / indices

    for item in range(cells):
        law = _law_of_encode(mechanism, item, scripts())
        assert law == {report: mechanism.likelihood(report, item) for report in all_reports(mechanism)}


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("cells", [2, 4, 6, 16])
def test_the_contrast_encodes_by_its_stated_law(cells: int, epsilon: float) -> None:
    mechanism = HRR().on(cells, epsilon, contrast=True)
    assert isinstance(mechanism, CodedMechanism)
    pairs = mechanism.counters // 2

    def scripts() -> Iterator[Script]:
        for pair in range(pairs):
            for words, chance in _response_scripts(2, epsilon):
                yield choosing(pair, pairs) + words, chance / pairs

    for item in range(cells):
        law = _law_of_encode(mechanism, item, scripts())
        assert law == {report: mechanism.likelihood(report, item) for report in all_reports(mechanism)}


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("cells", [2, 3, 9])
def test_unary_encoding_compares_every_word_with_its_own_threshold(cells: int, epsilon: float) -> None:
    threshold = math.ceil(WORDS / (_exponential(epsilon) + 1))
    mechanism = OUE().on(cells, epsilon)
    for item in range(cells):
        for bits in itertools.product([0, 1], repeat=cells):
            words = [(HALF if cell == item else threshold) - bit for cell, bit in enumerate(bits)]
            report = mechanism.encode(item, ScriptedCoins(words))
            assert int.from_bytes(report, "little") == sum(bit << cell for cell, bit in enumerate(bits))
            # and the law says what those words' chances multiply to
            chances = [Fraction(HALF if cell == item else threshold, WORDS) for cell in range(cells)]
            wanted = math.prod(
                (chance if bit else 1 - chance for chance, bit in zip(chances, bits, strict=True)),
                start=Fraction(1),
            )
            assert mechanism.likelihood(report, item) == wanted


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("symbols", [2, 3])
def test_local_hashing_draws_three_coefficients_and_then_responds(symbols: int, epsilon: float) -> None:
    mechanism = OLH(symbols=symbols).on(100, epsilon)
    threshold = _keep_threshold(symbols, epsilon)
    for a0, a1, a2 in [(0, 0, 0), (126, 126, 126), (1, 2, 3), (125, 0, 64)]:
        for item in (0, 1, 50, 99):
            truth = (a2 * item * item + a1 * item + a0) % 127 * symbols // 128
            seed = [word for coefficient in (a0, a1, a2) for word in choosing(coefficient, 127)]
            kept = mechanism.encode(item, ScriptedCoins([*seed, threshold - 1]))
            assert list(kept) == [a0, a1, a2, truth]
            lies = [
                mechanism.encode(item, ScriptedCoins([*seed, threshold, *choosing(other, symbols - 1)]))[3]
                for other in range(symbols - 1)
            ]
            assert sorted([truth, *lies]) == list(range(symbols))


@pytest.mark.parametrize("extreme", [0, LAST])
def test_the_extreme_words_are_the_surest_truth_and_the_surest_lie(extreme: int) -> None:
    sent = GRR().on(3, 1.1).encode(1, ScriptedCoins([extreme, 0]))
    assert sent == bytes([1 if extreme == 0 else 0])
    unary = OUE().on(8, 1.1).encode(3, ScriptedCoins([extreme] * 8))
    assert unary == bytes([255 if extreme == 0 else 0])


@pytest.mark.parametrize("bound", [2, 3, 5, 8, 100, 127, 1 << 31, (1 << 31) + 1, 1 << 32])
def test_a_uniform_choice_covers_its_range_evenly_and_draws_again_beyond_it(bound: int) -> None:
    bits = (bound - 1).bit_length()
    step = 1 << (32 - bits)  # this many words give each choice
    for choice in {0, 1, bound // 2, bound - 1}:
        for word in (choice * step, choice * step + step - 1):
            assert below(ScriptedCoins([word]), bound) == choice
    if bound < 1 << bits:
        coins = ScriptedCoins([bound * step, LAST, 0])
        assert below(coins, bound) == 0
        assert coins.left == 0


def test_a_choice_of_one_takes_no_coin() -> None:
    assert below(ScriptedCoins([]), 1) == 0
