"""Categories have no ranges: plans are made for, and errors told of, one category, or people of any."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import ldprange as ldp
from ldprange.decompositions import GridsLayout
from ldprange.least_squares.table import Boxes, shares_below
from ldprange.sampling import Population
from ldprange.workloads import boxes_of, corners_of, own_variances, ranges_of

LABELS = ["north", "east", "south", "west", "abroad"]
PLACES = ldp.Domain.categories(LABELS)
BOTH = ldp.Domain.product(place=PLACES, age=ldp.Domain.integers(0, 7))


def test_questions_are_about_single_bins_where_there_is_no_order() -> None:
    low, high = ranges_of(5, ordered=False)
    assert list(zip(low.tolist(), high.tolist(), strict=True)) == [(bin_, bin_ + 1) for bin_ in range(5)]
    for boxes in (boxes_of, corners_of):
        (alone,), (end,) = boxes((5,), {0})
        assert {*zip(alone.tolist(), end.tolist(), strict=True)} == {(bin_, bin_ + 1) for bin_ in range(5)}
        (place, age), (place_end, age_end) = boxes((5, 8), {0})
        assert {*zip(place.tolist(), place_end.tolist(), strict=True)} == {
            *((bin_, bin_ + 1) for bin_ in range(5)),
            (0, 5),
        }
        assert np.mean(place_end - place == 5) == pytest.approx(0.5, abs=0.01)
        assert len({*zip(age.tolist(), age_end.tolist(), strict=True)}) == (36 if boxes is boxes_of else 8)


def asked(bins: int, *, ordered: bool) -> list[tuple[int, int]]:
    """Return ranges; or each bin, and all of them as often, beside other attributes."""
    if not ordered:
        return [*((bin_, bin_ + 1) for bin_ in range(bins)), *[(0, bins)] * bins]
    low, high = ranges_of(bins)
    return list(zip(low.tolist(), high.tolist(), strict=True))


@pytest.mark.parametrize("unordered", [set(), {0}, {1}, {0, 1}])
def test_what_drawing_people_adds_is_that_of_all_questions(unordered: set[int]) -> None:
    shape = (4, 6)
    boxes = product(*(asked(bins, ordered=place not in unordered) for place, bins in enumerate(shape)))
    shares = [
        math.prod((high - low) / bins for (low, high), bins in zip(box, shape, strict=True)) for box in boxes
    ]
    assert own_variances(shape, unordered)[0] == pytest.approx(
        np.mean([each * (1 - each) for each in shares])
    )
    assert own_variances((4,), {0})[0] == pytest.approx(0.25 * 0.75)


@pytest.mark.parametrize("counts", [None, [5, 1, 0, 3, 1]])
def test_of_categories_alone_the_error_is_that_of_a_category(counts: list[int] | None) -> None:
    plan = ldp.choose_plan(PLACES, epsilon=1.0, expected_users=1000)
    found = plan.predict(1000, counts=counts)
    shares = np.full(5, 0.2) if counts is None else np.array(counts) / np.sum(counts)
    law = plan.law(1000 * np.array(plan.probabilities), None)
    variances = plan.layout.estimator(law).variances(np.append(0.0, np.cumsum(shares)))
    each = variances(np.arange(5), np.arange(5) + 1)
    assert found.range_variance == found.prefix_variance == pytest.approx(each.mean())


@pytest.mark.parametrize("drawn", [None, "respondents"])
def test_beside_numbers_it_is_that_of_a_category_and_a_range(drawn: Population) -> None:
    plan = ldp.choose_plan(BOTH, epsilon=1.0, expected_users=1000)
    law = plan.law(1000 * np.array(plan.probabilities), drawn)
    assert isinstance(plan.layout, GridsLayout)
    variances = plan.layout.table(law, (0, 1)).variances(shares_below(np.full((5, 8), 1 / 40)))
    boxes = np.array(list(product(asked(5, ordered=False), asked(8, ordered=True))))
    every = variances(Boxes(list(boxes[:, :, 0].T), list(boxes[:, :, 1].T)))
    assert plan.predict(1000, population=drawn).range_variance == pytest.approx(every.mean())


def test_no_other_level_probabilities_are_better_for_such_questions() -> None:
    plan = ldp.choose_plan(BOTH, epsilon=1.0, expected_users=1000, workload="ranges")
    best, rng = plan.predict(1e9, population="respondents").range_variance, np.random.default_rng(1)
    for _ in range(30):
        other = np.array(plan.probabilities) * np.exp(0.2 * rng.normal(size=len(plan.probabilities)))
        changed = ldp.Plan(BOTH, 1.0, plan.decomposition, plan.oracles, (other / other.sum()).tolist())
        assert changed.predict(1e9, population="respondents").range_variance > best * (1 - 1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("domain", [PLACES, BOTH], ids=["alone", "beside"])
def test_surveys_are_as_far_off_as_predicted(domain: ldp.Domain) -> None:
    """100 surveys of four independent errors or more: further than 15% off about once in 40,000 times."""
    plan, rng = ldp.choose_plan(domain, epsilon=2.0, expected_users=2000), np.random.default_rng(3)
    column = rng.choice(LABELS, 2000, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    people = column if domain is PLACES else {"place": column, "age": rng.binomial(7, 0.3, 2000)}
    found = ldp.rehearse(plan, people, repetitions=100, seed=1)
    assert found.ranges.measured_rmse == pytest.approx(found.ranges.predicted_rmse, rel=0.15)
    assert found.rows[0][0] == ("5 categories" if domain is PLACES else "2,048 ranges")


def test_what_is_said_is_about_categories() -> None:
    found = ldp.outlook(PLACES, epsilon=0.5, expected_users=100)
    assert found.question == "category"
    assert "the share of people in a typical category to ±" in str(found)
    assert "You'll know a typical category only to ±" in str(
        ldp.compare_plans(PLACES, epsilon=0.5, expected_users=300)
    )
    assert ldp.outlook(BOTH, epsilon=1, expected_users=1000).question == "range"
