"""What the JavaScript client makes of real coins: the law that Python's likelihoods say."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import stats

import ldprange as ldp
from exact_laws import all_reports
from ldprange import wire
from ldprange.domain import Product
from ldprange.oracles.local_hashing import HashingMechanism
from ldprange.randomness import WORDS
from node_client import answers

FALSE_ALARM = 1e-7  # the chance that a comparison with real coins fails though all is well


def _law(plan: ldp.Plan, index: Any) -> dict[str, float]:
    """Return the exact chance of every report of a bin; over several attributes, of a bin of each."""
    ends = [0, *plan.level_thresholds, WORDS]
    law = {}
    for number, (low, high) in enumerate(pairwise(ends)):
        level, mechanism = plan.levels[number], plan.mechanisms[number]
        for payload in all_reports(mechanism):
            chance = Fraction(high - low, WORDS) * mechanism.likelihood(payload, level.cell(index))
            law[wire.pack(ldp.Report(plan.fingerprint, number, payload)).hex()] = float(chance)
    assert math.isclose(sum(law.values()), 1.0)
    return law


def _fits(observed: Sequence[float], expected: Sequence[float]) -> bool:
    """Say whether counts fit what was expected; those expected fewer than 10 times are taken together."""
    rare = [place for place, number in enumerate(expected) if number < 10]
    often = [place for place, number in enumerate(expected) if number >= 10]
    seen = [observed[place] for place in often]
    wanted = [expected[place] for place in often]
    if rare and sum(expected[place] for place in rare) >= 10:
        seen.append(sum(observed[place] for place in rare))
        wanted.append(sum(expected[place] for place in rare))
    statistic = sum((o - e) ** 2 / e for o, e in zip(seen, wanted, strict=True))
    return bool(stats.chi2.sf(statistic, len(wanted) - 1) > FALSE_ALARM)


SMALL = ldp.Domain.integers(0, 11)
PRODUCT = ldp.Domain.product(size=ldp.Domain.ordered(["S", "M", "L"]), hours=ldp.Domain.real(0.0, 8.0, 4))
LAWS = {
    "GRR": (ldp.Plan(ldp.Domain.ordered(["S", "M", "L", "XL"]), 1.0, ldp.Flat(), ldp.GRR()), "M"),
    "OUE in a tree": (ldp.Plan(SMALL, 1.1, ldp.Tree(3), ldp.OUE(), [0.75, 0.25]), 7),
    "HRR on Haar levels": (ldp.Plan(SMALL, 0.7, ldp.Haar(), ldp.HRR()), 11),
    "Hadamard hashing in windows": (ldp.Plan(SMALL, 1.5, ldp.Windows(), ldp.HadamardHashing(bits=2)), 5),
    "subsets in windows": (ldp.Plan(SMALL, 1.0, ldp.Windows((3, 1)), ldp.SubsetSelection()), 0),
    "Hadamard hashing over two attributes": (
        ldp.Plan(PRODUCT, 1.5, ldp.Tree(2), ldp.HadamardHashing(bits=2)),
        {"size": "L", "hours": 2.5},
    ),
}


def _another(domain: ldp.Domain, value: Any) -> Any:
    if isinstance(domain, Product):
        first, *rest = domain.index_one(value)
        return ((first + 1) % domain.shape[0], *rest)
    return (domain.index_one(value) + 3) % domain.bins


@pytest.mark.parametrize(("plan", "value"), LAWS.values(), ids=LAWS.keys())
def test_real_coins_keep_the_law(node: str, plan: ldp.Plan, value: Any) -> None:
    people = 30_000
    case = {"plan": json.loads(plan.to_json()), "value": value, "people": people}
    (tally,) = answers(node, "tallies", [case])
    law = _law(plan, plan.domain.index_one(value))
    assert set(tally) <= set(law)
    assert sum(tally.values()) == people
    assert _fits([tally.get(report, 0) for report in law], [people * chance for chance in law.values()])
    # and the test would see a neighbour's law
    wrong = _law(plan, _another(plan.domain, value))
    assert not _fits(
        [tally.get(report, 0) for report in wrong], [people * chance for chance in wrong.values()]
    )


def test_real_coins_keep_the_law_of_local_hashing(node: str) -> None:
    people, item = 30_000, 7
    plan = ldp.Plan(SMALL, 1.0, ldp.Flat(), ldp.OLH(symbols=3))
    mechanism = plan.mechanisms[0]
    assert isinstance(mechanism, HashingMechanism)
    case = {"plan": json.loads(plan.to_json()), "value": item, "people": people}
    (tally,) = answers(node, "tallies", [case])
    packed = np.frombuffer(bytes.fromhex("".join(report[22:] for report in tally)), np.uint8)
    rows = mechanism.unpack(packed.reshape(-1, mechanism.width)).astype(np.uint64)
    numbers = np.array(list(tally.values()))
    away = (rows[:, 3] + 3 - mechanism.hashed(rows[:, :3].T, np.array([item], np.uint64))) % 3
    keep, lie = float(mechanism._response.keep), float(mechanism._response.lie)
    assert _fits(np.bincount(away.astype(int), numbers, 3).tolist(), [people * keep, *[people * lie] * 2])
    prime = mechanism._prime
    for column in rows[:, :3].T.astype(int):
        assert _fits(np.bincount(column, numbers, prime).tolist(), [people / prime] * prime)
