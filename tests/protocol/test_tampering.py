"""Whether made-up reports are noticed, and honest ones are not."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import ldprange as ldp
from experiments.liars.lies import item_weights, joined, range_weights
from ldprange.errors import ArgumentError, ArgumentTypeError
from ldprange.support.arrays import Counts
from ldprange.tampering.comparisons import Comparisons, logarithm_of

USERS, LIARS = 100_000, 10_000
DOMAIN = ldp.Domain.integers(0, 63)
PLANS = {
    "default": ldp.choose_plan(DOMAIN, epsilon=1.0, expected_users=USERS),
    "default at 4": ldp.choose_plan(DOMAIN, epsilon=4.0, expected_users=USERS),
    "tree": ldp.Plan(DOMAIN, 1.0, ldp.Tree(branching=4), ldp.OUE()),
    "hashes": ldp.Plan(DOMAIN, 1.0, ldp.Tree(branching=4), ldp.HadamardHashing()),
    "sets": ldp.Plan(DOMAIN, 1.0, ldp.Windows([8, 1]), ldp.SubsetSelection()),
    "cells": ldp.Plan(DOMAIN, 1.0, ldp.Windows.coarse(DOMAIN, 16), ldp.SubsetSelection()),
}


def population(seed: int, users: int = USERS) -> Counts:
    rng = np.random.default_rng(seed)
    return DOMAIN.count((64 * rng.beta(2, 5, users)).astype(int))


@pytest.mark.slow
@pytest.mark.parametrize("name", [*PLANS, "Haar"])
def test_honest_reports_are_not_suspicious(name: str) -> None:
    """Of 8 surveys each one would be found with a chance of at most 0.001."""
    plan = PLANS.get(name) or ldp.Plan(DOMAIN, 1.0, ldp.Haar(), ldp.HRR())
    for seed in range(4):
        crowd = np.bincount([0, 63], [USERS - 5, 5]).astype(np.int64)  # nearly everybody in one bin
        for people in (population(seed), crowd):
            found = ldp.check(ldp.simulate(plan, people, seed=seed))
            assert not found.suspicious, str(found)
            assert max(found.nearest.values()) > 0.1  # the allowance is not out of all proportion


@pytest.mark.parametrize("users", [1, 20, 30_000])
@pytest.mark.parametrize("epsilon", [0.2, 8.0])
def test_nothing_is_found_where_some_levels_know_far_more_than_all_do_of_others(
    users: int, epsilon: float
) -> None:
    """Of 6 surveys one would be found with a chance of at most 0.05, were the bounds exact."""
    people = np.bincount([0, 63], [users - users // 2, users // 2], minlength=64).astype(np.int64)
    for plan in (
        ldp.choose_plan(DOMAIN, epsilon=epsilon, expected_users=1000),
        ldp.Plan(DOMAIN, epsilon, ldp.Tree(branching=4), ldp.OUE()),
    ):
        for seed in range(3):
            found = ldp.check(ldp.simulate(plan, people, seed=seed), false_alarms=0.05)
            assert not found.suspicious, str(found)


@pytest.mark.slow
def test_honest_reports_of_few_people_on_a_large_domain_are_not_suspicious() -> None:
    """Of 20 surveys one would be found with a chance of at most 0.02; one report moves answers far."""
    bins, users = 20_000, 100
    plan = ldp.choose_plan(ldp.Domain.integers(0, bins - 1), epsilon=8.0, expected_users=users)
    people = np.bincount([bins // 3], [users], minlength=bins).astype(np.int64)
    for seed in range(20):
        found = ldp.check(ldp.simulate(plan, people, seed=seed))
        assert not found.suspicious, str(found)


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("attack", ["range", "items"])
def test_one_made_up_report_in_ten_is_found(name: str, attack: str) -> None:
    plan, rng = PLANS[name], np.random.default_rng(5)
    weights = range_weights(plan, 40, 46) if attack == "range" else item_weights(plan, [3, 17, 40, 41, 60])
    found = ldp.check(joined(plan, ldp.simulate(plan, population(1), seed=1), weights, LIARS, rng))
    assert found.suspicious
    assert {finding.kind for finding in found.findings} & {"shares", "agreement"}
    assert found.findings[0].times == max(finding.times for finding in found.findings) > 1
    assert "Count again without the sources that you doubt" in str(found)


def test_findings_speak_of_values() -> None:
    """Such as days, whose bins nobody knows by their numbers."""
    days = ldp.Domain.dates("2026-03-01", "2026-05-03")
    plan = ldp.Plan(days, 1.0, ldp.Tree(8), ldp.OUE())
    counted = ldp.simulate(plan, population(1), seed=1)
    found = ldp.check(joined(plan, counted, range_weights(plan, 40, 46), LIARS, np.random.default_rng(5)))
    texts = [finding.text for finding in found.findings if finding.kind in ("shares", "agreement")]
    assert texts
    whom = re.compile(r"all people|with (values from|the value) 2026-0\d-\d\d")
    assert all(whom.search(text) for text in texts), texts


def test_no_answer_is_no_end_of_a_range() -> None:
    """Lies about bins 50 to 61 of 62 (0 to 60 and no answer): on levels of bins, blocks and windows."""
    domain = ldp.Domain.integers(0, 60, no_answer=True)
    honest = domain.count(np.random.default_rng(1).integers(0, 61, USERS))
    texts = []
    for plan in (
        ldp.Plan(domain, 1.0, ldp.Flat(), ldp.OUE()),
        ldp.Plan(domain, 1.0, ldp.Tree(4), ldp.OUE()),
        ldp.choose_plan(domain, epsilon=1.0, expected_users=USERS),
    ):
        counted, weights = ldp.simulate(plan, honest, seed=1), range_weights(plan, 50, 62)
        found = ldp.check(joined(plan, counted, weights, LIARS, np.random.default_rng(5)))
        texts += [finding.text for finding in found.findings]
    assert not [text for text in texts if "to no answer" in text]
    wholes = [text for text in texts if "the share of all people is " in text]
    assert wholes
    assert all(text.endswith(("all levels together 1.000", "must say 0 to 1")) for text in wholes), wholes
    assert any(re.search(r"with values from \d+ to 60 or no answer is ", text) for text in texts), texts
    plan = ldp.Plan(ldp.Domain.integers(0, 1, no_answer=True), 1.0, ldp.Flat(), ldp.OUE())
    counts = [np.array([0.27 * USERS, 0.27 * USERS, USERS], np.int64)]
    declined = ldp.check(ldp.Aggregate(plan, [USERS], counts).checked()).findings[0].text
    assert "the share of people with no answer is 3." in declined


def test_levels_that_come_too_often_are_found() -> None:
    plan, rng = PLANS["default"], np.random.default_rng(5)
    honest = ldp.simulate(plan, population(1), seed=1)
    found = ldp.check(joined(plan, honest, range_weights(plan, 40, 46), LIARS // 4, rng, level=2))
    assert any(finding.kind == "levels" and "level 3 has" in finding.text for finding in found.findings)


@pytest.mark.parametrize("place", ["shift", "line"])
def test_public_coins_that_are_not_fair_are_found(place: str) -> None:
    """A thousand reports with the same shift, or the same index of a hash; those were drawn honestly."""
    plan = PLANS["sets"] if place == "shift" else PLANS["hashes"]
    aggregate = ldp.simulate(plan, population(1), seed=1)
    level = 0 if place == "shift" else 2
    mechanism, rng = plan.mechanisms[level], np.random.default_rng(1)
    column = mechanism.encode_many(rng.integers(0, mechanism.cells, 100_000).astype(np.uint32), rng)
    rows = mechanism.pack(column)
    same = rows[(rows[:, 0] == 3) if place == "shift" else (column // 4 == 5)][:1000]
    counts = [*aggregate.counts]
    counts[level] = counts[level] + mechanism.tally(mechanism.unpack(same))
    users = list(aggregate.users)
    users[level] += len(same)
    found = ldp.check(ldp.Aggregate(plan, users, counts).checked())
    outcome = 3 if place == "shift" else 5
    text = f"outcome {outcome} of a public coin on level {level + 1} came"
    assert any(finding.kind == "coins" and finding.text.startswith(text) for finding in found.findings), found


def test_a_lie_about_a_value_is_not_found() -> None:
    """It cannot be: it is what an honest person with that value sends."""
    plan = PLANS["default"]
    people = population(1)
    people[40] += LIARS
    assert not ldp.check(ldp.simulate(plan, people, seed=1)).suspicious


def test_several_attributes_are_checked_one_by_one() -> None:
    domain = ldp.Domain.product(age=ldp.Domain.integers(0, 63), sex=ldp.Domain.categories(["f", "m"]))
    plan = ldp.choose_plan(domain, epsilon=1.0, expected_users=USERS)
    rng = np.random.default_rng(1)
    people = np.zeros(domain.shape, np.int64)
    np.add.at(people, ((64 * rng.beta(2, 5, USERS)).astype(int), rng.integers(0, 2, USERS)), 1)
    honest = ldp.simulate(plan, people, seed=1)
    assert not ldp.check(honest).suspicious
    weights = []
    for level in plan.levels:
        cells = np.zeros(level.shape)  # type: ignore[attr-defined]
        cells[level.cells_of(np.array([[40], [0]]))[0] // level.shape[1]] = 1.0  # type: ignore[attr-defined]
        weights.append(cells.reshape(-1))
    found = ldp.check(joined(plan, honest, weights, LIARS, np.random.default_rng(1)))
    assert any("values of age from" in finding.text for finding in found.findings), found


def test_nothing_is_found_in_nothing() -> None:
    found = ldp.check(ldp.Aggregate.empty(PLANS["default"]))
    assert not found.suspicious
    assert set(found.comparisons.values()) == {0}


def test_the_result_says_in_words_what_was_found() -> None:
    plan = PLANS["tree"]
    honest = ldp.check(ldp.simulate(plan, population(1), seed=1), false_alarms=0.01)
    assert "Nothing was found" in str(honest)
    assert "at most 0.01" in str(honest)
    weights = range_weights(plan, 40, 46)
    told = ldp.check(
        joined(plan, ldp.simulate(plan, population(1), seed=1), weights, LIARS, np.random.default_rng(1))
    )
    assert "not what honest clients send" in str(told)
    assert json.loads(json.dumps(told.to_dict()))["suspicious"] is True


def test_bernsteins_bound_holds_for_coins() -> None:
    """The exact tail of a binomial beyond what is allowed is never above the stated chance."""
    from scipy import stats

    for number in (10, 100, 10_000):
        for chance in (0.001, 0.1, 0.5):
            for false_alarms in (0.1, 1e-3, 1e-6):
                law = stats.binom(number, chance)
                one = np.ones(1)
                compared = Comparisons("coins", 0, one, law.var() * one, one, str)
                (allowed,) = compared.allowed(logarithm_of(1, false_alarms))
                beyond = law.sf(law.mean() + allowed) + law.cdf(law.mean() - allowed - 1e-9)
                assert beyond <= false_alarms


@pytest.mark.parametrize("false_alarms", [0, 1, -1, "0.1", float("nan")])
def test_a_chance_of_false_alarms_lies_between_0_and_1(false_alarms: object) -> None:
    with pytest.raises(ArgumentError, match="false alarm must be above 0 and below 1, got"):
        ldp.check(ldp.Aggregate.empty(PLANS["tree"]), false_alarms=false_alarms)  # type: ignore[arg-type]


def test_only_an_aggregate_is_checked() -> None:
    with pytest.raises(ArgumentTypeError):
        ldp.check(PLANS["tree"])  # type: ignore[arg-type]
