"""A plan may come from a stranger: however it is made, a client needs little memory and time for it."""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hostile_plans
import ldprange as ldp
from example_plans import PLANS
from ldprange.decompositions import KINDS as DECOMPOSITION_KINDS
from ldprange.oracles import KINDS as ORACLE_KINDS

MEMORY = 200 << 20  # beyond what Python and the library take
SMALL = 100_000  # characters
SECONDS = 60  # of processor time, for all plans of one test together; the worst took minutes each
LONGEST_MESSAGE = 400

NUMBERS = [0, 1, -1, 2, 3, 27, 255, 256, 4096, 65028097, 66528000, 1 << 26, 1 << 28, 2**53 - 1, 10**4000]
OTHERS: list[object] = [None, True, 0.5, 1e308, 5e-324, "", "kind", [], {}, [2] * 300, [[1, 1]] * 300]
KINDS = [*DECOMPOSITION_KINDS, *ORACLE_KINDS, "product"]


def mutated(value: Any, coin: random.Random) -> Any:
    """Return a description with about one of its parts replaced, repeated or left out."""
    if coin.random() < 0.06:
        return coin.choice([*NUMBERS, *NUMBERS, *OTHERS, *KINDS, [value] * coin.choice([2, 9, 300])])
    if isinstance(value, dict):
        return {key: mutated(each, coin) for key, each in value.items() if coin.random() > 0.01}
    if isinstance(value, list):
        return [mutated(each, coin) for each in value if coin.random() > 0.02] * coin.choice(
            [1] * 30 + [2, 20]
        )
    return value


def answered_in_little(texts: list[str]) -> list[str]:
    """Answer plans in a process that gets little memory and time; return what came of each."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__))],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=False,
        env={"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(Path(__file__).parents[1] / "helpers")},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return list(json.loads(done.stdout))


@pytest.mark.system
@pytest.mark.parametrize("texts", [hostile_plans.TEXTS, hostile_plans.LABELLED], ids=["plans", "labelled"])
def test_a_plan_never_takes_much_memory_or_time(texts: dict[str, str]) -> None:
    assert max(map(len, texts.values())) <= hostile_plans.LONGEST
    said = dict(zip(texts, answered_in_little(list(texts.values())), strict=True))
    for name, each in said.items():
        assert each == "a report" or each.startswith("PlanError: "), name
        assert len(each) < LONGEST_MESSAGE, name
    assert "a report" in said.values()


@pytest.mark.system
def test_mutated_plans_never_take_much_memory_or_time() -> None:
    plans = [json.loads(plan.to_json()) for plan in PLANS.values()]
    plans += [plan for plan in hostile_plans.PLANS.values() if len(json.dumps(plan)) < SMALL]
    for plan in plans:
        for derived in "fingerprint", "branchings":
            plan.pop(derived, None)
    coin = random.Random(12)  # noqa: S311 (a seed, for the same plans every time)
    made = (json.dumps(mutated(coin.choice(plans), coin)) for _ in range(400))
    texts = [text for text in made if len(text) < SMALL]
    said = answered_in_little(texts)
    assert len(said) == len(texts)
    assert {each.split(":")[0] for each in said} <= {"a report", "PlanError"}


def _answer(text: str) -> str:
    try:
        if "ldprange_labelled_plan" in text[:40]:
            numbers = ldp.LabelledPlan.from_json(text)
            assert ldp.LabelledClient(numbers).encode(dict.fromkeys(numbers.attributes, 0))
            return "a report"
        plan = ldp.Plan.from_json(text)
        assert plan.counters
        assert plan.fingerprint
        values = {name: domain.at(0.0) for name, domain in plan.domain.attributes.items()}
        assert ldp.Client(plan).encode(values if len(values) > 1 else values[""]).payload
    except ldp.PlanError as error:
        return f"PlanError: {error}"
    return "a report"


if __name__ == "__main__":
    texts = json.load(sys.stdin)
    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + MEMORY, held + MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    json.dump([_answer(text) for text in texts], sys.stdout)
