"""How far off answers typically are: noise, and what cells of several bins add."""

from __future__ import annotations

import math

import pytest

import ldprange as ldp
from ldprange.planner.typical_error import non_uniformity, typical_margin

LINE = ldp.Domain.integers(1, 64)


def several(attributes: int) -> ldp.Domain:
    return ldp.Domain.product(**dict.fromkeys("abcd"[:attributes], LINE))


@pytest.mark.parametrize("domain", [LINE, several(2), several(3)], ids=["one", "two", "three"])
def test_where_bins_are_cells_there_is_only_noise(domain: ldp.Domain) -> None:
    plan = ldp.choose_plan(domain, epsilon=1.0, expected_users=10_000)
    assert non_uniformity(plan) == 0
    assert typical_margin(plan, 10_000) == plan.predict(10_000).margin


@pytest.mark.parametrize("depth", [1, 3, 5])
def test_a_pair_is_off_by_as_much_of_a_cell_on_either_attribute(depth: int) -> None:
    four = several(4)
    plan = ldp.Plan(four, 1.0, ldp.Grids.pairs(four, depth=depth), ldp.OLH())
    assert non_uniformity(plan) == pytest.approx(0.11 * math.sqrt(2) / 2**depth)
    noise = plan.predict(10_000).range_rmse
    assert typical_margin(plan, 10_000) == pytest.approx(1.96 * math.hypot(noise, non_uniformity(plan)))


def test_an_attribute_of_few_bins_has_no_cells_of_several() -> None:
    mixed = ldp.Domain.product(a=LINE, b=LINE, c=ldp.Domain.integers(1, 4), d=ldp.Domain.integers(1, 4))
    plan = ldp.Plan(mixed, 1.0, ldp.Grids.pairs(mixed, depth=3), ldp.OLH())
    assert non_uniformity(plan) == pytest.approx(0.11 / 8)  # on one of the two of a pair, in the mean


def test_plans_for_denoised_answers_have_cells_of_several_bins_too() -> None:
    plan = ldp.choose_plan(several(2), epsilon=1.0, expected_users=10_000, answers="denoised")
    assert non_uniformity(plan) == pytest.approx(0.11 * math.sqrt(2) / 8)


def test_grids_of_one_attribute_each_tell_of_no_two() -> None:
    two = several(2)
    alone = ldp.Plan(two, 1.0, ldp.Grids([(64,), (64,)], [(1, 0), (0, 1)]), ldp.OLH())
    assert non_uniformity(alone) == 0
