"""Methods of others that ours are compared with, and the populations they are compared on."""

from __future__ import annotations

import math
from functools import reduce
from itertools import pairwise

import numpy as np
import pytest

from experiments import adaptive_tree as growing
from experiments.adaptive_tree import adaptive_tree, threshold, without_negatives
from experiments.data import DATA, flights, people
from experiments.population import CENTRE, cauchy
from experiments.square_wave import SquareWave, _smoothed, reconstruct, square_wave
from ldprange import OUE
from ldprange.support.arrays import Counts, Floats

EPSILONS = (0.1, 1.1, 4.0)


def transitions(wave: SquareWave) -> Floats:
    """Return the chance of every bucket (a row) given every bin, from the mechanism's definition.

    Of a window [v − b, v + b] a bucket [y, y + w] covers a part that changes its slope, as v goes over a bin,
    only where an end of one meets an end of the other; between such places the trapezoid rule is exact.
    """
    chances = np.empty((wave.bins, wave.bins))
    edges = -wave.half_width + wave.bucket * np.arange(wave.bins + 1)
    for held in range(wave.bins):
        begin, end = held / wave.bins, (held + 1) / wave.bins
        for bucket in range(wave.bins):
            low, high = edges[bucket : bucket + 2]
            bends = [x + b for x in (low, high) for b in (-wave.half_width, wave.half_width)]
            places = np.array([begin, *sorted(place for place in bends if begin < place < end), end])
            inside = np.minimum(high, places + wave.half_width) - np.maximum(low, places - wave.half_width)
            covered = wave.bins * np.trapezoid(np.maximum(inside, 0), places)
            chances[bucket, held] = wave.far * (wave.bucket - covered) + wave.near * covered
    return chances


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("bins", [1, 2, 7, 16])
def test_products_with_chances_are_those_with_the_matrix(bins: int, epsilon: float) -> None:
    wave, vector = SquareWave.of(bins, epsilon), np.random.default_rng(1).random(bins)
    matrix = transitions(wave)
    np.testing.assert_allclose(wave.chances(vector), matrix @ vector, rtol=1e-12)
    np.testing.assert_allclose(wave.credits(vector), matrix.T @ vector, rtol=1e-12)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_chances_add_up_and_keep_the_promise(epsilon: float) -> None:
    """No bucket is more than e^ε times likelier from one bin than from another, up to rounding."""
    wave = SquareWave.of(64, epsilon)
    assert wave.near / wave.far == pytest.approx(math.exp(epsilon))
    matrix = np.array([wave.chances(held) for held in np.eye(64)]).T
    np.testing.assert_allclose(matrix.sum(axis=0), 1, rtol=1e-12)
    assert np.all(matrix.max(axis=1) <= math.exp(epsilon) * matrix.min(axis=1) * (1 + 1e-12))
    assert matrix.max() / matrix.min() == pytest.approx(math.exp(epsilon))  # and the promise is used


def test_products_are_as_good_on_a_large_domain() -> None:
    """⟨w, Mθ⟩ = ⟨Mᵀw, θ⟩, and nobody is lost."""
    wave, rng = SquareWave.of(1 << 16, 1.1), np.random.default_rng(2)
    shares, weights = rng.dirichlet(np.ones(wave.bins)), rng.random(wave.bins)
    assert wave.chances(shares).sum() == pytest.approx(1, rel=1e-12)
    np.testing.assert_allclose(wave.credits(np.ones(wave.bins)), 1, rtol=1e-9)
    assert weights @ wave.chances(shares) == pytest.approx(wave.credits(weights) @ shares, rel=1e-12)


def test_the_window_is_the_papers() -> None:
    """Half of the domain as ε goes to 0, ever smaller as it grows, and the one that says most.

    What a report says is bounded by log(1 + 2b) + 2bp·log p + q·log q: its information about the value, were
    reports spread evenly over [−b, 1 + b].
    """
    assert SquareWave.of(4, 1e-3).half_width == pytest.approx(0.5, abs=1e-3)
    assert SquareWave.of(4, 10.0).half_width < 1e-3

    def information(half_width: float) -> float:
        e = math.exp(1.1)
        far = 1 / (2 * half_width * e + 1)
        near = e * far
        return math.log1p(2 * half_width) + 2 * half_width * near * math.log(near) + far * math.log(far)

    best = SquareWave.of(4, 1.1).half_width
    assert information(best) > max(information(0.98 * best), information(1.02 * best))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_drawn_reports_have_the_law_of_the_matrix(epsilon: float) -> None:
    """Chi-squared over 8 buckets and 400,000 reports: a false alarm in a million seeds, each."""
    counts = np.array([100_000, 0, 0, 250_000, 1, 49_999, 0, 0])
    wave = SquareWave.of(counts.size, epsilon)
    reports = wave.draw(counts, np.random.default_rng(3))
    assert reports.sum() == counts.sum()
    expected = transitions(wave) @ counts
    # bins are given, so variances are smaller than a multinomial's and the statistic is, if anything, less
    assert np.sum((reports - expected) ** 2 / expected) < 41.0  # χ² with 7 degrees of freedom


def test_reports_are_drawn_in_blocks_as_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("experiments.square_wave._TOGETHER", 1000)
    counts = np.array([0, 2500, 0, 7500])
    reports = SquareWave.of(4, 3.0).draw(counts, np.random.default_rng(4))
    expected = transitions(SquareWave.of(4, 3.0)) @ counts
    assert reports.sum() == 10_000
    assert np.sum((reports - expected) ** 2 / expected) < 31.0  # χ² with 3 degrees of freedom, 1 in a million


def test_each_step_makes_the_reports_likelier(monkeypatch: pytest.MonkeyPatch) -> None:
    wave = SquareWave.of(32, 1.1)
    reports = wave.draw(people("spiky", 32, 100_000), np.random.default_rng(5))
    likelihoods = []
    for steps in range(12):
        monkeypatch.setattr("experiments.square_wave._MAX_STEPS", steps)
        likelihoods.append(reports @ np.log(wave.chances(reconstruct(wave, reports, smooth=False))))
    assert np.all(np.diff(likelihoods) > 0)


def test_without_smoothing_the_likelihood_is_nearly_the_greatest() -> None:
    """At the maximum no bin's credit exceeds the number of reports (Kuhn and Tucker)."""
    wave = SquareWave.of(16, 2.0)
    reports = wave.draw(people("spiky", 16, 1 << 20), np.random.default_rng(6))
    shares = reconstruct(wave, reports, smooth=False)
    credit = wave.credits(reports / wave.chances(shares)) / reports.sum()
    assert credit.max() < 1.001
    assert credit @ shares == pytest.approx(1)


@pytest.mark.parametrize("smooth", [False, True])
def test_steps_are_those_of_the_dense_algorithm(smooth: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    wave = SquareWave.of(16, 1.1)
    reports = wave.draw(people("spiky", 16, 100_000), np.random.default_rng(15))
    matrix, shares = transitions(wave), np.full(16, 1 / 16)
    average = np.eye(16) if not smooth else (2 * np.eye(16) + np.eye(16, k=1) + np.eye(16, k=-1))
    average /= average.sum(axis=1, keepdims=True)
    for _ in range(6):
        joint = matrix * shares  # of bucket and bin
        held = reports @ (joint / joint.sum(axis=1, keepdims=True))
        shares = average @ held / (average @ held).sum()
    monkeypatch.setattr("experiments.square_wave._MAX_STEPS", 6)
    np.testing.assert_allclose(reconstruct(wave, reports, smooth), shares, rtol=1e-10)


def test_smooth_people_are_found_by_the_square_wave() -> None:
    """Smooth enough for bins: neighbours differ by little, or smoothing would flatten the hills."""
    counts = people("bimodal", 512, 1 << 24)
    found = square_wave(counts, 3.0, np.random.default_rng(7), smooth=True)
    assert np.abs(np.cumsum(found) - np.cumsum(counts) / counts.sum()).max() < 0.002


def test_spikes_are_found_by_the_square_wave_without_smoothing() -> None:
    counts = people("spiky", 32, 1 << 24)
    found = square_wave(counts, 3.0, np.random.default_rng(8), smooth=False)
    assert np.abs(found - counts / counts.sum()).max() < 0.01


def test_smoothing_keeps_what_is_even_and_spreads_a_spike() -> None:
    np.testing.assert_allclose(_smoothed(np.full(5, 0.2)), 0.2)
    np.testing.assert_allclose(_smoothed(np.array([0.0, 0.0, 1.0, 0.0, 0.0])), [0, 0.25, 0.5, 0.25, 0])
    np.testing.assert_allclose(_smoothed(np.array([1.0, 0.0, 0.0])), [2 / 3, 0.25, 0])


@pytest.mark.parametrize("bins", [2, 3, 100, 256])
@pytest.mark.parametrize("name", ["spiky", "bimodal"])
@pytest.mark.parametrize("epsilon", [0.2, 2.0])
def test_what_is_found_is_a_distribution(name: str, bins: int, epsilon: float) -> None:
    counts, rng = people(name, bins, 20_000), np.random.default_rng(9)
    for found in (
        adaptive_tree(counts, epsilon, rng),
        square_wave(counts, epsilon, rng, smooth=True),
        square_wave(counts, epsilon, rng, smooth=False),
    ):
        assert found.shape == counts.shape
        assert found.min() >= 0
        assert found.sum() == pytest.approx(1)


@pytest.mark.parametrize("name", ["spiky", "step", "zipf"])
def test_people_are_found_by_the_adaptive_tree(name: str) -> None:
    counts = people(name, 200, 1 << 24)
    found = adaptive_tree(counts, 3.0, np.random.default_rng(10))
    assert np.abs(np.cumsum(found) - np.cumsum(counts) / counts.sum()).max() < 0.003


def test_the_tree_grows_where_people_are() -> None:
    """All are in one bin: the path to it is followed, and of each node beside it the noise is too small."""
    counts = np.zeros(64, np.int64)
    counts[37] = 1 << 20
    levels = growing._grown(counts, 1.1, np.random.default_rng(11))
    assert [level.shares.size for level in levels] == [1, 2, 3, 4, 5, 6, 7]
    assert {37, 38} <= set(levels[-1].edges.tolist())


def test_a_round_asks_its_even_part_of_the_people(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, heard = [], growing._heard

    def listening(holders: Counts, epsilon: float, rng: np.random.Generator) -> Floats:
        asked.append(int(holders.sum()))
        return heard(holders, epsilon, rng)

    monkeypatch.setattr(growing, "_heard", listening)
    adaptive_tree(people("uniform", 16, 400_000), 1.1, np.random.default_rng(12))
    assert sum(asked) == 400_000
    assert np.abs(np.array(asked) - 100_000).max() < 6 * math.sqrt(400_000 * 3 / 16)


def test_the_tree_is_made_consistent_by_least_squares() -> None:
    """Against dense weighted least squares with the total fixed, where no part would be negative."""
    rng = np.random.default_rng(13)
    frontiers = [np.array(edges) for edges in ([0, 4, 8], [0, 2, 4, 8], [0, 1, 2, 4, 8])]
    levels = [growing._Level(np.array([0, 8]), np.ones(1), np.zeros(1))]
    for edges in frontiers:
        sizes = np.diff(edges)
        levels.append(growing._Level(edges, sizes / 8 + rng.normal(0, 0.01, sizes.size), np.ones(sizes.size)))
    leaves = frontiers[-1]
    design = np.vstack(
        [
            [(leaves[:-1] >= low) & (leaves[1:] <= high) for low, high in pairwise(edges)]
            for edges in frontiers
        ]
    ).astype(float)
    heard = np.concatenate([level.shares for level in levels[1:]])
    covariance = np.linalg.inv(design.T @ design)
    free = covariance @ design.T @ heard
    expected = free + covariance.sum(axis=1) * (1 - free.sum()) / covariance.sum()
    np.testing.assert_allclose(reduce(growing._agree, growing._averaged(levels)).shares, expected, rtol=1e-12)


def test_ranges_are_answered_from_the_root_down() -> None:
    """Against a walk: a node within answers for itself, a leaf for the part that is within."""
    counts = people("spiky", 50, 100_000)
    tree = growing.nodes(counts, 1.1, np.random.default_rng(17))

    def walk(at: int, low: int, high: int, begin: int, end: int) -> float:
        if high <= begin or low >= end:
            return 0.0
        edges = tree.levels[at].edges
        first = int(np.searchsorted(edges, begin))
        if edges[first + 1] < end:
            return sum(
                walk(at, low, high, *pair) for pair in pairwise(edges[(edges >= begin) & (edges <= end)])
            )
        leaf = np.count_nonzero((tree.levels[-1].edges >= begin) & (tree.levels[-1].edges <= end)) == 2
        if (low <= begin and end <= high) or leaf:
            within = min(end, high) - max(begin, low)
            return float(tree.levels[at].shares[first]) * within / (end - begin)
        return walk(at + 1, low, high, begin, end)

    low, high = np.triu_indices(51, 1)
    expected = [walk(0, a, b, 0, 50) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    np.testing.assert_allclose(tree.shares_between(low, high), expected, atol=1e-12)
    shares = reduce(growing._agree, tree.levels)
    consistent = growing.Nodes([shares]).shares_between(low, high)
    assert np.abs(consistent - expected).max() > 1e-3  # nodes do not agree: that is what the paper leaves


def test_the_threshold_is_the_papers() -> None:
    """√((B + 1)·variance), where OUE's variance of a share is that of an item that nobody holds."""
    variance = OUE().on(4, 1.1).noise.spread / 5000
    assert threshold(1.1, 5000) == pytest.approx(math.sqrt(3 * variance), rel=1e-6)


def test_without_negatives_is_the_projection() -> None:
    """Whatever moves mass from one share to another goes farther away (or makes one negative)."""
    estimates = np.random.default_rng(14).normal(0.1, 0.2, 12)
    shares = without_negatives(estimates)
    assert shares.min() == 0
    assert shares.sum() == pytest.approx(1)
    moved = estimates - shares
    held = shares > 0
    np.testing.assert_allclose(moved[held], moved[held][0], rtol=1e-9)
    assert np.all(moved[~held] <= moved[held][0])


def test_without_negatives_keeps_to_totals() -> None:
    """A row for each; as if each were scaled to 1, and nothing is left of a total of 0."""
    estimates = np.random.default_rng(16).normal(0.1, 0.2, (3, 5))
    shares = without_negatives(estimates, np.array([0.3, 0.0, 2.0]))
    np.testing.assert_allclose(shares[0], 0.3 * without_negatives(estimates[0] / 0.3))
    assert shares[1].tolist() == [0.0] * 5
    np.testing.assert_allclose(shares[2], 2 * without_negatives(estimates[2] / 2))


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("bins", [16, 1000, 1 << 16])
def test_populations_have_all_their_people(name: str, bins: int) -> None:
    counts = people(name, bins, 300_000)
    assert counts.shape == (bins,)
    assert counts.dtype == np.int64
    assert counts.sum() == 300_000
    assert counts.min() >= 0
    assert not counts.flags.writeable
    np.testing.assert_array_equal(counts, people.__wrapped__(name, bins, 300_000))


def test_a_population_looks_alike_on_every_domain() -> None:
    """Shares of the quarters within 6 standard deviations of a share of 300,000 people."""
    for name in DATA:
        coarse, fine = (people(name, bins, 300_000).reshape(4, -1).sum(axis=1) for bins in (256, 1024))
        if name not in ("zipf", "shuffled", "rough"):  # which are of ranks or of bins, not of places
            assert np.abs(coarse - fine).max() < 6 * math.sqrt(300_000 / 2), name


def test_shapes_are_as_described() -> None:
    users = 1 << 24
    assert people("cauchy", 256, users) is cauchy(256, CENTRE, users)
    assert np.count_nonzero(people("spiky", 1 << 16, users)) == 40
    zipf = people("zipf", 1024, users)
    assert zipf[0] / zipf[9] == pytest.approx(10, rel=0.02)
    two_hills = people("bimodal", 100, users)
    assert two_hills[30] > 4 * two_hills[50] < two_hills[70]
    step = people("step", 1000, users)
    np.testing.assert_allclose(step[310:530], step[310:530].mean(), rtol=0.05)
    assert step[530] > 1.5 * step[529]


def test_flights_are_those_of_the_package() -> None:
    """Counts and extremes as the table itself has them; the other flights were cancelled, or not logged."""
    delays, miles, minutes = (flights(column) for column in ("dep_delay", "distance", "air_time"))
    assert (delays.size, miles.size, minutes.size) == (336_776 - 8_255, 336_776, 336_776 - 9_430)
    assert (delays.min(), delays.max(), miles.min(), miles.max()) == (-43, 1301, 17, 4983)
    assert (minutes.min(), minutes.max()) == (20, 695)


def test_flights_keep_their_shares() -> None:
    """Bins of 84 minutes: the share of each within 6 standard deviations of that of the flights."""
    users, delays = 1 << 24, flights("dep_delay")
    shares = np.histogram(delays, 16)[0] / delays.size
    drawn = people("delays", 16, users) / users
    assert np.all(np.abs(drawn - shares) <= 6 * np.sqrt(shares / users))


def test_an_unknown_population_is_refused() -> None:
    with pytest.raises(ValueError, match="must be one of cauchy, spiky"):
        people("nobody", 16, 100)
