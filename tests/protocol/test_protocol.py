"""The protocol on one page: README shows it, and it is what clients, collectors and analysts run."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import ldprange as ldp
from ldprange.protocol import run_protocol
from scripted_coins import SeededCoins

README = Path(__file__).parents[2] / "README.md"
PLAN = ldp.Plan(ldp.Domain.integers(0, 9), 1.0, ldp.Tree(3), ldp.OUE())


def test_readme_shows_the_protocol_as_it_runs() -> None:
    text = README.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert inspect.getsource(run_protocol) in blocks


def test_equal_coins_give_equal_aggregates() -> None:
    def run(seed: int) -> ldp.Aggregate:
        coins = SeededCoins(seed)
        return run_protocol(PLAN, [1, 2, 3] * 20, lambda: coins)[0]

    assert run(1) == run(1) != run(2)


def test_without_coins_the_system_tosses_them() -> None:
    one, other = (run_protocol(PLAN, [1, 2, 3] * 20)[0] for _ in range(2))
    assert one.reports == other.reports == 60
    assert one != other  # 60 reports of 9 bits or more each: they never are the same


def test_a_value_outside_the_domain_is_refused() -> None:
    with pytest.raises(ldp.DomainError, match="between 0 and 9, got 10"):
        run_protocol(PLAN, [1, 10])


def test_people_with_several_attributes_run_the_same_protocol() -> None:
    people = ldp.Domain.product(age=ldp.Domain.integers(0, 9), region=ldp.Domain.categories(["N", "S"]))
    plan = ldp.Plan(people, 1.0, ldp.Tree(2), ldp.HRR())
    total, found = run_protocol(plan, [{"age": 4, "region": "N"}, {"age": 7, "region": "S"}] * 10)
    assert total.reports == found.users == 20
    assert isinstance(found, ldp.JointEstimate)
