"""The estimate from windows in stages, and its variances, against dense linear algebra.

The dense side knows nothing of stages: it weighs every window of every block by its own variance, whatever
its place, and solves the Karush–Kuhn–Tucker system of least squares with the shares adding up to 1, and
nobody beyond the bins.

``test_stages_enumerated.py`` compares the variances with all that can happen.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import ldprange as ldp
from dense_least_squares import all_ranges, cdf_of, law_of, variances_of
from ldprange.decompositions.stages_design import stages_for
from ldprange.least_squares import (
    stage_between,
    stage_population,
    stage_variances,
    stage_walk,
    stage_windows,
)
from ldprange.least_squares.stage_means import mean_variances
from ldprange.least_squares.stage_tables import StageTables
from ldprange.least_squares.stage_variances import StageVariances
from ldprange.least_squares.stages import Stage, StagesFit
from ldprange.levels import Level
from ldprange.noise import Law
from ldprange.support.arrays import Floats

Setting = tuple[int, tuple[Stage, ...]]  # bins, and the stages


def whole(bins: int, *widths: int) -> Setting:
    return bins, (Stage(1, max(2, bins), widths),)


SETTINGS: list[Setting] = [
    whole(1, 1),
    whole(2, 1),
    whole(3, 2, 1),
    whole(5, 4, 2, 1),
    whole(7, 5, 3, 1),
    whole(24, 16, 8, 4, 2, 1),
    whole(30, 7, 3, 1),
    (12, (Stage(3, 4, (2, 1)), Stage(1, 6, (3, 1)))),  # two parts to a block
    (16, (Stage(4, 4, (3, 1)), Stage(1, 4, (2, 1)))),  # one part: the stages do not overlap
    (24, (Stage(2, 12, (8, 2)), Stage(1, 8, (5, 2, 1)))),  # four parts, and nobody asked for one cell
    (21, (Stage(2, 12, (8, 2)), Stage(1, 8, (5, 2, 1)))),  # three cells too many
    (32, (Stage(8, 4, (2, 1)), Stage(2, 8, (4, 1)), Stage(1, 4, (2, 1)))),  # three stages
    (27, (Stage(8, 4, (2, 1)), Stage(2, 8, (4, 1)), Stage(1, 4, (2, 1)))),
    (16, (Stage(8, 2, (1,)), Stage(4, 2, (1,)), Stage(2, 2, (1,)), Stage(1, 2, (1,)))),  # the paper's tree
]
every_setting = pytest.mark.parametrize(
    "setting",
    SETTINGS,
    ids=lambda setting: f"{setting[0]}:" + "/".join(f"{s.size}x{s.block}" for s in setting[1]),
)


def _asked(setting: Setting) -> list[int]:
    """Return how many windows the blocks' grids need at their worst shift."""
    return [
        leaves
        // (stage.size * stage.block)
        * (max((cell + shift) // width for cell in range(stage.block) for shift in range(width)) + 1)
        for leaves in [setting[1][0].size * setting[1][0].block]
        for stage in setting[1]
        for width in stage.widths
    ]


def _fit(setting: Setting, law: Law | None = None) -> StagesFit:
    asked = _asked(setting)
    return StagesFit(setting[1], setting[0], asked, law or law_of(len(asked)))


class DenseLine:
    """Every window of every block and level, with its own row.

    Attributes
    ----------
    holds
        Level by level, which leaves each window holds, in the order of their beginnings.
    shifts
        Level by level, at which shift of the grid each window lies.
    covariance
        Of the bins, in an even population.
    maps
        Level by level, the matrix from the windows' estimates to the bins.
    """

    def __init__(self, setting: Setting, law: Law) -> None:
        bins, stages = setting
        leaves, self.law = stages[0].size * stages[0].block, law
        leaf = np.arange(leaves)
        self.widths = [width for stage in stages for width in stage.widths]
        self.holds, self.shifts = [], []
        for stage in stages:
            cell, block = leaf // stage.size, leaf // (stage.size * stage.block)
            for width in stage.widths:
                begins = np.arange(1 - width, stage.block)
                inside = cell % stage.block - begins[:, None]
                rows = [(inside >= 0) & (inside < width) & (block == each) for each in range(block[-1] + 1)]
                self.holds.append(np.concatenate(rows).astype(float))
                self.shifts.append(np.tile(-begins % width, len(rows)))
        # a window's estimate is of its share among all, of whom one in w drew its shift
        precisions = [
            users * width / (noise.spread + noise.occupied / count)
            for users, noise, count, width in zip(
                law.users, law.noises, _asked(setting), self.widths, strict=True
            )
        ]
        facts = np.ones((1, leaves)) if bins == leaves else np.stack([np.ones(leaves), leaf < bins])
        system = np.zeros((leaves + len(facts), leaves + len(facts)))
        for holds, precision, width in zip(self.holds, precisions, self.widths, strict=True):
            system[:leaves, :leaves] += precision * (holds / width).T @ (holds / width)
        system[leaves:, :leaves], system[:leaves, leaves:] = facts, facts.T
        inverse = np.linalg.inv(system).astype(np.float64)
        self.covariance = inverse[:bins, :bins]
        self.constant = inverse[:bins, leaves:].sum(axis=1)  # either fact has the value 1
        self.maps = [
            precision * inverse[:bins, :leaves] @ (holds / width).T
            for holds, precision, width in zip(self.holds, precisions, self.widths, strict=True)
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
            held, ones = holds[:, : shares.size] @ shares, np.ones(len(holds))
            moment = (
                noise.spread * np.eye(ones.size)
                + noise.occupied * np.diag(held)
                + noise.total * np.outer(ones, ones)
                + noise.cross * (np.outer(ones, held) + np.outer(held, ones))
            ) * (shifts[:, None] == shifts)
            mean = held / width
            total += map_ @ (moment / width - np.outer(mean, mean)) @ map_.T / users
        return total


def _back_projected(setting: Setting, windows: Sequence[Floats], dense: DenseLine) -> list[Floats]:
    sizes = [stage.size for stage in setting[1] for _ in stage.widths]
    return [
        (holds.T @ estimate)[::size]
        for holds, estimate, size in zip(dense.holds, windows, sizes, strict=True)
    ]


@every_setting
def test_the_estimate_is_constrained_least_squares_over_all_windows(setting: Setting) -> None:
    fit = _fit(setting)
    dense = DenseLine(setting, fit.law)
    rng = np.random.default_rng(2)
    windows = [rng.normal(0.2, 0.3, len(holds)) for holds in dense.holds]
    found = fit.fit(_back_projected(setting, windows, dense))
    assert found.shape == (setting[0],)
    np.testing.assert_allclose(found, dense.fit(windows), atol=1e-9)
    assert found.sum() == pytest.approx(1.0, abs=1e-12)


@every_setting
def test_exact_back_projections_give_the_shares_themselves(setting: Setting) -> None:
    fit = _fit(setting)
    dense = DenseLine(setting, fit.law)
    for shares in _populations(setting[0]).values():
        windows = [
            holds[:, : shares.size] @ shares / width
            for holds, width in zip(dense.holds, dense.widths, strict=True)
        ]
        found = fit.fit(_back_projected(setting, windows, dense))
        np.testing.assert_allclose(found, shares, atol=1e-11)


@every_setting
def test_covariances_with_a_boundary_are_those_of_least_squares(setting: Setting) -> None:
    bins, stages = setting
    if bins < stages[0].size * stages[0].block:
        return  # then they are those without what is known of the padding
    fit = _fit(setting)
    below = np.zeros((bins + 1, bins + 1))
    below[1:, 1:] = DenseLine(setting, fit.law).covariance.cumsum(axis=0).cumsum(axis=1)
    for boundary in range(bins + 1):
        found = np.append(0.0, np.cumsum(fit.below(boundary)[-1]))
        np.testing.assert_allclose(
            found[: bins + 1], below[boundary], atol=1e-9 * max(np.abs(below).max(), 1e-12)
        )


@every_setting
def test_mean_variances_are_those_over_all_ranges_and_prefixes(setting: Setting) -> None:
    covered = setting[1][0].size * setting[1][0].block, setting[1]  # padding counts as bins
    fit = _fit(covered)
    low, _, rows = all_ranges(covered[0])
    each = variances_of(rows, DenseLine(covered, fit.law).covariance)
    ranges, prefixes = mean_variances(fit.stages, fit.blocks)
    assert ranges == pytest.approx(each.mean(), rel=1e-9)
    assert prefixes == pytest.approx(each[low == 0].mean(), rel=1e-9)


@pytest.mark.parametrize("silent", [(0,), (3,), (4,), (3, 4), (0, 1, 3, 4)], ids=str)
@pytest.mark.parametrize("setting", [whole(24, 16, 8, 4, 2, 1), SETTINGS[9]], ids=["one", "two"])
def test_levels_that_nobody_reported_on_are_left_out(setting: Setting, silent: tuple[int, ...]) -> None:
    users = np.where(np.isin(np.arange(5), silent), 0.0, 1000.0)
    law = Law(users, law_of(5).noises)
    fit, dense = _fit(setting, law), DenseLine(setting, law)
    rng = np.random.default_rng(2)
    windows = [rng.normal(0.2, 0.3, len(holds)) for holds in dense.holds]
    back = _back_projected(setting, windows, dense)
    fitted = dense.fit(windows)
    np.testing.assert_allclose(fit.fit(back), fitted, atol=1e-7 * np.abs(fitted).max())
    for level in silent:  # whatever such a level is said to estimate
        back[level] = np.zeros(back[level].size)
    np.testing.assert_allclose(fit.fit(back), fitted, atol=1e-6 * np.abs(fitted).max())


# Exact variances of ranges, for any population


def _populations(bins: int) -> dict[str, Floats]:
    rising, half = np.arange(1.0, bins + 1) ** 3, np.full(bins, 0.5 / bins)
    half[bins // 3] += 0.5
    return {
        "even": np.full(bins, 1 / bins),
        "skewed": rising / rising.sum(),
        "alone": np.eye(bins)[bins // 2],
        "half in one bin": half,
        "gaps": np.random.default_rng(9).dirichlet(np.full(bins, 0.1)),
    }


@every_setting
@pytest.mark.parametrize(
    "population",
    [
        "even",
        "half in one bin",
        *(pytest.param(each, marks=pytest.mark.slow) for each in ("skewed", "alone", "gaps")),
    ],
)
def test_variances_are_those_of_the_moments_of_every_window(setting: Setting, population: str) -> None:
    fit, shares = _fit(setting), _populations(setting[0])[population]
    low, high, rows = all_ranges(setting[0])
    wanted = np.maximum(variances_of(rows, DenseLine(setting, fit.law).true_covariance(shares)), 0.0)
    slack = 1e-9 * max(1e-9, np.abs(wanted).max())
    variances = StageVariances(StageTables(fit), cdf_of(shares))
    np.testing.assert_allclose(variances(low, high), wanted, atol=slack)
    np.testing.assert_allclose(variances(low[:1], high[:1]), wanted[:1], atol=slack)


@pytest.mark.slow
@every_setting
def test_variances_are_the_same_in_pieces(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    """In two dimensions, cut everywhere that they can be, and with tables of all pairs of boundaries."""
    cdf = cdf_of(_populations(setting[0])["half in one bin"])
    low, high, _ = all_ranges(setting[0])
    variances = StageVariances(StageTables(_fit(setting)), cdf)
    whole = variances(low, high)
    monkeypatch.setattr(stage_variances, "_RANGES", 7)
    monkeypatch.setattr(stage_walk, "_MANY", 1)
    monkeypatch.setattr(stage_between, "_TOGETHER", 3)
    monkeypatch.setattr(stage_windows, "_TOGETHER", 3)
    variances = StageVariances(StageTables(_fit(setting)), cdf)
    again = variances(np.tile(low, (2, 1)), np.tile(high, (2, 1)))
    np.testing.assert_allclose(again, np.tile(whole, (2, 1)), atol=1e-9 * whole.max())
    monkeypatch.setattr(stage_population, "_PAIRS", 0)
    np.testing.assert_allclose(variances(low, high), whole, atol=1e-9 * whole.max())


@pytest.mark.parametrize("epsilon", [0.2, 1.1, 4.0, 8.0])
@pytest.mark.parametrize("bins", [1100, pytest.param(1500, marks=pytest.mark.slow)])
def test_variances_of_the_default_stages_are_those_of_dense_algebra(bins: int, epsilon: float) -> None:
    stages = stages_for(bins)
    assert len(stages) == 2
    levels = [
        Level(stages[0].size * stages[0].block // stage.size, 1, stage.size, shifts=width, block=stage.block)
        for stage in stages
        for width in stage.widths
    ]
    noises = tuple(ldp.GRR().on(level.asked, epsilon).noise for level in levels)
    law = Law(np.full(len(levels), 1000.0), noises)
    fit = StagesFit(stages, bins, [level.asked for level in levels], law)
    shares = _populations(bins)["half in one bin"]
    variances = StageVariances(StageTables(fit), cdf_of(shares))
    rng = np.random.default_rng(5)
    low = np.concatenate([rng.integers(0, bins, 60), np.zeros(20, np.int64), rng.integers(0, bins, 20)])
    length = np.concatenate([rng.integers(1, bins, 80), np.ones(20, np.int64)])
    high = np.minimum(low + length, bins)
    place = np.arange(bins)
    rows = ((place >= low[:, None]) & (place < high[:, None])).astype(float)
    wanted = _dense_variances((bins, tuple(stages)), law, shares, rows)
    np.testing.assert_allclose(variances(low, high), wanted, rtol=1e-9, atol=1e-9 * wanted.max())


def _dense_variances(setting: Setting, law: Law, shares: Floats, rows: Floats) -> Floats:
    """Return what ``true_covariance`` gives for ranges, one level at a time: it is too large to be kept."""
    bins, stages = setting
    leaves = stages[0].size * stages[0].block
    windows = [(stage, width) for stage in stages for width in stage.widths]
    leaf = np.arange(leaves)
    information = np.zeros((leaves, leaves))
    weights = 1 / law.node_variances(_asked(setting))
    for (stage, width), weight in zip(windows, weights, strict=True):
        cell, block = leaf // stage.size, leaf // (stage.size * stage.block)
        apart = np.abs(np.subtract.outer(cell, cell))
        information += weight * np.maximum(0, 1 - apart / width) * (block[:, None] == block)
    facts = np.stack([np.ones(leaves), leaf < bins])[: 1 + (bins < leaves)]
    wide = np.hstack([rows, np.zeros((len(rows), leaves - bins))])
    known, solved = np.linalg.solve(information, facts.T), np.linalg.solve(information, wide.T)
    u = (solved - known @ np.linalg.solve(facts @ known, facts @ solved)).T
    total = np.zeros(len(rows))
    for (stage, width), weight, noise, users in zip(windows, weights, law.noises, law.users, strict=True):
        cells = u.reshape(-1, stage.block, stage.size).sum(axis=2)
        held = np.append(shares, np.zeros(leaves - bins)).reshape(-1, stage.block, stage.size).sum(axis=2)
        nothing = np.zeros((len(cells), width))
        sums = np.hstack([nothing, np.cumsum(np.hstack([cells, nothing[:, 1:]]), axis=1)])
        sums = (sums[:, width:] - sums[:, :-width]).reshape(len(rows), -1)
        masses = np.hstack(
            [nothing[: len(held)], np.cumsum(np.hstack([held, nothing[: len(held), 1:]]), axis=1)]
        )
        masses = (masses[:, width:] - masses[:, :-width]).reshape(-1)
        square = sums**2 @ (noise.spread + noise.occupied * masses) / width
        total += weight**2 / users * (square - (sums @ masses / width) ** 2)
    return total


def test_a_range_of_nothing_and_the_whole_have_no_variance() -> None:
    for setting in SETTINGS:
        bins = setting[0]
        variances = StageVariances(StageTables(_fit(setting)), cdf_of(_populations(bins)["skewed"]))
        low, high = np.array([0, 0, bins]), np.array([0, bins, bins])
        assert variances(low, high).tolist() == [0.0, 0.0, 0.0]
        assert variances(low[:0], high[:0]).shape == (0,)
