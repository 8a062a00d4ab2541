"""What is to be expected of denoised answers: over kinds of populations, of one attribute and several."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import factorial, prod

import numpy as np
import pytest
from scipy.stats import chisquare

import ldprange as ldp
from experiments.data import people as people_of
from ldprange.errors import PlanError
from ldprange.rehearsal.kinds import KINDS, kinds_of_line, kinds_of_people
from ldprange.simulation import simulate_drawn

AGES = ldp.Domain.integers(0, 119)
SMALL = ldp.Domain.integers(0, 15)
KINDS_OF_WORK = ldp.Domain.categories([f"work {number}" for number in range(20)])
TWO = ldp.Domain.product(age=SMALL, income=SMALL)
USERS = 20_000  # of most surveys, so that little is predicted twice
FEW = ldp.Domain.categories(["bus", "car", "train"])
MIXED = ldp.Domain.product(age=SMALL, work=KINDS_OF_WORK)


def _plan(domain: ldp.Domain, users: float) -> ldp.Plan:
    return ldp.choose_plan(domain, epsilon=1, expected_users=users, answers="denoised")


@cache
def _predicted(plan: ldp.Plan, users: float) -> ldp.DenoisedPrediction:
    return ldp.predict_denoised(plan, users)


@pytest.mark.slow
@pytest.mark.parametrize("domain", [AGES, KINDS_OF_WORK, ldp.Domain.product(age=SMALL, travel=FEW)])
def test_more_people_are_predicted_to_leave_less_error(domain: ldp.Domain) -> None:
    few, many = (_predicted(_plan(domain, users), users) for users in (USERS, 100 * USERS))
    for one, other in ((few.range_rmse, many.range_rmse), (few.prefix_rmse, many.prefix_rmse)):
        assert other[0] < one[0] / 3
        assert other[1] < one[1] / 3


@pytest.mark.slow
@pytest.mark.parametrize("population", ["cauchy", "bimodal", "step", "spiky"])
def test_what_is_predicted_is_about_what_is_found(population: str) -> None:
    """The mean of 12 repetitions lies within a factor of 1.6 of the range that is predicted."""
    plan = _plan(AGES, USERS)
    counts = people_of(population, 120, USERS)
    truth, total = np.append(0.0, np.cumsum(counts) / USERS), 0.0
    for seed in range(12):
        found = ldp.estimate(ldp.simulate(plan, counts, seed=seed), denoise=True)
        off = np.append(0.0, found.cdf(confidence=None).value) - truth
        total += (121 * off @ off - off.sum() ** 2) / (121 * 120 / 2)
    low, high = _predicted(plan, USERS).range_rmse
    assert low / 1.6 < np.sqrt(total / 12) < 1.6 * high


@pytest.mark.slow
@pytest.mark.parametrize("domain", [TWO, KINDS_OF_WORK])
def test_surveys_find_about_what_is_predicted_of_several(domain: ldp.Domain) -> None:
    """Of normals, five surveys: within a factor of 2 of the range that is predicted."""
    _, people, *_ = kinds_of_people(domain, USERS)
    plan = _plan(domain, USERS)
    columns = dict(zip(domain.attributes, people, strict=True))
    labels = np.array([f"work {number}" for number in range(20)])
    values = {
        name: labels[bins] if domain.attributes[name].unordered else bins for name, bins in columns.items()
    }
    found = ldp.rehearse(plan, values.get("", values), repetitions=5, denoise=True, seed=1)
    predicted = _predicted(plan, USERS)
    for score, (low, high) in ((found.ranges, predicted.range_rmse), (found.prefixes, predicted.prefix_rmse)):
        assert low / 2 < score.measured_rmse < 2 * high


@pytest.mark.slow
@pytest.mark.parametrize("bins", range(1, 9))
def test_a_few_bins_are_predicted_too(bins: int) -> None:
    domain = ldp.Domain.integers(1, bins)
    least, greatest = ldp.predict_denoised(_plan(domain, 1000), 1000).range_rmse
    assert 0 <= least <= greatest < 0.3


def test_it_tells_how_far_it_is() -> None:
    done: list[int] = []
    ldp.predict_denoised(_plan(FEW, 1000), 1000, progress=done.append)
    assert done == [1, 2, 3, 4, 5, 6]


def test_the_same_is_predicted_every_time() -> None:
    """Whatever is drawn for it, side by side, has seeds of its own."""
    one, other = (ldp.predict_denoised(_plan(FEW, 1000), 1000) for _ in range(2))
    assert one == other


@pytest.mark.parametrize("users", [0, -1, float("nan"), float("inf")])
def test_people_there_must_be(users: float) -> None:
    with pytest.raises(PlanError, match="users"):
        ldp.predict_denoised(_plan(FEW, 1000), users)


def test_kinds_are_as_many_on_a_line_as_of_people() -> None:
    assert len(kinds_of_line(np.linspace(0, 1, 20))) == len(list(kinds_of_people(MIXED, 10))) == KINDS


def test_people_of_every_kind_lie_in_the_domain_and_are_the_same_every_time() -> None:
    for one, other in zip(kinds_of_people(MIXED, 500), kinds_of_people(MIXED, 500), strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.shape == (2, 500)
        assert np.all(one.max(axis=1) < MIXED.shape)


def test_categories_are_in_no_order() -> None:
    """Of people whose numbers are nearly the same on both attributes, categories are not."""
    *_, line, _ = kinds_of_people(MIXED, 10_000)
    *_, numbers, _ = kinds_of_people(TWO, 10_000)
    assert abs(np.corrcoef(*line)[0, 1]) < 0.5 < 0.9 < np.corrcoef(*numbers)[0, 1]


def test_those_who_answer_are_anybody_of_the_people() -> None:
    """Counts have exactly the law of independent draws, each randomised; false alarms one in a million."""
    plan = ldp.Plan(ldp.Domain.integers(0, 2), 1.0, ldp.Flat(), ldp.GRR())
    kept = np.exp(1) / (np.exp(1) + 2)
    chances = np.array([2, 1, 0]) / 3 * kept + np.array([1, 2, 3]) / 3 * (1 - kept) / 2
    tallies = [
        tuple(simulate_drawn(plan, np.array([[0, 1, 0]], np.uint32), 3, seed=seed).counts[0].tolist())
        for seed in range(4000)
    ]
    cells = [counts for counts in product(range(4), repeat=3) if sum(counts) == 3]
    expected = [
        4000 * factorial(3) / prod(map(factorial, counts)) * prod(chances**counts) for counts in cells
    ]
    assert chisquare([tallies.count(counts) for counts in cells], expected).pvalue > 1e-6
