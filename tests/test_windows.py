"""Shifted windows: the mechanism by enumerating all it can send, and whole plans that use it.

``test_line.py`` has the estimator and its variances; ``test_one_law.py`` compares client, ``encode_many``
and ``simulate`` with the exact law. Seeds are fixed, so the tests here do not flicker; had they been drawn
afresh, each would fail a correct library with the probability that stands beside it.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

import ldprange as ldp
from coins import ScriptedCoins, choosing
from laws import ExactLaw, outputs
from ldprange import wire
from ldprange.details import Level
from ldprange.errors import PlanError, WireError
from ldprange.oracles import Mechanism, Oracle, mechanism_of
from ldprange.oracles.shifted import ShiftedMechanism
from ldprange.randomness import WORDS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

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


def _reports(mechanism: ShiftedMechanism, shifts: int) -> list[bytes]:
    each = outputs(mechanism._grid)
    return [bytes([shift]) + report for shift in range(shifts) for report in each]


def _column(mechanism: Mechanism, reports: list[bytes]) -> NDArray[Any]:
    return mechanism.unpack(np.frombuffer(b"".join(reports), np.uint8).reshape(-1, mechanism.width))


@cache
def _law(case: Case) -> ExactLaw:
    mechanism = _mechanism(case)
    reports = _reports(mechanism, case[2])
    return ExactLaw(
        np.array([mechanism.tally(_column(mechanism, [report])) for report in reports]),
        tuple(tuple(mechanism.likelihood(report, item) for report in reports) for item in range(case[1])),
    )


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
        assert law == {report: mechanism.likelihood(report, item) for report in _reports(mechanism, shifts)}


def test_a_word_that_would_favour_some_shifts_is_drawn_again() -> None:
    mechanism = _mechanism(("GRR", 7, 5, 1.1))
    for beyond in (5, 6, 7):
        coins = ScriptedCoins([beyond << 29, *choosing(4, 5), 0])
        assert mechanism.encode(3, coins) == bytes([4, 1])
        assert coins.left == 0


def _alarm(case: Case, shifts_drawn_below: int) -> float:
    """Return the chance of so large a chi-squared over all reports of every item, from ``encode_many``."""
    mechanism, people = _mechanism(case), 20_000
    index = {report: at for at, report in enumerate(_reports(mechanism, case[2]))}
    statistic, degrees = 0.0, 0
    for item, chances in enumerate(_law(case).chances):
        rng = cast(np.random.Generator, _Generator(item, case[2], shifts_drawn_below))
        rows = mechanism.pack(mechanism.encode_many(np.full(people, item, np.uint32), rng))
        reports, counts = np.unique(rows, axis=0, return_counts=True)
        observed = np.zeros(len(index))
        observed[[index[report.tobytes()] for report in reports]] = counts
        expected = people * np.array(chances, float)
        assert expected.min() > 10
        statistic += float(((observed - expected) ** 2 / expected).sum())
        degrees += expected.size - 1
    return float(stats.chi2.sf(statistic, degrees))


class _Generator:
    """A generator whose numbers below ``bound`` are remainders of those below ``drawn_below``."""

    def __init__(self, seed: int, bound: int, drawn_below: int) -> None:
        self._rng = np.random.default_rng([seed, bound])
        self._bound, self._drawn_below = bound, drawn_below

    def integers(self, low: int, high: int, *rest: Any, **kinds: Any) -> Any:
        if high != self._bound:
            return self._rng.integers(low, high, *rest, **kinds)
        return self._rng.integers(low, self._drawn_below, *rest, **kinds) % np.uint32(high)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rng, name)


@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize(("items", "shifts"), [(7, 3), (6, 5), (7, 4)])
def test_encode_many_follows_the_stated_law(oracle: str, items: int, shifts: int) -> None:
    # fails a correct library with probability 1e−6
    assert _alarm((oracle, items, shifts, 1.1), shifts) > 1e-6


def test_the_chi_squared_notices_shifts_that_are_a_little_uneven() -> None:
    assert _alarm(("GRR", 6, 5, 1.1), 5) > 1e-6
    assert _alarm(("GRR", 6, 5, 1.1), 5 * 12) > 1e-6
    assert _alarm(("GRR", 6, 5, 1.1), 5 * 12 + 1) < 1e-6


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
    assert column["shift"].tolist() == [299]
    assert column["report"].tolist() == [4]
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
    np.testing.assert_array_equal(people, np.bincount(column["shift"], minlength=3))

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


# Plans


def _plan(
    bins: int, epsilon: float = 1.1, oracle: Oracle | None = None, widths: tuple[int, ...] | None = None
) -> ldp.Plan:
    return ldp.Plan(
        ldp.Domain.integers(0, bins - 1), epsilon, ldp.Windows(widths), oracle or ldp.HadamardHashing()
    )


def _read(description: Any) -> ldp.Plan:
    return ldp.Plan.from_json(json.dumps(description))


@pytest.mark.parametrize(
    ("bins", "widths"),
    [
        (1, [1]),
        (2, [1]),
        (3, [2, 1]),
        (4, [2, 1]),
        (5, [4, 2, 1]),
        (100, [64, 32, 16, 8, 4, 2, 1]),
        (128, [64, 32, 16, 8, 4, 2, 1]),
        (129, [128, 64, 32, 16, 8, 4, 2, 1]),
    ],
)
def test_widths_left_out_are_the_powers_of_two_below_the_bins_and_stand_in_the_plan(
    bins: int, widths: list[int]
) -> None:
    plan = _plan(bins)
    described = json.loads(plan.to_json())
    assert described["decomposition"] == {"kind": "windows", "widths": widths}
    assert plan == _plan(bins, widths=tuple(widths))
    assert plan.fingerprint == _plan(bins, widths=tuple(widths)).fingerprint
    assert _read(described) == plan
    del described["fingerprint"]
    described["decomposition"]["widths"] = None
    assert _read(described).fingerprint == plan.fingerprint


def test_other_widths_are_another_plan() -> None:
    plans = [_plan(100, widths=widths) for widths in ((64, 8, 1), (64, 4, 1), (8, 1), (1,))]
    assert len({plan.fingerprint for plan in plans}) == 4
    for plan in plans:
        assert ldp.Plan.from_json(plan.to_json()) == plan
    edited = json.loads(plans[0].to_json())
    edited["decomposition"]["widths"] = [64, 4, 1]
    with pytest.raises(PlanError, match="fingerprint"):
        _read(edited)
    assert "decomposition: " in plans[0].differences(plans[1])[0]


def test_a_list_of_widths_is_as_good_as_a_tuple() -> None:
    assert ldp.Windows([4, 2, 1]) == ldp.Windows((4, 2, 1))
    assert hash(ldp.Windows([4, 2, 1])) == hash(ldp.Windows((4, 2, 1)))


@pytest.mark.parametrize(
    "widths",
    [5, 1.0, True, "21", {}, {2, 1}, [], [0], [2, 0], [-1], [2.0, 1], [True], ["1"], [[2], 1], [None]],
)
def test_widths_that_are_not_whole_numbers_are_refused(widths: Any) -> None:
    with pytest.raises(PlanError, match="whole numbers of at least 1"):
        ldp.Windows(widths)


@pytest.mark.parametrize("widths", [[1, 1], [2, 2, 1], [1, 2], [4, 8, 1], [2], [8, 4, 2]])
def test_widths_that_do_not_fall_down_to_one_are_refused(widths: list[int]) -> None:
    with pytest.raises(PlanError, match="must fall from level to level down to 1"):
        ldp.Windows(widths)


@pytest.mark.parametrize(
    ("bins", "widths"), [(1, (2, 1)), (2, (2, 1)), (3, (3, 1)), (100, (100, 1)), (7, (8, 4, 1))]
)
def test_windows_as_wide_as_the_domain_are_refused(bins: int, widths: tuple[int, ...]) -> None:
    with pytest.raises(PlanError, match=rf"narrower than the {bins} bins, got a width of {widths[0]}"):
        _plan(bins, widths=widths)
    _plan(widths[0] + 1, widths=widths)


@pytest.mark.parametrize(
    "decomposition",
    [
        {"kind": "windows", "widths": [2, 2, 1]},
        {"kind": "windows", "widths": "21"},
        {"kind": "windows", "width": 1},
    ],
)
def test_a_plan_with_such_widths_cannot_be_read(decomposition: Any) -> None:
    description = json.loads(_plan(10).to_json())
    description["decomposition"] = decomposition
    with pytest.raises(PlanError):
        _read(description)


@settings(max_examples=20)
@given(
    st.integers(1, 300),
    st.sampled_from([*ORACLES.values(), ldp.HadamardHashing(), ldp.OLH()]),
    st.floats(0.05, 6.0),
    st.integers(0, 2**32),
)
def test_reports_of_any_windows_go_over_the_wire_and_add_up(
    bins: int, oracle: Oracle, epsilon: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    widths = np.unique([1, *rng.integers(1, max(2, bins), rng.integers(0, 4))])[::-1]
    plan = _plan(bins, epsilon, oracle, tuple(widths.tolist()))
    assert ldp.Plan.from_json(plan.to_json()) == plan
    values = rng.integers(0, bins, 30)
    batch = ldp.encode_many(plan, values, seed=seed)
    total = ldp.Aggregate.of(plan, batch)
    assert total == ldp.Aggregate.of(plan, wire.pack(batch))
    client = ldp.Client(plan)
    reports = [wire.pack(client.encode(value)) for value in values[:5].tolist()]
    assert (total + ldp.Aggregate.of(plan, reports)).reports == 35
    histogram = ldp.estimate(total).histogram()
    assert histogram.value.sum() == pytest.approx(1, abs=1e-9)
    assert histogram.low is not None
    assert np.isfinite(histogram.low).all()


# Answers


def test_a_single_bin_holds_everybody() -> None:
    plan = _plan(1)
    estimate = ldp.estimate(ldp.simulate(plan, [1000], seed=1))
    answer = estimate.range(0, 0)
    assert (answer.value, answer.low, answer.high) == (1.0, 1.0, 1.0)
    assert estimate.quantile(0.5).value == 0
    assert plan.predict(1000).range_variance == 0.0


def test_two_bins_are_one_level_of_the_oracle() -> None:
    counts = np.array([300, 700])
    windows, flat = _plan(2), ldp.Plan(ldp.Domain.integers(0, 1), 1.1, ldp.Flat(), ldp.HadamardHashing())
    ours, theirs = (ldp.estimate(ldp.simulate(plan, counts, seed=1)).cdf() for plan in (windows, flat))
    for mine, other in zip((ours.value, ours.low), (theirs.value, theirs.low), strict=True):
        assert mine is not None
        assert other is not None
        np.testing.assert_allclose(mine, other, atol=1e-12)


def _skewed(bins: int, users: int) -> Ints:
    weights = 1 / (1 + ((np.arange(bins) - 0.3 * bins) / (bins / 8)) ** 2)
    return np.random.default_rng(bins).multinomial(users, weights / weights.sum())


@pytest.mark.parametrize("bins", [100, 120, 1000])
@pytest.mark.parametrize("way", ["simulate", "encode_many"])
def test_answers_are_right_on_domains_of_any_size(bins: int, way: str) -> None:
    """Sixty ranges within six standard deviations: fails a correct library with probability below 1e−6."""
    plan, counts = _plan(bins), _skewed(bins, 200_000)
    if way == "simulate":
        total = ldp.simulate(plan, counts, seed=1)
    else:
        total = ldp.Aggregate.of(plan, ldp.encode_many(plan, np.repeat(np.arange(bins), counts), seed=1))
    rng = np.random.default_rng(2)
    low, high = np.sort(rng.integers(0, bins, (2, 60)), axis=0)
    high = np.minimum(high, bins - 2)
    low = np.minimum(low, high)
    answer = ldp.estimate(total).ranges(low, high, confidence=0.5)
    assert answer.high is not None
    truth = np.concatenate([[0], np.cumsum(counts)]) / counts.sum()
    deviation = (answer.high - answer.value) / stats.norm.ppf(0.75)
    off = (answer.value - (truth[high + 1] - truth[low])) / deviation
    assert np.abs(off).max() < 6
    assert np.abs(off).mean() > 0.1  # and the deviations are not just large


def test_predicted_error_is_measured_error_with_uneven_probabilities() -> None:
    """Within five standard errors: fails a correct library with probability below 1e−6 each."""
    bins, users, widths = 30, 20_000, (12, 5, 2, 1)
    plan = ldp.Plan(
        ldp.Domain.integers(0, bins - 1),
        1.5,
        ldp.Windows(widths),
        [ldp.SubsetSelection(), ldp.SubsetSelection(), ldp.GRR(), ldp.OUE()],
        [0.4, 0.3, 0.2, 0.1],
    )
    counts = _skewed(bins, users)
    truth = np.concatenate([[0.0], np.cumsum(counts) / users])
    low, high = np.triu_indices(bins)

    def squared_errors(seed: int) -> tuple[float, float]:
        cdf = ldp.estimate(ldp.simulate(plan, counts, seed=seed)).cdf(confidence=None).value
        error = np.concatenate([[0.0], cdf]) - truth
        return float(np.mean((error[high + 1] - error[low]) ** 2)), float(np.mean(error[1:] ** 2))

    measured = np.array([squared_errors(seed) for seed in range(200)])
    standard_error = measured.std(axis=0) / np.sqrt(len(measured))
    predicted = plan.predict(users, counts=counts)
    for column, variance in enumerate([predicted.range_variance, predicted.prefix_variance]):
        assert standard_error[column] < 0.09 * variance
        # levels have a random number of users, whose mean inverse is a little above the inverse mean
        assert abs(measured[:, column].mean() - variance) < 5 * standard_error[column] + 0.002 * variance


def test_a_prediction_without_a_population_is_that_of_an_even_one() -> None:
    # the ends of the domain are taken to be like its middle: nearly so, the more bins there are
    for bins, near in ((100, 0.03), (1000, 0.01)):
        plan = _plan(bins)
        without, even = plan.predict(1e6), plan.predict(1e6, counts=np.ones(bins))
        assert without == plan.predict_even(1e6)
        assert without.range_variance == pytest.approx(even.range_variance, rel=near)
        assert without.prefix_variance == pytest.approx(even.prefix_variance, rel=near)


def test_the_prediction_takes_off_what_drawing_people_would_add() -> None:
    bins, users = 1200, 1000  # too many bins to go through every range
    plan = _plan(bins, 2.0)
    length = np.arange(1, bins + 1)
    spread = length / bins * (1 - length / bins) / users  # of a range of that length, evenly held
    ranges, prefixes = plan.estimator(users * np.array(plan.probabilities)).mean_variances()
    found = plan.predict_even(users)
    every_range = np.average(spread, weights=bins + 1 - length)
    assert found.range_variance == pytest.approx(ranges - every_range, rel=1e-9)
    assert found.prefix_variance == pytest.approx(prefixes - spread.mean(), rel=1e-9)


def test_intervals_of_quantiles_cover() -> None:
    """Quantile intervals hold whole bins, so they cover a little more than they say, never less.

    Three standard deviations: fails a correct library with probability below 1e−2.
    """
    bins, users, repetitions = 100, 50_000, 60
    plan, counts = _plan(bins), _skewed(bins, users)
    quantiles = np.array([0.1, 0.25, 0.5, 0.75, 0.9])
    truth = np.searchsorted(np.cumsum(counts) / users, quantiles)

    def covered(seed: int) -> NDArray[np.bool_]:
        answer = ldp.estimate(ldp.simulate(plan, counts, seed=seed)).quantiles(quantiles)
        assert answer.low is not None
        assert answer.high is not None
        inside: NDArray[np.bool_] = (answer.low <= truth) & (truth <= answer.high)
        return inside

    mean = np.mean([covered(seed) for seed in range(repetitions)], axis=0)
    assert np.all(mean >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / repetitions))


@pytest.mark.parametrize("oracle", [ldp.HadamardHashing(), ldp.SubsetSelection()], ids=["Hadamard", "Subset"])
def test_a_level_without_reports_widens_intervals(oracle: Oracle) -> None:
    """A correct library fails with probability below 1e−3: coverage is within three standard errors."""
    bins = 60
    plan, counts = _plan(bins, oracle=oracle), _skewed(bins, 20_000)
    truth = np.concatenate([[0.0], np.cumsum(counts) / counts.sum()])
    low, high = np.triu_indices(bins)
    shares = truth[high + 1] - truth[low]
    for missing in range(len(plan.levels)):
        covered = []
        for seed in range(8):
            whole = ldp.simulate(plan, counts, seed=seed)
            users, tallies = list(whole.users), list(whole.counts)
            users[missing], tallies[missing] = 0, np.zeros_like(tallies[missing])
            estimate = ldp.estimate(ldp.Aggregate(plan, users, tallies))
            answer, usual = estimate.ranges(low, high), ldp.estimate(whole).ranges(low, high)
            assert _width(answer) > _width(usual)
            assert estimate.histogram(confidence=None).value.sum() == pytest.approx(1, abs=1e-9)
            assert answer.low is not None
            assert answer.high is not None
            covered.append(np.mean((answer.low <= shares) & (shares <= answer.high)))
        assert np.mean(covered) > 0.95 - 3 * max(0.01, np.std(covered) / np.sqrt(len(covered)))


def test_a_handful_of_people_leave_most_levels_empty_and_still_get_an_answer() -> None:
    plan = _plan(1000)
    for people in (1, 2, 5):
        estimate = ldp.estimate(ldp.Aggregate.of(plan, ldp.encode_many(plan, [500] * people, seed=people)))
        histogram = estimate.histogram(confidence=None).value
        assert np.isfinite(histogram).all()
        assert histogram.sum() == pytest.approx(1, abs=1e-9)
        answer = estimate.ranges([400], [600])
        assert 1 < _width(answer) < math.inf


def _width(answer: ldp.Answer[Floats]) -> float:
    assert answer.low is not None
    assert answer.high is not None
    return float(np.mean(answer.high - answer.low))


# Costs


@pytest.mark.parametrize("bins", [64, 256, 1000, 1024, 4096, 65536])
@pytest.mark.parametrize("epsilon", [0.2, 0.5, 1.1, 2.0, 4.0])
def test_counters_are_few_to_a_bin_and_reports_short(bins: int, epsilon: float) -> None:
    plan = _plan(bins, epsilon)
    assert plan.counters <= 8 * bins * len(plan.levels)
    for level, oracle, mechanism in zip(plan.levels, plan.oracles, plan.mechanisms, strict=True):
        assert isinstance(oracle, ldp.HadamardHashing)
        # it rounds the windows up to a power of its symbols, of which there are at most 16
        symbols = 1 << (oracle.bits or 0)
        assert mechanism.counters <= (symbols + 2) * (bins + level.shifts)
        assert mechanism.counters <= 17.5 * bins
        assert mechanism.width <= 4
