"""The audit on the command line: what it prints, what it files, and when it fails."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

import ldprange as ldp
from command_line_survey import answered, run
from ldprange.audit.auditing import audit
from ldprange.audit.page import audit_page
from ldprange.client import encoding
from scripted_coins import SeededCoins

PLAN = ldp.Plan(ldp.Domain.ordered(["<b>", "M", "L"]), 1.1, ldp.Tree(2), [ldp.GRR(), ldp.OUE()])


@pytest.fixture
def plan_file(here: Path) -> str:
    PLAN.save(here / "p.json")
    return "p.json"


def test_the_exact_part_by_itself(plan_file: str) -> None:
    found = answered("audit", plan_file, "--exact")
    assert found["plan"] == PLAN.fingerprint
    assert 1.1 - 1e-6 <= found["exact_epsilon"] <= found["stated_epsilon"] == 1.1
    assert [each["oracle"] for each in found["levels"]] == ["grr", "oue"]
    ratios = [Fraction(each["worst_ratio"]) for each in found["levels"]]
    assert ratios == [mechanism.worst_ratio() for mechanism in PLAN.mechanisms]
    assert Fraction(found["worst_ratio"]) == max(ratios)
    assert found["holds"]
    assert found["black_box"] == found["coins"] == found["wrong"] == []
    printed = run("audit", plan_file, "--exact").stdout
    assert "never more than stated" in printed
    assert "GRR" in printed


def test_it_says_what_a_report_tells_and_counts_levels_from_1(plan_file: str) -> None:
    printed = " ".join(run("audit", plan_file, "--exact").stdout.split())
    assert "It gives a hint of what its sender answered." in printed
    assert "right about 75 times in 100 at worst" in printed
    assert re.search(r"─ 1 GRR .* 2 OUE ", printed)


def test_a_plan_beyond_what_is_accepted_is_wrong(plan_file: str, here: Path) -> None:
    assert not answered("audit", plan_file, "--exact", "--max-epsilon", "1.1")["wrong"]
    assert not answered("audit", plan_file, "--exact", "--fingerprint", PLAN.fingerprint)["wrong"]
    for option, value, message in (
        ("--max-epsilon", "1", "must be at most 1.0, the most that is accepted here, got 1.1"),
        ("--fingerprint", "0" * 16, "it is another plan"),
    ):
        done = run("audit", plan_file, "--exact", option, value, "--html", "audit.html")
        assert done.exit_code == 1
        assert message in done.stderr
        assert message in (here / "audit.html").read_text(encoding="utf-8")
    both = ("audit", plan_file, "--exact", "--max-epsilon", "1", "--fingerprint")
    epsilon, other = json.loads(run(*both, "0" * 16, "--json").stdout)["wrong"]
    assert "must be at most 1.0" in epsilon
    assert "it is another plan" in other
    for wrong in (("audit", plan_file, "--exact", "--max-epsilon", "0"), (*both, "abc")):
        assert run(*wrong).exit_code == 2
    assert "a fingerprint must be 16 lower-case hexadecimal digits" in run(*both, "abc").stderr


def test_a_labelled_plan(here: Path) -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, 9), 1.0, ldp.Flat(), ldp.GRR())
    ldp.LabelledPlan(("hours", "trips"), (plan, plan), ("stays", "leaves"), "all").save(
        here / "labelled.json"
    )
    found = answered("audit", "labelled.json", "--exact")
    assert [each["attribute"] for each in found["levels"]] == ["hours", "trips"]
    assert 2 - 1e-6 < found["exact_epsilon"] <= found["stated_epsilon"] == 2


@pytest.mark.system
def test_a_whole_audit_in_a_few_seconds(plan_file: str, here: Path) -> None:
    found = answered("audit", plan_file, "--runs", "20000", "--html", "audit.html")
    assert found["wrong"] == []
    ran = {each["artefact"]: each["epsilon_lower_bound"] for each in found["black_box"]}
    assert len(ran) == 4
    assert 0.5 < ran["encode_many"] <= 1.1
    assert all(bound is None or bound <= 1.1 for bound in ran.values())
    assert len(found["not_run"]) == 2 * sum(bound is None for bound in ran.values())
    assert all(each["holds"] is not False for each in found["coins"])
    page = (here / "audit.html").read_text(encoding="utf-8")
    assert "Nothing wrong was found" in page
    assert PLAN.fingerprint in page


def test_seeded_coins_are_found_and_the_exit_code_says_so(
    plan_file: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoding, "SystemCoins", lambda: SeededCoins(1))
    monkeypatch.setenv("PATH", "")  # neither Node nor a browser
    done = run("audit", plan_file, "--runs", "200", "--html", "audit.html")
    assert done.exit_code == 1
    assert "wrong: Python client: it does not hold that each report is made by" in done.stderr
    page = (here / "audit.html").read_text(encoding="utf-8")
    assert "Something is wrong" in page
    assert "Node was not found" in page


def test_what_cannot_be_audited_is_refused(here: Path) -> None:
    (here / "values.csv").write_text("age\n1\n2\n")
    for arguments in (["values.csv"], ["missing.json"], ["values.csv", "--runs", "7"]):
        done = run("audit", *arguments)
        assert done.exit_code == 2
        assert "Traceback" not in done.stderr


def test_the_page_is_whole_by_itself_and_shows_names_as_they_are() -> None:
    page = audit_page(audit(PLAN, only_exact=True))
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert not re.search(r"<script|src=|href=|url\(|https?://", page)
    assert "nothing was run" in page
