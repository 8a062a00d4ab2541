"""The experiments' own arithmetic: questions, errors, predictions, the centralised case."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ldprange as ldp
from experiments import centralised, epsilons, paper, queries, theory
from experiments.hashing import PerfectHashing
from experiments.methods import named_in_paper, plan_of, users_encoded
from experiments.population import cauchy
from experiments.runs import DRAWN, ENCODED, SQUARES, Cell, Run, perform, prediction, repetitions
from experiments.sizes import FULL, QUICK

METHODS = ("FlatOUE", "TreeOUE4", "TreeHRR4", "TreeOLH4", "TreeHadamard4", "HaarHRR")


def brute_force(error: np.ndarray, step: int) -> float:
    bins = error.size - 1
    squares = [
        (error[end] - error[start]) ** 2
        for start in range(0, bins, step)
        for end in range(start + 1, bins + 1)
    ]
    return float(np.mean(squares))


def test_the_mean_over_all_ranges_goes_over_all_ranges() -> None:
    error = np.random.default_rng(1).normal(size=33)
    assert queries.over_ranges(error) == pytest.approx(brute_force(error, 1))


def test_large_domains_are_asked_from_evenly_spaced_bins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "start_step", lambda _bins: 8)
    error = np.random.default_rng(2).normal(size=65)
    assert queries.over_ranges(error) == pytest.approx(brute_force(error, 8))
    low, high = queries.sampled_ranges(64, step=8)
    assert low.size == sum(64 - start for start in range(0, 64, 8))
    assert len(set(zip(low.tolist(), high.tolist(), strict=True))) == low.size
    assert np.all((low % 8 == 0) & (high > low) & (high <= 64))


def test_the_number_of_asked_ranges_is_the_papers_on_two_to_the_twenty() -> None:
    bins = 1 << 20
    starts = np.arange(0, bins, queries.start_step(bins))
    assert round(int((bins - starts).sum()) / 1e6) == 17


def test_a_sample_of_ranges_is_even(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its mean of a smooth function of both ends is that over all ranges."""
    bins = 1 << 10
    monkeypatch.setattr(queries, "_SAMPLE", 1 << 20)
    everything = queries.sampled_ranges(bins, step=1)
    monkeypatch.setattr(queries, "_SAMPLE", 1 << 15)
    sample = queries.sampled_ranges(bins, step=1)
    assert sample[0].size == 1 << 15 < everything[0].size == bins * (bins + 1) // 2
    for power in (1, 2):
        whole, part = (np.mean((high - low) ** power * (low + 1.0)) for low, high in (everything, sample))
        assert part == pytest.approx(whole, rel=0.01)


def test_errors_over_prefixes_and_lengths() -> None:
    error = np.array([0.0, 1.0, -1.0, 2.0, 0.0])
    assert queries.over_prefixes(error) == pytest.approx(6 / 4)
    assert queries.over_length(error, 3) == pytest.approx((4 + 1) / 2)


@pytest.mark.parametrize("method", METHODS)
def test_the_prediction_is_that_of_the_library(method: str) -> None:
    cell = Cell(64, 0.4, 1 << 16, 1.1, method)
    predicted = perform(prediction(cell))
    plan = plan_of(method, 64, 1.1)
    expected = plan.predict(1 << 16, counts=cauchy(64, 0.4, 1 << 16), population="respondents")
    assert predicted["ranges"] == pytest.approx(expected.range_variance)
    assert predicted["prefixes"] == pytest.approx(expected.prefix_variance)


@pytest.mark.parametrize("method", METHODS)
def test_measured_errors_are_as_predicted(method: str) -> None:
    """Means over 150 drawn runs within 5 standard errors: about one false alarm in 20,000 test runs."""
    cell = Cell(32, 0.4, 1 << 14, 1.1, method)
    predicted = perform(prediction(cell))
    runs = [perform(Run(cell, DRAWN, repetition)) for repetition in range(150)]
    for measure in predicted.keys() & set(SQUARES):
        errors = [run[measure] for run in runs]
        standard_error = np.std(errors, ddof=1) / math.sqrt(len(errors))
        assert abs(np.mean(errors) - predicted[measure]) < 5 * standard_error, measure


@pytest.mark.parametrize("method", ["TreeHRR4", "TreeHadamard4", "HaarHRR"])
def test_users_are_really_encoded(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell(32, 0.4, 1 << 12, 1.1, method)
    (run,) = repetitions(cell, 1)
    assert run.how == ENCODED
    monkeypatch.setattr("experiments.runs.simulate", None)
    assert perform(run)["ranges"] > 0
    assert perform(run) == perform(run)


def test_deciles_of_a_sure_estimate_are_right() -> None:
    measured = perform(Run(Cell(64, 0.5, 1 << 22, 12.0, "TreeOUE4"), DRAWN, 0))
    assert all(measured[f"value_{percent}"] <= 1 for percent in range(10, 100, 10))
    assert all(measured[f"quantile_{percent}"] < 0.001 for percent in range(10, 100, 10))


def test_olh_drawn_at_once_has_the_moments_of_olh() -> None:
    """The variance of a weighted sum of estimates: from independent binomials, and by the library's law."""
    rng = np.random.default_rng(3)
    holders, weights = rng.integers(0, 1000, 16), rng.normal(size=16)
    mechanism = PerfectHashing().on(16, 1.1)
    p, q, users = mechanism._p, mechanism._q, holders.sum()
    independent = (
        np.sum(weights**2 * (holders * p * (1 - p) + (users - holders) * q * (1 - q))) / (p - q) ** 2
    )
    noise, share = ldp.OLH().on(16, 1.1).noise, holders / users
    moment = noise.spread * np.sum(weights**2) + noise.occupied * np.sum(weights**2 * share)
    moment += noise.total * weights.sum() ** 2 + 2 * noise.cross * weights.sum() * np.sum(weights * share)
    library = users * moment - np.sum(holders * weights**2)
    assert independent == pytest.approx(library, rel=0.01)


def test_olh_drawn_at_once_is_the_sum_of_its_supports() -> None:
    """The mean of 4000 drawn tallies within 5 standard errors in every cell."""
    holders = np.array([50, 0, 200, 10])
    mechanism = PerfectHashing().on(4, 1.1)
    rng = np.random.default_rng(4)
    draws = np.array([mechanism.draw(holders, rng) for _ in range(4000)])
    expected = holders * mechanism._p + (holders.sum() - holders) * mechanism._q
    assert np.all(np.abs(draws.mean(axis=0) - expected) < 5 * draws.std(axis=0) / math.sqrt(4000))


def test_the_population_is_the_papers() -> None:
    """A Cauchy distribution with scale D/10: half of an unbounded one lies within a scale of its centre."""
    people = cauchy(1000, 0.5, 1 << 20)
    cut = 2 * math.atan(5) / math.pi  # what lies inside the domain
    assert people[400:600].sum() / people.sum() == pytest.approx(0.5 / cut, abs=0.003)
    assert not people.flags.writeable


def test_a_range_over_a_tree_in_the_centralised_case() -> None:
    """Against dense least squares without a known root."""
    bins, branching, height = 16, 4, 2
    levels = [np.kron(np.eye(branching**level), np.ones(bins // branching**level)) for level in (1, 2)]
    design = np.vstack(levels)
    covariance = 2 * height**2 * np.linalg.inv(design.T @ design)
    queries_ = [
        np.concatenate([np.zeros(low), np.ones(high - low), np.zeros(bins - high)])
        for low in range(bins)
        for high in range(low + 1, bins + 1)
    ]
    expected = np.mean([query @ covariance @ query for query in queries_])
    assert centralised.tree_variance(bins, branching) == pytest.approx(expected)


def test_a_range_over_a_wavelet_in_the_centralised_case() -> None:
    """Against the covariance of Privelet's coefficients written out."""
    bins, height = 8, 3
    covariance = np.full((bins, bins), 2 * ((1 + height) / bins) ** 2)
    for level in range(height):
        size = bins >> level
        for node in range(1 << level):
            sign = np.zeros(bins)
            sign[node * size : node * size + size // 2] = 1
            sign[node * size + size // 2 : (node + 1) * size] = -1
            covariance += 2 * ((1 + height) / size) ** 2 * np.outer(sign, sign)
    variances = [
        covariance[low:high, low:high].sum() for low in range(bins) for high in range(low + 1, bins + 1)
    ]
    assert centralised.wavelet_variance(bins) == pytest.approx(np.mean(variances))


def test_the_papers_numbers_are_all_there() -> None:
    assert len(paper.printed(paper.RANGES)) == len(paper.printed(paper.PREFIXES)) == 3 * 32 + 24
    assert len(paper.printed(paper.CENTRALISED)) == 20
    for figure in (paper.RANGES, paper.PREFIXES):
        ours = {(bins, method) for bins in FULL.domains for method in epsilons.methods(bins)}
        assert {(entry.bins, named_in_paper(entry.method)) for entry in paper.printed(figure)} == ours
        assert {entry.epsilon for entry in paper.printed(figure)} == set(FULL.epsilons)


@pytest.mark.parametrize("method", list(theory._LINES))
@pytest.mark.parametrize("bins", [1 << 8, 1 << 12])
def test_the_papers_bounds_hold_for_long_ranges(method: str, bins: int) -> None:
    """From r = B² on (that of consistent trees is 0 at r = 1), but for the little that a held item adds."""
    cdf = np.linspace(0, 1, bins + 1)
    e = math.exp(1.1)
    unit = 4 * e / (e - 1) ** 2 * (((e + 1) ** 2 / (4 * e)) if users_encoded(method) else 1)
    for length in (64, bins // 2):
        starts = np.arange(bins - length + 1)
        worst = theory._variances(method, cdf, 1, starts, starts + length).max() / unit
        assert worst <= 1.01 * theory.length_bound(method, bins, length)


def test_quick_is_a_small_version_of_full() -> None:
    assert QUICK.users < FULL.users
    assert max(QUICK.domains) < max(FULL.domains)
    assert set(QUICK.epsilons) <= set(FULL.epsilons)
