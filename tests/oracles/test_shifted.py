"""The mechanism of shifted windows, by enumerating all it can send.

Seeds are fixed, so the tests here do not flicker; had they been drawn afresh, each would fail a correct
library with the probability that stands beside it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import combinations
from operator import truediv
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ldprange as ldp
from exact_laws import ExactLaw, all_reports, check_pull, law_of
from law_comparisons import chance_of_counts
from ldprange.errors import WireError
from ldprange.levels import Level
from ldprange.oracles import Mechanism, Oracle, mechanism_of
from ldprange.oracles.shifted import ShiftedMechanism
from ldprange.randomness import WORDS, generator
from scripted_coins import ScriptedCoins, choosing

ORACLES: dict[str, Oracle] = {
    "GRR": ldp.GRR(),
    "OUE": ldp.OUE(),
    "HRR": ldp.HRR(),
    "Hadamard-2": ldp.HadamardHashing(bits=2),
    "Subset": ldp.SubsetSelection(),
}
Case = tuple[str, int, int, float]  # oracle, items, shifts, ε

CASES: list[Case] = [
    (oracle, items, shifts, (0.1, 1.1, 3.0)[(items + shifts) % 3])
    for oracle in ORACLES
    for items in range(2, 8)
    for shifts in range(2, 7)
]
every_case = pytest.mark.parametrize("case", CASES, ids=["-".join(map(str, case)) for case in CASES])
some_cases = pytest.mark.parametrize("case", CASES[::4], ids=["-".join(map(str, c)) for c in CASES[::4]])


def _mechanism(case: Case) -> ShiftedMechanism:
    oracle, items, shifts, epsilon = case
    mechanism = mechanism_of(ORACLES[oracle], Level(items, 1, 1, shifts=shifts), epsilon)
    assert isinstance(mechanism, ShiftedMechanism)
    return mechanism


def _column(mechanism: Mechanism, reports: list[bytes]) -> NDArray[Any]:
    return mechanism.unpack(np.frombuffer(b"".join(reports), np.uint8).reshape(-1, mechanism.width))


@cache
def _law(case: Case) -> ExactLaw:
    return law_of(_mechanism(case))


def _exponential(epsilon: float) -> Fraction:
    """Return e**ε from below, by other means than the library's."""
    with localcontext() as context:
        context.prec = 60
        return Fraction(Decimal(epsilon).exp()) * (1 - Fraction(1, 10**58))


# The mechanism's law


@every_case
def test_chances_of_every_item_add_up_to_exactly_one(case: Case) -> None:
    for chances in _law(case).chances:
        assert sum(chances) == 1


@every_case
def test_no_output_tells_items_apart_by_more_than_the_privacy_parameter(case: Case) -> None:
    columns = list(zip(*_law(case).chances, strict=True))
    worst = max(max(column) / min(column) for column in columns)
    bound = _exponential(case[3])
    assert worst <= bound
    assert worst >= bound * (1 - Fraction(1, 10**6)), "privacy is given away for nothing"


@every_case
def test_the_worst_ratio_is_that_of_any_two_items_exactly(case: Case) -> None:
    stated = _mechanism(case).worst_ratio()
    for one, other in combinations(_law(case).chances, 2):
        assert max(map(truediv, one, other)) == max(map(truediv, other, one)) == stated


@some_cases
def test_a_report_supports_the_items_that_it_is_likeliest_from(case: Case) -> None:
    mechanism, items = _mechanism(case), np.arange(case[1], dtype=np.uint32)
    column = mechanism.encode_many(np.arange(60, dtype=np.uint32) % case[1], np.random.default_rng(1))
    for one, row in zip(np.split(column, len(column)), mechanism.pack(column), strict=True):
        supports = mechanism.supporting(np.repeat(one, case[1], axis=0), items)
        chances = [mechanism.likelihood(row.tobytes(), item) for item in items.tolist()]
        assert supports.tolist() == [chance == max(chances) for chance in chances] or len(set(chances)) == 1


@some_cases
def test_the_shift_says_nothing_about_the_item(case: Case) -> None:
    for chances in _law(case).chances:
        of_shift = np.array(chances, object).reshape(case[2], -1).sum(axis=1)
        assert of_shift.tolist() == [Fraction(1, case[2])] * case[2]


@every_case
def test_the_expected_estimate_is_the_truth_seen_through_triangles(case: Case) -> None:
    _, items, shifts, _ = case
    holders = [(7 * item + 3) % 5 for item in range(items)]
    counts, users = _law(case).expected_tally(holders)
    truth = np.array(holders) / sum(holders)
    wanted = [
        sum(max(0.0, 1 - abs(z - y) / shifts) * share for y, share in enumerate(truth)) for z in range(items)
    ]
    mechanism = _mechanism(case)
    np.testing.assert_allclose(mechanism.estimate(counts, users), wanted, atol=1e-9)
    np.testing.assert_allclose(mechanism.people(counts, users), np.array(wanted) * users, atol=1e-9 * users)


def test_every_item_stands_in_a_window_at_every_shift_and_no_window_is_never_held() -> None:
    for items in range(2, 40):
        for shifts in range(1, 40):
            held = {(item + shift) // shifts for item in range(items) for shift in range(shifts)}
            assert held == set(range(Level(items, 1, 1, shifts=shifts).asked))


# Encoding


def _response_scripts(symbols: int, epsilon: float) -> Iterator[tuple[list[int], Fraction]]:
    """Words for every outcome of randomised response, each just at the edge of what gives it."""
    e = _exponential(epsilon)
    threshold = math.floor(WORDS * e / (e + symbols - 1))
    keep = Fraction(threshold, WORDS)
    yield [threshold - 1], keep
    for other in range(symbols - 1):
        yield [threshold, *choosing(other, symbols - 1)], (1 - keep) / (symbols - 1)


@pytest.mark.parametrize("case", [case for case in CASES if case[0] == "GRR"], ids=str)
def test_a_client_encodes_by_the_stated_law(case: Case) -> None:
    _, items, shifts, epsilon = case
    mechanism = _mechanism(case)
    asked = Level(items, 1, 1, shifts=shifts).asked
    for item in range(items):
        law: defaultdict[bytes, Fraction] = defaultdict(Fraction)
        for shift in range(shifts):
            for words, chance in _response_scripts(asked, epsilon):
                coins = ScriptedCoins(choosing(shift, shifts) + words)
                law[mechanism.encode(item, coins)] += chance / shifts
                assert coins.left == 0
        assert law == {report: mechanism.likelihood(report, item) for report in all_reports(mechanism)}


def test_a_word_that_would_favour_some_shifts_is_drawn_again() -> None:
    mechanism = _mechanism(("GRR", 7, 5, 1.1))
    for beyond in (5, 6, 7):
        coins = ScriptedCoins([beyond << 29, *choosing(4, 5), 0])
        assert mechanism.encode(3, coins) == bytes([4, 1])
        assert coins.left == 0


def _alarm(case: Case, favoured: int = 0) -> float:
    """Return the chance of so large a chi-squared over all reports of every item, from ``encode_many``.

    With ``favoured`` one person in that many takes shift 0.
    """
    law, counted = _law(case), []
    mechanism = law.mechanism
    assert isinstance(mechanism, ShiftedMechanism)
    for item in range(case[1]):
        rng = generator(np.random.SeedSequence([item, case[2]]))
        rows = mechanism.pack(mechanism.encode_many(np.full(20_000, item, np.uint32), rng))
        if favoured:
            windows = np.full(len(rows[::favoured]), item // case[2], np.uint32)
            reports = mechanism._grid.pack(mechanism._grid.encode_many(windows, rng))
            rows[::favoured, 0], rows[::favoured, 1:] = 0, reports
        counted.append(law.count(rows))
    return chance_of_counts(np.array(counted), law.table)


@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize(("items", "shifts"), [(7, 3), (6, 5), (7, 4)])
def test_encode_many_follows_the_stated_law(oracle: str, items: int, shifts: int) -> None:
    # fails a correct library with probability 1e−6
    assert _alarm((oracle, items, shifts, 1.1)) > 1e-6


def test_the_chi_squared_notices_shifts_that_are_a_little_uneven() -> None:
    assert _alarm(("GRR", 6, 5, 1.1)) > 1e-6
    assert _alarm(("GRR", 6, 5, 1.1), favoured=61) < 1e-6


# Reports and tallies


@some_cases
def test_packing_and_unpacking_gives_the_same_reports(case: Case) -> None:
    mechanism = _mechanism(case)
    items = np.arange(100, dtype=np.uint32) % case[1]
    column = mechanism.encode_many(items, np.random.default_rng(1))
    rows = mechanism.pack(column)
    assert rows.shape == (100, mechanism.width)
    np.testing.assert_array_equal(mechanism.unpack(rows), column)
    assert mechanism.pack(mechanism.unpack(rows[:0])).shape == (0, mechanism.width)


@some_cases
def test_a_row_that_no_client_can_have_sent_is_refused(case: Case) -> None:
    mechanism = _mechanism(case)
    good = mechanism.pack(mechanism.encode_many(np.zeros(3, np.uint32), np.random.default_rng(1)))
    for shift in (case[2], case[2] + 1, 255):
        bad = good.copy()
        bad[1, 0] = shift
        with pytest.raises(WireError, match=rf"\[0, {case[2]}\).*got {shift}.*refused whole"):
            mechanism.unpack(bad)
    bad = good.copy()
    bad[1, 1:] = 255
    with pytest.raises(WireError, match="refused whole"):
        mechanism.unpack(bad)


def test_a_shift_of_two_bytes_comes_first_and_lowest_first() -> None:
    mechanism = mechanism_of(ldp.GRR(), Level(1000, 1, 1, shifts=300), 1.1)
    assert mechanism.width == 3
    coins = ScriptedCoins([*choosing(299, 300), 0])
    assert mechanism.encode(999, coins) == (299).to_bytes(2, "little") + bytes([1298 // 300])
    column = _column(mechanism, [bytes([43, 1, 4])])
    assert column.tolist() == [299 * 6 + 1 + 4]
    assert mechanism.pack(column).tobytes() == bytes([43, 1, 4])
    for row in (bytes([44, 1, 4]), bytes([43, 1, 5])):
        with pytest.raises(WireError, match="refused whole"):
            _column(mechanism, [row])


@pytest.mark.parametrize("oracle", [*ORACLES.values(), ldp.OLH(symbols=3)], ids=[*ORACLES, "OLH"])
def test_tallies_add_and_fall_apart_by_group(oracle: Oracle) -> None:
    mechanism = mechanism_of(oracle, Level(7, 1, 1, shifts=3), 1.1)
    rng = np.random.default_rng(1)
    column = mechanism.encode_many(rng.integers(0, 7, 500, dtype=np.uint32), rng)
    whole = mechanism.tally(column)
    assert whole.shape == (mechanism.counters,)
    np.testing.assert_array_equal(mechanism.tally(column[:123]) + mechanism.tally(column[123:]), whole)
    assert not mechanism.tally(column[:0]).any()
    # how many drew each shift stands before that shift's own tally
    people = whole.reshape(3, -1)[:, 0]
    np.testing.assert_array_equal(people, np.bincount(mechanism.pack(column)[:, 0], minlength=3))

    groups = rng.choice(np.array([0, 1, 3], np.uint32), 500)  # nobody in group 2
    by_group = mechanism.tally_groups(column, groups, 4)
    assert by_group.shape == (4, mechanism.counters)
    for group in range(4):
        np.testing.assert_array_equal(by_group[group], mechanism.tally(column[groups == group]))
    assert mechanism.possible(by_group, np.bincount(groups, minlength=4)[:, None])
    assert not mechanism.possible(by_group, np.roll(np.bincount(groups, minlength=4), 1)[:, None])


@some_cases
def test_a_tally_is_possible_and_a_changed_one_is_not(case: Case) -> None:
    mechanism = _mechanism(case)
    rng = np.random.default_rng(1)
    column = mechanism.encode_many(rng.integers(0, case[1], 60, dtype=np.uint32), rng)
    counts = mechanism.tally(column)
    assert mechanism.possible(counts, 60)
    assert mechanism.possible(np.zeros_like(counts), 0)
    assert not mechanism.possible(counts, 61)
    assert not mechanism.possible(counts, 59)
    row = mechanism.counters // case[2]
    for shift in range(case[2]):
        changed = counts.copy()
        changed[shift * row] += 1  # a person whom no other counter knows of
        assert not mechanism.possible(changed, 60)
        changed = counts.copy()
        changed[shift * row + 1] = -1
        assert not mechanism.possible(changed, 60)
        changed = counts.copy()
        changed[shift * row + 1] = counts[shift * row] + 1  # more support than reports
        assert not mechanism.possible(changed, 60)
    # the same people at other shifts than their reports
    moved = counts.reshape(case[2], row).copy()
    moved[:, 0] = np.roll(moved[:, 0], 1)
    if case[0] != "OUE" and not np.array_equal(moved.reshape(-1), counts):
        assert not mechanism.possible(moved.reshape(-1), 60)


def test_draws_of_many_people_go_through_all_of_them() -> None:
    # more than are taken together; counts alone, since their law is that of encode_many
    mechanism = mechanism_of(ldp.HRR(), Level(5, 1, 1, shifts=4), 1.1)
    holders = np.array([100_000, 0, 3, 70_000, 1])
    counts = mechanism.draw(holders, np.random.default_rng(1))
    assert mechanism.possible(counts, int(holders.sum()))
    people = counts.reshape(4, -1)[:, 0]
    # every shift within six standard deviations: fails a correct library with probability 1e−8
    assert np.all(np.abs(people - holders.sum() / 4) < 6 * np.sqrt(holders.sum() * 3 / 16))


def test_windows_of_one_bin_are_the_oracle_itself() -> None:
    for oracle in ORACLES.values():
        mechanism = mechanism_of(oracle, Level(6, 1, 1), 1.1)
        assert type(mechanism) is type(oracle.on(6, 1.1))
        assert mechanism.cells == 6


@some_cases
def test_no_report_adds_more_than_the_stated_pull(case: Case) -> None:
    check_pull(law_of(_mechanism(case)))


def test_pulls_of_windows_in_blocks_are_those_of_all_reports() -> None:
    check_pull(law_of(mechanism_of(ldp.SubsetSelection(), Level(6, 1, 1, shifts=2, block=3), 1.1)))
