"""The ε of all that ever left a device stays within the budget: over surveys, labels, crashes and races."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ldprange as ldp
from ldprange import wire

SURVEYS = [f"https://example.org/s/{name}" for name in ("commute", "sleep", "2026-01-31")]
EPSILONS = ("0.1", "0.3", "0.55", "0.7")
NUMBERS = {"hours": 7, "trips": 3}


def _plan(epsilon: float) -> ldp.Plan:
    return ldp.Plan(ldp.Domain.integers(0, 23), epsilon, ldp.Haar(), ldp.HRR())


def _labelled(epsilon: float, asked: Any) -> ldp.LabelledPlan:
    return ldp.LabelledPlan(tuple(NUMBERS), (_plan(epsilon), _plan(epsilon)), ("stays", "leaves"), asked)


def _said(ledger: ldp.Ledger, kind: str, epsilon: str, survey: str, person: str) -> tuple[Fraction, str]:
    """Answer a survey; return what it costs, and all that leaves the device, as text."""
    where: Any = {"ledger": ledger, "survey": survey}
    if kind == "value":
        report = ldp.Client(_plan(float(epsilon)), **where).encode(7, person=person)
        return Fraction(epsilon), wire.pack(report).hex()
    client = ldp.LabelledClient(_labelled(float(epsilon), kind), **where)
    reports = client.encode(NUMBERS, person=person)
    assert len(reports) == (1 if kind == "one" else 2)
    cost = Fraction(epsilon) * (1 if kind == "one" else 2)
    return cost, json.dumps({name: wire.pack(report).hex() for name, report in reports.items()})


questions = st.tuples(
    st.sampled_from(["value", "one", "all"]),
    st.sampled_from(EPSILONS),
    st.sampled_from(SURVEYS),
    st.sampled_from(["", "alice"]),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10)
@given(st.lists(st.tuples(questions, st.booleans()), min_size=4, max_size=10))
def test_all_that_ever_left_stays_within_the_budget(
    tmp_path_factory: pytest.TempPathFactory, asked: list[tuple[tuple[str, str, str, str], bool]]
) -> None:
    path = tmp_path_factory.mktemp("ledgers") / "ledger"
    left: dict[tuple[str, str, str, str], tuple[Fraction, str]] = {}
    for question, crashes in asked:
        ledger = ldp.Ledger(path, budget=1.5)  # as by a program that starts again each time
        person = question[3]
        before = ledger.spent(person)
        if crashes:  # while it draws: then nothing has left, and nothing is spent
            with pytest.raises((KeyboardInterrupt, ldp.BudgetError)):
                ledger.keep_once("https://example.org/s/crash", _plan(0.1), person, _interrupted)
            assert ledger.spent(person) == before
        try:
            found = _said(ledger, *question)
        except ldp.BudgetError:
            assert ledger.spent(person) == before
            assert question not in left
            continue
        assert left.setdefault(question, found) == found
        spent = sum((cost for key, (cost, _) in left.items() if key[3] == person), Fraction(0))
        assert spent <= Fraction("1.5")
        assert ledger.spent(person) == pytest.approx(float(spent), abs=1e-12)


def _interrupted() -> bytes:
    raise KeyboardInterrupt


def test_labelled_reports_are_the_same_again_and_none_of_a_sender_s_business(tmp_path: Path) -> None:
    ledger = ldp.Ledger(tmp_path / "ledger", budget=2.0)
    plan = _labelled(0.5, "all")
    client = ldp.LabelledClient(plan, ledger=ledger, survey=SURVEYS[0])
    first = client.encode(NUMBERS)
    assert client.encode({"hours": 0, "trips": 0}) == first
    assert {name: report.fingerprint for name, report in first.items()} == {
        name: each.fingerprint for name, each in zip(plan.attributes, plan.plans, strict=True)
    }
    assert ledger.spent() == 1.0
    assert ledger.pending() == []
    with pytest.raises(ldp.BudgetError, match=r"1\.0 is spent and this survey asks for 1\.2"):
        ldp.LabelledClient(_labelled(0.6, "all"), ledger=ledger, survey=SURVEYS[0]).encode(NUMBERS)


def test_labelled_clients_need_both_or_neither(tmp_path: Path) -> None:
    plan = _labelled(0.5, "one")
    with pytest.raises(ldp.ArgumentError, match="a ledger and the address"):
        ldp.LabelledClient(plan, ledger=ldp.Ledger(tmp_path / "ledger"))
    with pytest.raises(ldp.ArgumentError, match="a person can only be told apart"):
        ldp.LabelledClient(plan).encode(NUMBERS, person="alice")
    assert ldp.LabelledClient(plan).encode(NUMBERS)


def test_labelled_reports_that_are_damaged_are_an_error_in_words(tmp_path: Path) -> None:
    ledger, plan = ldp.Ledger(tmp_path / "ledger"), _labelled(0.5, "one")
    ledger.keep_once(SURVEYS[0], plan, "", lambda: b'{"hours": "00"}')
    with pytest.raises(ldp.FileError, match=f"must hold reports of plan {plan.fingerprint}"):
        ldp.LabelledClient(plan, ledger=ledger, survey=SURVEYS[0]).encode(NUMBERS)


PROGRAM = """
import json, sys
sys.path[:0] = json.loads(sys.argv[3])
from test_composition import _said
import ldprange as ldp
ledger = ldp.Ledger(sys.argv[1], budget=1.5)
for question in json.loads(sys.argv[2]):
    try:
        print(json.dumps([question, _said(ledger, *question)[1]]), flush=True)
    except ldp.BudgetError:
        pass
"""


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
@pytest.mark.system
@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=4)
@given(
    lists=st.lists(st.lists(questions, min_size=4, max_size=12), min_size=3, max_size=3),
    lines=st.lists(st.integers(0, 6), min_size=3, max_size=3),
)
def test_processes_that_are_killed_at_any_moment_stay_within_the_budget(
    tmp_path_factory: pytest.TempPathFactory, lists: list[list[Any]], lines: list[int]
) -> None:
    path = tmp_path_factory.mktemp("ledgers") / "ledger"
    here = Path(__file__).parent
    modules = json.dumps([str(here), str(here.parent / "helpers")])
    children = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, path, json.dumps(each), modules],
            stdout=subprocess.PIPE,
            text=True,
        )
        for each in lists
    ]
    left: dict[tuple[str, str, str, str], str] = {}
    for child, number in zip(children, lines, strict=True):
        assert child.stdout is not None
        said = [child.stdout.readline() for _ in range(number)]
        child.send_signal(signal.SIGKILL)
        said += child.stdout.readlines()
        child.communicate()
        for line in said:
            if line.endswith("\n"):
                question, sent = json.loads(line)
                assert left.setdefault(tuple(question), sent) == sent  # whichever process asks
    ledger = ldp.Ledger(path, budget=1.5)
    for person in ("", "alice"):
        spent = sum(
            Fraction(epsilon) * (2 if kind == "all" else 1)
            for kind, epsilon, _, whose in left
            if whose == person
        )
        assert spent <= Fraction("1.5")
        assert float(spent) <= ledger.spent(person) + 1e-12 <= 1.5 + 2e-12
    for question, sent in left.items():
        assert _said(ledger, *question)[1] == sent
