"""Plans of shifted windows, from their JSON to their answers.

``test_shifted.py`` has the mechanism, ``test_stages.py`` the estimator and its variances; ``test_one_law.py``
compares client, ``encode_many`` and ``simulate`` with the exact law. Seeds are fixed, so the tests here do
not flicker; had they been drawn afresh, each would fail a correct library with the probability that stands
beside it.
"""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

import ldprange as ldp
from ldprange import wire
from ldprange.errors import PlanError
from ldprange.least_squares.stage_variances import even_covariances, even_prefixes
from ldprange.oracles import Oracle
from ldprange.support.arrays import Counts, Floats

ORACLES = (ldp.GRR(), ldp.OUE(), ldp.HRR(), ldp.HadamardHashing(bits=2), ldp.SubsetSelection())

# Plans


def _plan(
    bins: int, epsilon: float = 1.1, oracle: Oracle | None = None, widths: tuple[int, ...] | None = None
) -> ldp.Plan:
    return ldp.Plan(
        ldp.Domain.integers(0, bins - 1), epsilon, ldp.Windows(widths), oracle or ldp.HadamardHashing()
    )


@pytest.mark.parametrize("cells", [1, 0, -1, 2.0, True, "8", None])
def test_cells_are_two_or_more(cells: Any) -> None:
    with pytest.raises(PlanError, match="cells must be a whole number of at least 2, got"):
        ldp.Windows.coarse(ldp.Domain.integers(0, 999), cells)


@given(bins=st.integers(2, 1 << 26), cells=st.integers(2, 1 << 14))
def test_cells_are_as_many_as_wanted_or_nearly_and_cover_the_bins(bins: int, cells: int) -> None:
    layout = ldp.Windows.coarse(domain := ldp.Domain.integers(1, bins), cells).on(domain)
    size = layout.levels[-1].size
    found = -(-bins // size)
    assert found == bins if bins < 1.5 * cells else cells / 2 <= found <= 2 * cells
    assert bins <= layout.levels[0].size * layout.levels[0].cells


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
    st.sampled_from([*ORACLES, ldp.HadamardHashing(), ldp.OLH()]),
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


def _skewed(bins: int, users: int) -> Counts:
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


@pytest.mark.slow
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
    predicted = plan.predict(users, counts=counts, population="respondents")
    for column, variance in enumerate([predicted.range_variance, predicted.prefix_variance]):
        assert standard_error[column] < 0.09 * variance
        # levels have a random number of users, whose mean inverse is a little above the inverse mean
        assert abs(measured[:, column].mean() - variance) < 5 * standard_error[column] + 0.002 * variance


def test_a_prediction_without_a_population_is_that_of_an_even_one() -> None:
    # the ends of the domain are taken to be like its middle: nearly so, the more bins there are
    for bins, near in ((100, 0.03), (1000, 0.01)):
        plan = _plan(bins)
        without, even = plan.predict(1e6), plan.predict(1e6, counts=np.ones(bins))
        assert without.range_variance == pytest.approx(even.range_variance, rel=near)
        assert without.prefix_variance == pytest.approx(even.prefix_variance, rel=near)


def test_the_prediction_takes_off_what_drawing_people_would_add() -> None:
    bins, users = 1200, 1000  # too many bins to go through every range
    plan = _plan(bins, 2.0)
    length = np.arange(1, bins + 1)
    spread = length / bins * (1 - length / bins) / users  # of a range of that length, evenly held
    ranges, prefixes = plan.estimator(users * np.array(plan.probabilities)).mean_variances()
    found = plan.predict(users, population="respondents")
    every_range = np.average(spread, weights=bins + 1 - length)
    assert found.range_variance == pytest.approx(ranges - every_range, rel=1e-9)
    assert found.prefix_variance == pytest.approx(prefixes - spread.mean(), rel=1e-9)


@pytest.mark.slow
def test_intervals_of_quantiles_cover() -> None:
    """Quantile intervals hold whole bins, so they cover a little more than they say, never less.

    Three standard deviations: fails a correct library with probability below 1e−2.
    """
    bins, users, repetitions = 100, 50_000, 60
    plan, counts = _plan(bins), _skewed(bins, users)
    quantiles = np.array([0.1, 0.25, 0.5, 0.75, 0.9])
    truth = np.searchsorted(np.cumsum(counts) / users, quantiles)

    def covered(seed: int) -> NDArray[np.bool_]:
        drawn = ldp.simulate(plan, counts, seed=seed)
        answer = ldp.estimate(drawn, population="respondents").quantiles(quantiles)
        assert answer.low is not None
        assert answer.high is not None
        inside: NDArray[np.bool_] = (answer.low <= truth) & (truth <= answer.high)
        return inside

    mean = np.mean([covered(seed) for seed in range(repetitions)], axis=0)
    assert np.all(mean >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / repetitions))


@pytest.mark.slow
@pytest.mark.parametrize("oracle", [ldp.HadamardHashing(), ldp.SubsetSelection()], ids=["Hadamard", "Subset"])
def test_a_level_without_reports_widens_intervals(oracle: Oracle) -> None:
    """A correct library fails with probability below 1e−3: coverage is within four standard errors."""
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
        # the spread is that of all runs, since eight alone do not tell it well
        assert np.mean(covered) > 0.95 - 4 * 0.035 / np.sqrt(len(covered))


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


@cache
def _on_many_bins() -> Any:
    domain = ldp.Domain.integers(0, 19_999)
    plan = ldp.optimise_plan(domain, epsilon=1.1, decomposition=ldp.Windows())
    return plan.estimator(10**6 * np.array(plan.probabilities))


def test_variances_of_prefixes_of_many_bins_are_those_of_each() -> None:
    boundaries = np.arange(20_001)
    wanted = even_covariances(_on_many_bins(), boundaries, boundaries)
    np.testing.assert_allclose(even_prefixes(_on_many_bins()), wanted, atol=1e-12 * wanted.max())


@pytest.mark.parametrize("step", [1, 4, 1024])
@pytest.mark.parametrize("width", [1 << k for k in range(15)])
def test_variances_of_blocks_of_many_bins_are_nearly_those_of_ranges(width: int, step: int) -> None:
    """On long lines most are interpolated; wherever a block begins, also off the cells of the stages."""
    estimator, bins = _on_many_bins(), 20_000
    begins = np.arange(step - width, bins, step)
    some = np.random.default_rng(width).integers(0, begins.size, 2000)
    low, high = np.maximum(begins[some], 0), np.minimum(begins[some] + width, bins)
    each = even_covariances(estimator, low, low) + even_covariances(estimator, high, high)
    wanted = each - 2 * even_covariances(estimator, low, high)
    away = np.abs(np.asarray(estimator.block_variances(width, step))[some] / wanted - 1)
    assert away.mean() < 0.01
    assert away.max() < 0.15
