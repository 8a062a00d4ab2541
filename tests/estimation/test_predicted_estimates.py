"""The estimate to expect, against surveys that are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ldprange as ldp
from ldprange.simulation import simulate_quickly

MINUTES = ldp.Domain.integers(0, 120)
EVEN = np.full(121, 1 / 121)
BELL = np.exp(-(((np.arange(121) - 35) / 12) ** 2) / 2)
USERS = 10_000


@pytest.mark.slow
@pytest.mark.parametrize("people", [EVEN, BELL / BELL.sum()], ids=["even", "bell"])
@pytest.mark.parametrize("no_answer", [False, True])
def test_a_surveys_quantiles_are_as_far_off_as_predicted(people: Any, no_answer: bool) -> None:
    """Of 100 surveys at least 95 are expected inside: 87 or fewer come about less than once in 1,000 times.

    Were the interval far too long, hardly any would be outside its inner quarter; at least 10 have to be.
    """
    domain, counts = MINUTES.with_no_answer(no_answer), np.append(people, [0.25] * no_answer)
    plan = ldp.choose_plan(domain, epsilon=1.0, expected_users=USERS)
    expected = ldp.predict_estimate(plan, USERS, counts=counts)
    rng = np.random.default_rng(1)
    drawn = [rng.multinomial(USERS, counts / counts.sum()) for _ in range(100)]
    found = [ldp.estimate(simulate_quickly(plan, each, seed=seed)) for seed, each in enumerate(drawn)]
    for q in (0.25, 0.5, 0.75):
        answer = expected.quantile(q)
        assert answer.value == np.searchsorted(people.cumsum(), q)
        values = np.array([each.quantile(q, confidence=None).value for each in found])
        assert np.mean((values >= answer.low) & (values <= answer.high)) > 0.87
        length = float(answer.high or 0) - float(answer.low or 0)
        assert np.mean(np.abs(values - answer.value) > length / 8) > 0.1


def test_its_other_errors_are_those_of_the_prediction() -> None:
    plan = ldp.choose_plan(MINUTES, epsilon=1.0, expected_users=USERS)
    expected = ldp.predict_estimate(plan, USERS, population="respondents")
    prefixes = expected.cdf(confidence=0.6826894921)  # a standard deviation to either side
    assert prefixes.high is not None
    measured = np.mean((prefixes.high - prefixes.value) ** 2)
    predicted = plan.predict(USERS, counts=EVEN, population="respondents").prefix_variance
    assert measured == pytest.approx(predicted, rel=0.02)
    assert expected.mean().value == pytest.approx(60)
    assert expected.users == USERS


def test_left_out_people_are_spread_evenly() -> None:
    plan = ldp.choose_plan(MINUTES, epsilon=1.0, expected_users=USERS)
    left_out, even = (ldp.predict_estimate(plan, USERS, counts=counts) for counts in (None, 7 * EVEN))
    for answer, other in zip(
        left_out.quantiles([0.1, 0.5]).interval or (), even.quantiles([0.1, 0.5]).interval or (), strict=True
    ):
        assert answer.tolist() == other.tolist()


def test_what_cannot_be_predicted_says_so() -> None:
    plan = ldp.choose_plan(MINUTES, epsilon=1.0, expected_users=USERS)
    anything: Any = ldp.predict_estimate
    with pytest.raises(ldp.PlanError, match="users must be a finite number above 0, got 0"):
        anything(plan, 0)
    with pytest.raises(ldp.PlanError, match=r"counts must be 121 numbers .* got shape \(3,\)"):
        anything(plan, USERS, counts=[1, 2, 3])
    with pytest.raises(ldp.ArgumentTypeError, match="what is predicted must be of type Plan"):
        anything("plan", USERS)
    both = ldp.choose_plan(ldp.Domain.product(a=MINUTES, b=MINUTES), epsilon=1.0, expected_users=USERS)
    with pytest.raises(ldp.PlanError, match="of one attribute, and this plan has several"):
        anything(both, USERS)
