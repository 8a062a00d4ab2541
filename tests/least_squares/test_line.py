"""The estimate from shifted windows, and its variances, against dense linear algebra.

The dense side knows nothing of Toeplitz matrices: it weighs every window by its own variance, whatever its
place, and solves the Karush–Kuhn–Tucker system of least squares with the shares adding up to 1.

``test_line_enumerated.py`` compares the variances with all that can happen.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import ldprange as ldp
from dense_least_squares import all_ranges, cdf_of, variances_of
from ldprange.decompositions.contract import Variances
from ldprange.least_squares import line_variances
from ldprange.least_squares.line import WindowsFit
from ldprange.least_squares.line_variances import LineVariances
from ldprange.noise import Law, Noise
from ldprange.support.arrays import Boundaries, Floats

# Least squares on the line

Setting = tuple[int, tuple[int, ...]]  # items, and the widths of the levels

SETTINGS: list[Setting] = [
    (1, (1,)),
    (2, (1,)),
    (3, (2, 1)),
    (5, (4, 2, 1)),
    (7, (5, 3, 1)),
    (8, (4, 2, 1)),
    (13, (12, 1)),
    (24, (16, 8, 4, 2, 1)),
    (30, (7, 3, 1)),
]
every_setting = pytest.mark.parametrize(
    "setting", SETTINGS, ids=[f"{items}-{'x'.join(map(str, widths))}" for items, widths in SETTINGS]
)


def _asked(items: int, width: int) -> int:
    """Return how many windows a grid needs at its worst shift."""
    return max((item + shift) // width for item in range(max(2, items)) for shift in range(width)) + 1


def _law(levels: int) -> Law:
    noises = (
        Noise(spread=3.0, occupied=1.0, total=0.1, cross=-0.2),
        Noise(spread=4.0),
        Noise(spread=1.5, occupied=2.5, cross=0.3),
        Noise(spread=2.0, occupied=0.4, total=-0.3),
    )
    users = np.array([5000.0, 800.0, 2000.0, 12000.0])
    at = np.arange(levels) % 4
    return Law(users[at], tuple(noises[i] for i in at), fixed_people=1.5 * users[at].sum())


def _line(setting: Setting) -> WindowsFit:
    items, widths = setting
    return WindowsFit(items, widths, [_asked(items, width) for width in widths], _law(len(widths)))


class DenseLine:
    """Every window of every level, with its own row.

    Attributes
    ----------
    holds
        Level by level, which items each window holds, in the order of their beginnings.
    shifts
        Level by level, at which shift of the grid each window lies.
    covariance
        Of the items, in an even population.
    maps
        Level by level, the matrix from the windows' estimates to the items.
    """

    def __init__(self, setting: Setting, law: Law) -> None:
        items, widths = setting
        self.widths, self.law = widths, law
        begins = [np.arange(1 - width, items) for width in widths]
        place = np.arange(items)
        self.holds = [
            ((place >= begin[:, None]) & (place < begin[:, None] + width)).astype(float)
            for begin, width in zip(begins, widths, strict=True)
        ]
        self.shifts = [-begin % width for begin, width in zip(begins, widths, strict=True)]
        cells = [_asked(items, width) for width in widths]
        # a window's estimate is of its share among all, of whom one in w drew its shift
        precisions = [
            users * width / (noise.spread + noise.occupied / count)
            for users, noise, count, width in zip(law.users, law.noises, cells, widths, strict=True)
        ]
        system = np.zeros((items + 1, items + 1))
        for holds, precision, width in zip(self.holds, precisions, widths, strict=True):
            system[:-1, :-1] += precision * (holds / width).T @ (holds / width)
        system[-1, :-1] = system[:-1, -1] = 1.0
        inverse = np.linalg.inv(system).astype(np.float64)
        self.covariance, self.constant = inverse[:-1, :-1], inverse[:-1, -1]
        self.maps = [
            precision * self.covariance @ (holds / width).T
            for holds, precision, width in zip(self.holds, precisions, widths, strict=True)
        ]

    def fit(self, windows: Sequence[Floats]) -> Floats:
        parts = [map_ @ estimate for map_, estimate in zip(self.maps, windows, strict=True)]
        fitted: Floats = self.constant + np.sum(parts, axis=0)
        return fitted

    def true_covariance(self, shares: Floats) -> Floats:
        """Return the covariance of the estimate for a population, from the moments of every report.

        The windows of one shift are one report's cells; a report tells nothing of other shifts.
        """
        total: Floats = -(np.diag(shares) - np.outer(shares, shares)) / self.law.fixed_people
        for holds, shifts, width, map_, noise, users in zip(
            self.holds, self.shifts, self.widths, self.maps, self.law.noises, self.law.users, strict=True
        ):
            held, ones = holds @ shares, np.ones(len(holds))
            moment = (
                noise.spread * np.eye(ones.size)
                + noise.occupied * np.diag(held)
                + noise.total * np.outer(ones, ones)
                + noise.cross * (np.outer(ones, held) + np.outer(held, ones))
            ) * (shifts[:, None] == shifts)
            mean = held / width
            total += map_ @ (moment / width - np.outer(mean, mean)) @ map_.T / users
        return total


@every_setting
def test_the_estimate_is_constrained_least_squares_over_all_windows(setting: Setting) -> None:
    line = _line(setting)
    dense = DenseLine(setting, line.law)
    rng = np.random.default_rng(2)
    windows = [rng.normal(0.2, 0.3, len(holds)) for holds in dense.holds]
    back = [holds.T @ estimate for holds, estimate in zip(dense.holds, windows, strict=True)]
    found = line.fit(back)
    assert found.shape == (setting[0],)
    np.testing.assert_allclose(found, dense.fit(windows), atol=1e-9)
    assert found.sum() == pytest.approx(1.0, abs=1e-12)


@every_setting
def test_exact_back_projections_give_the_shares_themselves(setting: Setting) -> None:
    line, (items, widths) = _line(setting), setting
    apart = np.abs(np.subtract.outer(np.arange(items), np.arange(items)))
    for shares in _populations(items).values():
        blurred = [np.maximum(0, 1 - apart / width) @ shares for width in widths]
        np.testing.assert_allclose(line.fit(blurred), shares, atol=1e-11)


@every_setting
def test_the_even_covariance_is_that_of_least_squares(setting: Setting) -> None:
    line, items = _line(setting), setting[0]
    covariance = DenseLine(setting, line.law).covariance
    slack = 1e-9 * np.abs(covariance).max()
    np.testing.assert_allclose(line.covariance_with(np.eye(items)), covariance, atol=slack)
    weights = np.random.default_rng(4).normal(size=items)
    np.testing.assert_allclose(line.covariance_with(weights), covariance @ weights, atol=slack * items)


@every_setting
def test_covariances_of_prefixes_are_those_of_least_squares(setting: Setting) -> None:
    line, items = _line(setting), setting[0]
    upto = np.zeros((items + 1, items + 1))
    upto[1:, 1:] = DenseLine(setting, line.law).covariance.cumsum(axis=0).cumsum(axis=1)
    slack = 1e-9 * max(np.abs(upto).max(), 1e-12)
    np.testing.assert_allclose(line.prefix_variances, np.diagonal(upto), atol=slack)
    for apart in range(items):
        found = line.prefix_covariances(apart)
        np.testing.assert_allclose(found, np.diagonal(upto, apart), atol=slack)
        np.testing.assert_allclose(
            line.prefix_covariances(apart, 1), np.diagonal(upto, apart)[:2], atol=slack
        )


@every_setting
def test_mean_variances_are_those_over_all_ranges_and_prefixes(setting: Setting) -> None:
    line = _line(setting)
    low, _, rows = all_ranges(setting[0])
    each = variances_of(rows, DenseLine(setting, line.law).covariance)
    ranges, prefixes = line.mean_variances()
    assert ranges == pytest.approx(each.mean(), rel=1e-8, abs=1e-15)
    assert prefixes == pytest.approx(each[low == 0].mean(), rel=1e-8, abs=1e-15)


@pytest.mark.parametrize("silent", [(0,), (3,), (4,), (3, 4), (0, 1, 3, 4), (1, 2, 3, 4)], ids=str)
def test_levels_that_nobody_reported_on_are_left_out(silent: tuple[int, ...]) -> None:
    setting: Setting = (24, (16, 8, 4, 2, 1))
    users = np.where(np.isin(np.arange(5), silent), 0.0, 1000.0)
    law = Law(users, _law(5).noises)
    line = WindowsFit(*setting, [_asked(24, width) for width in setting[1]], law)
    dense = DenseLine(setting, law)
    rng = np.random.default_rng(2)
    windows = [rng.normal(0.2, 0.3, len(holds)) for holds in dense.holds]
    back = [holds.T @ estimate for holds, estimate in zip(dense.holds, windows, strict=True)]
    fitted = dense.fit(windows)
    np.testing.assert_allclose(line.fit(back), fitted, atol=1e-8 * np.abs(fitted).max())
    for level in silent:  # whatever such a level is said to estimate
        back[level] = np.zeros(24)
    np.testing.assert_allclose(line.fit(back), fitted, atol=1e-6 * np.abs(fitted).max())
    slack = 1e-8 * np.abs(dense.covariance).max()
    np.testing.assert_allclose(line.covariance_with(np.eye(24)), dense.covariance, atol=slack)


# Exact variances of ranges, for any population


def _populations(items: int) -> dict[str, Floats]:
    rising = np.arange(1.0, items + 1) ** 3
    return {
        "even": np.full(items, 1 / items),
        "skewed": rising / rising.sum(),
        "alone": np.eye(items)[items // 2],
        "gaps": np.random.default_rng(9).dirichlet(np.full(items, 0.1)),
    }


@every_setting
@pytest.mark.parametrize("population", ["even", "skewed", "alone", "gaps"])
def test_variances_are_those_of_the_moments_of_every_window(setting: Setting, population: str) -> None:
    line, shares = _line(setting), _populations(setting[0])[population]
    low, high, rows = all_ranges(setting[0])
    wanted = variances_of(rows, DenseLine(setting, line.law).true_covariance(shares))
    slack = 1e-9 * max(1e-9, np.abs(wanted).max())
    variances = LineVariances(line, cdf_of(shares))
    np.testing.assert_allclose(_few_at_a_time(variances, low, high), np.maximum(wanted, 0.0), atol=slack)
    # as many as it takes to work them out together, in two dimensions
    lows, highs = (np.tile(ends, (1 + line_variances._MAX_ONE_BY_ONE // low.size, 1)) for ends in (low, high))
    together = np.tile(np.maximum(wanted, 0.0), (len(lows), 1))
    np.testing.assert_allclose(variances(lows, highs), together, atol=slack)


def _few_at_a_time(variances: Variances, low: Boundaries, high: Boundaries) -> Floats:
    """Return variances that are exact on any line."""
    few = line_variances._MAX_ONE_BY_ONE
    return np.concatenate(
        [variances(low[at : at + few], high[at : at + few]) for at in range(0, low.size, few)]
    )


def test_few_ranges_and_many_are_worked_out_in_different_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    # or else the test above would compare one way with itself
    variances = LineVariances(_line(SETTINGS[-1]), cdf_of(_populations(30)["gaps"]))
    low, high, _ = all_ranges(30)
    monkeypatch.delattr(LineVariances, "_each")
    variances(low, high)
    with pytest.raises(AttributeError):
        _few_at_a_time(variances, low, high)


def test_a_range_of_nothing_and_the_whole_have_no_variance() -> None:
    for setting in SETTINGS:
        items = setting[0]
        variances = LineVariances(_line(setting), cdf_of(_populations(items)["skewed"]))
        low, high = np.array([0, 0, items]), np.array([0, items, items])
        assert variances(low, high).tolist() == [0.0, 0.0, 0.0]
        assert np.all(variances(np.tile(low, 50), np.tile(high, 50)) == 0.0)
        assert variances(low[:0], high[:0]).shape == (0,)


# Many ranges of a long line, which are not exact

LONG_LINE_BOUNDS = {
    # ε, items, population: (root mean square, worst) of the relative error of a range's variance, and of a
    # prefix's. With one bit (ε = 0.5) there is no held part, and only steps of tables are in between.
    (0.5, 3000, "uniform"): ((0.0003, 0.001), (0.0001, 0.0002)),
    (1.1, 4096, "Cauchy"): ((0.002, 0.006), (0.003, 0.006)),
    (1.1, 3000, "spiky"): ((0.0015, 0.005), (0.001, 0.004)),
    (1.1, 3000, "at one end"): ((0.012, 0.1), (0.006, 0.025)),
}


def _long_population(kind: str, items: int) -> Floats:
    place, weights = np.arange(items), np.ones(items)
    if kind == "Cauchy":
        weights = 1 / (1 + ((place - 0.4 * items) / (items / 10)) ** 2)
    elif kind == "spiky":
        weights = np.full(items, 1e-6)
        weights[np.random.default_rng(11).choice(items, items // 12, replace=False)] = 1.0
    elif kind == "at one end":
        weights = np.exp(-50 * place / items)
    shares: Floats = weights / weights.sum()
    return shares


@pytest.mark.parametrize(("epsilon", "items", "population"), LONG_LINE_BOUNDS)
def test_many_ranges_of_a_long_line_are_near_the_exact_variance(
    epsilon: float, items: int, population: str
) -> None:
    assert items > line_variances._MAX_EXACT_ITEMS
    plan = ldp.Plan(ldp.Domain.integers(0, items - 1), epsilon, ldp.Windows(), ldp.HadamardHashing())
    variances = plan.estimator(1e6 * np.array(plan.probabilities)).variances(
        cdf_of(_long_population(population, items))
    )
    length = np.geomspace(1, items - 1, 96).astype(np.int64)  # of every size, at any place
    low = np.random.default_rng(1).integers(0, items - length, endpoint=True)
    prefix = np.linspace(1, items - 1, 96).astype(np.int64)
    bounds = LONG_LINE_BOUNDS[epsilon, items, population]
    asked = [(low, low + length), (np.zeros_like(prefix), prefix)]
    for (lows, highs), (near, nearest) in zip(asked, bounds, strict=True):
        off = variances(lows, highs) / _few_at_a_time(variances, lows, highs) - 1
        assert np.sqrt(np.mean(off**2)) < near
        assert np.abs(off).max() < nearest
