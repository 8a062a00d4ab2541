"""What is not of the kind it must be is refused where it comes in, in words."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldprange as ldp
from ldprange.oracles import Oracle

PLAN = ldp.Plan(ldp.Domain.integers(0, 9), 1.0, ldp.Tree(4), ldp.OUE())
BATCH = ldp.encode_many(PLAN, [1, 2, 3], seed=1)
AGGREGATE = ldp.Aggregate.of(PLAN, BATCH)
TEXT: Any = PLAN.to_json()
ANY: Any = ldp  # the module, so that the type checker lets wrong calls through

WRONG: dict[str, Callable[[], object]] = {
    "a client of a plan's text": lambda: ldp.Client(TEXT),
    "an estimate of a batch": lambda: ANY.estimate(BATCH),
    "an estimate of a file's name": lambda: ANY.estimate("week.agg"),
    "a pack of a list": lambda: ANY.wire.pack([BATCH]),
    "encoding with arguments the other way round": lambda: ANY.encode_many([1], PLAN, seed=1),
    "an aggregate of what is not a plan": lambda: ANY.Aggregate.of(TEXT, BATCH),
    "unpacking the other way round": lambda: ANY.wire.unpack(b"", PLAN),
    "simulating what is not a plan": lambda: ldp.simulate(TEXT, [1], seed=1),
    "rehearsing what is not a plan": lambda: ldp.simulate_values(TEXT, [1], seed=1),
}


@pytest.mark.parametrize("what", WRONG)
def test_another_kind_is_refused(what: str) -> None:
    with pytest.raises(ldp.LdprangeError, match=r"(?s)must be of type \w+.*, got .* of type \w+"):
        WRONG[what]()


@pytest.mark.parametrize("seed", [-1, 1.5, "a", None, True])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    for work in (ldp.encode_many, ldp.simulate_values):
        with pytest.raises(ldp.LdprangeError, match="a seed must be a whole number"):
            work(PLAN, [1], seed=seed)
    with pytest.raises(ldp.LdprangeError, match="a seed must be a whole number"):
        ldp.simulate(PLAN, np.ones(10, np.int64), seed=seed)


def test_values_are_one_column_of_people_who_are_all_there() -> None:
    with pytest.raises(ldp.DomainError, match="one column"):
        ldp.encode_many(PLAN, np.ones((5, 2), np.int64), seed=1)
    with pytest.raises(ldp.DomainError, match="masked"):
        ldp.encode_many(PLAN, np.ma.array([1, 99], mask=[False, True]), seed=1)
    with pytest.raises(ldp.DomainError, match="in their order"):
        ldp.Domain.ordered({"a", "b"})


def test_the_first_of_many_wrong_values_is_named() -> None:
    with pytest.raises(ldp.DomainError, match="got 121"):
        ldp.encode_many(PLAN, [*[0] * 1000, 121, 122, 123], seed=1)


def test_aggregates_sum_without_a_start() -> None:
    assert sum([AGGREGATE, AGGREGATE]) == AGGREGATE + AGGREGATE


def test_an_aggregate_never_runs_over() -> None:
    users = [1 << 61, *AGGREGATE.users[1:]]
    half = ldp.Aggregate(PLAN, users, AGGREGATE.counts)
    with pytest.raises(ldp.LdprangeError, match=r"0 to 2\*\*62 reports"):
        half + half


@pytest.mark.parametrize(
    "probabilities", [["0.25"] * 2, [True, False], [10**400, 0], 0.5, "ab", [0.5, float("nan")], [1.5, -0.5]]
)
def test_level_probabilities_are_numbers(probabilities: Any) -> None:
    with pytest.raises(ldp.PlanError, match="level probabilities must be 2 numbers"):
        ldp.Plan(PLAN.domain, 1.0, ldp.Tree(3), ldp.OUE(), level_probabilities=probabilities)


def test_what_is_never_asked_cannot_be_predicted() -> None:
    plan = ldp.Plan(PLAN.domain, 1.0, ldp.Tree(3), ldp.OUE(), level_probabilities=[1.0, 0.0])
    with pytest.raises(ldp.PlanError, match="cannot predict the error"):
        plan.predict(users=1000)


def test_a_plan_that_would_fill_all_memory_is_refused() -> None:
    with pytest.raises(ldp.PlanError, match=r"at most 2\*\*28 counters"):
        ldp.Plan(ldp.Domain.integers(0, (1 << 26) - 1), 1.0, ldp.Flat(), ldp.HadamardHashing(bits=4))


def test_a_key_that_stands_twice_is_refused() -> None:
    text = PLAN.to_json().replace('"epsilon": 1.0', '"epsilon": 0.1, "epsilon": 1.0')
    with pytest.raises(ldp.PlanError, match="stands twice"):
        ldp.Plan.from_json(text)


def test_confidence_may_come_as_close_to_1_as_floats_do() -> None:
    answer = ldp.estimate(AGGREGATE).range(2, 5, confidence=1 - 2**-53)
    assert answer.low is not None
    assert answer.low < answer.value


@pytest.mark.parametrize(
    "report", [ldp.Report("zz", 0, b"a"), ldp.Report(PLAN.fingerprint, 300, b"a"), ldp.Report("", 0, ANY)]
)
def test_a_report_that_no_client_made_is_not_packed(report: ldp.Report) -> None:
    with pytest.raises(ldp.WireError, match="as a client made it"):
        ldp.wire.pack(report)


def test_counts_never_run_over() -> None:
    """Where an aggregate was made by hand, of counts that no reports can leave."""
    forged = ldp.Aggregate(PLAN, AGGREGATE.users, [counts + (1 << 62) for counts in AGGREGATE.counts])
    with pytest.raises(ldp.LdprangeError, match=r"stay below 2\*\*63"):
        forged + forged
    with pytest.raises(ldp.LdprangeError, match=r"stay below 2\*\*63"):
        sum([AGGREGATE, forged, forged])
    total = sum([AGGREGATE, forged], start=ldp.Aggregate.empty(PLAN))
    before = total.to_bytes()
    with pytest.raises(ldp.LdprangeError, match=r"stay below 2\*\*63"):
        total.absorb(forged)
    assert total.to_bytes() == before


@pytest.mark.parametrize("oracle", [ldp.GRR(), ldp.HRR(), ldp.HadamardHashing(bits=2), ldp.SubsetSelection()])
def test_a_file_whose_counts_wrap_is_not_loaded(tmp_path: Path, oracle: Oracle) -> None:
    """Counts of 2**62 add up to nothing where sums wrap, and would be all that a merged estimate sees."""
    for decomposition in ldp.Flat(), ldp.Windows([4, 2, 1]):
        plan = ldp.Plan(PLAN.domain, 1.0, decomposition, oracle)
        honest = ldp.Aggregate.of(plan, ldp.encode_many(plan, [1, 2, 3] * 20, seed=1))
        counts = [tally.copy() for tally in honest.counts]
        counts[-1][:4] += 1 << 62
        path = tmp_path / "forged.agg"
        ldp.Aggregate(plan, honest.users, counts).save(path)
        with pytest.raises(ldp.FileError, match=r"forged\.agg .* counts that \d+ reports can leave"):
            ldp.Aggregate.load(path)


def test_a_file_of_more_reports_than_can_be_counted_is_not_loaded(tmp_path: Path) -> None:
    data = AGGREGATE.to_bytes()
    users = json.dumps(list(AGGREGATE.users)).encode()
    for forged in 1 << 63, 10**4000:
        changed = json.dumps([forged, *AGGREGATE.users[1:]]).encode()
        body = data[8:-32].replace(users, changed)
        length = int.from_bytes(body[:4], "little") + len(changed) - len(users)
        body = data[:8] + length.to_bytes(4, "little") + body[4:]
        (tmp_path / "a.agg").write_bytes(body + hashlib.sha256(body).digest())
        with pytest.raises(ldp.FileError, match=r"a\.agg .*0 to 2\*\*62 reports"):
            ldp.Aggregate.load(tmp_path / "a.agg")


def test_counts_that_the_reports_cannot_have_left_are_not_loaded(tmp_path: Path) -> None:
    for plan in (PLAN, ldp.Plan(PLAN.domain, 1.0, ldp.Haar(), ldp.HRR())):
        honest = ldp.Aggregate.of(plan, ldp.encode_many(plan, [1, 2, 3] * 20, seed=1))
        for change in (1000, -1000):
            counts = [tally + change for tally in honest.counts]
            ldp.Aggregate(plan, honest.users, counts).save(tmp_path / "a.agg")
            with pytest.raises(ldp.FileError, match="counts that"):
                ldp.Aggregate.load(tmp_path / "a.agg")
