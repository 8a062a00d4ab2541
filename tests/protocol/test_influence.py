"""How far liars move an answer: as stated by the plan, and as found by trying all reports there are."""

from __future__ import annotations

import itertools
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import ldprange as ldp
from exact_laws import law_of
from ldprange.decompositions import Decomposition
from ldprange.errors import DomainError, PlanError
from ldprange.oracles import Oracle
from ldprange.support.arrays import Floats
from ldprange.workloads import ranges_of

BINS = 6
PLANS: dict[str, tuple[Decomposition, Oracle | list[Oracle]]] = {
    "Haar": (ldp.Haar(), ldp.HRR()),
    "tree": (ldp.Tree(branching=2), ldp.GRR()),
    "sets": (ldp.Tree(branching=3), ldp.SubsetSelection()),
    "windows": (ldp.Windows([3, 1]), [ldp.HadamardHashing(bits=2), ldp.OUE()]),
    "stages": (ldp.Windows(stages=[(2, 4, (2, 1)), (1, 4, (3, 1))]), ldp.GRR()),
    "cells": (ldp.Windows(stages=[(2, 3, (2, 1))]), ldp.GRR()),
}


def plan_of(name: str) -> ldp.Plan:
    decomposition, oracle = PLANS[name]
    levels = len(decomposition.on(ldp.Domain.integers(1, BINS)).levels)
    weights = np.arange(levels) + 1.0
    return ldp.Plan(
        ldp.Domain.integers(1, BINS), 1.3, decomposition, oracle, (weights / weights.sum()).tolist()
    )


class Reports(NamedTuple):
    """All reports on a level: their chances by cell, what each adds, and the number of its public coins."""

    chances: Floats
    adds: Floats
    coins: NDArray[np.int64]


@cache
def reports_of(plan: ldp.Plan) -> list[Reports]:
    """Return all reports on each level of a plan."""
    found = []
    for mechanism in plan.mechanisms:
        law = law_of(mechanism)
        coins = [[int(np.argmax(coin)) for coin in mechanism.public_coins(tally)] for tally in law.tallies]
        _, numbers = np.unique(coins, axis=0, return_inverse=True)
        adds = np.array([mechanism.people(tally, 1) for tally in law.tallies])
        found.append(Reports(law.table, adds, numbers))
    return found


def honest(plan: ldp.Plan, item: int) -> list[Floats]:
    """Return each level's estimates, on average, if everybody has this item."""
    return [
        reports.chances[level.cell(item)] @ reports.adds
        for reports, level in zip(reports_of(plan), plan.levels, strict=True)
    ]


def pulled(plan: ldp.Plan, gains: list[Floats], *, fair: bool) -> list[Floats]:
    """Return each level's estimates if all its reports are the best ones for these gains, by public coins."""
    found = []
    for reports, gain in zip(reports_of(plan), gains, strict=True):
        gained = reports.adds @ gain
        coins = reports.coins if fair else np.zeros_like(reports.coins)
        alike = [np.flatnonzero(coins == number) for number in range(coins.max() + 1)]
        found.append(np.mean([reports.adds[each[np.argmax(gained[each])]] for each in alike], axis=0))
    return found


@pytest.mark.parametrize("name", PLANS)
def test_the_furthest_that_liars_move_an_answer_is_as_stated(name: str) -> None:
    """The people who are moved are those for whom it is furthest: all in the range, or none of them."""
    plan, share = plan_of(name), 0.02
    size, furthest = plan.levels[-1].size, 0.0
    for low, high in np.transpose(ranges_of(BINS)).tolist():
        estimator = plan.estimator(1e9 * np.array(plan.probabilities))
        gains = [b - a for a, b in zip(estimator.gains(low), estimator.gains(high), strict=True)]
        moves = []
        for sign, members in ((1.0, set(range(BINS)) - set(range(low, high))), (-1.0, set(range(low, high)))):
            lies = pulled(plan, [sign * gain for gain in gains], fair=True)
            for member in members:
                truth = honest(plan, member)
                told = [(1 - share) * a + share * b for a, b in zip(truth, lies, strict=True)]
                before, after = (float(estimator.fit(each)[low:high].sum()) for each in (truth, told))
                moves.append(sign * (after - before))
        stated = plan.influence(share, between=(low + 1, high)).fair_coins
        if low % size or high % size:  # a person counts for less than one in part of a cell
            assert stated > max(moves) - 1e-9
        elif (low, high) != (0, BINS):  # all of it is known to be 1
            assert stated == pytest.approx(max(moves), abs=1e-9)
        furthest = max(furthest, *moves)
    assert plan.influence(share).fair_coins == pytest.approx(furthest, abs=1e-9)


@pytest.mark.parametrize("name", PLANS)
def test_chosen_coins_move_an_answer_as_far_as_stated(name: str) -> None:
    plan, share = plan_of(name), 0.1
    for low, high in [(0, 3), (2, 4)]:
        moves = []
        for level in range(len(plan.levels)):
            users = (1 - share) * np.array(plan.probabilities)
            users[level] += share
            estimator, part = plan.estimator(1e9 * users), share / users[level]
            gains = [b - a for a, b in zip(estimator.gains(low), estimator.gains(high), strict=True)]
            for sign in (1.0, -1.0):
                lies = pulled(plan, [sign * gain for gain in gains], fair=False)[level]
                for item in range(BINS):
                    truth = honest(plan, item)
                    told = [(1 - part) * a + part * lies if at == level else a for at, a in enumerate(truth)]
                    before, after = (float(estimator.fit(each)[low:high].sum()) for each in (truth, told))
                    moves.append(sign * (after - before))
        stated = plan.influence(share, between=(low + 1, high)).chosen_coins
        assert stated == pytest.approx(max(moves), abs=1e-9)


def test_the_greatest_influence_is_found_among_many_ranges() -> None:
    """On 70 bins not all ranges are tried at first."""
    plan = ldp.Plan(ldp.Domain.integers(1, 70), 1.0, ldp.Tree(branching=4), ldp.SubsetSelection())
    each = [
        plan.influence(between=(low + 1, high)).fair_coins
        for low, high in np.transpose(ranges_of(70)).tolist()[::29]
    ]
    assert plan.influence().fair_coins >= max(each) - 1e-12


def test_joint_answers_are_moved_as_far_as_stated() -> None:
    """All boxes of a small domain are tried, and all reports."""
    domain = ldp.Domain.product(a=ldp.Domain.integers(0, 3), b=ldp.Domain.categories(["x", "y", "z"]))
    plan = ldp.Plan(domain, 1.0, ldp.Tree(branching=2), ldp.GRR())
    furthest, law = 0.0, plan.law(1e9 * np.array(plan.probabilities))
    weigh = plan.layout.answer_weights(law, (0, 1))
    for first, second in itertools.product(np.transpose(ranges_of(4)), np.transpose(ranges_of(3))):
        low, high = np.transpose([first, second])
        weights = weigh(low[None], high[None])
        move = 0.0
        for sign, start in ((1.0, weights.nothing[0]), (-1.0, 1 - weights.nothing[0])):
            lies = pulled(plan, [sign * each[0] for each in weights.levels], fair=True)
            added = sum(float(each[0] @ lie) for each, lie in zip(weights.levels, lies, strict=True))
            move = max(move, start + sign * added)
        labels = ["x", "y", "z"]
        between = {"a": (low[0], high[0] - 1), "b": (labels[low[1]], labels[high[1] - 1])}
        assert plan.influence(0.01, between=between).fair_coins == pytest.approx(0.01 * move, abs=1e-12)
        furthest = max(furthest, move)
    found = plan.influence(0.01)
    assert found.fair_coins == pytest.approx(0.01 * furthest, abs=1e-12)
    assert set(found.ranges) == {"a", "b"}


@pytest.mark.parametrize("between", [{"c": (1, 2)}, {}])
def test_a_range_to_move_is_of_an_attribute(between: dict[str, tuple[int, int]]) -> None:
    domain = ldp.Domain.product(a=ldp.Domain.integers(0, 3), b=ldp.Domain.integers(0, 3))
    plan = ldp.Plan(domain, 1.0, ldp.Tree(branching=2), ldp.GRR())
    with pytest.raises(PlanError, match="between must be ranges of a, b, got"):
        plan.influence(between=between)


def test_a_liar_counts_for_more_people_than_one() -> None:
    plan = ldp.choose_plan(ldp.Domain.integers(0, 119), epsilon=1.0, expected_users=10_000)
    found = plan.influence(share=0.01)
    assert 0.01 < found.fair_coins < found.chosen_coins
    assert found.people == pytest.approx(100 * found.fair_coins)
    assert "each counts for" in str(found)


@pytest.mark.parametrize("share", [0, 1, -0.1, "1%", float("nan")])
def test_a_share_of_liars_lies_between_0_and_1(share: object) -> None:
    with pytest.raises(PlanError, match="the share of liars must be above 0 and below 1, got"):
        plan_of("tree").influence(share)  # type: ignore[arg-type]


def test_a_range_to_move_lies_in_the_domain() -> None:
    with pytest.raises(PlanError, match="must not end before it begins"):
        plan_of("tree").influence(between=(4, 2))
    with pytest.raises(DomainError):
        plan_of("tree").influence(between=(0, 2))
