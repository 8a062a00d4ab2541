"""Least squares over several attributes, and its exact variances, against plain linear algebra."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ldprange as ldp
from ldprange.decompositions import GridsLayout
from ldprange.estimation.joint_shares import JointShares
from ldprange.least_squares.axis import Axis
from ldprange.least_squares.table import Boxes, coarser, shares_below
from ldprange.noise import Law
from ldprange.oracles import Oracle
from ldprange.support.arrays import Floats


@dataclass(frozen=True)
class Case:
    """Trees, grids (all combinations if left out), an oracle, and the attributes of the table."""

    trees: list[tuple[int, ...]]
    oracle: Oracle
    chosen: tuple[int, ...]
    depths: Sequence[tuple[int, ...]] | None = None

    def plan(self) -> ldp.Plan:
        grids = (
            ldp.Grids.product(self.trees) if self.depths is None else ldp.Grids(self.trees, list(self.depths))
        )
        bins = [int(np.prod(tree)) for tree in self.trees]
        axes = {name: ldp.Domain.integers(0, size - 1) for name, size in zip("abc", bins, strict=False)}
        return ldp.Plan(ldp.Domain.product(**axes), 1.3, grids, self.oracle)


PAIRS = [(1, 0, 0), (2, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (2, 1, 0), (0, 1, 1), (2, 0, 1)]
CASES = [
    Case([(2, 2), (2, 3)], ldp.HRR(), (0, 1)),
    Case([(2, 2), (2, 3)], ldp.OUE(), (0, 1)),
    Case([(2, 4), (5,)], ldp.GRR(), (0, 1)),
    Case([(2, 4), (5,)], ldp.SubsetSelection(), (1,)),
    Case([(2, 2), (4,), (3,)], ldp.OUE(), (0, 1, 2)),
    Case([(2, 2), (4,), (3,)], ldp.HRR(), (0, 2)),
    Case([(2, 2), (4,), (3,)], ldp.OUE(), (0, 1), PAIRS),
    Case([(2, 2), (4,), (3,)], ldp.OUE(), (2,), PAIRS),
]


class Dense:
    """The same estimator as matrices."""

    def __init__(self, plan: ldp.Plan, users: Floats) -> None:
        law, bins = plan.law(users), plan.domain.bins
        places = np.stack(np.unravel_index(np.arange(bins), plan.domain.shape))
        self.sums = [np.eye(level.cells)[:, level.cells_of(places)] for level in plan.levels]
        variances = [
            noise.in_even_population(level.cells) / number
            for noise, level, number in zip(law.noises, plan.levels, law.users, strict=True)
        ]
        system = np.zeros((bins + 1, bins + 1))
        for matrix, variance in zip(self.sums, variances, strict=True):
            system[:-1, :-1] += matrix.T @ matrix / variance
        system[-1, :-1] = system[:-1, -1] = 1.0
        inverse = np.linalg.pinv(system)  # what no grid tells of is taken to be even
        self.constant = inverse[:-1, -1]
        self.maps = [inverse[:-1, :-1] @ matrix.T / v for matrix, v in zip(self.sums, variances, strict=True)]

    def fit(self, estimates: list[Floats]) -> Floats:
        fitted: Floats = self.constant + sum(m @ each for m, each in zip(self.maps, estimates, strict=True))
        return fitted

    def variance(self, law: Law, theta: Floats, asked: Floats) -> float:
        """Add up what the second moments of every grid's reports make of a question."""
        total = 0.0
        for matrix, map_, noise, number in zip(self.sums, self.maps, law.noises, law.users, strict=True):
            w, cells = asked @ map_, matrix @ theta
            second = noise.spread * (w @ w) + noise.occupied * (w**2 @ cells) + noise.total * w.sum() ** 2
            total += (second + 2 * noise.cross * w.sum() * (w @ cells) - (w @ cells) ** 2) / number
        return float(total - (asked**2 @ theta - (asked @ theta) ** 2) / law.fixed_people)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_tables_are_least_squares(case: Case) -> None:
    plan, rng = case.plan(), np.random.default_rng(1)
    users = rng.integers(50, 200, len(plan.levels)).astype(float)
    estimates = [rng.random(level.cells) for level in plan.levels]
    assert isinstance(plan.layout, GridsLayout)
    table = plan.layout.table(plan.law(users), case.chosen)
    others = tuple(a for a in range(len(case.trees)) if a not in case.chosen)
    expected = Dense(plan, users).fit(estimates).reshape(plan.domain.shape).sum(axis=others)
    fitted = table.fit(plan.layout.coefficients(estimates))
    np.testing.assert_allclose(fitted, expected, rtol=0, atol=1e-11)
    assert fitted.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_variances_are_exact(case: Case) -> None:
    plan, rng = case.plan(), np.random.default_rng(2)
    users = rng.integers(50, 200, len(plan.levels)).astype(float)
    theta = rng.dirichlet(np.ones(plan.domain.bins))
    assert isinstance(plan.layout, GridsLayout)
    law = plan.law(users, population=1.5 * users.sum())
    table, dense = plan.layout.table(law, case.chosen), Dense(plan, users)
    ends = [np.sort(rng.integers(0, bins + 1, (2, 40)), axis=0) for bins in table.leaves]
    asked = Boxes([low for low, _ in ends], [high for _, high in ends])
    found = table.variances(upto(theta, plan, case.chosen))(asked)
    for q in range(40):
        parts = [np.ones(bins) for bins in plan.domain.shape]
        for a, (low, high) in zip(case.chosen, ends, strict=True):
            place = np.arange(plan.domain.shape[a])
            parts[a] = ((place >= low[q]) & (place < high[q])).astype(float)
        query = reduce(np.multiply.outer, parts).reshape(-1)
        expected = dense.variance(law, theta, query)
        assert found[q] == pytest.approx(max(expected, 0.0), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_covariances_with_a_box_are_exact(case: Case) -> None:
    plan, rng = case.plan(), np.random.default_rng(3)
    users = rng.integers(50, 200, len(plan.levels)).astype(float)
    theta = rng.dirichlet(np.ones(plan.domain.bins))
    assert isinstance(plan.layout, GridsLayout)
    law = plan.law(users, population=1.5 * users.sum())
    table, dense = plan.layout.table(law, case.chosen), Dense(plan, users)
    others = tuple(set(range(len(plan.domain.shape))) - set(case.chosen))
    there = theta.reshape(plan.domain.shape).sum(axis=others)

    def indicator(low: Sequence[int], high: Sequence[int]) -> Floats:
        parts = [np.ones(bins) for bins in plan.domain.shape]
        for a, start, stop in zip(case.chosen, low, high, strict=True):
            place = np.arange(plan.domain.shape[a])
            parts[a] = ((place >= start) & (place < stop)).astype(float)
        query: Floats = reduce(np.multiply.outer, parts).reshape(-1)
        return query

    for _ in range(10):
        ends = [np.sort(rng.choice(bins + 1, 2, replace=False)).tolist() for bins in table.leaves]
        low, high = zip(*ends, strict=True)
        found = table.covariances(there, low, high)
        box = indicator(low, high)
        for leaf in rng.integers(0, table.leaves, (8, len(table.leaves))).tolist():
            one = indicator(leaf, [place + 1 for place in leaf])
            both, apart = (dense.variance(law, theta, box + sign * one) for sign in (1, -1))
            assert found[tuple(leaf)] == pytest.approx((both - apart) / 4, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_covariances_of_details_are_those_of_cells(case: Case) -> None:
    plan, rng = case.plan(), np.random.default_rng(4)
    assert isinstance(plan.layout, GridsLayout)
    users = rng.integers(50, 200, len(plan.levels)).astype(float)
    table = plan.layout.table(plan.law(users, population=1.5 * users.sum()), case.chosen)
    theta = rng.dirichlet(np.ones(int(np.prod(table.leaves)))).reshape(table.leaves)
    deepest = [axis.depth for axis in table.axes]
    for depths in (deepest, [1 for _ in deepest]):
        sizes = [axis.sizes[depth] for axis, depth in zip(table.axes, depths, strict=True)]
        there = coarser(theta, [axis.cells[depth] for axis, depth in zip(table.axes, depths, strict=True)])
        each = zip(table.axes, depths, there.shape, strict=True)
        bases = [axis.rebuild(np.eye(cells), depth).T for axis, depth, cells in each]
        details = reduce(lambda some, more: np.kron(some, more).astype(np.float64), bases)
        of_details = table.detail_covariance(details, there, depths) * table.leaves_of_a_cell(depths)
        for cell, row in zip(np.ndindex(there.shape), details @ of_details @ details.T, strict=True):
            low = [place * size for place, size in zip(cell, sizes, strict=True)]
            high = [start + size for start, size in zip(low, sizes, strict=True)]
            expected = coarser(table.covariances(theta, low, high), there.shape)
            np.testing.assert_allclose(row, expected.reshape(-1), rtol=1e-9, atol=1e-14)


def upto(theta: Floats, plan: ldp.Plan, chosen: tuple[int, ...]) -> Floats:
    """Return the share below every joint boundary of some attributes."""
    others = tuple(a for a in range(len(plan.domain.shape)) if a not in chosen)
    shares = theta.reshape(plan.domain.shape).sum(axis=others)
    summed = np.pad(shares, [(1, 0)] * shares.ndim)
    for a in range(shares.ndim):
        summed = np.cumsum(summed, axis=a)
    return summed


@pytest.mark.parametrize("trees", [[(2, 3), (4,)], [(2, 2), (2,), (3,)]])
@pytest.mark.parametrize("oracle", [ldp.HRR(), ldp.OUE()], ids=str)
def test_the_mean_variance_is_the_mean_over_all_questions(
    trees: list[tuple[int, ...]], oracle: Oracle
) -> None:
    plan = Case(trees, oracle, ()).plan()
    shape = plan.domain.shape
    even = np.full(plan.domain.bins, 1 / plan.domain.bins)
    users = 1000 * np.array(plan.probabilities)
    everything = tuple(range(len(shape)))
    assert isinstance(plan.layout, GridsLayout)
    variances = plan.layout.table(plan.law(users), everything).variances(upto(even, plan, everything))
    ranges = [[(low, high) for low in range(n) for high in range(low + 1, n + 1)] for n in shape]
    prefixes = [[(0, high) for high in range(1, n + 1)] for n in shape]
    predicted = plan.predict(1000)
    for ends, mean in ((ranges, predicted.range_variance), (prefixes, predicted.prefix_variance)):
        which = np.indices([len(each) for each in ends]).reshape(len(ends), -1)
        pairs = [np.array(each)[index] for each, index in zip(ends, which, strict=True)]
        asked = Boxes([p[:, 0] for p in pairs], [p[:, 1] for p in pairs])
        assert variances(asked).mean() == pytest.approx(mean, rel=1e-9)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_questions_are_the_same_alone_and_among_others(case: Case) -> None:
    # ends where bins meet, which are looked up, and ends inside bins, for which all is bounded
    plan, rng = case.plan(), np.random.default_rng(3)
    users = rng.integers(50, 200, len(plan.levels)).astype(float)
    assert isinstance(plan.layout, GridsLayout)
    table = plan.layout.table(plan.law(users), case.chosen)
    shares = JointShares(table, plan.layout.coefficients([rng.random(level.cells) for level in plan.levels]))
    ends = [np.sort(rng.integers(0, 4 * bins + 1, (2, 60)), axis=0) / 4 for bins in shares.table.shape]
    for each in ends:
        each[:, ::2] = np.round(each[:, ::2])
    starts, stops = [low for low, _ in ends], [high for _, high in ends]
    together = shares.between(starts, stops), *shares.interval(starts, stops, 0.9)
    for q in range(60):
        one, other = [each[q : q + 1] for each in starts], [each[q : q + 1] for each in stops]
        alone = shares.between(one, other), *shares.interval(one, other, 0.9)
        np.testing.assert_allclose([each[q] for each in together], np.concatenate(alone), rtol=0, atol=1e-12)
        value, low, high = (float(each[q]) for each in together)
        if all(np.array_equal(each, np.round(each)) for each in (*one, *other)):
            assert low - 1e-12 <= value <= high + 1e-12


@given(
    tree=st.lists(st.integers(2, 5), min_size=1, max_size=4).map(tuple),
    seed=st.integers(0, 2**32 - 1),
    data=st.data(),
)
def test_an_axis_is_an_orthonormal_basis(tree: tuple[int, ...], seed: int, data: st.DataObject) -> None:
    axis = Axis(tree)
    depth = data.draw(st.integers(0, axis.depth))
    values = np.random.default_rng(seed).standard_normal((3, axis.cells[depth]))
    coefficients = axis.analyse(values, depth)
    np.testing.assert_allclose(np.square(coefficients).sum(), np.square(values).sum())
    finest = np.zeros((3, axis.bins))
    finest[:, : axis.cells[depth]] = coefficients
    # a coarse function, spread evenly over the bins, has the same coefficients but for its scale
    spread = np.repeat(values, axis.sizes[depth], axis=1) / np.sqrt(axis.sizes[depth])
    np.testing.assert_allclose(axis.rebuild(finest, axis.depth), spread, atol=1e-12)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_variance_where_nobody_is_has_a_closed_form(case: Case) -> None:
    plan, rng = case.plan(), np.random.default_rng(4)
    assert isinstance(plan.layout, GridsLayout)
    table = plan.layout.table(plan.law(rng.integers(50, 200, len(plan.levels))), case.chosen)
    ends = [np.sort(rng.integers(0, leaves + 1, (2, 40)), axis=0) for leaves in table.leaves]
    asked = Boxes([low for low, _ in ends], [high for _, high in ends])
    nobody = table.variances(np.zeros([leaves + 1 for leaves in table.leaves]))
    np.testing.assert_allclose(table.spread_variances(asked), nobody(asked), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("unreported", [False, True])
def test_the_variance_in_an_even_population_has_a_closed_form(case: Case, unreported: bool) -> None:
    plan, rng = case.plan(), np.random.default_rng(5)
    users = rng.integers(50, 200, len(plan.levels)).astype(float)
    users[-1] *= not unreported
    assert isinstance(plan.layout, GridsLayout)
    table = plan.layout.table(plan.law(users, population=1.5 * users.sum()), case.chosen)
    ends = [np.sort(rng.integers(0, leaves + 1, (2, 40)), axis=0) for leaves in table.leaves]
    asked = Boxes([low for low, _ in ends], [high for _, high in ends])
    even = table.variances(shares_below(np.full(table.leaves, 1 / math.prod(table.leaves))))
    np.testing.assert_allclose(table.even_variances(asked), even(asked), rtol=1e-9, atol=1e-12)
