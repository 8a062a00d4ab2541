"""Smooth densities: where the search ends, what they are judged by, and what they make of two attributes."""

from __future__ import annotations

import numpy as np
import pytest

from ldprange.estimation.log_density import Density, Penalty, log_densities, weighed
from ldprange.estimation.risk import criterion, weights_of_ways
from ldprange.estimation.smooth import smooth_line, smooth_pair
from ldprange.support.arrays import Floats

CELLS = 6

CENTRED = np.eye(64) - 1 / 64


def _problem(seed: int = 1, cells: int = CELLS) -> tuple[Floats, Floats, Floats, Floats]:
    """Return an estimate, its precision, which says nothing of the sum, a base and what is penalised."""
    rng = np.random.default_rng(seed)
    estimate = rng.dirichlet(np.full(cells, 3.0))
    centred = np.eye(cells) - 1 / cells
    spread = rng.normal(size=(cells, cells))
    precision = 1e4 * centred @ (spread @ spread.T + np.eye(cells)) @ centred
    bends = np.diff(np.eye(cells), n=2, axis=0)
    steps = np.diff(np.eye(cells), axis=0)
    return estimate, precision, rng.dirichlet(np.full(cells, 9.0)), np.vstack([bends, steps])


def _best(estimate: Floats, problem: tuple[Floats, Floats, Floats, Floats], strength: float) -> Density:
    _, precision, base, rows = problem
    return list(log_densities(estimate, precision, base, Penalty.of(rows), np.geomspace(1e4, strength, 8)))[
        -1
    ]


@pytest.mark.parametrize("strength", [1e2, 1.0, 1e-3])
def test_nothing_near_a_density_is_better(strength: float) -> None:
    problem = estimate, precision, base, rows = _problem()
    best = _best(estimate, problem, strength)
    f = np.log(best.shares / base)

    def value(f: Floats) -> float:
        shares = base * np.exp(f)
        away = estimate - shares / shares.sum()
        return float(away @ precision @ away + strength * ((rows @ f) ** 2).sum()) / 2

    rng = np.random.default_rng(2)
    assert best.misfit == pytest.approx((estimate - best.shares) @ precision @ (estimate - best.shares))
    for size in (0.3, 0.03):
        for _ in range(50):
            # the search ends when a step gains less than a hundredth
            assert value(f) <= value(f + size * rng.normal(size=CELLS)) + 0.01


@pytest.mark.parametrize("strength", [1e2, 1.0])
def test_freedom_is_what_an_error_of_the_estimate_does(strength: float) -> None:
    """To within what Gauss and Newton's curvature leaves out: the bend of the shares in f."""
    problem = estimate, precision, *_ = _problem()
    variances, directions = np.linalg.eigh(np.linalg.pinv(precision))
    trace = 0.0
    for variance, direction in zip(variances[1:], directions.T[1:], strict=True):
        error = 0.3 * np.sqrt(variance) * direction
        moved = (
            _best(estimate + error, problem, strength).shares
            - _best(estimate - error, problem, strength).shares
        )
        trace += moved @ precision @ error / 2 / 0.3**2
    assert _best(estimate, problem, strength).freedom == pytest.approx(trace, rel=0.15)


def test_a_strong_prior_gives_the_base_and_a_weak_one_the_estimate() -> None:
    estimate, precision, base, rows = _problem()
    first, *_, last = log_densities(estimate, precision, base, Penalty.of(rows), np.geomspace(1e9, 1e-9, 19))
    np.testing.assert_allclose(first.shares, base / base.sum(), atol=1e-4)
    np.testing.assert_allclose(last.shares, estimate, atol=1e-3)
    assert first.freedom < 0.01
    assert last.freedom == pytest.approx(CELLS - 1, rel=1e-3)


def test_evidence_is_that_of_a_normal_where_all_is_nearly_linear() -> None:
    """Small f: θ ≈ base + J f, so the estimate is normal about the base with covariance H⁻¹ + J(κP)⁻¹Jᵀ."""
    _, precision, base, rows = _problem()
    base = base / base.sum()
    jacobian, centred = np.diag(base) - np.outer(base, base), np.eye(CELLS)[:, 1:] - 1 / CELLS
    estimate = base + jacobian @ np.random.default_rng(3).normal(0, 1e-3, CELLS)
    strengths = np.array([1e5, 1e4])
    found = [each.evidence for each in log_densities(estimate, precision, base, Penalty.of(rows), strengths)]
    wanted, penalty = [], rows.T @ rows
    for strength in strengths:
        covariance = np.linalg.pinv(precision) + jacobian @ np.linalg.pinv(strength * penalty) @ jacobian
        seen = centred.T @ covariance @ centred
        away = centred.T @ (estimate - base)
        wanted.append(-(away @ np.linalg.solve(seen, away) + np.linalg.slogdet(seen)[1]) / 2)
    assert found[1] - found[0] == pytest.approx(wanted[1] - wanted[0], abs=0.02)


def test_the_mean_is_near_the_density_that_accounts_for_the_estimate() -> None:
    rows = np.array([[0.5, 0.5], [0.9, 0.1]])
    good, bad = Density(rows[0], -1.0, 2.0, 1.0), Density(rows[1], -80.0, 200.0, 1.0)
    found = weighed([good, bad], np.eye(2), 2)
    np.testing.assert_allclose(found.shares, rows[0], atol=1e-9)
    assert found.criterion == pytest.approx(4.0)
    both = weighed([good, good._replace(shares=rows[1])], np.eye(2), 2)
    np.testing.assert_allclose(both.shares, rows.mean(axis=0))
    assert both.criterion == pytest.approx(4.0 + 2 * 0.2**2)  # each lies 0.2 away in both cells
    assert weighed([good._replace(freedom=1.9)], np.eye(2), 2).criterion == np.inf  # as free as the estimate


def test_the_criterion_of_a_mean_with_a_constant_is_exact() -> None:
    precision = np.diag([1.0, 4.0, 9.0])
    root, estimate = np.diag([1.0, 1 / 2, 1 / 3]), np.array([1.0, 2.0, 3.0])
    found = criterion(lambda values: 0.25 * values, estimate, 0.25 * estimate, precision, root)
    assert found == pytest.approx(0.75**2 * estimate @ precision @ estimate + 2 * 0.25 * 3)


def test_a_smooth_density_weighs_as_much_as_it_is_better() -> None:
    weights = [float(weights_of_ways(criterion, [100.0])[0]) for criterion in (0.0, 90.0, 97.0, 100.0, 1e9)]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] == pytest.approx(1)
    assert weights[2] == pytest.approx(0.5)
    assert weights[-1] == pytest.approx(0)


def test_a_line_of_no_information_is_even_and_one_of_much_is_what_is_seen() -> None:
    rng = np.random.default_rng(5)
    seen, centred = rng.dirichlet(np.full(20, 2.0)), np.eye(20) - 1 / 20
    sizes = rng.integers(1, 4, 20).astype(float)
    little = smooth_line(seen, 1e-6 * centred, 1e3 * centred, sizes)
    np.testing.assert_allclose(little.shares, sizes / sizes.sum(), atol=1e-3)
    much = smooth_line(seen, 1e12 * centred, 1e-6 * centred, sizes)
    np.testing.assert_allclose(much.shares, seen, atol=1e-4)


def test_functions_that_cost_too_much_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.diff(np.eye(40), n=2, axis=0)
    rng, base = np.random.default_rng(4), np.full(40, 1 / 40)
    estimate, precision = rng.dirichlet(np.full(40, 20.0)), 1e4 * (np.eye(40) - 1 / 40)
    problem = estimate, precision, base, Penalty.of(rows), np.geomspace(1e4, 1e-2, 7)
    fewer = list(log_densities(*problem))
    monkeypatch.setattr("ldprange.estimation.log_density._TOO_DEAR", 1e30)
    for some, every in zip(fewer, log_densities(*problem), strict=True):
        np.testing.assert_allclose(some.shares, every.shares, atol=2e-4)
        assert some.freedom == pytest.approx(every.freedom, rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("logarithmic", "noise", "left"), [(False, 0.01, 0.15), (False, 0.003, 0.09), (True, 0.003, 0.2)]
)
def test_a_normal_hill_in_noise_comes_out_nearly_as_one_of_two_numbers(
    logarithmic: bool, noise: float, left: float
) -> None:
    place = (np.arange(64) + 0.5) / 64
    if logarithmic:
        hill = np.exp(-(np.log(place / 0.1) ** 2) / 0.7) / place
    else:
        hill = np.exp(-((place - 0.4) ** 2) / 0.02)
    hill /= hill.sum()
    rng, errors = np.random.default_rng(6), np.zeros(2)
    for _ in range(10):
        error = rng.normal(0, noise, 64)
        seen = hill + error - error.mean()
        smooth = smooth_line(seen, CENTRED / noise**2, noise * CENTRED, np.ones(64)).shares
        errors += [((seen - hill) ** 2).sum(), ((smooth - hill) ** 2).sum()]
    # smooth densities that know no normal distribution leave 0.12 and 0.29
    assert errors[1] < left * errors[0]


@pytest.mark.slow
def test_amounts_come_out_better_yet_and_either_end_is_treated_alike() -> None:
    place = (np.arange(64) + 0.5) / 64
    amounts = np.exp(-(np.log(8 * place) ** 2) / 0.98) / place
    amounts /= amounts.sum()
    rng, errors = np.random.default_rng(6), np.zeros(2)
    for _ in range(10):
        noise = rng.normal(0, 0.005, 64)
        seen = amounts + noise - noise.mean()
        smooth = smooth_line(seen, 4e4 * CENTRED, 5e-3 * CENTRED, np.ones(64))
        errors += [((seen - amounts) ** 2).sum(), ((smooth.shares - amounts) ** 2).sum()]
        mirrored = smooth_line(seen[::-1], 4e4 * CENTRED, 5e-3 * CENTRED, np.ones(64))
        np.testing.assert_allclose(mirrored.shares[::-1], smooth.shares, atol=1e-5)
        assert mirrored.criterion == pytest.approx(smooth.criterion, abs=0.1)
    assert errors[1] < 0.2 * errors[0]


@pytest.mark.slow
@pytest.mark.parametrize("at", [[0], [63], [1], [20], [0, 30, 63]], ids=str)
def test_few_cells_that_stand_out_leave_the_others_smooth(at: list[int]) -> None:
    sizes = np.random.default_rng(9).integers(1, 3, 64).astype(float)
    hill = sizes * np.exp(-((np.arange(64) / 64 - 0.4) ** 2) / 0.05)
    hill *= 0.7 / hill.sum()
    hill[at] += 0.3 / len(at)
    rng, errors = np.random.default_rng(6), np.zeros(2)
    for _ in range(10):
        noise = rng.normal(0, 0.005, 64)
        seen = hill + noise - noise.mean()
        smooth = smooth_line(seen, 4e4 * CENTRED, 5e-3 * CENTRED, sizes).shares
        errors += [((seen - hill) ** 2).sum(), ((smooth - hill) ** 2).sum()]
    assert errors[1] < 0.3 * errors[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cuts", "correlation", "noise", "left"),
    [(range(12), 0.8, 1e-4, 0.16), ([0, 1, 2, 3, 4, 6, 8], 0.6, 1e-3, 0.19)],
    ids=["even cells", "uneven cells"],
)
def test_normals_that_go_together_come_out_better_on_whatever_scale(
    cuts: list[int], correlation: float, noise: float, left: float
) -> None:
    """One odds ratio for all of the table, between neighbours along normal scores: Gauss's copula."""
    across, along = np.meshgrid(*[np.linspace(-2.5, 2.5, 12)] * 2)
    squares = across**2 + along**2 - 2 * correlation * across * along
    table = np.add.reduceat(np.exp(-squares / 2 / (1 - correlation**2)), cuts, axis=0)
    table /= table.sum()
    own, precision = [table.sum(axis=1), table.sum(axis=0)], (np.eye(table.size) - 1 / table.size) / noise**2
    rng, errors = np.random.default_rng(3), np.zeros(2)
    for _ in range(6):
        error = rng.normal(0, noise, table.shape)
        error -= error.mean(axis=0) + error.mean(axis=1, keepdims=True) - error.mean()
        found = smooth_pair(table + error, precision, precision, own, (True, True)).shares
        errors += [(error**2).sum(), ((found - table) ** 2).sum()]
    # smooth densities without a way to it leave 0.22 and 0.23
    assert errors[1] < left * errors[0]


@pytest.mark.parametrize("ordered", [(True, True), (True, False), (False, False)])
@pytest.mark.parametrize("cells", [(4, 6), (2, 6), (2, 2)], ids=str)
def test_independent_attributes_stay_so_and_others_do_not(
    cells: tuple[int, int], ordered: tuple[bool, bool]
) -> None:
    own = [np.random.default_rng(7 + at).dirichlet(np.full(number, 5.0)) for at, number in enumerate(cells)]
    independent = np.multiply.outer(*own)
    precision = 1e6 * (np.eye(independent.size) - 1 / independent.size)
    found = smooth_pair(independent, precision, precision, own, ordered)
    np.testing.assert_allclose(found.shares, independent, atol=1e-5)
    together = independent.copy()
    together[: cells[0] // 2, : cells[1] // 2] *= 1.5
    together /= together.sum()
    found = smooth_pair(together, precision, precision, own, ordered)
    assert np.abs(found.shares - together).max() < 0.2 * np.abs(independent - together).max()
