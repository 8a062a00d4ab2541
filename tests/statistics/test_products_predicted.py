"""What plans of several attributes promise before anyone is asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ldprange as ldp
from example_products import THREE, TWO, people
from ldprange.decompositions import GridsLayout
from ldprange.least_squares.table import Boxes, shares_below


def test_a_prime_number_of_bins_costs_little() -> None:
    def error(bins: int) -> float:
        domain = ldp.Domain.product(a=ldp.Domain.integers(0, bins - 1), b=ldp.Domain.integers(0, 99))
        return ldp.choose_plan(domain, epsilon=1.0, expected_users=1e6).predict(1e6).range_rmse

    assert error(101) < 1.02 * error(105)


def test_pairs_are_predicted_by_the_mean_over_all_of_them() -> None:
    domain = ldp.Domain.product(**{each: ldp.Domain.integers(0, 7) for each in "abcd"})
    plan = ldp.choose_plan(domain, epsilon=6.0, expected_users=1e5)
    even = plan.predict(1e5, np.ones(domain.shape))
    assert plan.predict(1e5).range_variance == pytest.approx(even.range_variance, rel=0.02)
    skewed = np.ones(domain.shape)
    skewed[0] += 100.0  # of the first attribute alone, so that pairs differ
    turned = np.moveaxis(skewed, 0, 3)
    assert plan.predict(1e5, skewed).range_variance == pytest.approx(
        plan.predict(1e5, turned).range_variance, rel=0.02
    )


def test_an_even_choice_of_boxes_is_as_good_as_all() -> None:
    side = ldp.Domain.integers(0, 63)
    domain = ldp.Domain.product(a=side, b=side)
    plan = ldp.Plan(domain, 1.0, ldp.Tree(4), ldp.OUE())
    sampled, exact = plan.predict(1e4, np.ones(domain.shape)), plan.predict(1e4)
    assert sampled.range_variance == pytest.approx(exact.range_variance, rel=0.01)
    assert sampled.prefix_variance == pytest.approx(exact.prefix_variance, rel=0.01)


@pytest.mark.parametrize("domain", [TWO, THREE], ids=["2", "3"])
def test_what_is_predicted_of_a_population_is_the_mean_over_all_boxes(domain: ldp.Domain) -> None:
    plan, counts, users = ldp.Plan(domain, 2.0, ldp.Tree(2), ldp.OUE()), people(domain), 5000
    assert isinstance(plan.layout, GridsLayout)
    table = plan.layout.table(plan.law(users * np.array(plan.probabilities)), range(len(domain.shape)))
    variances = table.variances(shares_below(counts / counts.sum()))
    sides = [np.triu_indices(bins) for bins in domain.shape]
    ends = [(np.zeros(bins, np.int64), np.arange(bins)) for bins in domain.shape]
    for place in domain.unordered:  # one by one, or all of them
        bins = domain.shape[place]
        each, none, last = np.arange(bins), np.zeros(bins, np.int64), np.full(bins, bins - 1)
        sides[place] = ends[place] = np.append(each, none), np.append(each, last)
    chosen = np.indices([low.size for low, _ in sides]).reshape(len(sides), -1)
    low = [side[0][rows] for side, rows in zip(sides, chosen, strict=True)]
    high = [side[1][rows] + 1 for side, rows in zip(sides, chosen, strict=True)]
    mean = variances(Boxes(low, high)).mean()
    predicted = plan.predict(users, counts)
    assert predicted.range_variance == pytest.approx(mean, rel=0.03)
    chosen = np.indices([low.size for low, _ in ends]).reshape(
        len(ends), -1
    )  # few enough for all to be taken
    zeros = [side[0][rows] for side, rows in zip(ends, chosen, strict=True)]
    upto = [side[1][rows] + 1 for side, rows in zip(ends, chosen, strict=True)]
    exact = variances(Boxes(zeros, upto)).mean()
    assert predicted.prefix_variance == pytest.approx(exact)


@pytest.mark.parametrize("counts", [np.ones(96), -np.ones((16, 6)), np.zeros((16, 6)), "x"])
def test_a_population_of_another_shape_is_refused(counts: Any) -> None:
    with pytest.raises(ldp.PlanError, match="16 × 6 numbers"):
        ldp.Plan(TWO, 1.0, ldp.Tree(4), ldp.HRR()).predict(100, counts)
