"""Trees that have more leaves than an attribute has bins: nobody is in the others, and no bin gains by them.

Seeds are fixed; had they been drawn afresh, a correct library would fail with probability below 1e-3.
"""

from __future__ import annotations

from functools import reduce
from typing import Literal, cast

import numpy as np
import pytest

import ldprange as ldp
from example_products import joint
from ldprange.decompositions import GridsLayout
from ldprange.estimation.joint_shares import JointShares
from ldprange.simulation import simulate_drawn


@pytest.mark.parametrize("bins", [(40, 100), (23, 365), (13, 9), (64, 33)])
def test_where_reports_tell_nothing_people_are_even_over_bins(bins: tuple[int, int]) -> None:
    domain = ldp.Domain.product(a=ldp.Domain.integers(0, bins[0] - 1), b=ldp.Domain.integers(0, bins[1] - 1))
    plan = ldp.choose_plan(domain, epsilon=1.0, expected_users=300, answers="denoised")
    grids, law = cast(GridsLayout, plan.layout), plan.law([100] * len(plan.mechanisms))
    levels = []
    for depths in grids.depths.tolist():
        cells = []
        for axis, depth in zip(grids.axes, depths, strict=True):
            people = np.append(np.full(axis.bins, 1 / axis.bins), np.zeros(axis.leaves - axis.bins))
            cells.append(people.reshape(axis.cells[depth], -1).sum(axis=1))
        levels.append(reduce(np.multiply.outer, cells).reshape(-1))
    coarse = 0
    for place, axis in enumerate(grids.axes):
        found = JointShares(grids.table(law, (place,)), grids.coefficients(levels))
        assert found.table == pytest.approx(
            np.append(np.full(axis.bins, 1 / axis.bins), np.zeros(axis.leaves - axis.bins)), abs=1e-12
        )
        coarse += found.steps[0] > 1
    assert coarse


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bins", "epsilon", "users"), [(100, 1.0, 15_000), (50, 1.0, 5_000), (20, 0.5, 2_000)]
)
@pytest.mark.parametrize("answers", ["unbiased", "denoised"])
def test_denoising_sees_nobody_beyond_the_last_bin(
    bins: int, epsilon: float, users: int, answers: Literal["unbiased", "denoised"]
) -> None:
    """It had 4 to 7 times as many people in the last of even bins as are there."""
    domain = ldp.Domain.product(a=ldp.Domain.integers(0, bins - 1), b=ldp.Domain.integers(0, 63))
    plan = ldp.choose_plan(domain, epsilon=epsilon, expected_users=users, answers=answers)
    each = np.arange(64 * bins)
    people = np.stack([each % bins, each // bins]).astype(np.uint32)
    last = [
        joint(simulate_drawn(plan, people, users, seed=seed), denoise=True).range(a=bins - 1).value
        for seed in range(8)
    ]
    assert 0 <= np.mean(last) < 1.5 / bins + 3 * np.std(last) / np.sqrt(len(last))


def test_categories_beyond_the_last_are_none() -> None:
    labels = ldp.Domain.categories(list("abcde"))
    domain = ldp.Domain.product(a=labels, b=ldp.Domain.integers(0, 15))
    plan = ldp.Plan(domain, 1.0, ldp.Tree(2), ldp.HRR())
    people = np.stack([np.arange(80) % 5, np.arange(80) // 5]).astype(np.uint32)
    last = [
        joint(simulate_drawn(plan, people, 10_000, seed=seed), denoise=True).range(a="e").value
        for seed in range(12)
    ]
    assert np.mean(last) == pytest.approx(0.2, abs=0.05)
