"""The true ε of every oracle, on levels of any size: never above what is stated, and hardly below.

What a mechanism says of its worst ratio is held to the enumeration of its law, where all reports can be
listed, in ``test_oracle_contract.py``. Here it is held to ε; where two words decide, to the coins.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations
from operator import truediv

import numpy as np
import pytest

from exact_laws import law_of
from ldprange import kernels
from ldprange.levels import Level
from ldprange.oracles import (
    GRR,
    HRR,
    KINDS,
    OLH,
    OUE,
    HadamardHashing,
    Oracle,
    SubsetSelection,
    mechanism_of,
)
from ldprange.randomness import WORDS, chance_of, generator, happens, thresholds_of
from scripted_coins import ScriptedCoins

EPSILONS = (0.01, 0.05, 0.3, 1.0, 1.1, math.log(3), 2.5, 5.0, 8.0, 8.5, 10.0, 12.5, 15.0, 20.0)
LARGE = 1 << 26
LEVELS: list[tuple[str, Oracle, Level]] = [
    *((f"GRR-{cells}", GRR(), Level(cells, 1, 1)) for cells in (2, 3, 1000, 1 << 16, LARGE)),
    *((f"OUE-{cells}", OUE(), Level(cells, 1, 1)) for cells in (2, LARGE)),
    *((f"OLH-{cells}", OLH(), Level(cells, 1, 1)) for cells in (2, LARGE)),
    ("OLH-65536 symbols", OLH(symbols=1 << 16), Level(LARGE, 1, 1)),
    ("HRR", HRR(), Level(LARGE, 1, 1)),
    ("HRR on contrasts", HRR(), Level(LARGE, 2, 1, contrast=True)),
    *((f"Hadamard-{bits}", HadamardHashing(bits=bits), Level(1 << 20, 1, 1)) for bits in (2, 3, 4)),
    *((f"subset-{cells}", SubsetSelection(), Level(cells, 1, 1)) for cells in (2, 3, 120, 1 << 16)),
    ("subset of one", SubsetSelection(size=1), Level(1 << 16, 1, 1)),
    ("subset of half", SubsetSelection(size=1 << 15), Level(1 << 16, 1, 1)),
    ("shifted GRR", GRR(), Level(1 << 20, 1, 1, shifts=16)),
    ("shifted OUE", OUE(), Level(1 << 20, 1, 1, shifts=16, block=1 << 10)),
    ("shifted subset", SubsetSelection(), Level(1 << 12, 1, 1, shifts=16)),
    ("shifted Hadamard", HadamardHashing(), Level(1 << 20, 1, 1, shifts=1 << 10)),
]


def _exponential(epsilon: float) -> Fraction:
    """Return e**ε to 70 digits, by other means than the library's."""
    with localcontext() as context:
        context.prec = 70
        return Fraction(Decimal(epsilon).exp())


def test_every_kind_of_oracle_is_here() -> None:
    assert {oracle.kind for _, oracle, _ in LEVELS} == set(KINDS)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("oracle", "level"), [each[1:] for each in LEVELS], ids=[each[0] for each in LEVELS])
def test_the_true_epsilon_is_never_above_the_stated_one_and_at_most_a_millionth_below(
    oracle: Oracle, level: Level, epsilon: float
) -> None:
    worst, stated = mechanism_of(oracle, level, epsilon).worst_ratio(), _exponential(epsilon)
    assert worst <= stated
    assert worst >= stated * (1 - Fraction(1, 10**6)), float(worst / stated)


SMALL: list[tuple[str, Oracle, int]] = [
    ("GRR-2", GRR(), 2),
    ("GRR-5", GRR(), 5),
    ("OUE-4", OUE(), 4),
    ("OLH-3", OLH(symbols=3), 3),
    ("HRR-5", HRR(), 5),
    ("Hadamard-4", HadamardHashing(bits=4), 5),
    ("subset-4", SubsetSelection(size=2), 4),
]


@pytest.mark.parametrize("epsilon", [9.5, 20.0])
@pytest.mark.parametrize(("oracle", "cells"), [each[1:] for each in SMALL], ids=[each[0] for each in SMALL])
def test_the_worst_ratio_is_that_of_the_law_where_two_words_decide(
    oracle: Oracle, cells: int, epsilon: float
) -> None:
    mechanism = oracle.on(cells, epsilon)
    chances = law_of(mechanism).chances
    for chances_of_item in chances:
        assert sum(chances_of_item) == 1
    for one, other in combinations(chances, 2):
        assert max(map(truediv, one, other)) == mechanism.worst_ratio()


@pytest.mark.parametrize("chance", [Fraction(1, 3), Fraction(1, 10**9), 1 - Fraction(1, 10**9)])
@pytest.mark.parametrize("rounded", [math.floor, math.ceil])
def test_an_event_happens_for_exactly_the_words_that_its_thresholds_say(
    chance: Fraction,
    rounded: type[math.floor],  # type: ignore[valid-type]
) -> None:
    threshold, finer = thresholds_of(chance, rounded)
    assert happens(ScriptedCoins([threshold - 1]), threshold, finer)
    assert not happens(ScriptedCoins([threshold + 1]), threshold, finer)
    if finer:
        assert happens(ScriptedCoins([threshold, finer - 1]), threshold, finer)
        assert not happens(ScriptedCoins([threshold, finer]), threshold, finer)
    else:
        assert not happens(ScriptedCoins([threshold]), threshold, finer)
    # those words' chance
    assert chance_of(threshold, finer) == Fraction(threshold, WORDS) + Fraction(finer, WORDS**2)
    assert (chance_of(threshold, finer) < chance) == (rounded is math.floor)


def test_many_words_are_decided_as_one_is() -> None:
    threshold, finer = 1 << 31, 1 << 30  # of those that tie, a quarter
    words = np.array([threshold - 1, threshold + 1] + [threshold] * 10_000, np.uint32)
    found = kernels.happens(words, generator(1), threshold, finer)
    assert found[:2].tolist() == [True, False]
    assert found[2:].tolist() == (kernels.seeded_words(generator(1), 10_000) < finer).tolist()
    assert 2000 < found[2:].sum() < 3000
    np.testing.assert_array_equal(kernels.happens(words, generator(1), threshold, 0), words < threshold)


def _ties(words: int) -> dict[str, tuple[Oracle, list[int], bytes]]:
    """Return oracles on two cells at ε = 20, whose second word is just below or at the finer threshold."""
    keep, finer = thresholds_of(_exponential(20.0) / (_exponential(20.0) + 1))
    q, finer_q = thresholds_of(1 / (_exponential(20.0) + 1), math.ceil)
    return {
        "GRR": (GRR(), [keep, finer - words], bytes([1 - words])),
        "subset": (SubsetSelection(size=1), [keep, finer - words], bytes([2 - words])),
        # the held cell's word is a lie; both tie, and for each a second word is taken, in order
        "OUE": (OUE(), [WORDS - 1, q, finer_q - words], bytes([2 * words])),
        "OUE, the held cell ties too": (OUE(), [q, q, 0, finer_q - words], bytes([1 + 2 * words])),
    }


@pytest.mark.parametrize("words", [0, 1])
@pytest.mark.parametrize("name", _ties(0))
def test_a_tie_is_decided_by_the_next_word(name: str, words: int) -> None:
    oracle, script, wanted = _ties(words)[name]
    coins = ScriptedCoins(script)
    assert oracle.on(2, 20.0).encode(0, coins) == wanted
    assert coins.left == 0
