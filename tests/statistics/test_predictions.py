"""Predicted variance is the true variance, and intervals cover what they say.

Seeds are fixed, so these tests do not flicker; had they been drawn afresh, each comparison with a
prediction would fail a correct library with probability below 1e-6 (five standard errors), each
coverage below 1e-3.

There is one plan for every decomposition and one for every oracle, at a small ε or a large one by turns. What
any of them comes to is held exactly: variances against dense algebra in tests/least_squares, noise by
enumeration in tests/oracles.
"""

from __future__ import annotations

from itertools import cycle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ldprange as ldp
from ldprange.decompositions import Decomposition
from ldprange.oracles import Oracle
from ldprange.support.arrays import Floats

BINS = 60
USERS = 20_000
DOMAIN = ldp.Domain.integers(0, BINS - 1)

Method = tuple[Decomposition, Oracle]

FLAT: Method = (ldp.Flat(), ldp.GRR())
HASHED: Method = (ldp.Flat(), ldp.OLH())
TREE: Method = (ldp.Tree(4), ldp.OUE())
WIDE_TREE: Method = (ldp.Tree(8), ldp.SubsetSelection())
HAAR: Method = (ldp.Haar(), ldp.HRR())
WINDOWS: Method = (ldp.Windows(), ldp.HadamardHashing())
METHODS = [FLAT, HASHED, TREE, WIDE_TREE, HAAR, WINDOWS]


def population(kind: str, bins: int = BINS, users: int = USERS) -> NDArray[np.int64]:
    rng = np.random.default_rng(11)
    place = np.arange(bins)
    if kind == "smooth":
        weights = 1 / (1 + ((place - 0.4 * bins) / (bins / 10)) ** 2)
    else:
        weights = np.full(bins, 1e-6)
        weights[rng.choice(bins, max(3, bins // 12), replace=False)] = 1.0
    return rng.multinomial(users, weights / weights.sum())


def surveys(method: Method, most: int) -> int:
    """Return how many surveys to make: fewer where each takes long."""
    return 60 if method in (HASHED, WINDOWS) else most


def name(method: Method) -> str:
    return f"{method[0]!r}-{method[1]!r}"


def by_turns(*cases: tuple[object, ...]) -> list[Any]:
    """Return every method, each with one of these cases."""
    pairs = zip(METHODS, cycle(cases), strict=False)
    return [pytest.param(method, *case, id=name(method)) for method, case in pairs]


@pytest.mark.parametrize(("method", "epsilon"), by_turns((0.5,), (3.0,)))
def test_predicted_error_is_measured_error(method: Method, epsilon: float) -> None:
    plan = ldp.Plan(DOMAIN, epsilon, *method)
    counts = population("spiky")
    truth = np.concatenate([[0.0], np.cumsum(counts) / USERS])
    low, high = np.triu_indices(BINS)
    repetitions = surveys(method, 300)

    def squared_errors(seed: int) -> tuple[float, float]:
        cdf = ldp.estimate(ldp.simulate(plan, counts, seed=seed)).cdf(confidence=None).value
        error = np.concatenate([[0.0], cdf]) - truth
        return float(np.mean((error[high + 1] - error[low]) ** 2)), float(np.mean(error[1:] ** 2))

    measured = np.array([squared_errors(seed) for seed in range(repetitions)])
    standard_error = measured.std(axis=0) / np.sqrt(repetitions)
    predicted = plan.predict(USERS, counts=counts, population="respondents")
    for column, variance in enumerate([predicted.range_variance, predicted.prefix_variance]):
        # levels have a random number of users, whose mean inverse is a little above the inverse mean
        assert abs(measured[:, column].mean() - variance) < 5 * standard_error[column] + 0.002 * variance

    if epsilon <= 0.5:  # at a small ε nearly all is noise, wherever people are
        even = plan.predict(USERS, population="respondents")
        assert even.range_variance == pytest.approx(predicted.range_variance, rel=0.05)


@pytest.mark.parametrize(("method", "epsilon", "kind"), by_turns((3.0, "spiky"), (1.1, "smooth")))
def test_95_percent_intervals_cover_95_percent(method: Method, epsilon: float, kind: str) -> None:
    plan = ldp.Plan(DOMAIN, epsilon, *method)
    counts = population(kind)
    truth = np.concatenate([[0.0], np.cumsum(counts) / USERS])
    low, high = np.triu_indices(BINS)
    repetitions = surveys(method, 120)

    def covered(seed: int) -> tuple[float, float, float]:
        estimate = ldp.estimate(ldp.simulate(plan, counts, seed=seed), population="respondents")
        ranges, cdf = estimate.ranges(low, high), estimate.cdf()
        band = estimate.cdf(band="simultaneous")
        inside = _inside(ranges, truth[high + 1] - truth[low])
        return (
            float(inside.mean()),
            float(_inside(cdf, truth[1:])[:-1].mean()),
            float(_inside(band, truth[1:]).all()),
        )

    shares = np.array([covered(seed) for seed in range(repetitions)])
    mean, error = shares.mean(axis=0), shares.std(axis=0) / np.sqrt(repetitions)
    slack = 3 * error
    assert 0.945 - slack[0] <= mean[0] <= 0.955 + slack[0], "ranges"
    assert 0.945 - slack[1] <= mean[1] <= 0.955 + slack[1] + error[1], "prefixes"
    assert mean[2] >= 0.95 - 3.5 * max(error[2], np.sqrt(0.05 * 0.95 / repetitions)), "simultaneous band"


@pytest.mark.parametrize("method", [FLAT, TREE], ids=name)
def test_intervals_of_the_raw_tree_cover(method: Method) -> None:
    plan = ldp.Plan(DOMAIN, 1.1, *method)
    counts = population("spiky")
    truth = np.concatenate([[0.0], np.cumsum(counts) / USERS])
    low, high = np.triu_indices(BINS)
    coverage = [
        _inside(
            ldp.estimate(
                ldp.simulate(plan, counts, seed=seed), consistent=False, population="respondents"
            ).ranges(low, high),
            truth[high + 1] - truth[low],
        ).mean()
        for seed in range(400)
    ]
    assert 0.94 <= np.mean(coverage) <= 0.96


@pytest.mark.parametrize("consistent", [True, False])
@pytest.mark.parametrize("method", [FLAT, TREE, HAAR], ids=name)
def test_a_level_without_reports_widens_intervals(method: Method, consistent: bool) -> None:
    plan = ldp.Plan(DOMAIN, 1.1, *method)
    counts = population("spiky")
    truth = np.concatenate([[0.0], np.cumsum(counts) / USERS])
    low, high = np.triu_indices(BINS)
    shares = truth[high + 1] - truth[low]
    for missing in range(len(plan.levels)):
        covered = []
        for seed in range(20):
            whole = ldp.simulate(plan, counts, seed=seed)
            users, tallies = list(whole.users), list(whole.counts)
            users[missing], tallies[missing] = 0, np.zeros_like(tallies[missing])
            estimate = ldp.estimate(ldp.Aggregate(plan, users, tallies), consistent=consistent)
            answer = estimate.ranges(low, high)
            usual = ldp.estimate(whole, consistent=consistent).ranges(low, high)
            assert _width(answer) > _width(usual)
            assert np.all(np.isfinite(answer.value))
            covered.append(_inside(answer, shares).mean())
            if consistent:
                assert estimate.histogram(confidence=None).value.sum() == pytest.approx(1, abs=1e-9)
        assert np.mean(covered) > 0.92


def test_without_any_report_nothing_is_known() -> None:
    estimate = ldp.estimate(ldp.Aggregate.empty(ldp.Plan(DOMAIN, 1.1, ldp.Haar(), ldp.HRR())))
    answer = estimate.range(10, 20)
    assert (answer.low, answer.high) == (0.0, 1.0)
    median = estimate.quantile(0.5)
    assert (median.low, median.high) == (0, BINS - 1)
    assert estimate.range(0, BINS - 1).low == 1.0


@pytest.mark.parametrize(
    ("method", "kind", "length"), [(TREE, "smooth", 40), (HAAR, "spiky", 85)], ids=["Tree", "Haar"]
)
def test_intervals_of_quantiles_cover(method: Method, kind: str, length: float) -> None:
    """Quantile intervals hold whole bins, so they cover a little more than they say, never less.

    But they are no longer than they need be: a few hundredths of the domain.
    """
    bins, users, repetitions = 1000, 100_000, 100
    plan = ldp.Plan(ldp.Domain.integers(0, bins - 1), 1.1, *method)
    counts = population(kind, bins, users)
    quantiles = np.array([0.25, 0.5, 0.75])
    truth = np.searchsorted(np.cumsum(counts) / users, quantiles)

    def asked(seed: int) -> ldp.Answer[Floats]:
        drawn = ldp.simulate(plan, counts, seed=seed)
        return ldp.estimate(drawn, population="respondents").quantiles(quantiles)

    answers = [asked(seed) for seed in range(repetitions)]
    mean = np.mean([_inside(answer, truth) for answer in answers], axis=0)
    assert np.all(mean >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / repetitions))
    assert np.mean([_width(answer) for answer in answers]) < length


def _width(answer: ldp.Answer[Floats]) -> float:
    assert answer.low is not None
    assert answer.high is not None
    return float(np.mean(answer.high - answer.low))


def _inside(answer: ldp.Answer[Floats], truth: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.bool_]:
    assert answer.low is not None
    assert answer.high is not None
    inside: NDArray[np.bool_] = (answer.low <= truth) & (truth <= answer.high)
    return inside
