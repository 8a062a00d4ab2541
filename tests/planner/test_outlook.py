"""What is said of a survey before anyone is asked."""

from __future__ import annotations

import json
import math
from functools import cache
from itertools import pairwise

import pytest

import ldprange as ldp
from ldprange.errors import ArgumentTypeError, PlanError
from ldprange.planner.outlooks import points, rounded_up
from ldprange.prediction import WANTED_MARGIN

NUMBERS = ldp.Domain.integers(0, 120)
LABELS = ldp.Domain.categories(["bus", "car", "bicycle", "train", "foot"])
SEVERAL = ldp.Domain.product(age=ldp.Domain.integers(0, 31), way=LABELS)
LARGE = ldp.Domain.integers(0, 60_000_000)
OPEN = ldp.Domain.integers(0, 120, open_ends="high", no_answer=True)
SURVEYS = [
    (NUMBERS, 1.0, 300),
    (NUMBERS, 3.0, 300),
    (LABELS, 0.7, 300),
    (SEVERAL, 1.0, 1000),
    (OPEN, 1.0, 1000),
]


@cache  # several tests look at each
def outlook(domain: ldp.Domain, epsilon: float, users: int) -> ldp.Outlook:
    return ldp.outlook(domain, epsilon=epsilon, expected_users=users)


def margin(domain: ldp.Domain, epsilon: float, users: float) -> float:
    """Return the margin of the plan that is chosen."""
    plan = ldp.choose_plan(domain, epsilon=epsilon, expected_users=users)
    return plan.predict(users).margin


@pytest.mark.parametrize(
    ("domain", "epsilon", "users"),
    [*SURVEYS, (NUMBERS, 1.0, 100_000), pytest.param(LARGE, 1.0, 1000, marks=pytest.mark.slow)],
)
def test_the_margin_is_that_of_the_plan_that_is_chosen(
    domain: ldp.Domain, epsilon: float, users: int
) -> None:
    found = outlook(domain, epsilon, users)
    assert found.margin == margin(domain, epsilon, users)
    assert found.enough == (found.margin <= WANTED_MARGIN)


@pytest.mark.parametrize(("domain", "epsilon", "users"), SURVEYS)
def test_whoever_does_one_of_the_things_it_offers_learns_enough(
    domain: ldp.Domain, epsilon: float, users: int
) -> None:
    found = outlook(domain, epsilon, users)
    assert not found.enough
    assert margin(domain, epsilon, found.users_needed) <= WANTED_MARGIN
    assert margin(domain, epsilon, 0.99 * found.users_needed) > WANTED_MARGIN
    assert found.epsilon_needed is not None
    assert margin(domain, found.epsilon_needed, users) <= WANTED_MARGIN
    if found.bins_needed is not None and len(domain.attributes) == 1 and not domain.unordered:
        fewer = ldp.Domain.integers(0, found.bins_needed - 1 + domain.bins - domain.plain.bins)
        assert margin(fewer, epsilon, users) <= WANTED_MARGIN


def test_only_the_bins_of_values_can_be_fewer() -> None:
    found = outlook(OPEN, 1.0, 1000)
    assert "- ask for 2 bins besides “more than 120” and “no answer” instead of 121 (" in str(found)
    assert found.margins[0] == pytest.approx(
        [margin(ldp.Domain.integers(0, 3), epsilon, 1000) for epsilon in found.epsilons], rel=0.02
    )


def test_days_are_fewer_as_labels() -> None:
    days = ldp.Domain.dates("2026-01-01", "2026-12-31")
    assert "(weeks or months, as labels) instead of 365 (" in str(outlook(days, 1.0, 3000))


def test_of_several_attributes_each_has_so_many_bins() -> None:
    found = str(ldp.outlook(SEVERAL, epsilon=2.0, expected_users=1000))
    assert "bins of each attribute instead of 32 (" in found
    assert "answers, by bins of each attribute:\n" in found


def test_it_offers_no_cut_where_not_even_halves_can_be_told_apart() -> None:
    found = ldp.outlook(NUMBERS, epsilon=0.5, expected_users=100)
    assert found.bins_needed is None
    assert "bins instead" not in str(found)


@pytest.mark.parametrize(("domain", "epsilon", "users"), SURVEYS)
def test_the_table_gets_better_to_the_right_and_upwards(
    domain: ldp.Domain, epsilon: float, users: int
) -> None:
    found = outlook(domain, epsilon, users)
    assert found.bins[-1] == max(part.plain.bins for part in domain.attributes.values())
    assert epsilon in found.epsilons
    assert found.epsilons == tuple(sorted(found.epsilons))
    for row in found.margins:
        assert list(row) == sorted(row, reverse=True)
    if len(domain.attributes) == 1:
        # of many categories each is few people, of whom chance draws about as many: at a large ε that is all
        columns = list(zip(*found.margins, strict=True))[: 1 if domain.unordered else None]
        for column in columns:
            for fewer, more in pairwise(column):
                assert fewer <= 1.02 * more  # at a large ε all are alike


def test_it_reads_well() -> None:
    text = str(outlook(NUMBERS, 1.0, 300))
    assert text.startswith(
        "With 300 answers at ε = 1, you'll know the share of people in a typical range to ± 51"
    )
    assert (
        "- ask for 2 bins instead of 121 (± 10)\n- spend ε = 4 for each person (± 8.9)\n- ask 7,700 people"
        in text
    )
    assert "\n 121     ± 100    ± 51    ± 23    ± 13   ± 8.9   ± 5.6" in text
    enough = str(outlook(NUMBERS, 1.0, 100_000))
    assert "too rough" not in enough
    assert "instead" not in enough


def test_it_is_plain_json() -> None:
    found = outlook(LABELS, 0.7, 300)
    told = json.loads(json.dumps(found.to_dict()))
    assert told["enough"] is False
    assert told["margin"] == found.margin
    assert told["bins"] == [2, 4, 5]


def test_a_comparison_of_plans_points_to_it() -> None:
    assert "ldprange.outlook" in str(ldp.compare_plans(NUMBERS, epsilon=1, expected_users=300))
    assert "outlook" not in str(ldp.compare_plans(NUMBERS, epsilon=1, expected_users=100_000))


@pytest.mark.parametrize("number", [1, 41, 99, 100, 101, 7_700, 7_701, 123_456])
def test_numbers_are_rounded_up_to_two_digits(number: int) -> None:
    found = rounded_up(number)
    assert number <= found < number * 1.1 + 1
    assert len(str(found).rstrip("0")) <= 2


def test_points_have_two_digits() -> None:
    assert [points(margin) for margin in (0.0, 0.0494, 0.0994, 0.0996, 0.5, 7)] == [
        *("± 0.0", "± 4.9", "± 9.9", "± 10", "± 50", "± 100")
    ]


def test_what_is_no_survey_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match="domain"):
        ldp.outlook("ages", epsilon=1, expected_users=300)  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="expected_users"):
        ldp.outlook(NUMBERS, epsilon=1, expected_users=0)
    with pytest.raises(PlanError):
        ldp.outlook(NUMBERS, epsilon=math.nan, expected_users=10)


@pytest.mark.slow
@pytest.mark.parametrize(("bins", "epsilon"), [(16, 0.5), (64, 1.0)])
def test_of_many_attributes_as_many_people_are_enough(bins: int, epsilon: float) -> None:
    """What cells hide does not fall with the root of the number of people."""
    four = ldp.Domain.product(**dict.fromkeys("abcd", ldp.Domain.integers(1, bins)))
    needed = ldp.outlook(four, epsilon=epsilon, expected_users=300).users_needed
    assert ldp.outlook(four, epsilon=epsilon, expected_users=needed).enough
    assert not ldp.outlook(four, epsilon=epsilon, expected_users=0.97 * needed).enough
