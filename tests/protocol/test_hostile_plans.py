"""A plan may come from a stranger: however small its text, reading it takes little memory and time."""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ldprange as ldp
from example_plans import PLANS
from ldprange.decompositions import KINDS as DECOMPOSITION_KINDS
from ldprange.oracles import KINDS as ORACLE_KINDS

MEMORY = 200 << 20  # beyond what Python and the library take
SMALL = 100_000  # characters
SECONDS = 20  # of processor time, for all plans of one test together; the worst took minutes each


def whole(bins: int) -> dict[str, Any]:
    return {"kind": "integers", "low": 0, "high": bins - 1}


def joint(*bins: int) -> dict[str, Any]:
    return {
        "kind": "product",
        "names": [f"a{place}" for place in range(len(bins))],
        "axes": [whole(each) for each in bins],
    }


def described(domain: object, decomposition: object, oracles: object, **rest: object) -> dict[str, Any]:
    levels = len(oracles) if isinstance(oracles, list) else 1
    return {
        "ldprange_plan": 1,
        "domain": domain,
        "epsilon": 1.0,
        "decomposition": decomposition,
        "oracles": oracles,
        "level_probabilities": [1 / levels] * levels,
    } | rest


GRR: list[object] = [{"kind": "grr"}]
WIDE: list[int] = list(range(255, 0, -1))
HOSTILE = {
    "all combinations of depths": described(joint(*[1 << 20] * 12), {"kind": "haar"}, GRR),
    "all combinations of shallow trees": described(joint(*[2] * 200), {"kind": "tree", "branching": 2}, GRR),
    "far from any number with small factors": described(joint(65028097, 2), {"kind": "haar"}, GRR),
    "many ways to write it as a product": described(
        joint(66528000, 2), {"kind": "tree", "branching": 1 << 20}, GRR
    ),
    "a cell for each of many combinations": described(joint(*[1 << 26] * 2000), {"kind": "flat"}, GRR),
    "a tree of many branchings": described(
        joint(2, 2), {"kind": "grids", "trees": [[2] * 50_000, [2]], "depths": [[1, 1]]}, GRR
    ),
    "branchings of thousands of digits": described(
        joint(2, 2), {"kind": "grids", "trees": [[10**4000] * 27, [2]], "depths": [[27, 1]]}, GRR
    ),
    "many symbols on many levels": described(
        whole(300),
        {"kind": "windows", "widths": WIDE},
        [{"kind": "olh", "symbols": 1 << 16}] * 255,
        epsilon=20.0,
    ),
    "many counters": described(
        whole(1 << 26), {"kind": "windows", "widths": WIDE}, [{"kind": "hadamard"}] * 255
    ),
    "many windows": described(whole(1 << 26), {"kind": "windows", "widths": list(range(30_000, 0, -1))}, GRR),
    "a large ε": described(whole(300), {"kind": "flat"}, [{"kind": "olh"}], epsilon=1e308),
    "a small ε": described(whole(300), {"kind": "flat"}, GRR, epsilon=5e-324),
    "bins without end": described(
        {"kind": "real", "low": 0, "high": 1, "bins": 2**53 - 1}, {"kind": "haar"}, GRR
    ),
}

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


def read_in_little(texts: list[str]) -> list[str]:
    """Read plans in a process that gets little memory and time; return what came of each."""
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
def test_a_small_plan_never_takes_much_memory_or_time() -> None:
    for name, said in zip(
        HOSTILE, read_in_little([json.dumps(each) for each in HOSTILE.values()]), strict=True
    ):
        assert said == "a plan" or said.startswith("PlanError: "), name
        assert len(said) < 400, name


@pytest.mark.system
def test_mutated_plans_never_take_much_memory_or_time() -> None:
    plans = [json.loads(plan.to_json()) for plan in PLANS.values()] + list(HOSTILE.values())
    for plan in plans:
        for derived in "fingerprint", "branchings":
            plan.pop(derived, None)
    coin = random.Random(12)  # noqa: S311 (a seed, for the same plans every time)
    made = (json.dumps(mutated(coin.choice(plans), coin)) for _ in range(400))
    texts = [text for text in made if len(text) < SMALL]
    said = read_in_little(texts)
    assert len(said) == len(texts)
    assert {each.split(":")[0] for each in said} <= {"a plan", "PlanError"}


def _read(text: str) -> str:
    try:
        plan = ldp.Plan.from_json(text)
    except ldp.PlanError as error:
        return f"PlanError: {error}"
    assert plan.counters
    assert plan.fingerprint
    return "a plan"


if __name__ == "__main__":
    texts = json.load(sys.stdin)
    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + MEMORY, held + MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    json.dump([_read(text) for text in texts], sys.stdout)
