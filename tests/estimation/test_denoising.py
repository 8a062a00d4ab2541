"""Denoising: always a distribution, less error, and intervals that still cover."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ldprange as ldp
from experiments.data import people as people_of
from ldprange.decompositions import Decomposition
from ldprange.errors import QueryError
from ldprange.estimation import denoise_splits
from ldprange.estimation.denoise_line import denoised
from ldprange.levels import neighbours
from ldprange.simulation import simulate_quickly
from ldprange.support.arrays import Boundaries, Counts, Floats

BINS, USERS = 100, 50_000
DOMAIN = ldp.Domain.integers(0, BINS - 1)
PLANS = {
    "Windows": ldp.optimise_plan(DOMAIN, epsilon=1.1, decomposition=ldp.Windows()),
    "Haar": ldp.Plan(DOMAIN, 1.1, ldp.Haar(), ldp.HRR()),
    "Tree 2": ldp.Plan(DOMAIN, 1.1, ldp.Tree(2), ldp.OUE()),
    "Tree 10": ldp.Plan(DOMAIN, 1.1, ldp.Tree(10), ldp.HadamardHashing()),
    "Flat": ldp.Plan(DOMAIN, 1.1, ldp.Flat(), ldp.OUE()),
}
every_plan = pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS.keys())


def _sparse(bins: int, users: int) -> Counts:
    counts = np.zeros(bins, np.int64)
    counts[[bins // 7, bins // 2, bins - 1]] = users // 2, users // 4, users - users // 2 - users // 4
    return counts


def _population(name: str, bins: int, users: int) -> Counts:
    return _sparse(bins, users) if name == "sparse" else people_of(name, bins, users)


@every_plan
@pytest.mark.parametrize("width", [1, 2, 8, 64, 128, 256])
def test_variances_of_blocks_are_those_of_the_working_covariance(plan: ldp.Plan, width: int) -> None:
    estimator = plan.estimator(1000 * np.array(plan.probabilities))
    begins = np.arange(1 - width, BINS)
    low, high = np.maximum(begins, 0), np.minimum(begins + width, BINS)
    found = estimator.block_variances(width, 1)
    exact = estimator.variances(np.linspace(0, 1, BINS + 1))(low, high)
    assert found.shape == begins.shape
    # that of an even population; windows at the ends of the domain hold less of it than the others
    np.testing.assert_allclose(found, exact, rtol=0.1, atol=1e-9)


@pytest.mark.parametrize("decomposition", [ldp.Tree(2), ldp.Tree(16), ldp.Haar()], ids=str)
@pytest.mark.parametrize("width", [1, 8, 64, 512])
def test_on_long_lines_blocks_of_trees_repeat(decomposition: Decomposition, width: int) -> None:
    """Cells that are much longer than blocks are left out, and it shows where they end."""
    oracle = ldp.HRR() if isinstance(decomposition, ldp.Haar) else ldp.OUE()
    plan = ldp.Plan(ldp.Domain.integers(1, 5000), 1.1, decomposition, oracle)
    estimator = plan.estimator(1000 * np.array(plan.probabilities))
    found, exact = estimator.block_variances(width, 1), estimator.even_variances(*neighbours(width, 5000))
    np.testing.assert_allclose(found, exact, rtol=0.01)


def _denoised(estimate: Floats, variance: Callable[[Floats], Floats]) -> Floats:
    """Denoise an estimate, given the variance of the sum over so many of its bins."""
    bins = estimate.size

    def variances(low: Boundaries, high: Boundaries) -> Floats:
        return variance((high - low).astype(np.float64))

    def block_variances(width: int, step: int) -> Floats:
        begins = np.arange(step - width, bins, step)
        return variances(np.maximum(begins, 0), np.minimum(begins + width, bins))

    return denoised(estimate, block_variances, variances, np.arange(bins + 1))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(1, 70), st.integers(0, 2**32 - 1), st.floats(1e-9, 10))
def test_whatever_comes_a_distribution_goes(bins: int, seed: int, noise: float) -> None:
    rng = np.random.default_rng(seed)
    estimate = rng.dirichlet(np.full(bins, 0.3)) + noise * rng.normal(size=bins)
    estimate += (1 - estimate.sum()) / bins

    shares = _denoised(estimate, lambda held: noise**2 * held * (bins - held) / bins)
    assert shares.shape == (bins,)
    assert np.all(shares >= 0)
    assert shares.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("bins", [1, 2, 5, 64, 100])
def test_without_noise_nothing_is_changed(bins: int) -> None:
    shares = np.random.default_rng(1).dirichlet(np.ones(bins))
    np.testing.assert_allclose(_denoised(shares, np.zeros_like), shares, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("bins", [4097, 6000, 20_001])
@pytest.mark.parametrize("noise", [0.0, 0.001, 0.05])
def test_wide_blocks_need_not_begin_everywhere(
    bins: int, noise: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two humps and a value that many people have, with noise that grows until all is lost in it."""
    rng, places = np.random.default_rng(bins), np.arange(bins) / bins
    shares = np.exp(-0.5 * ((places - 0.3) / 0.1) ** 2) + 2 * np.exp(-0.5 * ((places - 0.9) / 0.2) ** 2)
    shares *= 0.7 / shares.sum()
    shares[bins // 3] += 0.2
    shares[-1] += 0.1
    below = noise * rng.normal(size=bins - 1) / 2**0.5
    estimate = shares + np.diff(below, prepend=0.0, append=0.0)

    def shares_found() -> Floats:
        return _denoised(estimate, lambda held: np.where(held < bins, noise**2, 0.0))

    found = shares_found()
    assert np.all(found >= 0)
    assert found.sum() == pytest.approx(1, abs=1e-12)
    monkeypatch.setattr(denoise_splits, "_PLACES", bins)
    everywhere = shares_found()
    missed, error = (np.abs(np.cumsum(each)) for each in (found - everywhere, everywhere - shares))
    assert missed.max() <= 1e-4 + 0.1 * error.max()
    assert missed.mean() <= 1e-5 + 0.1 * error.mean()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shares", "users", "limit"),
    [((0.95, 0.05), 1000, 1.15), ((0.99, 0.01), 100_000, 1.4), ((0.01, 0.98, 0.01), 100_000, 1.35)],
)
@pytest.mark.parametrize("ordered", [True, False])
def test_of_a_few_bins_a_rare_one_is_not_lost(
    shares: tuple[float, ...], users: int, limit: float, ordered: bool
) -> None:
    """Measured 1.06, 1.19 and 1.23 times the unbiased error; without the rule 1.3, 1.9 and 1.5 to 1.8."""
    names = ["never", "once", "often"][: len(shares)]
    domain = ldp.Domain.ordered(names) if ordered else ldp.Domain.categories(names)
    plan = ldp.choose_plan(domain, epsilon=1.0, expected_users=users)
    errors = np.zeros(2)
    for seed in range(60):
        people = np.random.default_rng([seed, users]).multinomial(users, shares)
        aggregate = ldp.simulate(plan, people, seed=seed)
        for at, denoise in enumerate((False, True)):
            found = ldp.estimate(aggregate, denoise=denoise).histogram(confidence=None)
            errors[at] += ((found.value - shares) ** 2).sum()
    assert errors[1] < limit * errors[0]


def test_neither_end_is_preferred() -> None:
    """Exactly so, but for the blocks that the mixture is fitted on: they are counted from the low end."""
    estimator = PLANS["Windows"].estimator(10_000 * np.array(PLANS["Windows"].probabilities))
    estimate = np.diff(ldp.estimate(_drawn("Windows", "bimodal")).cdf(confidence=None).value, prepend=0.0)
    even = estimator.variances(np.linspace(0, 1, BINS + 1))
    one = denoised(estimate, estimator.block_variances, even, np.arange(BINS + 1))
    other = denoised(estimate[::-1], estimator.block_variances, even, np.arange(BINS + 1))[::-1]
    assert np.abs(np.cumsum(one - other)).max() < 0.1 * np.abs(np.cumsum(one - estimate)).max()


def _drawn(plan: str, population: str, seed: int = 1) -> ldp.Aggregate:
    return ldp.simulate(PLANS[plan], _population(population, BINS, USERS), seed=seed)


@every_plan
@pytest.mark.parametrize("population", ["cauchy", "spiky", "sparse"])
def test_answers_of_a_denoised_estimate(plan: ldp.Plan, population: str) -> None:
    aggregate = ldp.simulate(plan, _population(population, BINS, USERS), seed=1)
    estimate, unbiased = ldp.estimate(aggregate, denoise=True), ldp.estimate(aggregate)
    histogram, cdf = estimate.histogram(), estimate.cdf()
    assert np.all(histogram.value >= 0)
    assert np.all(np.diff(cdf.value) >= 0)
    assert cdf.value[-1] == 1
    for answer in (histogram, cdf):
        assert answer.low is not None
        assert answer.high is not None
        assert np.all((answer.low >= 0) & (answer.low <= answer.value))
        assert np.all((answer.value <= answer.high) & (answer.high <= 1))
    quantiles = estimate.quantiles(np.linspace(0, 1, 50))
    assert np.all(np.diff(quantiles.value) >= 0)
    low, high = unbiased.range(10, 30).low, unbiased.range(10, 30).high
    answer_10_30 = estimate.range(10, 30)
    assert low is not None
    assert high is not None
    assert answer_10_30.low == pytest.approx(min(max(low, 0), answer_10_30.value), rel=0.05, abs=1e-3)
    assert answer_10_30.high == pytest.approx(max(min(high, 1), answer_10_30.value), rel=0.05, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "population"),
    [
        *(("Windows", population) for population in ("cauchy", "spiky", "sparse", "uniform", "step")),
        *(("Haar", "cauchy"), ("Haar", "step")),
        *(("Tree 2", "spiky"), ("Tree 2", "uniform")),
        *(("Tree 10", "spiky"), ("Tree 10", "sparse")),
        *(("Flat", "cauchy"), ("Flat", "step")),
    ],
)
def test_less_error_on_ranges(name: str, population: str) -> None:
    """By 5% at least, in the mean of 4 surveys: all kinds of people, and of each plan's noise some."""
    plan, people = PLANS[name], _population(population, BINS, USERS)
    truth = np.concatenate([[0.0], np.cumsum(people) / people.sum()])
    errors = np.zeros(2)
    for seed in range(4):
        aggregate = simulate_quickly(plan, people, seed=seed)
        for number, denoise in enumerate((False, True)):
            cdf = ldp.estimate(aggregate, denoise=denoise).cdf(confidence=None).value
            off = np.concatenate([[0.0], cdf]) - truth
            errors[number] += (BINS + 1) * (off @ off) - off.sum() ** 2  # over all ranges
    assert errors[1] < 0.95 * errors[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "population"),
    [("Windows", "cauchy"), ("Windows", "spiky"), ("Windows", "sparse"), ("Haar", "sparse")],
)
def test_intervals_cover(name: str, population: str) -> None:
    """At least 93% at a nominal 95%, of bins, ranges and prefixes.

    Of 24 repetitions × 100 correlated answers the share covered has a deviation of about 0.9%.
    """
    plan, people = PLANS[name], _population(population, BINS, USERS)
    truth = np.concatenate([[0.0], np.cumsum(people) / people.sum()])
    rng = np.random.default_rng(1)
    ends = np.sort(rng.integers(0, BINS, (2, 100)), axis=0)
    place = np.arange(BINS)
    asked = {
        "bins": (place, place),
        "ranges": (ends[0], ends[1]),
        "prefixes": (np.zeros_like(place), place[:-1]),
    }
    covered = dict.fromkeys(asked, 0.0)
    for seed in range(24):
        estimate = ldp.estimate(simulate_quickly(plan, people, seed=seed), denoise=True)
        for kind, (low, high) in asked.items():
            low, high = np.broadcast_arrays(low[: high.size], high)
            answer = estimate.ranges(low, high)
            share = truth[high + 1] - truth[low]
            covered[kind] += float(np.mean((answer.low <= share) & (share <= answer.high))) / 24
    assert all(share >= 0.93 for share in covered.values()), covered


@every_plan
def test_nobody_and_few_people(plan: ldp.Plan) -> None:
    nobody = ldp.estimate(ldp.Aggregate.empty(plan), denoise=True)
    np.testing.assert_allclose(nobody.histogram(confidence=None).value, 1 / BINS)
    for users in (1, 2, 5):
        few = ldp.estimate(ldp.Aggregate.of(plan, ldp.encode_many(plan, [7] * users, seed=1)), denoise=True)
        histogram = few.histogram()
        assert np.all(histogram.value >= 0)
        assert histogram.value.sum() == pytest.approx(1)


def test_the_raw_tree_cannot_be_denoised() -> None:
    with pytest.raises(QueryError, match="only a consistent estimate"):
        ldp.estimate(ldp.Aggregate.empty(PLANS["Tree 2"]), consistent=False, denoise=True)


@pytest.mark.slow
def test_people_who_gave_no_answer_do_not_leak_into_the_values_beside_them() -> None:
    """As neighbours of the last values they would come out 3 points too few, and these as many too many.

    The mean of 12 surveys is off by 0.6 points (one deviation); 2 points come about less than once in 1,000.
    """
    domain, values = ldp.Domain.integers(0, 63, no_answer=True), np.arange(64)
    people = np.exp(-(((values - 20) / 10) ** 2) / 2)
    counts = np.round(np.append(18_000 * people / people.sum(), 2_000)).astype(np.int64)
    plan = ldp.choose_plan(domain, epsilon=1.0, expected_users=20_000)
    none, last = [], []
    for seed in range(12):
        found = ldp.estimate(ldp.simulate(plan, counts, seed=seed), denoise=True).everyone
        shares = found.histogram(confidence=None).value
        none.append(shares[-1])
        last.append(shares[-5:-1].sum())
        assert shares.min() >= 0
        assert shares.sum() == pytest.approx(1)
    assert abs(np.mean(none) - 0.1) < 0.02
    assert np.mean(last) < 0.02


def test_programs_that_stop_at_underflow_get_answers_too() -> None:
    plan = ldp.choose_plan(ldp.Domain.integers(0, 63), epsilon=8.0, expected_users=30_000)
    values = np.minimum(np.random.default_rng(1).geometric(0.3, 30_000) - 1, 63)
    collected = ldp.simulate_values(plan, values, seed=1)
    with np.errstate(all="raise"):
        assert ldp.estimate(collected, denoise=True).range(0, 0).value == pytest.approx(0.3, abs=0.02)
