"""A plan may come from a stranger: the JavaScript client needs little memory to answer or refuse it."""

from __future__ import annotations

import re

import hostile_plans
from node_client import answers

MEMORY = 400 << 20  # of the whole process; a report of the largest plan alone would take more than a minute
LONGEST_MESSAGE = 400


def test_a_plan_never_takes_much_memory(node: str) -> None:
    texts = hostile_plans.TEXTS
    found = answers(node, "strangers", [{"text": text} for text in texts.values()])
    for name, (said, held) in zip(texts, found, strict=True):
        assert re.match(r"a report of \d+ bytes$|PlanError: ", said), (name, said[:200])
        assert len(said) < LONGEST_MESSAGE, name
        assert held < MEMORY, name
    made = [int(said.split()[3]) for said, _ in found if said.startswith("a report")]
    assert len(made) > 5
    assert max(made) <= 1_000_011  # a million, and what stands before a report
